"""Pooling over 1, 2 and 3 spatial axes."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import deprecation, ops
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_dilated
from ramet.ops.nn.nn_arguments import channel_axis, explicit_padding, per_axis

_FORMATS = {1: 'NWC', 2: 'NHWC', 3: 'NDHWC'}


def _windows(ksize, strides, data_format, spatial):
    axis = channel_axis(data_format, spatial)
    return per_axis(ksize, spatial, axis, 'ksize'), per_axis(strides, spatial, axis, 'strides')


def _refuse_zero(ksize):
    if 0 in ksize:
        raise ValueError(f'`ksize` cannot be zero. Received: ksize={ksize}')


def _max_pool_2d(value, ksize, strides, padding, data_format, name):
    data_format = 'NHWC' if data_format is None else data_format
    ksize, strides = _windows(ksize, strides, data_format, 2)
    _refuse_zero(ksize)
    padding, explicit = explicit_padding(padding)
    return gen.MaxPool(value, ksize=ksize, strides=strides, padding=padding,
                       explicit_paddings=explicit, data_format=data_format, name=name)


@export('nn.max_pool')
def max_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """Returns the largest value of each window of images.

    Args:
      value: a Tensor of shape [batch, height, width, channels].
      ksize: the window: a number, or a list of 1, 2 or 4 numbers.
      strides: a number, or a list of 1, 2 or 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      name: the name of the operation.
      input: another name of value.

    Returns:
      A Tensor of value's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    value = deprecation.alias('input', input, 'value', value)
    with ops.name_scope(name, 'MaxPool', [value]) as name:
        return _max_pool_2d(value, ksize, strides, padding, data_format, name)


@export('nn.max_pool2d')
def max_pool2d(input, ksize, strides, padding, data_format='NHWC', name=None):
    """Same as tf.nn.max_pool.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      ksize: the window: a number, or a list of 1, 2 or 4 numbers.
      strides: a number, or a list of 1, 2 or 4 numbers.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: 'NHWC' or 'NCHW'.
      name: the name of the operation.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'MaxPool2d', [input]) as name:
        return _max_pool_2d(input, ksize, strides, padding, data_format, name)


def _pool_1d(op, input, ksize, strides, padding, data_format, name):
    data_format = 'NWC' if data_format is None else data_format
    ksize, strides = _windows(ksize, strides, data_format, 1)
    _refuse_zero(ksize)
    axis = 1 if data_format == 'NWC' else 2
    data_format = 'NHWC' if data_format == 'NWC' else 'NCHW'
    ksize = list(ksize[:axis]) + [1] + list(ksize[axis:])
    strides = list(strides[:axis]) + [1] + list(strides[axis:])
    result = op(array_ops.expand_dims(input, axis), ksize=ksize, strides=strides,
                padding=padding, data_format=data_format, name=name)
    return array_ops.squeeze(result, axis)


@export('nn.max_pool1d')
def max_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """Returns the largest value of each window of sequences.

    Args:
      input: a Tensor of shape [batch, width, channels].
      ksize: the window: a number, or a list of 1 or 3 numbers.
      strides: a number, or a list of 1 or 3 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NWC' or 'NCW'.
      name: the name of the scope.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'MaxPool1d', [input]) as name:
        return _pool_1d(gen.MaxPool, input, ksize, strides, padding, data_format, name)


@export('nn.avg_pool1d')
def avg_pool1d(input, ksize, strides, padding, data_format='NWC', name=None):
    """Returns the mean of each window of sequences.

    Args:
      input: a Tensor of shape [batch, width, channels].
      ksize: the window: a number, or a list of 1 or 3 numbers.
      strides: a number, or a list of 1 or 3 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NWC' or 'NCW'.
      name: the name of the scope.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'AvgPool1D', [input]) as name:
        return _pool_1d(gen.AvgPool, input, ksize, strides, padding, data_format, name)


@export('nn.avg_pool', 'nn.avg_pool2d')
def avg_pool(value, ksize, strides, padding, data_format='NHWC', name=None, input=None):
    """Returns the mean of each window of images.

    Args:
      value: a Tensor of shape [batch, height, width, channels].
      ksize: the window: a number, or a list of 1, 2 or 4 numbers.
      strides: a number, or a list of 1, 2 or 4 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NHWC' or 'NCHW'.
      name: the name of the operation.
      input: another name of value.

    Returns:
      A Tensor of value's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    value = deprecation.alias('input', input, 'value', value)
    with ops.name_scope(name, 'AvgPool', [value]) as name:
        data_format = 'NHWC' if data_format is None else data_format
        ksize, strides = _windows(ksize, strides, data_format, 2)
        return gen.AvgPool(value, ksize=ksize, strides=strides, padding=padding,
                           data_format=data_format, name=name)


@export('nn.max_pool3d')
def max_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """Returns the largest value of each window of volumes.

    Args:
      input: a Tensor of shape [batch, depth, height, width, channels].
      ksize: the window: a number, or a list of 1, 3 or 5 numbers.
      strides: a number, or a list of 1, 3 or 5 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NDHWC' or 'NCDHW'.
      name: the name of the operation.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'MaxPool3D', [input]) as name:
        data_format = 'NDHWC' if data_format is None else data_format
        ksize, strides = _windows(ksize, strides, data_format, 3)
        _refuse_zero(ksize)
        return gen.MaxPool3D(input, ksize=ksize, strides=strides, padding=padding,
                             data_format=data_format, name=name)


@export('nn.avg_pool3d')
def avg_pool3d(input, ksize, strides, padding, data_format='NDHWC', name=None):
    """Returns the mean of each window of volumes.

    Args:
      input: a Tensor of shape [batch, depth, height, width, channels].
      ksize: the window: a number, or a list of 1, 3 or 5 numbers.
      strides: a number, or a list of 1, 3 or 5 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NDHWC' or 'NCDHW'.
      name: the name of the operation.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    with ops.name_scope(name, 'AvgPool3D', [input]) as name:
        data_format = 'NDHWC' if data_format is None else data_format
        ksize, strides = _windows(ksize, strides, data_format, 3)
        return gen.AvgPool3D(input, ksize=ksize, strides=strides, padding=padding,
                             data_format=data_format, name=name)


_MAX_POOLS = {1: max_pool1d, 2: max_pool2d, 3: max_pool3d}
_AVG_POOLS = {1: avg_pool1d, 2: avg_pool, 3: avg_pool3d}


def _pool_of_rank(pools, input, data_format):
    shape = getattr(input, 'shape', None)
    rank = len(shape) if isinstance(shape, tuple) else getattr(shape, 'ndims', None)
    if rank is not None:
        spatial = rank - 2
    else:
        spatial = 2 if data_format is None else len(data_format) - 2
    if spatial not in pools:
        raise ValueError('`input.shape.rank` must be 3, 4 or 5. '
                         f'Received: input.shape={shape} of rank {rank}.')
    return pools[spatial], data_format or _FORMATS[spatial]


@export('nn.max_pool_v2')
def max_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """Returns the largest value of each window; the rank of input determines the number of axes.

    Args:
      input: a Tensor of shape [batch] + spatial + [channels], of rank 3, 4 or 5.
      ksize: the window: a number or a list.
      strides: a number or a list.
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      data_format: the position of the channels. Defaults to last.
      name: the name of the operation.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    pool, data_format = _pool_of_rank(_MAX_POOLS, input, data_format)
    return pool(input, ksize, strides, padding, data_format=data_format, name=name)


@export('nn.avg_pool_v2')
def avg_pool_v2(input, ksize, strides, padding, data_format=None, name=None):
    """Returns the mean of each window; the rank of input determines the number of axes.

    Args:
      input: a Tensor of shape [batch] + spatial + [channels], of rank 3, 4 or 5.
      ksize: the window: a number or a list.
      strides: a number or a list.
      padding: 'SAME' or 'VALID'.
      data_format: the position of the channels. Defaults to last.
      name: the name of the operation.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed.
    """
    pool, data_format = _pool_of_rank(_AVG_POOLS, input, data_format)
    return pool(input, ksize, strides, padding, data_format=data_format, name=name)


@export('nn.max_pool_with_argmax')
def max_pool_with_argmax(input, ksize, strides, padding, data_format='NHWC', Targmax=None,
                         name=None, output_dtype=None, include_batch_in_index=False):
    """Returns the largest value of each window and its position.

    Args:
      input: a Tensor of shape [batch, height, width, channels].
      ksize: a list of 4 numbers.
      strides: a list of 4 numbers.
      padding: 'SAME' or 'VALID'.
      data_format: 'NHWC'.
      Targmax: the type of the positions, int32 or int64 (the default).
      name: the name of the operation.
      output_dtype: another name of Targmax.
      include_batch_in_index: whether positions include the batch dimension.

    Returns:
      output and argmax.

    Raises:
      ValueError: if data_format is not 'NHWC'.
    """
    if data_format != 'NHWC':
        raise ValueError("`data_format` values other  than 'NHWC' are not supported. "
                         f'Received: data_format={data_format}')
    Targmax = deprecation.alias('output_dtype', output_dtype, 'Targmax', Targmax)
    return gen.MaxPoolWithArgmax(
        input=input, ksize=ksize, strides=strides, padding=padding,
        Targmax='int64' if Targmax is None else Targmax,
        include_batch_in_index=include_batch_in_index, name=name)


def _rates(spatial, strides, dilation_rate):
    strides = [1] * spatial if strides is None else list(strides)
    dilation_rate = [1] * spatial if dilation_rate is None else list(dilation_rate)
    for name, value in (('strides', strides), ('dilation_rate', dilation_rate)):
        if len(value) != spatial:
            raise ValueError(f'`len({name})` should be {spatial}. Received: {name}={value}')
    if np.any(np.array(strides) < 1):
        raise ValueError('all values of `strides` must be positive. '
                         f'Received: strides={np.array(strides)}')
    if np.any(np.array(strides) > 1) and np.any(np.array(dilation_rate) > 1):
        raise ValueError(
            '`strides > 1` not supported in conjunction with `dilation_rate > 1`. Received: '
            f'strides={np.array(strides)} and dilation_rate={np.array(dilation_rate)}')
    return strides, dilation_rate


@export('nn.pool')
def pool(input, window_shape, pooling_type, padding, dilation_rate=None, strides=None, name=None,
         data_format=None, dilations=None):
    """Pools over 1, 2 or 3 spatial axes, with dilation or strides.

    Args:
      input: a Tensor of shape [batch] + spatial + [channels].
      window_shape: a number per spatial axis.
      pooling_type: 'MAX' or 'AVG'.
      padding: 'SAME' or 'VALID'.
      dilation_rate: a number per spatial axis. Defaults to ones.
      strides: a number per spatial axis. Defaults to ones.
      name: the name of the scope.
      data_format: the position of the channels; 'NC...' for first.
      dilations: another name of dilation_rate.

    Returns:
      A Tensor of input's type.

    Raises:
      ValueError: if an argument is malformed, or both strides and rates are above 1.
    """
    dilation_rate = deprecation.alias('dilations', dilations, 'dilation_rate', dilation_rate)
    window_shape = list(window_shape)
    spatial = len(window_shape)
    with ops.name_scope(name, f'{pooling_type.lower()}_pool', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        input.get_shape().with_rank(spatial + 2)
        strides, dilation_rate = _rates(spatial, strides, dilation_rate)
        if padding == 'SAME' and np.any(np.array(dilation_rate) > 1):
            raise ValueError(
                'pooling with `padding=\'SAME\'` is not implemented for `dilation_rate > 1`. '
                f'Received: padding={padding} and dilation_rate={np.array(dilation_rate)}')
        pools = {'MAX': _MAX_POOLS, 'AVG': _AVG_POOLS}.get(pooling_type, {})
        if spatial not in pools:
            raise ValueError(f'{spatial}-D {pooling_type} pooling is not supported.')
        first = data_format is not None and data_format.startswith('NC')

        def op(tensor, _, padding):
            return pools[spatial](tensor, window_shape, strides, padding,
                                  data_format=data_format or _FORMATS[spatial], name=scope)

        call = nn_dilated.space_to_batch_call(
            input.shape, dilation_rate, padding,
            spatial_dims=list(range(2, spatial + 2) if first else range(1, spatial + 1)))
        return call(input, op, None)
