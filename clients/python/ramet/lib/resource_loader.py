"""tf.resource_loader: files next to a script or in the package."""

import os
import sys

from ramet.api import export

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _folder_of_caller():
    """Returns the folder of the script that called the caller of this function."""
    return os.path.dirname(sys._getframe(2).f_code.co_filename)


@export('resource_loader.get_data_files_path')
def get_data_files_path():
    """Returns the folder of the script that calls this function."""
    return _folder_of_caller()


@export('resource_loader.get_path_to_datafile')
def get_path_to_datafile(path):
    """Returns a path relative to the folder of the calling script.

    Args:
      path: str, a relative path.
    """
    return os.path.join(_folder_of_caller(), path)


@export('resource_loader.get_root_dir_with_all_resources')
def get_root_dir_with_all_resources():
    """Returns the folder from which load_resource reads, which is that of the package."""
    return _PACKAGE


@export('resource_loader.load_resource')
def load_resource(path):
    """Returns the bytes of a file in the package.

    Args:
      path: str, a path relative to the folder of the package.

    Raises:
      OSError: if it cannot be read.
    """
    with open(os.path.join(_PACKAGE, path), 'rb') as file:
        return file.read()


@export('resource_loader.readahead_file_path')
def readahead_file_path(path, readahead='128M'):
    """Returns `path` unchanged: Ramet reads no files ahead.

    Args:
      path: str.
      readahead: ignored.
    """
    return path
