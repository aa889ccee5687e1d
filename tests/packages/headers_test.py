#!/usr/bin/env python3
"""The public headers compile without a warning: all of them with instances of their templates by every
compiler that is here, as C++17; or, `thoroughly`, as the other standards that are supported, and each alone
and twice.

usage: headers_test.py [thoroughly] INSTANCES_CPP HEADER... -- COMPILER_FLAG...
"""
import shutil
import subprocess
import sys

COMPILERS = ["g++", "clang++"]
# By the names that a compiler may know them under.
STANDARDS = [["c++17"], ["gnu++17"], ["c++20"], ["c++23", "c++2b"]]
WARNINGS = ["-Wall", "-Wextra", "-pedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion",
            "-Wold-style-cast", "-Werror"]


def errors_of(compiler, standard, flags, program):
    run = subprocess.run([compiler, f"-std={standard}", *flags, "-fsyntax-only", "-x", "c++", "-"],
                         input=program, text=True, capture_output=True)
    return run.stderr.strip() or "it failed" if run.returncode != 0 else ""


def known(compiler, standard):
    return not errors_of(compiler, standard, [], "")


def check_each_alone(compiler, headers, flags):
    for header in headers:
        include = f'#include "{header}"\n'
        errors = errors_of(compiler, "c++17", [*WARNINGS, *flags], include + include)
        assert not errors, f"{header}, alone, {compiler}:\n{errors}"


def check_warnings_are_seen(compiler, flags):
    for spoiled in ("signed char narrowed(int i) { return i; }", "int cast(float f) { return (int)f; }",
                    "unsigned sign(int i) { return i; }", "int i; void hide() { int i = 1; (void)i; }"):
        assert errors_of(compiler, "c++17", [*WARNINGS, *flags], spoiled), \
            f"{compiler} does not warn of: {spoiled}"


def check_together(compilers, standards, instances, headers, flags):
    with open(instances) as file:
        program = "".join(f'#include "{header}"\n' for header in headers) + file.read()
    num_checked = 0
    for compiler in compilers:
        check_warnings_are_seen(compiler, flags)
        for names in standards:
            standard = next((name for name in names if known(compiler, name)), None)
            if standard is None:
                continue
            errors = errors_of(compiler, standard, [*WARNINGS, *flags], program)
            assert not errors, f"{instances}, {compiler} -std={standard}:\n{errors}"
            num_checked += 1
    print(f"{len(headers)} headers {num_checked} times by {', '.join(compilers)}")


def main():
    split = sys.argv.index("--")
    given, flags = sys.argv[1:split], sys.argv[split + 1:]
    is_thorough = given[0] == "thoroughly"
    instances, *headers = given[is_thorough:]
    assert headers, "no headers to compile"
    compilers = [compiler for compiler in COMPILERS if shutil.which(compiler)]
    assert compilers, f"none of {COMPILERS} is here"
    check_together(compilers, STANDARDS[1:] if is_thorough else STANDARDS[:1], instances, headers, flags)
    if is_thorough:
        check_each_alone(compilers[0], headers, flags)
        print(f"and each alone by {compilers[0]}")


if __name__ == "__main__":
    main()
