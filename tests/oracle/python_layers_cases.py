"""The calls that python_layers_test.py compares between the packages: call(tf, layers)."""

import numpy as np


def x(tf, *shape, dtype='float32'):
    return tf.placeholder(dtype, shape, name='x')


def weights(tf, seed=0):
    """Returns an initializer that returns the same values in both packages."""
    def initializer(shape, dtype=None, partition_info=None):
        sizes = [int(size) for size in shape]
        return tf.constant(np.random.RandomState(seed).randn(*sizes).astype('float32'))
    return initializer


def shared_dense(tf, layers):
    layer = layers.Dense(3, kernel_initializer=weights(tf))
    inputs = x(tf, 2, 4)
    with tf.variable_scope('a'):
        first = layer(inputs)
    with tf.variable_scope('b'):
        return [first, layer(inputs), layer.scope_name, layer.count_params(), layer.dtype]


def reused(tf, layers):
    inputs = x(tf, None, 4)
    with tf.variable_scope('a'):
        layers.dense(inputs, 3)
    with tf.variable_scope('a', reuse=True):
        layers.dense(inputs, 3)
    with tf.variable_scope('a', reuse=tf.AUTO_REUSE):
        layers.dense(inputs, 3, name='dense', kernel_regularizer=tf.reduce_sum)
        layers.dense(inputs, 3, name='z', kernel_regularizer=tf.reduce_sum)
    return layers.dense(inputs, 3, name='a/dense', reuse=True)


def partitioned(tf, layers):
    with tf.variable_scope('p', partitioner=tf.fixed_size_partitioner(2)):
        return layers.dense(x(tf, None, 4), 4, kernel_regularizer=tf.reduce_sum)


def own_layer(tf, layers):
    class Scale(layers.Layer):
        def build(self, shape):
            self.scale = self.add_weight('scale', shape[1:], initializer=tf.ones_initializer())
            self.count = self.add_variable('count', [], trainable=False,
                                           initializer=tf.zeros_initializer())
            super().build(shape)

        def call(self, inputs, by=1.):
            self.add_loss(tf.reduce_sum(inputs))
            self.add_update(tf.assign(self.count, 2.))
            return inputs * self.scale * by

    layer = Scale(name='own')
    return [layer(x(tf, 2, 3), by=2.), layer.weights, layer.trainable_weights, layer.losses,
            layer.updates, layer.name, layer.dtype, layer.built]


DENSE = [
    lambda tf, layers: layers.dense(x(tf, None, 4), 3),
    (lambda tf, layers: layers.dense(x(tf, 2, 4), 3, activation=tf.nn.relu,
                                     kernel_initializer=weights(tf)), True),
    lambda tf, layers: layers.dense(
        x(tf, None, 4), 3, kernel_regularizer=tf.reduce_sum, bias_regularizer=tf.reduce_sum,
        activity_regularizer=tf.reduce_sum, name='d'),
    (lambda tf, layers: layers.dense(x(tf, 2, 4, 5), 3, kernel_initializer=weights(tf)), True),
    lambda tf, layers: layers.dense(x(tf, None, None, 5), 3, use_bias=False),
    lambda tf, layers: layers.dense(x(tf, None, 4, dtype='float64'), 3, trainable=False),
    lambda tf, layers: layers.dense(x(tf, None, None), 3),
    lambda tf, layers: layers.dense(tf.placeholder('float32', name='x'), 3),
    lambda tf, layers: layers.dense(x(tf, None, 4, dtype='int32'), 3),
    lambda tf, layers: layers.Dense(3).scope_name,
    lambda tf, layers: layers.Dense(3, colour=1),
    *[lambda tf, layers, name=name: layers.dense(x(tf, None, 4), 3, activation=name)
      for name in ('relu', 'tanh', 'sigmoid', 'softmax', 'elu', 'selu', 'softplus', 'softsign',
                   'linear', 'exponential', 'relu6')],
    *[lambda tf, layers, name=name: layers.dense(x(tf, None, 4), 3, kernel_initializer=name)
      for name in ('zeros', 'ones', 'glorot_uniform', 'glorot_normal', 'he_normal', 'uniform',
                   'lecun_normal', 'normal', 'random_normal', 'truncated_normal')],
    lambda tf, layers: layers.dense(x(tf, None, 4), 3, activation=3),
    (shared_dense, True),
    reused,
    partitioned,
    (own_layer, True),
]

DROPOUT = [
    (lambda tf, layers: layers.dropout(x(tf, 3, 4)), True),
    lambda tf, layers: layers.dropout(x(tf, None, 4), 0.3, training=True),
    lambda tf, layers: layers.dropout(x(tf, None, 4, 5), 0.3, noise_shape=[None, 1, 5],
                                      training=True, seed=3),
]

FLATTEN = [
    (lambda tf, layers: layers.flatten(x(tf, None, 2, 3)), True),
    (lambda tf, layers: layers.flatten(x(tf, None, None, 3)), True),
    lambda tf, layers: layers.flatten(x(tf, 5, None, 3)),
    lambda tf, layers: layers.flatten(x(tf, None)),
    lambda tf, layers: layers.flatten(x(tf, 2, 3, 4), name='f'),
    (lambda tf, layers: layers.flatten(x(tf, 2, 3, 4, 5), data_format='channels_first'), True),
    lambda tf, layers: layers.flatten(tf.placeholder('float32', name='x')),
]

CONVOLUTION = [
    (lambda tf, layers: layers.conv2d(x(tf, 2, 8, 8, 3), 4, 3, kernel_initializer=weights(tf)),
     True),
    (lambda tf, layers: layers.conv2d(
        x(tf, 2, 8, 8, 3), 4, [3, 2], strides=2, padding='same', activation=tf.nn.relu,
        kernel_regularizer=tf.reduce_sum, kernel_initializer=weights(tf)), True),
    (lambda tf, layers: layers.conv2d(x(tf, 2, 8, 8, 3), 4, 3, dilation_rate=2, padding='same',
                                      kernel_initializer=weights(tf)), True),
    lambda tf, layers: layers.conv2d(x(tf, None, 3, 8, 8), 4, 3, data_format='channels_first'),
    lambda tf, layers: layers.conv2d(x(tf, 2, 8, 8, 3), 4, 3, use_bias=False),
    (lambda tf, layers: layers.conv1d(x(tf, 2, 8, 3), 4, 3, padding='same',
                                      kernel_initializer=weights(tf)), True),
    lambda tf, layers: layers.conv1d(x(tf, None, 8, 3), 4, 3, dilation_rate=2),
    lambda tf, layers: layers.conv1d(x(tf, None, 3, 8), 4, 3, data_format='channels_first'),
    lambda tf, layers: layers.conv1d(x(tf, None, 8, 3), 4, 3, padding='causal'),
    lambda tf, layers: layers.conv3d(x(tf, None, 8, 8, 8, 3), 4, 3),
    (lambda tf, layers: layers.separable_conv2d(
        x(tf, 2, 8, 8, 3), 4, 3, depth_multiplier=2, strides=2, padding='same',
        activation=tf.nn.relu, depthwise_initializer=weights(tf, 1),
        pointwise_initializer=weights(tf, 2)), True),
    lambda tf, layers: layers.separable_conv2d(x(tf, None, 8, 8, 3), 4, 3, dilation_rate=2),
    lambda tf, layers: layers.separable_conv1d(x(tf, None, 8, 3), 4, 3),
    lambda tf, layers: layers.separable_conv1d(x(tf, None, 8, 3), 4, 3, padding='same', strides=2),
    lambda tf, layers: layers.conv2d(x(tf, None, 4, 3, None), 3, 3),
    lambda tf, layers: layers.conv2d(x(tf, None, 4, 3, 3), 3, 3, padding='x'),
    lambda tf, layers: layers.conv2d(x(tf, None, 4, 3, 3), 3, (1, 2, 3)),
    lambda tf, layers: layers.conv2d(x(tf, None, 4, 3, 3), 3, 'ab'),
    lambda tf, layers: layers.conv2d(x(tf, None, 4, 3, 3), 3, 2, data_format='NHWC'),
]


def pooling_cases():
    for kind in ('max_pooling', 'average_pooling'):
        for rank in (1, 2, 3):
            sizes = [8] * rank
            run = rank == 2

            def valid(tf, layers, name=f'{kind}{rank}d', sizes=sizes):
                return getattr(layers, name)(x(tf, 2, *sizes, 3), 2, 2)

            def same(tf, layers, name=f'{kind}{rank}d', sizes=sizes):
                return getattr(layers, name)(x(tf, 2, 3, *sizes), 3, 2, padding='same',
                                             data_format='channels_first')

            yield valid, run
            yield same


POOLING = list(pooling_cases())

CASES = {'dense': DENSE, 'dropout': DROPOUT, 'flatten': FLATTEN, 'convolution': CONVOLUTION,
         'pooling': POOLING}

# Compared by values and shapes only, because TensorFlow adds unused nodes.
TRANSPOSED = [
    lambda tf, layers: layers.conv2d_transpose(x(tf, 2, 4, 5, 3), 4, 3,
                                               kernel_initializer=weights(tf)),
    lambda tf, layers: layers.conv2d_transpose(
        x(tf, 2, 4, 5, 3), 4, 3, strides=2, padding='same', activation=tf.nn.relu,
        kernel_initializer=weights(tf)),
    lambda tf, layers: layers.conv2d_transpose(
        x(tf, None, None, None, 3), 4, 3, strides=(2, 3), kernel_initializer=weights(tf)),
    lambda tf, layers: layers.conv2d_transpose(
        x(tf, 2, 3, 4, 5), 4, 3, data_format='channels_first', kernel_initializer=weights(tf)),
]
