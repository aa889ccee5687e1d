#!/usr/bin/env python3
"""libscan_c.so shows the functions of scan/c.h and nothing else, has a versioned soname, needs neither CUDA's
runtime nor C++'s library of the process that it is loaded into, and stays there; its structs are laid out as
a caller without a C compiler takes them to be.

usage: exported_test.py LIBRARY HEADER
"""
import ctypes
import pathlib
import re
import subprocess
import sys

FUNCTION = re.compile(r"^(?:scan_status|int32_t|size_t|void|const char\*) (scan_\w+)\(", re.MULTILINE)
SYSTEM = re.compile(r"lib(c|m|dl|rt|pthread)\.so|ld-linux")
STRUCT = re.compile(r"^typedef struct (\w+) \{\n(.*?)^\}", re.MULTILINE | re.DOTALL)
BYTES = {"size_t": 8, "int64_t": 8, "int32_t": 4}


def declared(header):
    return set(FUNCTION.findall(header))


def exported(library):
    listing = subprocess.run(["nm", "-P", "-D", "--defined-only", library], check=True, text=True,
                             capture_output=True).stdout
    return {line.split()[0].split("@")[0] for line in listing.splitlines()}


def dynamic(library, tag):
    listing = subprocess.run(["readelf", "-d", "-W", library], check=True, text=True,
                             capture_output=True).stdout
    return re.findall(rf"\({tag}\).*\[(.*)\]", listing)


def check_padding(header):
    """A field that is appended has to show in the size: no struct with one ends in padding, or has any."""
    sized = 0
    for name, body in STRUCT.findall(header):
        fields = re.findall(r"^  ([^/;]+);", body, re.MULTILINE)
        if fields[0] != "size_t size":
            continue
        sized += 1
        at = 0
        for field in fields:
            kind = field.split()[0]
            each = 8 if "*" in field or kind.startswith("scan_") else BYTES[kind]
            count = field.count(",") + 1
            assert at % each == 0, f"{name}: padding before {field}"
            at += each * count
        assert at % 8 == 0, f"{name}: padding at its end"
    assert sized == 11, sized


def main():
    library, header = sys.argv[1], pathlib.Path(sys.argv[2]).read_text()
    names = declared(header)
    assert len(names) >= 21 and {"scan_by_key", "scan_runs"} <= names, names
    assert exported(library) == names, exported(library) ^ names
    loaded = ctypes.CDLL(library)
    loaded.scan_version_string.restype = ctypes.c_char_p
    major = loaded.scan_version_string().decode().split(".")[0]
    assert dynamic(library, "SONAME") == [f"libscan_c.so.{major}"], dynamic(library, "SONAME")
    needed = dynamic(library, "NEEDED")
    assert needed and all(SYSTEM.match(name) for name in needed), needed
    flags = subprocess.run(["readelf", "-d", "-W", library], check=True, text=True, capture_output=True).stdout
    assert "NODELETE" in flags, flags
    check_padding(header)
    print(f"{len(names)} functions, needs {', '.join(needed)}")


if __name__ == "__main__":
    main()
