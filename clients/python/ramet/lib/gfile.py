"""tf.gfile: files and folders, with the names of TensorFlow 1."""

from ramet.api import export
from ramet.lib import io_gfile
from ramet.lib.file_io import FileIO


@export('gfile.GFile', 'gfile.Open', 'io.gfile.GFile')
class GFile(FileIO):
    """A file, opened when it is first read or written; use it in a `with` statement.

    In a mode with 'b', reads return bytes, otherwise str decoded from UTF-8.
    """

    def __init__(self, name, mode='r'):
        """Creates the file object without opening the file.

        Args:
          name: str, bytes or os.PathLike; may be a URL `file:///...`.
          mode: 'r', 'w', 'a', 'r+', 'w+' or 'a+', optionally with 'b' for bytes.

        Raises:
          InvalidArgumentError: if the mode is invalid.
        """
        super().__init__(name, mode)


@export('gfile.FastGFile')
class FastGFile(GFile):
    """A GFile under an older name."""


Open = GFile


@export('gfile.Exists')
def Exists(filename):
    """Returns whether a file or folder exists.

    Args:
      filename: str, bytes or os.PathLike.
    """
    return io_gfile.exists(filename)


@export('gfile.IsDirectory')
def IsDirectory(dirname):
    """Returns whether a folder exists.

    Args:
      dirname: str, bytes or os.PathLike.
    """
    return io_gfile.isdir(dirname)


@export('gfile.MkDir')
def MkDir(dirname):
    """Creates a folder; see tf.io.gfile.mkdir.

    Args:
      dirname: str, bytes or os.PathLike.
    """
    io_gfile.mkdir(dirname)


@export('gfile.MakeDirs')
def MakeDirs(dirname):
    """Creates a folder and its parents; see tf.io.gfile.makedirs.

    Args:
      dirname: str, bytes or os.PathLike.
    """
    io_gfile.makedirs(dirname)


@export('gfile.Remove')
def Remove(filename):
    """Removes a file; see tf.io.gfile.remove.

    Args:
      filename: str, bytes or os.PathLike.
    """
    io_gfile.remove(filename)


@export('gfile.DeleteRecursively')
def DeleteRecursively(dirname):
    """Removes a folder and its contents; see tf.io.gfile.rmtree.

    Args:
      dirname: str, bytes or os.PathLike.
    """
    io_gfile.rmtree(dirname)


@export('gfile.ListDirectory')
def ListDirectory(dirname):
    """Returns the names of the entries of a folder; see tf.io.gfile.listdir.

    Args:
      dirname: str, bytes or os.PathLike.
    """
    return io_gfile.listdir(dirname)


@export('gfile.Glob')
def Glob(filename):
    """Returns the files and folders that match a pattern; see tf.io.gfile.glob.

    Args:
      filename: a pattern, or a list of them.
    """
    return io_gfile.glob(filename)


@export('gfile.Copy')
def Copy(oldpath, newpath, overwrite=False):
    """Copies a file; see tf.io.gfile.copy.

    Args:
      oldpath: the source file.
      newpath: the new file.
      overwrite: whether an existing file may be replaced.
    """
    io_gfile.copy(oldpath, newpath, overwrite)


@export('gfile.Rename')
def Rename(oldname, newname, overwrite=False):
    """Renames a file or folder; see tf.io.gfile.rename.

    Args:
      oldname: the current name.
      newname: the new name.
      overwrite: whether an existing file may be replaced.
    """
    io_gfile.rename(oldname, newname, overwrite)


@export('gfile.Stat')
def Stat(filename):
    """Returns the length, modification time and kind of a file; see tf.io.gfile.stat.

    Args:
      filename: str, bytes or os.PathLike.
    """
    return io_gfile.stat(filename)


@export('gfile.Walk')
def Walk(top, in_order=True):
    """Traverses a folder and its subfolders; see tf.io.gfile.walk.

    Args:
      top: the folder to start from.
      in_order: whether a folder comes before its subfolders instead of after them.
    """
    return io_gfile.walk(top, in_order)
