"""Object-based checkpoints, gradient tapes, servers, supervisors and sparse tensors in queues."""

import os
import tempfile
import unittest

import numpy as np

import ramet.compat.v1 as tf


class CheckpointTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        self.folder = tempfile.mkdtemp()

    def test_values_that_are_added_after_restoring(self):
        with tf.Session() as session:
            v = tf.Variable([1., 2.], use_resource=True)
            session.run(v.initializer)
            path = tf.train.Checkpoint(v=v).save(os.path.join(self.folder, 'c'))
            checkpoint = tf.train.Checkpoint()
            status = checkpoint.restore(path)
            checkpoint.v = tf.Variable([0., 0.], use_resource=False)
            status.assert_consumed().run_restore_ops()
            self.assertEqual([1., 2.], session.run(checkpoint.v).tolist())

    def test_restoring_adds_operations_once(self):
        with tf.Session() as session:
            v = tf.Variable(1., use_resource=True)
            checkpoint = tf.train.Checkpoint(v=v)
            session.run(v.initializer)
            path = checkpoint.save(os.path.join(self.folder, 'c'))
            checkpoint.restore(path).initialize_or_restore()
            tf.get_default_graph().finalize()
            path = checkpoint.save(os.path.join(self.folder, 'c'))
            checkpoint.restore(path).run_restore_ops()

    def test_layers(self):
        with tf.Session() as session:
            layer = tf.layers.Dense(2)
            layer(tf.ones([1, 3]))
            session.run(tf.global_variables_initializer())
            path = tf.train.Checkpoint(layer=layer).write(os.path.join(self.folder, 'c'))
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertIn('layer/kernel/.ATTRIBUTES/VARIABLE_VALUE', names)
        self.assertIn('layer/bias/.ATTRIBUTES/VARIABLE_VALUE', names)

    def test_cells(self):
        with tf.Session() as session:
            cell = tf.nn.rnn_cell.MultiRNNCell([tf.nn.rnn_cell.BasicLSTMCell(2), tf.nn.rnn_cell.GRUCell(2)])
            tf.nn.static_rnn(cell, [tf.ones([1, 3])], dtype=tf.float32)
            session.run(tf.global_variables_initializer())
            path = tf.train.Checkpoint(cell=cell).write(os.path.join(self.folder, 'c'))
        names = [name for name, _ in tf.train.list_variables(path)]
        self.assertEqual(7, len(names))
        self.assertIn('cell/cell-0/kernel/.ATTRIBUTES/VARIABLE_VALUE', names)
        self.assertIn('cell/cell-1/gates.Skernel/.ATTRIBUTES/VARIABLE_VALUE', names)

    def test_without_session(self):
        with self.assertRaisesRegex(ValueError, 'No default session exists'):
            tf.train.Checkpoint().save(os.path.join(self.folder, 'c'))

    def test_damaged_graph(self):
        with tf.Session() as session:
            session.run(tf.raw_ops.SaveV2(
                prefix=os.path.join(self.folder, 'bad'), tensor_names=['_CHECKPOINTABLE_OBJECT_GRAPH'],
                shape_and_slices=[''], tensors=[tf.constant(b'\x0a\x04\x0a\x02\x08\x09')]))
            status = tf.train.Checkpoint(v=tf.Variable(1.)).restore(os.path.join(self.folder, 'bad'))
            with self.assertRaises(AssertionError):
                status.assert_consumed()

    def test_manager(self):
        with tf.Session() as session:
            step = tf.Variable(0, use_resource=True)
            session.run(step.initializer)
            manager = tf.train.CheckpointManager(tf.train.Checkpoint(step=step), self.folder, max_to_keep=1,
                                                 step_counter=step, checkpoint_interval=2)
            self.assertIsNotNone(manager.save())
            self.assertIsNone(manager.save())
            session.run(step.assign(2))
            self.assertEqual([manager.save()], manager.checkpoints)
            self.assertEqual(manager.latest_checkpoint, tf.train.latest_checkpoint(self.folder))


class TapeTest(unittest.TestCase):

    def test_only_recorded_operations(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.constant(3.)
            before = x * x
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = before * x
            self.assertEqual(9., session.run(tape.gradient(y, x)))
            self.assertIsNone(tape.gradient(y, before))
            with self.assertRaisesRegex(ValueError, 'not tf.Tensor or tf.Variable'):
                with tape:
                    tape.watch('x')


class ServerTest(unittest.TestCase):

    def test_sessions_of_a_graph_share_variables(self):
        server = tf.train.Server.create_local_server()
        with tf.Graph().as_default():
            v = tf.Variable(1)
            with tf.Session(server.target) as session:
                session.run(v.initializer)
                session.run(v.assign_add(1))
            with tf.Session(server.target) as session:
                self.assertEqual(2, session.run(v))

    def test_errors(self):
        with self.assertRaisesRegex(tf.errors.NotFoundError, 'No session factory registered'):
            tf.Session('grpc://localhost:1')
        with self.assertRaisesRegex(tf.errors.UnimplementedError, 'the cluster has 2 tasks'):
            tf.train.Server({'worker': ['a:1', 'b:2']}, task_index=0)
        with self.assertRaisesRegex(ValueError, 'explicit `task_index`'):
            tf.train.Server({'worker': ['a:1', 'b:2']})


class SupervisorTest(unittest.TestCase):

    def test_checkpoint_and_summaries(self):
        folder = tempfile.mkdtemp()
        with tf.Graph().as_default():
            step = tf.train.create_global_step()
            add = step.assign_add(1)
            tf.summary.scalar('s', 1.0)
            supervisor = tf.train.Supervisor(logdir=folder, save_summaries_secs=1000, save_model_secs=0)
            with supervisor.managed_session() as session:
                for _ in range(3):
                    session.run(add)
                supervisor.summary_computed(session, session.run(supervisor.summary_op))
                supervisor.saver.save(session, supervisor.save_path, global_step=3)
            self.assertTrue(supervisor.should_stop())
        self.assertEqual(os.path.join(folder, 'model.ckpt-3'), tf.train.latest_checkpoint(folder))
        self.assertIn('graph.pbtxt', os.listdir(folder))


class SparseBatchTest(unittest.TestCase):

    def test_examples_that_are_not_kept(self):
        with tf.Graph().as_default(), tf.Session() as session:
            sparse = tf.SparseTensor([[0, 1], [1, 0]], [1., 2.], [2, 4])
            batch = tf.train.maybe_batch([sparse], [True, False], 2, enqueue_many=True)
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            found = session.run(batch)
            coordinator.request_stop()
            coordinator.join(threads, ignore_live_threads=True)
        np.testing.assert_array_equal([[0, 1], [1, 1]], found.indices)
        np.testing.assert_array_equal([2, 4], found.dense_shape)


if __name__ == '__main__':
    unittest.main()
