#!/usr/bin/env python3
"""House style that a machine can check: the layout of the tree, formatting, where atomics may live.

usage: style_test.py SOURCE_ROOT [CLANG_FORMAT]
"""
import pathlib
import re
import subprocess
import sys

TOP_LEVEL = {"src", "include", "tests", "bench", "meson.build", "meson_options.txt", "README.md",
             "LICENSE"}
# The only library file that may speak of atomics, memory orders, fences or volatile.
ATOMICS_ROOM = "include/scan/protocol/tile_states.hpp"
# (A prefetch orders nothing.)
ATOMICS = re.compile(r"\batomic|memory_order|__threadfence|\bvolatile\b(?!\(\"prefetch)|\bfence\b|__ldcg|__stcg")
LONGEST_FILE = {"default": 300, "tests": 400}


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cuh", ".cpp", ".cu"}:
                yield path


def tracked_top_level(root):
    listing = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listing.returncode == 0 and listing.stdout:
        return {line.split("/")[0] for line in listing.stdout.splitlines()}
    return {path.name for path in root.iterdir()}


def problems(root, clang_format):
    for name in sorted(tracked_top_level(root)):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield f"{name}: the top level is {', '.join(sorted(TOP_LEVEL))} and dotfiles"
    for path in sources(root, "src", "include", "tests", "bench"):
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        longest = LONGEST_FILE.get(name.split("/")[0], LONGEST_FILE["default"])
        if text.count("\n") > longest:
            yield f"{name}: longer than {longest} lines"
        if name.startswith(("src/", "include/")) and name != ATOMICS_ROOM:
            for number, line in enumerate(text.splitlines(), 1):
                if ATOMICS.search(line.split("//")[0]):
                    yield f"{name}:{number}: atomics belong in {ATOMICS_ROOM}: {line.strip()}"
    listed = (root / "meson.build").read_text()
    for path in sorted((root / "include").rglob("*.hpp")):
        name = path.relative_to(root / "include").as_posix()
        if f"'{name}'" not in listed:
            yield f"include/{name}: not in meson.build's lists, so never compiled alone"
    files = [str(path) for path in sources(root, "src", "include", "tests", "bench")]
    check = subprocess.run([clang_format, "--dry-run", "-Werror", *files], capture_output=True,
                           text=True)
    if check.returncode != 0:
        yield check.stderr.strip()


def self_test():
    """The checker must fail where it should."""
    assert ATOMICS.search("std::atomic<int> x;")
    assert ATOMICS.search("x.load(cuda::memory_order_relaxed)")
    assert ATOMICS.search("__threadfence();")
    assert not ATOMICS.search("int anatomical = 0;")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    clang_format = sys.argv[2] if len(sys.argv) > 2 else "clang-format"
    self_test()
    found = list(problems(root, clang_format))
    print("\n".join(found) if found else "style: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
