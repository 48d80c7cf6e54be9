"""Symptom: a parse function makes different nodes, values or errors than in TensorFlow.

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


def feature(package, values):
    train = package.train
    if isinstance(values[0], bytes):
        return train.Feature(bytes_list=train.BytesList(value=values))
    if isinstance(values[0], float):
        return train.Feature(float_list=train.FloatList(value=values))
    return train.Feature(int64_list=train.Int64List(value=values))


def features_of(values):
    return tf.train.Features(feature={key: feature(tf, v) for key, v in values.items()})


EXAMPLES = [tf.train.Example(features=features_of(f)).SerializeToString() for f in (
    {'a': [1, 2], 'b': [b'x'], 'c': [1.5, 2.5], 'd/e f': [b'd']}, {'a': [3, 4], 'b': [b'y', b'z']})]
SEQUENCE = tf.train.SequenceExample(
    context=features_of({'a': [1, 2]}),
    feature_lists=tf.train.FeatureLists(feature_list={
        'q': tf.train.FeatureList(feature=[feature(tf, v) for v in ([1], [2, 3])]),
        'r': tf.train.FeatureList(feature=[feature(tf, [1.5])])})).SerializeToString()


def example_features(p):
    return {
        'a': p.FixedLenFeature([2], p.int64), 'b': p.VarLenFeature(p.string),
        'c': p.FixedLenSequenceFeature([], p.float32, allow_missing=True, default_value=-1.0),
        'd/e f': p.FixedLenFeature([], p.string, default_value='none'),
        'g': p.FixedLenSequenceFeature([2], p.int64, allow_missing=True),
    }


CONTEXT = {'a': lambda p: p.FixedLenFeature([2], p.int64), 'z': lambda p: p.FixedLenFeature([], p.int64, 7)}
LISTS = {'q': lambda p: p.VarLenFeature(p.int64),
         'r': lambda p: p.FixedLenSequenceFeature([], p.float32),
         's': lambda p: p.FixedLenSequenceFeature([2], p.float32, allow_missing=True)}


def made(p, table):
    return {key: make(p) for key, make in table.items()}


CASES = {
    'batch': lambda p: p.parse_example(EXAMPLES, example_features(p)),
    'named_batch': lambda p: p.io.parse_example(EXAMPLES, example_features(p), name='n', example_names=['u', 'v']),
    'single': lambda p: p.parse_single_example(EXAMPLES[0], example_features(p)),
    'single_of_unknown_rank': lambda p: p.parse_single_example(
        p.placeholder_with_default(EXAMPLES[0], None), example_features(p), name='n'),
    'sequences': lambda p: p.io.parse_sequence_example([SEQUENCE] * 2, made(p, CONTEXT), made(p, LISTS)),
    'sequence': lambda p: p.parse_single_sequence_example(SEQUENCE, made(p, CONTEXT), made(p, LISTS), 'name', 'n'),
    'context_only': lambda p: p.io.parse_single_sequence_example(SEQUENCE, made(p, CONTEXT)),
    'csv': lambda p: p.decode_csv(['1,a', '2,'], [[0], ['none']]),
    'csv_columns': lambda p: p.io.decode_csv(['1;a', '2;'], [['none']], field_delim=';', select_cols=[1], name='n'),
}
WRONG = {
    'none': lambda p: p.parse_example(EXAMPLES, {}),
    'unknown_shape': lambda p: p.parse_example(EXAMPLES, {'a': p.FixedLenFeature([None], p.int64)}),
    'inner_shape': lambda p: p.parse_example(EXAMPLES, {'a': p.FixedLenFeature([2, None], p.int64)}),
    'no_shape': lambda p: p.parse_example(EXAMPLES, {'a': p.FixedLenFeature(None, p.int64)}),
    'must_exist': lambda p: p.parse_example(EXAMPLES, {'a': p.FixedLenSequenceFeature([], p.int64)}),
    'conflict': lambda p: p.parse_example(EXAMPLES, {'i': p.VarLenFeature(p.float32),
                                                     's': p.SparseFeature('i', 'v', p.int64, 3)}),
    'not_scalar': lambda p: p.parse_single_example(EXAMPLES, example_features(p)),
    'no_features': lambda p: p.parse_single_sequence_example(SEQUENCE),
    'default_of_list': lambda p: p.parse_single_sequence_example(
        SEQUENCE, None, {'r': p.FixedLenSequenceFeature([], p.float32, default_value=1.0)}),
    'columns': lambda p: p.decode_csv(['1'], [[0], [0]], select_cols=[1, 0]),
}


def nodes(graph):
    return [(n.name, n.op, list(n.input)) for n in graph.as_graph_def().node]


class ParsingTest(unittest.TestCase):
    maxDiff = None

    def test_nodes_and_values(self):
        for name, build in CASES.items():
            results = []
            for p in (tf, rt):
                with p.Graph().as_default() as graph, p.Session() as session:
                    outputs = build(p)
                    values = p.nest.flatten(session.run(outputs))
                    shapes = [t.shape.as_list() for t in p.nest.flatten(outputs, expand_composites=True)]
                    results.append((nodes(graph), shapes, values))
            with self.subTest(name):
                self.assertEqual(results[1][0], results[0][0])
                self.assertEqual(results[1][1], results[0][1])
                for found, expected in zip(results[1][2], results[0][2], strict=True):
                    np.testing.assert_array_equal(found, expected)

    def test_errors(self):
        for name, build in WRONG.items():
            messages = []
            for p in (tf, rt):
                with p.Graph().as_default(), self.assertRaises(ValueError) as raised:
                    build(p)
                messages.append(str(raised.exception).split("<dtype: '")[0].split('tf.int')[0])
            with self.subTest(name):
                self.assertEqual(messages[1].split('dtype=')[0], messages[0].split('dtype=')[0])


if __name__ == '__main__':
    unittest.main()
