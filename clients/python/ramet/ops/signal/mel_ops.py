"""The mel scale, and the coefficients of the spectrum of a mel spectrogram."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.signal import dct_ops, shape_ops

# The formula of the Hidden Markov Model Toolkit: mel = 1127 * log(1 + hertz / 700).
_BREAK_HERTZ = 700.0
_MELS_PER_FACTOR_E = 1127.0


def _hertz_to_mel(hertz):
    with ops.name_scope(None, 'hertz_to_mel', [hertz]):
        hertz = ops.convert_to_tensor(hertz)
        return _MELS_PER_FACTOR_E * gen.Log(1.0 + (hertz / _BREAK_HERTZ))


def _check_arguments(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype):
    if num_mel_bins <= 0:
        raise ValueError(f'num_mel_bins must be positive. Got: {num_mel_bins}')
    if lower_edge_hertz < 0.0:
        raise ValueError(f'lower_edge_hertz must be non-negative. Got: {lower_edge_hertz}')
    if lower_edge_hertz >= upper_edge_hertz:
        raise ValueError(f'lower_edge_hertz {lower_edge_hertz:.1f} >= upper_edge_hertz {upper_edge_hertz:.1f}')
    if not isinstance(sample_rate, ops.Tensor):
        if sample_rate <= 0.0:
            raise ValueError(f'sample_rate must be positive. Got: {sample_rate}')
        if upper_edge_hertz > sample_rate / 2:
            raise ValueError('upper_edge_hertz must not be larger than the Nyquist frequency (sample_rate / 2). Got '
                             f'{upper_edge_hertz} for sample_rate: {sample_rate}')
    if not dtype.is_floating:
        raise ValueError(f'dtype must be a floating point type. Got: {dtype}')


@export('signal.linear_to_mel_weight_matrix')
def linear_to_mel_weight_matrix(num_mel_bins=20, num_spectrogram_bins=129, sample_rate=8000, lower_edge_hertz=125.0,
                                upper_edge_hertz=3800.0, dtype=dtypes.float32, name=None):
    """Returns a matrix whose product with a spectrogram is a mel spectrogram.

    Each column is a triangle over the frequencies of a band. The bands have equal widths on the mel scale and overlap
    by half.

    Args:
      num_mel_bins: an int, the number of bands.
      num_spectrogram_bins: an integer scalar, the number of frequencies from 0 to sample_rate / 2.
      sample_rate: a number, the samples per second.
      lower_edge_hertz: a number, the lowest frequency of the first band.
      upper_edge_hertz: a number, the highest frequency of the last band.
      dtype: the dtype of the matrix, a floating-point type.
      name: the name of the operation.

    Returns:
      A tensor [num_spectrogram_bins, num_mel_bins].

    Raises:
      ValueError: if num_mel_bins or sample_rate is not positive, the edges are not in
        0 <= lower_edge_hertz < upper_edge_hertz <= sample_rate / 2, or dtype is not a floating-point type.
    """
    with ops.name_scope(name, 'linear_to_mel_weight_matrix') as name:
        if isinstance(sample_rate, ops.Tensor):
            known = tensor_util.constant_value(sample_rate)
            sample_rate = sample_rate if known is None else known
        _check_arguments(num_mel_bins, sample_rate, lower_edge_hertz, upper_edge_hertz, dtype)
        sample_rate = math_ops.cast(sample_rate, dtype, name='sample_rate')
        lower = ops.convert_to_tensor(lower_edge_hertz, dtype, name='lower_edge_hertz')
        upper = ops.convert_to_tensor(upper_edge_hertz, dtype, name='upper_edge_hertz')
        zero = ops.convert_to_tensor(0.0, dtype)
        frequencies = math_ops.linspace(zero, sample_rate / 2.0, num_spectrogram_bins)[1:]
        mels = array_ops.expand_dims(_hertz_to_mel(frequencies), 1)
        edges = shape_ops.frame(math_ops.linspace(_hertz_to_mel(lower), _hertz_to_mel(upper), num_mel_bins + 2),
                                frame_length=3, frame_step=1)
        start, center, end = (array_ops.reshape(t, [1, num_mel_bins]) for t in array_ops.split(edges, 3, axis=1))
        rising = (mels - start) / (center - start)
        falling = (end - mels) / (end - center)
        weights = gen.Maximum(zero, gen.Minimum(rising, falling))
        # The constant part of a signal, in the first row, has no weight.
        return array_ops.pad(weights, [[1, 0], [0, 0]], name=name)


@export('signal.mfccs_from_log_mel_spectrograms')
def mfccs_from_log_mel_spectrograms(log_mel_spectrograms, name=None):
    """Returns mel-frequency cepstral coefficients, the orthonormal cosine transform of logarithms of a spectrogram.

    Args:
      log_mel_spectrograms: a tensor [..., num_mel_bins] of float32 or float64.
      name: the name of the scope.

    Returns:
      A tensor of the same shape.

    Raises:
      ValueError: if num_mel_bins is 0.
    """
    with ops.name_scope(name, 'mfccs_from_log_mel_spectrograms', [log_mel_spectrograms]):
        spectrograms = ops.convert_to_tensor(log_mel_spectrograms)
        bins = spectrograms.shape.dims[-1].value if spectrograms.shape.ndims else None
        if bins == 0:
            raise ValueError(f'num_mel_bins must be positive. Got: {spectrograms}')
        if bins is None:
            bins = array_ops.shape(spectrograms)[-1]
        transformed = dct_ops.dct(spectrograms, type=2)
        return transformed * gen.Rsqrt(math_ops.cast(bins, transformed.dtype) * 2.0)
