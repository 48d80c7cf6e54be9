"""SavedModels, signatures and ramet.load."""

import os
import unittest

import numpy as np
from test_saver import InFolder

import ramet
import ramet.compat.v1 as tf


def model():
    x = tf.placeholder(tf.float32, [None, 2], name='x')
    w = tf.get_variable('w', initializer=[[1.0], [2.0]])
    return x, tf.matmul(x, w, name='y')


class SavedModelTest(InFolder):

    def write(self, folder='m', **options):
        x, y = model()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            builder = tf.saved_model.Builder(folder)
            builder.add_meta_graph_and_variables(
                session, ['serve'],
                {'serving_default': tf.saved_model.predict_signature_def({'in': x}, {'out': y})},
                **options)
            builder.add_meta_graph(['train'])
            return builder.save()

    def test_goes_round(self):
        self.assertEqual(self.write(), b'm/saved_model.pb')
        self.assertTrue(tf.saved_model.contains_saved_model('m'))
        with tf.Graph().as_default(), tf.Session() as session:
            meta_graph = tf.saved_model.load(session, ['serve'], 'm', import_scope='s')
            self.assertEqual(meta_graph.signature_def['serving_default'].inputs['in'].name, 'x:0')
            np.testing.assert_array_equal(session.run('s/y:0', {'s/x:0': [[1.0, 1.0]]}), [[3.0]])

    def test_simple_save(self):
        x, y = model()
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.saved_model.simple_save(session, 'm', {'x': x}, {'y': y})
            with self.assertRaisesRegex(AssertionError, "m already exists, and isn't empty"):
                tf.saved_model.simple_save(session, 'm', {'x': x}, {'y': y})

    def test_main_op(self):
        v = tf.get_variable('v', initializer=1.0)
        with tf.Session() as session:
            session.run(v.initializer)
            builder = tf.saved_model.Builder('m')
            builder.add_meta_graph_and_variables(session, ['serve'],
                                                 main_op=v.assign_add(1.0).op)
            builder.save()
        with tf.Graph().as_default(), tf.Session() as session:
            tf.saved_model.load(session, ['serve'], 'm')
            self.assertEqual(session.run('v:0'), 2.0)

    def test_assets(self):
        with open('words.txt', 'w', encoding='utf-8') as f:
            f.write('a\n')
        path = tf.constant('words.txt', name='path')
        v = tf.get_variable('v', initializer=1.0)
        with tf.Session() as session:
            session.run(v.initializer)
            builder = tf.saved_model.Builder('m')
            builder.add_meta_graph_and_variables(session, ['serve'], assets_collection=[path])
            builder.save()
        self.assertEqual(os.listdir('m/assets'), ['words.txt'])

    def test_errors(self):
        self.write()
        with tf.Graph().as_default(), tf.Session() as session:
            with self.assertRaisesRegex(RuntimeError, "tags 'other' could not be found"):
                tf.saved_model.load(session, ['other'], 'm')
            with self.assertRaisesRegex(OSError, 'SavedModel file does not exist at: none'):
                tf.saved_model.load(session, ['serve'], 'none')
            builder = tf.saved_model.Builder('new')
            with self.assertRaisesRegex(AssertionError, 'has not been saved yet'):
                builder.add_meta_graph(['serve'])
            with self.assertRaisesRegex(TypeError, 'to be an Operation'):
                builder.add_meta_graph_and_variables(session, ['serve'], main_op=3)


class SignatureTest(unittest.TestCase):

    def test_tensor_info(self):
        with tf.Graph().as_default():
            x = tf.placeholder(tf.int32, [None, 3], name='x')
            info = tf.saved_model.build_tensor_info(x)
            self.assertEqual(info.name, 'x:0')
            self.assertEqual([d.size for d in info.tensor_shape.dim], [-1, 3])
            self.assertIs(tf.saved_model.get_tensor_from_tensor_info(info), x)

    def test_valid(self):
        with tf.Graph().as_default():
            text, number = tf.constant('a'), tf.constant(1.0)
            for signature in (tf.saved_model.predict_signature_def({'a': text}, {'b': number}),
                              tf.saved_model.regression_signature_def(text, number),
                              tf.saved_model.classification_signature_def(text, text, number)):
                self.assertTrue(tf.saved_model.is_valid_signature(signature))
            self.assertFalse(tf.saved_model.is_valid_signature(
                tf.saved_model.build_signature_def(method_name='other')))
            with self.assertRaisesRegex(ValueError, '`inputs` cannot be None or empty'):
                tf.saved_model.predict_signature_def({}, {'b': number})


class LoadTest(InFolder):

    def setUp(self):
        super().setUp()
        x, y = model()
        tf.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y, name='loss'))
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            tf.train.Saver().save(session, 'cnn', global_step=1000)
            tf.saved_model.simple_save(session, 'saved', {'image': x}, {'score': y})

    def check(self, m, **feeds):
        np.testing.assert_array_equal(m('y:0', **feeds), [[3.0]])

    def test_prefix(self):
        with ramet.load('cnn-1000') as m:
            self.assertEqual(list(m.inputs), ['x'])
            self.assertIn('loss', m.outputs)
            self.check(m, x=[[1.0, 1.0]])
            np.testing.assert_array_equal(m(['y', 'loss'], {'x:0': [[1.0, 1.0]]})[1], 3.0)
            self.assertIn('cnn-1000', repr(m))
            self.assertRegex(repr(m), r'input +x +float32')
            with self.assertRaisesRegex(KeyError, "no tensor 'z'; it has x"):
                m('y:0', z=1)

    def test_folders(self):
        self.check(ramet.load('.'), x=[[1.0, 1.0]])
        m = ramet.load('saved')
        np.testing.assert_array_equal(m(image=[[1.0, 1.0]])['score'], [[3.0]])

    def test_nothing_there(self):
        with self.assertRaisesRegex(FileNotFoundError, 'no model rnn.*models nearby: cnn-1000'):
            ramet.load('rnn')
        with self.assertRaisesRegex(FileNotFoundError, r'no model checkpoint \(this file is not a .meta, .pb or'):
            ramet.load('checkpoint')


if __name__ == '__main__':
    unittest.main()
