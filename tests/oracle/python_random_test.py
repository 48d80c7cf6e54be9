"""Symptom: seeded random numbers differ from TensorFlow's, so weights or dropout masks differ.

Each call is made in both packages with the same graph seed and op seed (or only one of them). The values of three
runs in one session, and of the first run of the next session, must be bitwise equal.
Needs tensorflow, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()

FLOATS = ('float16', 'bfloat16', 'float32', 'float64')
INTS = ('int32', 'int64')
# (graph seed, op seed)
SEEDS = ((None, 5), (7, None), (7, 5), (0, 0), (0, None), (2**31 - 1, 1), (87654321, 87654321))
SIZES = (1, 3, 255, 1000)
LARGE = 100003


def ones(p, n, dtype='float32'):
    return p.cast(p.fill([n], 1.0), dtype)


# name: call(package, size, dtype, op seed)
FLOAT_CALLS = {
    'random_uniform': lambda p, n, t, s: p.random_uniform([n], -2, 3, dtype=t, seed=s),
    'random_normal': lambda p, n, t, s: p.random_normal([n], 1.5, 0.25, dtype=t, seed=s),
    'truncated_normal': lambda p, n, t, s: p.truncated_normal([n], stddev=0.1, dtype=t, seed=s),
    'dropout': lambda p, n, t, s: p.nn.dropout(ones(p, n, t), rate=0.3, seed=s),
    'dropout_keep_prob': lambda p, n, t, s: p.nn.dropout(ones(p, n, t), keep_prob=0.75, seed=s),
    'dropout_noise_shape': lambda p, n, t, s: p.nn.dropout(
        p.fill([2, n, 3], p.cast(2.0, t)), rate=0.5, noise_shape=[2, n, 1], seed=s),
}
INT_CALLS = {
    'random_uniform': lambda p, n, t, s: p.random_uniform([n], -5, 1000, dtype=t, seed=s),
    'random_shuffle': lambda p, n, t, s: p.random_shuffle(p.cast(p.range(n), t), seed=s),
    'multinomial': lambda p, n, t, s: p.random.categorical(
        [[0.1, 0.4, -0.5]], n, dtype=t, seed=s),
}
OTHER_CALLS = {
    'glorot_uniform': lambda p, n, t, s: p.glorot_uniform_initializer(seed=s)(
        [n, 4]),
    'he_normal': lambda p, n, t, s: p.initializers.he_normal(seed=s)([n, 4]),
    'variance_scaling': lambda p, n, t, s: p.variance_scaling_initializer(seed=s)([n, 4]),
    'truncated_normal_initializer': lambda p, n, t, s: p.truncated_normal_initializer(seed=s)(
        [n, 4]),
    'random_gamma': lambda p, n, t, s: p.random_gamma([n], [0.5, 2.], seed=s),
    'random_poisson': lambda p, n, t, s: p.random_poisson([0.5, 20.], [n], seed=s),
    'log_uniform_candidates': lambda p, n, t, s: p.nn.log_uniform_candidate_sampler(
        p.constant([[1, 2]], p.int64), 2, n, True, 1000, seed=s)[0],
    'learned_candidates': lambda p, n, t, s: p.nn.learned_unigram_candidate_sampler(
        p.constant([[1], [1], [2]], p.int64), 1, n, False, 5, seed=s)[0],
    'learned_expected_counts': lambda p, n, t, s: p.nn.learned_unigram_candidate_sampler(
        p.constant([[1], [1], [2]], p.int64), 1, n, False, 5, seed=s)[1],
    'random_crop': lambda p, n, t, s: p.random_crop(
        p.reshape(p.range(6 * (n + 2)), [6, n + 2]), [3, n], seed=s),
}


def build(package, call, size, dtype, graph_seed, op_seed):
    graph = package.Graph()
    with graph.as_default():
        if graph_seed is not None:
            package.set_random_seed(graph_seed)
        # Earlier ops matter: a missing op seed is the number of ops.
        package.constant(1)
        return graph, call(package, size, getattr(package, dtype), op_seed)


def draw(package, *what):
    graph, result = build(package, *what)
    config = package.ConfigProto(intra_op_parallelism_threads=1)
    values = []
    for runs in (3, 1):
        with package.Session(graph=graph, config=config) as session:
            values += [session.run(result) for _ in range(runs)]
    return values


class RandomTest(unittest.TestCase):
    def check(self, calls, dtypes, seeds, sizes):
        for name, call in calls.items():
            for dtype in dtypes:
                for graph_seed, op_seed in seeds:
                    for size in sizes:
                        what = call, size, dtype, graph_seed, op_seed
                        with self.subTest(name, dtype=dtype, seeds=(graph_seed, op_seed), n=size):
                            self.same(draw(tf, *what), draw(rt, *what))

    def same(self, expected, actual):
        for run, (want, got) in enumerate(zip(expected, actual)):
            self.assertEqual(want.dtype.name, got.dtype.name)
            self.assertEqual(want.shape, got.shape)
            different = np.flatnonzero(np.frombuffer(want.tobytes(), np.uint8)
                                       != np.frombuffer(got.tobytes(), np.uint8))
            self.assertEqual(0, different.size, f'run {run}: bytes {different[:5]}')

    def test_floats(self):
        self.check(FLOAT_CALLS, FLOATS, SEEDS[:3], SIZES)
        self.check(FLOAT_CALLS, ('float32',), SEEDS[3:], (255,))

    def test_floats_large(self):
        self.check(FLOAT_CALLS, FLOATS, SEEDS[2:3], (LARGE,))

    def test_integers(self):
        self.check(INT_CALLS, INTS, SEEDS[:3], SIZES)
        self.check(INT_CALLS, ('int32',), SEEDS[3:], (255,))
        self.check(INT_CALLS, INTS, SEEDS[2:3], (LARGE,))

    def test_initializers_and_layers(self):
        self.check(OTHER_CALLS, ('float32',), SEEDS[:3], (3, 255))

    def test_stateless(self):
        calls = {
            'uniform': lambda p, n, t, s: p.random.stateless_uniform([n], [s, 9], dtype=t),
            'normal': lambda p, n, t, s: p.random.stateless_normal([n], [s, 9], dtype=t),
            'truncated': lambda p, n, t, s: p.random.stateless_truncated_normal(
                [n], [s, 9], dtype=t)}
        self.check(calls, FLOATS, ((3, 0), (3, -5)), SIZES + (LARGE,))
        integers = {'uniform': lambda p, n, t, s: p.random.stateless_uniform(
            [n], [s, 9], -3, 99, dtype=t)}
        self.check(integers, INTS, ((3, 0), (3, -5)), SIZES + (LARGE,))


if __name__ == '__main__':
    unittest.main()
