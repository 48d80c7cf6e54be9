"""Datasets of the records and lines of files."""

from ramet import gen
from ramet.api import export
from ramet.data import structure
from ramet.data.arguments import AUTOTUNE, int64, string
from ramet.data.dataset import Dataset, dataset_function, slices
from ramet.framework import dtypes, type_spec
from ramet.lib import paths

_SPEC = type_spec.TensorSpec([], dtypes.string)


def _filenames_dataset(filenames):
    """Returns a dataset of file names, from names or from a dataset of them.

    Raises:
      TypeError: if they are not strings.
      ValueError: if a dataset of them does not have scalars.
    """
    if isinstance(filenames, Dataset):
        if filenames.output_types != dtypes.string:
            raise TypeError('The `filenames` argument must contain `tf.string` elements. Got a dataset '
                            f'of {filenames.output_types!r} elements.')
        if not filenames.output_shapes.is_compatible_with([]):
            raise ValueError('The `filenames` argument must contain `tf.string` elements of shape [] '
                             f'(i.e. scalars). Got a dataset of element shape '
                             f'{filenames.output_shapes!r}.')
        return filenames
    if isinstance(filenames, (list, tuple)):
        filenames = [paths.to_str(name) for name in filenames]
    elif not hasattr(filenames, 'op'):
        filenames = paths.to_str(filenames)
    flat = gen.Reshape(string(filenames, None), [-1], name='flat_filenames')
    return slices(flat, is_files=True)


def _reader(filenames, num_parallel_reads, make_variant):
    """Returns the variant of a dataset of the records of files, which make_variant(filename) reads."""
    def read_one_file(filename):
        return Dataset(make_variant(filename), _SPEC)

    files = _filenames_dataset(filenames)
    f = dataset_function(
        read_one_file, 'Dataset.flat_map()' if num_parallel_reads is None else
        'Dataset.interleave()', files.element_spec)
    shared = {'input_dataset': files._variant_tensor, 'f': f.name,
              'other_arguments': f.captured_inputs, **structure.attrs(_SPEC)}
    if num_parallel_reads is None:
        return gen.FlatMapDataset(**shared)
    if num_parallel_reads == AUTOTUNE:
        return gen.ParallelInterleaveDatasetV4(
            cycle_length=int64(AUTOTUNE, 'cycle_length'), block_length=int64(1, 'block_length'),
            buffer_output_elements=int64(AUTOTUNE, 'buffer_output_elements'),
            prefetch_input_elements=int64(AUTOTUNE, 'prefetch_input_elements'),
            num_parallel_calls=int64(AUTOTUNE, 'num_parallel_calls'), **shared)
    return gen.LegacyParallelInterleaveDatasetV2(
        cycle_length=int64(num_parallel_reads, 'cycle_length'),
        block_length=int64(1, 'block_length'),
        buffer_output_elements=int64(2, 'buffer_output_elements'),
        prefetch_input_elements=int64(2 * num_parallel_reads, 'prefetch_input_elements'),
        deterministic='true', **shared)


def _opener(op, compression_type, buffer_size):
    """Returns a function from a filename to the variant of an op that reads the file."""
    buffer_size = 256 << 10 if buffer_size is None else buffer_size

    def make_variant(filename):
        # The arguments become nodes of the function that reads a file.
        return op(filename, compression_type=string(compression_type, 'compression_type'),
                  buffer_size=int64(buffer_size, 'buffer_size'))

    return make_variant


@export('data.TFRecordDataset')
class TFRecordDataset(Dataset):
    """A dataset of the records of TFRecord files, as strings."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        """Creates the dataset.

        Args:
          filenames: a string, a list of strings, a string Tensor or a Dataset of strings.
          compression_type: "", "ZLIB" or "GZIP".
          buffer_size: how many bytes to read at a time.
          num_parallel_reads: how many files to read at a time, whose records then take turns.
          name: ignored.

        Raises:
          TypeError: if the names are not strings.
        """
        super().__init__(_reader(
            filenames, num_parallel_reads, _opener(gen.TFRecordDataset, compression_type, buffer_size)), _SPEC)


@export('data.TextLineDataset')
class TextLineDataset(Dataset):
    """A dataset of the lines of text files, as strings without their ends."""

    def __init__(self, filenames, compression_type=None, buffer_size=None, num_parallel_reads=None,
                 name=None):
        """Creates the dataset.

        Args:
          filenames: a string, a list of strings, a string Tensor or a Dataset of strings.
          compression_type: "", "ZLIB" or "GZIP".
          buffer_size: how many bytes to read at a time.
          num_parallel_reads: how many files to read at a time, whose lines then take turns.
          name: ignored.

        Raises:
          TypeError: if the names are not strings.
        """
        super().__init__(_reader(
            filenames, num_parallel_reads, _opener(gen.TextLineDataset, compression_type, buffer_size)), _SPEC)


@export('data.FixedLengthRecordDataset')
class FixedLengthRecordDataset(Dataset):
    """A dataset of the records of files in which all records have the same length, as strings."""

    def __init__(self, filenames, record_bytes, header_bytes=None, footer_bytes=None,
                 buffer_size=None, compression_type=None, num_parallel_reads=None, name=None):
        """Creates the dataset.

        Args:
          filenames: a string, a list of strings, a string Tensor or a Dataset of strings.
          record_bytes: the length of a record.
          header_bytes: how many bytes to skip at the start of each file.
          footer_bytes: how many bytes to ignore at the end of each file.
          buffer_size: how many bytes to read at a time.
          compression_type: "", "ZLIB" or "GZIP".
          num_parallel_reads: how many files to read at a time, whose records then take turns.
          name: ignored.

        Raises:
          TypeError: if the names are not strings.
        """
        def variant_of(filename):
            return gen.FixedLengthRecordDatasetV2(
                filename, header_bytes=int64(header_bytes or 0, 'header_bytes'),
                record_bytes=int64(record_bytes, 'record_bytes'),
                footer_bytes=int64(footer_bytes or 0, 'footer_bytes'),
                buffer_size=int64(256 << 10 if buffer_size is None else buffer_size, 'buffer_size'),
                compression_type=string(compression_type, 'compression_type'))

        super().__init__(_reader(filenames, num_parallel_reads, variant_of), _SPEC)
