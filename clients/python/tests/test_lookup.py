"""Tables from Python: filled from tensors and files, modified, and saved."""

import os
import tempfile
import unittest

import numpy as np

import ramet.compat.v1 as tf


class LookupTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def file(self, text):
        path = os.path.join(self.folder.name, 'vocabulary')
        with open(path, 'w', encoding='ascii') as f:
            f.write(text)
        return path

    def test_static_table(self):
        init = tf.lookup.KeyValueTensorInitializer(['a', 'b'], np.array([1, 2], np.int64))
        table = tf.lookup.StaticHashTable(init, -1, name='t')
        found = table.lookup(tf.constant([['b', 'x']]))
        self.assertEqual(found.shape.as_list(), [1, 2])
        self.assertEqual(table.name, 't')
        with tf.Session() as sess:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'not initialized'):
                sess.run(found)
            sess.run(tf.tables_initializer())
            self.assertEqual(sess.run(found).tolist(), [[2, -1]])
            self.assertEqual(sess.run(table.size()), 2)
            keys, values = sess.run(table.export())
            self.assertEqual(dict(zip(keys, values)), {b'a': 1, b'b': 2})

    def test_sparse_keys(self):
        init = tf.lookup.KeyValueTensorInitializer(['a', 'b'], np.array([1, 2], np.int64))
        table = tf.lookup.StaticHashTable(init, -1)
        keys = tf.SparseTensor([[0, 1], [1, 0]], ['b', 'c'], [2, 2])
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            self.assertEqual(sess.run(table.lookup(keys)).values.tolist(), [2, -1])

    def test_wrong_key_dtype(self):
        init = tf.lookup.KeyValueTensorInitializer(['a'], np.array([1], np.int64))
        table = tf.lookup.StaticHashTable(init, -1)
        with self.assertRaisesRegex(TypeError, 'Dtype of argument `keys` must be'):
            table.lookup(tf.constant([1]))

    def test_files(self):
        path = self.file('a\nb\n')
        numbers = tf.contrib.lookup.index_table_from_file(path)
        words = tf.contrib.lookup.index_to_string_table_from_file(path)
        found = numbers.lookup(tf.constant(['b', 'z']))
        named = words.lookup(tf.constant([0, 7], tf.int64))
        assets = tf.get_collection(tf.GraphKeys.ASSET_FILEPATHS)
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            self.assertEqual(sess.run(found).tolist(), [1, -1])
            self.assertEqual(sess.run(named).tolist(), [b'a', b'UNK'])
            self.assertEqual(sess.run(assets), [path.encode()] * 2)

    def test_tables_of_one_file_are_one(self):
        path = self.file('a\nb\n')
        first = tf.contrib.lookup.index_table_from_file(path)
        again = tf.contrib.lookup.index_table_from_file(path)
        with tf.Session() as sess:
            sess.run(first.initializer)
            self.assertEqual(sess.run(again.lookup('b')), 1)

    def test_index_table_from_tensor(self):
        table = tf.contrib.lookup.index_table_from_tensor(['x', 'y'])
        with tf.Session() as sess:
            sess.run(tf.tables_initializer())
            self.assertEqual(sess.run(table.lookup(['y', 'x', 'q'])).tolist(), [1, 0, -1])

    def test_mutable_table_is_saved(self):
        table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
        keys, values = tf.constant(['a', 'b']), tf.constant([4, 5], tf.int64)
        insert, remove = table.insert(keys, values), table.remove(keys)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            sess.run(insert)
            path = saver.save(sess, os.path.join(self.folder.name, 'model'))
            sess.run(remove)
            self.assertEqual(sess.run(table.size()), 0)
            saver.restore(sess, path)
            self.assertEqual(sess.run(table.lookup(keys)).tolist(), [4, 5])
            self.assertEqual(sess.run(table.lookup(tf.constant('z'))), -1)

    def test_tables_belong_to_a_session(self):
        table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0)
        insert = table.insert(tf.constant([1], tf.int64), tf.constant([2.0]))
        with tf.Session() as one, tf.Session() as other:
            one.run(insert)
            self.assertEqual([one.run(table.size()), other.run(table.size())], [1, 0])

    def test_bad_arguments(self):
        with self.assertRaisesRegex(ValueError, '`vocab_size` should be > 0, received: 0'):
            tf.lookup.TextFileInitializer('f', tf.string, -2, tf.int64, -1, vocab_size=0)
        with self.assertRaisesRegex(ValueError, '`value_dtype` must be int64'):
            tf.lookup.TextFileInitializer('f', tf.string, -2, tf.string, -1)
        with self.assertRaisesRegex(ValueError, '`num_oov_buckets` must be > 0'):
            tf.lookup.StaticVocabularyTable(None, 0)


if __name__ == '__main__':
    unittest.main()
