#!/usr/bin/env python3
"""Runs a compiler and appends its processor time to a log. Used as a compiler launcher by `make build-report`.

Usage: log_compile_time.py LOG COMPILER ARGUMENT...

Each line of the log has the processor time in seconds (user and system), the peak memory in KiB, and the source file.
The exit status is the compiler's.
"""

import resource
import subprocess
import sys


def source_of(arguments):
    """Returns the argument of -c, or the last argument if there is none (the compiler links)."""
    return arguments[arguments.index('-c') + 1] if '-c' in arguments else arguments[-1]


def main():
    log, command = sys.argv[1], sys.argv[2:]
    status = subprocess.run(command).returncode
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    with open(log, 'a') as file:  # one short write, so that lines of parallel compilers do not mix
        file.write(f'{used.ru_utime + used.ru_stime:.2f}\t{used.ru_maxrss}\t{source_of(command)}\n')
    return status


if __name__ == '__main__':
    sys.exit(main())
