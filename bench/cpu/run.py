#!/usr/bin/env python3
"""Runs the same networks on Ramet, TensorFlow, JAX and onnxruntime in turn, and prints a table of docs/benchmarks.md.

usage: run.py --ramet-python PYTHON --tensorflow-python PYTHON [--peers-python PYTHON] [--floor PROGRAM] [--quick]
              [--only REGEX] [--threads 1,2] [--rounds N] [--seconds S] [--record | --check]

PYTHON is an interpreter, or a command such as 'env PYTHONPATH=build/python python3', that can import the side; the
peers are JAX and onnxruntime. PROGRAM is ramet_bench. Each process runs one job (jobs.py) on as many cores as it has
threads, and checks that its values agree with TensorFlow's before it measures. Figures are minima of all rounds.
--quick takes one round with one thread. --record writes record.json, the ratios that --check compares with: a ratio of
TensorFlow or of the floor to Ramet that fell by more than 5% is measured again, and fails if it stays.
"""
import argparse
import os
import re
import shutil
import sys
import tempfile

import record
import sides
import tables
from jobs import JOBS


def measure(best, jobs, threads, args, folder, chosen):
    """Runs jobs once on each chosen side, and adds their figures to the best ones."""
    for job in jobs:
        values = os.path.join(folder, job.name + ".npz")
        for side in chosen:
            if not side.has(job):
                continue
            print(f"{job.name} threads:{threads} {side.name}", file=sys.stderr, flush=True)
            for line in side.run(job, threads, values, args.seconds):
                record.keep_best(best, f"{line['figure']}/threads:{threads}", side.name, line)


def measure_floor(best, args, threads, jobs):
    if args.floor:
        for name, seconds in sides.floors(args.floor, threads, sorted({job.workload for job in jobs})):
            record.keep_best(best, f"{name}/threads:{threads}", "floor", {"value": seconds * 1e6})


def measure_all(args, jobs, chosen, folder):
    """Returns figure/threads:N -> side -> the best line."""
    best = {}
    for round_number in range(args.rounds):
        for threads in args.threads:
            print(f"round {round_number + 1} of {args.rounds}, threads: {threads}", file=sys.stderr, flush=True)
            measure_floor(best, args, threads, jobs)
            measure(best, jobs, threads, args, folder, chosen)
    return best


def check(args, jobs, chosen, folder):
    """Compares with the record. Rows that fell are measured again, because the machine may have been busy."""
    recorded = record.read()
    problem = record.other_machine(recorded)
    if problem and not args.any_machine:
        sys.exit(problem)
    best = measure_all(args, jobs, chosen, folder)
    for _ in range(args.retries):
        fallen = record.fallen(best, recorded)
        if not fallen:
            break
        for row in sorted({row for row, _, _, _ in fallen}):
            job = next(job for job in jobs if record.job_name(row) == job.name)
            threads = int(row.split(":")[1])
            measure_floor(best, args, threads, [job])
            measure(best, [job], threads, args, folder, chosen)
    tables.show(best)
    fallen = record.fallen(best, recorded)
    for row, side, was, now in fallen:
        print(f"{row}: {side} / Ramet fell from {was:.2f} to {now:.2f}")
    print(f"{len(fallen)} ratios fell by more than {record.ALLOWED_FALL:.0%}, of {len(best)} rows")
    return 1 if fallen else 0


def parse():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--ramet-python", required=True)
    parser.add_argument("--tensorflow-python", required=True)
    parser.add_argument("--peers-python")
    parser.add_argument("--floor", metavar="PROGRAM")
    parser.add_argument("--only", default=".", help="a regular expression that selects jobs")
    parser.add_argument("--threads", default="1,2", type=lambda text: [int(n) for n in text.split(",")])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.0, help="the time for each figure, roughly")
    parser.add_argument("--retries", type=int, default=3, help="how often --check measures fallen rows again")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--any-machine", action="store_true", help="--check compares with another machine's record")
    parser.add_argument("--record", action="store_true")
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--json", metavar="FILE", help="write all figures to this file")
    args = parser.parse_args()
    if args.quick:
        args.rounds, args.threads = 1, [1]
    return args


def main():
    args = parse()
    jobs = [job for job in JOBS.values() if re.search(args.only, job.name)]
    if not jobs:
        sys.exit(f"--only '{args.only}' selects no job; there are {', '.join(JOBS)}")
    # TensorFlow comes first: its values are those that the others are compared with.
    chosen = sides.chosen(args.tensorflow_python, args.ramet_python, None if args.check else args.peers_python)
    folder = tempfile.mkdtemp(prefix="ramet_bench_cpu")
    try:
        if args.check:
            return check(args, jobs, chosen, folder)
        best = measure_all(args, jobs, chosen, folder)
        tables.show(best)
        if args.json:
            record.write_figures(args.json, best)
        if args.record:
            record.write(best, sides.versions(chosen))
        return 0
    finally:
        shutil.rmtree(folder)


sys.exit(main())
