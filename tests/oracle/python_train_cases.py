"""The cases of python_train_test.py: functions that take the package."""

OPTIMIZERS = {
    'gradient_descent': lambda tf: tf.train.GradientDescentOptimizer(0.1),
    'gradient_descent_tensor': lambda tf: tf.train.GradientDescentOptimizer(
        tf.constant(0.1, name='lr')),
    'gradient_descent_callable': lambda tf: tf.train.GradientDescentOptimizer(
        lambda: 0.1, use_locking=True, name='mine'),
    'momentum': lambda tf: tf.train.MomentumOptimizer(0.1, 0.9),
    'nesterov': lambda tf: tf.train.MomentumOptimizer(0.1, 0.9, use_nesterov=True),
    'adagrad': lambda tf: tf.train.AdagradOptimizer(0.1),
    'adagrad_da': lambda tf: tf.train.AdagradDAOptimizer(
        0.1, tf.Variable(3, dtype=tf.int64, name='steps', trainable=False),
        l1_regularization_strength=0.01),
    'adadelta': lambda tf: tf.train.AdadeltaOptimizer(0.1),
    'adam': lambda tf: tf.train.AdamOptimizer(0.1),
    'rms_prop': lambda tf: tf.train.RMSPropOptimizer(0.1, momentum=0.5),
    'rms_prop_centered': lambda tf: tf.train.RMSPropOptimizer(0.1, centered=True),
    'ftrl': lambda tf: tf.train.FtrlOptimizer(
        0.1, l1_regularization_strength=0.01, l2_regularization_strength=0.02),
    'ftrl_v2': lambda tf: tf.train.FtrlOptimizer(
        0.1, l2_shrinkage_regularization_strength=0.1, accum_name='acc', linear_name='lin'),
    'ftrl_beta': lambda tf: tf.train.FtrlOptimizer(0.1, beta=0.3),
    'proximal_gradient_descent': lambda tf: tf.train.ProximalGradientDescentOptimizer(
        0.1, 0.01, 0.02),
    'proximal_adagrad': lambda tf: tf.train.ProximalAdagradOptimizer(
        0.1, l1_regularization_strength=0.01),
}


def model(tf, resource, sparse):
    with tf.variable_scope('s', use_resource=resource):
        w = tf.get_variable('w', initializer=tf.constant([[1., 2.], [3., 4.], [5., 6.]]))
        b = tf.get_variable('b', initializer=tf.constant([0.5, -0.5]))
    if sparse:
        return w, b, tf.reduce_sum(tf.square(tf.gather(w, [0, 2, 0]) + b))
    return w, b, tf.reduce_mean(tf.square(tf.matmul([[1., 2., 3.]], w) + b))


def train(make, resource, sparse):
    """Runs five steps; returns the names of slots and variables, and all values."""
    def case(tf):
        w, b, loss = model(tf, resource, sparse)
        step = tf.train.get_or_create_global_step() if resource == sparse else None
        optimizer = make(tf)
        train_op = optimizer.minimize(loss, global_step=step)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(5):
                session.run(train_op)
            values = session.run(tf.global_variables())
        slots = [(name, v.name, getattr(optimizer.get_slot(v, name), 'name', None))
                 for name in optimizer.get_slot_names() for v in (w, b)]
        return (train_op.name, slots, [v.name for v in optimizer.variables()], optimizer.get_name(),
                values)
    return case


def with_step(decay):
    """Returns a learning rate at several steps."""
    def case(tf):
        step = tf.Variable(0, name='step', trainable=False)
        rate = decay(tf, step)
        rates = []
        with tf.Session() as session:
            for value in (0, 1, 3, 5, 7, 10, 13, 25):
                session.run(step.initializer, {step.initializer.inputs[1]: value})
                rates.append(session.run(rate))
        return rates
    return case


LEARNING_RATES = {
    'exponential': lambda tf, s: tf.train.exponential_decay(0.1, s, 10, 0.5),
    'exponential_stairs': lambda tf, s: tf.train.exponential_decay(
        0.1, s, 10, 0.5, staircase=True, name='nm'),
    'polynomial': lambda tf, s: tf.train.polynomial_decay(0.1, s, 10),
    'polynomial_cycle': lambda tf, s: tf.train.polynomial_decay(
        0.1, s, 10, cycle=True, power=0.5),
    'natural_exp': lambda tf, s: tf.train.natural_exp_decay(0.1, s, 10, 0.5),
    'natural_exp_stairs': lambda tf, s: tf.train.natural_exp_decay(
        0.1, s, 10, 0.5, staircase=True),
    'inverse_time': lambda tf, s: tf.train.inverse_time_decay(0.1, s, 10, 0.5),
    'inverse_time_stairs': lambda tf, s: tf.train.inverse_time_decay(
        0.1, s, 10, 0.5, staircase=True),
    'cosine': lambda tf, s: tf.train.cosine_decay(0.1, s, 10, alpha=0.1),
    'linear_cosine': lambda tf, s: tf.train.linear_cosine_decay(0.1, s, 10),
    'noisy_linear_cosine': lambda tf, s: tf.train.noisy_linear_cosine_decay(
        0.1, s, 10, initial_variance=1e-9),
}

# TensorFlow builds these with conditionals, Ramet with Select; only the values are the same.
LEARNING_RATES_BY_VALUE = {
    'piecewise': lambda tf, s: tf.train.piecewise_constant(s, [2, 5], [0.1, 0.2, 0.3]),
    'restarts': lambda tf, s: tf.train.cosine_decay_restarts(0.1, s, 4, alpha=0.1),
    'restarts_equal': lambda tf, s: tf.train.cosine_decay_restarts(
        0.1, s, 4, t_mul=1.0, m_mul=0.5),
}


def averages(resource, tensors, **options):
    def case(tf):
        with tf.variable_scope('s', use_resource=resource):
            w = tf.get_variable('w', initializer=tf.constant([[1., 2.], [3., 4.]]))
            b = tf.get_variable('b', initializer=tf.constant([0.5]))
        named = {}
        if options.get('num_updates'):
            named['num_updates'] = tf.Variable(3, name='step', trainable=False)
        average = tf.train.ExponentialMovingAverage(
            0.9, zero_debias=options.get('zero_debias', False), name=options.get('name', 'EMA'),
            **named)
        t = tf.add(w, 1.0, name='t')
        update = average.apply([w, b, t] if tensors else None)
        grow = w.assign_add([[1., 1.], [1., 1.]])
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(3):
                session.run(grow)
                session.run(update)
            found = [average.average(x) for x in (w, b, t)]
            values = session.run([v for v in found if v is not None])
        return ([average.average_name(x) for x in (w, b, t)],
                [getattr(v, 'name', None) for v in found], average.name, values,
                sorted((k, v.name) for k, v in average.variables_to_restore().items()))
    return case


AVERAGES = {
    'variables': averages(False, False), 'resources': averages(True, False, name='Foo'),
    'tensors': averages(False, True), 'num_updates': averages(False, True, num_updates=True),
    'zero_debias': averages(False, True, zero_debias=True),
    'zero_debias_resources': averages(True, True, zero_debias=True),
}


def get_variable(tf, name='v', shape=(2,), **kwargs):
    return tf.get_variable(name, list(shape), initializer=tf.zeros_initializer(), **kwargs)


def saver_nodes(make):
    """Returns the SaverDef of a saver."""
    def case(tf):
        return str(make(tf).as_saver_def())
    return case


def two(tf):
    return get_variable(tf, 'a'), get_variable(tf, 'b', (3, 2), use_resource=True)


def parts(tf):
    return tf.get_variable('p', [5, 2], partitioner=tf.fixed_size_partitioner(2),
                           initializer=tf.zeros_initializer())


SAVERS = {
    'plain': lambda tf: (two(tf), tf.train.Saver())[1],
    'list': lambda tf: tf.train.Saver(list(two(tf)), max_to_keep=3, name='mine'),
    'dict': lambda tf: tf.train.Saver(dict(zip(['x', 'y'], two(tf)))),
    'parts': lambda tf: (parts(tf), tf.train.Saver())[1],
    'parts_list': lambda tf: tf.train.Saver({'q': list(parts(tf))}),
    'partitioned': lambda tf: tf.train.Saver({'q': parts(tf)}),
    'reshape': lambda tf: (two(tf), tf.train.Saver(reshape=True))[1],
    'sharded': lambda tf: (two(tf), tf.train.Saver(sharded=True))[1],
    'hours': lambda tf: (two(tf), tf.train.Saver(keep_checkpoint_every_n_hours=2.0))[1],
    'unlimited': lambda tf: (two(tf), tf.train.Saver(max_to_keep=None))[1],
}


def same_twice(tf):
    v = get_variable(tf)
    return tf.train.Saver([v, v])


def two_names(tf):
    v = get_variable(tf)
    return tf.train.Saver({'a': v, 'b': v})


def no_saver_def(tf):
    return tf.train.Saver.from_proto(tf.train.SaverDef())


def save(path, into=None, **options):
    def case(tf):
        v = get_variable(tf)
        saver = tf.train.Saver()
        with tf.Session() as session:
            session.run(v.initializer)
            return saver.save(into or session, path, **options)
    return case


def deferred(tf):
    v = get_variable(tf)
    saver = tf.train.Saver(defer_build=True)
    with tf.Session() as session:
        session.run(v.initializer)
        saver.save(session, 'm')


# Each raises an error with the same class and message.
ERRORS = {
    'nothing_to_save': lambda tf: tf.train.Saver(),
    'one_variable': lambda tf: tf.train.Saver('abc'),
    'constant_in_list': lambda tf: tf.train.Saver([tf.constant(1.0)]),
    'constant_in_dict': lambda tf: tf.train.Saver({'a': tf.constant(1.0)}),
    'key_no_string': lambda tf: tf.train.Saver({1: get_variable(tf)}),
    'same_twice': same_twice,
    'two_names': two_names,
    'defer_build': lambda tf: tf.train.Saver([get_variable(tf)], defer_build=True),
    'deferred': deferred,
    'saver_def': lambda tf: tf.train.Saver(saver_def=3),
    'no_saver_def': no_saver_def,
    'no_session': save('m', into=3),
    'latest_filename': save('m', latest_filename='a/b'),
    'collision': save('checkpoint'),
    'step_no_number': save('m', global_step=1.5),
    'no_path': save(None),
    'timestamps': lambda tf: tf.train.generate_checkpoint_state_proto(
        '/a', '/a/m', ['/a/x', '/a/m'], [1.0]),
    'reader': lambda tf: tf.train.NewCheckpointReader('/no/such/checkpoint'),
    'reader_none': lambda tf: tf.train.NewCheckpointReader(None),
    'meta_file': lambda tf: tf.train.import_meta_graph('/no/such.meta'),
    'graph_def': lambda tf: tf.import_graph_def(3),
    'input_map': lambda tf: tf.import_graph_def(tf.GraphDef(), input_map=3),
    'input_map_unused': lambda tf: tf.import_graph_def(
        tf.GraphDef(), input_map={'a': tf.constant(1)}),
    'return_elements': lambda tf: tf.import_graph_def(tf.GraphDef(), return_elements=[3]),
    'return_missing': lambda tf: tf.import_graph_def(tf.GraphDef(), return_elements=['a']),
    'extract_missing': lambda tf: tf.graph_util.extract_sub_graph(tf.GraphDef(), ['a']),
    'extract_text': lambda tf: tf.graph_util.extract_sub_graph(tf.GraphDef(), 'a'),
    'no_variables': lambda tf: tf.train.AdamOptimizer().minimize(tf.constant(1.0)),
    'no_gradients': lambda tf: tf.train.AdamOptimizer().apply_gradients([]),
    'no_gradient': lambda tf: tf.train.AdamOptimizer().apply_gradients(
        [(None, tf.get_variable('v', [1]))]),
    'unconnected': lambda tf: tf.train.AdamOptimizer().minimize(
        tf.constant(1.0), var_list=[tf.get_variable('v', [1])]),
    'integer_loss': lambda tf: tf.train.AdamOptimizer().minimize(
        tf.constant(1), var_list=[tf.get_variable('v', [1])]),
    'gate': lambda tf: tf.train.AdamOptimizer().minimize(
        tf.constant(1.0), gate_gradients=7, var_list=[tf.get_variable('v', [1])]),
    'no_name': lambda tf: tf.train.AdamOptimizer(name=''),
    'adagrad': lambda tf: tf.train.AdagradOptimizer(0.1, initial_accumulator_value=0.0),
    'ftrl': lambda tf: tf.train.FtrlOptimizer(0.1, l1_regularization_strength=-1.0),
    'ftrl_power': lambda tf: tf.train.FtrlOptimizer(0.1, learning_rate_power=1.0),
    'step_twice': lambda tf: (tf.train.create_global_step(), tf.train.create_global_step()),
    'step_vector': lambda tf: tf.train.assert_global_step(tf.constant([1])),
    'step_object': lambda tf: tf.train.assert_global_step(3),
    'step_float': lambda tf: (tf.Variable(5., name='global_step'), tf.train.get_global_step()),
    'boundaries': lambda tf: tf.train.piecewise_constant(tf.constant(1), [2, 3], [1.0, 2.0]),
    'boundary_dtype': lambda tf: tf.train.piecewise_constant(tf.constant(1), [2.5], [1.0, 2.0]),
    'value_dtype': lambda tf: tf.train.piecewise_constant(tf.constant(1), [2], [1.0, 2]),
    'average_dtype': lambda tf: tf.train.ExponentialMovingAverage(0.9).apply([tf.constant(1)]),
    'predict': lambda tf: tf.saved_model.predict_signature_def(None, None),
    'regress': lambda tf: tf.saved_model.regression_signature_def(
        tf.constant(1), tf.constant(1.0)),
    'classify': lambda tf: tf.saved_model.classification_signature_def(
        tf.constant('a'), tf.constant(1), None),
    'saved_model': lambda tf: tf.saved_model.load(tf.Session(), ['serve'], '/no/such'),
    'tensor_info': lambda tf: tf.saved_model.get_tensor_from_tensor_info(
        tf.MetaGraphDef().signature_def['a'].inputs['x']),
}
