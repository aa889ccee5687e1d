#!/usr/bin/env python3
"""House style that a machine can check: the layout of the tree, formatting, where atomics may live,
links of the documents; or what clang-tidy has to say of src/ (.clang-tidy).

usage: style_test.py SOURCE_ROOT [CLANG_FORMAT]
       style_test.py SOURCE_ROOT --tidy CLANG_TIDY COMPILER_FLAGS...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

TOP_LEVEL = {"src", "include", "tests", "bench", "meson.build", "meson_options.txt", "README.md",
             "LICENSE"}
# The only library files that may speak of atomics, memory orders, fences or volatile: what tiles
# tell each other and the host, warps each other, and what the CPU's threads do.
ATOMICS_ROOMS = ["include/scan/protocol/tile_states.hpp", "src/host/workers.cpp",
                 "include/scan/protocol/refusal_note.cuh",  # (what kernels tell the host)
                 "include/scan/protocol/shared_words.cuh",  # (words that several warps of a block write)
                 "include/scan/protocol/bulk_order.cuh",  # (what copies by bulk come after)
                 "include/scan/protocol/store_order.hpp"]  # (what stores past the caches come before)
# What one more may have: barriers of some of a block's warps, which order the block's own memory.
BARRIERS_ROOM = "include/scan/device/fold/named_barrier.cuh"
BARRIER = re.compile(r'^\s*asm volatile\((?:"barrier\.|$)')
# (A prefetch orders nothing.)
ATOMICS = re.compile(r"\batomic|memory_order|__threadfence|\bvolatile\b(?!\(\"prefetch)|\bfence\b|\bfences\b|fence_proxy|_mm_sfence|__ldcg|__stcg")
# Namespace scan is opened hidden, by the name of the build: see scan/abi.hpp.
OPENED = re.compile(r"^namespace\b.*\bscan\b.*(?:\n.*)?", re.MULTILINE)
OPENED_RIGHT = "namespace SCAN_HIDDEN scan {\ninline namespace SCAN_ABI {"
LONGEST_FILE = {"default": 300, "tests": 400}
LONGEST_README = 200  # the one at the top
WIDEST_README = 120   # of its lines, but for the quick start's commands
LINK = re.compile(r"\]\((?!https?:)([^)#]*)(?:#([^)]*))?\)")


def sources(root, *folders):
    for folder in folders:
        for path in sorted((root / folder).rglob("*")):
            if path.suffix in {".hpp", ".cuh", ".cpp", ".cu", ".c", ".h"}:
                yield path


def tracked_top_level(root):
    listing = subprocess.run(["git", "-C", root, "ls-files"], capture_output=True, text=True)
    if listing.returncode == 0 and listing.stdout:
        return {line.split("/")[0] for line in listing.stdout.splitlines()}
    return {path.name for path in root.iterdir()}


def anchors(markdown):
    """What GitHub makes of the headings."""
    for heading in re.findall(r"^#+ (.*)$", markdown, re.MULTILINE):
        yield re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-")


def dead_links(path):
    for to, anchor in LINK.findall(path.read_text()):
        target = path.parent / to if to else path
        if not target.exists():
            yield to
        elif anchor and anchor not in anchors(target.read_text()):
            yield f"{to}#{anchor}"


def document_problems(root):
    readme = (root / "README.md").read_text()
    if readme.count("\n") > LONGEST_README:
        yield f"README.md: longer than {LONGEST_README} lines"
    for line in re.sub(r"^```sh\n.*?^```", "", readme, flags=re.MULTILINE | re.DOTALL).splitlines():
        if len(line) > WIDEST_README:
            yield f"README.md: wider than {WIDEST_README} columns: {line}"
    for path in [root / "README.md", *(root / ".github").rglob("*.md"),
                 *(path for folder in ("src", "include", "tests", "bench")
                   for path in (root / folder).rglob("*.md") if "subprojects" not in path.parts)]:
        for link in dead_links(path):
            yield f"{path.relative_to(root)}: nothing there: {link}"


def tidy_problems(root, clang_tidy, flags):
    """All of src/ as one source: most of the time goes into the headers that they have in common."""
    files = sorted((root / "src").rglob("*.cpp"))
    if not files:
        yield "src: no sources for clang-tidy"
    with tempfile.TemporaryDirectory() as scratch:
        whole = pathlib.Path(scratch) / "src.cpp"
        whole.write_text("".join(f'#include "{path}"  // NOLINT\n' for path in files))
        run = subprocess.run([clang_tidy, "--quiet", f"--config-file={root / '.clang-tidy'}", whole,
                              "--", *flags], capture_output=True, text=True)
    if run.returncode != 0:
        yield run.stdout.strip() or run.stderr.strip()


def namespace_problems(root):
    for path in sorted(path for folder in ("include", "src") for path in (root / folder).rglob("*.*")):
        if re.search(r"\.(hpp|cuh|cpp|cu)(\.in)?$", path.name):
            for opened in OPENED.findall(path.read_text()):
                if opened != OPENED_RIGHT:
                    yield f"{path.relative_to(root)}: not opened as scan/abi.hpp says: {opened}"


def problems(root, clang_format):
    yield from namespace_problems(root)
    yield from document_problems(root)
    for name in sorted(tracked_top_level(root)):
        if name not in TOP_LEVEL and not name.startswith("."):
            yield f"{name}: the top level is {', '.join(sorted(TOP_LEVEL))} and dotfiles"
    for path in sources(root, "src", "include", "tests", "bench"):
        name = path.relative_to(root).as_posix()
        text = path.read_text()
        longest = LONGEST_FILE.get(name.split("/")[0], LONGEST_FILE["default"])
        if text.count("\n") > longest:
            yield f"{name}: longer than {longest} lines"
        if name.startswith(("src/", "include/")) and name not in ATOMICS_ROOMS:
            for number, line in enumerate(text.splitlines(), 1):
                is_barrier = name == BARRIERS_ROOM and BARRIER.match(line)
                if ATOMICS.search(line.split("//")[0]) and not is_barrier:
                    yield f"{name}:{number}: atomics belong in {ATOMICS_ROOMS}: {line.strip()}"
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
    assert BARRIER.match('    asm volatile("barrier.cta.sync %0, %1;" ::')
    assert not BARRIER.match('    asm volatile("st.global.b32 [%0], %1;" ::')
    assert not ATOMICS.search("int anatomical = 0;")
    assert OPENED.findall(f"\n{OPENED_RIGHT}\n\nint x;") == [OPENED_RIGHT]
    assert OPENED.findall("namespace scan::device {\nint x;") == ["namespace scan::device {\nint x;"]
    assert LINK.findall("[a](b.md#c) ![d](e.svg) [f](https://g)") == [("b.md", "c"), ("e.svg", "")]
    assert list(anchors("# Infinities, NaN and zeros")) == ["infinities-nan-and-zeros"]


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    self_test()
    if sys.argv[2:3] == ["--tidy"]:
        found = list(tidy_problems(root, sys.argv[3], sys.argv[4:]))
    else:
        found = list(problems(root, sys.argv[2] if len(sys.argv) > 2 else "clang-format"))
    print("\n".join(found) if found else "style: clean")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
