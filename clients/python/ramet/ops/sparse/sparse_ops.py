"""SparseTensors: conversion to dense tensors, sorting, reshaping, slicing and concatenation."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
from ramet.ops.array import array_basics, array_fill, array_gather, array_join, array_layout, array_select
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_cast, math_range, math_reduce


def as_sparse(value):
    """Converts `value` to a SparseTensor.

    Raises:
      TypeError: if it is not sparse.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return value


@export('sparse_to_dense')
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0,
                    validate_indices=True, name=None):
    """Returns a dense tensor with values at given positions.

    Args:
      sparse_indices: an integer matrix with a row per position (a vector or scalar in 1-D).
      output_shape: an integer vector.
      sparse_values: a vector, or a scalar for all positions.
      default_value: the value at all other positions.
      validate_indices: whether to check that the positions are sorted and distinct.
      name: the name of the node.

    Returns:
      A tensor of `output_shape`.
    """
    return gen.SparseToDense(sparse_indices, output_shape, sparse_values,
                             default_value=default_value, validate_indices=validate_indices,
                             name=name)


@export('sparse.to_dense', 'sparse_tensor_to_dense')
def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """Converts a SparseTensor to a dense tensor.

    Args:
      sp_input: a SparseTensor.
      default_value: the value at all other positions. Defaults to zeros.
      validate_indices: whether to check that the positions are sorted and distinct.
      name: the name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = array_fill.zeros([], dtype=sp_input.dtype)
    return gen.SparseToDense(sp_input.indices, sp_input.dense_shape, sp_input.values,
                             default_value=default_value, validate_indices=validate_indices,
                             name=name)


@export('sparse.reorder', 'sparse_reorder')
def sparse_reorder(sp_input, name=None):
    """Sorts the positions of a SparseTensor in row-major order.

    Args:
      sp_input: a SparseTensor.
      name: the name of the node.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    indices, values = gen.SparseReorder(sp_input.indices, sp_input.values, sp_input.dense_shape,
                                        name=name)
    if sp_input.shape.is_fully_defined():
        return SparseTensor(indices, values, sp_input.shape.as_list())
    return SparseTensor(indices, values, array_basics.identity(sp_input.dense_shape))


@export('sparse.reshape', 'sparse_reshape')
def sparse_reshape(sp_input, shape, name=None):
    """Reshapes a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      shape: an int64 vector; one element may be -1 and is then inferred.
      name: the name of the scope.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      ValueError: if the numbers of elements are known and differ.
    """
    sp_input = as_sparse(sp_input)
    shape = math_cast.cast(shape, dtypes.int64)
    with ops.name_scope(name, 'SparseReshape', [sp_input]) as scope:
        indices, new_shape = gen.SparseReshape(sp_input.indices, sp_input.dense_shape, shape,
                                               name=scope)
        known = _known_shape(sp_input, shape)
        if known is not None:
            new_shape = constant_op.constant(known, dtype=dtypes.int64)
        return SparseTensor(indices, array_basics.identity(sp_input.values), new_shape)


def _known_shape(sp_input, shape):
    """Returns the new shape as a list, or None if it is not statically known."""
    wanted = tensor_util.constant_value_as_shape(shape)
    if wanted.ndims is None or not sp_input.shape.is_fully_defined():
        return None
    given = tensor_util.constant_value(shape)
    if given is not None and sum(dim == -1 for dim in given) > 1:
        raise ValueError(f'At most one dimension can be inferred (-1). Found: {given}')
    asked = wanted.as_list()
    dims, total = list(asked), int(np.prod(sp_input.shape.as_list()))
    open_dims = dims.count(None)
    if open_dims > 1 or open_dims == 1 and 0 in dims:
        return None
    if open_dims == 1:
        dims[dims.index(None)] = total // int(np.prod([dim for dim in dims if dim is not None]))
    count = int(np.prod(dims))
    if count != total:
        raise ValueError(f'Cannot reshape a tensor with {total} elements to shape {asked} '
                         f'({count} elements).')
    return dims


@export('sparse.transpose', 'sparse_transpose')
def sparse_transpose(sp_input, perm=None, name=None):
    """Permutes the dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      perm: the old position of each new dimension. Defaults to the reverse order.
      name: the name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'SparseTranspose', [sp_input]):
        if perm is None:
            rank = sp_input.shape.rank
            if rank is not None:
                perm = (rank - 1) - np.arange(0, rank, 1)
            else:
                rank = array_basics.rank(sp_input)
                perm = (rank - 1) - math_range.range(0, rank, 1)
        columns = array_gather.gather(array_layout.transpose(sp_input.indices), perm)
        turned = array_layout.transpose(columns)
        static, known = sp_input.shape, None
        if static.is_fully_defined():
            known = tensor_util.constant_value(ops.convert_to_tensor(perm))
        if known is not None:
            shape = [static.as_list()[i] for i in known]
        else:
            shape = array_gather.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(turned, sp_input.values, shape))


@export('sparse.retain', 'sparse_retain')
def sparse_retain(sp_input, to_retain):
    """Keeps selected values of a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      to_retain: a bool vector with one element per value.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    to_retain = ops.convert_to_tensor(to_retain)
    to_retain.shape.assert_has_rank(1)
    if sp_input.values.shape.dims is not None:
        count = tensor_shape.dimension_at_index(to_retain.shape, 0)
        sp_input.values.shape.dims[0].assert_is_compatible_with(count)
    places = array_basics.reshape(array_select.where(to_retain), [-1])
    indices = array_gather.gather(sp_input.indices, places)
    values = array_gather.gather(sp_input.values, places)
    return SparseTensor(indices, values, array_basics.identity(sp_input.dense_shape))


@export('sparse.slice', 'sparse_slice')
def sparse_slice(sp_input, start, size, name=None):
    """Extracts a block from a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      start: an int64 vector, the first index of each dimension.
      size: an int64 vector, the sizes.
      name: the name of the node.

    Returns:
      A SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    start = ops.convert_to_tensor(start, dtypes.int64)
    size = ops.convert_to_tensor(size, dtypes.int64)
    with ops.name_scope(name, 'SparseSlice', [sp_input]) as scope:
        return SparseTensor(*gen.SparseSlice(sp_input.indices, sp_input.values,
                                             sp_input.dense_shape, start, size, name=scope))


@export('sparse.concat', 'sparse_concat')
def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None,
                  expand_nonconcat_dims=None):
    """Concatenates SparseTensors along a dimension.

    Args:
      axis: the dimension, an int.
      sp_inputs: a list of SparseTensors.
      name: the name of the node.
      expand_nonconcat_dim: whether other dimensions may differ; the largest sizes are used.
      concat_dim: deprecated name of `axis`.
      expand_nonconcat_dims: another name of `expand_nonconcat_dim`.

    Returns:
      A SparseTensor.
    """
    expand = one_of('expand_nonconcat_dims', expand_nonconcat_dims, 'expand_nonconcat_dim',
                    expand_nonconcat_dim or None, False)
    axis = one_of('axis', axis, 'concat_dim', concat_dim)
    inputs = [as_sparse(value) for value in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [value.dense_shape for value in inputs]
    if expand:
        most = math_reduce.reduce_max(
            array_join.concat([array_basics.reshape(shape, [1, -1]) for shape in shapes], 0), 0)
        shapes = [_with_others(shape, most, axis) for shape in shapes]
    parts = gen.SparseConcat([value.indices for value in inputs],
                             [value.values for value in inputs], shapes, axis, name=name)
    static = _concat_shape(inputs, axis)
    if static is not None:
        static = constant_op.constant(static, dtype=dtypes.int64)
        return SparseTensor(parts[0], parts[1], static)
    return SparseTensor(*parts)


def _with_others(shape, most, axis):
    before, own = most[:axis], shape[axis:axis + 1 or None]
    after = [most[axis + 1:]] if axis != -1 else []
    return array_join.concat([before, own, *after], axis=0)


def _concat_shape(inputs, axis):
    """Returns the dense shape, with the largest of the sizes that may differ."""
    shapes = [value.shape for value in inputs]
    if not all(shape.is_fully_defined() for shape in shapes):
        return None
    dims = np.max([shape.as_list() for shape in shapes], axis=0)
    dims[axis] = sum(shape.as_list()[axis] for shape in shapes)
    return dims


@export('sparse.split', 'sparse_split')
def sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None,
                 split_dim=None):
    """Splits a SparseTensor into pieces along a dimension.

    Args:
      keyword_required: must not be given; it forces the other arguments to be keywords.
      sp_input: a SparseTensor.
      num_split: the number of pieces.
      axis: the dimension.
      name: the name of the node.
      split_dim: deprecated name of `axis`.

    Returns:
      A list of SparseTensors.

    Raises:
      ValueError: if an argument is given without its keyword, or is missing.
    """
    if keyword_required is not None:
        raise ValueError('Keyword arguments are required for this function.')
    if sp_input is None:
        raise ValueError('sp_input is required')
    if num_split is None:
        raise ValueError('num_split is required')
    if axis is None and split_dim is None:
        raise ValueError('axis is required')
    axis = one_of('axis', axis, 'split_dim', split_dim)
    sp_input = as_sparse(sp_input)
    parts = gen.SparseSplit(axis, sp_input.indices, sp_input.values, sp_input.dense_shape,
                            num_split, name=name)
    return [SparseTensor(*part) for part in zip(*parts)]
