"""Graphs with functions that python_functions_test.py builds with TensorFlow and with Ramet.

Each case takes the package tf and Defun, and returns a list of tensors and the feeds.
"""

import numpy as np

CASES = {}
X = np.array([0.5, -0.3, 0.8], np.float32)


def case(build):
    CASES[build.__name__] = build
    return build


def argument(tf):
    return tf.placeholder(tf.float32, [3], name='x')


@case
def defun(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, tf.float32)
    def foo(a, b):
        """What it does."""
        return tf.sin(a) * b, a + 1.

    return list(foo(x, x)) + [foo(x, 2. * x, name='again')[0]], {'x': X}


@case
def captures(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32)
    def foo(a):
        with tf.name_scope('inner'):
            return tf.nn.relu(a * x) + x

    return [foo(x + 1.), tf.gradients(foo(x), x)[0]], {'x': X}


@case
def python_gradient(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, func_name='bar', python_grad_func=lambda op, g: g * 7.,
                    noinline=True, out_names=['res'])
    def foo(a):
        return tf.tanh(a, name='t')

    y = foo(x)
    return [y, tf.gradients(y * x, x)[0]], {'x': X}


@case
def gradient_function(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, tf.float32, func_name='dfoo')
    def gradient(a, d):
        return d * 3. + a

    @function.Defun(tf.float32, grad_func=gradient, func_name='foo')
    def foo(a):
        return tf.tanh(a)

    y = foo(x)
    return [y, tf.gradients(y, x)[0]], {'x': X}


@case
def gradient(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, tf.float32, func_name='foo')
    def foo(a, b):
        return tf.tanh(a) * b * b

    y = foo(x, x)
    return [y, tf.gradients(y, x)[0]], {'x': X}


@case
def defun_in_defun(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, func_name='inner')
    def inner(a):
        return a * x

    @function.Defun(tf.float32, func_name='outer')
    def outer(a):
        return inner(tf.exp(a)) + inner(a)

    return [outer(x)], {'x': X}


@case
def variable(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, func_name='foo')
    def foo(a):
        with tf.variable_scope('s'):
            v = tf.get_variable('v', [3], initializer=tf.constant_initializer(2.))
        return a * v

    y = foo(x)
    return [y] + tf.gradients(y, tf.global_variables()), {'x': X}


@case
def resource_variable(tf, function):
    x = argument(tf)
    v = tf.Variable([1., 2., 3.], use_resource=True, name='v')

    @function.Defun(tf.float32, func_name='foo')
    def foo(a):
        with tf.control_dependencies([v.assign_add(a)]):
            return a * v

    return [foo(x)], {'x': X}


@case
def of_many_types(tf, function):
    x = argument(tf)

    @function.Defun(func_name='twice')
    def twice(a):
        return a + a

    return [twice(x), twice(tf.cast(x, tf.float64)), twice(3)], {'x': X}


@case
def in_loop(tf, function):
    x = argument(tf)

    @function.Defun(tf.float32, func_name='foo', shape_func=lambda op: [op.inputs[0].shape])
    def foo(a):
        return tf.sin(a) * x

    return [tf.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, foo(a)), [0, x])[1]], {'x': X}


def chosen(tf, number):
    x, q = argument(tf), tf.placeholder(tf.int32, [], name='q')
    w = tf.placeholder(tf.float32, [3], name='w')
    y = tf.switch_case(q, [lambda: tf.sin(x), lambda: tf.exp(x) * w, lambda: w * 2.])
    return [y, *tf.gradients(y * y, [x, w])], {'x': X, 'w': 2. * X, 'q': number}


@case
def switch_case_first(tf, function):
    return chosen(tf, 0)


@case
def switch_case_second(tf, function):
    return chosen(tf, 1)


@case
def switch_case_other(tf, function):
    return chosen(tf, 7)


@case
def switch_case_of_structures(tf, function):
    x, q = argument(tf), tf.placeholder(tf.int32, [], name='q')
    y = tf.switch_case(q, {1: lambda: {'a': x, 'b': (x, x * 3.)},
                           0: lambda: {'a': x + 1., 'b': (x, tf.stack([x[0], x[1], x[2]]))}},
                       default=lambda: {'a': tf.Print(x, []), 'b': (x, x)}, name='mine')
    return [y['a'], *y['b']], {'x': X, 'q': 1}


@case
def custom_gradient(tf, function):
    x = argument(tf)

    @tf.custom_gradient
    def foo(a):
        return tf.exp(a), lambda d: d * 5.

    @function.Defun(tf.float32, func_name='bar')
    def bar(a):
        return a * 2.

    y = bar(foo(x))
    return [y, tf.gradients(y, x)[0]], {'x': X}
