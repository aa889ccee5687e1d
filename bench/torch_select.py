#!/usr/bin/env python3
"""Times torch.masked_select, torch.nonzero and torch.unique_consecutive (of runs with return_counts) on the cells of
`scan_bench --suite select --json FILE`, as torch_shapes.py does it. Writes JSON that summary.py joins by the cells'
names.

These calls wait for the host, which learns how much they keep, and no graph can have them: they are launched one by
one, each on another input, and make their outputs in torch's memory, with indices and lengths of int64. Elements and
flags (torch.bool) are not the cell's own, but as many are kept, at random, in runs as long. Nothing is timed before
the outputs of all inputs are right. Of flags that are bits and of partition torch has nothing."""
import torch_shapes

ITEMS = {"u8": ("uint8", 1), "i32": ("int32", 4), "i64": ("int64", 8)}  # torch's name, bytes
CALLS = {"select, flag bytes": lambda torch, x, kept: torch.masked_select(x, kept),
         "indices": lambda torch, x, kept: torch.nonzero(kept)[:, 0],
         "unique": lambda torch, x, kept: torch.unique_consecutive(x),
         "runs": lambda torch, x, kept: torch.unique_consecutive(x, return_counts=True)}


def has_call(cell):
    return cell["class"] in CALLS and cell["in"] in ITEMS


class Selection(torch_shapes.Cell):
    """Slots of elements, and of what is kept of them: by flags, or as it differs from the one before."""

    def __init__(self, torch, cell):
        self.torch, self.cell, self.kind = torch, cell, cell["class"]
        name, item_bytes = ITEMS[cell["in"]]
        self.dtype, self.reads_flags = getattr(torch, name), self.kind.startswith(("select", "indices"))
        self.slot_bytes = cell["n"] * ((item_bytes if self.kind != "indices" else 0) + self.reads_flags)
        self.ins = [self.slot() for _ in range(torch_shapes.num_slots(self.slot_bytes))]

    def slot(self):
        """(elements, off as the cell's; flags)"""
        torch, cell = self.torch, self.cell
        off, n = cell["in_offset"], cell["n"]
        stretches = torch.rand(-(-n // cell["neighbours"]), device="cuda") < cell["percent"] / 100
        kept = torch.repeat_interleave(stretches, cell["neighbours"])[:n]
        if self.kind == "indices":
            return None, kept
        x = torch.randint(0, torch.iinfo(self.dtype).max, (off + n,), device="cuda", dtype=self.dtype)[off:]
        if not self.reads_flags:
            kept[0] = True
            x[:] = (torch.cumsum(kept, 0) * 0x9E3779B1).to(self.dtype)  # odd: neighbours differ
        return x, kept

    def call(self, i):
        CALLS[self.kind](self.torch, *self.ins[i % len(self.ins)])

    def graph_of(self, calls):
        return None

    def is_right(self):
        return all(self.is_slot_right(*slot) for slot in self.ins)

    def is_slot_right(self, x, kept):
        """Each element that is kept has as many before it as it should, and no other is there; and lengths of runs
        lead from one's beginning to the next one's."""
        torch, n = self.torch, len(kept)
        told, lengths = CALLS[self.kind](torch, x, kept), None
        if self.kind == "runs":
            told, lengths = told
        if self.kind == "indices":
            x = torch.arange(n, device="cuda")
        places = torch.cumsum(kept, 0) - 1
        if len(told) != int(places[-1]) + 1:
            return False
        right = len(told) == 0 or bool(((told[places] == x) | ~kept).all())
        if lengths is None:
            return right
        starts = torch.cumsum(lengths, 0) - lengths
        return (right and len(lengths) == len(told) and int(lengths.sum()) == n
                and bool((lengths > 0).all()) and bool(kept[starts].all()))


if __name__ == "__main__":
    torch_shapes.main(__doc__, ("select",), has_call, lambda cell: Selection)
