"""Symptom: seeded random numbers differ from TensorFlow's, so weights or dropout masks differ.

Each call is made in both packages with the same graph seed and op seed (or only one of them). The values of three
runs in one session, and of the first run of the next session, must be bitwise equal.
Needs tensorflow, and the package ramet on the path.
"""

import ast
import os
import subprocess
import sys
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
# Many numbers depend on how TensorFlow divides the work among its threads, whose number the first session of the process
# chooses. The conformance cases compare many numbers with those of one thread.
TRUNCATED_CALLS = {
    'parameterized_truncated_normal': lambda p, n, t, s: p.raw_ops.ParameterizedTruncatedNormal(
        shape=[n, 7], means=0., stdevs=1., minvals=-1., maxvals=float('inf'), seed=s or 0, seed2=5),
    'stateless_parameterized_truncated_normal': lambda p, n, t, s: p.random.stateless_parameterized_truncated_normal(
        [n, 3], [s or 0, 9], [0., 1., 2.], 1.5, [-1., -float('inf'), 2.5], [1., 0.5, float('inf')]),
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
        self.check(TRUNCATED_CALLS, ('float32',), SEEDS[:3], (1, 3))

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

    def test_stateless_distributions(self):
        counts, probs = [3., 50., 1000.], [0.5, 0.25, 0.984375]
        calls = {
            'binomial': lambda p, n, t, s: p.random.stateless_binomial([n, 3], [s, 9], counts, probs, output_dtype=t),
            'gamma': lambda p, n, t, s: p.random.stateless_gamma([n, 3], [s, 9], [0.5, 1., 4.], beta=2.),
            'poisson': lambda p, n, t, s: p.random.stateless_poisson([n, 3], [s, 9], [0.5, 9., 500.], dtype=t)}
        self.check(calls, INTS, ((3, 0), (3, -5)), (1, 3, 255, 5001))

    def test_seeds_made_from_seeds(self):
        calls = {'split': lambda p, n, t, s: p.random.split(p.constant([s, 9], t), n),
                 'fold_in': lambda p, n, t, s: p.random.fold_in(p.constant([s, 9], t), p.constant(n, t)),
                 'stateless_split': lambda p, n, t, s: p.random.experimental.stateless_split([s, 9], n)}
        self.check(calls, INTS, ((3, 0), (3, -5)), SIZES[:3])

    def test_distributions_do_not_depend_on_threads(self):
        """Only truncated normal numbers of TensorFlow depend on the number of threads."""
        calls = (lambda p: p.random.stateless_binomial([20000, 2], [3, 9], [50., 7.], [0.5, 0.25]),
                 lambda p: p.random.stateless_gamma([20000, 2], [3, 9], [0.5, 4.]),
                 lambda p: p.random.stateless_poisson([20000, 2], [3, 9], [0.5, 50.]))
        for call in calls:
            values = []
            for package in (tf, rt):
                for threads in (1, 4):
                    with package.Graph().as_default():
                        config = package.ConfigProto(intra_op_parallelism_threads=threads)
                        with package.Session(config=config) as session:
                            values.append(session.run(call(package)))
            for other in values[1:]:
                self.same([values[0]], [other])

    def test_generator_binomial(self):
        """Compares with eager mode: TensorFlow's op loses the state of its first run in a graph."""
        shapes = ([1], [3, 2, 2], [0, 2], [5, 1])
        counts = [50.], [40., 9.], [40., 9.], [40.]
        code = f"""
import os
os.environ['TF_CPP_MIN_LOG_LEVEL'] = '3'
import tensorflow as tf
generator = tf.random.Generator.from_seed(5)
print([generator.binomial(s, c, 0.5).numpy().tolist() for s, c in zip({shapes}, {counts})], end=';')
print(generator.state.numpy().tolist())
"""
        output = subprocess.check_output([sys.executable, '-c', code], text=True)
        expected, state = map(ast.literal_eval, output.split(';'))
        with rt.Graph().as_default(), rt.Session() as session:
            generator = rt.random.Generator.from_seed(5)
            drawn = [generator.binomial(s, c, 0.5) for s, c in zip(shapes, counts)]
            session.run(generator.state.initializer)
            self.assertEqual(expected, [session.run(numbers).tolist() for numbers in drawn])
            self.assertEqual(state, session.run(generator.state).tolist())


if __name__ == '__main__':
    unittest.main()
