"""Padding, cropping and enlarging along spatial axes."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras.backend import tensors
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import arguments


def _pairs(value, rank, name):
    """Returns a pair of ints for each axis, for an int, an int per axis, or a pair per axis."""
    if isinstance(value, int):
        return ((value, value),) * rank
    if rank == 1:
        return (tuple(arguments.per_axis(value, 2, name)),)
    if len(value) != rank:
        raise ValueError(f'`{name}` should have {rank} elements. Found: {value}')
    return tuple(tuple(arguments.per_axis(v, 2, name)) for v in value)


class _Spatial(Layer):
    """The base class of layers that change the sizes of spatial axes."""

    _rank = None
    _field = None

    def __init__(self, value, data_format=None, **kwargs):
        super().__init__(**kwargs)
        self.data_format = 'channels_last' if self._rank == 1 else arguments.keras_data_format(data_format)
        setattr(self, self._field, value)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def _first(self):
        return 1 if self.data_format == 'channels_last' else 2

    def _resized(self, axis, size):
        raise NotImplementedError

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        for i in range(self._rank):
            at = self._first() + i
            shape[at] = None if shape[at] is None else self._resized(i, shape[at])
        return tensor_shape.TensorShape(shape)

    def get_config(self):
        value = getattr(self, self._field)
        if self._rank == 1:
            return {**super().get_config(), self._field: value[0] if isinstance(value, tuple) else value}
        return {**super().get_config(), self._field: value, 'data_format': self.data_format}


class _ZeroPadding(_Spatial):
    """Adds zeros.

    Args:
      padding: how many to add before and after: an int, or an int or a pair for each axis.
      data_format: 'channels_last' or 'channels_first'.
    """

    _field = 'padding'

    def __init__(self, padding=1, data_format=None, **kwargs):
        super().__init__(_pairs(padding, self._rank, 'padding'), data_format, **kwargs)

    def _resized(self, axis, size):
        return size + sum(self.padding[axis])

    def call(self, inputs):
        return tensors.pad_spatial(inputs, self.padding, self.data_format)


class _Cropping(_Spatial):
    """Removes elements.

    Args:
      cropping: how many to remove before and after: an int, or an int or a pair for each axis.
      data_format: 'channels_last' or 'channels_first'.
    """

    _field = 'cropping'

    def __init__(self, cropping=1, data_format=None, **kwargs):
        super().__init__(_pairs(cropping, self._rank, 'cropping'), data_format, **kwargs)

    def _resized(self, axis, size):
        return size - sum(self.cropping[axis])

    def call(self, inputs):
        parts = [slice(before, -after if after else None) for before, after in self.cropping]
        return inputs[(slice(None),) * self._first() + tuple(parts)]


class _UpSampling(_Spatial):
    """Repeats elements.

    Args:
      size: how often: an int, or an int for each axis.
      data_format: 'channels_last' or 'channels_first'.
    """

    _field = 'size'

    def __init__(self, size=2, data_format=None, **kwargs):
        super().__init__(arguments.per_axis(size, self._rank, 'size'), data_format, **kwargs)

    def _resized(self, axis, size):
        return size * self.size[axis]

    def call(self, inputs):
        return tensors.repeat_spatial(inputs, self.size, self._first())


@export('keras.layers.UpSampling2D')
@with_args_of(_UpSampling, Layer)
class UpSampling2D(_UpSampling):
    """Enlarges images.

    Args:
      interpolation: 'nearest' or 'bilinear'.

    Raises:
      ValueError: if interpolation is invalid.
    """

    _rank = 2

    def __init__(self, size=(2, 2), data_format=None, interpolation='nearest', **kwargs):
        super().__init__(size, data_format, **kwargs)
        if interpolation not in ('nearest', 'bilinear'):
            raise ValueError('`interpolation` argument should be one of `"nearest"` or `"bilinear"`.')
        self.interpolation = interpolation

    def call(self, inputs):
        return tensors.resize_images(inputs, *self.size, self.data_format, interpolation=self.interpolation)

    def get_config(self):
        return {**super().get_config(), 'interpolation': self.interpolation}


@export('keras.layers.ZeroPadding1D')
@with_args_of(_ZeroPadding, Layer)
class ZeroPadding1D(_ZeroPadding):
    """Adds zeros before and after each spatial axis of sequences."""

    _rank = 1

    def __init__(self, padding=1, **kwargs):
        super().__init__(padding, **kwargs)


@export('keras.layers.ZeroPadding2D')
@with_args_of(_ZeroPadding, Layer)
class ZeroPadding2D(_ZeroPadding):
    """Adds zeros before and after each spatial axis of images."""

    _rank = 2

    def __init__(self, padding=(1, 1), data_format=None, **kwargs):
        super().__init__(padding, data_format, **kwargs)


@export('keras.layers.ZeroPadding3D')
@with_args_of(_ZeroPadding, Layer)
class ZeroPadding3D(_ZeroPadding):
    """Adds zeros before and after each spatial axis of volumes."""

    _rank = 3

    def __init__(self, padding=(1, 1, 1), data_format=None, **kwargs):
        super().__init__(padding, data_format, **kwargs)


@export('keras.layers.Cropping1D')
@with_args_of(_Cropping, Layer)
class Cropping1D(_Cropping):
    """Removes elements before and after each spatial axis of sequences."""

    _rank = 1

    def __init__(self, cropping=(1, 1), **kwargs):
        super().__init__(cropping, **kwargs)


@export('keras.layers.Cropping2D')
@with_args_of(_Cropping, Layer)
class Cropping2D(_Cropping):
    """Removes elements before and after each spatial axis of images."""

    _rank = 2

    def __init__(self, cropping=((0, 0), (0, 0)), data_format=None, **kwargs):
        super().__init__(cropping, data_format, **kwargs)


@export('keras.layers.Cropping3D')
@with_args_of(_Cropping, Layer)
class Cropping3D(_Cropping):
    """Removes elements before and after each spatial axis of volumes."""

    _rank = 3

    def __init__(self, cropping=((1, 1), (1, 1), (1, 1)), data_format=None, **kwargs):
        super().__init__(cropping, data_format, **kwargs)


@export('keras.layers.UpSampling1D')
@with_args_of(_UpSampling, Layer)
class UpSampling1D(_UpSampling):
    """Repeats the elements of sequences."""

    _rank = 1

    def __init__(self, size=2, **kwargs):
        super().__init__(size, **kwargs)


@export('keras.layers.UpSampling3D')
@with_args_of(_UpSampling, Layer)
class UpSampling3D(_UpSampling):
    """Repeats the elements of volumes."""

    _rank = 3

    def __init__(self, size=(2, 2, 2), data_format=None, **kwargs):
        super().__init__(size, data_format, **kwargs)
