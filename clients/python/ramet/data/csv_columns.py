"""The names and dtypes of the columns of CSV files, which make_csv_dataset finds in the files."""

import csv
import gzip

import numpy as np

from ramet.framework import constant_op, dtypes, tensor_util
from ramet.lib.io_gfile import glob


def matching_files(file_pattern):
    """Returns the sorted paths that match a shell pattern or several.

    Raises:
      ValueError: if `file_pattern` is an empty list, or no file matches.
    """
    if isinstance(file_pattern, list) and not file_pattern:
        raise ValueError('Argument `file_pattern` should not be empty.')
    patterns = file_pattern if isinstance(file_pattern, list) else [file_pattern]
    names = [name for pattern in patterns for name in glob(pattern)]
    if not names:
        raise ValueError(f'No files match `file_pattern` {file_pattern}.')
    return sorted(names)


def _repeated(names):
    ordered = sorted(names)
    return {a for a, b in zip(ordered, ordered[1:]) if a == b}


def check_unique(column_names):
    """Checks that no name occurs twice.

    Raises:
      ValueError: if one does.
    """
    if len(column_names) != len(set(column_names)):
        raise ValueError('Either `column_names` argument or CSV header row contains duplicate column names: '
                         f'{_repeated(column_names)}.')


def column_numbers(select_columns, column_names):
    """Returns the sorted numbers of columns, from names and numbers.

    Raises:
      ValueError: if a column does not exist or is selected twice.
    """
    numbers = {name: i for i, name in enumerate(column_names)}
    found = []
    for column in select_columns:
        if isinstance(column, int):
            if column < 0 or column >= len(column_names):
                raise ValueError(f'Column index {column} specified in `select_columns` should be > 0  and <= '
                                 f'{len(column_names)}, which is the number of columns.')
            found.append(column)
        elif column in numbers:
            found.append(numbers[column])
        else:
            raise ValueError(f'Column {column} specified in `select_columns` must be of one of the columns: '
                             f'{numbers.keys()}.')
    unique = sorted(set(found))
    if len(unique) != len(select_columns):
        raise ValueError(f'The `select_columns` argument contains duplicate columns: {_repeated(unique)}.')
    return unique


def selected_names(column_names, select_columns, column_defaults, label_name):
    """Returns the names of the selected columns.

    Raises:
      ValueError: if there is another number of defaults, or no column with the name of the label.
    """
    if select_columns is not None:
        if len(column_defaults) != len(select_columns):
            raise ValueError('If specified, `column_defaults` and `select_columns` must have the same length: '
                             f'`column_defaults` has length {len(column_defaults)}, `select_columns` has length '
                             f'{len(select_columns)}.')
        if len(column_names) > len(select_columns):
            column_names = [column_names[i] for i in select_columns]
    if label_name is not None and label_name not in column_names:
        raise ValueError(f'`label_name` provided must be one of the columns: {column_names}. Received: {label_name}.')
    return column_names


def _is_int32(text):
    try:
        return np.int32(text) == np.int64(text)
    except (ValueError, OverflowError):
        return False


def _is_int64(text):
    try:
        np.int64(text)
        return True
    except (ValueError, OverflowError):
        return False


def _is_float(text, kind):
    try:
        with np.errstate(over='ignore'):
            return kind(text) < np.inf
    except ValueError:
        return False


# From the narrowest to the widest.
_TESTS = ((dtypes.int32, _is_int32), (dtypes.int64, _is_int64),
          (dtypes.float32, lambda text: _is_float(text, np.float32)),
          (dtypes.float64, lambda text: _is_float(text, np.float64)), (dtypes.string, lambda text: True))


def _wider(text, missing, dtype):
    """Returns the narrowest dtype for a field and for those before it, whose dtype is `dtype`."""
    if text in ('', missing):
        return dtype
    narrower = []
    for candidate, fits in _TESTS:
        narrower.append(candidate)
        if fits(text) and (dtype is None or dtype in narrower):
            return candidate
    return None


class CsvFiles:
    """The text of CSV files, read with Python's reader."""

    def __init__(self, filenames, field_delim, use_quote_delim, encoding):
        self._filenames = filenames
        self._options = {'delimiter': field_delim,
                         'quoting': csv.QUOTE_MINIMAL if use_quote_delim else csv.QUOTE_NONE}
        self._open = lambda name: open(name, encoding=encoding, newline='\n')
        self._encoding = encoding

    def set_compression(self, compression_type):
        """Sets how the files are compressed.

        Raises:
          ValueError: if their text cannot be read.
        """
        if compression_type is None:
            return
        value = compression_type
        if not isinstance(value, (str, bytes)):
            value = tensor_util.constant_value(value)
        value = value.decode() if isinstance(value, bytes) else value
        if value == 'GZIP':
            self._open = lambda name: gzip.open(name, 'rt', encoding=self._encoding)
        elif value == 'ZLIB':
            raise ValueError(f'`compression_type` {compression_type} is not supported for probing columns.')
        elif value != '':
            raise ValueError(f'Received unknown `compression_type` {compression_type}. Expected: GZIP, ZLIB or '
                             ' (empty string).')

    def _header(self, name):
        with self._open(name) as file:
            try:
                return next(csv.reader(file, **self._options))
            except StopIteration:
                raise ValueError(f'Failed when reading the header line of {name}. Is it an empty file?') from None

    def column_names(self):
        """Returns the names in the first records.

        Raises:
          ValueError: if a file is empty, or the files have different names.
        """
        names = self._header(self._filenames[0])
        for other in self._filenames[1:]:
            if self._header(other) != names:
                raise ValueError('All input CSV files should have the same column names in the header row. File '
                                 f'{other} has different column names.')
        return names

    def _records(self, columns, header):
        for name in self._filenames:
            with self._open(name) as file:
                reader = csv.reader(file, **self._options)
                if header:
                    next(reader)
                for number, record in enumerate(reader, 2 if header else 1):
                    if len(record) != columns:
                        raise ValueError(f'Problem inferring types: CSV row {number} has {len(record)} number of '
                                         f'fields. Expected: {columns}.')
                    yield record

    def column_defaults(self, columns, missing, header, most, selected):
        """Returns the default values of the columns, 0 or "", with the dtypes that fit the first records.

        Args:
          columns: the number of columns.
          missing: a text that stands for a missing value.
          header: whether the first records are names.
          most: how many records to read, None for all.
          selected: the numbers of the selected columns, or None.

        Raises:
          ValueError: if a record has another number of fields.
        """
        selected = range(columns) if selected is None else selected
        found = [None] * len(selected)
        for i, record in enumerate(self._records(columns, header)):
            if most is not None and i >= most:
                break
            found = [_wider(record[column], missing, dtype) for column, dtype in zip(selected, found, strict=True)]
        found = [dtype or dtypes.string for dtype in found]
        return [constant_op.constant(['' if dtype == dtypes.string else 0], dtype=dtype) for dtype in found]
