"""Residual networks whose units begin with a normalization (arXiv 1603.05027)."""

from ramet import gen
from ramet.api import export
from ramet.contrib.framework import arg_scope
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import batch_norm, convolutional, utils
from ramet.contrib.slim.nets import resnet_utils
from ramet.docstrings import with_args_of
from ramet.ops.variables import variable_scope


@export('contrib.slim.nets.resnet_v2.bottleneck')
@add_arg_scope
def bottleneck(inputs, depth, depth_bottleneck, stride, rate=1, outputs_collections=None,
               scope=None):
    """Adds a residual unit of three convolutions.

    Args:
      inputs: a tensor [batch, height, width, channels].
      depth: the number of output channels.
      depth_bottleneck: the number of channels between the convolutions.
      stride: a number.
      rate: the dilation of the second convolution.
      outputs_collections: collections of the output.
      scope: the name of the variable scope.

    Returns:
      A tensor [batch, height / stride, width / stride, depth].
    """
    conv2d = convolutional.convolution2d
    with variable_scope.variable_scope(scope, 'bottleneck_v2', [inputs]) as sc:
        depth_in = utils.last_dimension(inputs.get_shape(), min_rank=4)
        preact = batch_norm.batch_norm(inputs, activation_fn=gen.Relu, scope='preact')
        if depth == depth_in:
            shortcut = resnet_utils.subsample(inputs, stride, 'shortcut')
        else:
            shortcut = conv2d(preact, depth, [1, 1], stride=stride, normalizer_fn=None,
                              activation_fn=None, scope='shortcut')
        residual = conv2d(preact, depth_bottleneck, [1, 1], stride=1, scope='conv1')
        residual = resnet_utils.conv2d_same(residual, depth_bottleneck, 3, stride, rate=rate,
                                            scope='conv2')
        residual = conv2d(residual, depth, [1, 1], stride=1, normalizer_fn=None,
                          activation_fn=None, scope='conv3')
        output = shortcut + residual
        return utils.collect_named_outputs(outputs_collections, sc.name, output)


def _root(net):
    with arg_scope.arg_scope([convolutional.convolution2d], activation_fn=None,
                                        normalizer_fn=None):
        return resnet_utils.conv2d_same(net, 64, 7, stride=2, scope='conv1')


def _postnorm(net):
    return batch_norm.batch_norm(net, activation_fn=gen.Relu, scope='postnorm')


@export('contrib.slim.nets.resnet_v2.resnet_v2')
def resnet_v2(inputs, blocks, num_classes=None, is_training=None, global_pool=True,
              output_stride=None, include_root_block=True, reuse=None, scope=None):
    """Adds a residual network of given blocks.

    Args:
      inputs: images [batch, height, width, channels].
      blocks: a list of resnet_utils.Block.
      num_classes: the number of classes, or None for no logits.
      is_training: whether batch normalization uses the statistics of the batch. None means the choice
        of the argument scope.
      global_pool: whether to take the mean over all pixels.
      output_stride: the ratio of the input's to the output's size, a multiple of 4, or None for the
        blocks' own one.
      include_root_block: whether to add the first convolution and pooling.
      reuse: whether to reuse the variables of the scope.
      scope: the name of the variable scope.

    Returns:
      The output [batch, height, width, channels], and a dict from names to layers.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    return resnet_utils.network(
        'resnet_v2', scope, inputs, bottleneck, _root, _postnorm, blocks, num_classes, is_training,
        global_pool, output_stride, include_root_block, reuse)


@export('contrib.slim.nets.resnet_v2.resnet_v2_block')
def resnet_v2_block(scope, base_depth, num_units, stride):
    """Returns a Block of bottleneck units.

    Args:
      scope: the name of the block's scope.
      base_depth: the number of channels between the convolutions of a unit; the output has four times
        as many.
      num_units: the number of units.
      stride: the stride of the last unit.
    """
    return resnet_utils.Block(scope, bottleneck,
                              resnet_utils.units_of(base_depth, num_units, stride))


@export('contrib.slim.nets.resnet_v2.resnet_v2_50')
@with_args_of(resnet_v2)
def resnet_v2_50(inputs, num_classes=None, is_training=None, global_pool=True, output_stride=None,
                 reuse=None, scope='resnet_v2_50'):
    """Adds the residual network with 50 layers.

    Returns:
      The output [batch, height, width, channels], and a dict from names to layers.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    return resnet_v2(inputs, resnet_utils.blocks_of(50, resnet_v2_block), num_classes, is_training,
                     global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope)


@export('contrib.slim.nets.resnet_v2.resnet_v2_101')
@with_args_of(resnet_v2)
def resnet_v2_101(inputs, num_classes=None, is_training=None, global_pool=True, output_stride=None,
                 reuse=None, scope='resnet_v2_101'):
    """Adds the residual network with 101 layers.

    Returns:
      The output [batch, height, width, channels], and a dict from names to layers.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    return resnet_v2(inputs, resnet_utils.blocks_of(101, resnet_v2_block), num_classes, is_training,
                     global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope)


@export('contrib.slim.nets.resnet_v2.resnet_v2_152')
@with_args_of(resnet_v2)
def resnet_v2_152(inputs, num_classes=None, is_training=None, global_pool=True, output_stride=None,
                 reuse=None, scope='resnet_v2_152'):
    """Adds the residual network with 152 layers.

    Returns:
      The output [batch, height, width, channels], and a dict from names to layers.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    return resnet_v2(inputs, resnet_utils.blocks_of(152, resnet_v2_block), num_classes, is_training,
                     global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope)


@export('contrib.slim.nets.resnet_v2.resnet_v2_200')
@with_args_of(resnet_v2)
def resnet_v2_200(inputs, num_classes=None, is_training=None, global_pool=True, output_stride=None,
                 reuse=None, scope='resnet_v2_200'):
    """Adds the residual network with 200 layers.

    Returns:
      The output [batch, height, width, channels], and a dict from names to layers.

    Raises:
      ValueError: if the output stride cannot be reached.
    """
    return resnet_v2(inputs, resnet_utils.blocks_of(200, resnet_v2_block), num_classes, is_training,
                     global_pool=global_pool, output_stride=output_stride, reuse=reuse, scope=scope)


resnet_v2.default_image_size = 224
