"""A model of tf.contrib.seq2seq that learns to translate: an encoder, attention, and a decoder with beams."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

rnn = tf.contrib.rnn
seq2seq = tf.contrib.seq2seq


class TranslationTest(unittest.TestCase):
    """A model that learns to reverse sequences of symbols, with attention, and decodes with beams."""

    GO, END, WIDTH = 1, 0, 3

    def encoder(self, table, source, lengths):
        with tf.variable_scope('encoder'):
            cells = [rnn.LSTMCell(24) for _ in range(2)]
            outputs, states = tf.nn.bidirectional_dynamic_rnn(
                *cells, tf.nn.embedding_lookup(table, source), lengths, dtype=tf.float32)
            state = rnn.LSTMStateTuple(tf.concat([s.c for s in states], -1),
                                       tf.concat([s.h for s in states], -1))
            return tf.concat(outputs, -1), state

    def decoder(self, memory, lengths, state, batch, mode, table, targets=None):
        repeat = (lambda x: seq2seq.tile_batch(x, self.WIDTH)) if mode == 'beam' else (lambda x: x)
        memory, lengths, state = repeat(memory), repeat(lengths), repeat(state)
        with tf.variable_scope('decoder', reuse=tf.AUTO_REUSE):
            mechanism = seq2seq.BahdanauAttention(24, memory, lengths, normalize=True)
            cell = seq2seq.AttentionWrapper(rnn.LSTMCell(48), mechanism, 24,
                                            alignment_history=mode == 'beam')
            size = batch * self.WIDTH if mode == 'beam' else batch
            first = cell.zero_state(size, tf.float32).clone(cell_state=state)
            project = tf.layers.Dense(9, use_bias=False, name='project')
            starts = tf.fill([batch], self.GO)
            if mode == 'beam':
                decoder = seq2seq.BeamSearchDecoder(cell, table, starts, self.END, first,
                                                    self.WIDTH, project, 0.5, 0.1)
            else:
                helper = seq2seq.TrainingHelper(
                    tf.nn.embedding_lookup(table, targets), tf.fill([batch], 5)) \
                    if mode == 'train' else seq2seq.GreedyEmbeddingHelper(table, starts, self.END)
                decoder = seq2seq.BasicDecoder(cell, helper, first, project)
            return seq2seq.dynamic_decode(decoder, maximum_iterations=8)

    def test_training_and_translation(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)
        source = tf.placeholder(tf.int32, [None, 4])
        batch = tf.shape(source)[0]
        lengths = tf.fill([batch], 4)
        table = tf.get_variable('embedding', [9, 16])
        reverse = tf.reverse(source, [1])
        inputs = tf.concat([tf.fill([batch, 1], self.GO), reverse], 1)
        targets = tf.concat([reverse, tf.fill([batch, 1], self.END)], 1)
        memory, state = self.encoder(table, source, lengths)
        outputs, _, _ = self.decoder(memory, lengths, state, batch, 'train', table, inputs)
        loss = seq2seq.sequence_loss(outputs.rnn_output, targets, tf.ones([batch, 5]))
        train = tf.train.AdamOptimizer(0.01).minimize(loss)
        greedy, _, _ = self.decoder(memory, lengths, state, batch, 'greedy', table)
        beams, last, _ = self.decoder(memory, lengths, state, batch, 'beam', table)
        history = last.cell_state.alignment_history
        names = [v.op.name for v in tf.trainable_variables()]
        self.assertEqual(len(set(names)), len(names))
        self.assertIn('decoder/decoder/attention_wrapper/bahdanau_attention/attention_v', names)
        random = np.random.RandomState(0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for _ in range(150):
                session.run(train, {source: random.randint(2, 9, size=(32, 4))})
            x = random.randint(2, 9, size=(16, 4))
            found, best, weights = session.run([greedy.sample_id, beams.predicted_ids, history],
                                               {source: x})
        self.assertGreater((found[:, :4] == x[:, ::-1]).mean(), 0.9)
        self.assertGreater((best[:, :4, 0] == x[:, ::-1]).mean(), 0.9)
        self.assertEqual(16 * self.WIDTH, weights.shape[1])
        np.testing.assert_allclose(1, weights.sum(-1), rtol=1e-4)


if __name__ == '__main__':
    unittest.main()
