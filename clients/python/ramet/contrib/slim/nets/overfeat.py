"""OverFeat (arXiv 1312.6229), the fast version."""

from ramet.api import export
from ramet.contrib.framework import arg_scope
from ramet.contrib.layers import convolutional, pooling
from ramet.contrib.slim.nets import alexnet
from ramet.docstrings import with_args_of
from ramet.ops.initializers import init_ops


@export('contrib.slim.nets.overfeat.overfeat_arg_scope')
def overfeat_arg_scope(weight_decay=0.0005):
    """Returns the argument scope of overfeat.

    Args:
      weight_decay: the factor of the squares of the weights.
    """
    return alexnet.classifier_arg_scope(weight_decay, init_ops.Zeros(), 'VALID')


@export('contrib.slim.nets.overfeat.overfeat')
@with_args_of(alexnet.alexnet_v2)
def overfeat(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
             spatial_squeeze=True, scope='overfeat'):
    """Adds OverFeat.

    Args:
      inputs: images [batch, 231, 231, channels].

    Returns:
      The logits, and a dict from names to layers.
    """

    def build():
        conv2d, max_pool2d = convolutional.convolution2d, pooling.max_pool2d
        net = conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
        net = max_pool2d(net, [2, 2], scope='pool1')
        net = conv2d(net, 256, [5, 5], padding='VALID', scope='conv2')
        net = max_pool2d(net, [2, 2], scope='pool2')
        net = conv2d(net, 512, [3, 3], scope='conv3')
        net = conv2d(net, 1024, [3, 3], scope='conv4')
        net = conv2d(net, 1024, [3, 3], scope='conv5')
        net = max_pool2d(net, [2, 2], scope='pool5')
        with arg_scope.arg_scope(
                [conv2d], weights_initializer=alexnet.trunc_normal(0.005),
                biases_initializer=init_ops.Constant(0.1)):
            return alexnet.fully_convolutional(
                net, (3072, 4096), [6, 6], num_classes, is_training, dropout_keep_prob,
                biases_initializer=init_ops.Zeros())

    return alexnet.network('overfeat', scope, inputs, spatial_squeeze, build)


overfeat.default_image_size = 231
