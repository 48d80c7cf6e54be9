"""SparseTensor, IndexedSlices, and the specs that describe them."""

import pickle
import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.framework import indexed_slices, nest, sparse_tensor


class SparseTensorTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.sparse = tf.SparseTensor([[0, 1]], [2.0], [3, 4])

    def test_parts(self):
        self.assertEqual(self.sparse.indices.name, 'SparseTensor/indices:0')
        self.assertEqual(self.sparse.op.name, 'SparseTensor/values')
        self.assertEqual(self.sparse.dtype, tf.float32)
        self.assertEqual(self.sparse.shape.as_list(), [3, 4])

    def test_parts_have_to_go_together(self):
        for indices, values, shape, message in (
            ([[0, 1]], [2.0], [3], 'Dimensions 2 and 1 are not compatible'),
            ([[0, 1]], [2.0, 3.0], [3, 4], 'Dimensions 1 and 2 are not compatible'),
            ([0, 1], [2.0], [3, 4], 'must have rank 2'),
            ([[0, 1]], 2.0, [3, 4], 'must have rank 1'),
        ):
            with self.assertRaisesRegex(ValueError, message):
                tf.SparseTensor(indices, values, shape)
        with self.assertRaisesRegex(TypeError, 'Expected int64, but got 0.5'):
            tf.SparseTensor([[0.5, 1]], [2.0], [3, 4])

    def test_eval(self):
        with tf.Session():
            value = self.sparse.eval()
        self.assertIsInstance(value, tf.SparseTensorValue)
        self.assertEqual((value.indices.tolist(), value.values.tolist()), ([[0, 1]], [2.0]))
        with self.assertRaisesRegex(ValueError, 'No default session is registered'):
            self.sparse.eval()

    def test_set_shape(self):
        unknown = tf.SparseTensor(
            tf.placeholder(tf.int64), tf.placeholder(tf.float32), tf.placeholder(tf.int64)
        )
        unknown.set_shape([3, None])
        self.assertEqual(unknown.shape.as_list(), [3, None])
        with self.assertRaisesRegex(ValueError, 'are not compatible'):
            unknown.set_shape([4, 4])

    def test_conversion(self):
        value = tf.SparseTensorValue([[0, 1]], [2.0], [3, 4])
        convert = tf.convert_to_tensor_or_sparse_tensor
        self.assertIsInstance(convert(value), tf.SparseTensor)
        self.assertIs(convert(self.sparse), self.sparse)
        self.assertIsInstance(convert([1]), tf.Tensor)
        with self.assertRaisesRegex(RuntimeError, 'Requested: int32,  Actual: float32'):
            convert(value, dtype=tf.int32)
        with self.assertRaisesRegex(TypeError, 'neither a SparseTensor nor SparseTensorValue'):
            tf.SparseTensor.from_value(3)
        self.assertTrue(sparse_tensor.is_sparse(value))

    def test_structure(self):
        parts = nest.flatten([self.sparse, 1], expand_composites=True)
        self.assertEqual(len(parts), 4)
        again, one = nest.pack_sequence_as([self.sparse, 1], parts, expand_composites=True)
        self.assertIs(again.values, self.sparse.values)
        self.assertEqual(one, 1)


class IndexedSlicesTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.values = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
        self.slices = tf.IndexedSlices(self.values, tf.constant([0, 2, 0]), tf.constant([3, 2]))

    def test_as_tensor(self):
        dense = tf.convert_to_tensor(self.slices)
        self.assertEqual(dense.op.type, 'UnsortedSegmentSum')
        with tf.Session() as session:
            np.testing.assert_array_equal(session.run(dense), [[6, 8], [0, 0], [3, 4]])

    def test_what_cannot_become_a_tensor(self):
        open_ended = tf.IndexedSlices(self.values, tf.constant([0, 2, 0]))
        with self.assertRaisesRegex(ValueError, 'without dense_shape'):
            tf.convert_to_tensor(open_ended)
        with self.assertRaisesRegex(ValueError, 'Incompatible tensor conversion requested'):
            tf.convert_to_tensor(self.slices, dtype=tf.int32)

    def test_unknown_sizes_are_warned_of(self):
        slices = tf.IndexedSlices(
            self.values, self.slices.indices, tf.placeholder(tf.int32, [2])
        )
        with self.assertWarnsRegex(UserWarning, 'to a dense Tensor of unknown shape'):
            tf.convert_to_tensor(slices)

    def test_as_they_are(self):
        self.assertIs(tf.convert_to_tensor_or_indexed_slices(self.slices), self.slices)
        self.assertIsInstance(tf.convert_to_tensor_or_indexed_slices([1]), tf.Tensor)

    def test_parts(self):
        self.assertEqual(self.slices.shape.as_list(), [3, 2])
        self.assertEqual(self.slices.dtype, tf.float32)
        self.assertEqual((-self.slices).values.op.type, 'Neg')
        self.assertEqual([op.type for op in self.slices.consumers()], ['Neg'])


class SpecTest(unittest.TestCase):
    def test_equality_text_and_pickle(self):
        for spec, text in (
            (tf.TensorSpec([1, None], tf.int32, 'a'),
             "TensorSpec(shape=(1, ?), dtype=tf.int32, name='a')"),
            (tf.SparseTensorSpec([2], tf.int32),
             'SparseTensorSpec(TensorShape([Dimension(2)]), tf.int32)'),
            (indexed_slices.IndexedSlicesSpec(),
             'IndexedSlicesSpec(TensorShape(None), tf.float32, tf.int64, None, '
             'TensorShape([Dimension(None)]))'),
        ):  # fmt: skip
            self.assertEqual(repr(spec), text)
            again = pickle.loads(pickle.dumps(spec))
            self.assertEqual(again, spec)
            self.assertEqual(hash(again), hash(spec))

    def test_compatibility(self):
        with tf.Graph().as_default():
            vector = tf.TensorSpec([None])
            self.assertTrue(vector.is_compatible_with(tf.constant([1.0])))
            self.assertFalse(vector.is_compatible_with(tf.constant([1])))
            self.assertFalse(vector.is_compatible_with([1.0]))
            sparse = tf.SparseTensor([[0, 1]], [2.0], [3, 4])
            self.assertTrue(tf.SparseTensorSpec([3, None]).is_compatible_with(sparse))
            self.assertEqual(tf.type_spec_from_value(sparse), tf.SparseTensorSpec([3, 4]))
        self.assertTrue(tf.TensorSpec([1]).is_subtype_of(vector))
        self.assertFalse(vector.is_subtype_of(tf.TensorSpec([1])))

    def test_common_types(self):
        one, two = tf.TensorSpec([1]), tf.TensorSpec([2])
        self.assertEqual(one.most_specific_compatible_type(two), tf.TensorSpec([None]))
        with self.assertRaisesRegex(ValueError, 'No TypeSpec is compatible with both'):
            one.most_specific_compatible_type(tf.TensorSpec([2], tf.int32))

    def test_from_tensor(self):
        with tf.Graph().as_default():
            spec = tf.TensorSpec.from_tensor(tf.constant([1.0], name='v'))
        self.assertEqual(spec, tf.TensorSpec([1], tf.float32, 'v'))
        with self.assertRaisesRegex(ValueError, 'should be a tf.Tensor'):
            tf.TensorSpec.from_tensor(3)


if __name__ == '__main__':
    unittest.main()
