#!/usr/bin/env python3
"""Prints the table of TensorFlow's own tests in docs/compatibility.md.

usage: suite_table.py RESULT.json BASELINE.json

RESULT.json is the --json output of the test runner. BASELINE.json lists the tests that pass with TensorFlow itself.
"""

import collections
import json
import sys


def area(test):
    """Returns the part of TensorFlow that a test covers, which is the folder of its file."""
    folders = test.split('::')[0].split('/')[:-1]
    return '/'.join(folders).removeprefix('python/')


def table(result_path, baseline_path):
    """Returns the table of the tests that pass, by area."""
    with open(result_path, encoding='utf-8') as f:
        files = json.load(f)['files']
    with open(baseline_path, encoding='utf-8') as f:
        baseline = json.load(f)['tests']
    passed = {f'{name}::{test}' for name, result in files.items()
              for test, outcome in result.get('tests', {}).items()
              if outcome['status'] == 'passed'}
    areas = collections.defaultdict(lambda: [0, 0])
    for test in baseline:
        areas[area(test)][0] += 1
        areas[area(test)][1] += test in passed
    lines = ['| area | tests | pass |', '| --- | ---: | ---: |']
    lines += [f'| {name} | {count} | {good} |' for name, (count, good) in sorted(areas.items())]
    lines.append(f'| all | {len(baseline)} | {sum(good for _, good in areas.values())} |')
    return '\n'.join(lines)


def main():
    print(table(*sys.argv[1:3]))


if __name__ == '__main__':
    main()
