"""The graph editor: copies."""

import collections
import os
import tempfile
import unittest

import numpy as np

import ramet.compat.v1 as tf
import ramet.graph_editor as ge


def names(items):
    return [item.name for item in items]


class CopyTest(unittest.TestCase):
    """a, b -> foo/c = a + b -> foo/d = c * c, which waits for b."""

    def setUp(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.a = tf.placeholder(tf.float32, [2], name='a')
            self.b = tf.placeholder(tf.float32, [2], name='b')
            with tf.name_scope('foo'), tf.device('/device:CPU:0'):
                self.c = tf.add(self.a, self.b, name='c')
                with tf.control_dependencies([self.b]):
                    self.d = tf.multiply(self.c, self.c, name='d')
        self.view = ge.sgv(self.c.op, self.d.op)

    def test_names(self):
        made = [
            names(ge.copy(self.view, **options)[0].ops) for options in (
                {'dst_scope': 'cp'}, {'dst_scope': 'cp'}, {},
                {'dst_scope': 'cp', 'reuse_dst_scope': True},
                {'dst_scope': 'X', 'src_scope': 'foo'},
            )
        ]
        self.assertEqual(made, [
            ['cp/foo/c', 'cp/foo/d'], ['cp_1/foo/c', 'cp_1/foo/d'], ['foo/c_1', 'foo/d_1'],
            ['cp/foo/c_1', 'cp/foo/d_1'], ['X/c', 'X/d'],
        ])

    def test_open_scopes_do_not_count(self):
        with self.graph.as_default(), tf.name_scope('outer'), tf.control_dependencies([self.a]):
            view, info = ge.copy(self.view, dst_scope='cp')
        self.assertEqual(names(view.ops), ['cp/foo/c', 'cp/foo/d'])
        self.assertEqual(names(view.ops[0].inputs), ['cp/geph__a_0:0', 'cp/geph__b_0:0'])
        self.assertEqual(info.transformed(self.c.op).control_inputs, [])

    def test_same_graph(self):
        view, info = ge.copy(self.view, dst_scope='cp')
        self.assertEqual((list(view.inputs), names(view.outputs)), ([], ['cp/foo/d:0']))
        self.assertEqual(info.transformed(self.d.op).control_inputs, [self.b.op])
        self.assertEqual(info.transformed(self.d.op).device, '/device:CPU:0')
        self.assertIs(info.original(info.transformed(self.c)), self.c)
        self.assertIsNone(info.transformed(self.a))
        self.assertIs(info.transformed(self.a, missing_fn=lambda t: t), self.a)
        self.assertEqual(names(info.transformed({'x': [self.c]})['x']), ['cp/foo/c:0'])
        with self.assertRaisesRegex(TypeError, 'Expected a tf.Tensor or a tf.Operation, got a'):
            info.transformed(1)

    def test_other_graph(self):
        other = tf.Graph()
        view, info = ge.copy(self.view, other, dst_scope='dst')
        self.assertEqual(
            names(other.get_operations()),
            ['dst/geph__a_0', 'dst/geph__b_0', 'dst/foo/c', 'dst/foo/d'],
        )
        self.assertEqual(info.transformed(self.d.op).control_inputs, [])
        with tf.Session(graph=other) as session:
            fed = {'dst/geph__a_0:0': [1, 2], 'dst/geph__b_0:0': [3, 4]}
            np.testing.assert_array_equal(session.run(view.outputs[0], fed), [16, 36])
        whole = tf.Graph()
        ge.copy(self.graph, whole)
        self.assertEqual(names(whole.get_operations()), names(self.graph.get_operations()))
        self.assertRaises(TypeError, ge.copy, self.view, 'graph')

    def test_input_replacements(self):
        with self.graph.as_default():
            two = tf.constant([2.0, 2.0])
        view, _ = ge.copy_with_input_replacements(self.view, {self.a: two, self.d: two}, None, 'r')
        self.assertEqual(list(view.ops[0].inputs), [two, self.b])
        with tf.Session(graph=self.graph) as session:
            np.testing.assert_array_equal(session.run(view.outputs[0], {self.b: [1, 2]}), [9, 16])

    def test_refusals_change_nothing(self):
        other = tf.Graph()
        for graph in (self.graph, other):
            before = graph._graph_def(True, False)
            with self.assertRaisesRegex(ValueError, 'a does not belong to source scope: foo/.'):
                ge.copy(self.graph, graph, 'cp', src_scope='foo')
            self.assertEqual(graph._graph_def(True, False), before)
        with self.graph.as_default():
            tf.add_to_collection('mine', self.c)
        with self.assertRaisesRegex(ValueError, 'mine does not belong to source scope: foo/.'):
            ge.copy(self.view, other, 'cp', src_scope='foo')
        self.assertEqual(other.get_operations(), [])

    def test_collections(self):
        with self.graph.as_default():
            tf.add_to_collection('mine', self.c)
            tf.add_to_collection(tf.GraphKeys.LOSSES, self.d)
        _, info = ge.copy(self.view, dst_scope='copy')
        self.assertEqual(self.graph.get_collection('copy/mine'), [info.transformed(self.c)])
        self.assertEqual(self.graph.get_collection('losses'), [self.d, info.transformed(self.d)])

    def test_handlers(self):
        def double(info, op, new_inputs):
            copy, outputs = ge.copy_op_handler(info, op, new_inputs)
            if op is not self.c.op:
                return copy, outputs
            with info.graph_.as_default():
                return copy, [tf.add(outputs[0], outputs[0], name='twice')]

        transformer = ge.Transformer()
        transformer.transform_op_handler = double
        view, info = transformer(self.graph, tf.Graph(), '')
        with tf.Session(graph=info._graph_) as session:
            value = session.run(view.outputs[0], {'a:0': [1, 2], 'b:0': [3, 4]})
            np.testing.assert_array_equal(value, [64, 144])
        transformer.transform_op_handler = lambda info, op, new_inputs: (op, op.outputs)
        with self.assertRaisesRegex(ValueError, 'In-place transformation not allowed.'):
            transformer(self.view, self.graph, '')

    def test_node_defs(self):
        def on_cpu_1(node_def):
            node_def.device = '/device:CPU:1'
            node_def.attr['_mark'].i = 7
            return node_def

        transformer = ge.Transformer()
        transformer.transform_op_handler = lambda info, op, inputs: ge.copy_op_handler(
            info, op, inputs, copy_shape=True, nodedef_fn=on_cpu_1
        )
        view, _ = transformer(self.view, self.graph, 'cp')
        self.assertEqual(names(view.ops), ['cp/foo/c', 'cp/foo/d'])
        self.assertEqual([op.device for op in view.ops], ['/device:CPU:1'] * 2)
        self.assertEqual([op.get_attr('_mark') for op in view.ops], [7, 7])


class ControlFlowTest(unittest.TestCase):
    def copied(self, graph):
        _, info = ge.copy(graph, tf.Graph(), dst_scope='to')
        return info, tf.Session(graph=info._graph_)

    def test_loops(self):
        with tf.Graph().as_default() as graph:
            n = tf.placeholder(tf.int32, [])
            x = tf.placeholder(tf.float32, [])

            def body(i, total):
                inner = tf.while_loop(lambda j, v: j < 2, lambda j, v: (j + 1, v * x), [0, total])
                return i + 1, inner[1]

            total = tf.while_loop(lambda i, t: i < n, body, [0, x])[1]
            grad = tf.gradients(total, x)[0]
        info, session = self.copied(graph)
        with session:
            fed = {info.transformed(n): 2, info.transformed(x): 3.0}
            found = session.run(info.transformed([total, grad]), fed)
        self.assertEqual(found, [243.0, 405.0])
        self.assertEqual([o for o in names(info._graph_.get_operations()) if 'geph' in o], [])

    def test_cond(self):
        with tf.Graph().as_default() as graph:
            choice = tf.placeholder(tf.bool, [])
            result = tf.cond(choice, lambda: tf.constant(1), lambda: tf.constant(2))
        info, session = self.copied(graph)
        with session:
            for value, expected in ((True, 1), (False, 2)):
                fed = {info.transformed(choice): value}
                self.assertEqual(session.run(info.transformed(result), fed), expected)

    def test_replacing_what_a_loop_reads(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.constant(2.0)
            total = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t * x), [0, 1.0])[1]
            new = ge.graph_replace(total, {x: tf.constant(3.0)}, dst_scope='r')
            self.assertEqual(session.run([total]), [8.0])
            self.assertEqual(session.run([new]), [27.0])


class GraphReplaceTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()
        self.a = tf.constant(1.0, name='a')
        self.b = tf.constant(2.0, name='b')
        self.c = tf.add(self.a, self.b, name='c')
        self.d = tf.negative(self.b, name='d')
        self.new = tf.constant(10.0, name='new')

    def test_structures(self):
        Pair = collections.namedtuple('Pair', 'x y')
        found = ge.graph_replace({'x': self.c, 'y': [self.d]}, {self.a: self.new})
        self.assertEqual(names([found['x']]), ['c_1:0'])
        self.assertEqual(found['y'], [self.d])
        found = ge.graph_replace(Pair(self.c, self.d), {self.a: self.new})
        self.assertEqual((type(found), found.y), (Pair, self.d))
        with tf.Session() as session:
            self.assertEqual(session.run(found.x), 12.0)

    def test_refusals(self):
        with self.assertRaisesRegex(ValueError, 'Targets and replacements are not connected!'):
            ge.graph_replace(self.d, {self.a: self.new})
        self.assertRaises(ValueError, ge.graph_replace, [], {self.a: self.new})
        self.assertRaises(TypeError, ge.graph_replace, self.c.op, {self.a: self.new})
        large = np.broadcast_to(np.float32(1), 2**40)  # would take hours and all memory as a list
        self.assertRaises(TypeError, ge.graph_replace, large, {self.a: self.new})
        self.assertRaises(TypeError, ge.make_list_of_op, large)
        self.assertRaises(TypeError, ge.make_list_of_t, large, ignore_ops=True)


class VariablesTest(unittest.TestCase):
    def network(self, use_resource):
        self.graph = tf.Graph()
        with self.graph.as_default():
            tf.set_random_seed(1)
            self.x = tf.placeholder(tf.float32, [None, 3], name='x')
            with tf.variable_scope('net', use_resource=use_resource):
                w = tf.get_variable('w', [3, 2], initializer=tf.random_normal_initializer())
                v = tf.get_variable('v', [2], initializer=tf.zeros_initializer(), trainable=False)
                self.y = tf.nn.bias_add(tf.matmul(self.x, w), v, name='y')
        self.w = w
        return ge.sgv(ge.get_within_boundary_ops(
            self.graph, self.y.op, self.x.op, inclusive=False, control_ios=ge.ControlOutputs(
                self.graph)))

    def test_plain_copies_are_not_registered(self):
        for use_resource in (False, True):
            view = self.network(use_resource)
            _, info = ge.copy_with_input_replacements(view, {}, dst_scope='copy')
            with self.graph.as_default(), tf.Session() as session:
                self.assertEqual(len(tf.global_variables()), 2)
                session.run(tf.global_variables_initializer())
                y, y_ = self.y, info.transformed(self.y)
                if use_resource:
                    self.assertEqual(*(session.run(t, {self.x: [[1, 2, 3]]}).tolist()
                                       for t in (y, y_)))
                else:
                    with self.assertRaises(tf.errors.FailedPreconditionError):
                        session.run(y_, {self.x: [[1, 2, 3]]})

    def test_own_state(self):
        for use_resource in (False, True):
            view = self.network(use_resource)
            _, info = ge.copy_with_input_replacements(view, {}, dst_scope='copy', own_state=True)
            y_ = info.transformed(self.y)
            with self.graph.as_default(), tf.Session() as session:
                self.assertEqual(names(tf.global_variables()),
                                 ['net/w:0', 'net/v:0', 'copy/net/w:0', 'copy/net/v:0'])
                self.assertEqual(names(tf.trainable_variables()), ['net/w:0', 'copy/net/w:0'])
                own = tf.trainable_variables()[1]
                train = tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y_))
                self.assertEqual(names([own.initializer]), ['copy/net/w/Assign'])
                session.run(tf.global_variables_initializer())
                before = session.run([self.w, own])
                session.run(train, {self.x: [[1, 2, 3]]})
                after = session.run([self.w, own])
                np.testing.assert_array_equal(after[0], before[0])
                self.assertGreater(abs(after[1] - before[1]).max(), 0.05)
                with tempfile.TemporaryDirectory() as folder:
                    path = tf.train.Saver().save(session, os.path.join(folder, 'm'))
                    self.assertEqual(len(tf.train.list_variables(path)), 4)

    def test_complete_later(self):
        view = self.network(True)
        _, info = ge.copy(view, tf.Graph(), 'copy')
        copies = ge.complete(info)
        self.assertEqual([v.name for v in copies.values()], ['copy/net/w:0', 'copy/net/v:0'])
        handle = info.transformed(self.w.op)
        self.assertEqual(handle.get_attr('shared_name'), b'copy/net/w')
        reads = [op for op in info._graph_.get_operations() if '_class' in op._attr_names()]
        self.assertTrue(reads)
        for op in reads:
            self.assertTrue(op.get_attr('_class')[0].startswith(b'loc:@copy/'), op)

    def test_own_state_needs_the_initializer(self):
        self.network(False)
        view = ge.sgv(self.w.op, self.y.op)
        before = self.graph._graph_def(True, False)
        with self.assertRaisesRegex(ValueError, "has variable 'net/w:0' without"):
            ge.copy(view, dst_scope='copy', own_state=True)
        self.assertEqual(self.graph._graph_def(True, False), before)


if __name__ == '__main__':
    unittest.main()
