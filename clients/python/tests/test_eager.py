"""Eager execution: operations that run when they are called."""

import copy
import gc
import os
import pickle
import subprocess
import sys
import tempfile
import threading
import unittest
import weakref

import numpy as np
import ramet.compat.v1 as tf
from ramet import gen
from ramet.framework import eager

tfe = tf.contrib.eager


def in_eager_mode(case):
    """Decorates a test class so that its methods run in a context in which operations run eagerly."""
    for name in [name for name in vars(case) if name.startswith('test')]:
        method = getattr(case, name)

        def run(self, method=method):
            with eager.eager_mode():
                method(self)

        setattr(case, name, run)
    return case


@in_eager_mode
class TensorTest(unittest.TestCase):
    def test_values(self):
        x = tf.constant([[1., 2.], [3., 4.]])
        np.testing.assert_array_equal((x @ x + 1.).numpy(), [[8, 11], [16, 23]])
        self.assertEqual([float(v) for v in x[0]], [1, 2])
        self.assertTrue(tf.executing_eagerly())
        self.assertIsInstance(x, tf.Tensor)

    def test_remembered_calls_look_at_types_and_attrs(self):
        for _ in range(2):
            self.assertEqual((tf.constant(1) + 2).dtype, tf.int32)
            self.assertEqual((tf.constant(1.) + 2).dtype, tf.float32)
            self.assertEqual((tf.constant(1, tf.int64) + 2).dtype, tf.int64)
            self.assertEqual(int(gen.Sum([[1, 2], [3, 4]], [0], keep_dims=True).shape.num_elements()), 2)
            self.assertEqual(gen.Sum([[1, 2], [3, 4]], [0], keep_dims=False).shape.as_list(), [2])
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'int32'):
                tf.constant(1) + 2.5
        self.assertEqual(int(tf.abs(tf.constant(3))), 3)
        self.assertEqual(tf.abs(3_000_000_000).dtype, tf.int64)

    def test_values_are_hashable_and_survive_pickling(self):
        x = tf.constant([1, 2])
        self.assertEqual({x: 1}[x], 1)
        self.assertIs(copy.deepcopy(x), x)
        restored = pickle.loads(pickle.dumps(x))
        np.testing.assert_array_equal(restored.numpy(), [1, 2])
        self.assertEqual(restored.dtype, tf.int32)

    def test_a_value_does_not_change_with_its_variable(self):
        v = tf.Variable([1., 2.])
        before = v.value()
        v.assign_add([1., 1.])
        np.testing.assert_array_equal(before.numpy(), [1, 2])

    def test_graphs_are_still_built(self):
        with tf.Graph().as_default() as graph, tf.Session() as session:
            self.assertFalse(tf.executing_eagerly())
            y = tf.constant(1.) + 2.
            self.assertEqual(session.run(y), 3)
            with tf.init_scope():
                self.assertFalse(tf.executing_eagerly())
        self.assertEqual(len(graph.get_operations()), 3)

    def test_nothing_is_added_to_the_graph_of_eager_execution(self):
        tf.constant(1.) + tf.Variable(2.)
        self.assertEqual(eager.the_graph().version, 0)

    def test_an_op_with_references_is_refused(self):
        with self.assertRaisesRegex(RuntimeError, "variable_v2 op does not .* eager execution. Arg 'ref' is a ref."):
            gen.VariableV2(shape=[], dtype=tf.float32)

    def test_errors_name_the_op(self):
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, r'Incompatible shapes.*\[Op:Mul\]'):
            tf.ones([2]) * tf.ones([3])

    def test_a_function_of_an_op_can_raise(self):
        def fail(x):
            raise ValueError('no')

        with self.assertRaisesRegex(ValueError, 'no'):
            tf.py_function(fail, [1.], tf.float32)

    def test_threads_run_eagerly_when_it_is_enabled(self):
        results = []

        def work():
            with eager.eager_mode():
                results.append(float(tf.constant(2.) * 3.))

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(results, [6.] * 4)


@in_eager_mode
class VariableTest(unittest.TestCase):
    def test_the_memory_is_released_with_the_variable(self):
        v = tf.Variable([1.])
        seen = weakref.ref(v)
        del v
        gc.collect()
        self.assertIsNone(seen())

    def test_variables_of_one_name_are_different(self):
        a, b = tf.Variable(1., name='v'), tf.Variable(2., name='v')
        self.assertEqual((a.name, float(a), float(b)), (b.name, 1, 2))

    def test_a_store_finds_variables_again(self):
        store = tfe.EagerVariableStore()
        with store.as_default():
            a, b = tf.get_variable('a', []), tf.get_variable('a', [])
        self.assertIs(a, b)
        self.assertEqual(store.variables(), [a])

    def test_scatter(self):
        v = tf.Variable([1., 2., 3.])
        np.testing.assert_array_equal(tf.scatter_add(v, [0, 2], [10., 10.]).numpy(), [11, 2, 13])

    def test_functions_of_datasets_keep_the_variables_that_they_use(self):
        def dataset():
            v = tf.Variable(5, dtype=tf.int64)
            return tf.data.Dataset.range(2).map(lambda x: x + v)

        made = dataset()
        gc.collect()
        self.assertEqual([int(x) for x in made], [5, 6])


@in_eager_mode
class GradientTest(unittest.TestCase):
    def test_first_and_second(self):
        x = tf.constant(3.)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x ** 3.
            dy = tape.gradient(y, x)
        self.assertEqual((float(dy), float(outer.gradient(dy, x))), (27, 18))

    def test_exceptions_of_custom_gradients(self):
        @tf.custom_gradient
        def broken(x):
            def grad(dy):
                raise ValueError('broken gradient')
            return x * 1., grad

        x = tf.constant(1.)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = broken(x)
        with self.assertRaisesRegex(ValueError, 'broken gradient'):
            tape.gradient(y, x)

    def test_functions_of_contrib_eager(self):
        def f(x, y):
            return x * x * y

        self.assertEqual([float(g) for g in tfe.gradients_function(f)(2., 3.)], [12, 4])
        self.assertEqual([float(g) for g in tfe.gradients_function(f, ['y'])(2., 3.)], [4])
        value, grads = tfe.value_and_gradients_function(f, [0])(2., 3.)
        self.assertEqual((float(value), float(grads[0])), (12, 12))
        v = tf.Variable(2.)
        [(grad, variable)] = tfe.implicit_gradients(lambda: v * v)()
        self.assertEqual((float(grad), variable), (4, v))
        value, _ = tfe.implicit_value_and_gradients(lambda: v * v)()
        self.assertEqual(float(value), 4)
        with self.assertRaisesRegex(ValueError, 'Cannot differentiate a function that returns None'):
            tfe.gradients_function(lambda x: None)(1.)
        with self.assertRaisesRegex(ValueError, 'No trainable variables were accessed'):
            tfe.implicit_gradients(lambda: tf.constant(1.))()

    def test_functions_without_a_name_in_graphs(self):
        self.assertEqual(tfe.num_gpus(), 0)
        self.assertTrue(tfe.list_devices()[0].endswith('CPU:0'))
        self.assertTrue(tfe.in_eager_mode())

    def test_optimizers(self):
        v = tf.Variable(2.)
        optimizer = tf.train.MomentumOptimizer(.1, .9)
        for _ in range(2):
            optimizer.minimize(lambda: v * v)
        self.assertAlmostEqual(float(v), 2 - .4 - .1 * (3.2 + .9 * 4), places=5)


class PyFunctionTest(unittest.TestCase):
    def test_gradients_in_graphs(self):
        with tf.Graph().as_default(), tf.Session() as session:
            x = tf.placeholder(tf.float32)
            y = tf.py_function(lambda t: t * t if tf.executing_eagerly() else t, [x], tf.float32)
            grad, = tf.gradients(y, x)
            self.assertEqual(session.run([y, grad], {x: 3.}), [9., 6.])

    def test_wrong_results(self):
        with tf.Graph().as_default(), tf.Session() as session:
            y = tf.py_function(lambda: tf.Variable(1.), [], tf.float32)
            with self.assertRaisesRegex(tf.errors.OpError, 'Attempting to return a variable'):
                session.run(y)
            with self.assertRaisesRegex(ValueError, 'Expected func to be callable'):
                tf.py_function(1, [], tf.float32)


class ProgramTest(unittest.TestCase):
    def run_program(self, text):
        return subprocess.run([sys.executable, '-B', '-c', 'import ramet.compat.v1 as tf\n' + text],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_enabling(self):
        made = self.run_program('tf.enable_eager_execution()\ntf.enable_eager_execution()\n'
                                'tf.reset_default_graph()\nprint(tf.executing_eagerly(), tf.constant(1) + 1)')
        self.assertEqual(made.stdout.split('\n')[0], 'True tf.Tensor(2, shape=(), dtype=int32)', made.stderr)

    def test_enabling_late(self):
        made = self.run_program('tf.constant(1)\ntf.enable_eager_execution()')
        self.assertIn('ValueError: tf.enable_eager_execution must be called at program startup.', made.stderr)

    def test_disabling(self):
        made = self.run_program('tf.enable_eager_execution()\ntf.disable_eager_execution()\n'
                                'print(tf.executing_eagerly(), tf.constant(1).name)')
        self.assertEqual(made.stdout.strip(), 'False Const:0', made.stderr)


@in_eager_mode
class CheckpointTest(unittest.TestCase):
    def test_variables_that_are_created_after_the_restore(self):
        with tempfile.TemporaryDirectory() as folder:
            path = tf.train.Checkpoint(a=tf.Variable(1.), b=tf.Variable(2.)).save(os.path.join(folder, 'x'))
            checkpoint = tf.train.Checkpoint(a=tf.Variable(0.))
            checkpoint.restore(path)
            self.assertEqual(float(checkpoint.a), 1)
            checkpoint.b = tf.Variable(0.)
            self.assertEqual(float(checkpoint.b), 2)
            checkpoint.b.assign(7.)
            checkpoint.c = tf.Variable(3.)
            self.assertEqual(float(checkpoint.b), 7)

    def test_savers_keep_the_latest(self):
        with tempfile.TemporaryDirectory() as folder:
            v = tf.Variable(1., name='v')
            saver = tf.train.Saver({'v': v}, max_to_keep=1)
            first = saver.save(None, os.path.join(folder, 'x'), global_step=1)
            second = saver.save(None, os.path.join(folder, 'x'), global_step=tf.Variable(2))
            self.assertEqual((tf.train.latest_checkpoint(folder), tf.train.checkpoint_exists(first)), (second, False))
            with self.assertRaisesRegex(ValueError, 'not a valid checkpoint'):
                saver.restore(None, first)
            self.assertEqual(saver.last_checkpoints, [second])
            saver.set_last_checkpoints_with_time([(first, 1.)])
            self.assertEqual(saver.last_checkpoints, [first])
            saver.recover_last_checkpoints([first, second])
            self.assertEqual(saver.last_checkpoints, [second])

    def test_savers_keep_one_checkpoint_of_each_period(self):
        with tempfile.TemporaryDirectory() as folder:
            saver = tf.train.Saver([tf.Variable(1., name='v')], max_to_keep=1, keep_checkpoint_every_n_hours=1e-9)
            saved = [saver.save(None, os.path.join(folder, 'x'), global_step=step) for step in range(3)]
            self.assertEqual([tf.train.checkpoint_exists(path) for path in saved], [True] * 3)
            self.assertEqual(saver.last_checkpoints, saved[-1:])


if __name__ == '__main__':
    unittest.main()
