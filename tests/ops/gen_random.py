#!/usr/bin/env python3
"""Writes tests/data/random/golden.txt: the numbers that real TensorFlow draws. Run with a Python that has
TensorFlow. One line is one run of an op in one session (the runs of a session follow one another):

  op dtype seed seed2 run [dims] args : bits of the elements in hexadecimal, or "crc" and their CRC-32

args are minval and maxval of RandomUniformInt, num_samples of Multinomial.
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
SEEDS = ((87654321, 1), (1, 2), (0, 7), (2147483646, 2147483647), (12345678901, 98765432109))
FLOATS = {"float": tf.float32, "double": tf.float64, "half": tf.float16, "bfloat16": tf.bfloat16}
INTS = {"int32": tf.int32, "int64": tf.int64}


def apply(op, **keywords):
    return op_def_library.apply_op(op, name="op", **keywords)


def logits(dims):
    return (np.arange(dims[0] * dims[1]) % 7 - 3).reshape(dims) / 4


def shuffled(dims):
    return np.arange(int(np.prod(dims))).reshape(dims)


def draws():
    """(op, dtype, dims, args, builder(seed, seed2))."""
    for dims in ([11], [2, 3], [3000]):
        for name, dtype in FLOATS.items():
            for op in ("RandomUniform", "RandomStandardNormal", "TruncatedNormal"):
                yield op, name, dims, (), lambda s, s2, op=op, dtype=dtype, dims=dims: apply(
                    op, shape=tf.constant(dims, tf.int32), dtype=dtype, seed=s, seed2=s2)
        for name, dtype in INTS.items():
            for low, high in ((0, 10), (-5, 2 ** 31 - 1 if name == "int32" else 2 ** 40)):
                yield "RandomUniformInt", name, dims, (low, high), lambda s, s2, dtype=dtype, dims=dims, low=low, high=high: apply(
                    "RandomUniformInt", shape=tf.constant(dims, tf.int64), minval=tf.constant(low, dtype),
                    maxval=tf.constant(high, dtype), seed=s, seed2=s2)
    for dims in ([1], [2], [10], [6, 2], [2000]):
        for name, dtype in (("int32", tf.int32), ("double", tf.float64)):
            yield "RandomShuffle", name, dims, (), lambda s, s2, dtype=dtype, dims=dims: apply(
                "RandomShuffle", value=tf.constant(shuffled(dims), dtype), seed=s, seed2=s2)
    for dims, n in (([1, 4], 6), ([3, 5], 7)):
        for name, dtype in (("int64", tf.float32), ("int32", tf.float64)):
            yield "Multinomial", name, dims, (n,), lambda s, s2, dtype=dtype, dims=dims, n=n, name=name: apply(
                "Multinomial", logits=tf.constant(logits(dims), dtype), num_samples=tf.constant(n), seed=s, seed2=s2,
                output_dtype=INTS[name])


def bits(x):
    x = np.ascontiguousarray(x)
    if x.size > 100:
        return "crc %08x" % zlib.crc32(x.tobytes())
    kind = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[x.dtype.itemsize]
    return " ".join("%x" % v for v in x.view(kind).flatten())


def main():
    tf.disable_eager_execution()
    os.makedirs(os.path.dirname(PATH), exist_ok=True)
    lines = []
    for op, name, dims, args, build in draws():
        for seed, seed2 in SEEDS if dims[0] < 100 else SEEDS[:1]:
            with tf.Graph().as_default(), tf.Session() as session:
                y = build(seed, seed2)
                for run in (1, 2):
                    lines.append("%s %s %d %d %d [%s] %s: %s" % (
                        op, name, seed, seed2, run, ",".join(map(str, dims)),
                        "".join("%d " % a for a in args), bits(session.run(y))))
    with open(PATH, "w", encoding="ascii") as f:
        f.write("\n".join(lines) + "\n")
    print("%s: %d lines, %d bytes" % (PATH, len(lines), os.path.getsize(PATH)))


if __name__ == "__main__":
    main()
