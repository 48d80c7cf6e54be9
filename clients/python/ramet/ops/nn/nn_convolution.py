"""Convolutions with any number of spatial axes: convolution, atrous, depthwise and separable."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, ops
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_conv, nn_dilated
from ramet.ops.nn.nn_arguments import channel_axis, explicit_padding, per_axis


def _as_tensor(value, name):
    if isinstance(value, ops.Tensor):
        return value
    with ops.name_scope('convolution_internal', None, [value]):
        return ops.convert_to_tensor(value, name=name)


def _spatial_axes(input, filters):
    if filters.shape.ndims is not None:
        return filters.shape.ndims - 2
    if input.shape.ndims is not None:
        return input.shape.ndims - 2
    raise ValueError(
        'When `num_spatial_dims` is not set, one of `input.shape.rank` or `filters.shape.rank` '
        f'must be known. Received: input.shape={input.shape} of rank {input.shape.ndims} and '
        f'filters.shape={filters.shape} of rank {filters.shape.ndims}')


def _checked_rates(strides, dilations):
    strides, dilations = np.array(strides), np.array(dilations)
    if np.any(dilations < 1):
        raise ValueError('all values of `dilation_rate` must be positive. '
                         f'Received: dilation_rate={dilations}')
    if np.any(strides > 1) and np.any(dilations > 1):
        raise ValueError('`strides > 1` not supported in conjunction with `dilation_rate > 1`. '
                         f'Received: strides={strides} and dilation_rate={dilations}')


def _plain_op(spatial, data_format, strides, name):
    if spatial == 1:
        return lambda tensor, kernel, padding: nn_conv.conv1d(
            tensor, kernel, strides, padding, data_format=data_format or 'NWC', name=name)
    if spatial == 2:
        return lambda tensor, kernel, padding: gen_conv2d(
            tensor, kernel, strides, padding, data_format or 'NHWC', name)
    return lambda tensor, kernel, padding: gen.Conv3D(
        tensor, kernel, strides, padding, data_format=data_format or 'NDHWC', name=name)


def gen_conv2d(tensor, kernel, strides, padding, data_format, name):
    """Convolves images, with several batch axes folded into one."""
    def op(tensor, name=None):
        return gen.Conv2D(tensor, kernel, strides, padding, data_format=data_format, name=name)

    if tensor.shape.ndims is not None and tensor.shape.ndims > 4:
        return nn_conv.squeeze_batch_dims(tensor, op, inner_rank=3, name=name)
    return op(tensor, name)


@export('nn.convolution')
def convolution(input, filter, padding, strides=None, dilation_rate=None, name=None,
                data_format=None, filters=None, dilations=None):
    """Convolves (cross-correlates) over 1, 2 or 3 spatial axes, with dilation or strides.

    Args:
      input: a Tensor of shape batch + spatial + [channels in].
      filter: a Tensor of shape spatial + [channels in, channels out].
      padding: 'SAME' or 'VALID'.
      strides: a number per spatial axis. Defaults to ones.
      dilation_rate: a number per spatial axis. Defaults to ones.
      name: the name of the scope.
      data_format: the position of the channels; 'NC...' for first.
      filters: another name of filter.
      dilations: another name of dilation_rate.

    Returns:
      A Tensor of shape batch + spatial + [channels out].

    Raises:
      ValueError: if the rank is not known, an argument is malformed, or both strides and rates
        are above 1.
    """
    filter = deprecation.alias('filters', filters, 'filter', filter)
    dilation_rate = deprecation.alias('dilations', dilations, 'dilation_rate', dilation_rate)
    filter = _as_tensor(filter, 'filters')
    input = _as_tensor(input, 'input')
    spatial = _spatial_axes(input, filter)
    if not 1 <= spatial <= 3:
        raise ValueError(
            '`num_spatial_dims` must be 1, 2, or 3. '
            f'Received: num_spatial_dims={spatial}.')
    axis = channel_axis(data_format, spatial)
    all_strides = per_axis(strides, spatial, axis, 'strides')
    all_rates = per_axis(dilation_rate, spatial, axis, 'dilations')
    inner = slice(2, None) if axis == 1 else slice(1, -1)
    rates = list(all_rates)[inner]
    with ops.name_scope(name, 'convolution', [input, filter]) as scope:
        _checked_rates(list(all_strides)[inner], rates)
        op = _plain_op(spatial, data_format, all_strides, scope)
        if all(rate == 1 for rate in rates):
            return op(input, filter, padding)
        spatial_dims = range(2, spatial + 2) if axis == 1 else range(1, spatial + 1)
        call = nn_dilated.space_to_batch_call(
            input.shape, rates, padding, filter.shape if filter.shape.is_fully_defined()
            else array_ops.shape(filter), list(spatial_dims), data_format)
        return call(input, op, filter)


@export('nn.atrous_conv2d')
def atrous_conv2d(value, filters, rate, padding, name=None):
    """Convolves images with dilated filters, whose taps are `rate` apart.

    Args:
      value: a Tensor of shape [batch, height, width, channels in].
      filters: a Tensor of shape [height, width, channels in, channels out].
      rate: an integer of 1 or more.
      padding: 'SAME' or 'VALID'.
      name: the name of the scope.

    Returns:
      A Tensor of shape [batch, height, width, channels out].

    Raises:
      ValueError: if rate is below 1 or padding is invalid.
    """
    return convolution(input=value, filter=filters, padding=padding,
                       dilation_rate=np.broadcast_to(rate, (2,)), name=name)


def _depthwise_op(strides, data_format, name):
    def op(tensor, kernel, padding):
        return depthwise_conv2d_native(
            tensor, kernel, strides, padding, data_format=data_format, name=name)

    return op


def _depthwise(input, filter, strides, padding, rate, data_format, name):
    call = nn_dilated.space_to_batch_call(
        input.shape, [1, 1] if rate is None else rate, padding, array_ops.shape(filter),
        [2, 3] if data_format == 'NCHW' else [1, 2], data_format)
    return call(input, _depthwise_op(strides, data_format or 'NHWC', name), filter)


@export('nn.depthwise_conv2d')
def depthwise_conv2d(input, filter, strides, padding, rate=None, name=None, data_format=None,
                     dilations=None):
    """Convolves each channel of images with its own filters.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      filter: a Tensor of shape [height, width, channels, multiplier].
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      rate: 2 dilation rates. Defaults to ones.
      name: the name of the scope.
      data_format: 'NHWC' or 'NCHW'.
      dilations: another name of rate.

    Returns:
      A Tensor of shape [batch, height, width, channels * multiplier].
    """
    rate = deprecation.alias('dilations', dilations, 'rate', rate)
    with ops.name_scope(name, 'depthwise', [input, filter]) as name:
        input = ops.convert_to_tensor(input, name='tensor_in')
        filter = ops.convert_to_tensor(filter, name='filter_in')
        return _depthwise(input, filter, strides, padding, rate, data_format, name)


@export('nn.depthwise_conv2d_native')
def depthwise_conv2d_native(input, filter, strides, padding, data_format='NHWC',
                            dilations=[1, 1, 1, 1], name=None):
    """Like tf.nn.depthwise_conv2d, but always in one operation.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      filter: a Tensor of shape [height, width, channels, multiplier].
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a list of 4 numbers.
      name: the name of the operation.

    Returns:
      A Tensor of shape [batch, height, width, channels * multiplier].
    """
    padding, explicit = explicit_padding(padding)
    return gen.DepthwiseConv2dNative(
        input, filter, strides, padding, explicit_paddings=explicit, data_format=data_format,
        dilations=dilations, name=name)


@export('nn.depthwise_conv2d_backprop_input', 'nn.depthwise_conv2d_native_backprop_input')
def depthwise_conv2d_native_backprop_input(input_sizes, filter, out_backprop, strides, padding,
                                           data_format='NHWC', dilations=[1, 1, 1, 1],
                                           name=None):
    """Returns the gradient of depthwise_conv2d_native with respect to its input.

    Args:
      input_sizes: an int32 vector, the shape of the input.
      filter: a Tensor of shape [height, width, channels, multiplier].
      out_backprop: the gradient of the output.
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a list of 4 numbers.
      name: the name of the operation.

    Returns:
      A Tensor of shape input_sizes.
    """
    padding, explicit = explicit_padding(padding)
    return gen.DepthwiseConv2dNativeBackpropInput(
        input_sizes, filter, out_backprop, strides, padding, explicit_paddings=explicit,
        data_format=data_format, dilations=dilations, name=name)


@export('nn.depthwise_conv2d_backprop_filter', 'nn.depthwise_conv2d_native_backprop_filter')
def depthwise_conv2d_native_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                                            data_format='NHWC', dilations=[1, 1, 1, 1],
                                            name=None):
    """Returns the gradient of depthwise_conv2d_native with respect to its filter.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      filter_sizes: an int32 vector, the shape of the filter.
      out_backprop: the gradient of the output.
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a list of 4 numbers.
      name: the name of the operation.

    Returns:
      A Tensor of shape filter_sizes.
    """
    padding, explicit = explicit_padding(padding)
    return gen.DepthwiseConv2dNativeBackpropFilter(
        input, filter_sizes, out_backprop, strides, padding, explicit_paddings=explicit,
        data_format=data_format, dilations=dilations, name=name)


@export('nn.separable_conv2d')
def separable_conv2d(input, depthwise_filter, pointwise_filter, strides, padding, rate=None,
                     name=None, data_format=None, dilations=None):
    """Convolves each channel with its own filters, then mixes the channels at each point.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      depthwise_filter: a Tensor of shape [height, width, channels, multiplier].
      pointwise_filter: a Tensor of shape [1, 1, channels * multiplier, channels out].
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      rate: 2 dilation rates. Defaults to ones.
      name: the name of the scope.
      data_format: 'NHWC' or 'NCHW'.
      dilations: another name of rate.

    Returns:
      A Tensor of shape [batch, height, width, channels out].

    Raises:
      ValueError: if the shapes are incompatible.
    """
    rate = deprecation.alias('dilations', dilations, 'rate', rate)
    with ops.name_scope(name, 'separable_conv2d',
                        [input, depthwise_filter, pointwise_filter]) as name:
        input = ops.convert_to_tensor(input, name='tensor_in')
        depthwise_filter = ops.convert_to_tensor(depthwise_filter, name='depthwise_filter')
        pointwise_filter = ops.convert_to_tensor(pointwise_filter, name='pointwise_filter')
        pointwise_shape = pointwise_filter.get_shape().with_rank(4)
        pointwise_shape.dims[0].assert_is_compatible_with(1)
        pointwise_shape.dims[1].assert_is_compatible_with(1)
        depthwise = _depthwise(
            input, depthwise_filter, strides, padding, rate, data_format, 'depthwise')
        return nn_conv.conv2d(depthwise, pointwise_filter, [1, 1, 1, 1], padding='VALID',
                              data_format=data_format or 'NHWC', name=name)
