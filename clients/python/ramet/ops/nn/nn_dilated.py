"""with_space_to_batch: dilation by moving space into the batch dimension."""

import numpy as np

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops


def _same_paddings(filter_shape, spatial, rate):
    filter_shape = ops.convert_to_tensor(filter_shape, name='filter_shape')
    known = tensor_util.constant_value(filter_shape)
    sizes = filter_shape[:spatial] if known is None else known[:spatial]
    extra = (sizes - 1) * rate
    start = extra // 2
    end = extra - start
    return array_ops.stack([[start[i], end[i]] for i in range(spatial)])


def _explicit_paddings(padding, spatial_dims):
    return np.array([padding[axis] for axis in spatial_dims], np.int32)


def _filled(values, fill, spatial_dims):
    """Inserts a fill value for the axes between and before the spatial ones."""
    known = tensor_util.constant_value(values)
    parts, previous, i = [], 0, 0
    row = values.get_shape().as_list()[1:]
    while i < len(spatial_dims):
        first, axis = i, spatial_dims[i]
        if axis > 1 and axis - 1 > previous:
            parts.append(np.full([axis - 1 - previous] + row, fill, values.dtype.as_numpy_dtype))
        while i + 1 < len(spatial_dims) and spatial_dims[i + 1] == spatial_dims[i] + 1:
            i += 1
        i += 1
        parts.append((values if known is None else known)[first:i])
        previous = spatial_dims[i - 1]
    return array_ops.concat(parts, 0) if known is None else np.concatenate(parts, axis=0)


def _checked_dims(spatial_dims, spatial):
    if spatial_dims is None:
        return list(range(1, spatial + 1))
    given = list(spatial_dims)
    if len(given) != spatial:
        raise ValueError('`len(spatial_dims)` must be equal to the number of dilation rates. '
                         f'Received: spatial_dims={given} and {spatial} dilation rates')
    if any(axis < 1 for axis in given) or any(a >= b for a, b in zip(given, given[1:])):
        raise ValueError('`spatial_dims` must be a monotonically increasing sequence of positive '
                         f'integers. Received: spatial_dims={given}')
    return given


def _input_sizes(tensor, spatial_dims):
    static = tensor.get_shape()
    if static.ndims is not None:
        sizes = [static.as_list()[axis] for axis in spatial_dims]
        if None not in sizes:
            return sizes
    shape = array_ops.shape(tensor)
    return array_ops.stack([shape[axis] for axis in spatial_dims])


def space_to_batch_call(input_shape, dilation_rate, padding, filter_shape=None, spatial_dims=None,
                        data_format=None):
    """Prepares a dilated op for an input of a known rank.

    Args:
      input_shape: the static shape of the input.
      dilation_rate: one rate per spatial axis.
      padding: 'SAME', 'VALID' or a list of pairs for each axis.
      filter_shape: the shape of the filter; required for 'SAME'.
      spatial_dims: the axes to dilate. Defaults to the first ones after the batch.
      data_format: the position of the channels; the static result keeps their number.

    Returns:
      A function of (input, op, filter), which calls op with (input, filter, padding).

    Raises:
      ValueError: if an argument is malformed.
    """
    dilation_rate = ops.convert_to_tensor(dilation_rate, dtypes.int32, name='dilation_rate')
    if dilation_rate.shape.ndims not in (None, 1):
        raise ValueError('`dilation_rate.shape.rank` must be 1. Received: '
                         f'dilation_rate={dilation_rate} of rank {dilation_rate.shape.ndims}')
    if not dilation_rate.shape.is_fully_defined():
        raise ValueError('`dilation_rate.shape` must be fully defined. '
                         f'Received: dilation_rate={dilation_rate} with shape '
                         f'{dilation_rate.shape}')
    spatial = dilation_rate.shape.as_list()[0]
    known_rate = tensor_util.constant_value(dilation_rate)
    if known_rate is not None and np.any(known_rate < 1):
        raise ValueError('`dilation_rate` must be positive. '
                         f'Received: dilation_rate={known_rate}')
    spatial_dims = _checked_dims(spatial_dims, spatial)
    last = max(spatial_dims, default=0)
    if input_shape.ndims is not None and input_shape.ndims < last + 1:
        raise ValueError(f'input tensor must have rank {last + 1} at least. '
                         f'Received: input.shape={input_shape}')
    if known_rate is not None and np.all(known_rate == 1):
        return lambda tensor, op, kernel: op(tensor, kernel, padding)
    rate = dilation_rate if known_rate is None else known_rate
    base = _base_paddings(padding, filter_shape, spatial_dims, rate)

    def call(tensor, op, kernel):
        return _dilated(tensor, op, kernel, dilation_rate, base, spatial_dims, data_format)

    return call


def _base_paddings(padding, filter_shape, spatial_dims, rate):
    if isinstance(padding, (list, tuple)):
        return _explicit_paddings(padding, spatial_dims)
    if padding == 'SAME':
        if filter_shape is None:
            raise ValueError("`filter_shape` must be specified for `padding='SAME'`. "
                             f'Received: filter_shape={filter_shape} and padding={padding}')
        return _same_paddings(filter_shape, len(spatial_dims), rate)
    if padding == 'VALID':
        return np.zeros([len(spatial_dims), 2], np.int32)
    raise ValueError("`padding` must be one of 'SAME' or 'VALID'. "
                     f'Received: padding={padding}')


def _dilated(tensor, op, kernel, dilation_rate, base_paddings, spatial_dims, data_format):
    paddings, crops = array_ops.required_space_to_batch_paddings(
        input_shape=_input_sizes(tensor, spatial_dims), base_paddings=base_paddings,
        block_shape=dilation_rate)
    block_shape = _filled(dilation_rate, 1, spatial_dims)
    paddings = _filled(paddings, 0, spatial_dims)
    crops = _filled(crops, 0, spatial_dims)
    batched = array_ops.space_to_batch_nd(
        input=tensor, block_shape=block_shape, paddings=paddings)
    result = op(batched, kernel, 'VALID')
    spread = array_ops.batch_to_space_nd(input=result, block_shape=block_shape, crops=crops)
    _keep_channels(spread, result, data_format)
    return spread


def _keep_channels(spread, result, data_format):
    if data_format is None or not data_format.startswith('NC'):
        return
    if spread.shape.ndims is not None and result.shape.ndims is not None:
        sizes = spread.shape.as_list()
        sizes[1] = tensor_shape.dimension_value(result.shape.dims[1])
        spread.set_shape(sizes)


@export('nn.with_space_to_batch')
def with_space_to_batch(input, dilation_rate, padding, op, filter_shape=None, spatial_dims=None,
                        data_format=None):
    """Applies op to input as if its window were dilated by dilation_rate.

    Args:
      input: a Tensor of rank 1 + spatial axes or more.
      dilation_rate: an int32 vector, one rate per spatial axis.
      padding: 'SAME' or 'VALID'.
      op: a function of (input, number of spatial axes, padding) that returns a Tensor.
      filter_shape: the window's spatial sizes; required for 'SAME'.
      spatial_dims: the spatial axes, ascending. Defaults to the first after the batch.
      data_format: the position of the channels.

    Returns:
      The result of op, with the batch of the input.

    Raises:
      ValueError: if an argument is malformed.
    """
    input = ops.convert_to_tensor(input, name='input')
    dilation_rate = ops.convert_to_tensor(dilation_rate, dtypes.int32, name='dilation_rate')
    call = space_to_batch_call(
        input.shape, dilation_rate, padding, filter_shape, spatial_dims, data_format)
    rank = dilation_rate.shape.ndims and dilation_rate.shape.as_list()[0]
    return call(input, lambda tensor, _, pad: op(tensor, rank, pad), None)
