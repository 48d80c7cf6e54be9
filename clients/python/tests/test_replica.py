"""ramet.Publisher and ramet.Follower: a session's variables in other sessions and processes."""

import inspect
import os
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import ramet
import ramet.compat.v1 as tf
from ramet import _core, api

PATIENCE = 60
FOLLOWER = """
import sys
import ramet
with ramet.Follower(sys.argv[1], wait=60) as follower:
    print('following', flush=True)
    info = follower.wait(int(sys.argv[2]), timeout=60)
    print(follower.run('y:0', {'x:0': [1.0, 2.0]}).tolist(), info.step, info.metrics)
"""


class ReplicaTest(unittest.TestCase):
    def setUp(self):
        self.address = f'shm:python_test {os.getpid()} {self.id()}'
        self.context = tf.Graph().as_default()
        self.context.__enter__()
        x = tf.placeholder(tf.float32, [None], name='x')
        self.w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
        self.b = tf.get_variable('b', [2], initializer=tf.zeros_initializer())
        self.momentum = tf.train.MomentumOptimizer(0.1, 0.9)
        y = tf.add(x * self.w, self.b, name='y')
        self.step = self.momentum.minimize(tf.reduce_sum(y), tf.train.create_global_step())
        self.add = tf.assign_add(self.w, 1.0)
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())
        self.addCleanup(self.context.__exit__, None, None, None)
        self.addCleanup(self.session.close)

    def publish(self, **options):
        publisher = ramet.Publisher(self.session, self.address, **options)
        self.addCleanup(publisher.close)
        return publisher

    def follow(self, **options):
        follower = ramet.Follower(self.address, **{'wait': PATIENCE, **options})
        self.addCleanup(follower.close)
        return follower

    def ask(self, follower):
        return follower.session.run('y:0', feed_dict={'x:0': [1.0, 2.0]}).tolist()


class TablesTest(ReplicaTest):
    """The lists of options and statistics come from C++."""

    def test_each_option_is_an_argument(self):
        follower = inspect.signature(ramet.Follower.__init__).parameters
        self.assertLessEqual(set(_core.follower_options()), set(follower))
        self.assertEqual(set(follower) - set(_core.follower_options()),
                         {'self', 'address', 'session', 'graph', 'wait', 'config'})
        publisher = inspect.signature(ramet.Publisher.__init__).parameters
        self.assertEqual(set(_core.publisher_options()) - set(publisher), {'all_variables'})
        self.assertEqual(set(publisher) - set(_core.publisher_options()),
                         {'self', 'session', 'address', 'variables', 'signatures'})

    def test_docstrings_have_the_names(self):
        self.assertIn('shm:NAME', ramet.Follower.__init__.__doc__)
        self.assertIn('redis://HOST/NAME', ramet.Publisher.__init__.__doc__)
        self.assertIn('on_fallback', ramet.Follower.stats.__doc__)
        self.assertIn('bytes_in_use', ramet.Publisher.stats.__doc__)
        for line in ramet.Publisher.__init__.__doc__.split('\n'):
            self.assertLessEqual(len(line), 120)

    def test_statistics(self):
        publisher = self.publish()
        publisher.publish()
        self.assertEqual(list(publisher.stats), _core.publisher_stats())
        self.assertAlmostEqual(publisher.stats['time'], time.time(), delta=100)
        stats = self.follow().stats()
        self.assertEqual(list(stats), _core.follower_stats())
        self.assertEqual((stats['version'], stats['connected'], stats['missing']), (1, True, []))
        self.assertEqual(publisher.stats()['version'], publisher.stats['version'])
        self.assertEqual(self.follow().stats['version'], 1)

    def test_wrong_options(self):
        with self.assertRaisesRegex(ValueError, "verify must be one of 'off', 'async', 'before_use'"):
            ramet.Follower(self.address, verify='never')
        with self.assertRaisesRegex(TypeError, "retained cannot be 'many'"):
            self.publish(retained='many')
        with self.assertRaisesRegex(TypeError, 'device cannot be 3; it must be a str'):
            ramet.Follower(self.address, device=3)
        with self.assertRaisesRegex(TypeError, "mode cannot be '0600'; it must be an int"):
            self.publish(mode='0600')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'mode: 777 is 1411 in octal.*0o600'):
            self.publish(mode=777)


class FollowingTest(ReplicaTest):
    def test_the_address_is_all_that_a_follower_needs(self):
        publisher = self.publish()
        self.session.run(self.add)
        self.assertEqual(publisher.publish(step=7, metrics={'loss': np.float32(0.5)}), 1)
        follower = self.follow()
        self.assertEqual(self.ask(follower), [1, 2])
        self.assertEqual((follower.version, follower.step, follower.lag), (1, 7, 0))
        self.assertEqual(follower.current.metrics, {'loss': 0.5})
        self.assertIsInstance(follower.graph, tf.Graph)
        self.assertEqual(follower.graph.get_tensor_by_name('y:0').dtype, tf.float32)
        self.assertEqual([v.op.name for v in follower.graph.get_collection('trainable_variables')],
                         ['w', 'b'])

    def test_each_run_uses_the_newest_version(self):
        publisher = self.publish(every_steps=1)
        publisher.publish()
        follower = self.follow()
        for i in range(1, 6):
            self.session.run(self.add)
            follower.wait(i + 1, timeout=PATIENCE)
            self.assertEqual(self.ask(follower), [i, 2 * i])
        self.assertEqual(publisher.stats['version'], 6)
        self.assertEqual(publisher.stats['readers'], 1)

    def test_without_auto_update_moves_on(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow(auto=False)
        self.session.run(self.add)
        publisher.publish(step=2)
        self.assertEqual(self.ask(follower), [0, 0])
        self.assertEqual(follower.lag, 1)
        info = follower.update()
        self.assertEqual((info.version, info.step), (2, 2))
        self.assertEqual(info.epoch, publisher.stats['epoch'])
        self.assertEqual(self.ask(follower), [1, 2])

    def test_a_run_tells_its_version(self):
        publisher = self.publish()
        publisher.publish(step=3)
        follower = self.follow()
        for message in (tf.RunMetadata(), tf.RunMetadata()):
            follower.run('y:0', {'x:0': [1.0]}, run_metadata=message)
            seen = ramet.run_version(message)
            self.assertEqual((seen.version, seen.step), (1, 3))
            self.assertEqual(seen.epoch, publisher.stats['epoch'])
            self.assertEqual(message.session_metadata.version, 1)
        own = tf.RunMetadata()
        self.session.run(self.w, run_metadata=own)
        self.assertIsNone(ramet.run_version(own))
        self.assertEqual(own.ByteSize(), 0)

    def test_prepared_runs(self):
        publisher = self.publish()
        publisher.publish(step=4)
        ask = self.follow().prepare('y:0', ['x:0'])
        ask.warm_up([0.0, 0.0])
        self.assertEqual(ask([1.0, 2.0]).tolist(), [0, 0])
        self.session.run(self.add)
        publisher.publish(step=5)
        results, seen = ask.with_version([1.0, 2.0])
        while seen.version == 1:
            results, seen = ask.with_version([1.0, 2.0])
        self.assertEqual((results.tolist(), seen.version, seen.step), ([1, 2], 2, 5))

    def test_a_session_or_graph_of_ones_own(self):
        publisher = self.publish(graph=False)
        self.session.run(self.add)
        publisher.publish()
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'no graph is published'):
            self.follow()
        graph = tf.Graph()
        with graph.as_default():
            double = tf.get_variable('w', []) * 2
        follower = self.follow(graph=graph)
        self.assertEqual(follower.session.run(double), 2)
        session = tf.Session(graph=graph)
        with self.follow(session=session) as follower:
            self.assertIs(follower.session, session)
            self.assertEqual(session.run(double), 2)
        session.close()

    def test_an_interactive_session_publishes(self):
        session = tf.InteractiveSession()
        try:
            tf.global_variables_initializer().run()
            with ramet.Publisher(session, self.address) as publisher:
                publisher.publish()
                self.assertEqual(self.ask(self.follow()), [0, 0])
        finally:
            session.close()

    def test_pins(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow()
        follower.pin(1)
        for _ in range(3):
            self.session.run(self.add)
            publisher.publish()
        self.assertEqual(self.ask(follower), [0, 0])
        self.assertEqual(follower.lag, 3)
        self.assertEqual(follower.versions[-1], 4)
        follower.unpin()
        self.assertEqual(self.ask(follower), [3, 6])
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'version 1 is not kept'):
            follower.pin(1)

    def test_labels(self):
        publisher = self.publish()
        publisher.publish()
        publisher.promote('stable', 1)
        stable = ramet.Follower(self.address + '@stable', wait=PATIENCE)
        self.addCleanup(stable.close)
        self.session.run(self.add)
        publisher.publish()
        self.assertEqual(self.ask(stable), [0, 0])
        self.assertEqual(publisher.stats['labels'], {'stable': 1})
        publisher.promote('stable', 2)
        stable.wait(2, timeout=PATIENCE)
        self.assertEqual(self.ask(stable), [1, 2])

    def test_the_last_version_outlives_the_publisher(self):
        with self.publish() as publisher:
            publisher.publish(step=1)
            follower = self.follow()
        self.session.run(self.add)
        self.assertEqual(self.ask(follower), [0, 0])
        self.assertEqual(follower.step, 1)

    def test_waiting_lets_other_threads_run(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow()
        waits = threading.Event()

        def publish():
            waits.wait(PATIENCE)
            publisher.publish(step=9)

        thread = threading.Thread(target=publish)
        thread.start()
        waits.set()
        self.assertEqual(follower.wait(2, timeout=PATIENCE).step, 9)
        thread.join()


class PublishedTest(ReplicaTest):
    def names(self, **options):
        with ramet.Publisher(self.session, self.address, **options) as publisher:
            return [name for name, _, _ in publisher.signature]

    def test_what_is_published(self):
        self.assertEqual(sorted(self.names()), ['b', 'global_step', 'w'])
        self.assertEqual(self.names(variables=[self.b, 'w']), ['b', 'w'])
        self.assertIn('b/Momentum', self.names(variables='all'))
        with ramet.Publisher(self.session, self.address, variables=['b']) as publisher:
            self.assertEqual(publisher.signature, [('b', tf.float32, [2])])

    def test_the_global_step_is_the_step(self):
        publisher = self.publish()
        self.session.run(self.step, {'x:0': [1.0, 1.0]})
        publisher.publish()
        self.assertEqual(publisher.stats['step'], 1)

    def test_after_each_second_run(self):
        publisher = self.publish(every_steps=2)
        for _ in range(6):
            self.session.run(self.add)
            self.session.run(self.w)
        self.assertEqual(publisher.stats['version'], 3)


    def test_names_and_dtypes_may_be_others(self):
        publisher = self.publish(rename={'b': 'serve/b'}, convert='bfloat16')
        self.session.run(tf.assign(self.w, 1 + 2.0**-12))
        publisher.publish()
        self.assertIn(('serve/b', tf.bfloat16, [2]), publisher.signature)
        follower = self.follow()
        self.assertEqual(self.ask(follower), [1, 2])
        graph = tf.Graph()
        with graph.as_default(), tf.variable_scope('serve'):
            b = tf.get_variable('b', [2])
        self.assertEqual(self.follow(graph=graph).run(b).tolist(), [0, 0])

    def test_several_models(self):
        other = tf.Graph()
        with other.as_default():
            v = tf.get_variable('v', [], initializer=tf.ones_initializer())
            tf.multiply(v, 2.0, name='twice')
            value = tf.Session(graph=other)
            value.run(v.initializer)
        self.addCleanup(value.close)
        models = {'policy': self.session, 'value': value}
        publisher = ramet.Publisher(models, self.address)
        self.addCleanup(publisher.close)
        publisher.publish()
        self.assertIn('value/v', [name for name, _, _ in publisher.signature])
        self.assertEqual(self.ask(self.follow(model='policy')), [0, 0])
        self.assertEqual(self.follow(model='value').run('twice:0'), 2)

    def test_signatures(self):
        graph = self.session.graph
        signature = tf.saved_model.predict_signature_def(
            {'in': graph.get_tensor_by_name('x:0')}, {'out': graph.get_tensor_by_name('y:0')})
        self.publish(signatures={'scale': signature}).publish()
        follower = self.follow()
        self.assertEqual(follower.signature_defs, {'scale': signature})
        self.assertEqual(follower.graph.get_tensor_by_name(
            follower.signature_defs['scale'].outputs['out'].name).shape.as_list(), [2])

    def test_signatures_of_several_models(self):
        graph = self.session.graph
        signature = tf.saved_model.build_signature_def({}, {
            'out': tf.saved_model.build_tensor_info(graph.get_tensor_by_name('y:0'))})
        with self.assertRaisesRegex(ValueError, "names the models \\['other'\\]"):
            ramet.Publisher({'policy': self.session}, self.address, signatures={'other': {}})
        publisher = ramet.Publisher({'policy': self.session}, self.address,
                                    signatures={'policy': {'scale': signature}})
        self.addCleanup(publisher.close)
        publisher.publish()
        self.assertEqual(self.follow(model='policy').signature_defs, {'scale': signature})

    def test_a_rollback(self):
        publisher = self.publish(retained=2)
        publisher.publish()
        self.session.run(self.add)
        publisher.publish()
        follower = self.follow()
        self.assertEqual(publisher.rollback(1), 3)
        info = follower.wait(3, timeout=PATIENCE)
        self.assertEqual((info.version, info.rollback_to), (3, 1))
        self.assertEqual(self.ask(follower), [0, 0])

    def test_prometheus(self):
        publisher = self.publish()
        publisher.publish()
        self.assertRegex(publisher.prometheus(), r'ramet_publisher_version\{.*\} 1\n')
        self.assertRegex(self.follow().prometheus(), r'ramet_follower_\w*version\{.*\} 1\n')


class OtherGraphsTest(ReplicaTest):
    def test_under_a_scope_without_training(self):
        self.publish().publish()
        follower = self.follow(scope='copy', strip_training=True, outputs=['y:0'])
        self.assertEqual(follower.run('copy/y:0', {'copy/x:0': [1.0, 2.0]}).tolist(), [0, 0])
        names = [op.name for op in follower.graph.get_operations()]
        self.assertFalse([name for name in names if 'gradients' in name or 'Momentum' in name])

    def test_a_subset(self):
        self.publish().publish()
        graph = tf.Graph()
        with graph.as_default():
            b = tf.get_variable('b', [2])
            w = tf.get_variable('w', [], initializer=tf.ones_initializer())
        session = tf.Session(graph=graph)
        self.addCleanup(session.close)
        session.run(w.initializer)
        with self.follow(session=session, subsets=['b']) as follower:
            self.assertEqual(session.run([b, w])[1], 1)
            self.assertEqual(sorted(follower.stats()['extra']), ['global_step', 'w'])

    def test_another_graph_takes_the_place(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow(on_change='reload')
        before = follower.session
        self.assertIs(follower.session, before)
        publisher.close()
        graph = tf.Graph()
        with graph.as_default():
            v = tf.get_variable('v', [], initializer=tf.ones_initializer())
            tf.add(v, 1.0, name='more')
            session = tf.Session(graph=graph)
            session.run(v.initializer)
        self.addCleanup(session.close)
        with ramet.Publisher(session, self.address) as publisher:
            publisher.publish()
            while follower.stats()['reloads'] == 0 or follower.version == 0:
                follower.stats()
            self.assertIsNot(follower.session, before)
            self.assertEqual(follower.run('more:0'), 2)


class FallbackTest(ReplicaTest):
    def test_checkpoints_until_somebody_publishes(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        saver = tf.train.Saver()
        saver.save(self.session, f'{folder.name}/model', global_step=1)
        follower = ramet.Follower(self.address, fallback='file:' + folder.name)
        self.addCleanup(follower.close)
        self.assertTrue(follower.stats()['on_fallback'])
        self.assertEqual(self.ask(follower), [0, 0])
        self.session.run(self.add)
        saver.save(self.session, f'{folder.name}/model', global_step=2)
        follower.wait(2, timeout=PATIENCE)
        self.assertEqual(self.ask(follower), [1, 2])
        self.session.run(self.add)
        publisher = self.publish()
        publisher.publish()
        deadline = time.monotonic() + PATIENCE
        while follower.current.epoch != publisher.stats['epoch'] and time.monotonic() < deadline:
            time.sleep(0.001)
        self.assertFalse(follower.stats()['on_fallback'])
        self.assertEqual(self.ask(follower), [2, 4])

    def test_neither_is_there(self):
        with self.assertRaises(tf.errors.DeadlineExceededError) as caught:
            ramet.Follower(self.address, fallback='file:/nowhere/at all')
        self.assertIn(self.address, str(caught.exception))
        self.assertIn('file:/nowhere/at all', str(caught.exception))


class ProofTest(ReplicaTest):
    def test_before_use(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow(verify='before_use')
        info = follower.current
        self.assertEqual((info.version, info.proof), (1, 'proven'))
        self.assertEqual(info.hashes, follower.hashes(1, timeout=PATIENCE))
        metadata = tf.RunMetadata()
        follower.run('w:0', run_metadata=metadata)
        self.assertEqual(ramet.run_version(metadata).proof, 'proven')

    def test_when_it_is_asked_for(self):
        self.publish().publish()
        follower = self.follow(verify='off')
        self.assertEqual((follower.current.proof, follower.current.hashes), ('not_asked', None))
        self.assertEqual(follower.update(verify=True).proof, 'proven')
        self.assertEqual(follower.stats()['proven'], 1)


class ErrorsTest(ReplicaTest):
    def test_addresses(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "write shm:policy"):
            ramet.Publisher(self.session, 'policy')
        with self.assertRaisesRegex(TypeError, "the address must be a str, .* not Session"):
            ramet.Publisher(self.address, self.session)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'label'):
            ramet.Publisher(self.session, self.address + '@stable')

    def test_nobody_publishes(self):
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, self.address):
            self.follow(wait=0)
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, self.address):
            self.follow(wait=0.15)

    def test_nothing_is_published_yet(self):
        self.publish()
        with self.follow(wait=0) as follower:
            self.assertEqual(follower.version, 0)
            self.assertEqual(str(follower.current), 'no version yet')
            with self.assertRaisesRegex(tf.errors.DeadlineExceededError, 'version 1 did not arrive'):
                follower.wait(timeout=0.01)
        with self.assertRaisesRegex(tf.errors.DeadlineExceededError, 'version 1 did not arrive'):
            self.follow(wait=0.01)

    def test_a_second_publisher(self):
        self.publish()
        with self.assertRaises(tf.errors.AlreadyExistsError):
            self.publish()

    def test_what_does_not_fit(self):
        self.publish().publish()
        graph = tf.Graph()
        with graph.as_default():
            tf.get_variable('b', [3])
            tf.get_variable('v', [])
        with self.assertRaisesRegex(tf.errors.FailedPreconditionError, r"'b' is float\[3\] in the graph"):
            self.follow(graph=graph)

    def test_arguments(self):
        for session in (None, self.session.graph):
            with self.assertRaisesRegex(TypeError, 'a Session is expected'):
                ramet.Publisher(session, self.address)
        with self.assertRaisesRegex(ValueError, "None or 'all'"):
            self.publish(variables='some')
        with self.assertRaisesRegex(ValueError, "no variable 'v'"):
            self.publish(variables=['v'])
        with self.assertRaisesRegex(TypeError, "signature 's' must be a SignatureDef"):
            self.publish(signatures={'s': 'y:0'})
        with self.assertRaisesRegex(TypeError, "evry_steps"):
            self.publish(evry_steps=1)
        with self.assertRaisesRegex(ValueError, "not 'int4'"):
            self.publish(convert='int4')
        with self.assertRaisesRegex(ValueError, 'verify'):
            self.follow(verify='never', wait=0)
        with self.assertRaisesRegex(ValueError, 'on_change'):
            self.follow(on_change='ask', wait=0)
        with self.assertRaisesRegex(ValueError, 'at_limit'):
            self.publish(at_limit='stop')
        with self.assertRaisesRegex(TypeError, "metric 'loss'"):
            self.publish().publish(metrics={'loss': 'low'})

    def test_closed(self):
        publisher = self.publish()
        publisher.publish()
        follower = self.follow()
        follower.close()
        publisher.close()
        publisher.close()
        with self.assertRaisesRegex(RuntimeError, 'closed'):
            publisher.publish()
        with self.assertRaisesRegex(RuntimeError, 'closed'):
            follower.update()
        self.assertIn('closed', repr(publisher) + repr(follower))

    def test_publishing_from_within_a_run(self):
        publisher = self.publish()

        def publish():
            publisher.publish()
            return np.float32(0)

        inner = tf.py_func(publish, [], tf.float32)
        with self.assertRaisesRegex(tf.errors.UnknownError, 'from within a run of the session'):
            self.session.run(tf.assign_add(self.w, inner))


class MonitorTest(ReplicaTest):
    def test_stats_and_orders(self):
        publisher = self.publish(retained=3)
        for _ in range(3):
            self.session.run(self.add)
            publisher.publish()
        monitor = ramet.ReplicaMonitor(self.address)
        self.assertEqual(monitor.stats()['versions'], [1, 2, 3])
        monitor.promote('stable', 2)
        self.assertEqual(publisher.stats['labels'], {'stable': 2})
        follower = self.follow()
        self.assertEqual(monitor.rollback(1), 4)
        info = follower.wait(4, timeout=PATIENCE)
        self.assertEqual(info.rollback_to, 1)
        self.assertEqual(self.ask(follower), [1, 2])
        with self.assertRaises(tf.errors.NotFoundError):
            monitor.promote('stable', 99)
        self.assertEqual(len(monitor.signature), 3)


class ProcessesTest(ReplicaTest):
    def test_a_follower_in_another_process(self):
        package = os.path.dirname(os.path.dirname(api.__file__))
        with subprocess.Popen([sys.executable, '-B', '-c', FOLLOWER, self.address, '3'],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                              env={**os.environ, 'PYTHONPATH': package}) as process:
            publisher = self.publish()
            publisher.publish()
            self.assertEqual(process.stdout.readline(), 'following\n')
            for step in (20, 30):
                self.session.run(self.add)
                publisher.publish(step=step, metrics={'loss': 0.25})
            out, err = process.communicate(timeout=PATIENCE)
        self.assertEqual((process.returncode, out), (0, "[2.0, 4.0] 30 {'loss': 0.25}\n"), err)

    def test_a_program_that_forgets_to_close(self):
        package = os.path.dirname(os.path.dirname(api.__file__))
        program = ('import sys, ramet\n'
                   'follower = ramet.Follower(sys.argv[1], wait=60)\n'
                   'print(follower.version)\n')
        self.publish().publish()
        ran = subprocess.run([sys.executable, '-B', '-c', program, self.address],
                             capture_output=True, text=True, timeout=PATIENCE, check=False,
                             env={**os.environ, 'PYTHONPATH': package})
        self.assertEqual((ran.returncode, ran.stdout, ran.stderr), (0, '1\n', ''))


if __name__ == '__main__':
    unittest.main()
