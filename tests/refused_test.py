"""A scan that libscan.a does not hold is refused by the compiler, in words that name the header.

refused_test.py COMPILER_AND_FLAGS...
"""

import subprocess
import sys

CALLS = {
    "device": ("scan::inclusive(in, out, 5)", "<scan/scan.cuh>"),
    "host": ("scan::exclusive(scan::host, in, out, 5)", "<scan/host/host_scan.hpp>"),
}
PROGRAM = """
#include <scan/scan.hpp>
int main() {{
  const {0}* in = nullptr;
  {1}* out = nullptr;
  return {2};
}}
"""


def compile_errors(program):
    command = [*sys.argv[1:], "-fsyntax-only", "-x", "c++", "-"]
    run = subprocess.run(command, input=program, text=True, capture_output=True)
    return run.returncode, run.stderr


for where, (call, header) in CALLS.items():
    code, errors = compile_errors(PROGRAM.format("int", "int", call))
    assert code == 0, f"{where}: the program itself does not compile:\n{errors}"
    # no list holds this pair, whatever -Dprebuilt
    code, errors = compile_errors(PROGRAM.format("unsigned char", "float", call))
    assert code != 0, f"{where}: a scan that does not exist was accepted"
    assert header in errors, f"{where}: the message does not name {header}:\n{errors}"
    assert "-Dprebuilt=full" in errors, f"{where}: the message does not name the option"
print(f"{len(CALLS)} calls refused as they should be")
