"""Initializers of tables: from tensors, or from the lines of a text file."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, ops


@export('contrib.lookup.TableInitializerBase')
class TableInitializerBase:
    """The base class of table initializers: `initialize(table)` returns the operation.

    Args:
      key_dtype: DType of the keys.
      value_dtype: DType of the values.
    """

    def __init__(self, key_dtype, value_dtype):
        self._key_dtype = dtypes.as_dtype(key_dtype)
        self._value_dtype = dtypes.as_dtype(value_dtype)

    @property
    def key_dtype(self):
        return self._key_dtype

    @property
    def value_dtype(self):
        return self._value_dtype

    def initialize(self, table):
        """Returns an operation that fills a table.

        Args:
          table: the table, which has the same dtypes.
        """
        raise NotImplementedError

    def _check(self, table):
        for what, own, other in (('key', self._key_dtype, table.key_dtype),
                                 ('value', self._value_dtype, table.value_dtype)):
            if own.base_dtype != other.base_dtype:
                raise TypeError(f'Invalid {what} dtype for table, expected {own} but got '
                                f'{other}.')


@export('lookup.KeyValueTensorInitializer', 'contrib.lookup.KeyValueTensorInitializer')
class KeyValueTensorInitializer(TableInitializerBase):
    """Fills a table with the elements of two vectors of the same length.

    Args:
      keys: the keys.
      values: their values.
      key_dtype: DType, or None for that of `keys`.
      value_dtype: DType, or None for that of `values`.
      name: the name of the scope.
    """

    def __init__(self, keys, values, key_dtype=None, value_dtype=None, name=None):
        self._keys = ops.convert_to_tensor(keys, dtype=key_dtype, name='keys')
        self._values = ops.convert_to_tensor(values, dtype=value_dtype, name='values')
        self._name = name if name is not None else 'key_value_init'
        super().__init__(self._keys.dtype, self._values.dtype)

    def initialize(self, table):
        """Returns the operation that fills a table, and adds it to the collection of initializers.

        Args:
          table: the table, which has the same dtypes.

        Raises:
          TypeError: if the table has different dtypes.
        """
        self._check(table)
        with ops.name_scope(self._name, values=(table.resource_handle, self._keys, self._values)):
            fill = gen.LookupTableImportV2(table.resource_handle, self._keys, self._values)
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, fill)
        return fill


@export('lookup.TextFileIndex', 'contrib.lookup.TextFileIndex')
class TextFileIndex:
    """The sources of keys and values other than columns: the whole line, or its number."""

    WHOLE_LINE = -2
    LINE_NUMBER = -1


def _check_index(what, index, dtype):
    between = '`key_dtype` must be int64 if' if what == 'key' else '`value_dtype` must be int64 for'
    if index < -2:
        raise ValueError(f'`{what}_index` should be >= -2, received: {index}.')
    if index == TextFileIndex.LINE_NUMBER and dtype != dtypes.int64:
        middle = ' is ' if what == 'key' else ' '
        raise ValueError(f'{between} `{what}_index`{middle}{TextFileIndex.LINE_NUMBER}, received: '
                         f'{dtype}')
    if index == TextFileIndex.WHOLE_LINE and not dtype.is_integer and dtype != dtypes.string:
        raise ValueError(f'`{what}_dtype` should be either integer or string for `{what}_index` '
                         f'{TextFileIndex.WHOLE_LINE}, received: {dtype}')


def _asset_path(filename):
    with ops.device('CPU'):
        return constant_op.constant(filename, dtypes.string, name='asset_path')


@export('lookup.TextFileInitializer', 'contrib.lookup.TextFileInitializer')
class TextFileInitializer(TableInitializerBase):
    """Fills a table with one entry per line of a file.

    Args:
      filename: str or a string scalar. A SavedModel includes the file as an asset.
      key_dtype: DType of the keys.
      key_index: int, the column of the keys, or one of TextFileIndex.
      value_dtype: DType of the values.
      value_index: int, the column of the values, or one of TextFileIndex.
      vocab_size: int, the maximum number of lines to read, or None for all.
      delimiter: str, one character that splits lines into columns.
      name: the name of the scope.
      value_index_offset: int, the first line number, for values that are line numbers.

    Raises:
      ValueError: if an argument is out of range, or a dtype does not match its source.
    """

    def __init__(self, filename, key_dtype, key_index, value_dtype, value_index, vocab_size=None,
                 delimiter='\t', name=None, value_index_offset=0):
        if not isinstance(filename, ops.Tensor) and not filename:
            raise ValueError('`filename` argument required for tables.')
        key_dtype, value_dtype = dtypes.as_dtype(key_dtype), dtypes.as_dtype(value_dtype)
        _check_index('key', key_index, key_dtype)
        _check_index('value', value_index, value_dtype)
        if vocab_size is not None and vocab_size <= 0:
            raise ValueError(f'`vocab_size` should be > 0, received: {vocab_size}')
        self._key_index, self._value_index = key_index, value_index
        self._vocab_size, self._delimiter = vocab_size, delimiter
        self._offset, self._given_name = value_index_offset, filename
        self._name = name if name is not None else 'text_file_init'
        self._filename = filename if isinstance(filename, ops.Tensor) else _asset_path(filename)
        super().__init__(key_dtype, value_dtype)

    @property
    def _shared_name(self):
        """The shared name. Tables with the same file and format share one table of the session."""
        given = self._given_name
        parts = ['hash_table', given.name if isinstance(given, ops.Tensor) else str(given)]
        if self._vocab_size is not None:
            parts.append(str(self._vocab_size))
        parts += [str(self._key_index), str(self._value_index)]
        if self._offset:
            parts.append(str(self._offset))
        return '_'.join(parts)

    def initialize(self, table):
        """Returns the operation that fills a table, and adds it to the collection of initializers.

        Args:
          table: the table, which has the same dtypes.

        Raises:
          TypeError: if the table has different dtypes.
        """
        self._check(table)
        with ops.name_scope(self._name, 'text_file_init', (table.resource_handle,)):
            fill = gen.InitializeTableFromTextFileV2(
                table.resource_handle, self._filename, self._key_index, self._value_index,
                -1 if self._vocab_size is None else self._vocab_size, self._delimiter,
                self._offset)
        ops.add_to_collection(ops.GraphKeys.TABLE_INITIALIZERS, fill)
        if not self._filename.op.inputs:
            ops.add_to_collection(ops.GraphKeys.ASSET_FILEPATHS, self._filename)
        return fill


@export('contrib.lookup.TextFileIdTableInitializer')
@with_args_of(TextFileInitializer)
class TextFileIdTableInitializer(TextFileInitializer):
    """Fills a table from strings to numbers, by default from lines to their numbers.

    Args:
      key_column_index: int, the column of the keys, or one of TextFileIndex.
      value_column_index: int, the column of the values, or one of TextFileIndex.
    """

    def __init__(self, filename, key_column_index=TextFileIndex.WHOLE_LINE,
                 value_column_index=TextFileIndex.LINE_NUMBER, vocab_size=None, delimiter='\t',
                 name='text_file_id_table_init', key_dtype=dtypes.string):
        super().__init__(filename, key_dtype, key_column_index, dtypes.int64, value_column_index,
                         vocab_size=vocab_size, delimiter=delimiter, name=name)


@export('contrib.lookup.TextFileStringTableInitializer')
@with_args_of(TextFileInitializer)
class TextFileStringTableInitializer(TextFileInitializer):
    """Fills a table from numbers to strings, by default from line numbers to lines.

    Args:
      key_column_index: int, the column of the keys, or one of TextFileIndex.
      value_column_index: int, the column of the values, or one of TextFileIndex.
    """

    def __init__(self, filename, key_column_index=TextFileIndex.LINE_NUMBER,
                 value_column_index=TextFileIndex.WHOLE_LINE, vocab_size=None, delimiter='\t',
                 name='text_file_string_table_init'):
        super().__init__(filename, dtypes.int64, key_column_index, dtypes.string,
                         value_column_index, vocab_size=vocab_size, delimiter=delimiter, name=name)
