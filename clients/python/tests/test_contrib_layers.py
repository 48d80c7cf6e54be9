"""tf.contrib.layers.optimize_loss, summaries and spatial layers, and functions of tf.contrib.framework."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

framework = tf.contrib.framework
layers = tf.contrib.layers


class LayersTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)


class OptimizeLossTest(LayersTest):

    def train(self, optimizer, rate=0.1, steps=1, **arguments):
        """Returns the variable and the global step after some steps."""
        v = tf.get_variable('v', initializer=[3., 4.])
        step = tf.train.get_or_create_global_step()
        loss = layers.optimize_loss(tf.reduce_sum(v ** 2) / 2, step, rate, optimizer, **arguments)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(steps):
                session.run(loss)
            return session.run([v, step])

    def test_optimizers(self):
        for optimizer in ('SGD', tf.train.GradientDescentOptimizer,
                          tf.train.GradientDescentOptimizer(0.1),
                          lambda rate: tf.train.GradientDescentOptimizer(rate)):
            tf.reset_default_graph()
            v, step = self.train(optimizer)
            np.testing.assert_allclose([2.7, 3.6], v, rtol=1e-5)
            self.assertEqual(1, step)
        for name in layers.OPTIMIZER_CLS_NAMES:
            tf.reset_default_graph()
            v, _ = self.train(name)
            self.assertTrue((v < [3, 4]).all())

    def test_gradients(self):
        v, _ = self.train('SGD', clip_gradients=1.)
        np.testing.assert_allclose([2.94, 3.92], v, rtol=1e-5)
        tf.reset_default_graph()
        v, _ = self.train('SGD', gradient_multipliers={'v:0': 2.})
        np.testing.assert_allclose([2.4, 3.2], v, rtol=1e-5)
        tf.reset_default_graph()
        v, _ = self.train('SGD', gradient_noise_scale=0.5)
        self.assertFalse(np.allclose([2.7, 3.6], v))

    def test_decay_updates_and_summaries(self):
        counter = tf.Variable(0.)
        v, step = self.train(
            'SGD', learning_rate_decay_fn=lambda rate, step: rate / 2, summaries=list(
                layers.OPTIMIZER_SUMMARIES), update_ops=[tf.assign_add(counter, 1.)],
            increment_global_step=False, variables=None)
        np.testing.assert_allclose([2.85, 3.8], v, rtol=1e-5)
        self.assertEqual(0, step)
        self.assertEqual(
            ['OptimizeLoss/learning_rate', 'OptimizeLoss/loss',
             'OptimizeLoss/global_norm/gradient_norm', 'OptimizeLoss/gradients/v_0',
             'OptimizeLoss/gradient_norm/v_0'],
            [s.op.name.replace('_1', '') if 'learning' in s.op.name else s.op.name
             for s in tf.get_collection(tf.GraphKeys.SUMMARIES)])

    def test_wrong_arguments(self):
        for optimizer, rate, message in (
                ('Sgd', 0.1, 'Optimizer name should be one of'), ('SGD', None, 'rate is None'),
                ('SGD', -1., 'Invalid learning_rate -1.0'), (3, 0.1, 'Unrecognized optimizer')):
            tf.reset_default_graph()
            with self.assertRaisesRegex(ValueError, message):
                self.train(optimizer, rate)


class SpatialTest(LayersTest):

    def test_expected_coordinates(self):
        features = np.full([1, 3, 5, 2], -100., np.float32)
        features[0, 0, 4, 0] = features[0, 2, 0, 1] = 100.
        for data_format, x in (('NHWC', features), ('NCHW', features.transpose(0, 3, 1, 2))):
            tf.reset_default_graph()
            got = self.run_(layers.spatial_softmax(tf.constant(x), data_format=data_format))
            np.testing.assert_allclose([[-1, 1, 1, -1]], got, atol=1e-5)

    def test_sequences_of_pixels(self):
        images = tf.constant(np.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5))
        sequence = layers.images_to_sequence(images)
        self.assertEqual([4, 6, 5], sequence.shape.as_list())
        got = self.run_([images, sequence, layers.sequence_to_images(sequence, 3)])
        np.testing.assert_array_equal(got[0], got[2])
        np.testing.assert_array_equal(got[0][1, 2], got[1][:, 5])

    def test_sparse(self):
        sparse = self.run_(layers.dense_to_sparse([[1, 0], [0, 2]]))
        np.testing.assert_array_equal([[0, 0], [1, 1]], sparse.indices)
        np.testing.assert_array_equal([1, 2], sparse.values)

    def test_summaries(self):
        x = tf.nn.relu(tf.ones([2], name='x'), name='r')
        tf.add_to_collection(tf.GraphKeys.ACTIVATIONS, x)
        layers.summarize_activations()
        layers.summarize_tensors([x, tf.constant(1., name='c')])
        self.assertEqual(4, len(tf.get_collection(tf.GraphKeys.SUMMARIES)))


class FrameworkTest(LayersTest):

    def test_shapes(self):
        x = tf.placeholder(tf.float32, [None, 2])
        checked = framework.with_shape([3, 2], x)
        self.assertEqual([3, 2], checked.shape.as_list())
        self.run_(checked, {x: np.ones([3, 2])})
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.run_(checked, {x: np.ones([2, 2])})
        with self.assertRaisesRegex(ValueError, 'Invalid shape for tensor'):
            framework.with_shape([3, 3], x)
        self.assertEqual([3, 2], framework.with_same_shape(tf.ones([3, 2]), x).shape.as_list())
        self.assertEqual([x], framework.get_placeholders(tf.get_default_graph()))

    def test_sums_and_scalars(self):
        self.assertEqual(7, self.run_(framework.reduce_sum_n([tf.constant([1, 2]), tf.constant(4)])))
        framework.assert_scalar_int(tf.constant(3))
        with self.assertRaisesRegex(ValueError, 'Expected int32 or int64'):
            framework.assert_scalar_int(tf.constant(3.))

    def test_name_scopes(self):
        with tf.name_scope('a'), tf.name_scope('b'):
            self.assertEqual('a/b', framework.get_name_scope())
        self.assertEqual('^a/x', framework.prepend_name_scope('^x', 'a'))
        self.assertEqual('loc:@x', framework.strip_name_scope('loc:@a/x', 'a'))

    def test_deprecated(self):
        @framework.deprecated('2020-01-01', 'Use g.')
        def f(x):
            return x + 1

        self.assertEqual(3, f(2))


if __name__ == '__main__':
    unittest.main()
