"""Generated op functions: arguments, conversions, errors, documentation."""

import inspect
import pydoc
import unittest

import numpy as np

import ramet.compat.v1 as tf


class OpFunctionTest(unittest.TestCase):
    def setUp(self):
        self.context = tf.Graph().as_default()
        self.graph = self.context.__enter__()

    def tearDown(self):
        self.context.__exit__(None, None, None)

    def names(self):
        return [op.name for op in self.graph.get_operations()]

    def test_constants_are_named_after_the_argument(self):
        tf.raw_ops.Add(x=1.0, y=2.0, name='sum')
        self.assertEqual(self.names(), ['sum/x', 'sum/y', 'sum'])

    def test_numbers_take_the_dtype_of_the_other_argument(self):
        self.assertEqual(tf.add(tf.constant(1.5, tf.float64), 2).dtype, tf.float64)
        self.assertEqual(tf.constant(2**40).dtype, tf.int64)
        self.assertEqual(tf.constant([True]).dtype, tf.bool)
        self.assertEqual(tf.constant(np.float64(1)).dtype, tf.float64)
        self.assertEqual(tf.constant(1.0).dtype, tf.float32)

    def test_non_deterministic_ints_fill_their_range(self):
        with tf.Session() as session:
            drawn = tf.raw_ops.NonDeterministicInts(shape=[200], dtype=tf.int32)
            first, second = session.run(drawn), session.run(drawn)
        self.assertEqual(first.dtype, np.int32)
        self.assertTrue((first != second).any())
        self.assertLess(first.min(), 0)
        self.assertGreater(first.max(), 2**20)

    def test_type_errors(self):
        one = tf.constant(1)
        with self.assertRaisesRegex(TypeError, "Expected int32 passed to parameter 'y' of op 'Add'"):
            tf.raw_ops.Add(x=one, y=2.5)
        with self.assertRaisesRegex(
            TypeError, "Input 'y' of 'Add' Op has type float32 that does not match type int32 of "
            "argument 'x'."
        ):
            tf.raw_ops.Add(x=one, y=tf.constant(2.5))
        with self.assertRaisesRegex(TypeError, "'input' has DataType string not in list of allowed"):
            tf.raw_ops.Sum(input=tf.constant('a'), axis=0)
        with self.assertRaisesRegex(TypeError, "Expected list for 'inputs' argument to 'AddN' Op"):
            tf.raw_ops.AddN(inputs=one)
        with self.assertRaisesRegex(TypeError, "have types .int32, float32. that don't all match"):
            tf.raw_ops.AddN(inputs=[one, tf.constant(1.5)])
        with self.assertRaisesRegex(ValueError, 'shorter than minimum length 1'):
            tf.raw_ops.AddN(inputs=[])
        with self.assertRaisesRegex(ValueError, 'non-rectangular'):
            tf.constant([[1], [2, 3]])

    def test_argument_errors(self):
        with self.assertRaisesRegex(TypeError, 'keyword'):
            tf.raw_ops.Abs(1.0)
        with self.assertRaisesRegex(TypeError, "missing a required argument: 'y'"):
            tf.raw_ops.Add(x=1.0)
        with self.assertRaisesRegex(TypeError, "unexpected keyword argument 'z'"):
            tf.raw_ops.Add(x=1.0, y=2.0, z=3.0)

    def test_tensors_of_two_graphs_are_refused(self):
        a = tf.constant(1.0)
        with tf.Graph().as_default():
            b = tf.constant(2.0)
        with self.assertRaisesRegex(ValueError, 'must be from the same graph as'):
            tf.add(a, b)
        self.assertIs(tf.exp(b).graph, b.graph)

    def test_several_outputs_have_names(self):
        found = tf.raw_ops.Unique(x=[1, 1, 2])
        self.assertEqual(found._fields, ('y', 'idx'))
        self.assertEqual(len(tf.raw_ops.Split(axis=0, value=[1, 2], num_split=2)), 2)
        self.assertIsInstance(tf.raw_ops.NoOp(), tf.Operation)

    def test_lists_with_tensors_are_packed(self):
        n = tf.placeholder(tf.int32, [])
        shape = tf.reshape(tf.zeros([6]), [n, 2])
        with tf.Session() as session:
            self.assertEqual(session.run(shape, {n: 3}).shape, (3, 2))

    def test_documentation(self):
        matmul = tf.raw_ops.MatMul
        self.assertIn('transpose_a: bool. Default: False.', matmul.__doc__)
        self.assertEqual(list(inspect.signature(matmul).parameters)[:3], ['a', 'b', 'transpose_a'])
        self.assertIn('product', pydoc.render_doc(matmul))
        self.assertEqual(matmul.__name__, 'MatMul')

    def test_ops_that_are_not_there_say_so_when_called(self):
        op = tf.raw_ops.CudnnRNN
        with self.assertRaisesRegex(NotImplementedError, 'CudnnRNN'):
            op(input=1)


class PyFuncTest(unittest.TestCase):
    def test_errors_have_the_code_and_the_cause(self):
        def fails(x):
            raise ValueError('from the function')

        with tf.Graph().as_default(), tf.Session() as session:
            y = tf.py_func(fails, [tf.constant(1.0)], tf.float32)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'from the function') as raised:
                session.run(y)
        self.assertIsInstance(raised.exception.__cause__, ValueError)

    def test_values(self):
        with tf.Graph().as_default(), tf.Session() as session:
            a, b = tf.py_func(lambda x, s: (x * 2, s + b'!'), [np.arange(3), 'a'],
                              [tf.int64, tf.string])
            values = session.run([a, b])
        self.assertEqual(values[0].tolist(), [0, 2, 4])
        self.assertEqual(values[1], b'a!')


if __name__ == '__main__':
    unittest.main()
