"""Sequences that take no memory but have very many elements are not gone through."""

import unittest

import numpy as np

import ramet.compat.v1 as tf
from ramet.ops.queues.staging import StagingArea

ENDLESS = np.broadcast_to(np.int64(1), [1 << 40])


class LongSequencesTest(unittest.TestCase):
    def test_shapes(self):
        with self.assertRaisesRegex(ValueError, 'at most 254 dimensions'):
            tf.TensorShape(ENDLESS)
        with self.assertRaisesRegex(ValueError, 'at most 254 dimensions'):
            tf.placeholder(tf.float32, ENDLESS)

    def test_dtypes_of_a_staging_area(self):
        with self.assertRaises(TypeError):
            StagingArea(np.broadcast_to(np.float32(1), [1 << 40]))

    def test_initializers(self):
        for make in (tf.glorot_uniform_initializer, tf.orthogonal_initializer,
                     tf.constant_initializer, tf.keras.initializers.he_normal,
                     tf.contrib.layers.xavier_initializer):
            with self.subTest(make), self.assertRaises((TypeError, ValueError)):
                make()(ENDLESS)

    def test_constants(self):
        with self.assertRaisesRegex(ValueError, 'at most 254 dimensions'):
            tf.constant(1, shape=ENDLESS)
        with self.assertRaises((TypeError, ValueError)):
            tf.zeros(ENDLESS)

    def test_noise_shape(self):
        layer = tf.keras.layers.Dropout(0.5, noise_shape=ENDLESS)
        with self.assertRaisesRegex(ValueError, 'at most 254 dimensions'):
            layer(tf.ones([2, 2]), training=True)

    def test_thresholds_of_metrics(self):
        for make in (lambda count: tf.metrics.auc([True], [0.5], num_thresholds=count),
                     lambda count: tf.keras.metrics.AUC(num_thresholds=count),
                     lambda count: tf.keras.metrics.SensitivityAtSpecificity(0.5, num_thresholds=count)):
            with self.subTest(make), self.assertRaisesRegex(ValueError, 'must be at most 1048576'):
                make(1 << 40)


if __name__ == '__main__':
    unittest.main()
