#!/usr/bin/env python3
"""The rows of the page for those who come from CUB and Thrust, as calls that migration_test.cu
includes: what stands on the left and on the right in the tables.

usage: migration_rows.py PAGE OUTPUT
"""
import pathlib
import re
import sys

TABLES = {"CUB": 17, "Thrust": 9, "CUB 3.5": 3}  # and their rows, so that none is overlooked


def tables(page):
    """Of each table its rows: a pair of code spans each."""
    found, heading = {}, None
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            heading = None
        elif heading is None:
            heading = cells[0]
            assert cells[1:] == ["here"], f"a table of something else: {line}"
            found[heading] = []
        elif not re.fullmatch(r"[-|]+", line):
            spans = [re.fullmatch("`([^`]+)`", cell) for cell in cells]
            assert len(spans) == 2 and all(spans), f"not two calls: {line}"
            found[heading].append([span.group(1) for span in spans])
    return found


def code(heading, rows):
    calls = []
    for theirs, ours in rows:
        call = theirs
        if heading != "Thrust":
            call = f"both_calls([&](void* temp, std::size_t& bytes) {{ return {theirs}; }})"
        calls.append(f'compare(R"({theirs})", [&] {{ {call}; }}, [&] {{ return {ours}; }});')
    text = "\n".join(calls)
    return f"#if CUB_VERSION >= 300500\n{text}\n#endif\n" if heading == "CUB 3.5" else text + "\n"


def main():
    page, output = map(pathlib.Path, sys.argv[1:])
    found = tables(page.read_text())
    counts = {heading: len(rows) for heading, rows in found.items()}
    assert counts == TABLES, f"{page} has the rows {counts}, expected {TABLES}"
    output.write_text("".join(code(heading, rows) for heading, rows in found.items()))


if __name__ == "__main__":
    main()
