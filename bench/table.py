#!/usr/bin/env python3
"""Runs ramet_bench and, when a Python with TensorFlow is given, tensorflow_mlp.py, in turns; prints
the table of docs/benchmarks.md: minima over all turns, in microseconds, and the ratios.

usage: table.py BENCH_PROGRAM [--tensorflow PYTHON] [--turns N]
"""
import argparse
import json
import os
import subprocess
import sys
from collections import defaultdict

HERE = os.path.dirname(os.path.abspath(__file__))
UNIT = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}


def run_ramet(program, best):
    flags = ["--benchmark_filter=mlp", "--benchmark_format=json", "--benchmark_min_time=0.3",
             "--benchmark_repetitions=5", "--benchmark_enable_random_interleaving=true"]
    out = subprocess.run([program] + flags, check=True, stdout=subprocess.PIPE,
                         stderr=subprocess.DEVNULL).stdout
    for row in json.loads(out)["benchmarks"]:
        if row["run_type"] != "iteration":
            continue
        who, name = row["run_name"].removesuffix("/real_time").split("/", 1)
        best[name][who] = min(best[name][who], row["real_time"] * UNIT[row["time_unit"]])


def run_tensorflow(python, best):
    for threads in (1, 2):
        done = subprocess.run([python, os.path.join(HERE, "tensorflow_mlp.py"), str(threads)],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if done.returncode != 0:
            sys.exit(done.stderr)
        for line in done.stdout.splitlines():
            name, value = line.split()
            key = "%s/threads:%d" % (name, threads)
            best[key]["tensorflow"] = min(best[key]["tensorflow"], float(value))


def cell(value, digits=1):
    return "-" if value == float("inf") else "%.*f" % (digits, value)


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("program")
    parser.add_argument("--tensorflow", metavar="PYTHON")
    parser.add_argument("--turns", type=int, default=3)
    args = parser.parse_args()
    best = defaultdict(lambda: defaultdict(lambda: float("inf")))
    for turn in range(args.turns):
        print("turn %d of %d" % (turn + 1, args.turns), file=sys.stderr)
        run_ramet(args.program, best)
        if args.tensorflow:
            run_tensorflow(args.tensorflow, best)
    print("| benchmark | floor µs | Ramet µs | TensorFlow µs | Ramet / floor | TensorFlow / Ramet |")
    print("| --- | ---: | ---: | ---: | ---: | ---: |")
    for name in sorted(best):
        floor, ramet, peer = (best[name][who] for who in ("floor", "ramet", "tensorflow"))
        print("| %s | %s | %s | %s | %s | %s |" % (
            name, cell(floor), cell(ramet), cell(peer),
            cell(ramet / floor if floor < float("inf") else float("inf"), 2),
            cell(peer / ramet if ramet < float("inf") else float("inf"), 1)))


main()
