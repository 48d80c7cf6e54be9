"""Ragged tensors."""

import numpy as np

from case import Case, eighths, i32, i64, scalar, strings

DTYPES = ("float", "double", "half", "int8", "int32", "int64", "complex64", "bool")
INNER, OUTER = i64(0, 2, 2, 5), i64(0, 1, 3)
SPLITS, ROWIDS, COUNT = "ROW_SPLITS", "VALUE_ROWIDS", "FIRST_DIM_SIZE"
NOTHING = np.zeros([0], np.int64)


def gather(splits, values, indices, **expected):
    indices = np.asarray(indices, np.int64) if isinstance(indices, (list, int)) else indices
    attrs = {"OUTPUT_RAGGED_RANK": len(splits) + indices.ndim - 1}
    return Case("RaggedGather", [*splits, values, indices], attrs, **expected)


def gathers():
    values = eighths("float", (5,))
    for dtype in DTYPES:
        yield gather([INNER], eighths(dtype, (5,)), [2, 0, 2], grad=dtype in ("float", "double"))
    yield gather([INNER], strings(list("abcde")), [[2, 0], [1, 1]])
    for indices in ([[2, 0], [1, 1]], 2, [[[2, 0]]], np.zeros([0], np.int32), np.zeros([2, 0], np.int64), i32(1, 0)):
        yield gather([INNER], eighths("float", (5, 2)), indices, grad=True)
        yield gather([INNER.astype(np.int32)], values, indices)
    for indices in ([1, 0, 1], 1, [[0], [1]]):
        yield gather([OUTER, INNER], values, indices, grad=True)
    yield gather([i64(0, 2), i64(0, 1, 3, 5)], values, [0])
    yield gather([i64(1, 2, 2, 5)], values, [0, 1])
    for splits, indices, what in (
            ([INNER], [3], "indices[0] = 3 is not in [0, 3)"),
            ([INNER], [[0, -1]], "indices[0,1] = -1 is not in [0, 3)"),
            ([NOTHING], [0], "indices[0] = 0 is not in [0, -1)"),
            ([NOTHING], np.zeros([0], np.int64), "Ragged splits may not be empty"),
            ([i64(0, 2, 2, 6)], [0], "Ragged splits must not point past values"),
            ([i64(0, 5), i64(0, 1, 3, 5)], [0], "Ragged splits must not point past values"),
            ([i64(-1, 2, 2, 5)], [0], "Ragged splits must be non-negative"),
            ([i64(0, 3, 2, 5)], [0], "Ragged splits must be sorted")):
        yield gather(splits, values, indices, error=what)


def dense(shape, values, partitions, types=None, default=None, **expected):
    types = types or [SPLITS] * len(partitions)
    if default is None:
        default = scalar("float", 9) if values.dtype != object else np.array("-", object)
        default = default if values.dtype == object else default.astype(values.dtype)
    attrs = {"row_partition_types": types}
    return Case("RaggedTensorToTensor", [shape, values, default, *partitions], attrs, **expected)


def to_tensor():
    any_size = i64(-1, -1)
    values, pairs = eighths("float", (5,)), eighths("float", (5, 2))
    for dtype in DTYPES:
        yield dense(any_size, eighths(dtype, (5,)), [INNER], grad=dtype in ("float", "double"))
    yield dense(any_size, strings(list("abcde")), [INNER])
    for shape in (i64(2, 2), i64(4, -1), i64(-1, 1), i64(0, -1), i64(3, 7), i32(-1, -1), scalar("int64", -1)):
        yield dense(shape, values, [INNER], grad=True)
        yield dense(shape, values, [INNER.astype(np.int32)])
    for default in (scalar("float", 8), eighths("float", (1,)), eighths("float", (2,))):
        yield dense(i64(-1, -1, 2), pairs, [INNER], default=default, grad=True)
        yield dense(i64(-1, -1, -1, 2), pairs, [OUTER, INNER], default=default, grad=True)
    yield dense(i64(-1, -1, 3, 2), eighths("float", (5, 3, 2)), [INNER], default=eighths("float", (3, 2)), grad=True)
    for shape in (i64(-1, -1, -1), i64(-1, -1, 1), i64(1, 3, 2), i64(3, 1, -1)):
        yield dense(shape, values, [OUTER, INNER], grad=True)
        yield dense(shape, values, [scalar("int64", 2), i64(0, 1, 1), i64(0, 0, 2, 2, 2)], [COUNT, ROWIDS, ROWIDS], grad=True)
        yield dense(shape, values, [OUTER, i64(0, 0, 2, 2, 2)], [SPLITS, ROWIDS])
    yield dense(any_size, values, [scalar("int64", 4), i64(0, 0, 1, 3, 3)], [COUNT, ROWIDS], grad=True)
    yield dense(any_size, values[:0], [scalar("int64", 3), NOTHING], [COUNT, ROWIDS])
    yield dense(any_size, values[:0], [i64(0)])
    yield dense(i64(2, 3), values[:0], [i64(0)])
    for shape in (i64(0, -1, -1), i64(2, 2, 0)):  # rows that no level above divides, in a result without elements
        yield dense(shape, values, [i64(0, 1), INNER])
    yield dense(i64(-1, -1, -1), values, [i64(0), INNER])


def to_tensor_errors():
    any_size = i64(-1, -1)
    values = eighths("float", (5,))
    for outer, rows in ((i64(0), 0), (i64(0, 1), 1), (i64(0, 1, 2), 2)):
        yield dense(i64(3, 1, 2), values, [outer, INNER], error="Row partition size is greater than output size: 3 > %d" % rows)
    yield dense(i64(-1, -1, -1), values, [scalar("int64", 2), i64(0), INNER], [COUNT, ROWIDS, SPLITS],
                error="Row partition size is greater than output size: 3 > 1")
    for partitions, types, what in (
            ([scalar("int64", 2), i64(0, 0, 1, 3, 3)], [COUNT, ROWIDS], "Got next_value_rowid=3 which is not less than 2"),
            ([scalar("int64", -1), i64(0, 0, 1, 3, 3)], [COUNT, ROWIDS], "Dimension -1 must be >= 0"),
            ([i64(1, 2, 2, 5)], [SPLITS], "Invalid row split size."),
            ([i64(0, 3, 2, 5)], [SPLITS], "Invalid row split size."),
            ([NOTHING], [SPLITS], "Invalid first partition input. Tensor requires at least one element.")):
        yield dense(any_size, values, partitions, types, error=what)
    for shape, what in (
            (i64(-1), "rt_input.shape and shape=[?] are incompatible: rt_input.rank = 2 but shape.rank = 1"),
            (i64(-1, -1, 3), "rt_input.shape and shape=[?,?,3] are incompatible: rt_input.rank = 2 but shape.rank = 3")):
        yield dense(shape, values, [INNER], error=what)
    pairs = eighths("float", (5, 2))
    yield dense(i64(-1, -1, 3), pairs, [INNER],
                error="rt_input.shape and shape=[?,?,3] are incompatible: rt_input.shape[2] = 2 but shape[2] = 3")
    yield dense(i64(-1, -1, 2), pairs, [INNER], default=eighths("float", (3,)),
                error="default_value.shape=[3] and rt_input.flat_values.shape=[5,2] are incompatible: "
                      "default_value.shape[-1] = 3 but rt_input.flat_values.shape[-1] = 2")
    yield dense(any_size, values, [INNER], default=eighths("float", (1,)),
                error="default_value.shape=[1] and rt_input.flat_values.shape=[5] are incompatible: "
                      "default_value.rank = 1  must be less than rt_input.flat_values.rank = 1")


def cases():
    for family in (gathers, to_tensor, to_tensor_errors):
        yield from family()
