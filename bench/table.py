#!/usr/bin/env python3
"""Runs ramet_bench and, if a Python with TensorFlow is given, the same workloads on TensorFlow, in turns. Prints a
table of docs/benchmarks.md with minima over all turns and ratios.

usage: table.py mlp|files|clone|polyak BENCH_PROGRAM [--tensorflow PYTHON] [--turns N]
"""
import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.environ.get("RAMET_BENCH_DIR", "/dev/shm")
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
# For each group: the unit and its length in seconds, the filter that selects the benchmarks, and the TensorFlow
# scripts with their arguments and the suffix to add to the names they print.
GROUPS = {
    "mlp": ("µs", 1e-6, "mlp", [("tensorflow_mlp.py", str(n), "/threads:%d" % n) for n in (1, 2)]),
    "files": ("ms", 1e-3, "checkpoint|meta_graph",
              [("tensorflow_files.py", FOLDER, "")]),
    "clone": ("ms", 1e-3, "ramet/clone/", [("tensorflow_clone.py", FOLDER, "")]),
    "polyak": ("µs", 1e-6, "polyak",
               [("tensorflow_polyak.py", str(n), "/threads:%d" % n) for n in (1, 2)]),
}


def run_ramet(program, group, best):
    _, unit, selected, _ = GROUPS[group]
    flags = ["--benchmark_filter=" + selected, "--benchmark_format=json",
             "--benchmark_min_time=0.3", "--benchmark_repetitions=5",
             "--benchmark_enable_random_interleaving=true"]
    out = subprocess.run([program] + flags, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL,
                         env=dict(os.environ, RAMET_BENCH_DIR=FOLDER)).stdout
    for row in json.loads(out)["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        who, name = row["run_name"].removesuffix("/real_time").split("/", 1)
        best[name][who] = min(best[name][who], row["real_time"] * SECONDS[row["time_unit"]] / unit)


def run_tensorflow(python, group, best):
    for script, argument, suffix in GROUPS[group][3]:
        done = subprocess.run([python, os.path.join(HERE, script), argument],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        for line in done.stdout.splitlines():
            name, value = line.split()
            best[name + suffix]["tensorflow"] = min(best[name + suffix]["tensorflow"], float(value))


def cell(value, digits=1):
    return "-" if value == float("inf") else "%.*f" % (digits, value)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("group", choices=GROUPS)
    parser.add_argument("program")
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    best = defaultdict(lambda: defaultdict(lambda: float("inf")))
    for turn in range(args.turns):
        print("turn %d of %d" % (turn + 1, args.turns), file=sys.stderr)
        run_ramet(args.program, args.group, best)
        if args.tensorflow:
            run_tensorflow(args.tensorflow, args.group, best)
    unit = GROUPS[args.group][0]
    digits = 1 if unit == "µs" else 2
    print("| benchmark | floor {0} | Ramet {0} | TensorFlow {0} | Ramet / floor | TensorFlow / Ramet |"
          .format(unit))
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in sorted(best):
        floor, ramet, peer = (best[name][who] for who in ("floor", "ramet", "tensorflow"))
        print("| %s | %s | %s | %s | %s | %s |" % (
            name, cell(floor, digits), cell(ramet, digits), cell(peer, digits),
            cell(ramet / floor if floor < float("inf") else float("inf"), 2),
            cell(peer / ramet if ramet < float("inf") else float("inf"), 1)))


main()
