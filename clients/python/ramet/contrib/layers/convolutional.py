"""Convolution layers."""

from ramet.api import export
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.contrib.layers import initializers, utils
from ramet.contrib.layers.fully_connected import finish, relu_fn
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.layers import convolutional as core
from ramet.layers import transposed
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variable_scope

_ZEROS = init_ops.zeros_initializer()
_XAVIER = initializers.xavier_initializer()
_FORMATS = (None, 'NWC', 'NCW', 'NHWC', 'NCHW', 'NDHWC', 'NCDHW')
_LAYERS = {3: core.Conv1D, 4: core.Conv2D, 5: core.Conv3D}


def _layer_class(inputs, conv_dims):
    rank = inputs.get_shape().ndims
    if conv_dims is not None and conv_dims + 2 != rank:
        raise ValueError(f'Convolution expects input with rank {conv_dims + 2}, got {rank}')
    if rank not in _LAYERS:
        raise ValueError('Convolution not supported for input with rank', rank)
    return _LAYERS[rank]


@export('contrib.layers.convolution')
@add_arg_scope
def convolution(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                rate=1, activation_fn=relu_fn, normalizer_fn=None, normalizer_params=None,
                weights_initializer=_XAVIER, weights_regularizer=None, biases_initializer=_ZEROS,
                biases_regularizer=None, reuse=None, variables_collections=None,
                outputs_collections=None, trainable=True, scope=None, conv_dims=None):
    """Adds a convolution layer with as many spatial axes (1, 2 or 3) as the inputs have.

    Args:
      inputs: a Tensor [batch, spatial axes, channels], or in the order of `data_format`.
      num_outputs: the number of output channels, an int.
      kernel_size: the size of the filters: an int, or one per spatial axis.
      stride: an int, or one per spatial axis.
      padding: 'SAME' or 'VALID'.
      data_format: 'NWC', 'NHWC', 'NDHWC', or with the channels second 'NCW', 'NCHW', 'NCDHW'.
      rate: the dilation: an int, or one per spatial axis. It cannot be above 1 if the stride is.
      activation_fn: a function of the outputs, or None. Defaults to ReLU.
      normalizer_fn: a function of the outputs before the activation, which replaces the biases.
      normalizer_params: a dict of its arguments.
      weights_initializer, biases_initializer: initializers. With None, there are no biases.
      weights_regularizer, biases_regularizer: functions from a variable to a loss.
      reuse: whether to reuse the variables of the scope.
      variables_collections: additional collections of the variables: a list, or a dict of lists for
        'weights' and 'biases'.
      outputs_collections: collections of the output.
      trainable: whether the variables are trainable.
      scope: the name of the variable scope, or a VariableScope. Defaults to 'Conv'.
      conv_dims: the number of spatial axes that the inputs must have, or None for any.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` or the rank of the inputs is wrong, or stride and rate are both
        above 1.
    """
    if data_format not in _FORMATS:
        raise ValueError(f'Invalid data_format: {data_format!r}')
    getter = utils.layer_variable_getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope.variable_scope(scope, 'Conv', [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = _layer_class(inputs, conv_dims)(
            filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding,
            data_format=utils.layer_format(data_format), dilation_rate=rate, activation=None,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
            trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
            _reuse=reuse)
        return _applied(layer, inputs, sc, normalizer_fn, normalizer_params, activation_fn,
                        variables_collections, outputs_collections)


def _applied(layer, inputs, sc, normalizer_fn, normalizer_params, activation_fn,
             variables_collections, outputs_collections):
    outputs = layer.apply(inputs)
    utils.add_variable_to_collections(layer.kernel, variables_collections, 'weights')
    if layer.use_bias:
        utils.add_variable_to_collections(layer.bias, variables_collections, 'biases')
    return finish(outputs, sc.name, normalizer_fn, normalizer_params, activation_fn,
                  outputs_collections)


@export('contrib.layers.convolution1d', 'contrib.layers.conv1d')
@add_arg_scope
@with_args_of(convolution)
def convolution1d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=relu_fn, normalizer_fn=None, normalizer_params=None,
                  weights_initializer=_XAVIER, weights_regularizer=None,
                  biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True,
                  scope=None):
    """Adds a convolution layer with one spatial axis.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` or the rank of the inputs is wrong, or stride and rate are both
        above 1.
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
        normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
        biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
        trainable, scope, conv_dims=1)


@export('contrib.layers.convolution2d', 'contrib.layers.conv2d')
@add_arg_scope
@with_args_of(convolution)
def convolution2d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=relu_fn, normalizer_fn=None, normalizer_params=None,
                  weights_initializer=_XAVIER, weights_regularizer=None,
                  biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True,
                  scope=None):
    """Adds a convolution layer with two spatial axes.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` or the rank of the inputs is wrong, or stride and rate are both
        above 1.
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
        normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
        biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
        trainable, scope, conv_dims=2)


@export('contrib.layers.convolution3d', 'contrib.layers.conv3d')
@add_arg_scope
@with_args_of(convolution)
def convolution3d(inputs, num_outputs, kernel_size, stride=1, padding='SAME', data_format=None,
                  rate=1, activation_fn=relu_fn, normalizer_fn=None, normalizer_params=None,
                  weights_initializer=_XAVIER, weights_regularizer=None,
                  biases_initializer=_ZEROS, biases_regularizer=None, reuse=None,
                  variables_collections=None, outputs_collections=None, trainable=True,
                  scope=None):
    """Adds a convolution layer with three spatial axes.

    Returns:
      A Tensor with the type and rank of the inputs.

    Raises:
      ValueError: if `data_format` or the rank of the inputs is wrong, or stride and rate are both
        above 1.
    """
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn,
        normalizer_fn, normalizer_params, weights_initializer, weights_regularizer,
        biases_initializer, biases_regularizer, reuse, variables_collections, outputs_collections,
        trainable, scope, conv_dims=3)


def _transposed(layer_class, default_scope, inputs, num_outputs, kernel_size, stride, padding,
                data_format, activation_fn, normalizer_fn, normalizer_params, weights_initializer,
                weights_regularizer, biases_initializer, biases_regularizer, reuse,
                variables_collections, outputs_collections, trainable, scope):
    getter = utils.layer_variable_getter({'bias': 'biases', 'kernel': 'weights'})
    with variable_scope.variable_scope(scope, default_scope, [inputs], reuse=reuse,
                                       custom_getter=getter) as sc:
        inputs = ops.convert_to_tensor(inputs)
        layer = layer_class(
            filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding,
            data_format=utils.layer_format(data_format), activation=None,
            use_bias=not normalizer_fn and biases_initializer,
            kernel_initializer=weights_initializer, bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer,
            trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
            _reuse=reuse)
        return _applied(layer, inputs, sc, normalizer_fn, normalizer_params, activation_fn,
                        variables_collections, outputs_collections)


@export('contrib.layers.convolution2d_transpose', 'contrib.layers.conv2d_transpose')
@add_arg_scope
@with_args_of(convolution)
def convolution2d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format='NHWC', activation_fn=relu_fn, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=_XAVIER,
                            weights_regularizer=None, biases_initializer=_ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """Adds a transposed convolution layer for images.

    Args:
      scope: the name of the variable scope, or a VariableScope. Defaults to 'Conv2d_transpose'.

    Returns:
      A Tensor [batch, height, width, num_outputs], or in the order of `data_format`.

    Raises:
      ValueError: if `data_format` is neither 'NHWC' nor 'NCHW'.
    """
    utils.check_format(data_format, 'NCHW', 'NHWC')
    return _transposed(
        transposed.Conv2DTranspose, 'Conv2d_transpose', inputs, num_outputs, kernel_size, stride,
        padding, data_format, activation_fn, normalizer_fn, normalizer_params,
        weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope)


@export('contrib.layers.convolution3d_transpose', 'contrib.layers.conv3d_transpose')
@add_arg_scope
@with_args_of(convolution)
def convolution3d_transpose(inputs, num_outputs, kernel_size, stride=1, padding='SAME',
                            data_format='NDHWC', activation_fn=relu_fn, normalizer_fn=None,
                            normalizer_params=None, weights_initializer=_XAVIER,
                            weights_regularizer=None, biases_initializer=_ZEROS,
                            biases_regularizer=None, reuse=None, variables_collections=None,
                            outputs_collections=None, trainable=True, scope=None):
    """Adds a transposed convolution layer for volumes.

    Args:
      scope: the name of the variable scope, or a VariableScope. Defaults to 'Conv3d_transpose'.

    Returns:
      A Tensor [batch, depth, height, width, num_outputs], or in the order of `data_format`.

    Raises:
      ValueError: if `data_format` is neither 'NDHWC' nor 'NCDHW'.
    """
    utils.check_format(data_format, 'NCDHW', 'NDHWC')
    return _transposed(
        transposed.Conv3DTranspose, 'Conv3d_transpose', inputs, num_outputs, kernel_size, stride,
        padding, data_format, activation_fn, normalizer_fn, normalizer_params,
        weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope)
