"""tf.summary.FileWriter: event files."""

import glob
import os
import tempfile
import unittest

import ramet.compat.v1 as tf


class FileWriterTest(unittest.TestCase):

    def setUp(self):
        self.directory = tempfile.TemporaryDirectory()
        self.addCleanup(self.directory.cleanup)

    def events(self):
        paths = sorted(glob.glob(os.path.join(self.directory.name, '*')))
        return [event for path in paths for event in tf.train.summary_iterator(path)]

    def summary(self, value):
        return tf.Summary(value=[tf.Summary.Value(tag='loss', simple_value=value)])

    def test_summaries_are_read_back(self):
        with tf.summary.FileWriter(self.directory.name) as writer:
            writer.add_summary(self.summary(0.5), 3)
            writer.add_summary(self.summary(0.25).SerializeToString())
        first, second, third = self.events()
        self.assertEqual('brain.Event:2', first.file_version)
        self.assertEqual((3, 0.5), (second.step, second.summary.value[0].simple_value))
        self.assertEqual((0, 0.25), (third.step, third.summary.value[0].simple_value))

    def test_the_graph_is_written(self):
        with tf.Graph().as_default() as graph:
            tf.constant(1.0, name='c')
        tf.summary.FileWriter(self.directory.name, graph).close()
        kinds = [event.WhichOneof('what') for event in self.events()]
        self.assertEqual(['file_version', 'graph_def', 'meta_graph_def'], kinds)
        self.assertEqual('c', tf.GraphDef.FromString(self.events()[1].graph_def).node[0].name)

    def test_a_closed_writer_writes_nothing_until_it_is_opened_again(self):
        writer = tf.summary.FileWriter(self.directory.name)
        writer.add_summary(self.summary(1.0), 1)
        writer.close()
        with self.assertLogs('tensorflow', 'WARNING'):
            writer.add_summary(self.summary(2.0), 2)
        writer.reopen()
        writer.add_summary(self.summary(3.0), 3)
        writer.close()
        self.assertEqual([1, 3], [e.step for e in self.events() if e.HasField('summary')])

    def test_a_tag_of_run_metadata_is_used_once(self):
        writer = tf.summary.FileWriter(self.directory.name)
        writer.add_run_metadata(tf.RunMetadata(), 'run', 1)
        with self.assertRaisesRegex(ValueError, 'already used'):
            writer.add_run_metadata(tf.RunMetadata(), 'run', 2)
        writer.close()

    def test_what_is_no_graph_is_refused(self):
        with self.assertRaisesRegex(TypeError, 'must be an instance of `Graph`'):
            tf.summary.FileWriter(self.directory.name, 3)


if __name__ == '__main__':
    unittest.main()
