"""Readers, which produce the records of files whose names they take from a queue."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.lib.tf_record import TFRecordOptions


@export('ReaderBase')
class ReaderBase:
    """The methods of all readers.

    Args:
      reader_ref: a tensor, the handle of the reader.
      supports_serialize: whether its state can be saved.
    """

    def __init__(self, reader_ref, supports_serialize=False):
        if ops.executing_eagerly():
            raise RuntimeError('Readers are not supported when eager execution is enabled. Instead, please use '
                               'tf.data to get data into your model.')
        self._reader_ref = reader_ref
        self._supports_serialize = supports_serialize

    @property
    def reader_ref(self):
        """The handle of the reader, a tensor."""
        return self._reader_ref

    @property
    def supports_serialize(self):
        """True if the state of the reader can be saved."""
        return self._supports_serialize

    def read(self, queue, name=None):
        """Returns the next record; takes a name from the queue when it needs one, and waits for it.

        Args:
          queue: a queue of strings, or its handle.
          name: the name of the operation.

        Returns:
          A pair of string scalars, the key and the value of the record.
        """
        return gen.ReaderReadV2(self._reader_ref, getattr(queue, 'queue_ref', queue), name=name)

    def read_up_to(self, queue, num_records, name=None):
        """Returns up to num_records records of one file, at least one.

        Args:
          queue: a queue of strings, or its handle.
          num_records: int or an int64 scalar.
          name: the name of the operation.

        Returns:
          A pair of string vectors, the keys and the values.
        """
        return gen.ReaderReadUpToV2(self._reader_ref, getattr(queue, 'queue_ref', queue),
                                    num_records, name=name)

    def num_records_produced(self, name=None):
        """Returns the number of records produced so far, an int64 scalar.

        Args:
          name: the name of the operation.
        """
        return gen.ReaderNumRecordsProducedV2(self._reader_ref, name=name)

    def num_work_units_completed(self, name=None):
        """Returns the number of files that have been read to the end, an int64 scalar.

        Args:
          name: the name of the operation.
        """
        return gen.ReaderNumWorkUnitsCompletedV2(self._reader_ref, name=name)

    def serialize_state(self, name=None):
        """Returns the state of the reader, a string scalar. Only IdentityReader supports it.

        Args:
          name: the name of the operation.
        """
        return gen.ReaderSerializeStateV2(self._reader_ref, name=name)

    def restore_state(self, state, name=None):
        """Returns an operation that sets the state of the reader. Only IdentityReader supports it.

        Args:
          state: a string scalar, the result of serialize_state.
          name: the name of the operation.
        """
        return gen.ReaderRestoreStateV2(self._reader_ref, state, name=name)

    def reset(self, name=None):
        """Returns an operation that sets the reader back to its state before the first record.

        Args:
          name: the name of the operation.
        """
        return gen.ReaderResetV2(self._reader_ref, name=name)


@export('WholeFileReader')
class WholeFileReader(ReaderBase):
    """A reader whose records are whole files; the key is the name of the file.

    Args:
      name: the name of the operation.
    """

    def __init__(self, name=None):
        super().__init__(gen.WholeFileReaderV2(name=name), supports_serialize=True)


@export('TextLineReader')
@with_args_of(WholeFileReader)
class TextLineReader(ReaderBase):
    """A reader of the lines of text files, without the newlines. Keys are 'FILE:LINE'.

    Args:
      skip_header_lines: int, how many lines to skip at the beginning of each file.
    """

    def __init__(self, skip_header_lines=None, name=None):
        super().__init__(gen.TextLineReaderV2(skip_header_lines=skip_header_lines or 0, name=name))


@export('FixedLengthRecordReader')
@with_args_of(WholeFileReader)
class FixedLengthRecordReader(ReaderBase):
    """A reader of files with records of one size. Keys are 'FILE:RECORD'.

    Args:
      record_bytes: int, the size of a record.
      header_bytes: int, the size of the file's header.
      footer_bytes: int, the size of its footer.
      hop_bytes: int, the distance between the beginnings of two records, or 0 for record_bytes.
      encoding: '', 'ZLIB' or 'GZIP', the compression of the files.
    """

    def __init__(self, record_bytes, header_bytes=None, footer_bytes=None, hop_bytes=None,
                 name=None, encoding=None):
        super().__init__(gen.FixedLengthRecordReaderV2(
            record_bytes=record_bytes, header_bytes=header_bytes or 0,
            footer_bytes=footer_bytes or 0, hop_bytes=hop_bytes or 0, encoding=encoding or '',
            name=name))


@export('TFRecordReader')
@with_args_of(WholeFileReader)
class TFRecordReader(ReaderBase):
    """A reader of TFRecord files. Keys are 'FILE:OFFSET'.

    Args:
      options: a TFRecordOptions with the compression of the files, or None for no compression.
    """

    def __init__(self, name=None, options=None):
        super().__init__(gen.TFRecordReaderV2(
            compression_type=TFRecordOptions.get_compression_type_string(options), name=name))


@export('IdentityReader')
@with_args_of(WholeFileReader)
class IdentityReader(ReaderBase):
    """A reader whose records are the strings of the queue, as keys and as values."""

    def __init__(self, name=None):
        super().__init__(gen.IdentityReaderV2(name=name), supports_serialize=True)
