"""Sums and means of the rows of tables, and lengths of sequences."""

from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops
from ramet.ops.nn.embedding_safe import safe_embedding_lookup_sparse
from ramet.ops.sparse import sparse_ops
from ramet.train import checkpoint_utils


def weighted_rows(table, ids, weights, combiner, name, max_norm=None, safe=True):
    """Returns the combination of the rows of a table for each example.

    Args:
      table: a variable.
      ids: a SparseTensor of row numbers.
      weights: a SparseTensor of weights, or None.
      combiner: 'mean', 'sqrtn' or 'sum'.
      name: the name of the scope.
      max_norm: the maximum L2 norm of a row, or None.
      safe: whether examples may have no ids, or negative ones.
    """
    rank = tensor_shape.dimension_value(ids.dense_shape.get_shape()[0])
    if not safe and rank is not None and rank <= 2:
        return embedding_ops.embedding_lookup_sparse(table, ids, weights, partition_strategy='div', combiner=combiner,
                                                     name=name, max_norm=max_norm)
    return safe_embedding_lookup_sparse(
        table, ids, sparse_weights=weights, combiner=combiner, name=name, max_norm=max_norm)


def flat_rows(table, pair, combiner, name):
    """Returns the combination of the rows of a table for each example, whose ids may have several dimensions.

    Args:
      table: a variable.
      pair: an IdWeightPair.
      combiner: 'mean', 'sqrtn' or 'sum'.
      name: the name of the scope.
    """
    flat = [None if tensor is None else sparse_ops.sparse_reshape(tensor, [array_ops.shape(tensor)[0], -1])
            for tensor in pair]
    return weighted_rows(table, *flat, combiner, name)


def init_from_checkpoint(column, table):
    """Lets a table of an embedding column get its values from the column's checkpoint, if it has one.

    Args:
      column: a column with the fields ckpt_to_load_from and tensor_name_in_ckpt.
      table: a variable.
    """
    if column.ckpt_to_load_from is not None:
        parts = list(table) if hasattr(table, '_variable_list') else table
        checkpoint_utils.init_from_checkpoint(column.ckpt_to_load_from, {column.tensor_name_in_ckpt: parts})


def sequence_length(tensor, num_elements=1):
    """Returns the lengths of the rows of a SparseTensor.

    Args:
      tensor: a SparseTensor.
      num_elements: int, the number of elements of one step.
    """
    with ops.name_scope(None, 'sequence_length') as name:
        rows, columns = tensor.indices[:, 0], tensor.indices[:, 1]
        columns += array_ops.ones_like(columns)
        lengths = math_ops.segment_max(columns, segment_ids=rows)
        lengths = math_ops.cast(math_ops.ceil(lengths / num_elements), dtypes.int64)
        missing = array_ops.shape(tensor)[:1] - array_ops.shape(lengths)[:1]
        return array_ops.concat([lengths, array_ops.zeros(missing, dtype=lengths.dtype)], axis=0, name=name)
