"""Random numbers that the seeds determine bit for bit in the first run: candidate samplers, gamma and Poisson."""

import numpy as np
import tensorflow.compat.v1 as tf

from case import Case, array, i32, i64

SEEDS = {"seed": 7, "seed2": 1234567890123}
COUNTS = [3.0, 1.0, 0.0, 0.5, 10.0, 2.0, 7.0, 1.0]
RATES = [0.0, 0.25, 1.0, 9.75, 10.0, 11.5, 100.0, 3000.0, np.inf]


def exact(op, inputs, attrs=None, **more):
    return Case(op, inputs, attrs or {}, tol=0.0, atol=0.0, **more)


def sampler(op, classes, num_sampled, unique=True, seeds=None, **attrs):
    attrs = {"num_true": np.shape(classes)[-1], "num_sampled": num_sampled, "unique": unique, **attrs,
             **(SEEDS if seeds is None else seeds)}
    return lambda **more: exact(op + "CandidateSampler", [array("int64", classes)], attrs, **more)


def samplers():
    classes = [[0, 5, 3], [7, 7, 1]]
    for op in ("Uniform", "LogUniform", "LearnedUnigram", "ThreadUnsafeUnigram"):
        for unique in (True, False):
            for num_sampled, range_max in ((1, 8), (8, 8), (5, 11), (64, 100), (100, 1000003)):
                yield sampler(op, classes, num_sampled, unique, range_max=range_max)()
        yield sampler(op, classes, 20, False, {"seed": 0, "seed2": 3}, range_max=10)()
        yield sampler(op, np.zeros([0, 2]), 3, range_max=10)()
        yield sampler(op, classes, 9, range_max=8)(error="Sampler's range is too small.")
        yield sampler(op, classes, 3, range_max=7)(error="`true_candidate` out of range [0, 7), received 7")
        yield sampler(op, [[-1]], 3, range_max=7)(error="`true_candidate` out of range [0, 7), received -1")
        yield sampler(op, [0, 1], 3, range_max=7)(error="true_classes must be a matrix", ramet_error="must be")
    for op in ("Uniform", "LogUniform"):
        yield sampler(op, classes, 20, range_max=1 << 45)()
    yield sampler("All", classes, 9)()
    yield sampler("All", classes, 7)(error="`true_candidate` out of range [0, 7), received 7")


def fixed():
    for unique in (True, False):
        for distortion in (1.0, 0.75, 0.0):
            yield sampler("FixedUnigram", [[0, 5], [7, 1]], 5, unique, range_max=8, vocab_file="",
                          distortion=distortion, unigrams=COUNTS)()
    yield sampler("FixedUnigram", [[0, 5]], 60, False, range_max=10, vocab_file="", num_reserved_ids=2,
                  unigrams=COUNTS)()
    yield sampler("FixedUnigram", [[0, 2]], 60, False, range_max=4, vocab_file="", num_reserved_ids=1,
                  num_shards=2, shard=1, unigrams=COUNTS)()
    yield sampler("FixedUnigram", [[0, 2]], 60, False, range_max=5, vocab_file="", num_reserved_ids=2,
                  num_shards=2, shard=0, unigrams=COUNTS)()
    yield sampler("FixedUnigram", [[0]], 1, range_max=9, vocab_file="", unigrams=COUNTS)(
        error="range is 9 must be equal to weights size  8")
    yield sampler("FixedUnigram", [[0]], 1, range_max=9, vocab_file="", unigrams=[])(
        error="Must provide either vocab_file or unigrams.")
    yield sampler("FixedUnigram", [[0]], 1, range_max=8, vocab_file="x", unigrams=COUNTS)(
        error="Must only provide one of vocab_file and unigrams.")


def hits():
    def case(classes, sampled, num_true, **more):
        return exact("ComputeAccidentalHits", [array("int64", classes), i64(*sampled)], {"num_true": num_true}, **more)

    yield case([[1, 2], [3, 4], [5, 1]], [4, 1, 9, 2], 2)
    yield case([[1, 2]], [1, 1, 1], 2)
    yield case([[7]], [1, 2], 1)
    yield case(np.zeros([0, 2]), [1, 2], 2)
    yield case(np.zeros([3, 0]), [1, 2], 0)
    yield case([[1, 2]], [1], 1, error="true_candidates must be a batch_size * num_true matrix",
               ramet_error="must be")


def gamma():
    # python_distributions_test.py compares gradients, which need the numbers of a second run here.
    alphas = [0.0, 0.0625, 0.5, 0.9375, 1.0, 1.0625, 2.0, 10.0, 1000.0, -1.0]
    for dtype in ("half", "float", "double"):
        for shape in ([], [1], [3], [50], [2, 3], [0]):
            yield exact("RandomGamma", [i32(*shape), array(dtype, alphas)], SEEDS)
        yield exact("RandomGamma", [i64(4), array(dtype, [[1.5], [2.5]])], {"seed": 0, "seed2": -5})
        yield exact("RandomGamma", [i32(4), array(dtype, 1.5)], SEEDS)
        yield exact("RandomGamma", [i32(-1), array(dtype, [1.0])], SEEDS, error="must be >= 0")


def poisson():
    reals = ("half", "float", "double")
    for dtype in reals:
        for shape in ([], [3], [2, 3], [0]):
            yield exact("RandomPoissonV2", [i32(*shape), array(dtype, RATES)], {**SEEDS, "dtype": tf.as_dtype(dtype)})
        yield exact("RandomPoissonV2", [i64(4), array(dtype, [[1.5], [-2.5]])], {"seed": 0, "seed2": -5})
    for rate in (*reals, "int32", "int64"):
        for dtype in (*reals, "int32", "int64"):
            yield exact("RandomPoissonV2", [i32(40), array(rate, RATES[:-1])], {**SEEDS, "dtype": tf.as_dtype(dtype)})
    yield exact("RandomPoissonV2", [i32(2), array("double", [1e6, 1e9, 1e15])], {**SEEDS, "dtype": tf.int64})


def cases():
    yield from samplers()
    yield from fixed()
    yield from hits()
    yield from gamma()
    yield from poisson()
