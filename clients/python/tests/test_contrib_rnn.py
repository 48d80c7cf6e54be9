"""tf.contrib.rnn and tf.contrib.cudnn_rnn: cells compared with their formulas, and functions that run them."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

rnn = tf.contrib.rnn


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def normalized(x, gamma=1, beta=0):
    deviation = np.sqrt(x.var(-1, keepdims=True) + 1e-12)
    return gamma * (x - x.mean(-1, keepdims=True)) / deviation + beta


class RnnTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.set_random_seed(1)
        random = np.random.RandomState(0)
        self.x = random.randn(2, 3).astype(np.float32)
        self.c, self.h = (random.randn(2, 4).astype(np.float32) for _ in range(2))

    def run_(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, feeds)

    def step(self, cell, state, x=None):
        """Returns output and state of a step, and the values of all variables by their names in the cell."""
        made = cell(tf.constant(self.x if x is None else x), state)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            # Random values, so that biases and factors matter.
            random = np.random.RandomState(1)
            for variable in tf.global_variables():
                variable.load(random.rand(*variable.shape.as_list()).astype(np.float32) + 0.1,
                              session)
            values = {v.op.name.partition('/')[2]: session.run(v) for v in tf.global_variables()}
            return (*session.run(made), values)

    def lstm_state(self):
        return rnn.LSTMStateTuple(tf.constant(self.c), tf.constant(self.h))

    def close(self, want, got):
        np.testing.assert_allclose(want, got, rtol=2e-4, atol=2e-5)

    def check_lstm(self, got, i, j, f, o, forget_bias=1.):
        output, state, _ = got
        c = self.c * sigmoid(f + forget_bias) + sigmoid(i) * np.tanh(j)
        self.close(c, state.c)
        self.close(np.tanh(c) * sigmoid(o), output)
        self.close(output, state.h)

    def joined(self, kernel, bias=0):
        return np.split(np.hstack([self.x, self.h]) @ kernel + bias, kernel.shape[1] // 4, 1)


class CellTest(RnnTest):

    def test_layer_norm_lstm(self):
        got = self.step(rnn.LayerNormBasicLSTMCell(4), self.lstm_state())
        output, state, v = got
        i, j, f, o = (normalized(part, v[f'{name}/gamma'], v[f'{name}/beta']) for part, name in zip(
            self.joined(v['kernel']), ('input', 'transform', 'forget', 'output')))
        c = normalized(self.c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j),
                       v['state/gamma'], v['state/beta'])
        self.close(c, state.c)
        self.close(np.tanh(c) * sigmoid(o), output)

    def test_lstm_without_norm_and_with_dropout(self):
        got = self.step(rnn.LayerNormBasicLSTMCell(4, layer_norm=False), self.lstm_state())
        self.check_lstm(got, *self.joined(got[2]['kernel'], got[2]['bias']))
        tf.reset_default_graph()
        output, _, _ = self.step(rnn.LayerNormBasicLSTMCell(4, dropout_keep_prob=0.5),
                                 self.lstm_state())
        self.assertTrue(np.isfinite(output).all())

    def test_coupled_gates(self):
        for options in ({}, {'use_peepholes': True}, {'layer_norm': True},
                        {'num_proj': 4, 'proj_clip': 0.5, 'num_unit_shards': 2}):
            tf.reset_default_graph()
            output, state, v = self.step(rnn.CoupledInputForgetGateLSTMCell(4, **options),
                                         self.lstm_state())
            kernel = np.vstack([v[k] for k in sorted(v) if k.startswith('W_') and k[2:].isdigit()])
            j, f, o = self.joined(kernel, v.get('B', 0))
            if 'layer_norm' in options:
                j, f, o = (normalized(part, v[f'{n}/gamma'], v[f'{n}/beta'])
                           for part, n in zip((j, f, o), ('transform', 'forget', 'output')))
            f = sigmoid(f + 1 + v.get('W_F_diag', 0) * self.c)
            c = f * self.c + (1 - f) * np.tanh(j)
            if 'layer_norm' in options:
                c = normalized(c, v['state/gamma'], v['state/beta'])
            m = sigmoid(o + v.get('W_O_diag', 0) * c) * np.tanh(c)
            if 'num_proj' in options:
                m = np.clip(m @ v['W_P_0'], -0.5, 0.5)
            self.close(c, state.c)
            self.close(m, output)

    def test_independent_units(self):
        output, _, v = self.step(rnn.IndRNNCell(4), tf.constant(self.h))
        self.close(np.tanh(self.x @ v['kernel_w'] + self.h * v['kernel_u'] + v['bias']), output)
        tf.reset_default_graph()
        output, _, v = self.step(rnn.IndyGRUCell(4), tf.constant(self.h))
        r, u = np.split(sigmoid(self.x @ v['gates/kernel_w'] + np.tile(self.h, 2)
                                * v['gates/kernel_u'] + v['gates/bias']), 2, 1)
        c = np.tanh(self.x @ v['candidate/kernel_w'] + r * self.h * v['candidate/kernel_u']
                    + v['candidate/bias'])
        self.close(u * self.h + (1 - u) * c, output)
        tf.reset_default_graph()
        got = self.step(rnn.IndyLSTMCell(4), self.lstm_state())
        v = got[2]
        self.check_lstm(got, *np.split(self.x @ v['kernel_w'] + np.tile(self.h, 4)
                                       * v['kernel_u'] + v['bias'], 4, 1))

    def test_simple_recurrent_unit(self):
        output, state, v = self.step(rnn.SRUCell(4), tf.constant(self.h))
        candidate, f, r, x = np.split(self.x @ v['kernel'], 4, 1)
        f, r = sigmoid(f + v['bias'][:4]), sigmoid(r + v['bias'][4:])
        c = f * self.h + (1 - f) * candidate
        self.close(c, state)
        self.close(r * np.tanh(c) + (1 - r) * x, output)

    def test_searched_cell(self):
        output, state, v = self.step(rnn.NASCell(4, use_bias=True), self.lstm_state())
        a = np.split(self.x @ v['kernel'], 8, 1)
        b = np.split(self.h @ v['recurrent_kernel'] + v['bias'], 8, 1)
        relu = lambda x: np.maximum(x, 0)  # noqa: E731
        c = np.tanh(np.tanh(sigmoid(a[0] + b[0]) * relu(a[1] + b[1])) + self.c) \
            * np.tanh(sigmoid(a[2] + b[2]) + relu(a[3] * b[3]))
        late = np.tanh(np.tanh(a[4] + b[4]) * sigmoid(a[5] + b[5])) \
            + sigmoid(np.tanh(a[6] + b[6]) + sigmoid(a[7] + b[7]))
        self.close(c, state.c)
        self.close(np.tanh(c * np.tanh(late)), output)
        tf.reset_default_graph()
        output, _, _ = self.step(rnn.NASCell(4, num_proj=2), rnn.LSTMStateTuple(
            tf.constant(self.c), tf.constant(self.h[:, :2])))
        self.assertEqual((2, 2), output.shape)

    def test_update_gates_and_intersections(self):
        output, _, v = self.step(rnn.UGRNNCell(4), tf.constant(self.h))
        g, c = self.joined(v['kernel'], v['bias'])
        g = sigmoid(g + 1)
        self.close(g * self.h + (1 - g) * np.tanh(c), output)
        tf.reset_default_graph()
        output, state, v = self.step(rnn.IntersectionRNNCell(4, num_in_proj=4),
                                     tf.constant(self.h))
        x = self.x @ v['in_projection/kernel'] + v['in_projection/bias']
        gh, h, gy, y = np.split(np.hstack([x, self.h]) @ v['kernel'] + v['bias'], 4, 1)
        gh, gy = sigmoid(gh + 1), sigmoid(gy + 1)
        self.close(gh * self.h + (1 - gh) * np.tanh(h), state)
        self.close(gy * x + (1 - gy) * np.maximum(y, 0), output)
        with self.assertRaisesRegex(ValueError, 'Must have input size == output size'):
            rnn.IntersectionRNNCell(5)(tf.ones([2, 3]), tf.ones([2, 5]))

    def test_groups(self):
        x = np.random.RandomState(2).randn(2, 6).astype(np.float32)
        got = self.step(rnn.GLSTMCell(4, number_of_groups=2), self.lstm_state(), x)
        v = got[2]
        parts = [np.split(np.hstack([x[:, 3 * g:3 * g + 3], self.h[:, 2 * g:2 * g + 2]])
                          @ v[f'group{g}/kernel'], 4, 1) for g in range(2)]
        self.check_lstm(got, *(np.hstack(pair) + v[f'bias_{n}']
                               for pair, n in zip(zip(*parts), 'ijfo')))
        with self.assertRaisesRegex(ValueError, 'must divide'):
            rnn.GLSTMCell(5, number_of_groups=2)

    def test_phases(self):
        time = np.array([[1.5], [7.]], np.float32)
        cell = rnn.PhasedLSTMCell(4, use_peepholes=True)
        made = cell((tf.constant(time), tf.constant(self.x)), self.lstm_state())
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            output, state = session.run(made)
            v = {a.op.name.partition('/')[2]: session.run(a) for a in tf.global_variables()}
        self.assertTrue(((v['period'] >= 1) & (v['period'] <= 1000)).all())
        self.assertTrue(((v['phase'] >= 0) & (v['phase'] <= v['period'])).all())

        def linear(scope, *values):
            return np.hstack(values) @ v[f'{scope}/kernel'] + v[f'{scope}/bias']

        i, f = np.split(sigmoid(linear('mask_gates', self.x, self.h, self.c)), 2, 1)
        c = self.c * f + i * np.tanh(linear('new_input', self.x, self.h))
        h = np.tanh(c) * sigmoid(linear('output_gate', self.x, self.h, c))
        ratio = np.mod(time - v['phase'], v['period']) / v['period']
        on = v['ratio_on']
        k = np.where(ratio < on / 2, 2 * ratio / on,
                     np.where(ratio < on, 2 - 2 * ratio / on, 0.001 * ratio))
        self.close(k * c + (1 - k) * self.c, state.c)
        self.close(k * h + (1 - k) * self.h, output)

    def test_convolutions(self):
        random = np.random.RandomState(0)
        for ndims, kind in ((1, rnn.Conv1DLSTMCell), (2, rnn.Conv2DLSTMCell),
                            (3, rnn.Conv3DLSTMCell)):
            tf.reset_default_graph()
            shape = [4] * ndims + [2]
            cell = kind(input_shape=shape, output_channels=3, kernel_shape=[1] * ndims)
            x = random.randn(2, *shape).astype(np.float32)
            c, h = (random.randn(2, *shape[:-1], 3).astype(np.float32) for _ in range(2))
            output, state, v = self.step(
                cell, rnn.LSTMStateTuple(tf.constant(c), tf.constant(h)), x)
            kernel = v['kernel'].reshape(5, 12)
            i, j, f, o = np.split(np.concatenate([x, h], -1) @ kernel + v['biases'], 4, -1)
            new = sigmoid(f + 1) * c + sigmoid(i) * np.tanh(j)
            self.close(new, state.c)
            self.close(np.tanh(new) * sigmoid(o), output)
        cell = rnn.ConvLSTMCell(2, [4, 4, 2], 3, [3, 3], skip_connection=True)
        outputs, _ = tf.nn.dynamic_rnn(cell, tf.ones([2, 5, 4, 4, 2]), dtype=tf.float32)
        self.assertEqual((2, 5, 4, 4, 5), self.run_(outputs).shape)
        with self.assertRaisesRegex(ValueError, 'Invalid input_shape'):
            rnn.Conv2DLSTMCell(input_shape=[4, 2], output_channels=3, kernel_shape=[1, 1])

    def test_highway(self):
        for coupled in (True, False):
            tf.reset_default_graph()
            cell = rnn.HighwayWrapper(rnn.BasicRNNCell(3), coupled)
            made = cell(tf.constant(self.x), tf.constant(self.h[:, :3]))
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                output, state = session.run(made)
                v = {a.op.name: session.run(a) for a in tf.global_variables()}
            carry = sigmoid(self.x @ v['carry_w'] + v['carry_b'])
            transform = 1 - carry if coupled else sigmoid(
                self.x @ v['transform_w'] + v['transform_b'])
            self.close(self.x * carry + state * transform, output)

    def test_attention_to_outputs(self):
        for state_is_tuple in (True, False):
            tf.reset_default_graph()
            cell = rnn.AttentionCellWrapper(rnn.GRUCell(4), 5, attn_size=3,
                                            state_is_tuple=state_is_tuple)
            outputs, state = tf.nn.dynamic_rnn(cell, tf.ones([2, 7, 3]), dtype=tf.float32)
            outputs, state = self.run_([outputs, state])
            self.assertEqual((2, 7, 3), outputs.shape)
            last = state[2] if state_is_tuple else state[:, 7:]
            np.testing.assert_allclose(outputs[:, 2:].reshape(2, 15), last, rtol=1e-5)
        with self.assertRaisesRegex(ValueError, 'attn_length should be greater than zero'):
            rnn.AttentionCellWrapper(rnn.GRUCell(4), 0)


class BlockTest(RnnTest):

    def test_block_lstm(self):
        got = self.step(rnn.LSTMBlockCell(4), self.lstm_state())
        self.check_lstm(got, *self.joined(got[2]['kernel'], got[2]['bias']))
        tf.reset_default_graph()
        output, state, v = self.step(rnn.LSTMBlockCell(4, use_peephole=True, cell_clip=0.5),
                                     self.lstm_state())
        i, j, f, o = self.joined(v['kernel'], v['bias'])
        i, f = i + v['w_i_diag'] * self.c, f + v['w_f_diag'] * self.c
        c = np.clip(self.c * sigmoid(f + 1) + sigmoid(i) * np.tanh(j), -0.5, 0.5)
        self.close(c, state.c)
        self.close(np.tanh(c) * sigmoid(o + v['w_o_diag'] * c), output)

    def test_block_gru(self):
        for kind, names in ((rnn.GRUBlockCell, ('w_ru', 'b_ru', 'w_c', 'b_c')),
                            (rnn.GRUBlockCellV2, ('gates/kernel', 'gates/bias',
                                                  'candidate/kernel', 'candidate/bias'))):
            tf.reset_default_graph()
            output, _, v = self.step(kind(4), tf.constant(self.h))
            w_ru, b_ru, w_c, b_c = (v[name] for name in names)
            r, u = np.split(sigmoid(np.hstack([self.x, self.h]) @ w_ru + b_ru), 2, 1)
            c = np.tanh(np.hstack([self.x, r * self.h]) @ w_c + b_c)
            self.close(u * self.h + (1 - u) * c, output)
        with self.assertRaisesRegex(ValueError, 'Exactly one of num_units or cell_size must be provided'):
            rnn.GRUBlockCell()

    def test_fused_lstm(self):
        x = tf.constant(np.random.RandomState(0).randn(5, 2, 3), tf.float32)
        fused = rnn.LSTMBlockFusedCell(4)
        outputs, state = fused(x, dtype=tf.float32, sequence_length=[5, 3])
        self.assertEqual(['lstm_fused_cell/kernel', 'lstm_fused_cell/bias'],
                         [v.op.name for v in tf.global_variables()])
        kernel, bias = tf.global_variables()
        with tf.variable_scope('other'):
            want, last = tf.nn.dynamic_rnn(rnn.LSTMBlockCell(4), x, [5, 3], dtype=tf.float32,
                                           time_major=True)
        others = tf.global_variables()[2:]
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            for other, own in zip(others, (kernel, bias)):
                session.run(other.assign(own))
            got = session.run([outputs, state, want, last])
        np.testing.assert_allclose(got[2], got[0], atol=1e-6)
        np.testing.assert_allclose(got[3].c, got[1].c, atol=1e-6)

    def test_adaptors(self):
        x = tf.constant(np.random.RandomState(0).randn(5, 2, 3), tf.float32)
        results = []
        for dynamic in (False, True):
            with tf.variable_scope('m', reuse=dynamic):
                fused = rnn.FusedRNNCellAdaptor(rnn.GRUCell(4), dynamic)
                outputs, _ = fused(x, dtype=tf.float32)
                results.append(outputs)
        with tf.variable_scope('m', reuse=True):
            backward, _ = rnn.TimeReversedFusedRNN(fused)(x, dtype=tf.float32)
            again, _ = fused(tf.reverse(x, [0]), dtype=tf.float32)
        static, dynamic, backward, again = self.run_([*results, backward, again])
        np.testing.assert_allclose(static, dynamic, atol=1e-6)
        np.testing.assert_allclose(again[::-1], backward, atol=1e-6)

    def test_cells_of_cudnn(self):
        got = self.step(tf.contrib.cudnn_rnn.CudnnCompatibleLSTMCell(4), self.lstm_state())
        self.check_lstm(got, *self.joined(got[2]['kernel'], got[2]['bias']), forget_bias=0)
        tf.reset_default_graph()
        output, _, v = self.step(tf.contrib.cudnn_rnn.CudnnCompatibleGRUCell(4),
                                 tf.constant(self.h))
        r, u = np.split(sigmoid(np.hstack([self.x, self.h]) @ v['gates/kernel']
                                + v['gates/bias']), 2, 1)
        x, h = (value @ v[f'candidate/{n}_projection/kernel'] + v[f'candidate/{n}_projection/bias']
                for value, n in ((self.x, 'input'), (self.h, 'hidden')))
        self.close((1 - u) * np.tanh(x + r * h) + u * self.h, output)


class RunningTest(RnnTest):

    def test_stacks(self):
        x = tf.ones([2, 5, 3])
        cells = [[rnn.GRUCell(4) for _ in range(2)] for _ in range(4)]
        dynamic, *_ = rnn.stack_bidirectional_dynamic_rnn(cells[0], cells[1], x, dtype=tf.float32,
                                                          sequence_length=[5, 2])
        static, states, _ = rnn.stack_bidirectional_rnn(
            cells[2], cells[3], tf.unstack(x, axis=1), dtype=tf.float32, scope='static')
        self.assertEqual(2, len(states))
        self.assertEqual('stack_bidirectional_rnn/cell_0/bidirectional_rnn/fw/gru_cell/gates/kernel',
                         tf.global_variables()[0].op.name)
        dynamic, static = self.run_([dynamic, static])
        self.assertEqual([(2, 5, 8), (2, 8)], [dynamic.shape, static[0].shape])
        self.assertEqual(0, np.abs(dynamic[1, 2:]).max())
        with self.assertRaisesRegex(ValueError, 'must have the same depth'):
            rnn.stack_bidirectional_dynamic_rnn(cells[0], cells[1][:1], x)

    def test_saved_states(self):
        class Saver:
            def __init__(self):
                self.variable = tf.Variable(tf.zeros([2, 4]))

            def state(self, name):
                return self.variable.read_value()

            def save_state(self, name, value):
                return self.variable.assign(value)

        x = [tf.constant(self.x)] * 2
        outputs, _ = tf.nn.static_state_saving_rnn(rnn.GRUCell(4), x, Saver(), 'state')
        with tf.variable_scope('', reuse=True):
            whole, _ = tf.nn.static_rnn(rnn.GRUCell(4), x * 2, dtype=tf.float32)
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            want = session.run(whole[3])
            session.run(outputs[-1])
            np.testing.assert_allclose(want, session.run(outputs[-1]), atol=1e-6)
        with self.assertRaisesRegex(ValueError, 'should be the same type'):
            tf.nn.static_state_saving_rnn(rnn.GRUCell(4), x, Saver(), ('a', 'b'))

    def test_small_functions(self):
        x = tf.placeholder(tf.float32, [None, 3, 2])
        self.assertEqual([3, None, 2], rnn.transpose_batch_time(x).shape.as_list())
        self.assertEqual(3, rnn.best_effort_input_batch_size([x]))
        with self.assertRaisesRegex(ValueError, 'rank at least 2'):
            rnn.best_effort_input_batch_size([tf.ones([2])])

    def test_a_cell_of_a_program(self):
        class Cell(rnn.LayerRNNCell):
            def __init__(self, units, name=None):
                super().__init__(name=name)
                self._units = units

            state_size = output_size = property(lambda self: self._units)

            def build(self, inputs_shape):
                self._kernel = self.add_variable('w', [inputs_shape[-1], self._units])
                self.built = True

            def call(self, inputs, state):
                new = tf.matmul(inputs, self._kernel) + state
                return new, new

        outputs, _ = tf.nn.dynamic_rnn(Cell(4), tf.ones([2, 5, 3]), dtype=tf.float32)
        self.assertEqual((2, 5, 4), self.run_(outputs).shape)
        self.assertEqual(['rnn/cell/w'], [v.op.name for v in tf.global_variables()])


if __name__ == '__main__':
    unittest.main()
