"""input_data.read_data_sets behaves as TensorFlow's does."""

import gzip
import os
import struct
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf
from ramet.examples.tutorials.mnist import input_data

ROWS, COLS = 3, 2
NAMES = ('train-images-idx3-ubyte', 'train-labels-idx1-ubyte', 't10k-images-idx3-ubyte',
         't10k-labels-idx1-ubyte')


def write_idx(path, array):
    header = struct.pack(f'>HBB{array.ndim}I', 0, 8, array.ndim, *array.shape)
    with (gzip.open if path.endswith('.gz') else open)(path, 'wb') as file:
        file.write(header + array.tobytes())


class MnistTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        random = np.random.RandomState(1)
        self.images = random.randint(0, 256, [20, ROWS, COLS]).astype(np.uint8)
        self.labels = random.randint(0, 10, [20]).astype(np.uint8)
        for name, array in zip(NAMES, (self.images, self.labels, self.images[:4], self.labels[:4])):
            write_idx(os.path.join(self.folder, name + '.gz'), array)

    def read(self, **options):
        return input_data.read_data_sets(self.folder, **{'validation_size': 5, **options})

    def test_sets(self):
        mnist = self.read()
        train, validation, test = mnist
        self.assertEqual([s.num_examples for s in mnist], [15, 5, 4])
        self.assertEqual(mnist.train.images.dtype, np.float32)
        self.assertEqual(mnist.train.images.shape, (15, ROWS * COLS))
        expected = self.images.reshape([20, -1]).astype(np.float32) * np.float32(1 / 255)
        np.testing.assert_array_equal(validation.images, expected[:5])
        np.testing.assert_array_equal(train.images, expected[5:])
        np.testing.assert_array_equal(test.images, expected[:4])
        np.testing.assert_array_equal(train.labels, self.labels[5:])
        self.assertEqual(train.labels.dtype, np.uint8)
        self.assertEqual(train.epochs_completed, 0)

    def test_options(self):
        mnist = self.read(one_hot=True, dtype=tf.uint8, reshape=False, validation_size=0)
        np.testing.assert_array_equal(mnist.train.images, self.images[..., None])
        np.testing.assert_array_equal(mnist.train.labels, np.eye(10)[self.labels])
        self.assertEqual(mnist.train.labels.dtype, np.float64)
        self.assertEqual(mnist.validation.num_examples, 0)

    def test_batches_go_over_all_examples_in_each_epoch(self):
        train = self.read(dtype=tf.uint8, seed=3).train
        rows = {row.tobytes() for row in self.images[5:]}
        first = [train.next_batch(5) for _ in range(3)]
        self.assertEqual({row.tobytes() for images, _ in first for row in images}, rows)
        self.assertEqual(train.epochs_completed, 0)
        self.assertEqual(train.next_batch(5)[0].shape, (5, ROWS * COLS))
        self.assertEqual(train.epochs_completed, 1)
        self.assertEqual(len(train.next_batch(12)[1]), 12)
        self.assertEqual(train.epochs_completed, 2)

    def test_order_is_numpys(self):
        train = self.read(dtype=tf.uint8, seed=7).train
        order = np.arange(15)
        np.random.RandomState(7).shuffle(order)
        images, labels = train.next_batch(6)
        np.testing.assert_array_equal(images, self.images[5:].reshape([15, -1])[order[:6]])
        np.testing.assert_array_equal(labels, self.labels[5:][order[:6]])
        np.testing.assert_array_equal(train.labels, self.labels[5:][order])

    def test_without_shuffling(self):
        train = self.read().train
        np.testing.assert_array_equal(train.next_batch(4, shuffle=False)[1], self.labels[5:9])
        np.testing.assert_array_equal(train.next_batch(2, shuffle=False)[1], self.labels[9:11])

    def test_seed_of_the_graph(self):
        with tf.Graph().as_default():
            tf.set_random_seed(7)
            labels = self.read().train.next_batch(6)[1]
        np.testing.assert_array_equal(labels, self.read(seed=7).train.next_batch(6)[1])

    def test_fake_data(self):
        mnist = input_data.read_data_sets('/nowhere', fake_data=True, one_hot=True)
        images, labels = mnist.train.next_batch(2, fake_data=True)
        self.assertEqual(np.shape(images), (2, 784))
        self.assertEqual(labels, [[1] + [0] * 9] * 2)
        self.assertEqual(mnist.train.num_examples, 10000)
        self.assertEqual(self.read().train.next_batch(3, fake_data=True)[1], [0, 0, 0])

    def test_missing_files(self):
        os.remove(os.path.join(self.folder, NAMES[2] + '.gz'))
        with self.assertRaises(tf.errors.NotFoundError) as raised:
            self.read()
        for part in (*NAMES, self.folder, 'dataset-fashion-mnist'):
            self.assertIn(part, str(raised.exception))

    def test_wrong_options(self):
        with self.assertRaisesRegex(TypeError, 'Invalid image dtype .*, expected uint8 or float32'):
            self.read(dtype=tf.int32)
        with self.assertRaisesRegex(ValueError, 'alidation'):
            self.read(validation_size=21)

    def test_damaged_file(self):
        with open(os.path.join(self.folder, NAMES[0] + '.gz'), 'wb') as file:
            file.write(b'\0\0\x08\x03\0\0')
        with self.assertRaises(tf.errors.DataLossError):
            self.read()

    def test_other_names(self):
        self.assertIs(tf.contrib.learn.datasets.mnist.read_data_sets, input_data.read_data_sets)
        self.assertEqual(tf.contrib.learn.datasets.mnist.load_mnist.__name__, 'load_mnist')


if __name__ == '__main__':
    unittest.main()
