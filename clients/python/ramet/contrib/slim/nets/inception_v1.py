"""Inception v1, also known as GoogLeNet (arXiv 1409.4842)."""

from ramet.api import export
from ramet.contrib.framework.arg_scope import arg_scope
from ramet.contrib.layers import basic, batch_norm, convolutional, fully_connected, pooling
from ramet.contrib.slim.nets import inception_blocks
from ramet.contrib.slim.nets.alexnet import trunc_normal
from ramet.ops.variables import variable_scope

# The channels of the branches of each block.
_BLOCKS = {
    'Mixed_3b': (64, (96, 128), (16, 32), 32), 'Mixed_3c': (128, (128, 192), (32, 96), 64),
    'Mixed_4b': (192, (96, 208), (16, 48), 64), 'Mixed_4c': (160, (112, 224), (24, 64), 64),
    'Mixed_4d': (128, (128, 256), (24, 64), 64), 'Mixed_4e': (112, (144, 288), (32, 64), 64),
    'Mixed_4f': (256, (160, 320), (32, 128), 128), 'Mixed_5b': (256, (160, 320), (32, 128), 128),
    'Mixed_5c': (384, (192, 384), (48, 128), 128)}
_POOLS = {'Mixed_4b': ('MaxPool_4a_3x3', [3, 3]), 'Mixed_5b': ('MaxPool_5a_2x2', [2, 2])}


def _branches(name):
    first, second, third, fourth = _BLOCKS[name]
    # The name of this layer differs in the published checkpoints.
    last = 'Conv2d_0a_3x3' if name == 'Mixed_5b' else 'Conv2d_0b_3x3'
    return [[('Conv2d_0a_1x1', first, [1, 1])],
            [('Conv2d_0a_1x1', second[0], [1, 1]), ('Conv2d_0b_3x3', second[1], [3, 3])],
            [('Conv2d_0a_1x1', third[0], [1, 1]), (last, third[1], [3, 3])],
            [('MaxPool_0a_3x3', None, [3, 3]), ('Conv2d_0b_1x1', fourth, [1, 1])]]


@export('contrib.slim.nets.inception.inception_v1_base')
def inception_v1_base(inputs, final_endpoint='Mixed_5c', scope='InceptionV1'):
    """Adds the layers of Inception v1 up to one of them.

    Args:
      inputs: images [batch, height, width, 3].
      final_endpoint: the name of the last layer, such as 'Mixed_4f'.
      scope: the name of the variable scope, or a VariableScope.

    Returns:
      The last layer, and a dict from names to layers.

    Raises:
      ValueError: if there is no layer with the name.
    """
    stride = {'stride': 2}
    with variable_scope.variable_scope(scope, 'InceptionV1', [inputs]), arg_scope(
            [convolutional.convolution2d, fully_connected.fully_connected],
            weights_initializer=trunc_normal(0.01)), arg_scope(
            [convolutional.convolution2d, pooling.max_pool2d], stride=1, padding='SAME'):
        network = inception_blocks.Builder(inputs, final_endpoint)
        network.add([('Conv2d_1a_7x7', 64, [7, 7], stride),
                     ('MaxPool_2a_3x3', None, [3, 3], stride), ('Conv2d_2b_1x1', 64, [1, 1]),
                     ('Conv2d_2c_3x3', 192, [3, 3]), ('MaxPool_3a_3x3', None, [3, 3], stride)])
        for name in _BLOCKS:
            if name in _POOLS:
                pool, kernel = _POOLS[name]
                network.add([(pool, None, kernel, stride)])
            network.mix(name, _branches(name))
        return network.result()


@export('contrib.slim.nets.inception.inception_v1')
def inception_v1(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8,
                 prediction_fn=basic.softmax, spatial_squeeze=True, reuse=None,
                 scope='InceptionV1'):
    """Adds Inception v1.

    Args:
      inputs: images [batch, 224, 224, 3].
      num_classes: the number of classes.
      is_training: whether to drop features and to use the statistics of the batch.
      dropout_keep_prob: the probability of keeping a feature.
      prediction_fn: a function from logits to predictions.
      spatial_squeeze: whether the logits are [batch, classes] instead of [batch, h, w, classes].
      reuse: whether to reuse the variables of the scope.
      scope: the name of the variable scope.

    Returns:
      The logits, and a dict from names to layers.
    """
    with variable_scope.variable_scope(scope, 'InceptionV1', [inputs, num_classes], reuse=reuse) as scope, \
            arg_scope([batch_norm.batch_norm, basic.dropout],
                      is_training=is_training):
        net, end_points = inception_v1_base(inputs, scope=scope)
        with variable_scope.variable_scope('Logits'):
            net = pooling.avg_pool2d(net, [7, 7], stride=1, scope='MaxPool_0a_7x7')
            net = basic.dropout(net, dropout_keep_prob, scope='Dropout_0b')
            logits = inception_blocks.logits_of(net, num_classes, 'Conv2d_0c_1x1', spatial_squeeze)
            return inception_blocks.predicted(logits, end_points, prediction_fn)


inception_v1.default_image_size = 224


@export('contrib.slim.nets.inception.inception_v1_arg_scope')
def inception_v1_arg_scope(weight_decay=0.00004, use_batch_norm=True,
                           batch_norm_var_collection='moving_vars'):
    """Returns the argument scope of Inception v1.

    Args:
      weight_decay: the factor of the squares of the weights.
      use_batch_norm: whether to normalize batches.
      batch_norm_var_collection: the collection of the moving means and variances.
    """
    return inception_blocks.batch_norm_arg_scope(weight_decay, batch_norm_var_collection,
                                                 use_batch_norm=use_batch_norm)
