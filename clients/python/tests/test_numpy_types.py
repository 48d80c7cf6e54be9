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

    def test_what_is_no_type(self):
        with self.assertRaisesRegex(TypeError, 'Unsupported numpy dtype'):
            tf.constant(np.zeros(2, 'M8[s]'))


if __name__ == '__main__':
    unittest.main()
