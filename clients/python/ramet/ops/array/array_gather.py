"""Gathers slices and elements of a tensor, also within each batch."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_basics, array_fill, array_grid, array_join, array_layout

Tensor = ops.Tensor


@export('gather')
def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Gathers slices of `params` along one dimension.

    Args:
      params: a tensor.
      indices: an int32 or int64 tensor of indices.
      validate_indices: ignored.
      name: the name of the node.
      axis: the dimension, an integer scalar. Defaults to `batch_dims`.
      batch_dims: the number of leading dimensions that `params` and `indices` share.

    Returns:
      A tensor in which the dimension `axis` of `params` is replaced by those of `indices`.
    """
    del validate_indices
    if axis is None:
        axis = batch_dims
    known = tensor_util.constant_value(axis) if isinstance(axis, Tensor) else axis
    if known is None or known != 0:
        return gen.GatherV2(params, indices, axis, batch_dims=batch_dims, name=name)
    try:
        return params.sparse_read(indices, name=name)
    except AttributeError:
        return gen.GatherV2(params, indices, axis, name=name)


def gather_v2(params, indices, validate_indices=None, axis=None, batch_dims=0, name=None):
    return gather(params, indices, validate_indices, name, axis, batch_dims)


@export('gather_nd', 'manip.gather_nd')
def gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy=''):
    """Gathers elements or slices of `params` at rows of indices.

    Args:
      params: a tensor.
      indices: an int32 or int64 tensor; its last dimension indexes the first ones of `params`.
      name: the name of the node.
      batch_dims: the number of leading dimensions that `params` and `indices` share.
      bad_indices_policy: '' (the default of the device), 'ERROR' or 'IGNORE' (zeros).

    Returns:
      A tensor of shape `indices.shape[:-1] + params.shape[indices.shape[-1]:]`.
    """
    if tensor_util.constant_value(batch_dims) if isinstance(batch_dims, Tensor) else batch_dims:
        return batch_gather_nd(params, indices, batch_dims, name)
    try:
        return params.gather_nd(indices, name=name)
    except AttributeError:
        if bad_indices_policy:
            return gen.GatherNd(params, indices, bad_indices_policy=bad_indices_policy, name=name)
        return gen.GatherNd(params, indices, name=name)


@export('batch_gather')
def batch_gather(params, indices, name=None):
    """Gathers slices of `params` along the last dimension of `indices`, within each batch.

    Args:
      params: a tensor.
      indices: an int32 or int64 tensor; all dimensions but the last are batch dimensions.
      name: the name of the scope.

    Returns:
      A tensor.

    Raises:
      ValueError: if the rank of `indices` is not known.
    """
    with ops.name_scope(name, 'BatchGather', [params, indices]):
        indices = ops.convert_to_tensor(indices, name='indices')
        params = ops.convert_to_tensor(params, name='params')
        if indices.shape.rank is None:
            raise ValueError('batch_gather does not allow indices with unknown shape.')
        return _flat_gather(params, indices, indices.shape.rank - 1)


def _flat_gather(params, indices, batch_dims):
    """Gathers from the concatenated batches, with the indices of each batch offset accordingly."""
    static = params.shape
    result_shape = indices.shape.concatenate(static[batch_dims + 1:])
    indices_shape = array_basics.shape(indices)
    params_shape = array_basics.shape(params)
    indices = _offset(indices, params_shape, batch_dims)
    flat_indices = array_basics.reshape(indices, [-1])
    outer = params_shape[batch_dims + 1:]
    count = gen.Prod(params_shape[:batch_dims + 1], [0])
    flat = array_basics.reshape(params, array_join.concat([[count], outer], axis=0))
    found = gather(flat, flat_indices)
    result = array_basics.reshape(found, array_join.concat([indices_shape, outer], axis=0))
    result.set_shape(result_shape)
    return result


def _offset(indices, params_shape, batch_dims):
    rank, dtype = indices.shape.rank, indices.dtype.base_dtype
    step = array_fill.ones((), dtype=dtype)
    sizes = gen.Cast(params_shape, dtype)
    for dim in range(batch_dims, 0, -1):
        count = sizes[dim - 1]
        step *= sizes[dim]
        places = gen.Range(array_fill.zeros((), dtype=dtype), count,
                           array_fill.ones((), dtype=dtype))
        places *= step
        spread = array_join.stack([1] * (dim - 1) + [count] + [1] * (rank - dim), axis=0)
        indices += array_basics.reshape(places, spread)
    return indices


def batch_gather_nd(params, indices, batch_dims, name=None):
    """Applies gather_nd within each batch.

    Args:
      params: a tensor.
      indices: an integer tensor.
      batch_dims: an int, the number of leading dimensions that the two share.
      name: the name of the scope.

    Returns:
      A tensor.

    Raises:
      TypeError: if `batch_dims` is not an int.
      ValueError: if it is negative or not less than both ranks.
    """
    with ops.name_scope(name, 'BatchGatherND', [params, indices]):
        indices = ops.convert_to_tensor(indices, name='indices')
        params = ops.convert_to_tensor(params, name='params')
        _check_batch_dims(params, indices, batch_dims)
        result_shape = _result_shape(params, indices, batch_dims)
        params_shape = array_basics.shape(params)
        indices_shape = array_basics.shape(indices)
        batch_shape = params_shape[:batch_dims]
        whole = _with_batch_places(indices, indices_shape, batch_shape, batch_dims)
        found = gather_nd(params, whole)
        found_shape = array_basics.shape(found)
        result = array_basics.reshape(
            found, array_join.concat([batch_shape, found_shape[1:]], axis=0))
        result.set_shape(result_shape)
        return result


def _check_batch_dims(params, indices, batch_dims):
    if not isinstance(batch_dims, int):
        raise TypeError(f'Argument `batch_dims` must be an int; got {batch_dims}')
    if batch_dims < 0:
        raise ValueError('batch_gather_nd does not allow negative batch_dims.')
    for label, tensor in (('indices', indices), ('params', params)):
        rank = tensor.shape.rank
        if rank is not None and batch_dims >= rank:
            raise ValueError(f'Argument `batch_dims` = {batch_dims} must be less than '
                             f'rank(`{label}`) = {rank}')


def _result_shape(params, indices, batch_dims):
    if params.shape.rank is None or indices.shape.rank is None:
        return tensor_shape.TensorShape(None)
    depth = tensor_shape.dimension_value(indices.shape[-1])
    if depth is None:
        return tensor_shape.TensorShape(None)
    return tensor_shape.TensorShape(indices.shape[:-1]).concatenate(
        params.shape[batch_dims + depth:])


def _with_batch_places(indices, indices_shape, batch_shape, batch_dims):
    """Returns the indices of all batches in one list, each with the position of its batch prepended."""
    count = gen.Prod(batch_shape, [0])
    inner_rank = array_basics.rank(indices) - batch_dims - 1
    inner_shape = indices_shape[batch_dims:-1]
    places = [gen.Cast(gen.Range(0, gen.Cast(size, dtypes.int32), 1), indices.dtype)
              for size in array_join.unstack(batch_shape)]
    mesh = array_grid.meshgrid(*places, indexing='ij')
    grid = array_layout.transpose(
        array_join.stack([array_basics.reshape(place, (-1,)) for place in mesh], axis=0))
    grid_shape = array_basics.shape(grid)
    grid = array_basics.reshape(grid, array_join.concat(
        [grid_shape[:1], array_fill.ones(inner_rank, dtypes.int32), grid_shape[1:]], axis=0))
    grid = gen.Tile(grid, array_join.concat(((1,), inner_shape, (1,)), axis=0))
    flat = array_join.concat(([count], indices_shape[batch_dims:]), axis=0)
    return array_join.concat((grid, array_basics.reshape(indices, flat)), axis=-1)
