"""SparseTensors: to and from dense tensors, order, shape, pieces, text."""

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
from ramet.ops import (
    array_basics,
    array_join,
    array_select,
    control_flow_ops,
    gen,
    math_basics,
    math_reduce,
)
from ramet.ops.array_basics import one_of


def as_sparse(value):
    """`value` as a SparseTensor.

    Raises:
      TypeError: it is none.
    """
    if isinstance(value, SparseTensorValue):
        return SparseTensor.from_value(value)
    if not isinstance(value, SparseTensor):
        raise TypeError('Input must be a SparseTensor.')
    return value


@export('sparse_to_dense')
def sparse_to_dense(sparse_indices, output_shape, sparse_values, default_value=0,
                    validate_indices=True, name=None):
    """Returns a dense tensor with values at given places.

    Args:
      sparse_indices: an integer matrix with a row for each place (a vector or scalar in 1-D).
      output_shape: an integer vector.
      sparse_values: a vector, or a scalar for all places.
      default_value: what is elsewhere.
      validate_indices: check that the places are sorted and distinct.
      name: name of the node.

    Returns:
      A tensor of `output_shape`.
    """
    return gen.SparseToDense(sparse_indices, output_shape, sparse_values,
                             default_value=default_value, validate_indices=validate_indices,
                             name=name)


@export('sparse.to_dense', 'sparse_tensor_to_dense')
def sparse_tensor_to_dense(sp_input, default_value=None, validate_indices=True, name=None):
    """Returns a SparseTensor as a dense tensor.

    Args:
      sp_input: a SparseTensor.
      default_value: what is at the other places; zeros if not given.
      validate_indices: check that the places are sorted and distinct.
      name: name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    if default_value is None:
        default_value = array_basics.zeros([], dtype=sp_input.dtype)
    return gen.SparseToDense(sp_input.indices, sp_input.dense_shape, sp_input.values,
                             default_value=default_value, validate_indices=validate_indices,
                             name=name)


@export('sparse.reorder', 'sparse_reorder')
def sparse_reorder(sp_input, name=None):
    """Sorts the places of a SparseTensor row by row.

    Args:
      sp_input: a SparseTensor.
      name: name of the node.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    indices, values = gen.SparseReorder(sp_input.indices, sp_input.values, sp_input.dense_shape,
                                        name=name)
    if sp_input.shape.is_fully_defined():
        return SparseTensor(indices, values, sp_input.shape.as_list())
    return SparseTensor(indices, values, array_basics.identity(sp_input.dense_shape))


@export('sparse.reshape', 'sparse_reshape')
def sparse_reshape(sp_input, shape, name=None):
    """Gives a SparseTensor another dense shape.

    Args:
      sp_input: a SparseTensor.
      shape: an int64 vector; one element may be -1 and is worked out.
      name: name of the scope.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
      ValueError: the numbers of elements are known and differ.
    """
    sp_input = as_sparse(sp_input)
    shape = math_basics.cast(shape, dtypes.int64)
    with ops.name_scope(name, 'SparseReshape', [sp_input]) as scope:
        indices, new_shape = gen.SparseReshape(sp_input.indices, sp_input.dense_shape, shape,
                                               name=scope)
        known = _known_shape(sp_input, shape)
        if known is not None:
            new_shape = constant_op.constant(known, dtype=dtypes.int64)
        return SparseTensor(indices, array_basics.identity(sp_input.values), new_shape)


def _known_shape(sp_input, shape):
    """The new shape as a list, or None where it is known only later."""
    wanted = tensor_util.constant_value(shape)
    if wanted is None or not sp_input.shape.is_fully_defined():
        return None
    dims = [int(dim) for dim in wanted]
    total = sp_input.shape.num_elements()
    count = int(np.prod([dim for dim in dims if dim != -1]))
    if -1 in dims and count and total % count == 0:
        dims[dims.index(-1)] = total // count
        count = total
    if count != total:
        raise ValueError(f'Cannot reshape a tensor with {total} elements to shape {dims} '
                         f'({count} elements).')
    return dims


@export('sparse.transpose', 'sparse_transpose')
def sparse_transpose(sp_input, perm=None, name=None):
    """Permutes the dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      perm: the old place of each new dimension; the reverse order if not given.
      name: name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'SparseTranspose', [sp_input]):
        if perm is None:
            rank = sp_input.shape.rank
            if rank is not None:
                perm = (rank - 1) - np.arange(0, rank, 1)
            else:
                rank = array_basics.rank(sp_input)
                perm = (rank - 1) - math_basics.range(0, rank, 1)
        columns = array_select.gather(_transposed(sp_input.indices), perm)
        turned = _transposed(columns)
        static, known = sp_input.shape, None
        if static.is_fully_defined():
            known = tensor_util.constant_value(ops.convert_to_tensor(perm))
        if known is not None:
            shape = [static.as_list()[i] for i in known]
        else:
            shape = array_select.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(turned, sp_input.values, shape))


def _transposed(matrix):
    from ramet.ops import array_layout
    return array_layout.transpose(matrix)


@export('sparse.retain', 'sparse_retain')
def sparse_retain(sp_input, to_retain):
    """Keeps some values of a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      to_retain: a bool vector with an element for each value.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    to_retain = ops.convert_to_tensor(to_retain)
    sp_input.values.shape.dims[0].assert_is_compatible_with(to_retain.shape.dims[0])
    places = array_basics.reshape(array_select.where(to_retain), [-1])
    indices = array_select.gather(sp_input.indices, places)
    values = array_select.gather(sp_input.values, places)
    return SparseTensor(indices, values, array_basics.identity(sp_input.dense_shape))


@export('sparse.slice', 'sparse_slice')
def sparse_slice(sp_input, start, size, name=None):
    """Cuts a block out of a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      start: an int64 vector: the first index of each dimension.
      size: an int64 vector: the sizes.
      name: name of the node.

    Returns:
      A SparseTensor.
    """
    sp_input = as_sparse(sp_input)
    start = ops.convert_to_tensor(start, dtypes.int64)
    size = ops.convert_to_tensor(size, dtypes.int64)
    with ops.name_scope(name, 'SparseSlice', [sp_input]) as scope:
        return SparseTensor(*gen.SparseSlice(sp_input.indices, sp_input.values,
                                             sp_input.dense_shape, start, size, name=scope))


@export('sparse.concat', 'sparse_concat')
def sparse_concat(axis, sp_inputs, name=None, expand_nonconcat_dim=False, concat_dim=None,
                  expand_nonconcat_dims=None):
    """Joins SparseTensors along a dimension.

    Args:
      axis: the dimension, an int.
      sp_inputs: a list of SparseTensors.
      name: name of the node.
      expand_nonconcat_dim: let other dimensions differ and take the greatest sizes.
      concat_dim: old name of `axis`.
      expand_nonconcat_dims: another name of `expand_nonconcat_dim`.

    Returns:
      A SparseTensor.
    """
    expand = one_of('expand_nonconcat_dims', expand_nonconcat_dims, 'expand_nonconcat_dim',
                    expand_nonconcat_dim or None, False)
    axis = one_of('axis', axis, 'concat_dim', concat_dim)
    inputs = [as_sparse(value) for value in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [value.dense_shape for value in inputs]
    if expand:
        most = math_reduce.reduce_max(
            array_join.concat([array_basics.reshape(shape, [1, -1]) for shape in shapes], 0), 0)
        shapes = [_with_others(shape, most, axis) for shape in shapes]
    parts = gen.SparseConcat([value.indices for value in inputs],
                             [value.values for value in inputs], shapes, axis, name=name)
    static = _concat_shape(inputs, axis)
    if static is not None:
        static = constant_op.constant(static, dtype=dtypes.int64)
        return SparseTensor(parts[0], parts[1], static)
    return SparseTensor(*parts)


def _with_others(shape, most, axis):
    before, own = most[:axis], shape[axis:axis + 1 or None]
    after = [most[axis + 1:]] if axis != -1 else []
    return array_join.concat([before, own, *after], axis=0)


def _concat_shape(inputs, axis):
    """The dense shape, with the greatest of sizes that may differ."""
    shapes = [value.shape for value in inputs]
    if not all(shape.is_fully_defined() for shape in shapes):
        return None
    dims = np.max([shape.as_list() for shape in shapes], axis=0)
    dims[axis] = sum(shape.as_list()[axis] for shape in shapes)
    return dims


@export('sparse.split', 'sparse_split')
def sparse_split(keyword_required=None, sp_input=None, num_split=None, axis=None, name=None,
                 split_dim=None):
    """Cuts a SparseTensor into pieces along a dimension.

    Args:
      keyword_required: not to be given: the others are by keyword.
      sp_input: a SparseTensor.
      num_split: how many pieces.
      axis: the dimension.
      name: name of the node.
      split_dim: old name of `axis`.

    Returns:
      A list of SparseTensors.

    Raises:
      ValueError: something is given without its keyword, or missing.
    """
    if keyword_required is not None:
        raise ValueError('Keyword arguments are required for this function.')
    if sp_input is None:
        raise ValueError('sp_input is required')
    if num_split is None:
        raise ValueError('num_split is required')
    if axis is None and split_dim is None:
        raise ValueError('axis is required')
    axis = one_of('axis', axis, 'split_dim', split_dim)
    sp_input = as_sparse(sp_input)
    parts = gen.SparseSplit(axis, sp_input.indices, sp_input.values, sp_input.dense_shape,
                            num_split, name=name)
    return [SparseTensor(*part) for part in zip(*parts)]


@export('sparse.softmax', 'sparse_softmax')
def sparse_softmax(sp_input, name=None):
    """Softmax along the last dimension, over the values that are there.

    Args:
      sp_input: a SparseTensor of floating point numbers.
      name: name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'SparseSoftmax', [sp_input.indices, sp_input.values]):
        values = gen.SparseSoftmax(sp_input.indices, sp_input.values, sp_input.dense_shape)
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def _extreme(build, default_name, sp_a, sp_b, name):
    with ops.name_scope(name, default_name, [sp_a.indices, sp_a.values, sp_b.indices,
                                             sp_b.values]) as scope:
        indices, values = build(sp_a.indices, sp_a.values, sp_a.dense_shape, sp_b.indices,
                                sp_b.values, sp_b.dense_shape, name=scope)
    return SparseTensor(indices, values, sp_a.dense_shape)


@export('sparse.maximum', 'sparse_maximum')
def sparse_maximum(sp_a, sp_b, name=None):
    """Returns the greater of two SparseTensors element-wise.

    Args:
      sp_a: a SparseTensor.
      sp_b: another one of that dense shape.
      name: name of the node.

    Returns:
      A SparseTensor.
    """
    return _extreme(gen.SparseSparseMaximum, 'SparseSparseMaximum', sp_a, sp_b, name)


@export('sparse.minimum', 'sparse_minimum')
def sparse_minimum(sp_a, sp_b, name=None):
    """Returns the less of two SparseTensors element-wise.

    Args:
      sp_a: a SparseTensor.
      sp_b: another one of that dense shape.
      name: name of the node.

    Returns:
      A SparseTensor.
    """
    return _extreme(gen.SparseSparseMinimum, 'SparseSparseMinimum', sp_a, sp_b, name)


@export('sparse.add', 'sparse_add')
def sparse_add(a, b, threshold=None, thresh=None):
    """Adds two tensors, at least one of them sparse.

    Args:
      a: a tensor or SparseTensor.
      b: another one of that dtype and dense shape.
      threshold: of two SparseTensors: sums of at most this size are left out.
      thresh: old name of `threshold`.

    Returns:
      A SparseTensor if both are, else a tensor.

    Raises:
      TypeError: both are dense.
    """
    threshold = one_of('threshold', threshold, 'thresh', thresh, 0)
    kinds = (SparseTensor, SparseTensorValue)
    if not isinstance(a, kinds) and not isinstance(b, kinds):
        raise TypeError('At least one input should be SparseTensor; do you mean to use tf.add()?')
    if isinstance(a, kinds) and isinstance(b, kinds):
        return _add_sparse(as_sparse(a), as_sparse(b), threshold)
    if isinstance(b, kinds):
        a, b = b, a
    a = as_sparse(a)
    return gen.SparseTensorDenseAdd(a.indices, a.values, a.dense_shape, b)


def _add_sparse(a, b, threshold):
    real = a.values.dtype.real_dtype.base_dtype
    threshold = ops.convert_to_tensor(threshold, dtype=real, name='threshold')
    parts = gen.SparseAdd(a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape,
                          threshold)
    a.shape.assert_is_compatible_with(b.shape)
    static = tensor_shape.TensorShape(a.shape).merge_with(b.shape)
    if static.is_fully_defined():
        return SparseTensor(parts[0], parts[1], static.as_list())
    return SparseTensor(*parts)


@export('sparse.matmul', 'sparse.sparse_dense_matmul', 'sparse_tensor_dense_matmul')
def sparse_tensor_dense_matmul(sp_a, b, adjoint_a=False, adjoint_b=False, name=None):
    """Multiplies a sparse matrix and a dense one (in either order).

    Args:
      sp_a: a SparseTensor of rank 2 (or the dense matrix).
      b: a matrix of that dtype (or the SparseTensor).
      adjoint_a: transpose and conjugate the first.
      adjoint_b: transpose and conjugate the second.
      name: name of the node.

    Returns:
      A matrix.
    """
    if isinstance(b, (SparseTensor, SparseTensorValue)):
        product = sparse_tensor_dense_matmul(b, sp_a, adjoint_a=not adjoint_b,
                                             adjoint_b=not adjoint_a)
        return _transposed(product)
    sp_a = as_sparse(sp_a)
    with ops.name_scope(name, 'SparseTensorDenseMatMul', [sp_a.indices, sp_a.values, b]):
        b = ops.convert_to_tensor(b, name='b')
        return gen.SparseTensorDenseMatMul(sp_a.indices, sp_a.values, sp_a.dense_shape, b,
                                           adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def _reduced(build, sp_input, axis, keepdims, reduction_axes, keep_dims):
    keepdims = one_of('keepdims', keepdims, 'keep_dims', keep_dims, False)
    axis = one_of('axis', axis, 'reduction_axes', reduction_axes)
    return build(sp_input.indices, sp_input.values, sp_input.dense_shape,
                 math_reduce.reduction_dims(sp_input, axis), keepdims)


@export('sparse.reduce_sum', 'sparse_reduce_sum')
def sparse_reduce_sum(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Returns the sum along dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor of numbers.
      axis: the dimensions; all if not given.
      keepdims: keep them with size 1.
      reduction_axes: old name of `axis`.
      keep_dims: old name of `keepdims`.

    Returns:
      A tensor.
    """
    return _reduced(gen.SparseReduceSum, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export('sparse.reduce_max', 'sparse_reduce_max')
def sparse_reduce_max(sp_input, axis=None, keepdims=None, reduction_axes=None, keep_dims=None):
    """Returns the greatest value along dimensions of a SparseTensor.

    Args:
      sp_input: a SparseTensor of real numbers.
      axis: the dimensions; all if not given.
      keepdims: keep them with size 1.
      reduction_axes: old name of `axis`.
      keep_dims: old name of `keepdims`.

    Returns:
      A tensor.
    """
    return _reduced(gen.SparseReduceMax, sp_input, axis, keepdims, reduction_axes, keep_dims)


@export('sparse.reduce_sum_sparse', 'sparse_reduce_sum_sparse')
def sparse_reduce_sum_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """Returns the sum along dimensions of a SparseTensor, sparse.

    Args:
      sp_input: a SparseTensor of numbers.
      axis: the dimensions; all if not given.
      keepdims: keep them with size 1.
      reduction_axes: old name of `axis`.
      keep_dims: old name of `keepdims`.

    Returns:
      A SparseTensor.
    """
    return SparseTensor(*_reduced(gen.SparseReduceSumSparse, sp_input, axis, keepdims,
                                  reduction_axes, keep_dims))


@export('sparse.reduce_max_sparse', 'sparse_reduce_max_sparse')
def sparse_reduce_max_sparse(sp_input, axis=None, keepdims=None, reduction_axes=None,
                             keep_dims=None):
    """Returns the greatest value along dimensions of a SparseTensor, sparse.

    Args:
      sp_input: a SparseTensor of real numbers.
      axis: the dimensions; all if not given.
      keepdims: keep them with size 1.
      reduction_axes: old name of `axis`.
      keep_dims: old name of `keepdims`.

    Returns:
      A SparseTensor.
    """
    return SparseTensor(*_reduced(gen.SparseReduceMaxSparse, sp_input, axis, keepdims,
                                  reduction_axes, keep_dims))


@export('sparse.fill_empty_rows', 'sparse_fill_empty_rows')
def sparse_fill_empty_rows(sp_input, default_value, name=None):
    """Puts a value into the rows that have none.

    Args:
      sp_input: a SparseTensor.
      default_value: a scalar.
      name: name of the scope.

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
    """Gives a SparseTensor a greater dense shape, or the least that holds its values.

    Args:
      sp_input: a SparseTensor.
      new_shape: an int64 vector; the least if not given.

    Returns:
      A SparseTensor.

    Raises:
      TypeError: `sp_input` is no SparseTensor.
      ValueError: `new_shape` is known to be smaller or of another rank.
    """
    sp_input = as_sparse(sp_input)
    indices = array_basics.identity(sp_input.indices)
    values = array_basics.identity(sp_input.values)
    old_shape = array_basics.identity(sp_input.dense_shape)
    if new_shape is not None:
        return SparseTensor(indices, values, _checked_shape(sp_input, old_shape, new_shape))
    greatest = math_reduce.reduce_max(indices, axis=0)
    zero = constant_op.constant(0, dtypes.int64)
    least = math_basics.add(greatest, array_basics.ones_like(old_shape))
    return SparseTensor(indices, values, gen.Maximum(zero, least))


def _checked_shape(sp_input, old_shape, new_shape):
    from ramet.ops import check_ops
    new_shape = ops.convert_to_tensor(new_shape)
    new_shape.shape.with_rank(1)
    new_shape = math_basics.cast(new_shape, dtypes.int64)
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
    new_shape = control_flow_ops.with_dependencies(
        [check_ops.assert_equal(array_basics.shape(old_shape), array_basics.shape(new_shape))],
        new_shape)
    return control_flow_ops.with_dependencies(
        [check_ops.assert_less_equal(old_shape, new_shape)], new_shape)


@export('sparse.to_indicator', 'sparse_to_indicator')
def sparse_to_indicator(sp_input, vocab_size, name=None):
    """Returns a dense bool tensor that says which ids each row has.

    Args:
      sp_input: a SparseTensor of int32 or int64 ids along its last dimension.
      vocab_size: one more than the greatest id.
      name: name of the scope.

    Returns:
      A bool tensor with `vocab_size` columns.
    """
    sp_input = as_sparse(sp_input)
    with ops.name_scope(name, 'SparseToIndicator', [sp_input]) as scope:
        count = array_basics.shape(sp_input.indices)[0]
        held = array_basics.fill(array_basics.expand_dims(count, 0), True)
        marked = SparseTensor(sp_input.indices, held, sp_input.dense_shape)
        merged = sparse_merge(sp_input, marked, vocab_size, scope)
        return sparse_tensor_to_dense(merged, default_value=False, validate_indices=False,
                                      name=scope)


@export('sparse.merge', 'sparse_merge')
def sparse_merge(sp_ids, sp_values, vocab_size, name=None, already_sorted=False):
    """Puts values at the places that ids say.

    Args:
      sp_ids: a SparseTensor of ids along its last dimension, or a list of them.
      sp_values: a SparseTensor of values at the same places.
      vocab_size: one more than the greatest id, or a list of these.
      name: name of the scope.
      already_sorted: the ids of each row are sorted.

    Returns:
      A SparseTensor with the ids in place of the last dimension.

    Raises:
      TypeError: an argument is of another kind.
      ValueError: the lists differ in length.
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
                column = math_basics.cast(column, dtypes.int64)
            columns.append(array_basics.expand_dims(column, axis=1))
        sizes = [math_basics.cast(size, dtypes.int64) for size in vocab_size]
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
      num_columns: an int; `num_rows` if not given.
      dtype: dtype of the ones.
      name: name of the scope.

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
        places = math_basics.range(count, dtype=dtypes.int64)
        indices = array_join.stack([places, places], axis=1)
        return SparseTensor(indices, array_basics.ones(count, dtype=dtype),
                            [num_rows, num_columns])


@export('sparse.from_dense')
def from_dense(tensor, name=None):
    """Returns the elements of a tensor that are not zero.

    Args:
      tensor: a tensor.
      name: name of the scope.

    Returns:
      A SparseTensor.
    """
    with ops.name_scope(name, 'dense_to_sparse'):
        tensor = ops.convert_to_tensor(tensor)
        zeros = array_basics.zeros_like(tensor)
        indices = array_select.where_v2(gen.NotEqual(tensor, zeros))
        return SparseTensor(indices, array_select.gather_nd(tensor, indices),
                            array_basics.shape(tensor, out_type=dtypes.int64))


@export('sparse.expand_dims')
def sparse_expand_dims(sp_input, axis=None, name=None):
    """Inserts a dimension of size 1 into a SparseTensor.

    Args:
      sp_input: a SparseTensor.
      axis: an int in [-rank - 1, rank]; the last if not given.
      name: name of the scope.

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
        column = array_basics.zeros([count, 1], dtype=dtypes.int64)
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
    """Writes a SparseTensor as three strings.

    Args:
      sp_input: a SparseTensor.
      name: name of the node.
      out_type: string or variant.

    Returns:
      A vector of 3 elements.
    """
    sp_input = as_sparse(sp_input)
    return gen.SerializeSparse(sp_input.indices, sp_input.values, sp_input.dense_shape, name=name,
                               out_type=out_type)


@export('io.serialize_many_sparse', 'serialize_many_sparse')
def serialize_many_sparse(sp_input, name=None, out_type=dtypes.string):
    """Writes each row of a SparseTensor as three strings.

    Args:
      sp_input: a SparseTensor of rank at least 2.
      name: name of the node.
      out_type: string or variant.

    Returns:
      A matrix with 3 columns.
    """
    sp_input = as_sparse(sp_input)
    return gen.SerializeManySparse(sp_input.indices, sp_input.values, sp_input.dense_shape,
                                   name=name, out_type=out_type)


@export('deserialize_many_sparse', 'io.deserialize_many_sparse')
def deserialize_many_sparse(serialized_sparse, dtype, rank=None, name=None):
    """Reads a SparseTensor back that was written row by row.

    Args:
      serialized_sparse: a string matrix with 3 columns.
      dtype: dtype of the values.
      rank: rank of each row.
      name: name of the node.

    Returns:
      A SparseTensor.
    """
    indices, values, shape = gen.DeserializeManySparse(serialized_sparse, dtype, name=name)
    indices.set_shape([None, rank])
    shape.set_shape([rank])
    return SparseTensor(indices, values, shape)
