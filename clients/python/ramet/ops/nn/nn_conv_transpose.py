"""Transposed convolutions with 1, 2 and 3 spatial axes."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, ops
from ramet.ops.array import array_ops
from ramet.ops.nn.nn_arguments import channel_axis, explicit_padding, per_axis
from ramet.ops.nn.nn_conv import format_1d


@export('nn.conv1d_transpose')
def conv1d_transpose(input, filters, output_shape, strides, padding='SAME', data_format='NWC',
                     dilations=None, name=None):
    """Returns the transpose of conv1d (its gradient with respect to the input).

    Args:
      input: a Tensor of shape [batch, width, channels in].
      filters: a Tensor of shape [width, channels out, channels in].
      output_shape: an int32 vector of 3 sizes.
      strides: a number, or a list of 1 or 3 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NWC' or 'NCW'.
      dilations: a number, or a list of 1 or 3 numbers.
      name: the name of the scope.

    Returns:
      A Tensor of shape output_shape.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'conv1d_transpose', [input, filters, output_shape]) as name:
        data_format, _ = format_1d(data_format)
        axis = 1 if data_format == 'NHWC' else 2
        channels = 1 if data_format == 'NCHW' else 2
        strides = [1] + list(per_axis(strides, 1, channels, 'strides'))
        dilations = [1] + list(per_axis(dilations, 1, channels, 'dilations'))
        input = array_ops.expand_dims(input, axis)
        filters = array_ops.expand_dims(filters, 0)
        output_shape = list(output_shape) if not isinstance(
            output_shape, ops.Tensor) else output_shape
        output_shape = array_ops.concat([output_shape[:axis], [1], output_shape[axis:]], 0)
        result = gen.Conv2DBackpropInput(
            input_sizes=output_shape, filter=filters, out_backprop=input, strides=strides,
            padding=padding, data_format=data_format, dilations=dilations, name=name)
        return array_ops.squeeze(result, axis)


@export('nn.conv2d_transpose')
def conv2d_transpose(value=None, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NHWC', name=None, input=None, filters=None, dilations=None):
    """Returns the transpose of conv2d (its gradient with respect to the input).

    Args:
      value: a Tensor of shape [batch, height, width, channels in].
      filter: a Tensor of shape [height, width, channels out, channels in].
      output_shape: an int32 vector of 4 sizes.
      strides: a number, or a list of 1, 2 or 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      name: the name of the operation.
      input: another name of value.
      filters: another name of filter.
      dilations: a number, or a list of 1, 2 or 4 numbers.

    Returns:
      A Tensor of shape output_shape.

    Raises:
      ValueError: if an argument is malformed or given with both of its names.
    """
    value = deprecation.alias('input', input, 'value', value)
    filter = deprecation.alias('filters', filters, 'filter', filter)
    with ops.name_scope(name, 'conv2d_transpose', [value, filter, output_shape]) as name:
        data_format = 'NHWC' if data_format is None else data_format
        axis = channel_axis(data_format, 2)
        strides = per_axis(strides, 2, axis, 'strides')
        dilations = per_axis(dilations, 2, axis, 'dilations')
        padding, explicit = explicit_padding(padding)
        return gen.Conv2DBackpropInput(
            input_sizes=output_shape, filter=filter, out_backprop=value, strides=strides,
            padding=padding, explicit_paddings=explicit, data_format=data_format,
            dilations=dilations, name=name)


@export('nn.atrous_conv2d_transpose')
def atrous_conv2d_transpose(value, filters, output_shape, rate, padding, name=None):
    """Returns the transpose of atrous_conv2d.

    Args:
      value: a Tensor of shape [batch, height, width, channels in].
      filters: a Tensor of shape [height, width, channels out, channels in].
      output_shape: an int32 vector of 4 sizes.
      rate: the distance between the filter's taps; an integer of 1 or more.
      padding: 'SAME' or 'VALID'.
      name: the name of the scope.

    Returns:
      A Tensor of shape output_shape.

    Raises:
      ValueError: if the channels differ or padding is invalid.
    """
    with ops.name_scope(name, 'atrous_conv2d_transpose', [value, filters, output_shape]) as name:
        value = ops.convert_to_tensor(value, name='value')
        filters = ops.convert_to_tensor(filters, name='filters')
        if not value.get_shape().dims[3].is_compatible_with(filters.get_shape()[3]):
            raise ValueError(
                '`value` channel count must be compatible with `filters` input channel count. '
                f'Received: value.shape={value.get_shape()} with channel count '
                f'{value.get_shape()[3]} and filters.shape={filters.get_shape()} with input '
                f'channel count {filters.get_shape()[3]}.')
        if rate < 1:
            raise ValueError(f'`rate` cannot be less than one. Received: rate={rate}')
        if rate == 1:
            return conv2d_transpose(value, filters, output_shape, strides=[1, 1, 1, 1],
                                    padding=padding, data_format='NHWC')
        return _atrous_transpose(value, filters, output_shape, rate, padding)


def _outer_padding(filters, rate, padding):
    if padding == 'VALID':
        return 0, 0, 0, 0
    if padding != 'SAME':
        raise ValueError("`padding` must be either 'VALID' or 'SAME'. "
                         f'Received: padding={padding}')
    static = filters.get_shape()
    shape = static.as_list() if static.is_fully_defined() else array_ops.shape(filters)
    height, width = shape[0], shape[1]
    pad_height = height + (height - 1) * (rate - 1) - 1
    pad_width = width + (width - 1) * (rate - 1) - 1
    top, left = pad_height // 2, pad_width // 2
    return top, pad_height - top, left, pad_width - left


def _atrous_transpose(value, filters, output_shape, rate, padding):
    output_shape_tensor = ops.convert_to_tensor(output_shape, name='output_shape')
    top, bottom, left, right = _outer_padding(filters, rate, padding)
    shape = output_shape
    in_height = shape[1] + top + bottom
    in_width = shape[2] + left + right
    extra_bottom = (rate - in_height % rate) % rate
    extra_right = (rate - in_width % rate) % rate
    value = array_ops.space_to_batch(
        input=value, paddings=[[0, extra_bottom], [0, extra_right]], block_size=rate)
    input_sizes = [rate * rate * shape[0], (in_height + extra_bottom) // rate,
                   (in_width + extra_right) // rate, shape[3]]
    value = gen.Conv2DBackpropInput(
        input_sizes=input_sizes, filter=filters, out_backprop=value, strides=[1, 1, 1, 1],
        padding='VALID', data_format='NHWC')
    del output_shape_tensor
    return array_ops.batch_to_space(
        input=value, crops=[[top, bottom + extra_bottom], [left, right + extra_right]],
        block_size=rate)


@export('nn.conv3d_transpose')
def conv3d_transpose(value, filter=None, output_shape=None, strides=None, padding='SAME',
                     data_format='NDHWC', name=None, input=None, filters=None, dilations=None):
    """Returns the transpose of conv3d (its gradient with respect to the input).

    Args:
      value: a Tensor of shape [batch, depth, height, width, channels in].
      filter: a Tensor of shape [depth, height, width, channels out, channels in].
      output_shape: an int32 vector of 5 sizes.
      strides: a number, or a list of 1, 3 or 5 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NDHWC' or 'NCDHW'.
      name: the name of the operation.
      input: another name of value.
      filters: another name of filter.
      dilations: a number, or a list of 1, 3 or 5 numbers.

    Returns:
      A Tensor of shape output_shape.

    Raises:
      ValueError: if an argument is malformed or given with both of its names.
    """
    filter = deprecation.alias('filters', filters, 'filter', filter)
    value = deprecation.alias('input', input, 'value', value)
    with ops.name_scope(name, 'conv3d_transpose', [value, filter, output_shape]) as name:
        data_format = 'NDHWC' if data_format is None else data_format
        axis = channel_axis(data_format, 3)
        strides = per_axis(strides, 3, axis, 'strides')
        dilations = per_axis(dilations, 3, axis, 'dilations')
        return gen.Conv3DBackpropInputV2(
            input_sizes=output_shape, filter=filter, out_backprop=value, strides=strides,
            padding=padding, data_format=data_format, dilations=dilations, name=name)


_TRANSPOSES = {1: conv1d_transpose, 2: conv2d_transpose, 3: conv3d_transpose}


@export('nn.conv_transpose')
def conv_transpose(input, filters, output_shape, strides, padding='SAME', data_format=None,
                   dilations=None, name=None):
    """Returns the transpose of a convolution with 1, 2 or 3 spatial axes, given by output_shape.

    Args:
      input: a Tensor of shape [batch] + spatial + [channels in].
      filters: a Tensor of shape spatial + [channels out, channels in].
      output_shape: an int32 vector.
      strides: a number or a list.
      padding: 'SAME' or 'VALID'.
      data_format: the position of the channels. Defaults to last.
      dilations: a number or a list.
      name: the name of the scope.

    Returns:
      A Tensor of shape output_shape.

    Raises:
      ValueError: if output_shape does not have 3, 4 or 5 entries.
    """
    with ops.name_scope(name, 'conv_transpose', [input, filters, output_shape]) as name:
        if isinstance(output_shape, ops.Tensor):
            spatial = output_shape.shape.as_list()[0] - 2
        else:
            spatial = len(output_shape) - 2
        if spatial not in _TRANSPOSES:
            raise ValueError('`output_shape` must be of length 3, 4 or 5. '
                             f'Received: output_shape={output_shape} of length {spatial + 2}.')
        if data_format is None:
            data_format = {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}[spatial]
        return _TRANSPOSES[spatial](
            input, filters, output_shape, strides, padding=padding, data_format=data_format,
            dilations=dilations, name=name)
