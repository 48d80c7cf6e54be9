"""Symptom: tf.function, or control flow that calls functions, gives other nodes, values or errors than in TensorFlow.

Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_tf_function_cases import CASES, CONTROL_FLOW

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

INPUTS = 1.5, 2.0


def error_of(error):
    """Returns the type and the first lines of an error, without what differs in the package's own way."""
    text = str(error).split('First structure')[0].replace('placeholder:0', 'Placeholder:0')
    return type(error).__name__, text.replace('"', "'")


def result_of(package, name):
    with package.Graph().as_default(), package.Session() as session:
        try:
            return CASES[name](package, session)
        except Exception as error:
            return error_of(error)


def control_flow_of(package, name):
    """Returns (nodes, values for each input), or the error."""
    with package.Graph().as_default() as graph, package.Session() as session:
        x = package.placeholder(package.float32, [], name='x')
        package.enable_control_flow_v2()
        try:
            result = CONTROL_FLOW[name](package, x)
        except Exception as error:
            return None, error_of(error)
        finally:
            package.disable_control_flow_v2()
        # Gradients are computed by nodes of other names.
        nodes = [(n.name, n.op) for n in graph.as_graph_def().node if not n.name.startswith('gradients')]
        initializer = package.global_variables_initializer()
        session.run(initializer)
        return nodes, [session.run(result, {x: value}) for value in INPUTS]


class TfFunctionTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def same(self, got, want):
        if isinstance(want, dict):
            self.assertEqual(list(got), list(want))
            got, want = list(got.values()), list(want.values())
        if isinstance(want, (list, tuple)):
            self.assertEqual(len(got), len(want), (got, want))
            for g, w in zip(got, want):
                self.same(g, w)
        elif isinstance(want, (np.ndarray, np.generic, float)):
            np.testing.assert_allclose(got, want, rtol=1e-5)
        else:
            self.assertEqual(got, want)

    def check_case(self, name):
        self.same(result_of(rt, name), result_of(tf, name))

    def check_control_flow(self, name):
        want, got = control_flow_of(tf, name), control_flow_of(rt, name)
        if want[0] is not None and not any('gradients' in n for n, _ in want[0]):
            self.assertEqual(got[0], want[0])
        self.same(got[1], want[1])


def add_tests():
    for check, cases in ((TfFunctionTest.check_case, CASES), (TfFunctionTest.check_control_flow, CONTROL_FLOW)):
        for name in cases:
            setattr(TfFunctionTest, f'test_{name}', lambda self, name=name, check=check: check(self, name))


add_tests()

if __name__ == '__main__':
    unittest.main()
