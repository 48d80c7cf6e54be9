"""Symptom: gradients through functions of a graph's library have different values.

TensorFlow creates a graph with functions. Ramet imports it, adds gradients and gradients of gradients, and runs
them. The values must equal TensorFlow's, and the graph that Ramet exports must have the same values in
TensorFlow. Needs tensorflow and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_function_gradients_cases import CASES

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

# TensorFlow does not have a second gradient of SymbolicGradient.
ONCE = {'by_name', 'by_name_with_gradient'}


def name_of(tensor):
    return None if tensor is None else tensor.name


def gradients(package, y, xs, twice):
    """Returns the names of the gradients, and of the gradients of the sum of their squares."""
    def dense(tensors):
        return [None if t is None else package.convert_to_tensor(t) for t in tensors]
    first = dense(package.gradients(y, xs))
    names = [name_of(t) for t in first]
    if not twice:
        return names
    squares = [package.reduce_sum(t * t) for t in first if t is not None]
    return names + [name_of(t) for t in dense(package.gradients(package.add_n(squares), xs))]


def run(package, graph, init, names, feeds):
    with package.Session(graph=graph) as session:
        session.run(init)
        return [None if n is None else session.run(n, feeds) for n in names]


def read(package, graph_def):
    graph = package.Graph()
    with graph.as_default():
        package.import_graph_def(package.GraphDef.FromString(graph_def), name='')
    return graph


class FunctionGradientsTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    def compare(self, got, want):
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            self.assertEqual(g is None, w is None)
            if g is not None:
                np.testing.assert_allclose(g, w, rtol=1e-3, atol=1e-4)

    def check(self, name):
        tf.enable_control_flow_v2()
        self.addCleanup(tf.disable_control_flow_v2)
        graph = tf.Graph()
        with graph.as_default():
            y, xs, feeds = CASES[name]()
            y = tf.identity(y)
            init = tf.global_variables_initializer().name
            graph_def = graph.as_graph_def().SerializeToString()
            names = [y.name] + gradients(tf, y, xs, name not in ONCE)
            feeds = {k + ':0': v for k, v in feeds.items()
                     if k in {op.name for op in graph.get_operations()}}
        want = run(tf, graph, init, names, feeds)
        of_xs = [x.handle.name if isinstance(x, tf.Variable) else x.name for x in xs]
        self.check_in_ramet(graph_def, y.name, of_xs, init, feeds, want, name not in ONCE)

    def check_in_ramet(self, graph_def, y, xs, init, feeds, want, twice):
        graph = read(rt, graph_def)
        with graph.as_default():
            tensors = [graph.get_tensor_by_name(x) for x in xs]
            names = [y] + gradients(rt, graph.get_tensor_by_name(y), tensors, twice)
        self.compare(run(rt, graph, init, names, feeds), want)
        written = graph.as_graph_def().SerializeToString()
        self.compare(run(tf, read(tf, written), init, names, feeds), want)

    def test_second_gradients_of_calls_by_name_run_in_tensorflow(self):
        graph = tf.Graph()
        with graph.as_default():
            y, (x, w), feeds = CASES['by_name']()
            y, x, w = tf.identity(y).name, x.name, w.name
            graph_def = graph.as_graph_def().SerializeToString()
        graph = read(rt, graph_def)
        with graph.as_default():
            tensors = [graph.get_tensor_by_name(t) for t in (x, w)]
            names = gradients(rt, graph.get_tensor_by_name(y), tensors, True)
        feeds = {f'{key}:0': value for key, value in feeds.items()}
        a, b = feeds[x].astype(np.float64), feeds[w].astype(np.float64)
        t = np.tanh(a)
        s = 1 - t * t
        # y = t b^2; the sum of squares is (s b^2)^2 + (2 t b)^2.
        want = [s * b**2, 2 * t * b, -4 * t * s**2 * b**4 + 8 * t * s * b**2,
                4 * s**2 * b**3 + 8 * t * t * b]
        written = read(tf, graph.as_graph_def().SerializeToString())
        for package, made in ((rt, graph), (tf, written)):
            with package.Session(graph=made) as session:
                self.compare(session.run(names, feeds), want)

    def test_random_numbers_are_those_of_the_forward_run(self):
        graph = tf.Graph()
        with graph.as_default():
            x = tf.placeholder(tf.float32, [100], name='x')
            tf.function(lambda a: a * tf.random.uniform([100]))(x)
            y = graph.get_operations()[-1].outputs[0].name
            graph_def = graph.as_graph_def().SerializeToString()
        graph = read(rt, graph_def)
        with graph.as_default(), rt.Session() as session:
            y = graph.get_tensor_by_name(y)
            values = session.run([y, rt.gradients(y, graph.get_tensor_by_name('x:0'))[0]],
                                 {'x:0': np.ones(100, np.float32)})
        np.testing.assert_array_equal(*values)


def add_tests():
    for name in CASES:
        def test(self, name=name):
            self.check(name)

        setattr(FunctionGradientsTest, f'test_{name}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
