#!/usr/bin/env python3
"""Makes a static library of objects whose functions no other object's can take the place of.

Inline functions and templates are weak: of all objects of a program that have one the linker keeps
the first it meets. A caller's, compiled with -mavx512f from the same header (ours or the standard
library's), would so run inside the library on every CPU. Here each object keeps what it was compiled
with, to itself: its section groups become plain sections, its weak functions local, and with them what
those of the library remember (of kernels, which are each object's own, too: what has been asked of
one copy must not be taken for another's answer). Left weak are the instances that callers only
declare (scan/call/entries.hpp), and other variables: these are one in a program.

usage: archive.py LD OBJCOPY NM AR LIBRARY OBJECT...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Mangled names; of a lambda in an entry it begins with _ZZ.
ENTRIES = "scan_shape|recur|recur_segments|recur_back|scan_part|load_part|scan_by_baseline|compact"
ENTRY = re.compile(rf"_ZN4scan\w+?\d(device|host_path)\d+({ENTRIES})I")
REMEMBERED = re.compile(r"_Z(GV)?ZNK?4scan")  # static variables of functions, and whether they are made


def of_one_object(nm, path):
    """Weak functions but the entries, and their variables. (Of these the symbol's type is V.)"""
    listing = subprocess.run([nm, "--defined-only", "-P", path], check=True, text=True,
                             capture_output=True).stdout
    for line in listing.splitlines():
        name, kind, *_ = line.split()
        if kind == "W" and not ENTRY.match(name) or kind == "V" and REMEMBERED.match(name):
            yield name


def main():
    ld, objcopy, nm, ar, library, *objects = sys.argv[1:]
    with tempfile.TemporaryDirectory(dir=pathlib.Path(library).parent) as scratch:
        made = []
        for number, path in enumerate(objects):
            made.append(f"{scratch}/{number}_{pathlib.Path(path).name}")
            subprocess.run([ld, "-r", "--force-group-allocation", path, "-o", made[-1]], check=True)
            names = pathlib.Path(scratch) / "names"
            names.write_text("".join(f"{name}\n" for name in of_one_object(nm, made[-1])))
            if names.stat().st_size > 0:  # (of an empty list objcopy makes an error)
                subprocess.run([objcopy, f"--localize-symbols={names}", made[-1]], check=True)
        pathlib.Path(library).unlink(missing_ok=True)
        subprocess.run([ar, "csrD", library, *made], check=True)


if __name__ == "__main__":
    main()
