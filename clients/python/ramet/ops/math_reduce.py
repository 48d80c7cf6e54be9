"""Reductions along dimensions."""

import functools

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops import array_basics, array_fill, gen, math_basics, math_cast, math_range
from ramet.ops.array_basics import one_of

Tensor = ops.Tensor


@functools.lru_cache(32)
def _all_dims(rank):
    return np.arange(rank, dtype=np.int32)


def reduction_dims(x, axis):
    """Returns `axis`, or all dimensions of `x`, as a constant if the rank is known."""
    if axis is not None:
        return axis
    if isinstance(x, SparseTensor):
        rank = x.dense_shape.shape.as_list()[0] if x.dense_shape.shape.rank else None
    else:
        rank = getattr(getattr(x, 'shape', None), 'rank', None)
    if rank:
        return constant_op.constant(_all_dims(rank), dtypes.int32)
    return math_range.range(0, array_basics.rank(x))


def _reduce(build, x, axis, keepdims, name):
    keepdims = False if keepdims is None else bool(keepdims)
    result = build(x, reduction_dims(x, axis), keepdims, name=name)
    if axis is None and not keepdims:
        result.set_shape(())
    return result


def _arguments(axis, reduction_indices, keepdims, keep_dims):
    axis = one_of('axis', axis, 'reduction_indices', reduction_indices)
    return axis, one_of('keepdims', keepdims, 'keep_dims', keep_dims)


@export('math.reduce_sum', 'reduce_sum')
def reduce_sum(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Returns the sum of elements along dimensions.

    Args:
      input_tensor: a tensor of numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Sum, input_tensor, axis, keepdims, name)


@export('math.reduce_mean', 'reduce_mean')
def reduce_mean(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                keep_dims=None):
    """Returns the mean of elements along dimensions.

    Args:
      input_tensor: a tensor of numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype. Integer means are truncated.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Mean, input_tensor, axis, keepdims, name)


@export('math.reduce_max', 'reduce_max')
def reduce_max(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Returns the largest element along dimensions.

    Args:
      input_tensor: a tensor of real numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Max, input_tensor, axis, keepdims, name)


@export('math.reduce_min', 'reduce_min')
def reduce_min(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Returns the smallest element along dimensions.

    Args:
      input_tensor: a tensor of real numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Min, input_tensor, axis, keepdims, name)


@export('math.reduce_prod', 'reduce_prod')
def reduce_prod(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                keep_dims=None):
    """Returns the product of elements along dimensions.

    Args:
      input_tensor: a tensor of numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Prod, input_tensor, axis, keepdims, name)


@export('math.reduce_all', 'reduce_all')
def reduce_all(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Returns whether all elements along dimensions are True.

    Args:
      input_tensor: a bool tensor.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A bool tensor.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.All, input_tensor, axis, keepdims, name)


@export('math.reduce_any', 'reduce_any')
def reduce_any(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
               keep_dims=None):
    """Returns whether any element along dimensions is True.

    Args:
      input_tensor: a bool tensor.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A bool tensor.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    return _reduce(gen.Any, input_tensor, axis, keepdims, name)


@export('math.reduce_logsumexp', 'reduce_logsumexp')
def reduce_logsumexp(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None,
                     keep_dims=None):
    """Returns log(sum(exp(elements))) along dimensions, without overflow.

    Args:
      input_tensor: a tensor of floating-point numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor of the same dtype.

    Raises:
      ValueError: if an argument is given with both names.
    """
    axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
    with ops.name_scope(name, 'ReduceLogSumExp', [input_tensor]) as scope:
        greatest = _reduce(gen.Max, input_tensor, axis, True, None)
        greatest = gen.StopGradient(gen.SelectV2(gen.IsFinite(greatest), greatest, 0))
        powers = gen.Exp(gen.Sub(input_tensor, greatest))
        result = gen.Log(_reduce(gen.Sum, powers, axis, keepdims, None))
        if not keepdims:
            greatest = array_basics.reshape(greatest, gen.Shape(result))
        result = math_basics.add(result, greatest, name=scope)
        if axis is None and not keepdims:
            result.set_shape(())
        return result


@export('math.reduce_variance')
def reduce_variance(input_tensor, axis=None, keepdims=False, name=None):
    """Returns the variance of elements along dimensions.

    Args:
      input_tensor: a tensor of floating-point or complex numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the scope.

    Returns:
      A tensor of real dtype.

    Raises:
      TypeError: if the elements are integers.
    """
    with ops.name_scope(name or 'reduce_variance'):
        input_tensor = ops.convert_to_tensor(input_tensor)
        means = _reduce(gen.Mean, input_tensor, axis, True, None)
        if means.dtype.is_integer:
            raise TypeError('Input must be either real or complex. Received integer type '
                            f'{means.dtype}.')
        off = input_tensor - means
        if off.dtype.is_complex:
            squares = gen.Mul(gen.Conj(off), off)
            squares = math_cast.real(squares)
        else:
            squares = gen.Square(off)
        return _reduce(gen.Mean, squares, axis, keepdims, None)


@export('math.reduce_std')
def reduce_std(input_tensor, axis=None, keepdims=False, name=None):
    """Returns the standard deviation of elements along dimensions.

    Args:
      input_tensor: a tensor of floating-point or complex numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the scope.

    Returns:
      A tensor of real dtype.

    Raises:
      TypeError: if the elements are integers.
    """
    with ops.name_scope(name or 'reduce_std'):
        input_tensor = ops.convert_to_tensor(input_tensor)
        return gen.Sqrt(reduce_variance(input_tensor, axis=axis, keepdims=keepdims))


@export('math.reduce_euclidean_norm')
def reduce_euclidean_norm(input_tensor, axis=None, keepdims=False, name=None):
    """Returns the square root of the sum of squares along dimensions.

    Args:
      input_tensor: a tensor of numbers.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      name: the name of the node.

    Returns:
      A tensor of the same dtype.
    """
    return _reduce(gen.EuclideanNorm, input_tensor, axis, keepdims, name)


@export('count_nonzero', 'math.count_nonzero')
def count_nonzero(input_tensor=None, axis=None, keepdims=None, dtype=dtypes.int64, name=None,
                  reduction_indices=None, keep_dims=None, input=None):
    """Counts the nonzero elements along dimensions; for strings, those that are not empty.

    Args:
      input_tensor: a tensor.
      axis: the dimensions, ints in [-rank, rank). Defaults to all.
      keepdims: whether to keep them with size 1.
      dtype: the dtype of the counts.
      name: the name of the scope.
      reduction_indices: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.
      input: another name of `input_tensor`.

    Returns:
      A tensor of `dtype`.

    Raises:
      ValueError: if an argument is given with both names.
    """
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    input_tensor = one_of('input', input, 'input_tensor', input_tensor)
    axis = one_of('axis', axis, 'reduction_indices', reduction_indices)
    with ops.name_scope(name, 'count_nonzero', [input_tensor]):
        input_tensor = ops.convert_to_tensor(input_tensor, name='input')
        held = input_tensor
        if held.dtype != dtypes.bool:
            held = gen.NotEqual(held, array_fill.zeros([], dtype=held.dtype))
        held = gen.Cast(held, dtypes.int64)
        return math_cast.cast(_reduce(gen.Sum, held, axis, keepdims, None), dtype)


@export('argmax', 'math.argmax')
def argmax(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """Returns the index of the largest element along a dimension; in ties, the first.

    Args:
      input: a tensor.
      axis: an int32 or int64 scalar in [-rank, rank). Defaults to 0.
      name: the name of the node.
      dimension: deprecated name of `axis`.
      output_type: int32 or int64 (also int16, uint16).

    Returns:
      A tensor of `output_type` with one dimension fewer.

    Raises:
      ValueError: if both names are given.
    """
    axis = one_of('axis', axis, 'dimension', dimension, 0)
    return gen.ArgMax(input, axis, name=name, output_type=output_type)


@export('argmin', 'math.argmin')
def argmin(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
    """Returns the index of the smallest element along a dimension; in ties, the first.

    Args:
      input: a tensor.
      axis: an int32 or int64 scalar in [-rank, rank). Defaults to 0.
      name: the name of the node.
      dimension: deprecated name of `axis`.
      output_type: int32 or int64.

    Returns:
      A tensor of `output_type` with one dimension fewer.

    Raises:
      ValueError: if both names are given.
    """
    axis = one_of('axis', axis, 'dimension', dimension, 0)
    return gen.ArgMin(input, axis, name=name, output_type=output_type)
