"""tf.io.gfile: operations on files and folders."""

import os
import posixpath
import shutil
import stat as stat_module

from ramet.api import export
from ramet.framework import errors
from ramet.lib import glob_match, os_errors, paths


@export('io.gfile.exists')
def exists(path):
    """Returns whether a file or folder exists.

    Args:
      path: str, bytes or os.PathLike.
    """
    return os.path.exists(paths.local(path))


@export('io.gfile.isdir')
def isdir(path):
    """Returns whether a folder exists.

    Args:
      path: str, bytes or os.PathLike.
    """
    return os.path.isdir(paths.local(path))


@export('io.gfile.mkdir')
def mkdir(path):
    """Creates a folder. An existing folder is left as it is.

    Args:
      path: str, bytes or os.PathLike.

    Raises:
      NotFoundError: if the parent folder does not exist.
    """
    path = paths.local(path)
    if path and not os.path.lexists(path):
        with os_errors.about(path):
            os.mkdir(path)


@export('io.gfile.makedirs')
def makedirs(path):
    """Creates a folder and its parents. Existing folders are left as they are.

    Args:
      path: str, bytes or os.PathLike.

    Raises:
      FailedPreconditionError: if one of them exists and is not a folder.
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

    Args:
      path: str, bytes or os.PathLike.

    Raises:
      NotFoundError: if it does not exist.
      FailedPreconditionError: if it is a folder.
    """
    path = paths.local(path)
    with os_errors.about(path):
        os.remove(path)


@export('io.gfile.rmtree')
def rmtree(path):
    """Removes a folder and its contents, or a file.

    Args:
      path: str, bytes or os.PathLike.

    Raises:
      NotFoundError: if it does not exist.
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
    """Returns the names of the files and folders in a folder, in the order of the file system.

    Args:
      path: str, bytes or os.PathLike.

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

    Args:
      src: the source file.
      dst: the new file.
      overwrite: whether an existing file may be replaced.

    Raises:
      NotFoundError: if `src` or the folder of `dst` does not exist.
      AlreadyExistsError: if `dst` exists and `overwrite` is False.
    """
    source, target = paths.local(src), paths.local(dst)
    _refuse_existing(target, overwrite)
    _copy_file(source, target)


@export('io.gfile.rename')
def rename(src, dst, overwrite=False):
    """Renames or moves a file or folder.

    Args:
      src: the current name.
      dst: the new name.
      overwrite: whether an existing file may be replaced.

    Raises:
      NotFoundError: if `src` or the folder of `dst` does not exist.
      AlreadyExistsError: if `dst` exists and `overwrite` is False.
    """
    source, target = paths.local(src), paths.local(dst)
    _refuse_existing(target, overwrite)
    with os_errors.about(source):
        os.rename(source, target)


class FileStatistics:
    """The size of a file in bytes (`length`), its `mtime_nsec`, and whether it `is_directory`."""

    def __init__(self, length, mtime_nsec, is_directory):
        self.length = length
        self.mtime_nsec = mtime_nsec
        self.is_directory = is_directory

    def __repr__(self):
        return (f'FileStatistics(length={self.length}, mtime_nsec={self.mtime_nsec}, '
                f'is_directory={self.is_directory})')


@export('io.gfile.stat')
def stat(path):
    """Returns the FileStatistics of a file or folder. The modification time has whole seconds.

    Args:
      path: str, bytes or os.PathLike.

    Raises:
      NotFoundError: if it does not exist.
    """
    path = paths.local(path)
    with os_errors.about(path):
        found = os.stat(path)
    return FileStatistics(found.st_size, int(found.st_mtime) * 10**9,
                          stat_module.S_ISDIR(found.st_mode))


@export('io.gfile.glob')
def glob(pattern):
    """Returns the files and folders whose names match.

    Args:
      pattern: a pattern, or a list of them. `*` matches any characters except '/', `?` matches one
        character, `[a-z]` matches one of a set, and `[!a-z]` or `[^a-z]` one that is not in the set. A
        backslash escapes the next character.

    Returns:
      A list of names as str, in the order of the file system.
    """
    if isinstance(pattern, (str, bytes, os.PathLike)):
        return glob_match.matches(paths.local(pattern))
    return [name for one in pattern for name in glob_match.matches(paths.local(one))]


@export('io.gfile.walk')
def walk(top, topdown=True, onerror=None):
    """Traverses a folder and its subfolders.

    Args:
      top: the folder to start from.
      topdown: whether a folder comes before its subfolders instead of after them.
      onerror: a function that is called with the exception if a folder cannot be listed.

    Yields:
      (folder, names of its subfolders, names of its files).
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
    """Joins parts of a path with '/'. A part that starts with '/' drops the parts before it.

    Args:
      path: the first part.
      *paths: the other parts.
    """
    return posixpath.join(path, *paths)


@export('io.gfile.get_registered_schemes')
def get_registered_schemes():
    """Returns the URL schemes that file names may have."""
    return ['file', '']
