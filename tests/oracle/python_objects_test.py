"""Symptom: object-based checkpoints, gradient tapes, sparse tensors in queues or replicas differ from TensorFlow's.

Needs tensorflow, and the package ramet on the path.
"""

import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt

tf.disable_v2_behavior()


def both(function, *args):
    """Returns what a function of a package returns, for TensorFlow and for Ramet."""
    found = []
    for package in (tf, rt):
        with package.Graph().as_default():
            found.append(function(package, *args))
    return found


def value(package, tensors):
    with package.Session() as session:
        session.run(package.global_variables_initializer())
        return session.run(tensors)


class Model:
    """Variables with an optimizer, and the Checkpoint that saves them."""

    def __init__(self, package):
        self.v = package.get_variable('v', initializer=[1., 2.], use_resource=True)
        self.w = package.get_variable('w/x', initializer=[3.], use_resource=True)
        optimizer = package.train.AdamOptimizer(0.1)
        self.train = optimizer.minimize(package.reduce_sum(self.v * self.v) + package.reduce_sum(self.w))
        self.all = [self.v, self.w, optimizer.get_slot(self.v, 'm'), optimizer.get_slot(self.w, 'v')]
        self.checkpoint = package.train.Checkpoint(v=self.v, opt=optimizer, l=[self.w, {'a': self.v}],
                                                   d={'q/r.s': self.w})


class CheckpointTest(unittest.TestCase):

    def save(self, package, folder):
        with package.Graph().as_default(), package.Session() as session:
            model = Model(package)
            session.run(package.global_variables_initializer())
            session.run(model.train)
            path = model.checkpoint.save(os.path.join(folder, 'ckpt'))
            return path, session.run(model.all)

    def restore(self, package, path):
        with package.Graph().as_default(), package.Session():
            model = Model(package)
            model.checkpoint.restore(path).assert_consumed().initialize_or_restore()
            return package.get_default_session().run(model.all)

    def test_written_by_one_and_read_by_the_other(self):
        for writer, reader in ((tf, rt), (rt, tf), (rt, rt)):
            with tempfile.TemporaryDirectory() as folder:
                path, expected = self.save(writer, folder)
                self.assertEqual(path, writer.train.latest_checkpoint(folder))
                for a, b in zip(expected, self.restore(reader, path)):
                    np.testing.assert_array_equal(a, b)

    def test_same_keys_and_nodes(self):
        keys, nodes = [], []
        for package in (tf, rt):
            with tempfile.TemporaryDirectory() as folder:
                path, _ = self.save(package, folder)
                reader = tf.train.load_checkpoint(path)
                keys.append(sorted(reader.get_variable_to_shape_map()))
                from tensorflow.core.protobuf import trackable_object_graph_pb2
                graph = trackable_object_graph_pb2.TrackableObjectGraph.FromString(
                    reader.get_tensor('_CHECKPOINTABLE_OBJECT_GRAPH'))
                nodes.append(sorted((a.checkpoint_key, a.full_name) for n in graph.nodes for a in n.attributes))
        self.assertEqual(keys[0], keys[1])
        self.assertEqual(nodes[0], nodes[1])

    def test_checkpoints_of_savers(self):
        with tempfile.TemporaryDirectory() as folder:
            with tf.Graph().as_default(), tf.Session() as session:
                tf.get_variable('v', initializer=[5., 6.], use_resource=True)
                session.run(tf.global_variables_initializer())
                path = tf.train.Saver().save(session, os.path.join(folder, 'named'))
            with rt.Graph().as_default(), rt.Session() as session:
                v = rt.get_variable('v', initializer=[0., 0.], use_resource=True)
                rt.train.Checkpoint(other=v).restore(path).assert_consumed().initialize_or_restore()
                self.assertEqual([5., 6.], session.run(v).tolist())

    def test_errors(self):
        def errors(package, folder):
            found = []
            with package.Session() as session:
                v = package.get_variable('v', initializer=[1., 2.], use_resource=True)
                checkpoint = package.train.Checkpoint(v=v)
                session.run(package.global_variables_initializer())
                path = checkpoint.write(os.path.join(folder, 'c'))
                other = package.get_variable('o', initializer=[1.], use_resource=True)
                for restore in (lambda: package.train.Checkpoint(v=v, o=other).restore(path).assert_consumed(),
                                lambda: package.train.Checkpoint(o=other).restore(path).assert_consumed(),
                                lambda: package.train.Checkpoint(o=other).restore(path).assert_nontrivial_match(),
                                lambda: package.train.Checkpoint(v=v).restore(None).assert_consumed(),
                                lambda: package.train.Checkpoint(v='text')):
                    try:
                        restore()
                        found.append(None)
                    except Exception as e:
                        found.append((type(e).__name__, str(e)[:40]))
            return found

        with tempfile.TemporaryDirectory() as folder:
            expected, actual = both(errors, folder)
        self.assertEqual(expected, actual)

    def test_manager(self):
        def run(package):
            with tempfile.TemporaryDirectory() as folder, package.Session() as session:
                v = package.get_variable('v', initializer=[1., 2.], use_resource=True)
                session.run(v.initializer)
                manager = package.train.CheckpointManager(package.train.Checkpoint(v=v), folder, max_to_keep=2)
                paths = [os.path.basename(manager.save()) for _ in range(4)]
                again = package.train.CheckpointManager(package.train.Checkpoint(v=v), folder, max_to_keep=2)
                return (paths, sorted(os.listdir(folder)), [os.path.basename(p) for p in manager.checkpoints],
                        os.path.basename(again.latest_checkpoint))

        expected, actual = both(run)
        self.assertEqual(expected, actual)


def tapes(package):
    """Yields the values of gradients of tapes."""
    x = package.constant([1., 2.])
    before = x * 3
    with package.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = x * before
        w = package.constant(3.) * y
        with tape.stop_recording():
            stopped = y * 3
        product = y * stopped
    for target, source in ((w, x), (w, y), (w, before), (before, x), (stopped, x), (product, x)):
        yield tape.gradient(target, source)
    v = package.Variable([1., 5.], use_resource=True)
    frozen = package.Variable([2., 7.], use_resource=True, trainable=False)
    with package.GradientTape(persistent=True) as tape:
        y = v * v * frozen
        rows = package.gather(v, [0, 0])
    yield from (tape.gradient(y, v), tape.gradient(y, frozen), package.convert_to_tensor(tape.gradient(rows, v)))
    yield package.constant(len(tape.watched_variables()))
    with package.GradientTape() as outer:
        outer.watch(x)
        with package.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        first = inner.gradient(y, x)
    yield outer.gradient(first, x)
    matrix = package.constant([[1., 2.], [3., 4.]])
    with package.GradientTape(persistent=True) as tape:
        tape.watch(matrix)
        square = matrix * matrix
    yield tape.jacobian(square, matrix, experimental_use_pfor=False)
    yield tape.batch_jacobian(square, matrix, experimental_use_pfor=False)
    yield tape.gradient(square, {'a': matrix, 'b': [before]}, unconnected_gradients='zero')['b'][0]
    yield tape.gradient(square, matrix, output_gradients=package.fill([2, 2], 3.))


class TapeTest(unittest.TestCase):

    def test_gradients(self):
        def run(package):
            found = list(tapes(package))
            values = value(package, [t for t in found if t is not None])
            return [t is None for t in found], values

        (expected, expected_values), (actual, actual_values) = both(run)
        self.assertEqual(expected, actual)
        for a, b in zip(expected_values, actual_values, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-6)

    def test_loop(self):
        with rt.Graph().as_default(), rt.Session() as session:
            x = rt.constant([1., 2.])
            with rt.GradientTape() as tape:
                tape.watch(x)
                y = rt.while_loop(lambda i, q: i < 3, lambda i, q: (i + 1, q * x), (0, rt.ones([2])))[1]
            self.assertEqual([3., 12.], session.run(tape.gradient(y, x)).tolist())

    def test_used_tape(self):
        x = rt.constant(1.)
        with rt.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        tape.gradient(y, x)
        with self.assertRaisesRegex(RuntimeError, 'A non-persistent GradientTape can only be used to compute one'):
            tape.gradient(y, x)


class SparseQueueTest(unittest.TestCase):

    def test_batches(self):
        def run(package, **options):
            sparse = package.SparseTensor([[0, 1], [1, 0], [1, 2]], [1., 2., 3.], [2, 4])
            many = package.train.batch([sparse, package.constant([7, 8])], 2, enqueue_many=True, **options)
            one = package.train.batch([package.SparseTensor([[3]], [5], [package.constant(6, package.int64)])], 3)
            with package.Session() as session:
                coordinator = package.train.Coordinator()
                threads = package.train.start_queue_runners(session, coordinator)
                found = session.run([many, one])
                coordinator.request_stop()
                coordinator.join(threads, ignore_live_threads=True)
            return str(found), str(many[0].dense_shape.shape), str(one.dense_shape.shape)

        expected, actual = both(run)
        self.assertEqual(expected, actual)

    def test_errors_of_maps(self):
        def messages(package):
            raw, found = package.raw_ops, []
            handle = raw.AddSparseToTensorsMap(sparse_indices=[[0, 1]], sparse_values=[1], sparse_shape=[4, 3],
                                               shared_name='m')
            other = raw.AddSparseToTensorsMap(sparse_indices=[[0]], sparse_values=[1], sparse_shape=[4],
                                              shared_name='m')
            for handles, dtype in (([handle, handle], package.int32), ([handle], package.float32),
                                   ([handle, other], package.int32), ([package.constant(7, package.int64)], 'int32')):
                taken = raw.TakeManySparseFromTensorsMap(sparse_handles=package.stack(handles), dtype=dtype,
                                                         shared_name='m')
                found.append(error_of(package, taken))
            for indices, shape in (([[0, 0], [5, 1]], [4, 3]), ([[2, 0], [0, 1]], [4, 3]), ([[0], [1]], [4]),
                                   ([[0, 0], [0, 0]], [4, 3])):
                found.append(error_of(package, raw.AddManySparseToTensorsMap(
                    sparse_indices=indices, sparse_values=[1, 2], sparse_shape=shape)))
            return found

        expected, actual = both(messages)
        for a, b in zip(expected, actual, strict=True):
            self.assertIn(b, a)


def error_of(package, fetches):
    """Returns the message of the error of a run; Ramet's only up to the names of nodes."""
    with package.Session() as session:
        try:
            session.run(fetches)
        except package.errors.OpError as e:
            return e.message if package is tf else e.message.split('\n')[0]
    return 'no error'


class OldNormalizationTest(unittest.TestCase):

    def test_values_and_gradients(self):
        random = np.random.RandomState(0)
        x, vectors = random.rand(2, 3, 4, 5).astype(np.float32), random.rand(4, 5).astype(np.float32) + 0.5

        def run(package, scales):
            if package is tf:
                from tensorflow.python.framework import test_util
                test_util.set_producer_version(tf.get_default_graph(), 8)
            inputs = [package.constant(v) for v in (x, *vectors)]
            y = package.raw_ops.BatchNormWithGlobalNormalization(
                t=inputs[0], m=inputs[1], v=inputs[2], beta=inputs[3], gamma=inputs[4], variance_epsilon=0.01,
                scale_after_normalization=scales)
            grads = package.gradients(y * y, inputs)
            with package.Session() as session:
                return session.run([y, *grads])

        for scales in (False, True):
            expected, actual = both(run, scales)
            for a, b in zip(expected, actual, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)


class VocabularyTest(unittest.TestCase):

    def test_remapping(self):
        def run(package, new, old, **attrs):
            made = package.raw_ops.GenerateVocabRemapping(new_vocab_file=new, old_vocab_file=old, **attrs)
            message = error_of(package, made)
            if message != 'no error':
                return message
            with package.Session() as session:
                return [v.tolist() for v in session.run(list(made))]

        with tempfile.TemporaryDirectory() as folder:
            new, old = os.path.join(folder, 'new'), os.path.join(folder, 'old')
            for path, text in ((new, 'a\nb\nc\nd\n'), (old, 'b\nd\ne\na\n')):
                with open(path, 'w') as f:
                    f.write(text)
            for attrs in ({'new_vocab_offset': 0, 'num_new_vocab': 4}, {'new_vocab_offset': 1, 'num_new_vocab': 2},
                          {'new_vocab_offset': 0, 'num_new_vocab': 4, 'old_vocab_size': 2},
                          {'new_vocab_offset': 2, 'num_new_vocab': 4}, {'new_vocab_offset': 0, 'num_new_vocab': 0},
                          {'new_vocab_offset': 0, 'num_new_vocab': 4, 'old_vocab_size': 9}):
                expected, actual = both(lambda package, a=attrs: run(package, new, old, **a))
                self.assertTrue(expected == actual or actual in expected, (expected, actual))

    def test_matrix(self):
        def run(package, path, rows, columns, values, sizes, limit):
            y = package.raw_ops.LoadAndRemapMatrix(
                ckpt_path=path, old_tensor_name='m', row_remapping=np.array(rows, np.int64),
                col_remapping=np.array(columns, np.int64), initializing_values=np.array(values, np.float32),
                num_rows=sizes[0], num_cols=sizes[1], max_rows_in_memory=limit)
            message = error_of(package, y)
            if message != 'no error':
                return message
            with package.Session() as session:
                return session.run(y).tolist()

        with tempfile.TemporaryDirectory() as folder, rt.Graph().as_default(), rt.Session() as session:
            rt.get_variable('m', initializer=np.arange(12, dtype=np.float32).reshape(4, 3))
            session.run(rt.global_variables_initializer())
            path = rt.train.Saver().save(session, os.path.join(folder, 'c'))
            for rows, columns, values, sizes in (
                    ([2, 0], [], [], (2, 3)), ([2, 0], [1, 0, 2], [], (2, 3)), ([-1, 0], [], [9, 8, 7], (2, 3)),
                    ([1, 0], [0, -1], [9, 8], (2, 2)), ([1, 0], [0, -1], [9], (2, 2)),
                    ([-1, 0], [], [1, 2, 3, 4], (2, 3)),
                    ([9, 0], [], [], (2, 3)), ([0, 0], [], [], (2, 3)), ([2, 0], [0, 1], [], (2, 3)),
                    ([2, 0], [], [], (3, 3)), ([2, 0], [], [], (2, 2)), ([0], [2, 1, 0, -1], [5], (1, 4))):
                for limit in (-1, 1):
                    expected, actual = both(run, path, rows, columns, values, sizes, limit)
                    self.assertTrue(expected == actual or actual in expected, (rows, columns, expected, actual))


class ReplicaTest(unittest.TestCase):

    def test_cluster_spec_and_devices(self):
        def run(package):
            spec = package.train.ClusterSpec({'ps': ['a:1', 'b:2'], 'worker': {1: 'x:3'}})
            with package.device(package.train.replica_device_setter(cluster=spec)):
                a, b = package.Variable(1), package.Variable(2)
                total = a + b
            return (repr(spec), spec.jobs, spec.num_tasks('ps'), spec.task_indices('worker'), spec.job_tasks('worker'),
                    spec.as_dict(), str(spec.as_cluster_def()), a.device, b.device, total.device)

        expected, actual = both(run)
        self.assertEqual(expected, actual)

    def test_sync_replicas(self):
        def run(package):
            v, e = package.Variable([1., 2.]), package.Variable([[1.], [2.]])
            step = package.train.create_global_step()
            optimizer = package.train.SyncReplicasOptimizer(
                package.train.GradientDescentOptimizer(0.25), replicas_to_aggregate=1, total_num_replicas=1)
            train = optimizer.minimize(package.reduce_sum(v * v) + package.reduce_sum(package.gather(e, [1])),
                                       global_step=step)
            names = sorted(op.name for op in package.get_default_graph().get_operations() if 'sync' in op.name)
            hook = optimizer.make_session_run_hook(True)
            with package.train.MonitoredTrainingSession(hooks=[hook], stop_grace_period_secs=1) as session:
                while session.run(step) < 2:
                    session.run(train)
            return names

        expected, actual = both(run)
        self.assertEqual(expected, actual)


if __name__ == '__main__':
    unittest.main()
