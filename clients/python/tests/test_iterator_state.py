"""Positions of iterators in checkpoints."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf


class IteratorStateTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.prefix = os.path.join(folder.name, 'model')

    def saver_of(self, dataset, **options):
        """Returns (iterator, next element, Saver)."""
        iterator = tf.data.make_initializable_iterator(dataset)
        saveable = tf.data.experimental.make_saveable_from_iterator(iterator, **options)
        return iterator, iterator.get_next(), tf.train.Saver([saveable])

    def check_continues(self, dataset, count=3, **options):
        iterator, following, saver = self.saver_of(dataset, **options)
        with tf.Session() as session:
            session.run(iterator.initializer)
            for _ in range(count):
                session.run(following)
            path = saver.save(session, self.prefix, write_meta_graph=False)
            want = [str(session.run(following)) for _ in range(4)]
            saver.restore(session, path)
            self.assertEqual([str(session.run(following)) for _ in range(4)], want)
        with tf.Session() as session:
            saver.restore(session, path)
            self.assertEqual([str(session.run(following)) for _ in range(4)], want)

    def test_positions(self):
        numbers = tf.data.Dataset.range(40)
        for dataset in (
                numbers, numbers.batch(3).repeat(), numbers.map(lambda x: x * 2, num_parallel_calls=2).prefetch(3),
                numbers.window(3).flat_map(lambda window: window.batch(3)), numbers.cache().repeat(),
                numbers.interleave(lambda x: tf.data.Dataset.range(5), 3, 2, num_parallel_calls=2),
                numbers.filter(lambda x: x % 3 < 2).enumerate(), numbers.skip(2).take(20).shard(2, 1),
                tf.data.Dataset.zip((numbers, numbers.skip(1))), numbers.padded_batch(2), numbers.batch(4).unbatch()):
            with self.subTest(dataset=dataset):
                self.check_continues(dataset)

    def test_random_order(self):
        self.check_continues(tf.data.Dataset.range(30).shuffle(7))
        self.check_continues(tf.data.Dataset.range(5).shuffle(7).repeat(), count=8)
        self.check_continues(tf.data.experimental.RandomDataset())

    def test_functions_with_state(self):
        dataset = tf.data.Dataset.range(30).map(lambda x: tf.random_uniform([], seed=3))
        iterator, following, saver = self.saver_of(dataset)
        with tf.Session() as session:
            session.run(iterator.initializer)
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'RandomUniform is stateful.'):
                saver.save(session, self.prefix)
        self.check_continues(dataset, external_state_policy='ignore')
        with self.assertRaisesRegex(ValueError, 'Invalid `ExternalStatePolicy.`'):
            self.saver_of(dataset, external_state_policy='maybe')

    def test_generators_are_refused(self):
        iterator, _, saver = self.saver_of(tf.data.Dataset.from_generator(lambda: iter([1]), tf.int64))
        with tf.Session() as session:
            session.run(iterator.initializer)
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'PyFunc is stateful.'):
                saver.save(session, self.prefix)

    def test_iterators_without_a_dataset(self):
        _, _, saver = self.saver_of(tf.data.Dataset.range(3))
        with tf.Session() as session:
            with self.assertRaisesRegex(tf.errors.FailedPreconditionError, 'has not been initialized'):
                saver.save(session, self.prefix)

    def test_a_position_waits_for_the_dataset(self):
        iterator = tf.data.Iterator.from_structure(tf.int64, [])
        initializer = iterator.make_initializer(tf.data.Dataset.range(9))
        following = iterator.get_next()
        saver = tf.train.Saver([tf.data.experimental.make_saveable_from_iterator(iterator)])
        with tf.Session() as session:
            session.run(initializer)
            session.run(following)
            session.run(following)
            path = saver.save(session, self.prefix, write_meta_graph=False)
        with tf.Session() as session:
            saver.restore(session, path)
            session.run(initializer)
            self.assertEqual(session.run(following), 2)
            session.run(initializer)
            self.assertEqual(session.run(following), 0)

    def test_damaged_positions(self):
        iterator, following, saver = self.saver_of(tf.data.Dataset.range(9))
        with tf.Session() as session:
            session.run(iterator.initializer)
            path = saver.save(session, self.prefix, write_meta_graph=False)
        data = path + '.data-00000-of-00001'
        with open(data, 'rb') as file:
            good = file.read()
        for at in range(len(good)):
            with open(data, 'wb') as file:
                file.write(good[:at] + bytes([good[at] ^ 0x55]) + good[at + 1:])
            with tf.Session() as session, self.assertRaises(tf.errors.OpError):
                saver.restore(session, path)

    def test_other_variants_are_refused(self):
        iterator = tf.data.make_initializable_iterator(tf.data.Dataset.range(9))
        restore = tf.raw_ops.DeserializeIterator(
            resource_handle=iterator._iterator_resource, serialized=tf.data.Dataset.range(3)._variant_tensor)
        with tf.Session() as session:
            session.run(iterator.initializer)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'must be the state of an iterator'):
                session.run(restore)

    def test_hook(self):
        folder = os.path.dirname(self.prefix)
        seen = []

        def input_fn():
            return tf.data.Dataset.range(100).map(lambda x: tf.cast(x, tf.float32))

        def model_fn(features, labels, mode):
            step = tf.train.get_or_create_global_step()
            noted = tf.py_func(lambda x: seen.append(float(x)) or np.float32(0), [features], tf.float32)
            w = tf.get_variable('w', [])
            with tf.control_dependencies([noted]):
                train = tf.assign_add(step, 1)
            return tf.estimator.EstimatorSpec(mode, loss=w * 0., train_op=train)

        for _ in range(2):
            config = tf.estimator.RunConfig(folder, save_checkpoints_steps=5)
            estimator = tf.estimator.Estimator(model_fn, folder, config)
            hook = tf.contrib.data.CheckpointInputPipelineHook(estimator)
            estimator.train(input_fn, hooks=[hook], steps=5)
        self.assertEqual(seen, [float(i) for i in range(10)])


if __name__ == '__main__':
    unittest.main()
