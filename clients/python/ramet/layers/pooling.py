"""Pooling layers with 1, 2 and 3 spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.layers import arguments, base
from ramet.layers.arguments import as_function
from ramet.layers.input_spec import InputSpec
from ramet.ops.array import array_ops
from ramet.ops.nn import nn_pool


class _Pooling(base.Layer):
    """The base class of pooling layers.

    Args:
      pool_size: the size of the windows: an int, or one per spatial axis.
      strides: an int, or one per spatial axis.
      padding: 'valid' or 'same'.
      data_format: 'channels_last' or 'channels_first'.
      name: the name of the layer.

    Raises:
      ValueError: if an argument is malformed.
    """

    _rank, _op = None, None

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last',
                 name=None, **kwargs):
        super().__init__(name=name, **kwargs)
        self.pool_size = arguments.per_axis(pool_size, self._rank, 'pool_size')
        self.strides = arguments.per_axis(pool_size if strides is None else strides, self._rank,
                                          'strides')
        self.padding = arguments.padding(padding)
        self.data_format = arguments.data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank(self._rank + 2).as_list()
        axes = arguments.spatial_axes(self.data_format, self._rank)
        sizes = [arguments.window_outputs(shape[axis], self.pool_size[i], self.padding,
                                          self.strides[i]) for i, axis in enumerate(axes)]
        return arguments.resized(shape, self.data_format, sizes)

    def _pooled(self, inputs, windows, strides):
        """Pools a tensor whose last axis is the channels."""
        return self._op(inputs, ksize=[1, *windows, 1], strides=[1, *strides, 1],
                        padding=self.padding.upper(),
                        data_format=arguments.op_format('channels_last', len(windows)))

    def _pooled_moving_channels(self, inputs, windows, strides):
        if self.data_format == 'channels_last':
            return self._pooled(inputs, windows, strides)
        rank = len(windows)
        outputs = self._pooled(array_ops.transpose(inputs, [0, *range(2, rank + 2), 1]),
                               windows, strides)
        return array_ops.transpose(outputs, [0, rank + 1, *range(1, rank + 1)])


class _Pooling1D(_Pooling):
    _rank = 1

    def call(self, inputs):
        axis = 2 if self.data_format == 'channels_last' else 3
        outputs = self._pooled_moving_channels(array_ops.expand_dims(inputs, axis),
                                               (*self.pool_size, 1), (*self.strides, 1))
        return array_ops.squeeze(outputs, [axis])


class _Pooling2D(_Pooling):
    _rank = 2

    def call(self, inputs):
        if self.data_format == 'channels_last':
            return self._pooled(inputs, self.pool_size, self.strides)
        return self._op(inputs, ksize=[1, 1, *self.pool_size], strides=[1, 1, *self.strides],
                        padding=self.padding.upper(), data_format='NCHW')


class _Pooling3D(_Pooling):
    _rank = 3

    def call(self, inputs):
        return self._pooled_moving_channels(inputs, self.pool_size, self.strides)


@export('layers.MaxPooling1D')
@with_args_of(_Pooling, base.Layer)
class MaxPooling1D(_Pooling1D):
    """The maximum of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool)


@export('layers.AveragePooling1D')
@with_args_of(_Pooling, base.Layer)
class AveragePooling1D(_Pooling1D):
    """The mean of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool)


@export('layers.MaxPooling2D')
@with_args_of(_Pooling, base.Layer)
class MaxPooling2D(_Pooling2D):
    """The maximum of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool)


@export('layers.AveragePooling2D')
@with_args_of(_Pooling, base.Layer)
class AveragePooling2D(_Pooling2D):
    """The mean of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool)


@export('layers.MaxPooling3D')
@with_args_of(_Pooling, base.Layer)
class MaxPooling3D(_Pooling3D):
    """The maximum of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool3d)


@export('layers.AveragePooling3D')
@with_args_of(_Pooling, base.Layer)
class AveragePooling3D(_Pooling3D):
    """The mean of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool3d)


max_pooling1d = export('layers.max_pooling1d')(
    as_function(MaxPooling1D, 'max_pooling1d', reuse=False))
max_pooling2d = export('layers.max_pooling2d')(
    as_function(MaxPooling2D, 'max_pooling2d', reuse=False))
max_pooling3d = export('layers.max_pooling3d')(
    as_function(MaxPooling3D, 'max_pooling3d', reuse=False))
average_pooling1d = export('layers.average_pooling1d')(
    as_function(AveragePooling1D, 'average_pooling1d', reuse=False))
average_pooling2d = export('layers.average_pooling2d')(
    as_function(AveragePooling2D, 'average_pooling2d', reuse=False))
average_pooling3d = export('layers.average_pooling3d')(
    as_function(AveragePooling3D, 'average_pooling3d', reuse=False))
