"""AlexNet, in the version of arXiv 1404.5997, and the helpers of networks that end with convolutions."""

from ramet import gen
from ramet.api import export
from ramet.contrib.framework import arg_scope
from ramet.contrib.layers import basic, convolutional, fully_connected, pooling, regularizers, utils
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variable_scope


def trunc_normal(stddev):
    """Returns an initializer of normal numbers that are less than two deviations from 0."""
    return init_ops.TruncatedNormal(0.0, stddev)


def classifier_arg_scope(weight_decay, biases, pool_padding=None):
    """Returns the argument scope of networks without batch normalization."""
    with arg_scope.arg_scope(
            [convolutional.convolution2d, fully_connected.fully_connected],
            activation_fn=gen.Relu, biases_initializer=biases,
            weights_regularizer=regularizers.l2_regularizer(weight_decay)):
        with arg_scope.arg_scope([convolutional.convolution2d], padding='SAME') as scope:
            if pool_padding is None:
                return scope
            with arg_scope.arg_scope([pooling.max_pool2d],
                                                padding=pool_padding) as scope:
                return scope


def fully_convolutional(net, sizes, kernel, num_classes, is_training, dropout_keep_prob,
                        **last_layer):
    """Adds the layers fc6 to fc8, which are convolutions, with dropout between them.

    Args:
      net: the input.
      sizes: the numbers of features of fc6 and fc7.
      kernel: the size of the input of fc6 in images of the usual size.
      num_classes: the number of classes.
      is_training: whether to drop features.
      dropout_keep_prob: the probability of keeping a feature.
      **last_layer: further arguments of fc8.
    """
    net = convolutional.convolution2d(net, sizes[0], kernel, padding='VALID', scope='fc6')
    net = basic.dropout(net, dropout_keep_prob, is_training=is_training,
                                    scope='dropout6')
    net = convolutional.convolution2d(net, sizes[1], [1, 1], scope='fc7')
    net = basic.dropout(net, dropout_keep_prob, is_training=is_training,
                                    scope='dropout7')
    return convolutional.convolution2d(net, num_classes, [1, 1], activation_fn=None,
                                    normalizer_fn=None, scope='fc8', **last_layer)


def network(default_scope, scope, inputs, spatial_squeeze, build):
    """Returns the logits of a network, and its layers by their names.

    Args:
      default_scope: the name of the scope if none is given.
      scope: the name of the scope, or a VariableScope.
      inputs: the images.
      spatial_squeeze: whether the logits are [batch, classes] instead of [batch, h, w, classes].
      build: a function that adds the layers and returns the last one.
    """
    with variable_scope.variable_scope(scope, default_scope, [inputs]) as sc:
        collection = sc.original_name_scope + '_end_points'
        with arg_scope.arg_scope(
                [convolutional.convolution2d, fully_connected.fully_connected,
                 pooling.max_pool2d], outputs_collections=[collection]):
            net = build()
            end_points = utils.convert_collection_to_dict(collection)
            if spatial_squeeze:
                net = array_ops.squeeze(net, [1, 2], name='fc8/squeezed')
                end_points[sc.name + '/fc8'] = net
            return net, end_points


@export('contrib.slim.nets.alexnet.alexnet_v2_arg_scope')
def alexnet_v2_arg_scope(weight_decay=0.0005):
    """Returns the argument scope of alexnet_v2.

    Args:
      weight_decay: the factor of the squares of the weights.
    """
    return classifier_arg_scope(weight_decay, init_ops.Constant(0.1), 'VALID')


@export('contrib.slim.nets.alexnet.alexnet_v2')
def alexnet_v2(inputs, num_classes=1000, is_training=True, dropout_keep_prob=0.5,
               spatial_squeeze=True, scope='alexnet_v2'):
    """Adds AlexNet.

    Args:
      inputs: images [batch, 224, 224, channels].
      num_classes: the number of classes.
      is_training: whether to drop features.
      dropout_keep_prob: the probability of keeping a feature.
      spatial_squeeze: whether the logits are [batch, classes] instead of [batch, h, w, classes].
      scope: the name of the variable scope.

    Returns:
      The logits, and a dict from names to layers.
    """

    def build():
        conv2d, max_pool2d = convolutional.convolution2d, pooling.max_pool2d
        net = conv2d(inputs, 64, [11, 11], 4, padding='VALID', scope='conv1')
        net = max_pool2d(net, [3, 3], 2, scope='pool1')
        net = conv2d(net, 192, [5, 5], scope='conv2')
        net = max_pool2d(net, [3, 3], 2, scope='pool2')
        net = conv2d(net, 384, [3, 3], scope='conv3')
        net = conv2d(net, 384, [3, 3], scope='conv4')
        net = conv2d(net, 256, [3, 3], scope='conv5')
        net = max_pool2d(net, [3, 3], 2, scope='pool5')
        with arg_scope.arg_scope([conv2d], weights_initializer=trunc_normal(0.005),
                                            biases_initializer=init_ops.Constant(0.1)):
            return fully_convolutional(net, (4096, 4096), [5, 5], num_classes, is_training,
                                       dropout_keep_prob,
                                       biases_initializer=init_ops.Zeros())

    return network('alexnet_v2', scope, inputs, spatial_squeeze, build)


alexnet_v2.default_image_size = 224
