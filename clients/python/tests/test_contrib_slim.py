"""tf.contrib.slim's networks, training and evaluation, and fine-tuning of a network from another one's checkpoint."""

import contextlib
import io
import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

slim = tf.contrib.slim
nets = slim.nets


def names(variables):
    return [v.op.name for v in variables]


class SlimTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)
        tf.logging.set_verbosity(tf.logging.ERROR)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name


class NetworkTest(SlimTest):
    """The sizes are those of the published networks, as TensorFlow's tf_slim builds them."""

    def sizes(self, scope, network, size, **arguments):
        """Returns the shape of the output, and the numbers of layers, variables and parameters."""
        tf.reset_default_graph()
        with slim.arg_scope(scope):
            net, layers = network(tf.placeholder(tf.float32, [2, size, size, 3]), **arguments)
        variables = slim.get_model_variables()
        return (net.shape.as_list(), len(layers), len(variables),
                slim.model_analyzer.analyze_vars(variables)[0])

    def test_classifiers(self):
        self.assertEqual(([2, 1000], 11, 16, 50303912), self.sizes(
            nets.alexnet.alexnet_v2_arg_scope(), nets.alexnet.alexnet_v2, 224))
        self.assertEqual(([2, 1000], 11, 16, 145704424), self.sizes(
            nets.overfeat.overfeat_arg_scope(), nets.overfeat.overfeat, 231))
        scope = nets.vgg.vgg_arg_scope()
        self.assertEqual(([2, 1000], 21, 32, 138357544),
                         self.sizes(scope, nets.vgg.vgg_16, 224))
        self.assertEqual(([2, 1, 1, 7], 16, 22, 128795015), self.sizes(
            scope, nets.vgg.vgg_a, 224, num_classes=7, spatial_squeeze=False))

    def test_inception(self):
        inception = nets.inception
        self.assertEqual(([2, 1000], 18, 230, 6632184), self.sizes(
            inception.inception_v1_arg_scope(), inception.inception_v1, 224))
        self.assertEqual(([2, 14, 14, 576], 10, 143, 2261208), self.sizes(
            inception.inception_v2_arg_scope(), inception.inception_v2_base, 224,
            final_endpoint='Mixed_4c'))
        v3 = inception.inception_v3_arg_scope()
        self.assertEqual(([2, 1000], 22, 388, 27179376),
                         self.sizes(v3, inception.inception_v3, 299))
        self.assertIn('InceptionV3/Mixed_5c/Branch_1/Conv_1_0c_5x5/weights',
                      names(slim.get_model_variables()))
        self.assertEqual(192, len(tf.get_collection('moving_vars')))
        self.assertEqual([2, 5], self.sizes(v3, inception.inception_v3, 139, num_classes=5,
                                            depth_multiplier=0.5)[0])
        with self.assertRaisesRegex(ValueError, 'Unknown final endpoint Mixed_9'):
            self.sizes(v3, inception.inception_v3_base, 139, final_endpoint='Mixed_9')
        with self.assertRaisesRegex(ValueError, 'depth_multiplier is not greater than zero'):
            self.sizes(v3, inception.inception_v3, 139, depth_multiplier=0)

    def test_residual_networks(self):
        scope = nets.resnet_utils.resnet_arg_scope()
        self.assertEqual(([2, 1, 1, 11], 75, 267, 23583691), self.sizes(
            scope, nets.resnet_v1.resnet_v1_50, 224, num_classes=11))
        self.assertEqual(([2, 25, 25, 2048], 141, 520, 42605504), self.sizes(
            scope, nets.resnet_v1.resnet_v1_101, 193, global_pool=False, output_stride=8))
        self.assertEqual([2, 7, 7, 2048], self.sizes(
            scope, nets.resnet_v2.resnet_v2_50, 193, global_pool=False)[0])
        self.assertEqual('resnet_v2_50/block1/unit_1/bottleneck_v2/preact/gamma',
                         slim.get_model_variables()[2].op.name)
        with self.assertRaisesRegex(ValueError, 'cannot be reached'):
            self.sizes(scope, nets.resnet_v1.resnet_v1_50, 64, output_stride=64)
        with self.assertRaisesRegex(ValueError, 'multiple of 4'):
            self.sizes(scope, nets.resnet_v1.resnet_v1_50, 64, output_stride=6)

    def test_dense_features_are_those_of_the_strided_network(self):
        images = tf.constant(np.random.RandomState(0).rand(1, 33, 33, 3), tf.float32)
        blocks = [nets.resnet_v1.resnet_v1_block('b1', 1, 2, 2),
                  nets.resnet_v1.resnet_v1_block('b2', 2, 2, 1)]
        made = []
        for stride in (4, 8):
            with slim.arg_scope(nets.resnet_utils.resnet_arg_scope()):
                net, _ = nets.resnet_v1.resnet_v1(
                    images, blocks, is_training=False, global_pool=False, output_stride=stride,
                    reuse=stride == 8, scope='net')
            made.append(net)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            dense, strided = session.run(made)
        np.testing.assert_allclose(dense[:, ::2, ::2], strided, rtol=1e-3, atol=1e-4)

    def test_descriptions(self):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            x = tf.ones([2, 3], name='x')
            v = tf.get_variable('v', [4])
            self.assertEqual((4, 16), slim.model_analyzer.analyze_vars([v], print_info=True))
            self.assertLess(5, slim.model_analyzer.analyze_ops(tf.get_default_graph(), True))
        self.assertEqual('(float32 2x3)', slim.model_analyzer.tensor_description(x))
        self.assertIn('v:0 (float32_ref 4) [4, bytes: 16]', out.getvalue())


class LearningTest(SlimTest):

    def data(self):
        random = np.random.RandomState(0)
        x = random.rand(64, 4).astype(np.float32)
        return tf.constant(x), tf.constant((x[:, :1] > 0.5).astype(np.float32))

    def model(self, x, is_training=True):
        net = slim.fully_connected(x, 8, scope='fc1')
        net = slim.batch_norm(net, is_training=is_training, decay=0.5)
        return slim.fully_connected(net, 1, activation_fn=tf.sigmoid, scope='fc2')

    def train_op(self, **arguments):
        x, y = self.data()
        loss = slim.losses.log_loss(self.model(x), y)
        self.assertEqual([loss], slim.losses.get_losses())
        return slim.learning.create_train_op(slim.losses.get_total_loss(),
                                             tf.train.AdamOptimizer(0.05), **arguments)

    def test_training_goes_on_from_the_last_checkpoint(self):
        train_op = self.train_op(summarize_gradients=True, clip_gradient_norm=1.,
                                 gradient_multipliers={'fc1/weights': 2.})
        tf.summary.scalar('loss', slim.losses.get_losses()[0])
        first = slim.learning.train(train_op, self.folder, number_of_steps=2)
        loss = slim.learning.train(train_op, self.folder, number_of_steps=60,
                                   log_every_n_steps=20, save_summaries_secs=1)
        self.assertLess(loss, 0.5 * first)
        self.assertTrue(tf.train.latest_checkpoint(self.folder).endswith('model.ckpt-60'))
        self.assertTrue(any('tfevents' in name for name in os.listdir(self.folder)))
        again = slim.learning.train(train_op, self.folder, number_of_steps=61)
        self.assertLess(again, first)

    def metrics(self):
        x, y = self.data()
        predictions = tf.to_float(self.model(x, is_training=False) > 0.5)
        values, updates = slim.metrics.aggregate_metric_map({
            'accuracy': slim.metrics.streaming_accuracy(predictions, y),
            'mse': slim.metrics.streaming_mean_squared_error(predictions, y)})
        for name, value in values.items():
            tf.summary.scalar(name, value)
        tf.train.get_or_create_global_step()
        return values, list(updates.values())

    def test_evaluation(self):
        slim.learning.train(self.train_op(), self.folder, number_of_steps=60)
        tf.reset_default_graph()
        values, updates = self.metrics()
        accuracy = slim.evaluation.evaluate_once(
            '', tf.train.latest_checkpoint(self.folder), self.folder + '/eval', num_evals=3,
            eval_op=updates, final_op=values['accuracy'])
        self.assertGreater(accuracy, 0.9)
        self.assertTrue(os.listdir(self.folder + '/eval'))
        later = []

        def add_checkpoint():
            with tf.Graph().as_default():
                later.append(slim.learning.train(self.train_op(), self.folder, number_of_steps=62))
            return False

        tf.reset_default_graph()
        values, updates = self.metrics()
        again = slim.evaluation.evaluation_loop(
            '', self.folder, self.folder + '/eval', num_evals=2, eval_op=updates, final_op=values,
            eval_interval_secs=0, max_number_of_evaluations=2, timeout=1,
            timeout_fn=add_checkpoint)
        self.assertEqual(1, len(later))
        self.assertGreater(again['accuracy'], 0.9)

    def test_update_operations_run_before_the_loss(self):
        counter = tf.Variable(0.)
        tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, tf.assign_add(counter, 1.))
        train_op = self.train_op()
        slim.learning.train(train_op, None, number_of_steps=3, save_interval_secs=0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(train_op)
            self.assertEqual([3., 3], session.run([counter, tf.train.get_global_step()]))

    def test_a_function_that_runs_the_steps(self):
        losses = []

        def step(session, *arguments):
            losses.append(slim.learning.train_step(session, *arguments)[0])
            return losses[-1], len(losses) == 4

        slim.learning.train(self.train_op(), self.folder, train_step_fn=step)
        self.assertEqual(4, len(losses))

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(ValueError, 'train_op cannot be None'):
            slim.learning.train(None, self.folder)
        train_op = self.train_op()
        with self.assertRaisesRegex(ValueError, 'must be either None or a positive number'):
            slim.learning.train(train_op, self.folder, number_of_steps=0)
        for message, pairs, factors in (
                ('must be a list', (), {}), ('is empty', [], {}), ('must be a dict', [], [1]),
                ('multiple of `None`', [(None, tf.Variable(1., name='v'))], {'v': 1.})):
            with self.assertRaisesRegex(ValueError, message):
                slim.learning.multiply_gradients(pairs, factors)

    def test_summaries(self):
        image, x = tf.ones([1, 4, 4, 1], name='image'), tf.constant(1., name='x')
        made = [*slim.summaries.add_scalar_summaries([x]),
                *slim.summaries.add_histogram_summaries([image], 'h'),
                *slim.summaries.add_image_summaries([image]),
                *slim.summaries.add_zero_fraction_summaries([image])]
        with tf.Session() as session:
            tags = [tf.Summary.FromString(s).value[0].tag for s in session.run(made)]
        self.assertEqual(['x_1', 'h/image', 'image_1/image/0', 'Fraction_of_Zero_Values/image'], tags)
        self.assertEqual(4, len(tf.get_collection(tf.GraphKeys.SUMMARIES)))


class FineTuningTest(SlimTest):
    """A network that starts with the features of another one, and trains new layers first."""

    def network(self, images, classes, is_training=True):
        with slim.arg_scope(nets.resnet_utils.resnet_arg_scope(batch_norm_decay=0.9)):
            net, _ = nets.resnet_v1.resnet_v1(
                images, [nets.resnet_v1.resnet_v1_block('block1', 2, 1, 2)], classes,
                is_training=is_training, scope='net')
        return tf.squeeze(net, [1, 2])

    def images(self, classes, seed):
        random = np.random.RandomState(seed)
        labels = random.randint(classes, size=16)
        images = random.rand(16, 32, 32, 3) * 0.1 + labels[:, None, None, None] / classes
        return tf.constant(images, tf.float32), tf.constant(labels)

    def train(self, classes, steps, variables=None, init_fn=None, folder=None):
        x, y = self.images(classes, seed=classes)
        tf.losses.sparse_softmax_cross_entropy(y, self.network(x, classes))
        train_op = slim.learning.create_train_op(
            tf.losses.get_total_loss(), tf.train.AdamOptimizer(0.02),
            variables_to_train=variables and variables())
        return slim.learning.train(train_op, folder, init_fn=init_fn and init_fn(),
                                   number_of_steps=steps, save_interval_secs=0)

    def test_only_the_new_layers_are_trained(self):
        source = os.path.join(self.folder, 'source')
        self.train(3, 5, folder=source)
        prefix = tf.train.latest_checkpoint(source)
        tf.reset_default_graph()

        def init_fn():
            restored = slim.get_variables_to_restore(exclude=['net/logits', 'global_step'])
            restored = [v for v in restored if 'Adam' not in v.op.name and 'power' not in v.op.name]
            self.assertNotIn('net/logits/weights', names(restored))
            return slim.assign_from_checkpoint_fn(prefix, restored)

        target = os.path.join(self.folder, 'target')
        first = self.train(5, 1, lambda: slim.get_variables('net/logits'), init_fn, target + '1')
        tf.reset_default_graph()
        last = self.train(5, 60, lambda: slim.get_variables('net/logits'), init_fn, target)
        self.assertLess(last, first)
        old, new = (tf.train.load_checkpoint(p) for p in (prefix, tf.train.latest_checkpoint(target)))
        name = 'net/block1/unit_1/bottleneck_v1/conv2/weights'
        np.testing.assert_array_equal(old.get_tensor(name), new.get_tensor(name))
        self.assertEqual((1, 1, 8, 5), new.get_tensor('net/logits/weights').shape)
        with self.assertRaisesRegex(ValueError, 'missing variable'):
            slim.assign_from_checkpoint(prefix, [tf.get_variable('other', [1])])


if __name__ == '__main__':
    unittest.main()
