"""Symptom: TensorFlow cannot use the files of an estimator, or computes other values from them.

TensorFlow 2 has no estimators. It loads the SavedModels, continues training from the checkpoints and reads the event
files that Ramet's write. Needs tensorflow, and the package ramet on the path.
"""

import itertools
import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import numpy as np
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
rt.logging.set_verbosity(rt.logging.ERROR)
X = np.random.RandomState(0).randn(60, 2).astype(np.float32)
LABELS = (X.sum(axis=1) > 0).astype(np.int64)


def inputs():
    return rt.data.Dataset.from_tensor_slices(({'x': X}, LABELS)).repeat().batch(20, drop_remainder=True)


def once():
    return rt.data.Dataset.from_tensors(({'x': X}, LABELS))


def receiver():
    serialized = rt.placeholder(rt.string, [None], name='examples')
    return rt.estimator.export.ServingInputReceiver(
        {'x': rt.reshape(rt.decode_raw(serialized, rt.float32), [-1, 2])}, {'examples': serialized})


def estimators(folder):
    columns = [rt.feature_column.numeric_column('x', shape=2),
               rt.feature_column.bucketized_column(rt.feature_column.numeric_column('x', shape=2), [-1., 0., 1.])]
    config = rt.estimator.RunConfig(tf_random_seed=1, save_summary_steps=5)

    def options(name):
        return {'model_dir': os.path.join(folder, name), 'config': config}

    yield rt.estimator.LinearClassifier(columns[:1], **options('linear'))
    yield rt.estimator.DNNClassifier([8, 4], columns, dropout=.2, batch_norm=True, **options('deep'))
    yield rt.estimator.DNNLinearCombinedClassifier(
        linear_feature_columns=columns[:1], dnn_feature_columns=columns, dnn_hidden_units=[4], **options('both'))
    yield rt.estimator.BaselineClassifier(**options('baseline'))


class EstimatorTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.estimators = list(estimators(folder.name))
        for estimator in self.estimators:
            estimator.train(inputs, steps=10)

    def test_tensorflow_serves_the_model(self):
        for estimator in self.estimators:
            with self.subTest(model=estimator.model_dir):
                path = estimator.export_saved_model(estimator.model_dir + '-served', receiver).decode()
                # A constant model does not read its inputs, so that they do not end.
                found = itertools.islice(estimator.predict(once), len(X))
                expected = [prediction['probabilities'] for prediction in found]
                with tf.Session(graph=tf.Graph()) as session:
                    signatures = tf.saved_model.loader.load(session, ['serve'], path).signature_def
                    self.assertEqual(set(signatures), {'serving_default', 'classification', 'regression', 'predict'})
                    signature = signatures['serving_default']
                    scores = session.run(signature.outputs['scores'].name,
                                         {signature.inputs['inputs'].name: [row.tobytes() for row in X]})
                np.testing.assert_allclose(scores, expected, rtol=1e-5, atol=1e-6)

    def test_tensorflow_continues_training(self):
        for estimator in self.estimators:
            with self.subTest(model=estimator.model_dir), tf.Graph().as_default(), tf.Session() as session:
                path = estimator.latest_checkpoint()
                tf.train.import_meta_graph(path + '.meta').restore(session, path)
                session.run(tf.get_collection(tf.GraphKeys.LOCAL_INIT_OP))
                session.run([op for op in session.graph.get_operations() if op.type == 'MakeIterator'])
                self.assertEqual(session.run('global_step:0'), 10)
                loss, steps = tf.get_collection('losses')[-1], tf.get_collection(tf.GraphKeys.TRAIN_OP)
                first = np.mean([session.run(loss) for _ in range(3)])
                for _ in range(60):
                    session.run(steps)
                self.assertLessEqual(np.mean([session.run(loss) for _ in range(3)]), first)

    def test_tensorflow_reads_the_event_files(self):
        for estimator in self.estimators:
            result = estimator.evaluate(once)
            found = {}
            for name in os.listdir(estimator.eval_dir()):
                for event in tf.train.summary_iterator(os.path.join(estimator.eval_dir(), name)):
                    found.update({value.tag: value for value in event.summary.value})
            for name, value in result.items():
                if name != 'global_step':
                    self.assertAlmostEqual(found[name].simple_value, value, places=6)
            text = tf.make_ndarray(found['checkpoint_path'].tensor).item()
            self.assertEqual(text.decode(), estimator.latest_checkpoint())


if __name__ == '__main__':
    unittest.main()
