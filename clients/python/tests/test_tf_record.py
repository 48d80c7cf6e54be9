"""ramet.lib.tf_record: record files, compressed or not, intact or corrupt."""

import gzip
import os
import struct
import tempfile
import unittest
import zlib

from ramet.framework import errors
from ramet.lib import crc32c
from ramet.lib.tf_record import (
    TFRecordCompressionType,
    TFRecordOptions,
    TFRecordWriter,
    tf_record_iterator,
)

# Written by TensorFlow: the records b'abc' and b''.
ABC = (b'\x03\x00\x00\x00\x00\x00\x00\x00\xb0\x99I\x0eabcnW\xf1!'
       b'\x00\x00\x00\x00\x00\x00\x00\x00)\x03\x98\x07\xd8\xea\x82\xa2')


class TFRecordTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = os.path.join(folder.name, 'f')

    def write(self, records, options=None):
        with TFRecordWriter(self.path, options) as writer:
            for record in records:
                writer.write(record)
        with open(self.path, 'rb') as file:
            return file.read()

    def read(self, data, options=None):
        with open(self.path, 'wb') as file:
            file.write(data)
        return list(tf_record_iterator(self.path, options))

    def assert_refused(self, message, data, options=None):
        with self.assertRaises(errors.DataLossError) as raised:
            self.read(data, options)
        self.assertEqual(raised.exception.message, message)

    def test_checksum(self):
        self.assertEqual(crc32c.value(b'123456789'), 0xE3069283)
        self.assertEqual(crc32c.value(b''), 0)

    def test_the_bytes_of_a_file(self):
        self.assertEqual(self.write([b'abc', '']), ABC)
        self.assertEqual(self.read(ABC), [b'abc', b''])
        self.assertEqual(self.write([]), b'')
        self.assertEqual(self.read(b''), [])

    def test_text_is_written_as_utf_8(self):
        self.write(['ä', bytearray(b'b')])
        self.assertEqual(list(tf_record_iterator(self.path)), ['ä'.encode(), b'b'])
        self.assertRaises(TypeError, TFRecordWriter(self.path).write, None)

    def test_compressed(self):
        records = [b'x' * 1000, b'', os.urandom(300_000)]
        for options in (TFRecordOptions(TFRecordCompressionType.ZLIB), TFRecordOptions('GZIP'),
                        TFRecordCompressionType.GZIP, 'ZLIB',
                        TFRecordOptions('GZIP', compression_level=1, mem_level=1)):
            data = self.write(records, options)
            self.assertEqual(self.read(data, options), records)
        self.assertEqual(gzip.decompress(self.write([b'abc', b''], 'GZIP')), ABC)
        self.assertEqual(zlib.decompress(self.write([b'abc', b''], 'ZLIB')), ABC)

    def test_gzip_files_one_after_another(self):
        self.assertEqual(self.read(gzip.compress(ABC) + gzip.compress(ABC), 'GZIP'),
                         [b'abc', b''] * 2)

    def test_many_records_from_few_compressed_bytes(self):
        data = gzip.compress(ABC * 5_000)
        self.assertEqual(len(self.read(data, 'GZIP')), 10_000)

    def test_options(self):
        self.assertEqual(TFRecordOptions.get_compression_type_string(None), '')
        self.assertEqual(TFRecordOptions.get_compression_type_string(2), 'GZIP')
        self.assertEqual(
            TFRecordOptions.get_compression_type_string(TFRecordOptions('ZLIB')), 'ZLIB')
        with self.assertRaisesRegex(ValueError, 'Not a valid compression_type: "7"'):
            TFRecordOptions(7)
        with self.assertRaisesRegex(ValueError, 'Not a valid compression_type: "LZ4"'):
            tf_record_iterator(self.path, 'LZ4')
        with self.assertRaises(errors.InvalidArgumentError):
            TFRecordWriter(self.path, TFRecordOptions('GZIP', window_bits=99))

    def test_missing_files(self):
        with self.assertRaisesRegex(errors.NotFoundError, 'f; No such file or directory'):
            tf_record_iterator(self.path)
        with self.assertRaises(errors.NotFoundError):
            TFRecordWriter(os.path.join(self.path, 'g'))

    def test_flush_and_close(self):
        for options in (None, 'GZIP'):
            writer = TFRecordWriter(self.path, options)
            writer.write(b'a')
            self.assertEqual(os.path.getsize(self.path), 0)
            writer.flush()
            self.assertEqual(next(tf_record_iterator(self.path, options)), b'a')
            writer.close()
            writer.close()
            for use in (writer.flush, lambda to=writer: to.write(b'b')):
                with self.assertRaises(errors.FailedPreconditionError) as raised:
                    use()
                self.assertEqual(raised.exception.message, 'Writer is closed.')

    def test_a_writer_that_is_dropped_has_written(self):
        writer = TFRecordWriter(self.path, 'GZIP')
        writer.write(b'a')
        del writer
        self.assertEqual(list(tf_record_iterator(self.path, 'GZIP')), [b'a'])

    def test_damaged_files(self):
        short = 'failed with Read less bytes than requested'
        no_records = 'corrupted record at 0 (Is this even a TFRecord file?)'
        self.assertEqual(self.read(b'garbage'), [])
        self.assertEqual(self.read(ABC + b'x'), [b'abc', b''])
        self.assert_refused(no_records, b'garbage that is no record file')
        self.assert_refused(no_records, b'\x04' + ABC[1:])
        self.assert_refused(f"truncated record at 0' {short}", ABC[:12])
        self.assert_refused(f"truncated record at 0' {short}", ABC[:17])
        self.assert_refused(f"truncated record at 19' {short}", ABC[:-1])
        self.assert_refused('corrupted record at 12', ABC[:13] + b'X' + ABC[14:])
        self.assert_refused('corrupted record at 19', ABC[:19] + b'X' + ABC[20:])
        self.assert_refused('corrupted record at 31', ABC[:-1] + b'X')
        self.assert_refused('inflate() failed with error -3: incorrect header check', ABC, 'GZIP')
        self.assert_refused("truncated record at 19' failed with EOF reached",
                            gzip.compress(ABC[:-1]), 'GZIP')

    def test_a_length_without_bound_asks_for_no_memory(self):
        length = struct.pack('<Q', 1 << 62)
        data = length + struct.pack('<I', crc32c.masked(length)) + b'abc'
        self.assert_refused(
            "truncated record at 0' failed with Read less bytes than requested", data)

    def test_records_before_the_damage_are_given(self):
        with open(self.path, 'wb') as file:
            file.write(ABC[:-1])
        records = tf_record_iterator(self.path)
        self.assertEqual(next(records), b'abc')
        self.assertRaises(errors.DataLossError, next, records)


if __name__ == '__main__':
    unittest.main()
