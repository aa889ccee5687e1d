#!/usr/bin/env python3
"""What scan_bench promises its user: exit codes, one-line errors, the table, the JSON."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM, SOURCE_FILE = sys.argv[1], sys.argv[2]
SHAPES_PROGRAM = os.path.join(os.path.dirname(PROGRAM), "scan_bench_shapes")


def scan_bench(*arguments):
    device = () if "--device" in arguments else ("--device", "cpu")
    rounds = () if "--rounds" in arguments else ("--rounds", "1")
    command = [PROGRAM, *device, *rounds, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def complaints(done):
    """What stderr holds beside the progress of a run that takes long."""
    return [line for line in done.stderr.splitlines() if "sizes done" not in line]


class Runs(unittest.TestCase):
    def test_synthetic_data(self):
        done = scan_bench("--sizes", "1000,2^16", "--threads", "2")
        self.assertEqual((done.returncode, complaints(done)), (0, []))
        self.assertIn("Scanning on 2 CPU threads", done.stdout)
        for word in ("1000", "2^16", "256 KiB", "copy", "std::inclusive_scan"):
            self.assertIn(word, done.stdout)

    def test_all_types_and_operators(self):
        for element_type in ("u8", "i32", "u32", "i64", "u64", "f32", "f64"):
            for operator in ("plus", "minimum", "maximum"):
                kind = "exclusive" if operator != "maximum" else "inclusive"
                done = scan_bench("--type", element_type, "--op", operator, "--kind", kind,
                                  "--sizes", "3000")
                self.assertEqual((done.returncode, complaints(done)), (0, []), (element_type, operator))

    def test_file(self):
        done = scan_bench("--input", SOURCE_FILE, "--type", "u8", "--sizes", "1K")
        self.assertEqual((done.returncode, complaints(done)), (0, []))
        lines = done.stdout.splitlines()
        self.assertEqual(lines[3], os.path.basename(SOURCE_FILE) + ":")
        self.assertEqual(lines[4].split()[0], str(os.path.getsize(SOURCE_FILE)))

    def test_trailing_bytes_are_left_out(self):
        with tempfile.NamedTemporaryFile() as file:
            file.write(bytes(range(1, 12)))
            file.flush()
            done = scan_bench("--input", file.name, "--type", "i32", "--sizes", "10")
        self.assertEqual(done.returncode, 0)
        self.assertEqual(len(complaints(done)), 1)
        self.assertTrue(complaints(done)[0].endswith("left out: 3"))

    def test_floats_of_a_file(self):  # any bit patterns: NaNs, infinities, overflowing sums
        for element_type in ("f32", "f64"):
            for operator in ("plus", "minimum"):
                done = scan_bench("--input", PROGRAM, "--type", element_type, "--op", operator,
                                  "--sizes", "10")
                self.assertEqual(done.returncode, 0, done.stdout)

    def test_json(self):
        done = scan_bench("--sizes", "1000,2K", "--json", "-")
        self.assertEqual(done.returncode, 0)
        results = json.loads(done.stdout)
        self.assertLessEqual({"date", "gpu", "cpu", "cuda_driver", "cuda_runtime", "threads", "rounds",
                              "library_version", "git_commit", "rows"}, results.keys())
        for row in results["rows"]:
            self.assertEqual({"n", "bytes", "algorithm", "median_us", "q1_us", "q3_us", "gb_per_s",
                              "share_of_copy", "verified", "input"}, row.keys())
            self.assertTrue(row["verified"])
            self.assertGreater(row["median_us"], 0)
        self.assertEqual({row["n"] for row in results["rows"]}, {1000, 2048})

    def test_json_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            self.assertEqual(scan_bench("--sizes", "10", "--json", path).returncode, 0)
            with open(path, encoding="utf-8") as file:
                self.assertEqual(json.load(file)["rows"][0]["n"], 10)

    def test_help(self):
        done = scan_bench("--help")
        self.assertEqual(done.returncode, 0)
        for option in ("--sizes", "--suite", "--gpus", "--seed", "--cells", "4K..64M", "speed", "quick",
                       "ladder", "blocks", "random", "shapes", "segments", "select", "edges", "chain"):
            self.assertIn(option, done.stdout)


def gpu_missing():
    return "--device gpu:" in scan_bench("--device", "gpu", "--sizes", "1").stderr


@unittest.skipIf(gpu_missing(), "there is no GPU")
class Gpu(unittest.TestCase):
    def test_runs(self):
        for scan in (("u8", "plus", "exclusive"), ("f32", "minimum", "inclusive"),
                     ("i64", "maximum", "inclusive")):
            done = scan_bench("--device", "gpu", "--type", scan[0], "--op", scan[1],
                              "--kind", scan[2], "--sizes", "1000,100001")
            self.assertEqual((done.returncode, complaints(done)), (0, []), (scan, done.stdout))
            for word in ("scan", "CUB", "copy"):
                self.assertIn(word, done.stdout)


    def test_suite(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "results.json")
            done = scan_bench("--device", "gpu", "--suite", "speed", "--sizes", "2^10,2^16,2^20",
                              "--type", "i32", "--json", path)
            self.assertEqual((done.returncode, done.stderr), (0, ""), done.stdout)
            with open(path, encoding="utf-8") as file:
                results = json.load(file)
        self.assertEqual(results["suite"], "speed")
        for cell in results["cells"]:
            self.assertGreater(cell["share_of_copy"], 0)
            self.assertGreater(cell["speedup_over_cub"], 0)
            self.assertTrue(all(times["verified"] for times in cell["contenders"].values()))
        kinds = {(cell["kind"], cell["in_place"], cell["offset"], cell["out"])
                 for cell in results["cells"]}
        self.assertLessEqual({("inclusive", False, False, "i32"), ("exclusive", False, False, "i32"),
                              ("inclusive", True, False, "i32"), ("inclusive", False, True, "i32"),
                              ("inclusive", False, False, "i64")}, kinds)


    def results_of(self, *arguments):
        done = scan_bench("--device", "gpu", *arguments, "--json", "-")
        self.assertEqual(done.returncode, 0, done.stderr)
        results = json.loads(done.stdout)
        for cell in results["cells"]:
            self.assertTrue(all(times["verified"] and times["median_us"] > 0
                                for times in cell["contenders"].values()), cell)
        return results

    def test_random(self):
        results = self.results_of("--suite", "random", "--seed", "5", "--cells", "60", "--sizes",
                                  "1..8M")
        self.assertEqual((results["seed"], results["cells_drawn"], len(results["cells"])),
                         (5, 60, 60))
        for cell in results["cells"]:
            self.assertGreater(cell["share_of_copy"], 0)
            self.assertGreater(cell["speedup_over_cub"], 0)
        for word in ("warm", "in_place", "misaligned"):
            self.assertEqual({cell[word] for cell in results["cells"]}, {True, False}, word)

    def test_shapes(self):
        results = self.results_of("--suite", "shapes", "--seed", "5", "--cells", "40", "--sizes",
                                  "256K..600K")
        self.assertEqual((results["seed"], results["cells_drawn"]), (5, 40))
        self.assertGreater(len(results["cells"]), 40)
        ragged = [cell for cell in results["cells"] if "segments" in cell]
        self.assertGreater(len(ragged), 40)
        for cell in results["cells"]:
            if cell in ragged:
                continue
            self.assertGreater(cell["share_of_copy"], 0)
            self.assertGreater(cell["over_one_sequence"], 0)
            self.assertEqual(cell["outer"] * cell["length"] * cell["inner"], cell["n"])
            self.assertTrue(2**18 <= cell["bytes_per_side"] <= 2**21)
        self.assertEqual({cell["operator"] for cell in results["cells"]}, {"plus", "recurrence"})

    def test_segments(self):
        results = self.results_of("--suite", "segments", "--type", "f32", "--seed", "5", "--cells", "40",
                                  "--sizes", "64K..2M")
        self.assertEqual((results["seed"], results["cells_drawn"]), (5, 40))
        for cell in results["cells"]:
            self.assertGreater(cell["share_of_copy"], 0)
            self.assertTrue(2**16 <= cell["bytes_per_side"] <= 2**21)
            if cell["operator"] == "plus":
                self.assertGreater(cell["over_one_sequence"], 0)
            if not cell["heads"].endswith("offsets"):
                self.assertGreater(cell["speedup_over_cub"], 0)
        self.assertEqual({cell["heads"] for cell in results["cells"]},
                         {"int32 offsets", "int64 offsets", "keys", "flag bytes", "flag bits"})

    def test_select(self):
        results = self.results_of("--suite", "select", "--seed", "5", "--cells", "30", "--sizes", "256K..2M")
        self.assertEqual(len(results["cells"]), 30)
        for cell in results["cells"]:
            self.assertGreater(cell["share_of_copy"], 0)
            self.assertGreater(cell["speedup_over_cub"], 0)

    def test_shapes_without_their_program(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(PROGRAM, folder)
            done = subprocess.run([alone, "--suite", "segments"], capture_output=True, text=True)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("; build it: meson compile -C ", done.stderr)

    def test_edges_and_chain(self):
        edges = self.results_of("--suite", "edges", "--type", "i32", "--sizes", "2^16,65537")
        self.assertEqual([cell["n"] for cell in edges["cells"]], [65536, 65537, 65536, 65536])
        self.assertNotIn("CUB", " ".join(edges["cells"][0]["contenders"]))
        chain = self.results_of("--suite", "chain")
        self.assertEqual(len(chain["cells"]), 5)
        for cell in chain["cells"]:
            self.assertGreater(cell["speedup_over_cub"], 0)
            self.assertIn("empty kernel, in a stream", cell["contenders"])


@unittest.skipUnless(gpu_missing(), "there is a GPU")
class NoGpu(unittest.TestCase):
    def test_suite(self):  # the last thing asked for: all of this is right
        for options in (("quick",), ("shapes",), ("shapes", "--op", "recurrence", "--type", "bf16"),
                        ("shapes", "--cells", "3", "--seed", "0", "--sizes", "1M..1M"),
                        ("segments", "--type", "bf16", "--sizes", "64M..1G"),
                        ("select", "--op", "unique", "--type", "u8", "--cells", "300")):
            done = scan_bench("--device", "auto", "--suite", *options)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1))
            self.assertIn("--suite measures a GPU:", done.stderr)


class BadUsage(unittest.TestCase):
    def assert_refused(self, *arguments):
        done = scan_bench(*arguments)
        self.assertEqual(done.returncode, 2, arguments)
        self.assertEqual(len(done.stderr.splitlines()), 1, done.stderr)

    def test_sizes(self):
        for sizes in ("0", "-5", "abc", "2^", "2^-1", "2^99", "1T", "10,,20", "1e6",
                      "99999999999999999999", "281474976710656"):
            self.assert_refused(f"--sizes={sizes}")

    def test_words(self):
        self.assert_refused("--type", "i16")
        self.assert_refused("--op", "times")
        self.assert_refused("--kind", "both")
        self.assert_refused("--device", "tpu")
        self.assert_refused("--suite", "all")
        self.assert_refused("--gpus", "0")
        self.assert_refused("--gpus", "2")  # on the CPU
        self.assert_refused("--gpus", "2", "--device", "auto", "--suite", "quick")
        self.assert_refused("--threads", "0")
        self.assert_refused("--rounds", "0")
        self.assert_refused("--no-such-option")

    def test_gpus_without_their_program(self):
        with tempfile.TemporaryDirectory() as folder:
            alone = shutil.copy(PROGRAM, folder)
            done = subprocess.run([alone, "--gpus", "2"], capture_output=True, text=True)
        self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
        self.assertIn("scan_bench_gpus: ", done.stderr)

    def test_suite(self):
        self.assert_refused("--suite", "quick")  # on the CPU
        self.assert_refused("--device", "auto", "--suite", "quick", "--type", "u32")
        self.assert_refused("--device", "auto", "--suite", "quick", "--sizes", "1001")
        self.assert_refused("--device", "auto", "--suite", "quick", "--input", SOURCE_FILE)

    def test_random(self):
        for options in (("--seed", "3"), ("--cells", "10"), ("--suite", "quick", "--seed", "3")):
            self.assert_refused("--device", "auto", *options)
        for options in (("--seed=-1",), ("--seed", "x"), ("--cells", "0"), ("--sizes", "64M..4K"),
                        ("--sizes", "4K"), ("--sizes", "4K.."), ("--sizes", "0..4K"),
                        ("--sizes", "1K..2K,3K..4K"), ("--sizes", "1K..2K..3K"),
                        ("--sizes", "1K..2K", "3K..4K"), ("--type", "u32"),
                        ("--kind", "exclusive")):
            self.assert_refused("--device", "auto", "--suite", "random", *options)
        self.assert_refused("--sizes", "4K..64M")
        self.assertIn("--seed: of --suite random", scan_bench("--seed", "3").stderr)
        done = scan_bench("--device", "auto", "--suite", "random", "--sizes", "4K")
        self.assertIn("range of bytes", done.stderr)

    def test_shapes(self):
        for options in (("--sizes", "4K"), ("--sizes", "2M..1M"), ("--cells", "0"),
                        ("--kind", "exclusive"), ("--op", "recurrence", "--type", "i32"),
                        ("--op", "minimum"), ("--type", "f64")):
            self.assert_refused("--device", "auto", "--suite", "shapes", *options)
        self.assert_refused("--op", "recurrence", "--sizes", "10")
        self.assert_refused("--device", "auto", "--suite", "quick", "--op", "recurrence")
        self.assertIn("--seed: of --suite random, shapes, segments and select only",
                      scan_bench("--seed", "3").stderr)

    def test_segments(self):
        for options in (("--sizes", "4K"), ("--kind", "exclusive"), ("--op", "maximum"),
                        ("--type", "u8")):
            self.assert_refused("--device", "auto", "--suite", "segments", *options)

    def test_program_of_shapes(self):
        for options in ((), ("--suite", "quick"), ("--suite", "random", "--cells", "3")):
            done = subprocess.run([SHAPES_PROGRAM, *options], capture_output=True, text=True)
            self.assertEqual((done.returncode, len(done.stderr.splitlines())), (2, 1), done.stderr)
            self.assertIn("call scan_bench", done.stderr)

    def test_files(self):
        self.assert_refused("--input", "/no/such/file")
        self.assert_refused("--input", "/")
        self.assert_refused("--sizes", "10", "--json", "/no/such/folder/results.json")
        with tempfile.NamedTemporaryFile() as empty:
            self.assert_refused("--input", empty.name, "--sizes", "10")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
