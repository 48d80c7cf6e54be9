"""Tells which objects are tensors, and what is known about a tensor before the graph runs."""

import numpy as np

from ramet import _core
from ramet.api import export
from ramet.framework import conversion, dtypes, tensor_shape
from ramet.framework.tensor_proto import (  # noqa: F401 - also accessible through this module
    MakeNdarray,
    ShapeEquals,
    make_ndarray,
    make_tensor_proto,
)
from ramet.framework.tensors import Tensor

# The ops that TensorFlow's Python evaluates while it builds a graph. The core could evaluate more,
# but programs that build different nodes for known values would then build a different graph.
_OF_SHAPES = frozenset(['Const', 'Shape', 'Size', 'Rank'])
_OF_INPUTS = frozenset(
    [
        'Cast', 'Concat', 'ConcatV2', 'Equal', 'Fill', 'Identity', 'NotEqual', 'Pack', 'Range',
        'Split', 'StopGradient', 'Unpack',
    ]
)  # fmt: skip


@export('is_tensor', 'contrib.framework.is_tensor')
def is_tensor(x):
    """Returns whether x is a tensor: a Tensor, a variable, a SparseTensor or IndexedSlices.

    Args:
      x: any object.
    """
    if isinstance(x, Tensor) or hasattr(type(x), '_type_spec'):
        return True
    return hasattr(x, '_as_graph_element') and hasattr(x, 'dtype') and hasattr(x, 'get_shape')


is_tf_type = is_tensor


def _is_told(op):
    """Returns whether TensorFlow's Python can evaluate an op while it builds a graph."""
    if op.type in _OF_SHAPES:
        return True
    if op.type not in _OF_INPUTS or (op.type == 'Pack' and op.get_attr('axis') != 0):
        return False
    return all(_is_told(part.op) for part in op.inputs)


@export('get_static_value', 'contrib.util.constant_value')
def constant_value(tensor, partial=False):
    """Returns the value of a tensor if it is known from the graph alone.

    Args:
      tensor: a Tensor. Anything else is returned unchanged.
      partial: whether to return the value of a packed vector if only some of its scalars are known,
        as an array of objects with None for the others.

    Returns:
      An array, or None.
    """
    if not isinstance(tensor, Tensor):
        return None if is_tensor(tensor) else tensor
    if tensor._is_eager:
        value = _core.constant_value(tensor)
        return value if value is None or isinstance(value, np.ndarray) else np.array(value)
    value = _core.constant_value(tensor) if _is_told(tensor.op) else None
    if value is not None and not isinstance(value, np.ndarray):
        return np.array(value, dtype=tensor.dtype.as_numpy_dtype)
    if value is None and partial and tensor.op.type == 'Pack' and tensor.op.get_attr('axis') == 0:
        value = np.empty(len(tensor.op.inputs), dtype=object)
        for i, part in enumerate(tensor.op.inputs):
            value[i] = constant_value(part, partial)
    return value


def _packed_shape(op):
    if op.get_attr('axis') != 0:
        return None
    values = [constant_value(part) for part in op.inputs]
    if any(value is not None and np.ndim(value) for value in values):
        return None
    return tensor_shape.TensorShape(
        [None if value is None or value < 0 else int(value) for value in values]
    )


def _joined_shape(op):
    parts = op.inputs[1:] if op.type == 'Concat' else op.inputs[:-1]
    shape = tensor_shape.TensorShape([])
    for part in parts:
        shape = shape.concatenate(constant_value_as_shape(part))
    return shape


def _sliced_shape(op):
    bounds = [constant_value(part) for part in op.inputs[1:4]]
    if any(bound is None or bound.size != 1 for bound in bounds):
        return None
    if any(op.get_attr(name) for name in ('ellipsis_mask', 'new_axis_mask', 'shrink_axis_mask')):
        return None
    begin, end, step = [int(bound[0]) for bound in bounds]
    begin = None if op.get_attr('begin_mask') else begin
    end = None if op.get_attr('end_mask') else end
    shape = constant_value_as_shape(op.inputs[0])
    if shape.rank is None:
        return None
    return shape[begin:end:step]


def _shape_from_op(op):
    """Returns the shape that the op of a shape vector implies, or None."""
    if op.type == 'Shape':
        return op.inputs[0].shape
    if op.type == 'Pack':
        return _packed_shape(op)
    if op.type in ('Concat', 'ConcatV2'):
        return _joined_shape(op)
    if op.type == 'StridedSlice':
        return _sliced_shape(op)
    if op.type == 'Cast':
        return constant_value_as_shape(op.inputs[0])
    return None


def constant_value_as_shape(tensor):
    """Returns the shape that an integer tensor represents, as far as it is known from the graph.

    Args:
      tensor: an integer Tensor of rank 1, with -1 for unknown sizes, or a scalar -1 for an
        unknown shape.

    Returns:
      A TensorShape.

    Raises:
      ValueError: if the rank is not 1, and the tensor is not a scalar known to be -1.
    """
    if tensor.shape.rank == 0:
        value = constant_value(tensor)
        if value is not None and value == -1:
            return tensor_shape.unknown_shape()
        known = 'with unknown value' if value is None else f"value '{value}'"
        raise ValueError(
            f'Received a scalar {known} as shape; require a statically known scalar with value '
            "'-1' to describe an unknown shape."
        )
    rank = tensor.shape.with_rank(1)[0].value
    if rank == 0:
        return tensor_shape.TensorShape([])
    shape = None if tensor._is_eager else _shape_from_op(tensor.op)
    if shape is not None:
        return shape
    value = constant_value(tensor)
    if value is None:
        return tensor_shape.unknown_shape(rank)
    return tensor_shape.TensorShape([size if size >= 0 else None for size in value])


def shape_tensor(shape):
    """Converts a shape to a Tensor named 'shape', of int32, or int64 if a size requires it.

    Args:
      shape: a sequence of int, Dimension and scalar Tensors, a TensorShape, or a Tensor.
    """
    dtype = None
    if isinstance(shape, (tuple, list)):
        dtype = None if shape else dtypes.int32
        shape = tuple(map(tensor_shape.dimension_value, shape))
    return conversion.convert_to_tensor(shape, dtype=dtype, name='shape')
