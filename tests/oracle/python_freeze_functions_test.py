"""Symptom: variables that are used by functions are not frozen.

TensorFlow creates a graph with functions, branches and a loop that use handles of variables. The graph that Ramet
freezes must run in both packages without variables, with the values that TensorFlow computed before.
Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

X = [1., -1., .5]
VARIABLE_OPS = {'VarHandleOp', 'ReadVariableOp', 'ResourceGather'}


def build():
    """Builds y as a function of x and q, with two variables."""
    tf.enable_control_flow_v2()
    try:
        return build_with_functions()
    finally:
        tf.disable_control_flow_v2()


def build_with_functions():
    x, q = tf.placeholder(tf.float32, [3], name='x'), tf.placeholder(tf.bool, [], name='q')
    v = tf.Variable(np.arange(12, dtype=np.float32).reshape(4, 3), use_resource=True, name='v')
    u = tf.Variable([1., 2., 3.], use_resource=True, name='u')
    f = tf.function(lambda a: a * u + tf.gather(v, [1, 2]))
    called = f(x)
    chosen = tf.cond(q, lambda: f(x) * u, lambda: tf.gather(v, [0, 3]) - x)
    _, looped = tf.while_loop(lambda i, a: tf.reduce_sum(u) * tf.cast(i, tf.float32) < 20.,
                              lambda i, a: (i + 1, a * u + tf.gather(v, i)), [0, x])
    tf.identity(tf.reduce_sum(called) + tf.reduce_sum(chosen) + looped, 'y')
    return tf.global_variables_initializer().name


def values(package, session):
    return [session.run('y:0', {'x:0': X, 'q:0': taken}) for taken in (True, False)]


def values_of(package, graph_def):
    with package.Graph().as_default() as graph:
        package.import_graph_def(package.GraphDef.FromString(graph_def), name='')
        with package.Session(graph=graph) as session:
            return values(package, session)


class FreezeFunctionsTest(unittest.TestCase):
    def test_what_is_frozen_runs_in_both(self):
        with tf.Graph().as_default() as graph:
            init = build()
            with tf.Session() as session:
                session.run(init)
                want = values(tf, session)
        with rt.Graph().as_default() as mine:
            rt.import_graph_def(
                rt.GraphDef.FromString(graph.as_graph_def().SerializeToString()), name='')
            with rt.Session() as session:
                session.run(init)
                frozen = rt.graph_util.convert_variables_to_constants(
                    session, mine.as_graph_def(), ['y'])
        nodes = list(frozen.node) + [n for f in frozen.library.function for n in f.node_def]
        self.assertFalse(VARIABLE_OPS & {node.op for node in nodes})
        for package in (rt, tf):
            np.testing.assert_allclose(values_of(package, frozen.SerializeToString()), want, 1e-5)


if __name__ == '__main__':
    unittest.main()
