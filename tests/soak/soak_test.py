#!/usr/bin/env python3
"""soak.py with made-up programs: it counts, draws seed after seed, stops at the first that is wrong,
and goes on where a file of counts left off.

usage: soak_test.py SOAK_PY
"""
import json
import pathlib
import subprocess
import sys
import tempfile

RIGHT = "sleep 0.1; echo \"$2\" >> {folder}/seeds; echo '7 scans of 100 elements, none wrong'"
WRONG = {"an exit code": "echo '7 scans of 100 elements'; echo wrong at 5; exit 1",
         "nothing counted": "echo done", "no scan": "echo '0 scans of 0 elements'"}


def program(folder, name, text):
    path = folder / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("#!/bin/sh\n" + text.format(folder=folder) + "\n")
    path.chmod(0o755)


def soak(script, folder, *arguments):
    done = subprocess.run([sys.executable, script, str(folder), *arguments], capture_output=True,
                          text=True, timeout=60)
    return done.returncode, done.stdout


def check(holds, what, said):
    if not holds:
        sys.exit(f"{what}:\n{said}")


def main():
    script = sys.argv[1]
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path in ("soak/device_soak", "calls/concurrency_test", "matrices/differential_test",
                     "compaction/compaction_test"):
            program(folder, path, RIGHT)
        counts = folder / "counts.json"
        code, said = soak(script, folder, "1", "--seed", "40", "--json", str(counts))
        check(code == 0 and "none wrong" in said, "a soak of what is right", said)
        first = json.loads(counts.read_text())
        check(all(r > 1 and s == 7 * r and e == 100 * r for r, s, e in first["counts"].values()),
              "the counts", first)
        check(len(first["counts"]) == 5, "five programs", first)
        code, said = soak(script, folder, "1", "--cpu", "--seed", "40", "--json", str(counts))
        later = json.loads(counts.read_text())
        check(code == 0 and later["seconds"] > first["seconds"] and
              later["counts"]["random scans"][0] > first["counts"]["random scans"][0] and
              later["counts"]["one workspace"] == first["counts"]["one workspace"],
              "a soak that goes on", said)
        (folder / "seeds").unlink()
        soak(script, folder, "1", "--cpu", "--seed", "40")
        seeds = (folder / "seeds").read_text().split()
        check(seeds[:2] == ["40", "41"] and len(set(seeds)) == len(seeds), "seeds", seeds)
        for what, text in WRONG.items():
            program(folder, "matrices/differential_test", text)
            code, said = soak(script, folder, "30")
            check(code == 1 and "STOPPED" in said and "differential_test" in said, what, said)
        program(folder, "soak/device_soak", "exit 77")
        code, said = soak(script, folder, "30")
        check(code == 77, "no GPU", said)


if __name__ == "__main__":
    main()
