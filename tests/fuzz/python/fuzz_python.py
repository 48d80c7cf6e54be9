#!/usr/bin/env python3
"""Calls every public symbol of the Python package with hostile (hostile.py) and plausible arguments (plausible.py), and
runs programs of several calls (scenarios.py).

A case is a number that determines the symbol or program and the arguments, so `--case N` repeats it. Cases run in
child processes with limits on time and memory. A finding is a signal, a hang, too much memory, or
an exception that callers should not see: SystemError, or the text of a C++ exception.
"""

import argparse
import faulthandler
import importlib
import inspect
import math
import os
import random
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback

CASES_PER_CHILD = 400
CASE_SECONDS = 10  # in the child, by SIGALRM
CHILD_SECONDS = 60  # without progress, by SIGKILL
DATA_BYTES = 3 << 30
PEAK_BYTES = 2 << 30

# Functions that end the process, wait for others, or change files whose names are arguments.
SKIPPED = re.compile(r'gfile|app\.run|test\.main|test\.(Benchmark|benchmark)|delete|remove|rename|'
                     r'wait_for_stop|WaitForStop|evaluate_repeatedly|evaluation_loop|checkpoints_iterator|'
                     r'wait_for_new_checkpoint|StdServer|flags|breakpoint|input_fn|load_op_library|load_library|train_and_|'
                     r'learning\.train')
CPP_TEXT = re.compile(r'\bstd::|basic_string|vector::|bad_cast|bad_alloc|nanobind|_M_|'
                      r'unexpected exception|incompatible function arguments')


def public_symbols():
    """Returns [(name, object)] for all callables of ramet.compat.v1, its submodules, and ramet itself."""
    import ramet
    import ramet.compat.v1 as tf
    table = os.path.join(os.path.dirname(importlib.import_module('ramet.compat.v1').__file__),
                         'names.gen.tsv')
    names = [line.split('\t')[0] for line in open(table) if line.strip()]
    found = []
    for name in sorted(set(names)):
        value = tf
        try:
            for part in name.split('.'):
                value = getattr(value, part)
        except AttributeError:
            continue
        found.append((name, value))
    found += [('ramet.' + name, getattr(ramet, name)) for name in dir(ramet) if name[0] != '_']
    symbols = []
    for name, value in found:
        if not callable(value) or SKIPPED.search(name):
            continue
        symbols.append((name, value))
        if inspect.isclass(value):
            symbols += [(f'{name}.{method}', (value, method)) for method in dir(value)
                        if callable(getattr(value, method, None)) and wanted_method(method)]
    return symbols


def wanted_method(name):
    special = {'__init__', '__len__', '__iter__', '__getitem__', '__eq__', '__add__', '__repr__',
               '__hash__', '__enter__', '__call__', '__copy__', '__reduce__'}
    return not SKIPPED.search(name) and (name in special or not name.startswith('_'))


def required_arguments(function):
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return 2
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
               for p in parameters)


def keywords(rng, function, taken):
    import hostile
    try:
        names = [p.name for p in inspect.signature(function).parameters.values()
                 if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)][taken:]
    except (TypeError, ValueError):
        return {}
    return {n: hostile.value(rng) for n in names if rng.random() < 0.25}


def is_endless(value):
    import numpy as np
    return isinstance(value, np.ndarray) and value.size > 1 << 32


def invoke(function, args, named):
    """Calls a function. One that goes through the elements of an endless array only has to stop when it is told to.

    Assertions about all elements are left out, because numpy does not stop.
    """
    endless = any(map(is_endless, [*args, *named.values()]))
    if endless and getattr(function, '__name__', '').startswith('assert'):
        return None
    try:
        return function(*args, **named)
    except CaseTimeout:
        if not endless:
            raise
    return None


def call(rng, function):
    import hostile
    if rng.random() < 0.5:
        return call_plausibly(rng, function)
    args = hostile.arguments(rng, required_arguments(function))
    return invoke(function, args, keywords(rng, function, len(args)))


def call_plausibly(rng, function):
    """Calls with arguments that suit the parameters' names, one of which may be hostile."""
    import hostile
    import plausible
    try:
        parameters = [p for p in inspect.signature(function).parameters.values()
                      if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)]
    except (TypeError, ValueError):
        return function(*[plausible.value(rng, 'x') for _ in range(2)])
    given = {p.name: plausible.value(rng, p.name) for p in parameters
             if p.default is p.empty or rng.random() < 0.15}
    if given and rng.random() < 0.5:
        given[rng.choice(sorted(given))] = hostile.value(rng)
    return invoke(function, [], given)


def use(rng, result):
    """Runs the result of a call, if possible."""
    import ramet.compat.v1 as tf
    if isinstance(result, (tf.Tensor, tf.Operation)) and result.graph is tf.get_default_graph():
        import hostile
        feeds = {t: hostile.value(rng) for op in result.graph.get_operations()
                 if op.type == 'Placeholder' for t in op.outputs}
        # An operation may wait for others, such as a dequeue; the case's own limit is 10 s.
        with tf.Session() as session:
            session.run(result, feeds, options=tf.RunOptions(timeout_in_ms=8000))
        tf.gradients(result, [t for t in feeds])


def run_case(number, symbols):
    """Returns the name of the symbol, and the exception or None."""
    import ramet.compat.v1 as tf
    import scenarios
    rng = random.Random(number)
    name, symbol = symbols[rng.randrange(len(symbols))]
    scenario = rng.choice(scenarios.SCENARIOS) if rng.random() < 0.3 else None
    if scenario is not None:
        name = scenario.__name__
    try:
        with tf.Graph().as_default():
            if scenario is not None:
                scenario(rng)
            elif isinstance(symbol, tuple):
                made = call(rng, symbol[0])
                use(rng, call(rng, getattr(made, symbol[1])))
            else:
                use(rng, call(rng, symbol))
    except SystemExit:
        return name, None
    except BaseException as e:  # noqa: B902
        return name, e
    return name, None


def verdict(error):
    if error is None:
        return None
    if isinstance(error, CaseTimeout):
        return f'took more than {CASE_SECONDS} s'
    if isinstance(error, SystemError):
        return 'SystemError'
    try:
        text = str(error)
    except BaseException:  # noqa: B902
        return None
    found = CPP_TEXT.search(text)
    return f'the text of a C++ exception ({found.group()})' if found else None


class CaseTimeout(BaseException):
    pass


def on_alarm(*_):
    raise CaseTimeout()


def child(first, last, report):
    faulthandler.enable()
    resource.setrlimit(resource.RLIMIT_DATA, (DATA_BYTES, DATA_BYTES))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGALRM, on_alarm)
    symbols = public_symbols()
    out = os.fdopen(report, 'w', buffering=1)
    for number in range(first, last):
        out.write(f'case {number}\n')
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        signal.alarm(CASE_SECONDS)
        try:
            name, error = run_case(number, symbols)
        except CaseTimeout as e:
            name, error = '?', e
        signal.alarm(0)
        what = verdict(error)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        if what is None and peak > before and peak * 1024 > PEAK_BYTES:
            out.write(f'finding {number} {name}: memory rose to {peak >> 10} MiB\n')
            out.write('restart\n')
            os._exit(0)
        if what is not None:
            try:
                lines = ''.join(traceback.format_exception(error)[-4:])[-1500:]
            except BaseException:  # noqa: B902
                lines = type(error).__name__
            out.write(f'finding {number} {name}: {what} | {lines!r}\n')
    out.write('end\n')
    out.flush()
    os._exit(0)


class Batch:
    """A child process that runs the cases [first, last)."""

    def __init__(self, first, last, folder):
        receive, send = os.pipe()
        code = [sys.executable, '-B', os.path.abspath(__file__), '--child', f'{first}:{last}:{send}']
        self.errors = tempfile.TemporaryFile()
        self.process = subprocess.Popen(code, pass_fds=[send], cwd=folder, stdin=subprocess.DEVNULL,
                                        stdout=subprocess.DEVNULL, stderr=self.errors)
        os.close(send)
        self.receive = receive
        self.at = first
        self.findings = []
        self.ended = False

    def follow(self, until):
        """Reads until the child ends, hangs, or `until` has passed; returns whether it ended normally."""
        import select
        text = b''
        last = time.monotonic()
        while True:
            ready, _, _ = select.select([self.receive], [], [], 0.2)
            now = time.monotonic()
            if ready:
                chunk = os.read(self.receive, 1 << 16)
                if not chunk:
                    break
                last = now
                *lines, text = (text + chunk).split(b'\n')
                for line in lines:
                    self.take(line.decode('utf8', 'replace'))
            elif now - last > CHILD_SECONDS:
                self.findings.append(f'{self.at}: no end after {CHILD_SECONDS} s')
                break
            if now > until:
                self.ended = True
                break
        if not self.ended and self.process.poll() is None:
            try:
                self.process.wait(5)
            except subprocess.TimeoutExpired:
                pass
        self.process.kill()
        self.process.wait()
        os.close(self.receive)
        if not self.ended:
            self.errors.seek(0)
            tail = self.errors.read()[-3000:].decode('utf8', 'replace')
            self.findings.append(f'{self.at}: ended with {self.process.returncode} | {tail}')
        return self.ended

    def take(self, line):
        if line.startswith('case '):
            self.at = int(line[5:])
        elif line.startswith('finding '):
            self.findings.append(line[8:])
        else:
            self.ended = True


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float, default=20)
    parser.add_argument('--cases', type=int, help='stop after this many cases')
    parser.add_argument('--case', type=int, help='run one case in this process')
    parser.add_argument('--child', help=argparse.SUPPRESS)
    options = parser.parse_args()
    sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
    if options.child:
        child(*map(int, options.child.split(':')))
    if options.case is not None:
        name, error = run_case(options.case, public_symbols())
        print(name)
        if error is not None:
            raise error
        return 0
    at = first = options.seed * 10 ** 7
    last = first + options.cases if options.cases else math.inf
    end = time.monotonic() + options.seconds
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        while time.monotonic() < end and at < last:
            batch = Batch(at, min(at + CASES_PER_CHILD, last), folder)
            batch.follow(end)
            for finding in batch.findings:
                print(finding, flush=True)
            findings += batch.findings
            at = batch.at + 1
    print(f'{at - first} cases, {len(findings)} findings')
    return 1 if findings else 0


if __name__ == '__main__':
    sys.exit(main())
