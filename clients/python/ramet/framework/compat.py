"""tf.compat: conversions of strings, bytes and numbers."""

import numbers

import numpy as np

from ramet.api import export, export_value

integral_types = (numbers.Integral, np.integer)
real_types = (numbers.Real, np.integer, np.floating)
complex_types = (numbers.Complex, np.number)
bytes_or_text_types = (bytes, str)

export_value('compat.integral_types', integral_types)
export_value('compat.real_types', real_types)
export_value('compat.complex_types', complex_types)
export_value('compat.bytes_or_text_types', bytes_or_text_types)


@export('compat.as_bytes')
def as_bytes(bytes_or_text, encoding='utf-8'):
    """Converts a value to bytes.

    Args:
      bytes_or_text: bytes, bytearray or str.
      encoding: the encoding for str.

    Raises:
      TypeError: if bytes_or_text has another type.
    """
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


@export('compat.as_text', 'compat.as_str')
def as_text(bytes_or_text, encoding='utf-8'):
    """Converts a value to str.

    Args:
      bytes_or_text: bytes or str.
      encoding: the encoding of bytes.

    Raises:
      TypeError: if bytes_or_text has another type.
      UnicodeDecodeError: if the bytes are not in that encoding.
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f'Expected binary or unicode string, got {bytes_or_text!r}')


as_str = as_text


@export('compat.as_str_any')
def as_str_any(value, encoding='utf-8'):
    """Converts any value to str. Bytes are decoded, all other values go through `str`.

    Args:
      value: any object.
      encoding: the encoding of bytes.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export('compat.path_to_str')
def path_to_str(path):
    """Converts a path object to str. Other values are returned unchanged.

    Args:
      path: a path object, or any other value.
    """
    return as_str_any(path.__fspath__()) if hasattr(path, '__fspath__') else path
