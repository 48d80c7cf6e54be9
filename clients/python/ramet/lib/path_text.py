"""Paths and names as text."""

import os


def path_text(path):
    """`path`, which is bytes, text or a PathLike, as text.

    Raises:
      TypeError: if it is none of these.
    """
    if isinstance(path, bytes):
        return path.decode()
    if not isinstance(path, (str, os.PathLike)):
        raise TypeError('Expected binary or unicode string, got %r' % (path,))
    return os.fspath(path)
