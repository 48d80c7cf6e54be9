#!/usr/bin/env python3
"""Runs python_api.py on Ramet and TensorFlow in turns. Prints the table of docs/benchmarks.md.

usage: python_table.py RAMET_PYTHON TENSORFLOW_PYTHON [TURNS]

RAMET_PYTHON must find the package; PYTHONPATH=build/python applies only to it.
"""
import os
import subprocess
import sys
from collections import defaultdict

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "python_api.py")


def run(python, package, best):
    env = dict(os.environ)
    if package == "tensorflow":
        env.pop("PYTHONPATH", None)
    done = subprocess.run([python, SCRIPT, package], env=env, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        sys.exit(done.stderr)
    for line in done.stdout.splitlines():
        name, value = line.split()
        best[name][package] = min(best[name][package], float(value))


def main():
    pythons = dict(zip(("ramet", "tensorflow"), sys.argv[1:3]))
    best = defaultdict(lambda: defaultdict(lambda: float("inf")))
    for _ in range(int(sys.argv[3]) if len(sys.argv) > 3 else 3):
        for package, python in pythons.items():
            run(python, package, best)
    print("| benchmark | Ramet µs | TensorFlow µs | TensorFlow / Ramet |")
    print("| --- | ---: | ---: | ---: |")
    for name, values in best.items():
        print("| %s | %.2f | %.2f | %.1f |" % (name, values["ramet"], values["tensorflow"],
                                             values["tensorflow"] / values["ramet"]))


main()
