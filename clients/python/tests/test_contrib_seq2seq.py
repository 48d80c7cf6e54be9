"""tf.contrib.seq2seq: helpers, decoders, attention, beam search and losses."""

import itertools
import unittest

import numpy as np
import ramet.compat.v1 as tf
from ramet.contrib.seq2seq import attention_mechanisms

rnn = tf.contrib.rnn
seq2seq = tf.contrib.seq2seq


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class Seq2SeqTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)


class HelperTest(Seq2SeqTest):

    def decode(self, helper, output_layer=None, **arguments):
        cell = rnn.GRUCell(4)
        decoder = seq2seq.BasicDecoder(cell, helper, cell.zero_state(helper.batch_size, tf.float32),
                                       output_layer)
        return seq2seq.dynamic_decode(decoder, **arguments)

    def test_training_equals_dynamic_rnn(self):
        x = tf.constant(np.random.RandomState(0).randn(3, 5, 2), tf.float32)
        lengths = [5, 0, 2]
        outputs, state, got = self.decode(seq2seq.TrainingHelper(x, lengths),
                                          impute_finished=True, scope='rnn')
        self.assertEqual([[3, None, 4], [3, None]], [t.shape.as_list() for t in outputs])
        with tf.variable_scope('', reuse=True):
            want, last = tf.nn.dynamic_rnn(rnn.GRUCell(4), x, lengths, dtype=tf.float32)
        outputs, state, got, want, last = self.run_([outputs, state, got, want, last])
        np.testing.assert_allclose(want, outputs.rnn_output, atol=1e-6)
        np.testing.assert_allclose(last, state, atol=1e-6)
        np.testing.assert_array_equal(lengths, got)

    def test_inputs_in_order_of_time(self):
        x = tf.ones([5, 3, 2])
        outputs, _, _ = self.decode(seq2seq.TrainingHelper(x, [5, 1, 2], time_major=True),
                                    output_layer=tf.layers.Dense(7), output_time_major=True)
        self.assertEqual((5, 3, 7), self.run_(outputs.rnn_output).shape)

    def test_greedy_and_sampled_symbols(self):
        table = tf.get_variable('embedding', [6, 3])
        for helper in (seq2seq.GreedyEmbeddingHelper(table, [0, 1], 5),
                       seq2seq.SampleEmbeddingHelper(table, [0, 1], 5, softmax_temperature=0.5,
                                                     seed=3)):
            with tf.variable_scope(None, 'model'):
                outputs, _, lengths = self.decode(helper, tf.layers.Dense(6),
                                                  maximum_iterations=4)
            outputs, lengths = self.run_([outputs, lengths])
            self.assertLessEqual(lengths.max(), 4)
            self.assertTrue((outputs.sample_id < 6).all())
            if type(helper) is seq2seq.GreedyEmbeddingHelper:
                np.testing.assert_array_equal(outputs.rnn_output.argmax(-1), outputs.sample_id)
        for message, start, end in (('must be a vector', 0, 1), ('must be a scalar', [0], [1])):
            with self.assertRaisesRegex(ValueError, message):
                seq2seq.GreedyEmbeddingHelper(table, start, end)

    def test_custom_and_inference(self):
        helper = seq2seq.CustomHelper(
            initialize_fn=lambda: (tf.tile([False], [2]), tf.zeros([2, 3])),
            sample_fn=lambda time, outputs, state: tf.fill([2], time),
            next_inputs_fn=lambda time, outputs, state, sample_ids: (
                tf.tile([time >= 2], [2]), tf.ones([2, 3]), state))
        with self.assertRaisesRegex(ValueError, 'before initialize'):
            helper.batch_size
        helper.initialize()
        outputs, _, _ = self.decode(helper)
        np.testing.assert_array_equal([[0, 1, 2]] * 2, self.run_(outputs.sample_id))
        helper = seq2seq.InferenceHelper(
            sample_fn=lambda outputs: outputs * 2, sample_shape=[4], sample_dtype=tf.float32,
            start_inputs=tf.ones([2, 4]), end_fn=lambda s: tf.tile([False], [2]))
        with tf.variable_scope('inference'):
            outputs, _, _ = self.decode(helper, maximum_iterations=3)
        outputs = self.run_(outputs)
        np.testing.assert_allclose(2 * outputs.rnn_output, outputs.sample_id)

    def test_scheduled_embeddings(self):
        table = tf.get_variable('embedding', [4, 2])
        x = tf.constant(np.random.RandomState(0).randn(3, 5, 2), tf.float32)
        lengths, results = [5, 3, 4], {}
        for probability in (0., 1., 0.5):
            with tf.variable_scope('m', reuse=tf.AUTO_REUSE):
                helper = seq2seq.ScheduledEmbeddingTrainingHelper(
                    x, lengths, table, probability, seed=1, scheduling_seed=2)
                results[probability] = self.decode(helper)[0]
        with tf.variable_scope('m', reuse=True):
            given = self.decode(seq2seq.TrainingHelper(x, lengths))[0]
        given, results = self.run_([given, results])
        np.testing.assert_allclose(given.rnn_output, results[0.].rnn_output, atol=1e-6)
        self.assertTrue((results[0.].sample_id == -1).all())
        self.assertTrue((results[1.].sample_id >= 0).all())
        self.assertEqual({True, False}, set((results[0.5].sample_id == -1).ravel()))

    def test_scheduled_outputs(self):
        x = tf.constant(np.random.RandomState(0).randn(2, 4, 4), tf.float32)
        auxiliary = tf.ones([2, 4, 1])
        for arguments in ({}, {'auxiliary_inputs': auxiliary},
                          {'next_inputs_fn': lambda v: 2 * v, 'auxiliary_inputs': auxiliary}):
            helper = seq2seq.ScheduledOutputTrainingHelper(x, [4, 2], 0.5, seed=1, **arguments)
            with tf.variable_scope(None, 'm'):
                outputs, _, _ = self.decode(helper)
            outputs = self.run_(outputs)
            self.assertEqual({0, 1}, set(outputs.sample_id.ravel()))
            self.assertTrue(np.isfinite(outputs.rnn_output).all())
        with self.assertRaisesRegex(ValueError, 'either a scalar or a vector'):
            seq2seq.ScheduledOutputTrainingHelper(x, [4, 2], [[0.5]])

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(TypeError, 'Expected decoder to be type Decoder'):
            seq2seq.dynamic_decode('decoder')
        helper = seq2seq.TrainingHelper(tf.ones([1, 2, 3]), [2])
        with self.assertRaisesRegex(ValueError, 'must be a scalar'):
            self.decode(helper, maximum_iterations=[3])
        with self.assertRaisesRegex(ValueError, 'sequence_length to be a vector'):
            seq2seq.TrainingHelper(tf.ones([1, 2, 3]), 2)
        with self.assertRaisesRegex(TypeError, 'helper must be a Helper'):
            seq2seq.BasicDecoder(rnn.GRUCell(3), None, None)


class AttentionTest(Seq2SeqTest):

    def setUp(self):
        super().setUp()
        random = np.random.RandomState(0)
        self.memory = random.randn(3, 5, 4).astype(np.float32)
        self.query = random.randn(3, 4).astype(np.float32)
        self.lengths = np.array([5, 2, 3])
        self.mask = np.arange(5) < self.lengths[:, None]

    def attend(self, mechanism, state=None):
        """Returns the weights, and the values of the variables by the last part of their names."""
        query = tf.constant(self.query)
        state = mechanism.initial_state(3, tf.float32) if state is None else state
        alignments, next_state = mechanism(query, state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            values = {v.op.name: session.run(v) for v in tf.global_variables()}
            return session.run(alignments), values

    def masked(self, score):
        return softmax(np.where(self.mask, score, -np.inf))

    def test_luong(self):
        mechanism = seq2seq.LuongAttention(4, self.memory, self.lengths, scale=True)
        weights, v = self.attend(mechanism)
        keys = (self.memory * self.mask[..., None]) @ v['memory_layer/kernel']
        score = v['luong_attention/attention_g'] * np.einsum('bi,bti->bt', self.query, keys)
        np.testing.assert_allclose(self.masked(score), weights, rtol=1e-4, atol=1e-6)
        with self.assertRaisesRegex(ValueError, 'Incompatible or unknown inner dimensions'):
            seq2seq.LuongAttention(5, self.memory)(tf.constant(self.query), None)

    def bahdanau(self, v, scope, normalize):
        keys = (self.memory * self.mask[..., None]) @ v['memory_layer/kernel']
        query = self.query @ v[scope + 'query_layer/kernel']
        total, a = keys + query[:, None], v[scope + 'attention_v']
        if normalize:
            total = total + v[scope + 'attention_b']
            a = v[scope + 'attention_g'] * a / np.sqrt((a ** 2).sum())
        return (a * np.tanh(total)).sum(-1)

    def test_bahdanau(self):
        for normalize in (False, True):
            tf.reset_default_graph()
            mechanism = seq2seq.BahdanauAttention(6, self.memory, self.lengths, normalize)
            weights, v = self.attend(mechanism)
            score = self.bahdanau(v, 'bahdanau_attention/', normalize)
            np.testing.assert_allclose(self.masked(score), weights, rtol=1e-4, atol=1e-6)

    def test_other_probabilities(self):
        mechanism = seq2seq.LuongAttention(4, self.memory, probability_fn=seq2seq.hardmax)
        weights, _ = self.attend(mechanism)
        np.testing.assert_array_equal([1] * 3, weights.sum(-1))
        np.testing.assert_array_equal([1] * 3, weights.max(-1))
        with self.assertRaisesRegex(TypeError, 'probability_fn must be callable'):
            attention_mechanisms.MemoryAttention(
                None, self.memory, 3, memory_layer=tf.layers.Dense(3))

    @staticmethod
    def monotonic(p, previous):
        """The definition of arXiv 1704.00784, equation 9."""
        result = np.zeros_like(p)
        for j in range(p.shape[1]):
            for k in range(j + 1):
                result[:, j] += previous[:, k] * np.prod(1 - p[:, k:j], axis=1)
            result[:, j] *= p[:, j]
        return result

    def test_monotonic_weights(self):
        random = np.random.RandomState(1)
        p, previous = random.rand(2, 4), random.dirichlet(np.ones(4), 2)
        got = self.run_([seq2seq.monotonic_attention(p, previous, mode)
                         for mode in ('recursive', 'parallel')])
        for value in got:
            np.testing.assert_allclose(self.monotonic(p, previous), value, rtol=1e-5)
        hard = self.run_(seq2seq.monotonic_attention(
            [[1., 0, 1, 1]], [[0., 1, 0, 0]], 'hard'))
        np.testing.assert_array_equal([[0, 0, 1, 0]], hard)
        with self.assertRaisesRegex(ValueError, "mode must be 'recursive', 'parallel', or 'hard'"):
            seq2seq.monotonic_attention(p, previous, 'soft')

    def test_monotonic_mechanisms(self):
        for kind, scope in ((seq2seq.BahdanauMonotonicAttention, 'bahdanau_monotonic_attention/'),
                            (seq2seq.LuongMonotonicAttention, 'luong_monotonic_attention/')):
            for mode in ('recursive', 'parallel', 'hard'):
                tf.reset_default_graph()
                mechanism = kind(4, self.memory, self.lengths, score_bias_init=0.5, mode=mode)
                weights, v = self.attend(mechanism)
                self.assertEqual(0.5, v[scope + 'attention_score_bias'])
                if 'bahdanau' in scope:
                    score = self.bahdanau(v, scope, False)
                else:
                    keys = (self.memory * self.mask[..., None]) @ v['memory_layer/kernel']
                    score = np.einsum('bi,bti->bt', self.query, keys)
                score = np.where(self.mask, score + 0.5, -np.inf)
                p = (score > 0) * 1. if mode == 'hard' else 1 / (1 + np.exp(-score))
                first = np.eye(1, 5)[[0, 0, 0]]
                np.testing.assert_allclose(self.monotonic(p, first), weights, atol=1e-5)

    def test_cumulative_product(self):
        x = np.array([[0.5, 0., 0.3, 1.]], np.float32)
        got = self.run_(seq2seq.safe_cumprod(x, axis=1, exclusive=True))
        np.testing.assert_allclose([[1, 0.5, 0, 0]], got, atol=1e-6)

    def test_wrapper(self):
        mechanisms = [seq2seq.LuongAttention(4, self.memory, self.lengths),
                      seq2seq.BahdanauAttention(6, self.memory)]
        cell = seq2seq.AttentionWrapper(rnn.BasicLSTMCell(4), mechanisms, [3, 2],
                                        alignment_history=True)
        self.assertEqual(5, cell.output_size)
        x = tf.ones([3, 7, 2])
        decoder = seq2seq.BasicDecoder(cell, seq2seq.TrainingHelper(x, [7, 6, 5]),
                                       cell.zero_state(3, tf.float32))
        outputs, state, _ = seq2seq.dynamic_decode(decoder)
        history = [h.stack() for h in state.alignment_history]
        outputs, history, state = self.run_([outputs, history, state.alignments])
        self.assertEqual((3, 7, 5), outputs.rnn_output.shape)
        for weights, last in zip(history, state):
            self.assertEqual((7, 3, 5), weights.shape)
            np.testing.assert_allclose(1, weights.sum(-1), rtol=1e-5)
            np.testing.assert_array_equal(last, weights[-1])

    def test_wrapper_without_layers(self):
        cell = seq2seq.AttentionWrapper(
            rnn.GRUCell(4), seq2seq.LuongAttention(4, self.memory), output_attention=False,
            initial_cell_state=tf.constant(self.query))
        state = cell.zero_state(3, tf.float32)
        output, new = cell(tf.ones([3, 2]), state.clone(cell_state=tf.constant(self.query)))
        alignments, attention, output = self.run_([new.alignments, new.attention, output])
        np.testing.assert_allclose(np.einsum('bt,bti->bi', alignments, self.memory), attention,
                                   rtol=1e-4)
        self.assertEqual((3, 4), output.shape)
        self.assertEqual(['attention_wrapper/gru_cell/gates/kernel'],
                         [v.op.name for v in tf.trainable_variables() if 'gates/k' in v.op.name])

    def test_wrong_arguments_of_the_wrapper(self):
        mechanism = seq2seq.LuongAttention(4, self.memory)
        with self.assertRaisesRegex(ValueError, 'saw: 2 vs 1'):
            seq2seq.AttentionWrapper(rnn.GRUCell(4), mechanism, [3, 3])
        with self.assertRaisesRegex(TypeError, 'must contain only instances'):
            seq2seq.AttentionWrapper(rnn.GRUCell(4), [mechanism, 3])
        with self.assertRaisesRegex(ValueError, 'Only one of'):
            seq2seq.AttentionWrapper(rnn.GRUCell(4), mechanism, 3,
                                     attention_layer=tf.layers.Dense(3))
        cell = seq2seq.AttentionWrapper(rnn.GRUCell(4), mechanism)
        with self.assertRaisesRegex((ValueError, tf.errors.InvalidArgumentError), 'tile_batch'):
            self.run_(cell.zero_state(tf.placeholder_with_default(4, []), tf.float32).cell_state)


class BeamTest(Seq2SeqTest):

    def test_tile_batch(self):
        t = tf.placeholder(tf.int32, [None, 2])
        tiled = seq2seq.tile_batch({'a': t, 'b': tf.constant([1, 2])}, 3)
        self.assertEqual([[None, 2], [6]], [tiled[k].shape.as_list() for k in 'ab'])
        tiled = self.run_(tiled, {t: [[1, 2], [3, 4]]})
        np.testing.assert_array_equal([[1, 2]] * 3 + [[3, 4]] * 3, tiled['a'])
        np.testing.assert_array_equal([1, 1, 1, 2, 2, 2], tiled['b'])

    def test_gather_tree(self):
        steps = [[[1, 2, 3]], [[4, 5, 6]], [[7, 8, 9]], [[-1, -1, -1]]]
        parents = [[[0, 0, 0]], [[0, 1, 1]], [[2, 1, 2]], [[-1, -1, -1]]]
        got = self.run_(seq2seq.gather_tree(steps, parents, [3], 10))
        np.testing.assert_array_equal(
            [[[2, 2, 2]], [[6, 5, 6]], [[7, 8, 9]], [[10, 10, 10]]], got)
        ended = self.run_(seq2seq.gather_tree(steps, parents, [3], 6))
        np.testing.assert_array_equal([[[2, 2, 2]], [[6, 5, 6]], [[6, 8, 6]], [[6, 6, 6]]], ended)
        with self.assertRaises(tf.errors.InvalidArgumentError):
            self.run_(seq2seq.gather_tree(steps, np.full([4, 1, 3], 7), [3], 10))

    def model(self, width, **arguments):
        """A decoder whose logits only depend on the last symbol, so that all sequences can be listed."""
        self.logits = np.random.RandomState(3).randn(4, 4).astype(np.float32)
        cell = rnn.BasicRNNCell(4, activation=lambda x: x)
        decoder = seq2seq.BeamSearchDecoder(
            cell, tf.eye(4), start_tokens=[0, 1], end_token=3,
            initial_state=tf.zeros([2 * width, 4]), beam_width=width, **arguments)
        outputs, state, lengths = seq2seq.dynamic_decode(decoder, maximum_iterations=3)
        kernel, _ = tf.global_variables()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            session.run(kernel.assign(np.vstack([self.logits, np.zeros([4, 4])])))
            return session.run([outputs, state, lengths])

    def best(self, start, penalty=0.):
        """Returns all sequences of up to three symbols and their scores, the best first."""
        log_probs = np.log(softmax(self.logits))
        found = {}
        for symbols in itertools.product(range(4), repeat=3):
            score, last, sequence = 0., start, []
            for symbol in symbols:
                score += log_probs[last, symbol]
                sequence.append(symbol)
                if symbol == 3:
                    break
                last = symbol
            length = len(sequence) - (sequence[-1] == 3)
            sequence += [3] * (3 - len(sequence))
            found[tuple(sequence)] = score / ((5 + length) / 6) ** penalty
        return sorted(found.items(), key=lambda item: -item[1])

    def test_a_wide_beam_finds_the_best_sequences(self):
        outputs, state, lengths = self.model(16)
        self.assertEqual((2, 3, 16), outputs.predicted_ids.shape)
        for i, start in enumerate((0, 1)):
            best = self.best(start)
            self.assertEqual([tuple(b) for b, _ in best[:4]],
                             [tuple(outputs.predicted_ids[i, :, k]) for k in range(4)])
            np.testing.assert_allclose([score for _, score in best[:4]],
                                       state.log_probs[i, :4], rtol=1e-4)
            np.testing.assert_allclose(
                [score for _, score in best[:4]],
                outputs.beam_search_decoder_output.scores[i, -1, :4], rtol=1e-4)

    def test_narrow_beams_and_penalties(self):
        outputs, state, _ = self.model(2, length_penalty_weight=0.8)
        self.assertEqual((2, 3, 2), outputs.predicted_ids.shape)
        scores = outputs.beam_search_decoder_output.scores[:, -1]
        self.assertTrue((scores[:, 0] >= scores[:, 1]).all())
        with self.assertRaisesRegex(ValueError, 'must be 0.0 if no cell is attention wrapped'):
            tf.reset_default_graph()
            self.model(2, coverage_penalty_weight=0.2)


class LossTest(Seq2SeqTest):

    def test_averages_and_sums(self):
        random = np.random.RandomState(0)
        logits = random.randn(2, 3, 4).astype(np.float32)
        targets = random.randint(4, size=(2, 3))
        weights = np.array([[1, 1, 0], [0.5, 0, 0]], np.float32)
        nll = -np.log(np.take_along_axis(softmax(logits), targets[..., None], -1)[..., 0])
        nll *= weights
        cases = [((True, True, False, False), nll.sum() / weights.sum()),
                 ((True, False, False, False), nll.sum(1) / weights.sum(1)),
                 ((False, True, False, False),
                  np.divide(nll.sum(0), weights.sum(0), where=weights.sum(0) > 0,
                            out=np.zeros(3, np.float32))),
                 ((False, False, True, True), nll.sum() / 3),
                 ((False, False, True, False), nll.sum(1) / [2, 1]),
                 ((False, False, False, False), nll)]
        for options, want in cases:
            got = self.run_(seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets),
                                                  tf.constant(weights), *options))
            np.testing.assert_allclose(want, got, rtol=1e-5)
        with self.assertRaisesRegex(ValueError, r'Targets must be a \[batch_size x seq'):
            seq2seq.sequence_loss(tf.constant(logits), tf.constant(logits), tf.constant(weights))
        with self.assertRaisesRegex(ValueError, 'cannot be set to True at same time'):
            seq2seq.sequence_loss(tf.constant(logits), tf.constant(targets), tf.constant(weights),
                                  sum_over_batch=True)


if __name__ == '__main__':
    unittest.main()
