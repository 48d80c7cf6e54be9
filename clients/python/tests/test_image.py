"""Symptom: a function of tf.image gives wrong pixels, or a hostile file is not refused."""

import struct
import unittest
import zlib

import numpy as np
import ramet.compat.v1 as tf

PIXELS = (np.arange(9 * 13 * 3) * 7 % 251).reshape(9, 13, 3).astype(np.uint8)


def run(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


class ImageTest(unittest.TestCase):

    def test_png_keeps_pixels(self):
        np.testing.assert_array_equal(run(lambda: tf.image.decode_png(tf.image.encode_png(PIXELS))), PIXELS)

    def test_jpeg_keeps_shape(self):
        image = run(lambda: tf.image.decode_jpeg(tf.image.encode_jpeg(PIXELS)))
        self.assertEqual(PIXELS.shape, image.shape)

    def test_resize_of_constant_image(self):
        image = np.full((4, 5, 3), 7, np.float32)
        for method in (0, 1, 2, 3):
            resized = run(lambda: tf.image.resize_images(image, [6, 3], method=method))
            np.testing.assert_allclose(resized, np.full((6, 3, 3), 7), rtol=1e-5)

    def test_flips(self):
        np.testing.assert_array_equal(run(lambda: tf.image.flip_left_right(PIXELS)), PIXELS[:, ::-1])
        np.testing.assert_array_equal(run(lambda: tf.image.rot90(PIXELS)), np.rot90(PIXELS))

    def test_small_file_cannot_claim_a_giant_image(self):
        def chunk(kind, data):
            return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

        header = chunk(b'IHDR', struct.pack('>IIBBBBB', 20000, 20000, 8, 0, 0, 0, 0))
        png = b'\x89PNG\r\n\x1a\n' + header + chunk(b'IDAT', zlib.compress(b'\0')) + chunk(b'IEND', b'')
        with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'Invalid PNG data, size'):
            run(lambda: tf.image.decode_png(png))


if __name__ == '__main__':
    unittest.main()
