"""safe_embedding_lookup_sparse: lookups for rows that may be empty or have invalid ids."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops
from ramet.ops.sparse import sparse_build, sparse_ops


def _tables(weights, dtype):
    if weights is None:
        raise ValueError(f'Missing embedding_weights {weights}.')
    is_list = isinstance(weights, list) or hasattr(weights, '_get_variable_list')
    tables = list(weights) if is_list else [weights]
    if not tables:
        raise ValueError(f'Missing embedding_weights {weights}.')
    return [table if embedding_ops.is_resource(table) and dtype in (None, table.dtype)
            else ops.convert_to_tensor(table, dtype=dtype) for table in tables]


def _as_matrix(ids, rank):
    """Joins all dimensions of the ids but the last."""
    shape = ids.dense_shape
    rows = math_ops.reduce_prod(array_ops.slice(shape, [0], [rank - 1]))
    return sparse_ops.sparse_reshape(ids, [rows, array_ops.gather(shape, rank - 1)])


def _valid(ids, weights, combiner):
    """Returns the elements without negative ids and, unless they are summed, positive weights."""
    valid = math_ops.greater_equal(ids.values, 0)
    if weights is None:
        return sparse_ops.sparse_retain(ids, valid), None
    valid = math_ops.logical_and(valid, array_ops.ones_like(weights.values, dtype=dtypes.bool))
    ids, weights = sparse_ops.sparse_retain(ids, valid), sparse_ops.sparse_retain(weights, valid)
    if combiner == 'sum':
        return ids, weights
    valid = math_ops.greater(weights.values, 0)
    return sparse_ops.sparse_retain(ids, valid), sparse_ops.sparse_retain(weights, valid)


def _without_empty(rows, is_empty, name):
    """Sets the rows that had no ids to zero."""
    is_empty = array_ops.reshape(is_empty, [-1, 1])
    is_empty = array_ops.tile(is_empty, array_ops.stack([1, array_ops.shape(rows)[1]]))
    return array_ops.where(is_empty, array_ops.zeros_like(rows), rows, name=name)


@export('nn.safe_embedding_lookup_sparse')
@with_args_of(embedding_ops.embedding_lookup_sparse)
def safe_embedding_lookup_sparse(embedding_weights, sparse_ids, sparse_weights=None,
                                 combiner='mean', default_id=None, name=None,
                                 partition_strategy='div', max_norm=None, allow_fast_lookup=False):
    """Like embedding_lookup_sparse, for rows that may be empty and ids that may be negative.

    Negative ids are ignored, and so are ids with a weight that is not positive, unless combiner is 'sum'.

    Args:
      embedding_weights: a Tensor or Variable, a list of them, or a PartitionedVariable.
      sparse_ids: a SparseTensor of row numbers; its last dimension is combined.
      sparse_weights: a SparseTensor of weights at the same positions, or None for ones.
      combiner: 'mean', 'sqrtn' or 'sum'.
      default_id: the id for rows without ids, or None for zeros.

    Returns:
      A Tensor of the shape of sparse_ids without the last dimension, and that of a row of the table.

    Raises:
      ValueError: if embedding_weights is empty or combiner is invalid.
    """
    tables = _tables(embedding_weights, None if sparse_weights is None else sparse_weights.dtype)
    with ops.name_scope(name, 'embedding_lookup', tables + [sparse_ids, sparse_weights]) as scope:
        shape = sparse_ids.dense_shape
        known_rank = tensor_shape.dimension_value(shape.get_shape()[0])
        rank = array_ops.size(shape) if known_rank is None else known_rank
        ids = _as_matrix(sparse_ids, rank)
        weights = sparse_weights
        if weights is not None:
            weights = SparseTensor(ids.indices, weights.values, ids.dense_shape)
        ids, weights = _valid(ids, weights, combiner)
        ids, is_empty = sparse_build.sparse_fill_empty_rows(ids, default_id or 0)
        if weights is not None:
            weights, _ = sparse_build.sparse_fill_empty_rows(weights, 1.0)
        rows = embedding_ops.embedding_lookup_sparse(
            tables, ids, weights, combiner=combiner, partition_strategy=partition_strategy,
            name=None if default_id is None else scope, max_norm=max_norm,
            allow_fast_lookup=allow_fast_lookup)
        if default_id is None:
            rows = _without_empty(rows, is_empty, scope)
        outer = array_ops.slice(math_ops.cast(shape, dtypes.int32), [0], [rank - 1])
        inner = array_ops.slice(array_ops.shape(rows), [1], [-1])
        result = array_ops.reshape(rows, array_ops.concat([outer, inner], 0))
        static = tensor_shape.unknown_shape(None if known_rank is None else known_rank - 1)
        result.set_shape(static.concatenate(rows.get_shape()[1:]))
        return result
