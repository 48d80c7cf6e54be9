"""Signals during calls: Ctrl-C interrupts the main thread's call, and the session stays usable."""

import os
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import ramet
import ramet.compat.v1 as tf

ENDLESS = 1 << 62


class Interrupts(unittest.TestCase):
    """Sends SIGINT to this process while its main thread is in a call that never ends."""

    def setUp(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.context = tf.Graph().as_default()
        self.context.__enter__()

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)
        self.context.__exit__(None, None, None)

    def interrupt(self, call, after=0.3, exception=KeyboardInterrupt, within=30):
        """Calls `call`, which the signal must interrupt, well within a minute on any machine."""
        timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        start = time.monotonic()
        with self.assertRaises(exception):
            call()
        timer.join()
        self.assertLess(time.monotonic() - start, within)


class InterruptTest(Interrupts):
    def endless(self, count=1):
        def loop():
            i = tf.constant(0, tf.int64)
            return tf.while_loop(lambda i: i < ENDLESS, lambda i: i + 1, [i])

        return [loop() for _ in range(count)]

    def check_usable(self, session):
        self.assertEqual(session.run(tf.constant(1) + 1), 2)

    def test_ends_a_loop_and_leaves_the_session_usable(self):
        with tf.Session() as session:
            loop = self.endless()
            for _ in range(2):
                self.interrupt(lambda: session.run(loop))
                self.check_usable(session)

    def test_ends_a_callable_and_a_run_with_options(self):
        with tf.Session() as session:
            loop = self.endless()
            self.interrupt(session.make_callable(loop))
            options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
            self.interrupt(
                lambda: session.run(loop, options=options, run_metadata=tf.RunMetadata()))
            self.check_usable(session)

    def test_ends_steps_that_run_in_parallel(self):
        with tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=4)) as session:
            loops = self.endless(3)
            self.interrupt(lambda: session.run(loops))
            self.check_usable(session)

    def test_ends_long_products(self):
        x = tf.random_uniform([1500, 1500])
        product = x
        for _ in range(2000):
            product = tf.matmul(product, x)
        with tf.Session() as session:
            self.interrupt(lambda: session.run(product))
            self.check_usable(session)

    def test_ends_single_decompositions_and_sorts(self):
        matrix = tf.random_uniform([2500, 2500])
        row = tf.random_uniform([30000000])
        endless = [tf.linalg.svd(matrix, compute_uv=False), tf.nn.top_k(row, 29000000)]
        with tf.Session() as session:
            for call in endless:
                start = time.thread_time()
                self.interrupt(lambda: session.run(call))
                self.assertLess(time.thread_time() - start, 2)
                self.check_usable(session)

    def test_ends_a_host_function(self):
        def wait():
            time.sleep(60)
            return np.float32(0)

        with tf.Session() as session:
            y = tf.py_func(wait, [], tf.float32)
            self.interrupt(lambda: session.run(y))
            self.check_usable(session)

    def test_ends_a_run_within_a_host_function(self):
        with tf.Session() as session:
            loop = self.endless()
            y = tf.py_func(lambda: np.float32(session.run(loop)[0]), [], tf.float32)
            self.interrupt(lambda: session.run(y))
            self.check_usable(session)

    def test_what_a_handler_raises_comes_out_of_the_run(self):
        class Alarm(Exception):
            pass

        def handler(*_):
            raise Alarm('now')

        signal.signal(signal.SIGINT, handler)
        with tf.Session() as session:
            loop = self.endless()
            self.interrupt(lambda: session.run(loop), exception=Alarm)

    def test_a_handler_that_raises_nothing_does_not_end_the_run(self):
        seen = []

        def handler(*_):
            with tf.Graph().as_default() as graph, tf.Session(graph=graph) as other:
                seen.append(int(other.run(tf.constant(3))))

        signal.signal(signal.SIGINT, handler)
        i = tf.constant(0, tf.int64)
        done = tf.py_func(lambda: bool(seen), [], tf.bool)
        with tf.Session() as session:
            loop = tf.while_loop(
                lambda i: tf.logical_not(tf.py_func(lambda: bool(seen), [], tf.bool)),
                lambda i: i + 1, [i])
            timer = threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT])
            timer.start()
            session.run(loop)
            timer.join()
            self.assertTrue(session.run(done))
        self.assertEqual(seen, [3])

    def test_other_threads_go_on(self):
        with tf.Session() as session:
            stop = threading.Event()
            i = tf.constant(0, tf.int64)
            until = tf.while_loop(
                lambda i: tf.logical_not(tf.py_func(stop.is_set, [], tf.bool)), lambda i: i + 1,
                [i])
            failed = []

            def work():
                try:
                    session.run(until)
                except BaseException as e:  # noqa: B902
                    failed.append(e)

            thread = threading.Thread(target=work)
            thread.start()
            loop = self.endless()
            self.interrupt(lambda: session.run(loop))
            stop.set()
            thread.join()
            self.assertEqual(failed, [])

    def test_default_sigterm_and_event_loops(self):
        done = subprocess.run([sys.executable, '-B', '-c', '''
import asyncio, signal, threading, os, time
import ramet.compat.v1 as tf
async def main():
    loop = asyncio.get_running_loop()
    got = []
    loop.add_signal_handler(signal.SIGUSR1, got.append, 1)
    with tf.Session() as s:
        y = tf.constant(2) * 3
        assert await loop.run_in_executor(None, s.run, y) == 6
        assert s.run(y) == 6
        os.kill(os.getpid(), signal.SIGUSR1)
        await asyncio.sleep(.05)
    assert got == [1], got
asyncio.run(main())
'''], stderr=subprocess.PIPE, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr.decode())


class PeerInterruptTest(Interrupts):
    """Peers that listen but never say anything, and followers that keep their versions."""

    # Without an interrupt, the calls wait for ten seconds or more.
    WITHIN = 5

    def setUp(self):
        super().setUp()
        self.w = tf.get_variable('w', [1 << 20], initializer=tf.zeros_initializer())
        self.grow = tf.assign_add(self.w, tf.ones_like(self.w))
        self.session = tf.Session()
        self.session.run(tf.global_variables_initializer())
        self.addCleanup(self.session.close)
        self.name = f'interrupt_test {os.getpid()} {self.id()}'

    def listen(self, *kind, address):
        listener = socket.socket(*kind)
        self.addCleanup(listener.close)
        listener.bind(address)
        listener.listen(8)
        return listener

    def silent_publisher(self):
        self.listen(socket.AF_UNIX, socket.SOCK_SEQPACKET,
                    address=f'\0ramet/{os.geteuid()}/{self.name}')
        return f'shm:{self.name}'

    def silent_server(self):
        port = self.listen(socket.AF_INET, address=('127.0.0.1', 0)).getsockname()[1]
        return f'redis://127.0.0.1:{port}/model'

    def test_ends_connecting_to_a_silent_publisher(self):
        address = self.silent_publisher()
        self.interrupt(lambda: ramet.Follower(address, wait=60), within=self.WITHIN)
        self.interrupt(lambda: ramet.Publisher(self.session, address, takeover=True),
                       within=self.WITHIN)

    def test_ends_connecting_to_a_silent_server(self):
        address = self.silent_server()
        self.interrupt(lambda: ramet.Follower(address, wait=60), within=self.WITHIN)
        self.interrupt(lambda: ramet.Publisher(self.session, address), within=self.WITHIN)

    def test_ends_waiting_for_a_publisher(self):
        self.interrupt(lambda: ramet.Follower(f'shm:{self.name}', wait=60), within=self.WITHIN)

    def full_publisher(self):
        """Returns a publisher without room for another version, and the followers that hold them."""
        address = f'shm:{self.name}'
        publisher = ramet.Publisher(self.session, address, at_limit='wait', max_bytes=12 << 20)
        self.addCleanup(publisher.close)
        publisher.publish()
        followers = []
        for _ in range(2):
            followers.append(ramet.Follower(address, auto=False))
            self.addCleanup(followers[-1].close)
            self.session.run(self.grow.op)
            publisher.publish()
        self.session.run(self.grow.op)
        return publisher, followers

    def test_ends_publishing_without_room(self):
        publisher, followers = self.full_publisher()
        self.interrupt(publisher.publish, within=self.WITHIN)
        self.assertEqual((publisher.stats['version'], publisher.stats['skipped']), (3, 0))
        for follower in followers:
            follower.close()
        self.assertEqual(publisher.publish(), 4)
        with ramet.Follower(publisher.address) as follower:
            np.testing.assert_array_equal(follower.run('w:0'), np.full(1 << 20, 3))

    def test_a_handler_cannot_publish_within_publish(self):
        publisher, _ = self.full_publisher()

        def handler(*_):
            publisher.publish()

        signal.signal(signal.SIGINT, handler)
        self.interrupt(publisher.publish, exception=tf.errors.FailedPreconditionError,
                       within=self.WITHIN)


class CloneInterruptTest(Interrupts):
    """A clone holds the interpreter's lock, so another process has to send the signal."""

    COUNT = 400_000

    def send_after(self, seconds):
        return subprocess.Popen(['sh', '-c', f'sleep {seconds}; kill -INT {os.getpid()}'])

    def setUp(self):
        super().setUp()
        graph_def = tf.GraphDef()
        for i in range(self.COUNT):
            node = graph_def.node.add(name=f'n{i}', op='NoOp')
            if i > 0:
                node.input.append(f'^n{i - 1}')
        tf.import_graph_def(graph_def, name='')
        self.graph = tf.get_default_graph()

    def clone(self):
        while True:
            self.into = tf.Graph()
            ramet.clone(self.graph, into=self.into)

    def test_ends_a_clone_and_leaves_nothing_of_it(self):
        start = time.monotonic()
        ramet.clone(self.graph, into=tf.Graph())
        seconds = time.monotonic() - start
        for i in range(40):
            after = seconds * (1 + i / 20)
            with self.send_after(after), self.assertRaises(KeyboardInterrupt):
                self.clone()
            size = len(self.into.get_operations())
            self.assertIn(size, (0, self.COUNT + 1))
            if size == 0:
                return
        self.fail('all signals arrived after the clones were complete')

    def test_a_handler_that_raises_nothing_does_not_end_the_clone(self):
        calls = []
        signal.signal(signal.SIGINT, lambda *_: calls.append(len(self.graph.get_operations()) > 0))
        with self.send_after(0.5):
            while not calls:
                made = ramet.clone(self.graph, into=tf.Graph())
        self.assertEqual(len(made.graph.get_operations()), self.COUNT + 1)
        self.assertEqual(calls, [True])


class RecursionTest(unittest.TestCase):
    def test_a_host_function_that_runs_itself_fails(self):
        with tf.Graph().as_default(), tf.Session() as session:
            calls = []

            def again():
                calls.append(1)
                return session.run(y)

            y = tf.py_func(again, [], tf.float32)
            with self.assertRaises(Exception) as caught:
                session.run(y)
            self.assertIn('32', str(caught.exception))
            self.assertLess(len(str(caught.exception)), 1 << 17)
            self.assertLessEqual(len(calls), 33)
            self.assertEqual(session.run(tf.constant(5)), 5)


if __name__ == '__main__':
    unittest.main()
