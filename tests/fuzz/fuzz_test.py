#!/usr/bin/env python3
"""Runs the fuzzer of the host API from the calls that are kept for it.

usage: fuzz_test.py FUZZER CALLS SECONDS        a line of CALLS: a call's bytes in hexadecimal digits
       fuzz_test.py FUZZER CALLS SECONDS KEEP   and writes what it has found new, reduced, to KEEP
"""
import pathlib
import subprocess
import sys
import tempfile

LONGEST = 64  # bytes of a call


def run(fuzzer, *arguments):
    ended = subprocess.run([fuzzer, f"-max_len={LONGEST}", *arguments], capture_output=True,
                           text=True, errors="replace")
    if ended.returncode != 0:
        print(ended.stderr[-20000:])
        sys.exit(1)
    return ended.stderr


def main():
    fuzzer, calls, seconds = sys.argv[1:4]
    with tempfile.TemporaryDirectory() as folder:
        found = pathlib.Path(folder) / "found"
        least = pathlib.Path(folder) / "least"
        found.mkdir()
        least.mkdir()
        lines = pathlib.Path(calls).read_text().split()
        assert lines, f"{calls} holds no calls"
        for number, line in enumerate(lines):
            (found / str(number)).write_bytes(bytes.fromhex(line))
        report = run(fuzzer, f"-max_total_time={seconds}", "-print_final_stats=1",
                     f"-artifact_prefix={folder}/", str(found))
        print("\n".join(line for line in report.splitlines() if line.startswith(("Done", "stat::"))))
        if len(sys.argv) > 4:
            run(fuzzer, "-merge=1", "-use_counters=0", str(least), str(found))
            kept = sorted((path.read_bytes() for path in least.iterdir()), key=lambda b: (len(b), b))
            pathlib.Path(sys.argv[4]).write_text("".join(call.hex() + "\n" for call in kept))


if __name__ == "__main__":
    main()
