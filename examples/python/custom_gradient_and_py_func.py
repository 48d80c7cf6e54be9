"""Custom gradients, and Python functions as operations.

1. tf.custom_gradient: log(1 + exp(x)) with a gradient that does not overflow.
2. tf.RegisterGradient and gradient_override_map: an operation gets a different gradient. Here,
   rounding, which has no gradient, passes the gradient through unchanged.
3. tf.py_func: a NumPy function in a graph, with a custom gradient.

    python custom_gradient_and_py_func.py
"""

import numpy as np
import ramet.compat.v1 as tf


@tf.custom_gradient
def log1pexp(x):
    e = tf.exp(x)
    return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))


@tf.RegisterGradient('StraightThrough')
def straight_through(op, grad):
    return grad


@tf.RegisterGradient('SortGradient')
def sort_gradient(op, grad):
    """Moves each element of the gradient to the position that its value had before sorting."""
    return tf.py_func(lambda x, g: g[np.argsort(np.argsort(x))], [op.inputs[0], grad], grad.dtype)


def rounded(x):
    with tf.get_default_graph().gradient_override_map({'Round': 'StraightThrough'}):
        return tf.round(x)


def sorted_by_numpy(x):
    with tf.get_default_graph().gradient_override_map({'PyFunc': 'SortGradient'}):
        y = tf.py_func(np.sort, [x], x.dtype, name='sorted')
    y.set_shape(x.shape)
    return y


def main():
    x = tf.constant([3.0, 100.0, -1.5])
    weights = tf.constant([1.0, 10.0, 100.0])
    plain = tf.log(1 + tf.exp(x))
    with tf.Session() as session:
        naive, ours = session.run([tf.gradients(plain, x)[0], tf.gradients(log1pexp(x), x)[0]])
        print('gradient of log(1 + exp(x)):', naive, '; custom:', ours)
        assert np.isnan(naive[1]) and np.allclose(ours, [0.9525741, 1, 0.1824255])

        assert tf.gradients(tf.ceil(x), x) == [None]
        through = session.run(tf.gradients(rounded(x) * weights, x)[0])
        print('gradient through rounding:  ', through)
        assert through.tolist() == [1, 10, 100]

        y = sorted_by_numpy(x)
        value, back = session.run([y, tf.gradients(y * weights, x)[0]])
        print('sorted by numpy:            ', value, '; gradient:', back)
        assert value.tolist() == [-1.5, 3, 100] and back.tolist() == [10, 100, 1]


if __name__ == '__main__':
    main()
