"""Conversion of values to TensorProto and back."""

import types
import unittest

import numpy as np

from ramet.core.framework import tensor_pb2
from ramet.framework import dtypes, tensor_proto
from ramet.framework.tensor_proto import make_ndarray, make_tensor_proto


class MakeTensorProtoTest(unittest.TestCase):
    def test_defaults_of_python_values(self):
        for value, dtype in ((1, 'int32'), (2**40, 'int64'), (1.5, 'float32'), (True, 'bool'),
                             ('a', 'string'), (1j, 'complex128'), ([], 'float32'),
                             (np.float64(1), 'float64'), ([np.float64(1)], 'float32')):  # fmt: skip
            self.assertEqual(dtypes.as_dtype(make_tensor_proto(value).dtype).name, dtype, value)

    def test_encodings(self):
        self.assertEqual(list(make_tensor_proto([3], dtypes.int32).int_val), [3])
        self.assertEqual(make_tensor_proto([1, 2], dtypes.int8).tensor_content, b'\1\2')
        self.assertEqual(list(make_tensor_proto([1, 2], dtypes.uint16).int_val), [1, 2])
        self.assertEqual(list(make_tensor_proto([1.5, 2], dtypes.complex64).scomplex_val),
                         [1.5, 0, 2, 0])  # fmt: skip
        self.assertEqual(list(make_tensor_proto(['a', b'b']).string_val), [b'a', b'b'])
        self.assertEqual(list(make_tensor_proto(1, dtypes.float16).half_val), [15360])

    def test_values_come_back(self):
        for value in (np.arange(6, dtype=np.int64).reshape(2, 3), np.zeros([2, 0], np.float32),
                      np.array([1 + 2j, 3]), np.array([True, False]), np.array(2.5, np.float16),
                      np.array([[b'a'], [b'bc']], object), np.arange(3, dtype='>i4')):  # fmt: skip
            again = make_ndarray(make_tensor_proto(value))
            np.testing.assert_array_equal(again, value)
            self.assertTrue(again.flags.writeable)

    def test_elements_that_are_not_of_the_type(self):
        for value, dtype in ((1.5, 'int32'), ('a', 'float32'), (None, 'float32'), (1, 'string'),
                             (1j, 'float32'), (1, 'bool'), (1, 'qint8')):  # fmt: skip
            with self.assertRaisesRegex(TypeError, f"Expected {dtype}, but got {value} of type '"):
                make_tensor_proto([value], dtype)

    def test_what_is_no_tensor(self):
        with self.assertRaisesRegex(ValueError, 'None values not supported.'):
            make_tensor_proto(None)
        for value in ([1, 'a'], object(), {}, [None]):
            with self.assertRaisesRegex(TypeError, 'Failed to convert elements of'):
                make_tensor_proto(value)
        with self.assertRaisesRegex(ValueError, 'inhomogeneous shape'):
            make_tensor_proto([[1, 2], [3]])

    def test_shapes(self):
        filled = make_tensor_proto(7, shape=[2, 2])
        self.assertEqual(list(filled.int_val), [7])
        np.testing.assert_array_equal(make_ndarray(filled), [[7, 7], [7, 7]])
        np.testing.assert_array_equal(
            make_ndarray(make_tensor_proto([1, 2], shape=[4])), [1, 2, 2, 2]
        )
        with self.assertRaisesRegex(ValueError, 'Takes at most 2, but got 3'):
            make_tensor_proto([1, 2, 3], shape=[2])
        with self.assertRaisesRegex(
            TypeError, r"Expected Tensor's shape: \(2, 1\), but got \(2,\)"
        ):
            make_tensor_proto([1, 2], shape=[2, 1], verify_shape=True)
        with self.assertRaisesRegex(TypeError, "Expected Tensor's shape"):
            make_tensor_proto([1, 2], shape=[4], allow_broadcast=True)

    def test_protos_are_given_back(self):
        proto = make_tensor_proto(1)
        self.assertIs(make_tensor_proto(proto), proto)

    def test_bfloat16_without_ml_dtypes_rounds_to_even(self):
        record = np.dtype([('bfloat16', '<u2')])
        values = np.array([1.0, -2.5, 3.3895314e38, 1.00390625, 1.01171875, np.inf, np.nan])
        bits = tensor_proto._bfloat16_records(values, record)['bfloat16'].tolist()
        self.assertEqual(bits, [0x3F80, 0xC020, 0x7F7F, 0x3F80, 0x3F82, 0x7F80, 0x7FC0])

    def test_float8_without_ml_dtypes_says_what_is_missing(self):
        float8 = types.SimpleNamespace(
            name='float8_e5m2',
            as_numpy_dtype=np.dtype([('float8_e5m2', 'u1')]),
            base_dtype=dtypes.float8_e5m2,
            is_quantized=False,
        )
        with self.assertRaisesRegex(TypeError, 'need the Python package ml_dtypes'):
            tensor_proto._as_type(np.zeros(2), float8)


class MakeNdarrayTest(unittest.TestCase):
    def test_the_last_value_goes_on(self):
        proto = tensor_pb2.TensorProto(dtype=1, float_val=[1, 2])
        proto.tensor_shape.dim.add().size = 4
        np.testing.assert_array_equal(make_ndarray(proto), [1, 2, 2, 2])

    def test_no_values_are_zeros(self):
        proto = tensor_pb2.TensorProto(dtype=9)
        proto.tensor_shape.dim.add().size = 2
        np.testing.assert_array_equal(make_ndarray(proto), [0, 0])

    def test_refusals(self):
        with self.assertRaises(KeyError):
            make_ndarray(tensor_pb2.TensorProto(dtype=20))
        with self.assertRaisesRegex(TypeError, 'Unsupported tensor type: 101'):
            make_ndarray(tensor_pb2.TensorProto(dtype=101))
        with self.assertRaises(ValueError):
            make_ndarray(tensor_pb2.TensorProto(dtype=1, tensor_content=b'abc'))
        with self.assertRaises(ValueError):
            make_ndarray(tensor_pb2.TensorProto(dtype=1, float_val=[1, 2]))


if __name__ == '__main__':
    unittest.main()
