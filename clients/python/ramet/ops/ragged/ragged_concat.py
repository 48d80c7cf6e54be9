"""Concatenates and stacks ragged tensors."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.framework.ragged_hooks import is_ragged
from ramet.ops.array import array_basics, array_join
from ramet.ops.checks import check_ops
from ramet.ops.ragged import ragged_tensor
from ramet.ops.ragged.ragged_axis import positive_axis
from ramet.ops.ragged.ragged_tensor import RaggedTensor


def _different(index):
    return f'Input tensors at index 0 (=x) and {index} (=y) have incompatible shapes.'


def concat(values, axis, name=None):
    """Implements tf.concat for ragged tensors.

    Args:
      values: a list of Tensors and RaggedTensors of one dtype and rank.
      axis: an int, the dimension.
      name: the name of the scope.

    Returns:
      A RaggedTensor, or a Tensor if no value is ragged.

    Raises:
      ValueError: if the ranks differ, or axis is out of range.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    with ops.name_scope(name, 'RaggedConcat', values):
        return _join(values, axis, stacked=False)


@export('ragged.stack')
def stack(values, axis=0, name=None):
    """Stacks tensors along a new dimension, which is ragged.

    Args:
      values: a list of Tensors and RaggedTensors of one dtype and rank.
      axis: an int, the new dimension.
      name: the name of the scope.

    Returns:
      A RaggedTensor, or a Tensor if all values are scalars.

    Raises:
      ValueError: if `values` is empty, the ranks differ, or axis is out of range.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    with ops.name_scope(name, 'RaggedConcat', values):
        return _join(values, axis, stacked=True)


def _converted(values):
    """Converts values to tensors, the others with the dtype of the first one that has one."""
    known = next((v.dtype for v in values if isinstance(v, ops.Tensor) or is_ragged(v)), None)
    made = [ragged_tensor.convert(v, name='rt_input', preferred_dtype=known) for v in values]
    return ragged_tensor.match_row_splits_dtypes(*made)


def _join(values, axis, stacked):
    if not values:
        raise ValueError('rt_inputs may not be empty.')
    parts = _converted(values)
    if not all(part.dtype == parts[0].dtype for part in parts):
        raise ValueError('All inputs must have the same dtype.')
    rank = None
    for part in parts:
        rank = part.shape.rank if rank is None else rank
        if part.shape.rank is not None:
            part.shape.assert_has_rank(rank)
    axis = positive_axis(axis, None if rank is None else rank + (1 if stacked else 0))
    if len(parts) == 1 and not stacked:
        return parts[0]
    if not any(map(is_ragged, parts)):
        last = None if rank is None else rank - (0 if stacked else 1)
        if axis == last or axis == 0 and not stacked:
            return (array_join.stack if stacked else array_join.concat)(parts, axis)
    return _join_ragged(parts, axis, stacked)


def _join_ragged(parts, axis, stacked):
    ragged_rank = max(part.ragged_rank if is_ragged(part) else 0 for part in parts)
    if axis == 0:
        parts = _with_ragged_rank(parts, ragged_rank)
        return _stack_rows(parts) if stacked else _concat_rows(parts)
    parts = _with_ragged_rank(parts, max(ragged_rank, 1))
    if axis == 1:
        return _stack_columns(parts) if stacked else _concat_columns(parts)
    with ops.control_dependencies(same_splits(parts)):
        return parts[0].with_values(_join([part.values for part in parts], axis - 1, stacked))


def _with_ragged_rank(parts, ragged_rank):
    """Makes all parts ragged tensors of one ragged rank."""
    splits = next((part.row_splits.dtype for part in parts if is_ragged(part)), None)
    return [_raised(part, ragged_rank, splits) for part in parts]


def _raised(part, ragged_rank, dtype):
    if ragged_rank == 0:
        return part
    if not is_ragged(part):
        options = {} if dtype is None else {'row_splits_dtype': dtype}
        return RaggedTensor.from_tensor(part, ragged_rank=ragged_rank, **options)
    if part.ragged_rank < ragged_rank:
        return part.with_values(_raised(part.values, ragged_rank - 1, part.row_splits.dtype))
    return part


def same_splits(parts):
    """Returns operations that check that ragged tensors have equal splits.

    Args:
      parts: RaggedTensors.
    """
    first = parts[0].row_splits
    return [check_ops.assert_equal(first, part.row_splits, message=_different(i + 1))
            for i, part in enumerate(parts[1:]) if part.row_splits is not first]


def assert_sizes(sizes, wanted, message):
    """Returns a list of an operation that checks that sizes have a value.

    Args:
      sizes: an integer tensor.
      wanted: an int.
      message: the beginning of the error.
    """
    wanted = ops.convert_to_tensor(wanted, dtype=sizes.dtype)
    return [check_ops.assert_equal(sizes, wanted, message=message)]


def _concat_rows(parts):
    """Concatenates the rows of ragged tensors."""
    values = [part.values for part in parts]
    inner = _concat_rows(values) if is_ragged(values[0]) else array_join.concat(values, axis=0)
    splits, offset = [parts[0].row_splits], parts[0].row_splits[-1]
    for part in parts[1:]:
        splits.append(part.row_splits[1:] + offset)
        offset = offset + part.row_splits[-1]
    return RaggedTensor.from_row_splits(inner, array_join.concat(splits, axis=0), validate=False)


def _stack_rows(parts):
    """Makes each tensor a row of a new outermost dimension."""
    if is_ragged(parts[0]):
        inner = parts[0] if len(parts) == 1 else _concat_rows(parts)
        lengths = [part.nrows() for part in parts]
    else:
        inner = parts[0] if len(parts) == 1 else array_join.concat(parts, axis=0)
        lengths = [array_basics.shape(part)[0] for part in parts]
    return RaggedTensor.from_row_lengths(inner, array_join.stack(lengths), validate=False)


def _checked_rows(parts):
    """Returns operations that check that all ragged tensors have as many rows."""
    counts = [part.nrows() for part in parts]
    return [check_ops.assert_equal(counts[0], count, message=_different(i + 1))
            for i, count in enumerate(counts[1:])]


def _interleaved(parts):
    """Returns the rows of all tensors in the order of their numbers, and the number of rows of each.

    All rows 0 come first, then all rows 1, and so on. The tensors have as many rows.
    """
    nrows = parts[0].nrows()
    numbers = array_basics.reshape(_range(nrows * len(parts)), [len(parts), -1])
    order = array_basics.reshape(gen.Transpose(numbers, [1, 0]), [-1])
    return gather_rows(_concat_rows(parts), order), nrows


def _range(limit):
    zero, one = (ops.convert_to_tensor(n, dtype=limit.dtype) for n in (0, 1))
    return gen.Range(zero, limit, one)


def gather_rows(ragged, indices):
    """Returns rows of a ragged tensor.

    Args:
      ragged: a RaggedTensor.
      indices: an integer Tensor whose rank is known.
    """
    rank = indices.shape.rank
    result = gen.RaggedGather(
        params_nested_splits=list(ragged.nested_row_splits), params_dense_values=ragged.flat_values,
        indices=indices, OUTPUT_RAGGED_RANK=rank + ragged.ragged_rank - 1)
    values = result.output_dense_values
    inner = ragged.flat_values.shape
    if inner.rank is not None:
        values.set_shape([None, *inner.as_list()[1:]])
    return RaggedTensor.from_nested_row_splits(values, list(result.output_nested_splits), validate=False)


def _concat_columns(parts):
    """Concatenates each row of ragged tensors."""
    checks = _checked_rows(parts)
    with ops.control_dependencies(checks):
        rows, _ = _interleaved(parts)
        splits = rows.row_splits[::len(parts)]
        known = next((p.row_splits.shape for p in parts if p.row_splits.shape.is_fully_defined()), None)
        if known is not None:
            splits.set_shape(known)
        return RaggedTensor.from_row_splits(rows.values, splits, validate=False)


def _stack_columns(parts):
    """Makes the rows with one number a row of a new dimension 1."""
    checks = _checked_rows(parts)
    with ops.control_dependencies(checks):
        rows, nrows = _interleaved(parts)
        splits = _range(nrows + 1) * len(parts)
        known = next((p.row_splits.shape for p in parts if p.row_splits.shape.is_fully_defined()), None)
        if known is not None:
            splits.set_shape(known)
        return RaggedTensor.from_row_splits(rows, splits, validate=False)
