"""Symptom: the runner of models with recorded results (tests/zoo) misreads or misruns a kind of step.

TensorFlow writes models with all features of a case.json: restore maps, import scopes, tables to initialize, runs that
must fail, tiled feeds, subsampled results, arrays of every kind. The C++ runner must pass them, and must fail if an
expected value, shape, dtype or error is changed.
Needs tensorflow and RAMET_BUILD.
"""

import base64
import json
import os
import subprocess
import tempfile
import unittest

import numpy as np

from import_driving import BUILD, tensorflow

tf = tensorflow()


class Folder:
    """The folder of a case that is being written."""

    def __init__(self, zoo, name, kind):
        self.path = os.path.join(zoo, name)
        os.makedirs(self.path)
        self.case = {'name': name, 'kind': kind, 'files': {}, 'steps': [],
                     'description': '', 'ops_needed_by_steps': {'NotLookedAt': 1}}
        self.count = 0

    def array(self, value):
        value = np.asarray(value)
        if value.dtype.kind in 'OSU':
            return {'dtype': 'string', 'shape': list(value.shape),
                    'base64': [base64.b64encode(e).decode() for e in value.ravel()]}
        self.count += 1
        name = f'{self.count}.npy'
        if value.dtype.name in ('bfloat16', 'float8_e5m2'):
            raw = value.view(np.uint16 if value.itemsize == 2 else np.uint8)
            np.save(os.path.join(self.path, name), raw)
            return {'dtype': value.dtype.name, 'shape': list(value.shape), 'file': name}
        np.save(os.path.join(self.path, name), value)
        return name

    def step(self, feeds, fetches, expected, **more):
        self.case['steps'].append({
            'feeds': {k: v if isinstance(v, dict) else self.array(v) for k, v in feeds.items()},
            'fetches': fetches, 'targets': [], 'rtol': 1e-5, 'atol': 1e-6, 'comment': '',
            'expected': [v if isinstance(v, dict) else self.array(v) for v in expected], **more})

    def write(self):
        with open(os.path.join(self.path, 'case.json'), 'w', encoding='utf-8') as file:
            json.dump(self.case, file)


def write_metagraph(zoo, name, restore_map):
    """Writes two variables, saved under different names; one of them is in no collection."""
    folder = Folder(zoo, name, 'metagraph+v2')
    prefix = os.path.join(folder.path, 'm')
    with tf.Graph().as_default(), tf.Session() as session:
        v = tf.get_variable('v', initializer=[1.0, 2.0], use_resource=False)
        hidden = tf.Variable([5.0], name='hidden', collections=[], use_resource=False)
        x = tf.placeholder(tf.float32, [None, 2], name='x')
        tf.add(x * v, hidden, name='y')
        session.run([v.initializer, hidden.initializer])
        tf.train.Saver({'one': v, 'two': hidden}).save(session, prefix)
    folder.case['files'] = {'meta': 'm.meta', 'checkpoint': 'm'}
    folder.case.update(restore_map=restore_map, import_scope='at', heavy=True)
    x = np.arange(12, dtype='f').reshape(6, 2)
    y = x * [1, 2] + 5
    folder.step({'at/x:0': x}, ['at/y:0'], [y.astype('f')])
    np.save(os.path.join(folder.path, 'one.npy'), x[:1])
    tiled = {'dtype': 'float32', 'file': 'one.npy', 'tile': [6, 1]}
    folder.step({'at/x:0': tiled}, ['at/y:0'], [np.tile(y[:1], [6, 1]).astype('f')])
    part = folder.array(y[::4, ::2].astype('f'))
    folder.step({'at/x:0': x}, ['at/y:0'], [{'dtype': 'float32', 'file': part, 'shape': [6, 2],
                                             'subsample': [4, 2]}])
    folder.step({}, ['at/y:0'], [], error={
        'code': 'InvalidArgumentError', 'message_contains': 'must feed a value for placeholder'})
    return folder


def write_arrays(zoo, name):
    """Returns a frozen graph that returns its feeds, with every kind of array."""
    folder = Folder(zoo, name, 'frozen')
    values = {
        'float32': np.array([1.5, np.nan, np.inf, -np.inf], 'f'),
        'float64': np.array([[1e300], [-0.0]]),
        'float16': np.array([1, 65504, np.nan], np.float16),
        'complex64': np.array([1 + 2j, complex(np.nan, 1)], np.complex64),
        'complex128': np.array(1j),
        'bool': np.array([True, False]),
        'uint64': np.array([2**64 - 1], np.uint64),
        'int8': np.zeros([0, 3], np.int8),
        'string': np.array([[b'a\0b', b''], [b'\xff', b'long' * 20]], object),
        'bfloat16': np.array([1, np.inf, 3.14159]).astype(tf.bfloat16.as_numpy_dtype),
    }
    with tf.Graph().as_default() as graph:
        for dtype in values:
            x = tf.placeholder(tf.as_dtype(dtype), name=dtype)
            tf.identity(x, name='same_' + dtype)
        with open(os.path.join(folder.path, 'g.pb'), 'wb') as file:
            file.write(graph.as_graph_def().SerializeToString())
    folder.case['files'] = {'pb': 'g.pb'}
    for dtype, value in values.items():
        folder.step({dtype + ':0': value}, [f'same_{dtype}:0'], [value])
    folder.step({k + ':0': v for k, v in values.items()}, [f'same_{k}:0' for k in values],
                list(values.values()), targets=['same_float32'])
    return folder


def write_table(zoo, name):
    """Returns a table that an op initializes; a lookup with a different shape fails."""
    folder = Folder(zoo, name, 'metagraph+v2')
    with tf.Graph().as_default() as graph:
        table = tf.lookup.StaticHashTable(
            tf.lookup.KeyValueTensorInitializer(['a', 'b'], tf.constant([1, 2], tf.int64)), -1,
            name='table')
        tf.identity(table.lookup(tf.placeholder(tf.string, [None], name='wanted')), name='values')
        tf.train.export_meta_graph(os.path.join(folder.path, 'm.meta'))
        folder.case['init_ops'] = [table.initializer.name]
    folder.case['files'] = {'meta': 'm.meta'}
    keys = np.array([b'b', b'nothing', b'a'], object)
    folder.step({'wanted:0': keys}, ['values:0'], [np.array([2, -1, 1], np.int64)])
    del graph
    return folder


class ZooFeaturesTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.zoo = scratch.name

    def run_zoo(self, folder):
        folder.write()
        done = subprocess.run([os.path.join(BUILD, 'bin', 'zoo_test')], text=True, timeout=120,
                              env={**os.environ, 'RAMET_ZOO': self.zoo}, capture_output=True,
                              check=False)
        return done.returncode == 0 and '[  PASSED  ] 4 tests' in done.stdout, done.stdout

    def assert_passes(self, folder):
        passed, output = self.run_zoo(folder)
        self.assertTrue(passed, output)

    def test_restore_map(self):
        for i, names in enumerate([['at/v', 'at/hidden:0'], ['at/v:0', 'at/hidden']]):
            with self.subTest(names):
                self.zoo = os.path.join(self.zoo, str(i))
                self.assert_passes(write_metagraph(self.zoo, 'any name-%d' % i,
                                                   dict(zip(['one', 'two'], names, strict=True))))

    def test_arrays(self):
        self.assert_passes(write_arrays(self.zoo, 'arrays'))

    def test_tables(self):
        self.assert_passes(write_table(self.zoo, 'table'))

    def test_what_must_fail_fails(self):
        def one(change):
            self.zoo = os.path.join(self.zoo, 'next')
            folder = write_metagraph(self.zoo, 'model', {'one': 'at/v', 'two': 'at/hidden'})
            change(folder, folder.case['steps'])
            passed, output = self.run_zoo(folder)
            self.assertFalse(passed, output)

        x = np.zeros([2, 2], 'f')
        one(lambda f, s: f.step({'at/x:0': x}, ['at/y:0'], [x + 5.001]))
        one(lambda f, s: f.step({'at/x:0': x}, ['at/y:0'], [(x + 5)[:1]]))
        one(lambda f, s: f.step({'at/x:0': x}, ['at/y:0'], [(x + 5).astype(np.float64)]))
        one(lambda f, s: s[2]['expected'][0].update(shape=[5, 2]))
        one(lambda f, s: s[3]['error'].update(code='NotFoundError'))
        one(lambda f, s: s[3]['error'].update(message_contains='another'))
        one(lambda f, s: s[0].update(error=s[3]['error']))
        one(lambda f, s: f.case.update(restore_map={'one': 'at/v'}))
        one(lambda f, s: f.case.update(init_ops=['nothing']))
        one(lambda f, s: s[0].update(targets=['nothing']))
        one(lambda f, s: f.case.update(kind='another'))


if __name__ == '__main__':
    unittest.main()
