"""Tensors filled with one value."""

import functools

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_proto, tensor_shape
from ramet.ops.array import array_basics

Tensor = ops.Tensor


_SMALL = 1000


@export('fill')
def fill(dims, value, name=None, layout=None):
    """Returns a tensor of shape `dims` in which every element is `value`.

    Args:
      dims: a 1-D int32 or int64 tensor.
      value: a scalar of any dtype.
      name: the name of the node.
      layout: ignored.

    Returns:
      A tensor of the dtype of `value`.
    """
    del layout
    return gen.Fill(dims, value, name=name)


@export('zeros')
def zeros(shape, dtype=dtypes.float32, name=None, layout=None):
    """Returns a tensor filled with zeros (False, empty strings).

    Args:
      shape: ints, a TensorShape or a 1-D int32 or int64 tensor.
      dtype: the dtype of the elements.
      name: the name of the node.
      layout: ignored.

    Returns:
      A tensor of `shape`. If it is small and known, this is a constant.
    """
    del layout
    dtype = dtypes.as_dtype(dtype).base_dtype
    zero = False if dtype == dtypes.bool else '' if dtype == dtypes.string else 0
    return _filled(shape, dtype, zero, name or 'zeros')


@export('ones')
def ones(shape, dtype=dtypes.float32, name=None, layout=None):
    """Returns a tensor of ones (True for bool).

    Args:
      shape: ints, a TensorShape or a 1-D int32 or int64 tensor.
      dtype: the dtype of the elements, which cannot be string.
      name: the name of the node.
      layout: ignored.

    Returns:
      A tensor of `shape`. If it is small and known, this is a constant.
    """
    del layout
    dtype = dtypes.as_dtype(dtype).base_dtype
    one = True if dtype == dtypes.bool else 1
    return _filled(shape, dtype, one, name or 'ones')


def _filled(shape, dtype, value, name):
    if not isinstance(shape, Tensor):
        small = _small_constant(shape, dtype, value, name)
        if small is not None:
            return small
    with ops.name_scope(name, None, [shape]) as scope:
        if not isinstance(shape, Tensor):
            shape = _shape_tensor(shape)
        if shape.shape.rank == 0:
            shape = array_basics.reshape(shape, [-1])
        return gen.Fill(shape, constant_op.constant(value, dtype=dtype), name=scope)


def _small_constant(shape, dtype, value, name):
    """Returns the constant for a short list of ints, or None if a Fill node is needed."""
    if isinstance(shape, tensor_shape.TensorShape):
        shape = shape.as_list() if shape.is_fully_defined() else None
    elif isinstance(shape, np.ndarray):
        shape = tensor_shape.bounded(shape) if shape.ndim == 1 else None
    elif not isinstance(shape, (list, tuple)):
        return None
    if shape is None or dtype == dtypes.string and value == 1:
        return None
    sizes, count = [], 1
    for dim in shape:
        if isinstance(dim, tensor_shape.Dimension):
            dim = dim.value
        if not isinstance(dim, (int, np.integer)):
            return None
        sizes.append(int(dim))
        count *= sizes[-1]
    if not 0 <= count < _SMALL:
        return None
    return constant_op.add_constant(_filled_proto(value, dtype, tuple(sizes)), dtype, name)


@functools.lru_cache(256, typed=True)
def _filled_proto(value, dtype, sizes):
    return tensor_proto.make_tensor_proto(value, dtype, sizes)


def _shape_tensor(shape):
    try:
        static = tensor_shape.as_shape(shape)
        if static.is_fully_defined():
            return constant_op.shape_constant(static)
    except (TypeError, ValueError):
        pass
    return ops.convert_to_tensor(shape, dtype=dtypes.int32)


@export('zeros_like')
def zeros_like(tensor, dtype=None, name=None, optimize=True):
    """Returns zeros with the shape of another tensor.

    Args:
      tensor: a tensor or SparseTensor.
      dtype: the dtype of the zeros. Defaults to that of `tensor`.
      name: the name of the node.
      optimize: whether to create a constant if the shape is known statically.

    Returns:
      A tensor of the shape of `tensor`.
    """
    with ops.name_scope(name, 'zeros_like', [tensor]) as scope:
        if array_basics.is_sparse(tensor):
            whole = tensor.shape if tensor.shape.is_fully_defined() else tensor.dense_shape
            return zeros(whole, tensor.dtype if dtype is None else dtype, name=scope)
        if not isinstance(tensor, Tensor):
            tensor = ops.convert_to_tensor(tensor, name='tensor')
        wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype)
        if optimize and tensor.shape.is_fully_defined() and wanted != dtypes.variant:
            return zeros(tensor.shape, dtype=wanted, name=scope)
        if wanted != tensor.dtype.base_dtype and wanted != dtypes.variant:
            like = array_basics.shape_internal(tensor, optimize=optimize)
            return zeros(like, dtype=wanted, name=scope)
        return gen.ZerosLike(tensor, name=scope)


@export('ones_like')
def ones_like(tensor, dtype=None, name=None, optimize=True):
    """Returns ones with the shape of another tensor.

    Args:
      tensor: a tensor.
      dtype: the dtype of the ones. Defaults to that of `tensor`.
      name: the name of the node.
      optimize: whether to use the static shape if it is known.

    Returns:
      A tensor of the shape of `tensor`.
    """
    with ops.name_scope(name, 'ones_like', [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name='tensor')
        like = shape_in_scope(tensor, optimize)
        return ones(like, dtype=tensor.dtype if dtype is None else dtype, name=scope)


def shape_in_scope(tensor, optimize=True):
    static = tensor.shape
    if not (optimize and static.is_fully_defined()):
        return array_basics.shape_internal(tensor, optimize=optimize)
    with ops.name_scope('Shape'):
        return constant_op.shape_constant(static)
