"""The eager programs that python_eager_test.py runs in TensorFlow and in Ramet: functions of the package `tf`."""

import copy

import numpy as np

A = np.array([[1., 2.], [3., 4.]], np.float32)


# Tensors.

def values(tf):
    a = tf.constant(A)
    return [tf.executing_eagerly(), a + 1, 2 * a, a @ a, -a, a / 3., a ** 2., a > 2, a[0], a[:, 1], a[..., tf.newaxis],
            abs(-a), a % 2., 7 // tf.constant(2), tf.constant(True) & False, ~tf.constant([True, False]),
            tf.constant(3) - 1, 10 - tf.constant(3), tf.constant([1, 2]) < [2, 1], tf.constant([1.5]) // 1.]


def conversions(tf):
    a = tf.constant(A)
    return [int(tf.constant(3)), float(tf.constant(2.5)), bool(tf.constant(0.)), complex(tf.constant(1. + 2.j)),
            len(a), [row for row in a], list(range(tf.constant(3))), np.array(a), np.asarray(a).dtype.name,
            np.array(a, np.float64), np.sum(a), [1, 2, 3][tf.constant(1)], f'{tf.constant(2.5):.2f}', a.numpy(),
            tf.constant('x').numpy(), tf.constant(['x', b'y']).numpy(), tf.constant(5).numpy().dtype.name]


def texts(tf):
    tensors = [tf.constant(1), tf.constant(2.5), tf.constant(True), tf.constant('a'), tf.constant([1, 2]),
               tf.constant(A), tf.constant(['a', 'b']), tf.constant([], tf.int64), tf.constant(1, tf.float16)]
    return [text for t in tensors for text in (repr(t), str(t), repr(t.shape), t.dtype.name, t.ndim)]


def properties(tf):
    a = tf.constant(A)
    return [a.shape.as_list(), a.dtype, a.get_shape(), isinstance(a, tf.Tensor), tf.is_tensor(a), a is copy.copy(a),
            copy.deepcopy(a) is a, a.device.endswith('CPU:0'), tf.get_static_value(a), tf.shape(a), tf.rank(a),
            tf.size(a), a == a, a != a]


def name_of_tensor(tf):
    return tf.constant(1).name


def op_of_tensor(tf):
    return tf.constant(1).op


def graph_of_tensor(tf):
    return tf.constant(1).graph


def eval_of_tensor(tf):
    return tf.constant(1).eval()


def consumers_of_tensor(tf):
    return tf.constant(1).consumers()


def len_of_scalar(tf):
    return len(tf.constant(1))


def iter_of_scalar(tf):
    return list(tf.constant(1))


def set_shape(tf):
    a = tf.constant([1, 2])
    a.set_shape([None])
    a.set_shape([3])


def bool_of_vector(tf):
    return bool(tf.constant([1, 2]))


# Ops.

def matmul_error(tf):
    return tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))


def dtype_error(tf):
    return tf.constant(1) + tf.constant(2.)


def number_error(tf):
    return tf.constant(1) + 2.5


def argument_error(tf):
    return tf.add(tf.constant(1), 2.5)


def raw_op_error(tf):
    return tf.raw_ops.Mul(x=tf.constant(1), y=2.5)


def wrong_dtype(tf):
    return tf.nn.relu(tf.constant('a'))


def wrong_list(tf):
    return tf.concat([tf.constant([1]), tf.constant([1.])], 0)


def add_error(tf):
    return tf.add(tf.ones([2]), tf.ones([3]))


def gather_error(tf):
    return tf.gather([1, 2], 5)


def convert_error(tf):
    return tf.convert_to_tensor(tf.constant(1), tf.float32)


def array_ops(tf):
    a = tf.constant(A)
    return [tf.reshape(a, [4]), tf.transpose(a), tf.concat([a, a], 0), tf.stack([a, a]), tf.unstack(a),
            tf.split(a, 2, 1), tf.tile(a, [1, 2]), tf.expand_dims(a, 0), tf.squeeze(a[:1]), tf.zeros([2, 2]),
            tf.ones_like(a), tf.zeros_like(a), tf.fill([2], 7), tf.range(5), tf.range(1., 2., .5), tf.one_hot([0, 2],
            3),
            tf.where(a > 2), tf.where(a > 2, a, -a), tf.gather(a, [1, 0]), tf.gather_nd(a, [[0, 1]]),
            tf.boolean_mask(a, [True, False]), tf.pad(a, [[1, 0], [0, 1]]), tf.reverse(a, [0]), tf.cast(a, tf.int32),
            tf.identity(a), tf.slice(a, [0, 1], [2, 1]), tf.strided_slice(a, [0, 0], [2, 2], [1, 1]),
            tf.linspace(0., 1., 3), tf.eye(2), tf.diag([1, 2]), tf.unique([1, 1, 2]), tf.size(a), tf.shape(a),
            tf.sequence_mask([1, 2]), tf.meshgrid([1, 2], [3]), tf.scatter_nd([[0]], [5], [3]), tf.roll([1, 2, 3], 1,
            0),
            tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2), tf.broadcast_to([1, 2], [2, 2]), tf.matrix_diag([1., 2.]),
            tf.invert_permutation([1, 0]), tf.searchsorted([1, 3], [2]), tf.rank(a), tf.setdiff1d([1, 2], [2])]


def math_ops(tf):
    a = tf.constant(A)
    return [tf.add(a, a), tf.subtract(a, 1.), tf.multiply(a, 2.), tf.divide(a, 2.), tf.div(7, 2), tf.floordiv(7, 2),
            tf.exp(a), tf.log(a), tf.sqrt(a), tf.square(a), tf.pow(a, 2.), tf.abs(-a), tf.sign(a), tf.maximum(a, 2.),
            tf.minimum(a, 2.), tf.reduce_sum(a), tf.reduce_mean(a, 0), tf.reduce_max(a, 1, keepdims=True),
            tf.reduce_prod(a), tf.reduce_any(a > 3), tf.reduce_all(a > 0), tf.reduce_logsumexp(a), tf.argmax(a, 1),
            tf.cumsum(a), tf.add_n([a, a]), tf.accumulate_n([a, a]), tf.tensordot(a, a, 1), tf.einsum('ij,jk', a, a),
            tf.matmul(a, a, transpose_b=True), tf.matrix_inverse(a), tf.norm(a), tf.clip_by_value(a, 2., 3.),
            tf.clip_by_norm(a, 1.), tf.equal(a, 1.), tf.logical_not([True]), tf.sigmoid(a), tf.tanh(a), tf.round(a),
            tf.segment_sum([1, 2, 3], [0, 0, 1]), tf.unsorted_segment_sum([1, 2], [1, 1], 2), tf.floormod(7, 4),
            tf.is_nan(a), tf.real(1. + 2.j), tf.conj(1. + 2.j), tf.squared_difference(a, 1.), tf.rsqrt(a), tf.erf(a),
            tf.truediv(7, 2), tf.count_nonzero(a), tf.bincount([1, 1, 2]), tf.trace(a), tf.saturate_cast(300.,
            tf.uint8),
            tf.svd(a)[0], tf.matrix_determinant(a), tf.cholesky([[2., 0.], [0., 2.]]), tf.global_norm([a]),
            tf.clip_by_global_norm([a], 1.), tf.confusion_matrix([1, 0], [1, 1]), tf.histogram_fixed_width([1.], [0.,
            2.], 2)]


def nn_ops(tf):
    x = tf.reshape(tf.range(32, dtype=tf.float32), [1, 4, 4, 2]) / 32.
    w = tf.ones([2, 2, 2, 3])
    logits = tf.constant(A)
    return [tf.nn.relu([-1., 1.]), tf.nn.conv2d(x, w, [1, 1, 1, 1], 'SAME'), tf.nn.max_pool(x, [1, 2, 2, 1], [1, 2,
            2, 1], 'VALID'),
            tf.nn.softmax(logits), tf.nn.log_softmax(logits), tf.nn.bias_add(logits, [1., 2.]),
            tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[0, 1], logits=logits),
            tf.nn.softmax_cross_entropy_with_logits_v2(labels=A, logits=logits),
            tf.nn.sigmoid_cross_entropy_with_logits(labels=A, logits=logits), tf.nn.l2_loss(logits),
            tf.nn.moments(logits, [0]), tf.nn.batch_normalization(logits, [0., 1.], [1., 1.], None, None, 1e-3),
            tf.nn.embedding_lookup(logits, [1, 0]), tf.nn.l2_normalize(logits, 1), tf.nn.top_k(logits, 1),
            tf.nn.in_top_k(logits, [1, 0], 1), tf.nn.elu([-1.]), tf.nn.leaky_relu([-1.]), tf.nn.softplus(logits),
            tf.nn.avg_pool(x, [1, 2, 2, 1], [1, 2, 2, 1], 'VALID'), tf.nn.depthwise_conv2d(x, tf.ones([2, 2, 2, 1]),
            [1, 1, 1, 1], 'SAME'),
            tf.nn.fused_batch_norm(x, [1., 1.], [0., 0.])[0], tf.nn.crelu([1., -1.]), tf.nn.selu([1.]),
            tf.nn.swish([1.]),
            tf.losses.mean_squared_error([1., 2.], [1., 3.]), tf.losses.softmax_cross_entropy([[0., 1.]], [[1., 2.]]),
            tf.losses.sparse_softmax_cross_entropy([1], [[1., 2.]]), tf.losses.absolute_difference([1.], [3.]),
            tf.losses.huber_loss([1.], [3.]), tf.losses.log_loss([1.], [.5]), tf.losses.sigmoid_cross_entropy([1.],
            [.5])]


def string_ops(tf):
    return [tf.strings.join(['a', 'b']), tf.string_split(['a b']).values, tf.strings.length('abc'), tf.as_string(3),
            tf.string_to_number('2.5'), tf.strings.substr('hello', 1, 2), tf.strings.regex_replace('aab', 'a', 'c'),
            tf.strings.lower('AB'), tf.decode_raw(b'\x01\x02', tf.uint8), tf.strings.reduce_join(['a', 'b']),
            tf.encode_base64('ab'), tf.string_to_hash_bucket_fast(['a'], 10), tf.constant('a') + 'b']


def sparse_ops(tf):
    s = tf.SparseTensor([[0, 1], [1, 0]], [1., 2.], [2, 2])
    return [s.indices, s.values, s.dense_shape, tf.sparse_tensor_to_dense(s), tf.sparse_tensor_dense_matmul(s, A),
            tf.sparse_reduce_sum(s), tf.sparse_add(s, s).values, tf.sparse_concat(0, [s, s]).indices,
            tf.sparse.reorder(s).values, tf.sparse.to_dense(s * A), repr(s).split('(')[0]]


def linalg_ops(tf):
    a = tf.constant([[2., 1.], [1., 3.]])
    return [tf.linalg.inv(a), tf.linalg.det(a), tf.linalg.solve(a, [[1.], [2.]]), tf.linalg.cholesky(a),
            tf.abs(tf.linalg.qr(a)[1]), tf.linalg.eigh(a)[0], tf.linalg.diag_part(a), tf.linalg.band_part(a, 0, 0),
            tf.linalg.expm(a), tf.linalg.logdet(a), tf.linalg.trace(a), tf.linalg.matvec(a, [1., 2.])]


def image_ops(tf):
    x = tf.reshape(tf.range(48, dtype=tf.float32), [1, 4, 4, 3]) / 48.
    return [tf.image.resize_bilinear(x, [2, 2]), tf.image.flip_left_right(x), tf.image.central_crop(x[0], .5),
            tf.image.adjust_brightness(x, .1), tf.image.rgb_to_grayscale(x), tf.image.crop_to_bounding_box(x, 0, 0,
            2, 2),
            tf.image.per_image_standardization(x[0]), tf.image.resize_images(x, [2, 2]), tf.image.ssim(x, x, 1.,
            filter_size=3)]


def control_flow(tf):
    x = tf.constant(3)
    i, total = tf.while_loop(lambda i, t: i < 4, lambda i, t: (i + 1, t + i), [tf.constant(0), tf.constant(0)])
    return [tf.cond(x > 2, lambda: x * 2, lambda: x), tf.cond(False, lambda: 1, lambda: tf.constant(2)), i, total,
            tf.case([(x < 2, lambda: tf.constant(1)), (x > 2, lambda: tf.constant(2))], default=lambda: tf.constant(3)),
            tf.map_fn(lambda v: v * 2, tf.constant([1, 2])), tf.scan(lambda a, v: a + v, tf.constant([1, 2, 3])),
            tf.foldl(lambda a, v: a * v, tf.constant([1, 2, 3])), tf.foldr(lambda a, v: a - v, tf.constant([1, 2, 3])),
            tf.group(x, x), tf.no_op(), tf.tuple([x, x]), tf.switch_case(tf.constant(1), [lambda: 1, lambda: 2]),
            tf.while_loop(lambda i: i < 10, lambda i: i + 1, [0], maximum_iterations=3)]


def control_dependencies(tf):
    with tf.control_dependencies([tf.constant(1)]):
        a = tf.constant(2)
    with tf.control_dependencies(None), tf.name_scope('a') as scope, tf.name_scope('b') as inner:
        return [a, scope, inner]


def scopes(tf):
    with tf.name_scope('x') as a:
        with tf.name_scope('y') as b, tf.name_scope(a) as c, tf.name_scope(None) as d:
            pass
    with tf.name_scope('x') as e, tf.variable_scope('v') as v, tf.variable_scope('w') as w:
        made = tf.Variable(1., name='q')
    return [a, b, c, d, e, v.name, w.name, made.name, tf.Variable(1., name='q').name, tf.Variable(2.).name]


def tensor_arrays(tf):
    array = tf.TensorArray(tf.float32, 3, clear_after_read=False)
    array = array.write(0, 1.).write(1, 2.).write(2, 3.)
    other = tf.TensorArray(tf.int32, 0, dynamic_size=True).unstack([1, 2, 3])
    return [array.stack(), array.read(1), array.size(), array.gather([0, 2]), other.stack(), other.size(),
            tf.TensorArray(tf.float32, 2, infer_shape=False).split([1., 2., 3.], [1, 2]).concat()]


def assertions(tf):
    return [tf.Assert(tf.constant(True), ['x']), tf.assert_equal(1, 1), tf.assert_less([1], [2]),
            tf.check_numerics([1.], 'm'),
            tf.assert_rank([1], 1), tf.assert_positive([1.]), tf.ensure_shape(tf.constant([1, 2]), [None])]


def assert_error(tf):
    return tf.Assert(tf.constant(False), ['x', 3])


def assert_equal_error(tf):
    return tf.assert_equal([1, 2], [1, 3], message='m')


def assert_less_error(tf):
    return tf.assert_less([1, 5], [2, 3])


def functions_of_python(tf):
    return [tf.py_func(lambda x: x + 1, [tf.constant(1.)], tf.float32),
            tf.py_function(lambda x: x * 2., [tf.constant([1., 2.])], tf.float32),
            tf.numpy_function(lambda x: x + x, [3], tf.int64)]


# Graphs inside of eager programs.

def graphs(tf):
    with tf.Graph().as_default():
        before = tf.executing_eagerly()
        x = tf.placeholder(tf.float32, [])
        y = x * 2.
        with tf.init_scope():
            inside = tf.executing_eagerly()
            lifted = tf.constant(1)
        with tf.Session() as session:
            return [before, y.name, inside, lifted.numpy() if inside else 0, session.run(y, {x: 3.}), repr(y)]


def capture_error(tf):
    a = tf.constant(1.)
    with tf.Graph().as_default():
        return a + tf.constant(2.)


# Variables.

def variables(tf):
    v = tf.Variable([1., 2.], name='v')
    results = [v.numpy(), v.name, v.shape, v.dtype, v.trainable, repr(v), v + 1., v * v, v[0], v.value(),
            v.read_value()]
    results += [v.assign([3., 4.]).numpy(), v.assign_add([1., 1.]).numpy(), v.assign_sub([.5, .5]).numpy(), v.numpy()]
    results += [tf.assign(v, [0., 1.]).numpy(), tf.assign_add(v, [1., 1.]).numpy(), v.is_initialized()]
    results += [float(tf.Variable(2.)), int(tf.Variable(3)), np.array(v), copy.deepcopy(v).numpy(), v.sparse_read([1]),
                tf.reduce_sum(v), tf.matmul([v], [[1.], [2.]]), tf.convert_to_tensor(v), bool(tf.Variable(0)),
                tf.Variable(lambda: tf.ones([2])).numpy(), tf.Variable(1, dtype=tf.float64).dtype,
                tf.global_variables(),
                tf.trainable_variables(), v.assign([1., 1.], read_value=False), v.initializer]
    return results


def scatters(tf):
    v = tf.Variable([[1., 2.], [3., 4.], [5., 6.]])
    results = [tf.scatter_update(v, [0], [[9., 9.]]).numpy(), tf.scatter_add(v, [1], [[1., 1.]]).numpy(),
               tf.scatter_sub(v, [1], [[1., 1.]]).numpy(), tf.scatter_mul(v, [1], [[2., 2.]]).numpy(),
               tf.scatter_nd_update(v, [[0, 1]], [7.]).numpy(), tf.scatter_nd_add(v, [[0, 1]], [7.]).numpy()]
    results.append(v.scatter_update(tf.IndexedSlices(tf.constant([[0., 0.]]), tf.constant([2]))).numpy())
    v[0].assign([8., 8.])
    v[1, 0].assign(5.)
    return [*results, v.numpy(), tf.gather(v, [1])]


def assign_shape_error(tf):
    tf.Variable([1., 2.]).assign([1.])


def assign_dtype_error(tf):
    tf.Variable([1., 2.]).assign(tf.constant([1, 2]))


def variable_eval_error(tf):
    tf.Variable(1.).eval()


def variable_initial_value_error(tf):
    return tf.Variable(1.).initial_value


def variable_without_value(tf):
    return tf.Variable()


def get_variable(tf):
    with tf.variable_scope('s'):
        a = tf.get_variable('a', [2], initializer=tf.ones_initializer())
        b = tf.get_variable('a', initializer=tf.constant(3.))
    return [a.numpy(), a.name, b.numpy(), b.name, a is b]


def get_variable_reuse(tf):
    with tf.variable_scope('s', reuse=True):
        return tf.get_variable('a', [2]).name


# Random numbers.

def seeds(tf):
    tf.set_random_seed(5)
    first = [tf.random_uniform([2]), tf.random_normal([2]), tf.random_uniform([2]), tf.random_uniform([2], seed=3),
             tf.random_uniform([2], seed=3), tf.truncated_normal([2]), tf.random_shuffle(tf.range(5)),
             tf.multinomial([[.5, .5]], 3)]
    tf.set_random_seed(5)
    again = [tf.random_uniform([2]), tf.nn.dropout(tf.ones([4]), .5), tf.random.gamma([2], 1.)]
    return first + again


def seed_of_op(tf):
    tf.set_random_seed(None) if False else None
    return [tf.get_seed(1) if hasattr(tf, 'get_seed') else tf.random.get_seed(1)]


# Functions that need a graph.

def placeholder(tf):
    return tf.placeholder(tf.float32)


def placeholder_with_default(tf):
    return tf.placeholder_with_default(1., [])


def gradients(tf):
    return tf.gradients(tf.constant(1.), [tf.constant(1.)])


def metrics_mean(tf):
    return tf.metrics.mean([1.])


def metrics_auc(tf):
    return tf.metrics.auc([1.], [1.])


def queue_runner(tf):
    return tf.train.QueueRunner()


def import_graph(tf):
    return tf.Session().run(tf.constant(1.))


def parallel_stack(tf):
    return tf.parallel_stack([tf.constant(1)])


def readers(tf):
    return tf.TextLineReader()


def merge_summaries(tf):
    return tf.summary.merge_all()


def file_writer(tf):
    return tf.summary.FileWriter('/tmp/x')


def start_queue_runners(tf):
    return tf.train.start_queue_runners()


def string_input_producer(tf):
    return tf.train.string_input_producer(['a'])


def device_function(tf):
    with tf.device(lambda op: ''):
        return tf.constant(1)


def devices(tf):
    with tf.device('/cpu:0'):
        return [tf.constant(1) + 1]


CASES = [function for name,
            function in list(globals().items()) if callable(function) and function.__module__ == __name__]
