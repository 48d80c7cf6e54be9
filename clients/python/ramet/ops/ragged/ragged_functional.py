"""Applies functions to the values of ragged tensors."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.checks import check_ops
from ramet.ops.ragged.ragged_tensor import (
    RaggedTensor,
    RaggedTensorValue,
    match_row_splits_dtypes,
)

_INCOMPATIBLE = 'RowPartition._merge_precomputed_encodings: partitions have incompatible row_splits'


@export('ragged.map_flat_values')
def map_flat_values(op, *args, **kwargs):
    """Applies a function to the values of ragged tensors, and returns a ragged tensor with the same rows.

    Args:
      op: a function. Each ragged argument, also in a list, is replaced by its innermost values.
      *args: arguments of the function.
      **kwargs: keyword arguments of the function.

    Returns:
      A RaggedTensor, or the result of the function if no argument is ragged.

    Raises:
      ValueError: if the ragged arguments have different ragged ranks, or the result does not have one
        row for each value.
      InvalidArgumentError: if their splits are known to differ.
    """
    found = []
    flat_args = [_flat(arg, found) for arg in args]
    flat_kwargs = {name: _flat(arg, found) for name, arg in kwargs.items()}
    if not found:
        return op(*args, **kwargs)
    if any(ragged.ragged_rank != found[0].ragged_rank for ragged in found):
        raise ValueError('All ragged tensors must have the same ragged_rank.')
    found = match_row_splits_dtypes(*found)
    template, checks = _merged(found)
    if checks:
        with ops.control_dependencies(checks):
            result = op(*flat_args, **flat_kwargs)
    else:
        result = op(*flat_args, **flat_kwargs)
    rows = found[0].flat_values.shape[:1]
    for ragged in found:
        rows = rows.merge_with(ragged.flat_values.shape[:1])
    if not rows.is_compatible_with(result.shape[:1]) or result.shape.rank == 0:
        raise ValueError(
            'tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension '
            f'size as flat_values of any ragged inputs. (output shape: {result.shape}; expected outer '
            f'dimension size: {rows[0]})')
    return template.with_flat_values(result)


def _flat(arg, found):
    """Replaces ragged arguments by their values and collects them."""
    if isinstance(arg, RaggedTensorValue):
        arg = RaggedTensor.from_value(arg)
    if isinstance(arg, RaggedTensor):
        found.append(arg)
        return arg.flat_values
    if isinstance(arg, (list, tuple)) and any(
            isinstance(item, (RaggedTensor, RaggedTensorValue)) for item in arg):
        return type(arg)([_flat(item, found) for item in arg])
    return arg


def _merged(found):
    """Returns a ragged tensor with all computed parts, and operations that check that all tensors have its rows."""
    checks, partitions = [], list(found[0]._nested_row_partitions)
    for ragged in found[1:]:
        for i, other in enumerate(ragged._nested_row_partitions):
            if other.row_splits is not partitions[i].row_splits:
                checks.append(check_ops.assert_equal(
                    partitions[i].row_splits, other.row_splits, message=_INCOMPATIBLE))
            partitions[i] = partitions[i].merge_known(other)
    result = found[0].flat_values
    for partition in reversed(partitions):
        result = RaggedTensor(result, internal=True, row_partition=partition)
    return result, checks
