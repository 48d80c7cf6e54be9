"""Crosses of the columns of sparse and dense matrices."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.math import math_cast

_DEFAULT_HASH_KEY = 0xDECAFCAFFE


def _columns(inputs):
    """Returns the sparse and the dense columns, with int64 for numbers."""
    if not isinstance(inputs, (tuple, list)):
        raise TypeError('Inputs must be a list')
    if not all(isinstance(value, (SparseTensor, ops.Tensor)) for value in inputs):
        raise TypeError('All inputs must be Tensor or SparseTensor.')
    sparse = [value for value in inputs if isinstance(value, SparseTensor)]
    dense = [value for value in inputs if not isinstance(value, SparseTensor)]
    parts = {
        'indices': [value.indices for value in sparse],
        'values': [_text_or_int64(value.values) for value in sparse],
        'shapes': [value.dense_shape for value in sparse],
        'dense_inputs': [_text_or_int64(value) for value in dense],
    }
    return parts


def _text_or_int64(values):
    return values if values.dtype == dtypes.string else math_cast.cast(values, dtypes.int64)


@export('sparse.cross')
def sparse_cross(inputs, name=None, separator=None):
    """Crosses columns: for each row, all combinations of one element per column, joined.

    Args:
      inputs: a list of SparseTensors and Tensors of rank 2 with the same number of rows.
      name: the name of the node.
      separator: the string between elements. Defaults to '_X_'.

    Returns:
      A SparseTensor of strings.

    Raises:
      TypeError: if inputs is not a list of SparseTensors and Tensors.
    """
    separator = ops.convert_to_tensor('_X_' if separator is None else separator, dtypes.string)
    return SparseTensor(*gen.SparseCrossV2(**_columns(inputs), sep=separator, name=name))


@export('sparse.cross_hashed')
def sparse_cross_hashed(inputs, num_buckets=0, hash_key=None, name=None):
    """Crosses columns: for each row, the hashes of all combinations of one element per column.

    Args:
      inputs: a list of SparseTensors and Tensors of rank 2 with the same number of rows.
      num_buckets: the number of hash buckets, or 0 for all non-negative int64.
      hash_key: the first value of the hash. Defaults to a fixed number.
      name: the name of the node.

    Returns:
      A SparseTensor of int64.

    Raises:
      TypeError: if inputs is not a list of SparseTensors and Tensors.
    """
    columns = _columns(inputs)
    texts = all(value.dtype == dtypes.string
                for value in columns['values'] + columns['dense_inputs'])
    return SparseTensor(*gen.SparseCross(
        **columns, hashed_output=True, num_buckets=num_buckets,
        hash_key=hash_key or _DEFAULT_HASH_KEY, out_type=dtypes.int64,
        internal_type=dtypes.string if texts else dtypes.int64, name=name))
