"""Arguments of layers: parsing and output sizes."""

from ramet.framework import tensor_shape
from ramet.keras.backend import config


def per_axis(value, count, name):
    """Returns a tuple of `count` ints for an int or a sequence of ints.

    Raises:
      ValueError: if it is neither.
    """
    if isinstance(value, int):
        return (value,) * count
    try:
        values = tuple(value)
    except TypeError:
        raise ValueError(f'The `{name}` argument must be a tuple of {count} integers. '
                         f'Received: {value}') from None
    if len(values) != count:
        raise ValueError(f'The `{name}` argument must be a tuple of {count} integers. '
                         f'Received: {value}')
    for size in values:
        try:
            int(size)
        except (ValueError, TypeError):
            raise ValueError(
                f'The `{name}` argument must be a tuple of {count} integers. Received: {value} '
                f'including element {size} of type {type(size)}') from None
    return tuple(int(size) for size in values)


def data_format(value):
    """Returns 'channels_last' or 'channels_first'. The default is 'channels_last'.

    Raises:
      ValueError: if it is something else.
    """
    value = 'channels_last' if value is None else value
    if value.lower() not in ('channels_first', 'channels_last'):
        raise ValueError('The `data_format` argument must be one of "channels_first", '
                         f'"channels_last". Received: {value}')
    return value.lower()


def keras_data_format(value):
    """Returns 'channels_last' or 'channels_first'. The default is the setting of tf.keras.

    Raises:
      ValueError: if it is something else.
    """
    return data_format(config.image_data_format() if value is None else value)


def padding(value, more=()):
    """Returns 'valid', 'same' or one of `more`, in lower case.

    Raises:
      ValueError: if it is something else.
    """
    if not isinstance(value, str) or value.lower() not in ('valid', 'same', *more):
        raise ValueError('The `padding` argument must be a list/tuple or one of "valid", "same" '
                         f'(or "causal", only for `Conv1D). Received: {value}')
    return value.lower()


def op_format(data_format, spatial):
    """Returns the data format in the form that operations use: 'NHWC', 'NCW', ..."""
    axes = 'DHW'[3 - spatial:]
    return f'N{axes}C' if data_format == 'channels_last' else f'NC{axes}'


def convert_data_format(data_format, ndim):
    """Returns the data format in the form that operations on tensors of `ndim` dimensions use."""
    return op_format(data_format, ndim - 2)


def window_outputs(size, window, padding, stride, dilation=1):
    """Returns how many windows fit in an axis of `size`, or None if the size is unknown."""
    if size is None:
        return None
    if padding == 'valid':
        size -= (window - 1) * dilation
    return (size + stride - 1) // stride


def transposed_outputs(size, window, padding, stride):
    """Returns the size of an axis that `size` windows cover, or None if `size` is unknown.

    `size` may be a tensor.
    """
    if size is None:
        return None
    size = size * stride
    return size + max(window - stride, 0) if padding == 'valid' else size


def spatial_axes(data_format, spatial):
    """Returns the indices of the spatial axes."""
    first = 1 if data_format == 'channels_last' else 2
    return range(first, first + spatial)


def resized(shape, data_format, sizes, channels=None):
    """Returns a TensorShape with different spatial sizes, and optionally different channels."""
    shape = tensor_shape.as_shape(shape).with_rank(len(sizes) + 2).as_list()
    for axis, size in zip(spatial_axes(data_format, len(sizes)), sizes, strict=True):
        shape[axis] = size
    if channels is not None:
        shape[-1 if data_format == 'channels_last' else 1] = channels
    return tensor_shape.TensorShape(shape)
