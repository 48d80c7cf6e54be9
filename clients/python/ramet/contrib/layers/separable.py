"""Separable and depthwise convolution layers."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import convolutional as convolutional_layers
from ramet.contrib.layers import initializers, utils
from ramet.contrib.layers.fully_connected import finish, relu_fn
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.keras.layers import convolutional
from ramet.layers import arguments, separable
from ramet.ops.initializers import init_ops
from ramet.ops.nn import nn_activation, nn_convolution
from ramet.ops.variables import variable_scope

_NAMES = {'bias': 'biases', 'depthwise_kernel': 'depthwise_weights',
          'pointwise_kernel': 'pointwise_weights'}


@export('contrib.layers.separable_convolution2d', 'contrib.layers.separable_conv2d')
@add_arg_scope
@with_args_of(convolutional_layers.convolution)
def separable_convolution2d(inputs, num_outputs, kernel_size, depth_multiplier=1, stride=1,
                            padding='SAME', data_format='NHWC', rate=1, activation_fn=relu_fn,
                            normalizer_fn=None, normalizer_params=None,
                            weights_initializer=initializers.xavier_initializer(),
                            pointwise_initializer=None, weights_regularizer=None,
                            biases_initializer=init_ops.zeros_initializer(),
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """Adds a separable convolution layer, or a depthwise one if `num_outputs` is None.

    Args:
      inputs: a Tensor [batch, height, width, channels], or in the order of `data_format`.
      num_outputs: the number of output channels, or None for only the depthwise convolution.
      depth_multiplier: the number of filters per input channel.
      data_format: 'NHWC' or 'NCHW'.
      weights_initializer: the initializer of the depthwise weights.
      pointwise_initializer: the initializer of the pointwise weights, or None for the same one.
      scope: the name of the variable scope, or a VariableScope. Defaults to 'SeparableConv2d'.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` is neither 'NHWC' nor 'NCHW'.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    getter = utils.layer_variable_getter(_NAMES)
    with variable_scope.variable_scope(scope, 'SeparableConv2d', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        if num_outputs is None:
            outputs = _depthwise(
                inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate,
                weights_initializer, weights_regularizer,
                None if normalizer_fn else biases_initializer, biases_regularizer,
                variables_collections, trainable)
        else:
            layer = separable.SeparableConv2D(
                filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding,
                data_format=utils.layer_format(data_format),
                dilation_rate=arguments.per_axis(rate, 2, 'rate'),
                activation=None, depth_multiplier=depth_multiplier,
                use_bias=not normalizer_fn and biases_initializer,
                depthwise_initializer=weights_initializer,
                pointwise_initializer=pointwise_initializer or weights_initializer,
                bias_initializer=biases_initializer, depthwise_regularizer=weights_regularizer,
                pointwise_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
                trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
                _reuse=reuse)
            outputs = layer.apply(inputs)
            for weights in (layer.depthwise_kernel, layer.pointwise_kernel):
                utils.add_variable_to_collections(weights, variables_collections, 'weights')
            if layer.use_bias:
                utils.add_variable_to_collections(layer.bias, variables_collections, 'biases')
        return finish(outputs, sc.name, normalizer_fn, normalizer_params, activation_fn,
                      outputs_collections)


def _depthwise(inputs, kernel_size, depth_multiplier, stride, padding, data_format, rate,
               weights_initializer, weights_regularizer, biases_initializer, biases_regularizer,
               variables_collections, trainable):
    dtype = inputs.dtype.base_dtype
    first = data_format.startswith('NC')
    channels = convolutional.channels_of(inputs.get_shape(), utils.layer_format(data_format))
    kernel_size = arguments.per_axis(kernel_size, 2, 'kernel_size')
    strides = arguments.per_axis(stride, 2, 'stride')
    weights = variables.model_variable(
        'depthwise_weights', shape=[*kernel_size, channels, depth_multiplier], dtype=dtype,
        initializer=weights_initializer, regularizer=weights_regularizer, trainable=trainable,
        collections=utils.get_variable_collections(variables_collections, 'weights'))
    outputs = nn_convolution.depthwise_conv2d(
        inputs, weights, [1, 1, *strides] if first else [1, *strides, 1], padding,
        rate=arguments.per_axis(rate, 2, 'rate'), data_format=data_format)
    if biases_initializer is None:
        return outputs
    biases = variables.model_variable(
        'biases', shape=[depth_multiplier * channels], dtype=dtype,
        initializer=biases_initializer, regularizer=biases_regularizer, trainable=trainable,
        collections=utils.get_variable_collections(variables_collections, 'biases'))
    return nn_activation.bias_add(outputs, biases, data_format=data_format)
