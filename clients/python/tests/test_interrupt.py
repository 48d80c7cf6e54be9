"""Signals during calls: Ctrl-C interrupts the main thread's call, and the session stays usable."""

import os
import signal
import subprocess
import sys
import threading
import time
import unittest

import numpy as np

import ramet.compat.v1 as tf

ENDLESS = 1 << 62


class InterruptTest(unittest.TestCase):
    """Sends SIGINT to this process while its main thread is in a call that never ends."""

    def setUp(self):
        self.before = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.context = tf.Graph().as_default()
        self.context.__enter__()

    def tearDown(self):
        signal.signal(signal.SIGINT, self.before)
        self.context.__exit__(None, None, None)

    def endless(self, count=1):
        def loop():
            i = tf.constant(0, tf.int64)
            return tf.while_loop(lambda i: i < ENDLESS, lambda i: i + 1, [i])

        return [loop() for _ in range(count)]

    def interrupt(self, call, after=0.3, exception=KeyboardInterrupt):
        """Calls `call`, which the signal must interrupt, well within a minute on any machine."""
        timer = threading.Timer(after, os.kill, [os.getpid(), signal.SIGINT])
        timer.start()
        start = time.monotonic()
        with self.assertRaises(exception):
            call()
        timer.join()
        self.assertLess(time.monotonic() - start, 30)

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
