"""Public names: existing names are found, and missing ones are named in the error."""

import importlib
import os
import pickle
import subprocess
import sys
import types
import unittest
from unittest import mock

import ramet.compat.v1 as tf
from ramet.compat import namespace, nearest

from ramet import api

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', '..', '..')


class Room:
    """A stand-in for a class of the package."""


def known():
    """Pretends that all of TensorFlow's names exist, each with its own definition."""
    return {name: name for name in namespace.tensorflow_names()
            if name and not name.endswith(('.', '*'))
            and not name.startswith(('contrib', 'distribute', 'keras', 'raw_ops', 'tpu'))}


class UnavailableTest(unittest.TestCase):
    def setUp(self):
        self.missing = api.Unavailable('nn.foo', lambda name: ['nn.relu', 'nn.elu'])

    def test_uses_raise_and_name_it(self):
        m = self.missing
        uses = [lambda: m(1), lambda: m.bar, lambda: m + 1, lambda: 1 - m, lambda: m[0],
                lambda: list(m), lambda: 1 in m, lambda: isinstance(1, m), lambda: bool(m),
                lambda: issubclass(int, m), lambda: -m, lambda: m < 1, lambda: m.__enter__(),
                lambda: types.new_class('C', (m,)), lambda: setattr(m, 'x', 1), lambda: float(m)]
        for use in uses:
            with self.assertRaisesRegex(
                    api.UnavailableError,
                    'TensorFlow has tf.nn.foo, but Ramet does not have it; '
                    'similar names: tf.nn.relu or tf.nn.elu'):
                use()

    def test_is_a_not_implemented_error(self):
        with self.assertRaises(NotImplementedError):
            self.missing()

    def test_can_be_held(self):
        m = self.missing
        self.assertEqual(repr(m), '<tf.nn.foo: not in Ramet>')
        self.assertEqual({m: 1}[m], 1)
        self.assertFalse(m != m)
        self.assertFalse(hasattr(m, 'bar'))
        self.assertEqual(repr(pickle.loads(pickle.dumps(m))), repr(m))

    def test_old_spelling_says_what_to_write(self):
        with self.assertRaisesRegex(NotImplementedError, 'before TensorFlow 1.0; write tf.where'):
            tf.select(True, 1.0, 2.0)


class ExportTest(unittest.TestCase):
    def test_export_marks_and_returns(self):
        def relu():
            pass
        self.assertIs(api.export('nn.relu', 'relu')(relu), relu)
        self.assertIs(api.export('x')(3.5).__class__, float)

    def test_export_value(self):
        self.assertEqual(api.export_value('test_only.answer', 42), 42)
        self.assertEqual(api.exported_value('test_only.answer'), 42)
        with self.assertRaises(KeyError):
            api.exported_value('test_only.other')


class NamespaceTest(unittest.TestCase):
    """Uses its own table, so that it does not depend on the state of the package."""

    TABLE = {
        'compat.v1': 'compat.v1:',
        'mul': '=multiply',
        'multiply': 'gen:Mul',
        'newaxis': 'test_room:=',
        'room.Room': 'test_room:Room',
        'room.deep.Room': 'test_room:Room',
        'whole': 'test_room:',
        'zz_gone': '!tf.multiply(x, y)',
        'zz_no_op': 'gen:NoSuchOp',
    }

    def setUp(self):
        room = types.ModuleType('ramet.test_room')
        room.Room = Room
        room.__spec__ = importlib.machinery.ModuleSpec('ramet.test_room', None)
        gen = types.ModuleType('ramet.gen')
        gen.endpoint = lambda op, name: types.SimpleNamespace(op=op, __name__=name)
        gen.raw = lambda op: ('raw', op)
        namespace.op_function.cache_clear()
        self.addCleanup(namespace.op_function.cache_clear)
        api.export_value('newaxis', None)
        modules = {'ramet.test_room': room, 'ramet.gen': gen, 'ramet.startup': types.ModuleType('ramet.startup')}
        for patch in (mock.patch.dict(sys.modules, modules),
                      mock.patch.object(namespace, '_table', self.TABLE),
                      mock.patch.object(namespace, '_sorted', sorted(self.TABLE)),
                      mock.patch.object(namespace, 'known_ops', lambda: {'Mul', 'raw'})):
            patch.start()
            self.addCleanup(patch.stop)
        self.module = types.ModuleType(namespace.ROOT)
        self.module.__path__ = []
        sys.modules[namespace.ROOT] = self.module
        for name in [n for n in sys.modules if n.startswith(namespace.ROOT + '.')]:
            del sys.modules[name]
        namespace.fill(namespace.ROOT)

    def test_symbols(self):
        self.assertIs(self.module.room.Room, Room)
        self.assertIs(self.module.room.deep.Room, Room)
        self.assertIsNone(self.module.newaxis)
        self.assertEqual(self.module.multiply.op, 'Mul')
        self.assertEqual(self.module.multiply.__name__, 'mul')
        self.assertIs(self.module.mul, self.module.multiply)
        self.assertEqual(self.module.raw_ops.Mul, ('raw', 'Mul'))

    def test_found_names_are_ordinary_attributes(self):
        self.assertNotIn('multiply', vars(self.module))
        self.module.multiply
        self.assertIn('multiply', vars(self.module))

    def test_namespaces_are_modules(self):
        from ramet.compat.v1.room import deep
        self.assertIs(deep.Room, Room)
        self.assertIs(sys.modules['ramet.compat.v1.room.deep'], deep)
        from ramet.compat.v1 import whole
        self.assertIs(whole, sys.modules['ramet.test_room'])
        self.assertEqual(whole.__spec__.name, 'ramet.test_room')
        import ramet.compat.v1.contrib.slim.nets
        self.assertEqual(ramet.compat.v1.contrib.slim.nets.__name__,
                         'ramet.compat.v1.contrib.slim.nets')

    def test_completion_shows_what_is_there(self):
        self.assertEqual([n for n in dir(self.module) if not n.startswith('__')],
                         ['compat', 'mul', 'multiply', 'newaxis', 'raw_ops', 'room', 'whole'])
        self.assertEqual([n for n in dir(self.module.room) if not n.startswith('__')],
                         ['Room', 'deep'])
        self.assertEqual(self.module.raw_ops.__all__, ['Mul'])
        self.assertEqual(self.module.room.__all__, ['Room', 'deep'])

    def test_names_of_tensorflow_can_be_fetched(self):
        for name in ('nn.softmax', 'contrib.slim.conv2d', 'keras.layers.Dense', 'zz_no_op',
                     'estimator.Estimator', 'raw_ops.Abs'):
            value = self.module
            for part in name.split('.'):
                value = getattr(value, part)
            with self.assertRaisesRegex(NotImplementedError, f'tf.{name}, but Ramet does not have it'):
                value()
        from ramet.compat.v1.nn import softmax
        self.assertIsInstance(softmax, api.Unavailable)

    def test_unknown_names(self):
        with self.assertRaisesRegex(AttributeError, 'no tf.multipli; did you mean tf.multiply?'):
            self.module.multipli
        self.assertFalse(hasattr(self.module, 'multipli'))
        with self.assertRaisesRegex(ImportError, 'no tf.multipli; did you mean tf.multiply?'):
            from ramet.compat.v1 import multipli  # noqa: F401
        with self.assertRaisesRegex(ImportError, 'no tf.room.rooom; did you mean tf.room.Room?'):
            import ramet.compat.v1.room.rooom  # noqa: F401
        with self.assertRaisesRegex(AttributeError, "^TensorFlow 1 has no tf.qqqq$"):
            self.module.qqqq
        with self.assertRaises(AttributeError):
            self.module.__wrapped__

    def tearDown(self):
        sys.modules[namespace.ROOT] = tf


class NearNamesTest(unittest.TestCase):
    def test_first_guess(self):
        for wanted, meant in (
                ('train.import', 'train.import_meta_graph'),
                ('get_trainable_variables', 'trainable_variables'),
                ('GlobalKeys', 'GraphKeys'),
                ('session', 'Session'),
                ('placehoder', 'placeholder'),
                ('get_default_grpah', 'get_default_graph'),
                ('global_variable_initializer', 'global_variables_initializer'),
                ('train.Adam', 'train.AdamOptimizer'),
                ('trian.Saver', 'train.Saver'),
                ('Saver', 'train.Saver'),
                ('softmax', 'nn.softmax'),
                ('concatenate', 'concat'),
                ('expand_dim', 'expand_dims'),
                ('nn.dropuot', 'nn.dropout'),
                ('import_meta_graph', 'train.import_meta_graph'),
                ('contrib.slim.conv2d', 'nn.conv2d')):
            self.assertEqual(nearest.near_names(wanted, known())[:1], [meant], wanted)

    def test_one_of_the_same_namespace_is_given(self):
        self.assertIn('train.Saver', nearest.near_names('train.save', known()))

    def test_nothing_close(self):
        self.assertEqual(nearest.near_names('xyzzy', known()), [])

    def test_one_name_of_each_thing(self):
        self.assertEqual(nearest.near_names('reluu', {'nn.relu': 'a', 'relu': 'a', 'relu6': 'b'}),
                         ['relu', 'relu6'])


class TableTest(unittest.TestCase):
    def test_table_is_fresh(self):
        run = subprocess.run([sys.executable, os.path.join(ROOT, 'tools', 'gen_python_api.py'),
                              '--check'], capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_every_target_is_there(self):
        for path, target in namespace._table.items():
            if not target.startswith('gen:'):
                namespace.find(path)


if __name__ == '__main__':
    unittest.main()
