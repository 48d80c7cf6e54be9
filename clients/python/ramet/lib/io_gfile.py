"""tf.io.gfile: what can be done with files and folders by name."""

import os
import posixpath
import shutil
import stat as stat_module

from ramet.api import export
from ramet.framework import errors
from ramet.lib import glob_match, os_errors, paths


@export('io.gfile.exists')
def exists(path):
    """Whether there is a file or folder of this name."""
    return os.path.exists(paths.local(path))


@export('io.gfile.isdir')
def isdir(path):
    """Whether there is a folder of this name."""
    return os.path.isdir(paths.local(path))


@export('io.gfile.mkdir')
def mkdir(path):
    """Makes a folder; one that is there already is left as it is.

    Raises:
      NotFoundError: if the folder it is to be in is not there.
    """
    path = paths.local(path)
    if path and not os.path.lexists(path):
        with os_errors.about(path):
            os.mkdir(path)


@export('io.gfile.makedirs')
def makedirs(path):
    """Makes a folder and those it is to be in; what is there already is left as it is.

    Raises:
      FailedPreconditionError: if one of them is there and is no folder.
    """
    path = paths.local(path)
    part = path.rstrip('/')
    while part and not os.path.lexists(part):
        part = os.path.dirname(part)
    if part and not os.path.isdir(part):
        raise errors.FailedPreconditionError(None, None, f'{part} is not a directory')
    if path:
        with os_errors.about(path):
            os.makedirs(path, exist_ok=True)


@export('io.gfile.remove')
def remove(path):
    """Removes a file.

    Raises:
      NotFoundError: if it is not there.
      FailedPreconditionError: if it is a folder.
    """
    path = paths.local(path)
    with os_errors.about(path):
        os.remove(path)


@export('io.gfile.rmtree')
def rmtree(path):
    """Removes a folder with all that is in it, or a file.

    Raises:
      NotFoundError: if it is not there.
    """
    path = paths.local(path)
    if not os.path.lexists(path):
        raise errors.NotFoundError(None, None, f'{path} not found')
    with os_errors.about(path):
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.remove(path)


@export('io.gfile.listdir')
def listdir(path):
    """The names of the files and folders in a folder, in the order of the file system.

    Raises:
      NotFoundError: if there is no such folder.
    """
    name = paths.local(path)
    if not os.path.isdir(name):
        raise errors.NotFoundError(None, None, f'Could not find directory {paths.to_str(path)}')
    with os_errors.about(name):
        return os.listdir(name)


def _copy_file(source, target):
    if os.path.isdir(source):
        raise errors.InvalidArgumentError(None, None, f'{source}; Is a directory')
    with os_errors.about(source):
        reader = open(source, 'rb')
    with reader, os_errors.about(target):
        if os.path.exists(target) and os.path.samefile(source, target):
            return
        mode = stat_module.S_IMODE(os.fstat(reader.fileno()).st_mode)
        with open(target, 'wb', opener=lambda path, flags: os.open(path, flags, mode)) as writer:
            shutil.copyfileobj(reader, writer, 1 << 20)


def _refuse_existing(path, overwrite):
    if not overwrite and os.path.exists(path):
        raise errors.AlreadyExistsError(None, None, 'file already exists')


@export('io.gfile.copy')
def copy(src, dst, overwrite=False):
    """Copies a file.

    Raises:
      NotFoundError: if `src`, or the folder of `dst`, is not there.
      AlreadyExistsError: if `dst` is there and `overwrite` is False.
    """
    source, target = paths.local(src), paths.local(dst)
    _refuse_existing(target, overwrite)
    _copy_file(source, target)


@export('io.gfile.rename')
def rename(src, dst, overwrite=False):
    """Renames or moves a file or folder.

    Raises:
      NotFoundError: if `src`, or the folder of `dst`, is not there.
      AlreadyExistsError: if `dst` is there and `overwrite` is False.
    """
    source, target = paths.local(src), paths.local(dst)
    _refuse_existing(target, overwrite)
    with os_errors.about(source):
        os.rename(source, target)


class FileStatistics:
    """What is known of a file: `length` in bytes, `mtime_nsec`, and whether it `is_directory`."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory

    def __repr__(self):
        return (f'FileStatistics(length={self.length}, mtime_nsec={self.mtime_nsec}, '
                f'is_directory={self.is_directory})')


@export('io.gfile.stat')
def stat(path):
    """The FileStatistics of a file or folder; its time of change is one of whole seconds.

    Raises:
      NotFoundError: if it is not there.
    """
    path = paths.local(path)
    with os_errors.about(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, int(found.st_mtime) * 10**9,
                          stat_module.S_ISDIR(found.st_mode))


@export('io.gfile.glob')
def glob(pattern):
    """The files and folders whose names match.

    Args:
      pattern: a pattern, or a list of them. `*` stands for any characters but '/', `?` for one,
        `[a-z]` for one of a set, `[!a-z]` or `[^a-z]` for one not of it; a backslash takes the
        meaning from the character after it.

    Returns:
      A list of names as str, in the order of the file system.
    """
    if isinstance(pattern, (str, bytes, os.PathLike)):
        return glob_match.matches(paths.local(pattern))
    return [name for one in pattern for name in glob_match.matches(paths.local(one))]


@export('io.gfile.walk')
def walk(top, topdown=True, onerror=None):
    """Goes through a folder and those in it.

    Args:
      top: the folder to begin with.
      topdown: whether a folder comes before or after those that are in it.
      onerror: a function called with the exception if a folder cannot be listed.

    Yields:
      (folder, names of folders in it, names of files in it).
    """
    top = paths.to_str(top)
    try:
        names = listdir(top)
    except errors.NotFoundError as error:
        if onerror is not None:
            onerror(error)
        return
    folders = [name for name in names if isdir(join(top, name))]
    here = (top, folders, [name for name in names if name not in set(folders)])
    if topdown:
        yield here
    for name in folders:
        yield from walk(join(top, name), topdown, onerror)
    if not topdown:
        yield here


@export('io.gfile.join')
def join(path, *paths):
    """Joins parts of a name with '/'; a part that begins with '/' drops those before it."""
    return posixpath.join(path, *paths)


@export('io.gfile.get_registered_schemes')
def get_registered_schemes():
    """The URL schemes that names of files may have."""
    return ['file', '']
