"""tf.contrib.summary: summaries that the graph writes."""

import glob
import os
import tempfile
import unittest

import ramet.compat.v1 as tf
from ramet.framework import eager

summary = tf.contrib.summary


class _Files(unittest.TestCase):
    """Runs each test in a context, with a folder for event files."""

    def context(self):
        return tf.Graph().as_default()

    def setUp(self):
        context = self.context()
        context.__enter__()
        self.addCleanup(context.__exit__, None, None, None)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.join(folder.name, 'new', 'logs')

    def events(self):
        [path] = glob.glob(os.path.join(self.folder, '*'))
        self.assertRegex(os.path.basename(path), r'^events\.out\.tfevents\.\d{10}\.[^/]*\.\d+\.\d+\.v2$')
        return list(tf.train.summary_iterator(path))


class ContribSummaryTest(_Files):
    def test_summaries(self):
        step = tf.train.create_global_step()
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.always_record_summaries():
            summary.scalar('loss', tf.constant(2.5))
            summary.histogram('numbers', tf.constant([1, 2]), step=7)
            summary.generic('tensor', tf.constant([1, 2]), family='all')
            summary.image('picture', tf.zeros([1, 2, 2, 3]))
            summary.audio('sound', tf.zeros([1, 8]), 8000, 1)
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                summary.initialize(graph=tf.get_default_graph(), session=session)
                session.run(tf.assign(step, 4))
                self.assertEqual(session.run(summary.all_summary_ops()), [True] * 5)
                session.run(writer.flush())
        events = self.events()
        self.assertEqual(events[0].file_version, 'brain.Event:2')
        self.assertTrue(events[1].graph_def)
        values = {event.summary.value[0].tag: event for event in events[2:]}
        self.assertEqual(set(values), {'loss', 'numbers', 'all/all/tensor', 'picture/image/0', 'sound/audio'})
        self.assertEqual((values['loss'].step, values['loss'].summary.value[0].simple_value), (4, 2.5))
        self.assertEqual((values['numbers'].step, values['numbers'].summary.value[0].histo.num), (7, 2))

    def test_conditions(self):
        step = tf.train.create_global_step()
        writer = summary.create_file_writer(self.folder, max_queue=0)
        writer.set_as_default()
        with summary.record_summaries_every_n_global_steps(2):
            made = summary.scalar('x', 1.0)
        with summary.never_record_summaries():
            never = summary.scalar('y', 1.0)
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), writer.init()])
            for i in range(4):
                session.run(tf.assign(step, i))
                self.assertEqual(session.run([made, never]), [i % 2 == 0, False])
            session.run(writer.close())
        self.assertEqual([event.step for event in self.events()[1:]], [0, 2])

    def test_without_a_writer(self):
        self.assertEqual(summary.scalar('x', 1.0).type, 'NoOp')
        self.assertEqual(summary.create_file_writer(None).init().type, 'NoOp')

    def test_events_of_other_files(self):
        writer = summary.create_file_writer(self.folder)
        with writer.as_default():
            imported = summary.import_event(tf.constant(tf.Event(wall_time=3.0, step=9).SerializeToString()))
        with tf.Session() as session:
            session.run(writer.init())
            session.run(imported)
            session.run(writer.close())
        event = self.events()[1]
        self.assertEqual((event.wall_time, event.step), (3.0, 9))

    def test_errors(self):
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.always_record_summaries():
            made = summary.scalar('x', 1.0, step=1)
            wrong = summary.histogram('h', [float('nan')], step=1)
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'has no file'):
                session.run(made)
            session.run(writer.init())
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Nan in summary histogram for: h'):
                session.run(wrong)
        with self.assertRaisesRegex(RuntimeError, 'No default tf.contrib.summary.SummaryWriter found'):
            summary.initialize()


class EagerContribSummaryTest(_Files):
    def context(self):
        return eager.eager_mode()

    def test_summaries(self):
        step = tf.train.get_or_create_global_step()
        step.assign(4)
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.always_record_summaries():
            made = [summary.scalar('loss', 2.5), summary.histogram('numbers', [1, 2], step=7),
                    summary.generic('tensor', [1, 2], family='all'), summary.image('picture', tf.zeros([1, 2, 2, 3])),
                    summary.audio('sound', tf.zeros([1, 8]), 8000, 1)]
            with tf.name_scope('outer'):
                summary.scalar('inner', 1.0)
            summary.graph(tf.Graph(), step=0)
            summary.import_event(tf.Event(wall_time=3.0, step=9).SerializeToString())
        self.assertEqual([bool(each) for each in made], [True] * 5)
        self.assertEqual(len(self.events()), 9)  # the block ends with a flush
        values = {event.summary.value[0].tag: event for event in self.events() if event.summary.value}
        self.assertEqual(set(values),
                         {'loss', 'numbers', 'all/all/tensor', 'picture/image/0', 'sound/audio', 'outer/inner'})
        self.assertEqual((values['loss'].step, values['loss'].summary.value[0].simple_value), (4, 2.5))
        self.assertEqual((values['numbers'].step, values['numbers'].summary.value[0].histo.num), (7, 2))
        self.assertEqual(self.events()[-1].step, 9)

    def test_conditions(self):
        step = tf.train.get_or_create_global_step()
        with summary.create_file_writer(self.folder).as_default():
            self.assertFalse(summary.should_record_summaries())
            self.assertFalse(summary.scalar('x', 0.0))
            with summary.record_summaries_every_n_global_steps(2):
                for i in range(4):
                    step.assign(i)
                    self.assertIsInstance(summary.should_record_summaries(), tf.Tensor)
                    self.assertEqual(bool(summary.should_record_summaries()), i % 2 == 0)
                    self.assertEqual(bool(summary.scalar('x', float(i))), i % 2 == 0)
                with summary.never_record_summaries():
                    self.assertFalse(summary.scalar('x', 4.0))
        self.assertEqual([(event.step, event.summary.value[0].simple_value) for event in self.events()[1:]],
                         [(0, 0), (2, 2)])

    def test_functions_of_graphs(self):
        self.assertIsNone(summary.scalar('x', 1.0))
        writer = summary.create_file_writer(self.folder)
        with writer.as_default(), summary.always_record_summaries():
            summary.scalar('x', 1.0, step=1)
            self.assertIsNone(summary.initialize())
            self.assertIsNone(summary.all_summary_ops())
            with self.assertRaisesRegex(RuntimeError, 'summary_writer_initializer_op is only supported in graph mode'):
                summary.summary_writer_initializer_op()
        self.assertEqual(tf.get_collection(tf.GraphKeys._SUMMARY_COLLECTION), [])


if __name__ == '__main__':
    unittest.main()
