"""Concatenated rows, whose shapes must be known at build time."""

import numpy as np
import tensorflow.compat.v1 as tf

TYPES = (tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
         tf.complex64, tf.complex128, tf.bool, tf.string)


def rows(dtype, shape, n):
    def build():
        count = int(np.prod(shape))
        values = [np.arange(k, k + count).reshape((1,) + shape) for k in range(n)]
        if dtype == tf.string:
            values = [v.astype(str) for v in values]
        elif dtype == tf.bool:
            values = [v % 2 == 0 for v in values]
        values = [tf.constant(v.tolist(), dtype) for v in values]
        return tf.raw_ops.ParallelConcat(values=values, shape=(n,) + shape)
    return build


def programs():
    for dtype in TYPES:
        yield "rows_" + dtype.name, rows(dtype, (2,), 3)
    yield "rows_deep", rows(tf.float32, (2, 3, 2), 2)
    yield "rows_scalars", rows(tf.float32, (), 4)
    yield "rows_one", rows(tf.float32, (2,), 1)
