#!/usr/bin/env python3
"""Checks that every bad file gives an error that tells where it is, quickly and in little memory, and good ones open.

usage: bad_files_test.py OPEN_FILE [NAME...]     (OPEN_FILE: the program built from open_file.cc)
"""
import collections
import os
import resource
import subprocess
import sys
import tempfile

import checkpoints
import data_cases
import function_cases
import graph_cases

SECONDS = 20
MEMORY = 1 << 29
LEAST_CASES = 150


def limit():
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


def write(folder, files):
    for name, content in files.items():
        path = os.path.join(folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as f:
            f.write(content)


def unchanged(folder, files):
    for name, content in files.items():
        with open(os.path.join(folder, name), "rb") as f:
            if f.read() != content:
                return False
    return sum(len(names) for _, _, names in os.walk(folder)) == len(files)


def complaint(program, kind, files, target, expect):
    """Returns what is wrong with how the program handles these files, or None.

    expect: "ok", "error", "any", or the words that the error must contain.
    """
    with tempfile.TemporaryDirectory() as folder:
        write(folder, files)
        try:
            done = subprocess.run([program, kind, os.path.join(folder, target)], stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, timeout=3 * SECONDS, preexec_fn=limit)
        except subprocess.TimeoutExpired:
            return "hangs"
        said = done.stdout.decode(errors="replace").strip()
        if done.returncode not in (0, 1):
            return "ends with %d: %s" % (done.returncode, said[:300])
        if not unchanged(folder, files):
            return "the files were changed"
    if expect == "ok" and done.returncode != 0:
        return "does not open: " + said[:300]
    if expect not in ("ok", "any") and done.returncode == 0:
        return "opens"
    if isinstance(expect, tuple) and not all(word in said for word in expect):
        return "the message does not have all of %s: %s" % (", ".join(expect), said[:300])
    if done.returncode == 1 and not names_the_place(said, files, folder):
        return "the message does not name a file, key or node: " + said[:300]
    if len(said) > 4000:
        return "the message has %d characters" % len(said)
    return None


def names_the_place(said, files, folder):
    places = ("node '", "Node '", "{{node ", "key ", "Key ", "tensor p")
    return folder in said or any(place in said for place in (*files, *places))


def main():
    program, only = sys.argv[1], set(sys.argv[2:])
    cases = [c for part in (checkpoints, graph_cases, function_cases, data_cases) for c in part.cases()]
    kinds = subprocess.run([program, "kinds", "-"], stdout=subprocess.PIPE, text=True).stdout.split()
    failed, counts = [], collections.Counter()
    for number, name, kind, files, target, expect in cases:
        if (only and name not in only) or kind not in kinds:
            continue
        counts[number] += 1
        wrong = complaint(program, kind, files, target, expect)
        if wrong:
            failed.append("class %d, %s: %s" % (number, name, wrong))
    print("\n".join(failed))
    bad = sum(n for number, n in counts.items() if number)
    print("%d bad files of %d classes and %d good ones: %d wrong" %
          (bad, len([n for n in counts if n]), counts[0], len(failed)))
    if not only and bad < LEAST_CASES:
        sys.exit("fewer than %d bad files" % LEAST_CASES)
    sys.exit(1 if failed else 0)


main()
