"""Diagonals, blocks of space, rolled and mirrored tensors: what moves elements only."""

import numpy as np

from case import Case, eighths, i32, i64, scalar

ALIGNS = ("LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT")


def k_of(k):
    return np.asarray(k, np.int32)


def diagonals():
    for dtype in ("float", "double", "half", "int32", "complex64", "bool"):
        pad = scalar(dtype, 1)
        grad = dtype in ("float", "complex64")
        x, packed = eighths(dtype, (2, 3, 4)), eighths(dtype, (2, 3))
        yield Case("MatrixDiagV3", [packed, k_of(0), scalar("int32", -1), scalar("int32", -1), pad], grad=grad)
        yield Case("MatrixDiagPartV3", [x, k_of(0), pad], grad=grad)
        yield Case("MatrixSetDiagV3", [x, packed, k_of(0)], grad=grad, static_only=True)
    for align in ALIGNS:
        a = {"align": align}
        for k, width in (((0, 1), 3), ((-1, 1), 3), ((-2, 3), 3), ((1, 2), 3), ((-2, -1), 2), (2, 2), (-1, 2)):
            count = k[1] - k[0] + 1 if isinstance(k, tuple) else 0
            shape = (2, count, width) if count > 1 else (2, width)
            yield Case("MatrixDiagPartV3", [eighths("float", (2, 3, 4)), k_of(k), scalar("float", 9)], a, grad=True)
            yield Case("MatrixSetDiagV3", [eighths("float", (2, 3, 4)), eighths("float", shape, key="d"), k_of(k)], a, grad=True,
                       static_only=True)
            sizes = scalar("int32", 3), scalar("int32", 4)
            yield Case("MatrixDiagV3", [eighths("float", shape, key="d"), k_of(k), *sizes, scalar("float", 9)], a, grad=True)
    for rows, columns in ((-1, -1), (-1, 3), (4, -1), (4, 3)):
        yield Case("MatrixDiagV3", [eighths("float", (3,)), k_of(0), scalar("int32", rows), scalar("int32", columns), scalar("float", 0)])
    yield Case("MatrixDiagV2", [eighths("float", (2, 3)), k_of((0, 1)), scalar("int32", -1), scalar("int32", -1), scalar("float", 9)])
    yield Case("MatrixDiagPartV2", [eighths("float", (3, 4)), k_of((-1, 1)), scalar("float", 9)])
    yield Case("MatrixSetDiagV2", [eighths("float", (3, 4)), eighths("float", (2, 3)), k_of((0, 1))])
    for shape in ((0, 3, 3), (2, 0, 0)):
        yield Case("MatrixDiagPartV3", [eighths("float", shape), k_of(0), scalar("float", 9)])
    f = lambda *s: eighths("float", s)
    zero = scalar("float", 0)
    for x, k, rows, columns, what in (
        (f(), 0, -1, -1, "diagonal must be at least 1-dim, received shape: []"),
        (f(3), (0, 1, 2), -1, -1, "diag_index must have only one or two elements, received 3 elements."),
        (f(2, 3), (1, 0), -1, -1, "lower_diag_index must not be larger than upper_diag_index: 1 > 0"),
        (f(2, 3), (0, 2), -1, -1, "The number of diagonals provided in the input does not match the lower_diag_index and upper_diag_index range."),
        (f(3), 0, 2, -1, "The number of rows is too small."),
        (f(3), 0, -1, 2, "The number of columns is too small."),
        (f(3), 0, 5, 5, "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal.")):
        yield Case("MatrixDiagV3", [x, k_of(k), scalar("int32", rows), scalar("int32", columns), zero], error=what)
    for x, k, what in (
        (f(3), 0, "input must be at least 2-dim, received shape: [3]"),
        (f(3, 3), 4, "lower_diag_index is out of bound: 4. It must be between -3 and 3"),
        (f(3, 3), (-5, 1), "lower_diag_index is out of bound: -5. It must be between -3 and 3")):
        yield Case("MatrixDiagPartV3", [x, k_of(k), zero], error=what)
    yield Case("MatrixSetDiagV3", [f(3, 3), f(), k_of(0)], error="diagonal must be at least 1-dim, received shape: []")
    yield Case("MatrixSetDiagV3", [f(3, 3), f(2), k_of(0)], error="nput shape: [3,3]", ramet_error="input shape: [3,3]")


def blocks():
    for dtype in ("float", "double", "half", "int32", "uint8"):
        x = eighths(dtype, (2, 4, 6, 3))
        grad = dtype == "float"
        yield Case("SpaceToBatchND", [x, i32(2, 3), i32([0, 0], [0, 0])], grad=grad)
        yield Case("BatchToSpaceND", [eighths(dtype, (12, 2, 2, 3)), i32(2, 3), i32([0, 0], [0, 0])], grad=grad)
        yield Case("SpaceToDepth", [x], {"block_size": 2}, grad=grad)
        yield Case("DepthToSpace", [eighths(dtype, (2, 2, 3, 8))], {"block_size": 2}, grad=grad)
    for pads in ([[1, 1], [2, 1]], [[0, 2], [3, 3]], [[4, 0], [0, 3]]):
        yield Case("SpaceToBatchND", [eighths("float", (2, 4, 6, 2)), i32(2, 3), i64(*pads)], grad=True)
    for crops in ([[1, 0], [0, 1]], [[0, 3], [2, 2]], [[4, 0], [0, 0]]):
        yield Case("BatchToSpaceND", [eighths("float", (12, 2, 3, 2)), i64(2, 3), i32(*crops)], grad=True)
    yield Case("SpaceToBatchND", [eighths("float", (2, 5)), i32(3), i32([0, 1])], grad=True)
    yield Case("SpaceToBatchND", [eighths("float", (2, 4, 4, 2, 2)), i32(2, 1, 2), i32([0, 0], [1, 0], [0, 0])], grad=True)
    yield Case("BatchToSpaceND", [eighths("float", (6, 5)), i32(3), i32([1, 0])], grad=True)
    yield Case("SpaceToBatchND", [eighths("float", (0, 4, 4, 2)), i32(2, 2), i32([0, 0], [0, 0])])
    yield Case("SpaceToBatch", [eighths("float", (1, 4, 6, 2)), i32([1, 1], [0, 2])], {"block_size": 2}, grad=True)
    yield Case("BatchToSpace", [eighths("float", (4, 2, 3, 2)), i32([1, 0], [0, 1])], {"block_size": 2}, grad=True)
    yield Case("SpaceToDepth", [eighths("float", (1, 6, 3, 2))], {"block_size": 3}, grad=True)
    yield Case("DepthToSpace", [eighths("float", (1, 2, 1, 18))], {"block_size": 3}, grad=True)
    f = lambda *s: eighths("float", s)
    yield Case("SpaceToDepth", [f(2, 5, 4, 1)], {"block_size": 2}, error="Image width 4 and height 5 should be divisible by block_size: 2")
    yield Case("DepthToSpace", [f(2, 4, 4, 3)], {"block_size": 2}, error="Input depth dimension 3 should be divisible by: 4")



def cases():
    for group in (diagonals, blocks):
        yield from group()
