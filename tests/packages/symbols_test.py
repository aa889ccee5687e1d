#!/usr/bin/env python3
"""Copies of the library in one process stay apart, and so do a caller's code and the library's.

A module that scans shows no symbol of the library's, however it is compiled, so that two of them share
nothing; libscan.a has no function that one of a caller's, compiled for newer CPUs, would take the
place of; headers and libraries of different builds do not link.

usage: symbols_test.py MODULE_CPP SCRATCH LIBRARY... -- LINK_FLAG... -- COMPILER_AND_FLAGS...
"""
import ctypes
import pathlib
import re
import shutil
import subprocess
import sys

CALLER_FLAGS = ["-O0", "-fPIC"]
NEWER_CPU = "-mavx512f"
ENTRY = re.compile(r"scan::\w+::status scan::\w+::(device|host_path)::"
                   r"(scan_shape|recur|recur_segments|recur_back|scan_part|load_part|scan_by_baseline|compact)<")


def split(arguments):
    """At each --."""
    if "--" not in arguments:
        return [arguments]
    at = arguments.index("--")
    return [arguments[:at], *split(arguments[at + 1:])]


def symbols(path, *options):
    """{name: type}, of what is defined and seen by other objects (or, with -D, modules)."""
    listing = subprocess.run(["nm", "-P", "--defined-only", "-g", *options, path], check=True,
                             text=True, capture_output=True).stdout
    lines = [line.split() for line in listing.splitlines() if not line.endswith(":")]
    return {line[0]: line[1] for line in lines}


def written(names):
    run = subprocess.run(["c++filt"], input="\n".join(names), text=True, capture_output=True)
    return run.stdout.splitlines()


def is_ours(name):
    return re.search(r"\bscan::", name)


def compile_caller(compiler, source, to, *flags):
    run = subprocess.run([*compiler, *CALLER_FLAGS, *flags, "-c", source, "-o", to], text=True,
                         capture_output=True)
    return run.returncode == 0


def link(compiler, caller, to, libraries, link_flags):
    command = [part for part in compiler if not part.startswith("-")]
    return subprocess.run([*command, "-shared", "-Wl,--no-undefined", caller, *libraries,
                           *link_flags, "-o", to], text=True, capture_output=True)


def check_nothing_is_seen(module):
    seen = [name for name in written(symbols(module, "-D")) if is_ours(name)]
    assert not seen, "a module shows of the library:\n" + "\n".join(seen)
    assert "scans_held" in symbols(module, "-D"), "its own function is not there"


def check_nothing_would_be_seen(library):
    """Of no module, whatever it calls."""
    listing = subprocess.run(["readelf", "-sW", library], check=True, text=True,
                             capture_output=True).stdout
    columns = [line.split() for line in listing.splitlines() if " DEFAULT " in line]
    shown = [line[7] for line in columns
             if len(line) == 8 and line[4] in ("GLOBAL", "WEAK") and line[6] != "UND"]
    shown = [name for name in written(shown) if is_ours(name)]
    assert not shown, f"{library} does not hide:\n" + "\n".join(shown)


def check_two_share_nothing(module):
    other = module.with_name("other_" + module.name)
    shutil.copy(module, other)
    places = set()
    for path in (module, other):
        loaded = ctypes.CDLL(str(path), mode=ctypes.RTLD_GLOBAL)
        loaded.of_all_scans.restype = ctypes.c_void_p
        places.add(loaded.of_all_scans())
    assert len(places) == 2, "two modules share what scans keep"


def check_nothing_is_replaced(caller, library):
    of_caller, of_library = symbols(caller), symbols(library)
    weak = [name for name, kind in of_library.items() if kind == "W"]
    # (What is mangled as _ZZ is in a function: a lambda of an entry is none.)
    replaceable = [name for mangled, name in zip(weak, written(weak))
                   if not (mangled.startswith("_ZN4scan") and ENTRY.match(name))]
    assert not replaceable, f"{library.name} has weak functions:\n" + "\n".join(replaceable[:20])
    remembered = [name for name in of_library if re.match(r"_Z(GV)?ZNK?4scan", name)]
    assert not remembered, f"{library.name} shares what its functions remember with its caller's:\n" + \
        "\n".join(written(remembered)[:20])
    unique = [name for name, kind in of_library.items() if kind == "u"]
    assert not unique, f"{library.name} has what is unique in a process:\n" + "\n".join(unique[:20])
    both = [name for name in of_library if of_caller.get(name) in ("W", "T")]
    assert not both, f"of {library.name} and of its caller:\n" + "\n".join(written(both))


def check_caller_has_code(caller):
    """(What is compared is there.)"""
    ours = [name for name in written(symbols(caller)) if is_ours(name)]
    assert len(ours) > 50, ours


def check_other_build(compiler, source, scratch, libraries, link_flags):
    """Headers of a library for other GPUs."""
    include = scratch / "other" / "scan"
    include.mkdir(parents=True, exist_ok=True)
    folders = [pathlib.Path(flag[2:]) for flag in compiler if flag.startswith("-I")]
    build = next(path for path in (folder / "scan/prebuilt_set.hpp" for folder in folders)
                 if path.exists())
    text = build.read_text()
    (include / "prebuilt_set.hpp").write_text(re.sub(r"(SCAN_ABI v\w+?_sm)", r"\g<1>0_", text))
    caller = scratch / "other.o"
    at = next(i for i, flag in enumerate(compiler) if flag.startswith("-"))
    assert compile_caller([*compiler[:at], f"-I{include.parent}", *compiler[at:]], source, caller)
    run = link(compiler, caller, scratch / "other.so", libraries, link_flags)
    assert run.returncode != 0 and "sm0_" in run.stderr, "headers of another build link"


def main():
    (source, scratch, *libraries), link_flags, compiler = split(sys.argv[1:])
    scratch = pathlib.Path(scratch)
    scratch.mkdir(parents=True, exist_ok=True)
    caller, module = scratch / "caller.o", scratch / "module.so"
    assert compile_caller(compiler, source, caller, NEWER_CPU) or \
        compile_caller(compiler, source, caller), "the module does not compile"
    check_caller_has_code(caller)
    for library in libraries:
        check_nothing_is_replaced(caller, pathlib.Path(library))
        check_nothing_would_be_seen(library)
    run = link(compiler, caller, module, libraries[:1], link_flags)
    assert run.returncode == 0, run.stderr
    check_nothing_is_seen(module)
    check_two_share_nothing(module)
    check_other_build(compiler, source, scratch, libraries[:1], link_flags)
    print("apart")


if __name__ == "__main__":
    main()
