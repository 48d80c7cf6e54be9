"""Cosine transforms."""

import math

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.framework.dimension import dimension_value
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops
from ramet.ops.signal import fft_ops


def _check_arguments(tensor, dct_type, n, axis, norm):
    if axis != -1:
        raise NotImplementedError(f'axis must be -1. Got: {axis}')
    if n is not None and n < 1:
        raise ValueError('n should be a positive integer or None')
    if dct_type not in (1, 2, 3, 4):
        raise ValueError('Types I, II, III and IV (I)DCT are supported.')
    if dct_type == 1:
        if norm == 'ortho':
            raise ValueError('Normalization is not supported for the Type-I DCT.')
        size = dimension_value(tensor.shape[-1])
        if size is not None and size < 2:
            raise ValueError('Type-I DCT requires the dimension to be greater than one.')
    if norm not in (None, 'ortho'):
        raise ValueError(f"Unknown normalization. Expected None or 'ortho', got: {norm}")


@export('signal.dct', 'spectral.dct')
def dct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Returns the discrete cosine transform along the last dimension.

    Args:
      input: a tensor [..., samples] of float32 or float64.
      type: 1, 2, 3 or 4, the type of the transform.
      n: an int, to which the last dimension is cropped or padded with zeros first. Defaults to its size.
      axis: must be -1.
      norm: None, or 'ortho' for an orthonormal transform.
      name: the name of the scope.

    Returns:
      A tensor [..., n].

    Raises:
      NotImplementedError: if axis is not -1.
      ValueError: if n is not positive, there is no such type or norm, or type 1 is given 'ortho' or fewer than two
        samples.
    """
    _check_arguments(input, type, n, axis, norm)
    return _dct(input, type, n, norm, name)


@export('signal.idct', 'spectral.idct')
def idct(input, type=2, n=None, axis=-1, norm=None, name=None):
    """Returns the inverse of tf.signal.dct, times 2 * n unless norm is 'ortho'.

    Args:
      input: a tensor [..., samples] of float32 or float64.
      type: 1, 2, 3 or 4, the type of the transform to invert.
      n: an int, see tf.signal.dct.
      axis: must be -1.
      norm: None or 'ortho', see tf.signal.dct.
      name: the name of the scope.

    Returns:
      A tensor [..., n].

    Raises:
      NotImplementedError: if axis is not -1.
      ValueError: see tf.signal.dct.
    """
    _check_arguments(input, type, n, axis, norm)
    return _dct(input, {1: 1, 2: 3, 3: 2, 4: 4}[type], n, norm, name)


def _last_size(tensor):
    return dimension_value(tensor.shape[-1]) or array_ops.shape(tensor)[-1]


def _resized(tensor, size, n):
    """Crops the last dimension to n elements, or appends zeros."""

    def padded():
        rank = len(tensor.shape)
        paddings = [[0, 0] for _ in range(rank - 1)] + [[0, n - size]]
        return array_ops.pad(tensor, paddings=ops.convert_to_tensor(paddings, dtype=dtypes.int32))

    def cropped():
        return tensor[..., 0:n]

    is_shorter = n <= size
    if isinstance(is_shorter, ops.Tensor):
        known = tensor_util.constant_value(is_shorter)
        if known is None:
            return cond(is_shorter, cropped, padded)
        is_shorter = bool(known)
    return cropped() if is_shorter else padded()


def _rotations(count, sign, zero):
    """Returns 2 * exp(sign * i * pi * k / (2 * count)) for k below count."""
    k = math_ops.range(count)
    return 2.0 * gen.Exp(math_ops.complex(zero, (k if sign > 0 else -k) * math.pi * 0.5 / count))


def _weights(first, others, count):
    return array_ops.pad(array_ops.expand_dims(first, 0), [[0, count - 1]], constant_values=others)


def _second(tensor, count, number, norm, zero):
    """Returns the transform of type 2, from the Fourier transform of the signal followed by as many zeros."""
    rotations = _rotations(number, -1, zero)
    spectrum = fft_ops.rfft(tensor, fft_length=[2 * count])[..., :count]
    result = math_ops.real(spectrum * rotations)
    if norm == 'ortho':
        first = 0.5 * gen.Rsqrt(number)
        result *= _weights(first, first * math.sqrt(2.0), count)
    return result


def _third(tensor, count, number, norm, zero):
    if norm == 'ortho':
        first = gen.Sqrt(number)
        tensor *= _weights(first, first * math.sqrt(0.5), count)
    else:
        tensor *= number
    spectrum = _rotations(number, 1, zero) * math_ops.complex(tensor, zero)
    return math_ops.real(fft_ops.irfft(spectrum, fft_length=[2 * count]))[..., :count]


def _dct(tensor, dct_type, n, norm, name=None):
    """Returns the transform of a type. `n` may be a tensor."""
    with ops.name_scope(name, 'dct', [tensor]):
        tensor = ops.convert_to_tensor(tensor)
        zero = ops.convert_to_tensor(0.0, dtype=tensor.dtype)
        size = _last_size(tensor)
        if n is not None:
            tensor = _resized(tensor, size, n)
        count = _last_size(tensor)
        number = math_ops.cast(count, tensor.dtype)
        if dct_type == 1:
            mirrored = array_ops.concat([tensor, tensor[..., -2:0:-1]], axis=-1)
            return math_ops.real(fft_ops.rfft(mirrored))
        if dct_type == 2:
            return _second(tensor, count, number, norm, zero)
        if dct_type == 3:
            return _third(tensor, count, number, norm, zero)
        odd = _dct(tensor, 2, 2 * count, None)[..., 1::2]
        return odd * (math.sqrt(0.5) * gen.Rsqrt(number)) if norm == 'ortho' else odd
