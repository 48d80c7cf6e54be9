"""The cases of python_session_test.py, functions of the package and `note`.

note(function) records the result of a call, or its error.
"""

import time

import numpy as np


def three(tf, calls=None):
    """Placeholders a, b, c; r1 = f(a) + b; r2 = r1 * c, where f counts its calls."""
    a, b, c = (tf.placeholder(tf.float32, [], name=n) for n in 'abc')

    def f(x):
        if calls is not None:
            calls.append(x)
        return x

    counted = tf.py_func(f, [a], tf.float32)
    counted.set_shape([])
    r1 = tf.add(counted, b, name='r1')
    return a, b, c, r1, tf.multiply(r1, c, name='r2')


def pieces(tf, note):
    calls = []
    a, b, c, r1, r2 = three(tf, calls)
    s = tf.Session()
    for _ in range(2):
        h = s.partial_run_setup([r1, r2], [a, b, c])
        note(lambda: s.partial_run(h, r1, {a: 1, b: 2}))
        note(lambda: s.partial_run(h, {'r': [r2, r2]}, {c: 5}))
        note(lambda: s.partial_run(h, r2, {c: 5}))
    note(lambda: len(calls))
    h = s.partial_run_setup([r1, r2], [a, b, c])
    note(lambda: s.partial_run(h, [], {a: 1, b: 2}))
    note(lambda: s.partial_run(h, r1))
    note(lambda: s.partial_run(h, r2, {c: 5}))
    h = s.partial_run_setup([r1, r2], [a, b, c])
    note(lambda: s.partial_run(h, [r1, r2], {a: 1, b: 2, c: 3}))
    note(lambda: s.partial_run(h, [r1, r2], {a: 1, b: 2, c: 3}))
    h = s.partial_run_setup([r2], [r1, c])
    note(lambda: s.partial_run(h, [], {r1: 7.}))
    note(lambda: s.partial_run(h, r2, {c: 2}))


def two_at_once(tf, note):
    a, b, c, r1, r2 = three(tf)
    s = tf.Session()
    one, other = (s.partial_run_setup([r1, r2], [a, b, c]) for _ in range(2))
    note(lambda: s.partial_run(one, r1, {a: 1, b: 2}))
    note(lambda: s.partial_run(other, r1, {a: 10, b: 20}))
    note(lambda: s.partial_run(one, r2, {c: 1}))
    note(lambda: s.partial_run(other, r2, {c: 1}))


def wrong_pieces(tf, note):
    a, b, c, r1, r2 = three(tf)
    s = tf.Session()
    h = s.partial_run_setup([r1, r2], [a, b, c])
    note(lambda: s.partial_run(h, r1, {a: 1}))
    note(lambda: s.partial_run(h, r1, {b: 1}))
    note(lambda: s.partial_run(h, r1, {3: 1}))
    note(lambda: s.partial_run(h, r1, {'nope:0': 1}))
    note(lambda: s.partial_run(h, None, {a: 1}))
    note(lambda: s.partial_run(h, r1.op, {a: 1}))
    note(lambda: s.partial_run(h, r1, {a: 1, b: 2}))
    note(lambda: s.partial_run(h, r2, {a: 1, c: 2}))
    note(lambda: s.partial_run(h, r1))
    note(lambda: s.partial_run(h, [r1, r2], {c: 2}))
    note(lambda: s.partial_run(h, r2, {c: 2}))
    h = s.partial_run_setup([r1], [a, b])
    note(lambda: s.partial_run(h, r2, {a: 1, b: 2}))
    note(lambda: s.partial_run(h, r1, {a: 1, b: 2, c: 2}))
    note(lambda: s.partial_run('nope', r1, {a: 1, b: 2}))
    note(lambda: s.partial_run(b'nope', r1, {a: 1, b: 2}))
    note(lambda: s.partial_run(None, r1, {a: 1, b: 2}))
    note(lambda: tf.Session().partial_run(h, r1, {a: 1, b: 2}))
    s.close()
    note(lambda: s.partial_run(h, r1, {a: 1, b: 2}))
    note(lambda: s.partial_run_setup([r1], [a, b]))


def setups(tf, note):
    a, b, c, r1, r2 = three(tf)
    s = tf.Session()
    note(lambda: s.partial_run_setup([], [a]))
    note(lambda: s.partial_run_setup([r1], [a, a, b]))
    note(lambda: s.partial_run_setup([a, r1], [a, b]))
    note(lambda: s.partial_run_setup([3], [a]))
    note(lambda: s.partial_run(s.partial_run_setup([tf.constant(3.)]), 'Const:0'))
    note(lambda: s.partial_run(s.partial_run_setup([r1], ['a:0', 'b:0']), r1, {a: 1, 'b:0': 2}))
    note(lambda: s.partial_run(s.partial_run_setup({'x': r1}, [a, b]), r1, {a: 1, b: 2}))
    sparse = tf.sparse_placeholder(tf.float32)
    total = tf.add(sparse.values, 1.)
    note(lambda: s.partial_run(s.partial_run_setup([total], [sparse]), total,
                               {sparse: tf.SparseTensorValue([[0, 0]], [2.], [1, 1])}))
    with tf.Graph().as_default():
        note(lambda: tf.Session().partial_run_setup([], []))


def failing_pieces(tf, note):
    a, b = (tf.placeholder(tf.float32, [], name=n) for n in 'ab')
    checked = tf.check_numerics(a, 'bad')
    y = checked + b
    s = tf.Session()
    h = s.partial_run_setup([checked, y], [a, b])
    note(lambda: s.partial_run(h, checked, {a: np.inf}))
    note(lambda: s.partial_run(h, y, {b: 2}))


def pieces_with_state(tf, note):
    a, b = (tf.placeholder(tf.float32, [], name=n) for n in 'ab')
    drawn = tf.random_uniform([])
    y, z = drawn + a, drawn + b
    v = tf.Variable(0.)
    added = tf.assign_add(v, a)
    s = tf.Session()
    s.run(v.initializer)
    h = s.partial_run_setup([y, z], [a, b])
    first = s.partial_run(h, y, {a: 0.})
    note(lambda: s.partial_run(h, z, {b: 0.}) == first)
    h = s.partial_run_setup([y, added.op, z], [a, b])
    s.partial_run(h, y, {a: 3.})
    s.partial_run(h, z, {b: 3.})
    note(lambda: s.run(v))


def options(tf, note):
    x = tf.placeholder(tf.float32, [], name='x')
    y = x * 2
    s = tf.Session()
    note(lambda: s.run(y, {x: 1}, options=3))
    note(lambda: s.run(y, {x: 1}, run_metadata=3))
    note(lambda: s.run(y, {x: 1}, options={'timeout_in_ms': 3}))
    note(lambda: s.run(y, {x: 1}, options=tf.RunOptions(timeout_in_ms=-3)))
    for pool in (-2, -1, 0, 1):
        note(lambda: s.run(y, {x: 1}, options=tf.RunOptions(inter_op_thread_pool=pool)))
    config = tf.ConfigProto()
    config.session_inter_op_thread_pool.add()
    config.session_inter_op_thread_pool.add()
    s = tf.Session(config=config)
    for pool in (1, 2):
        note(lambda: s.run(y, {x: 1}, options=tf.RunOptions(inter_op_thread_pool=pool)))


def timeouts(tf, note):
    def slow():
        time.sleep(0.5)
        return np.float32(1)

    y = tf.identity(tf.py_func(slow, [], tf.float32)) * 2
    s = tf.Session()
    note(lambda: s.run(y, options=tf.RunOptions(timeout_in_ms=20)))
    note(lambda: s.run(y, options=tf.RunOptions(timeout_in_ms=60000)))
    call = s.make_callable(y, accept_options=True)
    note(lambda: call(options=tf.RunOptions(timeout_in_ms=20)))
    s = tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=20))
    note(lambda: s.run(y))
    note(lambda: s.run(y, options=tf.RunOptions(timeout_in_ms=60000)))


def metadata(tf, note):
    x = tf.placeholder(tf.float32, [], name='x')
    y = x * 2 + 1
    s = tf.Session()

    def told(run):
        told = tf.RunMetadata()
        told.partition_graphs.add()
        told.partition_graphs.add()
        run(told)
        computed = [(n.node_name, n.timeline_label.split(' = ')[1].split('(')[0], len(n.output))
                    for d in told.step_stats.dev_stats for n in d.node_stats
                    if n.node_name in ('mul', 'add') and n.all_start_micros > 0]
        nodes = [sorted((n.name, n.op, n.device, tuple(sorted(n.input))) for n in g.node)
                 for g in told.partition_graphs]
        return sorted(computed), nodes, [d.device for d in told.step_stats.dev_stats]

    call = s.make_callable(y, [x], accept_options=True)
    for fields in ({}, {'trace_level': 1}, {'trace_level': 3}, {'output_partition_graphs': True},
                   {'report_tensor_allocations_upon_oom': True}):
        wanted = tf.RunOptions(**fields)
        note(lambda: told(lambda m: s.run(y, {x: 1}, options=wanted, run_metadata=m)))
        note(lambda: told(lambda m: s.run([y.op], {x: 1}, options=wanted, run_metadata=m))[2])
        note(lambda: told(lambda m: call(1, options=wanted, run_metadata=m)))
    note(lambda: told(lambda m: s.run(y, {x: 1}, run_metadata=m)))
    note(lambda: call(3.))
    note(lambda: call(3., options=3))
    note(lambda: call(3., run_metadata=3))


CASES = [pieces, two_at_once, wrong_pieces, setups, failing_pieces, pieces_with_state, options,
         timeouts, metadata]
