"""CRC-32C, and its masked form in record files."""

import functools


@functools.cache
def _table():
    table = []
    for value in range(256):
        for _ in range(8):
            value = (value >> 1) ^ (0x82F63B78 if value & 1 else 0)
        table.append(value)
    return table


def _python_value(data):
    table = _table()
    crc = 0xFFFFFFFF
    for byte in data:
        crc = table[(crc ^ byte) & 0xFF] ^ (crc >> 8)
    return crc ^ 0xFFFFFFFF


@functools.cache
def _implementation():
    try:
        from ramet._core import crc32c  # deferred: Python replaces it where the extension is missing
    except ImportError:
        return _python_value
    return crc32c


def value(data):
    """Returns the CRC-32C of bytes, as int."""
    return _implementation()(data)


def masked(data):
    """Returns the CRC-32C of bytes, rotated and shifted like TensorFlow does."""
    crc = value(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF
