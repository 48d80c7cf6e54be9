"""Files that are read and written as TensorFlow's file objects are."""

import os
import stat

from ramet.framework import errors
from ramet.lib import os_errors, paths
from ramet.lib.compat import as_bytes

_MODES = ('r', 'w', 'a', 'r+', 'w+', 'a+')


class FileIO:
    """A file, opened when it is first read or written. Not for use by several threads at once.

    In a mode with 'b' what is read is bytes, else str decoded from UTF-8; positions and lengths are
    counted in bytes in both. Reading and writing have positions of their own.
    """

    _reader = None
    _writer = None

    def __init__(self, name, mode):
        """Makes the file object; the file itself is not touched yet.

        Args:
          name: str, bytes or os.PathLike; `file:///...` too.
          mode: 'r', 'w', 'a', 'r+', 'w+' or 'a+', and 'b' for bytes.

        Raises:
          InvalidArgumentError: if the mode is none of these.
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
        """The name that the file object was made with."""
        return self._name

    @property
    def mode(self):
        """The mode that the file object was made with."""
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
        """The number of bytes in the file; what was written and not flushed is not in it yet."""
        path = paths.local(self._name)
        with os_errors.about(path):
            return os.stat(path).st_size

    def write(self, file_content):
        """Appends bytes, or str as UTF-8, to what was written before."""
        self._do(self._open_writer().write, as_bytes(file_content))

    def read(self, n=-1):
        """Reads `n` bytes, or as many as there are; all the rest of the file if `n` is -1."""
        reader = self._open_reader()
        if n is not None and n < -1:
            raise errors.InvalidArgumentError(
                None, None, f"Can't read a negative number of bytes: {n}")
        return self._prepare(self._do(reader.read, n))

    def seek(self, offset=None, whence=0, position=None):
        """Moves to where the next read begins.

        Args:
          offset: a number of bytes.
          whence: what it is counted from: 0 the start of the file, 1 the position, 2 the end.
          position: the old name of `offset`.

        Raises:
          InvalidArgumentError: if `whence` is another number, or the new position is negative.
          OutOfRangeError: if it lies beyond the end of the file.
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
        """True: every file can be read from any position."""
        return True

    def tell(self):
        """The position of the next read; of the next write where the mode does not read."""
        opened = self._open_writer() if self._kind in ('w', 'a') else self._open_reader()
        return opened.tell()

    def readline(self):
        """Reads the next line with its newline, without carriage returns; empty at the end."""
        line = self._do(self._open_reader().readline)
        return self._prepare(line.replace(b'\r', b''))

    def readlines(self):
        """A list of the lines from here to the end."""
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
        """Hands what was written to the operating system."""
        if self._writer is not None:
            self._do(self._writer.flush)

    def close(self):
        """Closes the file. If it is used again, it is opened again, as at first."""
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
    """The content of a file: str, or bytes in binary mode."""
    with FileIO(filename, 'rb' if binary_mode else 'r') as file:
        return file.read()


def write_string_to_file(filename, file_content):
    """Writes a file that holds `file_content`, bytes or str, and nothing else."""
    with FileIO(filename, 'w') as file:
        file.write(file_content)


def atomic_write_string_to_file(filename, contents, overwrite=True):
    """Writes a file so that others see what was there before or all of `contents`.

    Raises:
      AlreadyExistsError: if the file is there and `overwrite` is False.
    """
    from ramet.lib import io_gfile
    path = paths.local(filename)
    part = f'{path}.tmp{os.urandom(8).hex()}'
    write_string_to_file(part, contents)
    try:
        io_gfile.rename(part, path, overwrite)
    except errors.OpError:
        os.remove(part)
        raise
