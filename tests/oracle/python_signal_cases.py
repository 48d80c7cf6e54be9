"""The calls of tf.signal and tf.audio that python_nn_test.py compares between the packages. (call, True) also runs."""


def x(tf, *shape, dtype='float32'):
    return tf.placeholder(dtype, shape, name='x')


def z(tf, *shape, dtype='complex64'):
    return tf.placeholder(dtype, shape, name='z')


def grads(tf, function, kind, *shape, **more):
    made = kind(tf, *shape, **more)
    return tf.gradients(function(made), [made])


FOURIER = [
    (lambda tf: tf.signal.fft(z(tf, 2, 5)), True),
    (lambda tf: tf.spectral.ifft(z(tf, 2, 5, dtype='complex128'), name='q'), True),
    (lambda tf: tf.fft2d(z(tf, 3, 2, 5)), True),
    (lambda tf: tf.ifft3d(z(tf, 3, 2, 5)), True),
    (lambda tf: tf.signal.rfft(x(tf, 2, 5)), True),
    (lambda tf: tf.signal.rfft(x(tf, 2, 5), [4], name='q'), True),
    (lambda tf: tf.signal.rfft(x(tf, 2, 5), [8]), True),
    (lambda tf: tf.spectral.rfft(x(tf, 2, None, dtype='float64')), True),
    (lambda tf: tf.signal.rfft(x(tf, 2, None), [8]), True),
    (lambda tf: tf.signal.rfft(x(tf, 2, 4), [tf.placeholder_with_default(6, [])]), True),
    (lambda tf: tf.signal.rfft([1., 2., 3.]), True),
    lambda tf: tf.signal.rfft(x(tf, 2, 0)),
    lambda tf: tf.signal.rfft(tf.placeholder('float32')),
    lambda tf: tf.signal.rfft(1.0),
    lambda tf: tf.signal.rfft(z(tf, 2, 5)),
    lambda tf: tf.signal.rfft(x(tf, 2, 5), 4),
    (lambda tf: tf.signal.rfft2d(x(tf, 2, 3, 5), [4, 8]), True),
    (lambda tf: tf.signal.rfft2d(x(tf, 2, 3, None)), True),
    (lambda tf: tf.signal.rfft3d(x(tf, 2, 3, 5)), True),
    (lambda tf: tf.signal.irfft(z(tf, 2, 5)), True),
    (lambda tf: tf.signal.irfft(z(tf, 2, 5), [7]), True),
    (lambda tf: tf.signal.irfft(z(tf, 2, 5), [12], name='q'), True),
    (lambda tf: tf.signal.irfft(z(tf, 2, None)), True),
    (lambda tf: tf.signal.irfft(z(tf, 2, None), [12]), True),
    lambda tf: tf.signal.irfft(x(tf, 2, 5)),
    (lambda tf: tf.signal.irfft2d(z(tf, 2, 3, 5), [3, 9]), True),
    (lambda tf: tf.signal.irfft3d(z(tf, 2, 3, 5, dtype='complex128')), True),
    (lambda tf: tf.signal.fftshift(x(tf, 3, 5)), True),
    (lambda tf: tf.signal.fftshift(x(tf, 3, 5), axes=1, name='q'), True),
    (lambda tf: tf.signal.ifftshift(x(tf, 3, 5), axes=(-1,)), True),
    (lambda tf: tf.signal.ifftshift(x(tf, 3, 5)), True),
    (lambda tf: tf.signal.ifftshift(x(tf, 3, 5), axes=-2), True),
    (lambda tf: tf.signal.fftshift(x(tf, 3, 5), axes=[0, 1]), True),
    lambda tf: tf.signal.fftshift(tf.placeholder('float32')),
]
# The conformance cases compare the values of the gradients of real transforms, which have fewer nodes here.
FOURIER_GRADIENTS = [
    (lambda tf: grads(tf, tf.signal.fft, z, 2, 5), True),
    (lambda tf: grads(tf, tf.signal.fft, z, 2, None), True),
    (lambda tf: grads(tf, tf.signal.ifft, z, 2, 5), True),
    (lambda tf: grads(tf, tf.signal.ifft2d, z, 2, 5, 3), True),
    (lambda tf: grads(tf, tf.signal.fft3d, z, 2, 5, 3, dtype='complex128'), True),
    lambda tf: grads(tf, tf.signal.rfft3d, x, 2, 5, 3),
]
WINDOWS = [
    (lambda tf: tf.signal.hann_window(8), True),
    (lambda tf: tf.signal.hann_window(7, periodic=False, dtype=tf.float64, name='q'), True),
    (lambda tf: tf.signal.hann_window(1), True),
    (lambda tf: tf.signal.hann_window(tf.placeholder_with_default(6, [])), True),
    lambda tf: tf.signal.hann_window([1]),
    lambda tf: tf.signal.hann_window(4, dtype=tf.int32),
    (lambda tf: tf.signal.hamming_window(8), True),
    (lambda tf: tf.signal.kaiser_window(8), True),
    (lambda tf: tf.signal.kaiser_window(9, beta=4., dtype=tf.float64), True),
    (lambda tf: tf.signal.kaiser_window(1), True),
    (lambda tf: tf.signal.kaiser_bessel_derived_window(8), True),
    (lambda tf: tf.signal.vorbis_window(8, name='q'), True),
    lambda tf: tf.signal.vorbis_window(8, dtype=tf.int32),
]
FRAMES = [
    (lambda tf: tf.signal.frame(x(tf, 2, 9), 4, 3), True),
    (lambda tf: tf.signal.frame(x(tf, 2, 9), 4, 2, name='q'), True),
    (lambda tf: tf.signal.frame(x(tf, 2, 9), 4, 3, pad_end=True, pad_value=7), True),
    (lambda tf: tf.signal.frame(x(tf, 9, 2), 4, 3, axis=0), True),
    (lambda tf: tf.signal.frame(x(tf, 2, 9, 3), 4, 3, axis=-2, pad_end=True), True),
    (lambda tf: tf.signal.frame(x(tf, None, None), 2, 1), True),
    (lambda tf: tf.signal.frame(x(tf, 2), 4, 3), True),
    lambda tf: tf.signal.frame(tf.placeholder('float32'), 4, 3),
    (lambda tf: tf.signal.frame(x(tf, 2, 9), tf.placeholder_with_default(4, []), 3,
        axis=tf.placeholder_with_default(1, [])), True),
    lambda tf: tf.signal.frame(1., 4, 3),
    lambda tf: tf.signal.frame(x(tf, 2, 9), [4], 3),
    lambda tf: tf.signal.frame(x(tf, 2, 9), 4., 3),
    (lambda tf: tf.signal.overlap_and_add(x(tf, 2, 3, 4), 2), True),
    (lambda tf: tf.signal.overlap_and_add(x(tf, 3, 4), 4), True),
    (lambda tf: tf.signal.overlap_and_add(x(tf, 2, 3, 5), 2, name='q'), True),
    (lambda tf: tf.signal.overlap_and_add(x(tf, 2, 3, 5), tf.placeholder_with_default(2, [])), True),
    lambda tf: tf.signal.overlap_and_add(x(tf, 2, 3, 5), 2.),
    lambda tf: tf.signal.overlap_and_add(x(tf, 3), 2),
]
TRANSFORMS = [
    (lambda tf: tf.signal.stft(x(tf, 2, 40), 8, 4), True),
    (lambda tf: tf.signal.stft(x(tf, 2, 40, dtype='float64'), 7, 3, fft_length=16, window_fn=None, pad_end=True,
        name='q'), True),
    (lambda tf: tf.signal.stft(x(tf, 2, None), tf.placeholder_with_default(8, []), 4), True),
    lambda tf: tf.signal.stft(1.0, 8, 4),
    (lambda tf: tf.signal.inverse_stft(z(tf, 3, 5), 8, 4), True),
    (lambda tf: tf.signal.inverse_stft(z(tf, 2, 3, 9), 7, 3, fft_length=16,
        window_fn=tf.signal.inverse_stft_window_fn(3)), True),
    (lambda tf: tf.signal.inverse_stft(z(tf, 2, 3, 5), 12, 3, fft_length=8, window_fn=None, name='q'), True),
    (lambda tf: tf.signal.inverse_stft(z(tf, 2, 3, None), 8, 4), True),
    (lambda tf: tf.signal.inverse_stft_window_fn(3, tf.signal.hamming_window, name='q')(8, tf.float64), True),
    (lambda tf: tf.signal.mdct(x(tf, 2, 40), 8), True),
    (lambda tf: tf.signal.mdct(x(tf, 2, 40), 8, window_fn=None, pad_end=True, norm='ortho', name='q'), True),
    lambda tf: tf.signal.mdct(x(tf, 2, 40), 6),
    (lambda tf: tf.signal.inverse_mdct(x(tf, 2, 3, 4)), True),
    (lambda tf: tf.signal.inverse_mdct(x(tf, 2, 3, 4), window_fn=None, norm='ortho'), True),
    (lambda tf: tf.signal.mfccs_from_log_mel_spectrograms(x(tf, 2, 3, 4), name='q'), True),
    (lambda tf: tf.signal.mfccs_from_log_mel_spectrograms(x(tf, 2, 3, None)), True),
    lambda tf: tf.signal.mfccs_from_log_mel_spectrograms(x(tf, 2, 3, 0)),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(),
    (lambda tf: tf.signal.linear_to_mel_weight_matrix(5, 33, 16000, 100.0, 7000.0, tf.float64, name='q'), True),
    (lambda tf: tf.signal.linear_to_mel_weight_matrix(5, 33, tf.constant(8000)), True),
    (lambda tf: tf.signal.linear_to_mel_weight_matrix(5, 33, tf.placeholder_with_default(8000, [])), True),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(0),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(sample_rate=0.0),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=-1),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(lower_edge_hertz=100, upper_edge_hertz=10),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(upper_edge_hertz=1000, sample_rate=10),
    lambda tf: tf.signal.linear_to_mel_weight_matrix(dtype=tf.int32),
]
COSINE = [
    *((lambda tf, t=t, norm=norm, f=f: getattr(tf.signal, f)(x(tf, 2, 5), type=t, norm=norm), True)
      for f in ('dct', 'idct') for t in (1, 2, 3, 4) for norm in (None, 'ortho')),
    (lambda tf: tf.spectral.dct(x(tf, 2, 5, dtype='float64'), n=3, name='q'), True),
    (lambda tf: tf.signal.dct(x(tf, 2, 5), n=8), True),
    (lambda tf: tf.signal.dct(x(tf, 2, None), n=8), True),
    (lambda tf: tf.signal.idct(x(tf, 2, None), norm='ortho'), True),
    lambda tf: tf.signal.dct(x(tf, 2, 5), type=5),
    lambda tf: tf.signal.dct(x(tf, 2, 5), axis=0),
    lambda tf: tf.signal.dct(x(tf, 2, 5), n=0),
    lambda tf: tf.signal.dct(x(tf, 2, 5), norm='a'),
    lambda tf: tf.signal.dct(x(tf, 2, 1), type=1),
]
AUDIO = [
    lambda tf: tf.audio.decode_wav(tf.placeholder('string', []), desired_channels=2, name='q'),
    lambda tf: tf.audio.decode_wav(tf.placeholder('string', []), -1, 5),
    lambda tf: tf.audio.decode_wav(tf.placeholder('string', []), -2),
    lambda tf: tf.audio.encode_wav(x(tf, 3, 2), 8000),
    lambda tf: tf.audio.encode_wav(x(tf, 3), 8000),
    (lambda tf: tf.raw_ops.AudioSpectrogram(input=x(tf, 30, 2), window_size=8, stride=4), True),
    lambda tf: tf.raw_ops.AudioSpectrogram(input=x(tf, 30, 2), window_size=1, stride=4),
    (lambda tf: tf.raw_ops.Mfcc(spectrogram=x(tf, 2, 3, 65), sample_rate=8000), True),
]
CASES = {'fourier': FOURIER, 'fourier_gradients': FOURIER_GRADIENTS, 'windows': WINDOWS, 'frames': FRAMES,
         'transforms': TRANSFORMS, 'cosine': COSINE, 'audio': AUDIO}
