"""The cells of tf.contrib.rnn whose step is one operation compute what the cells of tf.nn.rnn_cell do."""

import unittest

import numpy as np

import ramet.compat.v1 as tf

rnn = tf.contrib.rnn
X = np.random.RandomState(1).uniform(-1, 1, (5, 3, 2)).astype('float32')


class BlockCellsTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def run_(self, fetches):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches)

    def layer(self, cell, scope):
        """Returns the outputs and the last state of a layer, and the gradients of its variables."""
        with tf.variable_scope(scope, initializer=tf.random_uniform_initializer(seed=7)):
            outputs, state = tf.nn.dynamic_rnn(cell, tf.constant(X), time_major=True, dtype=tf.float32)
        variables = tf.trainable_variables(scope)
        return [outputs, state, *tf.gradients(tf.square(outputs), variables)], [v.op.name for v in variables]

    def check_same(self, got, want):
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)

    def test_lstm_cell(self):
        block, names = self.layer(rnn.LSTMBlockCell(4), 'block')
        basic, _ = self.layer(rnn.BasicLSTMCell(4), 'basic')
        self.assertEqual(['block/rnn/lstm_cell/kernel', 'block/rnn/lstm_cell/bias'], names)
        self.check_same(*self.run_([block, basic]))

    def test_lstm_cell_with_peepholes(self):
        cell = rnn.LSTMBlockCell(4, cell_clip=0.2, use_peephole=True)
        block, names = self.layer(cell, 'block')
        plain, _ = self.layer(rnn.LSTMCell(4, cell_clip=0.2, use_peepholes=True), 'plain')
        self.assertEqual(['kernel', 'bias', 'w_i_diag', 'w_f_diag', 'w_o_diag'], [n.split('/')[-1] for n in names])
        got, want = self.run_([block[:2], plain[:2]])
        np.testing.assert_array_equal(np.shape(got[0]), np.shape(want[0]))
        self.assertLessEqual(np.abs(got[1].c).max(), 0.2 + 1e-6)

    def test_gru_cell(self):
        block, names = self.layer(rnn.GRUBlockCell(4), 'block')
        second, names_v2 = self.layer(rnn.GRUBlockCellV2(4), 'second')
        plain, plain_names = self.layer(rnn.GRUCell(4), 'plain')
        self.assertEqual(['w_ru', 'b_ru', 'w_c', 'b_c'], [n.split('/')[-1] for n in names])
        self.assertEqual([n.split('/')[-2:] for n in plain_names], [n.split('/')[-2:] for n in names_v2])
        block, second, plain = self.run_([block, second, plain])
        self.check_same(block, plain)
        self.check_same(second, plain)

    def test_fused_layer(self):
        with tf.variable_scope('a', initializer=tf.random_uniform_initializer(seed=7)):
            outputs, state = rnn.LSTMBlockFusedCell(4)(tf.constant(X), dtype=tf.float32)
        fused = [outputs, state, *tf.gradients(tf.square(outputs), tf.trainable_variables('a'))]
        basic, _ = self.layer(rnn.BasicLSTMCell(4), 'b')
        self.check_same(*self.run_([fused, basic]))

    def test_sequence_lengths(self):
        lengths = np.array([2, 0, 5], 'int32')
        with tf.variable_scope('a', initializer=tf.random_uniform_initializer(seed=7)):
            fused = rnn.LSTMBlockFusedCell(4)(tf.constant(X), dtype=tf.float32, sequence_length=lengths)
        with tf.variable_scope('b', initializer=tf.random_uniform_initializer(seed=7)):
            plain = tf.nn.dynamic_rnn(rnn.BasicLSTMCell(4), tf.constant(X), lengths, time_major=True,
                                      dtype=tf.float32)
        self.check_same(*self.run_([fused, plain]))

    def test_wrong_arguments(self):
        with self.assertRaisesRegex(ValueError, 'Exactly one of num_units or cell_size must be provided.'):
            rnn.GRUBlockCell()
        with self.assertRaisesRegex(ValueError, 'Either initial_state or dtype needs to be specified'):
            rnn.LSTMBlockFusedCell(4)(tf.constant(X))
        with self.assertRaisesRegex(ValueError, 'Expecting state to be a tuple with length 2.'):
            rnn.LSTMBlockCell(4)(tf.constant(X[0]), [1, 2, 3])


if __name__ == '__main__':
    unittest.main()
