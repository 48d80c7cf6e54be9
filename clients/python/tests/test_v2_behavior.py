"""Calls that TensorFlow 2 programs make first to get TensorFlow 1 behavior have little effect."""

import unittest

import ramet.compat.v1 as tf


class V2BehaviorTest(unittest.TestCase):
    def test_switching_off_what_is_never_on(self):
        tf.disable_v2_behavior()
        tf.disable_eager_execution()
        tf.disable_v2_tensorshape()
        tf.disable_tensor_equality()
        tf.disable_control_flow_v2()
        self.assertFalse(tf.executing_eagerly())
        self.assertFalse(tf.control_flow_v2_enabled())
        with tf.Graph().as_default():
            x = tf.placeholder(tf.float32, [None, 3])
            self.assertIsInstance(x.shape[1], tf.Dimension)
            self.assertFalse(x == tf.identity(x))

    def test_variables_are_references_again(self):
        tf.enable_resource_variables()
        tf.disable_v2_behavior()
        with tf.Graph().as_default():
            self.assertEqual(tf.get_variable('v', [1]).op.type, 'VariableV2')

    def test_switching_on_says_that_it_cannot_be(self):
        with self.assertRaisesRegex(NotImplementedError, 'tf.enable_v2_behavior'):
            tf.enable_v2_behavior()


if __name__ == '__main__':
    unittest.main()
