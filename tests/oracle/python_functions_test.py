"""Symptom: Defun or switch_case create different graphs or values than in TensorFlow.

Needs tensorflow and the package ramet on the path.
"""

import os
import re
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf
from ramet.ops.functions import function as rt_function
from tensorflow.python.framework import function as tf_function

from python_functions_cases import CASES

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')


def plain(name):
    """Returns a name without parts that differ from run to run: a hash or a number."""
    name = re.sub(r'(?<=foo_)[A-Za-z0-9]{11}', 'HASH', name)
    return re.sub(r'(branch\d+)_\d+(_\d+)?', r'\1', name)


def outline(graph_def):
    """Returns [(name, op, inputs)] of the nodes, and [(name, inputs, outputs)] of the functions."""
    nodes = [(plain(n.name), plain(n.op), [plain(i) for i in n.input]) for n in graph_def.node]
    functions = {
        plain(f.signature.name): (
            [a.type for a in f.signature.input_arg], [a.type for a in f.signature.output_arg],
            sorted(plain(n.op) for n in f.node_def), f.signature.is_stateful)
        for f in graph_def.library.function}
    gradients = [(g.function_name, g.gradient_func) for g in graph_def.library.gradient]
    return nodes, functions, gradients


def make(package, function, name):
    """Returns the GraphDef, its outline before gradients are run, and the values."""
    graph = package.Graph()
    with graph.as_default():
        tensors, feeds = CASES[name](package, function)
        init = package.global_variables_initializer()
    feeds = {f'{key}:0': value for key, value in feeds.items()}
    with package.Session(graph=graph) as session:
        session.run(init)
        values = session.run(tensors, feeds)
    return graph.as_graph_def(), values, [t.name for t in tensors], init.name, feeds


class FunctionsTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def check(self, name):
        theirs, want, _, _, _ = make(tf, tf_function, name)
        mine, got, names, init, feeds = make(rt, rt_function, name)
        for g, w in zip(got, want, strict=True):
            np.testing.assert_allclose(g, w, rtol=1e-5)
        # Ramet names the Enter of a captured tensor differently.
        if name != 'in_loop' and 'gradients' not in {n.name.split('/')[0] for n in theirs.node}:
            for one, other in zip(outline(mine), outline(theirs), strict=True):
                self.assertEqual(one, other)
        if name != 'python_gradient' and name != 'custom_gradient':
            self.run_in_tensorflow(mine, names, init, feeds, want)

    def run_in_tensorflow(self, graph_def, names, init, feeds, want):
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(tf.GraphDef.FromString(graph_def.SerializeToString()), name='')
            session.run(init)
            for g, w in zip(session.run(names, feeds), want, strict=True):
                np.testing.assert_allclose(g, w, rtol=1e-5)

    def test_wrong_switch_cases(self):
        for package in (tf, rt):
            with package.Graph().as_default():
                x, q = package.placeholder('float', [3]), package.placeholder('int32', [])
                for error, index, functions in (
                        (TypeError, 1, [lambda: x]), (TypeError, package.constant(1.), [lambda: x]),
                        (TypeError, q, lambda: x), (ValueError, q, []), (TypeError, q, [x]),
                        (TypeError, q, {'a': lambda: x}), (ValueError, q, {1: lambda: x}),
                        (TypeError, q, [lambda: x, lambda: package.constant(1)])):
                    with self.assertRaises(error):
                        package.switch_case(index, functions)

    def test_wrong_calls(self):
        for package, function in ((tf, tf_function), (rt, rt_function)):
            with package.Graph().as_default():
                x = package.placeholder('float', [3])
                foo = function.Defun(package.float32, func_name='foo')(lambda a: a)
                bar = function.Defun(package.float32, func_name='bar')(lambda a: None)
                for message, call in (
                        ('Expected 1 arguments, got 2.', lambda: foo(x, x)),
                        ("Input 'a.*' passed int32 expected float", lambda: foo(1)),
                        ('have 2 input types', lambda: function.Defun('float', 'float')(
                            lambda a: a)),
                        ('must be a callable', lambda: function.Defun('float')(7))):
                    with self.assertRaisesRegex(ValueError, message):
                        call()
                self.assertEqual(bar(x).type, 'bar')


def add_tests():
    for name in CASES:
        def test(self, name=name):
            self.check(name)

        setattr(FunctionsTest, f'test_{name}', test)


add_tests()

if __name__ == '__main__':
    unittest.main()
