"""tf.layers: the variables that layers create, their names, and the results."""

import unittest

import numpy as np
import ramet.compat.v1 as tf


def names(variables):
    return [v.name for v in variables]


class LayersTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)

    def test_dense_computes_with_its_variables(self):
        x = np.array([[1., 2.], [3., 4.]], np.float32)
        y = tf.layers.dense(x, 3, kernel_initializer=tf.constant_initializer([1, 2, 3, 4, 5, 6]),
                            bias_initializer=tf.ones_initializer())
        self.assertEqual(['dense/kernel:0', 'dense/bias:0'], names(tf.trainable_variables()))
        expected = x @ np.array([[1, 2, 3], [4, 5, 6]]) + 1
        np.testing.assert_array_equal(expected, self.run_(y))

    def test_scopes_are_numbered(self):
        x = tf.placeholder(tf.float32, [None, 4])
        for _ in range(2):
            tf.layers.dense(x, 2, use_bias=False)
        with tf.variable_scope('s'):
            tf.layers.dense(x, 2, use_bias=False)
        self.assertEqual(['dense/kernel:0', 'dense_1/kernel:0', 's/dense/kernel:0'],
                         names(tf.global_variables()))

    def test_reuse_needs_the_same_shape(self):
        x = tf.placeholder(tf.float32, [None, 4])
        first = tf.layers.dense(x, 2, name='d', kernel_regularizer=tf.reduce_sum)
        again = tf.layers.dense(x, 2, name='d', reuse=True, kernel_regularizer=tf.reduce_sum)
        self.assertIs(first.op.inputs[1].op.inputs[0].op, again.op.inputs[1].op.inputs[0].op)
        self.assertEqual(1, len(tf.losses.get_regularization_losses()))
        with self.assertRaisesRegex(ValueError, r'd/kernel, but specified shape \(4, 3\)'):
            tf.layers.dense(x, 3, name='d', reuse=True)
        with self.assertRaisesRegex(ValueError, 'd/kernel already exists'):
            tf.layers.dense(x, 2, name='d')

    def test_a_layer_called_twice_has_one_set_of_variables(self):
        layer = tf.layers.Dense(2)
        x, y = tf.ones([1, 3]), tf.zeros([1, 3])
        a, b = layer(x), layer.apply(y)
        self.assertEqual([a, b], [layer.get_output_at(0), layer.get_output_at(1)])
        self.assertEqual(('dense', 8, True), (layer.scope_name, layer.count_params(), layer.built))
        self.assertEqual(2, len(tf.global_variables()))
        with self.assertRaisesRegex(AttributeError, 'multiple inbound nodes'):
            layer.output
        values = self.run_([a, b])
        self.assertFalse(np.allclose(values[0], values[1]))

    def test_own_layer(self):
        class Scale(tf.layers.Layer):

            def build(self, shape):
                self.scale = self.add_weight('scale', shape[1:],
                                             initializer=tf.ones_initializer())
                self.calls = self.add_weight('calls', [], trainable=False,
                                             initializer=tf.zeros_initializer())
                super().build(shape)

            def call(self, inputs, by=1.):
                self.add_loss(tf.reduce_sum(inputs))
                self.add_update(tf.assign_add(self.calls, 1.))
                return inputs * self.scale * by

        layer = Scale(name='own')
        x = tf.constant([[1., 2.]])
        y = layer(x, by=3.)
        self.assertEqual((['own/scale:0'], ['own/calls:0']),
                         (names(layer.trainable_weights), names(layer.non_trainable_weights)))
        self.assertEqual(layer.losses, tf.get_collection(tf.GraphKeys.REGULARIZATION_LOSSES))
        self.assertEqual(layer.updates, tf.get_collection(tf.GraphKeys.UPDATE_OPS))
        self.assertEqual([layer.losses, []], [layer.get_losses_for(x), layer.get_losses_for(None)])
        self.assertEqual([layer.updates, []],
                         [layer.get_updates_for(None), layer.get_updates_for(x)])
        np.testing.assert_array_equal([[3., 6.]], self.run_(y))
        layer.trainable = False
        self.assertEqual([], layer.trainable_variables)

    def test_what_does_not_fit_is_refused(self):
        image = tf.placeholder(tf.float32, [None, 4, 4, 3])
        for message, call in (
                ('expected min_ndim=2, found ndim=1',
                 lambda: tf.layers.dense(tf.ones([3]), 2)),
                ('last dimension of the inputs to `Dense` should be defined',
                 lambda: tf.layers.dense(tf.placeholder(tf.float32, [2, None]), 2)),
                ('expected ndim=4, found ndim=3', lambda: tf.layers.conv2d(image[0], 2, 3)),
                ('`kernel_size` argument must be a tuple of 2 integers',
                 lambda: tf.layers.conv2d(image, 2, [1, 2, 3])),
                ('`padding` argument', lambda: tf.layers.conv2d(image, 2, 3, padding='full')),
                ('`data_format` argument',
                 lambda: tf.layers.max_pooling2d(image, 2, 2, data_format='NHWC')),
                ('channel dimension of the inputs should be defined', lambda: tf.layers.conv2d(
                    tf.placeholder(tf.float32, [1, 4, 4, None]), 2, 3))):
            with self.assertRaisesRegex(ValueError, message):
                call()
        with self.assertRaisesRegex(TypeError, 'conv2d.. missing a required argument'):
            tf.layers.conv2d(image)

    def test_activations_and_initializers_by_name(self):
        x = tf.constant([[1., -3.]])
        y = tf.layers.dense(x, 1, 'relu', kernel_initializer='ones', bias_initializer='ones')
        self.assertEqual('dense/Relu', y.op.name)
        np.testing.assert_array_equal([[0.]], self.run_(y))
        with self.assertRaisesRegex(ValueError, 'Unknown activation function: rleu'):
            tf.layers.dense(x, 1, 'rleu')
        with self.assertRaisesRegex(ValueError, 'Unknown initializer: one'):
            tf.layers.dense(x, 1, kernel_initializer='one')

    def test_convolution_of_ones_counts(self):
        image = tf.ones([1, 3, 3, 1])
        ones = tf.ones_initializer()
        same = tf.layers.conv2d(image, 1, 3, padding='same', kernel_initializer=ones)
        self.assertEqual(['conv2d/kernel:0', 'conv2d/bias:0'], names(tf.global_variables()))
        transposed = tf.layers.conv2d_transpose(image[:, :2, :2], 1, 2, kernel_initializer=ones)
        line = tf.layers.conv1d(image[0], 1, 2, kernel_initializer=ones)
        values = self.run_([same, transposed, line])
        np.testing.assert_array_equal([[4, 6, 4], [6, 9, 6], [4, 6, 4]], values[0][0, ..., 0])
        np.testing.assert_array_equal([[1, 2, 1], [2, 4, 2], [1, 2, 1]], values[1][0, ..., 0])
        np.testing.assert_array_equal(np.full([3, 2, 1], 2), values[2])

    def test_pooling(self):
        image = tf.reshape(tf.range(16.), [1, 4, 4, 1])
        pooled = [tf.layers.max_pooling2d(image, 2, 2), tf.layers.average_pooling2d(image, 2, 2),
                  tf.layers.max_pooling1d(image[0], 2, 2)]
        most, mean, line = self.run_(pooled)
        np.testing.assert_array_equal([[5, 7], [13, 15]], most[0, ..., 0])
        np.testing.assert_array_equal([[2.5, 4.5], [10.5, 12.5]], mean[0, ..., 0])
        np.testing.assert_array_equal([[1, 3], [5, 7], [9, 11], [13, 15]], line[..., 0])

    def test_flatten_and_dropout(self):
        x = tf.ones([2, 3, 4])
        flat = tf.layers.flatten(x)
        self.assertEqual([2, 12], flat.shape.as_list())
        kept, dropped = self.run_([tf.layers.dropout(flat),
                                   tf.layers.dropout(flat, 0.5, training=True, seed=1)])
        np.testing.assert_array_equal(np.ones([2, 12]), kept)
        self.assertEqual({0., 2.}, set(dropped.ravel().tolist()))
        unknown = tf.layers.flatten(tf.placeholder(tf.float32, [None, None, 3]))
        self.assertEqual([None, None], unknown.shape.as_list())


class BatchNormalizationTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        self.batch = np.random.RandomState(0).rand(6, 2, 2, 3).astype(np.float32)

    def check(self, fused, axes=(0, 1, 2)):
        x = tf.placeholder(tf.float32, self.batch.shape)
        training = tf.layers.batch_normalization(x, training=True, fused=fused, name='bn')
        serving = tf.layers.batch_normalization(x, fused=fused, name='bn', reuse=True)
        updates = tf.get_collection(tf.GraphKeys.UPDATE_OPS)
        self.assertEqual(2, len(updates))
        self.assertEqual(['bn/gamma:0', 'bn/beta:0', 'bn/moving_mean:0', 'bn/moving_variance:0'],
                         names(tf.global_variables()))
        self.assertEqual(['bn/gamma:0', 'bn/beta:0'], names(tf.trainable_variables()))
        mean, variance = self.batch.mean(axes), self.batch.var(axes)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            np.testing.assert_allclose((self.batch - mean) / np.sqrt(variance + 1e-3),
                                       session.run(training, {x: self.batch}), atol=2e-5)
            session.run(updates, {x: self.batch})
            moving = session.run(tf.global_variables()[2:])
            np.testing.assert_allclose(mean * .01, moving[0], rtol=1e-4)
            np.testing.assert_allclose(
                (self.batch - moving[0]) / np.sqrt(moving[1] + 1e-3),
                session.run(serving, {x: self.batch}), atol=2e-5)

    def test_fused(self):
        self.check(None)

    def test_composed(self):
        self.check(False)

    def test_rank_2(self):
        self.batch = self.batch[:, 0, 0]
        self.check(None, (0,))

    def test_channels_second(self):
        x = tf.constant(self.batch)
        y = tf.layers.batch_normalization(x, axis=1, training=True, fused=False)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value = session.run(y)
        np.testing.assert_allclose(np.zeros(2), value.mean((0, 2, 3)), atol=1e-5)

    def test_what_is_absent_says_so(self):
        x = tf.constant(self.batch)
        for wanted in ('renorm', 'virtual_batch_size', 'adjustment'):
            with self.assertRaisesRegex(NotImplementedError, f'with `{wanted}`'):
                tf.layers.batch_normalization(x, **{wanted: 2})


if __name__ == '__main__':
    unittest.main()
