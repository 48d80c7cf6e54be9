"""Symptom: gradients of gradients, as penalties on gradients use them, differ from TensorFlow's.

Needs tensorflow, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()


def batch_norm_penalties(tf, dtype, data_format, is_training):
    """Returns the gradients of a penalty on the gradients of a batch normalization."""
    random = np.random.RandomState(0)
    shape = (2, 5, 4, 3) if data_format == 'NHWC' else (2, 3, 5, 4)
    vectors = random.uniform(0.5, 1.5, [4, 3]).astype('f')
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(random.randn(*shape).astype('f'), tf.as_dtype(dtype))
        scale, offset, mean, variance = map(tf.constant, vectors)
        if is_training:
            mean = variance = None
        y = tf.nn.fused_batch_norm(x, scale, offset, mean, variance, 0.01, data_format, is_training)[0]
        dx, dscale = tf.gradients(tf.tanh(y) * y, [x, scale])
        penalty = tf.reduce_sum(tf.cast(dx, tf.float32) ** 3) + tf.reduce_sum(dscale ** 2)
        return session.run(tf.gradients(penalty, [x, scale, offset]))


class SecondGradientsTest(unittest.TestCase):
    def test_batch_norm(self):
        for dtype, tolerance in (('float32', 1e-4), ('half', 2e-2)):
            for data_format in ('NHWC', 'NCHW') if dtype == 'float32' else ('NHWC',):
                for is_training in (True, False):
                    with self.subTest(dtype=dtype, data_format=data_format, is_training=is_training):
                        expected = batch_norm_penalties(tf, dtype, data_format, is_training)
                        found = batch_norm_penalties(rt, dtype, data_format, is_training)
                        for a, b in zip(expected, found):
                            self.assertEqual(a.dtype, b.dtype)
                            scale = np.abs(a).max().astype('f')
                            np.testing.assert_allclose(b.astype('f'), a.astype('f'), tolerance, tolerance * scale)


if __name__ == '__main__':
    unittest.main()
