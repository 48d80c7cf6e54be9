"""Stateless random numbers, which the inputs determine bit for bit."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import FLOATS, Case, Ref, array, i32, i64, scalar

SEEDS = ([0, 0], [1, 2], [-1, 1 << 40], [7, -3])
SIZES = ([0], [1], [3], [2, 5], [67])
KEY = np.array([0x123456789ABCDEF0], np.uint64)
COUNTER = np.array([0xFFFFFFFFFFFFFFFE, 5], np.uint64)


def exact(op, inputs, attrs=None, **more):
    return Case(op, inputs, attrs or {}, tol=0.0, atol=0.0, **more)


def keyed(shape, alg=1):
    return [i32(*shape), KEY, COUNTER, scalar("int32", alg)]


def floats():
    for op in ("StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"):
        for dtype in FLOATS:
            attrs = {"dtype": tf.as_dtype(dtype)}
            for size in SIZES:
                yield exact(op, [i32(*size), i64(1, 2)], attrs)
                yield exact(op + "V2", keyed(size), attrs)
        yield exact(op, [i32(1003), i64(1, 2)])
        for seed in SEEDS:
            yield exact(op, [i64(9), i64(*seed)])
        yield exact(op, [i32(9), i32(5, -6)])
        yield exact(op + "V2", keyed([9], alg=3))
        yield exact(op, [i32(), i64(1, 2)])
        yield exact(op, [i32(2, -1), i64(1, 2)], error="must be >= 0")
        yield exact(op, [i32(2), i64(1, 2, 3)], error="seed must have shape [2], not [3]")


def classes():
    logits = np.array([[0.5, -1.0, 2.0, 0.0]])
    for dtype in FLOATS:
        yield exact("StatelessMultinomial", [array(dtype, logits), scalar("int32", 9), i64(1, 2)])
    yield exact("StatelessMultinomial", [array("float", logits), scalar("int32", 5), i32(3, -4)],
                {"output_dtype": tf.int32})
    yield exact("StatelessMultinomial", [array("float", logits), scalar("int32", 5), i64(1)],
                error="seed must have shape [2]")


def integers():
    for dtype in ("int32", "int64"):
        for size in SIZES:
            for low, high in ((0, 10), (-7, 2147483000)):
                bounds = [scalar(dtype, low), scalar(dtype, high)]
                yield exact("StatelessRandomUniformInt", [i32(*size), i64(3, 4)] + bounds)
                yield exact("StatelessRandomUniformIntV2", keyed(size) + bounds)
        yield exact("StatelessRandomUniformInt",
                    [i32(3), i64(3, 4), scalar(dtype, 5), scalar(dtype, 5)],
                    error="Need minval < maxval, got 5 >= 5")
    for dtype in ("int32", "int64", "uint32", "uint64"):
        attrs = {"dtype": tf.as_dtype(dtype)}
        for size in SIZES:
            yield exact("StatelessRandomUniformFullInt", [i32(*size), i64(3, 4)], attrs)
            yield exact("StatelessRandomUniformFullIntV2", keyed(size), attrs)


def keys():
    for seed in SEEDS:
        yield exact("StatelessRandomGetKeyCounter", [i64(*seed)])
        yield exact("StatelessRandomGetKeyCounterAlg", [i64(*seed)])
    yield exact("StatelessRandomGetKeyCounter", [i32(3, -4)])
    yield exact("StatelessRandomGetAlg", [])


def stateful():
    """Random numbers whose generator is a variable."""
    philox = np.int64(1)
    states = (i64(0, 0, 0), i64(1, 2, 3), i64(-1, -1, 5))
    for state in states:
        for size in SIZES:
            for op in ("StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal"):
                for dtype in ("float32", "float64", "float16", "bfloat16"):
                    yield Case(op, [Ref(state), philox, i32(*size)], {"dtype": tf.as_dtype(dtype)},
                               tol=None if op == "StatefulUniform" else 1e-5)
            for dtype in ("int32", "int64"):
                yield exact("StatefulUniformInt", [Ref(state), philox, i32(*size), scalar(dtype, -7), scalar(dtype, 99)])
            for dtype in ("int32", "int64", "uint32", "uint64"):
                yield exact("StatefulUniformFullInt", [Ref(state), philox, i64(*size)], {"dtype": tf.as_dtype(dtype)})
        for delta in (0, 1, 5, 2**40):
            yield exact("RngSkip", [Ref(state), philox, np.int64(delta)])
            yield exact("RngReadAndSkip", [Ref(state), np.int32(1), np.uint64(delta)])
    yield exact("RngSkip", [Ref(states[0]), philox, np.int64(-1)])
    three_fry = "Non-XLA devices don't support the ThreeFry algorithm."
    for algorithm, error in ((2, three_fry), (7, "Unsupported algorithm id: 7")):
        yield exact("RngSkip", [Ref(states[0]), np.int64(algorithm), np.int64(1)], error=error)
        yield exact("StatefulUniform", [Ref(states[0]), np.int64(algorithm), i32(3)], error=error)
    small = "For the Philox algorithm, the size of state must be at least 3; got 2"
    yield exact("RngReadAndSkip", [Ref(i64(1, 2)), np.int32(1), np.uint64(1)], error=small)
    yield exact("StatefulUniform", [Ref(i64(1, 2)), philox, i32(3)], error=small)
    yield exact("StatefulUniform", [Ref(i64(1, 2, 3).reshape(1, 3)), philox, i32(3)],
                error="RNG state must have one and only one dimension, not 2")
    yield exact("StatefulUniformInt", [Ref(states[1]), philox, i32(3), np.int64(9), np.int64(9)],
                error="Need minval < maxval, got 9 >= 9")


def cases():
    yield from stateful()
    yield from floats()
    yield from classes()
    yield from integers()
    yield from keys()
