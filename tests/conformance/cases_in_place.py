"""Changes of rows, promises, and conversions between orders of dimensions."""

import numpy as np
import tensorflow as tf

from case import Case, NUMBERS, array, eighths, i32


def rows():
    for op in ("InplaceUpdate", "InplaceAdd", "InplaceSub"):
        for dtype in NUMBERS:
            yield Case(op, [eighths(dtype, (3, 2)), i32(2, 0), eighths(dtype, (2, 2), key="v")])
        x = eighths("float", (3, 2))
        yield Case(op, [x, i32(-1, 5, 1), eighths("float", (3, 2), key="v")])
        yield Case(op, [x, i32(1, 1), eighths("float", (2, 2), key="v")])
        yield Case(op, [eighths("float", (3,)), i32(1), eighths("float", (1,), key="v")])
        yield Case(op, [x, i32(), np.zeros((0, 2), np.float32)])
        yield Case(op, [np.zeros((0, 2), np.float32), i32(2, 0), eighths("float", (2, 2), key="v")])
        yield Case(op, [np.zeros((3, 0), np.float32), i32(1), np.zeros((1, 0), np.float32)])
        for i, v, error in ((i32(0), (2, 2), "i and x shape doesn't match at index 0: [1] vs. [2,2]"),
                            (i32([0]), (1, 2), "i must be a vector. [1,1]"), (np.int32(1), (2,), "i must be a vector. []"),
                            (i32(0), (1, 3), "x and v shape doesn't match at index 1 : [3,2] vs. [1,3]")):
            yield Case(op, [x, i, np.zeros(v, np.float32)], error=error)
    yield Case("InplaceUpdate", [np.array([b"a", b"b"], object), i32(1), np.array([b"c"], object)])
    yield Case("InplaceUpdate", [array("bool", [1, 0]), i32(1), array("bool", [1])])


def empties():
    for dtype in (tf.float32, tf.int64, tf.string, tf.complex128):
        yield Case("Empty", [i32(2, 3)], {"dtype": dtype, "init": True})
    yield Case("Empty", [i32(0, 3)], {"dtype": tf.float32, "init": False})
    yield Case("Empty", [i32(-1)], {"dtype": tf.float32, "init": True}, error="Dimension -1 must be >= 0")
    yield Case("Empty", [np.int32(1)], {"dtype": tf.float32, "init": True}, error="shape must be a vector of int32, got shape []")


def promises():
    for dtype in ("float", "int32", "bool"):
        yield Case("GuaranteeConst", [eighths(dtype, (2, 3))])
    yield Case("GuaranteeConst", [np.array(b"a", object)])


FORMATS = (("NHWC", "NCHW"), ("NCHW", "NHWC"), ("NDHWC", "NCDHW"), ("NCDHW", "NDHWC"), ("NHWC", "HWNC"), ("NHWC", "NHWC"))


def formats():
    for source, destination in FORMATS:
        attrs = {"src_format": source, "dst_format": destination}
        n = len(source)
        for dtype in ("int32", "int64"):
            yield Case("DataFormatDimMap", [array(dtype, np.arange(-n, n))], attrs)
            yield Case("DataFormatVecPermute", [array(dtype, np.arange(n))], attrs)
        yield Case("DataFormatDimMap", [i32([0, 1], [2, 3])], attrs)
        yield Case("DataFormatDimMap", [i32(*range(-13, 13), 2**31 - 1, -2**31)], attrs)
        yield Case("DataFormatDimMap", [np.int32(2)], attrs)
        yield Case("DataFormatDimMap", [np.zeros((0,), np.int32)], attrs)
        yield Case("DataFormatVecPermute", [np.arange(2 * n, dtype=np.int32).reshape(n, 2)], attrs)
        yield Case("DataFormatVecPermute", [np.arange(n - 2, dtype=np.int32)], attrs)
        yield Case("DataFormatVecPermute", [np.arange(2 * n - 4, dtype=np.int32).reshape(n - 2, 2)], attrs)
    for x, error in ((np.int32(2), "input must be a vector or 2D tensor, but got shape []"),
                     (i32(5), "1D input must be of size 2 or 4, but got shape [1]"),
                     (i32([1], [2]), "Second dimension of 2D input must be of size 2, but got shape [2,1]"),
                     (np.zeros((3, 2), np.int32), "First dimension of 2D input must be of size 2 or 4, but got shape [3,2]")):
        yield Case("DataFormatVecPermute", [x], error=error)
    for op in ("DataFormatDimMap", "DataFormatVecPermute"):
        yield Case(op, [i32(0, 1, 2, 3)], {"src_format": "NHW"}, error="Source format must be of length 4 or 5, received src_format = NHW")


def cases():
    for group in (rows, empties, promises, formats):
        yield from group()
