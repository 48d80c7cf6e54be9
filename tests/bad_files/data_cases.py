"""Damaged data sets and safetensors files."""
import gzip
import json
import struct

IMAGES, LABELS = "train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz"


def idx(dims, content, magic=None):
    head = (0x0800 | len(dims)) if magic is None else magic
    return struct.pack(">I", head) + b"".join(struct.pack(">I", d) for d in dims) + content


def images(n=3, **more):
    return idx([n, 2, 2], bytes(4 * n), **more)


def mnist(change=None, **content):
    files = {IMAGES: gzip.compress(images()), LABELS: gzip.compress(idx([3], b"\1\2\3")),
             "t10k-images-idx3-ubyte.gz": gzip.compress(images(2)),
             "t10k-labels-idx1-ubyte.gz": gzip.compress(idx([2], b"\1\2"))}
    files.update(change or {})
    return files


def mnist_cases():
    def case(name, change, expect="error"):
        return 43, "mnist_" + name, "mnist", mnist(change), ".", expect

    yield 0, "clean_mnist", "mnist", mnist(), ".", "ok"
    yield case("magic", {IMAGES: gzip.compress(images(magic=0x0803 + 1))})
    yield case("floats", {IMAGES: gzip.compress(images(magic=0x0D03))})
    yield case("labels_for_images", {IMAGES: gzip.compress(idx([3], b"\1\2\3"))})
    yield case("overflow", {IMAGES: gzip.compress(idx([0xFFFFFFFF] * 3, b"\0" * 16))})
    yield case("counts_differ", {LABELS: gzip.compress(idx([2], b"\1\2"))})
    yield case("short", {IMAGES: gzip.compress(images()[:-1])})
    yield case("long", {IMAGES: gzip.compress(images() + b"\0")})
    yield case("gzip_cut", {IMAGES: gzip.compress(images())[:-9]})
    yield case("gzip_crc", {IMAGES: gzip.compress(images())[:-8] + b"\0" * 8})
    yield case("gzip_bomb", {IMAGES: gzip.compress(images() + bytes(300 << 20), 9)})
    yield case("label_10", {LABELS: gzip.compress(idx([3], b"\1\2\x0a"))})
    yield case("empty", {IMAGES: b""})


def safetensors(header, content=b"", length=None):
    text = header if isinstance(header, bytes) else json.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + content


def one(dtype="F32", shape=(2,), offsets=(0, 8)):
    return {"dtype": dtype, "shape": list(shape), "data_offsets": list(offsets)}


def safetensors_cases():
    def case(name, content, expect="error"):
        return 44, "safetensors_" + name, "safetensors", {"m.safetensors": content}, "m.safetensors", expect

    eight = bytes(8)
    yield 0, "clean_safetensors", "safetensors", {"m.safetensors": safetensors({"a": one()}, eight)}, "m.safetensors", "ok"
    for length in (1 << 20, 101 << 20, 1 << 63, (1 << 64) - 1):
        yield case("header_%d" % length, safetensors({"a": one()}, eight, length=length))
    yield case("empty", b"")
    yield case("seven_bytes", b"\0" * 7)
    yield case("overlap", safetensors({"a": one(), "b": one(offsets=(4, 12))}, bytes(12)))
    yield case("gap", safetensors({"a": one(), "b": one(offsets=(12, 20))}, bytes(20)))
    yield case("backwards", safetensors({"a": one(offsets=(8, 0))}, eight))
    yield case("past_the_end", safetensors({"a": one(offsets=(8, 16))}, eight))
    yield case("shape_overflows_to_4", safetensors({"a": one(dtype="U8", shape=(4194305, 4194305, 211106198978564),
                                                            offsets=(0, 4))}, bytes(4)))
    yield case("shape_negative", safetensors({"a": one(shape=(-2,))}, eight))
    yield case("shape_fraction", safetensors({"a": one(shape=(2.5,))}, eight))
    yield case("dtype", safetensors({"a": one(dtype="F31")}, eight))
    twice = b'{"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}}'
    yield case("twice", safetensors(twice, eight))
    yield case("trailing", safetensors({"a": one()}, eight + b"\0"))
    yield case("size", safetensors({"a": one(offsets=(0, 4))}, bytes(4)))
    yield case("json", safetensors(b"{" * 1000))
    yield case("json_nested", safetensors(b'{"a":' + b"[" * 100000 + b"]" * 100000 + b"}"))
    yield case("no_object", safetensors(b"[1]"))


def cases():
    yield from mnist_cases()
    yield from safetensors_cases()
