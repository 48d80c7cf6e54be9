"""Quantised tensors: whole numbers of few bits with a range beside them."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops import gen


def _axis(x, axis):
    """`axis` as the ops have it: -1 for none, else not negative."""
    if axis is None:
        return -1
    if axis >= 0:
        return axis
    if x.shape.rank is None:
        raise ValueError('input should have known rank to use negative axis.')
    return axis + x.shape.rank


@export('quantize_v2')
def quantize_v2(input, min_range, max_range, T, mode='MIN_COMBINED', name=None,
                round_mode='HALF_AWAY_FROM_ZERO', narrow_range=False, axis=None,
                ensure_minimum_range=0.01):
    """Quantises a tensor (old name of tf.quantization.quantize, in its order of arguments)."""
    return quantize(input, min_range, max_range, T, mode, round_mode, name, narrow_range, axis,
                    ensure_minimum_range)


@export('quantization.quantize', 'quantize')
def quantize(input, min_range, max_range, T, mode='MIN_COMBINED',
             round_mode='HALF_AWAY_FROM_ZERO', name=None, narrow_range=False, axis=None,
             ensure_minimum_range=0.01):
    """Quantises a tensor.

    Args:
      input: a float32 tensor.
      min_range: the number that the lowest whole number stands for; a vector with `axis`.
      max_range: the number that the highest whole number stands for; a vector with `axis`.
      T: qint8, quint8, qint16, quint16 or qint32.
      mode: 'MIN_COMBINED', 'MIN_FIRST' or 'SCALED'.
      round_mode: 'HALF_AWAY_FROM_ZERO' or, with 'SCALED', 'HALF_TO_EVEN'.
      name: name of the node.
      narrow_range: with 'SCALED', leave out the lowest whole number.
      axis: the dimension whose slices have ranges of their own.
      ensure_minimum_range: how wide a range is at least.

    Returns:
      output, output_min, output_max: the whole numbers, and the range that they stand for.

    Raises:
      ValueError: `axis` is negative and the rank is not known.
    """
    if axis is not None and axis < 0:
        input = ops.convert_to_tensor(input, dtype=dtypes.float32, name='input')
    return gen.QuantizeV2(input, min_range, max_range, T=T, mode=mode, round_mode=round_mode,
                          narrow_range=narrow_range, axis=_axis(input, axis),
                          ensure_minimum_range=ensure_minimum_range, name=name)


@export('quantization.dequantize', 'dequantize')
def dequantize(input, min_range, max_range, mode='MIN_COMBINED', name=None, axis=None,
               narrow_range=False, dtype=dtypes.float32):
    """Returns the numbers that a quantised tensor stands for.

    Args:
      input: a quantised tensor.
      min_range: the number that the lowest whole number stands for; a vector with `axis`.
      max_range: the number that the highest whole number stands for; a vector with `axis`.
      mode: 'MIN_COMBINED', 'MIN_FIRST' or 'SCALED'.
      name: name of the node.
      axis: the dimension whose slices have ranges of their own.
      narrow_range: with 'SCALED', whether the lowest whole number was left out.
      dtype: float32 or bfloat16.

    Returns:
      A tensor of `dtype`.

    Raises:
      ValueError: `axis` is negative and the rank is not known.
    """
    return gen.Dequantize(input, min_range, max_range, mode=mode, narrow_range=narrow_range,
                          axis=_axis(input, axis), dtype=dtype, name=name)


@export('quantization.quantize_and_dequantize')
def quantize_and_dequantize(input, input_min, input_max, signed_input=True, num_bits=8,
                            range_given=False, round_mode='HALF_TO_EVEN', name=None,
                            narrow_range=False, axis=None):
    """Rounds a tensor to what few bits can say; gradients go through unchanged.

    Args:
      input: a float32 or float64 tensor.
      input_min: the least number, if `range_given`; a vector with `axis`.
      input_max: the greatest number, if `range_given`; a vector with `axis`.
      signed_input: whether the whole numbers have a sign.
      num_bits: how many bits they have.
      range_given: without it the range is that of the elements.
      round_mode: 'HALF_TO_EVEN' or 'HALF_UP'.
      name: name of the node.
      narrow_range: leave out the lowest whole number.
      axis: the dimension whose slices have ranges of their own.

    Returns:
      A tensor like `input`.

    Raises:
      ValueError: `axis` is negative and the rank is not known.
    """
    return gen.QuantizeAndDequantizeV2(
        input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range,
        axis=_axis(input, axis), name=name)


@export('quantization.quantize_and_dequantize_v2')
def quantize_and_dequantize_v2(input, input_min, input_max, signed_input=True, num_bits=8,
                               range_given=False, round_mode='HALF_TO_EVEN', name=None,
                               narrow_range=False, axis=None):
    """Rounds a tensor to what few bits can say; gradients are 0 outside of the range.

    Args:
      input: a float32 or float64 tensor.
      input_min: the least number, if `range_given`; a vector with `axis`.
      input_max: the greatest number, if `range_given`; a vector with `axis`.
      signed_input: whether the whole numbers have a sign.
      num_bits: how many bits they have.
      range_given: without it the range is that of the elements.
      round_mode: 'HALF_TO_EVEN' or 'HALF_UP'.
      name: name of the node.
      narrow_range: leave out the lowest whole number.
      axis: the dimension whose slices have ranges of their own.

    Returns:
      A tensor like `input`.

    Raises:
      ValueError: `axis` is negative and the rank is not known.
    """
    return gen.QuantizeAndDequantizeV4(
        input, input_min, input_max, signed_input=signed_input, num_bits=num_bits,
        range_given=range_given, round_mode=round_mode, narrow_range=narrow_range,
        axis=_axis(input, axis), name=name)
