#!/usr/bin/python3
"""Draws the results of `scan_bench --suite ... --json FILE`: of the suites speed and quick
share_of_copy.svg and speedup_over_cub.svg, of the suite ladder ladder.svg, of the suites shapes
and segments shapes.svg, segments.svg; of `scan_bench --gpus N --json FILE` gpus.svg. Needs matplotlib
(Debian: python3-matplotlib)."""
import argparse
import json
import pathlib
import re
import sys

# One hue for each width, dashed for floating-point numbers; distinct for colour-blind eyes, too.
COLORS = {"u8": "#0072b2", "i16": "#d55e00", "f16": "#d55e00", "bf16": "#d55e00", "i32": "#009e73",
          "f32": "#009e73", "i64": "#7b3294", "f64": "#7b3294"}
STYLES = {"f16": "--", "bf16": ":", "f32": "--", "f64": "--"}
# Bytes per side from which on a share of copy is wanted.
KIB, MIB, GIB = 2**10, 2**20, 2**30
TARGETS = [(256 * KIB, 0.58), (4 * MIB, 0.65), (16 * MIB, 0.80), (64 * MIB, 0.88),
           (256 * MIB, 0.94), (GIB, 0.97)]


# Of shapes from 64 MiB per side on: by class the share of copy that is wanted, the order of columns.
SHAPES = {"rows, length >= 32": 0.90, "rows, length 2..31": 0.75, "columns, inner >= 64 bytes": 0.90,
          "inner 2.. below": 0.75, "recurrences, rows": 0.88, "recurrences, inner >= 2": 0.88,
          "recurrences by segments": 0.88,
          "length 1": None, "a single row": None, "segments by offsets": 0.85, "segments by keys": 0.85,
          "segments by flags": 0.88}
SHAPE_MARKS = {"f32": ("o", "#009e73"), "bf16": ("s", "#d55e00"), "i32": ("^", "#0072b2"),
               "u8 to i32": ("D", "#7b3294")}


class BadInput(Exception):
    """The file is no result of a suite; the message is one line for the user."""


def read_results(path):
    try:
        results = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise BadInput(f"{path}: {error.strerror}") from error
    except ValueError as error:
        raise BadInput(f"{path}: no JSON: {error}") from error
    if isinstance(results, dict) and isinstance(results.get("rows"), list):
        return results  # of --gpus
    if not isinstance(results, dict) or not isinstance(results.get("cells"), list):
        raise BadInput(f"{path}: no results of scan_bench --suite: there are no cells")
    return results


def is_plain(cell):
    """Inclusive sums of 2^k elements of one type, with aligned pointers."""
    return (cell["in"] == cell["out"] and cell["operator"] == "plus" and cell["kind"] == "inclusive"
            and not cell["in_place"] and not cell["offset"] and cell["n"] & (cell["n"] - 1) == 0)


def collect(results, points, nothing):
    """(name, x, y) of every cell's `points`, as lines by name in the order of x."""
    lines = {}
    try:
        for cell in results["cells"]:
            for name, x, y in points(cell):
                lines.setdefault(name, []).append((int(x), float(y)))
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a cell is not one of scan_bench's: {error!r}") from error
    if not lines:
        raise BadInput(nothing)
    return {name: sorted(line) for name, line in lines.items()}


def lines_of(results, quantity):
    """By type: bytes per side and the quantity."""
    def points(cell):
        if is_plain(cell) and cell[quantity] is not None:
            yield cell["in"], cell["bytes_per_side"], cell[quantity]
    return collect(results, points, f"no inclusive sum has a {quantity}")


def ladder_lines(results):
    """By algorithm: number of elements and share of the copy's speed; without the rungs of C."""
    def points(cell):
        times = {name: float(of["median_us"]) for name, of in cell["contenders"].items()
                 if of["verified"]}
        copies = [times.pop(name) for name in ("copy kernel", "cudaMemcpyAsync") if name in times]
        for name, time in times.items():
            if not re.match("C[1-8] ", name) and copies:
                yield name, cell["n"], min(copies) / time
    return collect(results, points, "nothing was measured beside a copy")


def shape_points(results):
    """By types: (class, share of copy) of cells from 64 MiB per side on."""
    points = {}
    try:
        for cell in results["cells"]:
            if cell["bytes_per_side"] >= 64 * MIB and cell["share_of_copy"] is not None:
                types = cell["in"] if cell["in"] == cell["out"] else f"{cell['in']} to {cell['out']}"
                points.setdefault(types, []).append((cell["class"], float(cell["share_of_copy"])))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a cell is not one of scan_bench's: {error!r}") from error
    if not points:
        raise BadInput("no shape of 64 MiB has a share of copy")
    return points


def gpus_rows(results):
    """By what was measured: (bytes a rank, microseconds or share) of each row. No share where the copy
    that it is a share of is slow itself: more than 1."""
    lines = {name: [] for name in ("share", "across", "plain", "gather")}
    try:
        for row in results["rows"]:
            size, share = 4 * int(row["n"]), float(row["share_of_3n"])
            if share <= 1:
                lines["share"].append((size, share))
            for name in ("across", "plain", "gather"):
                lines[name].append((size, float(row[name + "_us"])))
    except (KeyError, TypeError, ValueError) as error:
        raise BadInput(f"a row is not one of scan_bench --gpus, of several: {error!r}") from error
    if not lines["share"]:
        raise BadInput("no row has a share of the bound")
    return {name: sorted(line) for name, line in lines.items()}


def bytes_text(size, _position=None):
    for unit in ("B", "KiB", "MiB", "GiB"):
        if size < 1024 or unit == "GiB":
            return f"{size:g} {unit}"
        size /= 1024


def new_figure(results, scans, x_label, y_label):
    from matplotlib import pyplot
    figure, axes = pyplot.subplots(figsize=(8, 4.5), facecolor="white", layout="constrained")
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_title(title(results, scans), fontsize=9)
    axes.grid(True, color="#dddddd", linewidth=0.6)
    return figure, axes


def title(results, scans):
    return (f"{scans}, {results.get('gpu') or 'unknown GPU'}, "
            f"{str(results.get('date'))[:10]}, {results.get('git_commit')}")


def draw(results, quantity, label):
    figure, axes = new_figure(results, "Inclusive sums", "bytes per side", label)
    lines = lines_of(results, quantity)
    for name in sorted(lines, key=lambda name: list(COLORS).index(name) if name in COLORS else 99):
        axes.plot(*zip(*lines[name]), STYLES.get(name, "-"), color=COLORS.get(name, "black"),
                  marker="o", markersize=2.5, linewidth=1.4, label=name)
    scale_bytes(axes)
    return figure, axes


def scale_bytes(axes):
    from matplotlib import ticker
    axes.set_xscale("log", base=2)
    axes.xaxis.set_major_locator(ticker.LogLocator(base=16, numticks=20))
    axes.xaxis.set_major_formatter(ticker.FuncFormatter(bytes_text))


def draw_share_of_copy(results):
    figure, axes = draw(results, "share_of_copy", "time of a copy / time of the scan")
    last = max(line[-1][0] for line in lines_of(results, "share_of_copy").values())
    steps = [step for step in TARGETS if step[0] <= last]
    if steps:
        axes.step([at for at, _ in steps] + [max(last, 2 * steps[-1][0])],
                  [share for _, share in steps] + [steps[-1][1]], where="post", color="#444444",
                  linewidth=0.8, label="target")
    axes.set_ylim(0, 1.05)
    axes.legend(fontsize=8, ncol=2, loc="lower right")
    return figure


def draw_ladder(results):
    figure, axes = new_figure(results, "Inclusive sums of int32", "n",
                              "time of a copy / time of the scan")
    for i, (name, line) in enumerate(ladder_lines(results).items()):
        own = name == "scan"
        axes.plot(*zip(*line), "-" if own else ("--", ":", "-.")[i % 3], marker="o", markersize=2.5,
                  color="black" if own else f"C{i % 10}", linewidth=2 if own else 1.2, label=name)
    axes.set_xscale("log")
    axes.set_ylim(0, 1.05)
    axes.legend(fontsize=8, ncol=2, loc="upper left")
    return figure


def draw_shapes(results):
    """A column a class, in it a mark a cell, the types side by side."""
    figure, axes = new_figure(results, "Sums of tensors and segments, recurrences, 64 MiB per side and more", "",
                              "time of a copy / time of the scan")
    points = shape_points(results)
    there = {name for of_type in points.values() for name, _ in of_type}
    columns = [name for name in SHAPES if name in there] + sorted(there - set(SHAPES))
    for i, (types, of_type) in enumerate(sorted(points.items())):
        marker, color = SHAPE_MARKS.get(types, ("x", "black"))
        shift = (i + 0.5) / len(points) - 0.5
        axes.plot([columns.index(name) + 0.7 * shift for name, _ in of_type],
                  [share for _, share in of_type], marker, color=color, markersize=4, alpha=0.7,
                  markeredgewidth=0.5, label=types)
    for x, name in enumerate(columns):
        if SHAPES.get(name):
            axes.hlines(SHAPES[name], x - 0.4, x + 0.4, color="#444444", linewidth=1,
                        label="goal" if x == 0 else None)
    axes.set_xticks(range(len(columns)), [name.replace(", ", ",\n") for name in columns], fontsize=7)
    axes.set_ylim(0, 1.05)
    axes.legend(fontsize=8, ncol=5, loc="lower center")
    return figure


def draw_gpus(results):
    """Beside each other: the share of the bound, and the time beside what it consists of."""
    from matplotlib import pyplot
    rows = gpus_rows(results)
    figure, (shares, times) = pyplot.subplots(1, 2, figsize=(8, 4), facecolor="white", layout="constrained")
    figure.suptitle(title(results, f"Sums of f32 across {results.get('gpus')} GPUs"), fontsize=9)
    shares.plot(*zip(*rows["share"]), color="black", marker="o", markersize=2.5, linewidth=1.4)
    last = max(rows["across"])[0]
    if last > 256 * MIB:
        shares.hlines(0.9, 256 * MIB, last, color="#444444", linewidth=0.8, label="goal")
        shares.legend(fontsize=8, loc="lower right")
    shares.set_ylim(0, 1.05)
    shares.set_ylabel("time of 3n bytes at a copy's speed / time")
    both = [(size, plain + gather) for (size, plain), (_, gather) in zip(rows["plain"], rows["gather"])]
    for line, style, color, label in (
            (rows["across"], "-", "black", "across"),
            (both, "--", "#d55e00", "plain call of a slice + all-gather"),
            (rows["plain"], "-", "#0072b2", "plain call of a slice"),
            (rows["gather"], "-", "#009e73", "all-gather")):
        times.plot(*zip(*line), style, color=color, marker="o", markersize=2.5, linewidth=1.4, label=label)
    times.set_yscale("log")
    times.set_ylabel("microseconds")
    times.legend(fontsize=8, loc="upper left")
    for axes in (shares, times):
        scale_bytes(axes)
        axes.set_xlabel("bytes a rank")
        axes.grid(True, color="#dddddd", linewidth=0.6)
    return figure


def draw_speedup_over_cub(results):
    from matplotlib import ticker
    versions = " and ".join(results.get("cub_versions") or ["?"])
    figure, axes = draw(results, "speedup_over_cub", f"time of the fastest CUB ({versions}) / scan")
    axes.axhline(1, color="#444444", linewidth=0.8)
    axes.set_yscale("log", base=2)
    axes.yaxis.set_major_formatter(ticker.FuncFormatter(lambda y, _: f"{y:g}"))
    axes.legend(fontsize=8, ncol=2)
    return figure


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("results", metavar="FILE", help="JSON of scan_bench --suite speed, ladder, shapes or segments, or --gpus")
    parser.add_argument("--out", metavar="DIR", default=".", help="where to write (default: .)")
    arguments = parser.parse_args()
    try:
        import matplotlib
    except ImportError:
        sys.exit("plot.py: matplotlib is missing (Debian: python3-matplotlib)")
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "scan"  # the same results, the same file
    try:
        results = read_results(arguments.results)
        if "rows" in results:
            figures = {"gpus.svg": draw_gpus(results)}
        elif results.get("suite") == "ladder":
            figures = {"ladder.svg": draw_ladder(results)}
        elif results.get("suite") in ("shapes", "segments"):
            figures = {results["suite"] + ".svg": draw_shapes(results)}
        else:
            figures = {"share_of_copy.svg": draw_share_of_copy(results),
                       "speedup_over_cub.svg": draw_speedup_over_cub(results)}
        folder = pathlib.Path(arguments.out)
        folder.mkdir(parents=True, exist_ok=True)
        for name, figure in figures.items():
            figure.savefig(folder / name, metadata={"Date": None})
    except (BadInput, OSError) as error:
        sys.exit(f"plot.py: {error}")


if __name__ == "__main__":
    main()
