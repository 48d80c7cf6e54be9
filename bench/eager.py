#!/usr/bin/env python3
"""Measures the time of eager operations in Ramet and, if it is installed, in TensorFlow.

    PYTHONPATH=build/python python3 bench/eager.py [--seconds S]

Each package runs in a process of its own. The table has the shortest average of several series, in microseconds per
call.
"""

import argparse
import importlib
import importlib.util
import json
import os
import subprocess
import sys
import timeit

CALLS = {
    'add two scalars': lambda tf, x: x.a + x.b,
    'add a number': lambda tf, x: x.a + 2.,
    'tf.add': lambda tf, x: tf.add(x.a, x.b),
    'tf.matmul [2,2]': lambda tf, x: tf.matmul(x.m, x.m),
    'tf.nn.relu': lambda tf, x: tf.nn.relu(x.m),
    'tf.reduce_sum': lambda tf, x: tf.reduce_sum(x.m),
    'slice a row': lambda tf, x: x.m[0],
    'add a variable': lambda tf, x: x.v + x.m,
    'assign_add': lambda tf, x: x.v.assign_add(x.m, read_value=False),
    'numpy()': lambda tf, x: x.a.numpy(),
    'tape of matmul, sum': lambda tf, x: _gradient(tf, x),
}
_SERIES = 5


class Values:
    """The arguments of the calls."""

    def __init__(self, tf):
        self.a, self.b = tf.constant(1.), tf.constant(2.)
        self.m = tf.constant([[1., 2.], [3., 4.]])
        self.v = tf.Variable(self.m)


def _gradient(tf, x):
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.matmul(x.v, x.v))
    return tape.gradient(y, x.v)


def measured(package, seconds):
    """Returns the microseconds per call, by name."""
    tf = importlib.import_module(package)
    tf.enable_eager_execution()
    values, times = Values(tf), {}
    for name, call in CALLS.items():
        timer = timeit.Timer(lambda call=call: call(tf, values))
        timer.timeit(10)
        count = max(10, int(seconds / _SERIES / (timer.timeit(100) / 100)))
        times[name] = min(timer.repeat(_SERIES, count)) / count * 1e6
    return times


def in_process(package, seconds):
    """Returns the times of a package from a process of its own, or {} if it is not installed."""
    if importlib.util.find_spec(package.partition('.')[0]) is None:
        return {}
    environment = dict(os.environ, CUDA_VISIBLE_DEVICES='', TF_CPP_MIN_LOG_LEVEL='3')
    output = subprocess.run([sys.executable, __file__, '--package', package, '--seconds', str(seconds)], check=True,
                            stdout=subprocess.PIPE, env=environment).stdout
    return json.loads(output.splitlines()[-1])


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument('--seconds', type=float, default=1, help='time for each call (default: 1)')
    parser.add_argument('--package', help='measure only this package, and print JSON')
    options = parser.parse_args()
    if options.package:
        print(json.dumps(measured(options.package, options.seconds)))
        return
    ours = in_process('ramet.compat.v1', options.seconds)
    theirs = in_process('tensorflow.compat.v1', options.seconds)
    print(f'{"us per call":24s}{"Ramet":>10s}{"TensorFlow":>12s}')
    for name in CALLS:
        print(f'{name:24s}{ours[name]:10.2f}' + (f'{theirs[name]:12.2f}' if theirs else ''))


if __name__ == '__main__':
    main()
