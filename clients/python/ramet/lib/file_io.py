"""File objects with the behavior of TensorFlow's."""

import os
import stat

from ramet.framework import errors
from ramet.framework.compat import as_bytes
from ramet.lib import io_gfile, os_errors, paths

_MODES = ('r', 'w', 'a', 'r+', 'w+', 'a+')


class FileIO:
    """A file, opened when it is first read or written. Not thread-safe.

    In a mode with 'b', reads return bytes, otherwise str decoded from UTF-8. In both cases, positions and
    lengths are counted in bytes. Reading and writing have separate positions.
    """

    _reader = None
    _writer = None

    def __init__(self, name, mode):
        """Creates the file object without opening the file.

        Args:
          name: str, bytes or os.PathLike; may be a URL `file:///...`.
          mode: 'r', 'w', 'a', 'r+', 'w+' or 'a+', optionally with 'b' for bytes.

        Raises:
          InvalidArgumentError: if the mode is invalid.
        """
        self._name = name
        self._mode = mode
        self._binary = 'b' in mode
        self._kind = mode.replace('b', '')
        if self._kind not in _MODES:
            raise errors.InvalidArgumentError(
                None, None, "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'")

    @property
    def name(self):
        """The name that was passed to the constructor."""
        return self._name

    @property
    def mode(self):
        """The mode that was passed to the constructor."""
        return self._mode

    def _open_reader(self):
        if self._reader is None:
            if self._kind in ('w', 'a'):
                raise errors.PermissionDeniedError(None, None, "File isn't open for reading")
            path = paths.local(self._name)
            with os_errors.about(path):
                self._reader = open(path, 'rb')
        return self._reader

    def _open_writer(self):
        if self._writer is None:
            if self._kind == 'r':
                raise errors.PermissionDeniedError(None, None, "File isn't open for writing")
            path = paths.local(self._name)
            with os_errors.about(path):
                self._writer = open(path, 'ab' if 'a' in self._kind else 'wb')
        return self._writer

    def _do(self, operation, *args):
        try:
            return operation(*args)
        except OSError as error:
            raise os_errors.from_os_error(error, paths.local(self._name)) from None

    def _prepare(self, value):
        return value if self._binary else value.decode('utf-8')

    def size(self):
        """Returns the number of bytes in the file, without those that were written but not flushed."""
        path = paths.local(self._name)
        with os_errors.about(path):
            return os.stat(path).st_size

    def write(self, file_content):
        """Writes bytes, or str as UTF-8, at the current position."""
        self._do(self._open_writer().write, as_bytes(file_content))

    def read(self, n=-1):
        """Reads up to `n` bytes, or the rest of the file if `n` is -1."""
        reader = self._open_reader()
        if n is not None and n < -1:
            raise errors.InvalidArgumentError(
                None, None, f"Can't read a negative number of bytes: {n}")
        return self._prepare(self._do(reader.read, n))

    def seek(self, offset=None, whence=0, position=None):
        """Sets the position of the next read.

        Args:
          offset: a number of bytes.
          whence: the origin of `offset`: 0 for the start of the file, 1 for the position, 2 for the end.
          position: a deprecated name of `offset`.

        Raises:
          InvalidArgumentError: if `whence` is invalid, or the new position is negative.
          OutOfRangeError: if the new position is beyond the end of the file.
        """
        reader = self._open_reader()
        if offset is None and position is None:
            raise TypeError('seek(): offset argument required')
        if offset is not None and position is not None:
            raise TypeError('seek(): offset and position may not be set simultaneously.')
        target = position if offset is None else offset
        if whence not in (0, 1, 2):
            raise errors.InvalidArgumentError(
                None, None,
                f'Invalid whence argument: {whence}. Valid values are 0, 1, or 2.')
        target += (0, reader.tell(), self.size() if whence == 2 else 0)[whence]
        if target < 0:
            raise errors.InvalidArgumentError(
                None, None, f'Seeking to a negative position: {target}')
        status = os.fstat(reader.fileno())
        if stat.S_ISREG(status.st_mode) and target > status.st_size:
            raise errors.OutOfRangeError(None, None, 'reached end of file')
        reader.seek(target)

    def seekable(self):
        """Returns True: every file can be read from any position."""
        return True

    def tell(self):
        """Returns the position of the next read, or of the next write in a mode without reading."""
        opened = self._open_writer() if self._kind in ('w', 'a') else self._open_reader()
        return opened.tell()

    def readline(self):
        """Reads the next line with its newline, without carriage returns. Empty at the end."""
        line = self._do(self._open_reader().readline)
        return self._prepare(line.replace(b'\r', b''))

    def readlines(self):
        """Returns the remaining lines as a list."""
        return list(self)

    def __iter__(self):
        self._open_reader()
        return self

    def __next__(self):
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def flush(self):
        """Passes all written data to the operating system."""
        if self._writer is not None:
            self._do(self._writer.flush)

    def close(self):
        """Closes the file. Using it again reopens it."""
        reader, self._reader = self._reader, None
        writer, self._writer = self._writer, None
        if reader is not None:
            reader.close()
        if writer is not None:
            self._do(writer.close)

    def __del__(self):
        self.close()

    def __enter__(self):
        return self

    def __exit__(self, *unused_exception):
        self.close()


def read_file_to_string(filename, binary_mode=False):
    """Returns the contents of a file as str, or as bytes in binary mode."""
    with FileIO(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Writes a file with the contents `file_content`, bytes or str."""
    with FileIO(filename, 'w') as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Writes a file atomically: readers see either the old file or all of `contents`.

    Raises:
      AlreadyExistsError: if the file exists and `overwrite` is False.
    """
    path = paths.local(filename)
    part = f'{path}.tmp{os.urandom(8).hex()}'
    write_string_to_file(part, contents)
    try:
        io_gfile.rename(part, path, overwrite)
    except errors.OpError:
        os.remove(part)
        raise
