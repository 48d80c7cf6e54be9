"""Symptom: TensorFlow rejects a graph that the graph editor changed or copied, or computes different values.

Each case edits a graph in Ramet, runs it there, and exports it. TensorFlow imports and runs it.
Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import numpy as np

import ramet.compat.v1 as rt
import ramet.graph_editor as ge
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

FED = np.linspace(-1, 2, 6, dtype=np.float32).reshape(2, 3)


class Network:
    """Two layers with variables, a branch, a loop and a gradient of placeholder x."""

    def __init__(self, use_resource=False):
        self.graph = rt.Graph()
        with self.graph.as_default():
            rt.set_random_seed(7)
            self.x = rt.placeholder(rt.float32, [None, 3], name='x')
            with rt.variable_scope('net', use_resource=use_resource):
                w = rt.get_variable('w', [3, 3], initializer=rt.ones_initializer())
                hidden = rt.tanh(rt.matmul(self.x, w), name='hidden')
            branch = rt.cond(
                rt.reduce_sum(hidden) > 0, lambda: hidden * 2.0, lambda: rt.square(hidden)
            )
            loop = rt.while_loop(
                lambda i, v: i < 3, lambda i, v: (i + 1, rt.matmul(v, w) * 0.1), [0, branch]
            )[1]
            self.y = rt.identity(loop, name='y')
            self.grad = rt.gradients(self.y, self.x)[0]
            self.w, self.hidden = w, hidden


class GraphEditorTest(unittest.TestCase):
    def check(self, graph, feeds, fetches, initializers):
        """Runs graphs with the same nodes in both packages."""
        feed_names = {t.name: value for t, value in feeds.items()}
        fetch_names = [t.name for t in fetches]
        init_names = [op.name for op in initializers]
        with rt.Session(graph=graph) as session:
            session.run(init_names)
            own = session.run(fetch_names, feed_names)
        with tf.Graph().as_default(), tf.Session() as session:
            definition = tf.GraphDef.FromString(graph.as_graph_def().SerializeToString())
            tf.import_graph_def(definition, name='')
            session.run(init_names)
            found = session.run(fetch_names, feed_names)
        for name, a, b in zip(fetch_names, own, found):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-7, err_msg=name)
        return own

    def test_copy_to_another_graph(self):
        for use_resource in (False, True):
            net = Network(use_resource)
            other = rt.Graph()
            _, info = ge.copy(net.graph, other, dst_scope='to', own_state=True)
            fed = {info.transformed(net.x): FED}
            copies = info.transformed([net.y, net.grad])
            own = self.check(other, fed, copies, [info.transformed(net.w.initializer)])
            original = self.check(net.graph, {net.x: FED}, [net.y, net.grad], [net.w.initializer])
            for a, b in zip(own, original):
                np.testing.assert_array_equal(a, b)

    def test_copy_beside_the_original(self):
        for own_state in (False, True):
            net = Network()
            view = ge.sgv(net.graph)
            _, info = ge.copy(view, dst_scope='copy', own_state=own_state)
            fed = {info.transformed(net.x): FED * 2, net.x: FED}
            fetches = [info.transformed(net.y), net.y] if own_state else [info.transformed(net.y)]
            self.check(net.graph, fed, fetches,
                       [net.w.initializer, info.transformed(net.w.initializer)])

    def test_graph_replace(self):
        net = Network()
        with net.graph.as_default():
            new = rt.constant(FED * 3)
        copies = ge.graph_replace([net.y, net.hidden], {net.x: new}, dst_scope='r')
        self.check(net.graph, {}, copies, [net.w.initializer])

    def test_edits(self):
        net = Network()
        with net.graph.as_default():
            shifted = rt.add(net.hidden, 0.5, name='shifted')
        ge.reroute_ts(shifted, net.hidden, cannot_modify=shifted.op)
        ge.add_control_inputs(net.y.op, net.x.op)
        before, = self.check(net.graph, {net.x: FED}, [net.y], [net.w.initializer])
        ge.bypass(ge.sgv(shifted.op).remap_inputs([0]))
        after, = self.check(net.graph, {net.x: FED}, [net.y], [net.w.initializer])
        self.assertGreater(abs(before - after).max(), 1e-3)
        _, inputs = ge.detach_inputs(ge.sgv(net.hidden.op))
        self.check(net.graph, {inputs[0]: FED}, [net.hidden], [net.w.initializer])


if __name__ == '__main__':
    unittest.main()
