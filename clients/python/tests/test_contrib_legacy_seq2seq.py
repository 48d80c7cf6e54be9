"""tf.contrib.legacy_seq2seq: a character model, and models with and without attention."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

rnn = tf.contrib.rnn
seq2seq = tf.contrib.legacy_seq2seq


def names(variables):
    return [v.op.name for v in variables]


def softmax(x):
    e = np.exp(x - x.max(-1, keepdims=True))
    return e / e.sum(-1, keepdims=True)


class LegacySeq2SeqTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)

    def symbols(self, steps, batch=2, classes=5):
        random = np.random.RandomState(steps)
        return [tf.constant(random.randint(classes, size=batch), tf.int32) for _ in range(steps)]

    def test_projections_and_embeddings_of_a_cell(self):
        cell = rnn.OutputProjectionWrapper(
            rnn.EmbeddingWrapper(rnn.InputProjectionWrapper(rnn.GRUCell(3), 2), 5, 4), 6)
        outputs, state = tf.nn.static_rnn(cell, self.symbols(2), dtype=tf.float32)
        self.assertEqual([[2, 6], [2, 3]], [outputs[0].shape.as_list(), state.shape.as_list()])
        scope = 'rnn/output_projection_wrapper/'
        self.assertEqual(
            [scope + 'embedding_wrapper/embedding',
             scope + 'embedding_wrapper/input_projection_wrapper/kernel',
             scope + 'embedding_wrapper/input_projection_wrapper/bias',
             scope + 'embedding_wrapper/input_projection_wrapper/gru_cell/gates/kernel',
             scope + 'embedding_wrapper/input_projection_wrapper/gru_cell/gates/bias',
             scope + 'embedding_wrapper/input_projection_wrapper/gru_cell/candidate/kernel',
             scope + 'embedding_wrapper/input_projection_wrapper/gru_cell/candidate/bias',
             scope + 'kernel', scope + 'bias'], names(tf.global_variables()))
        with self.assertRaisesRegex(ValueError, 'must be > 0'):
            rnn.EmbeddingWrapper(rnn.GRUCell(3), 0, 4)

    def test_basic_and_tied_models(self):
        inputs = [tf.ones([2, 3]) for _ in range(2)]
        outputs, _ = seq2seq.basic_rnn_seq2seq(inputs, inputs, rnn.BasicLSTMCell(4))
        tied, _ = seq2seq.tied_rnn_seq2seq(inputs, inputs, rnn.GRUCell(4))
        self.assertEqual([(2, 4)] * 4, [v.shape for v in self.run_([*outputs, *tied])])
        self.assertEqual(
            ['basic_rnn_seq2seq/rnn/basic_lstm_cell/kernel',
             'basic_rnn_seq2seq/rnn/basic_lstm_cell/bias',
             'basic_rnn_seq2seq/rnn_decoder/basic_lstm_cell/kernel',
             'basic_rnn_seq2seq/rnn_decoder/basic_lstm_cell/bias',
             'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/gates/kernel',
             'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/gates/bias',
             'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/candidate/kernel',
             'combined_tied_rnn_seq2seq/tied_rnn_seq2seq/gru_cell/candidate/bias'],
            names(tf.global_variables()))

    def test_models_of_symbols(self):
        for model, arguments in ((seq2seq.embedding_rnn_seq2seq, (5, 6, 3)),
                                 (seq2seq.embedding_tied_rnn_seq2seq, (6, 3)),
                                 (seq2seq.embedding_attention_seq2seq, (5, 6, 3))):
            tf.reset_default_graph()
            feed_previous = tf.placeholder(tf.bool, [])
            cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(4), rnn.BasicLSTMCell(4)])
            x, y = self.symbols(3), self.symbols(2)
            with tf.variable_scope('m'):
                outputs, state = model(x, y, cell, *arguments, feed_previous=feed_previous)
            with tf.variable_scope('m', reuse=True):
                cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(4), rnn.BasicLSTMCell(4)])
                given, _ = model(x, y, cell, *arguments)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                taught, want, states = session.run([outputs, given, state], {feed_previous: False})
                fed = session.run(outputs, {feed_previous: True})
            np.testing.assert_allclose(want, taught, rtol=1e-5)
            np.testing.assert_allclose(want[0], fed[0], rtol=1e-5)
            self.assertEqual((2, 6), want[0].shape)
            self.assertEqual((2, 4), states[1].c.shape)

    def test_one_to_many(self):
        decoders = {'a': self.symbols(2), 'b': self.symbols(3)}
        cells = {name: rnn.GRUCell(4) for name in decoders}
        outputs, states = seq2seq.one2many_rnn_seq2seq(
            self.symbols(2), decoders, rnn.GRUCell(4), cells, 5, {'a': 5, 'b': 6}, 3)
        outputs, states = self.run_([outputs, states])
        self.assertEqual(([(2, 5)] * 2, [(2, 6)] * 3), tuple(
            [v.shape for v in outputs[name]] for name in 'ab'))
        self.assertEqual((2, 4), states['a'].shape)

    def test_attention_reads_a_weighted_mean(self):
        random = np.random.RandomState(0)
        states = random.randn(2, 3, 4).astype(np.float32)
        x = random.randn(2, 2).astype(np.float32)
        cell = rnn.BasicRNNCell(4)
        outputs, state = seq2seq.attention_decoder(
            [tf.constant(x)], tf.zeros([2, 4]), tf.constant(states), cell, output_size=3,
            initial_state_attention=True)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            v = {variable.op.name.partition('/')[2]: session.run(variable)
                 for variable in tf.global_variables()}
            output, state = session.run([outputs[0], state])

        def read(query):
            y = query @ v['Attention_0/kernel'] + v['Attention_0/bias']
            keys = states @ v['AttnW_0'][0, 0]
            weights = softmax((v['AttnV_0'] * np.tanh(keys + y[:, None])).sum(-1))
            return (weights[..., None] * states).sum(1)

        first = np.hstack([x, read(np.zeros([2, 4]))]) @ v['kernel'] + v['bias']
        new = np.tanh(np.hstack([first, np.zeros([2, 4])]) @ v['basic_rnn_cell/kernel']
                      + v['basic_rnn_cell/bias'])
        np.testing.assert_allclose(new, state, rtol=1e-4, atol=1e-5)
        want = np.hstack([new, read(new)]) @ v['AttnOutputProjection/kernel'] \
            + v['AttnOutputProjection/bias']
        np.testing.assert_allclose(want, output, rtol=1e-4, atol=1e-5)

    def test_wrong_arguments_of_attention(self):
        states, cell = tf.zeros([2, 3, 4]), rnn.GRUCell(4)
        for message, inputs, heads in (('at least 1 input', [], 1),
                                       ('less than 1 heads', [tf.zeros([2, 4])], 0)):
            with self.assertRaisesRegex(ValueError, message):
                seq2seq.attention_decoder(inputs, tf.zeros([2, 4]), states, cell, num_heads=heads)

    def test_losses(self):
        random = np.random.RandomState(0)
        logits = random.randn(3, 2, 4).astype(np.float32)
        targets, weights = random.randint(4, size=(3, 2)), np.array([[1, 1], [1, 0], [0, 0.5]])
        tensors = ([tf.constant(v) for v in logits], [tf.constant(v) for v in targets],
                   [tf.constant(v, tf.float32) for v in weights])
        by_example = seq2seq.sequence_loss_by_example(*tensors)
        total = seq2seq.sequence_loss(*tensors, average_across_timesteps=False,
                                      average_across_batch=False)
        mean = seq2seq.sequence_loss(*tensors)
        nll = -np.log(np.take_along_axis(softmax(logits), targets[..., None], -1)[..., 0])
        want = (nll * weights).sum(0) / weights.sum(0)
        got = self.run_([by_example, total, mean])
        np.testing.assert_allclose(want, got[0], rtol=1e-5)
        np.testing.assert_allclose([(nll * weights).sum(), want.mean()], got[1:], rtol=1e-5)
        with self.assertRaisesRegex(ValueError, 'must be the same 3, 3, 2.'):
            seq2seq.sequence_loss(tensors[0], tensors[1][:2], tensors[2])

    def test_one_cell_for_all_buckets(self):
        x, cell = self.symbols(4), rnn.MultiRNNCell([rnn.GRUCell(4) for _ in range(2)])
        _, losses = seq2seq.model_with_buckets(
            x, x, x, [tf.ones([2])] * 4, [(2, 3), (4, 4)], lambda a, b: seq2seq.embedding_rnn_seq2seq(
                a, b, cell, 5, 5, 3))
        trained = names(tf.trainable_variables())
        self.assertEqual(len(set(trained)), len(trained))
        self.assertTrue(np.isfinite(self.run_(losses)).all())

    def test_buckets_share_variables(self):
        x, y, weights = self.symbols(4), self.symbols(4), [tf.ones([2])] * 4

        def model(encoder_inputs, decoder_inputs):
            return seq2seq.embedding_attention_seq2seq(
                encoder_inputs, decoder_inputs, rnn.GRUCell(4), 5, 5, 3)

        outputs, losses = seq2seq.model_with_buckets(x, y, y, weights, [(2, 3), (4, 4)], model)
        self.assertEqual([3, 4], [len(o) for o in outputs])
        self.assertEqual(len(set(names(tf.trainable_variables()))), len(tf.trainable_variables()))
        self.assertTrue(np.isfinite(self.run_(losses)).all())
        with self.assertRaisesRegex(ValueError, r'encoder_inputs \(4\) must be at least .*\(9\)'):
            seq2seq.model_with_buckets(x, y, y, weights, [(9, 4)], model)


class CharacterModelTest(unittest.TestCase):
    """A model of characters that is trained on a text and then continues one."""

    TEXT = 'to be or not to be, that is the question. '

    def build(self, training):
        batch, steps = (4, 10) if training else (1, 1)
        cell = rnn.MultiRNNCell([rnn.BasicLSTMCell(32) for _ in range(2)])
        self.inputs = tf.placeholder(tf.int32, [batch, steps])
        self.targets = tf.placeholder(tf.int32, [batch, steps])
        self.initial_state = cell.zero_state(batch, tf.float32)
        with tf.variable_scope('rnnlm'):
            softmax_w = tf.get_variable('softmax_w', [32, self.size])
            softmax_b = tf.get_variable('softmax_b', [self.size])
        embedding = tf.get_variable('embedding', [self.size, 32])
        inputs = tf.split(tf.nn.embedding_lookup(embedding, self.inputs), steps, 1)
        inputs = [tf.squeeze(i, [1]) for i in inputs]

        def loop(prev, _):
            prev = tf.matmul(prev, softmax_w) + softmax_b
            return tf.nn.embedding_lookup(embedding, tf.stop_gradient(tf.argmax(prev, 1)))

        outputs, self.final_state = seq2seq.rnn_decoder(
            inputs, self.initial_state, cell, loop_function=None if training else loop,
            scope='rnnlm')
        output = tf.reshape(tf.concat(outputs, 1), [-1, 32])
        logits = tf.matmul(output, softmax_w) + softmax_b
        self.probs = tf.nn.softmax(logits)
        loss = seq2seq.sequence_loss_by_example(
            [logits], [tf.reshape(self.targets, [-1])], [tf.ones([batch * steps])])
        self.cost = tf.reduce_sum(loss) / batch / steps
        if training:
            variables = tf.trainable_variables()
            gradients, _ = tf.clip_by_global_norm(tf.gradients(self.cost, variables), 5.)
            self.train = tf.train.AdamOptimizer(0.01).apply_gradients(zip(gradients, variables))

    def test_training_and_sampling(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)
        characters = sorted(set(self.TEXT))
        self.size = len(characters)
        numbers = np.array([characters.index(c) for c in self.TEXT * 3])
        self.build(training=True)
        random = np.random.RandomState(0)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            state = session.run(self.initial_state)
            for _ in range(150):
                at = random.randint(len(numbers) - 11, size=4)
                feeds = {self.inputs: [numbers[i:i + 10] for i in at],
                         self.targets: [numbers[i + 1:i + 11] for i in at]}
                for (c, h), value in zip(self.initial_state, state):
                    feeds[c], feeds[h] = value.c, value.h
                cost, _ = session.run([self.cost, self.train], feeds)
            self.assertLess(cost, 1.0)
            with tf.variable_scope('', reuse=True):
                self.build(training=False)
            text, state = 'to b', session.run(self.initial_state)
            for i in range(12):
                feeds = {self.inputs: [[characters.index(text[i])]], self.initial_state: state}
                probs, state = session.run([self.probs, self.final_state], feeds)
                if i >= 3:
                    text += characters[int(np.argmax(probs[0]))]
        self.assertEqual('to be', text[:5])


if __name__ == '__main__':
    unittest.main()
