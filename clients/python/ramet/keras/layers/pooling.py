"""Pooling layers with 1, 2 and 3 spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import arguments
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_pool


class Pooling(Layer):
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

    def __init__(self, pool_size=2, strides=None, padding='valid', data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.pool_size = arguments.per_axis(pool_size, self._rank, 'pool_size')
        self.strides = arguments.per_axis(pool_size if strides is None else strides, self._rank,
                                          'strides')
        self.padding = arguments.padding(padding)
        self.data_format = arguments.keras_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).with_rank(self._rank + 2).as_list()
        axes = arguments.spatial_axes(self.data_format, self._rank)
        sizes = [arguments.window_outputs(shape[axis], self.pool_size[i], self.padding,
                                          self.strides[i]) for i, axis in enumerate(axes)]
        return arguments.resized(shape, self.data_format, sizes)

    def get_config(self):
        return {**super().get_config(), 'pool_size': self.pool_size, 'padding': self.padding,
                'strides': self.strides, 'data_format': self.data_format}

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


class _Pooling1D(Pooling):
    _rank = 1

    def call(self, inputs):
        axis = 2 if self.data_format == 'channels_last' else 3
        outputs = self._pooled_moving_channels(array_ops.expand_dims(inputs, axis),
                                               (*self.pool_size, 1), (*self.strides, 1))
        return array_ops.squeeze(outputs, [axis])


class _Pooling2D(Pooling):
    _rank = 2

    def call(self, inputs):
        if self.data_format == 'channels_last':
            return self._pooled(inputs, self.pool_size, self.strides)
        return self._op(inputs, ksize=[1, 1, *self.pool_size], strides=[1, 1, *self.strides],
                        padding=self.padding.upper(), data_format='NCHW')


class _Pooling3D(Pooling):
    _rank = 3

    def call(self, inputs):
        return self._pooled_moving_channels(inputs, self.pool_size, self.strides)


@export('keras.layers.MaxPooling1D', 'keras.layers.MaxPool1D')
@with_args_of(Pooling, Layer)
class MaxPooling1D(_Pooling1D):
    """The maximum of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool)


@export('keras.layers.AveragePooling1D', 'keras.layers.AvgPool1D')
@with_args_of(Pooling, Layer)
class AveragePooling1D(_Pooling1D):
    """The mean of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool)


@export('keras.layers.MaxPooling2D', 'keras.layers.MaxPool2D')
@with_args_of(Pooling, Layer)
class MaxPooling2D(_Pooling2D):
    """The maximum of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool)


@export('keras.layers.AveragePooling2D', 'keras.layers.AvgPool2D')
@with_args_of(Pooling, Layer)
class AveragePooling2D(_Pooling2D):
    """The mean of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool)


@export('keras.layers.MaxPooling3D', 'keras.layers.MaxPool3D')
@with_args_of(Pooling, Layer)
class MaxPooling3D(_Pooling3D):
    """The maximum of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.max_pool3d)


@export('keras.layers.AveragePooling3D', 'keras.layers.AvgPool3D')
@with_args_of(Pooling, Layer)
class AveragePooling3D(_Pooling3D):
    """The mean of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    _op = staticmethod(nn_pool.avg_pool3d)


class _GlobalPooling(Layer):
    """The base class of pooling over all spatial axes.

    Args:
      data_format: 'channels_last' or 'channels_first'.
    """

    _rank = None

    def __init__(self, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = arguments.keras_data_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def _axes(self):
        return list(arguments.spatial_axes(self.data_format, self._rank))

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        return tensor_shape.TensorShape([shape[0], shape[-1 if self.data_format == 'channels_last' else 1]])

    def get_config(self):
        return {**super().get_config(), 'data_format': self.data_format}


class _GlobalMax(_GlobalPooling):
    def call(self, inputs):
        return math_ops.reduce_max(inputs, self._axes())


class _GlobalAverage(_GlobalPooling):
    def call(self, inputs):
        return math_ops.reduce_mean(inputs, self._axes())


@export('keras.layers.GlobalMaxPooling1D', 'keras.layers.GlobalMaxPool1D')
@with_args_of(_GlobalPooling, Layer)
class GlobalMaxPooling1D(_GlobalMax):
    """The maximum of each channel of sequences."""

    _rank = 1


@export('keras.layers.GlobalMaxPooling2D', 'keras.layers.GlobalMaxPool2D')
@with_args_of(_GlobalPooling, Layer)
class GlobalMaxPooling2D(_GlobalMax):
    """The maximum of each channel of images."""

    _rank = 2


@export('keras.layers.GlobalMaxPooling3D', 'keras.layers.GlobalMaxPool3D')
@with_args_of(_GlobalPooling, Layer)
class GlobalMaxPooling3D(_GlobalMax):
    """The maximum of each channel of volumes."""

    _rank = 3


@export('keras.layers.GlobalAveragePooling1D', 'keras.layers.GlobalAvgPool1D')
@with_args_of(_GlobalPooling, Layer)
class GlobalAveragePooling1D(_GlobalAverage):
    """The mean of each channel of sequences."""

    _rank = 1

    def __init__(self, data_format=None, **kwargs):
        super().__init__(data_format, **kwargs)
        self.supports_masking = True

    def call(self, inputs, mask=None):
        if mask is None:
            return super().call(inputs)
        axis = self._axes()[0]
        mask = array_ops.expand_dims(math_ops.cast(mask, inputs.dtype), 2 if axis == 1 else 1)
        return math_ops.reduce_sum(inputs * mask, axis) / math_ops.reduce_sum(mask, axis)

    def compute_mask(self, inputs, mask=None):
        return None


@export('keras.layers.GlobalAveragePooling2D', 'keras.layers.GlobalAvgPool2D')
@with_args_of(_GlobalPooling, Layer)
class GlobalAveragePooling2D(_GlobalAverage):
    """The mean of each channel of images."""

    _rank = 2


@export('keras.layers.GlobalAveragePooling3D', 'keras.layers.GlobalAvgPool3D')
@with_args_of(_GlobalPooling, Layer)
class GlobalAveragePooling3D(_GlobalAverage):
    """The mean of each channel of volumes."""

    _rank = 3
