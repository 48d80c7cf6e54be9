"""Tests of strings as ragged tensors."""

import unittest

import numpy as np
import ramet.compat.v1 as tf

TEXTS = ['G\u00f6d', '', 'ab']


def run(value):
    with tf.Session() as session:
        result = session.run(value)
    return result.to_list() if hasattr(result, 'to_list') else np.asarray(result).tolist()


class RaggedStringsTest(unittest.TestCase):
    def setUp(self):
        tf.reset_default_graph()

    def test_code_points(self):
        points = tf.strings.unicode_decode(TEXTS, 'UTF-8')
        self.assertEqual(run(points), [[71, 246, 100], [], [97, 98]])
        self.assertEqual(run(tf.strings.unicode_encode(points, 'UTF-8')), [t.encode() for t in TEXTS])
        self.assertEqual(run(tf.strings.unicode_decode(TEXTS[0], 'UTF-8')), [71, 246, 100])
        _, offsets = tf.strings.unicode_decode_with_offsets(TEXTS, 'UTF-8')
        self.assertEqual(run(offsets), [[0, 1, 3], [], [0, 1]])

    def test_encode_any_rank(self):
        self.assertEqual(run(tf.strings.unicode_encode([72, 105], 'UTF-8')), b'Hi')
        self.assertEqual(run(tf.strings.unicode_encode([[[72], [105]]], 'UTF-8')), [[b'H', b'i']])
        with self.assertRaisesRegex(ValueError, "input_tensor's rank must be at least 1"):
            tf.strings.unicode_encode(72, 'UTF-8')

    def test_characters_and_bytes(self):
        self.assertEqual(run(tf.strings.unicode_split(TEXTS, 'UTF-8'))[0], [b'G', b'\xc3\xb6', b'd'])
        characters, offsets = tf.strings.unicode_split_with_offsets(TEXTS[0], 'UTF-8')
        self.assertEqual(run(offsets), [0, 1, 3])
        self.assertEqual(run(characters), [b'G', b'\xc3\xb6', b'd'])
        self.assertEqual(run(tf.strings.bytes_split([['ab', 'c'], ['', 'd']])),
                         [[[b'a', b'b'], [b'c']], [[], [b'd']]])
        with self.assertRaisesRegex(ValueError, 'input must have a statically-known rank'):
            tf.strings.bytes_split(tf.placeholder(tf.string))

    def test_words(self):
        words = tf.strings.split(['a b', '', 'c'], result_type='RaggedTensor')
        self.assertEqual(run(words), [[b'a', b'b'], [], [b'c']])
        self.assertEqual(words.shape.as_list(), [3, None])
        self.assertIsInstance(tf.strings.split(['a b']), tf.SparseTensor)
        self.assertEqual(run(tf.string_split(['a b'], result_type='RaggedTensor')), [[b'a', b'b']])
        with self.assertRaisesRegex(ValueError, "result_type must be 'RaggedTensor' or 'SparseTensor'"):
            tf.strings.split(['a'], result_type='list')

    def test_ngrams(self):
        words = tf.ragged.constant([['a', 'b', 'c'], ['d']])
        self.assertEqual(run(tf.strings.ngrams(words, 2)), [[b'a b', b'b c'], []])
        self.assertEqual(run(tf.strings.ngrams(words, 2, pad_values=('L', 'R')))[1], [b'L d', b'd R'])
        self.assertEqual(run(tf.strings.ngrams(['a', 'b'], [1, 2], separator='-')), [b'a', b'b', b'a-b'])
        with self.assertRaisesRegex(ValueError, 'All ngram_widths must be greater than 0. Got 0'):
            tf.strings.ngrams(words, 0)

    def test_element_wise(self):
        words = tf.ragged.constant([['Ab'], [], ['c', 'De']])
        self.assertEqual(run(tf.strings.lower(words)), [[b'ab'], [], [b'c', b'de']])
        self.assertEqual(run(tf.strings.length(words)), [[2], [], [1, 2]])
        self.assertEqual(run(tf.strings.join([words, '!'])), [[b'Ab!'], [], [b'c!', b'De!']])


if __name__ == '__main__':
    unittest.main()
