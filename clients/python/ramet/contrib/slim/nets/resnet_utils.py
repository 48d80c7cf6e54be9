"""Parts of residual networks."""

import collections

from ramet import gen
from ramet.api import export
from ramet.contrib.framework import arg_scope
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import (
    basic,
    batch_norm,
    convolutional,
    initializers,
    pooling,
    regularizers,
    utils,
)
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_scope


@export('contrib.slim.nets.resnet_utils.Block')
class Block(collections.namedtuple('Block', ['scope', 'unit_fn', 'args'])):
    """A block of residual units: the name of its scope, the function of a unit, and a list of its arguments."""


@export('contrib.slim.nets.resnet_utils.subsample')
def subsample(inputs, factor, scope=None):
    """Keeps each `factor`-th pixel.

    Args:
      inputs: images [batch, height, width, channels].
      factor: a number.
      scope: the name of the scope.
    """
    if factor == 1:
        return inputs
    return pooling.max_pool2d(inputs, [1, 1], stride=factor, scope=scope)


@export('contrib.slim.nets.resnet_utils.conv2d_same')
def conv2d_same(inputs, num_outputs, kernel_size, stride, rate=1, scope=None):
    """Adds a convolution whose output does not depend on whether the size of the input is even.

    Args:
      inputs: images [batch, height, width, channels].
      num_outputs: the number of output channels.
      kernel_size: the size of the kernel, a number.
      stride: a number.
      rate: the dilation, a number.
      scope: the name of the variable scope.

    Returns:
      Images [batch, height / stride, width / stride, num_outputs].
    """
    if stride == 1:
        return convolutional.convolution2d(inputs, num_outputs, kernel_size, stride=1, rate=rate,
                                        padding='SAME', scope=scope)
    total = (kernel_size - 1) * rate
    begin = total // 2
    padding = [begin, total - begin]
    inputs = array_ops.pad(inputs, [[0, 0], padding, padding, [0, 0]])
    return convolutional.convolution2d(inputs, num_outputs, kernel_size, stride=stride, rate=rate,
                                    padding='VALID', scope=scope)


@export('contrib.slim.nets.resnet_utils.stack_blocks_dense')
@add_arg_scope
def stack_blocks_dense(net, blocks, output_stride=None, outputs_collections=None):
    """Adds blocks of residual units. Units beyond an output stride are dilated instead of strided.

    Args:
      net: a tensor [batch, height, width, channels].
      blocks: a list of Blocks.
      output_stride: the ratio of the input's to the output's size, or None for the blocks' own one.
      outputs_collections: collections of the outputs of the blocks.

    Returns:
      The output of the last block.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    current_stride, rate = 1, 1
    for block in blocks:
        with variable_scope.variable_scope(block.scope, 'block', [net]) as sc:
            for i, unit in enumerate(block.args):
                if output_stride is not None and current_stride > output_stride:
                    raise ValueError('The target output_stride cannot be reached.')
                with variable_scope.variable_scope(f'unit_{i + 1}', values=[net]):
                    if output_stride is not None and current_stride == output_stride:
                        net = block.unit_fn(net, rate=rate, **{**unit, 'stride': 1})
                        rate *= unit.get('stride', 1)
                    else:
                        net = block.unit_fn(net, rate=1, **unit)
                        current_stride *= unit.get('stride', 1)
            net = utils.collect_named_outputs(outputs_collections, sc.name, net)
    if output_stride is not None and current_stride != output_stride:
        raise ValueError('The target output_stride cannot be reached.')
    return net


@export('contrib.slim.nets.resnet_utils.resnet_arg_scope',
        'contrib.slim.nets.resnet_v1.resnet_arg_scope',
        'contrib.slim.nets.resnet_v2.resnet_arg_scope')
def resnet_arg_scope(weight_decay=0.0001, batch_norm_decay=0.997, batch_norm_epsilon=1e-5,
                     batch_norm_scale=True):
    """Returns the argument scope of residual networks.

    Args:
      weight_decay: the factor of the squares of the weights.
      batch_norm_decay: the fraction of the moving mean and variance that an update keeps.
      batch_norm_epsilon: added to the variance.
      batch_norm_scale: whether to use the variable gamma.
    """
    params = {'decay': batch_norm_decay, 'epsilon': batch_norm_epsilon,
              'scale': batch_norm_scale, 'updates_collections': ops.GraphKeys.UPDATE_OPS}
    with arg_scope.arg_scope(
            [convolutional.convolution2d],
            weights_regularizer=regularizers.l2_regularizer(weight_decay),
            weights_initializer=initializers.variance_scaling_initializer(),
            activation_fn=gen.Relu, normalizer_fn=batch_norm.batch_norm,
            normalizer_params=params):
        with arg_scope.arg_scope([batch_norm.batch_norm], **params):
            with arg_scope.arg_scope([pooling.max_pool2d],
                                                padding='SAME') as scope:
                return scope


# The numbers of units in the blocks of the networks.
UNITS = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3), 200: (3, 24, 36, 3)}


def blocks_of(layers, make_block):
    """Returns the blocks of the network with a number of layers."""
    return [make_block(f'block{i + 1}', base_depth=64 << i, num_units=units,
                       stride=2 if i < 3 else 1) for i, units in enumerate(UNITS[layers])]


def units_of(base_depth, num_units, stride):
    """Returns the arguments of the bottleneck units of a block. The last one has the stride."""
    unit = {'depth': base_depth * 4, 'depth_bottleneck': base_depth, 'stride': 1}
    return [unit] * (num_units - 1) + [{**unit, 'stride': stride}]


def network(name, scope, inputs, bottleneck, root, last, blocks, num_classes, is_training,
            global_pool, output_stride, include_root_block, reuse):
    """Returns the output of a residual network, and its layers by their names.

    Args:
      name: the default name of the scope.
      scope: the name of the scope, or a VariableScope.
      inputs: images [batch, height, width, channels].
      bottleneck: the function of a unit.
      root: a function that adds the first convolution.
      last: a function that adds what follows the blocks.
      blocks: a list of Blocks.
      num_classes: the number of classes, or None for no logits.
      is_training: whether batch normalization uses the batch's statistics, or None for the scope's choice.
      global_pool: whether to take the mean over all pixels.
      output_stride: see stack_blocks_dense.
      include_root_block: whether to add the first convolution and pooling.
      reuse: whether to reuse the variables of the scope.
    """
    with variable_scope.variable_scope(scope, name, [inputs], reuse=reuse) as sc:
        collection = sc.original_name_scope + '_end_points'
        with arg_scope.arg_scope(
                [convolutional.convolution2d, bottleneck, stack_blocks_dense],
                outputs_collections=collection), arg_scope.arg_scope(
                [batch_norm.batch_norm],
                **({} if is_training is None else {'is_training': is_training})):
            net = inputs
            if include_root_block:
                if output_stride is not None:
                    if output_stride % 4 != 0:
                        raise ValueError('The output_stride needs to be a multiple of 4.')
                    output_stride /= 4
                net = pooling.max_pool2d(root(net), [3, 3], stride=2, scope='pool1')
            net = last(stack_blocks_dense(net, blocks, output_stride))
            if global_pool:
                net = math_ops.reduce_mean(net, [1, 2], name='pool5', keepdims=True)
            if num_classes is not None:
                net = convolutional.convolution2d(net, num_classes, [1, 1], activation_fn=None,
                                               normalizer_fn=None, scope='logits')
            end_points = utils.convert_collection_to_dict(collection)
            if num_classes is not None:
                end_points['predictions'] = basic.softmax(net, scope='predictions')
            return net, end_points
