"""Symptom: a distribution of tf.distributions builds a different graph, or has different values or samples.

Each call is made in both packages and compared as in python_nn_test.py: nodes, errors, values. Only values are
compared for gradients, because TensorFlow's have nodes that nothing uses, and for samples of Multinomial, because
TensorFlow knows the shape of a OneHot in a loop whose depth is a constant outside of it.
Needs tensorflow, and the package ramet on the path.
"""

import unittest

import numpy as np
import python_nn_test as calls
from python_distributions_cases import CASES


class DistributionsTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def same_nodes(self, expected, actual):
        # Compares text, because constants contain NaN.
        calls.NnTest.same_nodes(self, [(str(n), n[1]) for n in expected], [(str(n), n[1]) for n in actual])

    def check(self, call, run_it, compare_nodes=True):
        if compare_nodes:
            calls.NnTest.check(self, call, False)
        if run_it:
            expected, actual = values_of(calls.tf, call), values_of(calls.rt, call)
            self.assertEqual(type(expected).__name__, type(actual).__name__, (expected, actual))
            for want, got in zip(expected, actual) if isinstance(expected, list) else ():
                if want.dtype.kind in 'OS':
                    self.assertEqual(want.tolist(), got.tolist())
                else:
                    np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-6)


def values_of(package, call):
    """Returns the values of a call, or the error of the run."""
    graph, result, error = calls.build(package, call)
    if error is not None:
        return error
    try:
        return [np.asarray(value) for value in calls.run(package, graph, result)]
    except package.errors.OpError as run_error:
        return run_error


VALUES_ONLY = ('gradients', 'multinomial_logits_samples')


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            call, run_it = case if isinstance(case, tuple) else (case, False)

            def test(self, call=call, run_it=run_it, compare_nodes=group not in VALUES_ONLY):
                self.check(call, run_it, compare_nodes)

            setattr(DistributionsTest, f'test_{group}_{i}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
