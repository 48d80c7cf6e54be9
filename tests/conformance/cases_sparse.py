"""Sparse tensors, sets and CTC."""

import numpy as np
import tensorflow as tf

from case import COMPLEX, FLOATS, LOOSE, NUMBERS, REALS, Case, array, eighths, i32, i64, nonzero, scalar, strings

SHAPE = i64(3, 4)
INDICES = i64([0, 1], [0, 3], [2, 0], [2, 2])
OTHER = i64([0, 0], [0, 3], [1, 1], [2, 2], [2, 3])
NO_INDICES = np.zeros([0, 2], np.int64)
CUBE = i64([0, 0, 1], [0, 1, 0], [0, 1, 3], [1, 0, 0], [1, 2, 3])
CUBE_SHAPE = i64(2, 3, 4)
ADDABLE = ("float", "double", "int8", "int16", "int32", "int64") + COMPLEX
DIFFERENTIABLE = ("float", "double")


def values(dtype, n, key=0):
    if dtype == "string":
        return strings(["s%d" % i for i in range(n)])
    return nonzero(eighths(dtype, (n,), -2, 2, key))


def none(dtype="float"):
    return values(dtype, 0)


def of(dtype, indices=INDICES, shape=SHAPE, key=0):
    return [indices, values(dtype, len(indices), key), shape]


def malformed(op, after=(), attrs=None, before=(), shapes=()):
    """Cases whose sparse tensor's parts do not fit together, with TensorFlow's messages: `shapes` has (indices, values,
    shape, message)."""
    for indices, x, shape, what in shapes:
        yield Case(op, [*before, indices, x, shape, *after], attrs or {}, error=what)


NEW_MESSAGES = (
    (i64(0, 1), values("float", 2), SHAPE, "Sparse indices must be rank 2 but is rank 1"),
    (INDICES, eighths("float", (2, 2)), SHAPE, "Sparse values must be rank 1 but is rank 2"),
    (INDICES, values("float", 4), i64([3, 4]), "Sparse shape must be rank 1 but is rank 2"),
    (INDICES, values("float", 3), SHAPE, "Number of elements in indices (4) and values (3) do not match"),
    (INDICES, values("float", 4), i64(3), "Index rank (2) and shape rank (1) do not match"))
OLD_MESSAGES = (
    (INDICES, values("float", 3), SHAPE, "indices and values rows (indexing dimension) must match."),
    (INDICES, values("float", 4), i64(3, 4, 5), "Order length must be SparseTensor rank."),
    (INDICES, values("float", 4), i64(3, -4), "Expected shape dimensions to be non-negative, got -4"),
    (INDICES, values("float", 4), i64(2**40, 2**40),
     "Encountered overflow when multiplying 1099511627776 with 1099511627776, result: -1"))


def move():
    mixed = INDICES[[2, 0, 3, 1]]
    for dtype in ("float", "half", "int8", "string", "complex128", "bool"):
        yield Case("SparseReorder", of(dtype, mixed))
        yield Case("SparseSlice", [*of(dtype), i64(0, 1), i64(2, 3)])
        yield Case("SparseConcat", [INDICES, OTHER, values(dtype, 4), values(dtype, 5, 1), SHAPE, SHAPE], {"N": 2, "concat_dim": 0})
        yield Case("SparseSplit", [scalar("int64", 1), *of(dtype)], {"num_split": 3})
        yield Case("SparseFillEmptyRows", [*of(dtype), values(dtype, 1, 3)[0:1].reshape(())])
    for dtype in DIFFERENTIABLE:
        yield Case("SparseReorder", of(dtype, mixed), grad=True)
        yield Case("SparseSlice", [*of(dtype), i64(0, 1), i64(3, 2)], grad=True)
        yield Case("SparseFillEmptyRows", [*of(dtype, mixed), scalar(dtype, 7)], grad=True)
    yield Case("SparseReorder", of("float", CUBE[::-1], CUBE_SHAPE))
    yield Case("SparseReorder", [i64([1], [0], [1], [0]), values("int32", 4), i64(2)])
    yield Case("SparseReorder", [NO_INDICES, none(), SHAPE])
    yield from malformed("SparseReorder", shapes=NEW_MESSAGES)


def concat_and_split():
    for axis in (0, 1, -1, -2):
        yield Case("SparseConcat", [INDICES, OTHER, NO_INDICES, values("float", 4), values("float", 5, 1), none(), SHAPE, SHAPE, SHAPE],
                   {"N": 3, "concat_dim": axis})
    yield Case("SparseConcat", [CUBE, CUBE, values("int32", 5), values("int32", 5, 1), CUBE_SHAPE, CUBE_SHAPE], {"N": 2, "concat_dim": 1})
    two = lambda a, b, s, t: [INDICES, INDICES, a, b, s, t]
    x = values("float", 4)
    for inputs, axis, what in (
        (two(x, x, SHAPE, i64(3, 5)), 0, "Input shapes must match: expected 4 for dimension 1 but got 5 at position 1"),
        (two(x, x, SHAPE, i64(3)), 0, "Ranks of all input tensors must match: expected 2 but got 1 at position 1"),
        (two(x, x[:3], SHAPE, SHAPE), 0, "indices and values rows (indexing dimension) must match. (indices = 4, values = 3)"),
        (two(x, x, SHAPE, SHAPE), 2, "Concat dimension must be in range [-2, 2), got 2"),
        (two(x, x, SHAPE, i64(3, -4)), 0, "Encountered overflow from large input shape."),
        (two(x, x, SHAPE, i64(2**40, 2**40)), 0, "Encountered overflow from large input shape.")):
        yield Case("SparseConcat", inputs, {"N": 2, "concat_dim": axis}, error=what)
    for axis, parts in ((0, 1), (0, 2), (0, 3), (1, 2), (-1, 4), (-2, 2)):
        yield Case("SparseSplit", [scalar("int64", axis), *of("float")], {"num_split": parts})
    yield Case("SparseSplit", [scalar("int64", 2), *of("int64", CUBE, CUBE_SHAPE)], {"num_split": 3})
    for axis, parts, what in ((2, 2, "Input axis should be in range [-2, 2), got 2"),
                              (0, 4, "Input num_split should be between 1 and the splitting dimension size (3), got 4")):
        yield Case("SparseSplit", [scalar("int64", axis), *of("float")], {"num_split": parts}, error=what)
    yield Case("SparseSplit", [scalar("int64", 0), i64([0, 4]), values("float", 1), SHAPE], {"num_split": 2},
               error="Sparse index tuple indices[0, :] = [0, 4] is out of bounds")


def slice_and_reshape():
    for start, size in (((0, 0), (3, 4)), ((1, 1), (1, 1)), ((2, 0), (9, 9)), ((5, 5), (1, 1)), ((-1, 0), (3, 2)), ((0, 0), (0, 0))):
        yield Case("SparseSlice", [*of("float"), i64(*start), i64(*size)], grad=True)
    for start, size, what in ((i64(0), i64(1, 1), "Expected start to be a vector of length 2 but got length 1"),
                              (i64(0, 0), i64(1), "Expected size to be a vector of length 2 but got length 1"),
                              (i64(0, 0), i64(-1, 1), "Expected a non-negative size, got -1")):
        yield Case("SparseSlice", [*of("float"), start, size], error=what)
    for dtype in NUMBERS:
        yield Case("SparseSliceGrad", [values(dtype, 2), INDICES, i64(0, 1), i64([0, 0], [2, 1])])
    yield Case("SparseSliceGrad", [values("float", 1), INDICES, i64(0, 0), i64([1, 1])],
               error="Elements of backprop_val_grad aren't all propagated. Num elements:1, used: 0")
    for shape in ((12,), (4, 3), (2, 2, 3), (-1,), (6, -1), (3, 4), (2, -1, 1)):
        yield Case("SparseReshape", [INDICES, SHAPE, i64(*shape)])
    yield Case("SparseReshape", [NO_INDICES, i64(0, 3), i64(2, -1)])
    for shape, what in (((5,), "Input to reshape is a tensor with 12 dense values, but the requested shape has 5. input_shape=[3,4] output_shape=[5]"),
                        ((-1, -1), "only one output dimension may be -1, not both 0 and 1"),
                        ((5, -1), "Input to reshape is a SparseTensor with 12 dense values, but the requested shape requires a multiple of 5."),
                        ((0, -1), "reshape cannot infer the missing input size for an empty tensor"),
                        ((-2, 6), "size 0 must be non-negative, not -2"),
                        ((2**40, 2**40), "Encountered overflow when multiplying")):
        yield Case("SparseReshape", [INDICES, SHAPE, i64(*shape)], error=what)


def fill():
    for indices, shape in ((NO_INDICES, SHAPE), (INDICES[::-1], i64(5, 4)), (i64([0, 0], [0, 0]), i64(1, 1)), (NO_INDICES, i64(0, 4))):
        yield Case("SparseFillEmptyRows", [*of("float", indices, shape), scalar("float", 5)], grad=True)
    yield Case("SparseFillEmptyRows", [*of("float", CUBE, i64(4, 3, 4)), scalar("float", 5)])
    for inputs, what in (
        ([*of("float", i64([3, 0])), scalar("float", 1)], "indices(0, 0) is invalid: 3 >= 3"),
        ([*of("float", shape=i64(0, 4)), scalar("float", 1)], "Received SparseTensor with dense_shape[0] = 0 but indices.shape[0] = 4"),
        ([*of("float", shape=i64(3)), scalar("float", 1)], "The length of `dense_shape` (1) must match the second dimension of `indices` (2)."),
        ([*of("float"), array("float", [1])], "default_value must be a scalar, saw: [1]"),
        ([*of("float", shape=i64(-3, 4)), scalar("float", 1)], "Expected shape dimensions to be non-negative, got -3")):
        yield Case("SparseFillEmptyRows", inputs, error=what)
    for dtype in NUMBERS:
        for op in ("SparseFillEmptyRowsGrad", "RaggedFillEmptyRowsGrad"):
            yield Case(op, [i64(0, 2, 3), values(dtype, 5)], tol=LOOSE.get(dtype))
    yield Case("SparseFillEmptyRowsGrad", [i64(5), values("float", 2)], error="Elements in reverse index must be in [0, 2) but got 5")
    for dtype in ("float", "int32", "string"):
        yield Case("RaggedFillEmptyRows", [i64(0, 2, 2), values(dtype, 3), scalar("int64", 4), values(dtype, 1, 3)[0:1].reshape(())])


def add():
    for dtype in ADDABLE:
        real = {"complex64": "float", "complex128": "double"}.get(dtype, dtype)
        yield Case("SparseAdd", [*of(dtype), *of(dtype, OTHER, key=1), scalar(real, 0)], grad=dtype in DIFFERENTIABLE)
        yield Case("SparseAdd", [*of(dtype), *of(dtype, OTHER, key=1), scalar(real, 2)], grad=dtype in DIFFERENTIABLE)
        yield Case("SparseAddGrad", [values(dtype, 3), INDICES, OTHER, INDICES[[0, 2, 3]]])
    yield Case("SparseAdd", [*of("float"), NO_INDICES, none(), SHAPE, scalar("float", 0)], grad=True)
    yield Case("SparseAdd", [*of("float", CUBE, CUBE_SHAPE), *of("float", CUBE[1:], CUBE_SHAPE), scalar("float", 0)])
    for limit in (2**63 - 1, -2**63, 2**53 + 1):
        sums = i64(2**63 - 1, -2**63, 2**53, 2**53 + 1, 5)
        yield Case("SparseAdd", [OTHER, sums, SHAPE, OTHER, i64(0, 0, 0, 0, 0), SHAPE, scalar("int64", limit)])
    a, b, t = of("float"), of("float", OTHER), scalar("float", 0)
    for inputs, what in (
        ([i64(0, 1), *a[1:], *b, t], "Input indices should be matrices but received shapes: [2] and [5,2]"),
        ([a[0], a[1][:2], a[2], *b, t], "Expected 4 and 5 non-empty input values, got 2 and 5"),
        ([*a[:2], i64(3, 5), *b, t], "Operands' shapes do not match: got 5 and 4 for dimension 1"),
        ([*a, *b[:2], i64(3), t], "Operands do not have the same ranks; got shapes: 3 4 and 3"),
        ([*a, *b, array("float", [0])], "The magnitude threshold must be a scalar: got shape [1]")):
        yield Case("SparseAdd", inputs, error=what)
    for op in ("SparseSparseMaximum", "SparseSparseMinimum"):
        for dtype in REALS:
            yield Case(op, [*of(dtype), *of(dtype, OTHER, key=1)])
        yield Case(op, [*of("float", i64([0, 4])), *of("float")], error="Sparse index tuple indices[0, :] = [0, 4] is out of bounds")
        yield from malformed(op, after=of("float"), shapes=NEW_MESSAGES)
        x, y = [np.nan, np.nan, 1, 0, -0.0], [np.nan, 1, np.nan, -0.0, 0, np.nan]
        for dtype in ("float", "double", "half"):
            yield Case(op, [i64([0], [1], [2], [3], [4]), array(dtype, x), i64(6), i64([0], [1], [2], [3], [4], [5]), array(dtype, y), i64(6)])


def with_dense():
    for dtype in NUMBERS:
        dense = eighths(dtype, (3, 4), -2, 2, 5)
        for indices in (INDICES, INDICES[[1, 1, 3, 0]]):
            yield Case("SparseTensorDenseAdd", [*of(dtype, indices), dense], grad=dtype in DIFFERENTIABLE)
        yield Case("SparseTensorDenseAdd", [INDICES.astype(np.int32), values(dtype, 4), SHAPE.astype(np.int32), dense])
    for op in ("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv"):
        for dtype in REALS:
            for shape in ((3, 4), (4,), (3, 1), ()):
                grad = dtype in DIFFERENTIABLE and op != "SparseDenseCwiseAdd" and shape != ()
                yield Case(op, [*of(dtype), nonzero(eighths(dtype, shape, -2, 2, 6))], grad=grad, tol=LOOSE.get(dtype))
        dense = np.ones((3, 4), np.float32)
        yield Case(op, [*of("float"), np.ones((2, 4), np.float32)],
                   error="SparseDenseBinaryOpShared broadcasts dense to sparse only; got incompatible shapes: [3,4] vs. [2,4]")
        yield Case(op, [*of("float", i64([3, 0])), dense],
                   error="Provided indices are out-of-bounds w.r.t. dense side with broadcasted shape")
        yield Case(op, [INDICES, values("float", 3), SHAPE, dense], error="The first dimension of values and indices should match. (3 vs. 4)")
    yield Case("SparseDenseCwiseDiv", [*of("int32"), np.zeros((4,), np.int32)],
               error="SparseDenseCwiseDiv cannot divide by zero,but input dense tensor contains zero")
    for inputs, what in (
        ([*of("float"), np.ones((3, 5), np.float32)], "Dimension 1 does not equal (no broadcasting is supported): sparse side 4 vs dense side 5"),
        ([*of("float"), np.ones((4,), np.float32)], "Two operands have different ranks; received: 2 and 1"),
        ([*of("float", i64([0, 4])), np.ones((3, 4), np.float32)],
         "Sparse tensor has an invalid index on dimension 1: a_indices(0,1) = 4, dense tensor shape: 3 4")):
        yield Case("SparseTensorDenseAdd", inputs, error=what)


def reduce():
    for op in ("SparseReduceSum", "SparseReduceMax", "SparseReduceSumSparse", "SparseReduceMaxSparse"):
        for dtype in NUMBERS if "Sum" in op else REALS:
            yield Case(op, [*of(dtype), i32(1)], tol=LOOSE.get(dtype))
        for axes in ((), (0,), (1,), (-1,), (0, 1), (0, 0)):
            for keep in (False, True):
                yield Case(op, [*of("float"), np.array(axes, np.int32)], {"keep_dims": keep}, grad=op == "SparseReduceSum" and bool(axes))
        for axes in ((0, 2), (1,), (0, 1, 2)):
            yield Case(op, [*of("double", CUBE[[3, 1, 0, 4, 2]], CUBE_SHAPE), i32(*axes)], grad=op == "SparseReduceSum")
        yield Case(op, [*of("float"), scalar("int32", 0)])
        for numbers in ([np.nan, 1, 2, np.nan], [1, np.nan, np.nan, -np.inf], [-np.inf, np.nan, np.inf, 1]):
            for dtype in ("float", "double", "half"):
                yield Case(op, [INDICES, array(dtype, numbers), SHAPE, i32(1)])
        yield Case(op, [NO_INDICES, none(), SHAPE, i32(0)])
        yield Case(op, [*of("float"), i32(2)], error="Invalid reduction dimension 2, for input with 2 dimensions.")
        yield from malformed(op, after=[i32(0)], shapes=OLD_MESSAGES)
    yield Case("SparseReduceSum", [*of("float", i64([0, 0], [3, 0])), i32(1)],
               error="Obtained a write index of 3 which is outside of bounds of [0, 3)")


def softmax_and_matmul():
    for dtype in ("float", "double", "half"):
        grad = dtype in DIFFERENTIABLE
        yield Case("SparseSoftmax", of(dtype), grad=grad, tol=LOOSE.get(dtype), grad_tol=1e-5)
        yield Case("SparseSoftmax", of(dtype, CUBE, CUBE_SHAPE), grad=grad, tol=LOOSE.get(dtype), grad_tol=1e-5)
        yield Case("SparseSoftmax", of(dtype, INDICES[[2, 0, 3, 1]]), tol=LOOSE.get(dtype))
    yield Case("SparseSoftmax", [NO_INDICES, none(), SHAPE])
    yield Case("SparseSoftmax", [i64([0]), values("float", 1), i64(3)], error="Input should have rank >= 2, but received shape: 3")
    for dtype in FLOATS + ("int32",) + COMPLEX:
        for adjoint_a in (False, True):
            for adjoint_b in (False, True):
                rows = 3 if adjoint_a else 4
                b = eighths(dtype, (2, rows) if adjoint_b else (rows, 2), key=adjoint_a)
                grad = dtype in DIFFERENTIABLE + COMPLEX
                yield Case("SparseTensorDenseMatMul", [*of(dtype), b], {"adjoint_a": adjoint_a, "adjoint_b": adjoint_b},
                           grad=grad, tol=LOOSE.get(dtype))
    b = np.ones((4, 2), np.float32)
    yield Case("SparseTensorDenseMatMul", [INDICES.astype(np.int32), values("float", 4), SHAPE, b])
    yield Case("SparseTensorDenseMatMul", [NO_INDICES, none(), SHAPE, b])
    for shape, other in (((3, 4), (4, 0)), ((3, 0), (0, 2)), ((0, 4), (4, 2))):
        yield Case("SparseTensorDenseMatMul", [i64([5, 5]), values("float", 1), i64(*shape), np.ones(other, np.float32)])
    for inputs, what in (
        ([*of("float"), np.ones((3, 2), np.float32)], "Cannot multiply A and B because inner dimension does not match: 4 vs. 3."),
        ([*of("float", i64([3, 0])), b], "m (3) from index[0,0] out of bounds (>=3)"),
        ([*of("float", i64([0, -1])), b], "k (-1) from index[0,1] out of bounds (>=4)"),
        ([*of("float", shape=i64(3)), b], "Tensor 'a_shape' must have 2 elements"),
        ([INDICES, values("float", 3), SHAPE, b], "Number of rows of a_indices does not match number of entries in a_values"),
        ([*of("float"), np.ones((4,), np.float32)], "Tensor 'b' is not a matrix")):
        yield Case("SparseTensorDenseMatMul", inputs, error=what)
    for a_type in ("float", "bfloat16"):
        for b_type in ("float", "bfloat16"):
            for ta, tb, s in ((False, False, False), (True, False, True), (False, True, False), (True, True, True)):
                a = eighths(a_type, (4, 3) if ta else (3, 4))
                b = eighths(b_type, (2, 4) if tb else (4, 2), key=1)
                yield Case("SparseMatMul", [a, b], {"transpose_a": ta, "transpose_b": tb, "a_is_sparse": s}, grad=True, tol=1e-6,
                           grad_tol=1e-2)


def cross():
    columns = ([i64([0, 0], [0, 1], [1, 0]), i64([0, 0], [1, 0], [1, 1])], [strings(["a", "b", "c"]), i64(10, 20, 30)],
               [i64(2, 2), i64(2, 2)], [strings([["x"], ["y"]]), i64([1, 2], [3, 4])])
    flat = [v for part in columns for v in part]
    kinds = {"N": 2, "sparse_types": [tf.string, tf.int64], "dense_types": [tf.string, tf.int64]}
    for buckets in (0, 100):
        yield Case("SparseCross", flat, {**kinds, "hashed_output": True, "num_buckets": buckets, "hash_key": 956888297470,
                                         "out_type": tf.int64, "internal_type": tf.int64})
        yield Case("SparseCrossHashed", [*flat, scalar("int64", buckets), scalar("bool", False), i64(5, 6)], kinds)
        # TensorFlow crashes if a dense column is hashed with a key.
        yield Case("SparseCrossHashed", [*flat[:6], scalar("int64", buckets), scalar("bool", True), i64(5, 6)],
                   {**kinds, "dense_types": []})
    yield Case("SparseCross", flat, {**kinds, "hashed_output": False, "num_buckets": 0, "hash_key": 1, "out_type": tf.string,
                                     "internal_type": tf.int64})
    yield Case("SparseCross", flat, {**kinds, "hashed_output": False, "num_buckets": 0, "hash_key": 1, "out_type": tf.string,
                                     "internal_type": tf.string}, error="Input values should be of internal type 7 but received 9")
    yield Case("SparseCrossV2", [*flat, np.array("_Y_", object)], kinds)
    separator = np.array("|", object)
    one = {"N": 1, "sparse_types": [tf.string], "dense_types": []}
    indices, text, shape = columns[0][0], columns[1][0], columns[2][0]
    yield Case("SparseCrossV2", [indices[::-1].copy(), text, shape, separator], one)
    for inputs, what in (
        ([indices, text[:2], shape], "Expected size of values to be 3 got 2 at position 0"),
        ([i64([0], [1], [1]), text, shape], "Expected D2 of index to be 2 got 1 at position 0"),
        ([indices, text, i64(2, 2, 2)], "shape should imply a 2D tensor, but got [3] at position 0")):
        yield Case("SparseCrossV2", [*inputs, separator], one, error=what)
    yield Case("SparseCrossV2", [strings([["x"], ["y"]]), strings([["z"]]), separator],
               {"N": 0, "sparse_types": [], "dense_types": [tf.string, tf.string]}, error="Expected batch size 2 got 1 at dense tensor 1")


def sets():
    ids = lambda dtype, x: strings([["s%d" % v for v in row] for row in x]) if dtype == "string" else array(dtype, x)
    for dtype in ("int8", "int16", "int32", "int64", "uint8", "uint16", "string"):
        a, b = ids(dtype, [[1, 2, 2], [5, 4, 3]]), ids(dtype, [[2, 9], [3, 7]])
        flat = lambda x: x.reshape(-1)
        sparse_a = [i64([0, 0], [0, 1], [1, 0]), flat(ids(dtype, [[1, 2, 7]])), i64(2, 2)]
        sparse_b = [i64([0, 0], [1, 0], [1, 1]), flat(ids(dtype, [[2, 7, 7]])), i64(2, 3)]
        for op in ("union", "a-b", "b-a", "intersection"):
            yield Case("DenseToDenseSetOperation", [a, b], {"set_operation": op})
            yield Case("DenseToSparseSetOperation", [a, *sparse_b], {"set_operation": op})
            yield Case("SparseToSparseSetOperation", [*sparse_a, *sparse_b], {"set_operation": op})
        yield Case("SetSize", sparse_b)
    cube = [CUBE, i64(3, 3, 4, 5, 5), CUBE_SHAPE]
    yield Case("SetSize", cube)
    yield Case("SparseToSparseSetOperation", [*cube, *cube], {"set_operation": "union"})
    yield Case("SetSize", [i64([1, 0], [0, 0]), i32(1, 2), i64(2, 2)], {"validate_indices": False})
    yield from sets_as_they_come()
    yield Case("DenseToDenseSetOperation", [i32([1], [2]), i32([1])], {"set_operation": "union"}, error="Mismatched shapes [2] vs [1]")
    yield Case("DenseToDenseSetOperation", [i32(1), i32(1)], {"set_operation": "union"}, error="Shape [1] has rank 1 < 2")
    for inputs, what in (
        ([INDICES[::-1].copy(), i32(1, 2, 3, 4), SHAPE], "indices[1] = [2,0] is out of order."),
        ([INDICES, i32(1, 2, 3, 4), i64(2, 4)], "indices[2] = [2,0] is out of bounds: need 0 <= index < [2,4]"),
        ([INDICES[[0, 0]], i32(1, 2), SHAPE], "indices[1] = [0,1] is repeated"),
        ([i64([0]), i32(1), i64(2)], "Invalid rank 1.")):
        yield Case("SetSize", inputs, error=what)


def sets_as_they_come():
    """Sets whose order and bounds validate_indices does not check. Some are still checked one by one."""
    attrs = {"set_operation": "union", "validate_indices": False}
    empty = [NO_INDICES, none("int32"), i64(2, 2)]
    dense = i32([1, 2], [3, 4])
    for indices in (i64([0, 1], [1, 0], [0, 0], [0, 1]), i64([-1, 1], [1, 0]), i64([0, -1], [1, 0]), i64([1, 0], [0, 3])):
        numbers = i32(1, 5, 2, 3)[:len(indices)]
        if indices.max() < 2:
            yield Case("SparseToSparseSetOperation", [indices, numbers, i64(2, 2), *empty], attrs)
        yield Case("DenseToSparseSetOperation", [dense, indices, numbers, i64(2, 2)], attrs)
    yield Case("DenseToSparseSetOperation", [dense, i64([5, 0], [1, 0]), i32(7, 8), i64(2, 2)], attrs)
    yield Case("DenseToSparseSetOperation", [dense, i64([0, 0], [0, 1], [1, 0]), i32(7, 8, 9), i64(2, 2)], attrs)
    yield Case("DenseToSparseSetOperation", [np.zeros([2, 0], np.int32), i64([0, 1], [1, 1]), i32(7, 8), i64(2, 2)], attrs)
    for indices, shape, what in ((i64([0, 0], [0, 4]), (2, 2), "indices[1, 1] expected < 2, got 4."), (i64([0, 0], [2, 4]), (2, 2), "indices[0, 0] expected < 2, got 2."),
                                 (i64([0, 0], [1, 0]), (2, 0), "Invalid dim_size[1] = 0."), (i64([0, 0], [1, 0]), (0, 2), "Invalid dim_size[0] = 0.")):
        sets = [indices, i32(1, 2), i64(*shape)]
        yield Case("SetSize", sets, {"validate_indices": False}, error=what)
        yield Case("SparseToSparseSetOperation", [*sets, NO_INDICES, none("int32"), i64(*shape)], attrs, error=what)
    yield Case("DenseToSparseSetOperation", [dense, i64([0, 0], [0, 4]), i32(1, 2), i64(2, 2)], attrs, error="indices[1, 1] expected < 2, got 4.")
    yield Case("DenseToSparseSetOperation", [dense, i64([0, 9]), i32(1), i64(3, 2)], attrs, error="Mismatched shapes [2] vs [3]")


def ctc():
    indices, labels = i64([0, 0], [0, 1], [0, 2], [1, 0]), i32(1, 0, 0, 2)
    for dtype in DIFFERENTIABLE:
        logits = eighths(dtype, (6, 2, 4), -2, 2)
        for attrs in ({}, {"preprocess_collapse_repeated": True}, {"ctc_merge_repeated": False}):
            yield Case("CTCLoss", [logits, indices, labels, i32(6, 4)], attrs, grad=True, tol=1e-5, atol=1e-6, grad_tol=1e-5)
        yield Case("CTCLoss", [logits, indices, labels, i32(2, 0)], {"ignore_longer_outputs_than_inputs": True}, grad=True, tol=1e-5)
        for merge in (False, True):
            for blank in (-1, 0, 2):
                yield Case("CTCGreedyDecoder", [logits, i32(6, 4)], {"merge_repeated": merge, "blank_index": blank})
            yield Case("CTCBeamSearchDecoder", [logits, i32(6, 4)], {"merge_repeated": merge, "beam_width": 10, "top_paths": 3}, tol=1e-5)
    logits = eighths("float", (6, 2, 4), -2, 2)
    for inputs, what in (
        ([logits[0], indices, labels, i32(6, 4)], "inputs is not a 3-Tensor"),
        ([logits, indices, labels, i32(6, 4, 1)], "len(sequence_length) != batch_size.  len(sequence_length):  3 batch_size: 2"),
        ([logits, indices, labels, i32(7, 4)], "sequence_length(0) <= 6"),
        ([logits, indices, labels, i32(6, -1)], "seq_len(1) < 0"),
        ([logits, indices, labels, i32(2, 4)], "Not enough time for target transition sequence (required: 3, available: 2)0"),
        ([logits, indices[:3], labels[:3], i32(6, 4)], "Labels length is zero in batch 1"),
        ([logits, indices, i32(1, 3, 0, 2), i32(6, 4)], "Saw a non-null label (index >= num_classes - 1) following a null label, batch: 0"),
        ([logits, indices, i32(1, -1, 0, 2), i32(6, 4)], "All labels must be nonnegative integers, batch: 0 labels: 1,-1,0"),
        ([logits, indices[::-1].copy(), labels, i32(6, 4)], "label SparseTensor is not valid: indices[1] = [0,2] is out of order."),
        ([logits, indices + 1, labels, i32(6, 4)], "label SparseTensor is not valid: indices[3] = [2,1] is out of bounds"),
        ([logits, indices, labels[:3], i32(6, 4)], "labels_indices and labels_values must contain the same number of rows")):
        yield Case("CTCLoss", inputs, error=what)
    yield Case("CTCGreedyDecoder", [logits, i32(6, 4)], {"blank_index": 4}, error="blank_index expected to be between -4 and 3 but was 4")
    for op, attrs in (("CTCGreedyDecoder", {}), ("CTCBeamSearchDecoder", {"beam_width": 3, "top_paths": 1})):
        yield Case(op, [logits[0], i32(6, 4)], attrs, error="inputs is not a 3-Tensor")
        yield Case(op, [logits[:0], i32(0, 0)], attrs, error="inputs must not be empty")
        yield Case(op, [logits, i32(7, 4)], attrs, error="sequence_length(0) <= 6")
    for width, paths, what in ((2, 3, "requested more paths than the beam width."),
                               (90, 90, "Less leaves in the beam search than requested.")):
        yield Case("CTCBeamSearchDecoder", [logits[:1], i32(1, 1)], {"beam_width": width, "top_paths": paths}, error=what)


def segments():
    x = lambda dtype: eighths(dtype, (4, 3), 1, 2)
    for name in ("Sum", "Mean", "SqrtN"):
        op = "SparseSegment%sWithNumSegments" % name
        for dtype in REALS if name == "Sum" else FLOATS:
            for sparse in (False, True):
                yield Case(op, [x(dtype), i32(0, 1, 3), i32(0, 0, 2), scalar("int32", 4)], {"sparse_gradient": sparse},
                           grad=dtype in DIFFERENTIABLE, tol=LOOSE.get(dtype))
        yield Case(op, [x("float"), i64(0, 1), i64(1, 1), scalar("int64", 2)], grad=True)
        yield Case(op, [x("float"), np.zeros([0], np.int32), np.zeros([0], np.int32), scalar("int32", 2)])
        yield Case("SparseSegment" + name, [x("float"), i32(3, 1, 3), i32(0, 0, 2)], {"sparse_gradient": True}, grad=True)
        for ids, count, what in ((i32(0, 0, 2), scalar("int32", 2), "segment ids must be < num_segments"),
                                 (i32(0, 0, 2), scalar("int32", -1), "segment ids must be >= 0"),
                                 (i32(0, 0, 2), i32(3), "num_segments should be a scalar, not shape [1]"),
                                 (i32(2, 0, 1), scalar("int32", 4), "segment ids are not increasing"),
                                 (i32(-1, 0, 1), scalar("int32", 4), "Segment id -1 out of range [0, 4), possibly because")):
            yield Case(op, [x("float"), i32(0, 1, 3), ids, count], error=what)


def arrays():
    for dtype in FLOATS:
        for exclusive in (False, True):
            for reverse in (False, True):
                yield Case("CumulativeLogsumexp", [eighths(dtype, (2, 4, 2)), scalar("int32", 1)],
                           {"exclusive": exclusive, "reverse": reverse}, tol=LOOSE.get(dtype), grad=dtype in DIFFERENTIABLE,
                           grad_tol=1e-4)
    yield Case("CumulativeLogsumexp", [array("float", [-np.inf, -np.inf, 1, np.inf, 2]), scalar("int64", -1)])
    yield Case("CumulativeLogsumexp", [eighths("float", (3,)), scalar("int32", 1)],
               error="ScanOp: Expected scan axis in the range [-1, 1), but got 1")
    for index in (i32, i64):
        yield Case("UnravelIndex", [index(5, 3, 0), index(2, 3)])
        yield Case("UnravelIndex", [index(5)[0], index(2, 3)])
    for indices, dims, what in ((i32(6), i32(2, 3), "index is out of bound as with dims"),
                                (i32([1]), i32(2, 3), 'The indices can only be scalar or vector, got "[1,1]"'),
                                (i32(0), i32(0, 3), "Input dims cannot contain a dim of zero, but dims contains zero at index 0"),
                                (i32(0), i32(2, -3), "Input dims cannot be negative. Got dim = -3 at index 1"),
                                (i64(5, 3), i64(-2, -3), "Input dims cannot be negative. Got dim = -2 at index 0"),
                                (i32(0), i32([2]), 'The indices can only be 1-D, got "[1,1]"')):
        yield Case("UnravelIndex", [indices, dims], error=what)
    for dtype in NUMBERS:
        yield Case("AccumulateNV2", [eighths(dtype, (2, 3)), eighths(dtype, (2, 3), key=1), eighths(dtype, (2, 3), key=2)],
                   {"N": 3, "shape": tf.TensorShape([2, 3])}, grad=dtype in DIFFERENTIABLE, tol=LOOSE.get(dtype))
    text = strings(["a", "b", "a", "c"])
    for op in ("UniqueV2", "UniqueWithCountsV2"):
        for dtype in REALS + ("bool",):
            yield Case(op, [array(dtype, [[1, 0], [0, 1], [1, 0]]), i64(0)], {"out_idx": tf.int32})
        yield Case(op, [text, np.zeros([0], np.int64)], {"out_idx": tf.int64})
        yield Case(op, [np.array([[["a", "b"], ["a", "b"]], [["c", "d"], ["c", "d"]]], object), i32(1)], {"out_idx": tf.int32})
        yield Case(op, [array("float", [0.0, -0.0, 1, 0]), i64(-1)], {"out_idx": tf.int32})
        yield Case(op, [np.zeros([2, 0], np.float32), i64(0)], {"out_idx": tf.int32})
        for x, axis, what in ((i32([1], [2]), np.zeros([0], np.int64), "unique expects a 1D vector."),
                              (i32(1, 2), i64(1), "axis has to be between [0, 1)"),
                              (i32(1, 2), i64(0, 0), "axis does not support input tensors larger than 1 elements"),
                              (i32(1, 2), scalar("int64", 0), "axis expects a 1D vector.")):
            yield Case(op, [x, axis], {"out_idx": tf.int32}, error=what)


def ragged():
    for dtype in ("float", "double", "int32", "int64"):
        for splits in (tf.int32, tf.int64):
            yield Case("RaggedRange", [array(dtype, [0, 3, 5]), array(dtype, [3, 9, 5]), array(dtype, [1, 2, 1])], {"Tsplits": splits})
        yield Case("RaggedRange", [scalar(dtype, 5), array(dtype, [0, 9]), array(dtype, [-2, 3])], {"Tsplits": tf.int64})
        yield Case("RaggedRange", [scalar(dtype, 1), scalar(dtype, 4), scalar(dtype, 1)], {"Tsplits": tf.int64})
    large = "Requires ((limit - start) / delta) <= 9223372036854775807"
    for dtype in ("float", "double"):
        for start, limit, delta in ((np.inf, 3, 1), (-np.inf, 3, -1), (0, -np.inf, 1), (0, 3, np.inf)):
            yield Case("RaggedRange", list(array(dtype, [start, limit, delta])), {"Tsplits": tf.int64})
        for start, limit, delta in ((np.nan, 3, 1), (0, np.nan, -1), (1, 1, np.nan), (np.inf, np.inf, 1), (0, np.inf, 1),
                                    (0, 1e30, 1)):
            yield Case("RaggedRange", list(array(dtype, [start, limit, delta])), {"Tsplits": tf.int64}, error=large)
    for inputs, what in (([i32(0), i32(1), i32(0)], "Requires delta != 0"),
                         ([i32(0, 1), i32(1, 2, 3), i32(1)], "starts, limits, and deltas must have the same shape"),
                         ([i32([0]), i32(1), i32(1)], "starts must be a scalar or vector")):
        yield Case("RaggedRange", inputs, {"Tsplits": tf.int64}, error=what)
    inner, outer, values = i64(0, 2, 2, 5), i64(0, 1, 3), eighths("float", (5,))
    yield Case("RaggedTensorToSparse", [inner, values], {"RAGGED_RANK": 1}, grad=True)
    yield Case("RaggedTensorToSparse", [outer, inner, values], {"RAGGED_RANK": 2}, grad=True)
    yield Case("RaggedTensorToSparse", [inner, eighths("float", (5, 2))], {"RAGGED_RANK": 1}, grad=True)
    yield Case("RaggedTensorToSparse", [inner.astype(np.int32), strings(list("abcde"))], {"RAGGED_RANK": 1})
    yield Case("RaggedTensorToSparse", [i64(0), values[:0]], {"RAGGED_RANK": 1})
    for splits, what in ((i64(1, 5), "First value of ragged splits must be 0."),
                         (i64(0, 3, 2, 5), "Ragged splits should be non decreasing, but we got 3 followed by 2"),
                         (i64(0, 3), "Final value of ragged splits must match the length the corresponding ragged values."),
                         (np.zeros([0], np.int64), "ragged splits may not be empty.")):
        yield Case("RaggedTensorToSparse", [splits, values], {"RAGGED_RANK": 1}, error=what)


def cases():
    for family in (segments, arrays, ragged, move, concat_and_split, slice_and_reshape, fill, add, with_dense, reduce, softmax_and_matmul, cross, sets, ctc):
        yield from family()
