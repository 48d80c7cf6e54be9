"""Programs with tf.function, and with tf.cond and tf.while_loop that call functions.

python_tf_function_test.py runs them with TensorFlow and with Ramet. A function of CASES takes the package tf and a
session and returns values. A function of CONTROL_FLOW takes the package and a float32 scalar, and returns tensors.
"""

import numpy as np

CASES, CONTROL_FLOW = {}, {}


def case(function):
    CASES[function.__name__] = function
    return function


def control_flow(function):
    CONTROL_FLOW[function.__name__] = function
    return function


@case
def training(tf, session):
    w = tf.Variable(tf.ones([3]), use_resource=True, name='w')

    @tf.function
    def model(x, n):
        h = x
        for i in tf.range(n):
            if tf.reduce_sum(h) > 10.0:
                h = h * 0.5
            else:
                h = h * w + tf.cast(i, tf.float32)
        return tf.reduce_sum(h)

    x = tf.placeholder(tf.float32, [3], name='x')
    loss = model(x, tf.constant(4))
    op = tf.train.GradientDescentOptimizer(0.01).minimize(loss)
    session.run(tf.global_variables_initializer())
    out = []
    for _ in range(3):
        out.append(session.run([loss, op], {x: [1., 2., 3.]})[0])
    return out, session.run(w)


@case
def side_effects_in_order(tf, session):
    v = tf.Variable(1.0, use_resource=True, name='v')

    @tf.function
    def f(n):
        v.assign(10.0)
        for i in tf.range(n):
            v.assign_add(tf.cast(i, tf.float32))
            if v > 12.0:
                v.assign(v * 2.0)
        a = v.read_value()
        v.assign(0.0)
        return a

    y = f(tf.constant(4))
    session.run(tf.global_variables_initializer())
    return session.run(y), session.run(v), session.run(y)


@case
def side_effects_of_branches(tf, session):
    v = tf.Variable(1.0, use_resource=True, name='v')

    @tf.function
    def f(x):
        if x > 1.0:
            v.assign(5.0)
        return x

    y = f(tf.constant(4.0))
    session.run(tf.global_variables_initializer())
    return session.run(y), session.run(v)


@case
def nested_functions(tf, session):
    v = tf.Variable(2.0, use_resource=True, name='v')

    @tf.function
    def g(x):
        return x * v

    @tf.function
    def f(x):
        v.assign_add(1.0)
        return g(x) + g(g(x))

    x = tf.placeholder(tf.float32, [], name='x')
    y = f(x)
    gr = tf.gradients(y, [x, v])
    session.run(tf.global_variables_initializer())
    return session.run([y, gr], {x: 2.0})


@case
def gradients_inside(tf, session):
    @tf.function
    def f(x):
        y = x * x
        while y < 50.0:
            y = y * x
        return tf.gradients(y, x)[0], y

    x = tf.placeholder(tf.float32, [], name='x')
    r = f(x)
    return session.run([r, tf.gradients(r[1], x), tf.gradients(r[0], x)], {x: 2.0})


@case
def arrays_in_loops(tf, session):
    @tf.function(input_signature=[tf.TensorSpec([None, None], tf.float32)])
    def f(x):
        ta = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        st = tf.zeros_like(x[0])
        for i in tf.range(tf.shape(x)[0]):
            st = st * 0.5 + x[i]
            ta = ta.write(i, st)
        return ta.stack()

    x = tf.placeholder(tf.float32, [None, 2])
    y = f(x)
    return session.run([y, tf.gradients(y, x)], {x: np.ones([3, 2])})


@case
def returns_in_loops(tf, session):
    @tf.function
    def f(x):
        for i in tf.range(10):
            if x > 20:
                return x
            x = x * 2
        return -x

    x = tf.placeholder(tf.int32, [])
    y = f(x)
    return [session.run(y, {x: v}) for v in (0, 1, 7, 30)]


@case
def datasets(tf, session):
    @tf.function
    def f(n):
        t = tf.constant(0, tf.int64)
        for e in tf.data.Dataset.range(n):
            if e > 5:
                break
            t += e
        return t

    return session.run(f(tf.constant(10, tf.int64)))


@case
def random_numbers(tf, session):
    tf.set_random_seed(3)

    @tf.function
    def f():
        return tf.random_uniform([2])

    y = f()
    return session.run(y).shape, not np.array_equal(session.run(y), session.run(y))


@case
def sparse_tensors(tf, session):
    @tf.function
    def f(sp):
        return tf.sparse.to_dense(sp), sp

    r = f(tf.SparseTensor([[0, 1]], [1.0], [2, 2]))
    return session.run(r)


@case
def methods_that_create_variables(tf, session):
    class Net:
        def __init__(self):
            self.w = None

        @tf.function
        def __call__(self, x):
            if self.w is None:
                self.w = tf.Variable(tf.ones([2, 2]), name='k')
            return self.mul(x)

        def mul(self, x):
            if tf.reduce_sum(x) > 0:
                return tf.matmul(x, self.w)
            return x

    first, second = Net(), Net()
    y = first(tf.ones([1, 2])), second(-tf.ones([1, 2])), first(tf.ones([2, 2]))
    session.run(tf.global_variables_initializer())
    return session.run(y), [v.name for v in tf.global_variables()]


@case
def signatures(tf, session):
    shapes = []

    @tf.function
    def f(x, y=2):
        shapes.append(x.shape if tf.is_tensor(x) else x)
        return x

    for value in (1, 2, 1.0, 'a', tf.constant(1), tf.constant(2.), tf.constant([1.]), tf.constant([1., 2]),
                  tf.constant([3., 4]), np.ones(3), np.ones(3), np.zeros(4)):
        f(value)
    f(1, 2)
    f(1, y=3)
    return [str(shape) for shape in shapes]


@case
def general_shapes(tf, session):
    shapes = []

    @tf.function(reduce_retracing=True)
    def f(x):
        shapes.append(x.shape.as_list())
        return x

    for size in range(1, 5):
        f(tf.ones([size]))
    return shapes


@case
def concrete_functions(tf, session):
    @tf.function
    def f(a, b=1, *args, c=3, **kw):
        return {'sum': a + 1., 'parts': (a, b)}

    made = f.get_concrete_function(tf.TensorSpec([None], tf.float32), 2, c=tf.TensorSpec([], tf.int32, name='cc'))
    result = made(tf.constant([1., 2.]), 2, c=tf.constant(4))
    return (str(made.structured_input_signature), [t.name for t in made.inputs], str(made.output_shapes),
            str(made.output_dtypes), session.run(result))


@case
def nodes(tf, session):
    variable = tf.Variable(3.0, use_resource=True, name='v')
    outer = tf.constant(4.0, name='outer')

    @tf.function
    def f(x):
        variable.assign_add(x)
        return variable + outer

    f(tf.placeholder(tf.float32, [], name='x'))
    graph = tf.get_default_graph().as_graph_def()
    [function] = graph.library.function
    return ([(n.name, n.op, list(n.input)) for n in graph.node],
            [(a.name, a.type) for a in function.signature.input_arg], list(function.signature.control_output),
            sorted((n.name, n.op, tuple(n.input)) for n in function.node_def))


@case
def input_signature_refuses_dtypes(tf, session):
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])(tf.constant([1]))


@case
def input_signature_refuses_shapes(tf, session):
    return tf.function(lambda x: x, input_signature=[tf.TensorSpec([None], tf.float32)])(tf.constant([[1.]]))


@case
def input_signature_lacks_parameter(tf, session):
    return tf.function(lambda x, y: x, input_signature=[tf.TensorSpec([None], tf.float32)])


@case
def arguments_are_missing(tf, session):
    return tf.function(lambda x, y: x)(tf.constant(1.))


@case
def variables_of_each_call(tf, session):
    return tf.function(lambda x: tf.Variable(1.0) + x, autograph=False)(tf.constant(1.))


@control_flow
def loop(tf, x):
    limit = tf.constant(5, name='limit')
    i, y = tf.while_loop(lambda i, y: i < limit, lambda i, y: (i + 1, y * x), [0, x])
    return i, y, tf.gradients(y, x)


@control_flow
def limited_loop(tf, x):
    return tf.while_loop(lambda y: y < 30, lambda y: y + 1, [x], maximum_iterations=4, name='bar',
                         parallel_iterations=3)


@control_flow
def branches(tf, x):
    y = tf.cond(x > 1, lambda: [x, {'a': x + 1}], lambda: [x * x, {'a': x}], name='foo')
    return y, tf.gradients(y[0], x)


@control_flow
def operations(tf, x):
    v = tf.Variable(1.0, use_resource=True, name='v')
    return tf.cond(x > 1, lambda: v.assign_add(1.0).op, lambda: tf.no_op())


@control_flow
def branch_in_loop(tf, x):
    y = tf.while_loop(lambda y: y < 100, lambda y: tf.cond(y > 3, lambda: y * x, lambda: y + 1), [x])
    gradient = tf.gradients(y, x)[0]
    return y, gradient, tf.gradients(gradient, x)


@control_flow
def arrays(tf, x):
    def body(i, array):
        return i + 1, array.write(i, x * tf.cast(i, tf.float32))

    array = tf.while_loop(lambda i, _: i < 3, body, [0, tf.TensorArray(tf.float32, 3)])[1]
    stacked = array.stack()
    mapped = tf.map_fn(lambda y: y * x, stacked)
    scanned = tf.scan(lambda a, b: a * x + b, stacked)
    grown = tf.TensorArray(tf.float32, 0, dynamic_size=True).write(2, x)
    return (stacked, mapped, scanned, tf.gradients([stacked, mapped, scanned], x), grown.stack(), grown.size(),
            array.gather([2, 0]), array.read(1))


@control_flow
def array_pieces(tf, x):
    array = tf.TensorArray(tf.float32, 2, infer_shape=False).split([x, 2., 3.], [1, 2])
    return array.concat(), array.read(1), tf.TensorArray(tf.float32, 2).unstack([[x], [1.]]).concat(), tf.TensorArray(
        tf.float32, 3).scatter([2, 0, 1], [x, 1., 2.]).stack()


@control_flow
def dtypes_differ(tf, x):
    return tf.cond(x > 1, lambda: x, lambda: 1)


@control_flow
def structures_differ(tf, x):
    return tf.cond(x > 1, lambda: [x], lambda: x)


@control_flow
def shapes_grow(tf, x):
    return tf.while_loop(lambda y: y < 3, lambda y: tf.tile([y], [2]), [x])


@control_flow
def variables_differ(tf, x):
    return tf.while_loop(lambda y: y < 3, lambda y: (y, y), [x])
