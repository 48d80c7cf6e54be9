"""Symptom: a model of tf.keras trains differently than in Keras 2, or a file of one does not load in the other.

Each model is built in both packages, gets the same initial values and the same data. Needs tensorflow, tf_keras, and
the package ramet on the path.
"""

import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('TF_USE_LEGACY_KERAS', '1')

import numpy as np
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf
from python_keras_cases import CASES

try:
    import tf_keras
except ImportError:
    tf_keras = None

tf.disable_v2_behavior()


@unittest.skipIf(tf_keras is None, 'tf_keras is not installed')
class KerasTest(unittest.TestCase):
    """Has one test per model; see add_tests."""

    maxDiff = None

    def both(self, build):
        tf.keras.backend.clear_session()
        rt.keras.backend.clear_session()
        want, got = build(tf.keras), build(rt.keras)
        self.assertEqual([tuple(w.shape.as_list()) for w in want.weights],
                         [tuple(w.shape.as_list()) for w in got.weights])
        got.set_weights(want.get_weights())
        return want, got

    def same_arrays(self, want, got, told=''):
        self.assertEqual(len(want), len(got))
        for w, g in zip(want, got):
            np.testing.assert_allclose(g, w, rtol=2e-4, atol=2e-5, err_msg=told)

    def trained(self, build, x, y, **arguments):
        """Trains both models and compares them; returns both."""
        want, got = self.both(build)
        histories = []
        for model in (want, got):
            np.random.seed(3)
            histories.append(model.fit(x, y, batch_size=8, epochs=3, verbose=0, **arguments).history)
        self.assertEqual(list(histories[0]), list(histories[1]))
        for name in histories[0]:
            np.testing.assert_allclose(histories[1][name], histories[0][name], rtol=1e-3, atol=1e-4, err_msg=name)
        self.same_arrays(want.get_weights(), got.get_weights(), 'variables')
        self.same_arrays(_listed(want.predict(x)), _listed(got.predict(x)), 'predictions')
        self.same_arrays(_listed(want.evaluate(x, y, verbose=0)), _listed(got.evaluate(x, y, verbose=0)), 'evaluation')
        return want, got

    def test_weights_of_samples_and_classes(self):
        build, x, y = CASES['sparse']
        weights = np.linspace(0.1, 2, len(x))
        self.trained(build, x, y, sample_weight=weights, class_weight={0: 1., 1: 2., 2: 0.5})
        self.trained(build, x, y, validation_data=(x, y, weights))

    def test_validation_split_and_batches_in_order(self):
        build, x, y = CASES['binary']
        self.trained(build, x, y, validation_split=0.25, shuffle=False)

    def test_configurations_are_equal(self):
        for name in ('functional', 'conv2d', 'bidirectional', 'stacked', 'regularized', 'nested', 'encoder_decoder'):
            with self.subTest(name):
                want, got = self.both(CASES[name][0])
                loaded = tf.keras.models.model_from_json(got.to_json())
                self.same_predictions(got, loaded, name)
                loaded = rt.keras.models.model_from_json(want.to_json())
                self.same_predictions(want, loaded, name)

    def same_predictions(self, source, loaded, name):
        loaded.set_weights(source.get_weights())
        x = CASES[name][1]
        self.same_arrays(_listed(source.predict(x)), _listed(loaded.predict(x)), name)

    def test_files_in_both_directions(self):
        for name in ('functional', 'conv2d', 'bidirectional', 'embedding', 'adam', 'nested'):
            build, x, y = CASES[name]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                want, got = self.trained(build, x, y)
                for source, package in ((want, rt), (got, tf)):
                    path = os.path.join(folder, f'{package.__name__}.h5')
                    source.save(path)
                    loaded = package.keras.models.load_model(path)
                    self.same_arrays(_listed(source.predict(x)), _listed(loaded.predict(x)), 'model')
                    self.same_arrays(_listed(source.train_on_batch(x, y)), _listed(loaded.train_on_batch(x, y)), 'loss')
                    self.same_arrays(source.get_weights(), loaded.get_weights(), 'after a step')

    def test_weight_files_in_both_directions(self):
        for name in ('functional', 'regularized', 'lstm', 'adam'):
            build, x, y = CASES[name]
            with self.subTest(name), tempfile.TemporaryDirectory() as folder:
                want, got = self.trained(build, x, y)
                for source, target in ((want, got), (got, want)):
                    for end in ('.h5', ''):
                        path = os.path.join(folder, 'weights' + end)
                        source.save_weights(path)
                        values = source.get_weights()
                        target.set_weights([np.zeros_like(v) for v in values])
                        target.load_weights(path)
                        self.same_arrays(values, target.get_weights(), path)


def _listed(value):
    return value if isinstance(value, list) else [value]


def add_tests():
    for name, (build, x, y) in CASES.items():
        setattr(KerasTest, f'test_model_{name}', lambda self, b=build, x=x, y=y: self.trained(b, x, y) and None)


add_tests()

if __name__ == '__main__':
    unittest.main()
