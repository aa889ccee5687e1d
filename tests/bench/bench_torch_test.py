#!/usr/bin/env python3
"""What of bench/torch_shapes.py and torch_select.py needs no torch: which cells, their layout, how many calls, and what
they say of bad input. Compactions are measured on a stand-in for torch.

usage: bench_torch_test.py TORCH_SHAPES_PY TORCH_SELECT_PY
"""
import itertools
import json
import operator
import pathlib
import random
import subprocess
import sys
import tempfile
import types
import unittest
from unittest import mock

DRIVER, SELECT_DRIVER = sys.argv[1:3]
sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(DRIVER).parent))
import torch_select
import torch_shapes


def cell(**more):
    return {"name": "a", "class": "rows", "in": "f32", "out": "f32", "operator": "plus", "outer": 3, "length": 5,
            "inner": 2, "in_pitch": 10, "out_pitch": 12, "in_offset": 1, "out_offset": 0, **more}


class Driver(unittest.TestCase):
    def run_on(self, text, driver=DRIVER):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            path.write_text(text)
            return subprocess.run([sys.executable, driver, path, "--json", path], capture_output=True,
                                  text=True)

    def test_layout(self):
        self.assertEqual(torch_shapes.layout(cell(), "in"), (31, (3, 5, 2), (10, 2, 1), 1))
        self.assertEqual(torch_shapes.layout(cell(), "out"), (34, (3, 5, 2), (12, 2, 1), 0))

    def test_recurrences_are_left_out(self):
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump({"suite": "shapes", "cells": [cell(), cell(operator="recurrence"),
                                                    cell(**{"in": "u8", "out": "i32"})]}, file)
            file.flush()
            _, cells = torch_shapes.read_cells(file.name)
        self.assertEqual([one["in"] for one in cells], ["f32", "u8"])

    def test_segments_are_those_of_integers_with_offsets(self):
        of = {"class": "segments by offsets", "heads": "int32 offsets"}
        cells = [cell(name="b", **{"in": "i32", "out": "i32"}, **of), cell(**of),
                 cell(**{"in": "i32", "out": "i32", "class": "segments by keys", "heads": "keys"})]
        with tempfile.NamedTemporaryFile("w") as file:
            json.dump({"suite": "segments", "cells": cells}, file)
            file.flush()
            self.assertEqual(torch_shapes.read_cells(file.name)[1], cells[:1])

    def test_laws(self):
        for name, law in {"length 1000": (1000, None), "one giant": (3, None), "Zipf": (None, (4, 0, 0)),
                          "a third empty": (None, (0, 21, 0)),
                          "16 drawn (2, 63, 9)": (None, (2, 63, 9))}.items():
            self.assertEqual(torch_shapes.law_of({"lengths": name}), law)

    def test_calls(self):
        mib = 2**20
        self.assertEqual(torch_shapes.num_slots(1), 256)
        self.assertEqual(torch_shapes.num_slots(64 * mib), 4)
        self.assertEqual(torch_shapes.num_slots(1024 * mib), 1)
        calls = torch_shapes.calls_and_rounds
        self.assertEqual(calls(256, mib, 1e-5, 9), (256, 9))
        self.assertEqual(calls(1, 1024 * mib, 1e-3, 9), (3, 9))
        self.assertEqual(calls(4, 64 * mib, 0.05, 9), (2, 9))
        self.assertEqual(calls(1, 1024 * mib, 2.0, 9), (1, 2))
        self.assertEqual(calls(1, 1024 * mib, 20.0, 9), (1, 1))

    def test_bad_input(self):
        for text in ("", "[]", '{"suite": "random", "cells": []}', '{"suite": "shapes"}',
                     '{"suite": "shapes", "cells": [{"n": 1}]}'):
            done = self.run_on(text)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)
            self.assertTrue(done.stderr.startswith("torch_shapes.py: "), done.stderr)
        done = self.run_on('{"suite": "shapes", "cells": []}', SELECT_DRIVER)
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.endswith("no results of scan_bench --suite select\n"), done.stderr)


class Tensor(list):
    """One axis."""

    def __getitem__(self, at):
        if isinstance(at, tuple):  # of what torch.nonzero has returned
            return self
        if isinstance(at, Tensor):
            return Tensor(self[i] for i in at)
        got = super().__getitem__(at)
        return Tensor(got) if isinstance(at, slice) else got

    def __invert__(self):
        return Tensor(not one for one in self)

    def to(self, mask):
        return Tensor(one & mask for one in self)


def of_each(op):
    return lambda one, other: Tensor(map(op, one, other if isinstance(other, Tensor) else itertools.repeat(other)))


Tensor.all, Tensor.sum = lambda self: all(self), lambda self: sum(self)
for name in ("lt", "gt", "eq", "or_", "sub", "mul"):
    setattr(Tensor, f"__{name.strip('_')}__", of_each(getattr(operator, name)))


def unique_consecutive(x, return_counts=False):
    runs = [(value, len(list(run))) for value, run in itertools.groupby(x)]
    values, lengths = (Tensor(run[i] for run in runs) for i in range(2))
    return (values, lengths) if return_counts else values


TORCH = types.SimpleNamespace(
    uint8=2**8 - 1, int32=2**31 - 1, int64=2**63 - 1, iinfo=lambda mask: types.SimpleNamespace(max=mask),
    rand=lambda n, device: Tensor(random.random() for _ in range(n)),
    randint=lambda low, high, size, device, dtype: Tensor(random.randrange(low, high) for _ in range(*size)),
    arange=lambda n, device: Tensor(range(n)), cumsum=lambda x, _: Tensor(itertools.accumulate(x)),
    repeat_interleave=lambda x, times: Tensor(one for one in x for _ in range(times)),
    masked_select=lambda x, kept: Tensor(itertools.compress(x, kept)),
    nonzero=lambda kept: Tensor(itertools.compress(range(len(kept)), kept)),
    unique_consecutive=unique_consecutive, cuda=mock.Mock())
TORCH.cuda.Event().elapsed_time.return_value = 1.0


def selection(kind, **more):
    return {"name": "a", "class": kind, "in": "u8", "n": 3001, "in_offset": 3, "percent": 50, "neighbours": 1, **more}


@mock.patch.object(torch_shapes, "POOL_BYTES", 6000)
class Compactions(unittest.TestCase):
    def measure(self, cell):
        return torch_shapes.measure(TORCH, cell, 5, lambda _: torch_select.Selection)

    def test_which_cells(self):
        kinds = ["select, flag bytes", "select, flag bits", "partition", "indices", "unique", "runs"]
        self.assertEqual([kind for kind in kinds if torch_select.has_call(selection(kind))],
                         [kinds[0], *kinds[3:]])

    def test_right_ones_are_timed_one_by_one(self):
        for kind, percent, of in itertools.product(torch_select.CALLS, (0, 10, 100), ("u8", "i32", "i64")):
            measured = self.measure(selection(kind, percent=percent, **{"in": of}))
            self.assertEqual((measured["verified"], measured["in_graph"]), (True, False), (kind, percent, of))
            self.assertGreater(measured["median_us"], 0)

    def test_wrong_ones_are_not(self):
        for kind, right in [*torch_select.CALLS.items()]:
            for wrong in (lambda told: told[:-1], lambda told: told[::-1]):
                calls = [lambda *of: wrong(right(*of))]
                if kind == "runs":
                    calls = [lambda *of: (wrong(right(*of)[0]), right(*of)[1]),
                             lambda *of: (right(*of)[0], wrong(right(*of)[1]))]
                for call in calls:
                    with mock.patch.dict(torch_select.CALLS, {kind: call}):
                        measured = self.measure(selection(kind))
                    self.assertEqual((measured["verified"], measured["median_us"]), (False, None), kind)

    def test_as_many_are_kept_in_runs_as_long(self):
        for kind in torch_select.CALLS:
            x, kept = torch_select.Selection(TORCH, selection(kind, percent=10, neighbours=4, n=40001)).ins[0]
            self.assertEqual(len(kept), 40001)
            self.assertTrue(3000 < sum(kept) < 5000, sum(kept))
            self.assertTrue(all(len(set(kept[i:i + 4])) == 1 for i in range(4, 40000, 4)))
            if kind in ("unique", "runs"):
                self.assertTrue([True] + [a != b for a, b in zip(x, x[1:])] == [*kept])  # (too long to be shown)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
