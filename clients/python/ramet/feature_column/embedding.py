"""Columns that look up categories in tables."""

import collections
import math

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.feature_column import lookup
from ramet.feature_column.columns import (
    CategoricalColumn,
    DenseColumn,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from ramet.feature_column.combined import WeightedCategoricalColumn
from ramet.feature_column.sequence_columns import SequenceCategoricalColumn, check_kind
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variable_scope

_FIELDS = ('dimension', 'combiner', 'initializer')
_CHECKPOINT_FIELDS = ('ckpt_to_load_from', 'tensor_name_in_ckpt', 'max_norm', 'trainable', 'use_safe_embedding_lookup')


def _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt, of=''):
    if dimension is None or dimension < 1:
        raise ValueError(f'Invalid dimension {dimension}.')
    if (ckpt_to_load_from is None) != (tensor_name_in_ckpt is None):
        raise ValueError('Must specify both `ckpt_to_load_from` and `tensor_name_in_ckpt` or none of them.')
    if initializer is None:
        return init_ops.TruncatedNormal(mean=0.0, stddev=1 / math.sqrt(dimension))
    if not callable(initializer):
        raise ValueError(f'initializer must be callable if specified.{of}')
    return initializer


@export('feature_column.embedding_column')
def embedding_column(categorical_column, dimension, combiner='mean', initializer=None, ckpt_to_load_from=None,
                     tensor_name_in_ckpt=None, max_norm=None, trainable=True, use_safe_embedding_lookup=True):
    """Returns a dense column with the rows of a table that categories refer to.

    Args:
      categorical_column: a categorical column.
      dimension: int, the size of a row.
      combiner: 'mean', 'sqrtn' or 'sum', how the rows of an example's categories are combined.
      initializer: an initializer. Defaults to a truncated normal with mean 0 and stddev 1 / sqrt(dimension).
      ckpt_to_load_from: str, a checkpoint that the table gets its values from, or None.
      tensor_name_in_ckpt: str, the name of the table in the checkpoint.
      max_norm: the maximum L2 norm of a row, or None.
      trainable: whether the table is trainable.
      use_safe_embedding_lookup: whether examples may have no categories.

    Raises:
      ValueError: if an argument is invalid.
    """
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt,
                                       f' Embedding of column_name: {categorical_column.name}')
    return EmbeddingColumn(categorical_column, dimension, combiner, initializer, ckpt_to_load_from,
                           tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup)


class _TableColumn(DenseColumn, SequenceDenseColumn):
    """The base class of columns with a table."""

    __slots__ = ()
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)
    variable_shape = property(lambda self: tensor_shape.TensorShape([self.dimension]))

    def transform(self, builder):
        return builder.get(self.categorical_column)

    def dense_tensor(self, builder, weight_collections=None, trainable=None):
        check_kind('embedding_column', self, is_sequence=False)
        return self._looked_up(builder, weight_collections, trainable)

    def sequence_dense_tensor(self, builder, weight_collections=None, trainable=None):
        check_kind('embedding_column', self, is_sequence=True)
        dense = self._looked_up(builder, weight_collections, trainable)
        ids, _ = self.categorical_column.sparse_tensors(builder)
        return TensorSequenceLengthPair(dense, lookup.sequence_length(ids))

    def _looked_up(self, builder, weight_collections, trainable):
        ids, weights = self.categorical_column.sparse_tensors(builder)
        table = self._table(weight_collections, trainable)
        lookup.init_from_checkpoint(self, table)
        return lookup.weighted_rows(table, ids, weights, self.combiner, f'{self.name}_weights', self.max_norm,
                                    self.use_safe_embedding_lookup)

    def _new_table(self, weight_collections, trainable):
        if weight_collections and ops.GraphKeys.GLOBAL_VARIABLES not in weight_collections:
            weight_collections.append(ops.GraphKeys.GLOBAL_VARIABLES)
        return variable_scope.get_variable(
            'embedding_weights', shape=(self.categorical_column.num_buckets, self.dimension), dtype=dtypes.float32,
            initializer=self.initializer, trainable=self.trainable and trainable, collections=weight_collections)


class EmbeddingColumn(_TableColumn, collections.namedtuple(
        'EmbeddingColumn', ('categorical_column', *_FIELDS, *_CHECKPOINT_FIELDS))):
    """A dense column with the rows of a table of its own."""

    __slots__ = ()
    name = property(lambda self: f'{self.categorical_column.name}_embedding')

    def _table(self, weight_collections, trainable):
        return self._new_table(weight_collections, trainable)


@export('feature_column.shared_embedding_columns')
@with_args_of(embedding_column)
def shared_embedding_columns(categorical_columns, dimension, combiner='mean', initializer=None,
                             shared_embedding_collection_name=None, ckpt_to_load_from=None, tensor_name_in_ckpt=None,
                             max_norm=None, trainable=True, use_safe_embedding_lookup=True):
    """Returns dense columns that share one table, a list.

    Args:
      categorical_columns: a list of categorical columns of one kind with the same number of categories.
      shared_embedding_collection_name: str, the collection of the graph that holds the table. Defaults to a name from
        those of the columns.

    Raises:
      ValueError: if an argument is invalid, or the columns differ.
    """
    initializer = _checked_initializer(dimension, initializer, ckpt_to_load_from, tensor_name_in_ckpt)
    columns = sorted(categorical_columns, key=lambda column: column.name)
    _check_same(columns)
    if not shared_embedding_collection_name:
        shared_embedding_collection_name = '_'.join(column.name for column in columns) + '_shared_embedding'
    return [SharedEmbeddingColumn(
        column, dimension, combiner, initializer, shared_embedding_collection_name, ckpt_to_load_from,
        tensor_name_in_ckpt, max_norm, trainable, use_safe_embedding_lookup) for column in categorical_columns]


def _inner(column):
    while isinstance(column, (WeightedCategoricalColumn, SequenceCategoricalColumn)):
        column = column.categorical_column
    return column


def _check_same(columns):
    if not isinstance(columns[0], CategoricalColumn):
        raise ValueError('All categorical_columns must be subclasses of _CategoricalColumn. Given: {}, of type: '
                         '{}'.format(columns[0], type(columns[0])))
    first, num_buckets = _inner(columns[0]), columns[0].num_buckets
    for column in map(_inner, columns[1:]):
        if not isinstance(column, type(first)):
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same type, or be '
                             'weighted_categorical_column or sequence column of the same type. Given column: {} of '
                             'type: {} does not match given column: {} of type: {}'.format(
                                 first, type(first), column, type(column)))
        if num_buckets != column.num_buckets:
            raise ValueError('To use shared_embedding_column, all categorical_columns must have the same number of '
                             'buckets. Given column: {} with buckets: {} does  not match column: {} with buckets: '
                             '{}'.format(first, num_buckets, column, column.num_buckets))


class SharedEmbeddingColumn(_TableColumn, collections.namedtuple(
        'SharedEmbeddingColumn',
        ('categorical_column', *_FIELDS, 'shared_embedding_collection_name', *_CHECKPOINT_FIELDS))):
    """A dense column with the rows of a table that it shares with other columns."""

    __slots__ = ()
    name = property(lambda self: f'{self.categorical_column.name}_shared_embedding')
    var_scope_name = property(lambda self: self.shared_embedding_collection_name)

    def _looked_up(self, builder, weight_collections, trainable):
        with ops.name_scope(None, default_name=self.name):
            return super()._looked_up(builder, weight_collections, trainable)

    def _table(self, weight_collections, trainable):
        name = self.shared_embedding_collection_name
        found = ops.get_collection(name)
        advice = ('Suggested fix A: Choose a unique name for this collection. Suggested fix B: Do not add any '
                  'variables to this collection. The feature_column library already adds a variable under the hood.')
        if len(found) > 1:
            raise ValueError(f'Collection {found} can only contain one variable. {advice}')
        if not found:
            table = self._new_table(weight_collections, trainable)
            ops.add_to_collection(name, table)
            return table
        shape = (self.categorical_column.num_buckets, self.dimension)
        if found[0].get_shape() != tensor_shape.TensorShape(shape):
            raise ValueError(f'Shared embedding collection {name} contains variable {found[0].name} of unexpected '
                             f'shape {found[0].get_shape()}. Expected shape is {shape}. {advice}')
        return found[0]
