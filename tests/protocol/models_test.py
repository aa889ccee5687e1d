#!/usr/bin/env python3
"""Runs the models of models/*.pml through Spin: what is right must pass in every state, what is
known to be wrong must fail, and in the way it is known for. Prints how many states there were.

usage: models_test.py SPIN C_COMPILER
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile
import time

MODELS = pathlib.Path(__file__).resolve().parent / "models"
DEADLOCK, ASSERTION = "invalid end state", "assertion violated"
RIGHT, FAILS = None, ""  # the latter: in either way

# name, model, what is defined, how it fails
RUNS = [
    ("tickets: 3 workers in 2 slots, 1 to 3 tiles", "look_back", "CALLS=4", RIGHT),
    ("tickets: one slot", "look_back", "SLOTS=1 CALLS=4", RIGHT),
    ("tickets: as many slots as workers", "look_back", "SLOTS=3 CALLS=4", RIGHT),
    ("tickets: 4 workers in 2 slots, up to 4 tiles", "look_back", "WORKERS=4 MOST_TILES=4", RIGHT),
    ("tickets: 3 epochs, twice over", "look_back", "CALLS=7 LAST_EPOCH=3", RIGHT),
    ("two tiles in hand", "look_back", "TWO_IN_HAND SLOTS=3 MOST_TILES=4", RIGHT),
    ("batches whose prefix is published", "look_back", "BATCH=2 SLOTS=3 MOST_TILES=5", RIGHT),
    ("batches, two tiles in hand", "look_back", "BATCH=2 TWO_IN_HAND MOST_TILES=4", RIGHT),
    ("published after the look-back", "look_back", "PUBLISHES_LATE SLOTS=3", RIGHT),
    ("workers fail, and say so", "look_back", "FAILS CALLS=1 SLOTS=3 MOST_TILES=4", RIGHT),
    ("block index, all resident", "look_back", "BLOCK_INDEX SLOTS=3 CALLS=1", RIGHT),
    ("nothing cleared, n constant", "look_back", "NO_CLEARING LEAST_TILES=3 CALLS=6", RIGHT),
    ("flag and value in one word", "value_slot", "ONE_WORD", RIGHT),
    ("a place for each value", "value_slot", "", RIGHT),
    ("CPU threads help callers", "crew", "", RIGHT),

    ("block index, not all resident", "look_back", "BLOCK_INDEX CALLS=1", DEADLOCK),
    ("workers fail in silence", "look_back", "FAILS SILENT CALLS=1", DEADLOCK),
    ("who waits does not hear of it", "look_back", "FAILS DEAF CALLS=1", DEADLOCK),
    ("two calls in one workspace", "look_back", "AT_ONCE CALLS=1 SLOTS=6", ASSERTION),
    ("nothing cleared, n varies", "look_back", "NO_CLEARING CALLS=6", ASSERTION),
    ("tags not compared", "look_back", "NO_TAGS CALLS=2", ASSERTION),
    ("epoch read apart from the ticket", "look_back", "EPOCH_APART SLOTS=3", ASSERTION),
    ("ticket by a load and a store", "look_back", "TORN_TICKET", ASSERTION),
    ("waits with two tiles unpublished", "look_back", "HOLDS_BACK", DEADLOCK),
    ("retires before its last look", "look_back", "RETIRES_EARLY SLOTS=3", DEADLOCK),
    ("one place for two values", "value_slot", "ONE_PLACE", ASSERTION),
    ("flag before value", "value_slot", "FLAG_FIRST", ASSERTION),
    ("a call returns with helpers inside", "crew", "NO_WAIT", ASSERTION),
    ("a call lets helpers in at its end", "crew", "STAYS_OPEN", ASSERTION),
    ("a crew is free before it is empty", "crew", "FREED_EARLY", FAILS),
    ("a helper joins by a load and a store", "crew", "TORN_JOIN", FAILS),
    ("the last helper wakes nobody", "crew", "NO_NOTIFY", DEADLOCK),
]


def explored(spin, compiler, run):
    """What the verifier of a model says."""
    _, model, defines, fails = run
    flags, level = ["-D" + name for name in defines.split()], "-O1" if fails is RIGHT else "-O0"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([spin, *flags, "-a", MODELS / f"{model}.pml"], cwd=folder, check=True,
                       stdout=subprocess.DEVNULL)
        subprocess.run([compiler, level, "-w", "-DSAFETY", "-o", "pan", "pan.c"], cwd=folder,
                       check=True)
        said = subprocess.run(["./pan", "-m1000000", "-w22"], cwd=folder, capture_output=True,
                              text=True, check=True)
    return said.stdout


def problem(said, fails):
    """What is not as it should be, if anything."""
    errors = int(re.search(r"errors: (\d+)", said).group(1))
    if "max search depth" in said or "out of memory" in said:
        return "the search is not complete"
    if fails is RIGHT:
        return said.split("\n")[0] if errors else None
    if not errors:
        return "passes, and is wrong"
    return None if fails in said else f"fails, but not by '{fails}': {said.split(chr(10))[0]}"


def main():
    spin, compiler = sys.argv[1:3]
    began, wrong, states_of_right = time.monotonic(), 0, 0
    with concurrent.futures.ThreadPoolExecutor(max_workers=2) as pool:
        answers = pool.map(lambda run: explored(spin, compiler, run), RUNS)
        for (name, _, _, fails), said in zip(RUNS, answers):
            states = int(re.search(r"(\d+) states, stored", said).group(1))
            states_of_right += states if fails is RIGHT else 0
            found = problem(said, fails)
            wrong += found is not None
            end = found or ("passes" if fails is RIGHT else "fails, as it must")
            print(f"{name:48} {states:9} states  {end}", flush=True)
    right = sum(fails is RIGHT for _, _, _, fails in RUNS)
    print(f"{right} right, {states_of_right} states; {len(RUNS) - right} wrong; "
          f"{time.monotonic() - began:.0f} s")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
