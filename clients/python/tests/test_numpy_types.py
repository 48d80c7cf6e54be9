"""Element types that numpy does not have can be fed and fetched."""

import unittest

import numpy as np

import ramet.compat.v1 as tf

try:
    import ml_dtypes
except ImportError:
    ml_dtypes = None


class NumpyTypesTest(unittest.TestCase):
    def setUp(self):
        self.enterContext(tf.Graph().as_default())
        self.session = self.enterContext(tf.Session())

    @unittest.skipIf(ml_dtypes is None, 'skipped: needs ml_dtypes')
    def test_bfloat16(self):
        values = np.array([1.5, -2, 3], ml_dtypes.bfloat16)
        fed = tf.placeholder(tf.bfloat16, [3])
        for tensor in (tf.constant(values), tf.constant([1.5, -2, 3], tf.bfloat16), fed):
            result = self.session.run(tf.identity(tensor), {fed: values})
            self.assertEqual(result.dtype, values.dtype)
            np.testing.assert_array_equal(result, values)
        large = np.ones(10000, ml_dtypes.bfloat16)
        np.testing.assert_array_equal(self.session.run(tf.constant(large)), large)

    def test_quantized_types_are_records(self):
        for dtype in (tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32):
            values = np.array([(1,), (2,)], dtype.as_numpy_dtype)
            tensor = tf.constant(values)
            self.assertEqual(tensor.dtype, dtype)
            result = self.session.run(tensor)
            self.assertEqual(result.dtype, values.dtype)
            self.assertEqual(result.tolist(), [(1,), (2,)])

    def test_numbers_take_the_dtype_of_the_tensor_that_they_are_combined_with(self):
        for dtype in (tf.float32, tf.float64, tf.int32):
            x = tf.constant(6, dtype)
            for number in (np.float64(2.), np.float32(2.), np.int64(2), np.array(2.), np.array([2, 3])):
                self.assertEqual((x + number).dtype, dtype)
            self.assertEqual((np.float64(2.) * x).dtype, dtype)
        loss = tf.constant([1., 2.]) + 0.5 * np.log(2 * np.pi)
        np.testing.assert_allclose(self.session.run(loss), [1.9189385, 2.9189386])

    def test_numpy_numbers_in_lists_become_float_and_int32(self):
        self.assertEqual(tf.constant([np.float64(1.), 2]).dtype, tf.float32)
        self.assertEqual(tf.constant([np.int64(1), 2]).dtype, tf.int32)
        self.assertEqual(tf.constant([np.int64(1 << 40)]).dtype, tf.int64)
        self.assertEqual(tf.constant([np.float16(1.)]).dtype, tf.float16)
        self.assertEqual(tf.constant(np.array([1.])).dtype, tf.float64)
        self.assertEqual(tf.reshape(tf.zeros([6]), [np.int64(2), 3]).op.inputs[1].dtype, tf.int32)

    def test_what_is_no_type(self):
        with self.assertRaisesRegex(TypeError, 'Unsupported numpy dtype'):
            tf.constant(np.zeros(2, 'M8[s]'))


if __name__ == '__main__':
    unittest.main()
