"""Constants."""

from ramet import _core, gen
from ramet.api import export
from ramet.framework import conversion, dtypes, stacks, tensor_proto, tensor_shape


@export('constant')
def constant(value, dtype=None, shape=None, name='Const', verify_shape=False):
    """Creates a constant tensor.

    Args:
      value: a number, string, array or nested list of these.
      dtype: the dtype of the tensor, or None for that of the value (int32 and float32 for Python
        numbers).
      shape: the shape of the tensor, or None for that of the value. If the value has fewer elements
        than the shape, its last element is repeated.
      name: the name of the node.
      verify_shape: whether the value must have exactly that shape.

    Returns:
      The Tensor.

    Raises:
      TypeError: if the value cannot be converted to a tensor, or does not have the shape and
        verify_shape is set.
      ValueError: if the value has more elements than the shape.
    """
    graph = stacks.get_default_graph()
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if shape is not None:
        value = tensor_proto.make_tensor_proto(value, dtype, shape, verify_shape)
    elif value is None:
        raise ValueError('None values not supported.')
    else:
        made = _core.constant(graph, value, dtype, name)
        if made is not None:
            return made
        value = tensor_proto.make_tensor_proto(value, dtype)
    return add_constant(value, dtypes.as_dtype(value.dtype), name)


def add_constant(value, dtype, name):
    """Returns the tensor of a new Const, or the value itself while operations run eagerly.

    Args:
      value: an array or a TensorProto.
      dtype: the DType of the value.
      name: the name of the node, made unique unless it ends with a slash.
    """
    graph = stacks.get_default_graph()
    if graph._eager:
        return gen.Const(value=value, dtype=dtype)
    return _core.create_op(graph, 'Const', [], {'value': value, 'dtype': dtype}, name).outputs[0]


def shape_constant(value, dtype=None, name=None, as_ref=False):
    """Converts a TensorShape to an int32 vector, or int64 if a size requires it."""
    if not value.is_fully_defined():
        raise ValueError(f'Cannot convert a partially known TensorShape {value} to a Tensor.')
    sizes = value.as_list()
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f'Cannot convert TensorShape {value} to dtype {dtype}. Allowed dtypes are tf.int32 '
            'and tf.int64.'
        )
    if dtype is None:
        dtype = dtypes.int64 if any(s > 2**31 - 1 for s in sizes) else dtypes.int32
    return constant(sizes, dtype, name=name or 'shape_as_tensor')


def _from_dimension(value, dtype=None, name=None, as_ref=False):
    if value.value is None:
        raise ValueError(f'Cannot convert unknown Dimension {value} to a Tensor.')
    if dtype is not None and dtype not in (dtypes.int32, dtypes.int64):
        raise TypeError(
            f'Cannot convert Dimension {value} to dtype {dtype}. Allowed dtypes are tf.int32 '
            'and tf.int64.'
        )
    if dtype is None:
        dtype = dtypes.int64 if value.value > 2**31 - 1 else dtypes.int32
    return constant(value.value, dtype, name=name or 'shape_as_tensor')


def is_constant(tensor_or_op):
    """Returns whether a tensor or operation is a Const."""
    return getattr(tensor_or_op, 'op', tensor_or_op).type == 'Const'


conversion.set_constant_function(constant)
conversion.register_tensor_conversion_function(tensor_shape.TensorShape, shape_constant, 100)
conversion.register_tensor_conversion_function(tensor_shape.Dimension, _from_dimension, 100)
