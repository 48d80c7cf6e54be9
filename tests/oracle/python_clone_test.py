"""Symptom: TensorFlow rejects a clone made by Ramet, computes different values from it, or cannot continue
its training.

ramet.clone copies models that TensorFlow wrote: every case in the folder RAMET_ZOO (skipped if it is not set), in
its own graph and into a different one, and programs defined here. TensorFlow imports Ramet's export and must
compute the same values as with the originals. Needs tensorflow and the package ramet on the path.
"""

import importlib.util
import json
import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')
os.environ.setdefault('TF_ENABLE_ONEDNN_OPTS', '0')

import numpy as np

import ramet
import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

ZOO = os.environ.get('RAMET_ZOO')


def runner(package):
    """Returns the zoo's own runner, applied to one of the packages."""
    spec = importlib.util.spec_from_file_location('run_zoo', os.path.join(ZOO, 'run_zoo.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tf = package
    return module


def start(session, clone):
    """Initializes a clone in a session of the original; variables without a value get the originals'."""
    session.run([v.initializer for v in clone.variables
                 if not session.run(rt.is_variable_initialized(v))])
    session.run(clone.init_op)


def name_of(clone, name):
    return clone.transformed(name).name


def renamed(case, clone):
    """Returns the steps of a case, renamed for its clone."""
    steps = []
    for step in case['steps']:
        steps.append({**step, 'feeds': {name_of(clone, k): v for k, v in step['feeds'].items()},
                      'fetches': [name_of(clone, f) for f in step['fetches']],
                      'targets': [name_of(clone, t) for t in step.get('targets', [])]})
    return steps


def table_steps(case, folder, graph, clone):
    """Returns [(operation, {tensor: file})] that fill the clone's tables."""
    files = {}
    if case['kind'] == 'savedmodel':
        assets = os.path.join(folder, case['files']['saved_model'], 'assets')
        names = sorted(os.listdir(assets)) if os.path.isdir(assets) else []
        found = dict.fromkeys(graph.get_collection('asset_filepaths'))
        originals = [t for t in found if t in clone.tensors]
        files = {clone.transformed(t).name: os.path.join(assets, n)
                 for t, n in zip(originals, names, strict=True)}
    ops = [op for op in graph.get_collection('table_initializer') if op in clone.ops]
    ops += [graph.get_operation_by_name(name) for name in case.get('init_ops', [])]
    return [(clone.transformed(op).name, files) for op in ops]


@unittest.skipIf(not ZOO, 'skipped: RAMET_ZOO is not set')
class ZooTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.ours, cls.theirs = runner(rt), runner(tf)

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.prefix = os.path.join(scratch.name, 'clone')

    def cases(self):
        for name in sorted(os.listdir(ZOO)):
            folder = os.path.join(ZOO, name)
            if not os.path.exists(os.path.join(folder, 'case.json')):
                continue
            with open(os.path.join(folder, 'case.json'), encoding='utf-8') as file:
                case = json.load(file)
            if 'fetch' not in case:
                yield name, folder, case

    def export(self, session, variables):
        """Exports the session's graph, and a checkpoint if there are variables."""
        with session.graph.as_default():
            if variables:
                rt.train.Saver(variables).save(session, self.prefix)
            else:
                rt.train.export_meta_graph(self.prefix + '.meta')

    def run_in_tensorflow(self, case, folder, steps, tables):
        config = self.theirs.session_config(case.get('session', {}))
        with tf.Graph().as_default(), tf.Session(config=config) as session:
            saver = tf.train.import_meta_graph(self.prefix + '.meta')
            if os.path.exists(self.prefix + '.index'):
                saver.restore(session, self.prefix)
            for op, feeds in tables:
                session.run(op, feeds)
            outs = []
            for step in steps:
                feeds = {k: self.theirs.load_array(v, folder) for k, v in step['feeds'].items()}
                try:
                    outs.append(session.run([step['fetches'], step['targets']], feeds)[0])
                except Exception as error:  # a step of the zoo may be expected to fail
                    outs.append(error)
        _, bad = self.theirs.check({**case, 'steps': steps}, folder, outs)
        self.assertEqual(bad, [])

    def test_beside_the_original(self):
        for name, folder, case in self.cases():
            with self.subTest(name):
                config = self.ours.session_config(case.get('session', {}))
                graph, session = self.ours.load_graph(case, folder, config)
                with graph.as_default(), session:
                    clone = ramet.clone(graph, dst_scope='the_clone', initial='current')
                    start(session, clone)
                    self.export(session, list(clone.variables.values()))
                self.run_in_tensorflow(case, folder, renamed(case, clone),
                                       table_steps(case, folder, graph, clone))
                self.remove_files()

    def test_in_another_graph(self):
        for name, folder, case in self.cases():
            with self.subTest(name):
                config = self.ours.session_config(case.get('session', {}))
                graph, session = self.ours.load_graph(case, folder, config)
                other = rt.Graph()
                with graph.as_default(), session:
                    session.run([v.initializer for v in rt.global_variables()
                                 if not session.run(rt.is_variable_initialized(v))])
                    clone = ramet.clone(graph, dst_scope='', into=other, initial='current',
                                        session=session)
                with rt.Session(graph=other, config=config) as own:
                    own.run(clone.init_op)
                    self.export(own, list(clone.variables.values()))
                self.run_in_tensorflow(case, folder, renamed(case, clone),
                                       table_steps(case, folder, graph, clone))
                self.remove_files()

    def remove_files(self):
        for file in os.listdir(os.path.dirname(self.prefix)):
            os.remove(os.path.join(os.path.dirname(self.prefix), file))


def build(use_resource):
    """Builds a TensorFlow program with partitioned variables, a branch, a loop and a table before y."""
    tf.set_random_seed(3)
    x = tf.placeholder(tf.float32, [None, 4], name='x')
    words = tf.placeholder(tf.string, [None], name='words')
    table = tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(['a', 'b', 'c'], tf.constant([0, 1, 2], tf.int64)), 0)
    with tf.variable_scope('net', use_resource=use_resource):
        p = tf.get_variable('p', [6, 4], partitioner=tf.fixed_size_partitioner(3))
        w = tf.get_variable('w', [4, 4])
        b = tf.get_variable('b', [4], initializer=tf.ones_initializer())
        steps = tf.get_variable('steps', initializer=3, trainable=False)
        rows = tf.nn.embedding_lookup(p, table.lookup(words))
        hidden = tf.cond(tf.reduce_sum(x) > 0, lambda: tf.tanh(tf.matmul(x, w) + b),
                         lambda: tf.matmul(x, w) * b)
        y = tf.while_loop(lambda i, h: i < steps,
                          lambda i, h: (i + 1, tf.tanh(tf.matmul(h, w)) + b), [0, hidden])[1]
    y = tf.add(y, rows, name='y')
    return tf.reduce_mean(tf.square(y), name='loss')


FEEDS = {'x:0': np.linspace(-1, 2, 12, dtype='f').reshape(3, 4),
         'words:0': np.array([b'a', b'c', b'b'], object)}


class ProgramTest(unittest.TestCase):
    """Clones the part between x, words and the loss of a program whose code is not available."""

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.theirs = os.path.join(scratch.name, 'theirs')
        self.ours = os.path.join(scratch.name, 'ours')

    def write(self, use_resource):
        """Trains a little in TensorFlow and saves; returns the outputs, and the loss of each next step."""
        with tf.Graph().as_default(), tf.Session() as session:
            loss = build(use_resource)
            step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, name='step')
            session.run([tf.global_variables_initializer(), tf.tables_initializer()])
            for _ in range(3):
                session.run(step, FEEDS)
            tf.train.Saver().save(session, self.theirs)
            outs = session.run(['y:0', 'loss:0'], FEEDS)
            losses = [session.run([loss, step], FEEDS)[0] for _ in range(5)]
        return outs, losses

    def clone(self, **options):
        """Restores in Ramet, clones, and saves only the clone's variables."""
        with rt.Graph().as_default(), rt.Session() as session:
            rt.train.import_meta_graph(self.theirs + '.meta').restore(session, self.theirs)
            clone = ramet.clone(inputs=['x:0', 'words:0'], outputs=['y:0', 'loss:0'], **options)
            session.run(clone.init_op)
            feeds = {clone.transformed(k): v for k, v in FEEDS.items()}
            session.run(rt.tables_initializer())
            own = session.run([clone.transformed('y:0'), clone.transformed('loss:0')], feeds)
            gradients = rt.gradients(clone.transformed('loss:0'), list(clone.variables.values()))
            own_gradients = session.run([g for g in gradients if g is not None], feeds)
            rt.train.Saver(list(clone.variables.values())).save(session, self.ours)
            names = {k: clone.transformed(k).name for k in [*FEEDS, 'y:0', 'loss:0']}
        return own, own_gradients, names

    def test_a_clone_goes_on_in_tensorflow(self):
        for use_resource in (False, True):
            for initial in ('current', self.theirs):
                with self.subTest(use_resource=use_resource, initial=initial):
                    outs, losses = self.write(use_resource)
                    own, own_gradients, names = self.clone(initial=initial, dst_scope='copy')
                    self.assert_goes_on(outs, losses, own, own_gradients, names)

    def assert_goes_on(self, outs, losses, own, own_gradients, names):
        for a, b in zip(own, outs, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
        feeds = {names[k]: v for k, v in FEEDS.items()}
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.train.import_meta_graph(self.ours + '.meta').restore(session, self.ours)
            session.run([op for op in tf.get_collection('table_initializer')
                         if op.name.startswith('copy/')])
            for a, b in zip(session.run([names['y:0'], names['loss:0']], feeds), outs, strict=True):
                np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-6)
            variables = [v for v in tf.global_variables() if v.name.startswith('copy/')]
            self.assertEqual(len(variables), 6)
            self.assertEqual([v.op.name for v in tf.trainable_variables()
                              if v.name.startswith('copy/')],
                             [f'copy/net/{n}' for n in ('p/part_0', 'p/part_1', 'p/part_2', 'w',
                                                        'b')])
            loss = graph.get_tensor_by_name(names['loss:0'])
            gradients = [g for g in tf.gradients(loss, variables) if g is not None]
            for a, b in zip(session.run(gradients, feeds), own_gradients, strict=True):
                for x, y in zip(a if hasattr(a, 'values') else [a],
                                b if hasattr(b, 'values') else [b], strict=True):
                    np.testing.assert_allclose(x, y, rtol=1e-4, atol=1e-6)
            step = tf.train.GradientDescentOptimizer(0.1).minimize(
                loss, var_list=[v for v in variables if v.trainable])
            trained = [session.run([loss, step], feeds)[0] for _ in range(5)]
        np.testing.assert_allclose(trained, losses, rtol=1e-4)

    def test_in_other_dtypes_and_without_training(self):
        for use_resource in (False, True):
            outs, _ = self.write(use_resource)
            for dtype, tolerance in ((rt.float64, 1e-5), (rt.float16, 0.02), (rt.bfloat16, 0.1)):
                with self.subTest(dtype=dtype.name, use_resource=use_resource):
                    own, own_gradients, names = self.clone(
                        dtype=dtype, strip_training=True, initial='current', dst_scope='copy')
                    feeds = {names[k]: v for k, v in FEEDS.items()}
                    with tf.Graph().as_default(), tf.Session() as session:
                        tf.train.import_meta_graph(self.ours + '.meta').restore(session, self.ours)
                        session.run([op for op in tf.get_collection('table_initializer')
                                     if op.name.startswith('copy/')])
                        theirs = session.run([names['y:0'], names['loss:0']], feeds)
                        dtypes = {v.dtype.base_dtype.name for v in tf.trainable_variables()
                                  if v.name.startswith('copy/')}
                    self.assertEqual(dtypes, {dtype.name})
                    for a, b, c in zip(theirs, outs, own, strict=True):
                        np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
                        np.testing.assert_allclose(a, c, rtol=tolerance, atol=tolerance)
                    for g in own_gradients:
                        value = np.asarray(getattr(g, 'values', g), 'd')
                        self.assertTrue(np.isfinite(value).all())

    def test_what_keeps_up_with_the_original_runs_in_tensorflow(self):
        for use_resource in (False, True):
            self.write(use_resource)
            with rt.Graph().as_default(), rt.Session() as session:
                rt.train.import_meta_graph(self.theirs + '.meta').restore(session, self.theirs)
                clone = ramet.clone(inputs=['x:0', 'words:0'], outputs='loss:0')
                ops = [clone.init_op.name, clone.update_op.name, clone.polyak_op(0.25).name]
                session.run(clone.init_op)
                rt.train.Saver().save(session, self.ours)
                pairs = {a.name: b.name for a, b in clone.variables.items()}
            with tf.Graph().as_default(), tf.Session() as session:
                tf.train.import_meta_graph(self.ours + '.meta').restore(session, self.ours)
                values = {v.name: v for v in tf.global_variables()}
                for op, tau in zip(ops[1:], (1, 0.25), strict=True):
                    session.run(ops[0])
                    before = session.run({n: values[n] for n in [*pairs, *pairs.values()]})
                    session.run(op)
                    after = session.run({n: values[n] for n in pairs.values()})
                    for original, copy in pairs.items():
                        part = 1 if 'steps' in copy else tau
                        np.testing.assert_allclose(
                            after[copy], part * before[original] + (1 - part) * before[copy],
                            rtol=1e-5, atol=1e-7, err_msg=copy)


if __name__ == '__main__':
    unittest.main()
