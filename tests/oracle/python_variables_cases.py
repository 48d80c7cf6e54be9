"""The cases of python_variables_test.py: functions that take the package, by group."""


def two(tf):
    """Returns a reference variable and a resource variable."""
    return (tf.Variable([1., 2., 3.], name='v'),
            tf.Variable([1., 2., 3.], name='r', use_resource=True))


def with_both(call):
    """Returns a builder that calls `call(tf, variable)` for a variable of each kind."""
    return [lambda tf: call(tf, two(tf)[0]), lambda tf: call(tf, two(tf)[1])]


def slices(tf):
    return tf.IndexedSlices(tf.constant([1.]), tf.constant([0]))


def sum_of(tf):
    return lambda x: tf.reduce_sum(x)


def initial_values(tf):
    with tf.device('/cpu:0'), tf.name_scope('s'):
        for resource in (False, True):
            tf.Variable(1, use_resource=resource)
            tf.Variable(lambda: tf.zeros([2]), name='v', caching_device='/cpu:1',
                        use_resource=resource)
            tf.Variable([1, 2], dtype=tf.float32, use_resource=resource)
            tf.Variable('text', trainable=False, use_resource=resource)


def in_scopes(tf):
    with tf.container('cc'), tf.control_dependencies([tf.no_op()]):
        with tf.colocate_with(tf.constant(1, name='colo')):
            tf.Variable([1., 2.])
            tf.Variable([1., 2.], use_resource=True)
            tf.get_variable('x', [2])
            tf.get_variable('y', [2], use_resource=True)


def unknown_shapes(tf):
    p = tf.placeholder(tf.float32)
    return [tf.Variable(p, validate_shape=False).shape,
            tf.Variable(p, validate_shape=False, use_resource=True).shape,
            tf.Variable(p, use_resource=True).shape,
            tf.Variable(1.0, shape=tf.TensorShape(None)).shape,
            tf.Variable([1.0], shape=[None], use_resource=True).shape]


def from_other_variables(tf):
    with tf.device('/cpu:0'):
        v = tf.Variable(1.0, name='v')
    with tf.name_scope('s'), tf.device('/cpu:1'):
        w = tf.Variable(v + v * 2, name='w', use_resource=True)
        tf.Variable(lambda: tf.stack([w * v, w * 2]), name='z')
        tf.get_variable('x', initializer=v.read_value())
    tf.Variable(v)
    tf.Variable(v, use_resource=True)
    tf.Variable(w)


def a_guarded_one_again(tf):
    v = tf.Variable(1.0, name='v', collections=[])
    w = tf.Variable(v * 2, name='w')
    with tf.name_scope('q') as scope:
        tf.no_op(name='read')
        tf.Variable(w + 1, name=scope)
        tf.no_op(name='Read')
    tf.Variable(w.initialized_value(), name='z')


def names_that_are_taken(tf):
    with tf.name_scope('q') as scope:
        tf.no_op(name='read')
        tf.no_op(name='Initializer')
        tf.Variable(lambda: tf.zeros([2]), name=scope, use_resource=True)
        tf.no_op(name='Read')
        tf.no_op(name='Initializer')


def collections_and_modes(tf):
    return tf.Variable(1.0, trainable=False, collections=['a', 'b'],
                       synchronization=tf.VariableSynchronization.ON_READ,
                       aggregation=tf.VariableAggregation.SUM).trainable


def creators(tf):
    def creator(following, **kwargs):
        kwargs['name'] += '_x'
        return following(**kwargs)

    with tf.variable_creator_scope(creator):
        tf.Variable(1., name='q')
        tf.get_variable('g', [2])


# Cases that contain the control flow of TensorFlow's cond.
GUARDED = [from_other_variables, a_guarded_one_again]
VARIABLE = [
    initial_values, in_scopes, unknown_shapes, *GUARDED,
    names_that_are_taken, collections_and_modes, creators,
    lambda tf: tf.Variable(tf.placeholder(tf.float32)),
    lambda tf: tf.Variable(lambda: tf.placeholder(tf.float32)),
    lambda tf: tf.Variable([1, 2], shape=[3], use_resource=True),
    lambda tf: tf.Variable([1, 2], expected_shape=[3]),
    lambda tf: tf.Variable(),
    lambda tf: tf.Variable('abc', collections='x'),
    lambda tf: tf.Variable('abc', collections='x', use_resource=True),
    lambda tf: tf.Variable(1, constraint=3),
    lambda tf: tf.Variable(1, constraint=3, use_resource=True),
    lambda tf: tf.Variable(1, aggregation='a'),
    lambda tf: tf.Variable(1., dtype=tf.int32),
    lambda tf: tf.Variable(1., name='a b'),
]

METHODS = [
    *with_both(lambda tf, v: v.value()),
    *with_both(lambda tf, v: v.read_value()),
    *with_both(lambda tf, v: tf.convert_to_tensor(v, name='foo')),
    *with_both(lambda tf, v: tf.convert_to_tensor(v, dtype=tf.int32)),
    *with_both(lambda tf, v: tf.identity(v)),
    *with_both(lambda tf, v: tf.exp(v, name='e')),
    *with_both(lambda tf, v: [v + 1., 2. - v, v * v, -v, abs(v), v % 2., v > 1.]),
    *with_both(lambda tf, v: tf.stack([v, v])),
    *with_both(lambda tf, v: tf.add_n([v, v])),
    *with_both(lambda tf, v: v[0]),
    *with_both(lambda tf, v: v[0:2].assign([3., 1.], name='hi')),
    *with_both(lambda tf, v: v[0].assign(3.)),
    *with_both(lambda tf, v: tf.assign(v[0:1], [3.])),
    *with_both(lambda tf, v: v.assign([1, 2, 3])),
    *with_both(lambda tf, v: v.assign([1, 2, 3], name='q', use_locking=True, read_value=False)),
    *with_both(lambda tf, v: v.assign_add([1, 2, 3], name='q')),
    *with_both(lambda tf, v: v.assign_sub([1, 2, 3], read_value=False)),
    *with_both(lambda tf, v: tf.assign(v, [1, 2, 3], name='qq')),
    *with_both(lambda tf, v: tf.assign_add(v, [1, 2, 3])),
    *with_both(lambda tf, v: tf.assign_sub(v, [1, 2, 3])),
    *with_both(lambda tf, v: tf.assign(v, 'a')),
    lambda tf: tf.assign(two(tf)[0], [1, 2, 3, 4], validate_shape=False),
    lambda tf: tf.assign(two(tf)[1], [1, 2, 3, 4]),
    *with_both(lambda tf, v: tf.scatter_add(v, [0], [1.])),
    *with_both(lambda tf, v: tf.scatter_update(v, [0], [1.], name='nm')),
    *with_both(lambda tf, v: [tf.scatter_sub(v, [0], [1.]), tf.scatter_mul(v, [0], [1.]),
                              tf.scatter_div(v, [0], [1.])]),
    *with_both(lambda tf, v: [tf.scatter_max(v, [0], [1.]), tf.scatter_min(v, [0], [1.])]),
    *with_both(lambda tf, v: tf.scatter_nd_update(v, [[0]], [1.])),
    *with_both(lambda tf, v: [tf.scatter_nd_add(v, [[0]], [1.]),
                              tf.scatter_nd_sub(v, [[0]], [1.])]),
    *with_both(lambda tf, v: tf.batch_scatter_update(v, [0], [1.])),
    *with_both(lambda tf, v: v.batch_scatter_update(slices(tf))),
    *with_both(lambda tf, v: v.scatter_sub(slices(tf), name='u')),
    *with_both(lambda tf, v: [v.scatter_add(slices(tf)), v.scatter_update(slices(tf)),
                              v.scatter_mul(slices(tf)), v.scatter_div(slices(tf))]),
    *with_both(lambda tf, v: v.scatter_add(1)),
    *with_both(lambda tf, v: v.scatter_nd_update([[0]], [1.], name='t')),
    *with_both(lambda tf, v: [v.scatter_nd_add([[0]], [1.]), v.scatter_nd_sub([[0]], [1.])]),
    lambda tf: two(tf)[1].sparse_read([0]),
    lambda tf: two(tf)[1].gather_nd([[0]]),
    lambda tf: two(tf)[1].is_initialized(),
    lambda tf: tf.count_up_to(tf.Variable(1), 3),
    lambda tf: tf.Variable(1, use_resource=True).count_up_to(3),
    *with_both(lambda tf, v: v.to_proto(export_scope='foo')),
    *with_both(lambda tf, v: v.set_shape([4])),
    lambda tf: tf.Variable.from_proto(two(tf)[0].to_proto()),
    lambda tf: tf.Variable(variable_def=two(tf)[0].to_proto()),
    lambda tf: tf.Variable(variable_def=two(tf)[0].to_proto(), initial_value=1),
    lambda tf: tf.Variable.from_proto(two(tf)[0].to_proto(), import_scope='zz'),
    *with_both(lambda tf, v: [v.trainable, str(v), v.name, v.device, v.op.name, v.dtype.name,
                              v.initializer.name, v.constraint, v.get_shape()]),
    *with_both(lambda tf, v: v.load([1, 2, 3.])),
    *with_both(lambda tf, v: tf.group(v, v.initializer)),
]

def changed(call):
    """Returns a builder that calls `call(tf, variable after an assignment)`."""
    return lambda tf: call(tf, two(tf)[1].assign([3., 4., 5.]))


AFTER = [
    changed(lambda tf, u: u.value()),
    changed(lambda tf, u: u.read_value()),
    changed(lambda tf, u: [u + 1., tf.identity(u), u[0]]),
    changed(lambda tf, u: u.assign([1., 1., 1.]).assign_add([1., 1., 1.]).assign_sub([1., 1., 1.])),
    changed(lambda tf, u: u.scatter_add(slices(tf))),
    changed(lambda tf, u: u.scatter_nd_add([[0]], [1.])),
    changed(lambda tf, u: u.batch_scatter_update(slices(tf))),
    changed(lambda tf, u: [u.sparse_read([0]), u.is_initialized(), u.name, u.shape]),
]

LISTS = [
    lambda tf: [two(tf), tf.global_variables_initializer()][1],
    lambda tf: tf.variables_initializer(two(tf), name='foo'),
    lambda tf: tf.variables_initializer([]),
    lambda tf: [two(tf), tf.initialize_all_variables()][:1],
    lambda tf: tf.local_variables_initializer(),
    lambda tf: tf.tables_initializer(),
    lambda tf: [two(tf), tf.report_uninitialized_variables()][:1],
    lambda tf: [two(tf), tf.report_uninitialized_variables([], name='g')][:1],
    lambda tf: [two(tf), tf.assert_variables_initialized()][:1],
    lambda tf: [two(tf), tf.assert_variables_initialized([])][:1],
    lambda tf: tf.assert_variables_initialized(),
    lambda tf: [two(tf), tf.global_variables('v'), tf.all_variables(), tf.trainable_variables(),
                tf.local_variables(), tf.model_variables(), tf.moving_average_variables()],
]


def regularized(tf):
    tf.get_variable('v', initializer=tf.constant([1., 2.]), regularizer=sum_of(tf),
                    caching_device='/cpu:3')
    tf.get_variable('w', initializer=lambda: tf.constant([1., 2.]), regularizer=tf.no_regularizer)
    tf.get_variable('z', [3], initializer=tf.zeros_initializer, regularizer=sum_of(tf),
                    partitioner=tf.fixed_size_partitioner(2))


def defaults_by_dtype(tf):
    for dtype in (tf.float32, tf.float64, tf.int32, tf.int64, tf.bool, tf.string):
        tf.get_variable(dtype.name, [2], dtype=dtype)
    for name, shape in (('a', 2), ('b', [tf.Dimension(2)]), ('c', tf.TensorShape([2])), ('d', ())):
        tf.get_variable(name, shape=shape)


def partitioned(tf):
    z = tf.get_variable('z', [5, 2], partitioner=tf.fixed_size_partitioner(2, axis=1))
    tf.convert_to_tensor(z)
    z.as_tensor()
    z.assign(tf.zeros([5, 2]))
    z.assign_add([tf.zeros([5, 1])] * 2)
    tf.get_variable('w', initializer=tf.zeros([5]), partitioner=tf.fixed_size_partitioner(2))
    tf.matmul(z, z, transpose_a=True)
    with tf.variable_scope('', reuse=True):
        assert tf.get_variable('z') is z
    return [z.name, z.shape, z.dtype.name, len(z), [v.name for v in z]]


def created_in_parts(tf):
    tf.create_partitioned_variables([4, 6], [1, 3], tf.random_uniform_initializer(), name='pp')
    return [v.shape for v in tf.create_partitioned_variables([4, 6], [2, 1], tf.zeros([4, 6]))]


def partitioners(tf):
    shape, dtype = tf.TensorShape([100, 8]), tf.float32
    return [tf.fixed_size_partitioner(3)(shape=shape, dtype=dtype),
            tf.variable_axis_size_partitioner(512)(shape=shape, dtype=dtype),
            tf.variable_axis_size_partitioner(512, max_shards=3)(shape=shape, dtype=tf.string),
            tf.min_max_variable_partitioner(4, min_slice_size=512)(shape=shape, dtype=dtype),
            tf.min_max_variable_partitioner(50, min_slice_size=512)(shape=shape, dtype=tf.string)]


def templates(tf):
    def scaled(x):
        return x * tf.get_variable('a', [])

    t = tf.make_template('tt', scaled)
    results = [t(1.), t(2.)]
    now = tf.make_template('tt', scaled, create_scope_now_=True)
    unique = tf.make_template('tt', scaled, unique_name_='u')
    with tf.variable_scope('outer'):
        results += [now(1.), unique(1.)]
    return results + [t.name, t.variables, t.trainable_variables, t.var_scope.name,
                      t.variable_scope.name, t.global_variables, t.local_variables]


def scopes(tf):
    with tf.variable_scope('a') as s, tf.device('/cpu:0'):
        r = tf.Variable(1., use_resource=True)
        r.value()
        with tf.variable_scope(s, auxiliary_name_scope=False):
            tf.no_op()
        with tf.variable_scope(s):
            tf.no_op()
        with tf.variable_scope('b', auxiliary_name_scope=False):
            tf.no_op()
            tf.get_variable('q', [])
        for _ in range(2):
            with tf.variable_scope(None, 'dd', [r]):
                tf.no_op()
                tf.get_variable('q', [])
        with tf.variable_scope(None, default_name='dd', reuse=True):
            tf.no_op()


def more_scopes(tf):
    seen = []
    with tf.variable_scope('a'):
        with tf.name_scope('n'):
            v = tf.get_variable('b', [1])
            tf.Variable(1.)
            with tf.variable_scope('c') as s:
                tf.no_op()
                seen += [s.name, s.original_name_scope]
    with tf.variable_scope(s):
        tf.no_op()
        tf.get_variable('zz', [])
    with tf.variable_scope(s):
        tf.no_op()
    with tf.variable_scope(s, auxiliary_name_scope=False) as s1:
        with tf.name_scope(s1.original_name_scope):
            tf.no_op()
    with tf.variable_scope('a/c'):
        tf.no_op()
    with tf.variable_op_scope([v], 'f', 'q'):
        tf.no_op()
    with tf.variable_op_scope([v], None, 'q'):
        tf.no_op()
    return seen


def inherited(tf):
    with tf.variable_scope('a', dtype=tf.float64, initializer=tf.ones_initializer(),
                           regularizer=tf.no_regularizer, use_resource=True, constraint=tf.abs,
                           caching_device='/cpu:0') as s:
        v = tf.get_variable('g', [2])
        tf.Variable(1.)
        with tf.variable_scope('b', partitioner=tf.fixed_size_partitioner(2)):
            tf.get_variable('g', [2])
            tf.get_variable('ss', [])
        seen = [s.dtype.name, s.reuse, s.original_name_scope, s.use_resource,
                v.constraint is tf.abs]
        s.reuse_variables()
        seen += [s.reuse, tf.get_variable('g') is v, s.global_variables(),
                 s.trainable_variables(), s.local_variables(), s.get_collection('variables')]
    with tf.variable_scope(s):
        return seen + [tf.get_variable_scope().reuse]


def custom_getters(tf):
    seen = []

    def outer(getter, name, *args, **kwargs):
        seen.append(('outer', name, args, sorted(kwargs)))
        return getter(name, *args, **kwargs)

    def inner(getter, name, **kwargs):
        seen.append(('inner', name, sorted(kwargs)))
        return tf.identity(getter(name, **kwargs), name='got')

    with tf.variable_scope('a', custom_getter=outer):
        tf.get_variable('g', [2])
        with tf.variable_scope('b', custom_getter=inner):
            tf.get_variable('h', [2])
    tf.get_variable('i', [2], custom_getter=inner)
    return seen


def shared(tf):
    with tf.variable_scope('a'):
        v = tf.get_variable('v', [2])
    with tf.variable_scope('a', reuse=tf.AUTO_REUSE):
        same = tf.get_variable('v', [2]) is v
        tf.get_variable('new', [2])
    with tf.variable_scope('a', reuse=True):
        return [same, tf.get_variable('v') is v, tf.get_variable('v', [None]) is v]


def reuse_error(**arguments):
    def build(tf):
        tf.get_variable('i', [2])
        with tf.variable_scope('', reuse=True):
            tf.get_variable('i', **{k: tf.int32 if v == 'int32' else v
                                    for k, v in arguments.items()})

    return build


def enter(call):
    def build(tf):
        with call(tf):
            pass

    return build


SCOPES = [
    regularized, defaults_by_dtype, partitioned, created_in_parts, partitioners, templates, scopes,
    more_scopes, inherited, custom_getters, shared, reuse_error(shape=[3]),
    reuse_error(dtype='int32'),
    lambda tf: tf.get_variable('i', [2], dtype=tf.complex64),
    lambda tf: tf.get_variable('i'),
    lambda tf: tf.get_variable('i', initializer=lambda shape: tf.zeros([2])),
    lambda tf: tf.get_variable('i', [None], initializer=tf.zeros_initializer()),
    lambda tf: tf.get_variable('i', [2], initializer=lambda s, dtype: tf.zeros(s, dtype)),
    lambda tf: tf.get_variable('i', [3], initializer=tf.constant_initializer([1, 2])),
    lambda tf: tf.get_variable('i', [2], initializer=[1., 2.]),
    lambda tf: tf.get_variable('i', initializer=[1., 2.], dtype=tf.int32),
    lambda tf: tf.get_variable('i', initializer=[1., 2.], dtype=tf.float32),
    lambda tf: tf.get_variable('i', initializer=[1., 2.], use_resource=True),
    lambda tf: [tf.get_variable('i', [2], use_resource=True), tf.get_variable('i', [2])],
    lambda tf: tf.get_variable('i', [2], custom_getter=3),
    lambda tf: tf.get_variable('i', [2], partitioner=3),
    lambda tf: tf.get_variable('i', [2], collections='q'),
    lambda tf: tf.get_variable(None, [2]),
    lambda tf: [tf.get_local_variable('l', [2]), tf.local_variables()],
    lambda tf: tf.get_variable('i', [2], partitioner=lambda shape, dtype: [1, 1]),
    lambda tf: tf.get_variable('i', [2], partitioner=lambda shape, dtype: [0]),
    lambda tf: tf.get_variable('i', [2], partitioner=lambda shape, dtype: 0),
    lambda tf: [tf.get_variable('i', [2], partitioner=tf.fixed_size_partitioner(2)),
                tf.get_variable('i', [2])],
    lambda tf: [tf.get_variable('i', [2]),
                tf.get_variable('i', [2], partitioner=tf.fixed_size_partitioner(2))],
    lambda tf: tf.create_partitioned_variables([4, 6], [2, 3], tf.zeros_initializer()),
    lambda tf: tf.create_partitioned_variables([4, 6], [2], tf.zeros_initializer()),
    lambda tf: tf.create_partitioned_variables([], [], tf.zeros_initializer()),
    lambda tf: tf.variable_axis_size_partitioner(0),
    lambda tf: tf.variable_axis_size_partitioner(1, max_shards=-1),
    lambda tf: tf.make_template(None, abs),
    enter(lambda tf: tf.variable_scope(None)),
    enter(lambda tf: tf.variable_scope(3)),
    enter(lambda tf: tf.variable_scope('a', reuse=3)),
    enter(lambda tf: tf.variable_scope('a', auxiliary_name_scope=3)),
]

CASES = {'variable': VARIABLE, 'methods': METHODS, 'after': AFTER, 'lists': LISTS, 'scopes': SCOPES}
