#!/usr/bin/env python3
"""Seeds one fault at a time into the library and demands that a test turns red.

usage: mutations.py [--compiler C++...] [--jobs N] [--json FILE] [NAME...]    CPU side: builds, runs
                    [--of N [--turn K]]                                       each N-th of them
       mutations.py --device --build DIR [--nvcc NVCC...] [--arch sm_90]      device side: builds
       mutations.py --run DIR [--json FILE]                                   and runs, elsewhere
       mutations.py --table JSON...                                           as in mutations.md

What there is to seed is in mutations.json: the text of a file, what replaces it, and the test
program (with its arguments) that has to notice; and by whom it is run: the tests as they are by default,
those of -Dproof=true, or (device) whoever has a GPU. Fails if one survives, if a text is not where it
was, if what was seeded does not compile, or if a program is red without any fault. A program may
ask for edits of the library, which are there without a fault too: rights that the library has and
seldom uses, without which a fault would not show. With --of N each N-th fault is seeded, another one each
day, so that N days have them all, or those of a turn; the texts of all are looked for.
"""
import argparse
import concurrent.futures
import datetime
import json
import os
import pathlib
import platform
import re
import shutil
import sys
import tempfile
import time

sys.dont_write_bytecode = True
from mutation_programs import ROOT, Broken, Programs, replaced, run, text_for, write_to

HERE = pathlib.Path(__file__).resolve().parent
TABLE = HERE / "mutations.json"


def caught_by(code, output):
    """What a red run says of itself."""
    if code == 124:
        return "waits for ever"
    cases = re.findall(r"^TEST CASE:  (.*)$", output, re.MULTILINE)
    if "ThreadSanitizer" in output:
        return "ThreadSanitizer: " + (re.findall(r"WARNING: ThreadSanitizer: (.*?) \(", output) +
                                      ["report"])[0]
    if cases:
        return cases[0]
    wrong = re.findall(r"^wrong: (.*)$", output, re.MULTILINE)
    return wrong[0] if wrong else f"exit code {code}"


def overlay_of(table, mutation, folder):
    """A folder with nothing but the file that the fault is in."""
    text = text_for(table["programs"][mutation["program"]], mutation["file"])
    write_to(folder / mutation["file"], replaced(text, mutation, mutation["name"]))
    return folder


def command_of(program, binary, arguments):
    wrapper = [platform.machine() if w == "MACHINE" else w for w in program.get("wrapper", [])]
    return [*wrapper, str(binary), *arguments]


def run_program(program, binary, arguments, timeout):
    return run(command_of(program, binary, arguments), timeout,
               env={**os.environ, "TSAN_OPTIONS": "halt_on_error=1"})


def judge(table, mutation, binary):
    """What noticed, or None; tried again where threads may meet otherwise the next time."""
    program = table["programs"][mutation["program"]]
    arguments = mutation.get("arguments", [])
    for _ in range(mutation.get("tries", 1)):
        code, output = run_program(program, binary, arguments, mutation.get("timeout", 120))
        if code == 77:
            raise Broken(f"{mutation['program']} was skipped")
        if code in (126, 127):
            raise Broken(f"{mutation['program']} cannot be run")
        if code == 124 and not mutation.get("hangs", False):
            raise Broken(f"{mutation['name']}: {mutation['program']} takes too long")
        if code != 0:
            return caught_by(code, output)
    return None


def of_side(table, device, names):
    chosen = [m for m in table["mutations"]
              if table["programs"][m["program"]].get("device", False) == device]
    if names:
        chosen = [m for m in chosen if any(n in m["name"] for n in names)]
    available = []
    for mutation in chosen:
        wrapper = table["programs"][mutation["program"]].get("wrapper", [])
        sources = table["programs"][mutation["program"]]["sources"]
        if not wrapper or shutil.which(wrapper[0]):
            if all((ROOT / s).exists() for s in sources):
                available.append(mutation)
                continue
        print(f"left out: {mutation['name']} ({mutation['program']} cannot be built here)")
    return available


def plain_runs(table, mutations):
    """(program, arguments) that have to be green without a fault."""
    seen = []
    for mutation in mutations:
        wanted = (mutation["program"], mutation.get("arguments", []))
        if wanted not in seen:
            seen.append(wanted)
    return seen


def report(rows, json_path, at, device=None):
    width = max(len(r["mutation"]) for r in rows)
    for row in rows:
        print(f"{row['mutation']:{width}}  {row['seconds']:5.1f} s  {row['by']:7}  {row['program']:12}  "
              f"{row['caught_by'] or 'SURVIVED'}")
    survived = [r["mutation"] for r in rows if not r["caught_by"]]
    print(f"{len(rows) - len(survived)} of {len(rows)} caught")
    if json_path:
        pathlib.Path(json_path).write_text(json.dumps(
            {"date": time.strftime("%Y-%m-%d"), "device": device, "commit": at,
             "mutations": rows}, indent=1) + "\n")
    return 1 if survived else 0


def commit():
    code, output = run(["git", "-C", str(ROOT), "rev-parse", "--short", "HEAD"])
    return output.strip() if code == 0 else None


def pool_map(jobs, work, items):
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        return list(pool.map(work, items))


def check_tree_objects(programs, mutations, jobs):
    wanted = {}
    for mutation in mutations:
        for source in programs.sources(mutation["program"]):
            wanted[programs.tree_object(mutation["program"], source)] = (mutation["program"], source)
    pool_map(jobs, lambda item: programs.compile(item[1][0], item[1][1], None, item[0]),
             wanted.items())


def host_side(table, options, scratch):
    mutations = of_side(table, False, options.names)
    programs = Programs(table, scratch, options.compiler, options.nvcc, options.arch)
    started = time.monotonic()
    overlays = [overlay_of(table, m, programs.scratch / str(i)) for i, m in enumerate(mutations)]
    for index, mutation in enumerate(of_side(table, True, options.names)):
        overlay_of(table, mutation, programs.scratch / f"device{index}")  # the text is where it was
    turn = (datetime.date.today().toordinal() if options.turn is None else options.turn) % options.of
    mutations, overlays = mutations[turn::options.of], overlays[turn::options.of]
    if options.of > 1:
        print(f"each {options.of}-th fault, --turn {turn}: {len(mutations)}")
    if not mutations:
        raise Broken("no fault has such a name")
    programs.precompile(sorted({m["program"] for m in mutations}))
    check_tree_objects(programs, mutations, options.jobs)
    binaries = {name: programs.build(name) for name in {m["program"] for m in mutations}}

    def green(wanted):
        name, arguments = wanted
        code, output = run_program(table["programs"][name], binaries[name], arguments, 120)
        if code != 0 or re.search(r"test cases: +0 \|", output):
            raise Broken(f"{name} {arguments} is red or empty without a fault:\n{output[-2000:]}")

    def one(item):
        mutation, overlay = item
        began = time.monotonic()
        binary = programs.build(mutation["program"], overlay, mutation["file"])
        noticed = judge(table, mutation, binary)
        return {"mutation": mutation["name"], "file": mutation["file"],
                "program": mutation["program"],
                "by": table["programs"][mutation["program"]]["by"], "caught_by": noticed,
                "seconds": round(time.monotonic() - began, 1)}

    pool_map(options.jobs, green, plain_runs(table, mutations))
    # First those that wait for ever: they take time, and no core.
    in_turn = sorted(zip(mutations, overlays), key=lambda item: not item[0].get("hangs", False))
    names = [m["name"] for m in mutations]
    rows = sorted(pool_map(options.jobs, one, in_turn), key=lambda r: names.index(r["mutation"]))
    print(f"in {time.monotonic() - started:.0f} s, {options.jobs} jobs")
    return report(rows, options.json, commit())


def build_device_side(table, options, scratch):
    """Programs with a fault and without any, which need nothing but a driver, and what to run."""
    mutations = of_side(table, True, options.names)
    programs = Programs(table, scratch, options.compiler, options.nvcc, options.arch)
    to = pathlib.Path(options.build)
    to.mkdir(parents=True, exist_ok=True)
    overlays = [overlay_of(table, m, programs.scratch / str(i)) for i, m in enumerate(mutations)]
    check_tree_objects(programs, mutations, options.jobs)
    for name in {m["program"] for m in mutations}:
        programs.build(name, to=to / f"plain_{name}")
    pool_map(options.jobs, lambda item: programs.build(
        item[1]["program"], overlays[item[0]], item[1]["file"], to / f"mutation_{item[0]}"),
             list(enumerate(mutations)))
    for script in ("mutations.py", "mutation_programs.py"):
        shutil.copy(HERE / script, to)
    (to / "mutations.json").write_text(json.dumps(
        {"programs": {m["program"]: {"sources": [], "by": "device"} for m in mutations}, "mutations": mutations,
         "commit": commit()}))
    return 0


def run_device_side(options):
    folder = pathlib.Path(options.run).resolve()  # a bare name would be looked for in PATH
    table = json.loads((folder / "mutations.json").read_text())
    code, device = run(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"])

    def green(wanted):
        name, arguments = wanted
        began = time.monotonic()
        code, output = run([str(folder / f"plain_{name}"), *arguments], 60)
        print(f"no fault: {name} {' '.join(arguments)}: exit code {code}, "
              f"{time.monotonic() - began:.1f} s {output.strip()[-300:]}")
        return code

    def one(item):
        index, mutation = item
        began = time.monotonic()
        try:
            noticed = judge(table, mutation, folder / f"mutation_{index}")
        except Broken as problem:
            print(problem)
            noticed = None
        print(f"{mutation['name']}: {noticed}", flush=True)
        return {"mutation": mutation["name"], "file": mutation["file"],
                "program": mutation["program"],
                "by": table["programs"][mutation["program"]]["by"], "caught_by": noticed,
                "seconds": round(time.monotonic() - began, 1)}

    codes = pool_map(options.jobs, green, plain_runs(table, table["mutations"]))
    rows = pool_map(options.jobs, one, list(enumerate(table["mutations"])))
    failed = report(rows, options.json, table["commit"], device.strip())
    return 1 if failed or any(codes) else 0


def print_table(files):
    for name in files:
        results = json.loads(pathlib.Path(name).read_text())
        print(f"\n{results['date']}, commit {results['commit']}, "
              f"{results['device'] or 'CPU threads'}\n")
        print("| fault | in | program | by | noticed |\n|---|---|---|---|---|")
        for row in results["mutations"]:
            print(f"| {row['mutation'].removeprefix('device: ')} | {pathlib.Path(row['file']).name} "
                  f"| {row['program']} | {row.get('by', '')} | {row['caught_by'] or '**not noticed**'} |")
    return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("names", nargs="*", help="only those whose names contain one of these")
    parser.add_argument("--of", type=int, default=1, metavar="N", help="each N-th, another one each day")
    parser.add_argument("--turn", type=int, metavar="K", help="which of these N turns (default: the day's)")
    parser.add_argument("--device", action="store_true")
    parser.add_argument("--build", metavar="DIR")
    parser.add_argument("--run", metavar="DIR")
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--table", nargs="+", metavar="JSON")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() + 1)
    parser.add_argument("--compiler", default="g++", type=str.split)
    parser.add_argument("--nvcc", default=shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc",
                        type=str.split)
    parser.add_argument("--arch", default="sm_90")
    options = parser.parse_args()
    if options.of < 1:
        parser.error("--of takes 1 or more")
    try:
        if options.table:
            return print_table(options.table)
        if options.run:
            return run_device_side(options)
        table = json.loads(TABLE.read_text())
        with tempfile.TemporaryDirectory() as scratch:
            if options.device:
                return build_device_side(table, options, scratch)
            return host_side(table, options, scratch)
    except Broken as problem:
        print(problem)
        return 2


if __name__ == "__main__":
    sys.exit(main())
