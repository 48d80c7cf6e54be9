"""tf.gather and tf.batch_gather for ragged tensors."""

from ramet.framework import dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_gather
from ramet.ops.math import math_cast
from ramet.ops.ragged import ragged_concat, ragged_tensor, row_partition
from ramet.ops.ragged.ragged_axis import positive_axis
from ramet.ops.ragged.ragged_tensor import RaggedTensor


def gather(params, indices, validate_indices=None, name=None, axis=None, batch_dims=0):
    """Implements tf.gather for ragged tensors.

    Args:
      params: a Tensor or RaggedTensor.
      indices: an integer Tensor or RaggedTensor.
      validate_indices: not used.
      name: the name of the scope.
      axis: an int, the dimension of `params` to gather from. Defaults to batch_dims.
      batch_dims: an int, the number of leading dimensions that params and indices share.

    Raises:
      ValueError: if axis or batch_dims is out of range, or a rank that is needed is not known.
    """
    del validate_indices
    with ops.name_scope(name, 'RaggedGather', [params, indices]):
        params = ragged_tensor.convert(params, name='params')
        indices = ragged_tensor.convert(indices, name='indices', preferred_dtype=dtypes.int32)
        params, indices = ragged_tensor.match_row_splits_dtypes(params, indices)
        if batch_dims != indices.shape.rank:
            batch_dims = positive_axis(batch_dims, indices.shape.rank, 'batch_dims', 'rank(indices)')
        if params.shape.rank is not None and batch_dims >= params.shape.rank:
            raise ValueError('batch_dims must be less than rank(params)')
        axis = batch_dims if axis is None else positive_axis(axis, params.shape.rank, 'axis',
                                                             'rank(params)')
        if axis < batch_dims:
            raise ValueError('axis must be greater than or equal to batch_dims')
        if not is_ragged(params) and not is_ragged(indices):
            return array_gather.gather(params, indices, axis=axis, batch_dims=batch_dims)
        return _gather(params, indices, axis, batch_dims)


def _gather(params, indices, axis, batch_dims):
    if batch_dims > 0:
        return _batch_gather(params, indices, axis, batch_dims)
    if axis > 0:
        return _axis_gather(params, indices, axis)
    if is_ragged(indices):
        return indices.with_values(_gather(params, indices.values, 0, 0))
    if not is_ragged(params):
        return array_gather.gather(params, indices)
    if indices.shape.rank is None:
        raise ValueError('rank(indices) must be known statically')
    return ragged_concat.gather_rows(params, indices)


def _ragged(value, dtype):
    return value if is_ragged(value) else RaggedTensor.from_tensor(
        value, ragged_rank=1, row_splits_dtype=dtype)


def _batch_gather(params, indices, axis, batch_dims):
    """Gathers within each batch: the positions of the values of one batch follow its start."""
    dtype = (params if is_ragged(params) else indices).row_splits.dtype
    params = _ragged(params, dtype)
    if not is_ragged(indices) and batch_dims == 1:
        starts = _with_type(params.row_splits[:-1], indices)
        return _gather(params.values, _added(indices, starts), axis - 1, 0)
    indices = _ragged(indices, dtype)
    if batch_dims > 1:
        checks = row_partition.same_rows([params._partition, indices._partition],
                                         'batch_dims must be equal in params and indices')
        with ops.control_dependencies(checks):
            return indices.with_values(_gather(params.values, indices.values, axis - 1, batch_dims - 1))
    if axis > 1:
        raise ValueError('Ragged tf.gather with axis > batch_dims > 0 is not supported')
    return indices.with_values(_gather(params.values, _shifted(indices, params), 0, 0))


def _with_type(starts, like):
    return math_cast.cast(starts, like.dtype)


def _shifted(indices, params):
    """Returns the values of `indices`, each plus the start of its row in `params`."""
    starts = _with_type(array_gather.gather(params.row_splits[:-1], indices.value_rowids()), indices)
    return _added(indices.values, starts)


def _added(values, starts):
    """Adds a number to each row."""
    if is_ragged(values):
        return values.with_values(_added(values.values, array_gather.gather(starts, values.value_rowids())))
    while starts.shape.rank < values.shape.rank:
        starts = array_basics.expand_dims(starts, -1)
    return values + starts


def _axis_gather(params, indices, axis):
    """Gathers the same indices from each row."""
    if not is_ragged(params):
        params = _ragged(params, indices.row_splits.dtype)
    if axis > 1:
        return params.with_values(_gather(params.values, indices, axis - 1, 0)
                                  if is_ragged(params.values) or is_ragged(indices)
                                  else array_gather.gather(params.values, indices, axis=axis - 1))
    if is_ragged(indices) or indices.shape.rank is None:
        raise ValueError('Ragged tf.gather of ragged indices along axis 1 needs batch_dims=1')
    starts = _with_type(params.row_splits[:-1], indices)
    for _ in range(indices.shape.rank):
        starts = array_basics.expand_dims(starts, -1)
    return _gather(params.values, starts + indices, 0, 0)


def batch_gather(params, indices, name=None):
    """Implements tf.batch_gather for ragged tensors.

    Args:
      params: a Tensor or RaggedTensor.
      indices: an integer Tensor or RaggedTensor whose dimensions but the last are those of params.
      name: the name of the scope.
    """
    indices = ragged_tensor.convert(indices, name='indices', preferred_dtype=dtypes.int32)
    return gather(params, indices, name=name or 'RaggedBatchGather', batch_dims=indices.shape.rank - 1)
