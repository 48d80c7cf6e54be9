"""The graphs with functions that python_function_gradients_test.py builds with TensorFlow.

Each case returns y, the xs and the feeds, by names of placeholders. Control flow is in functions.
"""

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import function

CASES = {}
X = np.array([0.5, -0.3, 0.8], np.float32)
W = np.array([1.2, 0.7, -0.4], np.float32)
FEEDS = {'x': X, 'w': W}


def case(build):
    CASES[build.__name__] = build
    return build


def inputs():
    return (tf.placeholder(tf.float32, [3], name='x'), tf.placeholder(tf.float32, [3], name='w'))


def variable(value=W):
    return tf.Variable(value, use_resource=True, name='v')


def flag():
    return tf.placeholder(tf.bool, [], name='q')


def loop(count, step, *values):
    def body(i, *loop_values):
        return (i + 1, *step(*loop_values))
    return tf.while_loop(lambda i, *_: i < count, body, [0, *values])[1:]


@case
def call():
    x, w = inputs()

    @tf.function
    def f(a, b):
        return tf.tanh(a) * b * b, a + 1.

    y, z = f(x, w)
    return y * z, [x, w], FEEDS


@case
def call_of_calls():
    x, w = inputs()

    @tf.function
    def g(a):
        return tf.sin(a) * a

    @tf.function
    def f(a, b):
        return g(g(a) * b) + b

    return f(x, w), [x, w], FEEDS


@case
def call_reads_variable():
    x, v = inputs()[0], variable()
    y = tf.function(lambda a: tf.tanh(a * v) * v)(x)
    return y, [x, v], FEEDS


@case
def by_name():
    x, w = inputs()

    @function.Defun(tf.float32, tf.float32)
    def f(a, b):
        return tf.tanh(a) * b * b

    return f(x, w), [x, w], FEEDS


@case
def by_name_with_gradient():
    x, w = inputs()

    @function.Defun(tf.float32, tf.float32, tf.float32)
    def gradient(a, b, d):
        return d * 7. + 0. * a, d * b

    @function.Defun(tf.float32, tf.float32, grad_func=gradient)
    def f(a, b):
        return tf.tanh(a) * b * b

    return f(x, w), [x, w], FEEDS


def branches(taken):
    x, w = inputs()
    y = tf.cond(flag(), lambda: tf.sin(x) * w * tf.exp(x), lambda: tf.exp(x) * x)
    return y, [x, w], {**FEEDS, 'q': taken}


@case
def cond_true():
    return branches(True)


@case
def cond_false():
    return branches(False)


@case
def cond_reads_variable():
    x, v = inputs()[0], variable()
    y = tf.cond(flag(), lambda: tf.sin(x) * v * v, lambda: tf.exp(x) * x)
    return y, [x, v], {**FEEDS, 'q': False}


@case
def cond_gathers():
    v = variable(np.arange(12, dtype=np.float32).reshape(4, 3))
    y = tf.cond(flag(), lambda: tf.gather(v, [1, 2, 1])**2, lambda: tf.gather(v, [0, 0, 0]))
    return y, [v], {'q': True}


@case
def case_of_three():
    x, w = inputs()
    index = tf.placeholder(tf.int32, [], name='q')
    y = tf.switch_case(index, [lambda: tf.sin(x) * w, lambda: tf.exp(x) * x, lambda: tf.tanh(w)])
    return y, [x, w], {**FEEDS, 'q': 2}


@case
def loop_four_times():
    x, w = inputs()
    return loop(4, lambda a: [tf.tanh(a * w) + a * a], x)[0], [x, w], FEEDS


@case
def loop_never():
    x, w = inputs()
    count = tf.placeholder(tf.int32, [], name='n')
    return loop(count, lambda a: [tf.tanh(a * w)], x)[0], [x, w], {**FEEDS, 'n': 0}


@case
def loop_of_two_variables():
    x, w = inputs()
    a, b = loop(3, lambda a, b: [b * tf.sin(a), a + b], x, w)
    return a * b, [x, w], FEEDS


@case
def loop_reads_variable():
    x, v = inputs()[0], variable()
    return loop(4, lambda a: [tf.tanh(a * v) + a * a], x)[0], [x, v], FEEDS


@case
def loop_grows():
    x, w = tf.placeholder(tf.float32, [None], name='x'), inputs()[1]
    y = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.concat([a * tf.reduce_sum(w), w], 0)), [0, x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])[1]
    return y * y, [x, w], FEEDS


@case
def cond_in_loop():
    x, w = inputs()

    def body(i, a):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: tf.sin(a) * w,
                              lambda: a * a + tf.tanh(w))

    return tf.while_loop(lambda i, a: i < 5, body, [0, x])[1], [x, w], FEEDS


@case
def loop_in_loop():
    x, w = inputs()

    def body(i, a):
        b = loop(i, lambda c: [tf.sin(c * w) + c], a)[0]
        return i + 1, b * tf.tanh(b)

    return tf.while_loop(lambda i, a: i < 4, body, [0, x])[1], [x, w], FEEDS


@case
def loop_in_cond():
    x, w = inputs()
    y = tf.cond(flag(), lambda: loop(3, lambda a: [tf.tanh(a * w) + a * a], x)[0], lambda: x * w)
    return y, [x, w], {**FEEDS, 'q': True}


@case
def call_in_loop():
    x, w = inputs()
    f = tf.function(lambda a, b: tf.tanh(a * b) + a)
    return loop(3, lambda a: [f(a, w)], x)[0], [x, w], FEEDS


@case
def scan():
    x = inputs()[0]
    w = tf.placeholder(tf.float32, [], name='s')
    y = tf.scan(lambda a, e: tf.tanh(a * w) + e * e, x, initializer=w)
    return y, [x, w], {'x': X, 's': np.float32(.7)}


@case
def map_fn():
    x, w = inputs()
    return tf.map_fn(lambda e: tf.sin(e[0] * e[1]) * e[0], (x, w), dtype=tf.float32), [x, w], FEEDS


@case
def loop_variables_without_effect():
    x, w = inputs()
    limit = tf.placeholder(tf.float32, [], name='s')
    y = tf.while_loop(lambda i, a, b, n: i < n, lambda i, a, b, n: (i + 1, tf.tanh(a * w), b * 2, n),
                      [np.float32(0), x, w, limit])[1]
    return y, [x, w, limit], {**FEEDS, 's': np.float32(3)}


@case
def loop_captures_without_effect():
    x, w = inputs()
    limit = tf.placeholder(tf.float32, [], name='s')
    most = tf.get_variable('most', initializer=np.float32(2.5), use_resource=True)
    y = tf.while_loop(lambda i, a: tf.logical_and(i < limit, i < most),
                      lambda i, a: (i + 1, tf.tanh(a * w)), [np.float32(0), x])[1]
    return y, [x, w, limit, most], {**FEEDS, 's': np.float32(3)}
