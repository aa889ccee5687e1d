#!/usr/bin/env python3
"""The table of src/python/README.md: onepass_scan beside PyTorch on one GPU, as Markdown, or as JSON with --json.

    PYTHONPATH=src/python ONEPASS_SCAN_LIBRARY=.../libscan_c.so python3 bench/python_table.py --json table.json

Nothing is timed before its whole output has been compared with PyTorch's in exact numbers, or with a loop in
float64. Device times are medians of rounds of calls between two events, of arrays that are larger than the
L2; what waits for the host (masked_select, nonzero) is timed with its wait. Host times are of one float32 on
the device: the least of many rounds, since other processes can only add to them.
"""
import argparse
import json
import math
import statistics
import sys
import time

ROUNDS = 9
LONGEST_S = 3.0  # all rounds of a call that is slow, but for 7
# Microseconds of accelerated-scan, built from its source on one H200 (its own kernels, states in float; the same
# run gave the times of a copy in brackets). It has rows of 2^5 to 2^16 steps alone.
ACCELERATED = {("float32", 65536, 1024): (223, 186), ("float32", 1536, 4096): (20.0, 19.1),
               ("float32", 6144, 16384): (286, 278)}


def say(text):
    print(text, file=sys.stderr, flush=True)


def device_us(torch, call, rounds=ROUNDS):
    """Median microseconds of a call in its stream."""
    call()
    torch.cuda.synchronize()
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    began = time.perf_counter()
    call()
    torch.cuda.synchronize()
    once = time.perf_counter() - began
    calls = max(1, min(20, int(0.02 / once)))
    rounds = max(7, min(rounds, int(LONGEST_S / (once * calls))))
    found = []
    for _ in range(rounds):
        begin.record()
        for _ in range(calls):
            call()
        end.record()
        end.synchronize()
        found.append(begin.elapsed_time(end) * 1000 / calls)
    return statistics.median(found)


def host_us(torch, call, rounds=300, calls=50):
    """Least microseconds that a call takes of the CPU, with room in the queue of the stream."""
    least = math.inf
    for _ in range(rounds):
        torch.cuda.synchronize()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        least = min(least, (time.perf_counter() - begin) / calls)
    return least * 1e6


def need(is_right, what):
    if not is_right:
        sys.exit(f"{what}: the output is wrong, so nothing is timed")


class Table:
    """Rows, each timed once it has been verified."""

    def __init__(self, torch, scan):
        self.torch, self.scan, self.rows = torch, scan, []

    def add(self, name, ours, theirs, their_name, num_bytes, accelerated=None):
        """num_bytes: read and written at least; a copy of as many is timed beside."""
        torch = self.torch
        source = torch.empty(num_bytes // 2, dtype=torch.uint8, device="cuda")
        target = torch.empty_like(source)
        row = {"call": name, "us": device_us(torch, ours), "peer": their_name,
               "peer_us": theirs and device_us(torch, theirs),
               "copy_us": device_us(torch, lambda: target.copy_(source)), "accelerated_scan_us": accelerated}
        self.rows.append(row)
        say(f"{name}: {row['us']:.1f} us, {their_name} {row['peer_us'] or math.nan:.1f}, copy {row['copy_us']:.1f}")

    # ---- sums ----
    def sums(self, shape, dim, dtype):
        torch, scan = self.torch, self.scan
        x = torch.randint(-1, 2, shape, device="cuda", dtype=torch.int8).to(getattr(torch, dtype))
        out = torch.empty_like(x)
        scan.cumsum(x, dim, out=out)
        # Sums of -1, 0 and 1 below 2^24 are exact in float32, and are rounded once for the 16-bit types.
        need(torch.equal(out, torch.cumsum(x.float(), dim).to(x.dtype)
                         if x.numel() < 2**24 else self.exact(x, dim)), "cumsum")
        extents = " x ".join(map(str, shape))
        self.add(f"`scan.cumsum`, {dtype}, {extents}, dim {dim}", lambda: scan.cumsum(x, dim, out=out),
                 lambda: torch.cumsum(x, dim, out=out), "`torch.cumsum`", 2 * x.numel() * x.element_size())

    def exact(self, x, dim):
        """In chunks that are integers: of one axis, not at the same time."""
        torch = self.torch
        if dim in (0, -x.dim()) and x.dim() > 1:  # (columns: torch's own is slow, but exact)
            return torch.cumsum(x, dim, dtype=torch.float32).to(x.dtype)
        return torch.cumsum(x, dim, dtype=torch.int32).float().to(x.dtype)

    # ---- recurrences ----
    def recurrence(self, rows, steps, dtype, with_peer):
        torch, scan = self.torch, self.scan
        a = torch.rand(rows, steps, device="cuda").to(getattr(torch, dtype))
        b = (torch.rand(rows, steps, device="cuda") - .5).to(a.dtype)
        h = torch.empty_like(a)
        scan.recurrence(a, b, out=h)
        state = torch.zeros(rows, dtype=torch.float64, device="cuda")
        worst = 0.0
        for i in range(steps):
            state = a[:, i].double() * state + b[:, i].double()
            worst = max(worst, (h[:, i].double() - state).abs().max()) if i % 64 == 63 else worst
        need(float(worst) < (0.05 if dtype == "bfloat16" else 5e-5), "recurrence")
        peer, name = (None, "none") if not with_peer else associative(torch, a, b, h)
        self.add(f"`scan.recurrence`, {dtype}, {rows} x {steps}", lambda: scan.recurrence(a, b, out=h), peer,
                 name, 3 * a.numel() * a.element_size(), ACCELERATED.get((dtype, rows, steps)))

    # ---- compaction ----
    def compactions(self, n, percent):
        torch, scan = self.torch, self.scan
        x = torch.randint(-2**31, 2**31 - 1, (n,), device="cuda", dtype=torch.int32)
        flags = torch.rand(n, device="cuda") * 100 < percent
        kept = int(flags.sum())
        need(torch.equal(scan.select(x, flags), torch.masked_select(x, flags)), "select")
        need(torch.equal(scan.indices(flags), flags.nonzero()[:, 0]), "indices")
        moved = 4 * (n + kept) + n
        self.add(f"`scan.select(.., size=)`, int32, {n}, {percent} % kept",
                 lambda: scan.select(x, flags, size=n), lambda: torch.masked_select(x, flags),
                 "`torch.masked_select`", moved)
        self.add(f"`scan.select`, which waits, int32, {n}, {percent} % kept", lambda: scan.select(x, flags),
                 lambda: torch.masked_select(x, flags), "`torch.masked_select`", moved)
        for dtype, size in (("int64", 8), ("int32", 4)):
            self.add(f"`scan.indices(.., size=)`, {dtype}, {n}, {percent} % kept",
                     lambda: scan.indices(flags, size=n, dtype=dtype), lambda: torch.nonzero(flags),
                     "`torch.nonzero`", n + size * kept)
        self.add(f"`scan.indices`, which waits, {n}, {percent} % kept", lambda: scan.indices(flags),
                 lambda: torch.nonzero(flags), "`torch.nonzero`", n + 8 * kept)


def associative(torch, a, b, h):
    """(a call of torch's associative_scan, its name); or of a loop, where that is not there."""
    def combine(earlier, later):
        return later[0] * earlier[0], later[0] * earlier[1] + later[1]

    try:
        from torch._higher_order_ops.associative_scan import associative_scan
        compiled = torch.compile(lambda a, b: associative_scan(combine, (a, b), dim=1, combine_mode="pointwise")[1])
        found = compiled(a, b)
        need(torch.allclose(found.float(), h.float(), rtol=1e-2, atol=1e-2), "associative_scan")
        return lambda: compiled(a, b), "`associative_scan`, compiled"
    except Exception as problem:  # (whatever this version of torch makes of it)
        say(f"no associative_scan: {type(problem).__name__}: {str(problem).splitlines()[0][:100]}")

    def loop():
        state = torch.zeros_like(a[:, 0])
        for i in range(a.shape[1]):
            state = torch.addcmul(b[:, i], a[:, i], state)
            h[:, i] = state
    return loop, "a loop of torch"


def host_rows(torch, scan):
    """[name, us, us above the call in C]."""
    from onepass_scan import _library
    x, out = torch.ones(1, device="cuda"), torch.empty(1, device="cuda")
    flags = torch.ones(1, device="cuda", dtype=torch.bool)
    stream = torch.cuda.current_stream().cuda_stream
    operands = _library.pack_operands(_library.OPERANDS_SIZE, x.data_ptr(), out.data_ptr(), 9, 9, 0, 0)
    options = _library.pack_options(_library.DEVICE, 0, False, False, 0, stream)
    gradient = torch.ones(1, device="cuda", requires_grad=True)
    calls = {"the call in C, by ctypes": lambda: _library.scan_sequence(operands, 1, options),
             "`scan.cumsum(x)`": lambda: scan.cumsum(x),
             "`scan.inclusive(x, out=out)`": lambda: scan.inclusive(x, out=out),
             "`scan.inclusive(x, init=1.0, total=True)`": lambda: scan.inclusive(x, init=1.0, total=True),
             "`scan.recurrence(a, x)`": lambda: scan.recurrence(x, x),
             "`scan.select(x, flags, size=1)`": lambda: scan.select(x, flags, size=1),
             "`scan.torch.cumsum(x)`": lambda: scan.torch.cumsum(x),
             "`scan.torch.cumsum(x)`, with a gradient": lambda: scan.torch.cumsum(gradient),
             "`torch.cumsum(x, 0)`": lambda: torch.cumsum(x, 0),
             "`torch.cumsum(x, 0)`, with a gradient": lambda: torch.cumsum(gradient, 0)}
    rows, bare = [], None
    for name, call in calls.items():
        taken = host_us(torch, call)
        bare = taken if bare is None else bare
        rows.append({"call": name, "host_us": taken, "above_c_us": taken - bare})
        say(f"{name}: {taken:.2f} us of the host")
    return rows


def markdown(results):
    lines = ["| call | us | of a copy | PyTorch's | us | times as fast |", "|---|---|---|---|---|---|"]
    for row in results["device"]:
        peer = row["peer_us"]
        lines.append(f"| {row['call']} | {row['us']:.1f} | {row['copy_us'] / row['us']:.2f} | {row['peer']} | "
                     + (f"{peer:.1f} | {peer / row['us']:.2f} |" if peer else "| |"))
    for row in results["device"]:
        if row["accelerated_scan_us"]:
            us, copy = row["accelerated_scan_us"]
            lines += ["", f"{row['call']}: accelerated-scan {us} us where a copy took {copy}."]
    lines += ["", "| host time of one float32 | us | above the call in C |", "|---|---|---|"]
    lines += [f"| {row['call']} | {row['host_us']:.1f} | {row['above_c_us']:.1f} |" for row in results["host"]]
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", metavar="FILE", help="write the numbers there, too")
    parser.add_argument("--small", action="store_true", help="arrays of a 16th: to try the script")
    parser.add_argument("--no-compile", action="store_true", help="nothing beside recurrences: compiling "
                        "associative_scan takes a while")
    given = parser.parse_args()
    import torch
    if not torch.cuda.is_available():
        sys.exit("python_table.py: no device that torch can use")
    import onepass_scan as scan
    torch.manual_seed(20261123)
    part = 16 if given.small else 1
    table = Table(torch, scan)
    began = time.perf_counter()
    for shape, dim, dtype in (((2**28 // part,), 0, "float32"), ((2**28 // part,), 0, "bfloat16"),
                              ((65536 // part, 1024), 1, "float32"), ((65536 // part, 1000), 1, "bfloat16"),
                              ((4096, 16384 // part), 0, "float32"), ((2**20 // part, 64), 0, "float32"),
                              ((128 // part, 4096, 128), 1, "float32")):
        table.sums(shape, dim, dtype)
    table.recurrence(65536 // part, 1024, "float32", not given.no_compile)
    table.recurrence(1536 // part, 4096, "float32", False)
    table.recurrence(65536 // part, 1024, "bfloat16", False)
    table.compactions(2**27 // part, 50)
    table.compactions(2**27 // part, 1)
    results = {"gpu": torch.cuda.get_device_name(), "torch": torch.__version__, "cuda": torch.version.cuda,
               "library": scan.library_version(), "python": sys.version.split()[0], "device": table.rows,
               "host": host_rows(torch, scan)}
    print(f"{results['gpu']}, torch {results['torch']}, Python {results['python']}\n\n{markdown(results)}")
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)
    say(f"{time.perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
