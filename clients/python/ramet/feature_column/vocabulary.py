"""Columns of categories that a vocabulary lists."""

import collections

import numpy as np

from ramet.api import export
from ramet.feature_column import checks
from ramet.feature_column.columns import CategoricalColumn, to_sparse_input
from ramet.framework import dtypes, ops
from ramet.lib import io_gfile
from ramet.lib import tf_logging as logging
from ramet.lib.file_io import FileIO
from ramet.ops.lookup import lookup_ops
from ramet.ops.math import math_ops
from ramet.ops.parsing.features import VarLenFeature


def _check_buckets(num_oov_buckets, has_default, key):
    if not num_oov_buckets:
        return
    if has_default:
        raise ValueError(f"Can't specify both num_oov_buckets and default_value in {key}.")
    if num_oov_buckets < 0:
        raise ValueError(f'Invalid num_oov_buckets {num_oov_buckets} in {key}.')


class _VocabularyColumn(CategoricalColumn):
    """The base class of columns with a vocabulary."""

    __slots__ = ()
    name = property(lambda self: self.key)
    parse_example_spec = property(lambda self: {self.key: VarLenFeature(self.dtype)})

    def transform(self, builder):
        tensor = to_sparse_input(builder.get(self.key))
        checks.check_same_kind(self, tensor.dtype)
        key_dtype = self.dtype
        if tensor.dtype.is_integer:
            key_dtype = dtypes.int64
            tensor = math_ops.cast(tensor, dtypes.int64)
        with ops.init_scope():
            table = self._table(key_dtype, f'{self.key}_lookup')
        return table.lookup(tensor)


@export('feature_column.categorical_column_with_vocabulary_list')
def categorical_column_with_vocabulary_list(key, vocabulary_list, dtype=None, default_value=-1, num_oov_buckets=0):
    """Returns a column whose category is the position of the feature in a list.

    Args:
      key: str, the name of the feature.
      vocabulary_list: a list of str or of ints.
      dtype: the DType of the feature, string or an integer. Defaults to that of the list.
      default_value: int, the category of values that are not in the list; -1 leaves them out.
      num_oov_buckets: int, the number of further categories for such values, by their hashes.

    Raises:
      ValueError: if an argument is invalid.
    """
    if vocabulary_list is None or len(vocabulary_list) < 1:
        raise ValueError(f'vocabulary_list {vocabulary_list} must be non-empty, column_name: {key}')
    if len(set(vocabulary_list)) != len(vocabulary_list):
        raise ValueError(f'Duplicate keys in vocabulary_list {vocabulary_list}, column_name: {key}')
    found = dtypes.as_dtype(np.array(vocabulary_list).dtype)
    _check_buckets(num_oov_buckets, default_value != -1, key)
    checks.check_string_or_int(found, f'column_name: {key} vocabulary')
    if dtype is None:
        dtype = found
    elif dtype.is_integer != found.is_integer:
        raise ValueError(f'dtype {dtype} and vocabulary dtype {found} do not match, column_name: {key}')
    checks.check_string_or_int(dtype, f'column_name: {key}')
    checks.check_key(key)
    return VocabularyListCategoricalColumn(key, tuple(vocabulary_list), dtype, default_value, num_oov_buckets)


class VocabularyListCategoricalColumn(_VocabularyColumn, collections.namedtuple(
        'VocabularyListCategoricalColumn', ('key', 'vocabulary_list', 'dtype', 'default_value', 'num_oov_buckets'))):
    """A column whose category is the position of the feature in a list."""

    __slots__ = ()
    num_buckets = property(lambda self: len(self.vocabulary_list) + self.num_oov_buckets)

    def _table(self, key_dtype, name):
        return lookup_ops.index_table_from_tensor(
            vocabulary_list=self.vocabulary_list, default_value=self.default_value,
            num_oov_buckets=self.num_oov_buckets, dtype=key_dtype, name=name)


@export('feature_column.categorical_column_with_vocabulary_file')
def categorical_column_with_vocabulary_file(key, vocabulary_file, vocabulary_size=None, num_oov_buckets=0,
                                            default_value=None, dtype=dtypes.string):
    """Returns a column whose category is the number of the feature's line in a file.

    Args:
      key: str, the name of the feature.
      vocabulary_file: str, a file with one word per line.
      vocabulary_size: int, the number of words to use, or None for all.
      num_oov_buckets: int, the number of further categories for values that are not in the file, by their hashes.
      default_value: int, the category of such values. Defaults to -1, which leaves them out.
      dtype: the DType of the feature, string or an integer.

    Raises:
      ValueError: if an argument is invalid, or the file does not exist.
    """
    if not vocabulary_file:
        raise ValueError(f'Missing vocabulary_file in {key}.')
    if vocabulary_size is None:
        vocabulary_size = _count_lines(vocabulary_file, key)
    if vocabulary_size < 1:
        raise ValueError(f'Invalid vocabulary_size in {key}.')
    _check_buckets(num_oov_buckets, default_value is not None, key)
    checks.check_string_or_int(dtype, f'column_name: {key}')
    checks.check_key(key)
    return VocabularyFileCategoricalColumn(
        key, vocabulary_file, vocabulary_size, 0 if num_oov_buckets is None else num_oov_buckets, dtype,
        -1 if default_value is None else default_value)


def _count_lines(path, key):
    if not io_gfile.exists(path):
        raise ValueError(f'vocabulary_file in {key} does not exist.')
    with FileIO(path, 'rb') as file:
        count = sum(1 for _ in file)
    logging.info('vocabulary_size = %d in %s is inferred from the number of elements in the vocabulary_file %s.', count,
                 key, path)
    return count


class VocabularyFileCategoricalColumn(_VocabularyColumn, collections.namedtuple(
        'VocabularyFileCategoricalColumn',
        ('key', 'vocabulary_file', 'vocabulary_size', 'num_oov_buckets', 'dtype', 'default_value'))):
    """A column whose category is the number of the feature's line in a file."""

    __slots__ = ()
    num_buckets = property(lambda self: self.vocabulary_size + self.num_oov_buckets)

    def _table(self, key_dtype, name):
        return lookup_ops.index_table_from_file(
            vocabulary_file=self.vocabulary_file, num_oov_buckets=self.num_oov_buckets,
            vocab_size=self.vocabulary_size, default_value=self.default_value, key_dtype=key_dtype, name=name)
