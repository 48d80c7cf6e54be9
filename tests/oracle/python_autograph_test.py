"""Symptom: AutoGraph converts functions to other graphs, values or errors than in TensorFlow.

Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_autograph_cases import CASES, MAPS

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

VALUES = 0, 4, 7, 12
# Functions of datasets have numbers in their names, and their bodies are not nodes of the graph.
WITH_FUNCTIONS = ('elements_of_dataset',)


def outcome(package, error):
    """Returns the type and the message of an error, without links to TensorFlow's documentation."""
    lines = [line for line in str(error).split('\n') if 'https://' not in line]
    return type(error).__name__, '\n'.join(lines).replace('"', "'").replace('SymbolicTensor', 'Tensor')


def converted(package, name):
    """Returns (names and types of nodes, values for each input), or (None, error)."""
    with package.Graph().as_default() as graph, package.Session() as session:
        x = package.placeholder(package.int32, [])
        try:
            result = package.autograph.to_graph(CASES[name])(package, x)
            nodes = sorted((node.name, node.op) for node in graph.as_graph_def().node)
            flat = package.nest.flatten(result)
            return nodes, [[session.run(t, {x: value}) if package.is_tensor(t) else t for t in flat]
                           for value in VALUES]
        except package.errors.InvalidArgumentError as error:
            return None, type(error).__name__
        except Exception as error:
            return None, outcome(package, error)


def elements(package, name):
    """Returns the elements of a dataset, or the error."""
    with package.Graph().as_default():
        try:
            iterator = package.data.make_initializable_iterator(MAPS[name](package))
        except Exception as error:
            return outcome(package, error)
        following, found = iterator.get_next(), []
        with package.Session() as session:
            session.run(iterator.initializer)
            try:
                while True:
                    found.append(session.run(following))
            except package.errors.OutOfRangeError:
                return found


class AutographTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def check_case(self, name):
        want, got = converted(tf, name), converted(rt, name)
        if want[0] is None:
            self.assertEqual(got, want)
            return
        if name not in WITH_FUNCTIONS:
            self.assertEqual(got[0], want[0])
        for mine, theirs in zip(got[1], want[1], strict=True):
            for g, w in zip(mine, theirs, strict=True):
                np.testing.assert_array_equal(g, w)

    def check_map(self, name):
        self.assertEqual(elements(rt, name), elements(tf, name))


def add_tests():
    for check, cases in ((AutographTest.check_case, CASES), (AutographTest.check_map, MAPS)):
        for name in cases:
            setattr(AutographTest, f'test_{name}', lambda self, name=name, check=check: check(self, name))


add_tests()

if __name__ == '__main__':
    unittest.main()
