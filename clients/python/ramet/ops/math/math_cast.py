"""Conversions between dtypes, and parts of complex numbers."""

import builtins

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import named
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_fill, array_select

Tensor = ops.Tensor


@export('cast', 'dtypes.cast')
def cast(x, dtype, name=None):
    """Converts elements to a different dtype. Floating-point numbers are truncated to integers.

    Args:
      x: a tensor, SparseTensor or IndexedSlices of numbers or bools.
      dtype: the new dtype.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`, or `x` itself if it already has the dtype.

    Raises:
      TypeError: if there is no such conversion.
    """
    wanted = dtypes.as_dtype(dtype).base_dtype
    if type(x) is Tensor:
        source = x.dtype
        if source == wanted:
            return x
        if not source.is_complex:
            return gen.Cast(x, wanted, name=name or 'Cast')
    if getattr(x, '_is_resource', False) and x.dtype == wanted:
        return x
    with ops.name_scope(name, 'Cast', [x]) as scope:
        if isinstance(x, SparseTensor):
            return SparseTensor(x.indices, cast(x.values, wanted, name=scope), x.dense_shape)
        if isinstance(x, IndexedSlices):
            return IndexedSlices(cast(x.values, wanted, name=scope), x.indices, x.dense_shape)
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex and wanted.is_floating:
            _warn_of_lost_part(x.dtype, wanted)
        return x if x.dtype == wanted else gen.Cast(x, wanted, name=scope)


def _warn_of_lost_part(source, wanted):
    import logging
    logging.getLogger('tensorflow').warning(
        f'You are casting an input of type {source.name} to an incompatible dtype {wanted.name}.  '
        'This will discard the imaginary part and may not be what you intended.')


@export('dtypes.saturate_cast', 'saturate_cast')
def saturate_cast(value, dtype, name=None):
    """Converts elements to a different dtype, and clamps values to its range.

    Args:
      value: a tensor of numbers.
      dtype: the new dtype.
      name: the name of the node.

    Returns:
      A tensor of `dtype`.
    """
    with ops.name_scope(name, 'saturate_cast', [value]) as scope:
        value = ops.convert_to_tensor(value, name='value')
        wanted = dtypes.as_dtype(dtype).base_dtype
        return _saturate(value, wanted, scope)


def _saturate(value, wanted, scope):
    if value.dtype.is_complex and not wanted.is_complex:
        value = real(value)
    source = value.dtype.base_dtype
    kind = source.as_numpy_dtype
    low = _rounded_in(kind, builtins.max(source.min, wanted.min), wanted.min)
    high = _rounded_in(kind, builtins.min(source.max, wanted.max), wanted.max)
    value = gen.ClipByValue(value, constant_op.constant(low, dtype=source),
                            constant_op.constant(high, dtype=source), name='clamp')
    return cast(value, wanted, name=scope)


def _rounded_in(kind, bound, limit):
    """Returns `bound` as a number of type `kind` that does not exceed `limit`."""
    found = kind(bound)
    # Python compares numbers exactly, while NumPy rounds `limit` first.
    exact = found.item()
    beyond = exact > limit if limit > 0 else exact < limit
    return np.nextafter(found, kind(0), dtype=kind) if beyond else found


_CAST_DOC = """Converts to {}. Deprecated: use cast.

Args:
  x: a tensor, SparseTensor or IndexedSlices.
  name: the name of the node.

Returns:
  A value of the same kind as `x`.
"""


def _cast_to(function_name, dtype, node_name):
    """Returns the function that casts to one dtype."""

    @named(function_name, _CAST_DOC.format(dtype.name))
    def convert(x, name=node_name):
        return cast(x, dtype, name=name)

    return convert


to_float = export('to_float')(_cast_to('to_float', dtypes.float32, 'ToFloat'))
to_double = export('to_double')(_cast_to('to_double', dtypes.float64, 'ToDouble'))
to_int32 = export('to_int32')(_cast_to('to_int32', dtypes.int32, 'ToInt32'))
to_int64 = export('to_int64')(_cast_to('to_int64', dtypes.int64, 'ToInt64'))
to_bfloat16 = export('to_bfloat16')(_cast_to('to_bfloat16', dtypes.bfloat16, 'ToBFloat16'))
to_complex64 = export('to_complex64')(_cast_to('to_complex64', dtypes.complex64, 'ToComplex64'))
to_complex128 = export('to_complex128')(_cast_to('to_complex128', dtypes.complex128, 'ToComplex128'))


@export('complex', 'dtypes.complex')
def complex(real, imag, name=None):
    """Returns complex numbers with the given real and imaginary parts.

    Args:
      real: a float32 or float64 tensor.
      imag: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A complex64 or complex128 tensor.

    Raises:
      TypeError: if the dtypes are invalid.
    """
    real = ops.convert_to_tensor(real, name='real')
    imag = ops.convert_to_tensor(imag, name='imag')
    with ops.name_scope(name, 'Complex', [real, imag]) as scope:
        pair = (real.dtype, imag.dtype)
        if pair == (dtypes.float64, dtypes.float64):
            result = dtypes.complex128
        elif pair == (dtypes.float32, dtypes.float32):
            result = dtypes.complex64
        else:
            raise TypeError('The `real` and `imag` components have incorrect types: '
                            f'{real.dtype.name} {imag.dtype.name}. They must be consistent, and '
                            'one of '
                            f'{[dtypes.float32, dtypes.float64]}')
        return gen.Complex(real, imag, Tout=result, name=scope)


@export('math.real', 'real')
def real(input, name=None):
    """Returns the real part. A real `input` is returned unchanged.

    Args:
      input: a tensor of numbers.
      name: the name of the node.

    Returns:
      A tensor of real dtype.
    """
    with ops.name_scope(name, 'Real', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        if not input.dtype.is_complex:
            return input
        return gen.Real(input, Tout=input.dtype.real_dtype, name=scope)


@export('imag', 'math.imag')
def imag(input, name=None):
    """Returns the imaginary part; zeros if `input` is real.

    Args:
      input: a tensor of numbers.
      name: the name of the node.

    Returns:
      A tensor of real dtype.
    """
    with ops.name_scope(name, 'Imag', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen.Imag(input, Tout=input.dtype.real_dtype, name=scope)
        return array_fill.zeros_like(input)


@export('angle', 'math.angle')
def angle(input, name=None):
    """Returns the argument (angle) of complex numbers; for real numbers 0 or pi.

    Args:
      input: a tensor of numbers.
      name: the name of the node.

    Returns:
      A tensor of real dtype.
    """
    with ops.name_scope(name, 'Angle', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen.Angle(input, Tout=input.dtype.real_dtype, name=scope)
        return array_select.where(input < 0, np.pi * array_fill.ones_like(input),
                                  array_fill.zeros_like(input))


@export('conj', 'math.conj')
def conj(x, name=None):
    """Returns the complex conjugate. A real `x` is returned unchanged.

    Args:
      x: a tensor of numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.

    Raises:
      TypeError: if `x` is not of numbers.
    """
    if isinstance(x, Tensor) and (x.dtype.is_floating or x.dtype.is_integer):
        return x
    with ops.name_scope(name, 'Conj', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex or x.dtype == dtypes.variant:
            return gen.Conj(x, name=scope)
        if x.dtype.is_floating or x.dtype.is_integer:
            return x
        raise TypeError(f'Expected numeric or variant tensor, got dtype {x.dtype!r}.')
