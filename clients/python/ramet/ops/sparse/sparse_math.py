"""Arithmetic on SparseTensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
from ramet.ops.array import array_layout
from ramet.ops.array.array_basics import one_of
from ramet.ops.math import math_reduce
from ramet.ops.sparse.sparse_ops import as_sparse


@export('sparse.softmax', 'sparse_softmax')
def sparse_softmax(sp_input, name=None):
    """Returns the softmax along the last dimension, over the values that are present.

    Args:
      sp_input: a SparseTensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]):
        values = gen.SparseSoftmax(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(build, default_name, sp_a, sp_b, name):
    with ops.name_scope(name, default_name, [sp_a.indices, sp_a.values, sp_b.indices,
                                             sp_b.values]) as scope:
        indices, values = build(sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices,
                                sp_b.values, sp_b.dense_shape, name=scope)
    return SparseTensor(indices, values, sp_a.dense_shape)


@export('sparse.maximum', 'sparse_maximum')
def sparse_maximum(sp_a, sp_b, name=None):
    """Returns the element-wise maximum of two SparseTensors.

    Args:
      sp_a: a SparseTensor.
      sp_b: a SparseTensor with the same dense shape.
      name: the name of the node.

    Returns:
      A SparseTensor.
    """
    return _extreme(gen.SparseSparseMaximum, 'SparseSparseMaximum', sp_a, sp_b, name)


@export('sparse.minimum', 'sparse_minimum')
def sparse_minimum(sp_a, sp_b, name=None):
    """Returns the element-wise minimum of two SparseTensors.

    Args:
      sp_a: a SparseTensor.
      sp_b: a SparseTensor with the same dense shape.
      name: the name of the node.

    Returns:
      A SparseTensor.
    """
    return _extreme(gen.SparseSparseMinimum, 'SparseSparseMinimum', sp_a, sp_b, name)


@export('sparse.add', 'sparse_add')
def sparse_add(a, b, threshold=None, thresh=None):
    """Adds two tensors, at least one of them sparse.

    Args:
      a: a tensor or SparseTensor.
      b: a tensor or SparseTensor of the same dtype and dense shape.
      threshold: for two SparseTensors, sums whose magnitude is at most this value are removed.
      thresh: deprecated name of `threshold`.

    Returns:
      A SparseTensor if both are, else a tensor.

    Raises:
      TypeError: if both are dense.
    """
    threshold = one_of('threshold', threshold, 'thresh', thresh, 0)
    kinds = (SparseTensor, SparseTensorValue)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if isinstance(a, kinds) and isinstance(b, kinds):
        return _add_sparse(as_sparse(a), as_sparse(b), threshold)
    if isinstance(b, kinds):
        a, b = b, a
    a = as_sparse(a)
    return gen.SparseTensorDenseAdd(a.indices, a.values, a.dense_shape, b)


def _add_sparse(a, b, threshold):
    real = a.values.dtype.real_dtype.base_dtype
    threshold = ops.convert_to_tensor(threshold, dtype=real, name='threshold')
    parts = gen.SparseAdd(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape,
                          threshold)
    a.shape.assert_is_compatible_with(b.shape)
    static = tensor_shape.TensorShape(a.shape).merge_with(b.shape)
    if static.is_fully_defined():
        return SparseTensor(parts[0], parts[1], static.as_list())
    return SparseTensor(*parts)


@export('sparse.matmul', 'sparse.sparse_dense_matmul', 'sparse_tensor_dense_matmul')
def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Multiplies a sparse matrix and a dense one (in either order).

    Args:
      sp_a: a SparseTensor of rank 2 (or the dense matrix).
      b: a matrix of the same dtype (or the SparseTensor).
      adjoint_a: whether to transpose and conjugate the first matrix.
      adjoint_b: whether to transpose and conjugate the second matrix.
      name: the name of the node.

    Returns:
      A matrix.
    """
    if isinstance(b, (SparseTensor, SparseTensorValue)):
        product = sparse_tensor_dense_matmul(b, sp_a, adjoint_a=not adjoint_b,
                                             adjoint_b=not adjoint_a)
        return array_layout.transpose(product)
    sp_a = as_sparse(sp_a)
    with ops.name_scope(name, 'SparseTensorDenseMatMul', [sp_a.indices, sp_a.values, b]):
        b = ops.convert_to_tensor(b, name='b')
        return gen.SparseTensorDenseMatMul(sp_a.indices, sp_a.values, sp_a.dense_shape, b,
                                           adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def _reduced(build, sp_input, axis, keepdims, reduction_axes, keep_dims):
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    axis = one_of('axis', axis, 'reduction_axes', reduction_axes)
    return build(sp_input.indices, sp_input.values, sp_input.dense_shape,
                 math_reduce.reduction_dims(sp_input, axis), keepdims)


@export('sparse.reduce_sum', 'sparse_reduce_sum')
def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Returns the sum along dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor of numbers.
      axis: the dimensions. Defaults to all.
      keepdims: whether to keep them with size 1.
      reduction_axes: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor.
    """
    return _reduced(gen.SparseReduceSum, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export('sparse.reduce_max', 'sparse_reduce_max')
def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Returns the largest value along dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor of real numbers.
      axis: the dimensions. Defaults to all.
      keepdims: whether to keep them with size 1.
      reduction_axes: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A tensor.
    """
    return _reduced(gen.SparseReduceMax, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export('sparse.reduce_sum_sparse', 'sparse_reduce_sum_sparse')
def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """Returns the sum along dimensions of a SparseTensor, as a SparseTensor.

    Args:
      sp_input: a SparseTensor of numbers.
      axis: the dimensions. Defaults to all.
      keepdims: whether to keep them with size 1.
      reduction_axes: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A SparseTensor.
    """
    return SparseTensor(*_reduced(gen.SparseReduceSumSparse, sp_input, axis, keepdims,
                                  reduction_axes, keep_dims))


@export('sparse.reduce_max_sparse', 'sparse_reduce_max_sparse')
def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """Returns the largest value along dimensions of a SparseTensor, as a SparseTensor.

    Args:
      sp_input: a SparseTensor of real numbers.
      axis: the dimensions. Defaults to all.
      keepdims: whether to keep them with size 1.
      reduction_axes: deprecated name of `axis`.
      keep_dims: deprecated name of `keepdims`.

    Returns:
      A SparseTensor.
    """
    return SparseTensor(*_reduced(gen.SparseReduceMaxSparse, sp_input, axis, keepdims,
                                  reduction_axes, keep_dims))
