"""Branches, loops, maps and recurrent networks."""

import unittest

import numpy as np
import ramet.compat.v1 as tf


class ControlFlowTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.session = tf.Session()

    def run_all(self, fetches, feeds=None):
        self.session.run(tf.global_variables_initializer())
        return self.session.run(fetches, feeds)


class CondTest(ControlFlowTest):
    def setUp(self):
        super().setUp()
        self.p = tf.placeholder(tf.bool, [], 'p')

    def test_sparse_branches_of_different_ranks(self):
        with tf.Graph().as_default(), tf.Session() as session:
            flat = tf.SparseTensor([[1]], [7], [4])
            choice = tf.placeholder(tf.bool, [])
            result = tf.cond(choice, lambda: tf.sparse.reshape(flat, [2, 2]), lambda: flat)
            found = [session.run(result, {choice: value}).dense_shape.tolist() for value in (True, False)]
            self.assertEqual(found, [[2, 2], [4]])

    def test_takes_one_branch(self):
        x = tf.placeholder(tf.float32, [2], 'x')
        y = tf.cond(self.p, lambda: {'a': x * 2}, lambda: {'a': tf.exp(x)})
        self.assertEqual(y['a'].name, 'cond/Merge:0')
        self.assertEqual(y['a'].shape.as_list(), [2])
        for p, expected in ((True, [0, 2]), (False, [1, np.e])):
            value = self.session.run(y, {self.p: p, x: [0, 1]})['a']
            np.testing.assert_allclose(value, expected, rtol=1e-6)

    def test_only_the_taken_branch_assigns(self):
        v = tf.get_variable('v', [], initializer=tf.zeros_initializer())
        with tf.control_dependencies([tf.cond(self.p, lambda: tf.assign_add(v, 1.0),
                                              lambda: tf.assign_add(v, 10.0))]):
            after = v.read_value()
        self.session.run(v.initializer)
        self.assertEqual([self.session.run(after, {self.p: p}) for p in (True, False, True)],
                         [1, 11, 12])

    def test_what_is_inside_is_not_fetched_or_fed(self):
        y = tf.cond(self.p, lambda: tf.constant(1.0, name='one'), lambda: 2.0)
        with self.assertRaisesRegex(ValueError, 'has been marked as not fetchable'):
            self.session.run('cond/one:0', {self.p: True})
        self.assertEqual(self.session.run(y, {self.p: True, 'cond/one:0': 3}), 3)
        self.assertEqual(self.session.run(y, {self.p: True}), 1)
        z = tf.while_loop(lambda i: i < 3, lambda i: tf.add(i, 1, name='more'), [0])
        with self.assertRaisesRegex(ValueError, 'may not be fed'):
            self.session.run(z, {'while/more:0': 3})

    def test_results_that_differ_are_errors(self):
        with self.assertRaisesRegex(ValueError, 'must have the same type'):
            tf.cond(self.p, lambda: 1, lambda: 1.0)
        with self.assertRaisesRegex(ValueError, 'must have a return value'):
            tf.cond(self.p, lambda: None, lambda: 1.0)
        with self.assertRaisesRegex(TypeError, 'must not be a Python bool'):
            tf.cond(True, lambda: 1, lambda: 1)
        self.assertIsNone(tf.get_default_graph()._get_control_flow_context())

    def test_case_takes_the_first_that_holds(self):
        x = tf.placeholder(tf.float32, [])
        y = tf.case([(x < 1, lambda: x * 10), (x < 2, lambda: x * 20)], default=lambda: x)
        self.assertEqual([self.session.run(y, {x: v}) for v in (.5, 1.5, 2.5)], [5, 30, 2.5])

    def test_assertion_that_does_not_hold(self):
        x = tf.placeholder(tf.float32, [])
        with tf.control_dependencies([tf.Assert(x < 1, ['too large', x])]):
            y = tf.identity(x)
        self.assertEqual(self.session.run(y, {x: 0}), 0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'too large'):
            self.session.run(y, {x: 2})


class WhileTest(ControlFlowTest):
    def test_loop_variables_of_all_kinds(self):
        n = tf.placeholder(tf.int32, [], 'n')
        sparse = tf.SparseTensor([[0, 0]], [1.0], [2, 2])
        i, s, a = tf.while_loop(
            lambda i, *_: i < n,
            lambda i, s, a: (i + 1, tf.SparseTensor(s.indices, s.values * 2, s.dense_shape),
                             a.write(i, tf.cast(i, tf.float32))),
            (0, sparse, tf.TensorArray(tf.float32, 0, dynamic_size=True, element_shape=[])))
        values = self.session.run([i, s.values, a.stack()], {n: 3})
        self.assertEqual(values[0], 3)
        self.assertEqual(values[1].tolist(), [8])
        self.assertEqual(values[2].tolist(), [0, 1, 2])

    def test_most_iterations(self):
        loop = tf.while_loop(lambda i: i < 100, lambda i: i + 1, [0], maximum_iterations=7)
        self.assertEqual(self.session.run(loop), 7)

    def test_loops_and_branches_in_loops(self):
        def body(i, s):
            inner = tf.while_loop(lambda j, t: j < i, lambda j, t: (j + 1, t + 1), [0, s])[1]
            return i + 1, tf.cond(tf.equal(i % 2, 0), lambda: inner, lambda: inner * 2)
        last = tf.while_loop(lambda i, s: i < 5, body, [0, 1])[1]
        self.assertEqual(self.session.run(last), 22)

    def test_shapes_that_change_need_invariants(self):
        def grow(i, c):
            return i + 1, tf.concat([c, c], 0)
        with self.assertRaisesRegex(ValueError, r'but has shape \(4,\) after one iteration'):
            tf.while_loop(lambda i, c: i < 3, grow, [0, tf.zeros([2])])
        last = tf.while_loop(lambda i, c: i < 3, grow, [0, tf.zeros([2])],
                             shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])[1]
        self.assertEqual(self.session.run(last).shape, (16,))

    def test_contexts_come_back_from_meta_graphs(self):
        x = tf.placeholder(tf.float32, [], 'x')
        tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s * x), [0, x])
        meta = tf.train.export_meta_graph()
        with tf.Graph().as_default() as graph:
            tf.train.import_meta_graph(meta)
            inside = graph.get_operation_by_name('while/mul')._get_control_flow_context()
            self.assertTrue(inside.IsWhileContext())
            again = tf.train.export_meta_graph()
            self.assertEqual(again.collection_def['while_context'],
                             meta.collection_def['while_context'])


class MapTest(ControlFlowTest):
    def test_map_and_folds(self):
        x = tf.constant([[1., 2.], [3., 4.], [5., 6.]])
        values = self.session.run([
            tf.map_fn(lambda a: a * a, x), tf.scan(lambda a, b: a + b, x),
            tf.foldl(lambda a, b: a - b, x), tf.foldr(lambda a, b: a - b, x)])
        self.assertEqual(values[0].tolist(), [[1, 4], [9, 16], [25, 36]])
        self.assertEqual(values[1].tolist(), [[1, 2], [4, 6], [9, 12]])
        self.assertEqual(values[2].tolist(), [-7, -8])
        self.assertEqual(values[3].tolist(), [1, 0])

    def test_map_refuses_scalars(self):
        with self.assertRaisesRegex(ValueError, 'not scalars'):
            tf.map_fn(lambda a: a, tf.constant(1.0))


class RnnTest(ControlFlowTest):
    def test_dynamic_rnn_is_as_the_cell_step_by_step(self):
        x = np.linspace(-1, 1, 30, dtype=np.float32).reshape(2, 5, 3)
        for make in (lambda: tf.nn.rnn_cell.BasicLSTMCell(4), lambda: tf.nn.rnn_cell.GRUCell(4),
                     lambda: tf.nn.rnn_cell.LSTMCell(4, use_peepholes=True, num_proj=2)):
            tf.reset_default_graph()
            self.session = tf.Session()
            tf.get_variable_scope().set_initializer(tf.ones_initializer())
            loop, last = tf.nn.dynamic_rnn(make(), tf.constant(x), dtype=tf.float32,
                                           sequence_length=[3, 5])
            steps, _ = tf.nn.static_rnn(make(), tf.unstack(tf.constant(x), axis=1),
                                        dtype=tf.float32, scope='again')
            loop, steps, last = self.run_all([loop, tf.stack(steps, 1), last])
            np.testing.assert_allclose(loop[1], steps[1], rtol=1e-5)
            np.testing.assert_allclose(loop[0, :3], steps[0, :3], rtol=1e-5)
            self.assertEqual(np.abs(loop[0, 3:]).max(), 0)
            np.testing.assert_allclose(last[-1][0] if isinstance(last, tuple) else last[0],
                                       loop[0, 2], rtol=1e-5)

    def test_names_of_variables(self):
        cells = [tf.nn.rnn_cell.DropoutWrapper(tf.nn.rnn_cell.BasicLSTMCell(4), 0.5)
                 for _ in range(2)]
        tf.nn.dynamic_rnn(tf.nn.rnn_cell.MultiRNNCell(cells), tf.zeros([2, 3, 4]), dtype=tf.float32)
        self.assertEqual([v.name for v in tf.global_variables()], [
            f'rnn/multi_rnn_cell/cell_{i}/basic_lstm_cell/{part}:0'
            for i in range(2) for part in ('kernel', 'bias')])


if __name__ == '__main__':
    unittest.main()
