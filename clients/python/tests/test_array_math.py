"""Symptom: an expression of tensors has a wrong value, shape, name or error."""

import unittest

import numpy as np
import ramet.compat.v1 as tf


class GraphTest(unittest.TestCase):
    """Each test builds in its own graph."""

    def setUp(self):
        self.graph = tf.Graph()
        scope = self.graph.as_default()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def value(self, tensor, feeds=None):
        with tf.Session(graph=self.graph) as session:
            return session.run(tensor, feeds)

    def assertValue(self, tensor, expected, feeds=None):
        np.testing.assert_allclose(self.value(tensor, feeds), expected, rtol=1e-6)

    def names(self):
        return [op.name for op in self.graph.get_operations()]


class OperatorTest(GraphTest):

    def test_number_on_either_side(self):
        x = tf.constant([1.0, 2.0], name='x')
        self.assertValue(x + 1, [2, 3])
        self.assertValue(1 - x, [0, -1])
        self.assertValue(2 / x, [2, 1])
        self.assertValue(x ** 2 % 3, [1, 1])
        self.assertEqual(self.names()[:4], ['x', 'add/y', 'add', 'sub/x'])

    def test_arrays_take_the_dtype_of_the_tensor(self):
        x = tf.constant([1.0, 2.0])
        self.assertEqual((x + np.array([1, 2])).dtype, tf.float32)
        self.assertEqual((np.array([1, 2]) * x).dtype, tf.float32)

    def test_integers_divide_as_in_python_3(self):
        x = tf.constant([7, -7])
        self.assertEqual((x / 2).dtype, tf.float64)
        self.assertValue(x / 2, [3.5, -3.5])
        self.assertValue(x // 2, [3, -4])

    def test_bools_and_bits(self):
        self.assertValue(tf.constant([True, False]) ^ True, [False, True])
        self.assertValue(~tf.constant([1, -1]) & 6, [6, 0])

    def test_dtypes_must_agree(self):
        with self.assertRaisesRegex(TypeError, 'type float32 that does not match type int32'):
            tf.constant(1) + tf.constant(1.0)
        with self.assertRaisesRegex(TypeError, 'must have the same dtype, got tf.float32'):
            tf.constant(1.0) / tf.constant(1)

    def test_none_is_no_operand(self):
        with self.assertRaisesRegex(ValueError, 'None values not supported.'):
            tf.constant(1.0) + None


class SlicingTest(GraphTest):

    def setUp(self):
        super().setUp()
        self.array = np.arange(24.0).reshape(2, 3, 4)
        self.x = tf.constant(self.array)

    def test_as_numpy(self):
        x, a = self.x, self.array
        for got, expected in ((x[1], a[1]), (x[-1, 1:], a[-1, 1:]), (x[..., 2], a[..., 2]),
                              (x[:, None, ::-1], a[:, None, ::-1]),
                              (x[:, :-1, 1:3], a[:, :-1, 1:3]),
                              (x[np.int64(1), np.array(2)], a[1, 2])):
            self.assertValue(got, expected)
            self.assertEqual(got.shape.as_list(), list(expected.shape))

    def test_tensors_as_bounds(self):
        i = tf.placeholder(tf.int32, [])
        self.assertValue(self.x[0, i], self.array[0, 2], {i: 2})
        self.assertValue(self.x[0, :i, i:], self.array[0, :2, 2:], {i: 2})

    def test_mask(self):
        self.assertValue(self.x[0][np.array([True, False, True])], self.array[0][[0, 2]])
        self.assertValue(self.x[self.x > 20], self.array[self.array > 20])

    def test_no_index(self):
        for index in (1.5, 'a', [1.5], {}):
            with self.assertRaisesRegex(TypeError, 'Only integers, slices'):
                self.x[index]


class ArrayTest(GraphTest):

    def test_known_shapes_are_constants(self):
        tf.shape(tf.zeros([2, 3]))
        self.assertEqual([op.type for op in self.graph.get_operations()], ['Const', 'Const'])

    def test_large_zeros_are_filled(self):
        self.assertEqual(tf.zeros([999]).op.type, 'Const')
        self.assertEqual(tf.zeros([1000]).op.type, 'Fill')

    def test_lists_with_tensors(self):
        n = tf.placeholder(tf.int32, [])
        self.assertValue(tf.zeros([n, 2]), np.zeros((3, 2)), {n: 3})
        self.assertValue(tf.reshape([[n, 1], [2, 3]], [-1]), [5, 1, 2, 3], {n: 5})

    def test_split_and_join(self):
        x = tf.constant(np.arange(6.0).reshape(2, 3))
        self.assertValue(tf.concat(tf.split(x, [1, 2], 1)[::-1], 1), [[1, 2, 0], [4, 5, 3]])
        self.assertValue(tf.stack(tf.unstack(x, axis=1)), [[0, 3], [1, 4], [2, 5]])

    def test_both_names_of_an_argument(self):
        with self.assertRaisesRegex(ValueError, "Cannot specify both 'dim' and 'axis'"):
            tf.expand_dims(tf.constant(1), 0, dim=0)

    def test_masks(self):
        self.assertValue(tf.sequence_mask([1, 3], dtype=tf.int32), [[1, 0, 0], [1, 1, 1]])
        self.assertValue(tf.boolean_mask([[1, 2], [3, 4]], [False, True]), [[3, 4]])

    def test_repeat_and_meshgrid(self):
        self.assertValue(tf.repeat([1, 2, 3], [0, 1, 2]), [2, 3, 3])
        for got, expected in zip(tf.meshgrid([1, 2], [3, 4, 5]), np.meshgrid([1, 2], [3, 4, 5])):
            self.assertValue(got, expected)


class MathTest(GraphTest):

    def test_old_spellings_of_reductions(self):
        x = tf.constant([[1.0, 2.0], [3.0, 5.0]])
        self.assertValue(tf.reduce_sum(x, reduction_indices=[0], keep_dims=True), [[4, 7]])
        self.assertValue(tf.argmax(x, dimension=1), [1, 1])

    def test_cast_of_the_same_dtype_is_no_node(self):
        x = tf.constant(1.0)
        self.assertIs(tf.cast(x, tf.float32), x)

    def test_einsum_as_numpy(self):
        a, b = np.random.RandomState(3).rand(2, 3, 4), np.random.RandomState(4).rand(2, 4, 5)
        for equation in ('bij,bjk->bik', 'bij,bjk->kb', 'bij,bjk->'):
            self.assertValue(tf.einsum(equation, tf.constant(a), tf.constant(b)),
                             np.einsum(equation, a, b))
        self.assertValue(tf.einsum('...ij->...ji', tf.constant(a)), a.transpose(0, 2, 1))

    def test_tensordot_as_numpy(self):
        a, b = np.random.RandomState(3).rand(2, 3, 4), np.random.RandomState(4).rand(4, 3, 5)
        self.assertValue(tf.tensordot(tf.constant(a), tf.constant(b), [[1, 2], [1, 0]]),
                         np.tensordot(a, b, [[1, 2], [1, 0]]))

    def test_range_and_linspace(self):
        self.assertValue(tf.range(1, 7, 2), [1, 3, 5])
        self.assertValue(tf.linspace(0.0, 1.0, 5), [0, 0.25, 0.5, 0.75, 1])

    def test_static_checks(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Condition x == y did not'):
            tf.assert_equal([1, 2], [1, 3])
        with self.assertRaisesRegex(ValueError, 'must have rank 2.  Received rank 1'):
            tf.assert_rank(tf.zeros([2]), 2)


class GroupTest(GraphTest):

    def test_group_runs_all(self):
        v, w = tf.Variable(1.0), tf.Variable(2.0)
        both = tf.group(v.assign(5.0), w.assign(6.0), name='both')
        self.assertEqual(both.type, 'NoOp')
        with tf.Session(graph=self.graph) as session:
            session.run(both)
            self.assertEqual(session.run([v, w]), [5.0, 6.0])


if __name__ == '__main__':
    unittest.main()
