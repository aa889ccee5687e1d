#!/usr/bin/env python3
"""Scans of everything, side by side and with other seeds each time, for so many seconds.

usage: soak.py TESTS_DIR SECONDS [--seed N] [--json FILE] [--cpu]

Several programs run at once on one device, so that their scans are in each other's way: random
scans of all types, operators, shapes and options in eight streams; scan after scan through one
workspace; compactions; graphs, replays, shared workspaces and streams of many host threads. Each
begins again with the next seed until the time is over. The first that is wrong, does not end or has nothing
counted ends the soak, with its command and what it said last.

With --json the counts go to FILE, and those that are there are continued: the sums are of all runs.
--cpu: the random scans on CPU threads alone. The exit code is 0, 1, or 77 where there is no GPU.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

# Programs and their arguments, "SEED" in the place of the seed; each ends within a minute or so.
ON_DEVICE = {
    "random scans": ["matrices/differential_test", "3000", "SEED", "device"],
    "random scans, small": ["matrices/differential_test", "20000", "SEED", "device", "20000"],
    "one workspace": ["soak/device_soak", "200000", "SEED"],
    "compactions": ["compaction/compaction_test", "1", "50000000", "SEED", "--test-case=random*"],
    "many under way": ["calls/concurrency_test", "100", "SEED", "--test-case-exclude=sticky*,one free*"],
}
ON_CPU = {"random scans": ["matrices/differential_test", "3000", "SEED", "cpu"]}
LONGEST_RUN = 400  # seconds; what takes longer waits for ever
COUNTS = re.compile(r"^(\d+) scans of (\d+) elements", re.MULTILINE)


def counts_of(output):
    """Scans and elements that a program says it has verified."""
    found = COUNTS.findall(output)
    return tuple(map(int, found[-1])) if found else None


class Soak:
    def __init__(self, folder, seconds, seed):
        self.folder, self.until, self.next_seed = folder, time.monotonic() + seconds, seed
        self.lock = threading.Lock()
        self.counts = {}  # of a program: runs, scans, elements
        self.failure = None
        self.running = set()

    def fail(self, why):
        with self.lock:
            self.failure = self.failure or why
            for process in self.running:
                process.kill()

    def over(self):
        return self.failure is not None or time.monotonic() > self.until

    def run_once(self, name, arguments):
        with self.lock:
            seed, self.next_seed = self.next_seed, self.next_seed + 1
        command = [str(self.folder / arguments[0]),
                   *[str(seed) if a == "SEED" else a for a in arguments[1:]]]
        with tempfile.TemporaryFile("w+", errors="replace") as said:
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT)
            with self.lock:
                self.running.add(process)
            try:
                code = process.wait(LONGEST_RUN)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
                code = "none: it does not end"
            with self.lock:
                self.running.discard(process)
            said.seek(0)
            output = said.read()
        if self.failure is not None:
            return
        counted = counts_of(output)
        if code != 0 or counted is None or counted[0] == 0:
            self.fail(f"{' '.join(command)}: exit code {code}\n{output[-2000:]}")
            return
        with self.lock:
            so_far = self.counts.get(name, (0, 0, 0))
            self.counts[name] = tuple(a + b for a, b in zip(so_far, (1, *counted)))

    def run(self, programs):
        def lane(item):
            try:
                while not self.over():
                    self.run_once(*item)
            except OSError as problem:
                self.fail(str(problem))

        lanes = [threading.Thread(target=lane, args=(item,)) for item in programs.items()]
        for thread in lanes:
            thread.start()
        for thread in lanes:
            thread.join()


def summary(results):
    """A line for each program, and one of all."""
    counts = results["counts"]
    for name, (runs, scans, elements) in sorted(counts.items()):
        yield f"{name}: {runs} runs, {scans} scans of {elements} elements"
    _, scans, elements = map(sum, zip((0, 0, 0), *counts.values()))
    verdict = "none wrong" if results["failure"] is None else "STOPPED"
    yield (f"soak: {results['seconds']:.0f} s, seeds from {results['seed']}, {scans} scans of "
           f"{elements} elements, {verdict}")


def continued(path):
    if path is None or not path.exists():
        return None
    results = json.loads(path.read_text())
    return results if results["failure"] is None else None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("seconds", type=float)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--json", type=pathlib.Path)
    parser.add_argument("--cpu", action="store_true")
    options = parser.parse_args()
    programs = ON_CPU if options.cpu else ON_DEVICE
    if not options.cpu:
        probe = subprocess.run([str(options.folder / "soak" / "device_soak"), "1", "1"], capture_output=True)
        if probe.returncode == 77:
            print("skipped: no CUDA device")
            return 77
    before = continued(options.json) or {"seconds": 0, "counts": {}}
    seed = options.seed if options.seed is not None else int(time.time())
    soak = Soak(options.folder.resolve(), options.seconds, seed)
    soak.counts = {name: tuple(counts) for name, counts in before["counts"].items()}
    began = time.monotonic()
    soak.run(programs)
    results = {"date": time.strftime("%Y-%m-%d"), "seed": before.get("seed", seed),
               "seconds": round(before["seconds"] + time.monotonic() - began, 1),
               "counts": soak.counts, "failure": soak.failure}
    if options.json is not None:
        options.json.write_text(json.dumps(results, indent=1) + "\n")
    print("\n".join(summary(results)))
    if soak.failure is not None:
        print(f"FAILED: {soak.failure}")
    return 0 if soak.failure is None else 1


if __name__ == "__main__":
    sys.exit(main())
