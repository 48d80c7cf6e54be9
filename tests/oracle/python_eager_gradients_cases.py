"""The eager programs with gradients that python_eager_test.py runs in TensorFlow and in Ramet."""

import numpy as np

A = np.array([[1., 2.], [3., 4.]], np.float32)


def first(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def second(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x ** 3. + tf.exp(x)
        dy = inner.gradient(y, x)
    return [dy, outer.gradient(dy, x)]


def third(tf):
    x = tf.constant(1.5)
    with tf.GradientTape() as a:
        a.watch(x)
        with tf.GradientTape() as b:
            b.watch(x)
            with tf.GradientTape() as c:
                c.watch(x)
                y = tf.sin(x) * x ** 2.
            d1 = c.gradient(y, x)
        d2 = b.gradient(d1, x)
    return [d1, d2, a.gradient(d2, x)]


def persistent(tf):
    x = tf.constant(3.)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x
        z = y * y
    return [tape.gradient(z, x), tape.gradient(y, x), tape.gradient(z, [x, y])]


def used_twice(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    tape.gradient(y, x)
    return tape.gradient(y, x)


def variables(tf):
    v, w, frozen = tf.Variable([1., 2.]), tf.Variable(3.), tf.Variable(4., trainable=False)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v * w) * frozen
    watched = [u.name for u in tape.watched_variables()]
    return [watched, tape.gradient(y, [v, w, frozen])]


def unwatched_variables(tf):
    v = tf.Variable(2.)
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        y = v * v
    return [tape.gradient(y, v), len(tape.watched_variables())]


def unconnected(tf):
    x, z, v = tf.constant([1., 2.]), tf.constant([3., 3.]), tf.Variable([5., 6.])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch([x, z])
        y = x * 2.
    return [tape.gradient(y, z), tape.gradient(y, [z, v], unconnected_gradients=tf.UnconnectedGradients.ZERO)]


def output_gradients(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y, z = x * x, x * 3.
    return tape.gradient([y, z], x, output_gradients=[tf.constant([1., 10.]), tf.constant([1., 1.])])


def structures(tf):
    x = {'a': tf.constant(1.), 'b': (tf.constant(2.), tf.constant(3.))}
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x['a'] * x['b'][0] + x['b'][1] ** 2.
    made = tape.gradient(y, x)
    return [made['a'], made['b'][0], made['b'][1]]


def stop_recording(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        with tape.stop_recording():
            z = y * y
        w = y + z
    return tape.gradient(w, x)


def reset(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        tape.reset()
        tape.watch(x)
        y += x * x
    return tape.gradient(y, x)


def stop_gradient(tf):
    x = tf.constant(3.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.stop_gradient(x * x) * x
    return tape.gradient(y, x)


def jacobians(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * x * tf.reduce_sum(x)
    rows = tf.constant(A)
    with tf.GradientTape() as batch:
        batch.watch(rows)
        z = rows ** 2. * rows[:, :1]
    return [tape.jacobian(y, x), batch.batch_jacobian(z, rows)]


def slices(tf):
    v = tf.Variable(A)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 0, 1]) * [[1.], [2.], [3.]])
    grad = tape.gradient(y, v)
    return [type(grad).__name__, grad.values, grad.indices, grad.dense_shape, tf.convert_to_tensor(grad)]


def sums_of_slices(tf):
    v = tf.Variable(A)
    with tf.GradientTape(persistent=True) as tape:
        y = tf.reduce_sum(tf.gather(v, [0, 1]) ** 2.) + tf.reduce_sum(tf.gather(v, [1]))
        z = y + tf.reduce_sum(v * v)
    return [tf.convert_to_tensor(tape.gradient(y, v)), tf.convert_to_tensor(tape.gradient(z, v))]


def through_ops(tf):
    a = tf.constant(A)
    functions = [
        lambda x: tf.matmul(x, x), tf.nn.relu, tf.nn.softmax, tf.sigmoid, tf.tanh, tf.exp, tf.log, tf.sqrt, tf.square,
        lambda x: tf.reduce_mean(x, 0), lambda x: tf.reduce_max(x, 1), lambda x: tf.concat([x, x], 0),
        lambda x: tf.stack([x, 2. * x]), lambda x: tf.unstack(x)[1], lambda x: tf.split(x, 2, 1)[0],
        lambda x: x[0], lambda x: x[:, 1:], lambda x: tf.reshape(x, [4]), tf.transpose, lambda x: tf.tile(x, [2, 1]),
        lambda x: tf.pad(x, [[1, 0], [0, 0]]), lambda x: tf.where(x > 2, x, 2. * x), lambda x: tf.cumsum(x, 1),
        lambda x: tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[0., 1.], [1., 0.]], logits=x),
        lambda x: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=x), tf.matrix_inverse,
        lambda x: tf.nn.l2_normalize(x, 1), lambda x: tf.clip_by_value(x, 1.5, 3.5), lambda x: tf.gather(x, [1, 1]),
        lambda x: tf.einsum('ij,kj->ik', x, x), lambda x: x / (x + 1.), lambda x: x ** 2., lambda x: tf.maximum(x, 2.),
        lambda x: tf.norm(x), lambda x: tf.reduce_prod(x), lambda x: tf.nn.top_k(x, 1).values,
            lambda x: tf.expand_dims(x, 1),
        lambda x: tf.nn.moments(x, [0])[1], lambda x: tf.nn.bias_add(x, [1., 2.]), lambda x: tf.cast(x, tf.float64),
        lambda x: tf.nn.conv2d(tf.reshape(x, [1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], 'SAME'),
        lambda x: tf.nn.max_pool(tf.reshape(x, [1, 2, 2, 1]), [1, 2, 2, 1], [1, 1, 1, 1], 'SAME'),
        lambda x: tf.image.resize_bilinear(tf.reshape(x, [1, 2, 2, 1]), [3, 3]), lambda x: tf.reverse(x, [0]),
        lambda x: tf.unsorted_segment_sum(x, [1, 0], 2), lambda x: tf.svd(x, compute_uv=False), lambda x: tf.cholesky(
            tf.matmul(x, x, transpose_a=True)), lambda x: tf.map_fn(lambda r: r * r, x), lambda x: tf.scan(
                lambda a, r: a * r, x), lambda x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0,
                x])[1],
        lambda x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2., lambda: x), lambda x: tf.slice(x, [0, 0], [1, 2]),
        lambda x: tf.nn.embedding_lookup(x, [1]), lambda x: tf.add_n([x, x, 2. * x]), lambda x: tf.reduce_logsumexp(x),
        lambda x: tf.sparse_tensor_dense_matmul(tf.SparseTensor([[0, 1]], [2.], [2, 2]), x), lambda x: tf.diag_part(x),
        lambda x: tf.py_function(lambda y: y * y, [x], tf.float32), lambda x: tf.identity_n([x, x])[1]]
    results = []
    for function in functions:
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = function(a)
            grad = tape.gradient(y, a)
        results.append(tf.convert_to_tensor(grad))
    return results


def second_through_ops(tf):
    a = tf.constant(A)
    functions = [
        lambda x: tf.matmul(x, x), tf.nn.softmax, tf.sigmoid, tf.exp, tf.log, lambda x: x / (x + 1.), lambda x: x ** 3.,
        lambda x: tf.reduce_mean(x * x, 0), lambda x: tf.concat([x, x * x], 0), lambda x: x[:, 1] ** 2., tf.square,
        lambda x: tf.gather(x * x, [1, 1]), lambda x: tf.where(x > 2, x * x, x), lambda x: tf.nn.l2_normalize(x, 1),
        lambda x: tf.nn.conv2d(tf.reshape(x * x, [1, 2, 2, 1]), tf.ones([2, 2, 1, 1]), [1, 1, 1, 1], 'SAME')]
    results = []
    for function in functions:
        with tf.GradientTape() as outer:
            outer.watch(a)
            with tf.GradientTape() as tape:
                tape.watch(a)
                y = function(a)
            grad = tf.convert_to_tensor(tape.gradient(y, a))
        results.append(tf.convert_to_tensor(outer.gradient(grad, a)))
    return results


def custom(tf):
    @tf.custom_gradient
    def log1pexp(x):
        e = tf.exp(x)

        def grad(dy):
            return dy * (1 - 1 / (1 + e))
        return tf.log(1 + e), grad

    x = tf.constant(100.)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = log1pexp(x)
        dy = tape.gradient(y, x)
    return [y, dy]


def custom_second(tf):
    @tf.custom_gradient
    def cube(x):
        return x * x * x, lambda dy: dy * 3. * x * x

    x = tf.constant(2.)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = cube(x)
        dy = tape.gradient(y, x)
    return [dy, outer.gradient(dy, x)]


def custom_variables(tf):
    v = tf.Variable(3.)

    @tf.custom_gradient
    def scaled(x):
        def grad(dy, variables=None):
            return dy * 10., [dy * 100. for _ in variables]
        return x * v, grad

    x = tf.constant(2.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scaled(x)
    return tape.gradient(y, [x, v])


def pass_through(tf):
    x = tf.constant(2.)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.grad_pass_through(lambda t: t * 7.)(x)
    return [y, tape.gradient(y, x)]


def no_target(tf):
    with tf.GradientTape() as tape:
        pass
    return tape.gradient(None, tf.constant(1.))


def not_watched(tf):
    x = tf.constant(1.)
    with tf.GradientTape() as tape:
        y = x * x
    return tape.gradient(y, x)


def no_gradient(tf):
    x = tf.constant([1., 2.])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sort(tf.bincount(tf.cast(x, tf.int32), weights=x))
    return tape.gradient(y, x)


def registered(tf):
    @tf.RegisterGradient('DenseBincount')
    def gradient(op, grad):
        return None, None, tf.gather(grad, op.inputs[0]) * op.inputs[2] + tf.reduce_sum(op.outputs[0])

    x = tf.constant([1.2, 2.7, 1.])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.bincount([0, 1, 1], weights=x) * [1., 2.]
    return [y, tape.gradient(y, x)]


def watch_number(tf):
    with tf.GradientTape() as tape:
        tape.watch(1.)


def entered_twice(tf):
    with tf.GradientTape() as tape:
        with tape:
            pass


def stop_without_start(tf):
    tape = tf.GradientTape()
    with tape.stop_recording():
        pass


def in_graph(tf):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.constant(3.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return session.run(tape.gradient(y, x))


def py_function_in_graph(tf):
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [2])
        y = tf.py_function(lambda t: t * t if tf.executing_eagerly() else t, [x], tf.float32)
        a, b = tf.py_function(lambda t: [t + 1., tf.reduce_sum(t)], [x], [tf.float32, tf.float32])
        grad, = tf.gradients(y * 2., x)
        other, = tf.gradients(b * a, x)
        return session.run([y, a, b, grad, other], {x: [1., 2.]}) + [y.op.type]


# Optimizers.

def _trained(tf, optimizer, steps=3):
    w, b = tf.Variable([[1.], [2.]], name='w'), tf.Variable([.5], name='b')
    x = tf.constant(A)

    def loss():
        return tf.reduce_mean((tf.matmul(x, w) + b - [[1.], [0.]]) ** 2.)

    step = tf.train.get_or_create_global_step()
    before = step.numpy()
    for _ in range(steps):
        result = optimizer.minimize(loss, global_step=step)
    return [w.numpy(), b.numpy(), step.numpy() - before, result, optimizer.get_slot_names()]


def gradient_descent(tf):
    return _trained(tf, tf.train.GradientDescentOptimizer(.1))


def momentum(tf):
    return _trained(tf, tf.train.MomentumOptimizer(.1, .9))


def adam(tf):
    optimizer = tf.train.AdamOptimizer(.1)
    return [*_trained(tf, optimizer), len(optimizer.variables())]


def adagrad(tf):
    return _trained(tf, tf.train.AdagradOptimizer(.1))


def rmsprop(tf):
    return _trained(tf, tf.train.RMSPropOptimizer(.1))


def adadelta(tf):
    return _trained(tf, tf.train.AdadeltaOptimizer(.1))


def ftrl(tf):
    return _trained(tf, tf.train.FtrlOptimizer(.1))


def proximal(tf):
    return _trained(tf, tf.train.ProximalGradientDescentOptimizer(.1))


def apply_tape(tf):
    v, table = tf.Variable(2.), tf.Variable(A)
    optimizer = tf.train.AdamOptimizer(.1)
    for _ in range(2):
        with tf.GradientTape() as tape:
            y = v * v + tf.reduce_sum(tf.gather(table, [1]))
        grads = tape.gradient(y, [v, table])
        optimizer.apply_gradients(zip(grads, [v, table]))
    return [v.numpy(), table.numpy(), optimizer.get_slot(v, 'm').numpy()]


def compute_gradients(tf):
    v = tf.Variable(2.)
    optimizer = tf.train.GradientDescentOptimizer(.1)
    pairs = optimizer.compute_gradients(lambda: v * v, [v])
    optimizer.apply_gradients(pairs)
    return [pairs[0][0], pairs[0][1] is v, v.numpy()]


def loss_is_tensor(tf):
    v = tf.Variable(2.)
    return tf.train.GradientDescentOptimizer(.1).minimize(v * v)


def no_gradients_to_apply(tf):
    v = tf.Variable(2.)
    tf.train.GradientDescentOptimizer(.1).apply_gradients([(None, v)])


def decays(tf):
    step = tf.Variable(5)
    made = tf.train.exponential_decay(1., step, 10, .5)
    other = tf.train.piecewise_constant(step, [3, 7], [1., .5, .1])
    value = [t() if callable(t) else t for t in (made, other, tf.train.polynomial_decay(1., step, 10),
                                                 tf.train.cosine_decay(1., step, 10))]
    step.assign(9)
    return [*value, made() if callable(made) else made]


def moving_averages(tf):
    v = tf.Variable(1.)
    average = tf.train.ExponentialMovingAverage(.5)
    average.apply([v])
    v.assign(3.)
    average.apply([v])
    return [average.average(v).numpy(), average.average_name(v)]


CASES = [function for name, function in list(globals().items())
         if callable(function) and function.__module__ == __name__ and not name.startswith('_')]
