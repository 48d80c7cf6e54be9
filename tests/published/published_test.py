"""Symptom: a published model gives other values than in TensorFlow, as it is or after a change.

Needs tensorflow, tf_keras, the package ramet on the path, and pip's access to the packages of packages.py.
"""

import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

import packages
from models import KERAS_MODELS, MODELS

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')


# A SavedModel of TensorFlow 2 lists no variables, so that saving it again writes none, as in TensorFlow.
NOT_EXPORTED = 'basic_pitch',


class PublishedTest(unittest.TestCase):
    """Has tests per model; see add_tests."""

    def same(self, got, want):
        self.assertEqual(len(got), len(want))
        for g, w in zip(got, want):
            if np.asarray(w).dtype.kind in 'OSU':
                np.testing.assert_array_equal(g, w)
            else:
                np.testing.assert_allclose(g, w, rtol=2e-3, atol=2e-5)

    def wanted(self, name):
        package, load = MODELS[name]
        with tf.Graph().as_default(), tf.Session() as session:
            outputs, feeds = load(tf, session, packages.folder_of(package))
            return session.run(outputs, feeds)

    def check_runs(self, name):
        package, load = MODELS[name]
        with rt.Graph().as_default(), rt.Session() as session:
            outputs, feeds = load(rt, session, packages.folder_of(package))
            self.same(session.run(outputs, feeds), self.wanted(name))

    def check_clones(self, name):
        """A clone within the graph, with variables of its own, gives the same values."""
        package, load = MODELS[name]
        with rt.Graph().as_default() as graph, rt.Session() as session:
            outputs, feeds = load(rt, session, packages.folder_of(package))
            tensors = [graph.get_tensor_by_name(output) for output in outputs]
            inputs = [graph.get_tensor_by_name(feed) for feed in feeds]
            copy = ramet.clone(inputs=inputs, outputs=tensors, initial='current', session=session)
            session.run(copy.init_op)
            own_feeds = {copy.transformed(tensor): feeds[tensor.name] for tensor in inputs}
            got = session.run([copy.transformed(tensor) for tensor in tensors], own_feeds)
            self.same(got, session.run(outputs, feeds))

    def check_freezes(self, name):
        """TensorFlow runs the frozen graph."""
        package, load = MODELS[name]
        with rt.Graph().as_default() as graph, rt.Session() as session:
            outputs, feeds = load(rt, session, packages.folder_of(package))
            nodes = sorted({output.partition(':')[0] for output in outputs})
            initializers = [op.name for op in graph.get_operations() if op.name == 'init_all_tables']
            frozen = rt.graph_util.convert_variables_to_constants(
                session, graph.as_graph_def(), nodes + initializers).SerializeToString()
        with tf.Graph().as_default(), tf.Session() as session:
            tf.import_graph_def(tf.GraphDef.FromString(frozen), name='')
            session.run(initializers)
            self.same(session.run(outputs, feeds), self.wanted(name))

    def check_exports(self, name):
        """TensorFlow loads the SavedModel that Ramet writes of the model."""
        package, load = MODELS[name]
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'model')
            with rt.Graph().as_default() as graph, rt.Session() as session:
                outputs, feeds = load(rt, session, packages.folder_of(package))
                tensors = {f'output_{i}': graph.get_tensor_by_name(o) for i, o in enumerate(outputs)}
                inputs = {f'input_{i}': graph.get_tensor_by_name(f) for i, f in enumerate(feeds)}
                # A SavedModel that was loaded keeps its own operation for tables.
                known = graph.get_collection('saved_model_main_op')
                rt.saved_model.simple_save(session, path, inputs, tensors,
                                           legacy_init_op=None if known else rt.tables_initializer())
            with tf.Graph().as_default(), tf.Session() as session:
                tf.saved_model.load(session, ['serve'], path)
                self.same(session.run(outputs, feeds), self.wanted(name))

    def check_keras(self, name):
        import tf_keras

        package, path, shape, options = KERAS_MODELS[name]
        path = os.path.join(packages.folder_of(package), path)
        value = np.random.RandomState(5).uniform(0, 1, shape).astype(np.float32)
        with tf.Graph().as_default(), tf.Session():
            want = tf_keras.models.load_model(path, compile=False, **options).predict(value, verbose=0)
        with rt.Graph().as_default(), rt.Session():
            got = rt.keras.models.load_model(path, compile=False, **options).predict(value)
        self.same([got], [want])


def add_tests():
    checks = {'runs': PublishedTest.check_runs, 'clones': PublishedTest.check_clones,
              'freezes': PublishedTest.check_freezes, 'exports': PublishedTest.check_exports}
    for name in MODELS:
        for what, check in checks.items():
            if what == 'exports' and name in NOT_EXPORTED:
                continue
            setattr(PublishedTest, f'test_{name}_{what}', lambda self, name=name, check=check: check(self, name))
    for name in KERAS_MODELS:
        setattr(PublishedTest, f'test_{name}', lambda self, name=name: self.check_keras(name))


add_tests()

if __name__ == '__main__':
    unittest.main()
