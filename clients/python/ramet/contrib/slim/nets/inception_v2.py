"""Inception v2 (arXiv 1502.03167)."""

from ramet.api import export
from ramet.contrib.framework.arg_scope import arg_scope
from ramet.contrib.layers import basic, batch_norm, convolutional, pooling, separable
from ramet.contrib.slim.nets import inception_blocks, inception_v1
from ramet.contrib.slim.nets.alexnet import trunc_normal
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.variables import variable_scope


def _reduce(name, channels, stddev=0.09):
    return (name, channels, [1, 1], {'weights_initializer': trunc_normal(stddev)})


def _mixed(first, second, third, fourth, pool='AvgPool_0a_3x3'):
    """Returns the branches of a block that keeps the size."""
    return [[('Conv2d_0a_1x1', first, [1, 1])],
            [_reduce('Conv2d_0a_1x1', second[0]), ('Conv2d_0b_3x3', second[1], [3, 3])],
            [_reduce('Conv2d_0a_1x1', third[0]), ('Conv2d_0b_3x3', third[1], [3, 3]),
             ('Conv2d_0c_3x3', third[1], [3, 3])],
            [(pool, None, [3, 3]), _reduce('Conv2d_0b_1x1', fourth, 0.1)]]


def _halved(first, second):
    """Returns the branches of a block that halves the size."""
    stride = {'stride': 2}
    return [[_reduce('Conv2d_0a_1x1', first[0]), ('Conv2d_1a_3x3', first[1], [3, 3], stride)],
            [_reduce('Conv2d_0a_1x1', second[0]), ('Conv2d_0b_3x3', second[1], [3, 3]),
             ('Conv2d_1a_3x3', second[1], [3, 3], stride)],
            [('MaxPool_1a_3x3', None, [3, 3], stride)]]


_BLOCKS = {
    'Mixed_3b': _mixed(64, (64, 64), (64, 96), 32), 'Mixed_3c': _mixed(64, (64, 96), (64, 96), 64),
    'Mixed_4a': _halved((128, 160), (64, 96)),
    'Mixed_4b': _mixed(224, (64, 96), (96, 128), 128),
    'Mixed_4c': _mixed(192, (96, 128), (96, 128), 128),
    'Mixed_4d': _mixed(160, (128, 160), (128, 160), 96),
    'Mixed_4e': _mixed(96, (128, 192), (160, 192), 96),
    'Mixed_5a': _halved((128, 192), (192, 256)),
    'Mixed_5b': _mixed(352, (192, 320), (160, 224), 128),
    'Mixed_5c': _mixed(352, (192, 320), (192, 224), 128, 'MaxPool_0a_3x3')}


@export('contrib.slim.nets.inception.inception_v2_base')
@with_args_of(inception_v1.inception_v1_base)
def inception_v2_base(inputs, final_endpoint='Mixed_5c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """Adds the layers of Inception v2 up to one of them.

    Args:
      min_depth: the least number of channels of a convolution.
      depth_multiplier: the factor of the numbers of channels.

    Returns:
      The last layer, and a dict from names to layers.

    Raises:
      ValueError: if there is no layer with the name, or the multiplier is not positive.
    """
    depth = inception_blocks.depth_function(min_depth, depth_multiplier)
    stride = {'stride': 2}
    with variable_scope.variable_scope(scope, 'InceptionV2', [inputs]), arg_scope(
            [convolutional.convolution2d, pooling.max_pool2d, pooling.avg_pool2d,
             separable.separable_convolution2d], stride=1, padding='SAME'):
        network = inception_blocks.Builder(inputs, final_endpoint, depth)
        first = 'Conv2d_1a_7x7'
        network.net = network.end_points[first] = separable.separable_convolution2d(
            inputs, depth(64), [7, 7], depth_multiplier=min(depth(64) // 3, 8), stride=2,
            weights_initializer=trunc_normal(1.0), scope=first)
        network.add([('MaxPool_2a_3x3', None, [3, 3], stride), _reduce('Conv2d_2b_1x1', 64, 0.1),
                     ('Conv2d_2c_3x3', 192, [3, 3]), ('MaxPool_3a_3x3', None, [3, 3], stride)])
        for name, branches in _BLOCKS.items():
            network.mix(name, branches)
        return network.result()


@export('contrib.slim.nets.inception.inception_v2')
@with_args_of(inception_v1.inception_v1, inception_v2_base)
def inception_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16,
                 depth_multiplier=1.0, prediction_fn=basic.softmax,
                 spatial_squeeze=True, reuse=None, scope='InceptionV2'):
    """Adds Inception v2.

    Returns:
      The logits, and a dict from names to layers.

    Raises:
      ValueError: if the multiplier is not positive.
    """
    with variable_scope.variable_scope(scope, 'InceptionV2', [inputs, num_classes], reuse=reuse) as scope, \
            arg_scope([batch_norm.batch_norm, basic.dropout],
                      is_training=is_training):
        net, end_points = inception_v2_base(inputs, scope=scope, min_depth=min_depth,
                                            depth_multiplier=depth_multiplier)
        with variable_scope.variable_scope('Logits'):
            kernel = inception_blocks.kernel_for(net, [7, 7])
            net = pooling.avg_pool2d(net, kernel, padding='VALID',
                                               scope=f'AvgPool_1a_{kernel[0]}x{kernel[1]}')
            net = basic.dropout(net, dropout_keep_prob, scope='Dropout_1b')
            logits = inception_blocks.logits_of(net, num_classes, 'Conv2d_1c_1x1', spatial_squeeze)
        return inception_blocks.predicted(logits, end_points, prediction_fn)


inception_v2.default_image_size = 224


@export('contrib.slim.nets.inception.inception_v2_arg_scope')
def inception_v2_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars',
                           batch_norm_decay=0.9997, batch_norm_epsilon=0.001,
                           updates_collections=ops.GraphKeys.UPDATE_OPS, use_fused_batchnorm=True):
    """Returns the argument scope of Inception v2.

    Args:
      weight_decay: the factor of the squares of the weights.
      batch_norm_var_collection: the collection of the moving means and variances.
      batch_norm_decay: the fraction of the moving mean and variance that an update keeps.
      batch_norm_epsilon: added to the variance.
      updates_collections: the collection of the updates of the moving means and variances.
      use_fused_batchnorm: whether to normalize with a single operation if possible.
    """
    return inception_blocks.batch_norm_arg_scope(
        weight_decay, batch_norm_var_collection, batch_norm_decay, batch_norm_epsilon,
        updates_collections, fused=use_fused_batchnorm)
