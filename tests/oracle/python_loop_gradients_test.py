"""Symptom: tf.gradients handles a branch or a loop differently.

Each case in python_loop_gradients_cases.py is built in both packages. The nodes (names, ops, inputs, attrs; in
any order) and the values must be the same. If one raises an error, the other must raise the same class with the
same message. Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_loop_gradients_cases import CASES

tf.disable_v2_behavior()
tf.disable_control_flow_v2()
tf.logging.set_verbosity('FATAL')

IGNORED_ATTRS = {'_has_manual_control_dependencies', 'debug_name', '_output_shapes'}
# Cases that differ for reasons other than control flow; only their values are compared.
# TensorFlow converts sparse gradients to dense ones in the scope of the op that uses them.
OTHER_NODES = {'cond_slices_merge'}
# TensorFlow omits the shapes in Mul's gradient only for float32 and int32.
OTHER_NODES |= {'double_not_dep', 'half_and_complex'}
# TensorFlow places the shapes in Mean's gradient next to each other.
OTHER_NODES |= {'outer_after'}
# TensorFlow passes float32 zeros to a float64 loop, which then fails.
TENSORFLOW_FAILS = {'double_not_dep_dyn'}
TENSORFLOWS_LOG = ' See info log for more details.'
# Both reject it; TensorFlow does so when it changes the edge.
OTHER_ERROR = {'slices_exit'}


def attr_text(value):
    if value.HasField('tensor'):
        array = tf.make_ndarray(tf.AttrValue.FromString(value.SerializeToString()).tensor)
        return f'{array.dtype}{array.shape} {array.tolist()}'
    return value.SerializeToString(deterministic=True)


def node_text(node):
    data = [i for i in node.input if not i.startswith('^')]
    controls = sorted(i for i in node.input if i.startswith('^'))
    attrs = {k: attr_text(v) for k, v in node.attr.items() if k not in IGNORED_ATTRS}
    return str((node.op, data, controls, node.device, sorted(attrs.items())))


class Built:
    """A case in one package: its nodes, names of fetches and values, or its error."""

    def __init__(self, package, build):
        self.error = None
        graph = package.Graph()
        with graph.as_default():
            try:
                self.fetches, feeds = build(package)
            except Exception as error:
                self.error = error
                return
            self.names = [None if f is None else f.name for f in self.fetches]
            self.nodes = {n.name: node_text(n) for n in graph.as_graph_def().node}
            self.run(package, feeds)

    def run(self, package, feeds):
        wanted = [f for f in self.fetches if f is not None]
        with package.Session() as session:
            init = package.global_variables_initializer()
            self.values = []
            for feed in feeds:
                try:
                    session.run(init)
                    self.values.append(session.run(wanted, feed))
                except package.errors.OpError as error:
                    self.values.append(error)


class LoopGradientsTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def check(self, name):
        expected, actual = Built(tf, CASES[name]), Built(rt, CASES[name])
        if expected.error is not None or actual.error is not None:
            message = str(expected.error).removesuffix(TENSORFLOWS_LOG)
            self.assertIn(message, str(actual.error))
            if name not in OTHER_ERROR:
                self.assertEqual(type(expected.error), type(actual.error))
            return
        if name not in OTHER_NODES | TENSORFLOW_FAILS:
            self.assertEqual(expected.nodes, actual.nodes)
        if name not in OTHER_NODES:
            self.assertEqual(expected.names, actual.names)
        for want, got in zip(expected.values, actual.values):
            if name in TENSORFLOW_FAILS:
                self.assertIsInstance(want, Exception)
                continue
            for w, g in zip(want, got):
                np.testing.assert_allclose(g, w, rtol=1e-4, atol=1e-6)


def add_tests():
    for name in CASES:
        def test(self, name=name):
            self.check(name)

        setattr(LoopGradientsTest, f'test_{name}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
