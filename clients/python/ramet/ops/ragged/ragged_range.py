"""tf.ragged.range."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.math import math_cast
from ramet.ops.ragged.ragged_tensor import RaggedTensor

_DTYPES = (dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64)


@export('ragged.range')
def range(starts, limits=None, deltas=1, dtype=None, name=None, row_splits_dtype=dtypes.int64):
    """Returns a ragged tensor whose rows count up or down.

    Args:
      starts: a number or vector, the first value of each row. If `limits` is not given, rows start
        at 0 and these are the limits.
      limits: a number or vector. Rows end before them.
      deltas: a number or vector, the steps.
      dtype: the dtype of the values. Defaults to the widest dtype of the arguments.
      name: the name of the scope.
      row_splits_dtype: int32 or int64.

    Returns:
      A RaggedTensor with one ragged dimension.
    """
    row_splits_dtype = dtypes.as_dtype(row_splits_dtype)
    if limits is None:
        starts, limits = 0, starts
    with ops.name_scope(name, 'RaggedRange', [starts, limits, deltas]) as scope:
        starts = ops.convert_to_tensor(starts, dtype=dtype, name='starts')
        limits = ops.convert_to_tensor(limits, dtype=dtype, name='limits')
        deltas = ops.convert_to_tensor(deltas, dtype=dtype, name='deltas')
        if dtype is None:
            starts, limits, deltas = _with_one_dtype(starts, limits, deltas)
        splits, values = gen.RaggedRange(starts, limits, deltas, Tsplits=row_splits_dtype, name=scope)
        return RaggedTensor.from_row_splits(values, splits, validate=False)


def _with_one_dtype(*tensors):
    widest = max((tensor.dtype for tensor in tensors), key=_DTYPES.index)
    return [math_cast.cast(tensor, widest) for tensor in tensors]
