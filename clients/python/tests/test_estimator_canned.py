"""Tests of ready estimators and heads. Columns of categories are tested where the ops exist."""

import os
import tempfile
import unittest

import numpy as np
import ramet.compat.v1 as tf

RANDOM = np.random.RandomState(0)
X = RANDOM.randn(120, 2).astype(np.float32)
CLASSES = (X.sum(axis=1) > 0).astype(np.int64)
NUMBERS = (2 * X[:, 0] - X[:, 1] + .5).astype(np.float32)
COLUMNS = [tf.feature_column.numeric_column('x', shape=2)]
WEIGHTS = np.ones(120, np.float32)


def inputs(labels, repeat=None, batch=40):
    features = {'x': X, 'w': WEIGHTS}
    return lambda: tf.data.Dataset.from_tensor_slices((features, labels)).repeat(repeat).batch(
        batch, drop_remainder=True)


def tags(folder):
    """Returns the tags in the event files of a folder."""
    found = set()
    for name in os.listdir(folder):
        if 'tfevents' in name:
            for event in tf.train.summary_iterator(os.path.join(folder, name)):
                found.update(value.tag for value in event.summary.value)
    return found


class CannedTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.options = {'model_dir': folder.name, 'config': tf.estimator.RunConfig(tf_random_seed=1)}

    def run_it(self, estimator, labels, steps=60):
        estimator.train(inputs(labels), steps=steps)
        return estimator.evaluate(inputs(labels, 1))

    def test_linear_classifier(self):
        estimator = tf.estimator.LinearClassifier(COLUMNS, **self.options)
        result = self.run_it(estimator, CLASSES)
        self.assertEqual(set(result), {
            'accuracy', 'accuracy_baseline', 'auc', 'auc_precision_recall', 'average_loss', 'global_step', 'label/mean',
            'loss', 'precision', 'prediction/mean', 'recall'})
        self.assertGreater(result['accuracy'], .9)
        self.assertAlmostEqual(result['label/mean'], CLASSES.mean(), places=5)
        self.assertAlmostEqual(result['loss'], 40 * result['average_loss'], places=3)
        names = estimator.get_variable_names()
        for name in ('global_step', 'linear/linear_model/x/weights', 'linear/linear_model/bias_weights'):
            self.assertIn(name, names)
        self.assertIn('linear/linear_model/x/weights/part_0/Ftrl', ' '.join(names))
        found = tags(estimator.model_dir)
        self.assertLessEqual({'loss', 'average_loss', 'linear/bias', 'linear/fraction_of_zero_weights'}, found)

    def test_deep_classifier(self):
        names = ['a', 'b', 'c']
        labels = np.array(names)[np.digitize(X[:, 0], [-.5, .5])]
        estimator = tf.estimator.DNNClassifier(
            [16, 8], COLUMNS, n_classes=3, label_vocabulary=names, dropout=.1, **self.options)
        result = self.run_it(estimator, labels, 150)
        self.assertEqual(set(result), {'accuracy', 'average_loss', 'global_step', 'loss'})
        self.assertGreater(result['accuracy'], .8)
        prediction = next(estimator.predict(inputs(labels, 1)))
        self.assertEqual(set(prediction), {'logits', 'probabilities', 'class_ids', 'classes', 'all_classes',
                                           'all_class_ids'})
        self.assertEqual(list(prediction['all_classes']), [b'a', b'b', b'c'])
        variables = estimator.get_variable_names()
        for name in ('dnn/hiddenlayer_0/kernel', 'dnn/hiddenlayer_1/bias', 'dnn/logits/kernel',
                     'dnn/hiddenlayer_0/kernel/t_0/Adagrad'):
            self.assertIn(name, variables)
        self.assertIn('dnn/dnn/hiddenlayer_0/fraction_of_zero_values', tags(estimator.model_dir))

    def test_regressors(self):
        linear = tf.estimator.LinearRegressor(COLUMNS, weight_column='w', **self.options)
        result = self.run_it(linear, NUMBERS)
        self.assertEqual(set(result), {'average_loss', 'global_step', 'label/mean', 'loss', 'prediction/mean'})
        self.assertLess(result['average_loss'], .05)
        with tempfile.TemporaryDirectory() as folder:
            deep = tf.estimator.DNNRegressor([8], COLUMNS, model_dir=folder, activation_fn=tf.nn.tanh,
                                             optimizer=tf.train.AdamOptimizer(.05))
            self.assertLess(self.run_it(deep, NUMBERS, 100)['average_loss'], .5)
            values = [p['predictions'][0] for p in deep.predict(inputs(NUMBERS, 1))]
            self.assertGreater(np.corrcoef(values, NUMBERS)[0, 1], .9)

    def test_warm_starts(self):
        first = tf.estimator.DNNClassifier([8], COLUMNS, **self.options)
        first.train(inputs(CLASSES), steps=50)
        with tempfile.TemporaryDirectory() as folder:
            second = tf.estimator.DNNClassifier([8], COLUMNS, model_dir=folder, warm_start_from=first.model_dir,
                                                optimizer=tf.train.GradientDescentOptimizer(1e-9))
            second.train(inputs(CLASSES), steps=1)
            name = 'dnn/hiddenlayer_0/kernel'
            np.testing.assert_allclose(second.get_variable_value(name), first.get_variable_value(name), atol=1e-6)

    def test_linear_and_deep(self):
        estimator = tf.estimator.DNNLinearCombinedClassifier(
            linear_feature_columns=COLUMNS, dnn_feature_columns=COLUMNS, dnn_hidden_units=[8], batch_norm=True,
            **self.options)
        result = self.run_it(estimator, CLASSES)
        self.assertGreater(result['accuracy'], .9)
        self.assertEqual(result['global_step'], 60)
        names = ' '.join(estimator.get_variable_names())
        for name in ('dnn/hiddenlayer_0/kernel/Adagrad', 'linear/linear_model/x/weights/Ftrl',
                     'dnn/hiddenlayer_0/batchnorm_0/gamma'):
            self.assertIn(name, names)
        with self.assertRaisesRegex(ValueError, 'Either linear_feature_columns or dnn_feature_columns'):
            tf.estimator.DNNLinearCombinedRegressor()

    def test_baseline(self):
        estimator = tf.estimator.BaselineRegressor(**self.options)
        result = self.run_it(estimator, NUMBERS, 100)
        self.assertAlmostEqual(result['prediction/mean'], NUMBERS.mean(), delta=.1)
        self.assertIn('baseline/bias', estimator.get_variable_names())

    def test_exports_signatures(self):
        estimator = tf.estimator.LinearClassifier(COLUMNS, **self.options)
        estimator.train(inputs(CLASSES), steps=2)

        def receiver():
            serialized = tf.placeholder(tf.string, [None], name='examples')
            values = tf.reshape(tf.decode_raw(serialized, tf.float32), [-1, 2])
            return tf.estimator.export.ServingInputReceiver({'x': values}, {'examples': serialized})

        path = estimator.export_saved_model(os.path.join(estimator.model_dir, 'export'), receiver)
        with tf.Session(graph=tf.Graph()) as session:
            signatures = tf.saved_model.loader.load(session, ['serve'], path.decode()).signature_def
            self.assertEqual(set(signatures), {'classification', 'predict', 'regression', 'serving_default'})
            outputs = signatures['serving_default'].outputs
            examples = signatures['serving_default'].inputs['inputs'].name
            scores, classes = session.run([outputs['scores'].name, outputs['classes'].name],
                                          {examples: [X[0].tobytes(), X[1].tobytes()]})
            self.assertEqual(scores.shape, (2, 2))
            self.assertEqual(classes.tolist(), [[b'0', b'1']] * 2)

    def test_heads(self):
        heads = [(tf.estimator.BinaryClassHead(thresholds=[.3]), CLASSES, 'recall/positive_threshold_0.3'),
                 (tf.contrib.estimator.multi_class_head(3), CLASSES, 'accuracy'),
                 (tf.contrib.estimator.regression_head(), NUMBERS, 'label/mean'),
                 (tf.contrib.estimator.poisson_regression_head(), np.abs(NUMBERS), 'average_loss'),
                 (tf.estimator.LogisticRegressionHead(name='h'), CLASSES.astype('f'), 'average_loss/h'),
                 (tf.contrib.estimator.multi_label_head(2, classes_for_class_based_metrics=[1]),
                  np.stack([CLASSES, 1 - CLASSES], axis=1), 'auc/class1')]
        for head, labels, metric in heads:
            with self.subTest(head=type(head).__name__), tempfile.TemporaryDirectory() as folder:
                estimator = tf.estimator.LinearEstimator(head, COLUMNS, model_dir=folder)
                self.assertIn(metric, self.run_it(estimator, labels, 3))

    def test_several_heads(self):
        head = tf.contrib.estimator.multi_head([tf.contrib.estimator.regression_head(name='number'),
                                                tf.contrib.estimator.binary_classification_head(name='class')], [1, 2])
        estimator = tf.estimator.DNNEstimator(head, [8], COLUMNS, **self.options)
        labels = {'number': NUMBERS, 'class': CLASSES}
        result = self.run_it(estimator, labels, 100)
        self.assertGreater(result['accuracy/class'], .8)
        self.assertIn('average_loss/number', result)
        prediction = next(estimator.predict(inputs(labels, 1)))
        self.assertIn(('class', 'probabilities'), prediction)

    def test_extensions(self):
        def metric_fn(labels, predictions):
            return {'most': tf.metrics.mean(tf.reduce_max(predictions['predictions']) + 0 * labels)}

        estimator = tf.estimator.add_metrics(tf.estimator.LinearRegressor(COLUMNS, **self.options), metric_fn)
        self.assertIn('most', self.run_it(estimator, NUMBERS, 2))
        forwarded = tf.contrib.estimator.forward_features(estimator, 'w')
        self.assertEqual(next(forwarded.predict(inputs(NUMBERS, 1)))['w'], 1)
        optimizer = tf.contrib.estimator.clip_gradients_by_norm(tf.train.GradientDescentOptimizer(1.), 1e-6)
        with tempfile.TemporaryDirectory() as folder:
            slow = tf.estimator.LinearRegressor(COLUMNS, model_dir=folder, optimizer=optimizer)
            slow.train(inputs(NUMBERS), steps=2)
            self.assertLess(np.abs(slow.get_variable_value('linear/linear_model/x/weights')).max(), 1e-5)

    def test_indicators(self):
        labels = np.array([0, 1, 1, 0] * 10)
        words = np.array([['red'], ['blue'], ['blue'], ['green']] * 10)
        column = tf.feature_column.indicator_column(tf.feature_column.categorical_column_with_vocabulary_list(
            'word', ['red', 'blue', 'green']))
        estimator = tf.estimator.DNNClassifier([4], [column], **self.options)
        given = tf.estimator.inputs.numpy_input_fn({'word': words}, labels, batch_size=20, num_epochs=None,
                                                   shuffle=True)
        estimator.train(given, steps=60)
        once = tf.estimator.inputs.numpy_input_fn({'word': words}, labels, shuffle=False)
        self.assertEqual(estimator.evaluate(once)['accuracy'], 1)

    @unittest.skipUnless('SparseFillEmptyRows' in dir(tf.raw_ops), 'needs ops on sparse tensors')
    def test_wide_and_deep(self):
        fc = tf.feature_column
        job = fc.categorical_column_with_vocabulary_list('job', ['cook', 'pilot', 'poet'])
        age = fc.bucketized_column(fc.numeric_column('age'), [30, 50])
        town = fc.categorical_column_with_hash_bucket('town', 20)
        jobs = np.array(['cook', 'pilot', 'poet', 'cook'] * 15)
        towns = np.array(['rome', 'oslo', 'oslo', 'lima', 'none'] * 12)
        ages = np.linspace(20, 60, 60).astype(np.float32)
        labels = ((jobs == 'cook') & (ages > 30)).astype(np.int64)
        estimator = tf.estimator.DNNLinearCombinedClassifier(
            linear_feature_columns=[job, town, age, fc.crossed_column([age, 'job'], 50)],
            dnn_feature_columns=[fc.embedding_column(town, 4), fc.indicator_column(job), fc.numeric_column('age')],
            dnn_hidden_units=[8], **self.options)
        given = tf.estimator.inputs.numpy_input_fn({'job': jobs, 'town': towns, 'age': ages}, labels, batch_size=20,
                                                   num_epochs=None, shuffle=True)
        estimator.train(given, steps=300)
        once = tf.estimator.inputs.numpy_input_fn({'job': jobs, 'town': towns, 'age': ages}, labels, shuffle=False)
        self.assertGreater(estimator.evaluate(once)['accuracy'], .9)
        names = estimator.get_variable_names()
        for name in ('dnn/input_from_feature_columns/input_layer/town_embedding/embedding_weights',
                     'linear/linear_model/age_bucketized_X_job/weights', 'linear/linear_model/town/weights'):
            self.assertIn(name, names)

    def test_checks_arguments(self):
        with self.assertRaisesRegex(ValueError, 'Unsupported optimizer name'):
            tf.estimator.LinearClassifier(COLUMNS, optimizer='Fast', **self.options).train(inputs(CLASSES), steps=1)
        with self.assertRaisesRegex(ValueError, 'n_classes must be > 2'):
            tf.estimator.MultiClassHead(2)
        with self.assertRaisesRegex(ValueError, 'label_vocabulary'):
            tf.estimator.DNNClassifier([2], COLUMNS, n_classes=3, label_vocabulary=['a'])
        with self.assertRaisesRegex(ValueError, 'Mismatched label shape'):
            tf.estimator.LinearRegressor(COLUMNS, label_dimension=2, **self.options).train(
                inputs(np.stack([NUMBERS] * 3, axis=1)), steps=1)


if __name__ == '__main__':
    unittest.main()
