"""Reductions along dimensions."""

import functools

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import named
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics, array_fill
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_basics, math_cast, math_range

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


_DOC = """Returns {what} along dimensions.

Args:
  input_tensor: {elements}.
  axis: the dimensions, ints in [-rank, rank). Defaults to all.
  keepdims: whether to keep them with size 1.
  name: the name of the node.
  reduction_indices: deprecated name of `axis`.
  keep_dims: deprecated name of `keepdims`.

Returns:
  {result}.

Raises:
  ValueError: if an argument is given with both names.
"""


def _reduction(function_name, build, what, elements, result='A tensor of the same dtype'):
    """Returns the function that reduces with one op.

    Args:
      function_name: its name.
      build: the function of the op.
      what: the result of a reduction, for the docstring; so are the following arguments.
      elements: the kind of the tensor that it reduces.
      result: the kind of the tensor that it returns.
    """

    @named(function_name, _DOC.format(what=what, elements=elements, result=result))
    def reduce(input_tensor, axis=None, keepdims=None, name=None, reduction_indices=None, keep_dims=None):
        axis, keepdims = _arguments(axis, reduction_indices, keepdims, keep_dims)
        return _reduce(build, input_tensor, axis, keepdims, name)

    return reduce


reduce_sum = export('math.reduce_sum', 'reduce_sum')(_reduction(
    'reduce_sum', gen.Sum, 'the sum of elements', 'a tensor of numbers'))
reduce_mean = export('math.reduce_mean', 'reduce_mean')(_reduction(
    'reduce_mean', gen.Mean, 'the mean of elements', 'a tensor of numbers',
    'A tensor of the same dtype. Integer means are truncated'))
reduce_max = export('math.reduce_max', 'reduce_max')(_reduction(
    'reduce_max', gen.Max, 'the largest element', 'a tensor of real numbers'))
reduce_min = export('math.reduce_min', 'reduce_min')(_reduction(
    'reduce_min', gen.Min, 'the smallest element', 'a tensor of real numbers'))
reduce_prod = export('math.reduce_prod', 'reduce_prod')(_reduction(
    'reduce_prod', gen.Prod, 'the product of elements', 'a tensor of numbers'))
reduce_all = export('math.reduce_all', 'reduce_all')(_reduction(
    'reduce_all', gen.All, 'whether all elements are True', 'a bool tensor',
    'A bool tensor'))
reduce_any = export('math.reduce_any', 'reduce_any')(_reduction(
    'reduce_any', gen.Any, 'whether any element is True', 'a bool tensor',
    'A bool tensor'))


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


_ARG_DOC = """Returns the index of the {} element along a dimension; in ties, the first.

Args:
  input: a tensor.
  axis: an int32 or int64 scalar in [-rank, rank). Defaults to 0.
  name: the name of the node.
  dimension: deprecated name of `axis`.
  output_type: {}.

Returns:
  A tensor of `output_type` with one dimension fewer.

Raises:
  ValueError: if both names are given.
"""


def _index_of(function_name, build, which, output_types):
    """Returns the function that finds an element along a dimension with one op."""

    @named(function_name, _ARG_DOC.format(which, output_types))
    def find(input, axis=None, name=None, dimension=None, output_type=dtypes.int64):
        axis = one_of('axis', axis, 'dimension', dimension, 0)
        return build(input, axis, name=name, output_type=output_type)

    return find


argmax = export('argmax', 'math.argmax')(_index_of(
    'argmax', gen.ArgMax, 'largest', 'int32 or int64 (also int16, uint16)'))
argmin = export('argmin', 'math.argmin')(_index_of('argmin', gen.ArgMin, 'smallest', 'int32 or int64'))
