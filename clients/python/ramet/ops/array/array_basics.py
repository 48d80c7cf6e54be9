"""Shapes, constants with a shape, placeholders, and operations that only relabel a tensor."""


import numpy as np

from ramet import gen
from ramet.api import export, export_value
from ramet.framework import constant_op, dtypes, nest, ops, ragged_hooks, tensor_shape
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue

Tensor = ops.Tensor
newaxis = None
export_value('newaxis', None)


def one_of(new_name, new, old_name, old, default=None):
    """Returns the value of an argument that has a new and an old name.

    Raises:
      ValueError: if both are given.
    """
    if old is None:
        return default if new is None else new
    if new is not None:
        raise ValueError(f"Cannot specify both '{old_name}' and '{new_name}'.")
    return old


def is_sparse(value):
    return isinstance(value, (SparseTensor, SparseTensorValue))


@export('shape')
def shape(input, name=None, out_type=None):
    """Returns the shape of a tensor; a constant if it is known statically.

    Args:
      input: a tensor or a SparseTensor.
      name: the name of the node.
      out_type: int32 (default) or int64.

    Returns:
      A 1-D tensor of `out_type` with one element a dimension.
    """
    return shape_internal(input, name, True, out_type)


def shape_internal(input, name=None, optimize=True, out_type=None):
    out_type = dtypes.int32 if out_type is None else out_type
    if isinstance(input, Tensor):
        return _shape_of(input, name or 'Shape', optimize, out_type)
    with ops.name_scope(name, 'Shape', [input]) as scope:
        if is_sparse(input):
            return gen.Cast(input.dense_shape, out_type)
        return _shape_of(ops.convert_to_tensor(input), scope, optimize, out_type)


def _shape_of(tensor, name, optimize, out_type):
    static = tensor.shape
    if optimize and static.is_fully_defined():
        return constant_op.constant(static.as_list(), out_type, name=name)
    return gen.Shape(tensor, out_type=out_type, name=name)


@export('shape_n')
def shape_n(input, out_type=dtypes.int32, name=None):
    """Returns the shapes of several tensors of one dtype.

    Args:
      input: a list of at least one tensor.
      out_type: int32 or int64.
      name: the name of the node.

    Returns:
      A list with a 1-D tensor of `out_type` for each input.
    """
    return gen.ShapeN(input, out_type=out_type, name=name)


@export('size')
def size(input, name=None, out_type=None):
    """Returns the number of elements; a constant if the shape is known statically.

    Args:
      input: a tensor or a SparseTensor (counted as if dense).
      name: the name of the node.
      out_type: int32 (default) or int64.

    Returns:
      A scalar of `out_type`.
    """
    return size_internal(input, name, True, out_type)


def size_internal(input, name=None, optimize=True, out_type=None):
    out_type = dtypes.int32 if out_type is None else out_type
    if isinstance(input, Tensor):
        return _size_of(input, name or 'Size', optimize, out_type)
    with ops.name_scope(name, 'Size', [input]) as scope:
        if is_sparse(input):
            return gen.Prod(gen.Cast(input.dense_shape, out_type), 0, name=scope)
        return _size_of(ops.convert_to_tensor(input), scope, optimize, out_type)


def _size_of(tensor, name, optimize, out_type):
    if optimize:
        static = tensor.shape
        if static.is_fully_defined():
            return constant_op.constant(static.num_elements(), out_type, name=name)
        if static.rank is not None and 0 in static.as_list():
            return constant_op.constant(0, out_type, name=name)
    return gen.Size(tensor, out_type=out_type, name=name)


@export('rank')
def rank(input, name=None):
    """Returns the number of dimensions; a constant if it is known statically.

    Args:
      input: a tensor or a SparseTensor.
      name: the name of the node.

    Returns:
      An int32 scalar.
    """
    return rank_internal(input, name, True)


def rank_internal(input, name=None, optimize=True):
    if isinstance(input, Tensor):
        return _rank_of(input, name or 'Rank', optimize)
    with ops.name_scope(name, 'Rank', [input]) as scope:
        if is_sparse(input):
            return gen.Size(input.dense_shape, name=scope)
        return _rank_of(ops.convert_to_tensor(input), scope, optimize)


def _rank_of(tensor, name, optimize):
    known = tensor.shape.rank
    if optimize and known is not None:
        return constant_op.constant(known, dtypes.int32, name=name)
    return gen.Rank(tensor, name=name)


@export('identity')
def identity(input, name=None):
    """Returns a tensor with the value of `input`.

    Args:
      input: a tensor, SparseTensor, RaggedTensor or IndexedSlices (for which each part is passed on).
      name: the name of the node.

    Returns:
      A value of the same kind, dtype and shape as `input`.
    """
    if isinstance(input, SparseTensor):
        return SparseTensor(*(gen.Identity(part, name=name)
                              for part in (input.indices, input.values, input.dense_shape)))
    if isinstance(input, IndexedSlices):
        parts = (input.values, input.indices, input.dense_shape)
        return IndexedSlices(*(part if part is None else gen.Identity(part, name=name)
                               for part in parts))
    if ragged_hooks.is_ragged(input):
        return nest.map_structure(lambda part: gen.Identity(part, name=name), input, expand_composites=True)
    return gen.Identity(input, name=name)


@export('stop_gradient')
def stop_gradient(input, name=None):
    """Returns `input`, but stops gradients from flowing back through it.

    Args:
      input: a tensor.
      name: the name of the node.

    Returns:
      A tensor like `input`.
    """
    return gen.StopGradient(input, name=name)


@export('guarantee_const')
def guarantee_const(input, name=None):
    """Returns `input`, with the guarantee that it is the same in every run.

    Args:
      input: a tensor.
      name: the name of the node.

    Returns:
      A tensor like `input`.
    """
    return gen.GuaranteeConst(input, name=name)


@export('expand_dims')
def expand_dims(input, axis=None, name=None, dim=None):
    """Inserts a dimension of size 1 at `axis`.

    Args:
      input: a tensor.
      axis: an integer scalar in [-rank - 1, rank].
      name: the name of the node.
      dim: deprecated name of `axis`.

    Returns:
      A tensor with the elements of `input` and one more dimension.

    Raises:
      ValueError: if neither or both of `axis` and `dim` are given.
    """
    axis = one_of('axis', axis, 'dim', dim)
    if axis is None:
        raise ValueError('Must specify an axis argument to tf.expand_dims()')
    return expand_dims_v2(input, axis, name)


def expand_dims_v2(input, axis, name=None):
    return gen.ExpandDims(input, axis, name=name)


@export('squeeze')
def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Removes dimensions of size 1.

    Args:
      input: a tensor.
      axis: an int or a list of ints: the dimensions to remove. Defaults to all of size 1.
      name: the name of the node.
      squeeze_dims: deprecated name of `axis`.

    Returns:
      A tensor with the elements of `input`.

    Raises:
      ValueError: if both names are given, or a named dimension is not 1.
    """
    axis = one_of('axis', axis, 'squeeze_dims', squeeze_dims)
    if np.isscalar(axis):
        axis = [axis]
    return gen.Squeeze(input, axis if axis is not None else [], name=name)


@export('reshape', 'manip.reshape')
def reshape(tensor, shape, name=None):
    """Reshapes a tensor.

    Args:
      tensor: a tensor.
      shape: a 1-D int32 or int64 tensor; one element may be -1 and is then inferred.
      name: the name of the node.

    Returns:
      A tensor of `shape`.

    Raises:
      ValueError: if the numbers of elements are known and differ.
    """
    return gen.Reshape(tensor, shape, name=name)


@export('broadcast_dynamic_shape')
def broadcast_dynamic_shape(shape_x, shape_y):
    """Returns the shape that two shapes broadcast to.

    Args:
      shape_x: a 1-D int32 or int64 tensor.
      shape_y: a 1-D tensor of the same dtype.

    Returns:
      A 1-D tensor.
    """
    return gen.BroadcastArgs(shape_x, shape_y)


@export('broadcast_static_shape')
def broadcast_static_shape(shape_x, shape_y):
    """Returns the TensorShape that two TensorShapes broadcast to.

    Args:
      shape_x: a TensorShape.
      shape_y: a TensorShape.

    Returns:
      A TensorShape, with unknown sizes where one of them is unknown.

    Raises:
      ValueError: if they cannot be broadcast.
    """
    if shape_x.rank is None or shape_y.rank is None:
        return tensor_shape.TensorShape(None)
    longest = max(shape_x.rank, shape_y.rank)
    pairs = zip([1] * (longest - shape_x.rank) + shape_x.as_list(),
                [1] * (longest - shape_y.rank) + shape_y.as_list())
    dims = []
    for x, y in pairs:
        if x is not None and y is not None and x != y and 1 not in (x, y):
            raise ValueError('Incompatible shapes for broadcasting. Two shapes are compatible if '
                             'for each dimension pair they are either equal or one of them is 1. '
                             f'Received: {shape_x} and {shape_y}.')
        dims.append(_broadcast_dim(x, y))
    return tensor_shape.TensorShape(dims)


def _broadcast_dim(x, y):
    if x is None or y is None:
        known = y if x is None else x
        return known if known is not None and known > 1 else None
    return y if x == 1 else x
