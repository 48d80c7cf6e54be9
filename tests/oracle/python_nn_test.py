"""Symptom: a Python function of tf.nn, tf.losses, tf.random, ... builds a different graph.

Each call is made in both packages, in a separate graph. The nodes (names, ops, inputs, attrs) must be the same,
and also the values if the call can be run. If one raises an error, the other must raise the same class with the
same message. Needs tensorflow, and the package ramet on the path.
"""

import difflib
import os
import re
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.core.framework import tensor_pb2

import ramet.compat.v1 as rt

from python_nn_cases import CASES

tf.disable_v2_behavior()

# Raised for functions that Ramet does not have. A case counts as soon as Ramet has the function.
UNAVAILABLE = NotImplementedError
# Attributes that name objects of one process, or that TensorFlow adds for its own device placement.
IGNORED_ATTRS = {'_gradient_op_type', '_has_manual_control_dependencies', 'debug_name', 'token'}


def attr_text(value):
    """Returns an attr for comparison. A tensor is represented by its values, in any field of the proto."""
    if value.WhichOneof('value') != 'tensor':
        return value.SerializeToString(deterministic=True)
    tensor = tensor_pb2.TensorProto.FromString(value.tensor.SerializeToString())
    array = tf.make_ndarray(tensor)
    return tensor.dtype, array.shape, array.tolist()


def node_text(node):
    """Returns a node as values that can be compared."""
    attrs = {k: attr_text(v) for k, v in node.attr.items() if k not in IGNORED_ATTRS}
    return (node.name, node.op, tuple(node.input), node.device,
            tuple((key, attrs[key]) for key in sorted(attrs)))


def plain(error):
    """Returns the class and message without parts that differ between processes, or on purpose.

    Ramet words errors from shape functions differently.
    """
    message = re.sub(r'0x[0-9a-f]+', '0x', str(error)).replace('tf.', '')
    if '{{node' in message or message.startswith('node '):
        message = 'of a node'
    return type(error).__name__, message


def outputs_of(package, result):
    if isinstance(result, (list, tuple)):
        return [t for part in result for t in outputs_of(package, part)]
    return [result] if isinstance(result, package.Tensor) else []


def feeds_of(graph):
    feeds = {}
    for op in graph.get_operations():
        if op.type == 'Placeholder':
            shape = op.outputs[0].shape
            sizes = [2] if shape.ndims is None else [d or 2 for d in shape.as_list()]
            count = int(np.prod(sizes))
            values = np.linspace(0.1, 1.9, count) if count > 1 else np.array([0.5])
            feeds[op.name + ':0'] = values.reshape(sizes).astype(
                op.outputs[0].dtype.as_numpy_dtype)
    return feeds


def build(package, call):
    graph = package.Graph()
    with graph.as_default():
        try:
            result, error = call(package), None
        except Exception as caught:
            result, error = None, caught
    return graph, result, error


def run(package, graph, result):
    fetches = [t for t in outputs_of(package, result) if not t.dtype._is_ref_dtype]
    with package.Session(graph=graph) as session:
        init = [op for op in graph.get_operations()
                if op.type in ('Assign', 'AssignVariableOp') and op.name.endswith('/Assign')]
        feeds = feeds_of(graph)
        session.run(init, feeds)
        return session.run(fetches, feeds)


class NnTest(unittest.TestCase):
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

    def check(self, call, run_it):
        expected, expected_result, expected_error = build(tf, call)
        actual, actual_result, actual_error = build(rt, call)
        if isinstance(actual_error, UNAVAILABLE):
            self.skipTest(str(actual_error))
        if expected_error is not None or actual_error is not None:
            self.assertEqual(plain(expected_error), plain(actual_error))
        self.same_nodes([node_text(n) for n in expected.as_graph_def().node],
                        [node_text(n) for n in actual.as_graph_def().node])
        for key in expected.get_all_collection_keys():
            self.assertEqual([getattr(x, 'name', x) for x in expected.get_collection(key)],
                             [getattr(x, 'name', x) for x in actual.get_collection(key)], key)
        self.assertEqual([(t.name, t.dtype.name, str(t.shape))
                          for t in outputs_of(tf, expected_result)],
                         [(t.name, t.dtype.name, str(t.shape))
                          for t in outputs_of(rt, actual_result)])
        if run_it and expected_error is None:
            for want, got in zip(run(tf, expected, expected_result),
                                 run(rt, actual, actual_result)):
                np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-6)


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            call, run_it = case if isinstance(case, tuple) else (case, False)

            def test(self, call=call, run_it=run_it):
                self.check(call, run_it)

            setattr(NnTest, f'test_{group}_{i}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
