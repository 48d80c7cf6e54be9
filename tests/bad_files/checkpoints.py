"""Valid and damaged checkpoints of both formats."""
import struct

from graphs import FLOAT, INT32, STRING, shape
from wire import block, field, fixed32_field, masked_crc, table, varint, with_trailer

CLEAN = {"a": (FLOAT, [2], struct.pack("<2f", 1, 2)), "b": (FLOAT, [2, 3], struct.pack("<6f", *range(6))),
         "n": (INT32, [], struct.pack("<i", 7))}


def string_bytes(strings):
    lengths = b"".join(varint(len(s)) for s in strings)
    checksum = masked_crc(b"".join(struct.pack("<I", len(s)) for s in strings))
    return lengths + struct.pack("<I", checksum) + b"".join(strings)


def string_crc(strings):
    fixed = b"".join(struct.pack("<I", len(s)) for s in strings)
    return masked_crc(fixed + struct.pack("<I", masked_crc(fixed)) + b"".join(strings))


def header(num_shards=1, endianness=0, producer=1, min_consumer=0):
    version = field(1, producer) + (field(2, min_consumer) if min_consumer else b"")
    return field(1, num_shards) + (field(2, endianness) if endianness else b"") + field(3, version)


def entry(dtype, dims, offset, size, crc, shard=0, more=b""):
    out = field(1, dtype) + field(2, shape(dims))
    out += field(3, shard) if shard else b""
    out += field(4, offset) if offset else b""
    out += field(5, size) if size else b""
    return out + fixed32_field(6, crc) + more


def v2(tensors=None, head=None, change=None, **table_args):
    """Returns the files of a V2 checkpoint `m`. change: {name: changed arguments of the entry}."""
    data, entries = b"", [(b"", header() if head is None else head)]
    for name, (dtype, dims, content) in sorted((tensors or CLEAN).items()):
        args = dict(dtype=dtype, dims=dims, offset=len(data), size=len(content), crc=masked_crc(content))
        data += content
        args.update((change or {}).get(name, {}))
        entries.append((name.encode(), entry(**args)))
    return {"m.index": table(entries, **table_args), "m.data-00000-of-00001": data}


def index_cases():
    clean = v2()["m.index"]
    data = {"m.data-00000-of-00001": v2()["m.data-00000-of-00001"]}

    def case(number, name, index, expect="error"):
        return number, name, "checkpoint", dict(data, **{"m.index": index}), "m", expect

    first = [(b"", header()), (b"a", entry(FLOAT, [2], 0, 8, masked_crc(CLEAN["a"][2])))]
    yield 0, "clean_v2", "checkpoint", v2(), "m", "ok"
    yield case(1, "index_empty", b"")
    for n in (1, 20, 47):
        yield case(2, "index_of_%d_bytes" % n, clean[-n:])
    yield case(3, "index_magic", clean[:-8] + b"\x58" + clean[-7:])
    yield case(3, "index_no_table", b"x" * 300)
    for offset, size in ((1 << 20, 8), (0, 1 << 20), (len(clean), 8), (1 << 63, 1 << 63)):
        yield case(4, "index_handle_%d_%d" % (offset, size), table(first, index_handle=(offset, size)))
    for size in ((1 << 63) - 1, (1 << 64) - 1, 1 << 40):
        yield case(5, "block_size_%d" % size, table(first, data_handle=(0, size)))
    long_varint = clean[:-48] + b"\xff" * 11 + clean[-37:]
    yield case(6, "varint_of_11_bytes_in_the_footer", long_varint)
    yield case(6, "varint_of_11_bytes_in_a_block",
               table(first, data=b"\0" + b"\xff" * 11 + b"\x01" + block([])))
    for at in (0, 5, 30):
        yield case(7, "block_crc_%d" % at, clean[:at] + bytes([clean[at] ^ 1]) + clean[at + 1:])
    for n in (3, 1 << 20, 0xFFFFFFFF):
        yield case(8, "num_restarts_%d" % n, table(first, data=block(first, num_restarts=n)))
    yield case(8, "restart_offset", table(first, data=block(first, restarts=[0, 1 << 30])))
    for shared in (5, 1 << 31, (1 << 32) - 1):
        bad = block([first[0], (shared, b"a", first[1][1])])
        yield case(9, "shared_%d" % shared, table(first, data=bad))
    yield case(10, "keys_unsorted", table([first[0], (b"b", first[1][1]), first[1]]))
    yield case(10, "keys_twice", table([first[0], first[1], first[1]]))
    yield case(11, "snappy_garbage", table(first, data=b"\xff" * 40, kind=1))
    yield case(11, "snappy_says_4_GB", table(first, data=b"\xff\xff\xff\xff\x0f\0", kind=1))
    for kind in (2, 9, 255):
        yield case(11, "compression_%d" % kind, table(first, kind=kind))
    yield case(12, "no_header", table(first[1:]))
    yield case(12, "no_entries", table([]))
    for n in (-1, 0, 1 << 31):
        yield case(12, "num_shards_%d" % n, v2(head=header(num_shards=n))["m.index"])
    yield case(12, "big_endian_checksums_hold", v2(head=header(endianness=1))["m.index"], "any")
    yield case(12, "endianness_7", v2(head=header(endianness=7))["m.index"])
    yield case(12, "future_min_consumer", v2(head=header(min_consumer=99))["m.index"])
    yield case(12, "header_no_message", v2(head=b"\xff\xff\xff")["m.index"])
    for at in range(0, len(clean), max(1, len(clean) // 24)):
        for bit in (0, 7):
            damaged = clean[:at] + bytes([clean[at] ^ 1 << bit]) + clean[at + 1:]
            yield case(19, "index_bit_%d_%d" % (at, bit), damaged, "any")
    for n in range(0, len(clean), max(1, len(clean) // 12)):
        yield case(18, "index_cut_%d" % n, clean[:n])


def data_cases():
    def case(number, name, change=None, expect="error", files=None, **args):
        files = files or v2(change={"b": change} if change else None, **args)
        return number, name, "checkpoint", files, "m", expect

    clean = v2()
    data = clean["m.data-00000-of-00001"]
    yield case(13, "shard_missing", files={"m.index": clean["m.index"]})
    yield case(13, "shard_is_a_folder", files={"m.index": clean["m.index"], "m.data-00000-of-00001/x": b""})
    for shard in (1, 1 << 30, -1):
        yield case(14, "shard_id_%d" % shard, {"shard": shard})
    for offset in (-1, 1000, 1 << 40):
        yield case(15, "offset_%d" % offset, {"offset": offset})
    yield case(16, "offset_overflow", {"offset": (1 << 63) - 8})
    yield case(16, "size_overflow", {"offset": 8, "size": (1 << 63) - 1})
    for size in (0, 20, 28, -24):
        yield case(17, "size_%d" % size, {"size": size})
    yield case(18, "data_cut", files=dict(clean, **{"m.data-00000-of-00001": data[:-1]}))
    for at in range(len(data)):
        damaged = data[:at] + bytes([data[at] ^ 0x10]) + data[at + 1:]
        yield case(19, "data_bit_%d" % at, files=dict(clean, **{"m.data-00000-of-00001": damaged}))
    yield case(20, "dim_negative", {"dims": [-2, -3]})
    yield case(20, "dim_minus_one", {"dims": [-1]})
    for dims in ([1 << 62, 4], [1 << 32, 1 << 32], [(1 << 63) - 1, 2]):
        yield case(21, "dims_%d_%d" % tuple(dims), {"dims": dims})
    yield case(21, "dims_2_to_40", {"dims": [1 << 40], "size": 4 << 40})
    yield case(22, "rank_300", {"dims": [1] * 300, "size": 4})
    for dtype in (0, 9999, 20):
        yield case(23, "dtype_%d" % dtype, {"dtype": dtype})
    strings = [b"one", b"", b"three"]
    body, crc = string_bytes(strings), string_crc(strings)
    text = {"s": (STRING, [3], body)}
    good = {"s": {"crc": crc}}
    yield 0, "clean_strings", "checkpoint", v2(text, change=good), "m", "ok"
    for name, damaged in (("length", b"\x09" + body[1:]), ("length_crc", body[:4] + bytes([body[4] ^ 1]) + body[5:]),
                          ("length_2_to_63", b"\xff" * 9 + body[1:]), ("text", body[:-1] + b"X")):
        files = v2({"s": (STRING, [3], damaged)}, change=good)
        yield case(24, "string_" + name, files=files)
    yield case(24, "strings_2_to_40", files=v2(text, change={"s": {"crc": crc, "dims": [1 << 40]}}))
    old = v2({"a": (FLOAT, [2], struct.pack("<2f", 8, 9)), "b": CLEAN["b"], "n": CLEAN["n"]})
    yield case(26, "torn_save", files=dict(clean, **{"m.data-00000-of-00001": old["m.data-00000-of-00001"]}))
    yield case(27, "unknown_field_of_10_MB", {"more": field(99, b"u" * (10 << 20))}, "any")


def extent(start, length):
    return field(1, field(1, start) + field(2, length))


def slice_key(name, start, length):
    def signed(n):
        assert -64 <= n < 64
        return bytes([(n & 0xFF) ^ 0x80])
    return b"\0" + name + b"\0\x01" + b"\x01\x01" + signed(start) + signed(length)


def sliced(boxes, full=4, stored=None):
    """Returns a V2 checkpoint of a vector `p` that is stored in boxes (start, length)."""
    data, keys, slices = b"", [], b""
    for start, length in boxes:
        content = struct.pack("<%df" % max(length, 0), *range(max(length, 0)))
        slices += field(7, extent(start, length))
        if stored is None or (start, length) in stored:
            keys.append((slice_key(b"p", start, length),
                         entry(FLOAT, [max(length, 0)], len(data), len(content), masked_crc(content))))
        data += content
    whole = (b"p", field(1, FLOAT) + field(2, shape([full])) + slices)
    return {"m.index": table([(b"", header())] + sorted(set(keys)) + [whole]), "m.data-00000-of-00001": data}


def slice_cases():
    def case(name, *args, expect="error", **more):
        return 25, "slices_" + name, "checkpoint", sliced(*args, **more), "m", expect

    yield 0, "clean_slices", "checkpoint", sliced([(0, 2), (2, 2)]), "m", "ok"
    yield case("overlapping", [(0, 3), (2, 2)])
    yield case("gap", [(0, 1), (2, 2)])
    yield case("not_stored", [(0, 2), (2, 2)], stored=[(0, 2)])
    yield case("outside", [(0, 2), (2, 4)])
    yield case("negative_start", [(-2, 2), (2, 2)])
    yield case("empty", [(0, 0), (0, 4)], expect="any")
    yield case("full_shape_negative", [(0, 2), (2, 2)], full=-4)
    yield case("full_shape_huge", [(0, 2), (2, 2)], full=1 << 61)


def v1(metas, slices, versions=field(1, 1)):
    """Returns a V1 checkpoint `m` of serialized SavedSliceMetas and (key, SavedSlice) pairs."""
    head = field(1, b"".join(field(1, m) for m in metas) + (field(2, versions) if versions else b""))
    return {"m": table([(b"", head)] + sorted((k, field(2, s)) for k, s in slices))}


def v1_meta(name="a", dims=(2,), dtype=FLOAT, slices=None):
    out = field(1, name) + field(2, shape(dims)) + (field(3, dtype) if dtype is not None else b"")
    for s in [field(1, b"")] if slices is None else slices:
        out += field(4, s)
    return out


def v1_slice(name="a", values=(1.0, 2.0), box=None):
    floats = struct.pack("<%df" % len(values), *values)
    return field(1, name) + field(2, field(1, b"") if box is None else box) + field(3, field(5, floats))


def v1_cases():
    key = slice_key(b"a", 0, -1)

    def case(number, name, files, expect="error"):
        return number, name, "checkpoint", files, "m", expect

    clean = v1([v1_meta()], [(key, v1_slice())])
    yield case(0, "clean_v1", clean, "ok")
    yield case(28, "v1_data_missing", v1([v1_meta()], []))
    yield case(28, "v1_values_missing", v1([v1_meta()], [(key, v1_slice(values=()))]))
    yield case(28, "v1_one_value", v1([v1_meta()], [(key, v1_slice(values=(1.0,)))]))
    yield case(28, "v1_three_values", v1([v1_meta()], [(key, v1_slice(values=(1.0, 2.0, 3.0)))]))
    for start, length in ((-1, 2), (1, -5), ((1 << 63) - 1, 2), (0, (1 << 63) - 1), (1, 2)):
        box = extent(start, length)
        yield case(29, "v1_extent_%d_%d" % (start, length), v1([v1_meta(slices=[box])], [(key, v1_slice(box=box))]))
    for dims in ((1 << 62, 4), (1 << 32, 1 << 32), (-1,), (1 << 40,)):
        boxes = [field(1, b"") * len(dims)]
        yield case(30, "v1_shape_" + "_".join(map(str, dims)), v1([v1_meta(dims=dims, slices=boxes)], [(key, v1_slice())]))
    yield case(31, "v1_no_type", v1([v1_meta(dtype=None)], [(key, v1_slice())]))
    yield case(31, "v1_type_99", v1([v1_meta(dtype=99)], [(key, v1_slice())]))
    yield case(31, "v1_no_meta", {"m": table([(key, field(2, v1_slice()))])})
    yield case(31, "v1_empty_meta", {"m": table([(b"", b"")])}, "any")
    yield case(31, "v1_no_file_but_a_word", {"m": b"hello"})
    yield case(32, "v1_a_million_names", v1([field(1, "t%d" % i) for i in range(1000000)], []), "any")
    body = clean["m"]
    for at in range(0, len(body), max(1, len(body) // 20)):
        yield case(19, "v1_bit_%d" % at, {"m": body[:at] + bytes([body[at] ^ 4]) + body[at + 1:]}, "any")
    for n in range(1, len(body), max(1, len(body) // 8)):
        yield case(18, "v1_cut_%d" % n, {"m": body[:n]})


def state_cases():
    def case(name, text, expect="error"):
        return 33, "state_" + name, "state", {"checkpoint": text}, ".", expect

    yield 0, "clean_state", "state", dict(v2(), checkpoint=b'model_checkpoint_path: "m"\n'), ".", "ok"
    for name, path in (("parent", b"../../../../etc/passwd"), ("absolute", b"/nowhere/checkpoint"), ("nul", b"m\\000x"),
                       ("nothing_there", b"none"), ("itself", b"checkpoint"), ("empty", b"")):
        yield case(name, b'model_checkpoint_path: "' + path + b'"\n')
    yield case("line_of_1_MB", b'model_checkpoint_path: "' + b"x" * (1 << 20) + b'"\n')
    yield case("unclosed_quote", b'model_checkpoint_path: "m\n')
    yield case("no_path", b'all_model_checkpoint_paths: "m"\n')
    yield case("binary", bytes(range(256)))
    yield case("nested", b"model_checkpoint_path { " * 10000)


def cases():
    for part in (index_cases, data_cases, slice_cases, v1_cases, state_cases):
        yield from part()
