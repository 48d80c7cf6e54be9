"""Defun and switch_case."""

import unittest

import numpy as np
import ramet.compat.v1 as tf
from ramet.ops.functions import function


class FunctionTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.x = tf.placeholder(tf.float32, [2], name='x')
        self.feeds = {self.x: [1., 2.]}

    def run_it(self, fetches, feeds=None):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, {**self.feeds, **(feeds or {})})

    def test_a_call_is_an_operation_of_the_functions_name(self):
        @function.Defun(tf.float32, func_name='twice')
        def twice(a):
            return a + a

        y = twice(self.x)
        self.assertEqual((y.op.name, y.op.type), ('twice', 'twice'))
        library = tf.get_default_graph().as_graph_def().library
        self.assertEqual([f.signature.name for f in library.function], ['twice'])
        np.testing.assert_array_equal(self.run_it(y), [2, 4])

    def test_what_is_outside_is_captured(self):
        v = tf.Variable([3., 4.])

        @function.Defun(tf.float32)
        def foo(a):
            return a * v + self.x

        y = foo(tf.constant([1., 1.]))
        self.assertEqual(len(y.op.inputs), 3)
        self.assertEqual(len(foo.captured_inputs), 2)
        np.testing.assert_array_equal(self.run_it(y), [4, 6])

    def test_a_function_of_another_graph_is_none(self):
        with tf.Graph().as_default():
            stranger = tf.constant(1.)
        with self.assertRaisesRegex(ValueError, 'nor of a graph that encloses it'):
            function.Defun(tf.float32)(lambda a: a + stranger)(self.x)

    def test_after_an_error_graphs_are_as_before(self):
        def wrong(a):
            raise KeyError('mine')

        with self.assertRaises(KeyError):
            function.Defun(tf.float32)(wrong)(self.x)
        self.assertIs((self.x + 1.).graph, tf.get_default_graph())

    def test_gradients(self):
        @function.Defun(tf.float32, func_name='plain')
        def plain(a):
            return a * a * a

        @function.Defun(tf.float32, func_name='own', python_grad_func=lambda op, g: g * 10.)
        def own(a):
            return a * a

        first = tf.gradients(plain(self.x), self.x)[0]
        second = tf.gradients(first, self.x)[0]
        other = tf.gradients(own(self.x), self.x)[0]
        got = self.run_it([first, second, other])
        np.testing.assert_allclose(got, [[3, 12], [6, 12], [10, 10]])

    def test_a_recursion(self):
        """Sums a, a - 1, ..., 1; its gradient is the number of terms."""
        tf.import_graph_def(_recursion(), name='')
        y = tf.get_default_graph().create_op('PartitionedCall', [self.x], name='y', attrs=_call())
        y = y.outputs[0]
        gradient = tf.gradients(y, self.x)[0]
        with tf.Session() as session:
            got = session.run([y, gradient], {self.x: [4., 3.]})
        np.testing.assert_allclose(got, [[4 + 3 + 2 + 1, 3 + 2 + 1 + 0], [4, 4]])

    def test_switch_case(self):
        q = tf.placeholder(tf.int32, [])
        y = tf.switch_case(q, [lambda: self.x + 1., lambda: self.x * self.x, lambda: -self.x])
        gradient = tf.gradients(y, self.x)[0]
        for number, want, slope in ((0, [2, 3], [1, 1]), (1, [1, 4], [2, 4]),
                                    (2, [-1, -2], [-1, -1]), (-5, [-1, -2], [-1, -1])):
            got = self.run_it([y, gradient], {q: number})
            np.testing.assert_array_equal(got, [want, slope])

    def test_switch_case_of_switch_case(self):
        q = tf.placeholder(tf.int32, [])
        y = tf.switch_case(q, [
            lambda: tf.switch_case(q + 1, [lambda: self.x, lambda: self.x * 2.]), lambda: self.x])
        np.testing.assert_array_equal(self.run_it(y, {q: 0}), [2, 4])


def _call():
    return {'Tin': [tf.float32], 'Tout': [tf.float32], 'f': 'sum'}


def _recursion():
    """Computes sum(x) = x + sum(x - 1) if x[0] > 0, else 0 * x."""
    graph = tf.Graph()
    with graph.as_default():
        @function.Defun(tf.float32, func_name='none')
        def none(a):
            return a * 0.

        none.add_to_graph(graph)
        function.Defun(tf.float32, func_name='more')(lambda a: a + 1.).add_to_graph(graph)
        function.Defun(tf.float32, func_name='sum')(lambda a: a + 1.).add_to_graph(graph)
    message = graph.as_graph_def()
    functions = {f.signature.name: f for f in message.library.function}
    text = tf.NodeDef
    for name, nodes, result in (
            ('more', [text(name='one', op='Const'), text(name='less', op='Sub'),
                      text(name='call', op='PartitionedCall'), text(name='add', op='AddV2')],
             'add:z:0'),
            ('sum', [text(name='zero', op='Const'), text(name='first', op='Max'),
                     text(name='if', op='StatelessIf')], 'if:output:0')):
        made = functions[name]
        del made.node_def[:]
        made.node_def.extend(nodes)
        for key in made.ret:
            made.ret[key] = result
    more = {n.name: n for n in functions['more'].node_def}
    whole = {n.name: n for n in functions['sum'].node_def}
    _constant(more['one'], tf.make_tensor_proto(1.))
    _constant(whole['zero'], tf.make_tensor_proto([0]))
    for node, inputs in ((more['less'], ['a', 'one:output:0']),
                         (more['call'], ['less:z:0']), (more['add'], ['a', 'call:output:0']),
                         (whole['first'], ['a', 'zero:output:0']),
                         (whole['if'], ['first:output:0', 'a'])):
        node.input.extend(inputs)
        if node.op in ('Sub', 'AddV2', 'Max'):
            node.attr['T'].type = 1
        else:
            node.attr['Tin'].list.type.append(1)
            node.attr['Tout'].list.type.append(1)
    more['call'].attr['f'].func.name = 'sum'
    whole['if'].attr['Tcond'].type = 1
    whole['if'].attr['then_branch'].func.name = 'more'
    whole['if'].attr['else_branch'].func.name = 'none'
    return message


def _constant(node, value):
    node.attr['dtype'].type = value.dtype
    node.attr['value'].tensor.CopyFrom(value)


if __name__ == '__main__':
    unittest.main()
