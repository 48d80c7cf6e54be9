"""Encodes the formats of the corpus: protobuf's wire format, CRC-32C, sorted tables."""
import struct

MAGIC = 0xDB4775248B80FB57
_TABLE = []
for _byte in range(256):
    _crc = _byte
    for _ in range(8):
        _crc = (_crc >> 1) ^ (0x82F63B78 if _crc & 1 else 0)
    _TABLE.append(_crc)


def crc32c(data, crc=0):
    crc ^= 0xFFFFFFFF
    for byte in data:
        crc = (crc >> 8) ^ _TABLE[(crc ^ byte) & 0xFF]
    return crc ^ 0xFFFFFFFF


def masked_crc(data):
    crc = crc32c(data)
    return (((crc >> 15) | (crc << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def varint(n):
    n &= (1 << 64) - 1
    out = bytearray()
    while n > 0x7F:
        out.append(n & 0x7F | 0x80)
        n >>= 7
    out.append(n)
    return bytes(out)


def fixed32(n):
    return struct.pack("<I", n & 0xFFFFFFFF)


def field(number, value):
    """Returns a field of a message: an int as varint, bytes or str with its length."""
    if isinstance(value, str):
        value = value.encode()
    if isinstance(value, bytes):
        return varint(number << 3 | 2) + varint(len(value)) + value
    return varint(number << 3) + varint(value)


def fixed32_field(number, value):
    return varint(number << 3 | 5) + fixed32(value)


def block(entries, restarts=None, num_restarts=None):
    """Returns a block. Entries are (key, value) with whole keys, or (shared length, rest of the key, value)."""
    body = b""
    for entry in entries:
        shared, rest, value = entry if len(entry) == 3 else (0,) + entry
        body += varint(shared) + varint(len(rest)) + varint(len(value)) + rest + value
    restarts = [0] if restarts is None else restarts
    body += b"".join(fixed32(r) for r in restarts)
    return body + fixed32(len(restarts) if num_restarts is None else num_restarts)


def with_trailer(body, kind=0):
    return body + bytes([kind]) + fixed32(masked_crc(body + bytes([kind])))


def footer(meta, index, magic=MAGIC):
    """Returns a footer. Handles are (offset, size)."""
    handles = b"".join(varint(n) for n in meta + index)
    return handles.ljust(40, b"\0")[:40] + struct.pack("<Q", magic)


def table(entries, data=None, kind=0, index_handle=None, data_handle=None, magic=MAGIC):
    """Returns a table of one data block: `data`, or by default a block of the entries."""
    body = block(entries) if data is None else data
    out = with_trailer(body, kind)
    meta = (len(out), 8)
    out += with_trailer(block([]))
    last = entries[-1][0] if entries else b""
    handle = data_handle or (0, len(body))
    index_block = block([(last + b"\xff", varint(handle[0]) + varint(handle[1]))])
    index = (len(out), len(index_block))
    out += with_trailer(index_block)
    return out + footer(meta, index_handle or index, magic)
