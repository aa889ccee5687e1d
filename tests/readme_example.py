#!/usr/bin/env python3
"""The README's example, its one fenced cpp block that has a main: extracts it, or checks that the
built program prints what the comment behind its printf promises.

usage: readme_example.py extract README OUTPUT
       readme_example.py check README PROGRAM
"""
import pathlib
import re
import subprocess
import sys


def example(readme):
    blocks = re.findall(r"^```cpp\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    with_main = [block for block in blocks if "int main" in block]
    if len(with_main) != 1:
        sys.exit(f"{readme}: {len(with_main)} cpp blocks with a main, expected 1")
    return with_main[0]


def check(code, program):
    promised = re.search(r"std::printf\(.*\);\s*// (.+)", code).group(1).split()
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    if printed != promised:
        sys.exit(f"the example prints {printed}, its comment says {promised}")


def main():
    action, readme, path = sys.argv[1], pathlib.Path(sys.argv[2]), pathlib.Path(sys.argv[3])
    code = example(readme)
    if action == "extract":
        path.write_text(code)
    else:
        check(code, path)


if __name__ == "__main__":
    main()
