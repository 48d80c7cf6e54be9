"""Fully connected layers from before arg_scope, and convolutions of each channel."""

from ramet import gen
from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import initializers, utils
from ramet.contrib.layers.fully_connected import finish, relu_fn
from ramet.docstrings import with_args_of
from ramet.framework import ops, tensor_shape
from ramet.layers import arguments
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation, nn_convolution
from ramet.ops.variables import variable_scope


@export('contrib.layers.legacy_fully_connected')
@add_arg_scope
def legacy_fully_connected(x, num_output_units, activation_fn=None,
                           weight_init=initializers.xavier_initializer(),
                           bias_init=init_ops.Zeros(), name=None,
                           weight_collections=(ops.GraphKeys.WEIGHTS,),
                           bias_collections=(ops.GraphKeys.BIASES,),
                           output_collections=(ops.GraphKeys.ACTIVATIONS,), trainable=True,
                           weight_regularizer=None, bias_regularizer=None):
    """Adds a fully connected layer with the variables 'weights' and 'bias'.

    Args:
      x: a tensor [..., size].
      num_output_units: the size of the output.
      activation_fn: a function of the output, or None.
      weight_init, bias_init: initializers. Without bias_init, there is no bias.
      name: the name of the variable scope. Defaults to 'fully_connected'.
      weight_collections: additional collections of the weights.
      bias_collections: additional collections of the bias.
      output_collections: collections of the output.
      trainable: whether the variables are trainable.
      weight_regularizer, bias_regularizer: functions from a variable to a loss.

    Returns:
      A tensor [..., num_output_units].

    Raises:
      ValueError: if the rank of x is less than 2, or the size of its last axis is unknown.
    """
    with variable_scope.variable_scope(name, 'fully_connected', [x]):
        x = ops.convert_to_tensor(x)
        dims = x.get_shape().dims
        if dims is None:
            raise ValueError('dims of x must be known but is None')
        if len(dims) < 2:
            raise ValueError(f'rank of x must be at least 2 not: {len(dims)}')
        size = tensor_shape.dimension_value(dims[-1])
        if size is None:
            raise ValueError('last dimension of x must be known but is None')
        common = {'dtype': x.dtype.base_dtype, 'trainable': trainable}
        w = variable_scope.get_variable(
            'weights', shape=[size, num_output_units], initializer=weight_init,
            collections=[*weight_collections, ops.GraphKeys.GLOBAL_VARIABLES],
            regularizer=weight_regularizer, **common)
        y = math_ops.matmul(x if len(dims) == 2 else array_ops.reshape(x, [-1, size]), w)
        if bias_init is not None:
            y = nn_activation.bias_add(y, variable_scope.get_variable(
                'bias', shape=[num_output_units], initializer=bias_init,
                collections=[*bias_collections, ops.GraphKeys.GLOBAL_VARIABLES],
                regularizer=bias_regularizer, **common))
        if len(dims) > 2:
            y = array_ops.reshape(y, array_ops.concat([array_ops.shape(x)[:-1], [num_output_units]], 0))
            y.set_shape([*x.get_shape().as_list()[:-1], num_output_units])
        if activation_fn is not None:
            y = activation_fn(y)
        ops.add_to_collections(list(output_collections or ()), y)
        return y


@export('contrib.layers.legacy_linear')
@with_args_of(legacy_fully_connected)
def legacy_linear(x, num_output_units, **kwargs):
    """Calls legacy_fully_connected without an activation.

    Args:
      **kwargs: its other arguments.
    """
    return legacy_fully_connected(x, num_output_units, activation_fn=None, **kwargs)


@export('contrib.layers.legacy_relu')
@with_args_of(legacy_fully_connected)
def legacy_relu(x, num_output_units, **kwargs):
    """Calls legacy_fully_connected with the activation ReLU.

    Args:
      **kwargs: its other arguments.
    """
    return legacy_fully_connected(x, num_output_units, activation_fn=relu_fn, **kwargs)


@export('contrib.layers.convolution2d_in_plane', 'contrib.layers.conv2d_in_plane')
@add_arg_scope
def convolution2d_in_plane(inputs, kernel_size, stride=1, padding='SAME', activation_fn=relu_fn,
                           normalizer_fn=None, normalizer_params=None,
                           weights_initializer=initializers.xavier_initializer(),
                           weights_regularizer=None, biases_initializer=init_ops.Zeros(),
                           biases_regularizer=None, reuse=None, variables_collections=None,
                           outputs_collections=None, trainable=True, scope=None):
    """Convolves each channel of images with the same kernel.

    Args:
      inputs: a tensor [batch, height, width, channels].
      kernel_size: the size of the kernel: an int, or a list of two.
      stride: an int, or a list of two.
      padding: 'SAME' or 'VALID'.
      activation_fn: a function of the output, or None. Defaults to ReLU.
      normalizer_fn: a function of the output before the activation, which replaces the biases.
      normalizer_params: a dict of its arguments.
      weights_initializer, biases_initializer: initializers.
      weights_regularizer, biases_regularizer: functions from a variable to a loss.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      scope: the name of the variable scope. Defaults to 'ConvInPlane'.

    Returns:
      A tensor [batch, height, width, channels].
    """
    with variable_scope.variable_scope(scope, 'ConvInPlane', [inputs], reuse=reuse) as sc:
        inputs = ops.convert_to_tensor(inputs)
        dtype, channels = inputs.dtype.base_dtype, utils.last_dimension(inputs.get_shape(), 4)
        height, width = arguments.per_axis(kernel_size, 2, 'kernel_size')
        strides = arguments.per_axis(stride, 2, 'stride')
        weights = variables.model_variable(
            'weights', shape=[height, width, 1, 1], dtype=dtype, initializer=weights_initializer,
            regularizer=weights_regularizer, trainable=trainable,
            collections=utils.get_variable_collections(variables_collections, 'weights'))
        outputs = nn_convolution.depthwise_conv2d(inputs, gen.Tile(weights, [1, 1, channels, 1]),
                                         [1, *strides, 1], padding)
        if normalizer_fn is None and biases_initializer is not None:
            outputs = nn_activation.bias_add(outputs, variables.model_variable(
                'biases', shape=[channels], dtype=dtype, initializer=biases_initializer,
                regularizer=biases_regularizer, trainable=trainable,
                collections=utils.get_variable_collections(variables_collections, 'biases')))
        return finish(outputs, sc.name, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections)
