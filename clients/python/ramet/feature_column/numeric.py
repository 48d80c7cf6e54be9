"""Columns of numbers, and of the ranges that numbers are in."""

import collections

from ramet import gen
from ramet.api import export
from ramet.feature_column import checks
from ramet.feature_column.columns import CategoricalColumn, DenseColumn, IdWeightPair
from ramet.framework import dtypes, tensor_shape
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.parsing.features import FixedLenFeature


@export('feature_column.numeric_column')
def numeric_column(key, shape=(1,), default_value=None, dtype=dtypes.float32, normalizer_fn=None):
    """Returns a column of numbers.

    Args:
      key: str, the name of the feature.
      shape: an int or a sequence of ints, the shape of the feature of an example.
      default_value: a number, or an array of this shape, for Examples without the feature; None makes them an error.
      dtype: the DType of the feature in Examples.
      normalizer_fn: a function from the feature's Tensor to the Tensor to use, or None.

    Raises:
      TypeError: if a size, default_value or normalizer_fn has the wrong type.
      ValueError: if a size is less than 1, default_value has a different shape, or dtype is not a number.
    """
    shape = checks.checked_shape(shape, key)
    checks.check_numeric(dtype, key, normalizer_fn)
    default_value = checks.checked_default(shape, default_value, dtype, key)
    checks.check_key(key)
    return NumericColumn(key, shape, default_value, dtype, normalizer_fn)


class NumericColumn(DenseColumn, collections.namedtuple(
        'NumericColumn', ('key', 'shape', 'default_value', 'dtype', 'normalizer_fn'))):
    """A column of numbers."""

    __slots__ = ()
    name = property(lambda self: self.key)
    variable_shape = property(lambda self: tensor_shape.TensorShape(self.shape))

    @property
    def parse_example_spec(self):
        return {self.key: FixedLenFeature(self.shape, self.dtype, self.default_value)}

    def transform(self, builder):
        tensor = builder.get(self.key)
        if isinstance(tensor, SparseTensor):
            raise ValueError('The corresponding Tensor of numerical column must be a Tensor. SparseTensor is not '
                             f'supported. key: {self.key}')
        if self.normalizer_fn is not None:
            tensor = self.normalizer_fn(tensor)
        return math_ops.cast(tensor, dtypes.float32)

    def dense_tensor(self, builder, weight_collections=None, trainable=None):
        return builder.get(self)


@export('feature_column.bucketized_column')
def bucketized_column(source_column, boundaries):
    """Returns a column of the ranges that numbers are in.

    Args:
      source_column: a column from numeric_column with one dimension.
      boundaries: a sorted list of numbers; n boundaries make n + 1 ranges, each with its lower boundary.

    Raises:
      ValueError: if an argument is invalid.
    """
    if not isinstance(source_column, NumericColumn):
        raise ValueError('source_column must be a column generated with numeric_column(). Given: {}'.format(
            source_column))
    if len(source_column.shape) > 1:
        raise ValueError(f'source_column must be one-dimensional column. Given: {source_column}')
    if not boundaries:
        raise ValueError('boundaries must not be empty.')
    if not isinstance(boundaries, (list, tuple)) or any(a >= b for a, b in zip(boundaries, boundaries[1:])):
        raise ValueError('boundaries must be a sorted list.')
    return BucketizedColumn(source_column, tuple(boundaries))


class BucketizedColumn(DenseColumn, CategoricalColumn, collections.namedtuple(
        'BucketizedColumn', ('source_column', 'boundaries'))):
    """A column of the ranges that numbers are in."""

    __slots__ = ()
    name = property(lambda self: f'{self.source_column.name}_bucketized')
    parse_example_spec = property(lambda self: self.source_column.parse_example_spec)
    num_buckets = property(lambda self: (len(self.boundaries) + 1) * self.source_column.shape[0])

    @property
    def variable_shape(self):
        return tensor_shape.TensorShape((*self.source_column.shape, len(self.boundaries) + 1))

    def transform(self, builder):
        return gen.Bucketize(builder.get(self.source_column), boundaries=self.boundaries)

    def dense_tensor(self, builder, weight_collections=None, trainable=None):
        return array_ops.one_hot(indices=math_ops.cast(builder.get(self), dtypes.int64),
                                 depth=len(self.boundaries) + 1, on_value=1., off_value=0.)

    def sparse_tensors(self, builder):
        buckets = builder.get(self)
        rows, size = array_ops.shape(buckets)[0], self.source_column.shape[0]
        row = array_ops.expand_dims(math_ops.range(0, rows), 1)
        row = array_ops.reshape(array_ops.tile(row, [1, size]), (-1,))
        position = array_ops.tile(math_ops.range(0, size), [rows])
        ids = array_ops.reshape(buckets, (-1,)) + (len(self.boundaries) + 1) * position
        indices = math_ops.cast(array_ops.transpose(array_ops.stack((row, position))), dtypes.int64)
        dense_shape = math_ops.cast(array_ops.stack([rows, size]), dtypes.int64)
        return IdWeightPair(SparseTensor(indices, ids, dense_shape), None)
