#!/usr/bin/env python3
"""Installs the library into a temporary place and builds a program against the copy.

usage: installed_test.py pkg-config|cmake MESON BUILD_DIR SOURCE_ROOT TOOLKIT [nccl]
       nccl: NCCL is here
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # (nothing into the sources)
import readme_example

PROGRAMS = ["consumer", "own_operator"]


def run(*command, **more):
    print("+", *command, flush=True)
    return subprocess.run([str(part) for part in command], check=True, **more)


def need(program):
    if shutil.which(program) is None:
        print(f"skipped: no {program}")
        sys.exit(77)


def by_readme(readme, work, pkg_config, *flags):
    """Its first program, by the line that stands below it. (What it prints: the test `readme example`.)"""
    (work / "main.cpp").write_text(readme_example.example(readme, 0))
    line = re.search(r"`(g\+\+ [^`]+ -o main [^`]+) && ./main`", readme.read_text()).group(1)
    (work / "bin").mkdir()
    (work / "bin" / "pkg-config").write_text(f'#!/bin/sh\nexec {pkg_config} {" ".join(flags)} "$@"\n')
    (work / "bin" / "pkg-config").chmod(0o755)
    run("bash", "-c", line, cwd=work, env={**os.environ, "PATH": f"{work / 'bin'}:{os.environ['PATH']}"})
    assert (work / "main").exists(), line


def with_pkg_config(prefix, source_root, toolkit, work, _):
    need("pkg-config")
    consumer = source_root / "tests" / "packages" / "installed"
    pc = next(prefix.rglob("scan.pc"))

    def flags_of(*wanted, cuda_root=toolkit, nccl_root=None):
        roots = [f"--define-variable=cuda_root={cuda_root}"]
        roots += [f"--define-variable=nccl_root={nccl_root}"] if nccl_root else []
        return run("pkg-config", f"--define-variable=prefix={prefix}", *roots, *wanted,
                   env={**os.environ, "PKG_CONFIG_PATH": str(pc.parent)}, stdout=subprocess.PIPE,
                   text=True).stdout.split()

    # The copy outlives the checkout, and who has CUDA and NCCL elsewhere says where.
    packages = [file.stem for file in pc.parent.glob("*.pc")]
    for package in packages:
        text = (pc.parent / f"{package}.pc").read_text()
        assert str(source_root) not in text, text
        for flag in flags_of("--cflags", "--libs", package, cuda_root="/moved", nccl_root="/moved"):
            place = flag[flag.find("/"):] if "/" in flag else "/moved"
            assert place.startswith(("/moved", str(prefix))), flag
    if "scan_nccl" in packages:  # (compiled only: NCCL need not be here)
        nccl_wheel = source_root / ".venv" / "nccl"
        nccl_root = nccl_wheel if nccl_wheel.exists() else None
        flags = flags_of("--cflags", "--libs", "scan_nccl", nccl_root=nccl_root)
        assert "-lscan_nccl" in flags and "-lnccl" in flags, flags
        assert next(prefix.rglob("libscan_nccl.a"))
        run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", "-c",
            source_root / "tests" / "slices" / "nccl_examples" / "threads.cpp", "-o", work / "threads.o",
            *flags_of("--cflags", "scan_nccl", nccl_root=nccl_root))
    for header in ("c.h", "c_codes.h"):
        assert (prefix / "include" / "scan" / header).exists() == ("scan_c" in packages), packages
    if "scan_c" in packages:
        run("cc", "-std=c11", "-Wall", "-Wextra", "-pedantic", "-Werror", consumer / "consumer.c", "-o",
            work / "in_c", *flags_of("--cflags", "--libs", "scan_c"))
        run(work / "in_c", env={**os.environ, "LD_LIBRARY_PATH": str(pc.parent.parent)})
    flags = flags_of("--cflags", "--libs", "scan")
    macros = run("g++", "-E", "-dM", "-include", "scan/version.hpp", "-x", "c++", os.devnull, *flags,
                 stdout=subprocess.PIPE, text=True).stdout
    version = ".".join(re.search(rf"SCAN_VERSION_{part} (\d+)", macros).group(1)
                       for part in ("MAJOR", "MINOR", "PATCH"))
    assert flags_of("--modversion", "scan") == [version], version
    for program in PROGRAMS:
        run("g++", "-std=c++17", "-Wall", "-Wextra", "-Werror", consumer / f"{program}.cpp", "-o",
            work / program, *flags)
        run(work / program)
    by_readme(source_root / "README.md", work, shutil.which("pkg-config"), f"--with-path={pc.parent}",
              f"--define-variable=prefix={prefix}", f"--define-variable=cuda_root={toolkit}")


def with_cmake(prefix, source_root, _, work, has_nccl):
    need("cmake")
    consumer = source_root / "tests" / "packages" / "installed"
    nccl_wheel = source_root / ".venv" / "nccl"

    def configure(folder, *options, **more):
        return run("cmake", "-S", consumer, "-B", folder, f"-DCMAKE_PREFIX_PATH={prefix}",
                   f"-DNCCL_ROOT={nccl_wheel}", *options, **more)

    configure(work, f"-DACROSS_GPUS={'ON' if has_nccl else 'OFF'}")
    run("cmake", "--build", work)
    for program in PROGRAMS:
        run(work / program)
    assert (work / "threads").exists() == has_nccl
    if has_nccl:
        code = subprocess.run([work / "threads"]).returncode
        assert code in (0, 77), code  # (77: no GPU)
    # Without NCCL's library the rest is there, and who asks for scan::nccl is told.
    configure(work / "without", "-DNCCL_LIBRARY=OFF")
    try:
        configure(work / "asked", "-DNCCL_LIBRARY=OFF", "-DACROSS_GPUS=ON", stderr=subprocess.PIPE,
                  text=True)
    except subprocess.CalledProcessError as failed:
        told = " ".join(failed.stderr.split())
        assert "scan::nccl is missing" in told, told
    else:
        raise AssertionError("scan::nccl without NCCL's library")


def main():
    kind, meson, build_dir, source_root, toolkit = sys.argv[1:6]
    with tempfile.TemporaryDirectory() as scratch:
        scratch = pathlib.Path(scratch)
        run(meson, "install", "-C", build_dir, "--no-rebuild", "--destdir", scratch / "root",
            stdout=subprocess.DEVNULL)
        headers = next((scratch / "root").rglob("scan/scan.hpp"))
        prefix = headers.parents[2]
        work = scratch / "work"
        work.mkdir()
        assert (prefix / "share" / "licenses" / "scan" / "LICENSE").exists()
        {"pkg-config": with_pkg_config, "cmake": with_cmake}[kind](
            prefix, pathlib.Path(source_root), toolkit, work, "nccl" in sys.argv[6:])


if __name__ == "__main__":
    main()
