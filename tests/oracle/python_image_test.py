"""Symptom: a Python function of tf.image builds a different graph, or an op of old graphs gives different numbers.

The calls are compared as in python_nn_test.py. Needs tensorflow, and the package ramet on the path.
"""

import unittest

import numpy as np
import tensorflow.compat.v1 as tf
from google.protobuf import text_format

import ramet.compat.v1 as rt
from python_image_cases import CASES
from python_nn_test import NnTest as Comparison

CROP = """
versions { producer: 7 }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: DT_INT32 } } }
node { name: "size" op: "Placeholder" attr { key: "dtype" value { type: DT_INT64 } } }
node {
  name: "y" op: "RandomCrop" input: "x" input: "size"
  attr { key: "T" value { type: DT_INT32 } }
  attr { key: "seed" value { i: %d } }
}
"""
CONTRAST = """
versions { producer: 1 }
node { name: "x" op: "Placeholder" attr { key: "dtype" value { type: %s } } }
node { name: "factor" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "low" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "high" op: "Placeholder" attr { key: "dtype" value { type: DT_FLOAT } } }
node {
  name: "y" op: "AdjustContrast" input: "x" input: "factor" input: "low" input: "high"
  attr { key: "T" value { type: %s } }
}
"""


def run_old(package, text, feeds, times=1):
    """Returns the results of runs of the node y of an old graph."""
    with package.Graph().as_default() as graph, package.Session(graph=graph) as session:
        package.import_graph_def(text_format.Parse(text, package.GraphDef()), name='')
        return [session.run('y:0', feeds) for _ in range(times)]


class OldGraphTest(unittest.TestCase):

    def compare(self, text, feeds, times=1):
        for want, got in zip(run_old(tf, text, feeds, times), run_old(rt, text, feeds, times)):
            np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)

    def test_random_crop(self):
        for shape, size in (((70, 90, 2), (3, 4)), ((7, 9, 1), (7, 4)), ((7, 9, 1), (6, 9)), ((7, 9, 1), (7, 9))):
            image = np.arange(np.prod(shape), dtype=np.int32).reshape(shape)
            self.compare(CROP % 5, {'x:0': image, 'size:0': size}, times=6)

    def test_adjust_contrast(self):
        for name, dtype in (('DT_UINT8', np.uint8), ('DT_INT8', np.int8), ('DT_INT16', np.int16), ('DT_INT32', np.int32), ('DT_FLOAT', np.float32), ('DT_DOUBLE', np.float64)):
            image = (np.arange(48) % 31).reshape(2, 4, 2, 3).astype(dtype)
            self.compare(CONTRAST % (name, name), {'x:0': image, 'factor:0': 1.5, 'low:0': 2, 'high:0': 20})


class ImageTest(unittest.TestCase):
    """Has one test per case."""

    maxDiff = None
    same_nodes, check = Comparison.same_nodes, Comparison.check


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            call, run_it = case if isinstance(case, tuple) else (case, False)

            def test(self, call=call, run_it=run_it):
                self.check(call, run_it)

            setattr(ImageTest, f'test_{group}_{i}', test)


add_tests()
del Comparison

if __name__ == '__main__':
    unittest.main()
