"""tf.TensorArray: elements are read back per run, with gradients and errors."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


class TensorArrayTest(unittest.TestCase):

    def setUp(self):
        graph = tf.Graph()
        session = tf.Session(graph=graph)
        self.enterContext(graph.as_default())
        self.enterContext(session)
        self.run_ = session.run

    def test_each_run_starts_with_an_empty_array(self):
        array = tf.TensorArray(tf.float32, 2)
        value = array.write(0, [1., 2.]).read(0)
        for _ in range(3):
            np.testing.assert_array_equal(self.run_(value), [1, 2])

    def test_rows_go_in_and_come_out(self):
        rows = np.arange(6.).reshape(3, 2)
        array = tf.TensorArray(tf.float64, 3, clear_after_read=False).unstack(tf.constant(rows))
        stacked, joined = array.stack(), array.concat()
        self.assertEqual(stacked.shape.as_list(), [3, 2])
        np.testing.assert_array_equal(self.run_(stacked), rows)
        np.testing.assert_array_equal(self.run_(joined), rows.reshape(6))
        np.testing.assert_array_equal(self.run_(array.gather([2, 0])), rows[[2, 0]])

    def test_gradients_of_two_reads_add_up(self):
        x = tf.constant([1., 2.])
        array = tf.TensorArray(tf.float32, 1, clear_after_read=False).write(0, x)
        y = array.read(0) * 3. + array.read(0)
        np.testing.assert_array_equal(self.run_(tf.gradients(y, x)[0]), [4, 4])

    def test_a_failed_run_leaves_the_session_usable(self):
        array = tf.TensorArray(tf.float32, 2)
        outside = array.read(tf.placeholder_with_default(5, []))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError,
                                    'Tried to read from index 5 but array size is: 2'):
            self.run_(outside)
        self.assertEqual(self.run_(array.write(1, 7.).read(1)), 7)

    def test_shapes_must_agree(self):
        array = tf.TensorArray(tf.float32, 2).write(0, [1., 2.])
        with self.assertRaisesRegex(ValueError, r'Inconsistent shapes: saw \(1,\) but expected'):
            array.write(1, [1.])

    def test_a_huge_size_is_refused(self):
        with self.assertRaises(tf.errors.ResourceExhaustedError):
            self.run_(tf.TensorArray(tf.float32, tf.constant(2**31 - 1)).flow)

    def test_handles_and_lists_are_not_fetched(self):
        items = tf.raw_ops.EmptyTensorList(element_shape=-1, max_num_elements=-1,
                                           element_dtype=tf.float32)
        for tensor in (tf.TensorArray(tf.float32, 2).handle, items):
            with self.assertRaises(tf.errors.UnimplementedError):
                self.run_(tensor)


if __name__ == '__main__':
    unittest.main()
