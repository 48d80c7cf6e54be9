"""Functions of TensorFlow's tools, and the ops of optimizers by their function names."""

import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.tools import optimize_for_inference_lib
from ramet.train import training_ops


class OptimizeForInferenceTest(unittest.TestCase):

    def setUp(self):
        self.random = np.random.RandomState(1)

    def constant(self, *shape, positive=False):
        value = self.random.rand(*shape).astype(np.float32) + (0.5 if positive else -0.5)
        return tf.constant(value)

    def outputs(self, graph_def, image):
        with tf.Graph().as_default(), tf.Session() as session:
            y, = tf.import_graph_def(graph_def, {'x': tf.constant(image)}, ['y:0'])
            return session.run(y)

    def check(self, convolution, channels):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [1, 5, 5, 2], name='x')
            norm = tf.raw_ops.FusedBatchNorm(
                x=tf.identity(convolution(x)), scale=self.constant(channels),
                offset=self.constant(channels), mean=self.constant(channels),
                variance=self.constant(channels, positive=True), is_training=False)
            tf.nn.relu(norm.y, name='y')
            graph_def = graph.as_graph_def()
        optimized = optimize_for_inference_lib.optimize_for_inference(
            graph_def, ['x'], ['y'], tf.float32.as_datatype_enum)
        self.assertEqual([n.op for n in optimized.node if n.op != 'Const'],
                         ['Placeholder', convolution(None), 'BiasAdd', 'Relu'])
        image = self.random.rand(1, 5, 5, 2).astype(np.float32)
        np.testing.assert_allclose(self.outputs(optimized, image), self.outputs(graph_def, image),
                                   rtol=1e-4, atol=1e-5)

    def test_convolution(self):
        self.check(lambda x: 'Conv2D' if x is None else tf.nn.conv2d(
            x, self.constant(3, 3, 2, 4), [1, 1, 1, 1], 'SAME'), 4)

    def test_depthwise_convolution(self):
        self.check(lambda x: 'DepthwiseConv2dNative' if x is None
                   else tf.nn.depthwise_conv2d_native(
                       x, self.constant(3, 3, 2, 3), [1, 1, 1, 1], 'SAME'), 6)

    def test_names_must_differ(self):
        node = tf.NodeDef(name='a', op='NoOp')
        with self.assertRaisesRegex(ValueError, 'Duplicate node names detected for a'):
            optimize_for_inference_lib.ensure_graph_is_valid(tf.GraphDef(node=[node, node]))


class TrainingOpsTest(unittest.TestCase):

    def test_by_name(self):
        with tf.Graph().as_default(), tf.Session() as session:
            v = tf.get_variable('v', initializer=1.0)
            update = training_ops.apply_gradient_descent(v, 0.5, 1.0, name='step')
            self.assertEqual((update.op.type, update.op.name), ('ApplyGradientDescent', 'step'))
            session.run(v.initializer)
            self.assertEqual(session.run(update), 0.5)
        with self.assertRaises(AttributeError):
            training_ops.apply_nothing


if __name__ == '__main__':
    unittest.main()
