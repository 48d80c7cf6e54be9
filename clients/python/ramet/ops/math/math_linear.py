"""Products of matrices and tensors."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_basics, array_diag, array_fill, array_gather, array_join, array_layout, array_select
from ramet.ops.math import math_basics, math_cast, math_range

Tensor = ops.Tensor
_SPARSE_TYPES = (dtypes.bfloat16, dtypes.float32)


@export('linalg.matmul', 'matmul')
def matmul(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False,
           a_is_sparse=False, b_is_sparse=False, output_type=None, grad_a=False, grad_b=False,
           name=None):
    """Multiplies matrices, or batches of matrices.

    Args:
      a: a tensor of rank at least 2.
      b: a tensor of the same dtype; its batch dimensions are broadcast with those of `a`.
      transpose_a: whether to transpose each matrix of `a` first.
      transpose_b: whether to transpose each matrix of `b` first.
      adjoint_a: whether to transpose and conjugate each matrix of `a` first.
      adjoint_b: whether to transpose and conjugate each matrix of `b` first.
      a_is_sparse: whether most elements of `a` are zero.
      b_is_sparse: whether most elements of `b` are zero.
      output_type: the dtype of the product, on devices that can produce a wider one.
      grad_a: whether `a` is a gradient.
      grad_b: whether `b` is a gradient.
      name: the name of the node.

    Returns:
      A tensor.

    Raises:
      ValueError: if a matrix is both transposed and adjoint, or the shapes are incompatible.
    """
    if (isinstance(a, Tensor) and isinstance(b, Tensor) and a.shape.rank == 2
            and b.shape.rank == 2 and a.dtype == b.dtype
            and not (adjoint_a or adjoint_b or a_is_sparse or b_is_sparse)):
        return gen.MatMul(a, b, transpose_a=transpose_a, transpose_b=transpose_b,
                          name=name or 'MatMul')
    with ops.name_scope(name, 'MatMul', (a, b)) as scope:
        if transpose_a and adjoint_a:
            raise ValueError('Only one of `transpose_a` and `adjoint_a` can be True. Received '
                             f'`transpose_a`={transpose_a}, `adjoint_a`={adjoint_a}.')
        if transpose_b and adjoint_b:
            raise ValueError('Only one of `transpose_b` and `adjoint_b` can be True. Received '
                             f'`transpose_b`={transpose_b}, `adjoint_b`={adjoint_b}.')
        if not isinstance(a, Tensor):
            a = ops.convert_to_tensor(a, name='a')
        if not isinstance(b, Tensor):
            b = math_basics.hinted(b, a, 'b')
        a_rank, b_rank = a.shape.rank, b.shape.rank
        if (a_rank is None or a_rank > 2) and (b_rank is None or b_rank > 2) or (
                a_rank is not None and a_rank > 2) or (
                b_rank is not None and b_rank > 2):
            return _batch_matmul(a, b, (transpose_a, adjoint_a), (transpose_b, adjoint_b),
                                 output_type, scope)
        if adjoint_a:
            a, transpose_a = math_cast.conj(a), True
        if adjoint_b:
            b, transpose_b = math_cast.conj(b), True
        if _uses_sparse_matmul(a.dtype, b.dtype, a_is_sparse or b_is_sparse):
            product = gen.SparseMatMul(
                a, b, transpose_a=transpose_a, transpose_b=transpose_b, a_is_sparse=a_is_sparse,
                b_is_sparse=b_is_sparse, name=scope)
            both_short = a.dtype == b.dtype == dtypes.bfloat16
            return math_cast.cast(product, dtypes.bfloat16) if both_short else product
        return gen.MatMul(a, b, transpose_a=transpose_a, transpose_b=transpose_b, name=scope)


def _uses_sparse_matmul(a_type, b_type, is_sparse):
    """Returns whether SparseMatMul multiplies; it is also the op for float32 and bfloat16 together."""
    if is_sparse and a_type in _SPARSE_TYPES and b_type in _SPARSE_TYPES:
        return True
    return dtypes.bfloat16 in (a_type, b_type) and a_type != b_type


def _batch_matmul(a, b, a_flags, b_flags, output_type, scope):
    a, adj_x = _adjointed(a, *a_flags)
    b, adj_y = _adjointed(b, *b_flags)
    if output_type is not None and output_type != a.dtype:
        return gen.BatchMatMulV3(a, b, Tout=output_type, adj_x=adj_x, adj_y=adj_y, name=scope)
    return gen.BatchMatMulV2(a, b, adj_x=adj_x, adj_y=adj_y, name=scope)


def _adjointed(x, transpose, adjoint):
    """Returns the tensor and flag for an op that supports adjoint but not transpose."""
    if transpose:
        return math_cast.conj(x), True
    return x, adjoint


@export('linalg.matvec')
def matvec(a, b, transpose_a=False, adjoint_a=False, a_is_sparse=False, b_is_sparse=False,
           name=None):
    """Multiplies matrices by vectors.

    Args:
      a: a tensor of rank at least 2.
      b: a tensor of the same dtype with one dimension fewer.
      transpose_a: whether to transpose each matrix first.
      adjoint_a: whether to transpose and conjugate each matrix first.
      a_is_sparse: whether most elements of `a` are zero.
      b_is_sparse: whether most elements of `b` are zero.
      name: the name of the scope.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'MatVec', (a, b)):
        product = matmul(a, array_basics.expand_dims(b, axis=-1), transpose_a=transpose_a,
                         adjoint_a=adjoint_a, a_is_sparse=a_is_sparse, b_is_sparse=b_is_sparse)
        return array_basics.squeeze(product, axis=[-1])


@export('linalg.trace', 'trace')
def trace(x, name=None):
    """Returns the sum of the diagonal of each matrix.

    Args:
      x: a tensor of rank at least 2.
      name: the name of the scope.

    Returns:
      A tensor with two dimensions fewer.
    """
    with ops.name_scope(name, 'Trace', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.Sum(array_diag.matrix_diag_part(x), [-1], name=scope)


@export('linalg.tensordot', 'tensordot')
def tensordot(a, b, axes, name=None):
    """Multiplies tensors and sums over pairs of dimensions.

    Args:
      a: a tensor of floating-point or complex numbers.
      b: a tensor of the same dtype.
      axes: the number of the last dimensions of `a` that are paired with the first ones of `b`, or
        the pair of the lists of dimensions.
      name: the name of the scope.

    Returns:
      A tensor with the remaining dimensions of `a`, then those of `b`.

    Raises:
      ValueError: if the dimensions do not match.
    """
    with ops.name_scope(name, 'Tensordot', [a, b, axes]) as scope:
        a = ops.convert_to_tensor(a, name='a')
        b = ops.convert_to_tensor(b, name='b')
        a_axes, b_axes = _paired_axes(a, axes)
        a_matrix, a_free, a_free_static = _as_matrix(a, a_axes, False)
        b_matrix, b_free, b_free_static = _as_matrix(b, b_axes, True)
        product = matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            if (product.shape.is_fully_defined()
                    and product.shape.as_list() == a_free + b_free):
                return product
            return array_basics.reshape(product, a_free + b_free, name=scope)
        a_free = ops.convert_to_tensor(a_free, dtype=dtypes.int32)
        b_free = ops.convert_to_tensor(b_free, dtype=dtypes.int32)
        product = array_basics.reshape(product, array_join.concat([a_free, b_free], 0), name=scope)
        if a_free_static is not None and b_free_static is not None:
            product.set_shape(a_free_static + b_free_static)
        return product


def _paired_axes(a, axes):
    if isinstance(axes, (int, np.integer)):
        if axes < 0:
            raise ValueError(f'`axes` must be at least 0. Received: {axes}.')
        rank = a.shape.rank
        if rank is None:
            count = array_basics.rank(a)
            return (math_range.range(count - axes, limit=count),
                    math_range.range(axes, dtype=dtypes.int32))
        if axes > rank:
            raise ValueError('`axes` must not be larger than the number of dimensions of tensor '
                             f'{a}.  Received {axes}, vs tensor dimensions {rank}.')
        return list(range(rank - axes, rank)), list(range(axes))
    if isinstance(axes, (list, tuple)):
        if len(axes) != 2:
            raise ValueError(
                '`axes` must be an integer or have length 2. Received {}.'.format(axes))
        a_axes, b_axes = axes
        a_axes = [a_axes] if isinstance(a_axes, (int, np.integer)) else a_axes
        b_axes = [b_axes] if isinstance(b_axes, (int, np.integer)) else b_axes
        if len(a_axes) != len(b_axes):
            raise ValueError('Different number of contraction axes `a` and `b`, '
                             f'{len(a_axes)} != {len(b_axes)}.')
        return a_axes, b_axes
    axes = ops.convert_to_tensor(axes, name='axes', dtype=dtypes.int32)
    return axes[0], axes[1]


def _as_matrix(a, axes, flipped):
    """Returns a matrix of free by paired dimensions (or the other way around), and the free sizes."""
    static = a.shape
    if static.is_fully_defined() and isinstance(axes, (list, tuple)):
        return _known_matrix(a, static.as_list(), axes, flipped)
    return _dynamic_matrix(a, axes, flipped)


def _known_matrix(a, sizes, axes, flipped):
    axes = [axis if axis >= 0 else axis + len(sizes) for axis in axes]
    free = [i for i in range(len(sizes)) if i not in axes]
    free_sizes = [sizes[i] for i in free]
    met = int(np.prod([sizes[i] for i in axes]))
    rest = int(np.prod(free_sizes))
    perm = list(axes) + free if flipped else free + list(axes)
    shape = [met, rest] if flipped else [rest, met]
    moved = a if perm == list(range(len(sizes))) else array_layout.transpose(a, perm)
    if moved.shape.as_list() != shape:
        moved = array_basics.reshape(moved, shape)
    return moved, free_sizes, free_sizes


def _dynamic_matrix(a, axes, flipped):
    free_static = None
    rank = a.shape.rank
    if rank is not None and isinstance(axes, (list, tuple)):
        axes = [axis if axis >= 0 else axis + rank for axis in axes]
        free = [i for i in range(rank) if i not in axes]
        free_static = [a.shape.as_list()[i] for i in free]
        axes = ops.convert_to_tensor(axes, dtype=dtypes.int32, name='axes')
        free = ops.convert_to_tensor(free, dtype=dtypes.int32, name='free')
        sizes = array_basics.shape(a)
    else:
        sizes = array_basics.shape(a)
        count = array_basics.rank(a)
        axes = ops.convert_to_tensor(axes, dtype=dtypes.int32, name='axes')
        axes = array_select.where(axes >= 0, axes, axes + count)
        free, _ = gen.ListDiff(math_range.range(count), axes, dtypes.int32)
    free_sizes = array_gather.gather(sizes, free)
    met_sizes = array_gather.gather(sizes, axes)
    zero = constant_op.constant([0])
    rest = gen.Prod(free_sizes, zero)
    met = gen.Prod(met_sizes, constant_op.constant([0]))
    if flipped:
        perm = array_join.concat([axes, free], 0)
        shape = array_join.stack([met, rest])
    else:
        perm = array_join.concat([free, axes], 0)
        shape = array_join.stack([rest, met])
    return (array_basics.reshape(array_layout.transpose(a, perm), shape), free_sizes, free_static)


@export('math.polyval')
def polyval(coeffs, x, name=None):
    """Returns the value of a polynomial.

    Args:
      coeffs: a list of tensors, the coefficient of the highest power first.
      x: a tensor.
      name: the name of the scope.

    Returns:
      A tensor of the shape that all broadcast to.

    Raises:
      ValueError: if `coeffs` is not a list.
    """
    if not isinstance(coeffs, list):
        raise ValueError('Argument coeffs must be list type. '
                         f'Received type {type(coeffs)}.')
    with ops.name_scope(name, 'polyval', [x] + coeffs) as scope:
        x = ops.convert_to_tensor(x, name='x')
        if not coeffs:
            return array_fill.zeros_like(x, name=scope)
        coeffs = [ops.convert_to_tensor(value, name=f'coeff_{i}')
                  for i, value in enumerate(coeffs)]
        result = coeffs[0]
        for value in coeffs[1:]:
            result = value + result * x
        return result
