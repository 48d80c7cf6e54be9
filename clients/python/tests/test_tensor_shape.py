"""TensorShape and Dimension with the semantics of TensorFlow 1."""

import pickle
import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.framework import tensor_shape
from ramet.framework.tensor_shape import Dimension, TensorShape


class DimensionTest(unittest.TestCase):
    def test_arithmetic(self):
        self.assertEqual((Dimension(7) // 2).value, 3)
        self.assertEqual((7 - Dimension(3)).value, 4)
        self.assertEqual((Dimension(7) % 4).value, 3)
        self.assertEqual((2 * Dimension(7)).value, 14)
        self.assertIsNone((Dimension(None) + 1).value)
        with self.assertRaisesRegex(TypeError, 'please use // instead'):
            Dimension(3) / 2
        with self.assertRaisesRegex(ValueError, 'Dimension -2 must be >= 0'):
            Dimension(3) - 5

    def test_comparison_with_the_unknown_says_none(self):
        self.assertIsNone(Dimension(None) == 3)
        self.assertIsNone(Dimension(3) < Dimension(None))
        self.assertTrue(Dimension(3) == 3)
        self.assertFalse(Dimension(3) == 'a')

    def test_as_index(self):
        self.assertEqual(list(range(Dimension(2))), [0, 1])
        self.assertEqual(np.zeros([Dimension(2), 3]).shape, (2, 3))

    def test_in_lists_of_sizes(self):
        """A list that contains a Dimension is accepted wherever an op prefers or requires integers."""
        with tf.Graph().as_default():
            x, two, unknown = tf.zeros([6, 2]), tf.Dimension(2), tf.Dimension(None)
            shapes = [
                (tf.reshape(x, [1, two, -1]), [1, 2, 6]), (tf.reshape(x, (two * 3, -1)), [6, 2]),
                (tf.fill([two, 3], 1.0), [2, 3]), (tf.tile(x, [two, 1]), [12, 2]),
                (tf.transpose(x, [two - 1, 0]), [2, 6]), (tf.pad(x, [[two, 0], [0, 0]]), [8, 2]),
                (tf.broadcast_to(tf.zeros([1]), [two]), [2]),
                (tf.slice(x, [0, 0], [two, 1]), [2, 1]),
                (tf.reduce_sum(x, [two - 1]), [6]), (tf.reverse(x, [two - 1]), [6, 2]),
                (x[:two, :unknown], [2, 2]), (x[two:], [4, 2]),
                (tf.repeat(x, [two] * 6, 0), [None, 2]),
                (tf.constant([1, 2]) + [two, two], [2]), (tf.zeros([two]), [2]),
                (tf.random_uniform([two]), [2]), (tf.one_hot([0], two), [1, 2])]
            for tensor, shape in shapes:
                self.assertEqual(tensor.shape.as_list(), shape, tensor)
            self.assertEqual(tf.convert_to_tensor([two], preferred_dtype=tf.int64).dtype, tf.int64)
            for bad in (lambda: tf.constant([two], tf.float32), lambda: tf.constant(1.0) * [two],
                        lambda: tf.reshape(x, [unknown, -1]), lambda: tf.convert_to_tensor([two]),
                        lambda: tf.unstack(x, unknown)):
                self.assertRaises(TypeError, bad)
            with self.assertRaisesRegex(TypeError, 'Allowed dtypes are tf.int32 and tf.int64'):
                tf.constant(1.0) - two

    def test_what_is_no_size(self):
        for wrong in (3.0, '3', [1]):
            with self.assertRaisesRegex(TypeError, 'Dimension value must be integer or None'):
                Dimension(wrong)


class TensorShapeTest(unittest.TestCase):
    def test_construction(self):
        self.assertEqual(TensorShape([1, None]).as_list(), [1, None])
        self.assertEqual(TensorShape(3).as_list(), [3])
        self.assertEqual(TensorShape(np.array([2, 3])).as_list(), [2, 3])
        self.assertEqual(TensorShape(range(2)).as_list(), [0, 1])
        self.assertIsNone(TensorShape(None).rank)
        with self.assertRaisesRegex(TypeError, "Failed to convert ''ab'' to a shape"):
            TensorShape('ab')
        with self.assertRaisesRegex(ValueError, 'Dimension -1 must be >= 0'):
            TensorShape([-1])

    def test_from_sizes_of_the_core(self):
        self.assertEqual(TensorShape.from_sizes([2, -1, 3]).as_list(), [2, None, 3])
        self.assertEqual(TensorShape.from_sizes([]).rank, 0)
        self.assertIsNone(TensorShape.from_sizes(None).rank)

    def test_text(self):
        self.assertEqual(str(TensorShape([1, None])), '(1, ?)')
        self.assertEqual(str(TensorShape([3])), '(3,)')
        self.assertEqual(str(TensorShape(None)), '<unknown>')
        self.assertEqual(
            repr(TensorShape([1, None])), 'TensorShape([Dimension(1), Dimension(None)])'
        )

    def test_equality(self):
        self.assertEqual(TensorShape([1, 2]), [1, 2])
        self.assertEqual(TensorShape(None), None)
        self.assertNotEqual(TensorShape([1, 2]), 'a')
        self.assertEqual(len({TensorShape([1]), TensorShape([1]), TensorShape([2])}), 2)

    def test_slices(self):
        shape = TensorShape([1, 2, 3])
        self.assertEqual(shape[1].value, 2)
        self.assertEqual(shape[1:], [2, 3])
        self.assertIsNone(TensorShape(None)[1:].rank)
        self.assertEqual(TensorShape(None)[:2].as_list(), [None, None])
        with self.assertRaises(IndexError):
            _ = shape[3]

    def test_merge_and_concatenate(self):
        self.assertEqual(TensorShape([1, None]).merge_with([None, 2]), [1, 2])
        self.assertEqual(TensorShape([1]).concatenate([2, None]).as_list(), [1, 2, None])
        self.assertEqual([3] + TensorShape([1]), [3, 1])
        with self.assertRaisesRegex(ValueError, r'Shapes \(1, 2\) and \(1, 3\) are not compatible'):
            TensorShape([1, 2]).merge_with([1, 3])

    def test_ranks(self):
        shape = TensorShape([1, 2])
        self.assertEqual(TensorShape(None).with_rank(2).as_list(), [None, None])
        for check, message in (
            (lambda: shape.with_rank(3), 'must have rank 3'),
            (lambda: shape.with_rank_at_least(3), 'must have rank at least 3'),
            (lambda: shape.with_rank_at_most(1), 'must have rank at most 1'),
            (lambda: TensorShape([None]).assert_is_fully_defined(), 'is not fully defined'),
            (lambda: TensorShape(None).as_list(), 'not defined on an unknown TensorShape'),
            (lambda: len(TensorShape(None)), 'unknown rank'),
        ):
            with self.assertRaisesRegex(ValueError, message):
                check()

    def test_number_of_elements(self):
        self.assertEqual(TensorShape([2, 3]).num_elements(), 6)
        self.assertEqual(TensorShape([]).num_elements(), 1)
        self.assertIsNone(TensorShape([2, None]).num_elements())

    def test_proto_and_pickle(self):
        for shape in (TensorShape(None), TensorShape([]), TensorShape([2, None])):
            again = pickle.loads(pickle.dumps(shape))
            self.assertEqual(again, shape)
            self.assertEqual(TensorShape(shape.as_proto()), shape)

    def test_functions(self):
        self.assertEqual(tensor_shape.dimension_value(Dimension(3)), 3)
        self.assertIsNone(tensor_shape.dimension_at_index(TensorShape(None), 4).value)
        self.assertEqual(tensor_shape.unknown_shape(ndims=1).as_list(), [None])
        with self.assertRaisesRegex(TypeError, 'Unknown argument'):
            tensor_shape.unknown_shape(size=1)


if __name__ == '__main__':
    unittest.main()
