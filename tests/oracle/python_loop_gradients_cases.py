"""The graphs that python_loop_gradients_test.py builds in both packages.

Each case returns the fetches and the feeds.
"""

import numpy as np

CASES = {}


def case(build):
    CASES[build.__name__] = build
    return build


@case
def cond_simple(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: x * x, lambda: x * 3.0)
    g = tf.gradients(y, x)
    return g, [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def cond_oneside(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, None, name='z')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: x * 2.0, lambda: z + 1.0)
    g = tf.gradients(y, [x, z])
    return g, [{x: [1.0, 2.0], z: [5.0, 4.0], p: True}, {x: [1.0, 2.0], z: [5.0, 4.0], p: False}]


@case
def cond_nested(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    q = tf.placeholder(tf.bool, [], name='q')
    y = tf.cond(p, lambda: tf.cond(q, lambda: x * x, lambda: tf.sin(x)), lambda: x * 3.0)
    g = tf.gradients(y, x)
    return g, [{x: [1.0, 2.0], p: a, q: b} for a in (True, False) for b in (True, False)]


@case
def while_simple(tf):
    x = tf.placeholder(tf.float32, [], name='x')
    i, y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    g = tf.gradients(y, x)
    return g, [{x: 2.0}]


@case
def while_pow(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    y = tf.while_loop(lambda a: tf.reduce_sum(a) < 100.0, lambda a: a * a, [x])
    g = tf.gradients(y, x)
    return g, [{x: [2.0, 3.0]}]


@case
def while_invariant(tf):
    x = tf.placeholder(tf.float32, [2, 2], name='x')
    w = tf.placeholder(tf.float32, [2, 2], name='w')
    i, y = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w))), [tf.constant(0), x]
    )
    g = tf.gradients(y, [x, w])
    return g, [{x: np.eye(2), w: [[0.1, 0.2], [0.3, 0.4]]}]


@case
def while_invariant_dyn(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    w = tf.placeholder(tf.float32, None, name='w')
    i, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [tf.constant(0), x])
    g = tf.gradients(y, [x, w])
    return g, [{x: [1.0, 2.0], w: [0.5, 0.7]}]


@case
def while_variable(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    v = tf.Variable([1.0, 2.0], name='v', use_resource=False)
    r = tf.Variable([1.0, 3.0], name='r', use_resource=True)
    i, y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * v + r), [tf.constant(0), x])
    g = tf.gradients(y, [x, v, r])
    return g, [{x: [1.0, 2.0]}]


@case
def while_slices(tf):
    emb = tf.Variable(np.arange(12).reshape(4, 3).astype('f'), name='emb', use_resource=False)
    x = tf.placeholder(tf.float32, [3], name='x')
    i, y = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.gather(emb, i)), [tf.constant(0), x]
    )
    g = tf.gradients(y, [emb, x])
    return [g[0].values, g[0].indices, g[1]] if hasattr(g[0], 'values') else g, [
        {x: [1.0, 2.0, 3.0]}
    ]


@case
def while_slices_res(tf):
    emb = tf.Variable(np.arange(12).reshape(4, 3).astype('f'), name='emb', use_resource=True)
    x = tf.placeholder(tf.float32, [3], name='x')
    i, y = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.gather(emb, [i, i])[0]), [tf.constant(0), x]
    )
    g = tf.gradients(y, [emb, x])
    return [g[0].values, g[0].indices, g[1]] if hasattr(g[0], 'values') else g, [
        {x: [1.0, 2.0, 3.0]}
    ]


@case
def while_unused_exit(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, None, name='z')
    i, a, b = tf.while_loop(
        lambda i, a, b: i < 3,
        lambda i, a, b: (i + 1, a * b, b + tf.sin(b)),
        [tf.constant(0), x, z],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None), tf.TensorShape(None)],
    )
    g = tf.gradients(a, [x, z])
    return g, [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def while_unused_exit_static(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, [2], name='z')
    i, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, b + tf.sin(b)), [tf.constant(0), x, z]
    )
    g = tf.gradients(a, [x, z])
    return g, [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def while_not_dep(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, [2], name='z')
    i, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, z * z), [tf.constant(0), x])
    g = tf.gradients(a, [x, z])
    return g, [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def while_not_dep_dyn(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    z = tf.placeholder(tf.float32, None, name='z')
    i, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, z * z), [tf.constant(0), x])
    g = tf.gradients(a, [x, z])
    return g, [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def cond_in_while(tf):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, a):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: tf.sin(a))

    i, a = tf.while_loop(lambda i, a: i < 4, body, [tf.constant(0), x])
    g = tf.gradients(a, x)
    return g, [{x: [1.0, 2.0]}]


@case
def cond_in_while_dyn(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: tf.sin(x))

    i, a = tf.while_loop(lambda i, a: i < 4, body, [tf.constant(0), x])
    g = tf.gradients(a, x)
    return g, [{x: [1.0, 2.0]}]


@case
def cond_nested_in_while(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        return i + 1, tf.cond(
            i < 3,
            lambda: tf.cond(i < 1, lambda: a * a * x, lambda: tf.exp(a) * a),
            lambda: tf.sin(x * x),
        )

    i, a = tf.while_loop(lambda i, a: i < 4, body, [tf.constant(0), x])
    g = tf.gradients(a, x)
    return g, [{x: [0.1, 0.2]}]


@case
def while_in_cond(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(
        p,
        lambda: tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])[
            1
        ],
        lambda: tf.sin(x),
    )
    g = tf.gradients(y, x)
    return g, [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def nested_while(tf):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, a):
        _, b = tf.while_loop(
            lambda j, b: j < i + 1, lambda j, b: (j + 1, b * x + a), [tf.constant(0), a]
        )
        return i + 1, tf.sin(b)

    i, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    g = tf.gradients(a, x)
    return g, [{x: [0.1, 0.2]}]


@case
def nested_while_dyn(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    w = tf.placeholder(tf.float32, None, name='w')

    def body(i, a):
        _, b, c = tf.while_loop(
            lambda j, b, c: j < i + 1,
            lambda j, b, c: (j + 1, b * w + tf.sin(a), tf.sin(b) * c),
            [tf.constant(0), a, w],
        )
        return i + 1, tf.sin(b)

    i, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    g = tf.gradients(a, [x, w])
    return g, [{x: [0.1, 0.2], w: [0.3, 0.4]}]


@case
def nested_cond_deep(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        def inner():
            return tf.while_loop(
                lambda j, b: j < i + 1,
                lambda j, b: (j + 1, tf.cond(j < 1, lambda: b * x, lambda: tf.sin(b * a))),
                [tf.constant(0), a],
            )[1]

        return i + 1, tf.cond(i < 2, inner, lambda: a * a)

    i, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    g = tf.gradients(a, x)
    return g, [{x: [0.1, 0.2]}]


@case
def two_loops(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    _, b = tf.while_loop(lambda i, a: i < 2, lambda i, b: (i + 1, b * a), [tf.constant(0), x])
    g = tf.gradients(b, x)
    return g, [{x: [1.0, 2.0]}]


@case
def back_prop_false(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x], back_prop=False
    )
    g = tf.gradients(a + x, x)
    return g, [{x: [1.0, 2.0]}]


@case
def maximum_iterations(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    a = tf.while_loop(
        lambda a: True,
        lambda a: a * x,
        [x],
        maximum_iterations=4,
        swap_memory=True,
        parallel_iterations=3,
    )
    g = tf.gradients(a, x)
    return g, [{x: [1.0, 2.0]}]


@case
def grad_in_loop(tf):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, a):
        y = a * a * x
        return i + 1, a - 0.1 * tf.gradients(y, a)[0]

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    return [a], [{x: [1.0, 2.0]}]


@case
def grad_in_cond(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: tf.gradients(x * x * 2.0, x)[0], lambda: x)
    return [y], [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def colocate(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    with tf.device('/cpu:0'):
        _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    g = tf.gradients(a, x, colocate_gradients_with_ops=True)
    return g, [{x: [1.0, 2.0]}]


@case
def broadcast_in_loop(tf):
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    b = tf.placeholder(tf.float32, [2], name='b')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.sin(a) * b + b), [tf.constant(0), x]
    )
    g = tf.gradients(a, [x, b])
    return g, [{x: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], b: [0.1, 0.2]}]


@case
def grad_wrt_inner(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    keep = []

    def body(i, a):
        y = tf.sin(a)
        keep.append(y)
        return i + 1, y * a

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    g = tf.gradients(a, [x, x])
    return g, [{x: [1.0, 2.0]}]


@case
def cond_second_order(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: x * x * x, lambda: tf.sin(x))
    g = tf.gradients(y, x)[0]
    h = tf.gradients(g, x)
    return [g] + h, [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def while_second_order_error(tf):
    x = tf.placeholder(tf.float32, [], name='x')
    i, y = tf.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    g = tf.gradients(y, x)[0]
    return tf.gradients(g, x), [{x: 2.0}]


@case
def tensor_array(tf):
    x = tf.placeholder(tf.float32, [3], name='x')
    w = tf.placeholder(tf.float32, [], name='w')
    ta = tf.TensorArray(tf.float32, 3).unstack(x)
    out = tf.TensorArray(tf.float32, 3)
    _, s, out = tf.while_loop(
        lambda i, s, o: i < 3,
        lambda i, s, o: (i + 1, s * w + ta.read(i), o.write(i, s * s)),
        [0, 0.0, out],
    )
    y = tf.reduce_sum(out.stack()) + s
    return tf.gradients(y, [x, w]), [{x: [1.0, 2.0, 3.0], w: 0.5}]


@case
def map_fn(tf):
    x = tf.placeholder(tf.float32, [3], name='x')
    w = tf.placeholder(tf.float32, [], name='w')
    y = tf.map_fn(lambda e: e * e * w, x)
    return tf.gradients(y, [x, w]), [{x: [1.0, 2.0, 3.0], w: 0.5}]


@case
def multi_outputs(tf):
    x = tf.placeholder(tf.float32, [4], name='x')

    def body(i, a):
        p, q = tf.split(a, 2)
        return i + 1, tf.concat([q, p * p], 0)

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    return tf.gradients(a, x), [{x: [1.0, 2.0, 3.0, 4.0]}]


@case
def unused_output_in_loop(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        p, q = tf.split(a, 2)
        return i + 1, tf.concat([q, q * q], 0)

    _, a = tf.while_loop(
        lambda i, a: i < 3,
        body,
        [tf.constant(0), x],
        shape_invariants=[tf.TensorShape([]), tf.TensorShape(None)],
    )
    return tf.gradients(a, x), [{x: [1.0, 2.0, 3.0, 4.0]}]


@case
def const_in_loop(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.maximum(tf.identity(a) * 2.0, 1.0) + a / [2.0, 4.0]),
        [tf.constant(0), x],
    )
    return tf.gradients(a, x), [{x: [1.0, 2.0]}]


@case
def parallel_one(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a * a * x),
        [tf.constant(0), x],
        parallel_iterations=1,
    )
    return tf.gradients(a, x), [{x: [1.0, 2.0]}]


@case
def identity_invariant(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.identity(x)), [tf.constant(0), x]
    )
    return tf.gradients(a, x), [{x: [1.0, 2.0]}]


@case
def exit_shape_nested(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        _, b = tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * 2.0), [tf.constant(0), a])
        return i + 1, b + a

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    return tf.gradients(a, x), [{x: [1.0, 2.0]}]


@case
def partial_xs(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, [2], name='z')
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, b + 1.0), [tf.constant(0), x, z]
    )
    return tf.gradients([a, b], x), [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def cond_slices(tf):
    emb = tf.Variable(np.arange(12).reshape(4, 3).astype('f'), name='emb', use_resource=False)
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: tf.gather(emb, [1, 2]), lambda: tf.gather(emb, [0, 3]) * 2.0)
    g = tf.gradients(y, emb)
    return [tf.convert_to_tensor(g[0])], [{p: True}, {p: False}]


@case
def cond_resource(tf):
    v = tf.Variable([1.0, 2.0], name='v', use_resource=True)
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: v * v, lambda: v * 3.0)
    return tf.gradients(y, v), [{p: True}, {p: False}]


@case
def cond_resource_oneside(tf):
    v = tf.Variable([1.0, 2.0], name='v', use_resource=True)
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: v * v, lambda: tf.constant([3.0, 4.0]))
    return tf.gradients(y, v), [{p: True}]


@case
def cond_resource_slices(tf):
    emb = tf.Variable(np.arange(12).reshape(4, 3).astype('f'), name='emb', use_resource=True)
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: tf.gather(emb, [1, 2]), lambda: tf.gather(emb, [0, 3]) * 2.0)
    g = tf.gradients(y, emb)
    return [tf.convert_to_tensor(g[0])], [{p: True}, {p: False}]


@case
def slices_dyn(tf):
    emb = tf.placeholder(tf.float32, None, name='emb')
    x = tf.placeholder(tf.float32, None, name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, a * tf.gather(emb, i)), [tf.constant(0), x]
    )
    g = tf.gradients(a, emb)
    return [g[0].values, g[0].indices, g[0].dense_shape], [
        {x: [1.0, 2.0], emb: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]}
    ]


@case
def slices_nested(tf):
    emb = tf.Variable(np.arange(12).reshape(4, 3).astype('f'), name='emb', use_resource=False)
    x = tf.placeholder(tf.float32, [3], name='x')

    def body(i, a):
        _, b = tf.while_loop(
            lambda j, b: j < 2,
            lambda j, b: (j + 1, b * tf.gather(emb, [j, i])[0]),
            [tf.constant(0), a],
        )
        return i + 1, b

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    g = tf.gradients(a, emb)
    return [g[0].values, g[0].indices, g[0].dense_shape], [{x: [1.0, 2.0, 3.0]}]


@case
def slices_exit(tf):
    x = tf.placeholder(tf.float32, [4, 3], name='x')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a), [tf.constant(0), x])
    return tf.gradients(tf.gather(a, [1, 2]), x), [{x: np.ones([4, 3])}]


@case
def slices_exit_identity(tf):
    x = tf.placeholder(tf.float32, [4, 3], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.identity(a)), [tf.constant(0), x]
    )
    g = tf.gradients(tf.gather(a, [1, 2]), x)[0]
    return [g.values, g.indices, g.dense_shape] if hasattr(g, 'indices') else [g], [
        {x: np.ones([4, 3])}
    ]


@case
def cond_slices_merge(tf):
    x = tf.placeholder(tf.float32, [4, 3], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    y = tf.cond(p, lambda: x * 2.0, lambda: tf.sin(x))
    return tf.gradients(tf.gather(y, [1, 2]), x), [
        {x: np.ones([4, 3]), p: True},
        {x: np.ones([4, 3]), p: False},
    ]


@case
def double_not_dep(tf):
    x = tf.placeholder(tf.float64, [2], name='x')
    z = tf.placeholder(tf.float64, [2], name='z')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, z * z), [tf.constant(0), x])
    return tf.gradients(a, [x, z]), [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def double_not_dep_dyn(tf):
    x = tf.placeholder(tf.float64, None, name='x')
    z = tf.placeholder(tf.float64, None, name='z')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, z * z), [tf.constant(0), x])
    return tf.gradients(a, [x, z]), [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def grad_twice(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    w = tf.placeholder(tf.float32, [2], name='w')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * w), [tf.constant(0), x])
    g1 = tf.gradients(a, x)
    g2 = tf.gradients(a, w)
    return g1 + g2, [{x: [1.0, 2.0], w: [3.0, 4.0]}]


@case
def grad_of_inner_loop_in_body(tf):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, a):
        _, b = tf.while_loop(lambda j, b: j < 2, lambda j, b: (j + 1, b * a), [tf.constant(0), a])
        return i + 1, a - 0.1 * tf.gradients(b, a)[0]

    _, a = tf.while_loop(lambda i, a: i < 2, body, [tf.constant(0), x])
    return [a], [{x: [1.0, 2.0]}]


@case
def wrt_loop_var_error(tf):
    x = tf.placeholder(tf.float32, [2], name='x')

    def body(i, a):
        y = a * a * x
        return i + 1, a - 0.1 * tf.gradients(y, x)[0]

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    return [a], [{x: [1.0, 2.0]}]


@case
def wrt_initial_error(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    x2 = x * 2.0

    def body(i, a):
        y = a * a
        return i + 1, a - 0.1 * tf.gradients(y, x2)[0]

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x2])
    return [a], [{x: [1.0, 2.0]}]


@case
def outer_after(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    w = tf.placeholder(tf.float32, None, name='w')

    def body(i, a):
        b = tf.cond(tf.reduce_sum(a) > 1.0, lambda: a * w, lambda: a + w)
        c = tf.cond(i > 1, lambda: b * 2.0, lambda: b)
        return i + 1, c * tf.reduce_sum(c)

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x * w])
    return tf.gradients(tf.reduce_mean(a) * w, [x, w]), [
        {x: [0.1, 0.2], w: [0.3, 0.4]},
        {x: [1.1, 2.2], w: [0.3, 0.4]},
    ]


@case
def grad_ys(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    gy = tf.placeholder(tf.float32, [2], name='gy')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    return tf.gradients([a, a * 2.0], x, grad_ys=[gy, None], stop_gradients=[]), [
        {x: [1.0, 2.0], gy: [3.0, 4.0]}
    ]


@case
def stop_inside(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a * tf.stop_gradient(a) + tf.cast(i, tf.float32)),
        [tf.constant(0), x],
    )
    return tf.gradients(a, x), [{x: [1.0, 2.0]}]


@case
def in_scope(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    z = tf.placeholder(tf.float32, None, name='z')
    with tf.name_scope('train'):
        _, a, b = tf.while_loop(
            lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * b, z), [tf.constant(0), x, z]
        )
        g = tf.gradients(a, [x, z])
    return g, [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def three_deep(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    w = tf.placeholder(tf.float32, None, name='w')

    def l3(a):
        return tf.while_loop(
            lambda k, c: k < 2, lambda k, c: (k + 1, tf.sin(c) * w + a), [tf.constant(0), a]
        )[1]

    def l2(a):
        return tf.while_loop(
            lambda j, b: j < 2,
            lambda j, b: (j + 1, tf.cond(j < 1, lambda: l3(b) * b, lambda: b * a)),
            [tf.constant(0), a],
        )[1]

    a = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, l2(a)), [tf.constant(0), x])[1]
    return tf.gradients(a, [x, w]), [{x: [0.1, 0.2], w: [0.3, 0.4]}]


@case
def cond_in_while_resource(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    r = tf.get_variable('r', initializer=[1.0, 3.0], use_resource=True)
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.cond(i < 2, lambda: a * r, lambda: a + 1.0)),
        [tf.constant(0), x],
    )
    return tf.gradients(a, [x, r]), [{x: [1.0, 2.0]}]


@case
def cond_in_while_ref(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    r = tf.get_variable('r', initializer=[1.0, 3.0], use_resource=False)
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, tf.cond(i < 2, lambda: a * r, lambda: a + 1.0)),
        [tf.constant(0), x],
    )
    return tf.gradients(a, [x, r]), [{x: [1.0, 2.0]}]


@case
def sparse_in_body(tf):
    x = tf.placeholder(tf.float32, [4, 3], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.gather(a, [1, 2, 3, 0])), [tf.constant(0), x]
    )
    return tf.gradients(a * a, x), [{x: np.arange(12).reshape(4, 3)}]


@case
def lstm_like(tf):
    x = tf.placeholder(tf.float32, [5, None, 3], name='x')
    w = tf.get_variable(
        'w', shape=[7, 16], initializer=tf.constant_initializer(0.1), use_resource=False
    )
    b = tf.get_variable('b', shape=[16], initializer=tf.zeros_initializer(), use_resource=False)
    n = tf.shape(x)[1]
    ta = tf.TensorArray(tf.float32, 5).unstack(x)
    out = tf.TensorArray(tf.float32, 5)

    def body(t, c, h, o):
        z = tf.nn.bias_add(tf.matmul(tf.concat([ta.read(t), h], 1), w), b)
        i, j, f, q = tf.split(z, 4, axis=1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(q)
        return t + 1, c, h, o.write(t, h)

    z0 = tf.zeros([n, 4])
    _, c, h, out = tf.while_loop(
        lambda t, c, h, o: t < 5,
        body,
        [0, z0, z0, out],
        shape_invariants=[
            tf.TensorShape([]),
            tf.TensorShape([None, 4]),
            tf.TensorShape([None, 4]),
            tf.TensorShape(None),
        ],
    )
    loss = tf.reduce_sum(out.stack()) + tf.reduce_sum(c * h)
    return tf.gradients(loss, [x, w, b]), [{x: np.arange(30).reshape(5, 2, 3) / 30.0}]


@case
def gated(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x + a), [tf.constant(0), x])
    return tf.gradients(a, x, gate_gradients=True, aggregation_method=1), [{x: [1.0, 2.0]}]


@case
def colocate_nested(tf):
    x = tf.placeholder(tf.float32, None, name='x')

    def body(i, a):
        _, b = tf.while_loop(
            lambda j, b: j < i + 1,
            lambda j, b: (j + 1, tf.cond(j < 1, lambda: b * x, lambda: tf.sin(b))),
            [tf.constant(0), a],
        )
        return i + 1, b * a

    _, a = tf.while_loop(lambda i, a: i < 3, body, [tf.constant(0), x])
    return tf.gradients(a, x, colocate_gradients_with_ops=True), [{x: [0.5, 0.7]}]


@case
def switch_raw(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    f, t = tf.raw_ops.Switch(data=x, pred=p)
    m, _ = tf.raw_ops.Merge(inputs=[f * 2.0, t * t])
    return tf.gradients(m, x), [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def exits_none(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    z = tf.placeholder(tf.float32, [2], name='z')
    _, a, b = tf.while_loop(
        lambda i, a, b: i < 3, lambda i, a, b: (i + 1, a * x, b + 1.0), [tf.constant(0), x, z]
    )
    y = tf.stop_gradient(a) * x + b
    return tf.gradients(y, [x, z]), [{x: [1.0, 2.0], z: [3.0, 4.0]}]


@case
def exits_all_none(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    y = tf.cast(tf.cast(a, tf.int32), tf.float32) * x
    return tf.gradients(y, x), [{x: [1.0, 2.0]}]


@case
def case_like(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    k = tf.placeholder(tf.int32, [], name='k')
    y = tf.cond(
        tf.equal(k, 0),
        lambda: (x * x, x),
        lambda: tf.cond(tf.equal(k, 1), lambda: (x * 3.0, x + 1.0), lambda: (tf.exp(x), tf.sin(x))),
    )
    return tf.gradients(y, x), [{x: [1.0, 2.0], k: 0}, {x: [1.0, 2.0], k: 1}, {x: [1.0, 2.0], k: 2}]


@case
def half_and_complex(tf):
    x = tf.placeholder(tf.complex64, [2], name='x')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])
    return [tf.real(tf.gradients(tf.real(a), x)[0])], [{x: [1.0 + 1.0j, 2.0]}]


@case
def cond_second_order_nested(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    q = tf.placeholder(tf.bool, [], name='q')
    y = tf.cond(p, lambda: tf.cond(q, lambda: x * x * x, lambda: tf.sin(x)), lambda: x**4.0)
    g = tf.gradients(y, x)[0]
    return [g] + tf.gradients(g, x), [
        {x: [1.0, 2.0], p: a, q: b} for a in (True, False) for b in (True, False)
    ]


@case
def optimizer_in_loop_model(tf):
    w = tf.get_variable('w', initializer=[[0.5, 0.1], [0.2, 0.3]], use_resource=False)
    x = tf.placeholder(tf.float32, [3, 2], name='x')
    _, a = tf.while_loop(
        lambda i, a: i < 3, lambda i, a: (i + 1, tf.nn.relu(tf.matmul(a, w))), [tf.constant(0), x]
    )
    train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(a))
    with tf.control_dependencies([train]):
        out = tf.identity(w)
    return [out], [{x: np.ones([3, 2])}]


@case
def while_loop_in_function_scope(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    with tf.variable_scope('net'):
        v = tf.get_variable('v', initializer=[2.0, 3.0], use_resource=False)
        with tf.control_dependencies([v.initializer]):
            _, a = tf.while_loop(
                lambda i, a: i < 3, lambda i, a: (i + 1, a * v), [tf.constant(0), x]
            )
    return tf.gradients(a, [v, x]), [{x: [1.0, 2.0]}]


@case
def gradients_in_branch_of_loop_outside(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')
    _, a = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [0, x])
    y = tf.cond(p, lambda: tf.gradients(a, x)[0], lambda: x * 7.0)
    return [y], [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def gradients_in_branch_of_nested_loops(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    p = tf.placeholder(tf.bool, [], name='p')

    def body(i, a):
        _, b = tf.while_loop(lambda j, b: j < i, lambda j, b: (j + 1, tf.tanh(b * x)), [0, a])
        return i + 1, b + a

    _, a = tf.while_loop(lambda i, a: i < 3, body, [0, x])
    y = tf.cond(p, lambda: tf.gradients(a, x)[0], lambda: x * 7.0)
    return [y], [{x: [1.0, 2.0], p: True}, {x: [1.0, 2.0], p: False}]


@case
def optimizer_in_branch(tf):
    v = tf.get_variable('v', initializer=[1.0, 2.0], use_resource=False)
    p = tf.placeholder(tf.bool, [], name='p')
    _, a = tf.while_loop(lambda i, a: i < 2, lambda i, a: (i + 1, tf.tanh(a * v)), [0, v * 1.0])
    train = tf.train.GradientDescentOptimizer(0.1)
    done = tf.cond(
        p, lambda: tf.group(train.minimize(tf.reduce_sum(a), var_list=[v])), lambda: tf.no_op()
    )
    with tf.control_dependencies([done]):
        return [tf.identity(v.read_value())], [{p: True}, {p: False}, {p: True}]


@case
def slices_of_invariant_int64(tf):
    w = tf.placeholder(tf.float32, None, name='w')
    x = tf.placeholder(tf.float32, [2], name='x')
    rows = tf.constant([[0], [1]], tf.int64)
    _, a = tf.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, a * tf.reshape(tf.gather_nd(w, rows), [2])),
        [0, x],
    )
    g = tf.gradients(a, [w, x])
    return [tf.convert_to_tensor(g[0]), g[1]], [{w: [0.3, 0.4, 0.5], x: [1.0, 2.0]}]


@case
def hessian_of_products(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    w = tf.placeholder(tf.float32, [2, 2], name='w')
    y = tf.reduce_sum(tf.square(tf.linalg.matvec(w, x)))
    feeds = {x: [1.0, -2.0], w: [[1.0, 2.0], [0.5, -1.0]]}
    return tf.hessians(y, [x, w]), [feeds]


@case
def hessian_of_cross_entropy(tf):
    x = tf.placeholder(tf.float32, [2, 3], name='x')
    labels = tf.constant([2, 0])
    y = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=x)
    return tf.hessians([y, tf.exp(x)], x), [{x: [[0.5, 1.0, -1.0], [2.0, 0.0, 1.0]]}]


@case
def hessian_of_unknown_shape(tf):
    x = tf.placeholder(tf.float32, None, name='x')
    y = x * x * x
    return tf.hessians(y, x), [{x: 2.0}, {x: [1.0, 2.0, 3.0]}, {x: np.ones([2, 2])}]


@case
def hessian_of_variable(tf):
    v = tf.get_variable('v', initializer=tf.constant([1.0, 2.0, 3.0]))
    y = tf.reduce_sum(v * v * v)
    return tf.hessians(y, v, gate_gradients=True, aggregation_method=1), [{}]


@case
def hessian_of_linear(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    return tf.hessians(x * 3.0, x), [{x: [1.0, 2.0]}]


@case
def hessian_of_nothing(tf):
    x = tf.placeholder(tf.float32, [2], name='x')
    return tf.hessians(tf.constant(1.0), x), [{x: [1.0, 2.0]}]


@case
def used_outside_of_its_loop(tf):
    x = tf.placeholder(tf.float32, [], name='x')
    inner = []

    def body(i, a):
        inner.append(a * x)
        return i + 1, inner[0]

    tf.while_loop(lambda i, a: i < 5, body, [tf.constant(0), x])
    return [inner[0] + 1.0], [{x: 1.0}]
