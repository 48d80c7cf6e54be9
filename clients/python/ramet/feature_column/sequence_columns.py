"""Columns of sequences: of categories, and of numbers."""

import collections

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.feature_column import categorical, checks, lookup, vocabulary
from ramet.feature_column.columns import (
    CategoricalColumn,
    IdWeightPair,
    SequenceDenseColumn,
    TensorSequenceLengthPair,
)
from ramet.framework import dtypes, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.parsing.features import VarLenFeature
from ramet.ops.sparse import sparse_ops


class SequenceCategoricalColumn(CategoricalColumn, collections.namedtuple(
        'SequenceCategoricalColumn', ('categorical_column',))):
    """A column of sequences of categories."""

    __slots__ = ()
    name = property(lambda self: self.categorical_column.name)
    num_buckets = property(lambda self: self.categorical_column.num_buckets)
    parse_example_spec = property(lambda self: self.categorical_column.parse_example_spec)

    def transform(self, builder):
        return self.categorical_column.transform(builder)

    def sparse_tensors(self, builder):
        ids, weights = self.categorical_column.sparse_tensors(builder)
        shape = array_ops.shape(ids)
        target = [shape[0], shape[1], math_ops.reduce_prod(shape[2:])]
        ids = sparse_ops.sparse_reshape(ids, target)
        return IdWeightPair(ids, None if weights is None else sparse_ops.sparse_reshape(weights, target))


def check_kind(function, column, is_sequence):
    """Raises a ValueError unless the categories of a dense column are sequences, or are not.

    Args:
      function: str, the name of the function that makes such columns.
      column: the dense column.
      is_sequence: whether they should be sequences.
    """
    inner = column.categorical_column
    if isinstance(inner, SequenceCategoricalColumn) == is_sequence:
        return
    if is_sequence:
        raise ValueError(f'In {function}: {column.name}. categorical_column must be of type _SequenceCategoricalColumn '
                         'to use SequenceFeatures. Suggested fix: Use one of sequence_categorical_column_with_*. Given '
                         f'(type {type(inner)}): {inner}')
    raise ValueError(f'In {function}: {column.name}. categorical_column must not be of type '
                     '_SequenceCategoricalColumn. Suggested fix A: If you wish to use DenseFeatures, use a '
                     'non-sequence categorical_column_with_*. Suggested fix B: If you wish to create sequence input, '
                     f'use SequenceFeatures instead of DenseFeatures. Given (type {type(inner)}): {inner}')


@export('feature_column.sequence_categorical_column_with_identity',
        'contrib.feature_column.sequence_categorical_column_with_identity')
@with_args_of(categorical.categorical_column_with_identity)
def sequence_categorical_column_with_identity(key, num_buckets, default_value=None):
    """Returns a column of sequences of numbers of categories.

    Raises:
      ValueError: if an argument is invalid.
    """
    return SequenceCategoricalColumn(categorical.categorical_column_with_identity(key, num_buckets, default_value))


@export('feature_column.sequence_categorical_column_with_hash_bucket',
        'contrib.feature_column.sequence_categorical_column_with_hash_bucket')
@with_args_of(categorical.categorical_column_with_hash_bucket)
def sequence_categorical_column_with_hash_bucket(key, hash_bucket_size, dtype=dtypes.string):
    """Returns a column of sequences whose categories are hashes.

    Raises:
      ValueError: if an argument is invalid.
    """
    return SequenceCategoricalColumn(categorical.categorical_column_with_hash_bucket(key, hash_bucket_size, dtype))


@export('feature_column.sequence_categorical_column_with_vocabulary_file',
        'contrib.feature_column.sequence_categorical_column_with_vocabulary_file')
@with_args_of(vocabulary.categorical_column_with_vocabulary_file)
def sequence_categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0, default_value=None, dtype=dtypes.string):
    """Returns a column of sequences of words of a vocabulary in a file.

    Raises:
      ValueError: if an argument is invalid, or the file does not exist.
    """
    return SequenceCategoricalColumn(vocabulary.categorical_column_with_vocabulary_file(
        key, vocabulary_file, vocabulary_size, num_oov_buckets, default_value, dtype))


@export('feature_column.sequence_categorical_column_with_vocabulary_list',
        'contrib.feature_column.sequence_categorical_column_with_vocabulary_list')
@with_args_of(vocabulary.categorical_column_with_vocabulary_list)
def sequence_categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1,
                                                     num_oov_buckets=0):
    """Returns a column of sequences of words of a vocabulary in a list.

    Raises:
      ValueError: if an argument is invalid.
    """
    return SequenceCategoricalColumn(vocabulary.categorical_column_with_vocabulary_list(
        key, vocabulary_list, dtype, default_value, num_oov_buckets))


@export('feature_column.sequence_numeric_column', 'contrib.feature_column.sequence_numeric_column')
def sequence_numeric_column(key, shape=(1,), default_value=0., dtype=dtypes.float32, normalizer_fn=None):
    """Returns a column of sequences of numbers.

    Args:
      key: str, the name of the feature.
      shape: an int or a sequence of ints, the shape of one step.
      default_value: a number that fills the ends of shorter sequences.
      dtype: the DType of the feature.
      normalizer_fn: a function from the feature's SparseTensor to the SparseTensor to use, or None.

    Raises:
      TypeError: if a size or normalizer_fn has the wrong type.
      ValueError: if a size is less than 1, or dtype is not a number.
    """
    shape = checks.checked_shape(shape, key)
    checks.check_numeric(dtype, key, normalizer_fn)
    return SequenceNumericColumn(key, shape, default_value, dtype, normalizer_fn)


class SequenceNumericColumn(SequenceDenseColumn, collections.namedtuple(
        'SequenceNumericColumn', ('key', 'shape', 'default_value', 'dtype', 'normalizer_fn'))):
    """A column of sequences of numbers."""

    __slots__ = ()
    name = property(lambda self: self.key)
    variable_shape = property(lambda self: tensor_shape.TensorShape(self.shape))
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})

    def transform(self, builder):
        tensor = builder.get(self.key)
        return tensor if self.normalizer_fn is None else self.normalizer_fn(tensor)

    def sequence_dense_tensor(self, builder, weight_collections=None, trainable=None):
        tensor = builder.get(self)
        dense = sparse_ops.sparse_tensor_to_dense(tensor, default_value=self.default_value)
        shape = array_ops.concat([array_ops.shape(dense)[:1], [-1], self.variable_shape], axis=0)
        dense = array_ops.reshape(dense, shape=shape)
        size = self.variable_shape.num_elements() if tensor.get_shape().ndims == 2 else 1
        return TensorSequenceLengthPair(dense, lookup.sequence_length(tensor, num_elements=size))
