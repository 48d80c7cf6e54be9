"""Fourier transforms, frames and audio from Python."""

import unittest

import numpy as np

import ramet.compat.v1 as tf

X = np.random.RandomState(3).uniform(-1, 1, (2, 3, 12)).astype('float32')


class SignalTest(unittest.TestCase):

    def setUp(self):
        tf.reset_default_graph()

    def value(self, tensor):
        with tf.Session() as sess:
            return sess.run(tensor)

    def test_transforms_of_real_numbers(self):
        np.testing.assert_allclose(self.value(tf.signal.rfft(X)), np.fft.rfft(X), atol=1e-5)
        np.testing.assert_allclose(self.value(tf.signal.rfft(X, [7])), np.fft.rfft(X, 7), atol=1e-5)
        np.testing.assert_allclose(self.value(tf.signal.rfft(X, [16])), np.fft.rfft(X, 16), atol=1e-5)
        np.testing.assert_allclose(self.value(tf.signal.irfft2d(tf.signal.rfft2d(X))), X, atol=1e-6)

    def test_lengths_of_zero(self):
        with tf.Session() as sess:
            for op, shape in ((tf.raw_ops.RFFT2D, (2, 0, 0)), (tf.raw_ops.RFFT2D, (2, 0, 2))):
                length = [0, 0] if shape[2] == 0 else [0, 3]
                self.assertEqual(sess.run(op(input=X, fft_length=length)).shape, shape)
            empty = sess.run(tf.raw_ops.RFFT(input=np.zeros((3, 0), 'float32'), fft_length=[5]))
            np.testing.assert_array_equal(empty, np.zeros((3, 3)))

    def test_transforms_that_are_too_long(self):
        x = tf.placeholder('float32', [1, 0])
        with tf.Session() as sess, self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'is too long'):
            sess.run(tf.raw_ops.RFFT(input=x, fft_length=[2**31 - 1]), {x: np.zeros((1, 0))})

    def test_short_time_transforms_are_inverted(self):
        signal = np.sin(np.arange(64, dtype='float32'))
        spectra = tf.signal.stft(signal, 16, 8)
        inverse = tf.signal.inverse_stft(spectra, 16, 8, window_fn=tf.signal.inverse_stft_window_fn(8))
        self.assertEqual(spectra.shape.as_list(), [7, 9])
        np.testing.assert_allclose(self.value(inverse)[8:-8], signal[8:-8], atol=1e-5)

    def test_mdct_is_inverted(self):
        signal = np.cos(np.arange(64, dtype='float32'))
        for norm in (None, 'ortho'):
            inverse = tf.signal.inverse_mdct(tf.signal.mdct(signal, 16, norm=norm), norm=norm)
            np.testing.assert_allclose(self.value(inverse)[8:-8], signal[8:-8], atol=1e-5)

    def test_sounds_are_written_and_read(self):
        sound = np.round(X[0].T * 32768) / 32768
        decoded = tf.audio.decode_wav(tf.audio.encode_wav(sound, 8000))
        audio, rate = self.value([decoded.audio, decoded.sample_rate])
        np.testing.assert_array_equal(audio, sound)
        self.assertEqual(rate, 8000)

    def test_names_of_old_programs(self):
        self.assertIs(tf.contrib.signal.stft, tf.signal.stft)
        self.assertIs(tf.spectral.rfft, tf.signal.rfft)
        self.assertIs(tf.spectral.dct, tf.signal.dct)


if __name__ == '__main__':
    unittest.main()
