"""Symptom: a dataset of sparse tensors, CSV files or Example messages has other elements, or an error without reason."""

import os
import tempfile
import unittest

import numpy as np

import ramet.compat.v1 as tf


def elements(dataset):
    """Returns all elements of a dataset."""
    iterator = dataset.make_initializable_iterator()
    x = iterator.get_next()
    found = []
    with tf.Session() as session:
        session.run(iterator.initializer)
        try:
            while True:
                found.append(session.run(x))
        except tf.errors.OutOfRangeError:
            return found


def parts(value):
    """Returns the parts of a SparseTensorValue as lists."""
    return [part.tolist() for part in value]


class GraphTest(unittest.TestCase):

    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.folder = self.enterContext(tempfile.TemporaryDirectory())

    def write(self, name, content):
        path = os.path.join(self.folder, name)
        with open(path, 'wb') as file:
            file.write(content)
        return path


class SparseTest(GraphTest):

    def rows(self):
        return tf.data.Dataset.from_tensor_slices(tf.SparseTensor([[0, 0], [1, 2], [2, 1]], [1, 2, 3], [3, 4]))

    def test_rows(self):
        rows = self.rows()
        self.assertEqual((rows.output_types, rows.output_shapes.as_list(), rows.output_classes),
                         (tf.int32, [4], tf.SparseTensor))
        self.assertEqual([parts(x) for x in elements(rows)],
                         [[[[0]], [1], [4]], [[[2]], [2], [4]], [[[1]], [3], [4]]])

    def test_batches(self):
        self.assertEqual([parts(x) for x in elements(self.rows().batch(2))],
                         [[[[0, 0], [1, 2]], [1, 2], [2, 4]], [[[0, 1]], [3], [1, 4]]])

    def test_rows_of_different_shapes_cannot_be_slices(self):
        with self.assertRaisesRegex(ValueError, 'only supported for rank >= 1'):
            tf.data.Dataset.from_tensor_slices(
                tf.SparseTensor(np.zeros([1, 0], np.int64), [1], np.zeros([0], np.int64)))

    def test_a_huge_sparse_batch_is_an_error(self):
        data = tf.data.Dataset.from_tensors(tf.SparseTensor([[0, 0]], [1], [2**62, 2**62])).unbatch()
        with self.assertRaises(tf.errors.OpError):
            elements(data)

    def test_dense_to_sparse_needs_sizes_that_fit(self):
        data = tf.data.Dataset.from_tensors([1, 2, 3])
        for shape, error in (([2], tf.errors.DataLossError), ([2, 2], tf.errors.InvalidArgumentError),
                             ([2**62, 2**62], tf.errors.InvalidArgumentError)):
            with self.subTest(shape), self.assertRaises(error):
                elements(data.apply(tf.data.experimental.dense_to_sparse_batch(2, shape)))

    def test_slices_must_be_ordered(self):
        data = tf.data.Dataset.from_sparse_tensor_slices(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2]))
        with self.assertRaisesRegex(tf.errors.UnimplementedError, 'must be ordered in the batch dimension'):
            elements(data)

    def test_generators_yield_dense_tensors(self):
        with self.assertRaisesRegex(TypeError, 'can yield only dense tensors'):
            tf.data.Dataset.from_generator(lambda: [], output_signature=tf.SparseTensorSpec([2], tf.int32))


class CsvTest(GraphTest):

    def test_a_damaged_record_does_not_end_the_file(self):
        data = tf.data.experimental.CsvDataset(self.write('a.csv', b'1\nx\n3\n'), [tf.int32])
        self.assertEqual(elements(data.apply(tf.data.experimental.ignore_errors())), [(1,), (3,)])

    def test_quoted_fields_over_the_end_of_a_window(self):
        text = b'a\n' * 50000 + b'"' + b'long""' * 40000 + b'",2\n'
        path = self.write('a.csv', b'"' + text.replace(b'"', b'""') + b'",1\r\n' + b'b,2')
        found = elements(tf.data.experimental.CsvDataset(path, ['', 0]))
        self.assertEqual(found, [(text, 1), (b'b', 2)])

    def test_line_ends_at_the_end_of_a_window(self):
        for length in range(65530, 65540):
            with self.subTest(length):
                path = self.write('a.csv', b'x' * length + b'\r\ny\r\n')
                found = elements(tf.data.experimental.CsvDataset(path, ['']))
                self.assertEqual([len(text) for text, in found], [length, 1])

    def test_missing_file(self):
        with self.assertRaises(tf.errors.NotFoundError):
            elements(tf.data.experimental.CsvDataset(f'{self.folder}/none.csv', [0]))

    def test_batches_by_name(self):
        path = self.write('a.csv', b'n,text\n1,a\n2,b\n3,c\n')
        data = tf.data.experimental.make_csv_dataset(path, 2, label_name='n', shuffle=False, num_epochs=1)
        found = [(features['text'].tolist(), label.tolist()) for features, label in elements(data)]
        self.assertEqual(found, [([b'a', b'b'], [1, 2]), ([b'c'], [3])])


def example(value):
    message = tf.train.Example()
    message.features.feature['x'].int64_list.value.extend(value)
    return message.SerializeToString()


class ExampleTest(GraphTest):

    def test_features(self):
        data = tf.data.Dataset.from_tensor_slices([example([1, 2]), example([3])]).batch(2)
        parsed = data.apply(tf.data.experimental.parse_example_dataset({'x': tf.VarLenFeature(tf.int64)}))
        (element,) = elements(parsed)
        self.assertEqual(parts(element['x']), [[[0, 0], [0, 1], [1, 0]], [1, 2, 3], [2, 2]])

    def test_key_twice(self):
        data = tf.data.Dataset.from_tensor_slices([example([1])]).batch(1)
        made = tf.raw_ops.ParseExampleDatasetV2(
            input_dataset=tf.data.experimental.to_variant(data), num_parallel_calls=1, dense_defaults=[np.int64(0)],
            sparse_keys=['x'], dense_keys=['x'], sparse_types=[tf.int64], dense_shapes=[[]],
            output_types=[tf.variant, tf.int64], output_shapes=[None, [None]])
        parsed = tf.data.experimental.from_variant(
            made, (tf.SparseTensorSpec(None, tf.int64), tf.TensorSpec([None], tf.int64)))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'each key may occur once'):
            elements(parsed)

    def test_other_output_types(self):
        data = tf.data.Dataset.from_tensor_slices([example([1])]).batch(1)
        made = tf.raw_ops.ParseExampleDatasetV2(
            input_dataset=tf.data.experimental.to_variant(data), num_parallel_calls=1, dense_defaults=[np.int64(0)],
            sparse_keys=[], dense_keys=['x'], sparse_types=[], dense_shapes=[[]], output_types=[tf.string],
            output_shapes=[[None]])
        parsed = tf.data.experimental.from_variant(made, tf.TensorSpec([None], tf.string))
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, "key 'x' has type int64"):
            elements(parsed)

    def test_batches_of_files(self):
        with tf.python_io.TFRecordWriter(f'{self.folder}/a') as writer:
            for i in range(3):
                writer.write(example([i]))
        data = tf.data.experimental.make_batched_features_dataset(
            f'{self.folder}/a', 2, {'x': tf.FixedLenFeature([], tf.int64)}, shuffle=False, num_epochs=1)
        self.assertEqual([element['x'].tolist() for element in elements(data)], [[0, 1], [2]])


class ContribTest(GraphTest):

    def test_sliding_windows(self):
        data = tf.data.Dataset.range(6)
        found = elements(data.apply(tf.contrib.data.sliding_window_batch(3, window_shift=2)))
        self.assertEqual([x.tolist() for x in found], [[0, 1, 2], [2, 3, 4]])
        with self.assertRaisesRegex(ValueError, 'both `stride` and `window_shift`'):
            tf.contrib.data.sliding_window_batch(3, stride=1, window_shift=2)

    def test_reduced(self):
        reducer = tf.contrib.data.Reducer(lambda k: np.int64(1), lambda state, x: state + x, lambda state: 2 * state)
        with tf.Session() as session:
            self.assertEqual(session.run([tf.contrib.data.reduce_dataset(tf.data.Dataset.range(n), reducer)
                                          for n in (4, 0)]), [14, 2])

    def test_next_batch_of_features(self):
        with tf.python_io.TFRecordWriter(f'{self.folder}/a') as writer:
            writer.write(example([5]))
        batch = tf.contrib.data.read_batch_features(
            f'{self.folder}/a', 1, {'x': tf.FixedLenFeature([], tf.int64)}, randomize_input=False)
        with tf.Session() as session:
            self.assertEqual(session.run(batch)['x'].tolist(), [5])

    def test_options_are_kept(self):
        options = tf.data.Options()
        options.experimental_slack = True
        data = tf.data.Dataset.range(3).with_options(options).map(lambda x: x).batch(2)
        self.assertEqual(data.options(), options)
        self.assertNotEqual(tf.data.Dataset.range(3).options(), options)


if __name__ == '__main__':
    unittest.main()
