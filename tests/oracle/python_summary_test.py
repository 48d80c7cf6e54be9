"""Symptom: summaries created with Ramet have different nodes, names, tags or bytes than TensorFlow's.

Needs tensorflow, and the package ramet on the path.
"""

import os
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import logging_ops as old

import ramet.compat.v1 as rt

tf.disable_v2_behavior()

RANDOM = np.random.RandomState(1)
IMAGES = RANDOM.randn(4, 9, 11, 3).astype(np.float32)
PHOTO = np.cumsum(RANDOM.randint(0, 5, (1, 90, 120, 3)), axis=1).astype(np.uint8)
SOUND = RANDOM.rand(2, 50, 2).astype(np.float32)


def everything(package):
    s = package.summary
    with package.name_scope('outer'):
        s.scalar('a b', package.constant(3))
        s.scalar('a b', 2.5, family='f/g')
        s.histogram('h', IMAGES)
        s.histogram('none', package.constant([], package.float64), family='f')
    s.scalar('/slash', 1.0, collections=['summaries', 'mine'])
    s.scalar('', 1.0)
    s.image('images', IMAGES)
    s.image('bytes', PHOTO, max_outputs=1, family='f')
    s.image('half', package.constant(np.abs(IMAGES), package.float16))
    s.audio('sound', SOUND, 44100)
    s.audio('one', SOUND, 8000.5, max_outputs=1, family='f')
    s.tensor_summary('tensor', [[1, 2]], 'what it is', display_name='T')
    s.tensor_summary('strings', ['a', 'b'], family='f')
    s.text('text', package.constant(['x', 'y']))
    package.add_to_collection('summaries', package.raw_ops.TensorSummary(
        tensor=[1.0], description='d', labels=['l'], display_name='n', name='raw'))
    s.merge([s.scalar('c', 1.0, collections=[])], collections=['summaries'], name='merged')
    return s.merge_all()


def part(package):
    package.summary.scalar('a/x', 1.0)
    package.summary.scalar('b', 1.0)
    package.summary.merge_all(name='named')
    return package.summary.merge_all(scope='a/')


def printing(package):
    x = package.constant([1.0, 2.0])
    package.Print(x, [x, 'text'], 'm', 1, 2, 'n')
    package.print('a', 1, x, {'b': [x]}, sep='-', end='!', name='p')
    package.print(package.constant('x'))
    package.timestamp()
    return package.strings.format('a {} b {}', [x, 2])


def old_names(scalar, histogram, image, audio, merge, merge_all):
    scalar(['a', 'b'], [1.0, 2.0])
    scalar('c', 1, name='n')
    histogram('h', IMAGES)
    image('i', IMAGES, max_images=2)
    audio('s', SOUND, 100.0)
    merge([scalar('d', 1.0)], collections=['other'])
    return merge_all()


def content(package, value):
    if value.HasField('tensor'):
        return package.make_ndarray(value.tensor).tolist()
    return value.SerializeToString(deterministic=True)


def nodes(package, graph):
    return {n.name: (n.op, list(n.input),
                     sorted((key, content(package, value)) for key, value in n.attr.items()))
            for n in graph.as_graph_def().node}


def built(package, build):
    with package.Graph().as_default() as graph, package.Session() as session:
        value = session.run(build())
        names = {key: [x.name for x in graph.get_collection(key)]
                 for key in ('summaries', 'mine', 'other')}
        return nodes(package, graph), names, value


class SummaryTest(unittest.TestCase):

    maxDiff = None

    def compare(self, ours, theirs):
        expected = built(tf, theirs)
        found = built(rt, ours)
        self.assertEqual(expected[0], found[0])
        self.assertEqual(expected[1], found[1])
        self.assertEqual(expected[2], found[2])

    def test_summaries(self):
        for build in (everything, part):
            self.compare(lambda: build(rt), lambda: build(tf))

    def test_printing(self):
        self.compare(lambda: printing(rt), lambda: printing(tf))

    def test_old_names(self):
        self.compare(
            lambda: old_names(rt.scalar_summary, rt.histogram_summary, rt.image_summary,
                              rt.audio_summary, rt.merge_summary, rt.merge_all_summaries),
            lambda: old_names(old.scalar_summary, old.histogram_summary, old.image_summary,
                              old.audio_summary, old.merge_summary, old.merge_all_summaries))

    def test_errors(self):
        for fail in (
                lambda p: p.summary.scalar(None, 1.0),
                lambda p: p.summary.scalar('a', 'x'),
                lambda p: p.summary.text('t', p.constant(3)),
                lambda p: p.summary.merge([]),
                lambda p: p.summary.get_summary_description(p.NodeDef(op='x')),
                lambda p: p.print('a', output_stream='nowhere'),
                lambda p: p.print('a', wrong=1)):
            messages = []
            for package in (tf, rt):
                with package.Graph().as_default(), self.assertRaises(Exception) as caught:
                    fail(package)
                messages.append((type(caught.exception).__name__, str(caught.exception)))
            self.assertEqual(*messages)

    def test_the_signatures_are_tensorflows(self):
        import inspect
        for name in ('scalar', 'histogram', 'image', 'audio', 'text', 'tensor_summary', 'merge',
                     'merge_all', 'get_summary_description', 'all_v2_summary_ops'):
            self.assertEqual(inspect.signature(getattr(tf.summary, name)),
                             inspect.signature(getattr(rt.summary, name)), name)


if __name__ == '__main__':
    unittest.main()
