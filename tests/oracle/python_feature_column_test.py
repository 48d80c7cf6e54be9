"""Symptom: a function of tf.feature_column builds a different graph, or fails differently.

Each call is made in both packages, in a separate graph. Needs tensorflow, and the package ramet on the path.
"""

import re
import unittest

import python_nn_test as nn_test
import tensorflow.compat.v1 as tf
from python_feature_column_cases import CASES

tf.logging.set_verbosity(tf.logging.ERROR)


class FeatureColumnTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def same_nodes(self, expected, actual):
        # Tables have random names.
        def plain(nodes):
            return [tuple(re.sub(r'hash_table_[0-9a-f-]{36}', 'hash_table', str(part)) for part in n) for n in nodes]

        nn_test.NnTest.same_nodes(self, plain(expected), plain(actual))

    check = nn_test.NnTest.check


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            call, run_it = case if isinstance(case, tuple) else (case, False)
            setattr(FeatureColumnTest, f'test_{group}_{i}',
                    lambda self, call=call, run_it=run_it: self.check(call, run_it))


add_tests()

if __name__ == '__main__':
    unittest.main()
