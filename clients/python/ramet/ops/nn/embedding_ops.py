"""embedding_lookup: rows of tables, which may be split over several tensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.math import clip_ops, math_ops


def _gather(params, ids, name=None):
    """Gathers rows, with the variable's own op if params is a variable."""
    try:
        return params.sparse_read(ids, name=name)
    except AttributeError:
        return array_ops.gather(params, ids, name=name)


def is_resource(value):
    """Returns whether value is a resource variable."""
    try:
        return not isinstance(value, ops.Tensor) and value.handle is not None
    except (AttributeError, NotImplementedError):
        return False


def _place(table):
    return table.handle if is_resource(table) else table


def _clip(rows, ids, max_norm):
    if max_norm is None:
        return rows
    ids_rank, ids_static = _rank(ids)
    rows_rank, rows_static = _rank(rows)
    if ids_static and rows_static:
        axes = list(range(ids_rank, rows_rank))
    else:
        axes = math_ops.range(ids_rank, rows_rank)
    return clip_ops.clip_by_norm(rows, max_norm, axes=axes)


def _rank(tensor):
    rank = ops.convert_to_tensor(tensor).get_shape().ndims
    return (rank, True) if rank is not None else (array_ops.rank(tensor), False)


def as_list(params):
    """Returns the parts of a table as a list."""
    if params is None:
        raise ValueError('params must be specified')
    if isinstance(params, (list, tuple)) and not params:
        raise ValueError('Length of params is currently 0. Need at least one param.')
    is_list = isinstance(params, (list, tuple)) or hasattr(params, '_get_variable_list')
    return list(params) if is_list else [params]


def _as_table(value, name):
    return value if is_resource(value) else ops.convert_to_tensor(value, name=name)


@export('nn.embedding_lookup')
def embedding_lookup(params, ids, partition_strategy='mod', name=None, validate_indices=True,
                     max_norm=None):
    """Looks up rows of a table that consists of one or several tensors.

    Args:
      params: a Tensor or Variable, a list of them, or a PartitionedVariable.
      ids: row numbers, int32 or int64.
      partition_strategy: how rows are distributed over several tensors: 'mod' (row i is in tensor
        i % n) or 'div' (in contiguous ranges).
      name: the name of the scope.
      validate_indices: ignored.
      max_norm: the maximum L2 norm of a row, or None.

    Returns:
      A Tensor of shape ids.shape + params.shape[1:].

    Raises:
      ValueError: if params is empty or partition_strategy is invalid.
    """
    params = as_list(params)
    with ops.name_scope(name, 'embedding_lookup', params + [ids]) as name:
        tables = [_as_table(p, 'params' if len(params) == 1 else f'params_{i}')
                  for i, p in enumerate(params)]
        ids = ops.convert_to_tensor(ids, name='ids')
        if len(tables) == 1:
            with ops.colocate_with(_place(tables[0])):
                rows = _clip(_gather(tables[0], ids, name=name), ids, max_norm)
            return array_ops.identity(rows)
        return _partitioned_lookup(tables, ids, partition_strategy, max_norm, name)


def _mod_assignment(flat_ids, count):
    partition = flat_ids % count
    return partition, flat_ids // count


def _total_rows(tables, dtype):
    sizes = [tensor_shape.dimension_value(t.get_shape()[0]) if t.get_shape().ndims else None
             for t in tables]
    if None not in sizes:
        return ops.convert_to_tensor(sum(sizes), dtype=dtype)
    counts = []
    for table, size in zip(tables, sizes):
        if size is not None:
            counts.append(size)
        else:
            with ops.colocate_with(_place(table)):
                counts.append(array_ops.shape(table)[0])
    return math_ops.reduce_sum(math_ops.cast(array_ops.stack(counts), dtype))


def _div_assignment(flat_ids, tables):
    count = len(tables)
    total = _total_rows(tables, flat_ids.dtype)
    rows = total // count
    extras = total % count
    partition = math_ops.maximum(flat_ids // (rows + 1), (flat_ids - extras) // rows)
    return partition, array_ops.where(
        partition < extras, flat_ids % (rows + 1), (flat_ids - extras) % rows)


def _element_shape(tables):
    shape = tables[0].get_shape()[1:]
    for table in tables[1:]:
        shape = shape.merge_with(table.get_shape()[1:])
    return shape


def _partitioned_lookup(tables, ids, partition_strategy, max_norm, name):
    count = len(tables)
    flat_ids = array_ops.reshape(ids, [-1])
    positions = math_ops.range(array_ops.size(flat_ids))
    if partition_strategy == 'mod':
        partition, inner_ids = _mod_assignment(flat_ids, count)
    elif partition_strategy == 'div':
        partition, inner_ids = _div_assignment(flat_ids, tables)
    else:
        raise ValueError(f'Unrecognized partition strategy: {partition_strategy}.'
                         'Must be one of either `mod` or `div`.')
    partition = math_ops.cast(partition, dtypes.int32)
    gather_ids = gen.DynamicPartition(inner_ids, partition, count)
    positions = gen.DynamicPartition(positions, partition, count)
    parts = []
    for table, part_ids in zip(tables, gather_ids):
        with ops.colocate_with(_place(table)):
            parts.append(_gather(table, part_ids))
    rows = gen.ParallelDynamicStitch(positions, parts, name=name)
    element = _element_shape(tables)
    inner = element
    if not element.is_fully_defined():
        with ops.colocate_with(_place(tables[0])):
            inner = array_ops.shape(tables[0])[1:]
    rows = array_ops.reshape(rows, array_ops.concat([array_ops.shape(ids), inner], 0))
    rows.set_shape(ids.get_shape().concatenate(element))
    return _clip(rows, ids, max_norm)


_COMBINERS = {'mean': gen.SparseSegmentMean, 'sqrtn': gen.SparseSegmentSqrtN,
              'sum': gen.SparseSegmentSum}


def _check_sparse(sp_ids, sp_weights, combiner):
    if combiner not in _COMBINERS:
        raise ValueError(f'combiner must be one of \'mean\', \'sqrtn\' or \'sum\', got {combiner}')
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f'sp_ids must be SparseTensor, got {type(sp_ids)}')
    if sp_weights is None:
        return
    if not isinstance(sp_weights, SparseTensor):
        raise TypeError(
            f'sp_weights must be either None or SparseTensor,got {type(sp_weights)}')
    sp_ids.values.get_shape().assert_is_compatible_with(sp_weights.values.get_shape())
    sp_ids.indices.get_shape().assert_is_compatible_with(sp_weights.indices.get_shape())
    sp_ids.dense_shape.get_shape().assert_is_compatible_with(sp_weights.dense_shape.get_shape())


@export('nn.embedding_lookup_sparse')
def embedding_lookup_sparse(params, sp_ids, sp_weights, partition_strategy='mod', name=None,
                            combiner=None, max_norm=None, allow_fast_lookup=False):
    """Combines the rows of a table that each row of a SparseTensor of ids refers to.

    Args:
      params: a Tensor or Variable, a list of them, or a PartitionedVariable.
      sp_ids: a SparseTensor of row numbers. Only rows at the end may be empty.
      sp_weights: a SparseTensor of weights at the same positions, or None for ones.
      partition_strategy: 'mod' or 'div', see tf.nn.embedding_lookup.
      name: the name of the scope.
      combiner: 'mean' (the default), 'sqrtn' (the sum divided by the root of the sum of squared
        weights) or 'sum'.
      max_norm: the maximum L2 norm of a row of the table, or None.
      allow_fast_lookup: ignored.

    Returns:
      A Tensor of shape [rows of sp_ids] + params.shape[1:].

    Raises:
      TypeError: if sp_ids or sp_weights is not a SparseTensor.
      ValueError: if combiner is invalid.
    """
    combiner = 'mean' if combiner is None else combiner
    params = as_list(params)
    _check_sparse(sp_ids, sp_weights, combiner)
    with ops.name_scope(name, 'embedding_lookup_sparse', params + [sp_ids]) as name:
        segment_ids = sp_ids.indices[:, 0]
        if (sp_weights is None and max_norm is None and len(params) == 1
                and not is_resource(params[0])):
            return _COMBINERS[combiner](
                params[0], sp_ids.values, segment_ids, sparse_gradient=True, name=name)
        ids, positions = gen.Unique(sp_ids.values)[:2]
        rows = embedding_lookup(params, ids, partition_strategy=partition_strategy,
                                max_norm=max_norm)
        if sp_weights is None:
            return _COMBINERS[combiner](rows, positions, segment_ids, name=name)
        return _weighted(rows, positions, segment_ids, sp_weights.values, combiner, name)


def _weighted(rows, positions, segment_ids, weights, combiner, name):
    if segment_ids.dtype != dtypes.int32:
        segment_ids = math_ops.cast(segment_ids, dtypes.int32)
    rows = array_ops.gather(rows, positions)
    added = array_ops.expand_dims(array_ops.rank(rows) - 1, 0)
    shape = array_ops.concat(
        [array_ops.shape(weights), array_ops.ones(added, dtypes.int32)], 0)
    static = weights.get_shape()
    weights = array_ops.reshape(weights, shape)
    if rows.get_shape().ndims is not None:
        weights.set_shape(static.concatenate([1] * (rows.get_shape().ndims - 1)))
    if weights.dtype != rows.dtype:
        weights = math_ops.cast(weights, rows.dtype)
    rows *= weights
    if combiner == 'sum':
        return gen.SegmentSum(rows, segment_ids, name=name)
    total = gen.SegmentSum(rows, segment_ids)
    if combiner == 'mean':
        return math_ops.div_no_nan(total, gen.SegmentSum(weights, segment_ids), name=name)
    squares = gen.SegmentSum(math_ops.pow(weights, 2), segment_ids)
    return math_ops.div_no_nan(total, math_ops.sqrt(squares), name=name)
