"""Python integers that do not fit the dtype of a tensor."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


class LargeIntegersTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def test_constants_wrap_around(self):
        for value, dtype, expected in ((-1, tf.uint8, 255), (256, tf.uint8, 0), (200, tf.int8, -56),
                                       (2**33 + 5, tf.int32, 5), (-2**31 - 1, tf.int32, 2**31 - 1),
                                       (2**63, tf.int64, -2**63), (-1, tf.uint64, 2**64 - 1)):
            for shape in ((), (1,)):
                listed = value if shape == () else [value]
                made = tf.get_static_value(tf.constant(listed, dtype))
                self.assertEqual(made.reshape(()).item(), expected, (value, dtype))

    def test_inferred_dtypes(self):
        for value, dtype in ((2**31, tf.int64), (2**63, tf.uint64), ([1, 2**63], tf.uint64)):
            self.assertEqual(tf.constant(value).dtype, dtype)
        with self.assertRaisesRegex(TypeError, 'Failed to convert elements of 18446744073709551616 to Tensor'):
            tf.constant(2**64)
        with self.assertRaises(OverflowError):
            tf.constant(2**64, tf.uint64)

    def test_feeds(self):
        narrow, numbers = tf.placeholder(tf.uint8), tf.placeholder(tf.int32)
        with tf.Session() as session:
            with self.assertRaisesRegex(TypeError, "Type of feed value -1 with type <class 'int'> is not compatible "
                                                   "with Tensor type <class 'numpy.uint8'>"):
                session.run(narrow, {narrow: -1})
            np.testing.assert_array_equal(session.run(numbers, {numbers: [2**33 + 5]}), [5])
            self.assertEqual(session.run(narrow, {narrow: 255}), 255)

    def test_shapes(self):
        self.assertEqual(tf.zeros([2**33, 1]).shape.as_list(), [2**33, 1])


if __name__ == '__main__':
    unittest.main()
