"""Quantized tensors: integers of few bits, with the range that they represent."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops


def _axis(x, axis):
    """Returns `axis` in the form that the ops use: -1 for none, else not negative."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    if x.shape.rank is None:
        raise ValueError('input should have known rank to use negative axis.')
    return axis + x.shape.rank


@export('quantization.quantize', 'quantize')
def quantize(input, min_range, max_range, T, mode='MIN_COMBINED',
             round_mode='HALF_AWAY_FROM_ZERO', name=None, narrow_range=False, axis=None,
             ensure_minimum_range=0.01):
    """Quantizes a tensor.

    Args:
      input: a float32 tensor.
      min_range: the number that the lowest integer represents; a vector with `axis`.
      max_range: the number that the highest integer represents; a vector with `axis`.
      T: qint8, quint8, qint16, quint16 or qint32.
      mode: 'MIN_COMBINED', 'MIN_FIRST' or 'SCALED'.
      round_mode: 'HALF_AWAY_FROM_ZERO' or, with 'SCALED', 'HALF_TO_EVEN'.
      name: the name of the node.
      narrow_range: with 'SCALED', whether to leave out the lowest integer.
      axis: the dimension whose slices have separate ranges.
      ensure_minimum_range: the minimum width of a range.

    Returns:
      output, output_min, output_max: the integers, and the range that they represent.

    Raises:
      ValueError: if `axis` is negative and the rank is not known.
    """
    if axis is not None and axis < 0:
        input = ops.convert_to_tensor(input, dtype=dtypes.float32, name='input')
    return gen.QuantizeV2(input, min_range, max_range, T=T, mode=mode, round_mode=round_mode,
                          narrow_range=narrow_range, axis=_axis(input, axis),
                          ensure_minimum_range=ensure_minimum_range, name=name)


@export('quantize_v2')
@with_args_of(quantize)
def quantize_v2(input, min_range, max_range, T, mode='MIN_COMBINED', name=None,
                round_mode='HALF_AWAY_FROM_ZERO', narrow_range=False, axis=None,
                ensure_minimum_range=0.01):
    """Quantizes a tensor. Deprecated: use tf.quantization.quantize.

    Returns:
      output, output_min, output_max: the integers, and the range that they represent.
    """
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
                    ensure_minimum_range)


@export('quantization.dequantize', 'dequantize')
def dequantize(input, min_range, max_range, mode='MIN_COMBINED', name=None, axis=None,
               narrow_range=False, dtype=dtypes.float32):
    """Converts a quantized tensor back to floating-point numbers.

    Args:
      input: a quantized tensor.
      min_range: the number that the lowest integer represents; a vector with `axis`.
      max_range: the number that the highest integer represents; a vector with `axis`.
      mode: 'MIN_COMBINED', 'MIN_FIRST' or 'SCALED'.
      name: the name of the node.
      axis: the dimension whose slices have separate ranges.
      narrow_range: with 'SCALED', whether the lowest integer was left out.
      dtype: float32 or bfloat16.

    Returns:
      A tensor of `dtype`.

    Raises:
      ValueError: if `axis` is negative and the rank is not known.
    """
    return gen.Dequantize(input, min_range, max_range, mode=mode, narrow_range=narrow_range,
                          axis=_axis(input, axis), dtype=dtype, name=name)


@export('quantization.quantize_and_dequantize')
def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8,
                            range_given=False, round_mode='HALF_TO_EVEN', name=None,
                            narrow_range=False, axis=None):
    """Rounds a tensor to the precision of few bits, with the gradient of the identity.

    Args:
      input: a float32 or float64 tensor.
      input_min: the smallest number, if `range_given`; a vector with `axis`.
      input_max: the largest number, if `range_given`; a vector with `axis`.
      signed_input: whether the integers are signed.
      num_bits: the number of bits per integer.
      range_given: whether input_min and input_max are used. Otherwise the range is that of the elements.
      round_mode: 'HALF_TO_EVEN' or 'HALF_UP'.
      name: the name of the node.
      narrow_range: whether to leave out the lowest integer.
      axis: the dimension whose slices have separate ranges.

    Returns:
      A tensor like `input`.

    Raises:
      ValueError: if `axis` is negative and the rank is not known.
    """
    return gen.QuantizeAndDequantizeV2(
        input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range,
        axis=_axis(input, axis), name=name)


@export('quantization.quantize_and_dequantize_v2')
def quantize_and_dequantize_v2(input, input_min, input_max, signed_input=True, num_bits=8,
                               range_given=False, round_mode='HALF_TO_EVEN', name=None,
                               narrow_range=False, axis=None):
    """Rounds a tensor to the precision of few bits. Gradients are 0 outside of the range.

    Args:
      input: a float32 or float64 tensor.
      input_min: the smallest number, if `range_given`; a vector with `axis`.
      input_max: the largest number, if `range_given`; a vector with `axis`.
      signed_input: whether the integers are signed.
      num_bits: the number of bits per integer.
      range_given: whether input_min and input_max are used. Otherwise the range is that of the elements.
      round_mode: 'HALF_TO_EVEN' or 'HALF_UP'.
      name: the name of the node.
      narrow_range: whether to leave out the lowest integer.
      axis: the dimension whose slices have separate ranges.

    Returns:
      A tensor like `input`.

    Raises:
      ValueError: if `axis` is negative and the rank is not known.
    """
    return gen.QuantizeAndDequantizeV4(
        input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range,
        axis=_axis(input, axis), name=name)
