"""tf.contrib.layers, tf.contrib.framework and slim, as programs of TensorFlow 1 use them."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

layers = tf.contrib.layers
slim = tf.contrib.slim


def names(variables):
    return [v.op.name for v in variables]


class ContribTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)


class VariablesTest(ContribTest):

    def test_fully_connected(self):
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        hidden = layers.fully_connected(x, 3)
        with tf.variable_scope('s'):
            out = layers.fully_connected(hidden, 2, activation_fn=None)
        again = layers.fully_connected(x, 3, scope='fully_connected', reuse=True)
        self.assertEqual(('fully_connected/Relu', 's/fully_connected/BiasAdd',
                          'fully_connected_1/Relu'), (hidden.op.name, out.op.name, again.op.name))
        made = ['fully_connected/weights', 'fully_connected/biases', 's/fully_connected/weights',
                's/fully_connected/biases']
        for variables in (tf.global_variables(), tf.trainable_variables(), tf.model_variables()):
            self.assertEqual(made, names(variables))
        feeds = {x: np.random.RandomState(0).rand(2, 4)}
        first, second = self.run_([hidden, again], feeds)
        np.testing.assert_array_equal(first, second)

    def test_scopes_of_each_layer(self):
        image = tf.ones([2, 8, 8, 3])
        made = [layers.conv2d(image, 4, 3), layers.conv2d(image, 4, [3, 3], normalizer_fn=None),
                layers.conv2d_transpose(image, 4, 3, stride=2),
                layers.separable_conv2d(image, 4, 3, 1), layers.batch_norm(image),
                layers.max_pool2d(image, 2), layers.avg_pool2d(image, 2, scope='pool'),
                layers.flatten(image), layers.dropout(image, is_training=False),
                layers.bias_add(image), layers.layer_norm(image)]
        self.assertEqual(
            ['Conv/Relu', 'Conv_1/Relu', 'Conv2d_transpose/Relu', 'SeparableConv2d/Relu',
             'BatchNorm/FusedBatchNormV3', 'MaxPool2D/MaxPool', 'pool/AvgPool',
             'Flatten/flatten/Reshape', 'Dropout/Identity', 'BiasAdd/BiasAdd',
             'LayerNorm/batchnorm/add_1'], names(made))
        self.assertEqual(
            ['Conv/weights', 'Conv/biases', 'Conv_1/weights', 'Conv_1/biases',
             'Conv2d_transpose/weights', 'Conv2d_transpose/biases',
             'SeparableConv2d/depthwise_weights', 'SeparableConv2d/pointwise_weights',
             'SeparableConv2d/biases', 'BatchNorm/beta', 'BatchNorm/moving_mean',
             'BatchNorm/moving_variance', 'BiasAdd/biases', 'LayerNorm/beta', 'LayerNorm/gamma'],
            names(tf.model_variables()))
        shapes = [value.shape for value in self.run_(made)]
        self.assertEqual([(2, 8, 8, 4), (2, 8, 8, 4), (2, 16, 16, 4), (2, 8, 8, 4), (2, 8, 8, 3),
                          (2, 4, 4, 3), (2, 4, 4, 3), (2, 192), (2, 8, 8, 3), (2, 8, 8, 3),
                          (2, 8, 8, 3)], shapes)

    def test_normalizer_takes_the_place_of_biases(self):
        layers.conv2d(tf.ones([1, 4, 4, 1]), 2, 3, normalizer_fn=layers.batch_norm,
                      normalizer_params={'scale': True, 'decay': 0.9}, scope='c')
        self.assertEqual(['c/weights', 'c/BatchNorm/gamma', 'c/BatchNorm/beta',
                          'c/BatchNorm/moving_mean', 'c/BatchNorm/moving_variance'],
                         names(tf.global_variables()))

    def test_collections_of_variables_and_outputs(self):
        out = layers.fully_connected(
            tf.ones([1, 2]), 3, outputs_collections='outs',
            variables_collections={'weights': ['w'], 'biases': ['b', 'more']})
        self.assertEqual([out], tf.get_collection('outs'))
        self.assertEqual([['fully_connected/weights'], ['fully_connected/biases'],
                          ['fully_connected/biases']],
                         [names(tf.get_collection(key)) for key in ('w', 'b', 'more')])

    def test_finding_variables(self):
        x = tf.ones([1, 2])
        with tf.variable_scope('net'):
            layers.stack(x, layers.fully_connected, [3, 4], scope='fc')
        layers.linear(x, 1, scope='head')
        self.assertEqual(['net/fc/fc_1/weights', 'net/fc/fc_2/weights'],
                         names(slim.get_variables('net', suffix='weights')))
        self.assertEqual(['head/weights', 'head/biases'],
                         names(slim.get_variables_to_restore(exclude=['net'])))
        self.assertEqual(['net/fc/fc_2/weights', 'net/fc/fc_2/biases'],
                         names(slim.get_variables_to_restore(include=['net/fc/fc_2'])))
        self.assertEqual('head/biases', slim.get_unique_variable('head/biases').op.name)
        self.assertEqual(['net/fc/fc_1/biases', 'net/fc/fc_2/biases', 'head/biases'],
                         names(slim.get_variables_by_name('biases')))
        self.assertEqual(['head/weights', 'head/biases'],
                         names(slim.filter_variables(tf.global_variables(), ['^head'])))
        with self.assertRaisesRegex(ValueError, "Couldn't find variable nothing"):
            slim.get_unique_variable('nothing')
        with self.assertRaisesRegex(TypeError, 'exclude is provided but is not a list'):
            slim.get_variables_to_restore(exclude='net')


class ValuesTest(ContribTest):

    def test_xavier_keeps_its_bounds(self):
        value = self.run_(layers.xavier_initializer(seed=1)([30, 70]))
        limit = np.sqrt(6 / 100)
        self.assertLess(np.abs(value).max(), limit)
        self.assertGreater(np.abs(value).max(), 0.95 * limit)
        convolution = self.run_(layers.xavier_initializer_conv2d()([5, 5, 4, 8]))
        self.assertLess(np.abs(convolution).max(), np.sqrt(6 / (25 * 12)))
        with self.assertRaisesRegex(TypeError, 'non-floating point type'):
            layers.xavier_initializer(dtype=tf.int32)

    def test_variance_scaling(self):
        for mode, units in (('FAN_IN', 200), ('FAN_OUT', 300), ('FAN_AVG', 250)):
            initializer = layers.variance_scaling_initializer(factor=3., mode=mode, seed=1)
            self.assertAlmostEqual(3 / units, self.run_(initializer([200, 300])).var(),
                                   delta=0.1 * 3 / units)
        with self.assertRaisesRegex(TypeError, 'Unknown mode'):
            layers.variance_scaling_initializer(mode='fan_in')

    def test_regularizers(self):
        weights = tf.constant([1., -2., 3.])
        losses = [layers.l1_regularizer(0.5)(weights), layers.l2_regularizer(0.5)(weights),
                  layers.l1_l2_regularizer(0.5, 0.5)(weights),
                  layers.apply_regularization(layers.l2_regularizer(1.), [weights, weights])]
        np.testing.assert_allclose([3, 3.5, 6.5, 14], self.run_(losses))
        self.assertEqual([losses[3]], tf.losses.get_regularization_losses())
        self.assertIsNone(layers.l2_regularizer(0.)(weights))
        self.assertIsNone(layers.sum_regularizer([None]))
        for scale, message in ((1, 'scale cannot be an integer'), (-1., 'less than 0')):
            with self.assertRaisesRegex(ValueError, message):
                layers.l2_regularizer(scale)

    def test_regularization_losses_of_layers(self):
        with slim.arg_scope([layers.fully_connected],
                            weights_regularizer=layers.l2_regularizer(0.1)):
            layers.fully_connected(tf.ones([1, 2]), 3)
        loss, = tf.losses.get_regularization_losses()
        self.assertEqual('fully_connected/kernel/Regularizer/l2_regularizer', loss.op.name)

    def test_small_functions(self):
        codes = layers.one_hot_encoding([2, 0], 3)
        unit = layers.unit_norm(tf.constant([[3., 4.]]), 1)
        soft = layers.softmax(tf.zeros([2, 3, 4]))
        ids = tf.constant([[1, 0], [1, 1]])
        table = tf.constant_initializer([[1., 2.], [3., 4.]])
        looked_up = [layers.embed_sequence(ids, 2, 2, initializer=table, unique=unique)
                     for unique in (False, True)]
        codes, unit, soft, looked_up = self.run_([codes, unit, soft, looked_up])
        np.testing.assert_array_equal([[0, 0, 1], [1, 0, 0]], codes)
        np.testing.assert_allclose([[.6, .8]], unit, rtol=1e-6)
        np.testing.assert_allclose(np.full([2, 3, 4], .25), soft)
        for value in looked_up:
            np.testing.assert_array_equal([[[3, 4], [1, 2]], [[3, 4], [3, 4]]], value)

    def test_layer_norm(self):
        value = self.run_(layers.layer_norm(tf.constant([[1., 2., 3.], [2., 4., 9.]])))
        np.testing.assert_allclose([0, 0], value.mean(1), atol=1e-6)
        np.testing.assert_allclose([1, 1], value.std(1), rtol=1e-5)

    def test_instance_and_group_norm(self):
        x = np.random.RandomState(0).rand(2, 5, 5, 4).astype(np.float32)
        by_channel, by_group, first = self.run_([
            layers.instance_norm(tf.constant(x)), layers.group_norm(tf.constant(x), 2),
            layers.instance_norm(tf.constant(x.transpose(0, 3, 1, 2)), data_format='NCHW')])
        np.testing.assert_allclose(by_channel, first.transpose(0, 2, 3, 1), atol=1e-5)
        for value, axes in ((by_channel, (1, 2)), (by_group.reshape(2, 5, 5, 2, 2), (1, 2, 4))):
            np.testing.assert_allclose(0, value.mean(axes), atol=1e-5)
            np.testing.assert_allclose(1, value.std(axes), rtol=1e-3)
        self.assertEqual(['InstanceNorm/beta', 'InstanceNorm/gamma', 'GroupNorm/beta',
                          'GroupNorm/gamma'], names(tf.model_variables())[:4])
        with self.assertRaisesRegex(ValueError, '4 channels is not commensurate with 3 groups'):
            layers.group_norm(tf.constant(x), 3)

    def test_maxout(self):
        x = tf.placeholder(tf.float32, [None, 4])
        value = self.run_(layers.maxout(x, 2), {x: [[1, 5, 3, 2]]})
        np.testing.assert_array_equal([[5, 3]], value)

    def batch_norm(self, shape, **arguments):
        x = np.random.RandomState(0).rand(*shape).astype(np.float32)
        y = layers.batch_norm(tf.constant(x), decay=0.5, **arguments)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            value, _ = session.run([y, tf.get_collection(tf.GraphKeys.UPDATE_OPS)])
            moving = session.run(slim.get_variables_by_name('moving_mean')[0])
        axes = tuple(range(len(shape) - 1))
        np.testing.assert_allclose((x - x.mean(axes)) / np.sqrt(x.var(axes) + 1e-3), value,
                                   atol=2e-5)
        np.testing.assert_allclose(x.mean(axes) * (1 if 'zero_debias_moving_mean' in arguments
                                                   else .5), moving, rtol=1e-4)

    def test_batch_norm_of_images(self):
        self.batch_norm([5, 2, 2, 3])

    def test_batch_norm_of_vectors(self):
        self.batch_norm([5, 3])

    def test_batch_norm_unfused(self):
        self.batch_norm([5, 4, 3], fused=False)

    def test_batch_norm_updates_in_place(self):
        self.batch_norm([5, 3], updates_collections=None)
        self.assertEqual([], tf.get_collection(tf.GraphKeys.UPDATE_OPS))

    def test_batch_norm_unfused_updates_in_place(self):
        self.batch_norm([5, 4, 3], updates_collections=None)

    def test_batch_norm_debiased(self):
        self.batch_norm([5, 3], zero_debias_moving_mean=True)

    def test_batch_norm_with_weights(self):
        x = np.array([[1.], [2.], [100.]], np.float32)
        y = self.run_(layers.batch_norm(tf.constant(x), batch_weights=[1., 1., 0.]))
        np.testing.assert_allclose([-1, 1], y[:2, 0], rtol=5e-3)


class ArgScopeTest(ContribTest):

    def test_inner_scopes_and_calls_go_first(self):
        @slim.add_arg_scope
        def f(a, b=1, c=2):
            return a, b, c

        with slim.arg_scope([f], b=10) as outer:
            self.assertEqual((0, 10, 2), f(0))
            with slim.arg_scope([f], b=20, c=30):
                self.assertEqual([(0, 20, 30), (0, 5, 30)], [f(0), f(0, b=5)])
            self.assertEqual((0, 10, 2), f(0))
        self.assertEqual((0, 1, 2), f(0))
        with slim.arg_scope(outer):
            self.assertEqual((0, 10, 2), f(0))
        self.assertEqual(('b', 'c'), slim.arg_scoped_arguments(f))
        self.assertTrue(slim.has_arg_scope(f))

    def test_misuse(self):
        def plain():
            pass

        for error, scope in ((ValueError, [plain]), (TypeError, plain)):
            with self.assertRaises(error), slim.arg_scope(scope, a=1):
                pass
        with self.assertRaisesRegex(ValueError, 'kwargs must be empty'):
            with slim.arg_scope({}, a=1):
                pass

    def test_a_network_of_slim(self):
        with slim.arg_scope([slim.conv2d, slim.fully_connected], activation_fn=tf.nn.relu,
                            weights_regularizer=slim.l2_regularizer(5e-4)):
            with tf.variable_scope('vgg'):
                net = slim.repeat(tf.ones([1, 4, 4, 1]), 2, slim.conv2d, 2, [3, 3], scope='conv1')
                net = slim.max_pool2d(net, [2, 2], scope='pool1')
                net = slim.fully_connected(slim.flatten(net), 3, activation_fn=None, scope='fc8')
        self.assertEqual('vgg/fc8/BiasAdd', net.op.name)
        self.assertEqual(['vgg/conv1/conv1_1/weights', 'vgg/conv1/conv1_1/biases',
                          'vgg/conv1/conv1_2/weights', 'vgg/conv1/conv1_2/biases',
                          'vgg/fc8/weights', 'vgg/fc8/biases'], names(slim.get_model_variables()))
        self.assertEqual(3, len(tf.losses.get_regularization_losses()))


class RestoringTest(ContribTest):

    def setUp(self):
        super().setUp()
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, 'model')
        layers.linear(tf.ones([1, 2]), 3, scope='body')
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, self.prefix)
            self.saved = session.run(tf.global_variables())
        layers.linear(tf.ones([1, 2]), 3, scope='head')

    def check(self, restore):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            restore(session)
            values = session.run(slim.get_variables('body'))
        for want, got in zip(self.saved, values, strict=True):
            np.testing.assert_array_equal(want, got)

    def test_assign_from_checkpoint_fn(self):
        self.check(slim.assign_from_checkpoint_fn(self.prefix, slim.get_variables('body')))
        self.check(slim.assign_from_checkpoint_fn(
            self.prefix, slim.get_variables_to_restore(), ignore_missing_vars=True))
        self.assertIsNone(slim.assign_from_checkpoint_fn(
            self.prefix, slim.get_variables('head'), ignore_missing_vars=True))
        with self.assertRaisesRegex(ValueError, 'var_list cannot be empty'):
            slim.assign_from_checkpoint_fn(self.prefix, [])

    def test_assign_from_checkpoint(self):
        operation, feeds = slim.assign_from_checkpoint(self.prefix, slim.get_variables('body'))
        self.check(lambda session: session.run(operation, feeds))
        head, body = slim.get_unique_variable('head/weights'), self.saved[0]
        operation, feeds = slim.assign_from_checkpoint(self.prefix, {'body/weights': head})
        with tf.Session() as session:
            session.run(operation, feeds)
            np.testing.assert_array_equal(body, session.run(head))
        with self.assertRaisesRegex(ValueError, r'missing variable \[head/weights\]'):
            slim.assign_from_checkpoint(self.prefix, [head])
        with self.assertRaisesRegex(ValueError, 'Total size of new array must be unchanged'):
            slim.assign_from_checkpoint(self.prefix, {'body/biases': head})

    def test_assign_from_values(self):
        restore = slim.assign_from_values_fn(
            {'body/weights': self.saved[0], 'body/biases': self.saved[1]})
        self.check(restore)

    def test_init_from_checkpoint(self):
        tf.contrib.framework.init_from_checkpoint(self.prefix, {'body/': 'body/'})
        self.check(lambda session: None)
        self.assertEqual([('body/biases', [3]), ('body/weights', [2, 3])],
                         tf.contrib.framework.list_variables(self.prefix))


class TrainingTest(ContribTest):

    def test_a_small_network_learns(self):
        random = np.random.RandomState(0)
        images = random.rand(32, 8, 8, 1).astype(np.float32)
        labels = (images.mean((1, 2, 3)) > 0.5).astype(np.int64)
        tf.set_random_seed(1)
        x, y = tf.placeholder(tf.float32, [None, 8, 8, 1]), tf.placeholder(tf.int64, [None])
        with slim.arg_scope([slim.conv2d], normalizer_fn=slim.batch_norm):
            net = slim.conv2d(x, 4, 3)
            net = slim.max_pool2d(net, 2)
        logits = slim.fully_connected(slim.flatten(net), 2, activation_fn=None)
        loss = tf.losses.sparse_softmax_cross_entropy(y, logits)
        step = slim.get_or_create_global_step()
        with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
            train = tf.train.AdamOptimizer(0.02).minimize(loss, global_step=step)
        feeds = {x: images, y: labels}
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first = session.run(loss, feeds)
            for _ in range(30):
                session.run(train, feeds)
            self.assertLess(session.run(loss, feeds), 0.3 * first)
            self.assertEqual(30, session.run(step))


if __name__ == '__main__':
    unittest.main()
