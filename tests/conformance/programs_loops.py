"""The branches and loops of TensorFlow 1: Switch, Merge, Enter, Exit, NextIteration."""

import numpy as np
import tensorflow.compat.v1 as tf

r = tf.raw_ops
X = np.float32([[1, 2], [3, 4], [5, 6]])
V = np.float32([1, -2, 3])
F = tf.float32


def hidden(value, dtype=np.float32):
    """Returns a tensor whose value is unknown at build time."""
    return tf.placeholder_with_default(np.asarray(value, dtype), None)


def shown(value):
    """Like hidden, but with a static shape."""
    return tf.placeholder_with_default(np.asarray(value, np.float32), np.shape(value))


def truth(value):
    return hidden(value, np.bool_)


def cond(p):
    x = shown(V)
    return tf.cond(truth(p), lambda: x * x, lambda: tf.exp(x) + 1.0), [x]


def cond_of_several(p):
    x, y = shown(V), shown(2 * V)
    return tf.cond(truth(p), lambda: [x + y, y], lambda: [x * y, x]), [x, y]


def cond_in_cond(p, q):
    x = shown(V)

    def inner():
        return tf.cond(truth(q), lambda: tf.square(x), lambda: tf.sin(x))

    return tf.cond(truth(p), inner, lambda: 3.0 * x), [x]


def case(k):
    x, i = shown(V), hidden(k, np.int32)
    return tf.case([(tf.equal(i, 0), lambda: x), (tf.equal(i, 1), lambda: x * x)], lambda: tf.exp(x)), [x]


def assign_in_branch():
    v = tf.Variable(1.0, use_resource=True)
    with tf.control_dependencies([v.initializer]):
        p = tf.identity(truth(True))
    done = tf.cond(p, lambda: v.assign_add(5.0).op, lambda: v.assign(100.0).op)
    with tf.control_dependencies([done]):
        return tf.identity(v.read_value())


def not_taken_does_not_run():
    bad = shown([1, np.nan])
    return tf.cond(truth(True), lambda: tf.ones([2]), lambda: tf.debugging.check_numerics(bad, "not taken"))


def merge_of_both():
    """The index of the branch that a value came from."""
    dead, alive = r.Switch(data=hidden(V), pred=truth(True))
    out, index = r.Merge(inputs=[dead * 2.0, alive * 3.0])
    return [out, index]


def waits_for_dead():
    """A node with a dead control input is dead."""
    dead, alive = r.Switch(data=hidden(V), pred=truth(True))
    with tf.control_dependencies([tf.identity(dead)]):
        late = tf.constant(7.0)
    out, index = r.Merge(inputs=[late, tf.reduce_sum(alive)])
    return [out, index]


def trigger_wakes():
    dead, _ = r.Switch(data=hidden(V), pred=truth(True))
    with tf.control_dependencies([tf.identity(dead)]):
        trigger = r.ControlTrigger()
    with tf.control_dependencies([trigger]):
        return tf.constant(4.0)


def dead_fetched():
    dead, _ = r.Switch(data=hidden(V), pred=truth(True))
    return dead


def loop(n):
    x = shown(V)
    return tf.while_loop(lambda i, _: i < hidden(n, np.int32), lambda i, a: (i + 1, a * x + 1.0), (tf.constant(0), x))[1:], [x]


def loop_swaps():
    a, b = shown(1), shown(2)
    return tf.while_loop(lambda i, *_: i < 5, lambda i, a, b: (i + 1, b, a * b), (tf.constant(0), a, b))[1:], [a, b]


def loop_power():
    x, w = shown(0.5), shown(1.5)
    return tf.while_loop(lambda a: a < 20.0, lambda a: a * w + 0.25, (x,)), [x, w]


def loop_in_loop():
    x = shown(V)

    def outer(i, a):
        return i + 1, tf.while_loop(lambda j, _: j < i, lambda j, b: (j + 1, b * x * 0.5), (tf.constant(0), a))[1]

    return tf.while_loop(lambda i, _: i < 4, outer, (tf.constant(0), x))[1:], [x]


def cond_in_loop():
    x = shown(V)

    def body(i, a):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a + x, lambda: a * x)

    return tf.while_loop(lambda i, _: i < 5, body, (tf.constant(0), x))[1:], [x]


def loop_in_cond(p):
    x = shown(V)
    return tf.cond(truth(p), lambda: tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, a * a), (0, x))[1], lambda: x), [x]


def loop_grows():
    x = shown([1, 2])
    out = tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, tf.concat([a, a[-1:] * 2.0], 0)), (tf.constant(0), x),
                        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])))
    return out[1:], [x]


def loop_of_arrays():
    x = shown(X)
    rows = tf.TensorArray(F, size=3).unstack(x)
    out = tf.TensorArray(F, size=3)
    _, out = tf.while_loop(lambda i, _: i < 3, lambda i, t: (i + 1, t.write(i, tf.cumsum(rows.read(i)) * 2.0)),
                           (tf.constant(0), out))
    return out.stack(), [x]


def map_rows():
    x = shown(X)
    return tf.map_fn(lambda row: tf.reduce_prod(row) * row, x), [x]


def scan_rows():
    x = shown(X)
    return tf.scan(lambda a, b: a * b + b, x), [x]


def fold_rows():
    x = shown(X)
    return [tf.foldl(lambda a, b: a * b, x), tf.foldr(lambda a, b: a - 2.0 * b, x)], [x]


def loop_of_matrices():
    x, w = shown(X), shown([[0.5, 0.25], [-0.5, 1.0]])
    return tf.while_loop(lambda i, _: i < 4, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w))), (tf.constant(0), x))[1:], [x, w]


def loop_of_variable():
    v = tf.Variable(1.0, use_resource=True)
    with tf.control_dependencies([v.initializer]):
        start = tf.identity(tf.constant(0))

    def body(i):
        with tf.control_dependencies([v.assign_add(2.0)]):
            return i + 1

    n = tf.while_loop(lambda i: i < 6, body, (start,))
    with tf.control_dependencies([n]):
        return [n, tf.identity(v.read_value())]


def most_iterations():
    return tf.while_loop(lambda i: True, lambda i: i + 1, (tf.constant(0),), 
                         maximum_iterations=tf.placeholder_with_default(np.int32(7), []))


def one_after_another():
    x = shown(V)
    return tf.while_loop(lambda i, _: i < 9, lambda i, a: (i + 1, a * 0.9), (tf.constant(0), x), parallel_iterations=1)[1:], [x]


def second_gradient():
    x = shown(0.5)
    y = tf.cond(truth(True), lambda: x * x * x, lambda: x)
    return tf.gradients(y, x)[0], [x]


def error_in_loop():
    return tf.while_loop(lambda i, _: i < 3, lambda i, a: (i + 1, tf.debugging.check_numerics(a * 1e30, "too large")),
                         (tf.constant(0), hidden(1.0)))[1]


def programs():
    for p in (True, False):
        yield "cond_%d" % p, lambda p=p: cond(p)
        yield "cond_of_several_%d" % p, lambda p=p: cond_of_several(p)
        yield "loop_in_cond_%d" % p, lambda p=p: loop_in_cond(p)
        for q in (True, False):
            yield "cond_in_cond_%d%d" % (p, q), lambda p=p, q=q: cond_in_cond(p, q)
    for k in range(3):
        yield "case_%d" % k, lambda k=k: case(k)
    for n in (0, 1, 6):
        yield "loop_%d" % n, lambda n=n: loop(n)
    for f in (assign_in_branch, not_taken_does_not_run, merge_of_both, waits_for_dead, trigger_wakes, loop_swaps,
              loop_power, loop_in_loop, cond_in_loop, loop_grows, loop_of_arrays, map_rows, scan_rows, fold_rows,
              loop_of_matrices, loop_of_variable, most_iterations, one_after_another, second_gradient):
        yield f.__name__, f
    yield "dead_fetched", dead_fetched, "does not have value"
    yield "error_in_loop", error_in_loop, "too large : Tensor had Inf values"
