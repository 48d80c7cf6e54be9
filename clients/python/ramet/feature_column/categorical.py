"""Columns of categories: numbers as they are, and hashes."""

import collections

from ramet import gen
from ramet.api import export
from ramet.feature_column import checks
from ramet.feature_column.columns import CategoricalColumn, to_sparse_input
from ramet.framework import dtypes
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.parsing.features import VarLenFeature


@export('feature_column.categorical_column_with_identity')
def categorical_column_with_identity(key, num_buckets, default_value=None):
    """Returns a column whose feature is the number of a category.

    Args:
      key: str, the name of the feature.
      num_buckets: int, the number of categories.
      default_value: int, the category for numbers out of range; with None they are an error.

    Raises:
      ValueError: if an argument is invalid.
    """
    if num_buckets < 1:
        raise ValueError(f'num_buckets {num_buckets} < 1, column_name {key}')
    if default_value is not None and not 0 <= default_value < num_buckets:
        raise ValueError(f'default_value {default_value} not in range [0, {num_buckets}), column_name {key}')
    checks.check_key(key)
    return IdentityCategoricalColumn(key, num_buckets, default_value)


class IdentityCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'IdentityCategoricalColumn', ('key', 'number_buckets', 'default_value'))):
    """A column whose feature is the number of a category."""

    __slots__ = ()
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.number_buckets)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(dtypes.int64)})

    def transform(self, builder):
        tensor = to_sparse_input(builder.get(self.key))
        if not tensor.dtype.is_integer:
            raise ValueError(f'Invalid input, not integer. key: {self.key} dtype: {tensor.dtype}')
        values = tensor.values
        if values.dtype != dtypes.int64:
            values = math_ops.cast(values, dtypes.int64, name='values')
        if self.default_value is not None:
            values = self._in_range(tensor.values)
        return SparseTensor(tensor.indices, values, tensor.dense_shape)

    def _in_range(self, values):
        values = math_ops.cast(values, dtypes.int64, name='values')
        num_buckets = math_ops.cast(self.num_buckets, dtypes.int64, name='num_buckets')
        zero = math_ops.cast(0, dtypes.int64, name='zero')
        outside = math_ops.logical_or(values < zero, values >= num_buckets, name='out_of_range')
        defaults = array_ops.fill(array_ops.shape(values), math_ops.cast(self.default_value, dtypes.int64),
                                  name='default_values')
        return array_ops.where_v2(outside, defaults, values)


@export('feature_column.categorical_column_with_hash_bucket')
def categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Returns a column whose category is a hash of the feature.

    Args:
      key: str, the name of the feature.
      hash_bucket_size: int, the number of categories.
      dtype: the DType of the feature, string or an integer.

    Raises:
      ValueError: if an argument is invalid.
    """
    if hash_bucket_size is None:
        raise ValueError(f'hash_bucket_size must be set. key: {key}')
    if hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be at least 1. hash_bucket_size: {hash_bucket_size}, key: {key}')
    checks.check_key(key)
    checks.check_string_or_int(dtype, f'column_name: {key}')
    return HashedCategoricalColumn(key, hash_bucket_size, dtype)


class HashedCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'HashedCategoricalColumn', ('key', 'hash_bucket_size', 'dtype'))):
    """A column whose category is a hash of the feature."""

    __slots__ = ()
    name = property(lambda self: self.key)
    num_buckets = property(lambda self: self.hash_bucket_size)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})

    def transform(self, builder):
        tensor = to_sparse_input(builder.get(self.key))
        checks.check_same_kind(self, tensor.dtype)
        values = tensor.values if self.dtype == dtypes.string else gen.AsString(tensor.values)
        ids = gen.StringToHashBucketFast(values, self.hash_bucket_size, name='lookup')
        return SparseTensor(tensor.indices, ids, tensor.dense_shape)
