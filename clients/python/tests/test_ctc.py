"""The CTC loss and decoders, crosses, safe lookups, and sparse tensors in queues."""

import unittest

import numpy as np

import ramet.compat.v1 as tf


class CtcTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.session = self.enterContext(tf.Session())
        self.logits = np.random.RandomState(0).randn(5, 2, 4).astype(np.float32)

    def test_padded_and_sparse_labels_have_the_same_loss_and_gradient(self):
        logits = tf.constant(self.logits)
        padded = tf.nn.ctc_loss_v2([[1, 2, 2], [3, 0, 0]], logits, [3, 1], [5, 4])
        labels = tf.SparseTensor([[0, 0], [0, 1], [0, 2], [1, 0]], tf.constant([1, 2, 2, 3]), [2, 3])
        sparse = tf.nn.ctc_loss_v2(labels, logits, None, [5, 4], blank_index=0)
        results = self.session.run([padded, sparse, tf.gradients(padded, logits)[0],
                                    tf.gradients(sparse, logits)[0]])
        np.testing.assert_allclose(results[0], results[1], rtol=1e-4)
        np.testing.assert_allclose(results[2], results[3], atol=1e-4)

    def test_a_second_gradient_is_refused(self):
        logits = tf.constant(self.logits)
        labels = tf.SparseTensor([[0, 0], [1, 0]], tf.constant([1, 2]), [2, 1])
        slope = tf.gradients(tf.nn.ctc_loss(labels, logits, [5, 4]), logits)[0]
        with self.assertRaisesRegex(ValueError, 'second  derivative of ctc_loss'):
            tf.gradients(slope, logits)

    def test_labels_have_to_be_sparse(self):
        with self.assertRaisesRegex(TypeError, 'Expected argument `labels` to be a SparseTensor'):
            tf.nn.ctc_loss(tf.constant([1]), tf.constant(self.logits), [5, 4])

    def test_decoders(self):
        best = np.full([4, 1, 3], -5, np.float32)
        for step, label in enumerate([0, 0, 2, 1]):
            best[step, 0, label] = 5
        (greedy,), _ = tf.nn.ctc_greedy_decoder(best, [4])
        (beam,), _ = tf.nn.ctc_beam_search_decoder(best, [4], beam_width=4)
        for decoded in (greedy, beam):
            self.assertEqual(self.session.run(decoded).values.tolist(), [0, 1])

    def test_collapse_repeated(self):
        labels, counts = tf.nn.collapse_repeated([[1, 1, 2, 1], [3, 3, 3, 4]], [4, 3])
        self.assertEqual(self.session.run(labels).tolist(), [[1, 2, 1], [3, 0, 0]])
        self.assertEqual(self.session.run(counts).tolist(), [3, 1])


class SparseFunctionsTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.session = self.enterContext(tf.Session())

    def test_cross(self):
        sparse = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'b', 'c'], [2, 2])
        crossed = tf.sparse.cross([sparse, tf.constant([[1], [2]])], separator='-')
        self.assertEqual(self.session.run(crossed).values.tolist(), [b'a-1', b'b-2', b'c-2'])
        with self.assertRaisesRegex(TypeError, 'All inputs must be Tensor or SparseTensor'):
            tf.sparse.cross([1])

    def test_safe_lookup_of_empty_rows_and_negative_ids(self):
        ids = tf.SparseTensor([[0, 0], [0, 1], [2, 0]], tf.constant([1, 2, -1], tf.int64), [3, 2])
        table = tf.constant([[0.0], [1.0], [4.0]])
        rows = tf.nn.safe_embedding_lookup_sparse(table, ids, combiner='sum')
        self.assertEqual(self.session.run(rows).tolist(), [[5.0], [0.0], [0.0]])
        rows = tf.nn.safe_embedding_lookup_sparse(table, ids, combiner='sum', default_id=2)
        self.assertEqual(self.session.run(rows).tolist(), [[5.0], [4.0], [4.0]])

    def test_malformed_sparse_tensors(self):
        for indices, message in (([[0, 3]], 'is out of bounds'), ([[0, -1]], 'is out of bounds')):
            sparse = tf.SparseTensor(tf.placeholder_with_default(tf.constant(indices, tf.int64), None),
                                     [1.0], [2, 3])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, message):
                self.session.run(tf.sparse.maximum(sparse, sparse))

    def test_batches_of_sparse_tensors(self):
        number = tf.Variable(0, dtype=tf.int64, trainable=False).count_up_to(4)
        sparse = tf.SparseTensor(tf.reshape(number, [1, 1]), [tf.cast(number, tf.float32)],
                                 tf.reshape(number + 1, [1]))
        numbers, batch = tf.train.batch([number, sparse], batch_size=2)
        self.session.run(tf.global_variables_initializer())
        coordinator = tf.train.Coordinator()
        threads = tf.train.start_queue_runners(sess=self.session, coord=coordinator)
        for first in (0, 2):
            got, value = self.session.run([numbers, batch])
            self.assertEqual(got.tolist(), [first, first + 1])
            self.assertEqual(value.indices.tolist(), [[0, first], [1, first + 1]])
            self.assertEqual(value.dense_shape.tolist(), [2, first + 2])
        with self.assertRaises(tf.errors.OutOfRangeError):
            self.session.run(batch)
        coordinator.request_stop()
        coordinator.join(threads)


if __name__ == '__main__':
    unittest.main()
