"""Text, bytes and numbers as programs of TensorFlow handle them: `tf.compat`."""

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
    """Bytes of bytes or text.

    Args:
        bytes_or_text: bytes, bytearray or str.
        encoding: how text is encoded.

    Raises:
        TypeError: if bytes_or_text is none of these.
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
    """Text of bytes or text.

    Args:
        bytes_or_text: bytes or str.
        encoding: how bytes are decoded.

    Raises:
        TypeError: if bytes_or_text is none of these.
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
    """Text of anything: bytes are decoded, all else goes through `str`."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@export('compat.path_to_str')
def path_to_str(path):
    """What `os.fspath` says of a path object; anything else as it is."""
    return as_str_any(path.__fspath__()) if hasattr(path, '__fspath__') else path
