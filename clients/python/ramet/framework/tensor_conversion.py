"""Values as Tensor or as IndexedSlices, whichever they are."""

import collections.abc as abc

from ramet.api import export
from ramet.framework import conversion, dtypes
from ramet.framework.indexed_slices import IndexedSlices


@export('convert_to_tensor_or_indexed_slices')
def convert_to_tensor_or_indexed_slices(value, dtype=None, name=None, as_ref=False):
    """IndexedSlices as they are, all else as Tensor.

    Args:
        value: IndexedSlices, or anything that `tf.convert_to_tensor` accepts.
        dtype: the dtype that the result has to have, None for any.
        name: str, name of a Const that is made.
        as_ref: whether a variable may give its reference.

    Returns:
        A Tensor or IndexedSlices.

    Raises:
        ValueError: if value is IndexedSlices of another dtype, or None.
        TypeError: if value cannot become a Tensor of dtype.
    """
    if not isinstance(value, IndexedSlices):
        return conversion.convert_to_tensor(value, dtype=dtype, name=name, as_ref=as_ref)
    if dtype is not None and not dtypes.as_dtype(dtype).is_compatible_with(value.dtype):
        raise ValueError(
            f'Incompatible tensor conversion requested to `dtype` {dtypes.as_dtype(dtype).name} '
            f'for `value` ({value}) with dtype {value.dtype.name}.'
        )
    return value


def convert_n_to_tensor_or_indexed_slices(values, dtype=None, name=None, as_ref=False):
    """List of `convert_to_tensor_or_indexed_slices` of values; None stays None.

    Args:
        values: a sequence.
        dtype: as of `convert_to_tensor_or_indexed_slices`.
        name: str, of which the Consts get 'name_0', 'name_1' ...
        as_ref: as of `convert_to_tensor_or_indexed_slices`.

    Raises:
        TypeError: if values is no sequence.
    """
    if not isinstance(values, abc.Iterable):
        raise TypeError('Argument `values` must be iterable.')
    return [
        None
        if value is None
        else convert_to_tensor_or_indexed_slices(value, dtype, name and f'{name}_{i}', as_ref)
        for i, value in enumerate(values)
    ]
