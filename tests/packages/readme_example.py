#!/usr/bin/env python3
"""A README's examples, its fenced cpp blocks that have a main: extracts the one of a number, or
checks that the built program prints what the comments behind its printfs promise. Where one says that
there is no GPU to be used, exits with 77.

usage: readme_example.py extract README NUMBER OUTPUT
       readme_example.py check README NUMBER PROGRAM
"""
import pathlib
import re
import subprocess
import sys


EXAMPLES = {"include/scan/README.md": 1, "README.md": 2}  # which they have
# What CUDA calls cudaErrorNoDevice and cudaErrorInsufficientDriver.
NO_GPU = {"no CUDA-capable device is detected",
          "CUDA driver version is insufficient for CUDA runtime version"}


def example(readme, number):
    blocks = re.findall(r"^```cpp\n(.*?)^```", readme.read_text(), re.MULTILINE | re.DOTALL)
    with_main = [block for block in blocks if "int main" in block]
    expected = next(EXAMPLES[name] for name in EXAMPLES if readme.resolve().as_posix().endswith(name))
    if len(with_main) != expected:
        sys.exit(f"{readme}: {len(with_main)} cpp blocks with a main, expected {expected}")
    return with_main[number]


def check(code, program):
    promised = " ".join(re.findall(r"std::printf\(.*\);\s*// (.+)", code)).split()
    run = subprocess.run([program], capture_output=True, text=True)
    if run.returncode != 0 and "cudaMalloc" in code and run.stdout.strip() in NO_GPU:
        print(f"skipped: {run.stdout.strip()}")
        sys.exit(77)
    if run.returncode != 0 or run.stdout.split() != promised:
        sys.exit(f"the example ends with {run.returncode} and prints {run.stdout.split()}, its comments say "
                 f"{promised}; {run.stderr}")


def main():
    action, readme, number, path = sys.argv[1:]
    code = example(pathlib.Path(readme), int(number))
    if action == "extract":
        pathlib.Path(path).write_text(code)
    else:
        check(code, path)


if __name__ == "__main__":
    main()
