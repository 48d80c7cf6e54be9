"""Programs of several calls in which some steps are odd: feeds, runs in parts and in threads, imports, clones, edits,
gradients of gradients, Python functions in graphs, saves."""

import threading

import numpy as np

import hostile
import plausible
import ramet
import ramet.compat.v1 as tf
import ramet.graph_editor as ge

CAUGHT = (tf.errors.OpError, ValueError, TypeError, RuntimeError, KeyError, IndexError, AttributeError, hostile.Fault,
          OverflowError, NotImplementedError, AssertionError, LookupError, OSError, MemoryError, RecursionError)


def attempt(call, *args, **kwargs):
    """Returns the result, or None if the call is refused in a way that callers expect."""
    try:
        return call(*args, **kwargs)
    except CAUGHT as e:
        from fuzz_python import verdict
        if verdict(e) is not None:
            raise
        return None


def unary_ops():
    return [tf.square, tf.tanh, tf.nn.relu, tf.exp, tf.abs, tf.negative, tf.identity, tf.transpose, tf.nn.softmax,
            tf.reduce_sum, tf.shape, tf.stop_gradient, tf.cumsum, tf.matrix_transpose, tf.nn.l2_loss, tf.is_nan,
            tf.argmax, tf.unstack, tf.rank, tf.squeeze, tf.linalg.svd, tf.sort, tf.unique, tf.where, tf.as_string]


def binary_ops():
    return [tf.add, tf.multiply, tf.matmul, tf.divide, tf.floordiv, tf.mod, tf.maximum, tf.gather, tf.reshape,
            tf.tile, tf.less, tf.pow, tf.squared_difference, tf.fill, tf.one_hot, tf.boolean_mask, tf.slice, tf.pad,
            tf.broadcast_to, tf.segment_sum, tf.tensordot, tf.sparse_tensor_to_dense, tf.bitcast, tf.cast]


def some_graph(random):
    """Adds connected ops, and returns all tensors of the graph."""
    tensors = [plausible.tensor(random) for _ in range(3)]
    tensors.append(tf.get_variable('v', initializer=plausible.array(random), use_resource=random.random() < 0.5))
    for _ in range(random.randrange(1, 8)):
        if random.random() < 0.5:
            made = attempt(random.choice(unary_ops()), random.choice(tensors))
        else:
            made = attempt(random.choice(binary_ops()), random.choice(tensors), random.choice(tensors))
        tensors += [t for t in tf.nest.flatten([made]) if isinstance(t, tf.Tensor)]
    if random.random() < 0.3:
        x = random.choice(tensors)
        made = attempt(tf.cond, plausible.tensor(random), lambda: tf.square(x), lambda: tf.negative(x))
        tensors += [made] if isinstance(made, tf.Tensor) else []
    if random.random() < 0.3:
        step = random.choice(unary_ops())
        made = attempt(tf.while_loop, lambda i, x: i < 3, lambda i, x: (i + 1, step(x)),
                       [tf.constant(0), random.choice(tensors)])
        tensors += [t for t in made or () if isinstance(t, tf.Tensor)]
    return tensors


def odd_array(random):
    """Returns an array as a program may hold it: of an odd order, layout, owner or dtype."""
    values = plausible.array(random, random.choice([np.float32, np.int32, np.float64, np.bool_, np.int64, np.uint8]))
    kind = random.randrange(10)
    if kind == 0:
        return values.astype(values.dtype.newbyteorder('>'))
    if kind == 1:
        return np.asfortranarray(values)
    if kind == 2:
        return np.repeat(values[..., None], 2, -1)[..., 0]
    if kind == 3:
        values.flags.writeable = False
        return values
    if kind == 4:
        return np.frombuffer(bytes(values.size * 4 + 1), np.uint8)[1:].view(np.float32)
    if kind == 5:
        return np.lib.stride_tricks.as_strided(values.ravel()[:1], [1 << 30, 1 << 30], [0, 0])[:2, :2]
    if kind == 6:
        return values.view(np.matrix) if values.ndim == 2 else values.astype(object)
    if kind == 7:
        return np.frombuffer(bytes(random.choices(range(256), k=8)), np.bool_)
    if kind == 8:
        return np.array(['a', b'\xff\0'.decode('latin1'), ''], random.choice([object, 'U3', 'S3']))
    return values


def feeds_for(random, tensors):
    feeds = {}
    for t in tensors:
        if t.op.type == 'Placeholder' or random.random() < 0.1:
            feeds[t] = odd_array(random) if random.random() < 0.7 else hostile.value(random)
    return feeds


def feed_and_fetch(random):
    tensors = some_graph(random)
    graph_tensors = [t for op in tf.get_default_graph().get_operations() for t in op.outputs]
    with tf.Session() as session:
        attempt(session.run, tf.global_variables_initializer())
        for _ in range(4):
            fetches = random.choice([random.choice(tensors), tensors, {'a': tensors[0], 'b': [tensors[-1]]}])
            attempt(session.run, fetches, feeds_for(random, graph_tensors))


def run_in_parts(random):
    tensors = some_graph(random)
    placeholders = [t for t in tensors if isinstance(t, tf.Tensor) and t.op.type == 'Placeholder']
    with tf.Session() as session:
        handle = attempt(session.partial_run_setup, tensors, placeholders + random.choice([[], [tensors[-1]]]))
        for _ in range(3):
            attempt(session.partial_run, random.choice([handle, handle, 'x', 7]), random.choice(tensors),
                    feeds_for(random, placeholders))
        call = attempt(session.make_callable, tensors[-1], placeholders)
        for _ in range(3):
            if call is not None:
                attempt(call, *[odd_array(random) for _ in range(len(placeholders) + random.choice([0, 0, 1, -1]))])


def threads_and_close(random):
    tensors = some_graph(random)
    session = tf.Session()
    feeds = feeds_for(random, [t for t in tensors if isinstance(t, tf.Tensor)])
    stop = threading.Event()

    def run():
        while not stop.is_set():
            attempt(session.run, random.choice(tensors), feeds)

    def change():
        while not stop.is_set():
            for value in feeds.values():
                if isinstance(value, np.ndarray) and value.flags.writeable and value.dtype.kind in 'iu':
                    value += 1 << 6
    threads = [threading.Thread(target=run), threading.Thread(target=run), threading.Thread(target=change)]
    for thread in threads:
        thread.start()
    stop.wait(0.02)
    attempt(session.close)
    stop.set()
    for thread in threads:
        thread.join()


def differentiate(random):
    tensors = some_graph(random)
    for _ in range(3):
        ys = random.sample(tensors, min(2, len(tensors)))
        kwargs = {}
        if random.random() < 0.4:
            kwargs['grad_ys'] = [random.choice([None, odd_array(random), plausible.tensor(random)]) for _ in ys]
        if random.random() < 0.3:
            kwargs['stop_gradients'] = random.choice(tensors)
        made = attempt(tf.gradients, ys, random.sample(tensors, 2), **kwargs) or []
        tensors += [g for g in made if isinstance(g, tf.Tensor)]
    with tf.Session() as session:
        attempt(session.run, tf.global_variables_initializer())
        attempt(session.run, tensors[-1], feeds_for(random, [t for t in tensors if isinstance(t, tf.Tensor)]))
    attempt(tf.train.AdamOptimizer(0.1).minimize, tensors[-1])


def change_message(random, message):
    """Changes a random field of a message, or of one within it."""
    fields = [f for f, _ in message.ListFields()]
    if not fields:
        return
    field = random.choice(fields)
    value = getattr(message, field.name)
    if hasattr(value, 'ListFields'):
        change_message(random, value)
    elif hasattr(value, '__len__') and not isinstance(value, (str, bytes)):
        if len(value) and hasattr(value, 'MergeFrom') and random.random() < 0.2:
            del value[random.randrange(len(value))]
        elif len(value) and not hasattr(value, 'keys') and hasattr(value[0], 'ListFields'):
            change_message(random, random.choice(value))
        elif hasattr(value, 'keys') and len(value):
            change_message(random, value[random.choice(sorted(value))])
    elif isinstance(value, bool):
        setattr(message, field.name, not value)
    elif isinstance(value, int):
        attempt(setattr, message, field.name, random.choice([0, 1, -1, 3, 7, 1 << 30, (1 << 63) - 1, -(1 << 63)]))
    elif isinstance(value, str):
        setattr(message, field.name, random.choice(['', 'a', 'x0', '^a', 'a:1', 'Const', 'Identity', 'v', 'a/b']))
    elif isinstance(value, bytes):
        setattr(message, field.name, random.choice([b'', b'loc:@a', b'\xff', value * 2, value[:-1]]))


def import_changed(random):
    tensors = some_graph(random)
    attempt(tf.gradients, random.choice(tensors), tensors[:2])
    whole = random.random() < 0.5
    message = tf.train.export_meta_graph() if whole else tf.get_default_graph().as_graph_def(add_shapes=True)
    for _ in range(random.randrange(4)):
        change_message(random, message)
    with tf.Graph().as_default() as graph:
        present = tf.constant(1.0)
        if whole:
            attempt(tf.train.import_meta_graph, message, clear_devices=True, import_scope=random.choice([None, 's']))
        else:
            attempt(tf.import_graph_def, message, name=random.choice([None, '', 'a/b', 'Const', '/']),
                    input_map=random.choice([None, {'Const:0': present}, {'v': present}, {'^Const': present}, {1: 2}]),
                    return_elements=random.choice([None, ['Const:0'], ['missing'], ['Const:9']]))
        fetches = [t for op in graph.get_operations() for t in op.outputs][:20]
        with tf.Session() as session:
            for fetch in fetches:
                attempt(session.run, fetch, feeds_for(random, fetches))
        attempt(tf.graph_util.extract_sub_graph, graph.as_graph_def(), ['Const'])


def clone_oddly(random):
    tensors = some_graph(random)
    operations = tf.get_default_graph().get_operations()
    elements = tensors + operations + ['Const:0', 'missing', 'v']
    for _ in range(3):
        kwargs = {}
        choices = {
            'inputs': lambda: random.sample(elements, 2), 'outputs': lambda: random.sample(elements, 2),
            'ops': lambda: random.sample(operations, 2), 'scope': lambda: random.choice(['a', '', 'v']),
            'into': tf.Graph, 'dst_scope': lambda: random.choice(['', 'a/b', '/', 'v', '9 ']),
            'input_map': lambda: {random.choice(elements): random.choice(tensors + [None, [2, 3]])},
            'device': lambda: random.choice(['/cpu:0', 'bad', {'': '/cpu:1'}, lambda op: '/gpu:0']),
            'variables': lambda: random.choice(['shared', 'own', lambda v: 'shared', {}]),
            'initial': lambda: random.choice(['current', 'missing_checkpoint', 'initializer']),
            'dtype': lambda: random.choice([tf.float64, tf.bfloat16, {tf.float32: tf.int32}, lambda op: tf.float16]),
            'strip_training': lambda: True, 'session': tf.Session}
        for name in random.sample(sorted(choices), random.randrange(4)):
            kwargs[name] = choices[name]() if random.random() < 0.85 else hostile.value(random)
        clone = attempt(ramet.clone, **kwargs)
        if clone is None:
            continue
        with tf.Session(graph=clone.graph) as session:
            attempt(session.run, clone.init_op)
            attempt(session.run, [attempt(clone.transformed, random.choice(elements))])
        attempt(clone.polyak_op, random.choice([0.5, -1, float('nan'), 'x']))


def edit_graph(random):
    some_graph(random)
    with tf.Graph().as_default():
        foreign = some_graph(random)
    graph = tf.get_default_graph()
    names = [n for n in dir(ge) if not n.startswith('_') and callable(getattr(ge, n))]
    for _ in range(6):
        operations = graph.get_operations()
        tensors = [t for op in operations for t in op.outputs]
        makers = [lambda: random.choice(tensors), lambda: random.choice(operations),
                  lambda: random.sample(operations, 2), lambda: random.sample(tensors, 2),
                  lambda: attempt(ge.sgv, random.sample(operations, 3)), lambda: random.choice(foreign),
                  lambda: graph, lambda: 'a.*', lambda: hostile.value(random)]
        attempt(getattr(ge, random.choice(names)), *[random.choice(makers)() for _ in range(random.randrange(1, 4))])
    with tf.Session() as session:
        for t in [t for op in graph.get_operations() for t in op.outputs][-10:]:
            attempt(session.run, t, feeds_for(random, [t]), options=tf.RunOptions(timeout_in_ms=500))


def python_functions(random):
    result = hostile.value(random)
    answer = random.choice([lambda *a: result, lambda *a: odd_array(random), lambda *a: a[0],
                            lambda *a: hostile._raise(), lambda *a: [odd_array(random), None],
                            lambda *a: session.run(tensor)])
    dtypes = random.choice([tf.float32, tf.string, tf.int64, tf.bool, [tf.float32, tf.int32], []])
    made = attempt(tf.py_func, answer, [plausible.array(random), odd_array(random)], dtypes)
    tensor = tf.nest.flatten([made])[0] if made is not None else None
    if not isinstance(tensor, tf.Tensor):
        return
    with tf.Session() as session:
        for fetch in [tensor, tf.shape(tensor), tf.identity(tensor)]:
            attempt(session.run, fetch, options=tf.RunOptions(timeout_in_ms=2000))


def save_and_restore(random):
    some_graph(random)
    tf.get_variable('w', [2, 3], tf.float32)
    first, *_, last = tf.global_variables()
    saver = attempt(tf.train.Saver, random.choice([None, {'v': first}, {'': first}, {'a/b': last}]),
                    max_to_keep=random.choice([0, 1, 5, -1]))
    with tf.Session() as session:
        attempt(session.run, tf.global_variables_initializer())
        prefix = random.choice(['m', './m', 'd/m', 'm.index', 'x' * 300, '', 'm\0', '\udc80', '.', 'm/', '🙂'])
        path = saver and attempt(saver.save, session, prefix,
                                 global_step=random.choice([None, 1, -1, 1 << 40, 'x', np.int64(3)]))
        other = tf.Graph()
        with other.as_default():
            tf.get_variable('v', random.choice([[2], [2, 3], []]), random.choice([tf.float32, tf.int32, tf.string]))
            tf.get_variable('w', random.choice([[3, 2], [2, 3]]))
            restorer = tf.train.Saver()
            with tf.Session() as second:
                attempt(restorer.restore, second, path or prefix)
        reader = attempt(tf.train.NewCheckpointReader, path or prefix)
        if reader is not None:
            for name in ['v', 'w', '', 'missing', '\0']:
                attempt(reader.get_tensor, name)


SCENARIOS = [feed_and_fetch, feed_and_fetch, run_in_parts, threads_and_close, differentiate, import_changed,
             import_changed, clone_oddly, edit_graph, python_functions, save_and_restore]
