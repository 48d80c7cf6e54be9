"""Checks of dtypes, scalars, and the order of elements."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics, slicing
from ramet.ops.checks.check_ops import prefix
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_reduce

Tensor = ops.Tensor


_NUMBERS = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
                      dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
                      dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.qint8, dtypes.qint16,
                      dtypes.qint32, dtypes.quint8, dtypes.quint16, dtypes.complex64,
                      dtypes.complex128))


@export('assert_integer', 'debugging.assert_integer')
def assert_integer(x, message=None, name=None):
    """Checks that `x` has an integer dtype.

    Args:
      x: a tensor.
      message: a prefix for the error message.
      name: the name of the scope.

    Returns:
      An Operation that does nothing.

    Raises:
      TypeError: if it is not.
    """
    with ops.name_scope(name, 'assert_integer', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  '
                            f'Found: {x.name} of dtype {x.dtype}')
        return gen.NoOp(name='statically_determined_was_integer')


@export('assert_type', 'debugging.assert_type')
def assert_type(tensor, tf_type, message=None, name=None):
    """Checks that a tensor has a given dtype.

    Args:
      tensor: a tensor or SparseTensor.
      tf_type: the dtype.
      message: a prefix for the error message.
      name: the name of the scope.

    Returns:
      An Operation that does nothing.

    Raises:
      TypeError: if it is not.
    """
    tf_type = dtypes.as_dtype(tf_type)
    with ops.name_scope(name, 'assert_type', [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = ops.convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            label = f'{tensor.name} ' if hasattr(tensor, 'name') else ''
            raise TypeError(f'{prefix(message)}{label}must be of type {tf_type!r}; got '
                            f'{tensor.dtype!r}')
        return gen.NoOp(name='statically_determined_correct_type')


@export('assert_scalar', 'debugging.assert_scalar')
def assert_scalar(tensor, name=None, message=None):
    """Checks that a tensor is a scalar.

    Args:
      tensor: a tensor.
      name: the name of the scope.
      message: a prefix for the error message.

    Returns:
      The tensor.

    Raises:
      ValueError: if it is not, or its rank is not known.
    """
    with ops.name_scope(name, 'assert_scalar', [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(f'{prefix(message)}Expected scalar shape for {tensor.name}, saw '
                             f'shape: {tensor.shape}.')
        return tensor


@export('assert_proper_iterable', 'debugging.assert_proper_iterable')
def assert_proper_iterable(values):
    """Checks that a value is an iterable, but not a tensor or a string.

    Args:
      values: any object.

    Raises:
      TypeError: if it is not.
    """
    kinds = (Tensor, SparseTensor, np.ndarray, bytes, str)
    if isinstance(values, kinds):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: '
                        f'{type(values)}')
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: '
                        f'{type(values)}')


@export('assert_same_float_dtype', 'debugging.assert_same_float_dtype')
def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks that tensors have the same floating-point dtype.

    Args:
      tensors: a list of tensors.
      dtype: the dtype that they must have.

    Returns:
      The dtype, or float32 if no argument determines it.

    Raises:
      ValueError: if dtypes differ or are not floating point.
    """
    if tensors:
        dtype = _same_dtype(tensors, dtype)
    if not dtype:
        return dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'Expected floating point type, got {dtype}.')
    return dtype


def _same_dtype(tensors, expected):
    expected = None if expected is None else dtypes.as_dtype(expected)
    first = None
    for tensor in tensors:
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if expected is None:
            expected, first = found, tensor
        elif expected != found:
            like = '' if first is None else f' as {first.name}'
            raise ValueError(f'{tensor.name}, type={found}, must be of the same type '
                             f'({expected}){like}.')
    return expected


@export('debugging.is_numeric_tensor', 'is_numeric_tensor')
def is_numeric_tensor(tensor):
    """Returns whether a value is a tensor of numbers.

    Args:
      tensor: any object.

    Returns:
      A bool.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.base_dtype in _NUMBERS


@export('debugging.is_non_decreasing', 'is_non_decreasing', 'math.is_non_decreasing')
def is_non_decreasing(x, name=None):
    """Returns whether no element is less than its predecessor.

    Args:
      x: a tensor of real numbers, read row by row.
      name: the name of the scope.

    Returns:
      A bool scalar.

    Raises:
      TypeError: if `x` is not of numbers.
    """
    with ops.name_scope(name, 'is_non_decreasing', [x]):
        return math_reduce.reduce_all(_compared(x, gen.GreaterEqual))


@export('debugging.is_strictly_increasing', 'is_strictly_increasing',
        'math.is_strictly_increasing')
def is_strictly_increasing(x, name=None):
    """Returns whether each element is greater than its predecessor.

    Args:
      x: a tensor of real numbers, read row by row.
      name: the name of the scope.

    Returns:
      A bool scalar.

    Raises:
      TypeError: if `x` is not of numbers.
    """
    with ops.name_scope(name, 'is_strictly_increasing', [x]):
        return math_reduce.reduce_all(_compared(x, gen.Greater))


def _compared(x, build):
    """Compares each element with its predecessor. Empty for fewer than two elements."""
    flat = array_basics.reshape(x, [-1])
    if not is_numeric_tensor(flat):
        raise TypeError(f'Expected x to be numeric, instead found: {flat}')
    few = gen.Less(array_basics.size(flat), 2)
    count = array_basics.shape(flat) - 1

    def neighbors():
        later = slicing.strided_slice(flat, [1], [1] + count)
        return build(later, slicing.strided_slice(flat, [0], count))
    return cond(
        few, lambda: ops.convert_to_tensor([], dtype=dtypes.bool), neighbors)


@export('ensure_shape')
def ensure_shape(x, shape, name=None):
    """Returns `x` with a shape that is checked when it runs.

    Args:
      x: a tensor.
      shape: a TensorShape or a value that can be converted to one.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.EnsureShape(x, shape, name=name)
