#!/usr/bin/env python3
"""Prints where the processor time of a build goes: in total, per target, per file, and the heaviest headers.

Usage: build_report.py BUILD

BUILD is a build folder whose compilers log_compile_time.py has timed; `make build-report` makes one in build-report. The
weight of a header is its number of lines after preprocessing, with all that it includes, times the number of objects that
include it.
"""

import collections
import os
import re
import subprocess
import sys

ROWS = 15


def read_times(path):
    """Returns (seconds, source) for each compiler run in the log."""
    runs = []
    with open(path) as file:
        for line in file:
            seconds, _, source = line.rstrip('\n').split('\t')
            runs.append((float(seconds), source))
    return runs


def target_of(source, build):
    """Returns the folder that stands for the file's target, such as ramet/ops or third_party/protobuf."""
    relative = os.path.relpath(source, build)
    match = re.search(r'ramet_(\w+)\.dir/', relative)
    if match:
        return match.group(1)
    if 'third_party/' in relative or 'python-tools/' in relative:
        return 'third party'
    parts = os.path.relpath(source, os.path.dirname(build)).split(os.sep)
    if parts[0] == os.path.basename(build):
        return 'messages'
    return '/'.join(parts[:2]) if len(parts) > 2 else parts[0]


def members_of(source):
    """Returns the files that a source file of a unity build includes, or the file itself."""
    if '/Unity/' not in source:
        return [source]
    with open(source) as file:
        return re.findall(r'#include "([^"]+)"', file.read())


def inclusions(build, root):
    """Returns how many objects include each header of the project."""
    output = subprocess.run(['ninja', '-C', build, '-t', 'deps'], capture_output=True, text=True, check=True).stdout
    counts = collections.Counter()
    for line in output.splitlines():
        path = os.path.realpath(os.path.join(build, line.strip())) if line.startswith('    ') else ''
        if path.endswith('.h') and path.startswith(os.path.join(root, 'ramet') + os.sep):
            counts[path] += 1
    return counts


def lines_of(header, build):
    """Returns the number of lines of a header after preprocessing, or 0 if it cannot be preprocessed alone."""
    layers = os.path.join(build, 'layers')
    views = [f'-I{os.path.join(layers, name)}' for name in sorted(os.listdir(layers))]
    command = ['c++', '-std=c++20', '-E', '-P', '-Dgoogle=ramet_google', '-x', 'c++', header, *views,
               f'-isystem{build}/third_party/protobuf/src', '-isystem/usr/include/eigen3']
    run = subprocess.run(command, capture_output=True)
    return run.stdout.count(b'\n') if run.returncode == 0 else 0


def table(title, rows):
    print(f'\n{title}')
    for row in rows:
        print('  ' + '  '.join(f'{cell:>9}' for cell in row[:-1]) + '  ' + row[-1])


def main():
    build = os.path.realpath(sys.argv[1])
    root = os.path.dirname(build)
    runs = read_times(os.path.join(build, 'times.tsv'))
    print(f'processor time of {len(runs)} compiler runs: {sum(seconds for seconds, _ in runs) / 60:.1f} min')

    targets = collections.Counter()
    for seconds, source in runs:
        targets[target_of(source, build)] += seconds
    table('seconds per target', [(f'{seconds:.1f}', name) for name, seconds in targets.most_common(ROWS)])

    slowest = sorted(runs, reverse=True)[:ROWS]
    names = [(f'{seconds:.1f}', ', '.join(os.path.relpath(m, root) for m in members_of(source)[:3]) +
              (f' and {len(members_of(source)) - 3} more' if len(members_of(source)) > 3 else ''))
             for seconds, source in slowest]
    table('seconds of the slowest compiler runs', names)

    counts = inclusions(build, root)
    heaviest = sorted(((lines_of(header, build) * count, count, header) for header, count in counts.most_common(60)),
                      reverse=True)[:ROWS]
    table('heaviest headers: 1000 lines, inclusions',
          [(f'{weight // 1000}', count, os.path.relpath(header, root)) for weight, count, header in heaviest])


if __name__ == '__main__':
    main()
