#!/usr/bin/env python3
"""Prints tables, in Markdown, of `scan_bench --suite random`, `shapes`, `segments`, `select`, `edges`
or `chain --json FILE`; several files, as of several seeds, make one table. To shapes and segments torch_shapes.py's
may be added, to select torch_select.py's."""
import argparse
import math
import statistics
import sys

sys.dont_write_bytecode = True
from summary_runs import BadInput, read_runs

KIB, MIB, GIB = 2**10, 2**20, 2**30
# Bytes per side: up to, and not including.
CLASSES = (("256 B - 4 KiB", 4 * KIB), ("4 - 64 KiB", 64 * KIB), ("64 - 256 KiB", 256 * KIB),
           ("256 KiB - 4 MiB", 4 * MIB), ("4 - 16 MiB", 16 * MIB), ("16 - 64 MiB", 64 * MIB),
           ("64 MiB - 1 GiB", GIB), ("over 1 GiB", math.inf))
SPLITS = (("cold aligned", lambda cell: not cell["warm"] and not cell["misaligned"]),
          ("cold misaligned", lambda cell: not cell["warm"] and cell["misaligned"]),
          ("warm", lambda cell: cell["warm"]),
          ("all", lambda cell: True))
SLOWER = 0.97  # of CUB's speed
NUM_WORST = 10
PEERS = ("CUB segmented", "CUB by key", "Thrust by key", "torch.cumsum", "accelerated-scan")
WAITING = ("Thrust", "torch")  # of compactions; beside the library's call with a wait
# Of the classes of shapes the share of a copy's speed that is wanted; "length 1": nothing is.
SHARES = (("rows, length >= 32", 0.90), ("rows, length 2..31", 0.75),
          ("columns, inner >= 64 bytes", 0.90), ("inner 2.. below", 0.75),
          ("recurrences, rows", 0.88), ("recurrences, inner >= 2", 0.88),
          ("recurrences by segments", 0.88), ("length 1", None),
          ("segments by offsets", 0.85), ("segments by keys", 0.85), ("segments by flags", 0.88))
SEGMENTS = "segments"  # of which the classes' names begin like that


def is_right(cell):
    return "failure" not in cell and all(times["verified"] for times in cell["contenders"].values())


def class_of(cell):
    return next(name for name, end in CLASSES if cell["bytes_per_side"] < end)


def by_class(cells):
    """Of each size class that has any, and of all."""
    for name, _ in CLASSES:
        within = [cell for cell in cells if class_of(cell) == name]
        if within:
            yield name, within
    yield "all", cells


def microseconds(cell, name):
    """Of the fastest contender whose name starts like that; None: there is none."""
    return min((times["median_us"] for contender, times in cell["contenders"].items()
                if contender.startswith(name) and times["median_us"]), default=None)


def copy_us(cell):
    times = [microseconds(cell, name) for name in ("copy kernel", "cudaMemcpyAsync")]
    return min((time for time in times if time), default=None)


def print_row(*cells):
    print("| " + " | ".join(f"{cell:.2f}" if isinstance(cell, float) else str(cell)
                            for cell in cells) + " |")


def print_heading(*cells):
    print_row(*cells)
    print("|" + "---|" * len(cells))


# ---- random ----

def speedup(cell):
    return cell["speedup_over_cub"]


def print_random(runs, short):
    cells = [cell for run in runs for cell in run["cells"]]
    compared = [cell for cell in cells if speedup(cell)]
    if not compared:
        raise BadInput("nothing was compared with CUB")
    num_wrong = sum(not is_right(cell) for cell in cells)
    num_slower = sum(speedup(cell) < SLOWER for cell in compared)
    print(f"Seeds {', '.join(str(run['seed']) for run in runs)}: {len(compared)} cells, on average "
          f"{statistics.geometric_mean(map(speedup, compared)):.2f} times as fast as the fastest "
          f"CUB, {num_slower} below {SLOWER}, {num_wrong} wrong, "
          f"{sum(len(run.get('skipped', ())) for run in runs)} too large for the GPU\n")
    print_heading("bytes per side", "cells", "number", "mean", "worst", "in", f"below {SLOWER}",
                  "of copy")
    for name, within in by_class(compared):
        for split, takes in SPLITS[-1:] if short else SPLITS:
            print_split(name, split, [cell for cell in within if takes(cell)])
    if not short:
        print_worst(compared)


def print_split(name, split, cells):
    if not cells:
        return
    worst = min(cells, key=speedup)
    shares = [cell["share_of_copy"] for cell in cells if cell["share_of_copy"]]
    print_row(name, split, len(cells), statistics.geometric_mean(map(speedup, cells)),
              float(speedup(worst)), worst["name"], sum(speedup(cell) < SLOWER for cell in cells),
              statistics.median(shares) if shares else "")


def print_worst(cells):
    print(f"\nThe worst of them, microseconds:\n")
    print_heading("cell", "times CUB's speed", "scan", "CUB", "copy")
    for cell in sorted(cells, key=speedup)[:NUM_WORST]:
        print_row(cell["name"], float(speedup(cell)), microseconds(cell, "scan"),
                  microseconds(cell, "CUB "), copy_us(cell) or "")


# ---- shapes ----

def fastest_peer(cell):
    """(time, name); None: it has none."""
    return min(((time, name) for name in PEERS if (time := microseconds(cell, name))), default=None)


def over_peer(cell):
    """Times the speed of the fastest peer; None: there is none, or the scan is wrong."""
    peer, scan = fastest_peer(cell), microseconds(cell, "scan")
    return peer[0] / scan if peer and scan else None


def print_goals(cells):
    heading = "cells", "goal", "median", "worst", "in", "missed"
    small = [cell for cell in cells if 256 * KIB <= cell["bytes_per_side"] <= 16 * MIB]
    print_heading("share of copy, from 64 MiB per side", *heading)
    large = [cell for cell in cells if cell["bytes_per_side"] >= 64 * MIB]
    for name, bound in SHARES:
        print_goal(name, bound, "share_of_copy", of_class(large, name))
    print_segments(cells, heading)
    if not any(cell.get("over_one_sequence") for cell in cells):
        return
    print()
    print_heading("time over the plain call's", *heading)
    print_goal("a single row", 1.02, "over_one_sequence", of_class(cells, "a single row"), True)
    tensors = [cell for cell in small if not cell["class"].startswith(SEGMENTS)]
    for name in ("all", *(name for name, _ in SHARES)):
        shown = "256 KiB - 16 MiB" + ("" if name == "all" else f": {name}")
        print_goal(shown, 1.3, "over_one_sequence", of_class(tensors, name), True)
    print_goal("segments, from 64 MiB", 1.09, "over_one_sequence",
               [cell for cell in large if cell["class"].startswith(SEGMENTS)], True)


def print_segments(cells, heading):
    """Goals of segments: over peers where they are small, and of the lengths' distribution."""
    cells = [cell for cell in cells if cell["class"].startswith(SEGMENTS)]
    if not cells:
        return
    small = [cell | {"over_peer": over_peer(cell)} for cell in cells
             if 64 * KIB <= cell["bytes_per_side"] <= 16 * MIB]
    print()
    print_heading("segments, 64 KiB - 16 MiB: times the speed of the fastest peer", *heading)
    for name, _ in SHARES + (("all", None),):
        print_goal(name, 1.15, "over_peer", of_class(small, name))
    print()
    print_heading("segments from 64 MiB per side: share of copy of the fastest lengths over these",
                  *heading)
    large = over_fastest_lengths([cell for cell in cells if cell["bytes_per_side"] >= 64 * MIB])
    for name, _ in SHARES + (("all", None),):
        print_goal(name, 1.15, "over_fastest_lengths", of_class(large, name), at_most=True)


def over_fastest_lengths(cells):
    """Of those that differ in their lengths alone."""
    groups = {}
    for cell in cells:
        if cell["share_of_copy"]:
            groups.setdefault((cell["in"], cell["heads"], cell["n"]), []).append(cell)
    return [cell | {"over_fastest_lengths": max(one["share_of_copy"] for one in group) / cell["share_of_copy"]}
            for group in groups.values() if len(group) > 1 for cell in group]


def of_class(cells, name):
    return [cell for cell in cells if name in (cell["class"], "all")]


def print_goal(name, bound, quantity, cells, at_most=False):
    """None: there is no goal."""
    cells = sorted((cell for cell in cells if cell.get(quantity)), key=lambda cell: cell[quantity],
                   reverse=at_most)
    if cells:
        values = [float(cell[quantity]) for cell in cells]
        missed = sum(value > bound if at_most else value < bound for value in values) if bound else ""
        print_row(name, len(cells), bound or "", statistics.median(values), values[0], cells[0]["name"], missed)


def print_peers(cells):
    """By class: how many times as fast as each, where it scans that, and as the fastest. (Some where they were measured.)"""
    seldom = ("Thrust", "accelerated-scan")
    peers = [peer for peer in PEERS if not peer.startswith(seldom) or any(microseconds(cell, peer) for cell in cells)]
    print()
    print_heading("times the speed of", *peers, "the fastest", "worst", "in", "cells", "slower")
    for name in [*(name for name, _ in SHARES), "a single row", "all"]:
        within = [cell for cell in of_class(cells, name) if over_peer(cell)]
        if not within:
            continue
        means = []
        for peer in peers:
            ratios = [us / microseconds(cell, "scan") for cell in within
                      if (us := microseconds(cell, peer))]
            means.append(statistics.geometric_mean(ratios) if ratios else "-")
        worst = min(within, key=over_peer)
        print_row(name, *means, statistics.geometric_mean(map(over_peer, within)), over_peer(worst),
                  worst["name"], len(within), sum(over_peer(cell) < 1 for cell in within))


def print_beside(cells):
    """Of segments the calls that do more, or know less, beside the plain one on the same elements."""
    recurs = {True: "recurrences, ", False: ""}
    rows = [(recurs[kind] + name, values) for kind in (False, True) for name in ("totals", "inits", "ranges", "gaps")
            if (values := [(microseconds(cell, name) / microseconds(cell, "scan"), cell["name"]) for cell in cells
                           if microseconds(cell, name) and kind == cell["class"].startswith("recurrences")])]
    if rows:
        print()
        print_heading("beside the plain call", "cells", "times as long, median", "worst", "in")
    for name, values in rows:
        print_row(name, len(values), statistics.median(value for value, _ in values), *max(values))


def print_slower(cells):
    slower = sorted((cell for cell in cells if (over_peer(cell) or 1) < 1), key=over_peer)
    if slower:
        print("\nSlower than a peer, microseconds:\n")
        print_heading("cell", "times its speed", "scan", "peer", "which", "copy")
    for cell in slower[:3 * NUM_WORST]:
        time, name = fastest_peer(cell)
        print_row(cell["name"], over_peer(cell), microseconds(cell, "scan"), time, name, copy_us(cell) or "")


def print_seeds(runs, over, peer):
    """How many cells there are, and of these slower by `over` than `peer`, wrong, or left out. Returns them."""
    cells = [cell for run in runs for cell in run["cells"]]
    print(f"Seeds {', '.join(str(run['seed']) for run in runs)}: {len(cells)} cells, "
          f"{sum((over(cell) or 1) < 1 for cell in cells)} slower than {peer}, "
          f"{sum(not is_right(cell) for cell in cells)} wrong, "
          f"{sum(len(run.get('skipped', ())) for run in runs)} too large for the GPU\n")
    return cells


def print_shapes(runs, short):
    cells = print_seeds(runs, over_peer, "a peer")
    print_goals(cells)
    print_peers(cells)
    print_beside(cells)
    if not short:
        print_slower(cells)


# ---- select ----

def compaction_groups(cells):
    """By size, and the large ones by type, too."""
    yield from by_class(cells)
    large = [cell for cell in cells if cell["bytes_per_side"] >= 64 * MIB]
    for item in dict.fromkeys(sorted(cell["in"] for cell in large)):
        yield f"{item}, from 64 MiB", [cell for cell in large if cell["in"] == item]


def over_waiting(cells, peer):
    """(mean, worst) times the speed of Thrust or torch, which have no calls but those that wait for the host; None:
    there is none."""
    times = [(microseconds(cell, peer), microseconds(cell, "scan, which waits")) for cell in cells]
    ratios = [theirs / ours for theirs, ours in times if theirs and ours]
    return (statistics.geometric_mean(ratios), min(ratios)) if ratios else None


def print_select(runs, _short):
    cells = print_seeds(runs, speedup, "CUB")
    waiting = [peer for peer in WAITING if over_waiting(cells, peer)]
    print_heading("compaction", "bytes per side", "cells", "share of copy, median", "worst", "in",
                  "times CUB's speed, mean", "worst", "in", "slower",
                  *(name for peer in waiting for name in (f"times {peer}'s, both waiting, mean", "worst")))
    compared = [cell for cell in cells if speedup(cell) and cell["share_of_copy"]]
    kinds = dict.fromkeys(sorted(cell["class"] for cell in compared))
    groups = [(kind, *group) for kind in kinds for group in compaction_groups(of_class(compared, kind))]
    for kind, name, within in groups + [("all", *group) for group in by_class(compared)]:
        if within:
            lowest, slowest = min(within, key=lambda cell: cell["share_of_copy"]), min(within, key=speedup)
            print_row(kind, name, len(within), statistics.median(cell["share_of_copy"] for cell in within),
                      float(lowest["share_of_copy"]), lowest["name"],
                      statistics.geometric_mean(map(speedup, within)), float(speedup(slowest)),
                      slowest["name"], sum(speedup(cell) < 1 for cell in within),
                      *(value for peer in waiting for value in over_waiting(within, peer) or "--"))


# ---- edges ----

def edge_ratios(run):
    """Of both kinds: each cell with its time over that of the same power of two, aligned."""
    times, ratios = {}, {"2^k + 1 over 2^k": [], "misaligned over aligned": []}
    for cell in run["cells"]:
        if not cell["offset"] and cell["n"] & (cell["n"] - 1) == 0:
            times[cell["in"], cell["n"]] = microseconds(cell, "scan")
    for cell in run["cells"]:
        more = cell["n"] & 1
        if not more and not cell["offset"]:
            continue
        even, here = times.get((cell["in"], cell["n"] - more)), microseconds(cell, "scan")
        if even and here:
            kind = "2^k + 1 over 2^k" if more else "misaligned over aligned"
            ratios[kind].append((here / even, cell))
    return ratios


def print_edges(runs, _short):
    wrong = sum(not is_right(cell) for run in runs for cell in run["cells"])
    print(f"Times of sums, {wrong} cells wrong\n")
    for kind in ("2^k + 1 over 2^k", "misaligned over aligned"):
        ratios = [ratio for run in runs for ratio in edge_ratios(run)[kind]]
        if not ratios:
            continue
        print_heading(kind, "number", "median", "worst", "in")
        value = {id(cell): ratio for ratio, cell in ratios}
        groups = list(by_class([cell for _, cell in ratios]))
        types = dict.fromkeys(cell["in"] for _, cell in ratios)
        groups[-1:-1] = [(name, [cell for _, cell in ratios if cell["in"] == name]) for name in types]
        for name, cells in groups:
            worst = max(cells, key=lambda cell: value[id(cell)])
            print_row(name, len(cells), statistics.median(value[id(cell)] for cell in cells),
                      value[id(worst)], worst["name"])
        print()


# ---- chain ----

def print_chain(runs, _short):
    names = list(dict.fromkeys(name for run in runs for cell in run["cells"] for name in cell["contenders"]))
    print_heading("bytes per side", *(f"{name}, us" for name in names), "CUB / scan")
    for cell in (cell for run in runs for cell in run["cells"]):
        size = cell["bytes_per_side"]
        print_row(f"{size // MIB} MiB" if size >= MIB else f"{size // KIB} KiB",
                  *(microseconds(cell, name) or "-" for name in names), speedup(cell) or "-")


TABLES = {"random": print_random, "shapes": print_shapes, "segments": print_shapes,
          "select": print_select, "edges": print_edges, "chain": print_chain}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", metavar="FILE", nargs="+", help="JSON of scan_bench")
    parser.add_argument("--short", action="store_true",
                        help="of random: a row a size class; of shapes, segments: no list of cells")
    arguments = parser.parse_args()
    try:
        runs = read_runs(arguments.results, TABLES)
        TABLES[runs[0]["suite"]](runs, arguments.short)
    except (BadInput, OSError) as error:
        sys.exit(f"summary.py: {error}")
    except (KeyError, TypeError, AttributeError) as error:
        sys.exit(f"summary.py: not what scan_bench writes: {error!r}")


if __name__ == "__main__":
    main()
