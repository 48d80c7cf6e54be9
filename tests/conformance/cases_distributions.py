"""Random numbers of distributions with parameters, which seeds determine bit for bit: stateless gamma and Poisson,
binomial and truncated normal distributions."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import Case, Ref, array, i32, i64, scalar
from cases_sampling import RATES, SEEDS, exact

REALS = ("half", "float", "double")
SEED = i64(3, -4)
KEY = [np.array([0x123456789ABCDEF0], np.uint64), np.array([0xFFFFFFFFFFFFFFFE, 5], np.uint64)]
ENDS = "Shape passed in must end with broadcasted shape."


def stateless_rejection():
    alphas = [0.0, 0.0625, 0.5, 0.9375, 1.0, 1.0625, 2.0, 10.0, 1000.0, -1.0, np.nan]
    for dtype in REALS:
        for shape in ([11], [3, 11], [2, 5, 11], [0, 11]):
            alpha = array(dtype, alphas)
            yield exact("StatelessRandomGammaV2", [i32(*shape), SEED, alpha])
            yield exact("StatelessRandomGammaV3", [i32(*shape), *KEY, scalar("int32", 1 + 2 * (len(shape) == 1)), alpha])
        for shape in ([], [4], [2, 4]):
            yield exact("StatelessRandomGammaV2", [i64(*shape), i32(3, -4), scalar(dtype, 1.5)], grad=dtype != "half",
                        grad_tol=1e-4)
        yield exact("StatelessRandomGammaV2", [i32(5, 2, 3), SEED, array(dtype, [[0.5, 1.5, 2.5], [4, 9, 16]])], grad=dtype != "half",
                    grad_tol=1e-4)
        yield exact("StatelessRandomGammaV3", [i32(5, 2), *KEY, scalar("int32", 1), array(dtype, [0.5, 1.5])], grad=dtype != "half",
                    grad_tol=1e-4)
    for dtype in (*REALS, "int32", "int64"):
        for shape in ([len(RATES)], [2, 3, len(RATES)], [0, len(RATES)]):
            yield exact("StatelessRandomPoisson", [i32(*shape), SEED, array("double", RATES)], {"dtype": tf.as_dtype(dtype)})
        yield exact("StatelessRandomPoisson", [i64(7), i32(3, -4), scalar(dtype, 3)], {"dtype": tf.int64})
    for op, given in (("StatelessRandomGammaV2", {}), ("StatelessRandomPoisson", {"dtype": tf.int32})):
        two = array("float", [1, 2])
        for shape in ([], [3], [2, 3], [2, 1]):
            yield exact(op, [i32(*shape), SEED, two], given, error=ENDS)
        yield exact(op, [i32(-1, 2), SEED, two], given, error="must be >= 0")
        yield exact(op, [i32(2), i64(1, 2, 3), two], given, error="seed must have shape [2], not [3]")
        yield exact(op, [i32(3, 0), SEED, two[:0]], given)
        for shape in ([0], [3, 0], [0, 3], [2, 0, 4]):
            yield exact(op, [i32(*shape), SEED, two], given)
        yield exact(op, [i32(0), SEED, two[:0]], given)
        yield exact(op, [i32(0, -1), SEED, two], given, error="must be >= 0")
        yield exact(op, [i32(0), i64(1, 2, 3), two], given, error="seed must have shape [2], not [3]")
    two = array("float", [1, 2])
    yield exact("StatelessRandomGammaV3", [i32(0), *KEY, scalar("int32", 1), two])
    yield exact("StatelessRandomGammaV3", [i32(2), *KEY, scalar("int32", 2), two], error="Unsupported algorithm id: 2")


COUNTED = [0.0, 3.0, 10.0, 19.0, 20.0, 21.0, 100.0, 1000.0, 1e6, -2.0]
PROBS = [[0.5], [0.25], [0.75], [0.0], [1.0], [0.015625], [0.984375], [-1.0], [2.0]]


def binomial():
    def case(counts, probs, shape, dtype, **more):
        return exact("StatelessRandomBinomial", [i32(*shape), SEED, counts, probs], {"dtype": tf.as_dtype(dtype)}, **more)

    for parameters in REALS:
        counts, probs = array(parameters, COUNTED if parameters != "half" else COUNTED[:8]), array(parameters, PROBS)
        for dtype in (*REALS, "int32", "int64"):
            yield case(counts, probs, [9, counts.size], dtype)
        yield case(counts, probs, [2, 3, 9, counts.size], "double")
        yield case(counts[4], probs[0, 0], [40], "int32")
        yield case(counts[4], probs[0, 0], [], "int32")
        yield case(counts[6], array(parameters, [0.1, 0.9, 0.45]), [30, 3], "int64")
        yield case(array(parameters, [7, 60]), scalar(parameters, np.nan), [2], "double")
        yield case(counts[:0], probs[0], [3, 0], "int32")
        yield case(scalar(parameters, -np.inf), probs, [9, 1], "float")
        for dtype in ("half", "double", "int32", "int64"):
            yield case(scalar(parameters, np.inf), array(parameters, [0.5, 0.25, 0.984375]), [2, 3], dtype)
    two = array("float", [5, 6]), array("float", [0.5, 0.25])
    for shape in ([], [3], [2, 3], [2, 1]):
        yield case(*two, shape, "int32", error=ENDS)
    yield case(*two, [2, -2], "int32", error="must be >= 0")
    yield case(array("float", [5, 6, 7]), two[1], [2, 3], "int32",
               error="counts and probs must have compatible batch dimensions: [3] vs. [2]")
    yield exact("StatelessRandomBinomial", [i32(2), i64(1), *two], error="seed must have shape [2], not [1]")
    # python_random_test.py compares the values of StatefulRandomBinomial: in its first run in a graph, TensorFlow
    # advances the state in the buffer of the initial value instead of that of the variable.
    variable = [Ref(i64(1, 2, 3)), np.int64(1)]
    yield exact("StatefulRandomBinomial", [Ref(i64(1, 2)), np.int64(1), i32(2), *two],
                error="the size of state must be at least 3; got 2")
    yield exact("StatefulRandomBinomial", [variable[0], np.int64(7), i32(2), *two], error="Unsupported algorithm id: 7")
    yield exact("StatefulRandomBinomial", [*variable, i32(3), *two], error=ENDS)


# mean, deviation, least, greatest: each sampler, with bounds on both sides of the mean and on one.
NORMALS = [[0, 1, -3, 3], [0, 1, -1.25, 1.25], [0, 1, -0.5, 0.5], [1, 2, 4, np.inf], [0, 1, -2, -1], [5, 0.5, 5.5, 6],
           [0, 1, -np.inf, -2.5], [0, 1, -np.inf, 0.5], [-4, 3, -1, 40], [0, 1, 1.5, 2], [3, 0.25, -np.inf, 9]]


def truncated():
    rows = "ParameterizedTruncatedNormal"
    for dtype in REALS:
        all_of = array(dtype, NORMALS)
        for size in (1, 9, 70):
            yield exact(rows, [i32(11, size), *all_of.T], SEEDS)
            yield exact("Stateless" + rows, [i32(size, 11), SEED, *all_of.T])
        for normal in all_of:
            yield exact(rows, [i32(250), *normal], {"seed": 0, "seed2": -5})
            yield exact("Stateless" + rows, [i32(30), i32(3, -4), *normal])
        yield exact(rows, [i64(2, 3, 5), array(dtype, [1, 2]), array(dtype, [2]), *all_of[0, 2:]], SEEDS)
        yield exact(rows, [i64(2, 0, 5), array(dtype, [1, 2]), *all_of[0, 1:]], SEEDS)
        yield exact("Stateless" + rows, [i32(), SEED, *all_of[0]])
        slopes = {"grad": True, "grad_tol": {"half": 5e-2, "float": 2e-3, "double": 1e-6}[dtype]}
        yield exact("Stateless" + rows, [i32(3, 2), SEED, *array(dtype, [[0, 0.5], [1, 2], [-1, -0.5], [2, 1.5]])], **slopes)
        yield exact("Stateless" + rows, [i32(3, 2, 2), SEED, array(dtype, [[0.25], [1]]), array(dtype, [1, 2]),
                                         scalar(dtype, -1), array(dtype, [[2, 3]])], **slopes)
        yield exact("Stateless" + rows, [i32(4), SEED, *array(dtype, [0, 1, -1, 2])], **slopes)


def truncated_errors():
    rows = "ParameterizedTruncatedNormal"
    normal = array("double", [0, 1, -1, 1])

    def changed(i, value):
        return [array("double", value) if k == i else v for k, v in enumerate(normal)]

    for inputs in (changed(1, np.nan), changed(1, 0), changed(1, -1), changed(2, 1), changed(3, np.nan)):
        yield exact(rows, [i32(3), *inputs], SEEDS, error="Invalid parameters")
        yield exact("Stateless" + rows, [i32(3), SEED, *inputs], error="Invalid parameters")
        each = [np.stack([normal[0], v]) if k == 0 else v for k, v in enumerate(inputs)]
        yield exact(rows, [i32(2, 0), *each], SEEDS, error="Invalid parameters")
        yield exact(rows, [i32(2, 0), *inputs], SEEDS)
    failed = "TruncatedNormal exponential distribution rejection sampler failed to accept a sample."
    yield exact(rows, [i32(3), *changed(0, np.nan)], SEEDS, error=failed)
    yield exact("Stateless" + rows, [i32(3), SEED, *changed(0, np.nan)], error=failed)
    yield exact(rows, [i32(), *normal], SEEDS, error="Shape tensor must not be empty, got Tensor<type: int32 shape: [0]")
    yield exact(rows, [i32(3, -1), *normal], SEEDS, error="Dimension -1 must be >= 0", ramet_error="must be >= 0")
    for i, name in enumerate(("means", "stddevs", "minvals", "maxvals")):
        yield exact(rows, [i32(3), *changed(i, [normal[i]] * 2)], SEEDS,
                    error="Input %s should have length 1 or shape[0], got shape: [2]" % name)
        yield exact(rows, [i32(3), *changed(i, [[normal[i]]])], SEEDS,
                    error="Input %s should be a scalar or vector, got shape: [1,1]" % name)
        yield exact("Stateless" + rows, [i32(3), SEED, *changed(i, [normal[i]] * 2)], error=ENDS)
    yield exact("Stateless" + rows, [i32(3), SEED, *changed(0, [0, 0])[:3], array("double", [1, 1, 1])],
                error="means, stddevs, minvals, maxvals must have compatible batch dimensions: [2] vs. [] vs. [] vs. [3]")
    yield exact("Stateless" + rows, [i32(3), i64(1, 2, 3), *normal], error="seed must have shape [2], not [3]")


def cases():
    yield from stateless_rejection()
    yield from binomial()
    yield from truncated()
    yield from truncated_errors()
