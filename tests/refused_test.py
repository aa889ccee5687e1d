#!/usr/bin/env python3
"""Which scans the compiler takes, from where, and in what words it refuses others: what libscan.a
holds is never compiled again, what it does not hold names the header that does, what cannot be says
why.

usage: refused_test.py COMPILER_AND_FLAGS...
"""
import pathlib
import re
import subprocess
import sys
import tempfile

CALLS = {
    "device": ("scan::inclusive(in, out, 5, {op})", "<scan/scan.cuh>"),
    "host": ("scan::exclusive(scan::host, in, out, 5, {op})", "<scan/host/host_scan.hpp>"),
}
HEADERS = ["scan/scan.hpp", "scan/host/host_scan.hpp"]
PROGRAM = """
#include <{header}>
int main() {{
  const {from_type}* in = nullptr;
  {to_type}* out = nullptr;
  return {call};
}}
"""


def program(from_type, to_type, call, op="scan::plus{}", header=HEADERS[0]):
    return PROGRAM.format(header=header, from_type=from_type, to_type=to_type,
                          call=call.format(op=op))


def compile_errors(text):
    command = [*sys.argv[1:], "-fsyntax-only", "-x", "c++", "-"]
    run = subprocess.run(command, input=text, text=True, capture_output=True)
    return run.returncode, run.stderr


def check_not_held(where, call, header):
    code, errors = compile_errors(program("int", "int", call))
    assert code == 0, f"{where}: the program itself does not compile:\n{errors}"
    # no list holds this pair, whatever -Dprebuilt
    code, errors = compile_errors(program("unsigned char", "float", call))
    assert code != 0, f"{where}: a scan that does not exist was accepted"
    assert header in errors, f"{where}: the message does not name {header}:\n{errors}"
    assert "-Dprebuilt=full" in errors, f"{where}: the message does not name the option"


def check_sums_of_bools(where, call):
    """Refused, in the same words whatever is included."""
    for op in ("scan::plus{}", "scan::multiplies{}"):
        words = set()
        for header in HEADERS:
            code, errors = compile_errors(program("bool", "bool", call, op, header))
            assert code != 0, f"{where}, {header}: {op} of bools to bools was accepted"
            found = re.findall(r"scan: a sum or a product of bools[^\"\n]*", errors)
            assert found, f"{where}, {header}: {op} of bools to bools, in other words:\n{errors}"
            words.update(found)
        assert len(words) == 1, f"{where}: {op} of bools to bools: {words}"
    code, errors = compile_errors(program("bool", "int", call, header=HEADERS[1]))
    assert code == 0, f"{where}: counting bools does not compile:\n{errors}"


def check_wrong_operator():
    call, header = CALLS["host"][0], HEADERS[1]
    wrong = "[](const char*, const char*) { return 1; }"
    code, errors = compile_errors(program("__half", "__half", call, wrong, header))
    assert code != 0 and "float where that is __half" in errors, \
        f"an operator of something else, in other words:\n{errors}"


def check_held_is_not_compiled():
    """A program that includes the templates, and calls what libscan.a holds, leaves it undefined:
    else the linker would take one of two that were compiled with different flags."""
    with tempfile.TemporaryDirectory() as scratch:
        compiled = pathlib.Path(scratch) / "held.o"
        text = program("int", "int", CALLS["host"][0], header=HEADERS[1])
        subprocess.run([*sys.argv[1:], "-c", "-x", "c++", "-", "-o", compiled], input=text, text=True,
                       check=True)
        symbols = subprocess.run(["nm", "-C", compiled], check=True, text=True,
                                 capture_output=True).stdout.splitlines()
    wanted = [line for line in symbols if re.search(r" U scan::.*host_path::scan_prebuilt<", line)]
    assert wanted, "the call does not go to libscan.a:\n" + "\n".join(symbols)
    parts = r"host_path::(scan_host|scan_prebuilt|run|job|scan_blocks|lane_tiles|scan_together)\b"
    compiled_again = [line for line in symbols if re.search(rf" [TtWwVvu] .*{parts}", line)]
    assert not compiled_again, "compiled again:\n" + "\n".join(compiled_again)


def main():
    for where, (call, header) in CALLS.items():
        check_not_held(where, call, header)
        check_sums_of_bools(where, call)
    check_wrong_operator()
    check_held_is_not_compiled()
    print("refused and held as they should be")


if __name__ == "__main__":
    main()
