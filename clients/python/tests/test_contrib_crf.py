"""tf.contrib.crf, compared with sums over all sequences of tags."""

import itertools
import unittest

import numpy as np
import ramet.compat.v1 as tf

crf = tf.contrib.crf
TAGS = 3


def score(inputs, transitions, tags):
    return sum(inputs[i, t] for i, t in enumerate(tags)) \
        + sum(transitions[a, b] for a, b in zip(tags, tags[1:]))


def all_scores(inputs, transitions, length, allowed=None):
    """Maps each sequence of tags of a length to its score."""
    return {tags: score(inputs, transitions, tags)
            for tags in itertools.product(range(TAGS), repeat=length)
            if allowed is None or all(allowed[i, t] for i, t in enumerate(tags))}


class CrfTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        random = np.random.RandomState(0)
        self.transitions = random.randn(TAGS, TAGS).astype(np.float32)
        self.lengths = np.array([4, 2, 1], np.int32)
        self.inputs = random.randn(3, 4, TAGS).astype(np.float32)
        self.tags = random.randint(TAGS, size=(3, 4)).astype(np.int32)
        self.allowed = random.rand(3, 4, TAGS) < 0.8
        self.allowed[..., 0] = True

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)

    def check(self, inputs, lengths, tags, allowed):
        """Compares all functions with the sums over all sequences."""
        given = (tf.constant(lengths), tf.constant(self.transitions))
        x = tf.constant(inputs)
        likelihood, _ = crf.crf_log_likelihood(x, tags, *given)
        got = self.run_([
            crf.crf_sequence_score(x, tf.constant(tags), *given), crf.crf_log_norm(x, *given),
            crf.crf_multitag_sequence_score(x, tf.constant(allowed), *given), likelihood,
            crf.crf_decode(x, given[1], given[0])])
        for i, length in enumerate(lengths):
            every = all_scores(inputs[i], self.transitions, length)
            some = all_scores(inputs[i], self.transitions, length, allowed[i])
            own = every[tuple(tags[i, :length])]
            norm = np.log(np.sum(np.exp(list(every.values()))))
            np.testing.assert_allclose(
                [own, norm, np.log(np.sum(np.exp(list(some.values())))), own - norm],
                [value[i] for value in got[:4]], rtol=1e-4, atol=1e-5)
            tags_found, best = got[4]
            self.assertEqual(max(every, key=every.get), tuple(tags_found[i, :length]))
            self.assertAlmostEqual(max(every.values()), best[i], places=4)
            self.assertEqual(0, tags_found[i, length:].sum())

    def test_sums_over_all_sequences(self):
        self.check(self.inputs, self.lengths, self.tags, self.allowed)

    def test_sequences_of_one_step(self):
        self.check(self.inputs[:, :1], np.ones(3, np.int32), self.tags[:, :1], self.allowed[:, :1])

    def test_empty_sequences(self):
        got = self.run_(crf.crf_log_norm(tf.constant(self.inputs), tf.constant([0, 1, 0]),
                                         tf.constant(self.transitions)))
        self.assertEqual([True, False, True], [v == 0 for v in got])

    def test_unknown_sizes(self):
        x = tf.placeholder(tf.float32, [None, None, TAGS])
        tags, lengths = tf.placeholder(tf.int32, [None, None]), tf.placeholder(tf.int32, [None])
        likelihood, transitions = crf.crf_log_likelihood(x, tags, lengths)
        decoded, _ = crf.crf_decode(x, transitions, lengths)
        for steps in (4, 1):
            feeds = {x: self.inputs[:, :steps], tags: self.tags[:, :steps],
                     lengths: np.minimum(self.lengths, steps)}
            likelihoods, found = self.run_([likelihood, decoded], feeds)
            self.assertTrue((likelihoods < 0).all())
            self.assertEqual((3, steps), found.shape)

    def test_viterbi_decode(self):
        scores = all_scores(self.inputs[0], self.transitions, 4)
        want = max(scores, key=scores.get)
        found, best = crf.viterbi_decode(self.inputs[0], self.transitions)
        self.assertEqual(list(want), found)
        self.assertAlmostEqual(scores[want], best, places=4)

    def test_training(self):
        likelihood, _ = crf.crf_log_likelihood(
            tf.constant(self.inputs), self.tags, self.lengths)
        loss = tf.reduce_mean(-likelihood)
        train = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            first = session.run(loss)
            for _ in range(20):
                session.run(train)
            self.assertLess(session.run(loss), first)
        self.assertEqual(['transitions'], [v.op.name for v in tf.trainable_variables()])


if __name__ == '__main__':
    unittest.main()
