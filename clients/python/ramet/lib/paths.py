"""File names as callers pass them: str, bytes, os.PathLike, or a URL with the scheme `file`."""

import os
import re

from ramet.framework import errors

_SCHEME = re.compile(r'([A-Za-z][0-9A-Za-z.]*)://')


def to_str(path):
    """Converts a path to str.

    Raises:
      TypeError: if it is not a str, bytes or os.PathLike.
    """
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f'Expected binary or unicode string, got {path!r}') from None


def to_text(name):
    """Converts the name of a checkpoint, or of a tensor in it, to str.

    Raises:
      TypeError: if it is not a str, bytes or os.PathLike.
      UnicodeError: if it is not UTF-8.
    """
    text = name.decode() if isinstance(name, bytes) else to_str(name)
    text.encode()  # names in files are UTF-8, so a lone surrogate has no form there
    return text


def local(path):
    """Returns the name of a file in the local file system, as str.

    Raises:
      TypeError: if `path` is not a str, bytes or os.PathLike.
      UnimplementedError: if it is a URL with a scheme other than `file`.
    """
    name = to_str(path)
    scheme = _SCHEME.match(name)
    if scheme is None:
        return name
    if scheme[1] != 'file':
        raise errors.UnimplementedError(
            None, None, f"File system scheme '{scheme[1]}' not implemented (file: '{name}')")
    host, slash, rest = name[scheme.end():].partition('/')
    return slash + rest
