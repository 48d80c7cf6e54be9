"""tf.nn, tf.random, tf.losses, tf.metrics and initializers by their values."""

import gc
import unittest
import weakref

import numpy as np
import ramet.compat.v1 as tf


class NnTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            return session.run(fetches, feeds)

    def test_softmax_along_each_axis_sums_to_one(self):
        x = tf.placeholder(tf.float32, [2, 3, 4])
        value = np.random.RandomState(0).rand(2, 3, 4)
        for axis in (-1, 0, 1, 2):
            total = self.run_(tf.nn.softmax(x, axis=axis), {x: value}).sum(axis)
            np.testing.assert_allclose(total, np.ones_like(total), rtol=1e-5)

    def test_dropout_scales_what_stays(self):
        dropped = self.run_(tf.nn.dropout(tf.ones([1000]), rate=0.25, seed=1))
        self.assertEqual({0.0, np.float32(1 / 0.75)}, set(dropped.tolist()))
        self.assertAlmostEqual(1.0, dropped.mean(), delta=0.1)

    def test_dropout_needs_a_rate(self):
        with self.assertRaisesRegex(ValueError, '`rate` must be provided'):
            tf.nn.dropout(tf.ones([3]))
        with self.assertRaisesRegex(ValueError, "both 'keep_prob' and 'rate'"):
            tf.nn.dropout(tf.ones([3]), 0.5, rate=0.5)

    def test_seeds_give_the_same_numbers_again(self):
        tf.set_random_seed(3)
        draws = [tf.random_normal([4]), tf.random_uniform([4]), tf.truncated_normal([4])]
        first, second = self.run_(draws), self.run_(draws)
        for a, b in zip(first, second):
            np.testing.assert_array_equal(a, b)

    def test_losses_are_collected(self):
        loss = tf.losses.mean_squared_error([1.0, 2.0], [2.0, 4.0])
        self.assertEqual([loss], tf.losses.get_losses())
        total = tf.losses.get_total_loss()
        self.assertEqual([2.5, 2.5], self.run_([loss, total]))

    def test_weights_that_do_not_broadcast_are_refused(self):
        with self.assertRaisesRegex(ValueError, 'weights can not be broadcast to values'):
            tf.losses.mean_squared_error(tf.ones([4, 3]), tf.ones([4, 3]), weights=tf.ones([2, 3]))

    def test_accuracy_counts_over_batches(self):
        x = tf.placeholder(tf.int64, [2])
        value, update = tf.metrics.accuracy([1, 2], x)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            session.run(update, {x: [1, 2]})
            session.run(update, {x: [1, 3]})
            self.assertEqual(0.75, session.run(value))

    def test_the_mean_of_a_fed_tensor_is_updated(self):
        x = tf.placeholder(tf.float32, [2])
        _, update = tf.metrics.mean(x)
        self.assertEqual(1.5, self.run_(update, {x: [1.0, 2.0]}))

    def test_global_norm_is_clipped(self):
        clipped, norm = tf.clip_by_global_norm([tf.constant([3.0]), None, tf.constant([4.0])], 1.0)
        self.assertIsNone(clipped[1])
        a, b, norm = self.run_([clipped[0], clipped[2], norm])
        np.testing.assert_allclose([a[0], b[0], norm], [0.6, 0.8, 5.0], rtol=1e-6)

    def test_initializers_are_made_again_from_their_config(self):
        made = tf.variance_scaling_initializer(2.0, 'fan_out', 'uniform', seed=4)
        again = tf.variance_scaling_initializer.from_config(made.get_config())
        np.testing.assert_array_equal(*self.run_([made([3, 4]), again([3, 4])]))

    def test_identity_of_a_part(self):
        class Part:
            full_shape = [4, 3]
            var_offset = [1, 0]

        rows = self.run_(tf.initializers.identity(gain=2.0)([2, 3], partition_info=Part))
        self.assertEqual([[0.0, 2.0, 0.0], [0.0, 0.0, 2.0]], rows.tolist())

    def test_gradients_of_a_gather_are_slices(self):
        v = tf.Variable([[1.0], [2.0]])
        gradient, = tf.gradients(tf.gather(v, [1]), [v])
        self.assertIsInstance(gradient, tf.IndexedSlices)
        self.assertEqual([1], self.run_(gradient.indices).tolist())

    def test_a_python_function_is_an_op(self):
        x = tf.placeholder(tf.float32, [2])
        y = tf.py_func(lambda a: (a * 2, 'text'), [x], [tf.float32, tf.string])
        doubled, text = self.run_(y, {x: [1.0, 2.0]})
        self.assertEqual([2.0, 4.0], doubled.tolist())
        self.assertEqual(b'text', text)

    def test_a_python_function_without_results_is_an_operation(self):
        calls = []
        self.run_(tf.py_func(calls.append, [tf.constant(3)], []))
        self.assertEqual([3], calls)

    def test_a_python_function_lives_as_long_as_its_graph(self):
        class Function:
            def __call__(self):
                return 1.0

        function = Function()
        alive = weakref.ref(function)
        graph = tf.Graph()
        with graph.as_default():
            tf.py_func(function, [], tf.float64)
        del function
        gc.collect()
        self.assertIsNotNone(alive())
        del graph
        gc.collect()
        self.assertIsNone(alive())

    def test_embedding_rows_come_from_their_parts(self):
        parts = [tf.constant([[0.0], [2.0]]), tf.constant([[1.0], [3.0]])]
        rows = self.run_(tf.nn.embedding_lookup(parts, [3, 0, 1]))
        self.assertEqual([[3.0], [0.0], [1.0]], rows.tolist())


if __name__ == '__main__':
    unittest.main()
