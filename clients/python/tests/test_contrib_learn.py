"""Tests of tf.contrib.learn and tf.contrib.predictor."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

learn = tf.contrib.learn
X = np.linspace(-1, 1, 40, dtype=np.float32)[:, np.newaxis]
Y = 3 * X + 1


def line(features, labels, mode):
    predictions = tf.layers.dense(features, 1, name='line')
    if mode == learn.ModeKeys.INFER:
        return learn.ModelFnOps(mode, predictions={'y': predictions})
    loss = tf.losses.mean_squared_error(labels, predictions)
    train_op = tf.train.GradientDescentOptimizer(.3).minimize(loss, tf.train.get_global_step())
    return learn.ModelFnOps(mode, predictions={'y': predictions}, loss=loss, train_op=train_op)


def dataset(repeat=None):
    return tf.data.Dataset.from_tensor_slices((X, Y)).repeat(repeat).batch(10, drop_remainder=True)


class LearnTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_fits_arrays(self):
        estimator = learn.Estimator(line, self.folder, learn.RunConfig(save_checkpoints_secs=60))
        with self.assertRaises(learn.NotFittedError):
            estimator.predict(X)
        self.assertIs(estimator.fit(X, Y, steps=60, batch_size=10), estimator)
        self.assertLess(estimator.evaluate(X, Y)['loss'], .01)
        values = estimator.predict(X[:3], as_iterable=False)
        np.testing.assert_allclose(values['y'], Y[:3], atol=.1)
        scored = learn.SKCompat(estimator).score(X, Y)
        self.assertEqual(scored['global_step'], 60)
        with self.assertRaisesRegex(ValueError, 'Either x or input_fn'):
            estimator.fit(steps=1)

    def test_model_function_may_return_a_tuple(self):
        def model_fn(features, labels):
            predictions = tf.layers.dense(features, 1)
            loss = tf.losses.mean_squared_error(labels, predictions)
            return predictions, loss, tf.train.GradientDescentOptimizer(.1).minimize(loss, tf.train.get_global_step())

        learn.Estimator(model_fn, self.folder).fit(input_fn=dataset, steps=2)

    def test_runs_an_experiment(self):
        def experiment_fn(run_config, hparams):
            self.assertEqual(hparams.rate, .1)
            estimator = tf.estimator.Estimator(
                lambda features, labels, mode: line(features, labels, mode).estimator_spec(), config=run_config)
            return learn.Experiment(estimator, dataset, lambda: dataset(1), train_steps=20, eval_steps=None)

        metrics, _ = learn.learn_runner.run(
            experiment_fn, run_config=tf.estimator.RunConfig(model_dir=self.folder),
            hparams=tf.contrib.training.HParams(rate=.1))
        self.assertEqual(metrics['global_step'], 20)
        with self.assertRaisesRegex(ValueError, 'Must set value for `output_dir` or `run_config`'):
            learn.learn_runner.run(experiment_fn)

    def test_predictor(self):
        estimator = tf.estimator.Estimator(
            lambda features, labels, mode: line(features['x'], labels, mode).estimator_spec(), self.folder)
        estimator.train(lambda: dataset().map(lambda x, y: ({'x': x}, y)), steps=60)
        receiver = tf.estimator.export.build_raw_serving_input_receiver_fn(
            {'x': tf.placeholder(tf.float32, [None, 1], name='x')})
        found = tf.contrib.predictor.from_estimator(estimator, receiver)({'x': X[:2]})
        np.testing.assert_allclose(found['y'], Y[:2], atol=.1)
        path = estimator.export_saved_model(os.path.join(self.folder, 'export'), receiver).decode()
        predictor = tf.contrib.predictor.from_saved_model(path)
        np.testing.assert_allclose(predictor({'x': X[:2]})['y'], found['y'])
        self.assertEqual(set(predictor.feed_tensors), {'x'})
        with self.assertRaisesRegex(ValueError, 'Got unexpected keys in input_dict'):
            predictor({'z': 1})

    def test_vocabulary_processor(self):
        processor = learn.preprocessing.VocabularyProcessor(4)
        texts = ['the cat saw the dog', 'a cat']
        found = np.array(list(processor.fit_transform(texts)))
        np.testing.assert_array_equal(found, [[1, 2, 3, 1], [5, 2, 0, 0]])
        self.assertEqual(len(processor.vocabulary_), 6)
        self.assertEqual(list(processor.transform(['bird cat']))[0].tolist(), [0, 2, 0, 0])
        self.assertEqual(list(processor.reverse([[1, 2]])), ['the cat'])
        path = os.path.join(self.folder, 'processor')
        processor.save(path)
        again = learn.preprocessing.VocabularyProcessor.restore(path)
        np.testing.assert_array_equal(list(again.transform(texts)), found)
        rare = learn.preprocessing.VocabularyProcessor(2, min_frequency=1)
        np.testing.assert_array_equal(list(rare.fit_transform(texts)), [[2, 1], [0, 1]])
        self.assertEqual(list(learn.preprocessing.ByteProcessor(3).transform(['ab', 'abcd']))[1].tolist(), [97, 98, 99])

    def test_datasets(self):
        path = os.path.join(self.folder, 'data.csv')
        with open(path, 'w') as file:
            file.write('2,3,a,b\n1.5,2,3,0\n4,5,6,1\n')
        data = learn.datasets.base.load_csv_with_header(path, np.int64, np.float32)
        np.testing.assert_array_equal(data.data, [[1.5, 2, 3], [4, 5, 6]])
        self.assertEqual(data.target.tolist(), [0, 1])
        with open(path, 'w') as file:
            file.write('3,3,a,b\n1.5,2,3,0\n')
        with self.assertRaisesRegex(ValueError, 'the header announces 3 rows'):
            learn.datasets.base.load_csv_with_header(path, np.int64, np.float32)
        circles = learn.datasets.synthetic.circles(n_samples=10, seed=1)
        np.testing.assert_allclose(np.linalg.norm(circles.data, axis=1), np.where(circles.target, .8, 1))


if __name__ == '__main__':
    unittest.main()
