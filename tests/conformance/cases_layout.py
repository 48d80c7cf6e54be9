"""Ops that only move elements: diagonals, blocks of space, rolled and mirrored tensors."""

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



def rolled():
    for dtype in ("float", "half", "int32", "uint8", "complex128", "bool"):
        yield Case("Roll", [eighths(dtype, (3, 4)), i32(1, -1), i32(0, 1)], grad=dtype == "float")
    for shift, axis in ((5, 0), (-3, 1), (0, 0)):
        yield Case("Roll", [eighths("float", (3, 4, 2)), scalar("int32", shift), scalar("int64", axis)], grad=True)
    yield Case("Roll", [eighths("float", (3, 4)), i64(1, 1, 2), i32(0, 0, -1)])
    yield Case("Roll", [eighths("float", (0, 4)), i32(1), i32(0)])
    f = lambda *s: eighths("float", s)
    for inputs, what in (
        ([f(3, 4), i32(1, 2), i32(0)], "shift and axis must have the same size"),
        ([f(), np.int32(1), np.int32(0)], "input must be 1-D or higher"),
        ([f(3, 4), np.int32(1), np.int32(2)], "axis 2 is out of range"),
        ([f(3, 4), i32([1]), i32([0])], "shift must be a scalar or a 1-D vector. Found: [1,1]")):
        yield Case("Roll", inputs, error=what)


def mirrored():
    for mode in ("REFLECT", "SYMMETRIC"):
        a = {"mode": mode}
        for dtype in ("float", "double", "half", "int32", "complex64", "bool"):
            grad = dtype in ("float", "double")
            yield Case("MirrorPad", [eighths(dtype, (3, 4)), i32([1, 2], [2, 0])], a, grad=grad)
        yield Case("MirrorPad", [eighths("float", (4,)), i64([3, 3])], a, grad=True)
        yield Case("MirrorPad", [eighths("float", (2, 3, 2)), i32([0, 0], [2, 1], [1, 1])], a, grad=True)
        for dtype in ("float", "double", "int32"):
            yield Case("MirrorPadGrad", [eighths(dtype, (6, 7)), i32([1, 2], [2, 1])], a, grad=dtype != "int32")
    f = lambda *s: eighths("float", s)
    for pads, mode, what in (
        (i32([3, 1], [1, 1]), "REFLECT", "paddings must be less than the dimension size: 3, 1 not less than 3"),
        (i32([4, 1], [1, 1]), "SYMMETRIC", "paddings must be no greater than the dimension size: 4, 1 greater than 3"),
        (i32([-1, 1], [1, 1]), "REFLECT", "paddings must be non-negative: -1 1"),
        (i32([1, 1]), "REFLECT", "The first dimension of paddings must be the rank of inputs[1,2], [3,4]")):
        yield Case("MirrorPad", [f(3, 4), pads], {"mode": mode}, error=what)
    yield Case("MirrorPadGrad", [f(5, 6), i32([3, 3], [1, 1])], {"mode": "REFLECT"},
               error="Total paddings must be less than the input dimension size: 6 was not less than 5")


def asserted():
    yes, no = np.array(True), np.array(False)
    yield Case("Assert", [yes, i32(1, 2)], {})
    for data, summarize, what in (
        ([i32(1, 2, 3, 4, 5), np.array("abc", object)], 3, "assertion failed: [1 2 3...] [abc]"),
        ([scalar("float", 1.5)], 3, "assertion failed: [1.5]"),
        ([np.array([[1.5, 2], [3, 4]], np.float32), np.array("msg", object), np.array([True, False])], 2,
         "assertion failed: [[1.5 2]...] [msg] [1 0]"),
        ([np.array([[1, 2], [3, 4]], np.int64)], -1, "assertion failed: [[1 2][3 4]]"),
        ([np.array([[1, 2, 3], [3, 4, 5]], np.int64)], 1, "assertion failed: [[1...]...]"),
        ([np.array([1e-7, 1e20, 0.1, 1 / 3], np.float32)], 4, "assertion failed: [1e-07 1e+20 0.1 0.333333343]")):
        yield Case("Assert", [no, *data], {"summarize": summarize}, error=what)


def scattered():
    f = lambda *s: eighths("float", s)
    for dtype in ("float", "double", "half", "int32", "uint8", "complex64"):
        grad = dtype in ("float", "double")
        x, updates = eighths(dtype, (4, 2), 4, 6), eighths(dtype, (3, 2), 0, 2, key="u")
        for op in ("TensorScatterSub", "ScatterNdNonAliasingAdd"):
            yield Case(op, [x, i32([1], [3], [1]), updates], grad=grad)
    for op in ("TensorScatterSub", "ScatterNdNonAliasingAdd"):
        yield Case(op, [f(3, 4), i64([0, 1], [2, 3]), f(2)], grad=True)
    for dtype in ("float", "int32", "bool", "complex64"):
        grad = dtype == "float"
        yield Case("SparseToDense", [i32([0, 1], [2, 0]), i32(3, 2), eighths(dtype, (2,)), scalar(dtype, 1)], grad=grad)
    zero = scalar("float", 0.5)
    for indices, shape, values, valid in (
        (i64(0, 2), i64(4), f(2), True), (i64(2).reshape(()), i64(4), f(), True), (i64(0, 3), i64(4), f(), True),
        (i64([0, 1], [0, 1]), i64(2, 2), f(2), False), (i64([1, 1], [0, 1]), i64(2, 2), f(2), False),
        (np.zeros([0, 2], np.int64), i64(2, 2), f(0), True)):
        yield Case("SparseToDense", [indices, shape, values, zero], {"validate_indices": valid})
    for indices, shape, values, what in (
        (i64([0, 1], [1, 5]), i64(2, 3), f(2), "indices[1] = [1,5] is out of bounds: need 0 <= index < [2,3]"),
        (i64([1, 0], [0, 1]), i64(2, 3), f(2), "indices[1] = [0,1] is out of order. Many sparse ops require sorted indices."),
        (i64([0, 1], [0, 1]), i64(2, 3), f(2), "indices[1] = [0,1] is repeated"),
        (i64([0, 1]), i64(2), f(1), "output_shape has incorrect number of elements: 1 should be: 2"),
        (i64([0, 1]), i64(2, 3), f(2), "sparse_values has incorrect shape [2], should be [] or [1]"),
        (i64([0, 1]), i64(-2, 3), f(1), "Dimension -2 must be >= 0")):
        yield Case("SparseToDense", [indices, shape, values, zero], error=what)


def cases():
    for group in (diagonals, blocks, rolled, mirrored, asserted, scattered):
        yield from group()
