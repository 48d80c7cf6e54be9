#!/usr/bin/env python3
"""Sums up test reports: prints the failed tests, then 'N passed, N failed, N skipped'.

Each argument is a folder with *.junit files of ctest or pytest and, for ctest, the *.xml files that gtest programs have
written. A ctest test with such a file counts as its gtest cases. If it failed without a failed case (a crash), it also
counts as one failure. Exits with 1 if a test has failed.
"""

import argparse
import glob
import os
import sys
import xml.etree.ElementTree as ElementTree


def outcome(case):
    if case.find("failure") is not None or case.find("error") is not None or case.get("status") == "fail":
        return "failed"
    skipped = case.find("skipped") is not None or case.get("result") == "skipped"
    return "skipped" if skipped or case.get("status") in ("notrun", "disabled") else "passed"


def cases(path):
    return [(f"{case.get('classname', '')}.{case.get('name')}", outcome(case))
            for case in ElementTree.parse(path).getroot().iter("testcase")]


def gtest_cases(folder, program):
    """Returns the cases of `program`, or none if it has crashed and left no complete report."""
    path = os.path.join(folder, program + ".xml")
    try:
        return cases(path)
    except (OSError, ElementTree.ParseError):
        return []


def results(folder):
    for path in sorted(glob.glob(os.path.join(folder, "*.junit"))):
        for name, result in cases(path):
            program = name.rsplit(".", 1)[-1]
            inner = gtest_cases(folder, program)
            yield from inner
            if not inner or (result == "failed" and not any(r == "failed" for _, r in inner)):
                yield name, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folders", nargs="+")
    parser.add_argument("--failed-runs", type=int, default=0,
                        help="number of failed make targets, which count as failures if no report has one")
    options = parser.parse_args()
    found = [result for folder in options.folders for result in results(folder)]
    for name, result in found:
        if result == "failed":
            print("FAILED:", name)
    counts = {kind: sum(r == kind for _, r in found) for kind in ("passed", "failed", "skipped")}
    if counts["failed"] == 0:
        counts["failed"] = options.failed_runs
    print(", ".join(f"{n} {kind}" for kind, n in counts.items()))
    return 1 if counts["failed"] else 0


if __name__ == "__main__":
    sys.exit(main())
