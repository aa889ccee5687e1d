#!/usr/bin/env python3
"""bench/summary.py makes tables of random cells, shapes, segments, compactions, edges and chains, and says what is wrong with
its input.

usage: bench_summary_test.py SUMMARY_PY
"""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

SUMMARY = sys.argv[1]


def of(us):
    return {"verified": True, "median_us": us}


def cell(name, num_bytes, scan, cub, copy=1.0, **more):
    times = {"scan": of(scan), "CUB 3.0.1": of(cub + 1), "CUB 3.5.0": of(cub),
             "copy kernel": of(copy), "cudaMemcpyAsync": of(copy + 1)}
    return {"name": name, "in": "i32", "n": num_bytes // 4, "bytes_per_side": num_bytes,
            "warm": False, "misaligned": False, "offset": False, "contenders": times,
            "speedup_over_cub": cub / scan, "share_of_copy": copy / scan, **more}


def random_run(seed, *cells):
    return {"suite": "random", "seed": seed, "cells": list(cells), "skipped": []}


def shape(name, kind, num_mib, scan, copy=1.0, plain=None, **peers):
    """Peers: cub_segmented, cub_by_key, thrust_by_key."""
    times = {"scan": of(scan), "copy kernel": of(copy), "cudaMemcpyAsync": of(copy + 1)}
    if plain:
        times["one sequence"] = of(plain)
    for peer, us in peers.items():
        times[peer.replace("cub_", "CUB ").replace("thrust_", "Thrust ").replace("_", " ") + " 3.5.0"] = of(us)
    return {"name": name, "class": kind, "bytes_per_side": int(num_mib * 2**20), "contenders": times,
            "share_of_copy": copy / scan, "over_one_sequence": scan / plain if plain else None}


def shapes_run(*cells):
    return {"suite": "shapes", "seed": 5, "gpu": "a GPU", "cells": list(cells), "skipped": [{}]}


def ragged(name, n, num_mib, scan, heads="keys", **peers):
    kind = {"int32 offsets": "segments by offsets", "keys": "segments by keys"}[heads]
    made = shape(name, kind, num_mib, scan, **peers)
    return made | {"in": "f32", "n": n, "heads": heads}


class Tables(unittest.TestCase):
    def summary(self, *runs, options=()):
        with tempfile.TemporaryDirectory() as folder:
            paths = []
            for i, run in enumerate(runs):
                paths.append(pathlib.Path(folder) / f"{i}.json")
                paths[-1].write_text(run if isinstance(run, str) else json.dumps(run))
            return subprocess.run([sys.executable, SUMMARY, *options, *paths], capture_output=True,
                                  text=True)

    def rows(self, *runs, options=()):
        done = self.summary(*runs, options=options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return done.stdout.splitlines()

    def random_runs(self):
        wrong = cell("wrong", 5000, 1.0, 1.0, speedup_over_cub=None, share_of_copy=None)
        wrong["contenders"]["scan"] = {"verified": False, "first_wrong": 3, "median_us": None}
        return (random_run(7, cell("a", 4095, 2.0, 4.0), cell("b", 4096, 2.0, 1.0),
                           cell("c", 65535, 2.0, 4.0, misaligned=True)),
                random_run(8, cell("d", 4096, 2.0, 4.0, warm=True, misaligned=True),
                           cell("e", 2**30, 1.0, 0.98), wrong))

    def test_random(self):
        rows = self.rows(*self.random_runs())
        self.assertIn("Seeds 7, 8: 5 cells, on average 1.31 times", rows[0])
        self.assertIn("1 below 0.97, 1 wrong, 0 too large", rows[0])
        for row in ("| 256 B - 4 KiB | cold aligned | 1 | 2.00 | 2.00 | a | 0 | 0.50 |",
                    "| 4 - 64 KiB | cold aligned | 1 | 0.50 | 0.50 | b | 1 | 0.50 |",
                    "| 4 - 64 KiB | cold misaligned | 1 | 2.00 | 2.00 | c | 0 | 0.50 |",
                    "| 4 - 64 KiB | warm | 1 | 2.00 | 2.00 | d | 0 | 0.50 |",
                    "| 4 - 64 KiB | all | 3 | 1.26 | 0.50 | b | 1 | 0.50 |",
                    "| over 1 GiB | all | 1 | 0.98 | 0.98 | e | 0 | 1.00 |",
                    "| all | cold aligned | 3 | 0.99 | 0.50 | b | 1 | 0.50 |",
                    "| all | all | 5 | 1.31 | 0.50 | b | 1 | 0.50 |"):
            self.assertIn(row, rows)
        worst = [row for row in rows[rows.index("The worst of them, microseconds:"):] if "|" in row]
        self.assertEqual(worst[2], "| b | 0.50 | 2.00 | 1.00 | 1.00 |")
        self.assertEqual(worst[3], "| e | 0.98 | 1.00 | 0.98 | 1.00 |")

    def test_short(self):
        rows = self.rows(*self.random_runs(), options=["--short"])
        self.assertIn("| 4 - 64 KiB | all | 3 | 1.26 | 0.50 | b | 1 | 0.50 |", rows)
        self.assertNotIn("cold", "".join(rows))

    def shapes_runs(self):
        wrong = shape("f", "length 1", 64, 1.0)
        wrong["contenders"]["scan"] = {"verified": False, "first_wrong": 3, "median_us": None}
        wrong["share_of_copy"] = None
        rows, small = "rows, length >= 32", "inner 2.. below"
        run = shapes_run(shape("a", rows, 64, 1.25, cub_segmented=5.0, cub_by_key=2.5),
                         shape("b", rows, 640, 1.0, cub_segmented=0.5), shape("c", rows, 63, 8.0),
                         shape("d", small, 16, 2.8, plain=2.0), shape("e", small, 17, 9.0, plain=1.0),
                         shape("g", "a single row", 2000, 1.03, plain=1.0), wrong,
                         shape("h", "recurrences, rows", 64, 1.0))
        torch = {"suite": "torch shapes", "gpu": "a GPU", "cells": [
            {"name": "c", **of(4.0)}, {"name": "e", **of(90.0)}, {"name": "z", **of(1.0)},
            {"name": "a", "verified": False, "median_us": None}]}
        return run, torch

    def test_shapes(self):
        rows = self.rows(*self.shapes_runs())
        self.assertEqual(rows[0], "Seeds 5: 8 cells, 2 slower than a peer, 1 wrong, "
                                  "1 too large for the GPU")
        for row in ("| share of copy, from 64 MiB per side | cells | goal | median | worst | in | missed |",
                    "| rows, length >= 32 | 2 | 0.90 | 0.90 | 0.80 | a | 1 |",
                    "| recurrences, rows | 1 | 0.88 | 1.00 | 1.00 | h | 0 |",
                    "| a single row | 1 | 1.02 | 1.03 | 1.03 | g | 1 |",
                    "| 256 KiB - 16 MiB | 1 | 1.30 | 1.40 | 1.40 | d | 1 |",
                    "| 256 KiB - 16 MiB: inner 2.. below | 1 | 1.30 | 1.40 | 1.40 | d | 1 |",
                    "| rows, length >= 32 | 1.41 | 2.00 | 0.50 | 0.79 | 0.50 | b | 3 | 2 |",
                    "| inner 2.. below | - | - | 10.00 | 10.00 | 10.00 | e | 1 | 0 |",
                    "| all | 1.41 | 2.00 | 2.24 | 1.50 | 0.50 | b | 4 | 2 |",
                    "| b | 0.50 | 1.00 | 0.50 | CUB segmented | 1.00 |",
                    "| c | 0.50 | 8.00 | 4.00 | torch.cumsum | 1.00 |"):
            self.assertIn(row, rows)
        self.assertFalse([row for row in rows if row.startswith("| length 1")])

    def test_shapes_without_torch(self):
        rows = self.rows(self.shapes_runs()[0], options=["--short"])
        self.assertIn("| rows, length >= 32 | 1.41 | 2.00 | - | 1.00 | 0.50 | b | 2 | 1 |", rows)
        self.assertNotIn("Slower", "".join(rows))

    def test_segments(self):
        run = shapes_run(ragged("a", 100, 64, 1.25, cub_by_key=5.0, thrust_by_key=2.5),
                         ragged("b", 100, 96, 1.0, cub_by_key=0.8, thrust_by_key=4.0),
                         ragged("c", 101, 64, 4.0, plain=3.2), ragged("d", 100, 64, 2.0, "int32 offsets"),
                         ragged("e", 7, 16, 1.0, cub_by_key=1.1), ragged("f", 8, 1, 1.0, cub_by_key=2.0),
                         ragged("g", 9, 17, 1.0))
        run["suite"] = "segments"
        torch = {"suite": "torch shapes", "gpu": "a GPU", "cells": [{"name": "d", **of(1.0)}]}
        rows = self.rows(run, torch)
        self.assertEqual(rows[0], "Seeds 5: 7 cells, 2 slower than a peer, 0 wrong, "
                                  "1 too large for the GPU")
        for row in ("| segments by keys | 3 | 0.85 | 0.80 | 0.25 | c | 2 |",
                    "| segments by offsets | 1 | 0.85 | 0.50 | 0.50 | d | 1 |",
                    "| segments by keys | 2 | 1.15 | 1.55 | 1.10 | e | 1 |",
                    "| all | 2 | 1.15 | 1.55 | 1.10 | e | 1 |",
                    "| segments by keys | 2 | 1.15 | 1.12 | 1.25 | a | 1 |",
                    "| times the speed of | CUB segmented | CUB by key | Thrust by key | torch.cumsum "
                    "| the fastest | worst | in | cells | slower |",
                    "| segments by keys | - | 1.63 | 2.83 | - | 1.37 | 0.80 | b | 4 | 1 |",
                    "| segments by offsets | - | - | - | 0.50 | 0.50 | 0.50 | d | 1 | 1 |",
                    "| segments, from 64 MiB | 1 | 1.09 | 1.25 | 1.25 | c | 1 |",
                    "| d | 0.50 | 2.00 | 1.00 | torch.cumsum | 1.00 |"):
            self.assertIn(row, rows)

    def test_select(self):
        run = random_run(3, cell("a", 2**18, 2.0, 4.0, **{"class": "runs"}),
                         cell("b", 2**26, 4.0, 2.0, **{"class": "runs"}),
                         cell("c", 2**26, 2.0, 2.5, **{"class": "indices"}))
        rows = self.rows(run | {"suite": "select"})
        self.assertEqual(rows[0], "Seeds 3: 3 cells, 1 slower than CUB, 0 wrong, 0 too large for the GPU")
        for row in ("| indices | all | 1 | 0.50 | 0.50 | c | 1.25 | 1.25 | c | 0 |",
                    "| runs | 64 MiB - 1 GiB | 1 | 0.25 | 0.25 | b | 0.50 | 0.50 | b | 1 |",
                    "| runs | all | 2 | 0.38 | 0.25 | b | 1.00 | 0.50 | b | 1 |",
                    "| runs | i32, from 64 MiB | 1 | 0.25 | 0.25 | b | 0.50 | 0.50 | b | 1 |",
                    "| all | all | 3 | 0.50 | 0.25 | b | 1.08 | 0.50 | b | 1 |"):
            self.assertIn(row, rows)
        self.assertNotIn("waiting", "".join(rows))

    def waiting_runs(self):
        run = random_run(3, cell("a", 2**18, 2.0, 4.0, **{"class": "runs"}),
                         cell("b", 2**18, 2.0, 4.0, **{"class": "runs"}),
                         cell("c", 2**26, 2.0, 2.5, **{"class": "partition"}))
        for one, thrust in zip(run["cells"], (16.0, 4.0, 12.0)):
            one["contenders"] |= {"scan, which waits": of(8.0), "Thrust 3.0.1, which waits": of(thrust)}
        torch = {"suite": "torch select", "gpu": "a GPU", "cells": [
            {"name": "a", **of(24.0)}, {"name": "b", "verified": False, "median_us": None}]}
        return run | {"suite": "select", "gpu": "a GPU"}, torch

    def test_waiting(self):
        rows = self.rows(*self.waiting_runs())
        self.assertTrue(rows[2].endswith("| slower | times Thrust's, both waiting, mean | worst "
                                         "| times torch's, both waiting, mean | worst |"), rows[2])
        for row in ("| runs | 256 KiB - 4 MiB | 2 | 0.50 | 0.50 | a | 2.00 | 2.00 | a | 0 | 1.00 | 0.50 | 3.00 | 3.00 |",
                    "| partition | all | 1 | 0.50 | 0.50 | c | 1.25 | 1.25 | c | 0 | 1.50 | 1.50 | - | - |",
                    "| all | all | 3 | 0.50 | 0.50 | a | 1.71 | 1.25 | c | 0 | 1.14 | 0.50 | 3.00 | 3.00 |"):
            self.assertIn(row, rows)
        self.assertTrue(self.rows(self.waiting_runs()[0])[-1].endswith("| c | 0 | 1.14 | 0.50 |"))

    def test_edges(self):
        cells = [cell("even", 4096, 2.0, 0.0), cell("more", 4100, 3.0, 0.0),
                 cell("off", 4096, 2.2, 0.0, offset=True), cell("far", 4096, 2.4, 0.0, offset=True),
                 cell("u8", 1 << 12, 1.0, 0.0, **{"in": "u8", "n": 4096}),
                 cell("u8 more", 4097, 1.0, 0.0, **{"in": "u8", "n": 4097})]
        rows = self.rows({"suite": "edges", "cells": cells})
        for row in ("| 2^k + 1 over 2^k | number | median | worst | in |",
                    "| 4 - 64 KiB | 2 | 1.25 | 1.50 | more |", "| i32 | 1 | 1.50 | 1.50 | more |",
                    "| u8 | 1 | 1.00 | 1.00 | u8 more |", "| all | 2 | 1.25 | 1.50 | more |",
                    "| all | 2 | 1.15 | 1.20 | far |"):
            self.assertIn(row, rows)

    def test_chain(self):
        one = cell("chain", 4096, 2.0, 4.0)
        one["contenders"] = {"scan": of(2.0), "CUB 3.0.1": of(4.0), "empty kernel": of(1.5)}
        rows = self.rows({"suite": "chain", "cells": [one]})
        self.assertEqual(rows[0],
                         "| bytes per side | scan, us | CUB 3.0.1, us | empty kernel, us | CUB / scan |")
        self.assertEqual(rows[2], "| 4 KiB | 2.00 | 4.00 | 1.50 | 2.00 |")

    def test_bad_input(self):
        bad = ("", "[]", "{}", '{"suite": "random", "cells": []}', '{"suite": "speed", "cells": [1]}',
               '{"suite": "random", "cells": [3]}', '{"suite": "edges", "cells": [{"n": 1}]}')
        for runs in ((text,) for text in bad):
            self.assert_refused(self.summary(*runs))
        run, torch = self.shapes_runs()
        self.assert_refused(self.summary(torch))
        self.assert_refused(self.summary(run, {**torch, "gpu": "another"}))
        self.assert_refused(self.summary(random_run(1, cell("a", 5, 1.0, 1.0)), torch))
        self.assert_refused(self.summary(run, self.waiting_runs()[1]))
        self.assert_refused(self.summary(self.waiting_runs()[0], torch))
        self.assert_refused(self.summary(run, torch, self.waiting_runs()[1]))
        self.assert_refused(self.summary(run, {"suite": "torch shapes", "gpu": "a GPU", "cells": [{}]}))
        self.assert_refused(self.summary(random_run(1, cell("a", 5, 1.0, 1.0)),
                                         {"suite": "chain", "cells": [cell("a", 5, 1.0, 1.0)]}))
        self.assert_refused(subprocess.run([sys.executable, SUMMARY, "/no/such/file"],
                                           capture_output=True, text=True))

    def assert_refused(self, done):
        self.assertEqual(done.returncode, 1)
        self.assertTrue(done.stderr.startswith("summary.py: "), done.stderr)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
