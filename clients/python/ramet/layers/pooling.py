"""Pooling layers with 1, 2 and 3 spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.layers import pooling
from ramet.layers import base
from ramet.layers.arguments import as_function


@export('layers.MaxPooling1D')
@with_args_of(pooling.Pooling, base.Layer)
class MaxPooling1D(pooling.MaxPooling1D, base.Layer):
    """The maximum of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


@export('layers.MaxPooling2D')
@with_args_of(pooling.Pooling, base.Layer)
class MaxPooling2D(pooling.MaxPooling2D, base.Layer):
    """The maximum of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


@export('layers.MaxPooling3D')
@with_args_of(pooling.Pooling, base.Layer)
class MaxPooling3D(pooling.MaxPooling3D, base.Layer):
    """The maximum of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


@export('layers.AveragePooling1D')
@with_args_of(pooling.Pooling, base.Layer)
class AveragePooling1D(pooling.AveragePooling1D, base.Layer):
    """The mean of each window in sequences.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


@export('layers.AveragePooling2D')
@with_args_of(pooling.Pooling, base.Layer)
class AveragePooling2D(pooling.AveragePooling2D, base.Layer):
    """The mean of each window in images.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


@export('layers.AveragePooling3D')
@with_args_of(pooling.Pooling, base.Layer)
class AveragePooling3D(pooling.AveragePooling3D, base.Layer):
    """The mean of each window in volumes.

    Raises:
      ValueError: if an argument is malformed.
    """

    def __init__(self, pool_size, strides, padding='valid', data_format='channels_last', name=None, **kwargs):
        super().__init__(pool_size, strides, padding, data_format, name=name, **kwargs)


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
