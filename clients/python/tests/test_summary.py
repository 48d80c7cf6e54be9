"""tf.summary: summary ops, and event files written by tf.summary.FileWriter."""

import glob
import io
import os
import tempfile
import time
import unittest
import wave
import zlib

import ramet.compat.v1 as tf


def run(*fetches):
    with tf.Session() as session:
        return session.run(fetches)


def values_of(serialized):
    return tf.Summary.FromString(serialized).value


class SummaryOpsTest(unittest.TestCase):

    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)

    def only(self, summary):
        value, = values_of(run(summary)[0])
        return value

    def test_a_scalar_has_the_name_of_its_node_as_tag(self):
        with tf.name_scope('outer'):
            first = tf.summary.scalar('a b', 3)
            second = tf.summary.scalar('a b', 4)
        self.assertEqual('outer/a_b', first.op.name)
        value = self.only(second)
        self.assertEqual(('outer/a_b_1', 4.0), (value.tag, value.simple_value))

    def test_a_family_stands_twice_in_the_tag(self):
        summary = tf.summary.scalar('a', 1.0, family='f')
        self.assertEqual('f/a', summary.op.name)
        self.assertEqual('f/f/a', self.only(summary).tag)

    def test_a_histogram_counts_numbers(self):
        histogram = self.only(tf.summary.histogram('h', [[-1.0, 0.0], [2.0, 2.0]])).histo
        self.assertEqual((-1, 2, 4, 3, 9), (histogram.min, histogram.max, histogram.num,
                                            histogram.sum, histogram.sum_squares))
        self.assertEqual(4, sum(histogram.bucket))
        limits = list(histogram.bucket_limit)
        self.assertEqual(sorted(limits), limits)

    def test_numbers_that_are_not_finite_are_no_histogram(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError,
                                    'Nan in summary histogram for: h'):
            run(tf.summary.histogram('h', [float('nan')]))

    def test_images_are_png(self):
        summary = tf.summary.image('i', [[[[0.0], [1.0]]]] * 4, max_outputs=2)
        values = values_of(run(summary)[0])
        self.assertEqual(['i/image/0', 'i/image/1'], [value.tag for value in values])
        image = values[0].image
        self.assertEqual((1, 2, 1), (image.height, image.width, image.colorspace))
        self.assertEqual(b'\0\0\xff', zlib_content(image.encoded_image_string))

    def test_sounds_are_wav(self):
        audio = self.only(tf.summary.audio('s', [[0.5, -1.0]], 8000, max_outputs=1)).audio
        self.assertEqual((8000, 1, 2, 'audio/wav'), (audio.sample_rate, audio.num_channels,
                                                     audio.length_frames, audio.content_type))
        with wave.open(io.BytesIO(audio.encoded_audio_string)) as sound:
            self.assertEqual((8000, b'\x00\x40\x00\x80'),
                             (sound.getframerate(), sound.readframes(2)))

    def test_tensors_and_text_carry_metadata(self):
        value = self.only(tf.summary.tensor_summary('t', [1, 2], summary_description='numbers',
                                                    display_name='T'))
        self.assertEqual([1, 2], tf.make_ndarray(value.tensor).tolist())
        self.assertEqual(('T', 'numbers'),
                         (value.metadata.display_name, value.metadata.summary_description))
        value = self.only(tf.summary.text('x', tf.constant(['a', 'b'])))
        self.assertEqual('text', value.metadata.plugin_data.plugin_name)
        with self.assertRaisesRegex(ValueError, 'to have dtype string'):
            tf.summary.text('n', tf.constant(1))

    def test_all_summaries_are_merged(self):
        self.assertIsNone(tf.summary.merge_all())
        tf.summary.scalar('a', 1.0)
        tf.summary.scalar('other', 2.0, collections=['others'])
        tf.summary.histogram('b', [1.0])
        merged = tf.summary.merge_all()
        self.assertEqual('Merge/MergeSummary', merged.op.name)
        self.assertEqual(['a', 'b'], [value.tag for value in values_of(run(merged)[0])])

    def test_a_tag_is_merged_once(self):
        summary = tf.summary.scalar('a', 1.0)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Duplicate tag a found'):
            run(tf.summary.merge([summary, summary]))

    def test_old_names(self):
        tf.scalar_summary(['a', 'b'], [1.0, 2.0])
        tf.histogram_summary('h', [1.0])
        tf.image_summary('i', tf.zeros([1, 1, 1, 3]), max_images=1)
        tf.audio_summary('s', tf.zeros([1, 2]), 8000.0, max_outputs=1)
        values = values_of(run(tf.merge_all_summaries())[0])
        self.assertEqual(['a', 'b', 'h', 'i/image', 's/audio'], [value.tag for value in values])
        self.assertIs(tf.train.SummaryWriter, tf.summary.FileWriter)


class PrintTest(unittest.TestCase):

    def printed(self, build, runs=1):
        with tempfile.TemporaryFile() as file:
            saved = os.dup(2)
            os.dup2(file.fileno(), 2)
            try:
                with tf.Graph().as_default(), tf.Session() as session:
                    fetch = build()
                    for _ in range(runs):
                        session.run(fetch)
            finally:
                os.dup2(saved, 2)
                os.close(saved)
            file.seek(0)
            return file.read().decode()

    def test_print_passes_its_input_on(self):
        def build():
            return tf.Print(1.0, [tf.range(5), 'q"'], 'x: ', first_n=2)
        self.assertEqual('x: [0 1 2...][q\\"]\n' * 2, self.printed(build, runs=3))

    def test_print_shows_the_ends_of_tensors(self):
        def build():
            return tf.print('n:', tf.range(10), {'b': tf.constant(['x'])}, sep='|', end='!')
        self.assertEqual('n:|[0 1 2 ... 7 8 9]|{\'b\': ["x"]}!', self.printed(build))

    def test_print_appends_to_a_file(self):
        with tempfile.TemporaryDirectory() as directory:
            path = os.path.join(directory, 'log')
            with tf.Graph().as_default():
                run(tf.print('a', output_stream='file://' + path))
                run(tf.print('b', output_stream='file://' + path))
            with open(path) as file:
                self.assertEqual('a\nb\n', file.read())

    def test_the_gradient_goes_through(self):
        with tf.Graph().as_default():
            x = tf.constant(3.0)
            gradient, = tf.gradients(2.0 * tf.Print(x, [x], first_n=0), [x])
            self.assertEqual(2.0, run(gradient)[0])

    def test_a_timestamp_is_now(self):
        with tf.Graph().as_default():
            self.assertLess(abs(run(tf.timestamp())[0] - time.time()), 60)


def zlib_content(png):
    start = png.index(b'IDAT')
    size = int.from_bytes(png[start - 4:start], 'big')
    return zlib.decompress(png[start + 4:start + 4 + size])


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
