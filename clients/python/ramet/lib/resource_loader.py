"""tf.resource_loader: files that lie beside a script or in the package."""

import os
import sys

from ramet.api import export

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def _folder_of_caller():
    """The folder of the script that called the caller of this."""
    return os.path.dirname(sys._getframe(2).f_code.co_filename)


@export('resource_loader.get_data_files_path')
def get_data_files_path():
    """The folder of the script that calls this."""
    return _folder_of_caller()


@export('resource_loader.get_path_to_datafile')
def get_path_to_datafile(path):
    """The name of a file that is given as seen from the folder of the script that calls this."""
    return os.path.join(_folder_of_caller(), path)


@export('resource_loader.get_root_dir_with_all_resources')
def get_root_dir_with_all_resources():
    """The folder that load_resource reads from: that of the package."""
    return _PACKAGE


@export('resource_loader.load_resource')
def load_resource(path):
    """The bytes of a file that is given as seen from the folder of the package.

    Raises:
      OSError: if it cannot be read.
    """
    with open(os.path.join(_PACKAGE, path), 'rb') as file:
        return file.read()


@export('resource_loader.readahead_file_path')
def readahead_file_path(path, readahead='128M'):
    """`path` as it is; there are no files for which reading ahead would be asked for."""
    return path
