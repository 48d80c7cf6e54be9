"""Window functions."""

import math

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops, special_math_ops


def _check_dtype(dtype):
    if not dtype.is_floating:
        raise ValueError(f'dtype must be a floating point type. Found {dtype}')


def _length(window_length, dtype):
    _check_dtype(dtype)
    window_length = ops.convert_to_tensor(window_length, dtype=dtypes.int32)
    window_length.shape.assert_has_rank(0)
    return window_length


@export('signal.kaiser_window')
def kaiser_window(window_length, beta=12., dtype=dtypes.float32, name=None):
    """Returns a Kaiser window.

    Args:
      window_length: an int32 scalar, the number of elements.
      beta: a number, the shape of the window.
      dtype: the dtype of the elements, a floating-point type.
      name: the name of the scope.

    Returns:
      A tensor [window_length].

    Raises:
      ValueError: if dtype is not a floating-point type, or window_length is not a scalar.
    """
    with ops.name_scope(name, 'kaiser_window'):
        window_length = _length(window_length, dtype)
        if tensor_util.constant_value(window_length) == 1:
            return array_ops.ones([1], dtype=dtype)
        half = (math_ops.cast(window_length, dtype=dtypes.float32) - 1.0) / 2.0
        position = math_ops.cast(math_ops.range(-half, half + 0.1, dtype=dtypes.float32), dtype=dtype)
        beta = math_ops.cast(beta, dtype=dtype)
        one = math_ops.cast(1.0, dtype=dtype)
        half = math_ops.cast(half, dtype=dtype)
        num = beta * gen.Sqrt(gen.Relu(one - gen.Square(position / half)))
        return gen.Exp(num - beta) * (special_math_ops.bessel_i0e(num) / special_math_ops.bessel_i0e(beta))


@export('signal.kaiser_bessel_derived_window')
def kaiser_bessel_derived_window(window_length, beta=12., dtype=dtypes.float32, name=None):
    """Returns a Kaiser-Bessel-derived window, with which tf.signal.inverse_mdct reconstructs a signal.

    Args:
      window_length: an int32 scalar, the number of elements.
      beta: a number, the shape of the window.
      dtype: the dtype of the elements, a floating-point type.
      name: the name of the scope.

    Returns:
      A tensor [window_length].

    Raises:
      ValueError: if dtype is not a floating-point type, or window_length is not a scalar.
    """
    with ops.name_scope(name, 'kaiser_bessel_derived_window'):
        window_length = _length(window_length, dtype)
        sums = math_ops.cumsum(kaiser_window(window_length // 2 + 1, beta, dtype=dtype))
        half = gen.Sqrt(sums[:-1] / sums[-1])
        return array_ops.concat((half, half[::-1]), axis=0)


@export('signal.vorbis_window')
def vorbis_window(window_length, dtype=dtypes.float32, name=None):
    """Returns the window of the Vorbis codec, with which tf.signal.inverse_mdct reconstructs a signal.

    Args:
      window_length: an int32 scalar, the number of elements.
      dtype: the dtype of the elements, a floating-point type.
      name: the name of the scope.

    Returns:
      A tensor [window_length].

    Raises:
      ValueError: if dtype is not a floating-point type, or window_length is not a scalar.
    """
    with ops.name_scope(name, 'vorbis_window'):
        window_length = _length(window_length, dtype)
        position = math_ops.cast(math_ops.range(window_length), dtype=dtype)
        angle = math.pi / math_ops.cast(window_length, dtype=dtype) * (position + 0.5)
        return gen.Sin(math.pi / 2.0 * math_ops.pow(gen.Sin(angle), 2.0))


@export('signal.hann_window')
def hann_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """Returns a Hann window.

    Args:
      window_length: an int32 scalar, the number of elements.
      periodic: a bool, whether the window is one period of a periodic function, for spectral analysis, or symmetric,
        for filters. Only even lengths differ.
      dtype: the dtype of the elements, a floating-point type.
      name: the name of the scope.

    Returns:
      A tensor [window_length].

    Raises:
      ValueError: if dtype is not a floating-point type, or window_length is not a scalar.
    """
    return _raised_cosine(name, 'hann_window', window_length, periodic, dtype, 0.5, 0.5)


@export('signal.hamming_window')
def hamming_window(window_length, periodic=True, dtype=dtypes.float32, name=None):
    """Returns a Hamming window.

    Args:
      window_length: an int32 scalar, the number of elements.
      periodic: a bool, see tf.signal.hann_window.
      dtype: the dtype of the elements, a floating-point type.
      name: the name of the scope.

    Returns:
      A tensor [window_length].

    Raises:
      ValueError: if dtype is not a floating-point type, or window_length is not a scalar.
    """
    return _raised_cosine(name, 'hamming_window', window_length, periodic, dtype, 0.54, 0.46)


def _raised_cosine(name, default_name, window_length, periodic, dtype, a, b):
    """Returns a - b * cos over one period."""
    _check_dtype(dtype)
    with ops.name_scope(name, default_name, [window_length, periodic]):
        window_length = ops.convert_to_tensor(window_length, dtype=dtypes.int32, name='window_length')
        window_length.shape.assert_has_rank(0)
        known = tensor_util.constant_value(window_length)
        if known == 1:
            return array_ops.ones([1], dtype=dtype)
        periodic = math_ops.cast(ops.convert_to_tensor(periodic, dtype=dtypes.bool, name='periodic'), dtypes.int32)
        periodic.shape.assert_has_rank(0)
        even = 1 - window_length % 2
        period = math_ops.cast(window_length + periodic * even - 1, dtype=dtype)
        position = math_ops.cast(math_ops.range(window_length), dtype)
        angle = constant_op.constant(2 * math.pi, dtype=dtype) * position / period

        def window():
            return math_ops.cast(a - b * gen.Cos(angle), dtype=dtype)

        if known is not None:
            return window()
        return cond(math_ops.equal(window_length, 1), lambda: array_ops.ones([window_length], dtype=dtype), window)
