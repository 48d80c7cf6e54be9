"""The parts that the sides of bench/cpu share: the command line, agreement of values, timing, peak memory.

A side is a script: SCRIPT JOB --threads N --values FILE [--seconds S]. It prints a JSON object per figure. The first
side of a job writes its outputs and losses to FILE; the others compare theirs with it before they measure.
"""
import argparse
import os
import sys
import time

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(1, os.path.join(HERE, os.pardir, "networks"))
import common
from jobs import JOBS, figures_of

# Outputs agree within this part of the largest one; losses differ more, because steps amplify rounding.
OUTPUT_TOLERANCE = 1e-4
LOSS_TOLERANCE = 2e-3
REPEAT_SECONDS, MIN_REPEATS, MAX_STEPS = 0.002, 5, 4096
CHAIN_LENGTH = 1 << 22  # 16 MiB of float32


def inputs_of(job):
    """Returns the arrays that a job feeds: the input and, for training, the labels."""
    if job.workload == "tiny_ops":
        return np.array(1.0, np.float32), None
    if job.kind in ("forward", "gradient"):
        return np.random.RandomState(0).rand(CHAIN_LENGTH).astype(np.float32) - np.float32(0.5), None
    return common.batch(job.workload)


def rows_of(job, x):
    """Yields for each figure of inference its name and its input."""
    for name, rows in zip(figures_of(job), job.batches):
        yield name, x if rows is None else x[:rows]


def check_values(path, values):
    """Compares the values of a side with those of the first side, or writes them if this is the first one.

    Args:
      path: the file.
      values: name -> array; names that start with "loss" have the tolerance of losses.

    Raises:
      SystemExit: Values differ.
    """
    if not os.path.exists(path):
        with open(path, "wb") as file:
            np.savez(file, **values)
        return
    with np.load(path) as expected:
        for name in expected.files:
            ours, theirs = np.asarray(values[name], np.float64), expected[name].astype(np.float64)
            scale = max(1e-30, float(np.max(np.abs(theirs))))
            difference = float(np.max(np.abs(ours - theirs))) / scale if ours.shape == theirs.shape else np.inf
            allowed = LOSS_TOLERANCE if name.startswith("loss") else OUTPUT_TOLERANCE
            if not difference <= allowed:
                sys.exit(f"{sys.argv[0]}: '{name}' of {sys.argv[1:3]} differs from the first side by {difference:.2g} "
                         f"of its largest value (shape {ours.shape}, expected {theirs.shape}); allowed: {allowed:g}")


def peak_mib():
    """Returns the peak of the resident memory of this process, in MiB."""
    with open("/proc/self/status") as file:
        for line in file:
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) / 1024
    raise OSError("/proc/self/status has no VmHWM")


def best_seconds(run, wait, budget, threads):
    """Returns the best time of a step within `budget` seconds.

    The machine may be busy: each repeat lasts about REPEAT_SECONDS, so that some of them are not interrupted. With one
    thread the process has one core, and its processor time is the time that a step takes on an idle machine.
    """
    clock = time.process_time if threads == 1 else time.perf_counter
    run()
    wait()
    steps, best, repeats, end = 1, float("inf"), 0, time.perf_counter() + budget
    while repeats < MIN_REPEATS or time.perf_counter() < end:
        start = clock()
        for _ in range(steps):
            run()
        wait()
        elapsed = clock() - start
        if elapsed < REPEAT_SECONDS / 2 and steps < MAX_STEPS:
            steps *= 2
            continue
        best = min(best, elapsed / steps)
        repeats += 1
    return best


def measure(args, figure, run, wait=lambda: None, **others):
    """Shows the best time of a figure, and those of other ways to run it, in microseconds."""
    seconds = {name: best_seconds(f, wait, args.seconds, args.threads) for name, f in {"value": run, **others}.items()}
    common.show(figure, seconds["value"] * 1e6, "us", peak_mib=round(peak_mib(), 1),
                **{name: time * 1e6 for name, time in seconds.items() if name != "value"})


def arguments(*positional):
    """Returns the parsed command line: `positional` names the arguments that come before JOB."""
    parser = argparse.ArgumentParser()
    for name in positional:
        parser.add_argument(name)
    parser.add_argument("job", type=JOBS.__getitem__)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--values", required=True)
    parser.add_argument("--seconds", type=float, default=1.0, help="the time for each figure, roughly")
    return parser.parse_args()
