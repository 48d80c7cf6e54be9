"""Data formats, and running sums on a logarithmic scale."""

import numpy as np

from case import Case, array, eighths, i32, i64

TOL = {"half": 1e-2, "float": 2e-5, "double": 1e-10}


def dims():
    yield Case("DataFormatDimMap", [i32(0, 1, 2, 3, -1, -4, 7, -9)])
    yield Case("DataFormatDimMap", [i64(0, 1, 2, 3, 4, -1, -5, 7)], {"src_format": "NDHWC", "dst_format": "NCDHW"})
    yield Case("DataFormatDimMap", [np.int32(2)], {"src_format": "1234", "dst_format": "4321"})
    yield Case("DataFormatDimMap", [np.zeros([0, 3], np.int64)])
    permutation = "Destination and source format must determine a permutation, got "
    for op, x in (("DataFormatDimMap", i32(0, 1)), ("DataFormatVecPermute", i32(7, 4, 9, 3))):
        yield Case(op, [x], {"src_format": "NHW"}, error="Source format must be of length 4 or 5, received src_format = NHW")
        yield Case(op, [x], {"dst_format": "NCHX"}, error=permutation + "NHWC and NCHX")
        yield Case(op, [x], {"dst_format": "NCDHW"}, error=permutation + "NHWC and NCDHW")
        yield Case(op, [x], {"src_format": "1123", "dst_format": "1123"}, error=permutation + "1123 and 1123")


def vectors():
    for make in (i32, i64):
        yield Case("DataFormatVecPermute", [make(7, 4, 9, 3)])
        yield Case("DataFormatVecPermute", [make(7, 4)])
        yield Case("DataFormatVecPermute", [make(7, 4, 9, 3)], {"src_format": "HWNC", "dst_format": "NHWC"})
        yield Case("DataFormatVecPermute", [make(7, 4)], {"dst_format": "HWNC"})
        yield Case("DataFormatVecPermute", [make([7, 4], [9, 3], [4, 5], [5, 1])])
        yield Case("DataFormatVecPermute", [make([7, 4], [9, 3])])
    yield Case("DataFormatVecPermute", [i32(1, 2, 3, 4, 5)], {"src_format": "NDHWC", "dst_format": "NCDHW"})
    yield Case("DataFormatVecPermute", [i32(1, 2, 3)], {"src_format": "NDHWC", "dst_format": "NCDHW"})
    yield Case("DataFormatVecPermute", [i32(1, 2, 3)], error="1D input must be of size 2 or 4, but got shape [3]")
    yield Case("DataFormatVecPermute", [i32([1, 2], [1, 2], [1, 2])], error="First dimension of 2D input must be of size 2 or 4, but got shape [3,2]")
    yield Case("DataFormatVecPermute", [np.ones([4, 3], np.int32)], error="Second dimension of 2D input must be of size 2, but got shape [4,3]")
    yield Case("DataFormatVecPermute", [np.int32(5)], error="input must be a vector or 2D tensor, but got shape []")


def sums():
    wild = [[1, 2, -np.inf, 0], [800, 0, 3, np.inf], [-np.inf, -np.inf, 1, np.nan]]
    for dtype in ("half", "float", "double"):
        for exclusive in (False, True):
            for reverse in (False, True):
                attrs = {"exclusive": exclusive, "reverse": reverse}
                yield Case("CumulativeLogsumexp", [array(dtype, wild), np.int32(1)], attrs, tol=TOL[dtype])
                yield Case("CumulativeLogsumexp", [eighths(dtype, (2, 3, 2)), np.int64(-2)], attrs, grad=dtype != "half" and not exclusive, tol=TOL[dtype], grad_tol=1e-4)
    yield Case("CumulativeLogsumexp", [np.zeros([0, 3], np.float32), np.int32(0)])
    yield Case("CumulativeLogsumexp", [eighths("float", (2,)), np.int32(3)], error="ScanOp: Expected scan axis in the range [-1, 1), but got 3")
    yield Case("CumulativeLogsumexp", [eighths("float", (2,)), i32(0)], error="ScanOp: axis must be a scalar, not [1]")


def cases():
    yield from dims()
    yield from vectors()
    yield from sums()
