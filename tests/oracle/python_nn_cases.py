"""The calls that python_nn_test.py compares between the packages, by group. (call, True) also runs."""

import numpy as np

import python_signal_cases


def x(tf, *shape, dtype='float32'):
    return tf.placeholder(dtype, shape, name='x')


def f(tf, *shape, dtype='float32'):
    return tf.placeholder(dtype, shape, name='f')


ACTIVATION = [
    (lambda tf: tf.nn.softmax(x(tf, 4, 3)), True),
    (lambda tf: tf.nn.softmax(x(tf, 4, 3), axis=0), True),
    (lambda tf: tf.nn.softmax(x(tf, 4, 3), axis=-2, name='s'), True),
    lambda tf: tf.nn.softmax(tf.placeholder('float32'), name='u'),
    lambda tf: tf.nn.softmax(x(tf, None, 3), dim=0),
    lambda tf: tf.nn.softmax(x(tf, 4, 3), axis=5),
    lambda tf: tf.nn.softmax(x(tf, 4, 3), axis=1, dim=1),
    (lambda tf: tf.nn.softmax(x(tf, 4, 2, 3), axis=tf.constant(1)), True),
    (lambda tf: tf.nn.log_softmax(x(tf, 4, 3), axis=0, name='q'), True),
    lambda tf: tf.nn.dilation2d(x(tf, 1, 3, 3, 1), x(tf, 2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'),
    lambda tf: tf.nn.dilation2d(x(tf, 1, 3, 3, 1), filters=x(tf, 2, 2, 1), strides=[1, 1, 1, 1],
                                dilations=[1, 1, 1, 1], padding='SAME', name='q'),
    (lambda tf: tf.nn.erosion2d(x(tf, 1, 3, 3, 1), x(tf, 2, 2, 1), [1, 1, 1, 1], [1, 1, 1, 1], 'VALID'), True),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), 0.5),
    (lambda tf: tf.nn.dropout(x(tf, 4, 3), rate=0.3, seed=3), True),
    lambda tf: tf.nn.dropout(x(tf, None, 3), rate=0.3, seed=3, name='d'),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), keep_prob=tf.placeholder('float32')),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), keep_prob=1.0),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), keep_prob=2.0),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), rate=1.0),
    lambda tf: tf.nn.dropout(x(tf, 4, 3)),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), 0.5, rate=0.5),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), rate='a'),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), rate=tf.constant(1)),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), rate=tf.constant([.5])),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), 0.5, noise_shape=[None, 1]),
    lambda tf: tf.nn.dropout(x(tf, None, 3), 0.5, noise_shape=[None, 1]),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), 0.5, noise_shape=[3]),
    lambda tf: tf.nn.dropout(x(tf, 4, 3), 0.5, noise_shape=tf.constant([4, 1])),
    lambda tf: tf.nn.dropout(x(tf, 4, 3, dtype='float16'), 0.5),
    lambda tf: tf.nn.dropout([1., 2.], 0.5),
    lambda tf: tf.nn.dropout([1, 2], 0.5),
    (lambda tf: tf.nn.leaky_relu(x(tf, 4, 3) - 1), True),
    (lambda tf: tf.nn.leaky_relu([1, -2], name='a/b'), True),
    (lambda tf: tf.nn.leaky_relu([1., -2.], alpha=0.5), True),
    (lambda tf: tf.nn.crelu(x(tf, 4, 3)), True),
    lambda tf: tf.nn.crelu([1., 2.], name='c', axis=0),
    (lambda tf: tf.nn.swish(x(tf, 4, 3)), True),
    lambda tf: tf.nn.silu([1., 2.], 0.5),
    lambda tf: tf.nn.silu(x(tf, 4, dtype='float64')),
    (lambda tf: tf.gradients(tf.nn.swish(x(tf, 4, 3)),
                             [tf.get_default_graph().get_tensor_by_name('x:0')]), True),
    (lambda tf: tf.nn.relu_layer(x(tf, 4, 3), [[1.], [2.], [3.]], [1.]), True),
    (lambda tf: tf.nn.xw_plus_b([[1., 2.]], [[1.], [2.]], [1.], name='k'), True),
    lambda tf: tf.nn.relu6([1., 2.], name='a'),
    (lambda tf: tf.nn.bias_add(x(tf, 4, 3), [1., 2., 3.]), True),
    (lambda tf: tf.nn.bias_add(x(tf, 1, 3, 2), [1., 2., 3.], data_format='NCW'), True),
    lambda tf: tf.nn.bias_add(x(tf, 4, 3), [1., 2., 3.], data_format='QQ'),
    (lambda tf: tf.nn.l2_normalize(x(tf, 4, 3), 1), True),
    lambda tf: tf.nn.l2_normalize([1., 2.], name='k'),
    lambda tf: tf.nn.l2_normalize(x(tf, 4, 3), [0, 1], 1e-3),
    lambda tf: tf.nn.l2_normalize(x(tf, 4, 3), dim=0),
    lambda tf: tf.nn.l2_normalize(x(tf, 4, 3), 0, dim=0),
    lambda tf: tf.nn.l2_normalize(tf.placeholder('complex64', [2]), 0),
    lambda tf: tf.nn.top_k(x(tf, 4, 3), 2, False, name='t'),
    lambda tf: tf.math.top_k([1., 2.]),
    (lambda tf: tf.nn.in_top_k(x(tf, 4, 3), [1, 2, 0, 0], 1), True),
    lambda tf: tf.nn.in_top_k(x(tf, 4, 3), [1, 2, 0, 0], tf.placeholder('int32', []), name='q'),
]

LOSS = [
    (lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3)), True),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits(labels=x(tf, 4, 3)),
    (lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3), name='n'), True),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, None, 3), logits=tf.placeholder('float32')),
    (lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 2, 4, 3), logits=x(tf, 2, 4, 3), axis=1), True),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3), dim=0),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3), dim=0),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 4, 3, dtype='float16'), logits=x(tf, 4, 3, dtype='float16')),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 4, 3, dtype='float64'), logits=x(tf, 4, 3)),
    lambda tf: tf.nn.softmax_cross_entropy_with_logits_v2(labels=[[1., 0.]], logits=[[.2, .3]]),
    lambda tf: tf.gradients(tf.nn.softmax_cross_entropy_with_logits(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3)),
        [tf.get_default_graph().get_tensor_by_name(n) for n in ('x:0', 'x_1:0')]),
    (lambda tf: tf.gradients(tf.nn.softmax_cross_entropy_with_logits_v2(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3)),
        [tf.get_default_graph().get_tensor_by_name(n) for n in ('x:0', 'x_1:0')]), True),
    (lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=[0, 1, 2, 1], logits=x(tf, 4, 3)), True),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=x(tf, None, dtype='int64'), logits=x(tf, None, 3)),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=x(tf, 2, 4, dtype='int32'), logits=x(tf, 2, 4, 3), name='q'),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=x(tf, 4, 1, dtype='int32'), logits=x(tf, 4, 3)),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=x(tf, 3, dtype='int32'), logits=x(tf, 4, 3)),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=x(tf, 4, dtype='int32'), logits=x(tf, 4, 3, dtype='float16')),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=2.),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(labels=1, logits=[2., 3.]),
    (lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3)), True),
    lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(labels=x(tf, 3), logits=x(tf, 4, 3)),
    lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.], logits=[2.], name='u'),
    lambda tf: tf.nn.sigmoid_cross_entropy_with_logits(logits=[2.], name='u'),
    (lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        labels=x(tf, 4, 3), logits=x(tf, 4, 3), pos_weight=2.), True),
    lambda tf: tf.nn.weighted_cross_entropy_with_logits(x(tf, 4, 3), x(tf, 4), pos_weight=2.),
    lambda tf: tf.nn.weighted_cross_entropy_with_logits(
        targets=x(tf, 4, 3), logits=x(tf, 4, 3), pos_weight=tf.constant(2.), name='k'),
    (lambda tf: tf.nn.log_poisson_loss(x(tf, 4, 3), x(tf, 4, 3)), True),
    (lambda tf: tf.nn.log_poisson_loss(x(tf, 4, 3), x(tf, 4, 3), True, name='z'), True),
    lambda tf: tf.nn.log_poisson_loss(x(tf, 4, 3), x(tf, 4)),
]

NORM = [
    (lambda tf: tf.nn.moments(x(tf, 4, 3), [0]), True),
    lambda tf: tf.nn.moments(x(tf, 4, 3), [0, 1], keep_dims=True, name='m'),
    lambda tf: tf.nn.moments(x(tf, 4, 3), [0, 1], keep_dims=True, keepdims=True),
    lambda tf: tf.nn.moments(x(tf, 4, 3, dtype='float16'), [0], shift=1.),
    (lambda tf: tf.nn.weighted_moments(x(tf, 4, 3), [0], 2.), True),
    lambda tf: tf.nn.weighted_moments(x(tf, 4, 3, dtype='float16'), [0],
                                      x(tf, 4, 1, dtype='float16'), keep_dims=True, name='w'),
    (lambda tf: tf.nn.weighted_moments(x(tf, 4, 3), [0], x(tf, 4, 1)), True),
    (lambda tf: tf.nn.sufficient_statistics(x(tf, 4, 3), [0])[:3], True),
    (lambda tf: tf.nn.sufficient_statistics(
        x(tf, None, 3), [0], shift=x(tf, 3), keep_dims=True, name='s'), True),
    lambda tf: tf.nn.sufficient_statistics(tf.placeholder('float32'), [0]),
    lambda tf: tf.nn.sufficient_statistics(x(tf, None, 3), [-2, 1]),
    lambda tf: tf.nn.normalize_moments(tf.constant(3.), x(tf, 3), x(tf, 3), None),
    (lambda tf: tf.nn.normalize_moments(
        tf.constant(3.), x(tf, 3), x(tf, 3), x(tf, 3), name='q'), True),
    (lambda tf: tf.nn.batch_normalization(
        x(tf, 4, 3), x(tf, 3), x(tf, 3), x(tf, 3), x(tf, 3), 1e-3), True),
    lambda tf: tf.nn.batch_normalization(
        x(tf, 4, 3), x(tf, 3), x(tf, 3), None, None, 1e-3, name='b'),
    lambda tf: tf.nn.batch_normalization(x(tf, 4, 3), x(tf, 3), x(tf, 3), x(tf, 3), None, 1e-3),
    lambda tf: tf.nn.batch_normalization(
        x(tf, 4, 3, dtype='float16'), x(tf, 3), x(tf, 3), x(tf, 3), x(tf, 3), 1e-3),
    lambda tf: tf.nn.batch_norm_with_global_normalization(
        x(tf, 1, 2, 2, 3), x(tf, 3), x(tf, 3), x(tf, 3), x(tf, 3), 1e-3, True),
    lambda tf: tf.nn.batch_norm_with_global_normalization(
        x(tf, 1, 2, 2, 3), x(tf, 3), x(tf, 3), x(tf, 3), x(tf, 3), 1e-3, True, input=x(tf, 1)),
    lambda tf: tf.nn.fused_batch_norm(x(tf, 1, 2, 2, 3), [1.] * 3, [0.] * 3),
    lambda tf: tf.nn.fused_batch_norm(
        x(tf, 1, 2, 2, 3), [1.] * 3, [0.] * 3, is_training=False, mean=[0.] * 3,
        variance=[1.] * 3, name='f', epsilon=1e-8),
    lambda tf: tf.nn.fused_batch_norm(
        x(tf, 1, 2, 2, 3), [1.] * 3, [0.] * 3, is_training=False),
]

CONV = [
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), filters=f(tf, 3, 3, 3, 4), strides=2,
                            padding='VALID', data_format=None, name='c'),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), [2, 2],
                            [[0, 0], [1, 1], [2, 2], [0, 0]]),
    lambda tf: tf.nn.conv2d(x(tf, 1, 3, 8, 8), f(tf, 3, 3, 3, 4), 2, 'SAME', data_format='NCHW',
                            dilations=[1, 2]),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), [1, 1, 1], 'SAME'),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 1, 'QQ'),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 1, [[0, 0], [1, 1]]),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 1,
                            [[0, 0], [1, 1, 1], [1, 1], [0, 0]]),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 1, 'EXPLICIT'),
    lambda tf: tf.nn.conv2d(x(tf, 1, 8, 8, 3), filter=1, filters=1),
    lambda tf: tf.nn.conv2d(x(tf, 1, 2, 8, 8, 3), f(tf, 3, 3, 3, 4), 1, 'SAME'),
    lambda tf: tf.nn.conv2d(x(tf, None, 2, None, 8, 3), f(tf, 3, 3, 3, 4), 1, 'SAME', name='k'),
    lambda tf: tf.nn.conv1d(x(tf, 1, 8, 3), f(tf, 3, 3, 4), 1, 'SAME'),
    lambda tf: tf.nn.conv1d(x(tf, 1, 8, 3), f(tf, 3, 3, 4), [2], 'SAME', data_format='NWC',
                            name='q', dilations=2),
    lambda tf: tf.nn.conv1d(x(tf, 1, 3, 8), f(tf, 3, 3, 4), stride=2, padding='VALID',
                            data_format='NCW'),
    lambda tf: tf.nn.conv1d(x(tf, 1, 3, 8), f(tf, 3, 3, 4), stride=2, padding='VALID',
                            data_format='NCX'),
    lambda tf: tf.nn.conv1d(x(tf, 1, 8, 3), f(tf, 3, 3, 4), stride=[1, 2, 1], padding='VALID',
                            data_format='NHWC'),
    lambda tf: tf.nn.conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3],
                                      [1, 2, 2, 1]),
    lambda tf: tf.nn.conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4),
                                      tf.placeholder('int32', [4]), 2, 'VALID', name='t'),
    lambda tf: tf.nn.conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 3, 8, 8], 2,
                                      'VALID', data_format='NCHW'),
    lambda tf: tf.nn.conv2d_transpose(x(tf, 1, 4, 4, 4), None, [1, 8, 8, 3], 2),
    lambda tf: tf.nn.conv1d_transpose(x(tf, 1, 4, 4), f(tf, 3, 3, 4), [1, 8, 3], 2),
    lambda tf: tf.nn.conv1d_transpose(x(tf, 1, 4, 4), f(tf, 3, 3, 4), [1, 3, 8], [2],
                                      data_format='NCW', name='z'),
    lambda tf: tf.nn.conv_transpose(x(tf, 1, 4, 4), f(tf, 3, 3, 4),
                                    tf.placeholder('int32', [3]), 2),
    lambda tf: tf.nn.conv_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3], 2),
    lambda tf: tf.nn.atrous_conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3],
                                             2, 'SAME'),
    lambda tf: tf.nn.atrous_conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3],
                                             2, 'VALID', name='n'),
    lambda tf: tf.nn.atrous_conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3],
                                             1, 'SAME'),
    lambda tf: tf.nn.atrous_conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4), [1, 8, 8, 3],
                                             2, 'QQ'),
    lambda tf: tf.nn.atrous_conv2d_transpose(x(tf, 1, 4, 4, 4), f(tf, 3, 3, 3, 4),
                                             tf.placeholder('int32', [4]), 2, 'SAME'),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 'SAME'),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 'VALID', strides=[2, 2],
                                 name='v'),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 'SAME',
                                 dilation_rate=[2, 2]),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 'SAME', strides=[2, 2],
                                 dilation_rate=[2, 2]),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 3), f(tf, 3, 3, 4), 'VALID', dilation_rate=[2],
                                 data_format='NWC'),
    lambda tf: tf.nn.convolution(x(tf, 1, 3, 8), f(tf, 3, 3, 4), 'VALID', dilations=[2],
                                 data_format='NCW'),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 3), f(tf, 3, 3, 4), 'SAME', strides=[2]),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 'SAME', strides=[2]),
    lambda tf: tf.nn.convolution(tf.placeholder('float32'), tf.placeholder('float32'), 'SAME'),
    lambda tf: tf.nn.convolution(x(tf, None, None, None, 3), f(tf, 3, 3, 3, 4), 'SAME',
                                 dilation_rate=[2, 1]),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4),
                                 [[0, 0], [1, 1], [1, 1], [0, 0]], dilation_rate=2),
    lambda tf: tf.nn.convolution(x(tf, 1, 8, 8, 8, 3), f(tf, 3, 3, 3, 3, 4), 'SAME',
                                 strides=[2, 2, 2]),
    lambda tf: tf.nn.convolution([[[[1.]]]], [[[[1.]]]], 'SAME', name='n'),
    lambda tf: tf.nn.atrous_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 2, 'SAME'),
    lambda tf: tf.nn.atrous_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 4), 0, 'VALID', name='a'),
    lambda tf: tf.nn.with_space_to_batch(x(tf, 1, 8, 8, 3), [2, 2], 'VALID',
                                         lambda t, n, p: tf.identity(t), spatial_dims=[2, 3]),
    lambda tf: tf.nn.with_space_to_batch(x(tf, 1, 8, 8, 3), [2, 2], 'VALID',
                                         lambda t, n, p: tf.identity(t), spatial_dims=[3, 2]),
    lambda tf: tf.nn.with_space_to_batch(x(tf, 1, 8, 8, 3), [1, 1], 'VALID',
                                         lambda t, n, p: tf.identity(t)),
    lambda tf: tf.nn.with_space_to_batch(x(tf, 1, 8, 8, 3), [2, 2], 'SAME',
                                         lambda t, n, p: tf.identity(t)),
    lambda tf: tf.nn.with_space_to_batch(x(tf, 1, 8, 8, 3), tf.placeholder('int32', [2]),
                                         'VALID', lambda t, n, p: tf.identity(t)),
    lambda tf: tf.nn.depthwise_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), [1, 1, 1, 1],
                                      'SAME'),
    lambda tf: tf.nn.depthwise_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), [1, 1, 1, 1],
                                      'SAME', rate=[2, 2], name='d'),
    lambda tf: tf.nn.depthwise_conv2d(x(tf, 1, 3, 8, 8), f(tf, 3, 3, 3, 2), [1, 1, 2, 2],
                                      'VALID', dilations=[1, 1], data_format='NCHW'),
    lambda tf: tf.nn.depthwise_conv2d_native(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), [1, 1, 1, 1],
                                             [[0, 0], [1, 1], [1, 1], [0, 0]], name='k'),
    lambda tf: tf.nn.separable_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), f(tf, 1, 1, 6, 5),
                                      [1, 1, 1, 1], 'SAME'),
    lambda tf: tf.nn.separable_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), f(tf, 1, 1, 6, 5),
                                      [1, 1, 1, 1], 'SAME', rate=[2, 2], name='s'),
    lambda tf: tf.nn.separable_conv2d(x(tf, 1, 8, 8, 3), f(tf, 3, 3, 3, 2), f(tf, 2, 1, 6, 5),
                                      [1, 1, 1, 1], 'SAME'),
    lambda tf: tf.nn.conv2d_backprop_input([1, 8, 8, 3], f(tf, 3, 3, 3, 4), x(tf, 1, 4, 4, 4),
                                           [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.conv2d_backprop_filter(x(tf, 1, 8, 8, 3), [3, 3, 3, 4], x(tf, 1, 4, 4, 4),
                                            [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.depthwise_conv2d_backprop_input(
        [1, 8, 8, 3], f(tf, 3, 3, 3, 2), x(tf, 1, 4, 4, 6), [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.conv3d(x(tf, 1, 4, 8, 8, 3), f(tf, 1, 3, 3, 3, 4), [1, 2, 2, 2, 1], 'SAME'),
]

POOL = [
    lambda tf: tf.nn.max_pool(x(tf, 1, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.max_pool(x(tf, 1, 8, 8, 3), 2, 2, 'VALID', name='p'),
    lambda tf: tf.nn.max_pool(x(tf, 1, 3, 8, 8), [2, 3], [2], 'VALID', data_format='NCHW'),
    lambda tf: tf.nn.max_pool(x(tf, 1, 8, 8, 3), [1, 2, 2], 2, 'SAME'),
    lambda tf: tf.nn.max_pool(x(tf, 1, 8, 8, 3), 0, 2, 'SAME'),
    lambda tf: tf.nn.max_pool(x(tf, 1), 0, 2, 'SAME', input=x(tf, 1)),
    lambda tf: tf.nn.max_pool([[[[1.]]]], 1, 1, 'SAME'),
    lambda tf: tf.nn.max_pool2d(x(tf, 1, 8, 8, 3), 2, 2, 'VALID'),
    lambda tf: tf.nn.max_pool1d(x(tf, 1, 8, 3), 2, 2, 'VALID'),
    lambda tf: tf.nn.max_pool1d(x(tf, 1, 3, 8), 2, 2, 'VALID', data_format='NCW', name='z'),
    lambda tf: tf.nn.avg_pool1d(x(tf, 1, 8, 3), 2, 2, 'SAME'),
    lambda tf: tf.nn.avg_pool(x(tf, 1, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.avg_pool2d(x(tf, 1, 3, 8, 8), [2, 3], [2], 'VALID', data_format='NCHW'),
    lambda tf: tf.nn.avg_pool_v2(x(tf, 1, 8, 8, 3), 2, 2, 'VALID'),
    lambda tf: tf.nn.avg_pool_v2(x(tf, 1, 8, 3), 2, 2, 'VALID'),
    lambda tf: tf.nn.max_pool_v2(x(tf, 1, 8, 8, 3), 2, 2, 'VALID', data_format='NHWC', name='w'),
    lambda tf: tf.nn.max_pool_v2(x(tf, 1, 8), 2, 2, 'VALID'),
    lambda tf: tf.nn.max_pool3d(x(tf, 1, 4, 8, 8, 3), [1, 2, 2, 2, 1], 2, 'SAME', name='m'),
    lambda tf: tf.nn.avg_pool3d(x(tf, 1, 4, 8, 8, 3), 2, 2, 'SAME'),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 8, 3), [2, 2], 'MAX', 'SAME'),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 8, 3), [2, 2], 'AVG', 'VALID', strides=[2, 2], name='pp'),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 8, 3), [2, 2], 'AVG', 'VALID', dilation_rate=[2, 2]),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 8, 3), [2, 2], 'XX', 'VALID'),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 3), [2], 'MAX', 'VALID'),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 3), [2], 'MAX', 'VALID', strides=[2], dilation_rate=[2]),
    lambda tf: tf.nn.pool(x(tf, 1, 8, 8, 3), [2], 'MAX', 'VALID'),
    lambda tf: tf.nn.max_pool_with_argmax(x(tf, 1, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME'),
    lambda tf: tf.nn.max_pool_with_argmax(x(tf, 1, 8, 8, 3), [1, 2, 2, 1], [1, 2, 2, 1], 'SAME',
                                          Targmax='int32', data_format='NCHW'),
]

RANDOM = [
    (lambda tf: tf.random_uniform([2, 3], seed=5), True),
    (lambda tf: tf.random_uniform([2, 3], 1., 2., seed=4, name='u'), True),
    (lambda tf: tf.random_uniform([2, 3], maxval=5, dtype='int32', seed=1), True),
    (lambda tf: tf.random_uniform([2, 3], 2, 50, dtype=tf.int64, seed=1), True),
    lambda tf: tf.random_uniform([2, 3], dtype=tf.int32),
    lambda tf: tf.random_uniform([2, 3], dtype=tf.complex64),
    lambda tf: tf.random_uniform([2, 3], tf.placeholder('float32', []), 1.),
    (lambda tf: tf.random_uniform([2, 3], dtype=tf.float64, maxval=2, seed=2), True),
    lambda tf: tf.random_uniform([2, 3], minval=0., maxval=None, dtype='float16'),
    lambda tf: tf.random_uniform(tf.placeholder('int32', [2])),
    lambda tf: tf.random_uniform((2, tf.placeholder('int32', [])), minval=-1),
    lambda tf: tf.random_uniform(tf.TensorShape([2, 3]), minval=-1),
    lambda tf: tf.random_uniform([], minval=-1),
    (lambda tf: (tf.set_random_seed(7), tf.random_uniform([2]), tf.random_uniform([2]),
                 tf.random_uniform([2], seed=3), tf.random_normal([2]))[1:], True),
    (lambda tf: tf.random_normal([2, 3], 1., 2., seed=4, name='u', dtype=tf.float64), True),
    lambda tf: tf.random_normal([2], mean=tf.placeholder('float32', [3, 1])),
    (lambda tf: tf.truncated_normal([2, 3], stddev=0.1, name='t', seed=9), True),
    (lambda tf: tf.random_shuffle([1, 2, 3], seed=5, name='s'), True),
    lambda tf: tf.random.shuffle(x(tf, 2, 2)),
    lambda tf: tf.random_crop(x(tf, 4, 4), [2, 2], seed=3),
    (lambda tf: tf.multinomial([[1., 2.]], 5, seed=3), True),
    lambda tf: tf.multinomial(x(tf, 2, 3), 5, seed=3, name='m', output_dtype='int32'),
    lambda tf: tf.random.categorical(x(tf, 2, 3), 5, dtype=tf.int32),
    lambda tf: tf.random_gamma([3], x(tf, 2)),
    lambda tf: tf.random_gamma([3], [.5, 1.], beta=2., seed=3, name='g'),
    lambda tf: tf.random_poisson([1., 2.], [3], seed=2),
    lambda tf: tf.constant(str([
        tf.get_seed(None), tf.get_seed(3), tf.set_random_seed(5), tf.get_seed(None),
        tf.get_seed(None), tf.get_seed(3), tf.set_random_seed(0), tf.get_seed(0),
        tf.set_random_seed(2**33), tf.get_seed(2**40), tf.set_random_seed(-3), tf.get_seed(-3),
        tf.get_seed(None)])),
]


def slices(tf):
    return tf.IndexedSlices(x(tf, 2, 3), tf.constant([0, 1]))


CLIP = [
    (lambda tf: tf.clip_by_value(x(tf, 2, 3), 0., 1.), True),
    lambda tf: tf.clip_by_value(x(tf, 2, 3), tf.constant(0.), 1., name='c'),
    lambda tf: tf.clip_by_value([1, 2], [1, 1, 1], [3]),
    lambda tf: tf.clip_by_value(x(tf, 2, 1), tf.zeros([2, 3]), 1.),
    lambda tf: tf.clip_by_value(slices(tf), 0., 1.).values,
    (lambda tf: tf.clip_by_norm(x(tf, 2, 3), 1.), True),
    lambda tf: tf.clip_by_norm(x(tf, 2, 3), 1., axes=[1], name='n'),
    lambda tf: tf.clip_by_norm(slices(tf), 1.).values,
    (lambda tf: tf.clip_by_average_norm(x(tf, 2, 3), 1.), True),
    lambda tf: tf.global_norm([x(tf, 2, 3), None, slices(tf)]),
    lambda tf: tf.global_norm([None, None]),
    (lambda tf: tf.clip_by_global_norm([x(tf, 2, 3), None, tf.ones([3])], .5), True),
    lambda tf: tf.clip_by_global_norm([x(tf, 2, 3), slices(tf)], 5.)[1],
    lambda tf: tf.clip_by_global_norm([x(tf, 2, 3)], 5., use_norm=tf.constant(3.), name='q'),
    lambda tf: tf.clip_by_global_norm([None], 5.),
]

EMBEDDING = [
    (lambda tf: tf.nn.embedding_lookup(x(tf, 10, 4), [1, 2]), True),
    (lambda tf: tf.nn.embedding_lookup(x(tf, 10, 4), [[1, 2], [3, 4]], max_norm=1., name='e'),
     True),
    lambda tf: tf.nn.embedding_lookup([x(tf, 10, 4)], [1, 2]),
    (lambda tf: tf.nn.embedding_lookup([x(tf, 5, 4), x(tf, 5, 4)], [1, 2]), True),
    (lambda tf: tf.nn.embedding_lookup([x(tf, 5, 4), x(tf, 5, 4)], [1, 2], max_norm=2.,
                                       partition_strategy='div'), True),
    lambda tf: tf.nn.embedding_lookup([x(tf, None, 4), x(tf, None, 4)], [1, 2],
                                      partition_strategy='div'),
    lambda tf: tf.nn.embedding_lookup([x(tf, 5, 4), x(tf, 5, 4)], [1], partition_strategy='xx'),
    lambda tf: tf.nn.embedding_lookup([], [1, 2]),
    lambda tf: tf.nn.embedding_lookup(None, [1, 2]),
    lambda tf: tf.nn.embedding_lookup([[1.], [2.]], [1, 0]),
    (lambda tf: tf.nn.embedding_lookup(tf.Variable([[1.], [2.]]), [1, 0]), True),
    (lambda tf: tf.nn.embedding_lookup(tf.Variable([[1.], [2.]], use_resource=True), [1, 0]),
     True),
    lambda tf: tf.nn.embedding_lookup([x(tf, 5, 4), x(tf, 5, 4)], x(tf, None, dtype='int64'),
                                      max_norm=2.),
    lambda tf: tf.nn.embedding_lookup_sparse(
        x(tf, 10, 4), tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]), None),
    lambda tf: tf.nn.embedding_lookup_sparse(
        x(tf, 10, 4), tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]), None, combiner='sqrtn'),
    lambda tf: tf.nn.embedding_lookup_sparse(
        x(tf, 10, 4), tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]), None, combiner='sum'),
    lambda tf: tf.nn.embedding_lookup_sparse(
        x(tf, 10, 4), tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]), None, combiner='x'),
    lambda tf: tf.nn.embedding_lookup_sparse(x(tf, 10, 4), 3, None),
    lambda tf: tf.nn.embedding_lookup_sparse(
        x(tf, 10, 4), tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]),
        tf.SparseTensor([[0, 0], [1, 0]], [1., 2.], [2, 1]), combiner='mean'),
    lambda tf: tf.nn.embedding_lookup_sparse(
        [x(tf, 5, 4), x(tf, 5, 4)], tf.SparseTensor([[0, 0], [1, 0]], [1, 2], [2, 1]),
        tf.SparseTensor([[0, 0], [1, 0]], [1., 2.], [2, 1]), combiner='sqrtn', name='k'),
]

LOSSES = [
    (lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 3) + 1), True),
    (lambda tf: tf.losses.mean_squared_error(
        x(tf, 4, 3), x(tf, 4, 3) + 1, weights=x(tf, 4, 1), scope='s',
        reduction='weighted_mean'), True),
    (lambda tf: tf.losses.mean_squared_error(
        x(tf, 4, 3), x(tf, 4, 3) + 1, weights=x(tf, 4, 3), reduction='none',
        loss_collection=None), True),
    lambda tf: tf.losses.mean_squared_error(
        x(tf, 4, 3), x(tf, 4, 3), weights=2, reduction='weighted_sum'),
    (lambda tf: tf.losses.mean_squared_error(
        x(tf, 4, 3), x(tf, 4, 3) + 1, weights=[[1.], [0.], [2.], [0.]]), True),
    lambda tf: tf.losses.mean_squared_error(
        x(tf, 4, 3), x(tf, 4, 3), reduction=tf.losses.Reduction.SUM_OVER_BATCH_SIZE),
    lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 3), reduction='x'),
    lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 3), weights=x(tf, 3)),
    lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 3), weights=x(tf, 2, 3)),
    lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 2)),
    lambda tf: tf.losses.mean_squared_error(None, x(tf, 4, 2)),
    lambda tf: tf.losses.mean_squared_error(x(tf, 4, 3), x(tf, 4, 3), weights=None),
    lambda tf: tf.losses.mean_squared_error([1, 2], [3., 4.]),
    lambda tf: tf.losses.mean_squared_error(x(tf, None, 3), x(tf, None, 3)),
    lambda tf: tf.losses.compute_weighted_loss(x(tf, 4, 3)),
    lambda tf: tf.losses.compute_weighted_loss(x(tf, 3, dtype='int32'), 1.),
    lambda tf: tf.losses.compute_weighted_loss(x(tf, 3, dtype='float16'), tf.constant([1, 2, 3])),
    lambda tf: tf.losses.absolute_difference(x(tf, 4, 3), x(tf, 4, 3)),
    (lambda tf: tf.losses.cosine_distance(x(tf, 4, 3), x(tf, 4, 3), axis=1), True),
    lambda tf: tf.losses.cosine_distance(x(tf, 4, 3), x(tf, 4, 3)),
    lambda tf: tf.losses.cosine_distance(x(tf, 4, 3), x(tf, 4, 3), dim=1),
    (lambda tf: tf.losses.hinge_loss(x(tf, 4, 3), x(tf, 4, 3)), True),
    (lambda tf: tf.losses.huber_loss(x(tf, 4, 3), 3 * x(tf, 4, 3), delta=2.), True),
    (lambda tf: tf.losses.log_loss(x(tf, 4, 3), x(tf, 4, 3) / 2), True),
    (lambda tf: tf.losses.mean_pairwise_squared_error(x(tf, 4, 3), 2 * x(tf, 4, 3)), True),
    lambda tf: tf.losses.mean_pairwise_squared_error(
        x(tf, 4, 3), x(tf, 4, 3), weights=x(tf, 4, 1), scope='s'),
    (lambda tf: tf.losses.sigmoid_cross_entropy(x(tf, 4, 3), x(tf, 4, 3)), True),
    lambda tf: tf.losses.sigmoid_cross_entropy(x(tf, 4, 3), x(tf, 4, 3), label_smoothing=.1),
    (lambda tf: tf.losses.softmax_cross_entropy(x(tf, 4, 3), x(tf, 4, 3)), True),
    lambda tf: tf.losses.softmax_cross_entropy(x(tf, 4, 3), x(tf, 4, 3), weights=x(tf, 4, 1)),
    (lambda tf: tf.losses.softmax_cross_entropy(
        x(tf, 4, 3), x(tf, 4, 3), label_smoothing=.1, weights=x(tf, 4)), True),
    lambda tf: tf.losses.softmax_cross_entropy(x(tf, 4), x(tf, 4, 3)),
    lambda tf: tf.losses.softmax_cross_entropy(None, x(tf, 4, 3)),
    (lambda tf: tf.losses.sparse_softmax_cross_entropy([1, 2, 0, 1], x(tf, 4, 3)), True),
    lambda tf: tf.losses.sparse_softmax_cross_entropy(
        x(tf, 4, 1, dtype='int32'), x(tf, 4, 3), weights=x(tf, 4, 1)),
    lambda tf: tf.losses.sparse_softmax_cross_entropy(
        x(tf, 4, dtype='int64'), x(tf, 4, 3), weights=x(tf, 4), scope='s'),
    lambda tf: (tf.losses.absolute_difference(x(tf, 4, 3), x(tf, 4, 3)), tf.losses.get_losses(),
                tf.losses.get_losses('qq'), tf.losses.get_total_loss()),
    lambda tf: tf.losses.get_total_loss(),
    lambda tf: (tf.losses.get_regularization_loss(), tf.losses.get_regularization_losses()),
    lambda tf: (tf.add_to_collection('regularization_losses', tf.constant(1.)),
                tf.losses.add_loss(tf.constant(3.)), tf.losses.get_regularization_loss(),
                tf.losses.get_total_loss(), tf.losses.get_total_loss(False, name='q')),
]

# If static shapes are not sufficient, a run-time check with conditionals is built.
CONDITIONAL = [
    lambda tf: tf.losses.compute_weighted_loss(x(tf, None), x(tf, None)),
    lambda tf: tf.losses.compute_weighted_loss(tf.placeholder('float32'), 1.),
    lambda tf: tf.losses.compute_weighted_loss(tf.placeholder('float32'), x(tf, 3)),
    lambda tf: tf.losses.sparse_softmax_cross_entropy(tf.placeholder('int32'), x(tf, 4, 3)),
    lambda tf: tf.losses.sparse_softmax_cross_entropy(
        tf.placeholder('int32'), tf.placeholder('float32'), tf.placeholder('float32')),
    lambda tf: tf.losses.sparse_softmax_cross_entropy(
        x(tf, 4, dtype='int32'), x(tf, 4, 3), tf.placeholder('float32')),
    lambda tf: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=tf.placeholder('int32'), logits=tf.placeholder('float32')),
    lambda tf: tf.nn.zero_fraction(x(tf, 4, 3)),
    lambda tf: tf.nn.zero_fraction(tf.placeholder('float32'), name='z'),
]


class Part:
    full_shape = [8, 3]
    var_offset = [4, 0]


INIT = [
    lambda tf: tf.initializers.identity()([2, 3, 3]),
    lambda tf: tf.constant_initializer('a')([2]),
    lambda tf: tf.constant_initializer(object())([2]),
    lambda tf: tf.constant_initializer([1, 2, 3])([2, 2]),
    lambda tf: tf.constant_initializer([1, 2, 3, 4, 5])([2, 2]),
    lambda tf: tf.constant_initializer([1, 2, 3, 4], verify_shape=True)([2, 2]),
    lambda tf: tf.constant_initializer([1, 2, 3, 4])([2, 2], verify_shape=True),
    lambda tf: tf.constant_initializer([1, 2, 3, 4], dtype='int64')([2, 2]),
    lambda tf: tf.random_normal_initializer(dtype='int32'),
    lambda tf: tf.variance_scaling_initializer(dtype='string'),
    lambda tf: tf.variance_scaling_initializer(scale=-1),
    lambda tf: tf.variance_scaling_initializer(mode='x'),
    lambda tf: tf.variance_scaling_initializer(distribution='x'),
    (lambda tf: tf.variance_scaling_initializer(seed=2)([3, 4, 5]), True),
    lambda tf: tf.variance_scaling_initializer(
        2., 'fan_out', 'uniform', dtype='float64')([4, 3], partition_info=Part),
    lambda tf: tf.variance_scaling_initializer(2., 'fan_avg', 'untruncated_normal')([4]),
    lambda tf: tf.variance_scaling_initializer(distribution='normal')([]),
    (lambda tf: tf.uniform_unit_scaling_initializer(seed=2)([3, 4, 5]), True),
    lambda tf: tf.uniform_unit_scaling_initializer(2., dtype='float64')([]),
    (lambda tf: tf.glorot_uniform_initializer(seed=1)([3, 4]), True),
    (lambda tf: tf.glorot_normal_initializer(seed=1)([3, 4], tf.float64), True),
    (lambda tf: tf.initializers.he_normal(seed=1)([3, 4]), True),
    (lambda tf: tf.initializers.he_uniform(seed=1)([3, 4]), True),
    (lambda tf: tf.initializers.lecun_normal(seed=1)([3, 4]), True),
    (lambda tf: tf.initializers.lecun_uniform(seed=1)([3, 4]), True),
    lambda tf: tf.constant(str([
        i.get_config() for i in (
            tf.zeros_initializer(), tf.constant_initializer(3.), tf.ones_initializer('int32'),
            tf.random_uniform_initializer(seed=3), tf.glorot_uniform_initializer(seed=3),
            tf.truncated_normal_initializer(), tf.uniform_unit_scaling_initializer(),
            tf.initializers.he_normal(), tf.initializers.identity(2.))])),
    lambda tf: tf.constant(
        tf.glorot_normal_initializer.from_config({'seed': 3, 'dtype': 'float64'}).seed),
    lambda tf: (tf.zeros_initializer()([2, 3]), tf.zeros_initializer()([2, 3], tf.int32),
                tf.ones_initializer()([2, 3]), tf.ones_initializer(dtype='float64')([200, 30]),
                tf.zeros_initializer()([]), tf.ones_initializer()(tf.placeholder('int32', [2]))),
    lambda tf: tf.random_uniform_initializer()([2]),
    lambda tf: tf.random_uniform_initializer(dtype='int32')([2]),
    (lambda tf: tf.random_uniform_initializer(1, 9, dtype='int32', seed=1)([2]), True),
    lambda tf: tf.random_normal_initializer(1., .5, 3)(tf.TensorShape([2, 3])),
    lambda tf: tf.truncated_normal_initializer(stddev=.1)([2, 3], tf.float16),
    lambda tf: tf.get_variable('v', [3, 4]),
    lambda tf: tf.get_variable('v', [3, 4], initializer=tf.initializers.he_normal()),
    lambda tf: tf.get_variable('v', initializer=tf.constant_initializer([1, 2]), shape=[2],
                               dtype=tf.int32),
]

def scores(tf):
    return tf.constant([[0.1], [0.4], [0.35], [0.8], [0.65]])


def flags(tf):
    return tf.constant([[0], [0], [1], [1], [0]])


METRICS = [
    (lambda tf: tf.metrics.mean(x(tf, 4))[1], True),
    (lambda tf: tf.metrics.mean(x(tf, 4), weights=x(tf, 4), name='m', metrics_collections=['a'],
                                updates_collections=['b'])[1], True),
    (lambda tf: tf.metrics.mean(x(tf, 4, 3), weights=x(tf, 4))[1], True),
    (lambda tf: tf.metrics.mean(x(tf, 4), weights=x(tf, 4, 1))[1], True),
    lambda tf: tf.metrics.mean(x(tf, 4), weights=x(tf, 3)),
    (lambda tf: tf.metrics.mean_tensor(x(tf, 4))[1], True),
    (lambda tf: tf.metrics.mean_tensor(x(tf, 4, 2), weights=x(tf, 4, 1))[1], True),
    (lambda tf: tf.metrics.accuracy(x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.accuracy(x(tf, 4, dtype='int64'), x(tf, 4, 1), weights=x(tf, 4))[1],
     True),
    lambda tf: tf.metrics.accuracy(x(tf, 4), x(tf, 3)),
    (lambda tf: tf.metrics.mean_squared_error(x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.root_mean_squared_error(x(tf, 4), x(tf, 4), metrics_collections='q')[1],
     True),
    (lambda tf: tf.metrics.mean_absolute_error(x(tf, 4), x(tf, 4), name='e')[1], True),
    (lambda tf: tf.metrics.mean_relative_error(x(tf, 4), x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.mean_cosine_distance(x(tf, 4, 3), x(tf, 4, 3), 1)[1], True),
    (lambda tf: tf.metrics.percentage_below(x(tf, 4), .5)[1], True),
    (lambda tf: tf.metrics.true_positives(x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.true_negatives(x(tf, 4), x(tf, 4), name='n')[1], True),
    (lambda tf: tf.metrics.false_positives(x(tf, 4), x(tf, 4), weights=2.)[1], True),
    (lambda tf: tf.metrics.false_negatives(x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.precision(x(tf, 4), x(tf, 4))[1], True),
    (lambda tf: tf.metrics.recall(x(tf, 4), x(tf, 4), weights=x(tf, 4))[1], True),
    *((lambda tf, o=o: list(tf.metrics.auc(flags(tf), scores(tf), num_thresholds=7, **o))[1], True) for o in (
        {}, {'curve': 'PR'}, {'curve': 'PR', 'summation_method': 'careful_interpolation', 'name': 'q'},
        {'summation_method': 'minoring'}, {'summation_method': 'majoring', 'thresholds': [0.7, 0.3]},
        {'weights': [[1.], [2.], [3.], [4.], [5.]], 'metrics_collections': 'm', 'updates_collections': 'u'})),
    lambda tf: tf.metrics.auc(flags(tf), scores(tf), curve='XY'),
    lambda tf: tf.metrics.auc(flags(tf), scores(tf), summation_method='x'),
    *((lambda tf, n=n, w=w: getattr(tf.metrics, n + '_at_thresholds')(
        flags(tf), scores(tf), [0.25, 0.5], weights=w)[1], True)
      for n in ('precision', 'recall', 'true_positives', 'true_negatives', 'false_positives', 'false_negatives')
      for w in (None, 2.)),
    lambda tf: tf.metrics.precision_at_thresholds(x(tf, None, None), x(tf, None, None), [0.5]),
    (lambda tf: tf.metrics.sensitivity_at_specificity(flags(tf), scores(tf), 0.5, num_thresholds=9)[1], True),
    (lambda tf: tf.metrics.specificity_at_sensitivity(flags(tf), scores(tf), 0.5, num_thresholds=9)[1], True),
    lambda tf: tf.metrics.sensitivity_at_specificity(flags(tf), scores(tf), 1.5),
    lambda tf: tf.metrics.specificity_at_sensitivity(flags(tf), scores(tf), -1.5),
    *((lambda tf, n=n, w=w: getattr(tf.metrics, n)(
        tf.constant([[0, 1], [2, 2]]), tf.constant([[0, 2], [2, 1]]), 4, weights=w and tf.constant(w))[1], True)
      for n in ('mean_iou', 'mean_per_class_accuracy') for w in (None, [[1., 2.], [3., 4.]])),
]


def two(tf, **kwargs):
    a = x(tf, 3)
    ys = [tf.multiply(a, 2., name='y'), tf.multiply(a, 3., name='z')]
    return tf.gradients(ys, [a], **kwargs)


def sparse(tf, **kwargs):
    v = tf.Variable([1., 2.], **kwargs)
    g = tf.gradients(tf.gather(v, [0]), [v])[0]
    return g.values, g.indices, g.dense_shape


GRADIENTS = [
    lambda tf: two(tf, aggregation_method=2),
    (lambda tf: two(tf, aggregation_method=tf.AggregationMethod.EXPERIMENTAL_TREE), True),
    lambda tf: two(tf, grad_ys=[tf.ones([3])]),
    (lambda tf: two(tf, grad_ys=[[1., 2., 3.], None], name='q'), True),
    lambda tf: two(tf, unconnected_gradients='xx'),
    lambda tf: two(tf, unconnected_gradients=tf.UnconnectedGradients.ZERO),
    lambda tf: two(tf, colocate_gradients_with_ops=True, gate_gradients=True),
    lambda tf: tf.gradients(x(tf, 3), x(tf, 3)),
    lambda tf: tf.gradients(x(tf, 3), [x(tf, 3)], unconnected_gradients='zero'),
    lambda tf: tf.gradients([], [x(tf, 3)]),
    lambda tf: tf.gradients(3., [x(tf, 3)]),
    lambda tf: tf.gradients(tf.placeholder('complex64', []), [x(tf, 3)]),
    (lambda tf: (lambda v: tf.gradients(v * 2., [v]))(tf.Variable([1., 2.])), True),
    lambda tf: (lambda v: tf.gradients(v * 2., v))(tf.Variable([1., 2.], use_resource=True)),
    (lambda tf: sparse(tf), True),
    lambda tf: sparse(tf, use_resource=True),
    (lambda tf: (lambda a: (lambda b: tf.gradients(b * a, a, stop_gradients=b))(a * a))(
        x(tf, 3)), True),
    (lambda tf: (lambda a: (lambda b: tf.gradients(b * a, a, stop_gradients=[b]))(a * a))(
        x(tf, 3)), True),
]

SCRIPT = [
    (lambda tf: tf.py_func(np.sin, [x(tf, 2)], tf.float32), True),
    (lambda tf: tf.py_func(lambda a, b: (a, b), [x(tf, 2), 3], ['float32', 'int32'],
                           stateful=False, name='pf'), True),
    (lambda tf: tf.py_func(lambda a: a.T, [x(tf, 2, 3)], tf.float32), True),
    (lambda tf: tf.py_func(lambda: [b'a', [1, 2], True], [], ['string', 'int64', 'bool'])[1:],
     True),
    lambda tf: tf.py_func(lambda: None, [], []).name,
    (lambda tf: tf.numpy_function(np.sin, [x(tf, 2)], [tf.float32]), True),
    lambda tf: tf.py_func(3, [], []),
]

def own_gradient(tf, count=1):
    @tf.custom_gradient
    def double(a, b):
        def grad(*upstream):
            return upstream[0] * 2., upstream[-1] * b

        return (a * b, a * 2.)[:count] if count > 1 else a * b, grad

    a, b = x(tf, 3), x(tf, 3)
    y = double(a, b)
    return tf.gradients(y, [a, b])


def own_gradient_of_variable(tf, use_resource):
    @tf.custom_gradient
    def scaled(a):
        v = tf.get_variable('v', [3], use_resource=use_resource)

        def grad(upstream, variables=None):
            return upstream, [upstream * 2. for _ in variables]

        return a * v, grad

    a = x(tf, 3)
    y = scaled(a)
    return y, tf.gradients(y, [a, tf.global_variables()[0]])


CUSTOM = [
    (lambda tf: own_gradient(tf), True),
    (lambda tf: own_gradient(tf, 2), True),
    lambda tf: own_gradient_of_variable(tf, True),
    lambda tf: own_gradient_of_variable(tf, False),
    lambda tf: tf.custom_gradient(lambda a, k=3: (a, None))(x(tf, 3), k=4),
    lambda tf: tf.grad_pass_through(lambda a: a * 3.)(x(tf, 3)),
    (lambda tf: (lambda a: tf.gradients(tf.grad_pass_through(lambda b: b * 3.)(a), a))(x(tf, 3)),
     True),
]


def labels(tf, *shape):
    return tf.constant(np.arange(int(np.prod(shape))).reshape(shape) % 7, tf.int64)


def sampler(tf, name, *args, **options):
    return list(getattr(tf.nn, name + '_candidate_sampler')(labels(tf, 3, 2), 2, 4, *args, seed=3, **options))


def sampled_loss(tf, name, num_true=1, parts=None, dtype='float32', **options):
    """Calls a sampled loss with 7 classes of 4 numbers each."""
    rows = [tf.constant(np.arange(4 * n).reshape(n, 4) / 20, dtype) for n in parts or [7]]
    biases = tf.constant(np.arange(7) / 10, dtype)
    weights = rows if parts else rows[0]
    inputs = tf.constant(np.arange(12).reshape(3, 4) / 10, dtype)
    return getattr(tf.nn, name)(weights, biases, labels(tf, 3, num_true), inputs, 5, 7, num_true, **options)


def seeded(call):
    def run(tf):
        tf.set_random_seed(11)
        return call(tf)
    return run


SAMPLED = [
    *((lambda tf, n=n: sampler(tf, n, True, 9), True) for n in ('uniform', 'log_uniform', 'learned_unigram')),
    (lambda tf: list(tf.nn.all_candidate_sampler(labels(tf, 3, 2), 2, 7, True, seed=3)), True),
    (lambda tf: sampler(tf, 'fixed_unigram', False, 8, unigrams=[1., 2., 3., 4., 1., 2., 3., 4.], name='q'), True),
    (lambda tf: sampler(tf, 'fixed_unigram', True, 8, distortion=0.5, num_reserved_ids=2,
                        unigrams=[1., 2., 3., 4., 1., 2.]), True),
    lambda tf: tf.nn.uniform_candidate_sampler(x(tf, 2, dtype='int64'), 1, 2, True, 8),
    lambda tf: tf.nn.uniform_candidate_sampler(x(tf, None, 2, dtype='int64'), 2, 2, True, 8)[1],
    (seeded(lambda tf: list(tf.random.log_uniform_candidate_sampler(labels(tf, 3, 1), 1, 4, True, 9))), True),
    (lambda tf: list(tf.nn.compute_accidental_hits(labels(tf, 3, 2), tf.constant([4, 9, 1], tf.int64), 2)), True),
    *((seeded(lambda tf, n=n, k=k: sampled_loss(tf, n, k)), True)
      for n in ('nce_loss', 'sampled_softmax_loss') for k in (1, 2)),
    (seeded(lambda tf: sampled_loss(tf, 'nce_loss', remove_accidental_hits=True, name='q')), True),
    (seeded(lambda tf: sampled_loss(tf, 'sampled_softmax_loss', remove_accidental_hits=False)), True),
    (lambda tf: sampled_loss(tf, 'sampled_softmax_loss', seed=4), True),
    (seeded(lambda tf: sampled_loss(tf, 'sampled_softmax_loss', parts=[3, 4], partition_strategy='div')), False),
    (seeded(lambda tf: sampled_loss(tf, 'nce_loss', dtype='float64')), False),
    (lambda tf: sampled_loss(tf, 'nce_loss', sampled_values=tf.nn.all_candidate_sampler(
        labels(tf, 3, 1), 1, 5, True)), False),
    (seeded(lambda tf: tf.random_gamma([3], [0.5, 2.], [[1.], [3.]])), True),
    (lambda tf: tf.random_gamma([3], [0.5, 2.], dtype=tf.float64, seed=5, name='q'), True),
    (seeded(lambda tf: (lambda a: tf.gradients(tf.random_gamma([3], a), a))(tf.constant([0.5, 2.]))), True),
    (lambda tf: (lambda a: tf.gradients(tf.random_gamma(tf.placeholder_with_default([2, 2], None), a, seed=3), a))(
        tf.constant([[0.5, 2.]])), True),
    (lambda tf: tf.random_poisson([0.5, 20.], [3], seed=5), True),
    (lambda tf: tf.random.poisson(tf.constant(3., tf.float64), [3], dtype=tf.int32, seed=5, name='q'), True),
    lambda tf: tf.random_poisson([0.5, 20.], tf.placeholder(tf.int32, [2])),
    *((lambda tf, s=s: tf.orthogonal_initializer(gain=1.5, seed=3)(s), True)
      for s in ([4, 4], [3, 5], [5, 3], [2, 3, 4, 5], [2, 2, 12])),
    lambda tf: tf.initializers.orthogonal()([3]),
    lambda tf: tf.orthogonal_initializer(dtype=tf.int32),
    (lambda tf: tf.get_variable('v', [4, 3], initializer=tf.orthogonal_initializer(seed=7)), False),
    lambda tf: tf.constant(str(sorted(tf.orthogonal_initializer(2., 3).get_config().items()))),
    *((lambda tf, o=o, a=a: list(tf.linalg.normalize(tf.constant([[3., 4.], [1., 2.]]), o, a)), True)
      for o, a in (('euclidean', None), (1, 0), (np.inf, 1), ('fro', [0, 1]))),
]


def run_all(cases, but=()):
    """Marks all cases to be run, except those that do not accept the generic feeds."""
    return [case if isinstance(case, tuple) or i in but else (case, True)
            for i, case in enumerate(cases)]


CASES = {
    'activation': ACTIVATION,
    'loss': run_all(LOSS, but={3}),
    'norm': run_all(NORM, but={20}),
    'conv': run_all(CONV, but={18, 19, 23, 25, 26, 27, 29, 49}),
    'pool': run_all(POOL),
    'random': RANDOM,
    'clip': run_all(CLIP),
    'embedding': EMBEDDING,
    'losses': run_all(LOSSES),
    'conditional': CONDITIONAL,
    'init': INIT,
    'metrics': METRICS,
    'gradients': GRADIENTS,
    'sampled': SAMPLED,
    'script': SCRIPT,
    'custom': CUSTOM,
    **python_signal_cases.CASES,
}
