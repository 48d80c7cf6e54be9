"""tf.gfile: files and folders under the names that they have in TensorFlow 1."""

from ramet.api import export
from ramet.lib import io_gfile
from ramet.lib.file_io import FileIO


@export('gfile.GFile', 'gfile.Open', 'io.gfile.GFile')
class GFile(FileIO):
    """A file, opened when it is first read or written; use it in a `with` statement.

    In a mode with 'b' what is read is bytes, else str decoded from UTF-8.
    """

    def __init__(self, name, mode='r'):
        """Makes the file object; the file itself is not touched yet.

        Args:
          name: str, bytes or os.PathLike; `file:///...` too.
          mode: 'r', 'w', 'a', 'r+', 'w+' or 'a+', and 'b' for bytes.

        Raises:
          InvalidArgumentError: if the mode is none of these.
        """
        super().__init__(name, mode)


@export('gfile.FastGFile')
class FastGFile(GFile):
    """The same as GFile."""


Open = GFile


@export('gfile.Exists')
def Exists(filename):
    """Whether there is a file or folder of this name."""
    return io_gfile.exists(filename)


@export('gfile.IsDirectory')
def IsDirectory(dirname):
    """Whether there is a folder of this name."""
    return io_gfile.isdir(dirname)


@export('gfile.MkDir')
def MkDir(dirname):
    """Makes a folder, as tf.io.gfile.mkdir does."""
    io_gfile.mkdir(dirname)


@export('gfile.MakeDirs')
def MakeDirs(dirname):
    """Makes a folder and those it is to be in, as tf.io.gfile.makedirs does."""
    io_gfile.makedirs(dirname)


@export('gfile.Remove')
def Remove(filename):
    """Removes a file, as tf.io.gfile.remove does."""
    io_gfile.remove(filename)


@export('gfile.DeleteRecursively')
def DeleteRecursively(dirname):
    """Removes a folder with all that is in it, as tf.io.gfile.rmtree does."""
    io_gfile.rmtree(dirname)


@export('gfile.ListDirectory')
def ListDirectory(dirname):
    """The names of what is in a folder, as tf.io.gfile.listdir gives them."""
    return io_gfile.listdir(dirname)


@export('gfile.Glob')
def Glob(filename):
    """The files and folders whose names match, as tf.io.gfile.glob gives them."""
    return io_gfile.glob(filename)


@export('gfile.Copy')
def Copy(oldpath, newpath, overwrite=False):
    """Copies a file, as tf.io.gfile.copy does."""
    io_gfile.copy(oldpath, newpath, overwrite)


@export('gfile.Rename')
def Rename(oldname, newname, overwrite=False):
    """Renames a file or folder, as tf.io.gfile.rename does."""
    io_gfile.rename(oldname, newname, overwrite)


@export('gfile.Stat')
def Stat(filename):
    """The length, time and kind of a file, as tf.io.gfile.stat gives them."""
    return io_gfile.stat(filename)


@export('gfile.Walk')
def Walk(top, in_order=True):
    """Goes through a folder and those in it, as tf.io.gfile.walk does.

    Args:
      top: the folder to begin with.
      in_order: whether a folder comes before or after those that are in it.
    """
    return io_gfile.walk(top, in_order)
