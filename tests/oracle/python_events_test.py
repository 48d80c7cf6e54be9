"""Symptom: TensorFlow cannot read Ramet's event files, or Ramet cannot read TensorFlow's.

Needs tensorflow, and the package ramet on the path.
"""

import glob
import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()


def write(package, directory):
    with package.Graph().as_default() as graph:
        x = package.placeholder(package.float32, [2, None], name='x')
        package.nn.softmax(x, name='y')
    with package.summary.FileWriter(directory, graph) as writer:
        for step in (1, 2):
            value = package.Summary.Value(tag='loss', simple_value=step / 2)
            writer.add_summary(package.Summary(value=[value]), step)
        writer.add_session_log(package.SessionLog(status=package.SessionLog.STOP), 3)
        writer.add_run_metadata(package.RunMetadata(), 'run', 4)


def read(package, directory):
    path, = glob.glob(os.path.join(directory, 'events.out.tfevents.*'))
    events = []
    for event in package.train.summary_iterator(path):
        kind = event.WhichOneof('what')
        content = None
        if kind == 'graph_def':
            nodes = package.GraphDef.FromString(event.graph_def).node
            content = [(n.name, n.op, n.attr['_output_shapes'].SerializeToString())
                       for n in nodes]
        elif kind == 'summary':
            content = [(v.tag, v.simple_value) for v in event.summary.value]
        elif kind == 'file_version':
            content = event.file_version
        events.append((kind, event.step, content))
    return events


class EventsTest(unittest.TestCase):

    def test_both_packages_write_and_read_the_same_events(self):
        with tempfile.TemporaryDirectory() as ours, tempfile.TemporaryDirectory() as theirs:
            write(rt, ours)
            write(tf, theirs)
            expected = read(tf, theirs)
            self.assertEqual(expected, read(rt, theirs))
            self.assertEqual(expected, read(tf, ours))

    def test_messages_of_tensorflow_are_taken(self):
        value = tf.Summary.Value(tag='a', simple_value=1.0)
        with tempfile.TemporaryDirectory() as directory:
            with rt.summary.FileWriter(directory) as writer:
                writer.add_summary(tf.Summary(value=[value]), 9)
                writer.add_meta_graph(tf.MetaGraphDef())
            kinds = [(kind, step) for kind, step, _ in read(tf, directory)]
        self.assertEqual([('file_version', 0), ('summary', 9), ('meta_graph_def', 0)], kinds)


if __name__ == '__main__':
    unittest.main()
