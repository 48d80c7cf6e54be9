"""The networks of the Visual Geometry Group (arXiv 1409.1556)."""

from ramet.api import export
from ramet.contrib.layers import basic, convolutional, pooling
from ramet.contrib.slim.nets import alexnet
from ramet.docstrings import with_args_of
from ramet.ops.initializers import init_ops


@export('contrib.slim.nets.vgg.vgg_arg_scope')
def vgg_arg_scope(weight_decay=0.0005):
    """Returns the argument scope of the networks.

    Args:
      weight_decay: the factor of the squares of the weights.
    """
    return alexnet.classifier_arg_scope(weight_decay, init_ops.Zeros())


def _vgg(name, repetitions, inputs, num_classes, is_training, dropout_keep_prob, spatial_squeeze,
         scope):
    """Adds a network whose groups of layers have given numbers of convolutions."""

    def build():
        net = inputs
        for i, (count, size) in enumerate(zip(repetitions, (64, 128, 256, 512, 512), strict=True)):
            net = basic.repeat(net, count, convolutional.convolution2d, size, [3, 3],
                                           scope=f'conv{i + 1}')
            net = pooling.max_pool2d(net, [2, 2], scope=f'pool{i + 1}')
        return alexnet.fully_convolutional(net, (4096, 4096), [7, 7], num_classes, is_training,
                                           dropout_keep_prob)

    return alexnet.network(name, scope, inputs, spatial_squeeze, build)


@export('contrib.slim.nets.vgg.vgg_a')
@with_args_of(alexnet.alexnet_v2)
def vgg_a(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True,
          scope='vgg_a'):
    """Adds the network with 11 layers.

    Returns:
      The logits, and a dict from names to layers.
    """
    return _vgg('vgg_a', (1, 1, 2, 2, 2), inputs, num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope)


@export('contrib.slim.nets.vgg.vgg_16', 'contrib.slim.nets.vgg.vgg_d')
@with_args_of(alexnet.alexnet_v2)
def vgg_16(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True,
           scope='vgg_16'):
    """Adds the network with 16 layers.

    Returns:
      The logits, and a dict from names to layers.
    """
    return _vgg('vgg_16', (2, 2, 3, 3, 3), inputs, num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope)


@export('contrib.slim.nets.vgg.vgg_19', 'contrib.slim.nets.vgg.vgg_e')
@with_args_of(alexnet.alexnet_v2)
def vgg_19(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5, spatial_squeeze=True,
           scope='vgg_19'):
    """Adds the network with 19 layers.

    Returns:
      The logits, and a dict from names to layers.
    """
    return _vgg('vgg_19', (2, 2, 4, 4, 4), inputs, num_classes, is_training, dropout_keep_prob,
                spatial_squeeze, scope)


vgg_a.default_image_size = vgg_16.default_image_size = vgg_19.default_image_size = 224
