#!/usr/bin/env python3
"""bench/plot.py turns a suite's results into figures, and says what is wrong with its input.

usage: bench_plot_test.py PLOT_PY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

PLOT = sys.argv[1]


def python_with_matplotlib():
    """This one, or the system's, for which Debian packages matplotlib; None: neither."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            if subprocess.run([python, "-c", "import matplotlib"], capture_output=True).returncode == 0:
                return python
        except OSError:
            continue
    return None


def cell(element_type, element_bytes, exponent, **more):
    return {"in": element_type, "out": element_type, "operator": "plus", "kind": "inclusive",
            "in_place": False, "offset": False, "n": 2**exponent,
            "bytes_per_side": element_bytes * 2**exponent, "share_of_copy": exponent / 32,
            "speedup_over_cub": 20 / exponent, **more}


def results():
    return {"suite": "speed", "gpu": "a GPU", "date": "2030-01-02T03:04:05Z", "git_commit": "abc",
            "cub_versions": ["3.0.1", "3.5.0"],
            "cells": [cell("u8", 1, 10), cell("u8", 1, 20), cell("u8", 1, 31),
                      cell("f64", 8, 8), cell("f64", 8, 28),
                      cell("f64", 8, 20, share_of_copy=None, speedup_over_cub=None),
                      cell("i64", 8, 20, kind="exclusive"), cell("i32", 4, 20, offset=True)]}


class Plots(unittest.TestCase):
    def plot(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        path = self.folder / "results.json"
        path.write_text(text, encoding="utf-8")
        return subprocess.run([PYTHON, PLOT, path, "--out", self.folder / "figures"],
                              capture_output=True, text=True)

    def test_figures(self):
        done = self.plot(json.dumps(results()))
        self.assertEqual(done.returncode, 0, done.stderr)
        for name in ("share_of_copy.svg", "speedup_over_cub.svg"):
            root = xml.etree.ElementTree.parse(self.folder / "figures" / name).getroot()
            self.assertTrue(root.tag.endswith("svg"))
            text = (self.folder / "figures" / name).read_text(encoding="utf-8")
            self.assertIn("u8", text)  # labels stay readable in the file, as comments or text
            self.assertNotIn("<!-- i64 -->", text)

    def test_ladder(self):
        def of(us):
            return {"verified": True, "median_us": us}
        cells = [{"n": n, "contenders": {"scan": of(2.0), "B blelloch": of(5.0), "C1 slow": of(9.0),
                                         "D1 wrong": {"verified": False, "first_wrong": 3},
                                         "copy kernel": of(1.5), "cudaMemcpyAsync": of(1.0)}}
                 for n in (100, 1000)]
        done = self.plot(json.dumps({"suite": "ladder", "cells": cells}))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "figures" / "ladder.svg").read_text(encoding="utf-8")
        self.assertIn("B blelloch", text)
        for absent in ("C1 slow", "D1 wrong", "copy kernel"):
            self.assertNotIn(absent, text)
        for cells in ([], [{"n": 1}], [{"n": 100, "contenders": {"scan": of(2.0)}}]):
            done = self.plot(json.dumps({"suite": "ladder", "cells": cells}))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)

    def test_shapes(self):
        def shape(kind, share, mib=64, out="f32", **more):
            return {"class": kind, "share_of_copy": share, "bytes_per_side": mib << 20,
                    "in": "u8" if out == "i32" else out, "out": out, **more}
        cells = [shape("rows, length >= 32", 0.9), shape("inner 2.. below", 0.7, out="i32"),
                 shape("recurrences, rows", None), shape("a single row", 0.9, mib=63),
                 shape("another class", 0.5, out="f64")]
        done = self.plot(json.dumps({"suite": "shapes", "cells": cells}))
        self.assertEqual(done.returncode, 0, done.stderr)
        text = (self.folder / "figures" / "shapes.svg").read_text(encoding="utf-8")
        for present in ("length &gt;= 32", "inner 2.. below", "u8 to i32", "another class", "goal"):
            self.assertIn(present, text)
        for absent in ("<!-- recurrences, -->", "<!-- a single row -->"):
            self.assertFalse(absent in text, absent)
        done = self.plot(json.dumps({"suite": "segments", "cells": [shape("segments by keys", 0.9)]}))
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("by keys", (self.folder / "figures" / "segments.svg").read_text(encoding="utf-8"))
        for cells in ([], [{"n": 1}], [shape("rows, length >= 32", 0.9, mib=1)], [shape("x", "y")]):
            done = self.plot(json.dumps({"suite": "shapes", "cells": cells}))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)

    def test_gpus(self):
        def row(exponent, share, **more):
            return {"n": 2**exponent, "share_of_3n": share, "across_us": 20.5, "plain_us": 3.25,
                    "gather_us": 5.5, "copy_us": 2.25, **more}
        few, many = [row(10, 0.1), row(18, 0.2)], [row(20, 0.3), row(28, 0.9), row(31, 1.5)]
        for rows, has_goal in ((few, False), (many, True)):
            done = self.plot(json.dumps({"gpus": 2, "gpu": "a GPU", "rows": rows}))
            self.assertEqual(done.returncode, 0, done.stderr)
            text = (self.folder / "figures" / "gpus.svg").read_text(encoding="utf-8")
            for present in ("across 2 GPUs, a GPU", "plain call of a slice + all-gather", "bytes a rank"):
                self.assertIn(present, text)
            self.assertEqual("<!-- goal -->" in text, has_goal)
        for rows in ([], [{"n": 1}], [row(31, 1.5)], [row(10, None)], [3]):
            done = self.plot(json.dumps({"gpus": 2, "rows": rows}))
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)

    def test_bad_input(self):
        for text in ("", "[]", "{}", '{"cells": 3}', '{"cells": []}', '{"cells": [{"in": 1}]}'):
            done = self.plot(text)
            self.assertEqual(done.returncode, 1, text)
            self.assertTrue(done.stderr.startswith("plot.py: "), done.stderr)
            self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_no_file(self):
        done = subprocess.run([PYTHON, PLOT, "/no/such/file"], capture_output=True, text=True)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (1, 1), done.stderr)


if __name__ == "__main__":
    PYTHON = python_with_matplotlib()
    if PYTHON is None:
        print("skipped: no matplotlib")
        sys.exit(77)
    unittest.main(argv=sys.argv[:1])
