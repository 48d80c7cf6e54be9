"""Queues, queue runners, readers and input pipelines; waits in several threads and in one run."""

import os
import pathlib
import tempfile
import threading
import time
import unittest

import numpy as np

import ramet.compat.v1 as tf


def run_all(fetches, sess, coord, threads):
    """Runs until the inputs end; returns all results."""
    results = []
    try:
        while not coord.should_stop():
            results.append(sess.run(fetches))
    except tf.errors.OutOfRangeError:
        pass
    coord.request_stop()
    coord.join(threads)
    return results


class QueuesTest(unittest.TestCase):

    def setUp(self):
        scope = tf.Graph().as_default()
        scope.__enter__()
        self.addCleanup(scope.__exit__, None, None, None)

    def folder(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def test_wait_ends_with_the_timeout_and_leaves_the_queue_usable(self):
        queue = tf.FIFOQueue(3, tf.float32, shapes=[[]])
        batch = queue.dequeue_many(2)
        with tf.Session() as sess:
            sess.run(queue.enqueue(1.0))
            with self.assertRaises(tf.errors.DeadlineExceededError):
                sess.run(batch, options=tf.RunOptions(timeout_in_ms=50))
            self.assertEqual(sess.run(queue.size()), 1)
            sess.run(queue.enqueue(2.0))
            self.assertEqual(sess.run(batch).tolist(), [1.0, 2.0])

    def test_wait_ends_when_the_session_closes(self):
        queue = tf.FIFOQueue(3, tf.float32)
        value = queue.dequeue()
        sess = tf.Session()
        errors = []

        def wait():
            try:
                sess.run(value)
            except tf.errors.CancelledError as error:
                errors.append(error)

        thread = threading.Thread(target=wait)
        thread.start()
        time.sleep(0.1)
        sess.close()
        thread.join(10)
        self.assertEqual(len(errors), 1)

    def test_operations_of_one_run_may_wait_for_each_other(self):
        queue = tf.FIFOQueue(1, tf.float32, shapes=[[]])
        fetches = [queue.dequeue(), queue.dequeue(), queue.dequeue(), queue.enqueue_many([[1.0, 2.0, 3.0]])]
        with tf.Session() as sess:
            for _ in range(20):
                self.assertEqual(sorted(sess.run(fetches)[:3]), [1.0, 2.0, 3.0])

    def test_an_error_ends_the_waits_of_its_run(self):
        def fail():
            raise ValueError('failed on purpose')

        empty = tf.FIFOQueue(1, tf.float32)
        fetches = [empty.dequeue(), empty.dequeue(), tf.py_func(fail, [], tf.float32)]
        with tf.Session() as sess, self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'failed on purpose'):
            sess.run(fetches, options=tf.RunOptions(timeout_in_ms=60000))

    def test_threads_under_load_lose_and_repeat_nothing(self):
        first = tf.FIFOQueue(7, tf.int64, shapes=[[]])
        second = tf.RandomShuffleQueue(50, 10, tf.int64, shapes=[[]], seed=1)
        number = tf.placeholder(tf.int64, [])
        put, close = first.enqueue(number), first.close()
        batch = second.dequeue_up_to(16)
        runner = tf.train.QueueRunner(second, [second.enqueue(first.dequeue())] * 4)
        with tf.Session() as sess:
            coord = tf.train.Coordinator()
            runner.create_threads(sess, coord, start=True)

            def produce(start):
                for i in range(start, 1000, 4):
                    sess.run(put, {number: i})

            producers = [threading.Thread(target=produce, args=(i,)) for i in range(4)]
            for thread in producers:
                thread.start()

            def close_at_the_end():
                for thread in producers:
                    thread.join()
                sess.run(close)

            closer = threading.Thread(target=close_at_the_end)
            closer.start()
            seen = np.concatenate(run_all(batch, sess, coord, [closer]))
            self.assertEqual(sorted(seen), list(range(1000)))
            assert list(seen) != sorted(seen)

    def test_queue_runners_survive_a_meta_graph(self):
        queue = tf.train.range_input_producer(5, num_epochs=2, shuffle=False)
        tf.identity(queue.dequeue(), name='number')
        meta_graph = tf.train.export_meta_graph()
        self.assertEqual(len(meta_graph.collection_def['queue_runners'].bytes_list.value), 1)
        with tf.Graph().as_default(), tf.Session() as sess:
            tf.train.import_meta_graph(meta_graph)
            sess.run(tf.local_variables_initializer())
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            self.assertEqual(run_all('number:0', sess, coord, threads), list(range(5)) * 2)

    def test_monitored_session_starts_queue_runners(self):
        value = tf.train.range_input_producer(3, num_epochs=1, shuffle=False).dequeue()
        tf.train.get_or_create_global_step()
        with tf.train.MonitoredTrainingSession() as sess:
            found = []
            while not sess.should_stop():
                found.append(sess.run(value))
        self.assertEqual(found, [0, 1, 2])

    def test_reader_of_lines(self):
        tmp_path = self.folder()
        for i in range(2):
            (tmp_path / f'{i}.txt').write_text(f'header\n{i}a\n{i}b\n')
        files = tf.train.match_filenames_once(str(tmp_path / '*.txt'))
        queue = tf.train.string_input_producer(files, num_epochs=1, shuffle=False)
        key, value = tf.TextLineReader(skip_header_lines=1).read(queue)
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            coord = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(sess, coord)
            results = run_all([key, value], sess, coord, threads)
        assert [(os.path.basename(k).decode(), v) for k, v in results] == [
            ('0.txt:2', b'0a'), ('0.txt:3', b'0b'), ('1.txt:2', b'1a'), ('1.txt:3', b'1b')]

    def test_training_from_record_files(self):
        """A program in the manner of TensorFlow's cifar10 tutorial: files, records, shuffled batches, training."""
        tmp_path = self.folder()
        rng = np.random.RandomState(0)
        for i in range(3):
            labels = rng.randint(0, 2, 40).astype(np.uint8)
            pixels = np.clip(labels[:, None] * 120 + rng.randint(0, 100, (40, 48)), 0, 255)
            (tmp_path / f'batch_{i}.bin').write_bytes(
                np.concatenate([labels[:, None], pixels], axis=1).astype(np.uint8).tobytes())
        names = [str(tmp_path / f'batch_{i}.bin') for i in range(3)]
        queue = tf.train.string_input_producer(names)
        _, record = tf.FixedLengthRecordReader(record_bytes=49).read(queue)
        content = tf.decode_raw(record, tf.uint8)
        label = tf.reshape(tf.cast(content[:1], tf.int32), [])
        image = tf.reshape(tf.cast(content[1:], tf.float32), [4, 4, 3]) / 255.0 - 0.5
        images, labels = tf.train.shuffle_batch([image, label], batch_size=16, capacity=100, min_after_dequeue=40,
                                                num_threads=2)
        self.assertEqual(images.shape.as_list(), [16, 4, 4, 3])
        logits = tf.layers.dense(tf.layers.flatten(tf.layers.conv2d(images, 4, 3, activation=tf.nn.relu)), 2)
        loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
        train = tf.train.AdamOptimizer(0.01).minimize(loss, tf.train.get_or_create_global_step())
        with tf.train.MonitoredTrainingSession(
                hooks=[tf.train.StopAtStepHook(last_step=150)]) as sess:
            losses = []
            while not sess.should_stop():
                losses.append(sess.run([loss, train])[0])
        self.assertEqual(len(losses), 150)
        assert np.mean(losses[-10:]) < 0.2 < np.mean(losses[:5])

    def test_shuffled_order_depends_on_the_seed_only(self):
        orders = []
        for _ in range(2):
            with tf.Graph().as_default(), tf.Session() as sess:
                queue = tf.RandomShuffleQueue(100, 0, tf.int32, shapes=[[]], seed=3)
                sess.run(queue.enqueue_many([list(range(50))]))
                orders.append(sess.run(queue.dequeue_many(50)).tolist())
        assert orders[0] == orders[1] != sorted(orders[0])

    def test_critical_section_runs_its_executions_one_by_one(self):
        section = tf.CriticalSection()
        count = tf.get_variable('count', initializer=0.0, use_resource=True)

        def add():
            value = count.read_value()
            with tf.control_dependencies([value]):
                return count.assign(value + 1.0)

        sums = [section.execute(add) for _ in range(30)]
        with tf.Session() as sess:
            sess.run(count.initializer)
            self.assertEqual(sorted(sess.run(sums)), [float(i + 1) for i in range(30)])
            self.assertEqual(sess.run(count), 30.0)

    def test_producer_that_waits_fills_the_queue_before_a_dequeue_returns(self):
        queue = tf.FIFOQueue(5, tf.int32, [()])
        enqueue, dequeue, size = queue.enqueue_many([list(range(100))]), queue.dequeue(), queue.size()
        with tf.Session() as sess:
            producer = threading.Thread(target=sess.run, args=[enqueue])
            producer.start()
            for i in range(90):
                self.assertEqual(sess.run(dequeue), i)
                self.assertEqual(sess.run(size), 5)
            for i in range(90, 100):
                self.assertEqual(sess.run(dequeue), i)
            producer.join()

    def test_consumer_that_waits_gets_its_batch_before_an_enqueue_returns(self):
        queue = tf.FIFOQueue(5, tf.int32, [()])
        enqueue, dequeue, size = queue.enqueue_many([[1, 2]]), queue.dequeue_many(6), queue.size()
        batches = []
        with tf.Session() as sess:
            consumer = threading.Thread(target=lambda: batches.append(sess.run(dequeue).tolist()))
            consumer.start()
            while sess.run(size) != 0 or not consumer.is_alive():
                time.sleep(0.001)
            sizes = []
            for _ in range(3):
                sess.run(enqueue)
                sizes.append(int(sess.run(size)))
            consumer.join()
        self.assertEqual(batches, [[1, 2, 1, 2, 1, 2]])
        self.assertEqual(sizes[-1], 0)

    def test_session_handle_is_fed_to_later_runs(self):
        product = tf.get_session_handle(tf.constant([1.0, 2.0]) * 3.0)
        with tf.Session() as sess:
            handle = sess.run(product)
            self.assertEqual(handle.eval().tolist(), [3.0, 6.0])
            holder, value = tf.get_session_tensor(handle.handle, tf.float32)
            self.assertEqual(sess.run(value + 1.0, {holder: handle}).tolist(), [4.0, 7.0])
            text = handle.handle
            handle.delete()
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'is not in the session store'):
                sess.run(value, {holder: text})


if __name__ == '__main__':
    unittest.main()
