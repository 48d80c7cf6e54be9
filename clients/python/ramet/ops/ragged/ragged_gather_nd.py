"""tf.gather_nd for ragged tensors."""

from ramet.framework import dtypes, ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_gather, array_join
from ramet.ops.math import math_cast
from ramet.ops.ragged import ragged_gather, ragged_tensor
from ramet.ops.ragged.ragged_tensor import RaggedTensor


def gather_nd(params, indices, name=None, batch_dims=0, bad_indices_policy=''):
    """Implements tf.gather_nd for ragged tensors.

    Args:
      params: a Tensor or RaggedTensor.
      indices: an integer Tensor or RaggedTensor whose last dimension has one element for each dimension
        that is indexed.
      name: the name of the scope.
      batch_dims: 0.
      bad_indices_policy: not used.

    Raises:
      ValueError: if batch_dims is not 0, or the last dimension of `indices` is not known or ragged.
    """
    del bad_indices_policy
    if not isinstance(batch_dims, int) or batch_dims != 0:
        raise ValueError('batch_dims != 0 is not supported for ragged gather yet.')
    with ops.name_scope(name, 'RaggedGatherNd', [params, indices]):
        params = ragged_tensor.convert(params, name='params')
        indices = ragged_tensor.convert(indices, name='indices', preferred_dtype=dtypes.int32)
        params, indices = ragged_tensor.match_row_splits_dtypes(params, indices)
        if indices.shape.rank is None or not indices.shape[-1].value:
            raise ValueError('The innermost dimension of indices may not be ragged')
        return _gather_nd(params, indices)


def _gather_nd(params, indices):
    if is_ragged(indices):
        return indices.with_values(_gather_nd(params, indices.values))
    if not is_ragged(params):
        return array_gather.gather_nd(params, indices)
    rank = indices.shape.rank
    if rank == 1:
        return _gather_nd(params, array_basics.expand_dims(indices, 0))[0]
    if rank > 2:
        rows = RaggedTensor.from_tensor(indices, ragged_rank=rank - 2,
                                        row_splits_dtype=params.row_splits.dtype)
        result = _gather_nd(params, rows)
        return result if params.ragged_rank >= indices.shape[-1].value else _dense(result, indices)
    return _picked(params, indices)


def _dense(result, indices):
    sizes = array_basics.shape(indices)[:-1]
    inner = array_basics.shape(result.flat_values)[1:]
    return array_basics.reshape(result.flat_values, array_join.concat([sizes, inner], axis=0))


def _picked(params, indices):
    """Gathers from a ragged tensor for a matrix of indices."""
    depth = indices.shape[-1].value
    indices = math_cast.cast(indices, params.row_splits.dtype)
    place, used = indices[:, 0], 1
    while used < depth and is_ragged(params):
        place = array_gather.gather(params.row_splits, place) + indices[:, used]
        params, used = params.values, used + 1
    if used == depth:
        return ragged_gather.gather(params, place) if is_ragged(params) else array_gather.gather(
            params, place)
    rest = array_join.concat([array_basics.expand_dims(place, 1), indices[:, used:]], axis=1)
    return array_gather.gather_nd(params, rest)
