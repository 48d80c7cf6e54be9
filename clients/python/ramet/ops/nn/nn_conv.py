"""Convolutions with 1, 2 and 3 spatial axes, and their gradients."""

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.nn.nn_arguments import channel_axis, explicit_padding, per_axis


def squeeze_batch_dims(tensor, op, inner_rank, name=None):
    """Applies op to a tensor with its batch axes folded into one, and unfolds the result."""
    with ops.name_scope(name, 'squeeze_batch_dims', [tensor]):
        tensor = ops.convert_to_tensor(tensor, name='input')
        shape = tensor.shape
        inner, batch = shape[-inner_rank:], shape[:-inner_rank]
        if not inner.is_fully_defined():
            inner = array_ops.shape(tensor)[-inner_rank:]
        if not batch.is_fully_defined():
            batch = array_ops.shape(tensor)[:-inner_rank]
        if isinstance(inner, tensor_shape.TensorShape):
            folded = array_ops.reshape(tensor, [-1] + inner.as_list())
        else:
            folded = array_ops.reshape(tensor, array_ops.concat(([-1], inner), axis=-1))
        folded.set_shape([None] + shape[-inner_rank:].as_list())
        result = op(folded)
        result_inner = result.shape[-inner_rank:]
        if not result_inner.is_fully_defined():
            result_inner = array_ops.shape(result)[-inner_rank:]
        unfolded = array_ops.reshape(result, array_ops.concat((batch, result_inner), axis=-1))
        unfolded.set_shape(shape[:-inner_rank] + result.shape[-inner_rank:])
        return unfolded


def _folding_batch(tensor, spatial, name, op):
    rank = getattr(getattr(tensor, 'shape', None), 'ndims', None)
    if rank is not None and rank > spatial + 2:
        return squeeze_batch_dims(tensor, op, inner_rank=spatial + 1, name=name)
    return op(tensor, name)


@export('nn.conv2d')
def conv2d(input, filter=None, strides=None, padding=None, use_cudnn_on_gpu=True,
           data_format='NHWC', dilations=[1, 1, 1, 1], name=None, filters=None):
    """Convolves (cross-correlates) images with filters.

    Args:
      input: a Tensor of shape batch + [height, width, channels], of half, bfloat16, float, double
        or int32.
      filter: a Tensor of shape [height, width, channels in, channels out], of input's type.
      strides: a number, or a list of 1, 2 or 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      use_cudnn_on_gpu: stored in the node, otherwise ignored.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a number, or a list of 1, 2 or 4 numbers.
      name: the name of the operation.
      filters: another name of filter.

    Returns:
      A Tensor of input's type, batch + [height, width, channels out].

    Raises:
      ValueError: if an argument is malformed or the shapes are incompatible.
    """
    filter = deprecation.alias('filters', filters, 'filter', filter)
    padding, explicit = explicit_padding(padding)
    data_format = 'NHWC' if data_format is None else data_format
    axis = channel_axis(data_format, 2)
    strides = per_axis(strides, 2, axis, 'strides')
    dilations = per_axis(dilations, 2, axis, 'dilations')

    def op(tensor, name=None):
        return gen.Conv2D(
            tensor, filter, strides, padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
            explicit_paddings=explicit, data_format=data_format, dilations=dilations, name=name)

    return _folding_batch(input, 2, name, op)


@export('nn.conv2d_backprop_filter')
def conv2d_backprop_filter(input, filter_sizes, out_backprop, strides, padding,
                           use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1],
                           name=None):
    """Returns the gradient of conv2d with respect to its filter.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      filter_sizes: an int32 vector, the shape of the filter.
      out_backprop: the gradient of the convolution's output.
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      use_cudnn_on_gpu: stored in the node, otherwise ignored.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a list of 4 numbers.
      name: the name of the operation.

    Returns:
      A Tensor of shape filter_sizes.
    """
    padding, explicit = explicit_padding(padding)
    return gen.Conv2DBackpropFilter(
        input, filter_sizes, out_backprop, strides, padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit, data_format=data_format, dilations=dilations, name=name)


@export('nn.conv2d_backprop_input')
def conv2d_backprop_input(input_sizes, filter=None, out_backprop=None, strides=None, padding=None,
                          use_cudnn_on_gpu=True, data_format='NHWC', dilations=[1, 1, 1, 1],
                          name=None, filters=None):
    """Returns the gradient of conv2d with respect to its input.

    Args:
      input_sizes: an int32 vector, the shape of the input.
      filter: a Tensor of shape [height, width, channels in, channels out].
      out_backprop: the gradient of the convolution's output.
      strides: a list of 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      use_cudnn_on_gpu: stored in the node, otherwise ignored.
      data_format: 'NHWC' or 'NCHW'.
      dilations: a list of 4 numbers.
      name: the name of the operation.
      filters: another name of filter.

    Returns:
      A Tensor of shape input_sizes.
    """
    filter = deprecation.alias('filters', filters, 'filter', filter)
    padding, explicit = explicit_padding(padding)
    return gen.Conv2DBackpropInput(
        input_sizes, filter, out_backprop, strides, padding, use_cudnn_on_gpu=use_cudnn_on_gpu,
        explicit_paddings=explicit, data_format=data_format, dilations=dilations, name=name)


def format_1d(data_format):
    if data_format in (None, 'NHWC', 'NWC'):
        return 'NHWC', -3
    if data_format in ('NCW', 'NCHW'):
        return 'NCHW', -2
    raise ValueError(f"`data_format` must be 'NWC' or 'NCW'. Received: data_format={data_format}")


@export('nn.conv1d')
def conv1d(value=None, filters=None, stride=None, padding=None, use_cudnn_on_gpu=None,
           data_format=None, name=None, input=None, dilations=None):
    """Convolves (cross-correlates) sequences with filters.

    Args:
      value: a Tensor of shape batch + [width, channels].
      filters: a Tensor of shape [width, channels in, channels out].
      stride: a number, or a list of 1 or 3 numbers.
      padding: 'SAME' or 'VALID'.
      use_cudnn_on_gpu: stored in the node, otherwise ignored.
      data_format: 'NWC' or 'NCW'.
      name: the name of the scope.
      input: another name of value.
      dilations: a number, or a list of 1 or 3 numbers.

    Returns:
      A Tensor of value's type, batch + [width, channels out].

    Raises:
      ValueError: if an argument is malformed or the shapes are incompatible.
    """
    value = deprecation.alias('input', input, 'value', value)
    with ops.name_scope(name, 'conv1d', [value, filters]) as name:
        data_format, axis = format_1d(data_format)
        channels = 1 if data_format == 'NCHW' else 2
        strides = [1] + list(per_axis(stride, 1, channels, 'stride'))
        dilations = [1] + list(per_axis(dilations, 1, channels, 'dilations'))
        value = array_ops.expand_dims(value, axis)
        filters = array_ops.expand_dims(filters, 0)
        use_cudnn = True if use_cudnn_on_gpu is None else use_cudnn_on_gpu

        def op(tensor, name=None):
            return gen.Conv2D(tensor, filters, strides, padding, use_cudnn_on_gpu=use_cudnn,
                              data_format=data_format, dilations=dilations, name=name)

        result = _folding_batch(value, 2, name, op)
        return array_ops.squeeze(result, [axis])


@export('nn.conv3d')
def conv3d(input, filter=None, strides=None, padding=None, data_format='NDHWC',
           dilations=[1, 1, 1, 1, 1], name=None, filters=None):
    """Convolves (cross-correlates) volumes with filters.

    Args:
      input: a Tensor of shape [batch, depth, height, width, channels].
      filter: a Tensor of shape [depth, height, width, channels in, channels out].
      strides: a list of 5 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NDHWC' or 'NCDHW'.
      dilations: a list of 5 numbers.
      name: the name of the operation.
      filters: another name of filter.

    Returns:
      A Tensor of shape [batch, depth, height, width, channels out].
    """
    filter = deprecation.alias('filters', filters, 'filter', filter)
    return gen.Conv3D(input, filter, strides, padding, data_format=data_format,
                      dilations=dilations, name=name)
