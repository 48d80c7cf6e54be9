"""tf.test: TestCase, its assertions, and the gradient checker."""

import os
import unittest

import numpy as np
import ramet.compat.v1 as tf


class TestCaseTest(tf.test.TestCase):

    def test_each_test_has_an_empty_seeded_graph(self):
        self.assertEmpty(tf.get_default_graph().get_operations())
        self.assertEqual(87654321, tf.get_default_graph().seed)

    def test_sessions(self):
        x = tf.constant([1.0, 2.0])
        with self.session() as session:
            self.assertIs(session, tf.get_default_session())
            self.assertAllEqual([1.0, 2.0], session.run(x))
            self.assertAllClose([1.0, 2.0], self.evaluate(x))
        with self.cached_session() as first:
            pass
        with self.cached_session() as second:
            self.assertIs(first, second)
            self.assertAllEqual([1.0, 2.0], x.eval())
        with self.assertRaisesRegex(ValueError, 'different than the ones'):
            with self.cached_session(graph=tf.Graph()):
                pass

    def test_assert_all_close_names_the_place(self):
        with self.assertRaisesRegex(AssertionError, r'first at \(1,\): 2.0 and 3.0'):
            self.assertAllClose([1.0, 2.0], [1.0, 3.0])
        with self.assertRaises(AssertionError):
            self.assertAllClose([1.0], [[1.0]])
        self.assertAllClose({'a': [1.0, (2.0, np.ones(2))]}, {'a': [1.0, (2.0, [1.0, 1.0])]})
        self.assertNotAllClose([1.0], [2.0])

    def test_assert_all_equal(self):
        self.assertAllEqual([np.nan, 1.0], [np.nan, 1.0])
        with self.assertRaisesRegex(AssertionError, 'not equal where'):
            self.assertAllEqual([1, 2], [1, 3])
        self.assertNotAllEqual([1], [2])

    def test_half_is_compared_with_its_own_tolerance(self):
        self.assertAllCloseAccordingToType(np.float16([1.0]), np.float16([1.001]))
        with self.assertRaises(AssertionError):
            self.assertAllCloseAccordingToType(np.float32([1.0]), np.float32([1.001]))

    def test_ranges_and_sets(self):
        self.assertAllInRange([1.0, 2.0], 1.0, 2.0)
        with self.assertRaises(AssertionError):
            self.assertAllInRange([1.0, 2.0], 1.0, 2.0, open_upper_bound=True)
        self.assertAllInSet([1, 2, 1], {1, 2})
        with self.assertRaises(AssertionError):
            self.assertAllInSet([3], {1, 2})

    def test_errors_of_ops_are_matched(self):
        x = tf.placeholder(tf.float32, [2], name='fed')
        with self.session() as session:
            with self.assertRaisesOpError('fed'):
                session.run(tf.identity(x))

    def test_graph_defs_are_compared(self):
        a, b = tf.Graph(), tf.Graph()
        for graph in (a, b):
            with graph.as_default():
                tf.constant(1.0, name='c')
        tf.test.assert_equal_graph_def(a.as_graph_def(), b.as_graph_def())
        with b.as_default():
            tf.constant(1.0, name='d')
        with self.assertRaisesRegex(AssertionError, "node 'd'"):
            tf.test.assert_equal_graph_def(a.as_graph_def(), b.as_graph_def())

    def test_gradients_are_checked(self):
        x = tf.placeholder(tf.float64, [3])
        y = x * x * x
        with self.session():
            computed, numeric = tf.test.compute_gradient(x, [3], y, [3], np.array([1., 2., 3.]))
            self.assertAllClose(np.diag([3.0, 12.0, 27.0]), computed)
            self.assertAllClose(computed, numeric, atol=1e-4)
            self.assertLess(tf.test.compute_gradient_error(x, [3], y, [3]), 1e-4)

    def test_the_temporary_directory_is_kept(self):
        self.assertTrue(os.path.isdir(self.get_temp_dir()))
        self.assertEqual(self.get_temp_dir(), self.get_temp_dir())

    def test_no_gpu_is_claimed(self):
        self.assertFalse(tf.test.is_built_with_cuda())
        self.assertEqual('', tf.test.gpu_device_name())


if __name__ == '__main__':
    unittest.main()
