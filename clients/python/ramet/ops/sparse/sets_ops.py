"""Sets along the last dimension of tensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor

_VALUES = frozenset((dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
                     dtypes.uint16, dtypes.string))


def _converted(value):
    return value if isinstance(value, SparseTensor) else ops.convert_to_tensor(value)


@export('sets.set_size', 'sets.size')
def set_size(a, validate_indices=True):
    """Returns the number of distinct elements in each set.

    Args:
      a: a SparseTensor; its last dimension holds sets.
      validate_indices: whether to check the order of its indices.

    Returns:
      An int32 tensor with one dimension fewer.

    Raises:
      TypeError: if `a` is not a SparseTensor, or not of integers or strings.
    """
    if not isinstance(a, SparseTensor):
        a = ops.convert_to_tensor(a, name='a')
        raise TypeError('Expected `SparseTensor`, got %s.' % a)
    if a.values.dtype.base_dtype not in _VALUES:
        raise TypeError(f'Invalid dtype `{a.values.dtype}` not in supported dtypes: '
                        f'`{_VALUES}`.')
    return gen.SetSize(a.indices, a.values, a.dense_shape, validate_indices)


def _set_operation(a, b, operation, validate_indices):
    if isinstance(a, SparseTensor):
        if isinstance(b, SparseTensor):
            parts = gen.SparseToSparseSetOperation(
                a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape,
                operation, validate_indices)
        else:
            raise ValueError('Sparse,Dense is not supported, but Dense,Sparse is. Please flip the '
                             'order of your inputs.')
    elif isinstance(b, SparseTensor):
        parts = gen.DenseToSparseSetOperation(a, b.indices, b.values, b.dense_shape, operation,
                                              validate_indices)
    else:
        parts = gen.DenseToDenseSetOperation(a, b, operation, validate_indices)
    return SparseTensor(*parts)


def _pair(a, b):
    a, b = _converted(a), _converted(b)
    if b.dtype.base_dtype != a.dtype.base_dtype:
        raise TypeError("Types don't match, %s vs %s." % (a.dtype, b.dtype))
    if isinstance(a, SparseTensor) and not isinstance(b, SparseTensor):
        return b, a, True
    return a, b, False


@export('sets.intersection', 'sets.set_intersection')
def set_intersection(a, b, validate_indices=True):
    """Returns the elements that are in both sets.

    Args:
      a: a tensor or SparseTensor of integers or strings; its last dimension holds sets.
      b: a tensor or SparseTensor with the same leading dimensions.
      validate_indices: whether to check the order of sparse indices.

    Returns:
      A SparseTensor.
    """
    a, b, _ = _pair(a, b)
    return _set_operation(a, b, 'intersection', validate_indices)


@export('sets.difference', 'sets.set_difference')
def set_difference(a, b, aminusb=True, validate_indices=True):
    """Returns the elements that are in one set and not in the other.

    Args:
      a: a tensor or SparseTensor of integers or strings; its last dimension holds sets.
      b: a tensor or SparseTensor with the same leading dimensions.
      aminusb: whether to return the elements of `a` that are not in `b`, instead of the reverse.
      validate_indices: whether to check the order of sparse indices.

    Returns:
      A SparseTensor.
    """
    a, b, flipped = _pair(a, b)
    if flipped:
        aminusb = not aminusb
    return _set_operation(a, b, 'a-b' if aminusb else 'b-a', validate_indices)


@export('sets.set_union', 'sets.union')
def set_union(a, b, validate_indices=True):
    """Returns the elements that are in either set.

    Args:
      a: a tensor or SparseTensor of integers or strings; its last dimension holds sets.
      b: a tensor or SparseTensor with the same leading dimensions.
      validate_indices: whether to check the order of sparse indices.

    Returns:
      A SparseTensor.
    """
    a, b, _ = _pair(a, b)
    return _set_operation(a, b, 'union', validate_indices)
