#!/usr/bin/env python3
"""Times torch.cumsum on the cells of `scan_bench --suite shapes` or `segments --json FILE`: a peer that is measured
where PyTorch is, on the same GPU, by itself. Writes JSON that summary.py joins by the cells' names.

As scan_bench does it: calls in a CUDA graph, each on another input, of more memory in all than an L2
holds; the median of several rounds; and nothing is timed before a sample of it, compared with sums in
float64 on the CPU (integers: exact ones), is right. Recurrences it has none of; nor scans of segments:
of integers with offsets it is cumsum, less what that is before each segment (of floats too little would be
left of the digits)."""
import argparse
import json
import math
import re
import statistics
import sys

MIB = 2**20
POOL_BYTES = 256 * MIB
MOST_CALLS = 256
LONGEST_S = 5.0         # all rounds of a cell that is slow
MOST_CALL_S = 0.1       # a graph of several calls
SUITES = "shapes", "segments"
SAMPLED_SEQUENCES, SAMPLED_STEPS = 32, 2**18
# torch's name, bytes, and the unit roundoff of what a sum is rounded to once; integers wrap around.
TYPES = {"f32": ("float32", 4, 0.0), "bf16": ("bfloat16", 2, 2.0**-8), "i32": ("int32", 4, None),
         "u8": ("uint8", 1, None)}


class BadInput(Exception):
    """The file is no result of the suite; the message is one line for the user."""


def has_scan(cell):
    """Whether torch has one for the cell."""
    return (cell["operator"] == "plus" and cell["in"] in TYPES and cell["out"] in TYPES
            and (not is_ragged(cell) or (cell["in"] == "i32" and cell["heads"].endswith("offsets"))))


def read_cells(path, suites=SUITES, takes=has_scan):
    """(results, the cells of a suite that are taken)."""
    try:
        with open(path, encoding="utf-8") as file:
            results = json.load(file)
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: no JSON: {error}") from error
    if not isinstance(results, dict) or results.get("suite") not in suites:
        raise BadInput(f"{path}: no results of scan_bench --suite {' or '.join(suites)}")
    try:
        return results, [cell for cell in results["cells"] if takes(cell)]
    except (KeyError, TypeError) as error:
        raise BadInput(f"{path}: a cell is not one of scan_bench's: {error!r}") from error


def is_ragged(cell):
    return cell["class"].startswith("segments")


def law_of(cell):
    """(length of all, or of all but one; None), (quarters, empty of 64, log of neighbours), as
    bench/cells/ragged.hpp has them, by what the distribution is called."""
    name = cell["lengths"]
    if name == "one giant":
        return 3, None
    if name.startswith("length "):
        return int(name.split()[1]), None
    named = {"Zipf": (4, 0, 0), "a third empty": (0, 21, 0)}
    return None, named.get(name) or tuple(map(int, re.search(r"\((\d+), (\d+), (\d+)\)$",
                                                             name).groups()))


def layout(cell, side):
    """(elements of a slot, shape, strides, offset) of "in" or "out"."""
    outer, length, inner = cell["outer"], cell["length"], cell["inner"]
    pitch, offset = cell[f"{side}_pitch"], cell[f"{side}_offset"]
    span = (outer - 1) * pitch + length * inner
    return span + offset, (outer, length, inner), (pitch, inner, 1), offset


def num_slots(slot_bytes):
    return max(1, min(MOST_CALLS, -(-POOL_BYTES // slot_bytes)))


def calls_and_rounds(slots, slot_bytes, call_s, rounds):
    """Calls of a graph, and rounds that there is time for."""
    fewest = max(3, min(8, -(-8 * POOL_BYTES // slot_bytes)))
    calls = max(1, min(max(slots, fewest), int(MOST_CALL_S / call_s)))
    return calls, max(1, min(rounds, int(LONGEST_S / (call_s * calls))))


def tolerance(out_roundoff, length, magnitude, expected):
    """Of a sum in float: as bench/data/host_data.hpp has it, and of rounding it once."""
    return 2.0**-23 * (64 + length / 2**13) * magnitude + out_roundoff * abs(expected)


class Cell:
    """Slots of inputs and outputs on the GPU."""

    def __init__(self, torch, cell):
        self.torch, self.cell = torch, cell
        self.in_type, self.out_type = (getattr(torch, TYPES[cell[side]][0])
                                       for side in ("in", "out"))
        self.slot_bytes = max(layout(cell, side)[0] * TYPES[cell[side]][1] for side in ("in", "out"))
        count = num_slots(self.slot_bytes)
        self.ins = [self.view("in", self.elements()) for _ in range(count)]
        self.outs = [self.view("out", torch.zeros(layout(cell, "out")[0], dtype=self.out_type,
                                                  device="cuda")) for _ in range(count)]

    def elements(self):
        low, high = (0, 256) if self.in_type == self.torch.uint8 else (-1000, 1000)
        count = layout(self.cell, "in")[0]
        if self.in_type.is_floating_point:
            return self.torch.rand(count, device="cuda").sub_(0.5).to(self.in_type)
        return self.torch.randint(low, high, (count,), device="cuda", dtype=self.in_type)

    def view(self, side, buffer):
        _, shape, strides, offset = layout(self.cell, side)
        tensor = self.torch.as_strided(buffer, shape, strides, offset)
        # Torch's kernel for rows is that of a tensor's last axis.
        return tensor.squeeze(2) if shape[2] == 1 else tensor

    def call(self, i):
        slot = i % len(self.ins)
        self.torch.cumsum(self.ins[slot], 1, dtype=self.out_type, out=self.outs[slot])

    def seconds(self, run):
        start, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
        start.record()
        run()
        end.record()
        end.synchronize()
        return start.elapsed_time(end) / 1000

    def is_right(self):
        """Of sequences here and there, the beginning."""
        torch, (outer, length, inner) = self.torch, layout(self.cell, "in")[1]
        roundoff = TYPES[self.cell["out"]][2]
        steps = min(length, SAMPLED_STEPS)
        for i in range(min(SAMPLED_SEQUENCES, outer * inner)):
            at = i * 2654435761 % (outer * inner)
            x, y = (side[0].view(outer, length, inner)[at // inner, :steps, at % inner].cpu()
                    for side in (self.ins, self.outs))
            if roundoff is None:
                wide = torch.cumsum(x.to(torch.int64), 0)
                right = torch.equal(wide.to(torch.int32), y)
            else:
                wide = torch.cumsum(x.double(), 0)
                magnitude = torch.cumsum(x.double().abs(), 0)
                right = bool(((y.double() - wide).abs()
                              <= tolerance(roundoff, length, magnitude, wide)).all())
            if not right:
                return False
        return True

    def graph_of(self, calls):
        """A function that makes the calls; None where torch cannot capture them."""
        graph = self.torch.cuda.CUDAGraph()
        try:
            with self.torch.cuda.graph(graph):
                for i in range(calls):
                    self.call(i)
        except RuntimeError:
            return None
        return graph.replay

    def measure(self, rounds):
        self.call(0)
        call_s = max(self.seconds(lambda: self.call(0)), 1e-7)
        if not self.is_right():
            return {"verified": False, "median_us": None}
        calls, rounds = calls_and_rounds(len(self.ins), self.slot_bytes, call_s, rounds)
        replay = self.graph_of(calls)
        run = replay or (lambda: [self.call(i) for i in range(calls)])
        run()
        times = [self.seconds(run) / calls * 1e6 for _ in range(rounds)]
        return {"verified": True, "median_us": statistics.median(times), "rounds": rounds,
                "in_graph": replay is not None}


class RaggedCell(Cell):
    """Segments of int32 by offsets, each slot with its own."""

    def __init__(self, torch, cell):
        self.torch, self.cell = torch, cell
        offsets = self.offsets()
        self.slot_bytes = 4 * max(cell["n"], offsets.numel())
        count = num_slots(self.slot_bytes)
        self.ins = [torch.randint(-1000, 1000, (cell["n"],), device="cuda", dtype=torch.int32)
                    for _ in range(count)]
        self.outs = [torch.zeros_like(one) for one in self.ins]
        self.of_slots = [offsets.clone() for _ in range(count)]

    def offsets(self):
        """Of the same distribution, not the same ones."""
        torch, n, count = self.torch, self.cell["n"], self.cell["segments"]
        length, weights = law_of(self.cell)
        if weights is None:
            offsets = torch.arange(count + 1, device="cuda") * length
            if self.cell["lengths"] == "one giant":
                offsets[count // 2 + 1:] += n - count * length
        else:
            quarters, empty, log = weights
            u = 1 - torch.rand(-(-count >> log), device="cuda", dtype=torch.float64)
            weight = (u ** (-quarters / 4) if quarters else u).repeat_interleave(2**log)[:count]
            weight[torch.rand(count, device="cuda") < empty / 64] = 0
            before = torch.nn.functional.pad(torch.cumsum(weight, 0), (1, 0))
            offsets = (before * (n / before[-1].clamp(min=1e-300))).long()
            offsets[-1] = n
        return offsets.clamp(max=n).to(torch.int32)

    def call(self, i):
        slot = i % len(self.ins)
        x, out, offsets = self.ins[slot], self.outs[slot], self.of_slots[slot]
        self.torch.cumsum(x, 0, dtype=x.dtype, out=out)
        starts = offsets[:-1].clamp(max=len(x) - 1)
        before = out[starts] - x[starts]
        out -= before.repeat_interleave(offsets[1:] - offsets[:-1], output_size=len(x))

    def is_right(self):
        """The beginning."""
        steps = min(self.cell["n"], SAMPLED_STEPS)
        x, y = self.ins[0][:steps].cpu().tolist(), self.outs[0][:steps].cpu().tolist()
        heads = set(self.of_slots[0].cpu().tolist())
        right = 0
        for i in range(steps):
            right = x[i] if i in heads else right + x[i]
            if y[i] != right:
                return False
        return True


def measure(torch, cell, rounds, class_of):
    try:
        measured = class_of(cell)(torch, cell).measure(rounds)
    except RuntimeError as error:  # memory, say
        measured = {"verified": False, "median_us": None, "failure": str(error).splitlines()[0]}
    torch.cuda.empty_cache()
    return {"name": cell["name"], **measured}


def main(description=__doc__, suites=SUITES, takes=has_scan,
         class_of=lambda cell: RaggedCell if is_ragged(cell) else Cell):
    """Of the cells that are taken: `class_of(cell)(torch, cell)` measures it."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("results", metavar="FILE", help=f"JSON of scan_bench --suite {' or '.join(suites)}")
    parser.add_argument("--json", metavar="FILE", required=True, help="where to write")
    parser.add_argument("--rounds", type=int, default=9, help="the median of so many (default: 9)")
    parser.add_argument("--most-seconds", type=float, default=math.inf, help="stop after so many")
    arguments = parser.parse_args()
    try:
        _, cells = read_cells(arguments.results, suites, takes)
    except BadInput as error:
        sys.exit(f"{parser.prog}: {error}")
    try:
        import torch
    except ImportError:
        sys.exit(f"{parser.prog}: PyTorch is missing")
    if not torch.cuda.is_available():
        sys.exit(f"{parser.prog}: PyTorch sees no GPU")
    import time
    begun, measured = time.monotonic(), []
    for cell in cells:
        if time.monotonic() - begun > arguments.most_seconds:
            break
        measured.append(measure(torch, cell, arguments.rounds, class_of))
        one = measured[-1]
        print(f"{len(measured):4}/{len(cells)}  {one['name']:50} "
              + (f"{one['median_us']:12.2f} us" if one["median_us"] else "WRONG or failed"),
              flush=True)
    with open(arguments.json, "w", encoding="utf-8") as file:
        json.dump({"suite": f"torch {suites[0]}", "torch_version": torch.__version__,
                   "gpu": torch.cuda.get_device_name(), "cells": measured}, file, indent=1)


if __name__ == "__main__":
    main()
