"""TFRecord files: sequences of records with lengths and checksums, optionally compressed."""

import struct
import zlib

from ramet.api import export
from ramet.framework import errors
from ramet.lib import crc32c, os_errors, paths

_BLOCK = 1 << 18
_WINDOW_BITS = {'ZLIB': zlib.MAX_WBITS, 'GZIP': zlib.MAX_WBITS + 16}


@export('io.TFRecordCompressionType', 'python_io.TFRecordCompressionType')
class TFRecordCompressionType:
    """The compression types of record files."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


@export('io.TFRecordOptions', 'python_io.TFRecordOptions')
class TFRecordOptions:
    """How to write a record file. For reading, only the compression is needed."""

    compression_type_map = {
        TFRecordCompressionType.ZLIB: 'ZLIB',
        TFRecordCompressionType.GZIP: 'GZIP',
        TFRecordCompressionType.NONE: '',
    }

    def __init__(self, compression_type=None, flush_mode=None, input_buffer_size=None,
                 output_buffer_size=None, window_bits=None, compression_level=None,
                 compression_method=None, mem_level=None, compression_strategy=None):
        """Creates the options. Options that are None have zlib's defaults.

        Args:
          compression_type: 'GZIP', 'ZLIB', '' or a value of TFRecordCompressionType.
          flush_mode: the zlib mode for TFRecordWriter.flush, one of zlib's Z_*_FLUSH.
          input_buffer_size: int; does not affect the contents of the file.
          output_buffer_size: int; does not affect the contents of the file.
          window_bits: int, zlib's window size: 9 to 15, plus 16 for the gzip format.
          compression_level: 0 to 9.
          compression_method: zlib's compression method.
          mem_level: 1 to 9.
          compression_strategy: zlib's strategy.

        Raises:
          ValueError: if the compression type is unknown.
        """
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type
        self.flush_mode = flush_mode
        self.input_buffer_size = input_buffer_size
        self.output_buffer_size = output_buffer_size
        self.window_bits = window_bits
        self.compression_level = compression_level
        self.compression_method = compression_method
        self.mem_level = mem_level
        self.compression_strategy = compression_strategy

    @classmethod
    def get_compression_type_string(cls, options):
        """Returns 'GZIP', 'ZLIB' or '' for TFRecordOptions, a compression type, a string or None.

        Args:
          options: TFRecordOptions, a value of TFRecordCompressionType, its name as str, or None.

        Raises:
          ValueError: if the compression type is unknown.
        """
        if not options:
            return ''
        if isinstance(options, TFRecordOptions):
            return cls.get_compression_type_string(options.compression_type)
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f'Not a valid compression_type: "{options}"')


def _first(*values):
    return next(value for value in values if value is not None)


def _compressor(options, compression):
    try:
        return zlib.compressobj(
            _first(options.compression_level, zlib.Z_DEFAULT_COMPRESSION),
            _first(options.compression_method, zlib.DEFLATED),
            _first(options.window_bits, _WINDOW_BITS[compression]),
            _first(options.mem_level, 9),
            _first(options.compression_strategy, zlib.Z_DEFAULT_STRATEGY))
    except ValueError as error:
        raise errors.InvalidArgumentError(
            None, None, f'zlib rejects these TFRecordOptions: {error}') from None


@export('io.TFRecordWriter', 'python_io.TFRecordWriter')
class TFRecordWriter:
    """Writes a record file; use it in a `with` statement."""

    _file = None

    def __init__(self, path, options=None):
        """Creates an empty file.

        Args:
          path: str, bytes or os.PathLike.
          options: TFRecordOptions, a value of TFRecordCompressionType, or its name as str.

        Raises:
          ValueError: if the compression type is unknown.
          NotFoundError: if the parent folder does not exist.
        """
        compression = TFRecordOptions.get_compression_type_string(options)
        if not isinstance(options, TFRecordOptions):
            options = TFRecordOptions(compression)
        self._compressor = _compressor(options, compression) if compression else None
        self._flush_mode = options.flush_mode or zlib.Z_PARTIAL_FLUSH
        self._path = paths.local(path)
        with os_errors.about(self._path):
            self._file = open(self._path, 'wb')

    def _write(self, data):
        if self._compressor is not None:
            data = self._compressor.compress(data)
        with os_errors.about(self._path):
            self._file.write(data)

    def _check_open(self):
        if self._file is None:
            raise errors.FailedPreconditionError(None, None, 'Writer is closed.')

    def write(self, record):
        """Appends a record.

        Args:
          record: bytes, or str, which is encoded as UTF-8.

        Raises:
          FailedPreconditionError: if the writer is closed.
        """
        self._check_open()
        if isinstance(record, str):
            record = record.encode('utf-8')
        if not isinstance(record, (bytes, bytearray)):
            raise TypeError(f'write(): a record is bytes or str, got {record!r}')
        length = struct.pack('<Q', len(record))
        self._write(b''.join((length, struct.pack('<I', crc32c.masked(length)), record,
                              struct.pack('<I', crc32c.masked(record)))))

    def flush(self):
        """Passes the records to the operating system.

        Raises:
          FailedPreconditionError: if the writer is closed.
        """
        self._check_open()
        with os_errors.about(self._path):
            if self._compressor is not None:
                self._file.write(self._compressor.flush(self._flush_mode))
            self._file.flush()

    def close(self):
        """Writes the remaining data and closes the file."""
        file, self._file = self._file, None
        if file is not None:
            with os_errors.about(self._path), file:
                if self._compressor is not None:
                    file.write(self._compressor.flush())

    def __enter__(self):
        return self

    def __exit__(self, *unused_exception):
        self.close()

    def __del__(self):
        self.close()


class _Plain:
    """The bytes of a file. A read never allocates more memory than the file has bytes."""

    short = 'Read less bytes than requested'

    def __init__(self, file):
        self._file = file

    def read(self, n):
        pieces = []
        while n > 0:
            piece = self._some(min(n, _BLOCK))
            if not piece:
                break
            pieces.append(piece)
            n -= len(piece)
        return pieces[0] if len(pieces) == 1 else b''.join(pieces)

    def _some(self, most):
        return self._file.read(most)


class _Inflated(_Plain):
    """The uncompressed bytes of a compressed file."""

    short = 'EOF reached'

    def __init__(self, file, window_bits):
        super().__init__(file)
        self._window_bits = window_bits
        self._inflate = zlib.decompressobj(window_bits)
        self._pending = b''

    def _some(self, most):
        while True:
            data = self._pending or self._file.read(_BLOCK)
            if self._inflate.eof and data:
                self._inflate = zlib.decompressobj(self._window_bits)
            piece = self._decompress(data, most)
            self._pending = self._inflate.unconsumed_tail or self._inflate.unused_data
            if piece or not data:
                return piece

    def _decompress(self, data, most):
        try:
            return self._inflate.decompress(data, most)
        except zlib.error as error:
            number, _, reason = str(error).partition(' while decompressing data')
            raise errors.DataLossError(
                None, None, f'inflate() failed with {number.lower()}{reason}') from None


class RecordIterator:
    """Iterates over the records of a file, as bytes."""

    _file = None

    def __init__(self, path, compression):
        self._path = paths.local(path)
        with os_errors.about(self._path):
            self._file = open(self._path, 'rb')
        self._source = (_Inflated(self._file, _WINDOW_BITS[compression]) if compression
                        else _Plain(self._file))
        self._offset = 0

    def __iter__(self):
        return self

    def __next__(self):
        header = self._read(12)
        if len(header) < 12:
            self._file.close()
            raise StopIteration
        length, checksum = struct.unpack('<QI', header)
        if checksum != crc32c.masked(header[:8]):
            hint = '' if self._offset else ' (Is this even a TFRecord file?)'
            self._refuse(f'corrupted record at {self._offset}{hint}')
        data = self._read(length + 4)
        if len(data) < length + 4:
            self._refuse(f"truncated record at {self._offset}' failed with {self._source.short}")
        record = data[:length]
        if struct.unpack_from('<I', data, length)[0] != crc32c.masked(record):
            self._refuse(f'corrupted record at {self._offset + 12}')
        self._offset += length + 16
        return record

    def _read(self, n):
        if self._file.closed:
            return b''
        try:
            return self._source.read(n)
        except OSError as error:
            raise os_errors.from_os_error(error, self._path) from None

    def __del__(self):
        if self._file is not None:
            self._file.close()

    def _refuse(self, message):
        raise errors.DataLossError(None, None, message)


@export('io.tf_record_iterator', 'python_io.tf_record_iterator')
def tf_record_iterator(path, options=None):
    """Iterates over the records of a file.

    Args:
      path: str, bytes or os.PathLike.
      options: TFRecordOptions, a value of TFRecordCompressionType, or its name as str.

    Returns:
      An iterator of bytes.

    Raises:
      ValueError: if the compression type is unknown.
      NotFoundError: if the file does not exist.
      DataLossError: raised by the iterator if the file is truncated or a checksum is wrong.
    """
    return RecordIterator(path, TFRecordOptions.get_compression_type_string(options))
