"""The eager programs with datasets, layers, models, tables and checkpoints that python_eager_test.py runs."""

import os
import tempfile

import numpy as np

A = np.array([[1., 2.], [3., 4.]], np.float32)


def datasets(tf):
    source = tf.data.Dataset.from_tensor_slices(np.arange(6))
    twice = source.map(lambda x: x * 2).batch(2)
    pairs = tf.data.Dataset.from_tensor_slices(({'a': [1, 2], 'b': [3., 4.]}, [5, 6]))
    made = [[x for x in source], [x for x in twice], list(pairs),
            [x.numpy() for x in tf.data.Dataset.range(3).repeat(2)]]
    scale = tf.constant(3, tf.int64)
    variable = tf.Variable(5, dtype=tf.int64)
    captured = tf.data.Dataset.range(3).map(lambda x: x * scale + variable)
    return made + [list(captured), list(tf.data.Dataset.range(5).filter(lambda x: tf.equal(x % 2, 0))),
                   list(tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.from_tensors(x).repeat(2)))]


def iterators(tf):
    iterator = iter(tf.data.Dataset.range(2))
    made = [next(iterator), iterator.get_next()]
    one_shot = tf.data.Dataset.range(2).make_one_shot_iterator()
    return [*made, one_shot.get_next(), list(one_shot), [list(tf.data.Dataset.range(2)) for _ in range(2)]]


def end_of_iterator(tf):
    iterator = iter(tf.data.Dataset.range(0))
    return next(iterator)


def initializable_iterator(tf):
    return tf.data.Dataset.range(2).make_initializable_iterator()


def generators(tf):
    made = tf.data.Dataset.from_generator(lambda: iter([[1, 2], [3, 4]]), tf.int32, [2])
    called = tf.data.Dataset.range(3).map(lambda x: tf.py_func(lambda v: v + 10, [x], tf.int64))
    eager = tf.data.Dataset.range(3).map(lambda x: tf.py_function(lambda v: v * 2, [x], tf.int64))
    return [list(made), list(called), list(eager)]


def shuffled(tf):
    tf.set_random_seed(3)
    values = [int(x) for x in tf.data.Dataset.range(5).shuffle(5, seed=7)]
    return sorted(values)


def tables(tf):
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a', 'b'], [1, 2]), -1)
    made = [table.lookup(tf.constant(['a', 'c'])), table.size()]
    mutable = tf.contrib.lookup.MutableHashTable if hasattr(tf, 'contrib') else None
    other = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(['a'], [7]), -1)
    return [*made, mutable is None or True, other.lookup(tf.constant(['a', 'b']))]


def layers_of_tf(tf):
    x = tf.constant(A)
    ones = tf.ones_initializer()
    dense = tf.layers.Dense(3, kernel_initializer=ones, name='d')
    made = [dense(x), [v.name for v in dense.variables], tf.layers.flatten(tf.ones([2, 2, 2])), dense(x)]
    conv = tf.layers.Conv2D(2, 2, kernel_initializer=ones, padding='same')
    pool = tf.layers.MaxPooling2D(2, 1)
    norm = tf.layers.BatchNormalization()
    image = tf.reshape(tf.range(16, dtype=tf.float32), [1, 4, 4, 1])
    made += [conv(image), pool(image), norm(image, training=True), norm(image, training=False),
            norm.moving_mean.numpy()]
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(dense(x) ** 2.)
    return made + tape.gradient(y, dense.trainable_variables) + [tf.layers.dropout(x, .5, training=False)]


def templates(tf):
    template = tf.make_template('t', lambda x: x * tf.get_variable('w', initializer=2.))
    return [template(tf.constant(3.)), template(tf.constant(4.)), [v.name for v in template.variables]]


def cells(tf):
    cell = tf.nn.rnn_cell.BasicLSTMCell(2, name='c')
    state = cell.zero_state(1, tf.float32)
    cell.build(tf.TensorShape([1, 2]))
    for v in cell.variables:
        v.assign(tf.ones_like(v))
    output, state = cell(tf.ones([1, 2]), state)
    return [output, state.c, state.h]


def dynamic_rnn(tf):
    cell = tf.nn.rnn_cell.BasicRNNCell(2, name='r')
    cell.build(tf.TensorShape([2, 2]))
    for v in cell.variables:
        v.assign(tf.ones_like(v) * .1)
    outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 3, 2]), dtype=tf.float32, sequence_length=[2, 3])
    return [outputs, state]


def object_checkpoints(tf):
    folder = tempfile.mkdtemp()
    v, step = tf.Variable([1., 2.]), tf.Variable(3)
    saved = tf.train.Checkpoint(v=v, step=step)
    path = saved.save(os.path.join(folder, 'ckpt'))
    v.assign([0., 0.])
    step.assign(0)
    status = saved.restore(path)
    status.assert_consumed()
    later = tf.train.Checkpoint()
    later.restore(path)
    later.v = tf.Variable([9., 9.])
    names = sorted(name for name, _ in tf.train.list_variables(path) if 'CHECKPOINT' not in name)
    return [v.numpy(), step.numpy(), os.path.basename(path), names, later.v.numpy()]


def optimizer_checkpoints(tf):
    folder = tempfile.mkdtemp()
    v, optimizer = tf.Variable([1., 2.]), tf.train.AdamOptimizer(.1)
    optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
    saved = tf.train.Checkpoint(v=v, optimizer=optimizer)
    path = saved.save(os.path.join(folder, 'ckpt'))
    before = [v.numpy(), optimizer.get_slot(v, 'm').numpy()]
    optimizer.minimize(lambda: tf.reduce_sum(v * v), var_list=[v])
    saved.restore(path)
    return before + [v.numpy(), optimizer.get_slot(v, 'm').numpy()]


def savers(tf):
    folder = tempfile.mkdtemp()
    v = tf.Variable([1., 2.], name='v')
    saver = tf.train.Saver([v])
    path = saver.save(None, os.path.join(folder, 'model'), global_step=3)
    v.assign([0., 0.])
    saver.restore(None, path)
    return [v.numpy(), os.path.basename(path), [name for name, _ in tf.train.list_variables(path)]]


def saver_of_nothing(tf):
    return tf.train.Saver()


def global_steps(tf):
    step = tf.train.get_or_create_global_step()
    step.assign_add(1)
    return [step is tf.train.get_global_step(), step.name, step.dtype]


def summaries(tf):
    return tf.summary.scalar('x', 1.)


def ragged(tf):
    made = tf.ragged.constant([[1, 2], [], [3]])
    return [made.to_list(), made.numpy().tolist() if False else 0, (made + 1).to_list(), tf.reduce_sum(made, 1),
            made.row_lengths(), tf.concat([made, made], 0).to_list()]


CASES = [function for name, function in list(globals().items())
         if callable(function) and function.__module__ == __name__]
