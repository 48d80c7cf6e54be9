"""tf.data.experimental.CsvDataset and make_csv_dataset: records of files of comma-separated values."""

import collections

from ramet import gen
from ramet.api import export
from ramet.data import arguments, csv_columns, reading, structure
from ramet.data.arguments import boolean, int64, string
from ramet.data.dataset import Dataset
from ramet.data.experimental import ignore_errors as without_errors
from ramet.framework import constant_op, dtypes, ops, tensor_util, type_spec

_BUFFER_BYTES = 4 << 20
_TYPES = (dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string)


def _as_default(value):
    """Returns the default value of a column; a dtype becomes an empty vector, for a required column."""
    if not tensor_util.is_tensor(value) and value in _TYPES:
        return constant_op.constant([], dtype=value)
    return value


def _optional(value, name, default, dtype):
    return ops.convert_to_tensor(default if value is None else value, dtype=dtype, name=name)


@export('data.experimental.CsvDataset', 'contrib.data.CsvDataset')
class CsvDataset(Dataset):
    """A dataset of the records of CSV files (RFC 4180), as tuples of scalars."""

    def __init__(self, filenames, record_defaults, compression_type=None, buffer_size=None, header=False,
                 field_delim=',', use_quote_delim=True, na_value='', select_cols=None):
        """Creates the dataset.

        Args:
          filenames: a string, a list of strings or a string Tensor.
          record_defaults: for each column, a default value, or a dtype if the column is required: float32, float64,
            int32, int64 or string.
          compression_type: "", "ZLIB" or "GZIP".
          buffer_size: how many bytes to read at a time; None means 4 MiB.
          header: whether the first record of each file has the names of the columns.
          field_delim: the character between fields.
          use_quote_delim: False treats double quotes as other characters.
          na_value: a text that stands for a missing value, as an empty field does.
          select_cols: the increasing numbers of the columns to read, or None for all.
        """
        filenames = ops.convert_to_tensor(filenames, dtype=dtypes.string, name='filenames')
        compression_type = string(compression_type, 'compression_type')
        record_defaults = [_as_default(value) for value in record_defaults]
        defaults = [ops.convert_to_tensor(value, name=f'record_defaults_{i}')
                    for i, value in enumerate(record_defaults)]
        inputs = {
            'buffer_size': int64(_BUFFER_BYTES if buffer_size is None else buffer_size, 'buffer_size'),
            'header': boolean(header, 'header'), 'field_delim': string(field_delim, 'field_delim'),
            'use_quote_delim': boolean(use_quote_delim, 'use_quote_delim'), 'na_value': string(na_value, 'na_value'),
            'select_cols': _optional(select_cols, 'select_cols', [], dtypes.int64),
            'exclude_cols': _optional(None, 'exclude_cols', [], dtypes.int64)}
        spec = tuple(type_spec.TensorSpec([], value.dtype) for value in defaults)
        super().__init__(gen.CSVDatasetV2(filenames=filenames, compression_type=compression_type,
                                          record_defaults=defaults, output_shapes=structure.flat_shapes(spec),
                                          **inputs), spec)


@export('data.experimental.make_csv_dataset', 'contrib.data.make_csv_dataset')
def make_csv_dataset(file_pattern, batch_size, column_names=None, column_defaults=None, label_name=None,
                     select_columns=None, field_delim=',', use_quote_delim=True, na_value='', header=True,
                     num_epochs=None, shuffle=True, shuffle_buffer_size=10000, shuffle_seed=None,
                     prefetch_buffer_size=None, num_parallel_reads=None, sloppy=False, num_rows_for_inference=100,
                     compression_type=None, ignore_errors=False, encoding='utf-8'):
    """Returns a dataset of batches of the records of CSV files, as dicts from the names of columns to Tensors.

    Args:
      file_pattern: a shell pattern, or a list of them.
      batch_size: how many records a batch has.
      column_names: the names of all columns, or None for those in the first records of the files.
      column_defaults: for each selected column, a default value or a dtype; None finds the dtypes from the first
        records of the files.
      label_name: the name of the column to return apart: elements are then pairs (dict, label). None means none.
      select_columns: the names or numbers of the columns to read, or None for all.
      field_delim: the character between fields.
      use_quote_delim: False treats double quotes as other characters.
      na_value: a text that stands for a missing value, as an empty field does.
      header: whether the first record of each file has the names of the columns.
      num_epochs: how many times to read the files; None means without an end.
      shuffle: whether to shuffle the files and the records.
      shuffle_buffer_size: how many records the iterator holds to shuffle them.
      shuffle_seed: int or None.
      prefetch_buffer_size: how many batches to read ahead; None lets the iterator choose.
      num_parallel_reads: how many files to read at a time; None means 1.
      sloppy: bool; the order is always kept.
      num_rows_for_inference: how many records to find the dtypes from; None means all.
      compression_type: "", "ZLIB" or "GZIP".
      ignore_errors: whether to leave out records that cannot be read.
      encoding: the encoding of the names.

    Returns:
      A Dataset.

    Raises:
      ValueError: if no file matches, a name occurs twice or is not that of a column, or the names or dtypes cannot be
        found.
    """
    filenames = csv_columns.matching_files(file_pattern)
    dataset = Dataset.from_tensor_slices(filenames)
    if shuffle:
        dataset = dataset.shuffle(len(filenames), shuffle_seed)
    files = csv_columns.CsvFiles(filenames, field_delim, use_quote_delim, encoding)
    if column_names is None or column_defaults is None:
        files.set_compression(compression_type)
    if column_names is None:
        if not header:
            raise ValueError('Expected `column_names` or `header` arguments. Neither is provided.')
        column_names = files.column_names()
    csv_columns.check_unique(column_names)
    if select_columns is not None:
        select_columns = csv_columns.column_numbers(select_columns, column_names)
    if column_defaults is not None:
        column_defaults = [_as_default(value) for value in column_defaults]
    else:
        column_defaults = files.column_defaults(len(column_names), na_value, header, num_rows_for_inference,
                                                select_columns)
    column_names = csv_columns.selected_names(column_names, select_columns, column_defaults, label_name)

    def records(filename):
        dataset = CsvDataset(filename, column_defaults, compression_type=compression_type, header=header,
                             field_delim=field_delim, use_quote_delim=use_quote_delim, na_value=na_value,
                             select_cols=select_columns)
        return dataset.apply(without_errors()) if ignore_errors else dataset

    def as_dict(*columns):
        features = collections.OrderedDict(zip(column_names, columns, strict=True))
        if label_name is None:
            return features
        label = features.pop(label_name)
        return features, label

    dataset = reading.interleaved(dataset, records, 1 if num_parallel_reads is None else num_parallel_reads, sloppy)
    dataset = reading.shuffled_and_repeated(dataset, num_epochs, shuffle, shuffle_buffer_size, shuffle_seed)
    dataset = dataset.batch(batch_size, drop_remainder=num_epochs is None)
    dataset = reading.renamed(dataset, as_dict)
    return dataset.prefetch(arguments.AUTOTUNE if prefetch_buffer_size is None else prefetch_buffer_size)
