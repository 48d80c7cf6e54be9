#!/usr/bin/env python3
"""Writes tests/data/random/golden.txt: the random numbers that TensorFlow draws. Run it with a Python that has
TensorFlow. Each line is one run of an op in a session; the runs of a session are on consecutive lines:

  op dtype seed seed2 run [dims] args : bits of the elements in hexadecimal, or "crc" and their CRC-32

args are minval and maxval of the integer ops, and num_samples of Multinomial. For a stateless op, seed and seed2 are
the two elements of its seed; for one whose name ends in V2, they are the key and the first element of the counter.
"""

import os
import sys
import zlib

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import op_def_library

sys.dont_write_bytecode = True
PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "data", "random", "golden.txt")
SEEDS = ((87654321, 1), (1, 2), (0, 7), (5, 0), (2147483646, 2147483647), (12345678901, 98765432109), (-3, -9))
SIZES = ([1], [3], [2, 3], [255], [1000], [100003])
RUNS = (1, 2, 3)
# With several threads, Multinomial draws different numbers.
CONFIG = tf.ConfigProto(intra_op_parallelism_threads=1)
FLOATS = {"float": tf.float32, "double": tf.float64, "half": tf.float16, "bfloat16": tf.bfloat16}
INTS = {"int32": tf.int32, "int64": tf.int64}


def apply(op, **keywords):
    return op_def_library.apply_op(op, name="op", **keywords)


def logits(dims):
    return (np.arange(dims[0] * dims[1]) % 7 - 3).reshape(dims) / 4


def shuffled(dims):
    return np.arange(int(np.prod(dims))).reshape(dims)


def floats(dims):
    for name, dtype in FLOATS.items():
        for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
            yield op, name, dims, (), lambda s, s2, op=op, dtype=dtype: apply(
                op, shape=tf.constant(dims, tf.int32), dtype=dtype, seed=s, seed2=s2)
        for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"):
            yield op, name, dims, (), lambda s, s2, op=op, dtype=dtype: apply(
                op, shape=tf.constant(dims, tf.int32), dtype=dtype, **seed_input(s, s2))
            yield op + "V2", name, dims, (), lambda s, s2, op=op + "V2", dtype=dtype: apply(
                op, shape=tf.constant(dims, tf.int32), dtype=dtype, **key_inputs(s, s2))


def integers(dims):
    for name, dtype in INTS.items():
        for low, high in ((0, 10), (-5, 2 ** 31 - 1 if name == "int32" else 2 ** 40)):
            bounds = lambda dtype=dtype, low=low, high=high: {
                "shape": tf.constant(dims, tf.int64), "minval": tf.constant(low, dtype), "maxval": tf.constant(high, dtype)}
            yield "RandomUniformInt", name, dims, (low, high), lambda s, s2, bounds=bounds: apply(
                "RandomUniformInt", seed=s, seed2=s2, **bounds())
            yield "StatelessRandomUniformInt", name, dims, (low, high), lambda s, s2, bounds=bounds: apply(
                "StatelessRandomUniformInt", **bounds(), **seed_input(s, s2))
            yield "StatelessRandomUniformIntV2", name, dims, (low, high), lambda s, s2, bounds=bounds: apply(
                "StatelessRandomUniformIntV2", **bounds(), **key_inputs(s, s2))
    for name in ("int32", "int64", "uint32", "uint64"):
        yield "StatelessRandomUniformFullInt", name, dims, (), lambda s, s2, name=name: apply(
            "StatelessRandomUniformFullInt", shape=tf.constant(dims), dtype=tf.as_dtype(name), **seed_input(s, s2))
        yield "StatelessRandomUniformFullIntV2", name, dims, (), lambda s, s2, name=name: apply(
            "StatelessRandomUniformFullIntV2", shape=tf.constant(dims), dtype=tf.as_dtype(name), **key_inputs(s, s2))


def seed_input(seed, seed2):
    return {"seed": tf.constant([seed, seed2], tf.int64)}


def key_inputs(seed, seed2):
    key, counter = (np.array(v, np.uint64) for v in ([seed % 2 ** 64], [seed2 % 2 ** 64, 0]))
    return {"key": tf.constant(key), "counter": tf.constant(counter), "alg": tf.constant(1)}


def draws():
    """Yields (op, dtype, dims, args, builder(seed, seed2))."""
    for dims in SIZES:
        yield from floats(dims)
        yield from integers(dims)
    for dims in ([1], [2], [3], [10], [6, 2], [255], [1000], [2000], [100003]):
        for name, dtype in (("int32", tf.int32), ("double", tf.float64)):
            yield "RandomShuffle", name, dims, (), lambda s, s2, dtype=dtype, dims=dims: apply(
                "RandomShuffle", value=tf.constant(shuffled(dims), dtype), seed=s, seed2=s2)
    for dims, n in (([1, 4], 6), ([3, 5], 7), ([1, 3], 1), ([5, 3], 51), ([1, 1000], 1000), ([3, 2], 100003)):
        for name, dtype in (("int64", tf.float32), ("int32", tf.float64)):
            yield "Multinomial", name, dims, (n,), lambda s, s2, dtype=dtype, dims=dims, n=n, name=name: apply(
                "Multinomial", logits=tf.constant(logits(dims), dtype), num_samples=tf.constant(n), seed=s, seed2=s2,
                output_dtype=INTS[name])


def bits(x):
    x = np.ascontiguousarray(x)
    if x.size > 12:
        return "crc %08x" % zlib.crc32(x.tobytes())
    kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]
    return " ".join("%x" % v for v in x.view(kind).flatten())


def main():
    tf.disable_eager_execution()
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    lines = []
    for op, name, dims, args, build in draws():
        large = max(dims + list(args[:1])) > 2000
        for seed, seed2 in SEEDS[:2] if large else SEEDS:
            with tf.Graph().as_default(), tf.Session(config=CONFIG) as session:
                y = build(seed, seed2)
                for run in (1,) if op.startswith("Stateless") else RUNS:
                    lines.append("%s %s %d %d %d [%s] %s: %s" % (
                        op, name, seed, seed2, run, ",".join(map(str, dims)),
                        "".join("%d " % a for a in args), bits(session.run(y))))
    with open(PATH, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    print("%s: %d lines, %d bytes" % (PATH, len(lines), os.path.getsize(PATH)))


if __name__ == "__main__":
    main()
