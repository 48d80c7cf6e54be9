"""Partitioners, and functions that create variables in several parts."""

import math

from ramet.api import export
from ramet.framework import dtypes, tensor_shape
from ramet.ops.variables import variable_scope


@export('variable_axis_size_partitioner')
def variable_axis_size_partitioner(max_shard_bytes, axis=0, bytes_per_string_element=16,
                                   max_shards=None):
    """Returns a partitioner that splits `axis` into parts of at most `max_shard_bytes`.

    Args:
      max_shard_bytes: the largest size of a part in bytes; each part has at least one slice.
      axis: the dimension to partition.
      bytes_per_string_element: the assumed size of a string in bytes.
      max_shards: the largest number of parts, which takes precedence over their size.

    Returns:
      Function (shape, dtype) -> list of the number of parts in each dimension.

    Raises:
      ValueError: if one of the numbers is less than 1.
    """
    if max_shard_bytes < 1 or bytes_per_string_element < 1:
        raise ValueError(
            'Both max_shard_bytes and bytes_per_string_element must be positive. Currently, '
            f'max_shard_bytes is {max_shard_bytes} andbytes_per_string_element is '
            f'{bytes_per_string_element}')
    if max_shards and max_shards < 1:
        raise ValueError('max_shards must be positive.')

    def partitioner(shape, dtype):
        size = _element_size(shape, dtype, bytes_per_string_element)
        length = shape.dims[axis].value
        slice_bytes = shape.num_elements() / length * size
        slices = max(1, math.floor(max_shard_bytes / slice_bytes))
        shards = math.ceil(length / slices)
        if max_shards:
            shards = min(max_shards, shards)
        return _along(axis, shape.ndims, shards)

    return partitioner


@export('min_max_variable_partitioner')
def min_max_variable_partitioner(max_partitions=1, axis=0, min_slice_size=256 << 10,
                                 bytes_per_string_element=16):
    """Returns a partitioner with at most `max_partitions` parts that have a minimum size.

    Args:
      max_partitions: the largest number of parts.
      axis: the dimension to partition.
      min_slice_size: the smallest size of a part in bytes.
      bytes_per_string_element: the assumed size of a string in bytes.

    Returns:
      Function (shape, dtype) -> list of the number of parts in each dimension.
    """
    def partitioner(shape, dtype):
        if axis >= len(shape):
            raise ValueError(f'Cannot partition variable along axis {axis} when shape is only '
                             f'{shape}')
        size = _element_size(shape, dtype, bytes_per_string_element)
        enough = math.ceil(shape.num_elements() * size / min_slice_size)
        return _along(axis, shape.ndims,
                      max(1, min(shape.dims[axis].value, max_partitions, enough)))

    return partitioner


@export('fixed_size_partitioner')
def fixed_size_partitioner(num_shards, axis=0):
    """Returns a partitioner that splits `axis` into at most `num_shards` parts.

    Args:
      num_shards: the number of parts. There are fewer if the axis has fewer slices.
      axis: the dimension to partition.
    """
    def partitioner(shape, **unused):
        return _along(axis, len(shape), min(num_shards, shape.dims[axis].value))

    return partitioner


@export('create_partitioned_variables')
def create_partitioned_variables(shape, slicing, initializer, dtype=dtypes.float32, trainable=True,
                                 collections=None, name=None, reuse=None):
    """Creates a partitioned variable.

    Args:
      shape: a list, the shape of the whole.
      slicing: a list of the number of parts in each dimension; only one may be greater than 1.
      initializer: a Tensor for the whole, or an initializer that creates each part.
      dtype: the DType of the variables.
      trainable: whether to add them to the trainable variables.
      collections: a list of collection keys. Defaults to [GraphKeys.GLOBAL_VARIABLES].
      name: the name of the whole. Defaults to 'PartitionedVariable'.
      reuse: as for variable_scope.

    Returns:
      A list of the parts.

    Raises:
      ValueError: if `shape` and `slicing` do not match, or the rank is 0.
    """
    if len(shape) != len(slicing):
        raise ValueError("The 'shape' and 'slicing' of a partitioned Variable must have the "
                         f'length: shape: {shape}, slicing: {slicing}')
    if len(shape) < 1:
        raise ValueError(f'A partitioned Variable must have rank at least 1: shape: {shape}')

    def partitioner(**unused):
        return slicing

    with variable_scope.variable_scope(name, 'PartitionedVariable', reuse=reuse) as scope:
        return list(scope._get_partitioned_variable(
            variable_scope.default_store(), None, partitioner, shape=shape, dtype=dtype,
            initializer=initializer, trainable=trainable, collections=collections))


def _along(axis, rank, count):
    partitions = [1] * rank
    partitions[axis] = count
    return partitions


def _element_size(shape, dtype, bytes_per_string):
    if not isinstance(shape, tensor_shape.TensorShape):
        raise ValueError(f'shape is not a TensorShape: {shape}')
    if not shape.is_fully_defined():
        raise ValueError(f'shape is not fully defined: {shape}')
    dtype = dtypes.as_dtype(dtype)
    return bytes_per_string if dtype.base_dtype == dtypes.string else dtype.size
