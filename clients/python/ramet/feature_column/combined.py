"""Columns that combine others: with weights, and crossed."""

import collections

from ramet.api import export
from ramet.feature_column.categorical import HashedCategoricalColumn
from ramet.feature_column.columns import CategoricalColumn, FeatureColumn, IdWeightPair, to_sparse_input
from ramet.framework import dtypes
from ramet.framework.sparse_tensor import SparseTensor, convert_to_tensor_or_sparse_tensor
from ramet.ops.math import math_ops
from ramet.ops.parsing.features import VarLenFeature
from ramet.ops.sparse.sparse_cross import sparse_cross_hashed


@export('feature_column.weighted_categorical_column')
def weighted_categorical_column(categorical_column, weight_feature_key, dtype=dtypes.float32):
    """Returns a column of categories with weights.

    Args:
      categorical_column: a categorical column.
      weight_feature_key: str, the name of the feature with the weights, at the positions of the categories.
      dtype: the DType of the weights.

    Raises:
      ValueError: if dtype is not a number.
    """
    if dtype is None or not (dtype.is_integer or dtype.is_floating):
        raise ValueError(f'dtype {dtype} is not convertible to float.')
    return WeightedCategoricalColumn(categorical_column, weight_feature_key, dtype)


class WeightedCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'WeightedCategoricalColumn', ('categorical_column', 'weight_feature_key', 'dtype'))):
    """A column of categories with weights."""

    __slots__ = ()
    name = property(lambda self: f'{self.categorical_column.name}_weighted_by_{self.weight_feature_key}')
    num_buckets = property(lambda self: self.categorical_column.num_buckets)

    @property
    def parse_example_spec(self):
        features = dict(self.categorical_column.parse_example_spec)
        key = self.weight_feature_key
        if key in features:
            raise ValueError(f'Parse config {features[key]} already exists for {key}.')
        features[key] = VarLenFeature(self.dtype)
        return features

    def transform(self, builder):
        weights = builder.get(self.weight_feature_key)
        if weights is None:
            raise ValueError(f'Missing weights {self.weight_feature_key}.')
        weights = convert_to_tensor_or_sparse_tensor(weights)
        if self.dtype != weights.dtype.base_dtype:
            raise ValueError(f'Bad dtype, expected {self.dtype}, but got {weights.dtype}.')
        if not isinstance(weights, SparseTensor):
            weights = to_sparse_input(weights, ignore_value=0.0)
        if not weights.dtype.is_floating:
            weights = math_ops.cast(weights, dtypes.float32)
        return builder.get(self.categorical_column), weights

    def sparse_tensors(self, builder):
        return IdWeightPair(*builder.get(self))


@export('feature_column.crossed_column')
def crossed_column(keys, hash_bucket_size, hash_key=None):
    """Returns a column of combinations of several features, by their hashes.

    Args:
      keys: a list of names of features and categorical columns.
      hash_bucket_size: int, the number of categories.
      hash_key: int, the key of the hash function, or None.

    Raises:
      ValueError: if an argument is invalid.
    """
    if not hash_bucket_size or hash_bucket_size < 1:
        raise ValueError(f'hash_bucket_size must be > 1. hash_bucket_size: {hash_bucket_size}')
    if not keys or len(keys) < 2:
        raise ValueError(f'keys must be a list with length > 1. Given: {keys}')
    for key in keys:
        if not isinstance(key, (str, CategoricalColumn)):
            raise ValueError('Unsupported key type. All keys must be either string, or categorical column except '
                             f'HashedCategoricalColumn. Given: {key}')
        if isinstance(key, HashedCategoricalColumn):
            raise ValueError('categorical_column_with_hash_bucket is not supported for crossing. Hashing before '
                             'crossing will increase probability of collision. Instead, use the feature name as a '
                             f'string. Given: {key}')
    return CrossedColumn(tuple(keys), hash_bucket_size, hash_key)


class CrossedColumn(CategoricalColumn, collections.namedtuple(
        'CrossedColumn', ('keys', 'hash_bucket_size', 'hash_key'))):
    """A column of combinations of several features."""

    __slots__ = ()
    num_buckets = property(lambda self: self.hash_bucket_size)

    def _leaves(self):
        leaves = []
        for key in self.keys:
            leaves.extend(key._leaves() if isinstance(key, CrossedColumn) else [key])
        return leaves

    @property
    def name(self):
        names = [key.name if isinstance(key, FeatureColumn) else key for key in self._leaves()]
        return '_X_'.join(sorted(names))

    @property
    def parse_example_spec(self):
        features = {}
        for key in self.keys:
            if isinstance(key, FeatureColumn):
                features.update(key.parse_example_spec)
            else:
                features[key] = VarLenFeature(dtypes.string)
        return features

    def transform(self, builder):
        tensors = []
        for key in self._leaves():
            if isinstance(key, str):
                tensors.append(builder.get(key))
                continue
            ids, weights = key.sparse_tensors(builder)
            if weights is not None:
                raise ValueError('crossed_column does not support weight_tensor, but the given column populates '
                                 f'weight_tensor. Given column: {key.name}')
            tensors.append(ids)
        return sparse_cross_hashed(tensors, num_buckets=self.hash_bucket_size, hash_key=self.hash_key)
