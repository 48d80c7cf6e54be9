"""The graph editor: lists, selection, views."""

import unittest

import ramet.compat.v1 as tf
import ramet.graph_editor as ge


class GraphTest(unittest.TestCase):
    """The graph a, foo/b -> foo/c; foo/d; foo/bar/e, f, g use c; foo/bar/h uses f, g and waits for c."""

    def setUp(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.a = tf.constant([1.0, 1.0], name='a')
            with tf.name_scope('foo'):
                self.b = tf.constant([2.0, 2.0], name='b')
                self.c = tf.add(self.a, self.b, name='c')
                self.d = tf.constant([3.0, 3.0], name='d')
                with tf.name_scope('bar'):
                    self.e = tf.add(self.c, self.d, name='e')
                    self.f = tf.add(self.c, self.d, name='f')
                    self.g = tf.add(self.c, self.a, name='g')
                    with tf.control_dependencies([self.c.op]):
                        self.h = tf.add(self.f, self.g, name='h')

    def names(self, items):
        return [item.name for item in items]


class UtilTest(GraphTest):
    def test_lists(self):
        self.assertEqual(len(ge.make_list_of_op(self.graph)), 8)
        self.assertEqual(ge.make_list_of_op(self.a.op), [self.a.op])
        self.assertEqual(ge.make_list_of_op([self.a, self.a.op], ignore_ts=True), [self.a.op])
        self.assertEqual(len(ge.make_list_of_t(self.graph)), 8)
        self.assertEqual(ge.get_generating_ops([self.a, self.a]), [self.a.op, self.a.op])
        self.assertEqual(ge.get_consuming_ops([self.a, self.b]), [self.c.op, self.g.op])
        for call in (
            lambda: ge.make_list_of_op(self.graph, allow_graph=False),
            lambda: ge.make_list_of_op([self.a]),
            lambda: ge.make_list_of_t([self.a.op]),
            lambda: ge.get_tensors('graph'),
            lambda: ge.get_consuming_ops(self.graph),
        ):
            self.assertRaises(TypeError, call)
        other = tf.Graph()
        with other.as_default():
            stranger = tf.constant(1)
        self.assertRaises(ValueError, ge.make_list_of_t, [self.a, stranger])
        self.assertRaisesRegex(
            ValueError, r'Argument\[1\]: Wrong graph!', ge.util.check_graphs, self.a, stranger
        )

    def test_control_outputs(self):
        outputs = ge.ControlOutputs(self.graph)
        self.assertEqual(outputs.get_all(), {self.c.op: [self.h.op]})
        self.assertEqual(outputs.get(self.a.op), ())
        ge.add_control_inputs(self.e.op, self.a.op)
        self.assertEqual(outputs.update().get(self.a.op), [self.e.op])
        self.assertIs(outputs.graph, self.graph)
        self.assertRaises(TypeError, ge.ControlOutputs, self.a)

    def test_placeholders(self):
        self.assertEqual(ge.placeholder_name(), 'geph')
        self.assertEqual(ge.placeholder_name(scope='x'), 'x/geph')
        self.assertEqual(ge.placeholder_name(self.c), 'foo/geph__c_0')
        self.assertEqual(ge.placeholder_name(self.c, scope='x/'), 'x/geph__c_0')
        self.assertRaises(TypeError, ge.placeholder_name, self.c.op)
        with self.graph.as_default():
            made = ge.make_placeholder_from_tensor(self.c)
            self.assertEqual((made.name, made.shape.as_list()), ('foo/geph__c_0:0', [2]))
            self.assertEqual(ge.placeholder_name(made), 'foo/geph__c_0')
            made = [ge.ph(tf.int32), ge.ph(tf.int32, [3])]
            self.assertEqual(self.names(made), ['geph:0', 'geph_1:0'])
            self.assertEqual(made[1].shape.as_list(), [3])

    def test_structures(self):
        tree = {'x': [1, (2, 3)], 'y': 4}
        self.assertEqual(ge.util.flatten_tree(tree), [1, 2, 3, 4])
        self.assertEqual(
            ge.util.transform_tree(tree, lambda leaf: leaf + 1), {'x': [2, (3, 4)], 'y': 5}
        )
        self.assertFalse(ge.util.is_iterable(self.a))
        self.assertEqual(ge.util.concatenate_unique([1, 2], [2, 3]), [1, 2, 3])

    def test_find_corresponding(self):
        other = tf.Graph()
        ge.copy(self.graph, other, dst_scope='x')
        found = ge.util.find_corresponding([self.c, self.c.op], other, dst_scope='x')
        self.assertEqual(self.names(found), ['x/foo/c:0', 'x/foo/c'])
        self.assertIsNone(ge.util.find_corresponding(self.c, other))
        self.assertIsNone(ge.util.find_corresponding(self.a, other, 'x', src_scope='foo'))


class SelectTest(GraphTest):
    def test_by_name(self):
        self.assertEqual(
            self.names(ge.select_ops('^foo/bar/', 'a$', graph=self.graph)),
            ['foo/bar/e', 'foo/bar/f', 'foo/bar/g', 'foo/bar/h', 'a'],
        )
        self.assertEqual(ge.select_ts('(?#ops)a', 'd:0', graph=self.graph), [self.d])
        found = ge.select_ops_and_ts('^foo/.*', '(?#ts)^foo/bar/.*', graph=self.graph)
        self.assertEqual([len(part) for part in found], [7, 4])
        self.assertEqual(
            ge.select_ops(self.graph, positive_filter=lambda op: op.type == 'Const'),
            [self.a.op, self.b.op, self.d.op],
        )
        with self.assertRaisesRegex(ValueError, "Use the keyword argument 'graph' to use regex."):
            ge.select_ops('a')
        with self.assertRaisesRegex(ValueError, 'Wrong keywords argument: zz.'):
            ge.select_ops('a', zz=1)
        with self.assertRaisesRegex(ValueError, 'Expected a string or a regex, got: '):
            ge.make_regex(1)
        with self.assertRaises(TypeError):
            ge.select_ops(self.a.op, graph=tf.Graph())

    def test_control_edges(self):
        outputs = ge.ControlOutputs(self.graph)
        self.assertEqual(ge.check_cios(control_ios=outputs), (True, outputs))
        self.assertEqual(ge.get_ops_ios(self.h.op), [self.f.op, self.g.op])
        self.assertEqual(len(ge.get_ops_ios(self.h.op, control_inputs=True)), 3)
        with self.assertRaisesRegex(
            ValueError, 'control_outputs should be None when using control_ios.'
        ):
            ge.check_cios(control_outputs=outputs, control_ios=outputs)
        self.assertRaises(TypeError, ge.check_cios, control_outputs=True)

    def test_boundaries(self):
        self.assertEqual(
            ge.compute_boundary_ts([self.g.op, self.h.op]),
            ([self.c, self.a, self.f], [self.h], [self.g]),
        )
        ops = ge.get_within_boundary_ops(self.graph, self.h.op, [self.f.op, self.g.op])
        self.assertEqual(ops, [self.f.op, self.g.op, self.h.op])
        ops = ge.get_within_boundary_ops(
            self.graph, self.f.op, [self.c.op, self.h.op], inclusive=False
        )
        self.assertEqual(ops, [self.d.op, self.e.op, self.f.op])
        with self.assertRaisesRegex(ValueError, 'Boundary is intersecting with the seeds.'):
            ge.get_within_boundary_ops(self.graph, self.f.op, [self.f.op])

    def test_walks(self):
        self.assertEqual(ge.get_forward_walk_ops(self.f.op), [self.f.op, self.h.op])
        self.assertEqual(ge.get_forward_walk_ops(self.f.op, inclusive=False), [self.h.op])
        self.assertEqual(
            ge.get_forward_walk_ops(self.d), [self.e.op, self.f.op, self.h.op]
        )
        self.assertEqual(
            ge.get_forward_walk_ops(self.d.op, stop_at_ts=[self.f]),
            [self.d.op, self.e.op, self.f.op],
        )
        self.assertEqual(
            ge.get_backward_walk_ops(self.g.op),
            [self.g.op, self.a.op, self.c.op, self.b.op],
        )
        self.assertEqual(
            ge.get_walks_intersection_ops(self.a.op, self.f.op), [self.a.op, self.c.op, self.f.op]
        )
        self.assertEqual(len(ge.get_walks_union_ops(self.f.op, self.g.op)), 6)


class ViewTest(GraphTest):
    def test_boundary(self):
        view = ge.sgv(self.f.op, self.g.op)
        self.assertEqual(list(view.inputs), [self.c, self.d, self.a])
        self.assertEqual(list(view.outputs), [self.f, self.g])
        self.assertEqual(view.consumers(), [self.h.op])
        self.assertIs(view.find_op_by_name('foo/bar/g'), self.g.op)
        self.assertEqual((view.input_index(self.a), view.output_index(self.g)), (2, 1))
        with self.assertRaisesRegex(ValueError, 'n not in subgraph.'):
            view.find_op_by_name('n')
        with self.assertRaisesRegex(ValueError, "Can't find .* in inputs of subgraph"):
            view.input_index(self.h)

    def test_passthroughs(self):
        view = ge.sgv(self.f.op, self.a)
        self.assertEqual(list(view.inputs), [self.c, self.d, self.a])
        self.assertEqual(list(view.outputs), [self.f, self.a])
        self.assertEqual(list(view.passthroughs), [self.a])
        self.assertTrue(view.is_passthrough(self.a))
        self.assertEqual(view.connected_inputs, [self.c, self.d])
        self.assertIn('a:0 *', str(view))

    def test_remap(self):
        view = ge.sgv(self.c.op).remap([self.a], [0, self.c])
        self.assertEqual((list(view.inputs), list(view.outputs)), ([self.a], [self.c, self.c]))
        view = view.remap_outputs_to_consumers()
        self.assertEqual(list(view.outputs), [self.c] * 3)
        self.assertEqual(list(view.remap_outputs_make_unique().outputs), [self.c])
        self.assertEqual(list(view.remap_default().inputs), [self.a, self.b])
        view = ge.sgv(self.c.op)
        with self.assertRaisesRegex(ValueError, r'Found repetition in mapping: \[0, 0\]'):
            view.remap_inputs([0, 0])
        with self.assertRaisesRegex(ValueError, r'Out of \[0, 2\[ range: 2'):
            view.remap_inputs([2])

    def test_whole_and_empty(self):
        view = ge.sgv(self.graph)
        self.assertEqual((list(view.inputs), list(view.outputs)), ([], [self.e, self.h]))
        self.assertEqual(len(view.remap_outputs([1]).remove_unused_ops().ops), 7)
        self.assertFalse(ge.sgv())
        self.assertIsNone(ge.sgv().graph)
        self.assertIs(ge.sgv(view), view)
        self.assertEqual(len(ge.sgv_scope('foo/bar', self.graph).ops), 4)
        with self.assertRaisesRegex(ValueError, 'Graph mismatch.'):
            ge.sgv(view, graph=tf.Graph())


if __name__ == '__main__':
    unittest.main()
