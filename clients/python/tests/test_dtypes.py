"""DType: one object per type, in every spelling that programs use."""

import pickle
import unittest
from unittest import mock

import numpy as np

import ramet.compat.v1 as tf
from ramet.framework import dtypes


class DTypeTest(unittest.TestCase):
    def test_there_is_one_object_for_each_enum_value(self):
        for number, dtype in enumerate(dtypes.BY_ENUM):
            if dtype is not None:
                self.assertIs(dtypes.DType(number), dtype)
                self.assertIs(pickle.loads(pickle.dumps(dtype)), dtype)
                self.assertEqual(dtype.as_datatype_enum, number)
        self.assertIsNone(dtypes.BY_ENUM[0])
        self.assertEqual(sum(d is not None for d in dtypes.BY_ENUM), 66)

    def test_spellings(self):
        for spelling in ('float32', 'float', np.float32, np.dtype('float32'), 1, np.dtype('>f4'),
                         float, np.zeros(2, np.float32)):  # fmt: skip
            self.assertIs(dtypes.as_dtype(spelling), dtypes.float32, spelling)
        for spelling in ('string', np.str_, np.bytes_, object, np.dtype('S3'), np.dtype('U7')):
            self.assertIs(dtypes.as_dtype(spelling), dtypes.string, spelling)
        self.assertIs(dtypes.as_dtype('int32_ref'), dtypes.int32._as_ref)
        self.assertIs(dtypes.as_dtype(np.dtype([('qint8', 'i1')])), dtypes.qint8)

    def test_what_is_no_type_raises(self):
        for wrong in (None, 'nope', 0, 99, int, str, [], {}, np.dtype('M8[s]'), np.longdouble):
            with self.assertRaisesRegex(TypeError, 'Cannot convert the argument `type_value`'):
                dtypes.as_dtype(wrong)
        with self.assertRaisesRegex(TypeError, '77 does not correspond to a valid'):
            dtypes.DType(77)

    def test_comparison(self):
        self.assertTrue(dtypes.float32 == 'float32' == dtypes.float32)
        self.assertTrue(dtypes.float32 == np.float32)
        self.assertFalse(dtypes.float32 == dtypes.float32._as_ref)
        self.assertFalse(dtypes.float32 == 'nope')
        self.assertFalse(dtypes.float32 == None)  # noqa: E711
        self.assertEqual({dtypes.int8: 1}[dtypes.as_dtype('int8')], 1)

    def test_references(self):
        ref = dtypes.float32._as_ref
        self.assertEqual(ref.name, 'float32_ref')
        self.assertIs(ref.base_dtype, dtypes.float32)
        self.assertTrue(dtypes.float32.is_compatible_with(ref))
        self.assertFalse(ref.is_compatible_with(dtypes.float32))
        with tf.Graph().as_default():
            self.assertIs(tf.placeholder(ref).dtype, dtypes.float32)
            self.assertIs(tf.bitcast(tf.constant([1]), ref).dtype, dtypes.float32)

    def test_ranges(self):
        self.assertEqual(
            (dtypes.uint8.min, dtypes.uint8.max, dtypes.uint8.limits), (0, 255, (0, 255))
        )
        self.assertEqual(dtypes.float32.max, np.finfo(np.float32).max)
        self.assertEqual(float(dtypes.bfloat16.max), 3.3895313892515355e38)
        self.assertEqual((dtypes.int4.min, dtypes.int4.max), (-8, 7))
        with self.assertRaisesRegex(TypeError, 'Cannot find minimum value of .*string'):
            _ = dtypes.string.min
        with self.assertRaisesRegex(ValueError, 'does not have defined limits'):
            _ = dtypes.complex64.limits

    def test_types_cannot_be_changed(self):
        with self.assertRaises(AttributeError):
            dtypes.float32.name = 'other'

    def test_text(self):
        self.assertEqual(repr(dtypes.float32), 'tf.float32')
        self.assertEqual(str(dtypes.float32), "<dtype: 'float32'>")

    def test_handles_have_no_numpy_type(self):
        self.assertFalse(dtypes.resource.is_numpy_compatible)
        with self.assertRaises(KeyError):
            _ = dtypes.resource.as_numpy_dtype

    def test_without_ml_dtypes_bfloat16_is_a_record(self):
        with mock.patch.dict('sys.modules', {'ml_dtypes': None}):
            record = dtypes._numpy_extension('bfloat16', '<u2')
        self.assertEqual(record, np.dtype([('bfloat16', '<u2')]))


if __name__ == '__main__':
    unittest.main()
