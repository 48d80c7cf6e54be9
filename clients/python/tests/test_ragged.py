"""Tests of ragged tensors: making them, their parts, sessions, operators and functions that accept them."""

import pickle
import unittest

import numpy as np
import ramet.compat.v1 as tf

ROWS = [[3, 1], [], [4, 1, 5]]
NESTED = [[[1, 2], []], [], [[3], [4, 5, 6]]]


def run(value, feed_dict=None):
    with tf.Session() as session:
        result = session.run(value, feed_dict)
    return result.to_list() if hasattr(result, 'to_list') else np.asarray(result).tolist()


class GraphTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()


class FactoriesTest(GraphTest):
    def test_all_divisions_make_the_same_tensor(self):
        values = [3, 1, 4, 1, 5]
        make = tf.RaggedTensor
        for made in (make.from_row_splits(values, [0, 2, 2, 5]), make.from_row_lengths(values, [2, 0, 3]),
                     make.from_row_starts(values, [0, 2, 2]), make.from_row_limits(values, [2, 2, 5]),
                     make.from_value_rowids(values, [0, 0, 2, 2, 2])):
            self.assertEqual(run(made), ROWS)
            self.assertEqual(made.shape.as_list(), [3, None])
            self.assertEqual(run(made.row_splits), [0, 2, 2, 5])

    def test_nested(self):
        made = tf.RaggedTensor.from_nested_row_splits([1, 2, 3, 4, 5, 6], [[0, 2, 2, 4], [0, 2, 2, 3, 6]])
        self.assertEqual(run(made), NESTED)
        self.assertEqual(made.ragged_rank, 2)
        self.assertEqual(run(tf.ragged.constant(NESTED)), NESTED)

    def test_invalid_splits(self):
        with self.assertRaisesRegex(ValueError, 'row_splits tensor may not be empty'):
            tf.RaggedTensor.from_row_splits([1], [])
        with self.assertRaisesRegex(ValueError, 'must have dtype int32 or int64'):
            tf.RaggedTensor.from_row_splits([1], [0.0, 1.0])
        for splits in ([1, 2], [0, 2, 1, 2], [0, 3]):
            made = tf.RaggedTensor.from_row_splits([1, 2], splits)
            with self.assertRaises(tf.errors.InvalidArgumentError):
                run(made)

    def test_invalid_rows(self):
        with self.assertRaisesRegex(ValueError, r'Expected nrows >= value_rowids\[-1\] \+ 1; got nrows=2'):
            tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=2)
        with self.assertRaisesRegex(ValueError, 'Expected nrows >= 0; got -2'):
            tf.RaggedTensor.from_value_rowids([1, 2, 3], [0, 0, 2], nrows=-2)

    def test_the_constructor_is_private(self):
        with self.assertRaisesRegex(ValueError, 'RaggedTensor constructor is private'):
            tf.RaggedTensor([1], [0, 1])

    def test_dense_and_sparse(self):
        dense = [[3, 1, 0], [0, 0, 0], [4, 1, 5]]
        self.assertEqual(run(tf.ragged.constant(ROWS).to_tensor()), dense)
        self.assertEqual(run(tf.RaggedTensor.from_tensor(dense, padding=0)), ROWS)
        self.assertEqual(run(tf.RaggedTensor.from_tensor(dense, lengths=[2, 0, 3])), ROWS)
        sparse = tf.ragged.constant(ROWS).to_sparse()
        self.assertEqual(run(tf.RaggedTensor.from_sparse(sparse)), ROWS)
        self.assertEqual(run(tf.ragged.constant(ROWS).to_tensor(9, shape=[2, 4])), [[3, 1, 9, 9], [9] * 4])

    def test_constants(self):
        self.assertEqual(tf.ragged.constant_value(NESTED).to_list(), NESTED)
        self.assertEqual(tf.ragged.constant([[]], ragged_rank=2).shape.as_list(), [1, None, None])
        with self.assertRaisesRegex(ValueError, 'all scalar values must have the same nesting depth'):
            tf.ragged.constant([1, [2]])


class PartsTest(GraphTest):
    def test_rows(self):
        made = tf.ragged.constant(NESTED)
        self.assertEqual(run(made.nrows()), 3)
        self.assertEqual(run(made.row_lengths()), [2, 0, 2])
        self.assertEqual(run(made.row_lengths(axis=2)), [[2, 0], [], [1, 3]])
        self.assertEqual(run(made.value_rowids()), [0, 0, 2, 2])
        self.assertEqual(run(made.bounding_shape()), [3, 2, 3])
        self.assertEqual(run(made.bounding_shape(axis=1)), 2)
        self.assertEqual(run(made.merge_dims(1, 2)), [[1, 2], [], [3, 4, 5, 6]])
        self.assertEqual(run(made.with_flat_values(list('abcdef')).values[2]), [b'c'])

    def test_dtypes_of_splits(self):
        short = tf.ragged.constant(ROWS, row_splits_dtype=tf.int32)
        self.assertEqual(short.row_splits.dtype, tf.int32)
        self.assertEqual(short.with_row_splits_dtype(tf.int64).row_splits.dtype, tf.int64)
        with self.assertRaisesRegex(ValueError, 'mismatched row_splits dtypes'):
            tf.concat([short, tf.ragged.constant(ROWS)], 0)

    def test_no_conversion_to_a_dense_tensor(self):
        with self.assertRaisesRegex(TypeError, 'Failed to convert elements of tf.RaggedTensor'):
            tf.convert_to_tensor(tf.ragged.constant(ROWS))
        with self.assertRaisesRegex(TypeError, 'may not be used as a boolean'):
            bool(tf.ragged.constant(ROWS))


class SessionTest(GraphTest):
    def test_feeds(self):
        fed = tf.ragged.placeholder(tf.int32, 2)
        self.assertEqual(run(fed + 1, {fed: tf.ragged.constant_value(NESTED, np.int32)}),
                         [[[2, 3], []], [], [[4], [5, 6, 7]]])

    def test_values_in_structures(self):
        with tf.Session() as session:
            result = session.run({'a': [tf.ragged.constant(ROWS), tf.constant(1)]})
        self.assertEqual(repr(result['a'][0].row_splits), 'array([0, 2, 2, 5])')
        self.assertEqual(result['a'][0].to_list(), ROWS)

    def test_gradients(self):
        x = tf.constant([1.0, 2.0, 3.0, 4.0, 5.0])
        rows = tf.RaggedTensor.from_row_splits(x, [0, 2, 2, 5])
        for y, expected in ((tf.reduce_sum(rows * rows, 1), [2, 4, 6, 8, 10]),
                            (tf.gather(rows, [2, 2]).flat_values, [0, 0, 2, 2, 2]),
                            (rows.to_tensor(), [1] * 5)):
            grad = tf.convert_to_tensor(tf.gradients(y, x)[0])
            self.assertEqual(run(grad), expected)


class OperatorsTest(GraphTest):
    def test_arithmetic(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(rows + 1), [[4, 2], [], [5, 2, 6]])
        self.assertEqual(run(10 - rows), [[7, 9], [], [6, 9, 5]])
        self.assertEqual(run(tf.constant(2) * rows), [[6, 2], [], [8, 2, 10]])
        self.assertEqual(run(rows * rows), [[9, 1], [], [16, 1, 25]])
        self.assertEqual(run(-rows), [[-3, -1], [], [-4, -1, -5]])
        self.assertEqual(run((rows > 2) & (rows < 5)), [[True, False], [], [True, False, False]])

    def test_broadcast(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(rows + [[10], [20], [30]]), [[13, 11], [], [34, 31, 35]])
        column = tf.placeholder_with_default([[10], [20], [30]], [None, None])
        self.assertEqual(run(column + rows), [[13, 11], [], [34, 31, 35]])
        with self.assertRaises(tf.errors.InvalidArgumentError):
            run(rows + [[1, 2]])

    def test_indices(self):
        nested = tf.ragged.constant(NESTED)
        self.assertEqual(run(nested[2]), [[3], [4, 5, 6]])
        self.assertEqual(run(nested[-1, 1, 0]), 4)
        self.assertEqual(run(nested[:, 1:]), [[[]], [], [[4, 5, 6]]])
        self.assertEqual(run(nested[::-1, :, :1]), [[[3], [4]], [], [[1], []]])
        self.assertEqual(run(nested[:, ::-1]), [[[], [1, 2]], [], [[4, 5, 6], [3]]])
        self.assertEqual(run(nested[..., :1]), [[[1], []], [], [[3], [4]]])
        with self.assertRaisesRegex(ValueError, 'Cannot index into an inner ragged dimension'):
            nested[:, 0]


class DispatchTest(GraphTest):
    def test_functions_keep_their_identity(self):
        self.assertIs(tf.add, tf.math.add)
        self.assertIs(pickle.loads(pickle.dumps(tf.nn.relu)), tf.nn.relu)
        self.assertEqual(tf.reduce_sum.__name__, 'reduce_sum')

    def test_element_wise(self):
        self.assertEqual(run(tf.cast(tf.ragged.constant(ROWS), tf.bool)), [[True] * 2, [], [True] * 3])
        self.assertEqual(run(tf.maximum(y=tf.ragged.constant(ROWS), x=2)), [[3, 2], [], [4, 2, 5]])

    def test_reductions(self):
        rows = tf.ragged.constant(ROWS, dtype=tf.float32)
        self.assertEqual(run(tf.reduce_sum(rows, 1)), [4, 0, 10])
        self.assertEqual(run(tf.reduce_sum(rows, 0)), [7, 2, 5])
        self.assertEqual(run(tf.reduce_max(rows)), 5)
        self.assertEqual(run(tf.reduce_mean(rows, axis=1, keepdims=True))[0], [2])

    def test_concat_and_gather(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(tf.concat([rows, rows], 1)), [[3, 1, 3, 1], [], [4, 1, 5, 4, 1, 5]])
        self.assertEqual(run(tf.stack([rows, rows], axis=1)), [[row, row] for row in ROWS])
        self.assertEqual(run(tf.gather(rows, [[2], [0]])), [[ROWS[2]], [ROWS[0]]])
        self.assertEqual(run(tf.gather(rows, tf.ragged.constant([[1], [], [0, 2]]), batch_dims=1)),
                         [[1], [], [4, 5]])

    def test_map_and_mask(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(tf.ragged.map_flat_values(tf.add, rows, 1)), [[4, 2], [], [5, 2, 6]])
        with self.assertRaisesRegex(ValueError, 'same outer-dimension size as flat_values'):
            tf.ragged.map_flat_values(tf.reduce_sum, rows)
        self.assertEqual(run(tf.ragged.boolean_mask(rows, rows > 2)), [[3], [], [4, 5]])
        self.assertEqual(run(tf.ragged.boolean_mask(rows, [True, False, True])), [ROWS[0], ROWS[2]])

    def test_dimensions(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(tf.tile(rows, [2, 2])), [row * 2 for row in ROWS] * 2)
        self.assertEqual(run(tf.expand_dims(rows, 1)), [[row] for row in ROWS])
        self.assertEqual(run(tf.squeeze(tf.expand_dims(rows, 0), [0])), ROWS)
        self.assertEqual(run(tf.reverse(rows, [0, 1])), [[5, 1, 4], [], [1, 3]])
        self.assertEqual(run([tf.size(rows), tf.rank(rows)]), [5, 2])
        self.assertEqual(run(tf.cumsum(rows, axis=1)), [[3, 4], [], [4, 5, 10]])

    def test_where(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(tf.where(rows > 2)), [[0, 0], [2, 0], [2, 2]])
        self.assertEqual(run(tf.where(rows > 2, rows, -rows)), [[3, -1], [], [4, -1, 5]])
        self.assertEqual(run(tf.where([True, False, True], rows, -rows)), ROWS)
        self.assertEqual(run(tf.where_v2(rows > 2, rows, [[7], [8], [9]])), [[3, 7], [], [4, 9, 5]])
        self.assertEqual(run(tf.where_v2(rows > 2, 1, 0)), [[1, 0], [], [1, 0, 1]])

    def test_segments_and_partitions(self):
        rows = tf.ragged.constant(ROWS)
        self.assertEqual(run(tf.math.unsorted_segment_sum(rows, [0, 1, 0], 2)), [[7, 2, 5], []])
        ids = tf.ragged.constant([[0, 1], [], [1, 1, 0]])
        self.assertEqual(run(tf.math.unsorted_segment_sum(rows, ids, 2)), [8, 6])
        self.assertEqual(run(tf.ragged.stack_dynamic_partitions(rows, ids, 2)), [[3, 5], [1, 4, 1]])
        self.assertEqual([run(part) for part in tf.dynamic_partition(rows, [1, 0, 1], 2)],
                         [[[]], [ROWS[0], ROWS[2]]])
        self.assertEqual(run(tf.gather_nd(rows, [[0, 1], [2, 2]])), [1, 5])

    def test_embeddings(self):
        table = tf.constant([[0.0], [1.0], [2.0], [3.0], [4.0], [5.0]])
        found = tf.nn.embedding_lookup(table, tf.ragged.constant(ROWS))
        self.assertEqual(run(found), [[[float(i)] for i in row] for row in ROWS])

    def test_branches_and_loops(self):
        rows = tf.ragged.constant(ROWS)
        chosen = tf.cond(tf.placeholder_with_default(True, []), lambda: rows, lambda: rows + 1)
        self.assertEqual(run(chosen), ROWS)
        _, last = tf.while_loop(lambda i, x: i < 3, lambda i, x: (i + 1, x + 1), [0, rows])
        self.assertEqual(run(last), [[6, 4], [], [7, 4, 8]])
        with tf.control_dependencies([rows]):
            self.assertEqual(run(tf.identity(rows)), ROWS)
        with tf.Session() as session:
            session.run(tf.group(rows))

    def test_range(self):
        self.assertEqual(run(tf.ragged.range([2, 0, 3])), [[0, 1], [], [0, 1, 2]])
        self.assertEqual(run(tf.ragged.row_splits_to_segment_ids([0, 2, 2, 5])), [0, 0, 2, 2, 2])
        self.assertEqual(run(tf.ragged.segment_ids_to_row_splits([0, 0, 2])), [0, 2, 2, 3])


if __name__ == '__main__':
    unittest.main()
