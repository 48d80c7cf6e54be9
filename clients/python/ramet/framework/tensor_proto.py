"""Converts values to TensorProto and back."""

import itertools

import numpy as np

from ramet.api import export
from ramet.core.framework import tensor_pb2
from ramet.framework import compat, dtypes, tensor_shape

_TWO_GIGABYTES = 2 << 30

# Types that are stored as raw bytes if there is more than one element.
_RAW = frozenset(
    dtype
    for dtype in dtypes.BY_ENUM[1:34]
    if (dtype.is_floating or dtype.is_integer or dtype.is_quantized)
    and dtype.name not in ('uint16', 'int4', 'uint4', 'int2', 'uint2')
)
_FIELDS = {
    'float32': 'float_val',
    'float64': 'double_val',
    'int64': 'int64_val',
    'uint32': 'uint32_val',
    'uint64': 'uint64_val',
    'bool': 'bool_val',
    'float16': 'half_val',
    'bfloat16': 'half_val',
    'string': 'string_val',
    'complex64': 'scomplex_val',
    'complex128': 'dcomplex_val',
}


def _field_of(dtype):
    """Returns the name of the field of a TensorProto that holds the elements of a type."""
    if dtype.name in _FIELDS:
        return _FIELDS[dtype.name]
    return 'float8_val' if dtype.is_floating else 'int_val'


def _is_proto(value):
    descriptor = getattr(type(value), 'DESCRIPTOR', None)
    return getattr(descriptor, 'full_name', None) == 'tensorflow.TensorProto'


def _is_integer(value):
    return isinstance(value, (int, np.integer, tensor_shape.Dimension)) or (
        isinstance(value, np.ndarray) and value.dtype.kind in 'iu' and value.ndim == 0
    )


def _is_real(value):
    if isinstance(value, tensor_shape.Dimension):
        return False
    return isinstance(value, (float, np.floating, dict)) or _is_integer(value)


def _is_complex(value):
    return isinstance(value, (complex, np.complexfloating)) or _is_real(value)


def _leaf_check(dtype):
    """Returns a function that tells whether a list element can be converted to a type."""
    if dtype == dtypes.string:
        return lambda value: isinstance(value, (str, bytes))
    if dtype == dtypes.bool:
        return lambda value: isinstance(value, bool)
    if dtype.is_integer:
        return _is_integer
    if dtype.is_complex:
        return _is_complex
    return _is_real if dtype.is_floating else None


def _leaves(values):
    if isinstance(values, (list, tuple)):
        for value in values:
            yield from _leaves(value)
    else:
        yield values


def _quantized_leaves(values):
    if isinstance(values, list):
        for value in values:
            yield from _quantized_leaves(value)
    elif not isinstance(values, tuple):
        yield values


def _check_elements(values, dtype):
    """Raises TypeError if an element of nested lists cannot be converted to a type."""
    if dtype is None:
        if any(hasattr(value, 'value_index') for value in _leaves(values)):
            raise TypeError('Expected any non-tensor type, but got a tensor instead.')
        return
    if dtype.is_quantized:
        wrong = list(itertools.islice(_quantized_leaves(values), 1))
    else:
        fits = _leaf_check(dtype)
        misfits = (value for value in _leaves(values) if fits is not None and not fits(value))
        wrong = list(itertools.islice(misfits, 1))
    if wrong:
        raise TypeError(
            f"Expected {dtype.name}, but got {wrong[0]} of type '{type(wrong[0]).__name__}'."
        )


def _list_shape(values):
    """Returns the shape of nested lists, judged by their first elements."""
    shape = []
    while isinstance(values, (list, tuple)):
        shape.append(len(values))
        values = values[0] if values else None
    return shape


def _has_buffer(values):
    if hasattr(values, '_as_graph_element') or hasattr(values, 'consumers'):
        return False
    if callable(getattr(values, '__array__', None)) or hasattr(values, '__array_interface__'):
        return True
    try:
        memoryview(values)
    except TypeError:
        return False
    return not isinstance(values, bytes)


def _bfloat16_records(values, record):
    """Returns floats rounded to bfloat16, for numpy without ml_dtypes."""
    bits = np.ascontiguousarray(values, np.float32).view(np.uint32).astype(np.uint64)
    rounded = (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16
    rounded = np.where(np.isnan(np.asarray(values, np.float32)), 0x7FC0, rounded)
    return rounded.astype(np.uint16).view(record)


def _as_type(array, dtype):
    """Converts the elements of an array to a type."""
    target = dtype.as_numpy_dtype
    if isinstance(target, type) or dtype.is_quantized or array.dtype == target:
        return array.astype(target)
    if dtype.base_dtype == dtypes.bfloat16:
        return _bfloat16_records(array, target).reshape(array.shape)
    raise TypeError(f'Values of {dtype.name} need the Python package ml_dtypes, which is not installed.')


def _from_lists(values, dtype):
    """Converts nested lists to an array. Integers that are too large wrap around."""
    if dtype is None or not dtype.is_numpy_compatible:
        return np.array(values)
    target = dtype.as_numpy_dtype
    if not isinstance(target, type) and not dtype.is_quantized:
        return _as_type(np.array(values), dtype)
    try:
        return np.array(values, dtype=target)
    except OverflowError:
        return np.array(values).astype(target)


def _narrowed(array):
    """Narrows float64 to float32, and int64 to int32 if it fits: the defaults for Python values."""
    if array.dtype == np.float64:
        with np.errstate(over='ignore'):
            return array.astype(np.float32)
    if array.dtype == np.int64:
        narrow = array.astype(np.int32)
        if np.array_equal(narrow, array):
            return narrow
    return array


def _array_of(values, dtype, shape):
    """Converts values to an array, of `dtype` if it is given and numpy supports it."""
    wanted = dtype if dtype is not None and dtype.is_numpy_compatible else None
    if isinstance(values, (np.ndarray, np.generic)):
        return np.asarray(values) if wanted is None else _as_type(np.asarray(values), wanted)
    if _has_buffer(values):
        array = np.asarray(values)
        return array if wanted is None else _as_type(array, wanted)
    if values is None:
        raise ValueError('None values not supported.')
    if shape is not None and np.prod(shape, dtype=np.int64) == 0:
        array = np.empty(shape, wanted and wanted.as_numpy_dtype)
    else:
        _check_elements(values, dtype)
        array = _from_lists(values, dtype)
        dense = _list_shape(values)
        if list(array.shape) != dense and not (dtype is not None and dtype.is_quantized):
            raise ValueError(
                f'Expected values {values} to be a dense tensor with shape {dense}, but got '
                f'shape {list(array.shape)}.'
            )
    return _narrowed(array) if dtype is None else array


def _checked_shape(array, shape, verify_shape, allow_broadcast):
    """Returns the shape of the proto as a list of int."""
    if shape is None:
        return list(array.shape)
    sizes = [int(size) for size in shape]
    count = np.prod(sizes, dtype=np.int64)
    broadcasts = allow_broadcast and array.shape in ((), (1,))
    wrong = array.size != count if allow_broadcast else array.shape != tuple(sizes)
    if (verify_shape or allow_broadcast) and wrong and not broadcasts:
        raise TypeError(f"Expected Tensor's shape: {tuple(sizes)}, but got {array.shape}.")
    if array.size > count and not allow_broadcast:
        raise ValueError(
            f'Too many elements provided. Takes at most {count}, but got {array.size}.'
        )
    return sizes


def _put_strings(proto, values, array):
    if isinstance(values, (np.ndarray, np.generic)) or _has_buffer(values):
        proto.string_val.extend([compat.as_bytes(value) for value in array.ravel().tolist()])
        return
    try:
        proto.string_val.extend([compat.as_bytes(value) for value in _leaves(values)])
    except TypeError:
        raise TypeError(
            f'Failed to convert elements of {values} to Tensor. Consider casting elements to a '
            'supported type. See https://www.tensorflow.org/api_docs/python/tf/dtypes for '
            'supported TF dtypes.'
        ) from None


def _put_numbers(proto, array, dtype):
    flat = np.ravel(array)
    field = _field_of(dtype)
    if field == 'float8_val':
        proto.float8_val = flat.tobytes()
    elif field == 'half_val':
        proto.half_val.extend(flat.view(np.uint16).tolist())
    elif dtype.is_complex:
        parts = np.stack([flat.real, flat.imag], axis=-1).ravel()
        getattr(proto, field).extend(parts.tolist())
    elif dtype.is_quantized:
        proto.int_val.extend([value[0] for value in flat.tolist()])
    elif field == 'int_val':
        proto.int_val.extend([int(value) for value in flat.tolist()])
    else:
        getattr(proto, field).extend(flat.tolist())


@export('make_tensor_proto', 'contrib.util.make_tensor_proto')
def make_tensor_proto(values, dtype=None, shape=None, verify_shape=False, allow_broadcast=False):
    """Creates a TensorProto from values.

    Python floats become float32, and Python ints become int32, or int64 if they do not fit. Arrays
    keep their type.

    Args:
      values: a scalar, nested lists of the same length at each level, an array, or a
        TensorProto, which is returned unchanged.
      dtype: the type of the elements, anything that `tf.as_dtype` accepts, or None for that of
        values.
      shape: the shape, or None for that of values. If there are fewer values than elements, the
        last value is repeated.
      verify_shape: whether values must have this shape.
      allow_broadcast: whether values must be either a single value or as many as the shape has.

    Returns:
      A TensorProto.

    Raises:
      TypeError: if an element is not of dtype, or if verify_shape is set and the shapes differ.
      ValueError: if values is None or not rectangular, or has too many elements.
    """
    if allow_broadcast and verify_shape:
        raise ValueError('allow_broadcast and verify_shape are not both allowed.')
    if _is_proto(values):
        return values
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(shape, np.ndarray):
        shape = tensor_shape.bounded(shape)
    array = _array_of(values, dtype, shape)
    actual = dtypes.as_dtype(array.dtype)
    if dtype is not None and dtype.base_dtype != actual:
        raise TypeError(f'`dtype` {dtype} is not compatible with {values} of dtype {array.dtype}.')
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder('='))
    sizes = _checked_shape(array, shape, verify_shape, allow_broadcast)
    proto = tensor_pb2.TensorProto(dtype=actual.as_datatype_enum)
    proto.tensor_shape.SetInParent()
    for size in sizes:
        proto.tensor_shape.dim.add().size = size
    if actual == dtypes.string:
        _put_strings(proto, values, array)
    elif actual in _RAW and 1 < array.size == np.prod(sizes, dtype=np.int64):
        if array.nbytes >= _TWO_GIGABYTES:
            raise ValueError('Cannot create a tensor proto whose content is larger than 2GB.')
        proto.tensor_content = array.tobytes()
    else:
        _put_numbers(proto, array, actual)
    return proto


def _values_of(proto, dtype, numpy_dtype):
    """Returns the values in the typed field of a TensorProto as a vector."""
    values = getattr(proto, _field_of(dtype))
    if dtype == dtypes.string:
        return np.array(list(values), dtype=object)
    if dtype.is_complex:
        parts = np.array(list(values), np.float32 if dtype.size == 8 else np.float64)
        return parts.view(numpy_dtype)
    if _field_of(dtype) == 'float8_val':
        return np.frombuffer(values, numpy_dtype)
    if _field_of(dtype) == 'half_val':
        return np.array(list(values), np.uint16).view(numpy_dtype)
    if dtype.is_quantized:
        return np.array([(value,) for value in values], numpy_dtype)
    return np.array(list(values), numpy_dtype)


@export('make_ndarray', 'contrib.util.make_ndarray')
def make_ndarray(tensor):
    """Converts a TensorProto to an array.

    Args:
      tensor: a TensorProto.

    Returns:
      A new array with the shape and type of the proto. Strings become an array of bytes objects.

    Raises:
      TypeError: if the type is invalid or a reference type.
      KeyError: if numpy cannot store the type: resource and variant.
      ValueError: if there are more values than elements.
    """
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    dtype = dtypes.as_dtype(tensor.dtype)
    numpy_dtype = np.dtype(dtype.as_numpy_dtype)
    if tensor.tensor_content:
        content = np.frombuffer(tensor.tensor_content, dtype=numpy_dtype)
        return content.copy().reshape(sizes)
    if dtype._is_ref_dtype:
        raise TypeError(
            f'Unsupported tensor type: {tensor.dtype}. See '
            'https://www.tensorflow.org/api_docs/python/tf/dtypes for supported TF dtypes.'
        )
    values = _values_of(tensor, dtype, numpy_dtype)
    count = int(np.prod(sizes, dtype=np.int64))
    if len(values) == 0:
        return np.full(sizes, '' if dtype == dtypes.string else 0, numpy_dtype)
    if len(values) > count:
        raise ValueError("index can't contain negative values")
    filled = np.empty(count, numpy_dtype)
    filled[: len(values)] = values
    filled[len(values) :] = values[-1]
    return filled.reshape(sizes)


MakeNdarray = make_ndarray


def ShapeEquals(tensor_proto, shape):  # noqa: N802 - TensorFlow's name
    """Returns whether a TensorProto has a shape, a TensorShapeProto or a sequence of int."""
    if hasattr(shape, 'dim'):
        shape = [dim.size for dim in shape.dim]
    return [dim.size for dim in tensor_proto.tensor_shape.dim] == list(shape)
