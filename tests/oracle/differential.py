#!/usr/bin/env python3
"""Runs the same random graphs in TensorFlow and in Ramet and prints the differences.

  differential.py [--seed 1] [--seconds 60] [--cases N] [--ops Add,Conv2D] [--all] [--save FILE]

Each package runs in its own process, so that a crash is a finding. The table groups differences by op
and kind:
  crash     Ramet's process ended
  hang      Ramet did not answer in time
  accepts   TensorFlow rejects the graph or the run, Ramet does not
  refuses   Ramet rejects the graph or the run, TensorFlow does not
  phase     one rejects the graph, the other the run
  class     both reject it, with errors of different classes
  static    dtypes differ, or static shapes contradict each other
  vague     TensorFlow's static shape is more specific
  sharp     Ramet's static shape is more specific
  shape     shapes or dtypes of values differ
  value     values differ by more than the tolerance of their dtype
Differences that differential_known.py explains are left out; --all prints them too. The exit status is
1 if there is an unexplained difference. Cases are reproducible: a case depends only on the seed and its
number.
Needs tensorflow and the package ramet on the path.
"""

import argparse
import collections
import os
import pickle
import select
import struct
import subprocess
import sys
import time

for name, value in (('TF_CPP_MIN_LOG_LEVEL', '3'), ('CUDA_VISIBLE_DEVICES', '')):
    os.environ.setdefault(name, value)

import numpy as np
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import dtypes, tensor_util

import differential_cases
import differential_graphs
import differential_known

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS_PER_CASE = 60
KINDS = ('crash', 'hang', 'accepts', 'refuses', 'phase', 'class', 'static', 'shape', 'value',
         'vague', 'sharp')
# Relative and absolute tolerances; the latter is relative to the largest element.
TOLERANCES = {'float16': (1e-2, 1e-2), 'bfloat16': (6e-2, 6e-2), 'float32': (2e-4, 1e-5),
              'complex64': (2e-4, 1e-5), 'float64': (1e-8, 1e-10), 'complex128': (1e-8, 1e-10)}

Difference = collections.namedtuple('Difference', 'number op kind detail case')


class Runner:
    """A process that runs cases in one package. It is restarted after it has ended."""

    def __init__(self, package):
        self.package = package
        self.process = None
        self.start()

    def start(self):
        environment = {**os.environ, 'TF_ENABLE_ONEDNN_OPTS': '0'}
        command = [sys.executable, '-B', os.path.join(HERE, 'differential_run.py'), self.package]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.DEVNULL, env=environment)
        self.is_ready = False

    def wait(self):
        """Waits until the package is imported, which may take a long time."""
        self.is_ready = self.is_ready or self.process.stdout.read(5) == b'ready'

    def send(self, case):
        if self.process is None:
            self.start()
        self.wait()
        data = pickle.dumps({key: case[key] for key in ('graph', 'feeds', 'fetches')})
        try:
            self.process.stdin.write(struct.pack('<Q', len(data)) + data)
            self.process.stdin.flush()
        except BrokenPipeError:
            pass  # receive() reports that it has ended

    def receive(self):
        """Returns the answer. Its state is 'crash' or 'hang' if there is none."""
        ready, _, _ = select.select([self.process.stdout], [], [], SECONDS_PER_CASE)
        head = self.process.stdout.read(8) if ready else b''
        if len(head) == 8:
            return pickle.loads(self.process.stdout.read(struct.unpack('<Q', head)[0]))
        state = 'crash' if ready else 'hang'
        return {'state': state, 'message': f'exit status {self.close()}'}

    def close(self):
        process, self.process = self.process, None
        if process is None:
            return None
        if process.poll() is None:
            process.stdin.close()
            process.kill()
        return process.wait()


def plain(value):
    """Converts a value to an array that numpy can compare."""
    value = np.asarray(value)
    if value.dtype.names:
        return value[value.dtype.names[0]]
    return value.astype(np.float32) if value.dtype.name == 'bfloat16' else value


def same_values(want, got, dtype):
    want, got = plain(want), plain(got)
    if want.dtype.kind not in 'fc':
        return np.array_equal(want, got)
    relative, absolute = TOLERANCES[dtype]
    with np.errstate(all='ignore'):
        finite = np.abs(want[np.isfinite(want)])
        scale = finite.max() if finite.size else 0
        return np.allclose(got, want, rtol=relative, atol=absolute * max(scale, 1e-30),
                           equal_nan=True)


def differing(want, got, dtype):
    """Returns the elements of both values that differ."""
    want, got = plain(want).reshape(-1), plain(got).reshape(-1)
    return np.transpose([(a, b) for a, b in zip(want, got) if not same_values(a, b, dtype)]
                        or [*zip(want, got)])


def remarks(case):
    """Returns what explains many differences: the attrs, and whether an input has odd numbers.

    Dtypes are left out, unless there is one next to T.
    """
    graph = graph_pb2.GraphDef.FromString(case['graph'])
    attrs = []
    for node in graph.node:
        if node.name == 'op':
            types = [name for name, value in node.attr.items() if value.WhichOneof('value') == 'type']
            shown = types if 'T' in types and len(types) > 1 else []
            attrs = [f'{name}={value_text(value)}' for name, value in sorted(node.attr.items())
                     if name in shown or name not in types]
    return ' | ' + ', '.join(attrs) + odd_text(case)


def odd_text(case):
    graph = graph_pb2.GraphDef.FromString(case['graph'])
    arrays = [tensor_util.MakeNdarray(n.attr['value'].tensor) for n in graph.node if n.op == 'Const']
    return ' | odd input' if any(is_odd(a) for a in [*arrays, *case['feeds'].values()]) else ''


def value_text(value):
    if value.WhichOneof('value') == 'type':
        return dtypes.as_dtype(value.type).name
    if value.WhichOneof('value') == 'list':
        return str(list(value.list.i)).replace(' ', '')
    return str(getattr(value, value.WhichOneof('value'))).replace('\n', ' ')


def is_odd(array):
    """Returns whether an element is not finite, or very large or small."""
    array = plain(array)
    if array.dtype.kind not in 'fc':
        return False
    with np.errstate(all='ignore'):
        size = np.abs(array[array != 0])
        return not np.all((size > 1e-20) & (size < 1e20))


def is_random(case):
    return b'seed' in case['graph']


def difference(case, want, got):
    """Returns the (kind, detail) of the difference, or None."""
    if want['state'] in ('crash', 'hang'):
        return None  # not an answer that can be compared
    if got['state'] in ('crash', 'hang'):
        return got['state'], got['message']
    if 'No OpKernel' in want.get('message', '') or 'no kernel of op' in got.get('message', ''):
        return None  # ops_test.py compares dtypes
    if 'error' in want or 'error' in got:
        found = different_errors(want, got)
        return found and (found[0], found[1] + odd_text(case))
    return different_values(case, want, got) or different_statics(want, got)


def different_statics(want, got):
    if want['dtypes'] != got['dtypes']:
        return 'static', f'{want["dtypes"]} / {got["dtypes"]}'
    kinds = {static_kind(a, b) for a, b in zip(want['shapes'], got['shapes'])} - {None}
    if not kinds:
        return None
    kind = next(k for k in ('static', 'vague', 'sharp') if k in kinds)
    return kind, f'{want["shapes"]} / {got["shapes"]}'


def static_kind(want, got):
    """Returns how a static shape differs, or None if it does not."""
    if want == got:
        return None
    if want is None or got is None:
        return 'sharp' if want is None else 'vague'
    if len(want) != len(got) or any(None not in (a, b) and a != b for a, b in zip(want, got)):
        return 'static'
    return 'vague' if any(b is None and a is not None for a, b in zip(want, got)) else 'sharp'


def different_errors(want, got):
    said = [f'{a["error"]}: {a["message"]}' if 'error' in a else 'no error' for a in (want, got)]
    detail = ' / '.join(text.replace('\n', ' ')[:250] for text in said)
    if 'error' not in got:
        return 'accepts', detail
    if 'error' not in want:
        return 'refuses', detail
    if want['state'] != got['state']:
        return 'phase', detail
    return ('class', detail) if want['error'] != got['error'] else None


def different_values(case, want, got):
    for name, dtype, a, b in zip(case['fetches'], want['dtypes'], want['values'], got['values']):
        if np.shape(a) != np.shape(b):
            return 'shape', f'{name} {dtype}: {np.shape(a)} / {np.shape(b)}{remarks(case)}'
        if is_random(case) or dtype in ('variant', 'resource'):
            continue
        if not same_values(a, b, dtype):
            texts = [np.array2string(v, threshold=8)[:150] for v in differing(a, b, dtype)]
            detail = f'{name} {dtype}{np.shape(a)}: {texts[0]} / {texts[1]}'
            return 'value', detail + remarks(case)
    return None


def cases(seed, wanted, first=0):
    """Yields (number, case) forever. A case depends only on the seed and its number."""
    maker = differential_cases.Maker(seed, wanted)
    number = first
    while True:
        maker.random = np.random.RandomState((seed * 1000003 + number) % 2**32)
        if not wanted and number % 8 == 7:
            yield number, differential_graphs.several_ops(maker.random)
        else:
            case = None
            try:
                case = maker.one_op()
            except (ValueError, TypeError, OverflowError):
                pass  # a GraphDef cannot represent the change
            if case is not None:
                yield number, case
        number += 1


def compare(seed=1, seconds=None, count=None, wanted=None, first=0):
    """Runs random cases. Returns the differences, explained or not, and the number of cases that ran."""
    runners = [Runner('tensorflow'), Runner('ramet')]
    found, ran, answers = [], 0, collections.Counter()
    try:
        for runner in runners:
            runner.wait()
        end = time.monotonic() + (seconds or 1e9)
        for number, case in cases(seed, wanted, first):
            if time.monotonic() > end or count is not None and number - first >= count:
                break
            for runner in runners:
                runner.send(case)
            want, got = [runner.receive() for runner in runners]
            ran += 1
            answers[want['state']] += 1
            differs = difference(case, want, got)
            if differs is not None:
                found.append(Difference(number, case['op'], *differs, case))
    finally:
        for runner in runners:
            runner.close()
    return found, ran, answers


def unexplained(found):
    return [d for d in found if differential_known.reason_of(d.op, d.kind, d.detail) is None]


def table(found):
    """Returns the differences as text, one line per op and kind, the most frequent first."""
    groups = collections.defaultdict(list)
    for d in found:
        groups[d.op, d.kind].append(d)
    order = sorted(groups, key=lambda g: (KINDS.index(g[1]), -len(groups[g]), g[0]))
    lines = [f'{"count":>5}  {"kind":8} {"op":32} first case: TensorFlow / Ramet']
    for op, kind in order:
        first = groups[op, kind][0]
        lines.append(f'{len(groups[op, kind]):5}  {kind:8} {op:32} {first.number}: {first.detail}')
    return '\n'.join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split('\n')[0])
    parser.add_argument('--seed', type=int, default=1)
    parser.add_argument('--seconds', type=float)
    parser.add_argument('--cases', type=int, help='the number of cases to run')
    parser.add_argument('--first', type=int, default=0, help='the number of the first case')
    parser.add_argument('--ops', default='', help='comma-separated names of ops (default: all)')
    parser.add_argument('--all', action='store_true', help='print explained differences too')
    parser.add_argument('--save', help='write the differing cases to a file (pickled)')
    args = parser.parse_args()
    seconds = args.seconds or (None if args.cases else 60)
    wanted = set(filter(None, args.ops.split(',')))
    found, ran, answers = compare(args.seed, seconds, args.cases, wanted, args.first)
    new = unexplained(found)
    print(table(found if args.all else new))
    print(f'{ran} cases ({dict(answers)} in TensorFlow), {len(found)} differ, '
          f'{len(found) - len(new)} of them explained')
    if args.save:
        with open(args.save, 'wb') as file:
            pickle.dump(new, file)
    return 1 if new else 0


if __name__ == '__main__':
    sys.exit(main())
