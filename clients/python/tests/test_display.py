"""The output of objects at a prompt and in a notebook, and of completion and help."""

import inspect
import os
import pydoc
import tempfile
import unittest
from xml.etree import ElementTree

import numpy as np
import ramet
import ramet.compat.v1 as tf
from ramet.framework import display

SVG = '{http://www.w3.org/2000/svg}'


def texts_of(svg):
    return [element.text for element in ElementTree.fromstring(svg).iter(SVG + 'text')]


class DisplayTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        self.enterContext(self.graph.as_default())

    def network(self):
        x = tf.placeholder(tf.float32, [None, 4], name='x')
        with tf.variable_scope('layer'):
            w = tf.get_variable('w', [4, 2])
            b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        return x, tf.add(tf.matmul(x, w), b, name='out')

    def saved(self):
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.network()
        tf.get_variable('text', initializer=tf.constant('<b>'))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return tf.train.Saver().save(session, os.path.join(folder, 'net'))


class GraphTest(DisplayTest):
    def test_repr_counts(self):
        self.assertEqual(repr(self.graph), '<tf.Graph: 0 operations, 0 variables>')
        tf.constant(1)
        self.assertEqual(repr(self.graph), '<tf.Graph: 1 operation, 0 variables>')

    def test_a_notebook_draws_it(self):
        x, out = self.network()
        tf.train.AdamOptimizer().minimize(tf.reduce_sum(out))
        texts = texts_of(self.graph._repr_svg_())
        for name in ('x', 'Placeholder', 'float[?,4]'):
            self.assertIn(name, texts)
        self.assertTrue(any(text.startswith('layer') for text in texts), texts)
        for name in ('gradients', 'Adam', 'beta1_power'):
            self.assertFalse([text for text in texts if text.startswith(name)])
        html = self.graph._repr_html_()
        self.assertIn('<svg', html)
        self.assertIn('overflow:auto', html)

    def test_an_empty_graph_has_no_picture(self):
        self.assertIsNone(self.graph._repr_svg_())
        self.assertIsNone(self.graph._repr_html_())

    def test_what_is_all_there_is_is_drawn(self):
        with tf.name_scope('gradients'):
            tf.constant(1, name='only')
        self.assertIn('gradients', texts_of(self.graph._repr_svg_()))

    def test_a_large_graph_is_drawn_by_its_outer_scopes(self):
        for i in range(100):
            with tf.name_scope(f'part_{i}'):
                for j in range(20):
                    tf.constant(j)
        texts = texts_of(self.graph._repr_svg_())
        self.assertIn('part_99', texts)
        self.assertEqual(texts.count('20 ops'), 100)

    def test_a_graph_without_scopes_that_is_too_large_has_no_picture(self):
        for _ in range(1501):
            tf.constant(1)
        self.assertIsNone(self.graph._repr_html_())


class ReprTest(DisplayTest):
    def test_elements(self):
        x, out = self.network()
        w = tf.global_variables()[0]
        self.assertEqual(repr(out), "<tf.Tensor 'out:0' shape=(?, 2) dtype=float32>")
        self.assertEqual(str(x), 'Tensor("x:0", shape=(?, 4), dtype=float32)')
        self.assertEqual(repr(out.op), "<tf.Operation 'out' type=AddV2>")
        self.assertEqual(repr(w), "<tf.Variable 'layer/w:0' shape=(4, 2) dtype=float32_ref>")

    def test_session(self):
        tf.constant(1)
        session = tf.Session()
        self.assertEqual(repr(session),
                         '<tf.Session: open, runs <tf.Graph: 1 operation, 0 variables>>')
        session.close()
        self.assertIn('closed', repr(session))

    def test_checkpoint(self):
        reader = tf.train.load_checkpoint(self.saved())
        title, header, *rows = repr(reader).splitlines()
        self.assertTrue(title.endswith('net: 3 tensors, 40 B'), title)
        self.assertEqual(header.split(), ['name', 'dtype', 'shape', 'size'])
        self.assertEqual(rows, ['  layer/b  float32  [2]     8 B',
                                '  layer/w  float32  [4, 2]  32 B',
                                '  text     string   []'])
        html = reader._repr_html_()
        self.assertIn('>layer/w</td>', html)
        self.assertEqual(html.count('<tr>'), 4)

    def test_model(self):
        with ramet.load(self.saved()) as model:
            title, *rows = repr(model).splitlines()
            self.assertTrue(title.endswith('operations, 3 variables'), title)
            self.assertEqual([row.split()[:2] for row in rows],
                             [['input', 'x'], ['output', 'out'], ['variable', 'layer/w'],
                              ['variable', 'layer/b'], ['variable', 'text']])
            self.assertIn('>layer/w</td>', model._repr_html_())

    def test_tables(self):
        table = display.text_table('t', ('a', 'b'), [('1', '22'), ('3', '')], most=1)
        self.assertEqual(table, 't\n  a  b\n  1  22\n  ... and 1 more')
        self.assertIn('&lt;i&gt;', display.html_table('<i>', ('a',), [('<i>',)]))
        self.assertNotIn('<i>', display.html_table('<i>', ('a',), [('<i>',)]))
        self.assertEqual([display.byte_count(n) for n in (0, 999, 1000, 4096000, 10**9)],
                         ['0 B', '999 B', '1.0 kB', '4.1 MB', '1.0 GB'])


class PromptTest(unittest.TestCase):
    def test_completion(self):
        for module, names in ((tf, ['matmul', 'Session', 'train', 'float32', 'raw_ops']),
                              (tf.train, ['AdamOptimizer', 'Saver']), (tf.nn, ['relu', 'conv2d']),
                              (tf.raw_ops, ['MatMul']), (ramet, ['load', 'compat'])):
            listed = dir(module)
            for name in names:
                self.assertIn(name, listed)
            self.assertEqual(len(listed), len(set(listed)))

    def test_what_completion_lists_is_there(self):
        for name in dir(tf):
            self.assertNotIn('not in Ramet', repr(getattr(tf, name)), name)

    def test_objects_list_what_people_use(self):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tensor = tf.constant(np.float32(1))
            self.assertLessEqual({'run', 'close', 'graph'}, set(dir(session)))
            self.assertLessEqual({'as_graph_def', 'get_tensor_by_name'}, set(dir(graph)))
            self.assertLessEqual({'shape', 'eval', 'consumers'}, set(dir(tensor)))
            self.assertLessEqual({'inputs', 'get_attr', 'traceback'}, set(dir(tensor.op)))

    def test_help(self):
        for symbol, signature in (
                (tf.matmul, 'matmul(a, b, transpose_a=False'),
                (tf.nn.conv2d, 'conv2d(input, filter'),
                (tf.train.AdamOptimizer, 'AdamOptimizer(learning_rate=0.001, beta1=0.9'),
                (tf.raw_ops.MatMul, 'MatMul(a, b, transpose_a=False')):
            text = pydoc.plain(pydoc.render_doc(symbol))
            self.assertIn(signature, text)
            self.assertIn('Args:', text)
            self.assertNotIn('object at 0x', text)

    def test_signatures_of_ops(self):
        parameters = inspect.signature(tf.raw_ops.MatMul).parameters
        self.assertEqual(list(parameters)[:2] + list(parameters)[-1:], ['a', 'b', 'name'])
        self.assertIs(parameters['transpose_a'].default, False)
        for name in dir(tf.raw_ops):
            if not name.startswith('_'):
                inspect.signature(getattr(tf.raw_ops, name))


if __name__ == '__main__':
    unittest.main()
