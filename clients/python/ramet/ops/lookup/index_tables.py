"""Tables between the entries of a vocabulary and their numbers."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.lookup.hash_tables import StaticHashTable
from ramet.ops.lookup.lookup_init import KeyValueTensorInitializer, TextFileInitializer
from ramet.ops.lookup.vocabulary_tables import FastHashSpec, IdTableWithHashBuckets


def _check_file(vocabulary_file, vocab_size):
    if vocabulary_file is None or (isinstance(vocabulary_file, str) and not vocabulary_file):
        raise ValueError('`vocabulary_file` must be specified and must not be empty.')
    if vocab_size is not None and vocab_size < 1:
        raise ValueError(f'`vocab_size` must be greater than 0, got {vocab_size} for '
                         f'vocabulary_file: {vocabulary_file}.')


def _check_buckets(num_oov_buckets):
    if num_oov_buckets < 0:
        raise ValueError(f'num_oov_buckets must be greater or equal than 0, got '
                         f'{num_oov_buckets}.')


@export('contrib.lookup.index_table_from_file')
def index_table_from_file(vocabulary_file=None, num_oov_buckets=0, vocab_size=None,
                          default_value=-1, hasher_spec=FastHashSpec, key_dtype=dtypes.string,
                          name=None, key_column_index=-2, value_column_index=-1, delimiter='\t'):
    """Returns a table from the lines of a file to their numbers.

    Args:
      vocabulary_file: str or a string scalar, the file.
      num_oov_buckets: int, the number of ids over which unknown keys are distributed.
      vocab_size: int, the maximum number of lines to read, or None for all.
      default_value: int, the id of unknown keys if there are no buckets.
      hasher_spec: a HasherSpec.
      key_dtype: DType of the keys.
      name: the name of the scope.
      key_column_index: int, the column of the keys, or -2 for the whole line.
      value_column_index: int, the column of the ids, or -1 for the line number.
      delimiter: str, the column separator.

    Raises:
      ValueError: if the file is not given, or an argument is out of range.
    """
    _check_file(vocabulary_file, vocab_size)
    _check_buckets(num_oov_buckets)
    with ops.name_scope(name, 'string_to_index'):
        with ops.name_scope(None, 'hash_table'):
            init = TextFileInitializer(
                vocabulary_file, dtypes.int64 if key_dtype.is_integer else key_dtype,
                key_column_index, dtypes.int64, value_column_index, vocab_size=vocab_size,
                delimiter=delimiter, name='table_init')
            table = StaticHashTable(init, default_value)
    return _with_buckets(table, num_oov_buckets, hasher_spec, key_dtype)


@export('contrib.lookup.index_table_from_tensor')
def index_table_from_tensor(vocabulary_list, num_oov_buckets=0, default_value=-1,
                            hasher_spec=FastHashSpec, dtype=dtypes.string, name=None):
    """Returns a table from the elements of a vector to their indices.

    Args:
      vocabulary_list: a vector of strings or integers.
      num_oov_buckets: int, the number of ids over which unknown keys are distributed.
      default_value: int, the id of unknown keys if there are no buckets.
      hasher_spec: a HasherSpec.
      dtype: DType of the keys.
      name: the name of the scope.

    Raises:
      ValueError: if the vector is not given, or of a different kind than `dtype`.
      TypeError: if `dtype` is neither an integer type nor string.
    """
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` must be specified.')
    _check_buckets(num_oov_buckets)
    if not dtype.is_integer and dtype.base_dtype != dtypes.string:
        raise TypeError('`dtype` must either be integer or string.')
    with ops.name_scope(name, 'string_to_index'):
        keys = ops.convert_to_tensor(vocabulary_list)
        if keys.dtype.is_integer != dtype.is_integer:
            kind = 'integer' if dtype.is_integer else 'non-integer'
            raise ValueError(f'Invalid `dtype`: Expected {kind}, got {keys.dtype}.')
        numbers = _numbers(keys)
        with ops.name_scope(None, 'hash_table'):
            if keys.dtype.is_integer and keys.dtype != dtypes.int64:
                keys = gen.Cast(keys, DstT=dtypes.int64)
            init = KeyValueTensorInitializer(keys, numbers, keys.dtype.base_dtype, dtypes.int64,
                                             name='table_init')
            table = StaticHashTable(init, default_value)
    return _with_buckets(table, num_oov_buckets, hasher_spec, dtype)


def _with_buckets(table, num_oov_buckets, hasher_spec, dtype):
    if num_oov_buckets == 0 and dtype.base_dtype == table.key_dtype:
        return table
    return IdTableWithHashBuckets(table, num_oov_buckets, hasher_spec, key_dtype=dtype)


def _numbers(keys):
    """Returns 0, 1, 2, ... for the elements of a vector."""
    count = keys.shape.num_elements()
    size = (gen.Size(keys, name='Size') if count is None
            else constant_op.constant(count, dtypes.int32, name='Size'))
    with ops.name_scope('range') as scope:
        start = constant_op.constant(0, dtypes.int32, name='start')
        delta = constant_op.constant(1, dtypes.int32, name='delta')
        numbers = gen.Range(start, size, delta, name=scope)
    return gen.Cast(numbers, DstT=dtypes.int64, name='Cast')


@export('contrib.lookup.index_to_string_table_from_file')
def index_to_string_table_from_file(vocabulary_file, vocab_size=None, default_value='UNK',
                                    name=None, key_column_index=-1, value_column_index=-2,
                                    delimiter='\t'):
    """Returns a table from line numbers of a file to the lines.

    Args:
      vocabulary_file: str or a string scalar, the file.
      vocab_size: int, the maximum number of lines to read, or None for all.
      default_value: str, the value of unknown numbers.
      name: the name of the scope.
      key_column_index: int, the column of the ids, or -1 for the line number.
      value_column_index: int, the column of the values, or -2 for the whole line.
      delimiter: str, the column separator.

    Raises:
      ValueError: if the file is not given, or an argument is out of range.
    """
    _check_file(vocabulary_file, vocab_size)
    with ops.name_scope(name, 'index_to_string'):
        init = TextFileInitializer(vocabulary_file, dtypes.int64, key_column_index, dtypes.string,
                                   value_column_index, vocab_size=vocab_size, delimiter=delimiter,
                                   name='table_init')
        return StaticHashTable(init, default_value)


@export('contrib.lookup.index_to_string_table_from_tensor')
def index_to_string_table_from_tensor(vocabulary_list, default_value='UNK', name=None):
    """Returns a table from indices to the elements of a vector of strings.

    Args:
      vocabulary_list: a vector of strings.
      default_value: str, the value of unknown numbers.
      name: the name of the scope.

    Raises:
      ValueError: if the vector is not given.
    """
    if vocabulary_list is None:
        raise ValueError('`vocabulary_list` argument must be specified.')
    with ops.name_scope(name, 'index_to_string'):
        values = ops.convert_to_tensor(vocabulary_list, dtypes.string)
        init = KeyValueTensorInitializer(_numbers(values), values, dtypes.int64, dtypes.string,
                                         name='table_init')
        return StaticHashTable(init, default_value)
