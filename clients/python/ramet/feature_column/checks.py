"""Checks of the arguments of feature columns."""

from ramet.framework import dtypes, nest


def check_key(key):
    """Raises a ValueError unless a key is a str.

    Args:
      key: any object.
    """
    if not isinstance(key, str):
        raise ValueError(f'key must be a string. Got: type {type(key)}. Given key: {key}.')


def check_string_or_int(dtype, prefix):
    """Raises a ValueError unless a dtype is string or an integer.

    Args:
      dtype: a DType.
      prefix: str, the beginning of the error message.
    """
    if dtype != dtypes.string and not dtype.is_integer:
        raise ValueError(f'{prefix} dtype must be string or integer. dtype: {dtype}.')


def check_same_kind(column, dtype):
    """Raises a ValueError unless a column's dtype and that of its feature are both integers, or both strings.

    Args:
      column: a column with a key and a dtype.
      dtype: the DType of the feature.
    """
    check_string_or_int(dtype, f'column_name: {column.key} input_tensor')
    if column.dtype.is_integer != dtype.is_integer:
        raise ValueError('Column dtype and SparseTensors dtype must be compatible. key: {}, column dtype: {}, tensor '
                         'dtype: {}'.format(column.key, column.dtype, dtype))


def check_numeric(dtype, key, normalizer_fn):
    """Raises an error unless a dtype can be converted to float and normalizer_fn can be called.

    Args:
      dtype: a DType.
      key: str, the name of the feature.
      normalizer_fn: a callable, or None.
    """
    if not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f'dtype must be convertible to float. dtype: {dtype}, key: {key}')
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f'normalizer_fn must be a callable. Given: {normalizer_fn}')


def checked_shape(shape, key):
    """Returns a shape as a tuple of ints.

    Args:
      shape: an int, or a sequence of ints.
      key: str, the name of the feature.

    Raises:
      TypeError: if a size is not an int.
      ValueError: if a size is less than 1.
    """
    if shape is None:
        raise ValueError(f'shape must not be None. key: {key}')
    shape = tuple(shape) if nest.is_nested(shape) else (shape,)
    for size in shape:
        if not isinstance(size, int):
            raise TypeError(f'shape dimensions must be integer. shape: {shape}, key: {key}')
        if size < 1:
            raise ValueError(f'shape dimensions must be greater than 0. shape: {shape}, key: {key}')
    return shape


def _filled(shape, value):
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _as_tuple(value):
    return tuple(map(_as_tuple, value)) if nest.is_nested(value) else value


def _has_shape(value, shape):
    if nest.is_nested(value) != bool(shape):
        return False
    return not shape or len(value) == shape[0] and all(_has_shape(v, shape[1:]) for v in value)


def checked_default(shape, default_value, dtype, key):
    """Returns a default value as nested tuples of the given shape.

    Args:
      shape: a tuple of ints.
      default_value: a number, an array, nested sequences of numbers, or None.
      dtype: the DType of the feature.
      key: str, the name of the feature.

    Raises:
      ValueError: if default_value has a different shape.
      TypeError: if it has elements of a different type.
    """
    if default_value is None:
        return None
    if isinstance(default_value, int) or isinstance(default_value, float) and dtype.is_floating:
        return _filled(shape, default_value)
    if callable(getattr(default_value, 'tolist', None)):
        default_value = default_value.tolist()
    if nest.is_nested(default_value):
        if not _has_shape(default_value, shape):
            raise ValueError('The shape of default_value must be equal to given shape. default_value: {}, shape: {}, '
                             'key: {}'.format(default_value, shape, key))
        values = nest.flatten(default_value)
        if all(isinstance(v, int) for v in values) or (
                any(isinstance(v, float) for v in values) and dtype.is_floating):
            return _as_tuple(default_value)
    raise TypeError(f'default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, '
                    f'key: {key}')
