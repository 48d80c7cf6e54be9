"""Symptom: a Python function for arrays, math, checks, strings or sets builds a different graph.

Each call in python_array_math_cases.py is made in both packages, in a separate graph. The nodes (names, ops,
inputs, attrs) must be the same, and also the values if TensorFlow can run the call. If one raises an error, the
other must raise the same class with the same message; for errors from shape inference, the same class is
enough. Calls of ops that Ramet does not have are left out. If Ramet implements the function without that op,
only the values are compared.
Needs tensorflow and the package ramet on the path.
"""

import difflib
import os
import re
import unittest
import warnings

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_array_math_cases import CASES
from ramet import _core
from ramet.api import UnavailableError

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

# Attributes that name objects of one process, or that TensorFlow adds for its own device placement.
IGNORED_ATTRS = {'_gradient_op_type', '_has_manual_control_dependencies', 'debug_name', 'token'}
OPS = set(_core.registered_ops())
# The error for graphs that need tf.cond.
NEEDS_COND = 'this needs tf.cond'


def attr_text(value):
    if value.HasField('tensor'):
        array = tf.make_ndarray(tf.AttrValue.FromString(value.SerializeToString()).tensor)
        return f'{array.dtype}{array.shape} {array.tolist()}'
    return value.SerializeToString(deterministic=True)


def node_text(node):
    """Returns a node in a form that can be compared, with constants as values."""
    attrs = {k: attr_text(v) for k, v in node.attr.items() if k not in IGNORED_ATTRS}
    return (node.name, node.op, tuple(node.input), node.device, tuple(sorted(attrs.items())))


def plain(error):
    """Returns the message without the parts that differ between processes and packages."""
    text = re.sub(r'0x[0-9a-f]+', '0x', str(error)).replace(', shape=<unknown>', '')
    return (text.replace('tf.', '').replace('SymbolicTensor', 'Tensor')
            .replace('tensorflow.python.framework.ops', 'ramet.framework.tensors'))


def outputs_of(package, result):
    if isinstance(result, (list, tuple)) and not isinstance(result, package.SparseTensor):
        return [t for part in result for t in outputs_of(package, part)]
    if isinstance(result, package.SparseTensor):
        return [result.indices, result.values, result.dense_shape]
    return [result] if isinstance(result, package.Tensor) else []


def feed_of(tensor):
    shape = tensor.shape
    sizes = [2] if shape.ndims is None else [d or 2 for d in shape.as_list()]
    count = int(np.prod(sizes))
    dtype = tensor.dtype.as_numpy_dtype
    if dtype is object or dtype is np.object_:
        values = np.array([b'text'] * count, dtype=object)
    elif np.issubdtype(dtype, np.integer) or dtype == np.bool_:
        values = np.arange(count) % 2
    else:
        values = np.linspace(0.1, 1.9, count)
    return values.reshape(sizes).astype(dtype)


def build(package, call):
    graph = package.Graph()
    with graph.as_default():
        try:
            result, error = call(package), None
        except Exception as caught:
            result, error = None, caught
    if hasattr(result, 'mark_used'):
        result.mark_used()
    return graph, result, error


def run(package, graph, result):
    fetches = outputs_of(package, result)
    with package.Session(graph=graph) as session:
        feeds = {op.outputs[0].name: feed_of(op.outputs[0]) for op in graph.get_operations()
                 if op.type == 'Placeholder'}
        return session.run(fetches, feeds)


class ArrayMathTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def same_nodes(self, expected, actual):
        # Ramet adds the Switch of a captured tensor before its reader, TensorFlow adds it after.
        if any(node[1] == 'Switch' for node in expected):
            expected, actual = sorted(expected), sorted(actual)
        if expected != actual:
            lines = difflib.unified_diff([str(n) for n in expected], [str(n) for n in actual],
                                         'tensorflow', 'ramet', lineterm='', n=0)
            self.fail('\n'.join(lines))

    def same_error(self, expected, actual):
        self.assertEqual(type(expected).__name__, type(actual).__name__, (expected, actual))
        if "node '" not in str(actual):
            self.assertEqual(plain(expected), plain(actual))

    def same_values(self, expected, expected_result, actual, actual_result):
        kinds = {t.dtype.name for t in outputs_of(tf, expected_result)}
        if not kinds or kinds & {'bfloat16', 'variant'}:
            return
        try:
            wanted = run(tf, expected, expected_result)
        except (tf.errors.OpError, KeyError, ValueError, TypeError):
            return
        for want, got in zip(wanted, run(rt, actual, actual_result)):
            got = np.asarray(got)
            if got.dtype.names:
                got = got[got.dtype.names[0]]
            if np.asarray(want).dtype.kind in 'OS':
                np.testing.assert_array_equal(got, want)
            else:
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)

    def check(self, call):
        actual, actual_result, actual_error = build(rt, call)
        if isinstance(actual_error, UnavailableError) or NEEDS_COND in str(actual_error):
            self.skipTest(str(actual_error))
        expected, expected_result, expected_error = build(tf, call)
        if expected_error is not None or actual_error is not None:
            self.same_error(expected_error, actual_error)
            return
        if all(op.type in OPS for op in expected.get_operations()):
            self.same_nodes([node_text(n) for n in expected.as_graph_def().node],
                            [node_text(n) for n in actual.as_graph_def().node])
            self.assertEqual([t.name for t in outputs_of(tf, expected_result)],
                             [t.name for t in outputs_of(rt, actual_result)])
        self.assertEqual([(t.dtype.name, str(t.shape)) for t in outputs_of(tf, expected_result)],
                         [(t.dtype.name, str(t.shape)) for t in outputs_of(rt, actual_result)])
        self.same_values(expected, expected_result, actual, actual_result)


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            def test(self, call=case):
                with warnings.catch_warnings():
                    warnings.simplefilter('ignore')
                    self.check(call)

            setattr(ArrayMathTest, f'test_{group}_{i}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
