"""Static values of tensors, and the seeds of ops."""

import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.framework import tensor_util


class ConstantValueTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())

    def check(self, tensor, expected):
        value = tensor_util.constant_value(tensor)
        self.assertIsInstance(value, np.ndarray)
        np.testing.assert_array_equal(value, expected)

    def test_what_is_told(self):
        shaped = tf.placeholder(tf.float32, [2, 3])
        self.check(tf.constant(3), 3)
        self.check(tf.constant('a'), np.array(b'a', object))
        self.check(tf.shape(shaped), [2, 3])
        self.check(tf.stack([tf.size(shaped), 1]), [6, 1])
        self.check(tf.concat([[1], tf.shape(shaped)], 0), [1, 2, 3])
        self.check(tf.cast([1.5], tf.int32), [1])

    def test_what_is_not_told(self):
        for tensor in (tf.add(1, 2), tf.placeholder(tf.float32), tf.stack([[1], [2]], axis=1),
                       tf.placeholder_with_default([1, 2], [2])):  # fmt: skip
            self.assertIsNone(tensor_util.constant_value(tensor))

    def test_parts_of_a_vector(self):
        value = tensor_util.constant_value(
            tf.stack([tf.placeholder(tf.int32, []), 2]), partial=True
        )
        self.assertEqual(value.tolist(), [None, 2])

    def test_what_is_no_tensor(self):
        self.assertEqual(tensor_util.constant_value(3), 3)
        self.assertIsNone(tensor_util.constant_value(tf.SparseTensor([[0]], [1], [1])))


class ConstantValueAsShapeTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())

    def test_parts_that_are_known(self):
        shape = tf.shape(tf.placeholder(tf.float32, [3, None]))
        for tensor, expected in (
            (tf.constant([1, -1]), [1, None]),
            (shape, [3, None]),
            (tf.concat([shape, [2]], 0), [3, None, 2]),
            (tf.stack([tf.placeholder(tf.int32, []), 2]), [None, 2]),
            (shape[1:], [None]),
            (shape[:1], [3]),
            (tf.cast(shape, tf.int64), [3, None]),
            (tf.placeholder(tf.int32, [2]), [None, None]),
        ):
            self.assertEqual(tensor_util.constant_value_as_shape(tensor).as_list(), expected)

    def test_unknown_rank(self):
        for tensor in (tf.placeholder(tf.int32), tf.placeholder(tf.int32, [None]), tf.constant(-1)):
            self.assertIsNone(tensor_util.constant_value_as_shape(tensor).rank)

    def test_what_is_no_shape(self):
        with self.assertRaisesRegex(ValueError, "Received a scalar value '2' as shape"):
            tensor_util.constant_value_as_shape(tf.constant(2))
        with self.assertRaisesRegex(ValueError, 'must have rank 1'):
            tensor_util.constant_value_as_shape(tf.constant([[1]]))

    def test_a_default_may_be_fed_another_value(self):
        shape = tf.placeholder_with_default([1, 2], [2])
        self.assertEqual(tf.reshape(tf.zeros([2]), shape).shape.as_list(), [None, None])


class IsTensorTest(unittest.TestCase):
    def test_is_tensor(self):
        with tf.Graph().as_default():
            for value in (tf.constant(1), tf.SparseTensor([[0]], [1], [1]),
                          tf.IndexedSlices(tf.constant([1]), tf.constant([0]))):  # fmt: skip
                self.assertTrue(tf.is_tensor(value))
            for value in (1, np.zeros(2), tf.no_op(), [tf.constant(1)]):
                self.assertFalse(tf.is_tensor(value))


class SeedTest(unittest.TestCase):
    def test_pairs(self):
        with tf.Graph().as_default():
            self.assertEqual(tf.get_seed(None), (None, None))
            self.assertEqual(tf.get_seed(3), (87654321, 3))
            tf.set_random_seed(5)
            self.assertEqual([tf.get_seed(s) for s in (None, None, 3, -1)],
                             [(5, 0), (5, 1), (5, 3), (5, 2147483646)])  # fmt: skip
            tf.set_random_seed(0)
            self.assertEqual(tf.get_seed(0), (0, 2147483647))
            with self.assertRaises(TypeError):
                tf.get_seed(1.5)


if __name__ == '__main__':
    unittest.main()
