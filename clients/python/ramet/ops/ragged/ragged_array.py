"""tf.tile, tf.expand_dims and other functions of the dimensions of ragged tensors."""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_util
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_join, array_select
from ramet.ops.array.array_basics import one_of
from ramet.ops.ragged import ragged_concat, ragged_tensor
from ramet.ops.ragged.ragged_axis import positive_axis
from ramet.ops.ragged.ragged_tensor import RaggedTensor


def expand_dims(input, axis=None, name=None, dim=None):
    """Implements tf.expand_dims for ragged tensors.

    Args:
      input: a RaggedTensor.
      axis: an int, the place of the new dimension.
      name: the name of the scope.
      dim: deprecated name of `axis`.

    Raises:
      ValueError: if axis is out of range.
    """
    axis = one_of('axis', axis, 'dim', dim)
    with ops.name_scope(name, 'RaggedExpandDims', [input]):
        ragged = ragged_tensor.convert(input, name='input')
        rank = None if ragged.shape.rank is None else ragged.shape.rank + 1
        return _expanded(ragged, positive_axis(axis, rank, ndims_name='rank(input)'))


def _expanded(value, axis):
    if not is_ragged(value):
        return array_basics.expand_dims(value, axis)
    if axis == 0:
        return RaggedTensor.from_uniform_row_length(value, value.nrows(), nrows=1, validate=False)
    if axis == 1:
        one = constant_op.constant(1, dtype=value.row_splits.dtype)
        return RaggedTensor.from_uniform_row_length(value, one, nrows=value.nrows(), validate=False)
    return value.with_values(_expanded(value.values, axis - 1))


def size(input, name=None, out_type=None):
    """Implements tf.size for ragged tensors: the number of all values.

    Args:
      input: a RaggedTensor.
      name: the name of the node.
      out_type: int32 or int64. Defaults to int32.
    """
    ragged = ragged_tensor.convert(input)
    return array_basics.size(ragged.flat_values, out_type=out_type or dtypes.int32, name=name)


def rank(input, name=None):
    """Implements tf.rank for ragged tensors.

    Args:
      input: a RaggedTensor.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'RaggedRank', [input]):
        ragged = ragged_tensor.convert(input)
        return ragged.ragged_rank + array_basics.rank(ragged.flat_values)


def tile(input, multiples, name=None):
    """Implements tf.tile for ragged tensors.

    Args:
      input: a RaggedTensor.
      multiples: an integer vector, how often each dimension is repeated.
      name: the name of the scope.

    Raises:
      ValueError: if `multiples` does not have one element for each dimension.
    """
    with ops.name_scope(name, 'RaggedTile', [input, multiples]):
        ragged = ragged_tensor.convert(input, name='input')
        dtype = ragged.row_splits.dtype
        if not isinstance(multiples, ops.Tensor):
            multiples = ops.convert_to_tensor(multiples, dtype=dtype, name='multiples')
        multiples.shape.assert_has_rank(1)
        if ragged.shape.rank is not None:
            multiples.shape.assert_is_compatible_with([ragged.shape.rank])
        known = tensor_util.constant_value(multiples)
        return _tiled(ragged, gen.Cast(multiples, dtype), None if known is None else known.tolist())


def _tiled(value, multiples, known):
    """Repeats the dimensions of a tensor, the inner ones first."""
    if not is_ragged(value):
        return value if known is not None and all(n == 1 for n in known) else gen.Tile(value, multiples)
    if known is not None and all(n == 1 for n in known):
        return value
    # Dimension 1 of a ragged tensor is dimension 0 of its values: rows are repeated one by one.
    below = known[2:] if known is not None else None
    one = constant_op.constant([1], dtype=multiples.dtype)
    inner = _tiled(value.values, array_join.concat([one, multiples[2:]], axis=0),
                   None if below is None else [1, *below])
    result = value.with_values(inner)
    if known is None or known[1] != 1:
        result = _repeated_columns(result, multiples[1])
    if known is not None and known[0] == 1:
        return result
    nrows, result = result._partition.static_nrows, _repeated_rows(result, multiples[0])
    if known is not None and nrows is not None:
        result.row_splits.set_shape([nrows * known[0] + 1])
    return result


def _repeated_rows(ragged, count):
    nrows = ragged.nrows()
    zero, one = (constant_op.constant(n, dtype=nrows.dtype) for n in (0, 1))
    rows = gen.Tile(gen.Range(zero, nrows, one), array_basics.reshape(count, [1]))
    return ragged_concat.gather_rows(ragged, rows)


def _repeated_columns(ragged, count):
    """Repeats the values of each row: gathers each row `count` times and joins the copies."""
    nrows = ragged.nrows()
    zero, one = (constant_op.constant(n, dtype=nrows.dtype) for n in (0, 1))
    rows = gen.Range(zero, nrows, one)
    copies = gen.Tile(array_basics.expand_dims(rows, 1), array_join.stack([one, count]))
    picked = ragged_concat.gather_rows(ragged, array_basics.reshape(copies, [-1]))
    lengths = ragged.row_lengths() * count
    return RaggedTensor.from_row_lengths(picked.values, lengths, validate=False)


def reverse(tensor, axis, name=None):
    """Implements tf.reverse for ragged tensors.

    Args:
      tensor: a RaggedTensor.
      axis: a list of ints, or a constant vector: the dimensions to reverse.
      name: the name of the scope.

    Raises:
      ValueError: if the axes are not constant, or out of range.
    """
    if isinstance(axis, ops.Tensor):
        axis = tensor_util.constant_value(axis)
        if axis is None:
            raise ValueError('axis must be known at graph construction time.')
        axis = axis.tolist()
    with ops.name_scope(name, 'Reverse', [tensor]):
        ragged = ragged_tensor.convert(tensor, name='tensor')
        axes = [positive_axis(a, ragged.shape.rank, f'axis[{i}]', 'rank(tensor)') for i, a in enumerate(axis)]
        if not axes:
            return ragged
        flip = slice(None, None, -1)
        return ragged[tuple(flip if i in axes else slice(None) for i in range(max(axes) + 1))]


def squeeze(input, axis=None, name=None, squeeze_dims=None):
    """Implements tf.squeeze for ragged tensors.

    Args:
      input: a RaggedTensor.
      axis: an int or a list of ints: the dimensions of size 1 to remove.
      name: the name of the scope.
      squeeze_dims: deprecated name of `axis`.

    Raises:
      ValueError: if `axis` is not given, or out of range.
      InvalidArgumentError: if a dimension is known to have a different size.
    """
    axis = one_of('axis', axis, 'squeeze_dims', squeeze_dims)
    with ops.name_scope(name, 'RaggedSqueeze', [input]):
        ragged = ragged_tensor.convert(input, name='input')
        if axis is None:
            raise ValueError('Ragged.squeeze must have an axis argument.')
        axes = [axis] if isinstance(axis, int) else list(axis)
        axes = [positive_axis(a, ragged.shape.rank, f'axis[{i}]', 'rank(input)') for i, a in enumerate(axes)]
        for a in sorted(set(axes), reverse=True):
            ragged = _squeezed(ragged, a)
        return ragged


def _squeezed(value, axis):
    if not is_ragged(value):
        return array_basics.squeeze(value, [axis])
    if axis > 1:
        return value.with_values(_squeezed(value.values, axis - 1))
    sizes = value.nrows() if axis == 0 else value.row_lengths()
    check = ragged_concat.assert_sizes(sizes, 1, f'the given axis (axis = {axis}) is not squeezable!')
    with ops.control_dependencies(check):
        return array_basics.identity(value.values) if not is_ragged(value.values) else value.values


def one_hot(indices, depth, on_value=None, off_value=None, axis=None, dtype=None, name=None):
    """Implements tf.one_hot for ragged tensors.

    Args:
      indices: a RaggedTensor of integers.
      depth: an int, the size of the new dimension.
      on_value: the value at the index. Defaults to 1.
      off_value: the other values. Defaults to 0.
      axis: an int, the new dimension. Defaults to the last one.
      dtype: the dtype of the result.
      name: the name of the scope.

    Raises:
      ValueError: if axis is not an inner dimension.
    """
    if isinstance(axis, int) and axis >= 0:
        ragged_rank = ragged_tensor.convert(indices).ragged_rank
        if axis <= ragged_rank:
            raise ValueError(f'axis ({axis}) must be greater than indices.ragged_rank ({ragged_rank}).')
        axis -= ragged_rank
    with ops.name_scope(name, 'RaggedOneHot', [indices]):
        ragged = ragged_tensor.convert(indices, name='indices')
        return ragged.with_flat_values(array_select.one_hot(
            ragged.flat_values, depth, on_value, off_value, axis, dtype))


def cumsum(x, axis=0, exclusive=False, reverse=False, name=None):
    """Implements tf.cumsum for ragged tensors along their rows.

    Args:
      x: a RaggedTensor.
      axis: an int, the last ragged dimension or an inner one.
      exclusive: whether each sum leaves out its own value.
      reverse: whether to sum from the end.
      name: the name of the scope.

    Raises:
      ValueError: if axis is out of range.
    """
    with ops.name_scope(name, 'RaggedCumSum', [x]):
        ragged = ragged_tensor.convert(x, name='x')
        axis = positive_axis(axis, ragged.shape.rank, ndims_name='rank')
        return _cumulated(ragged, axis, exclusive, reverse)


def _cumulated(value, axis, exclusive, reverse):
    if not is_ragged(value):
        return gen.Cumsum(value, axis, exclusive=exclusive, reverse=reverse)
    if axis > 1:
        return value.with_values(_cumulated(value.values, axis - 1, exclusive, reverse))
    if axis == 0:
        return _cumulated_columns(value, exclusive, reverse)
    total = gen.Cumsum(value.values, 0, exclusive=exclusive, reverse=reverse)
    base = gen.Cumsum(value.values, 0, exclusive=True, reverse=reverse)
    padded = array_join.concat([base, base[:1] * 0], axis=0)
    at = value.row_splits[1:] - 1 if reverse else value.row_splits[:-1]
    at = gen.Maximum(at, constant_op.constant(0, dtype=at.dtype))
    start = gen.GatherV2(padded, at, 0)
    return value.with_values(total - gen.GatherV2(start, value.value_rowids(), 0))


def _cumulated_columns(value, exclusive, reverse):
    dense = gen.Cumsum(value.to_tensor(), 0, exclusive=exclusive, reverse=reverse)
    return RaggedTensor.from_tensor(dense, lengths=value.row_lengths(),
                                    row_splits_dtype=value.row_splits.dtype)


def where(condition, x=None, y=None, name=None):
    """Implements tf.where for ragged tensors.

    Args:
      condition: a bool RaggedTensor or vector.
      x: values where it is true, or rows if it is a vector.
      y: values where it is false.
      name: the name of the scope.

    Returns:
      A RaggedTensor, or the coordinates of the true values [n, rank] if x and y are not given.

    Raises:
      ValueError: if only one of x and y is given, or shapes do not match.
    """
    if (x is None) != (y is None):
        raise ValueError('x and y must be either both None or both non-None')
    with ops.name_scope(name, 'RaggedWhere', [condition, x, y]):
        condition = ragged_tensor.convert(condition, name='condition')
        if x is None:
            return _coordinates(condition)
        x, y = ragged_tensor.convert(x, name='x'), ragged_tensor.convert(y, name='y')
        condition, x, y = ragged_tensor.match_row_splits_dtypes(condition, x, y)
        return _selected(condition, x, y)


def _coordinates(condition):
    if not is_ragged(condition):
        return array_select.where(condition)
    sparse = condition.to_sparse()
    return array_select.boolean_mask(sparse.indices, sparse.values)


def _selected(condition, x, y):
    if is_ragged(condition):
        if not (is_ragged(x) and is_ragged(y) and x.ragged_rank == y.ragged_rank == condition.ragged_rank):
            raise ValueError('Input shapes do not match.')
        checks = [*ragged_concat.same_splits([condition, x]), *ragged_concat.same_splits([condition, y])]
        with ops.control_dependencies(checks):
            if is_ragged(condition.values):
                return condition.with_values(_selected(condition.values, x.values, y.values))
            return condition.with_values(array_select.where(condition.values, x.values, y.values))
    condition.shape.assert_has_rank(1)
    nrows = array_basics.size(condition, out_type=(x if is_ragged(x) else y).row_splits.dtype)
    zero, one = (constant_op.constant(n, dtype=nrows.dtype) for n in (0, 1))
    rows = gen.Range(zero, nrows, one)
    rows = array_select.where(condition, rows, rows + nrows)
    return ragged_concat.gather_rows(ragged_concat.concat([x, y], axis=0), rows)
