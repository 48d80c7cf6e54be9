"""Arithmetic on two tensors, casts, complex numbers, ranges: what is more than one op."""

import builtins

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops import array_basics, array_join, array_select, gen

Tensor = ops.Tensor
_SAME = object()
_TRUEDIV_TYPES = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64, dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None, dtypes.float16: None, dtypes.float32: None, dtypes.float64: None,
    dtypes.complex64: None, dtypes.complex128: None,
}


def _sparse_map(build, sparse, name):
    """A SparseTensor with `build` applied to its values."""
    return SparseTensor(sparse.indices, build(sparse.values, name=name), sparse.dense_shape)


@export('abs', 'math.abs')
def abs(x, name=None):
    """Returns |x| element-wise; the modulus of complex numbers.

    Args:
      x: a tensor or SparseTensor of numbers.
      name: name of the node.

    Returns:
      A tensor like `x`; of real dtype if that is complex.
    """
    if type(x) is SparseTensor:
        with ops.name_scope(name, 'Abs'):
            pass
        return _sparse_map(abs, x, name)
    if type(x) is Tensor and not x.dtype.is_complex:
        return gen.Abs(x, name=name or 'Abs')
    with ops.name_scope(name, 'Abs', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_complex:
            return gen.ComplexAbs(x, Tout=x.dtype.real_dtype, name=scope)
        return gen.Abs(x, name=scope)


def add_tensors(x, y, name=None):
    """Add for strings, AddV2 for all else."""
    if x.dtype.base_dtype == dtypes.string:
        return gen.Add(x, y, name=name)
    return gen.AddV2(x, y, name=name)


def hinted(value, like, name):
    """`value` as a tensor, of the dtype of the tensor `like` if it can be."""
    dtype = like.dtype.base_dtype
    if isinstance(value, np.ndarray):
        try:
            return ops.convert_to_tensor(value, dtype=dtype, name=name)
        except (TypeError, ValueError):
            pass
    return ops.convert_to_tensor(value, dtype_hint=dtype, name=name)


def add_converted(x, y):
    with ops.name_scope(None, 'add', [x, y]) as scope:
        if not isinstance(y, (Tensor, SparseTensor)):
            y = hinted(y, x, 'y')
        return add_tensors(x, y, name=scope)


@export('add', 'math.add')
def add(x, y, name=None):
    """Returns x + y element-wise, with broadcasting; strings are joined.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    if type(x) is Tensor and type(y) is Tensor and x.dtype is not dtypes.string:
        return gen.AddV2(x, y, name=name or 'Add')
    with ops.name_scope(name, 'Add', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        y = hinted(y, x, 'y')
        return add_tensors(x, y, name=scope)


@export('math.subtract', 'subtract')
def subtract(x, y, name=None):
    """Returns x - y element-wise, with broadcasting.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    return gen.Sub(x, y, name=name)


@export('math.multiply', 'multiply')
def multiply(x, y, name=None):
    """Returns x * y element-wise, with broadcasting.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    return gen.Mul(x, y, name=name)


@export('divide', 'math.divide')
def divide(x, y, name=None):
    """Returns x / y as Python divides.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    if name is not None:
        return _Named(x, name) / y
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        x = ops.convert_to_tensor(x, dtype_hint=getattr(y, 'dtype', None))
    return x / y


class _Named:
    """The left side of a division whose node has a name."""

    def __init__(self, x, name):
        self.x, self.name = x, name

    def __truediv__(self, y):
        return truediv(self.x, y, self.name)


def _check_truediv(x, y):
    x_dtype, y_dtype = x.dtype.base_dtype, y.dtype.base_dtype
    if x_dtype != y_dtype:
        raise TypeError(f'`x` and `y` must have the same dtype, got {x_dtype!r} != {y_dtype!r}.')
    if x_dtype not in _TRUEDIV_TYPES:
        expected = ', '.join(repr(dtype) for dtype in _TRUEDIV_TYPES)
        raise TypeError(f'Invalid dtype {x_dtype!r} in __truediv__. Expected one of '
                        f'{{{expected}}}.')
    return _TRUEDIV_TYPES[x_dtype]


def truediv_tensors(x, y, name=None):
    """x / y for two tensors; integers are cast to floating point first."""
    wanted = _check_truediv(x, y)
    if wanted is not None:
        x, y = gen.Cast(x, wanted), gen.Cast(y, wanted)
    return gen.RealDiv(x, y, name=name)


def truediv_in_scope(x, y, name=None):
    with ops.name_scope(name, 'truediv', [x, y]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        y = hinted(y, x, 'y')
        return truediv_tensors(x, y, scope)


@export('math.truediv', 'truediv')
def truediv(x, y, name=None):
    """Returns x / y in floating point, as Python 3 divides.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor; float32 for integers of up to 16 bits, float64 for wider ones.

    Raises:
      TypeError: the dtypes differ or are no numbers.
    """
    return truediv_in_scope(x, y, name)


def sparse_dense_truediv(indices, values, shape, dense, name=None):
    with ops.name_scope(name, 'truediv', [values, dense]) as scope:
        values = ops.convert_to_tensor(values, name='sp_values')
        dense = ops.convert_to_tensor(dense, name='y')
        wanted = _check_truediv(values, dense)
        if wanted is not None:
            values, dense = gen.Cast(values, wanted), gen.Cast(dense, wanted)
        return gen.SparseDenseCwiseDiv(indices, values, shape, dense, name=scope)


@export('div')
def div(x, y, name=None):
    """Returns x / y as Python 2 divides: integers are rounded down.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: the dtypes differ.
    """
    with ops.name_scope(name, 'div', [x, y]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        if x.dtype.base_dtype.is_floating or x.dtype.base_dtype.is_complex:
            return gen.RealDiv(x, y, name=scope)
        return gen.FloorDiv(x, y, name=scope)


@export('floordiv', 'math.floordiv')
def floordiv(x, y, name=None):
    """Returns x / y rounded down.

    Args:
      x: a tensor of real numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'floordiv', [x, y]) as scope:
        return gen.FloorDiv(x, y, name=scope)


@export('div_no_nan', 'math.divide_no_nan')
def div_no_nan(x, y, name=None):
    """Returns x / y, and 0 where y is 0.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'div_no_nan', [x, y]) as scope:
        hint = y.dtype.base_dtype if isinstance(y, Tensor) else None
        x = ops.convert_to_tensor(x, name='x', dtype_hint=hint)
        y = ops.convert_to_tensor(y, name='y', dtype_hint=x.dtype.base_dtype)
        wanted = _TRUEDIV_TYPES.get(x.dtype.base_dtype)
        if wanted is not None:
            x, y = gen.Cast(x, wanted), gen.Cast(y, wanted)
        return gen.DivNoNan(x, y, name=scope)


@export('math.multiply_no_nan')
def multiply_no_nan(x, y, name=None):
    """Returns x * y, and 0 where y is 0, whatever x is.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: the dtypes differ.
    """
    with ops.name_scope(name, 'multiply_no_nan', [x, y]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        return gen.MulNoNan(x, y, name=scope)


@export('math.reciprocal_no_nan')
def reciprocal_no_nan(x, name=None):
    """Returns 1 / x, and 0 where x is 0.

    Args:
      x: a tensor of floating point numbers.
      name: name of the scope.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        one = constant_op.constant(1, dtype=x.dtype.base_dtype, name='one')
        return gen.DivNoNan(one, x, name=scope)


@export('math.logical_xor', 'logical_xor')
def logical_xor(x, y, name='LogicalXor'):
    """Returns where exactly one of x and y holds.

    Args:
      x: a bool tensor.
      y: a bool tensor.
      name: name of the node.

    Returns:
      A bool tensor.
    """
    return gen.LogicalAnd(gen.LogicalOr(x, y), gen.LogicalNot(gen.LogicalAnd(x, y)), name=name)


@export('pow', 'math.pow')
def pow(x, y, name=None):
    """Returns x to the power of y element-wise.

    Args:
      x: a tensor of numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'Pow', [x]) as scope:
        return gen.Pow(x, y, name=scope)


@export('equal', 'math.equal')
def equal(x, y, name=None):
    """Returns where x and y are equal.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A bool tensor.
    """
    return gen.Equal(x, y, name=name)


@export('math.not_equal', 'not_equal')
def not_equal(x, y, name=None):
    """Returns where x and y differ.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A bool tensor.
    """
    return gen.NotEqual(x, y, name=name)


@export('math.scalar_mul', 'scalar_mul')
def scalar_mul(scalar, x, name=None):
    """Multiplies a tensor or IndexedSlices by a scalar.

    Args:
      scalar: a scalar of the dtype of `x`.
      x: a tensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.

    Raises:
      ValueError: `scalar` is not a scalar.
    """
    base_dtype = dtypes.as_dtype(x.dtype).base_dtype
    scalar = ops.convert_to_tensor(scalar, dtype=base_dtype, name='scalar')
    if scalar.shape.rank != 0:
        raise ValueError('The input scalar must be a 0-D value. '
                         f'Received shape {scalar.shape}.')
    if isinstance(x, IndexedSlices):
        return IndexedSlices(gen.Mul(scalar, x.values, name=name), x.indices, x.dense_shape)
    return gen.Mul(scalar, x, name=name)


@export('cast', 'dtypes.cast')
def cast(x, dtype, name=None):
    """Converts elements to another dtype; floating point is cut off towards zero for integers.

    Args:
      x: a tensor, SparseTensor or IndexedSlices of numbers or bools.
      dtype: the new dtype.
      name: name of the node.

    Returns:
      What `x` is; `x` itself if it has that dtype.

    Raises:
      TypeError: there is no such conversion.
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
    """Converts elements to another dtype; what does not fit becomes the nearest that does.

    Args:
      value: a tensor of numbers.
      dtype: the new dtype.
      name: name of the node.

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
    """`bound` as a number of `kind`, not beyond `limit`."""
    found = kind(bound)
    beyond = found > limit if limit > 0 else found < limit
    return np.nextafter(found, kind(0), dtype=kind) if beyond else found


@export('to_float')
def to_float(x, name='ToFloat'):
    """Converts to float32 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.float32, name=name)


@export('to_double')
def to_double(x, name='ToDouble'):
    """Converts to float64 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.float64, name=name)


@export('to_int32')
def to_int32(x, name='ToInt32'):
    """Converts to int32 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.int32, name=name)


@export('to_int64')
def to_int64(x, name='ToInt64'):
    """Converts to int64 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.int64, name=name)


@export('to_bfloat16')
def to_bfloat16(x, name='ToBFloat16'):
    """Converts to bfloat16 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.bfloat16, name=name)


@export('to_complex64')
def to_complex64(x, name='ToComplex64'):
    """Converts to complex64 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.complex64, name=name)


@export('to_complex128')
def to_complex128(x, name='ToComplex128'):
    """Converts to complex128 (old form of cast).

    Args:
      x: a tensor, SparseTensor or IndexedSlices.
      name: name of the node.

    Returns:
      What `x` is.
    """
    return cast(x, dtypes.complex128, name=name)


@export('complex', 'dtypes.complex')
def complex(real, imag, name=None):
    """Returns complex numbers of two parts.

    Args:
      real: a float32 or float64 tensor.
      imag: a tensor of that dtype.
      name: name of the node.

    Returns:
      A complex64 or complex128 tensor.

    Raises:
      TypeError: the dtypes are others.
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
    """Returns the real part; `input` itself if that is real.

    Args:
      input: a tensor of numbers.
      name: name of the node.

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
      name: name of the node.

    Returns:
      A tensor of real dtype.
    """
    with ops.name_scope(name, 'Imag', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen.Imag(input, Tout=input.dtype.real_dtype, name=scope)
        return array_basics.zeros_like(input)


@export('angle', 'math.angle')
def angle(input, name=None):
    """Returns the argument of complex numbers; of real ones 0 or pi.

    Args:
      input: a tensor of numbers.
      name: name of the node.

    Returns:
      A tensor of real dtype.
    """
    with ops.name_scope(name, 'Angle', [input]) as scope:
        input = ops.convert_to_tensor(input, name='input')
        if input.dtype.is_complex:
            return gen.Angle(input, Tout=input.dtype.real_dtype, name=scope)
        return array_select.where(input < 0, np.pi * array_basics.ones_like(input),
                                  array_basics.zeros_like(input))


@export('conj', 'math.conj')
def conj(x, name=None):
    """Returns the complex conjugate; `x` itself if that is real.

    Args:
      x: a tensor of numbers.
      name: name of the node.

    Returns:
      A tensor like `x`.

    Raises:
      TypeError: `x` is not of numbers.
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


@export('math.round', 'round')
def round(x, name=None):
    """Rounds to the nearest integer, halves to the even one; integers stay.

    Args:
      x: a tensor of numbers.
      name: name of the node.

    Returns:
      A tensor like `x`.
    """
    x = ops.convert_to_tensor(x, name='x')
    return x if x.dtype.is_integer else gen.Round(x, name=name)


@export('math.sigmoid', 'nn.sigmoid', 'sigmoid')
def sigmoid(x, name=None):
    """Returns 1 / (1 + exp(-x)).

    Args:
      x: a tensor of floating point or complex numbers.
      name: name of the node.

    Returns:
      A tensor like `x`.
    """
    if type(x) is Tensor:
        return gen.Sigmoid(x, name=name or 'Sigmoid')
    with ops.name_scope(name, 'Sigmoid', [x]) as scope:
        return gen.Sigmoid(ops.convert_to_tensor(x, name='x'), name=scope)


@export('log_sigmoid', 'math.log_sigmoid')
def log_sigmoid(x, name=None):
    """Returns log(1 / (1 + exp(-x))), computed as -softplus(-x).

    Args:
      x: a tensor of floating point numbers.
      name: name of the node.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'LogSigmoid', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.Neg(gen.Softplus(-x), name=scope)


@export('range')
def range(start, limit=None, delta=1, dtype=None, name='range'):
    """Returns the numbers from `start`, `delta` apart, that lie before `limit`.

    Args:
      start: a scalar; the limit, with start 0, if `limit` is not given.
      limit: a scalar.
      delta: a scalar.
      dtype: dtype of the numbers; the widest of the three if not given.
      name: name of the node.

    Returns:
      A 1-D tensor.
    """
    if limit is None:
        start, limit = 0, start
    with ops.name_scope(name, 'Range', [start, limit, delta]) as scope:
        parts = [_range_part(value, dtype, label) for value, label in
                 ((start, 'start'), (limit, 'limit'), (delta, 'delta'))]
        if dtype is None:
            dtype = _widest([part.dtype for part in parts])
        return gen.Range(*(cast(part, dtype) for part in parts), name=scope)


def _range_part(value, dtype, label):
    if isinstance(value, Tensor):
        return value
    return ops.convert_to_tensor(value, dtype=dtype, name=label)


def _widest(found):
    order = [dtypes.int32, dtypes.int64, dtypes.float32, dtypes.float64]
    for dtype in found:
        if dtype not in order:
            raise ValueError(f'dtype {dtype} is not supported by range')
    return max(found, key=order.index)


@export('lin_space', 'linspace')
def linspace(start, stop, num, name=None, axis=0):
    """Returns `num` numbers evenly spaced from `start` to `stop`, both included.

    Args:
      start: a tensor of floating point numbers.
      stop: a tensor of that dtype.
      num: an integer scalar, at least 1.
      name: name of the scope.
      axis: where the new dimension goes, if the two are no scalars.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'linspace', [start, stop]) as scope:
        start = ops.convert_to_tensor(start, name='start')
        stop = ops.convert_to_tensor(stop, name='stop', dtype=start.dtype)
        count = _as_int32(num)
        return _linspace(start, stop, count, axis, scope)


def _as_int32(num):
    num = ops.convert_to_tensor(num, name='num')
    return gen.Cast(num, dtypes.int32)


def _linspace(start, stop, count, axis, scope):
    gen.Cast(count, start.dtype)
    shape = array_basics.broadcast_dynamic_shape(array_basics.shape(start),
                                                 array_basics.shape(stop))
    start, stop = gen.BroadcastTo(start, shape), gen.BroadcastTo(stop, shape)
    start = array_basics.expand_dims(start, axis=axis)
    stop = array_basics.expand_dims(stop, axis=axis)
    whole = array_basics.shape(start)
    rank = array_basics.shape(whole)[0]
    axis = gen.SelectV2(axis >= 0, axis, rank + axis)
    inner = gen.Maximum(count - 2, 0)
    steps = gen.Maximum(count - 1, 1)
    delta = (stop - start) / gen.Cast(steps, start.dtype)
    end = gen.SelectV2(count >= 0, steps, -1)
    places = gen.Cast(range(1, end, dtype=dtypes.int64), delta.dtype)
    lone = gen.Equal(axis, range(rank))
    spread = array_basics.reshape(places, gen.SelectV2(lone, inner, 1))
    result = array_join.concat((start, start + delta * spread, stop), axis=axis)
    begin = array_basics.zeros_like(whole)
    size = array_join.concat(
        (whole[0:axis], array_basics.reshape(count, [1]), whole[axis + 1:]), 0)
    return gen.Slice(result, begin, size)


@export('math.xdivy')
def xdivy(x, y, name=None):
    """Returns x / y, and 0 where x is 0, whatever y is.

    Args:
      x: a tensor of floating point or complex numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'xdivy', [x]):
        return gen.Xdivy(x, y)


@export('math.xlog1py')
def xlog1py(x, y, name=None):
    """Returns x * log(1 + y), and 0 where x is 0, whatever y is.

    Args:
      x: a tensor of floating point or complex numbers.
      y: a tensor of that dtype.
      name: name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'xlog1py', [x]):
        return gen.Xlog1py(x, y)
