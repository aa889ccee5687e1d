#!/usr/bin/env python3
"""What of bench/torch_shapes.py needs no torch: which cells, their layout, how many calls, and what it
says of bad input.

usage: bench_torch_test.py TORCH_SHAPES_PY
"""
import importlib.util
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DRIVER = sys.argv[1]
spec = importlib.util.spec_from_file_location("torch_shapes", DRIVER)
torch_shapes = importlib.util.module_from_spec(spec)
sys.dont_write_bytecode = True
spec.loader.exec_module(torch_shapes)


def cell(**more):
    return {"name": "a", "class": "rows", "in": "f32", "out": "f32", "operator": "plus", "outer": 3, "length": 5,
            "inner": 2, "in_pitch": 10, "out_pitch": 12, "in_offset": 1, "out_offset": 0, **more}


class Driver(unittest.TestCase):
    def run_on(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "results.json"
            path.write_text(text)
            return subprocess.run([sys.executable, DRIVER, path, "--json", path], capture_output=True,
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


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
