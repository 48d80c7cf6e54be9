#!/usr/bin/env python3
"""Runs the GPU benchmarks of Ramet and of JAX on the same card, in turn, and prints a table of docs/benchmarks.md.

usage: run.py --ramet-python PYTHON [--jax-python PYTHON] [--only mlp,cnn,resnet20,encoder,publish] [--rounds N]
              [--seconds S] [--max-steps N] [--json FILE]

PYTHON is an interpreter, or a command such as 'env PYTHONPATH=build/python python3', that can import ramet or jax. The
ratio is JAX / Ramet for times, so above 1 Ramet is faster. RAMET_GPU chooses Ramet's device.
"""
import argparse
import json
import os
import shlex
import subprocess
import sys
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
WORKLOADS = ["mlp", "cnn", "resnet20", "encoder"]


def lines_of(command, script, arguments, timeout):
    """Runs a script. Returns the JSON objects that it printed, and whether it ended well. Shows them as they come."""
    # JAX would reserve most of the card's memory when it starts.
    environment = dict(os.environ, XLA_PYTHON_CLIENT_PREALLOCATE="false", PYTHONDONTWRITEBYTECODE="1")
    process = subprocess.Popen(shlex.split(command) + [os.path.join(HERE, script), *arguments], stdout=subprocess.PIPE,
                               text=True, env=environment)
    timer = threading.Timer(timeout, process.kill)
    timer.start()
    found = []
    for line in process.stdout:
        if line.startswith("{") and line.endswith("}\n"):
            print(script, line.strip(), file=sys.stderr, flush=True)
            found.append(json.loads(line))
    process.wait()
    timer.cancel()
    if process.returncode != 0:
        print(f"{script} ended with status {process.returncode}; it may take {timeout} s", file=sys.stderr)
    return found, process.returncode == 0


def measure(command, script, workloads, args):
    """Runs the workloads in one process. If it crashes in one of them, another process goes on with the next one."""
    found = []
    while workloads:
        flags = ["--seconds", str(args.seconds), "--max-steps", str(args.max_steps)]
        lines, ended_well = lines_of(command, script, workloads + flags, args.timeout)
        found += lines
        begun = [line["value"] for line in lines if line["figure"] == "begin"]
        if ended_well or not begun:
            break
        workloads = workloads[workloads.index(begun[-1]) + 1:]
    return found


def keep_best(best, lines):
    """Adds lines to a dict from figures to their best lines. The time of the first step is that of the first round."""
    for line in lines:
        name = line["figure"]
        if name in ("begin", "failed", "device"):
            if name != "begin":
                print(f"{name}: {line['value']}")
            continue
        old = best.get(name)
        if old is None:
            best[name] = line
        elif line["unit"] == "us" and line["value"] < old["value"]:
            best[name] = {**line, "first": old.get("first")}


def cell(value, form):
    return "-" if value is None else form % value


def print_steps(ours, theirs):
    print("\n| figure | JAX µs | Ramet µs | JAX / Ramet | launches | kernels in graphs | copies to, from the GPU "
          "| first step s: JAX | Ramet | loss: JAX | Ramet |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |")
    for name in sorted({*ours, *theirs}, key=lambda n: (WORKLOADS.index(n.split("_")[0]), "infer" in n, n)):
        a, b = theirs.get(name, {}), ours.get(name, {})
        ratio = a["value"] / b["value"] if a and b else None
        copies = None if "launches" not in b else (b["to_device"], b["to_host"])
        print("| " + " | ".join([
            name, cell(a.get("value"), "%.1f"), cell(b.get("value"), "%.1f"), cell(ratio, "%.2f"),
            cell(b.get("launches"), "%d"), cell(b.get("in_graphs"), "%d"), cell(copies, "%d, %d"),
            cell(a.get("first"), "%.2f"), cell(b.get("first"), "%.2f"),
            cell(a.get("loss"), "%.6f"), cell(b.get("loss"), "%.6f")]) + " |")


def print_publish(lines):
    print("\n| figure | GB/s |\n| --- | ---: |")
    rates = {line["figure"]: line for line in lines if line["unit"] == "GB/s"}
    for name, line in rates.items():
        print(f"| {name} | {line['value']:.2f} |")
    for line in lines:
        if line["unit"] != "GB/s":
            print(f"{line['figure']}: {line['value']}")
        elif line["figure"].startswith("publish"):
            others = [name for name in rates if name != line["figure"]]
            against = ", ".join(f"{line['value'] / rates[name]['value']:.0%} of {name}" for name in others)
            print(f"publish returned after {line['returned_us']:.0f} µs, median of the rate {line['median']:.2f} GB/s"
                  + (f"; the best is {against}" if against else ""))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--ramet-python", required=True)
    parser.add_argument("--jax-python")
    parser.add_argument("--only", default=",".join(WORKLOADS + ["publish"]))
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=0.5)
    parser.add_argument("--max-steps", type=int, default=2000)
    parser.add_argument("--megabytes", type=int, default=100)
    parser.add_argument("--timeout", type=float, default=180, help="seconds for each process")
    parser.add_argument("--json")
    args = parser.parse_args()
    chosen = args.only.split(",")
    workloads = [name for name in WORKLOADS if name in chosen]
    ours, theirs, published = {}, {}, []
    for _ in range(args.rounds):
        if args.jax_python:
            keep_best(theirs, measure(args.jax_python, "jax_steps.py", workloads, args))
        keep_best(ours, measure(args.ramet_python, "ramet_steps.py", workloads, args))
    if workloads:
        print_steps(ours, theirs)
    if "publish" in chosen:
        published, _ = lines_of(args.ramet_python, "publish.py", ["--megabytes", str(args.megabytes)], args.timeout)
        print_publish(published)
    if args.json:
        with open(args.json, "w") as file:
            json.dump({"jax": theirs, "ramet": ours, "publish": published}, file, indent=1)


main()
