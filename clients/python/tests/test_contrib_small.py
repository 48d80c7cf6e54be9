"""tf.contrib.nn, tf.contrib.util, slim.queues, and older layers of tf.contrib.layers."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

layers = tf.contrib.layers
slim = tf.contrib.slim


class SmallTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)

    def run_(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def test_alpha_dropout(self):
        x = tf.constant(np.random.RandomState(0).randn(200, 200), tf.float32)
        got, all_kept = self.run_([tf.contrib.nn.alpha_dropout(x, 0.7, seed=1),
                                   tf.contrib.nn.alpha_dropout(x, 1.)])
        self.assertAlmostEqual(0, got.mean(), delta=0.02)
        self.assertAlmostEqual(1, got.std(), delta=0.02)
        np.testing.assert_allclose(self.run_(x), all_kept, atol=1e-6)
        with self.assertRaisesRegex(ValueError, 'in the range'):
            tf.contrib.nn.alpha_dropout(x, 0.)

    def test_functions_of_logits(self):
        x = np.array([[1., -2., 0.5]], np.float32)
        nn = tf.contrib.nn
        got = self.run_([nn.scaled_softplus(x, 2.), nn.scaled_softplus(x, 2., clip=1.)])
        want = 2 * np.log1p(np.exp(x / 2))
        np.testing.assert_allclose([want, np.minimum(want, 1)], got, rtol=1e-5)
        labels = np.array([[0., 1., 0.]], np.float32)
        pairs = [(nn.deprecated_flipped_softmax_cross_entropy_with_logits(x, labels),
                  tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)),
                 (nn.deprecated_flipped_sparse_softmax_cross_entropy_with_logits(x, [1]),
                  tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=x)),
                 (nn.deprecated_flipped_sigmoid_cross_entropy_with_logits(x, labels),
                  tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=x))]
        for a, b in self.run_(pairs):
            np.testing.assert_allclose(a, b, rtol=1e-5)

    def test_ops_of_a_graph(self):
        tf.add(tf.constant(1), tf.constant(2))
        self.assertEqual({'Const', 'Add'}, {op.removesuffix('V2') for op in tf.contrib.util.ops_used_by_graph_def(
            tf.get_default_graph().as_graph_def())})

    def test_threads_of_queues(self):
        batch = tf.train.batch([tf.constant(3)], 2)
        with tf.Session() as session, slim.queues.QueueRunners(session):
            self.assertEqual([3, 3], session.run(batch).tolist())
            with self.assertRaises(slim.queues.NestedQueueRunnerError), slim.queues.QueueRunners(session):
                pass

    def test_legacy_layers(self):
        x = np.random.RandomState(0).randn(2, 3, 4).astype(np.float32)
        made = layers.legacy_relu(tf.constant(x), 5, bias_init=tf.ones_initializer())
        linear = layers.legacy_linear(tf.constant(x[0]), 5, bias_init=None, name='l')
        self.assertEqual([2, 3, 5], made.shape.as_list())
        self.assertEqual(['fully_connected/weights', 'fully_connected/bias', 'l/weights'],
                         [v.op.name for v in tf.trainable_variables()])
        self.assertEqual([made, linear], tf.get_collection(tf.GraphKeys.ACTIVATIONS))
        made, w, linear, w_linear = self.run_([made, tf.trainable_variables()[0], linear,
                                               tf.trainable_variables()[2]])
        np.testing.assert_allclose(np.maximum(x @ w + 1, 0), made, rtol=1e-4, atol=1e-5)
        np.testing.assert_allclose(x[0] @ w_linear, linear, rtol=1e-4, atol=1e-5)

    def test_convolutions_of_each_channel(self):
        x = np.random.RandomState(0).rand(1, 4, 4, 2).astype(np.float32)
        outputs = layers.conv2d_in_plane(tf.constant(x), [1, 2], padding='VALID',
                                         weights_initializer=tf.constant_initializer([1., -1.]),
                                         activation_fn=None)
        np.testing.assert_allclose(x[:, :, :-1] - x[:, :, 1:], self.run_(outputs), atol=1e-6)
        self.assertEqual(['ConvInPlane/weights', 'ConvInPlane/biases'],
                         [v.op.name for v in tf.model_variables()])


if __name__ == '__main__':
    unittest.main()
