"""Eigenvalues without eigenvectors."""

import numpy as np
import tensorflow.compat.v1 as tf

X = np.float64([[[4, 1, 0.5], [1, 3, -1], [0.5, -1, 6]], [[2, -0.5, 0], [-0.5, 5, 1], [0, 1, 9]]])


def eigenvalues():
    x = tf.constant(X)
    e, _ = tf.raw_ops.SelfAdjointEigV2(input=x, compute_v=False)
    return tf.reduce_sum(e * e * e), [x]


def programs():
    yield "eigenvalues", eigenvalues
