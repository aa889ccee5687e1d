#!/usr/bin/env python3
"""Which scans the compiler takes, from where, and in what words it refuses others: what libscan.a
holds is never compiled again, what it does not hold names the header that does, what cannot be says
why.

usage: refused_test.py NVCC COMPILER_AND_FLAGS...
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
NVCC, COMPILER = sys.argv[1], sys.argv[2:]
FLAGS = [flag for flag in COMPILER if flag.startswith(("-std", "-I"))]
# An element of each kind: held with bools as bytes or not, of one size or wider, no integer.
ELEMENTS = ["bool", "unsigned char", "int", "unsigned long", "double", "__half"]
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
    command = [*COMPILER, "-fsyntax-only", "-x", "c++", "-"]
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


def words_for_sums_of_bools(where, call, element, op, header):
    code, errors = compile_errors(program(element, "bool", call, op, header))
    said = f"{where}, {header}: {op} of {element} to bools"
    assert code != 0, f"{said} was accepted"
    found = re.findall(r"scan: a sum or a product of bools[^\"\n]*", errors)
    assert found, f"{said}, in other words:\n{errors}"
    return set(found)


def check_sums_of_bools():
    """Refused, of whatever elements, in the same words whatever is included."""
    words = set()
    for i, element in enumerate(ELEMENTS):
        for j, (where, (call, _)) in enumerate(CALLS.items()):
            op = ("scan::plus{}", "scan::multiplies{}")[(i + j) % 2]
            for header in HEADERS if element == "bool" else HEADERS[:1]:
                words |= words_for_sums_of_bools(where, call, element, op, header)
    call = "scan::inclusive(scan::host, scan::transform_input{{in, scan::as_is{{}}}}, out, 5, {op})"
    words |= words_for_sums_of_bools("host", call, "int", "scan::plus{}", HEADERS[1])
    assert len(words) == 1, f"sums of bools are refused in several ways: {words}"
    code, errors = compile_errors(program("bool", "int", CALLS["host"][0], header=HEADERS[1]))
    assert code == 0, f"counting bools does not compile:\n{errors}"


def check_integers_to_bools(where, call, header):
    """Not held: as bytes 2 and 4 are neither true nor false."""
    code, errors = compile_errors(program("unsigned char", "bool", call, "scan::maximum{}"))
    assert code != 0 and header in errors, f"{where}: bytes to bools, as if held:\n{errors}"


def check_keys_not_held(where, call, header):
    """No option makes libscan.a hold them, so none is recommended."""
    place = "scan::host, " if "scan::host" in call else ""
    call = f"scan::inclusive_by_key({place}in, out, out, 5, {{op}})"
    code, errors = compile_errors(program("float", "int", call))
    assert code != 0 and header in errors, f"{where}: keys of float, as if held:\n{errors}"
    assert "-Dprebuilt=full" not in errors, f"{where}: an option that does not help:\n{errors}"


def check_counts_not_held():
    call = "scan::exclusive(in, out, scan::count{{nullptr, 5}}, {op})"
    check_not_held("counts", call, CALLS["device"][1])
    errors = compile_errors(program("unsigned char", "float", call))[1]
    assert "of a scan::count of elements" in errors, f"a count is refused in other words:\n{errors}"


def check_wrong_operator():
    call, header = CALLS["host"][0], HEADERS[1]
    wrong = "[](const char*, const char*) { return 1; }"
    code, errors = compile_errors(program("__half", "__half", call, wrong, header))
    assert code != 0 and "float where that is __half" in errors, \
        f"an operator of something else, in other words:\n{errors}"


REFUSED_WORDS = {
    "for one sequence": ("int", "int", "scan::transform_input{{in, indexed}}, out, scan::extents{{1, 5, 1}}, {op}"),
    "neither an element nor": ("int", "int", "scan::transform_input{{in, of_text}}, out, 5, {op}"),
    "scan::moves_as_bytes": ("owner", "owner", "in, out, 5, {op}"),
    "the output is const": ("int", "const int", "in, out, 5, {op}"),
    "the output is const (as": ("int", "int", "in, std::array<int, 5>{{}}, 5, {op}"),
}
REFUSED_RECURRENCES = {
    "a, b and h have to be of one element type": ("float", "double", "5"),
    "takes float, double": ("int", "int", "5"),
    "of the type of the states": ("__half", "__half", "scan::extents{{1, 5, 1}}, {options}<__half>{{}}"),
}
PARTS = """
#include <array>
#include <cstdint>
struct owner { owner(); owner(const owner&); owner operator+(const owner&) const; };
constexpr auto indexed = [](int x, std::int64_t i) { return x + static_cast<int>(i); };
constexpr auto of_text = [](const char*) { return 1; };
"""


def check_refused_words():
    for words, (from_type, to_type, arguments) in REFUSED_WORDS.items():
        call = f"scan::inclusive(scan::host, {arguments})"
        code, errors = compile_errors(PARTS + program(from_type, to_type, call, header=HEADERS[1]))
        assert code != 0 and words in errors, f"{call} is not refused for: {words}\n{errors}"
    for words, (from_type, to_type, rest) in REFUSED_RECURRENCES.items():
        for where, options in ("", "scan::options"), ("scan::host, ", "scan::host_options"):
            call = f"scan::recurrence({where}in, in, out, {rest.replace('{options}', options)})"
            code, errors = compile_errors(program(from_type, to_type, call))
            assert code != 0 and words in errors, f"{call} is not refused for: {words}\n{errors}"
            assert "no matching function" not in errors, f"{call} is refused otherwise, too:\n{errors}"


def check_segment_recurrences():
    held = "scan::recurrence(in, in, out, scan::segments<int>{{nullptr, 1, 1}})"
    code, errors = compile_errors(program("float", "float", held))
    assert code == 0, f"{held} does not compile:\n{errors}"
    code, errors = compile_errors(program("double", "double", held))
    assert code != 0 and "no recurrence by segments" in errors and "<scan/scan.cuh>" in errors, \
        f"{held} of double, as if held, or in other words:\n{errors}"
    each = held.replace("(in,", "(scan::factor_each{{in}},")
    code, errors = compile_errors(program("float", "float", each))
    assert code != 0 and "not factor_each" in errors, f"{each} is taken, or in other words:\n{errors}"


def check_segment_ranges():
    ranges = "scan::segment_ranges<int>{{nullptr, nullptr, 1, 1}}"
    for where, header in ("", "<scan/scan.cuh>"), ("scan::host, ", "<scan/host/host_scan.hpp>"):
        call = f"scan::inclusive({where}in, out, {ranges})"
        code, errors = compile_errors(program("float", "float", call))
        assert code == 0, f"{call} does not compile:\n{errors}"
        code, errors = compile_errors(program("short", "short", call))
        assert code != 0 and "no scan of segment_ranges" in errors and header in errors, \
            f"{call} of short, as if held, or in other words:\n{errors}"


DEVICE_LAMBDA = """
#include <scan/scan.cuh>
int count(const float* in, int* out) {
  const auto positive = [] __device__(float x) { return x > 0; };
  return scan::inclusive(scan::transform_input{in, positive}, out, 5);
}
"""


def check_device_lambda():
    command = [NVCC, "-arch=sm_90", "--extended-lambda", *FLAGS, "-x", "cu", "-cuda", "-o", "/dev/null", "-"]
    run = subprocess.run(command, input=DEVICE_LAMBDA, text=True, capture_output=True)
    errors = run.stdout + run.stderr
    assert run.returncode != 0 and "unknown on the host" in errors, \
        f"a function of the device alone, in other words:\n{errors}"


HELD = """
#include <cuda/functional>
#include <cuda/std/functional>
#include <cuda/std/span>
#include <functional>
#include <{header}>
int held(const int* in, int* out) {{
  const scan::transform_input from{{in, scan::as_is{{}}}};
  const scan::transform_output to{{out, scan::as_is{{}}}};
  const cuda::std::span<const int> view(in, 5);
  return scan::inclusive({where}in, out, 5) + scan::exclusive({where}from, to, 5) +
         scan::inclusive({where}in, out, 5, std::plus<>{{}}) +
         scan::inclusive({where}view, cuda::std::span<int>(out, 5), 5, cuda::std::plus<int>{{}}) +
         scan::exclusive({where}view, out, 5, cuda::maximum<>{{}}) +
         scan::inclusive({where}view, out, scan::count{{nullptr, 5}}) +
         scan::inclusive_by_key({where}in, view, out, scan::count{{nullptr, 5}}) +
         scan::inclusive({where}view, to, scan::extents{{1, 5, 1}}, cuda::std::plus<>{{}});
}}
"""


def symbols_of(command, text, suffix):
    with tempfile.TemporaryDirectory() as scratch:
        source, compiled = pathlib.Path(scratch) / f"held{suffix}", pathlib.Path(scratch) / "held.o"
        source.write_text(text)
        subprocess.run([*command, "-c", source, "-o", compiled], check=True)
        return subprocess.run(["nm", "-C", compiled], check=True, text=True,
                              capture_output=True).stdout.splitlines()


def check_held_is_not_compiled(room, symbols, parts):
    """A program that includes the templates, and calls what libscan.a holds, leaves it undefined:
    else the linker would take one of two that were compiled with different flags."""
    wanted = [line for line in symbols if re.search(rf" U scan::.*{room}::scan_shape<", line)]
    assert wanted, "the calls do not go to libscan.a:\n" + "\n".join(symbols)
    compiled_again = [line for line in symbols if re.search(rf" [A-TV-Za-z] .*\b({parts})\b", line)]
    assert not compiled_again, "compiled again:\n" + "\n".join(compiled_again)


def check_held_on_host():
    text = HELD.format(header=HEADERS[1], where="scan::host, ")
    check_held_is_not_compiled(
        "host_path", symbols_of(COMPILER, text, ".cpp"),
        "scan_shape|run|job|scan_blocks|lane_tiles|scan_together")


def check_held_on_device():
    text = HELD.format(header="scan/scan.cuh", where="")
    check_held_is_not_compiled(
        "device", symbols_of([NVCC, "-arch=sm_90", "-O0", *FLAGS], text, ".cu"),
        "scan_shape|choose_\\w+|launch\\w*|enqueue|(wave|look_back|ring|cluster)_kernel")


def main():
    for where, (call, header) in CALLS.items():
        check_not_held(where, call, header)
        check_integers_to_bools(where, call, header)
        check_keys_not_held(where, call, header)
    check_counts_not_held()
    check_sums_of_bools()
    check_wrong_operator()
    check_refused_words()
    check_segment_recurrences()
    check_segment_ranges()
    check_device_lambda()
    check_held_on_host()
    check_held_on_device()
    print("refused and held as they should be")


if __name__ == "__main__":
    main()
