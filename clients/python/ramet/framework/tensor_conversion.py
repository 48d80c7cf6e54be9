"""Converts values to Tensors or IndexedSlices."""

import collections.abc as abc

from ramet.api import export
from ramet.framework import conversion, dtypes
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor


@export('convert_to_tensor_or_indexed_slices')
def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None, as_ref=False):
    """Converts a value to a Tensor. IndexedSlices and SparseTensors are returned unchanged.

    Args:
      value: IndexedSlices, a SparseTensor, or anything that `tf.convert_to_tensor` accepts.
      dtype: the dtype that the result must have, or None for any.
      name: str, the name of the Const, if one is created.
      as_ref: whether the result for a variable may be its reference.

    Returns:
      A Tensor, IndexedSlices or SparseTensor.

    Raises:
      ValueError: if value is None, or is IndexedSlices or a SparseTensor with a different dtype.
      TypeError: if value cannot be converted to a Tensor of the dtype.
    """
    if not isinstance(value, (IndexedSlices, SparseTensor)):
        return conversion.convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f'Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} '
            f'for `value` ({value}) with dtype {value.dtype.name}.'
        )
    return value


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None, as_ref=False):
    """Converts each value with `convert_to_tensor_or_indexed_slices`. None stays None.

    Args:
      values: a sequence.
      dtype: as for `convert_to_tensor_or_indexed_slices`.
      name: str, a name. The Consts are named 'name_0', 'name_1', ...
      as_ref: as for `convert_to_tensor_or_indexed_slices`.

    Raises:
      TypeError: if values is not a sequence.
    """
    if not isinstance(values, abc.Iterable):
        raise TypeError('Argument `values` must be iterable.')
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(value, dtype, name and f'{name}_{i}', as_ref)
        for i, value in enumerate(values)
    ]
