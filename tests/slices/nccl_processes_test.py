#!/usr/bin/env python3
"""Runs the example of several processes with as many as there are GPUs, and with one that dies.

usage: nccl_processes_test.py PROGRAM [NUM_RANKS]
"""
import os
import pathlib
import subprocess
import sys
import tempfile


def run(program, num_ranks, dying=None):
    """The exit status of each rank."""
    with tempfile.TemporaryDirectory() as folder:
        id_file = pathlib.Path(folder) / "id"
        processes = [subprocess.Popen([program, str(rank), str(num_ranks), id_file,
                                       *(["die"] if rank == dying else [])], env=os.environ)
                     for rank in range(num_ranks)]
        try:
            return [process.wait(timeout=60) for process in processes]
        finally:
            for process in processes:
                process.kill()


def main():
    program = sys.argv[1]
    num_ranks = int(sys.argv[2]) if len(sys.argv) > 2 else 2
    codes = run(program, num_ranks)
    if 77 in codes:
        sys.exit(77)
    assert codes == [0] * num_ranks, f"exit status {codes}"
    codes = run(program, num_ranks, dying=num_ranks - 1)
    assert codes == [3] * (num_ranks - 1) + [0], f"one dies: exit status {codes}"
    print(f"{num_ranks} processes, and with one that dies: as they should")


if __name__ == "__main__":
    main()
