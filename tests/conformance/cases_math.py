"""Element-wise arithmetic, comparisons, reductions, matrix products."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import (COMPLEX, FLOATS, LOOSE, NUMBERS, QUANTIZED, REALS, SIGNED, UNSIGNED, Case, array, eighths, i32,
                  i64, nonzero, scalar, strings)

INF, NAN = np.inf, np.nan

# Op: the range of its argument.
UNARY_COMPLEX = {
    "Neg": (-2, 2), "Sign": (-2, 2), "Square": (-2, 2), "Sqrt": (0.125, 3), "Rsqrt": (0.25, 3),
    "Reciprocal": (0.25, 3), "Inv": (0.25, 3), "Exp": (-2, 2), "Expm1": (-2, 2), "Log": (0.125, 3),
    "Log1p": (-0.5, 2), "Tanh": (-2, 2), "Sigmoid": (-3, 3), "Sin": (-4, 4), "Cos": (-4, 4),
    "Tan": (-1, 1), "Asin": (-0.875, 0.875), "Acos": (-0.875, 0.875), "Atan": (-3, 3),
    "Sinh": (-2, 2), "Cosh": (-2, 2), "Asinh": (-3, 3), "Acosh": (1.25, 4), "Atanh": (-0.75, 0.75),
}
UNARY_REAL = {"Abs": (-2, 2), "Erf": (-2, 2), "Erfc": (-2, 2), "Floor": (-3, 3), "Ceil": (-3, 3),
              "Round": (-3, 3), "Rint": (-3, 3)}
UNARY_TEST = ("IsNan", "IsInf", "IsFinite")
UNARY_GRAD = {"SqrtGrad": (0.25, 2), "RsqrtGrad": (0.25, 2), "ReciprocalGrad": (-2, 2),
              "InvGrad": (-2, 2), "TanhGrad": (-0.875, 0.875), "SigmoidGrad": (0.125, 0.875)}
# Ops for which TensorFlow defines no gradient, or only a gradient of zeros.
NOT_DIFFERENTIABLE = ("Floor", "Ceil", "Round", "Rint")

SPECIAL = [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN, 100.0, -100.0, 1e-6, -1e-6]


def unary():
    for op, (low, high) in {**UNARY_COMPLEX, **UNARY_REAL}.items():
        grad = op not in NOT_DIFFERENTIABLE
        for dtype in FLOATS:
            if op == "Rint" and dtype in ("half", "bfloat16"):
                continue
            yield Case(op, [eighths(dtype, (2, 3), low, high, op)], grad=grad, grad_tol=LOOSE.get(dtype))
        yield Case(op, [eighths("float", (), low, high, op)], grad=grad)
        yield Case(op, [eighths("float", (0, 3), low, high, op)], grad=grad)
        yield Case(op, [array("float", SPECIAL)])
        if op in UNARY_COMPLEX:
            for dtype in COMPLEX:
                yield Case(op, [eighths(dtype, (3,), low, high, op)], grad=grad, tol=1e-4 if dtype == "complex64" else 1e-10)
    for op in ("Neg", "Abs", "Sign", "Square"):
        for dtype in SIGNED:
            yield Case(op, [array(dtype, [0, 1, -1, 5, -7, 11])])
    for dtype in UNSIGNED:
        yield Case("Square", [array(dtype, [0, 1, 5, 15])])
    yield Case("Neg", [array("int8", [-128, 127])])
    yield Case("Abs", [array("int16", [-32768, 32767])])
    for op in ("Round", "Rint"):
        yield Case(op, [array("float", [0.5, 1.5, 2.5, -0.5, -1.5, 1e10, 0.49999997])])
    yield Case("Floor", [array("double", [0.5, -0.5, 1e300])])
    yield Case("Expm1", [array("float", [1e-7, -1e-7, 1e-3])], atol=1e-13)
    for op in ("Expm1", "Log1p"):
        for dtype in COMPLEX:
            yield Case(op, [array(dtype, [1e-7, -1e-7, 1e-3, 1e-6 + 1e-6j, 0.25 - 0.375j, 1 + 2j])], atol=1e-13)
    yield Case("Log1p", [array("float", [1e-7, -1e-7, 1e-3])], atol=1e-13)
    yield Case("Erfc", [array("float", [3.0, 5.0, 8.0])], tol=1e-4, atol=1e-30)
    # If y is near 1, 1 - y * y has only one or two significant bits: the last bit of y is 1e-7 of the gradient.
    for op, atol in (("Exp", 1e-9), ("Tanh", 5e-7), ("Sigmoid", 5e-7)):
        yield Case(op, [np.linspace(-20, 20, 41).astype(np.float32)], atol=atol, tol=4e-6, grad=True)
    yield Case("Square", [eighths("float", (7, 9, 5), key="long")], grad=True)
    for op in UNARY_TEST:
        for dtype in FLOATS:
            yield Case(op, [array(dtype, SPECIAL)])
    for op, (low, high) in UNARY_GRAD.items():
        for dtype in FLOATS + COMPLEX:
            y = nonzero(eighths(dtype, (2, 3), low, high, op))
            yield Case(op, [y, eighths(dtype, (2, 3), key=op)], grad=True,
                       grad_tol=LOOSE.get(dtype))
    for op in ("SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"):
        for dtype in FLOATS + COMPLEX:
            yield Case(op, [array(dtype, SPECIAL), array(dtype, [0.0, -0.0] * 5 + [0.0])])
        yield Case(op, [array("float", [INF, NAN, 1, 2]), array("float", [1, 2, 0, NAN])])
    yield Case("SqrtGrad", [eighths("float", (2,)), eighths("float", (3,))],
               error="The two arguments to a cwise op must have same number of elements, got 2 and 3")


def broadcasts(dtype, low, high, key):
    yield eighths(dtype, (2, 3), low, high, key), eighths(dtype, (2, 3), low, high, (key, 2))
    yield eighths(dtype, (2, 3), low, high, key), eighths(dtype, (3,), low, high, (key, 2))
    yield eighths(dtype, (2, 1), low, high, key), eighths(dtype, (1, 3), low, high, (key, 2))
    yield eighths(dtype, (), low, high, key), eighths(dtype, (2, 3), low, high, (key, 2))
    yield eighths(dtype, (2, 3), low, high, key), eighths(dtype, (), low, high, (key, 2))
    yield eighths(dtype, (2, 1, 3, 1), low, high, key), eighths(dtype, (4, 1, 2), low, high, (key, 2))
    yield eighths(dtype, (0, 3), low, high, key), eighths(dtype, (1, 3), low, high, (key, 2))
    yield eighths(dtype, (1,), low, high, key), eighths(dtype, (1, 1), low, high, (key, 2))


# Op: (dtypes, range of the first argument, range of the second, differentiable).
BINARY = {
    "AddV2": (NUMBERS, (-2, 2), (-2, 2), True),
    "Add": (FLOATS + ("uint8",) + SIGNED + COMPLEX, (-2, 2), (-2, 2), True),
    "Sub": (NUMBERS, (-2, 2), (-2, 2), True),
    "Mul": (NUMBERS, (-2, 2), (-2, 2), True),
    "RealDiv": (FLOATS + COMPLEX, (-2, 2), (0.5, 2), True),
    "Div": (NUMBERS, (-7, 7), (1, 3), True),
    "FloorDiv": (REALS, (-7, 7), (1, 3), False),
    "TruncateDiv": (REALS, (-7, 7), (1, 3), False),
    "FloorMod": (REALS, (-7, 7), (1, 3), True),
    "Mod": (("int32", "int64", "float", "double"), (-7, 7), (1, 3), False),
    "TruncateMod": (("int32", "int64", "float", "double"), (-7, 7), (1, 3), False),
    "Maximum": (REALS, (-2, 2), (-2, 2), True),
    "Minimum": (REALS, (-2, 2), (-2, 2), True),
    "Pow": (FLOATS + SIGNED + COMPLEX, (0.5, 2), (0.5, 3), True),
    "SquaredDifference": (FLOATS + ("int32", "int64") + COMPLEX, (-2, 2), (-2, 2), True),
    "DivNoNan": (FLOATS + COMPLEX, (-2, 2), (-1, 1), True),
    "MulNoNan": (FLOATS + COMPLEX, (-2, 2), (-1, 1), True),
    "Atan2": (FLOATS, (-2, 2), (0.5, 2), True),
    "Xdivy": (FLOATS + COMPLEX, (-1, 1), (0.5, 2), True),
    "Xlogy": (FLOATS + COMPLEX, (-1, 1), (0.5, 2), True),
    "Xlog1py": (FLOATS + COMPLEX, (-1, 1), (-0.5, 2), True),
}
COMPARE = ("Less", "LessEqual", "Greater", "GreaterEqual")
BITWISE = ("BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift")


def sample(dtype, bounds, key):
    return eighths(dtype, (2, 3), bounds[0], bounds[1], key)


def binary():
    for op, (dtypes, first, second, grad) in BINARY.items():
        for dtype in dtypes:
            x, y = sample(dtype, first, (op, 1)), sample(dtype, second, (op, 2))
            if op in ("Div", "FloorDiv", "TruncateDiv", "FloorMod", "Mod", "TruncateMod"):
                y = nonzero(y)
            tol = {"complex64": 1e-4, "complex128": 1e-10}.get(dtype)
            yield Case(op, [x, y], grad=grad and dtype in FLOATS + COMPLEX, tol=tol,
                       grad_tol=LOOSE.get(dtype, tol))
        low, high = min(first[0], second[0]), max(first[1], second[1])
        if second[0] > 0:
            low, high = second
        for x, y in broadcasts("float", low, high, op):
            yield Case(op, [x, y], grad=grad)
        yield Case(op, [eighths("float", (2,)), eighths("float", (3,))], error="Incompatible shapes: [2] vs. [3]")
    special = array("float", [0.0, -0.0, 1.0, -1.0, INF, -INF, NAN])
    for op in BINARY:
        if op in ("Add", "Div", "Mod"):
            continue
        # Powers of infinities follow NumPy's rules in both.
        yield Case(op, [special.reshape(7, 1), special.reshape(1, 7)])
    for op in ("FloorDiv", "FloorMod", "TruncateDiv", "TruncateMod", "Div", "Mod"):
        yield Case(op, [i32(7, -7, 7, -7, 6, -6), i32(3, 3, -3, -3, 3, -3)])
        # TensorFlow has a specific error for only some of the names.
        named = not op.startswith("Truncate")
        yield Case(op, [i32(1, 2), i32(1, 0)],
                   error="Integer division by zero" if named else "Unexpected error in binary operator",
                   ramet_error="Integer division by zero")
        yield Case(op, [array("float", [7, -7, 7, -7, 0.5, 6]), array("float", [3, 3, -3, -3, 0.25, -3])])
    yield Case("Pow", [i32(2, -2, 0, 3), i32(10, 3, 0, 0)])
    yield Case("Pow", [i32(2, 2), i32(1, -1)], error="Integers to negative integer powers are not allowed")
    yield Case("Pow", [array("float", [-2, 0, 0, 2, -2]), array("float", [2, 0, 2, -1, 3])], grad=True)
    yield Case("AddV2", [array("int8", [127, -128]), array("int8", [1, -1])])
    yield Case("Mul", [array("uint8", [200, 16]), array("uint8", [2, 16])])
    yield Case("Maximum", [array("float", [1, NAN, 2, 3]), array("float", [NAN, 1, 2, 1])])
    yield Case("Minimum", [array("float", [1, NAN, 2, 3]), array("float", [NAN, 1, 2, 1])])
    yield Case("Add", [strings([[b"a", b"b "], [b"", b"%"]]), strings([b"x", b"\xff\x00"])])
    for x, y in broadcasts("int32", -2, 2, "int"):
        yield Case("AddV2", [x, y])
    for op in COMPARE + ("Equal", "NotEqual"):
        for dtype in REALS + (("bool",) + COMPLEX if op in ("Equal", "NotEqual") else ()):
            yield Case(op, [sample(dtype, (-1, 1), (op, 1)), sample(dtype, (-1, 1), (op, 2))])
        for x, y in broadcasts("float", -1, 1, op):
            yield Case(op, [x, y])
        yield Case(op, [special.reshape(7, 1), special.reshape(1, 7)])
        yield Case(op, [eighths("float", (2,)), eighths("float", (3,))], error="Incompatible shapes: [2] vs. [3]")
    for op in ("Equal", "NotEqual"):
        for dtype in QUANTIZED:
            low = array(dtype, [[1, 2, 3], [0, 127, 5]])
            yield Case(op, [low, array(dtype, [1, 2, 5])])
            yield Case(op, [low, array(dtype, [[127]])])
        yield Case(op, [strings([b"a", b"b", b""]), strings([[b"a"], [b""]])])
        yield Case(op, [eighths("float", (2,)), eighths("float", (3,))], {"incompatible_shape_error": False})
        yield Case(op, [i32(1, 2), i32(1, 3)], {"incompatible_shape_error": False})
    for dtype in ("float", "double"):
        x = eighths(dtype, (6,))
        yield Case("ApproximateEqual", [x, x + array(dtype, [0, 1e-6, 1e-4, 1e-2, -1e-6, -1])])
        yield Case("ApproximateEqual", [x, x + array(dtype, [0, 1e-6, 1e-4, 1e-2, -1e-6, -1])], {"tolerance": 0.125})
        for tolerance in (0.0, 0.125):  # the bound itself is within the tolerance
            yield Case("ApproximateEqual", [array(dtype, [1, 1, 1]), array(dtype, [1, 1.125, 1.25])], {"tolerance": tolerance})
    yield Case("ApproximateEqual", [eighths("float", (2,)), eighths("float", (3,))],
               error="x and y must be of the same shape. x shape: [2]. y shape: [3]")
    for op in ("LogicalAnd", "LogicalOr"):
        for x, y in broadcasts("bool", 0, 1, op):
            yield Case(op, [x, y])
    yield Case("LogicalNot", [eighths("bool", (2, 3))])
    for op in BITWISE:
        for dtype in SIGNED + UNSIGNED:
            high = 5 if "Shift" in op else 100
            yield Case(op, [eighths(dtype, (2, 3), -100, 100, op), eighths(dtype, (3,), 0, high, op)])
    for dtype in SIGNED + UNSIGNED:
        yield Case("Invert", [eighths(dtype, (4,), -100, 100)])


def chosen():
    condition = eighths("bool", (2, 3), key="condition")
    for dtype in NUMBERS + ("bool",):
        t, e = eighths(dtype, (2, 3), key="t"), eighths(dtype, (2, 3), key="e")
        grad = dtype in ("float", "double")
        yield Case("Select", [condition, t, e], grad=grad)
        yield Case("SelectV2", [condition, t, e], grad=grad)
    t, e = eighths("float", (2, 3), key="t"), eighths("float", (2, 3), key="e")
    yield Case("Select", [array("bool", [1, 0]), t, e])
    yield Case("Select", [array("bool", True), t, e])
    yield Case("Select", [eighths("bool", (0,)), eighths("float", (0, 3)), eighths("float", (0, 3))])
    yield Case("Select", [condition, strings([[b"a", b"b", b"c"], [b"d", b"e", b"f"]]),
                          strings([[b"u", b"v", b"w"], [b"x", b"y", b"z"]])])
    yield Case("Select", [array("bool", [1, 0]), strings([[b"a", b"b"], [b"c", b"d"]]),
                          strings([[b"u", b"v"], [b"w", b"x"]])])
    yield Case("SelectV2", [array("bool", [[1], [0]]), strings([b"a", b"b"]), strings(b"e").reshape(())])
    for a, b, c in (((2, 1), (3,), (2, 3)), ((), (2, 3), ()), ((2, 3), (), ()), ((3,), (2, 1), (1, 3)),
                    ((4, 1, 1), (2, 1), (3,)), ((0, 3), (3,), ())):
        yield Case("SelectV2", [eighths("bool", a, key="c"), eighths("float", b, key="t"), eighths("float", c, key="e")],
                   grad=True)
    b, f = (lambda *s: eighths("bool", s)), (lambda *s: eighths("float", s))
    yield Case("Select", [b(2), f(2, 3), f(3, 3)],
               error="'then' and 'else' must have the same size.  but received: [2,3] vs. [3,3]")
    yield Case("Select", [b(3), f(2, 3), f(2, 3)],
               error="Number of batches of 'then' must match size of 'cond', but saw: 2 vs. 3")
    yield Case("Select", [b(2, 1), f(2, 3), f(2, 3)],
               error="must have the same size and shape.  Input 0: [2,1] != input 1: [2,3]")
    yield Case("Select", [b(2), f(), f()], error="'then' must be at least a vector, but saw shape: []")
    yield Case("SelectV2", [b(3), f(2, 3), f(4)],
               error="condition [3], then [2,3], and else [4] must be broadcastable")


REDUCE = {"Sum": NUMBERS, "Prod": NUMBERS, "Mean": NUMBERS, "Max": REALS, "Min": REALS}


def reductions():
    axes = (i32(0), i32(1), i32(-1), i32(0, 2), i32(1, 2), i32(0, 1, 2), i32(-2, 0), i32(), np.int32(1), i64(2), i64(-3, 1))
    for op, dtypes in REDUCE.items():
        for dtype in dtypes:
            x = eighths(dtype, (3, 4), -2, 3, op)
            loose = LOOSE.get(dtype)
            yield Case(op, [x, i32(1)], grad=dtype in FLOATS and op != "Prod", tol=loose)
            yield Case(op, [x, i32(0, 1)], tol=loose)
        for axis in axes:
            axis = np.asarray(axis)
            for keep in (False, True):
                yield Case(op, [eighths("float", (2, 3, 4), 0.5, 2, op), axis], {"keep_dims": keep},
                           grad=axis.size > 0 or op != "Prod", static_only=axis.dtype == np.int64)
        yield Case(op, [eighths("float", ()), i32()], grad=op != "Prod")
        for dtype in ("float", "int32"):
            yield Case(op, [eighths(dtype, (0, 3)), i32(0)])
            yield Case(op, [eighths(dtype, (0, 3)), i32(1)], grad=op in ("Sum", "Mean") and dtype == "float")
            yield Case(op, [eighths(dtype, (3, 0)), i32(1)])
        yield Case(op, [array("float", [[1, NAN, 2], [INF, 1, 2], [-INF, INF, 1]]), i32(1)])
        yield Case(op, [array("float", [[1, NAN, 2], [INF, 1, 2], [-INF, 3, 1]]), i32(0)])
        yield Case(op, [eighths("float", (5, 70, 3), 0.75, 1.25, op), i32(1)], tol=2e-5)
        for axis, what in ((i32(2), "Invalid reduction dimension (2 for input with 2 dimension(s)"),
                           (i32(-3), "Invalid reduction dimension (-3 for input with 2 dimension(s)"),
                           (i32(0, -2), "Invalid reduction arguments: Axes contains duplicate dimension: 0")):
            yield Case(op, [eighths("float", (2, 3)), axis], error=what)
    yield Case("Max", [array("float", [[2, 1, 2], [3, 3, 3]]), i32(1)], grad=True)
    yield Case("Prod", [array("float", [[2, 0, 3], [0, 0, 3], [1, 2, 3]]), i32(1)], grad=True)
    yield Case("Prod", [eighths("complex64", (2, 3), key="prod"), i32(1)], grad=True, tol=1e-4)
    yield Case("Mean", [i32(1, 2, 4), i32(0)])
    yield Case("Mean", [i32(-1, -2, -4), i32(0)])
    for op in ("All", "Any"):
        for axis in (i32(0), i32(1), i32(0, 1), i32(), i64(-1)):
            yield Case(op, [eighths("bool", (3, 3), key=op), axis])
            yield Case(op, [eighths("bool", (3, 3), key=op), axis], {"keep_dims": True})
        yield Case(op, [eighths("bool", (0, 2)), i32(0)])
    for op in ("ArgMax", "ArgMin"):
        for dtype in REALS + ("bool",):
            yield Case(op, [eighths(dtype, (3, 4), -2, 2, op), np.int32(1)], {"output_type": tf.int64})
        for axis in (0, 1, 2, -1, -3):
            yield Case(op, [eighths("float", (2, 3, 4), key=op), np.int64(axis)], {"output_type": tf.int32})
        yield Case(op, [eighths("float", (5,), key=op), np.int32(0)], {"output_type": tf.int64})
        yield Case(op, [array("float", [[1, NAN, 2], [NAN, 1, 2], [INF, 1, -INF], [2, 2, 1]]), np.int32(1)],
                   {"output_type": tf.int64})
        yield Case(op, [eighths("float", (0, 3)), np.int32(1)], {"output_type": tf.int64})
        yield Case(op, [eighths("float", (2, 3)), np.int32(2)], {"output_type": tf.int64},
                   error="Expected dimension in the range [-2, 2), but got 2")
        yield Case(op, [eighths("float", (2, 3)), i32(0, 1)], {"output_type": tf.int64},
                   error="dim must be a scalar, but received tensor of shape: [2]")
        yield Case(op, [eighths("float", (0, 3)), np.int32(0)], {"output_type": tf.int64},
                   error="Reduction axis 0 is empty in shape [0,3]")
    yield Case("ArgMax", [eighths("float", (3, 4)), np.int32(1)], {"output_type": tf.uint16})


def scans():
    for op in ("Cumsum", "Cumprod"):
        for dtype in NUMBERS:
            tol = LOOSE.get(dtype)
            yield Case(op, [eighths(dtype, (2, 3), 0.5, 2, op), np.int32(1)], tol=tol,
                       grad=dtype in ("float", "double"))
        for axis in (0, 1, -1):
            for exclusive in (False, True):
                for reverse in (False, True):
                    yield Case(op, [eighths("float", (2, 3, 2), 0.5, 2, op), np.int32(axis)],
                               {"exclusive": exclusive, "reverse": reverse}, grad=True)
        yield Case(op, [eighths("float", (2, 0)), np.int32(1)])
        yield Case(op, [eighths("float", (2, 3)), np.int32(2)],
                   error="ScanOp: Expected scan axis in the range [-2, 2), but got 2")
        yield Case(op, [eighths("float", (2, 3)), i32(0)], error="ScanOp: axis must be a scalar, not [1]")


def sparse_segments():
    for name in ("SparseSegmentSum", "SparseSegmentMean", "SparseSegmentSqrtN"):
        for dtype in ("float", "double", "half", "bfloat16") + (("int32", "uint8") if name.endswith("Sum") else ()):
            yield Case(name, [eighths(dtype, (4, 3), key="segment"), i32(0, 2, 2, 3), i32(0, 0, 0, 2)],
                       grad=dtype in ("float", "double"))
        yield Case(name, [eighths("float", (4,)), i64(3, 1), i64(0, 1)], grad=True)
        yield Case(name, [eighths("float", (4, 2)), i32(0, 7), i32(0, 0)], error="Bad: indices[1] == 7 out of range [0, 4)")
        yield Case(name, [eighths("float", (4, 2)), i32(0, 1), i32(1, 0)], error="segment ids are not increasing")
        yield Case(name, [eighths("float", (4, 2)), i32(0, 1), i32(-1, 0)],
                   error="Segment id -1 out of range [0, 1), possibly because 'segment_ids' input is not sorted.")
        yield Case(name, [eighths("float", (4, 2)), i32(0, 1), i32(0)], error="segment_ids and indices should have same size.")
        grad = name + "Grad"
        for dtype in ("float", "double"):
            yield Case(grad, [eighths(dtype, (4, 3), key="segment"), i32(0, 2, 2), i32(0, 0, 2), np.int32(5)])
        yield Case(grad, [eighths("float", (4, 2)), i32(0, 7), i32(0, 0), np.int32(5)], error="Index 7 out of range [0, 5).")
        yield Case(grad, [eighths("float", (4, 2)), i32(0, 1), i32(0, 9), np.int32(5)], error="Invalid number of segments")


def segments():
    name = "UnsortedSegmentSum"
    for dtype in NUMBERS:
        yield Case(name, [eighths(dtype, (4, 3), key="segment"), i32(1, 0, 1, 3), np.int32(5)],
                   grad=dtype in FLOATS + COMPLEX)
    for shape, ids, n in (((3,), i64(2, -1, 2), 3), ((2, 2, 3), i32([0, 1], [1, 4]), 5), ((), np.int32(1), 3),
                          ((0, 2), np.zeros([0], np.int32), 2), ((2, 2), i32(0, 1), 2), ((3, 0), i32(0, 1, 0), 2)):
        yield Case(name, [eighths("float", shape, key="segment"), np.asarray(ids), np.int32(n)], grad=True)
    f = lambda *s: eighths("float", s)
    for inputs, what in (([f(3, 2), i32(0, 1), np.int32(2)], "data.shape = [3,2] does not start with segment_ids.shape = [2]"),
                         ([f(2, 2), i32(0, 5), np.int32(2)], "segment_ids[1] = 5 is out of range [0, 2)"),
                         ([f(2, 2), i32(0, 1), i32(2)], "num_segments should be a scalar, not shape [1]"),
                         ([f(2, 2), i32(0, 1), np.int32(-2)], "Input num_segments == -2 must not be negative.")):
        yield Case(name, inputs, error=what)


def products():
    for dtype in FLOATS + ("int32", "int64") + COMPLEX:
        for ta in (False, True):
            for tb in (False, True):
                a = eighths(dtype, (4, 3) if ta else (3, 4), key="a")
                b = eighths(dtype, (2, 4) if tb else (4, 2), key="b")
                yield Case("MatMul", [a, b], {"transpose_a": ta, "transpose_b": tb},
                           grad=dtype in FLOATS + COMPLEX, tol=LOOSE.get(dtype))
    for m, k, n in ((1, 1, 1), (1, 7, 5), (7, 5, 1), (0, 2, 3), (2, 0, 3), (2, 3, 0), (17, 33, 9), (1, 64, 33)):
        yield Case("MatMul", [eighths("float", (m, k), -1, 1, "a"), eighths("float", (k, n), -1, 1, "b")],
                   {"transpose_a": False, "transpose_b": False}, grad=True)
    plain = {"transpose_a": False, "transpose_b": False}
    yield Case("MatMul", [eighths("float", (2, 3)), eighths("float", (4, 5))], plain,
               error="Matrix size-incompatible: In[0]: [2,3], In[1]: [4,5]")
    yield Case("MatMul", [eighths("float", (3,)), eighths("float", (3, 5))], plain, error="In[0]",
               ramet_error="In[0] is not a matrix. Instead it has shape [3]")
    for op in ("BatchMatMul", "BatchMatMulV2"):
        for dtype in FLOATS + ("int32", "int64") + COMPLEX:
            yield Case(op, [eighths(dtype, (2, 3, 4), key="x"), eighths(dtype, (2, 4, 2), key="y")],
                       {"adj_x": False, "adj_y": False}, grad=dtype in FLOATS + COMPLEX,
                       tol=LOOSE.get(dtype))
        for dtype in ("float", "complex64"):
            for ax in (False, True):
                for ay in (False, True):
                    x = eighths(dtype, (2, 4, 3) if ax else (2, 3, 4), key="x")
                    y = eighths(dtype, (2, 2, 4) if ay else (2, 4, 2), key="y")
                    yield Case(op, [x, y], {"adj_x": ax, "adj_y": ay}, grad=True)
        yield Case(op, [eighths("float", (3, 4)), eighths("float", (4, 2))], {"adj_x": False, "adj_y": False}, grad=True)
        yield Case(op, [eighths("float", (0, 3, 4)), eighths("float", (0, 4, 2))], {"adj_x": False, "adj_y": False}, grad=True)
        yield Case(op, [eighths("float", (2, 3, 0)), eighths("float", (2, 0, 2))], {"adj_x": False, "adj_y": False}, grad=True)
        yield Case(op, [eighths("float", (2, 2, 3)), eighths("float", (2, 4, 2))], {"adj_x": False, "adj_y": False},
                   error="Matrix size-incompatible: In[0]: [2,2,3], In[1]: [2,4,2]")
    flat = {"adj_x": False, "adj_y": False}
    for a, b in (((2, 3, 4), (4, 2)), ((3, 4), (2, 4, 2)), ((2, 1, 3, 4), (3, 4, 2)), ((2, 1, 1, 4), (1, 3, 4, 1)),
                 ((1, 2, 3, 4), (5, 1, 4, 2))):
        yield Case("BatchMatMulV2", [eighths("float", a, key="x"), eighths("float", b, key="y")], flat, grad=True)
    yield Case("BatchMatMulV2", [eighths("float", (2, 2, 3)), eighths("float", (3, 3, 2))], flat,
               error="In[0] and In[1] must have compatible batch dimensions: [2,2,3] vs. [3,3,2]")
    yield Case("BatchMatMulV2", [eighths("float", (3,)), eighths("float", (3, 2))], flat, error="In[0] ndims must be >= 2: 1")
    yield Case("BatchMatMul", [eighths("float", (2, 2, 3)), eighths("float", (3, 3, 2))], flat,
               error="In[0].dim(0) and In[1].dim(0) must be the same: [2,2,3] vs [3,3,2]")
    yield Case("BatchMatMul", [eighths("float", (2, 2, 3)), eighths("float", (3, 2))], flat,
               error="In[0] and In[1] has different ndims: [2,2,3] vs. [3,2]")


CAST = {"float": tf.float32, "double": tf.float64, "half": tf.float16, "bfloat16": tf.bfloat16, "int8": tf.int8,
        "int16": tf.int16, "int32": tf.int32, "int64": tf.int64, "uint8": tf.uint8, "uint16": tf.uint16,
        "uint32": tf.uint32, "uint64": tf.uint64, "bool": tf.bool, "complex64": tf.complex64, "complex128": tf.complex128}


def others():
    for source in CAST:
        # Negative numbers are out of range for unsigned types, and the result is unspecified.
        low = 0
        x = eighths(source, (6,), low, 3, "cast")
        for target in CAST:
            grad = source in FLOATS + COMPLEX and target in FLOATS and source not in COMPLEX
            yield Case("Cast", [x], {"DstT": CAST[target]}, grad=grad)
    yield Case("Cast", [array("float", [-1.75, 1.75, -0.5, 100.0])], {"DstT": tf.int32})
    yield Case("Cast", [array("float", [-0.0, 0.5, NAN, -1.0])], {"DstT": tf.bool})
    yield Case("Cast", [array("double", [1.00048828125, 1.0014648, 65520.0, 1e-8, -1e6])], {"DstT": tf.float16})
    yield Case("Cast", [array("float", [1.00390625, 1.01171875, 3.4e38, NAN, INF])], {"DstT": tf.bfloat16})
    yield Case("Cast", [array("int32", [-1, 256, 70000])], {"DstT": tf.uint8})
    yield Case("Cast", [strings([b"1"])], {"DstT": tf.float32}, error="Cast string to float is not supported")
    for dtype in NUMBERS:
        yield Case("AddN", [eighths(dtype, (2, 3), key=k) for k in range(3)], grad=dtype in ("float", "double", "complex64"))
    yield Case("AddN", [eighths("float", (2, 3))], grad=True)
    yield Case("AddN", [eighths("float", (5,), key=k) for k in range(11)], grad=True)
    yield Case("AddN", [eighths("float", (2,)), eighths("float", (3,))],
               error="must have the same size and shape.  Input 0: [2] != input 1: [3]")
    for values in ((0, 5, 1), (5, 0, -2), (-3, 4, 3), (2, 2, 1), (3, 2, -5)):
        for dtype in FLOATS + ("int32", "int64"):
            yield Case("Range", [scalar(dtype, v) for v in values])
    yield Case("Range", [scalar("float", v) for v in (0, 1, 0.3)])
    # The number of steps is rounded in the dtype itself.
    for dtype in FLOATS:
        for limit, delta in ((0.6, 0.2), (1.1, 0.1), (3, 0.1)):
            yield Case("Range", [scalar(dtype, v) for v in (0, limit, delta)])
    yield Case("Range", [scalar("double", v) for v in (0, 1, 0.1)])
    yield Case("Range", [scalar("float", v) for v in (1, -1, -0.25)])
    for values, what in (((0, 5, 0), "Requires delta != 0: 0"), ((0, 5, -1), "Requires start >= limit when delta < 0: 0/5"),
                         ((5, 0, 1), "Requires start <= limit when delta > 0: 5/0")):
        yield Case("Range", [np.int32(v) for v in values], error=what)
    yield Case("Range", [i32(0, 1), np.int32(2), np.int32(1)], error="start must be a scalar, not shape [2]")
    yield Case("Range", [np.float32(0), np.float32(INF), np.float32(1)],
               error="Requires ((limit - start) / delta) <= 9223372036854775807")
    for dtype in FLOATS + SIGNED + ("uint8", "uint16"):
        yield Case("ClipByValue", [eighths(dtype, (2, 3), -3, 3), scalar(dtype, 0), scalar(dtype, 1)], grad=dtype == "float")
    for dtype in COMPLEX:
        x, low, high = eighths(dtype, (3, 4), -3, 3), scalar(dtype, -1 - 0.5j), scalar(dtype, 1.5 + 1j)
        yield Case("ClipByValue", [x, low, high])
        yield Case("ClipByValue", [x, np.broadcast_to(low, x.shape), np.broadcast_to(high, x.shape)])
    x = eighths("float", (2, 3), -3, 3)
    yield Case("ClipByValue", [x, eighths("float", (2, 3), -2, 0), scalar("float", 1)], grad=True)
    yield Case("ClipByValue", [x, eighths("float", (2, 3), -2, 0), eighths("float", (2, 3), 0, 1)], grad=True)
    yield Case("ClipByValue", [array("float", [NAN, 1, INF, -INF]), scalar("float", -2), scalar("float", 2)])
    yield Case("ClipByValue", [array("float", [1, 2, 3]), scalar("float", NAN), scalar("float", 2.5)])
    yield Case("ClipByValue", [eighths("float", (2, 3)), eighths("float", (3,)), scalar("float", 1)],
               error="must be either of the same shape as input, or a scalar. input shape: [2,3]")
    for real, cplx in (("float", "complex64"), ("double", "complex128")):
        z = nonzero(eighths(cplx, (2, 3)))
        yield Case("Conj", [z], grad=True)
        for op in ("Real", "Imag", "ComplexAbs", "Angle"):
            yield Case(op, [z], {"Tout": CAST[real]}, grad=True)
        yield Case("Complex", [eighths(real, (2, 3)), eighths(real, (3,))], {"Tout": CAST[cplx]}, grad=True)


def cases():
    for group in (unary, binary, chosen, reductions, scans, segments, sparse_segments, products, others):
        yield from group()
