"""Parsing of examples, sequence examples and records of comma-separated values."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


def feature(values):
    if isinstance(values[0], bytes):
        return tf.train.Feature(bytes_list=tf.train.BytesList(value=values))
    if isinstance(values[0], float):
        return tf.train.Feature(float_list=tf.train.FloatList(value=values))
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def example(**features):
    features = {key: feature(values) for key, values in features.items()}
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


def sequence(context, lists):
    return tf.train.SequenceExample(
        context=tf.train.Features(feature={key: feature(v) for key, v in context.items()}),
        feature_lists=tf.train.FeatureLists(feature_list={
            key: tf.train.FeatureList(feature=[feature(row) for row in rows]) for key, rows in lists.items()
        })).SerializeToString()


class ParsingTest(unittest.TestCase):
    def setUp(self):
        self.graph = tf.Graph()
        context = self.graph.as_default()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        self.session = tf.Session()
        self.addCleanup(self.session.close)

    def run_one(self, tensors):
        return self.session.run(tensors)


class ExampleTest(ParsingTest):
    FEATURES = {
        'a': tf.FixedLenFeature([2], tf.int64),
        'b': tf.VarLenFeature(tf.string),
        'c': tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True, default_value=-1.0),
        'd': tf.FixedLenFeature([], tf.string, default_value='none'),
    }

    def test_batch(self):
        batch = [example(a=[1, 2], b=[b'x'], c=[1.5, 2.5], d=[b'd']), example(a=[3, 4], b=[b'y', b'z'])]
        parsed = tf.parse_example(batch, self.FEATURES)
        self.assertEqual(parsed['a'].shape.as_list(), [2, 2])
        self.assertEqual(parsed['c'].shape.as_list(), [2, None])
        values = self.run_one(parsed)
        np.testing.assert_array_equal(values['a'], [[1, 2], [3, 4]])
        np.testing.assert_array_equal(values['c'], [[1.5, 2.5], [-1, -1]])
        np.testing.assert_array_equal(values['d'], [b'd', b'none'])
        np.testing.assert_array_equal(values['b'].indices, [[0, 0], [1, 0], [1, 1]])
        np.testing.assert_array_equal(values['b'].values, [b'x', b'y', b'z'])
        np.testing.assert_array_equal(values['b'].dense_shape, [2, 2])

    def test_one_example(self):
        parsed = tf.parse_single_example(example(a=[1, 2], c=[1.5]), self.FEATURES)
        self.assertEqual(parsed['a'].shape.as_list(), [2])
        values = self.run_one(parsed)
        np.testing.assert_array_equal(values['c'], [1.5])
        np.testing.assert_array_equal(values['b'].dense_shape, [0])
        self.assertEqual(values['d'], b'none')

    def test_a_missing_feature_is_an_error(self):
        parsed = tf.parse_example([example(b=[b'x'])], self.FEATURES, example_names=['first'])
        message = r'Name: first, Feature: a \(data type: int64\) is required but could not be found.'
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
            self.run_one(parsed['a'])

    def test_malformed_bytes_are_an_error(self):
        serialized = tf.placeholder(tf.string, [None])
        parsed = tf.parse_example(serialized, self.FEATURES)['a']
        for bad in (b'\x0a\x05abc', b'\x0b', b'\x0a\x05\x0a\x03\x0a\x01a'):
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Could not parse example input, value: '):
                self.session.run(parsed, {serialized: [bad]})

    def test_invalid_features(self):
        for features, message in (
            ({}, 'Argument `features` cannot be None or falsy'),
            ({'a': tf.FixedLenFeature([None], tf.int64)}, 'First dimension of shape for feature a unknown'),
            ({'a': tf.FixedLenFeature([2], None)}, 'Missing type for feature a'),
            ({'a': tf.FixedLenSequenceFeature([], tf.int64)}, 'requires allow_missing to be True'),
            ({'a': 3}, "Unsupported int 3 for key 'a'"),
            ({'a': tf.SparseFeature('', 'v', tf.int64, 3)}, 'Missing index_key for SparseFeature'),
        ):
            with self.assertRaisesRegex(ValueError, message):
                tf.parse_example([b''], features)

    def test_a_single_example_is_a_scalar(self):
        with self.assertRaisesRegex(ValueError, 'Input serialized must be a scalar'):
            tf.parse_single_example([b''], self.FEATURES)


class SequenceTest(ParsingTest):
    CONTEXT = {'c': tf.FixedLenFeature([2], tf.int64)}
    SERIALIZED = sequence({'c': [1, 2]}, {'q': [[1], [2, 3]], 'd': [[1.5, 2.5]]})

    def test_one_sequence(self):
        lists = {'q': tf.VarLenFeature(tf.int64), 'd': tf.FixedLenSequenceFeature([2], tf.float32)}
        context, parsed = self.run_one(tf.parse_single_sequence_example(self.SERIALIZED, self.CONTEXT, lists))
        np.testing.assert_array_equal(context['c'], [1, 2])
        np.testing.assert_array_equal(parsed['q'].indices, [[0, 0], [1, 0], [1, 1]])
        np.testing.assert_array_equal(parsed['d'], [[1.5, 2.5]])

    def test_batch(self):
        lists = {'d': tf.FixedLenSequenceFeature([2], tf.float32, allow_missing=True)}
        batch = [self.SERIALIZED, sequence({'c': [3, 4]}, {})]
        context, parsed, lengths = self.run_one(tf.io.parse_sequence_example(batch, self.CONTEXT, lists))
        np.testing.assert_array_equal(context['c'], [[1, 2], [3, 4]])
        np.testing.assert_array_equal(parsed['d'], [[[1.5, 2.5]], [[0, 0]]])
        np.testing.assert_array_equal(lengths['d'], [1, 0])

    def test_a_missing_list_is_an_error(self):
        lists = {'x': tf.FixedLenSequenceFeature([], tf.int64)}
        parsed = tf.parse_single_sequence_example(self.SERIALIZED, sequence_features=lists)[1]
        message = "Feature list 'x' is required but could not be found"
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
            self.run_one(parsed['x'])


class RecordTest(ParsingTest):
    def test_columns(self):
        number, text, real = tf.decode_csv(['1,"a,b",2.5', '2,,'], [[0], ['none'], [0.5]])
        values = self.run_one([number, text, real])
        np.testing.assert_array_equal(values[0], [1, 2])
        np.testing.assert_array_equal(values[1], [b'a,b', b'none'])
        np.testing.assert_array_equal(values[2], [2.5, 0.5])

    def test_wrong_columns(self):
        for columns, message in (([1, 1], 'not strictly increasing'), ([-1, 0], 'negative values'),
                                 ([0], 'Length of select_cols and record_defaults do not match')):
            with self.assertRaisesRegex(ValueError, message):
                tf.decode_csv(['1,2'], [[0], [0]], select_cols=columns)


class StringTest(ParsingTest):
    def test_regular_expressions(self):
        texts = tf.constant(['aaa', 'bab'])
        pattern = tf.constant('a')
        values = self.run_one([tf.regex_replace(texts, 'a', 'x'), tf.regex_replace(texts, pattern, '[\\0]', False),
                               tf.strings.regex_full_match(texts, pattern + '+')])
        np.testing.assert_array_equal(values[0], [b'xxx', b'bxb'])
        np.testing.assert_array_equal(values[1], [b'[a]aa', b'b[a]b'])
        np.testing.assert_array_equal(values[2], [True, False])

    def test_unicode(self):
        text = tf.constant('h\u00c9')
        values = self.run_one([tf.strings.lower(text, encoding='utf-8'),
                               tf.strings.unicode_transcode(text, 'UTF-8', 'UTF-16-BE')])
        self.assertEqual(values, ['h\u00e9'.encode(), 'h\u00c9'.encode('utf-16-be')])


if __name__ == '__main__':
    unittest.main()
