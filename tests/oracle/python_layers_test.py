"""Symptom: a layer of tf.layers builds a different graph.

Without the package tf_keras, TensorFlow has tf.layers in legacy_tf_layers, without batch normalization. Each call
is made in both packages, in a separate graph. Needs tensorflow, and the package ramet on the path.
"""

import os
import types
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import python_nn_test as nn_test
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf
from python_layers_cases import CASES, TRANSPOSED
from tensorflow.python.keras.legacy_tf_layers import base, convolutional, core, pooling

ORACLE = types.SimpleNamespace(**{name: value for module in (base, core, convolutional, pooling)
                                  for name, value in vars(module).items()
                                  if not name.startswith('_')})


def with_layers(call):
    return lambda package: call(package, ORACLE if package is tf else rt.layers)


class LayersTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    same_nodes = nn_test.NnTest.same_nodes
    check = nn_test.NnTest.check

    def same_values(self, call):
        built = [(package, *nn_test.build(package, call)) for package in (tf, rt)]
        for _, _, _, error in built:
            if isinstance(error, nn_test.UNAVAILABLE):
                self.skipTest(str(error))
            self.assertIsNone(error)
        (want,), (got,) = [nn_test.run(package, graph, result)
                           for package, graph, result, _ in built]
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=1e-5)
        self.assertEqual(str(built[0][2].shape), str(built[1][2].shape))


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            call, run_it = case if isinstance(case, tuple) else (case, False)

            def test(self, call=call, run_it=run_it):
                self.check(with_layers(call), run_it)

            setattr(LayersTest, f'test_{group}_{i}', test)
    for i, call in enumerate(TRANSPOSED):
        setattr(LayersTest, f'test_transposed_{i}',
                lambda self, call=call: self.same_values(with_layers(call)))


add_tests()

if __name__ == '__main__':
    unittest.main()
