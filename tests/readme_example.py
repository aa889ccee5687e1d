#!/usr/bin/env python3
"""The README's examples, its fenced cpp blocks that have a main: extracts the one of a number, or
checks that the built program prints what the comments behind its printfs promise.

usage: readme_example.py extract README NUMBER OUTPUT
       readme_example.py check README NUMBER PROGRAM
"""
import pathlib
import re
import subprocess
import sys


EXAMPLES = 2  # which the README has


def example(readme, number):
    blocks = re.findall(r"^```cpp\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    with_main = [block for block in blocks if "int main" in block]
    if len(with_main) != EXAMPLES:
        sys.exit(f"{readme}: {len(with_main)} cpp blocks with a main, expected {EXAMPLES}")
    return with_main[number]


def check(code, program):
    promised = " ".join(re.findall(r"std::printf\(.*\);\s*// (.+)", code)).split()
    printed = subprocess.run([program], check=True, capture_output=True, text=True).stdout.split()
    if printed != promised:
        sys.exit(f"the example prints {printed}, its comments say {promised}")


def main():
    action, readme, number, path = sys.argv[1:]
    code = example(pathlib.Path(readme), int(number))
    if action == "extract":
        pathlib.Path(path).write_text(code)
    else:
        check(code, path)


if __name__ == "__main__":
    main()
