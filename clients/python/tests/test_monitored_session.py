"""Monitored sessions and their hooks."""

import os
import tempfile
import unittest

import ramet
import ramet.compat.v1 as tf


class Recorder(tf.train.SessionRunHook):
    def __init__(self, fetch=None, feeds=None):
        self.calls, self.results, self.fetch, self.feeds = [], [], fetch, feeds

    def begin(self):
        self.calls.append('begin')

    def after_create_session(self, session, coord):
        self.calls.append('created')

    def before_run(self, run_context):
        self.calls.append('before')
        return tf.train.SessionRunArgs(self.fetch, self.feeds)

    def after_run(self, run_context, run_values):
        self.calls.append('after')
        self.results.append(run_values.results)

    def end(self, session):
        self.calls.append('end')


class CountingTest(unittest.TestCase):
    """Uses a graph that adds x to w and counts steps."""

    def setUp(self):
        self.context = tf.Graph().as_default()
        self.context.__enter__()
        self.addCleanup(self.context.__exit__, None, None, None)
        self.x = tf.placeholder_with_default(1.0, [], name='x')
        self.w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
        self.step = tf.train.create_global_step()
        with tf.control_dependencies([tf.assign_add(self.w, self.x)]):
            self.train = tf.assign_add(self.step, 1)


class MonitoredTest(CountingTest):
    def test_hooks_are_called_in_order(self):
        hook = Recorder(fetch={'step': self.step})
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            self.assertEqual(session.run(self.w), 0)
            self.assertEqual(session.run([self.train, self.w])[0], 1)
            self.assertTrue(session.graph.finalized)
        self.assertEqual(hook.calls, ['begin', 'created', 'before', 'after', 'before', 'after',
                                      'end'])
        self.assertEqual(hook.results[0], {'step': 0})

    def test_feeds_of_hooks(self):
        hook = tf.train.FeedFnHook(lambda: {self.x: 5.0})
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(self.train)
            self.assertEqual(session.run(self.w), 5)
            with self.assertRaisesRegex(RuntimeError, 'fed by a SessionRunHook and user'):
                session.run(self.train, {self.x: 1.0})

    def test_stop_at_a_step(self):
        with tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(last_step=3)]) as session:
            runs = 0
            while not session.should_stop():
                session.run(self.train)
                runs += 1
            with self.assertRaisesRegex(RuntimeError, 'even after should_stop'):
                session.run(self.w)
        self.assertEqual(runs, 3)
        for arguments in ({}, {'num_steps': 1, 'last_step': 2}):
            with self.assertRaises(ValueError):
                tf.train.StopAtStepHook(**arguments)

    def test_out_of_range_ends_quietly(self):
        hook = Recorder()
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            session.run(self.w)
            raise tf.errors.OutOfRangeError(None, None, 'no more')
        self.assertEqual(hook.calls[-1], 'end')
        with self.assertRaises(ValueError):
            with tf.train.SingularMonitoredSession() as session:
                raise ValueError('else')
        with self.assertRaisesRegex(RuntimeError, 'closed'):
            session.run(self.w)

    def test_step_functions(self):
        def step_fn(step_context):
            step_context.session.run(self.train)
            if step_context.run_with_hooks(self.train) >= 4:
                step_context.request_stop()
            return 'value'

        hook = Recorder()
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            self.assertEqual(session.run_step_fn(step_fn), 'value')
            session.run_step_fn(step_fn)
        self.assertEqual(hook.calls.count('before'), 2)
        with tf.train.MonitoredSession() as session:
            with self.assertRaisesRegex(ValueError, 'step_context'):
                session.run_step_fn(lambda other: None)

    def test_training_goes_on_from_checkpoints(self):
        with tempfile.TemporaryDirectory() as folder:
            for last in (3, 5):
                with tf.train.MonitoredTrainingSession(
                        checkpoint_dir=folder, save_checkpoint_steps=2,
                        hooks=[tf.train.StopAtStepHook(last_step=last)]) as session:
                    while not session.should_stop():
                        session.run(self.train)
                self.assertEqual(tf.train.latest_checkpoint(folder),
                                 os.path.join(folder, f'model.ckpt-{last}'))
            saved = tf.train.load_checkpoint(folder)
            self.assertEqual(saved.get_tensor('w'), 5)
            names = os.listdir(folder)
            self.assertIn('graph.pbtxt', names)
            self.assertTrue(any('tfevents' in name for name in names))

    def test_a_model_that_is_not_ready(self):
        scaffold = tf.train.Scaffold(init_op=tf.no_op())
        with self.assertRaisesRegex(RuntimeError, 'ready for local_init(.|\n)*w, global_step'):
            tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold))
        with self.assertRaises(tf.errors.UnimplementedError):
            tf.train.MonitoredTrainingSession(is_chief=False)

    def test_init_fn(self):
        scaffold = tf.train.Scaffold(init_fn=lambda scaffold, session: session.run(self.train))
        with tf.train.SingularMonitoredSession(scaffold=scaffold) as session:
            self.assertEqual(session.run(self.w), 1)
            self.assertEqual(session.raw_session().run(self.step), 1)

    def test_other_hooks(self):
        nan = tf.divide(0.0, 0.0)
        with self.assertRaises(tf.train.NanLossDuringTrainingError):
            with tf.train.MonitoredSession(hooks=[tf.train.NanTensorHook(nan)]) as session:
                session.run(self.w)
        final = tf.train.FinalOpsHook(self.w)
        logged = tf.train.LoggingTensorHook(['w:0'], every_n_iter=1)
        with self.assertLogs(tf.get_logger(), 'INFO') as logs:
            with tf.train.MonitoredSession(hooks=[final, logged]) as session:
                session.run(self.train)
        self.assertRegex('\n'.join(logs.output), r'w:0 = [01]\.0$')
        self.assertEqual(final.final_ops_values, 1)


class PublishHookTest(CountingTest):
    def setUp(self):
        super().setUp()
        self.address = f'shm:hook_test {os.getpid()} {self.id()}'

    def test_versions_of_a_session(self):
        hook = ramet.PublishHook(self.address, every_steps=2)
        with tf.train.MonitoredTrainingSession(hooks=[hook]) as session:
            with ramet.Follower(self.address, wait=60) as follower:
                self.assertEqual((follower.version, follower.step), (1, 0))
                for _ in range(4):
                    session.run(self.train)
                info = follower.wait(3, timeout=60)
                self.assertEqual(info.step, 4)
                self.assertEqual(follower.run('w:0'), 4)
        self.assertIsNone(hook.publisher)

    def test_metrics(self):
        hook = ramet.PublishHook(self.address, metrics={'w': self.w})
        with tf.train.MonitoredSession(hooks=[hook]) as session:
            follower = ramet.Follower(self.address, wait=60)
            self.addCleanup(follower.close)
            session.run(self.train)
            info = follower.wait(2, timeout=60)
            self.assertEqual(list(info.metrics), ['w'])

    def test_a_publisher_takes_a_monitored_session(self):
        with tf.train.MonitoredSession() as session:
            with ramet.Publisher(session, self.address) as publisher:
                self.assertEqual(publisher.publish(), 1)


class ProfilerHookTest(unittest.TestCase):
    def test_traces(self):
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            step = tf.train.create_global_step()
            train = tf.assign_add(step, 1)
            hook = tf.train.ProfilerHook(save_steps=3, output_dir=folder)
            with tf.train.SingularMonitoredSession([hook]) as session:
                for _ in range(8):
                    session.run(train)
            tf.summary.FileWriterCache.clear()
            traces = sorted(name for name in os.listdir(folder) if name.endswith('.json'))
            self.assertEqual(traces, ['timeline-3.json', 'timeline-6.json'])
            with open(os.path.join(folder, traces[0]), encoding='utf-8') as file:
                self.assertIn('AssignAdd', file.read())

    def test_needs_a_global_step(self):
        with tf.Graph().as_default(), tempfile.TemporaryDirectory() as folder:
            hook = tf.train.ProfilerHook(save_secs=1, output_dir=folder)
            with self.assertRaisesRegex(RuntimeError, 'Global step should be created to use ProfilerHook.'):
                hook.begin()
            tf.summary.FileWriterCache.clear()


if __name__ == '__main__':
    unittest.main()
