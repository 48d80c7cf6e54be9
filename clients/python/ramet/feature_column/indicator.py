"""Columns of counts of categories."""

import collections

from ramet import gen
from ramet.api import export
from ramet.feature_column import lookup
from ramet.feature_column.columns import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from ramet.feature_column.sequence_columns import check_kind
from ramet.framework import tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.sparse import sparse_build, sparse_ops


@export('feature_column.indicator_column')
def indicator_column(categorical_column):
    """Returns a dense column that counts how often each category occurs in an example.

    Args:
      categorical_column: a categorical column.

    Raises:
      ValueError: if it is not one.
    """
    if not isinstance(categorical_column, CategoricalColumn):
        raise ValueError(f'Unsupported input type. Input must be a CategoricalColumn. Given: {categorical_column}')
    return IndicatorColumn(categorical_column)


class IndicatorColumn(DenseColumn, SequenceDenseColumn, collections.namedtuple(
        'IndicatorColumn', ('categorical_column',))):
    """A dense column of counts of categories."""

    __slots__ = ()
    name = property(lambda self: f'{self.categorical_column.name}_indicator')
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: tensor_shape.TensorShape([1, self.categorical_column.num_buckets]))

    def transform(self, builder):
        ids, weights = self.categorical_column.sparse_tensors(builder)
        size = self.categorical_column.num_buckets
        if weights is not None:
            weighted = sparse_build.sparse_merge(sp_ids=ids, sp_values=weights, vocab_size=int(size))
            weighted = sparse_ops.sparse_slice(weighted, [0, 0], weighted.dense_shape)
            return gen.ScatterNd(weighted.indices, weighted.values, weighted.dense_shape)
        dense = sparse_ops.sparse_tensor_to_dense(ids, default_value=-1)
        one_hot = array_ops.one_hot(dense, depth=size, on_value=1.0, off_value=0.0)
        return math_ops.reduce_sum(one_hot, axis=[-2])

    def dense_tensor(self, builder, weight_collections=None, trainable=None):
        check_kind('indicator_column', self, is_sequence=False)
        return builder.get(self)

    def sequence_dense_tensor(self, builder, weight_collections=None, trainable=None):
        check_kind('indicator_column', self, is_sequence=True)
        dense = builder.get(self)
        ids, _ = self.categorical_column.sparse_tensors(builder)
        return TensorSequenceLengthPair(dense, lookup.sequence_length(ids))
