"""Symptom: a function of tf.keras.backend returns different values than in Keras 2.

Needs tensorflow, tf_keras, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_USE_LEGACY_KERAS', '1')

import numpy as np
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

try:
    import tf_keras
except ImportError:
    tf_keras = None

tf.disable_v2_behavior()

_random = np.random.RandomState(5)
A = _random.randn(3, 4).astype(np.float32)
B = _random.randn(4, 2).astype(np.float32)
C = _random.randn(2, 3, 4).astype(np.float32)
D = _random.randn(2, 4, 5).astype(np.float32)
E = _random.randn(2, 6, 6, 3).astype(np.float32)
F = _random.randn(2, 3, 4, 5).astype(np.float32)
KERNEL = _random.randn(3, 3, 3, 2).astype(np.float32)
BOOLS = A > 0
P = 1 / (1 + np.exp(-A))


def _step(inputs, states):
    return inputs + states[0], [inputs + states[0]]


def both(name, *args, **kwargs):
    """Returns a function of a backend that calls one of its functions with constants."""

    def call(k, constant):
        return getattr(k, name)(*[_constants(a, constant) for a in args], **kwargs)

    call.__name__ = name
    return call


CASES = [
    *(both(name, A) for name in (
        'abs', 'exp', 'square', 'sqrt', 'sign', 'round', 'sigmoid', 'tanh', 'softplus', 'sin', 'cos', 'softsign',
        'softmax', 'hard_sigmoid', 'elu', 'relu', 'sum', 'mean', 'max', 'min', 'prod', 'var', 'std', 'any', 'all', 'argmax',
        'argmin', 'cumsum', 'cumprod', 'transpose', 'flatten', 'batch_flatten', 'expand_dims', 'zeros_like', 'ones_like', 'shape',
        'l2_normalize')),
    *(both(name, C, axis=[0, 2], keepdims=True) for name in ('sum', 'mean', 'max', 'min', 'prod', 'var', 'std')),
    both('mean', BOOLS), both('any', BOOLS, axis=1), both('all', BOOLS, axis=0), both('relu', A, 0.1, 1., 0.3),
    both('relu', A, max_value=6), both('elu', A, 0.3), both('pow', A, 2),
    both('clip', A, -0.5, 0.5), both('clip', A, 0.1, 0),
    both('maximum', A, A[::-1].copy()), both('minimum', A, A[::-1].copy()), both('equal', A, A), both('greater', A, P),
    both('less_equal', A, P), both('dot', A, B), both('dot', C, B), both('dot', C, D), both('batch_dot', C, D),
    both('batch_dot', A, A), both('batch_dot', A, A, axes=1), both('batch_dot', C, C, axes=(2, 2)),
    both('batch_dot', F, D[:, :4], axes=(2, 1)),
    both('concatenate', [A, A]), both('repeat', A, 3), both('repeat_elements', C, 2, 1), both('tile', A, [2, 1]),
    both('reverse', A, 1), both('permute_dimensions', C, (2, 0, 1)), both('squeeze', A[:, :1].copy(), 1),
    both('reshape', A, (4, 3)),
    both('stack', [A, A]), both('gather', A, np.array([0, 2])), both('one_hot', np.array([0, 2]), 3), both('arange', 5),
    both('temporal_padding', C), both('spatial_2d_padding', E), both('resize_images', E, 2, 3, 'channels_last'),
    both('conv2d', E, KERNEL), both('conv2d', E, KERNEL, (2, 2), 'same'), both('pool2d', E, (2, 2)),
    both('pool2d', E, (2, 2), (2, 2), 'same', None, 'avg'),
    both('conv1d', C, _random.randn(2, 4, 3).astype(np.float32), 1, 'causal'),
    both('conv2d_transpose', E, KERNEL.transpose(0, 1, 3, 2).copy(), (2, 8, 8, 2)), both('bias_add', C, B[:, 0].copy()),
    both('binary_crossentropy', (A > 0).astype(np.float32), P), both('categorical_crossentropy', P, P[::-1].copy()),
    both('sparse_categorical_crossentropy', np.array([0, 1, 3]), P),
    both('binary_crossentropy', P, A, from_logits=True),
    both('batch_normalization', A, A[0].copy(), P[0].copy(), A[1].copy(), P[1].copy()), both('switch', BOOLS, A, P),
    both('in_top_k', A, np.array([0, 1, 3]), 2), both('cast', A, 'int32'), both('eye', 3), both('constant', 3.),
    lambda k, c: k.rnn(_step, c(C), [c(C[:, 0])]),
    lambda k, c: k.rnn(_step, c(C), [c(C[:, 0])], mask=c(C[:, :, 0] > 0), go_backwards=True),
    lambda k, c: k.rnn(_step, c(C), [c(C[:, 0])], mask=c(C[:, :, 0] > 0), unroll=True),
    lambda k, c: k.map_fn(lambda x: x * 2, c(A)), lambda k, c: k.foldl(lambda a, x: a + x, c(A)),
    lambda k, c: k.foldr(lambda a, x: a - x, c(A)), lambda k, c: k.gradients(k.sum(k.square(v := c(A))), [v]),
    lambda k, c: k.in_train_phase(c(A), c(P), training=True), lambda k, c: k.in_test_phase(c(A), c(P), training=True),
    lambda k, c: k.normalize_batch_in_training(c(A), c(A[0]), c(A[1]), [0]), lambda k, c: k.zeros((2, 2)),
]


def values(package, case):
    k = package.keras.backend
    k.clear_session()

    def constant(array):
        return package.constant(array)

    made = case(k, constant)
    return [np.asarray(k.get_value(t)) for t in _flat(made)]


def _constants(value, constant):
    if isinstance(value, list) and isinstance(value[0], np.ndarray):
        return [constant(v) for v in value]
    return constant(value) if isinstance(value, np.ndarray) else value


def _flat(value):
    return [t for part in value for t in _flat(part)] if isinstance(value, (list, tuple)) else [value]


@unittest.skipIf(tf_keras is None, 'tf_keras is not installed')
class KerasBackendTest(unittest.TestCase):

    def test_values(self):
        for i, case in enumerate(CASES):
            with self.subTest(f'{i} {case.__name__}'):
                want, got = values(tf, case), values(rt, case)
                self.assertEqual([(w.shape, w.dtype) for w in want], [(g.shape, g.dtype) for g in got])
                for w, g in zip(want, got):
                    np.testing.assert_allclose(g, w, rtol=2e-5, atol=1e-5)


if __name__ == '__main__':
    unittest.main()
