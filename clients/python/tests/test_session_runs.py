"""Sessions: options and metadata of runs, and partial runs."""

import threading
import time
import unittest

import numpy as np

import ramet.compat.v1 as tf


class RunsTest(unittest.TestCase):
    def setUp(self):
        self.context = tf.Graph().as_default()
        self.context.__enter__()
        self.a, self.b, self.c = (tf.placeholder(tf.float32, [], name=n) for n in 'abc')
        self.session = tf.Session()

    def tearDown(self):
        self.session.close()
        self.context.__exit__(None, None, None)

    def slow_update(self, work):
        """Returns a variable and an operation that adds 1 to it, calls `work`, and then adds 10."""

        def wait():
            work()
            return np.float32(0)

        v = tf.Variable(0.0)
        with tf.control_dependencies([v.assign_add(1.0)]):
            slow = tf.py_func(wait, [], tf.float32)
        with tf.control_dependencies([slow]):
            update = v.assign_add(10.0)
        self.session.run(v.initializer)
        return v, update


class RunOptionsTest(RunsTest):
    def test_a_run_ends_when_its_time_is_over(self):
        seconds = [2.5, 0]
        v, update = self.slow_update(lambda: time.sleep(seconds.pop(0)))
        with self.assertRaisesRegex(
            tf.errors.DeadlineExceededError, 'Timed out waiting for notification'
        ):
            self.session.run(update, options=tf.RunOptions(timeout_in_ms=1000))
        self.assertEqual(self.session.run(v), 1)
        self.session.run(update, options=tf.RunOptions(timeout_in_ms=60000))
        self.assertEqual(self.session.run(v), 12)

    def test_the_limit_of_a_session(self):
        v, update = self.slow_update(lambda: time.sleep(0.5))
        with tf.Session(config=tf.ConfigProto(operation_timeout_in_ms=20)) as session:
            session.run(v.initializer, options=tf.RunOptions(timeout_in_ms=60000))
            with self.assertRaises(tf.errors.DeadlineExceededError):
                session.run(update)
            call = session.make_callable(update, accept_options=True)
            with self.assertRaises(tf.errors.DeadlineExceededError):
                call()
            call(options=tf.RunOptions(timeout_in_ms=60000))

    def test_closing_a_session_ends_its_runs(self):
        def close_elsewhere():
            thread = threading.Thread(target=self.session.close)
            thread.start()
            thread.join()

        _, update = self.slow_update(close_elsewhere)
        with self.assertRaises(tf.errors.CancelledError) as raised:
            self.session.run(update)
        self.assertEqual(raised.exception.message, 'Run call was cancelled')

    def test_a_trace(self):
        y = tf.multiply(self.a, self.b, name='y')
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        before = time.time() * 1e6
        self.session.run(y, {self.a: 2, self.b: 3}, options=options, run_metadata=metadata)
        (device,) = metadata.step_stats.dev_stats
        self.assertTrue(device.device.endswith('CPU:0'), device.device)
        (step,) = device.node_stats
        self.assertEqual(step.timeline_label, 'y = Mul(a, b)')
        self.assertGreater(step.all_start_micros, before - 1e6)
        self.assertLess(step.all_start_micros + step.all_end_rel_micros, time.time() * 1e6 + 1e6)
        self.assertEqual(step.output[0].tensor_description.dtype, tf.float32.as_datatype_enum)
        self.assertFalse(metadata.partition_graphs)
        self.session.run(y, {self.a: 2, self.b: 3}, run_metadata=metadata)
        self.assertFalse(metadata.step_stats.dev_stats)

    def test_partition_graphs(self):
        with tf.device('/cpu:1'):
            y = tf.multiply(self.a, self.b, name='y')
        with tf.device('/cpu:0'):
            z = tf.negative(y, name='z')
        session = tf.Session(config=tf.ConfigProto(device_count={'CPU': 2}))
        metadata = tf.RunMetadata()
        options = tf.RunOptions(output_partition_graphs=True)
        session.run(z, {self.a: 2, self.b: 3}, options, metadata)
        parts = [{n.name: n for n in g.node} for g in metadata.partition_graphs]
        self.assertEqual([set(p) for p in parts],
                         [{'z', '_retval_z_0_0'}, {'_arg_a_0_0', '_arg_b_0_1', 'y'}])
        self.assertEqual(list(parts[1]['y'].input), ['_arg_a_0_0', '_arg_b_0_1'])
        self.assertTrue(parts[1]['y'].device.endswith('CPU:1'))
        self.assertEqual(list(parts[0]['z'].input), ['y'])

    def test_a_device_with_memory_of_its_own(self):
        with tf.device('/device:SIM:0'):
            v = tf.Variable(1.0)
            y = tf.multiply(self.a, v, name='y')
            z = tf.add(y, v, name='z')
        slow = tf.py_func(lambda x: (time.sleep(0.5), x)[1], [y], tf.float32)
        with tf.device('/device:SIM:0'):
            update = tf.assign_add(v, tf.reshape(slow, []))
        self.session.run(v.initializer)
        handle = self.session.partial_run_setup([y, z], [self.a])
        self.assertEqual(self.session.partial_run(handle, y, {self.a: 2}), 2)
        self.assertEqual(self.session.partial_run(handle, z), 3)
        metadata = tf.RunMetadata()
        options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
        self.session.run(z, {self.a: 2}, options, metadata)
        (device,) = metadata.step_stats.dev_stats
        self.assertTrue(device.device.endswith('SIM:0'), device.device)
        self.assertEqual([s.node_name for s in device.node_stats][-2:], ['y', 'z'])
        with self.assertRaises(tf.errors.DeadlineExceededError):
            self.session.run(update, {self.a: 2}, tf.RunOptions(timeout_in_ms=20))
        self.assertEqual(self.session.run(v), 1)

    def test_floats_too_small_to_be_normal_count_as_zero_within_a_run(self):
        for dtype in np.float32, np.float64:
            tiny = np.finfo(dtype).tiny
            for shape in (), (1 << 20,):
                values = tf.placeholder(dtype, shape)
                product = self.session.run(values * 0.1, {values: np.full(shape, tiny, dtype)})
                self.assertEqual(np.count_nonzero(product), 0)
            self.assertEqual(tiny, tiny / 16 * 16)  # outside of runs they are kept

    def test_wrong_arguments(self):
        y = self.a * 2
        for wrong in ({'options': 3}, {'run_metadata': 3}, {'options': {'timeout_in_ms': 3}}):
            with self.assertRaisesRegex(AttributeError, 'SerializeToString|ParseFromString'):
                self.session.run(y, {self.a: 1}, **wrong)
        with self.assertRaisesRegex(
            tf.errors.InvalidArgumentError, 'Invalid inter_op_thread_pool: 7'
        ):
            self.session.run(y, {self.a: 1}, options=tf.RunOptions(inter_op_thread_pool=7))
        with self.assertRaisesRegex(TypeError, 'unexpected keyword argument'):
            self.session.make_callable(y, [self.a])(1, options=tf.RunOptions())


class PartialRunTest(RunsTest):
    def setUp(self):
        super().setUp()
        self.calls = []
        counted = tf.py_func(self.count, [self.a], tf.float32)
        self.r1 = tf.add(counted, self.b, name='r1')
        self.r2 = tf.multiply(self.r1, self.c, name='r2')

    def count(self, x):
        self.calls.append(x)
        return x

    def set_up(self):
        return self.session.partial_run_setup([self.r1, self.r2], [self.a, self.b, self.c])

    def test_what_has_run_does_not_run_again(self):
        handle = self.set_up()
        feeds = {self.a: 1, self.b: 2}
        self.assertEqual(self.session.partial_run(handle, self.r1, feeds), 3)
        last = self.session.partial_run(handle, {'r': [self.r2]}, {self.c: 5})
        self.assertEqual(last, {'r': [15]})
        self.assertEqual(len(self.calls), 1)
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Must run 'setup'"):
            self.session.partial_run(handle, self.r2, {self.c: 5})
        self.assertFalse(self.session._partial_runs)

    def test_a_wrong_piece_changes_nothing(self):
        handle = self.set_up()
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "b:0 can't be computed"):
            self.session.partial_run(handle, self.r1, {self.a: 1})
        with self.assertRaisesRegex(RuntimeError, 'requires empty `target_list`'):
            self.session.partial_run(handle, self.r1.op, {self.a: 1})
        with self.assertRaisesRegex(ValueError, 'Cannot feed value of shape'):
            self.session.partial_run(handle, self.r1, {self.a: [1, 2], self.b: 2})
        self.assertEqual(self.session.partial_run(handle, self.r1, {self.a: 1, self.b: 2}), 3)

    def test_what_python_raises_ends_the_run(self):
        def fail(x):
            raise RuntimeError('no luck')

        y = tf.py_func(fail, [self.a], tf.float32)
        handle = self.session.partial_run_setup([y, self.r1], [self.a, self.b])
        with self.assertRaisesRegex(tf.errors.UnknownError, 'no luck'):
            self.session.partial_run(handle, y, {self.a: 1})
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "Must run 'setup'"):
            self.session.partial_run(handle, self.r1, {self.b: 1})

    def test_handles(self):
        handle = self.set_up()
        self.assertRegex(handle, r'^a:0,b:0,c:0->r1:0,r2:0//1/;\d+$')
        self.assertEqual(self.session.partial_run(handle.encode(), self.r1,
                                                  {self.a: 1, self.b: 2}), 3)
        with self.assertRaises(TypeError):
            self.session.partial_run(3, self.r1)
        with self.assertRaisesRegex(TypeError, 'Cannot interpret feed_list key as Tensor'):
            self.session.partial_run_setup([self.r1], ['nope:0'])


if __name__ == '__main__':
    unittest.main()
