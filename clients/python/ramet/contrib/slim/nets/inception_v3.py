"""Inception v3 (arXiv 1512.00567)."""

from ramet.api import export
from ramet.contrib.framework.arg_scope import arg_scope
from ramet.contrib.layers import basic, batch_norm, convolutional, pooling
from ramet.contrib.slim.nets import inception_blocks, inception_v1, inception_v2
from ramet.contrib.slim.nets.alexnet import trunc_normal
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.variables import variable_scope

_HALVE = {'stride': 2, 'padding': 'VALID'}
_POOL = ('AvgPool_0a_3x3', None, [3, 3])


def _mixed_5(pooled, names=('Conv2d_0a_1x1', 'Conv2d_0b_5x5')):
    return [[('Conv2d_0a_1x1', 64, [1, 1])],
            [(names[0], 48, [1, 1]), (names[1], 64, [5, 5])],
            [('Conv2d_0a_1x1', 64, [1, 1]), ('Conv2d_0b_3x3', 96, [3, 3]),
             ('Conv2d_0c_3x3', 96, [3, 3])],
            [_POOL, ('Conv2d_0b_1x1', pooled, [1, 1])]]


def _mixed_6(size):
    return [[('Conv2d_0a_1x1', 192, [1, 1])],
            [('Conv2d_0a_1x1', size, [1, 1]), ('Conv2d_0b_1x7', size, [1, 7]),
             ('Conv2d_0c_7x1', 192, [7, 1])],
            [('Conv2d_0a_1x1', size, [1, 1]), ('Conv2d_0b_7x1', size, [7, 1]),
             ('Conv2d_0c_1x7', size, [1, 7]), ('Conv2d_0d_7x1', size, [7, 1]),
             ('Conv2d_0e_1x7', 192, [1, 7])],
            [_POOL, ('Conv2d_0b_1x1', 192, [1, 1])]]


def _mixed_7(name):
    return [[('Conv2d_0a_1x1', 320, [1, 1])],
            [('Conv2d_0a_1x1', 384, [1, 1]),
             [('Conv2d_0b_1x3', 384, [1, 3]), (name, 384, [3, 1])]],
            [('Conv2d_0a_1x1', 448, [1, 1]), ('Conv2d_0b_3x3', 384, [3, 3]),
             [('Conv2d_0c_1x3', 384, [1, 3]), ('Conv2d_0d_3x1', 384, [3, 1])]],
            [_POOL, ('Conv2d_0b_1x1', 192, [1, 1])]]


# The names are those of the published checkpoints, which do not always match the layers.
_BLOCKS = {
    'Mixed_5b': _mixed_5(32), 'Mixed_5c': _mixed_5(64, ('Conv2d_0b_1x1', 'Conv_1_0c_5x5')),
    'Mixed_5d': _mixed_5(64),
    'Mixed_6a': [[('Conv2d_1a_1x1', 384, [3, 3], _HALVE)],
                 [('Conv2d_0a_1x1', 64, [1, 1]), ('Conv2d_0b_3x3', 96, [3, 3]),
                  ('Conv2d_1a_1x1', 96, [3, 3], _HALVE)],
                 [('MaxPool_1a_3x3', None, [3, 3], _HALVE)]],
    'Mixed_6b': _mixed_6(128), 'Mixed_6c': _mixed_6(160), 'Mixed_6d': _mixed_6(160),
    'Mixed_6e': _mixed_6(192),
    'Mixed_7a': [[('Conv2d_0a_1x1', 192, [1, 1]), ('Conv2d_1a_3x3', 320, [3, 3], _HALVE)],
                 [('Conv2d_0a_1x1', 192, [1, 1]), ('Conv2d_0b_1x7', 192, [1, 7]),
                  ('Conv2d_0c_7x1', 192, [7, 1]), ('Conv2d_1a_3x3', 192, [3, 3], _HALVE)],
                 [('MaxPool_1a_3x3', None, [3, 3], _HALVE)]],
    'Mixed_7b': _mixed_7('Conv2d_0b_3x1'), 'Mixed_7c': _mixed_7('Conv2d_0c_3x1')}


@export('contrib.slim.nets.inception.inception_v3_base')
@with_args_of(inception_v2.inception_v2_base, inception_v1.inception_v1_base)
def inception_v3_base(inputs, final_endpoint='Mixed_7c', min_depth=16, depth_multiplier=1.0,
                      scope=None):
    """Adds the layers of Inception v3 up to one of them.

    Returns:
      The last layer, and a dict from names to layers.

    Raises:
      ValueError: if there is no layer with the name, or the multiplier is not positive.
    """
    depth = inception_blocks.depth_function(min_depth, depth_multiplier)
    layers = [convolutional.convolution2d, pooling.max_pool2d, pooling.avg_pool2d]
    with variable_scope.variable_scope(scope, 'InceptionV3', [inputs]):
        network = inception_blocks.Builder(inputs, final_endpoint, depth)
        with arg_scope(layers, stride=1, padding='VALID'):
            network.add([('Conv2d_1a_3x3', 32, [3, 3], {'stride': 2}),
                         ('Conv2d_2a_3x3', 32, [3, 3]),
                         ('Conv2d_2b_3x3', 64, [3, 3], {'padding': 'SAME'}),
                         ('MaxPool_3a_3x3', None, [3, 3], {'stride': 2}),
                         ('Conv2d_3b_1x1', 80, [1, 1]), ('Conv2d_4a_3x3', 192, [3, 3]),
                         ('MaxPool_5a_3x3', None, [3, 3], {'stride': 2})])
        with arg_scope(layers, stride=1, padding='SAME'):
            for name, branches in _BLOCKS.items():
                network.mix(name, branches)
        return network.result()


def _auxiliary_logits(net, depth, num_classes, spatial_squeeze):
    """Returns the logits of the additional classifier in the middle of the network."""
    conv2d = convolutional.convolution2d
    with arg_scope([conv2d, pooling.max_pool2d, pooling.avg_pool2d], stride=1,
                   padding='SAME'), variable_scope.variable_scope('AuxLogits'):
        net = pooling.avg_pool2d(net, [5, 5], stride=3, padding='VALID',
                                           scope='AvgPool_1a_5x5')
        net = conv2d(net, depth(128), [1, 1], scope='Conv2d_1b_1x1')
        kernel = inception_blocks.kernel_for(net, [5, 5])
        net = conv2d(net, depth(768), kernel, weights_initializer=trunc_normal(0.01),
                     padding='VALID', scope=f'Conv2d_2a_{kernel[0]}x{kernel[1]}')
        net = conv2d(net, num_classes, [1, 1], activation_fn=None, normalizer_fn=None,
                     weights_initializer=trunc_normal(0.001), scope='Conv2d_2b_1x1')
        return array_ops.squeeze(net, [1, 2], name='SpatialSqueeze') if spatial_squeeze else net


@export('contrib.slim.nets.inception.inception_v3')
@with_args_of(inception_v2.inception_v2, inception_v1.inception_v1)
def inception_v3(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.8, min_depth=16,
                 depth_multiplier=1.0, prediction_fn=basic.softmax,
                 spatial_squeeze=True, reuse=None, create_aux_logits=True, scope='InceptionV3'):
    """Adds Inception v3.

    Args:
      inputs: images [batch, 299, 299, 3].
      create_aux_logits: whether to add the additional classifier.

    Returns:
      The logits, and a dict from names to layers.

    Raises:
      ValueError: if the multiplier is not positive.
    """
    depth = inception_blocks.depth_function(min_depth, depth_multiplier)
    with variable_scope.variable_scope(scope, 'InceptionV3', [inputs, num_classes], reuse=reuse) as scope, \
            arg_scope([batch_norm.batch_norm, basic.dropout],
                      is_training=is_training):
        net, end_points = inception_v3_base(inputs, scope=scope, min_depth=min_depth,
                                            depth_multiplier=depth_multiplier)
        if create_aux_logits:
            end_points['AuxLogits'] = _auxiliary_logits(end_points['Mixed_6e'], depth, num_classes,
                                                        spatial_squeeze)
        with variable_scope.variable_scope('Logits'):
            kernel = inception_blocks.kernel_for(net, [8, 8])
            net = pooling.avg_pool2d(net, kernel, padding='VALID',
                                               scope=f'AvgPool_1a_{kernel[0]}x{kernel[1]}')
            net = basic.dropout(net, dropout_keep_prob, scope='Dropout_1b')
            end_points['PreLogits'] = net
            logits = inception_blocks.logits_of(net, num_classes, 'Conv2d_1c_1x1', spatial_squeeze)
        return inception_blocks.predicted(logits, end_points, prediction_fn)


inception_v3.default_image_size = 299


@export('contrib.slim.nets.inception.inception_v3_arg_scope')
@with_args_of(inception_v2.inception_v2_arg_scope)
def inception_v3_arg_scope(weight_decay=0.00004, batch_norm_var_collection='moving_vars',
                           batch_norm_decay=0.9997, batch_norm_epsilon=0.001,
                           updates_collections=ops.GraphKeys.UPDATE_OPS, use_fused_batchnorm=True):
    """Returns the argument scope of Inception v3."""
    return inception_blocks.batch_norm_arg_scope(
        weight_decay, batch_norm_var_collection, batch_norm_decay, batch_norm_epsilon,
        updates_collections, fused=use_fused_batchnorm)
