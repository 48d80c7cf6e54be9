"""Creates SparseTensors from ids, dense tensors or serialized ones, and changes their shapes."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_util
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
from ramet.ops.array import array_basics, array_fill, array_gather, array_join, array_select
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_basics, math_cast, math_range, math_reduce
from ramet.ops.sparse.sparse_ops import as_sparse, sparse_reorder, sparse_tensor_to_dense


@export('sparse.fill_empty_rows', 'sparse_fill_empty_rows')
def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """Inserts a value into empty rows.

    Args:
      sp_input: a SparseTensor.
      default_value: a scalar.
      name: the name of the scope.

    Returns:
      A tuple (SparseTensor, bool vector of the rows that were empty).
    """
    sp_input = as_sparse(sp_input)
    with ops.name_scope(name, 'SparseFillEmptyRows', [sp_input]):
        default_value = ops.convert_to_tensor(default_value, dtype=sp_input.values.dtype)
        indices, values, empty, _ = gen.SparseFillEmptyRows(
            indices=sp_input.indices, values=sp_input.values, dense_shape=sp_input.dense_shape,
            default_value=default_value)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


@export('sparse.reset_shape', 'sparse_reset_shape')
def sparse_reset_shape(sp_input, new_shape=None):
    """Returns a SparseTensor with a larger dense shape, or with the smallest one for its values.

    Args:
      sp_input: a SparseTensor.
      new_shape: an int64 vector. Defaults to the smallest possible shape.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: if `sp_input` is not a SparseTensor.
      ValueError: if `new_shape` is known to be smaller or of a different rank.
    """
    sp_input = as_sparse(sp_input)
    indices = array_basics.identity(sp_input.indices)
    values = array_basics.identity(sp_input.values)
    old_shape = array_basics.identity(sp_input.dense_shape)
    if new_shape is not None:
        return SparseTensor(indices, values, _checked_shape(sp_input, old_shape, new_shape))
    greatest = math_reduce.reduce_max(indices, axis=0)
    zero = constant_op.constant(0, dtypes.int64)
    least = math_basics.add(greatest, array_fill.ones_like(old_shape))
    return SparseTensor(indices, values, gen.Maximum(zero, least))


def _checked_shape(sp_input, old_shape, new_shape):
    new_shape = ops.convert_to_tensor(new_shape)
    new_shape.shape.with_rank(1)
    new_shape = math_cast.cast(new_shape, dtypes.int64)
    known = sp_input.shape
    wanted = tensor_util.constant_value(new_shape)
    if known.is_fully_defined() and wanted is not None:
        known = np.array(known.as_list())
        if len(known) != len(wanted):
            raise ValueError('Shapes are of different ranks.')
        if not np.all(wanted >= known):
            raise ValueError('Requested new_shape should have dimension sizes >= sp_input.shape.  '
                             f'Found new_shape ({known}), sp_input.shape ({wanted}).')
        return [int(dim) for dim in wanted]
    new_shape = dependencies.with_dependencies(
        [check_ops.assert_equal(array_basics.shape(old_shape), array_basics.shape(new_shape))],
        new_shape)
    return dependencies.with_dependencies(
        [check_ops.assert_less_equal(old_shape, new_shape)], new_shape)


@export('sparse.to_indicator', 'sparse_to_indicator')
def sparse_to_indicator(sp_input, vocab_size, name=None):
    """Returns a dense bool tensor that tells which ids each row contains.

    Args:
      sp_input: a SparseTensor of int32 or int64 ids along its last dimension.
      vocab_size: one more than the largest id.
      name: the name of the scope.

    Returns:
      A bool tensor with `vocab_size` columns.
    """
    sp_input = as_sparse(sp_input)
    with ops.name_scope(name, 'SparseToIndicator', [sp_input]) as scope:
        count = array_basics.shape(sp_input.indices)[0]
        held = array_fill.fill(array_basics.expand_dims(count, 0), True)
        marked = SparseTensor(sp_input.indices, held, sp_input.dense_shape)
        merged = sparse_merge(sp_input, marked, vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False,
                                      name=scope)


@export('sparse.merge', 'sparse_merge')
def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """Places values at the positions given by ids.

    Args:
      sp_ids: a SparseTensor of ids along its last dimension, or a list of them.
      sp_values: a SparseTensor of values at the same positions.
      vocab_size: one more than the largest id, or a list of these.
      name: the name of the scope.
      already_sorted: whether the ids of each row are already sorted.

    Returns:
      A SparseTensor with the ids as the last dimension.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: if the lists differ in length.
    """
    if isinstance(sp_ids, (SparseTensor, SparseTensorValue)):
        sp_ids, vocab_size = [sp_ids], [vocab_size]
    elif len(sp_ids) != len(vocab_size):
        raise ValueError('sp_ids and vocab_size have to have equal lengths.')
    with ops.name_scope(name, 'SparseMerge', [sp_ids, sp_values]):
        sp_ids = [as_sparse(ids) for ids in sp_ids]
        sp_values = as_sparse(sp_values)
        columns = []
        for ids in sp_ids:
            column = ids.values
            if column.dtype == dtypes.int32:
                column = math_cast.cast(column, dtypes.int64)
            columns.append(array_basics.expand_dims(column, axis=1))
        sizes = [math_cast.cast(size, dtypes.int64) for size in vocab_size]
        indices = array_join.concat([sp_ids[0].indices[:, :-1]] + columns, axis=1)
        shape = array_join.concat([sp_ids[0].dense_shape[:-1], sizes], axis=0)
        result = SparseTensor(indices, sp_values.values, shape)
        if already_sorted:
            return result
        ordered = sparse_reorder(result)
        return SparseTensor(ordered.indices, ordered.values, shape)


@export('sparse.eye')
def sparse_eye(num_rows, num_columns=None, dtype=dtypes.float32, name=None):
    """Returns a sparse matrix with ones on its diagonal.

    Args:
      num_rows: an int.
      num_columns: an int. Defaults to `num_rows`.
      dtype: the dtype of the ones.
      name: the name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, default_name='eye', values=[num_rows, num_columns]):
        num_rows = ops.convert_to_tensor(num_rows, dtype=dtypes.int64, name='num_rows')
        if num_columns is None:
            num_columns = num_rows
        else:
            num_columns = ops.convert_to_tensor(num_columns, dtype=dtypes.int64,
                                                name='num_columns')
        count = gen.Minimum(num_rows, num_columns)
        places = math_range.range(count, dtype=dtypes.int64)
        indices = array_join.stack([places, places], axis=1)
        return SparseTensor(indices, array_fill.ones(count, dtype=dtype),
                            [num_rows, num_columns])


@export('sparse.from_dense')
def from_dense(tensor, name=None):
    """Returns the elements of a tensor that are not zero.

    Args:
      tensor: a tensor.
      name: the name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'dense_to_sparse'):
        tensor = ops.convert_to_tensor(tensor)
        zeros = array_fill.zeros_like(tensor)
        indices = array_select.where_v2(gen.NotEqual(tensor, zeros))
        return SparseTensor(indices, array_gather.gather_nd(tensor, indices),
                            array_basics.shape(tensor, out_type=dtypes.int64))


@export('sparse.expand_dims')
def sparse_expand_dims(sp_input, axis=None, name=None):
    """Inserts a dimension of size 1 into a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      axis: an int in [-rank - 1, rank]. Defaults to the last.
      name: the name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, default_name='expand_dims', values=[sp_input]):
        rank = sp_input.shape.rank
        if rank is None:
            rank = array_basics.shape(sp_input.dense_shape)[0]
        axis = ops.convert_to_tensor(-1 if axis is None else axis, name='axis')
        axis = array_select.where_v2(axis >= 0, axis, axis + rank + 1)
        count = array_basics.shape(sp_input.indices)[0]
        column = array_fill.zeros([count, 1], dtype=dtypes.int64)
        indices = array_join.concat(
            [gen.Slice(sp_input.indices, [0, 0], [-1, axis]), column,
             gen.Slice(sp_input.indices, [0, axis], [-1, -1])], axis=1)
        before = gen.Slice(sp_input.dense_shape, [0], [axis])
        after = gen.Slice(sp_input.dense_shape, [axis], [-1])
        one = constant_op.constant([1], name='new_shape', dtype=dtypes.int64)
        return SparseTensor(indices, sp_input.values,
                            array_join.concat([before, one, after], axis=0))


@export('io.serialize_sparse', 'serialize_sparse')
def serialize_sparse(sp_input, name=None, out_type=dtypes.string):
    """Serializes a SparseTensor to three strings.

    Args:
      sp_input: a SparseTensor.
      name: the name of the node.
      out_type: string or variant.

    Returns:
      A vector of 3 elements.
    """
    sp_input = as_sparse(sp_input)
    return gen.SerializeSparse(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name,
                               out_type=out_type)


@export('io.serialize_many_sparse', 'serialize_many_sparse')
def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    """Serializes each row of a SparseTensor to three strings.

    Args:
      sp_input: a SparseTensor of rank at least 2.
      name: the name of the node.
      out_type: string or variant.

    Returns:
      A matrix with 3 columns.
    """
    sp_input = as_sparse(sp_input)
    return gen.SerializeManySparse(sp_input.indices, sp_input.values, sp_input.dense_shape,
                                   name=name, out_type=out_type)


@export('deserialize_many_sparse', 'io.deserialize_many_sparse')
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """Deserializes a SparseTensor that was serialized row by row.

    Args:
      serialized_sparse: a string matrix with 3 columns.
      dtype: the dtype of the values.
      rank: the rank of each row.
      name: the name of the node.

    Returns:
      A SparseTensor.
    """
    indices, values, shape = gen.DeserializeManySparse(serialized_sparse, dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
