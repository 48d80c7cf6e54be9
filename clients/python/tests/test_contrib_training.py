"""tf.contrib.training, tf.contrib.losses and tf.contrib.metrics."""

import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

losses = tf.contrib.losses
metrics = tf.contrib.metrics
training = tf.contrib.training


class TrainingTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()
        tf.logging.set_verbosity(tf.logging.ERROR)

    def run_(self, fetches):
        with tf.Session() as session:
            session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
            return session.run(fetches)


class LoopTest(TrainingTest):

    def test_train(self):
        v = tf.get_variable('v', [2], initializer=tf.zeros_initializer())
        train_op = training.create_train_op(
            tf.reduce_sum((v - 1) ** 2), tf.train.GradientDescentOptimizer(0.1),
            transform_grads_fn=training.clip_gradient_norms_fn(0.5))
        with tempfile.TemporaryDirectory() as folder:
            first = training.train(train_op, folder, hooks=[tf.train.StopAtStepHook(1)])
            last = training.train(train_op, folder, hooks=[tf.train.StopAtStepHook(last_step=30)])
            self.assertTrue(tf.train.latest_checkpoint(folder).endswith('-30'))
        self.assertAlmostEqual(2., first, places=5)
        self.assertLess(last, 0.5)
        with self.assertRaisesRegex(ValueError, 'logdir cannot be None'):
            training.train(train_op, None)

    def test_evaluate(self):
        with tempfile.TemporaryDirectory() as folder:
            v = tf.get_variable('v', [], initializer=tf.ones_initializer())
            tf.train.get_or_create_global_step()
            with tf.Session() as session:
                session.run(tf.global_variables_initializer())
                prefix = tf.train.Saver().save(session, folder + '/model')
            value, update = tf.metrics.mean(v)
            hook = training.StopAfterNEvalsHook(3, log_progress=False)
            result = training.evaluate_once(prefix, eval_ops=update, final_ops=value, hooks=[hook])
        self.assertEqual(1., result)
        self.assertIsNone(training.wait_for_new_checkpoint(folder, timeout=0))


class BucketTest(TrainingTest):

    def batches(self, result):
        """Returns the values of all batches."""
        found = []
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            coordinator = tf.train.Coordinator()
            threads = tf.train.start_queue_runners(session, coordinator)
            try:
                while True:
                    found.append(session.run(result))
            except tf.errors.OutOfRangeError:
                pass
            coordinator.request_stop()
            coordinator.join(threads)
        return found

    def test_bucket(self):
        x, = tf.train.slice_input_producer([tf.range(20)], num_epochs=1, shuffle=False)
        which, batch = training.bucket({'x': x}, tf.mod(x, 2), 5, 2)
        self.assertEqual([5], batch['x'].shape.as_list())
        found = self.batches([which, batch])
        self.assertEqual(4, len(found))
        for number, values in found:
            self.assertTrue((values['x'] % 2 == number).all())

    def test_sequences_of_similar_lengths(self):
        lengths = np.array([1, 7, 3, 2, 8, 4, 9, 1, 3])
        length, = tf.train.slice_input_producer([tf.constant(lengths, tf.int32)], num_epochs=1,
                                                shuffle=False)
        sequence = tf.range(length)
        got, (batch,) = training.bucket_by_sequence_length(
            length, [sequence], batch_size=[2, 2, 1], bucket_boundaries=[3, 8], dynamic_pad=True,
            allow_smaller_final_batch=True)
        found = self.batches([got, batch])
        self.assertEqual(sorted(lengths), sorted(n for group, _ in found for n in group))
        for group, values in found:
            self.assertEqual(1, len({np.digitize(n, [3, 8]) for n in group}))
            self.assertEqual(max(group), values.shape[1])

    def test_wrong_arguments(self):
        for error, boundaries in ((ValueError, []), (TypeError, [1.5]), (ValueError, [3, 3])):
            with self.assertRaises(error):
                training.bucket_by_sequence_length(tf.constant(1), [tf.ones([1])], 2, boundaries)
        with self.assertRaisesRegex(ValueError, 'must have num_buckets elements'):
            training.bucket([tf.ones([1])], 0, [1, 2, 3], 2)
        with self.assertRaisesRegex(ValueError, 'fully defined'):
            training.bucket([tf.placeholder(tf.float32, [None])], 0, 2, 2)


class LossTest(TrainingTest):

    def test_the_losses_of_tf_losses(self):
        random = np.random.RandomState(0)
        x, y = (tf.constant(random.rand(4, 3), tf.float32) for _ in range(2))
        weights = tf.constant([[1.], [0.], [2.], [1.]])
        pairs = [
            (losses.absolute_difference(x, y, weights), tf.losses.absolute_difference(y, x, weights)),
            (losses.mean_squared_error(x, y), tf.losses.mean_squared_error(y, x)),
            (losses.log_loss(x, y), tf.losses.log_loss(y, x)),
            (losses.sigmoid_cross_entropy(x, y), tf.losses.sigmoid_cross_entropy(y, x)),
            (losses.softmax_cross_entropy(x, y), tf.losses.softmax_cross_entropy(y, x)),
            (losses.sparse_softmax_cross_entropy(x, [0, 1, 2, 0]),
             tf.losses.sparse_softmax_cross_entropy([0, 1, 2, 0], x)),
            (losses.cosine_distance(x, y, axis=1), tf.losses.cosine_distance(y, x, axis=1)),
            (losses.mean_pairwise_squared_error(x, y), tf.losses.mean_pairwise_squared_error(y, x))]
        self.assertEqual(2 * len(pairs), len(losses.get_losses()))
        for old, new in self.run_(pairs):
            self.assertAlmostEqual(new, old, places=6)
        hinge = self.run_(losses.hinge_loss(tf.constant([[2., -0.5]]), tf.constant([[1., 1.]])))
        np.testing.assert_allclose([[0, 1.5]], hinge)
        losses.add_loss(tf.constant(5.))
        self.assertEqual('total_loss:0', losses.get_total_loss().name)
        with self.assertRaisesRegex(ValueError, 'You must specify `axis`'):
            losses.cosine_distance(x, y)

    def embeddings(self):
        random = np.random.RandomState(1)
        x = random.randn(6, 4).astype(np.float32)
        return x, np.array([0, 1, 0, 2, 1, 0])

    def test_semihard_triplets(self):
        x, labels = self.embeddings()
        squares = ((x[:, None] - x[None]) ** 2).sum(-1)
        total, count = 0., 0
        for a in range(6):
            for p in range(6):
                if a == p or labels[a] != labels[p]:
                    continue
                others = squares[a, labels != labels[a]]
                farther = others[others > squares[a, p]]
                negative = farther.min() if len(farther) else others.max()
                total += max(0., 1 + squares[a, p] - negative)
                count += 1
        got = self.run_(losses.metric_learning.triplet_semihard_loss(labels, tf.constant(x)))
        self.assertAlmostEqual(total / count, got, places=4)

    def test_contrastive_and_pairs(self):
        x, labels = self.embeddings()
        y = x[::-1] + 0.5
        distances = np.sqrt(((x - y) ** 2).sum(-1))
        same = np.array([1, 0, 1, 0, 1, 0])
        want = (same * distances ** 2 + (1 - same) * np.maximum(3 - distances, 0) ** 2).mean()
        got = self.run_(losses.metric_learning.contrastive_loss(
            same, tf.constant(x), tf.constant(y), margin=3.))
        self.assertAlmostEqual(want, got, places=4)
        similarity = x @ y.T
        targets = (labels[:, None] == labels) / (labels[:, None] == labels).sum(1, keepdims=True)
        log_softmax = similarity - np.log(np.exp(similarity).sum(1, keepdims=True))
        want = -(targets * log_softmax).sum(1).mean() \
            + 0.25 * 0.002 * ((x ** 2).sum(1).mean() + (y ** 2).sum(1).mean())
        got = self.run_(losses.metric_learning.npairs_loss(labels, tf.constant(x), tf.constant(y)))
        self.assertAlmostEqual(want, got, places=4)

    def test_lifted_structure(self):
        x, labels = self.embeddings()
        distances = np.sqrt(((x[:, None] - x[None]) ** 2).sum(-1))
        total, count = 0., 0
        for i in range(6):
            for j in range(i + 1, 6):
                if labels[i] == labels[j]:
                    negatives = [np.exp(1 - distances[k, labels != labels[k]]).sum() for k in (i, j)]
                    total += max(0., np.log(sum(negatives)) + distances[i, j]) ** 2
                    count += 1
        got = self.run_(losses.metric_learning.lifted_struct_loss(labels, tf.constant(x)))
        self.assertAlmostEqual(total / (2 * count), got, places=3)


class MetricTest(TrainingTest):

    def updated(self, metric, *arrays):
        """Returns the value of a metric after two batches, and what the second update returned."""
        halves = [np.split(a, 2) for a in arrays]
        inputs = [tf.placeholder(tf.float32, h[0].shape) for h in halves]
        value, update = metric(*inputs)
        with tf.Session() as session:
            session.run(tf.local_variables_initializer())
            for i in range(2):
                last = session.run(update, {t: h[i] for t, h in zip(inputs, halves)})
            return session.run(value), last

    def test_statistics_of_pairs(self):
        random = np.random.RandomState(0)
        x, y = random.rand(2, 10)
        weights = random.randint(1, 4, size=10)
        value, last = self.updated(metrics.streaming_covariance, x, y)
        self.assertAlmostEqual(np.cov(x, y)[0, 1], value, places=5)
        self.assertAlmostEqual(value, last, places=6)
        value, last = self.updated(metrics.streaming_pearson_correlation, x, y)
        self.assertAlmostEqual(np.corrcoef(x, y)[0, 1], value, places=5)
        self.assertAlmostEqual(value, last, places=6)
        value, _ = self.updated(metrics.streaming_covariance, x, y, weights)
        self.assertAlmostEqual(np.cov(x, y, fweights=weights)[0, 1], value, places=5)
        value, _ = self.updated(metrics.count, x)
        self.assertEqual(10, value)

    def test_rates_and_kappa(self):
        x = np.array([1, 1, 0, 0, 1, 0, 1, 1])
        y = np.array([1, 0, 0, 1, 1, 0, 0, 1])
        value, last = self.updated(metrics.streaming_false_positive_rate, x, y)
        self.assertEqual([0.5, 0.5], [value, last])
        value, _ = self.updated(metrics.streaming_false_negative_rate, x, y)
        self.assertEqual(0.25, value)
        value, _ = self.updated(
            lambda a, b: metrics.cohen_kappa(tf.to_int32(a), tf.to_int32(b), 2), x, y)
        self.assertAlmostEqual((5 / 8 - 0.5) / 0.5, value, places=5)

    def test_predictions_come_first(self):
        x, y = np.array([1., 2, 3, 4]), np.array([2., 2, 3, 1])
        self.assertEqual(0.5, self.updated(metrics.streaming_accuracy, x, y)[0])
        self.assertAlmostEqual(
            np.mean([0.5, 0, 0, 3]),
            self.updated(lambda a, b: metrics.streaming_mean_relative_error(a, b, b), x, y)[0], places=5)
        value, _ = self.updated(
            lambda a, b: metrics.streaming_precision_at_thresholds(a, b > 0.5, [0.5]),
            np.array([0.1, 0.9, 0.8, 0.3]), np.array([0., 1, 0, 1]))
        self.assertAlmostEqual(0.5, value[0], places=4)
        self.assertEqual(0.75, self.run_(metrics.accuracy([1, 2, 3, 4], [1, 2, 3, 5])))
        with self.assertRaisesRegex(ValueError, 'Labels should have bool'):
            metrics.accuracy([1.], [1.])
        self.assertEqual(([1, 3], [2, 4]), metrics.aggregate_metrics((1, 2), (3, 4)))


if __name__ == '__main__':
    unittest.main()
