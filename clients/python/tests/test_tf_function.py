"""tf.function, and tf.cond and tf.while_loop that call functions."""

import gc
import unittest
import weakref

import numpy as np
import ramet.compat.v1 as tf


class TfFunctionTest(unittest.TestCase):
    def setUp(self):
        graph = tf.Graph().as_default()
        graph.__enter__()
        self.addCleanup(graph.__exit__, None, None, None)
        self.x = tf.placeholder(tf.float32, [], name='x')

    def run_it(self, fetches, x=2.0):
        with tf.Session() as session:
            session.run(tf.global_variables_initializer())
            return session.run(fetches, {self.x: x})

    def test_one_function_per_signature(self):
        @tf.function
        def f(x, y=1.0):
            return x * y

        results = [f(self.x), f(self.x + 1.), f(self.x, 3.0)]
        self.assertEqual(self.run_it(results), [2., 3., 6.])
        self.assertEqual(f.experimental_get_tracing_count(), 2)
        self.assertEqual([r.op.type for r in results], ['PartitionedCall'] * 3)
        self.assertEqual(len(tf.get_default_graph().as_graph_def().library.function), 2)

    def test_functions_of_several_graphs(self):
        @tf.function
        def f(x):
            return x + 1.

        f(self.x)
        with tf.Graph().as_default(), tf.Session() as session:
            self.assertEqual(session.run(f(tf.constant(4.))), 5.)
        self.assertEqual(f.experimental_get_tracing_count(), 2)

    def test_a_function_that_fails_can_be_called_again(self):
        wrong = [True]

        @tf.function
        def f(x):
            if wrong:
                raise ValueError('not now')
            return x

        with self.assertRaisesRegex(ValueError, 'not now'):
            f(self.x)
        wrong.clear()
        self.assertEqual(self.run_it(f(self.x)), 2.)
        self.assertIs((self.x + 1.).graph, tf.get_default_graph())

    def test_variables_with_values_that_cannot_be_lifted(self):
        with self.assertRaisesRegex(Exception, 'depends transitively on placeholder'):
            tf.function(lambda x: tf.Variable(x * 2.) + x)(self.x)

    def test_variables_of_functions(self):
        v = tf.Variable(3., use_resource=True)

        @tf.function
        def f(x):
            return v * x

        made = f.get_concrete_function(tf.TensorSpec([], tf.float32))
        self.assertEqual([made.variables, made.trainable_variables], [(v,), (v,)])
        self.assertEqual(self.run_it(made(self.x)), 6.)

    def test_methods_do_not_keep_objects_alive(self):
        class Net:
            @tf.function
            def call(self, x):
                return x * self.factor

        net = Net()
        net.factor = 3.
        self.assertEqual(self.run_it(net.call(self.x)), 6.)
        held = weakref.ref(net)
        del net
        gc.collect()
        self.assertIsNone(held())

    def test_side_effects_run_in_order(self):
        v = tf.Variable(1., use_resource=True)

        @tf.function
        def f(x):
            v.assign(x)
            if v > 1.:
                v.assign_add(10.)
            result = v.read_value()
            v.assign(0.)
            return result

        self.assertEqual(self.run_it(f(self.x)), 12.)

    def test_operations_of_branches(self):
        tf.enable_control_flow_v2()
        self.addCleanup(tf.disable_control_flow_v2)
        self.assertTrue(tf.control_flow_v2_enabled())
        y = tf.cond(self.x > 1., lambda: self.x * 2., lambda: self.x)
        z = tf.while_loop(lambda z: z < 50., lambda z: z * self.x, [self.x])
        types = {op.type for op in tf.get_default_graph().get_operations()}
        self.assertTrue({'StatelessIf', 'StatelessWhile'} <= types)
        self.assertFalse({'Switch', 'Merge'} & types)
        self.assertEqual(self.run_it([y, z, tf.gradients(z, self.x)]), [4., 64., [192.]])

    def test_loops_in_functions_of_datasets_are_functions(self):
        dataset = tf.data.Dataset.range(3).map(
            lambda n: tf.while_loop(lambda i: i < 10, lambda i: i + n + 1, [n]))
        following = tf.data.make_one_shot_iterator(dataset).get_next()
        functions = tf.get_default_graph().as_graph_def().library.function
        self.assertIn('StatelessWhile', {node.op for f in functions for node in f.node_def})
        with tf.Session() as session:
            self.assertEqual([session.run(following) for _ in range(3)], [10, 11, 11])

    def test_arrays(self):
        value = tf.function(lambda x: np.float32(3.) * x)(np.ones([2], np.float32))
        np.testing.assert_array_equal(self.run_it(value), [3., 3.])

    def test_results_that_are_not_tensors(self):
        with self.assertRaisesRegex(TypeError, 'Python functions must return zero or more Tensors'):
            tf.function(lambda: object())()


if __name__ == '__main__':
    unittest.main()
