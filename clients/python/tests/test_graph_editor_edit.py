"""The graph editor: rerouting, detaching, connecting, patches."""

import unittest

import numpy as np

import ramet.compat.v1 as tf
import ramet.graph_editor as ge


class EditTest(unittest.TestCase):
    """c0 = a0 + b0 -> d0; c1 = a1 + b1 -> d1."""

    def setUp(self):
        self.graph = tf.Graph()
        with self.graph.as_default():
            for i in range(2):
                for letter, value in (('a', 1.0 + i), ('b', 10.0 + i)):
                    setattr(self, f'{letter}{i}', tf.constant([value], name=f'{letter}{i}'))
                c = tf.add(getattr(self, f'a{i}'), getattr(self, f'b{i}'), name=f'c{i}')
                setattr(self, f'c{i}', c)
                setattr(self, f'd{i}', tf.negative(c, name=f'd{i}'))

    def inputs(self, *tensors):
        return [','.join(t.op.name for t in tensor.op.inputs) for tensor in tensors]

    def all_inputs(self):
        return self.inputs(self.c0, self.c1, self.d0, self.d1)

    def unchanged(self, error, message, call, *args, **kwargs):
        before = self.graph._graph_def(True, False)
        self.assertRaisesRegex(error, message, call, *args, **kwargs)
        self.assertEqual(self.graph._graph_def(True, False), before)

    def run_graph(self, *tensors):
        with tf.Session(graph=self.graph) as session:
            return [value[0] for value in session.run(tensors)]


class RerouteTest(EditTest):
    def test_reroute_ts(self):
        self.assertEqual(ge.reroute_ts([self.a0], [self.a1]), 1)
        self.assertEqual(self.all_inputs(), ['a0,b0', 'a0,b1', 'c0', 'c1'])

    def test_swap_ts(self):
        self.assertEqual(ge.swap_ts([self.a0, self.b0], [self.a1, self.b1]), 4)
        self.assertEqual(self.all_inputs(), ['a1,b1', 'a0,b0', 'c0', 'c1'])

    def test_swap_of_what_one_operation_reads(self):
        self.assertEqual(ge.swap_ts(self.a0, self.b0), 2)
        self.assertEqual(self.inputs(self.c0), ['b0,a0'])

    def test_readers_of_before(self):
        with self.graph.as_default():
            a3 = tf.constant([3.0], name='a3')
        ge.swap_ios(ge.sgv(a3.op).remap_outputs([0, 0]), ge.sgv(self.a0.op, self.a1.op))
        self.assertEqual(self.all_inputs(), ['a3,b0', 'a3,b1', 'c0', 'c1'])

    def test_can_modify(self):
        self.assertEqual(ge.swap_ts(self.c0, self.c1, can_modify=[self.d0.op]), 1)
        self.assertEqual(self.all_inputs(), ['a0,b0', 'a1,b1', 'c1', 'c1'])
        self.assertEqual(ge.reroute_ts(self.a0, self.a1, cannot_modify=self.c1.op), 0)

    def test_views(self):
        views = [ge.sgv(self.c0.op), ge.sgv(self.c1.op)]
        ge.swap_ios(*views)
        self.assertEqual(self.all_inputs(), ['a1,b1', 'a0,b0', 'c1', 'c0'])
        self.assertEqual(list(views[0].inputs), [self.a1, self.b1])
        self.assertEqual(list(views[1].inputs), [self.a0, self.b0])

    def test_reroute_views(self):
        ge.reroute_outputs(ge.sgv(self.c0.op), ge.sgv(self.c1.op))
        self.assertEqual(self.all_inputs(), ['a0,b0', 'a1,b1', 'c0', 'c0'])
        ge.reroute_inputs(ge.sgv(self.c0.op), ge.sgv(self.c1.op))
        self.assertEqual(self.all_inputs(), ['a0,b0', 'a0,b0', 'c0', 'c0'])
        self.assertEqual(self.run_graph(self.d0, self.d1), [-11.0, -11.0])

    def test_reroute_ios(self):
        ge.reroute_ios(ge.sgv(self.c0.op), ge.sgv(self.c1.op))
        self.assertEqual(self.all_inputs(), ['a0,b0', 'a0,b0', 'c0', 'c0'])

    def test_refusals_change_nothing(self):
        with self.graph.as_default():
            number = tf.constant([1], name='number')
            long = tf.constant([1.0, 2.0], name='long')
        with tf.Graph().as_default():
            stranger = tf.constant([1.0])
        for ts0, message in (
            ([self.b0, number], r"Dtypes <dtype: 'int32'> and <dtype: 'float32'> are not compat"),
            ([self.b0, long], r'Shapes \(2,\) and \(1,\) are not compatible'),
            ([self.b0], 'ts0 and ts1 have different sizes: 1 != 2'),
        ):
            self.unchanged(ValueError, message, ge.reroute_ts, ts0, [self.a1, self.b1])
            self.unchanged(ValueError, message, ge.swap_ts, ts0, [self.a1, self.b1])
        self.unchanged(ValueError, 'not belong to given graph|Wrong graph', ge.reroute_ts,
                       [self.a0, stranger], [self.a1, self.b1])
        self.unchanged(ValueError, 'different sizes', ge.swap_ios, ge.sgv(self.c0.op),
                       ge.sgv(self.d1.op))

    def test_cycles(self):
        self.unchanged(ValueError, "'d0' cannot be input 0 of node 'c0'.*cycle", ge.reroute_ts,
                       self.d0, self.a0, allow_cycles=False)
        self.assertEqual(ge.reroute_ts(self.d0, self.a0), 1)
        with self.assertRaises(tf.errors.OpError):
            self.run_graph(self.d0)

    def test_control_inputs(self):
        ge.add_control_inputs(self.c0.op, [self.a1.op, self.b1.op])
        self.assertEqual(self.c0.op.control_inputs, [self.a1.op, self.b1.op])
        self.unchanged(ValueError, 'a1 is already a control_input of c0', ge.add_control_inputs,
                       self.c0.op, [self.d1.op, self.a1.op])
        self.unchanged(ValueError, 'c0 is not a control_input of d1', ge.remove_control_inputs,
                       self.c0.op, [self.a1.op, self.d1.op])
        ge.remove_control_inputs(self.c0.op, self.a1.op)
        self.assertEqual(self.c0.op.control_inputs, [self.b1.op])
        self.assertRaises(TypeError, ge.add_control_inputs, self.c0, [self.a1.op])


class DetachTest(EditTest):
    def test_detach_inputs(self):
        view, placeholders = ge.detach_inputs(ge.sgv(self.c0.op))
        self.assertEqual(self.inputs(self.c0), ['geph__a0_0,geph__b0_0'])
        self.assertEqual([p.shape.ndims for p in placeholders], [None, None])
        self.assertEqual(list(view.inputs), placeholders)

    def test_detach_outputs(self):
        view, placeholders = ge.detach_outputs(ge.sgv(self.c0.op, self.d1.op))
        self.assertEqual(list(view.outputs), [self.c0])
        self.assertEqual(self.inputs(self.d0), ['geph__c0_0'])
        self.assertEqual([p.shape.as_list() for p in placeholders], [[1]])

    def test_detach_with_control_edges(self):
        ge.add_control_inputs(self.c0.op, self.a1.op)
        ge.add_control_inputs(self.d1.op, self.c0.op)
        ge.detach(ge.sgv(self.c0.op), control_ios=ge.ControlOutputs(self.graph))
        self.assertEqual(self.c0.op.control_inputs + self.d1.op.control_inputs, [])
        self.unchanged(TypeError, 'Expected a util.ControlOutputs', ge.detach_control_outputs,
                       ge.sgv(self.c0.op), True)

    def test_connect(self):
        ge.connect(ge.sgv(self.c0.op), ge.sgv(self.d1.op))
        self.assertEqual(self.inputs(self.d0, self.d1), ['c0', 'c0'])
        ge.connect(ge.sgv(self.c1.op), ge.sgv(self.d1.op), disconnect_first=True)
        self.assertEqual(self.inputs(self.d0, self.d1), ['c0', 'c1'])
        ge.connect(ge.sgv(self.c0.op), ge.sgv(self.d1.op), disconnect_first=True)
        self.assertEqual(self.inputs(self.d0, self.d1), ['geph__c0_0', 'c0'])
        self.unchanged(ValueError, 'different sizes: 1 != 2', ge.connect, ge.sgv(self.d0.op),
                       ge.sgv(self.c0.op), disconnect_first=True)

    def test_bypass(self):
        with self.graph.as_default():
            end = tf.identity(self.d0, name='end')
        _, placeholders = ge.bypass(ge.sgv(self.d0.op))
        self.assertEqual(self.inputs(end, self.d0), ['c0', 'geph__c0_0'])
        self.assertEqual(len(placeholders), 1)
        self.unchanged(ValueError, 'different sizes: 2 != 1', ge.bypass, ge.sgv(self.c0.op))


class PatchTest(EditTest):
    def test_sessions_see_it_at_their_next_run(self):
        with tf.Session(graph=self.graph) as session:
            self.assertEqual(session.run(self.d0), [-11.0])
            ge.reroute_ts(self.c1, self.c0)
            self.assertEqual(session.run(self.d0), [-13.0])
            patch = ge.Patch(self.graph)
            patch.set_input(self.d0.op, 0, self.a0)
            patch.set_input(self.c0.op, 0, self.d0)
            self.assertEqual(session.run(self.d0), [-13.0])
            patch.apply()
            np.testing.assert_array_equal(session.run([self.d0, self.c0]), [[-1.0], [9.0]])

    def test_is_whole_or_nothing(self):
        patch = ge.Patch(self.graph)
        patch.set_input(self.c0.op, 0, self.a1)
        patch.remove_control_input(self.c0.op, self.a1.op)
        self.unchanged(ValueError, "'a1' is not a control input of 'c0'", patch.apply)
        patch = ge.Patch(self.graph)
        patch.set_input(self.c1.op, 0, self.a0)
        patch.add_control_input(self.c0.op, self.d0.op)
        self.unchanged(ValueError, 'cycle', patch.apply)

    def test_finalized(self):
        self.graph.finalize()
        self.unchanged(RuntimeError, 'finalized', ge.reroute_ts, self.a0, self.a1)


if __name__ == '__main__':
    unittest.main()
