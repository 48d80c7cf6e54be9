"""The variants of division."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.math.math_basics import hinted

Tensor = ops.Tensor


_TRUEDIV_TYPES = {
    dtypes.uint8: dtypes.float32, dtypes.int8: dtypes.float32,
    dtypes.uint16: dtypes.float32, dtypes.int16: dtypes.float32,
    dtypes.uint32: dtypes.float64, dtypes.int32: dtypes.float64,
    dtypes.uint64: dtypes.float64, dtypes.int64: dtypes.float64,
    dtypes.bfloat16: None, dtypes.float16: None, dtypes.float32: None, dtypes.float64: None,
    dtypes.complex64: None, dtypes.complex128: None,
}


@export('divide', 'math.divide')
def divide(x, y, name=None):
    """Returns x / y with the semantics of Python's division operator.

    Args:
      x: a tensor of numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    if name is not None:
        return _Named(x, name) / y
    if not isinstance(x, Tensor) and not isinstance(y, Tensor):
        x = ops.convert_to_tensor(x, dtype_hint=getattr(y, 'dtype', None))
    return x / y


class _Named:
    """The left operand of a division whose node has a name."""

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
    """Returns x / y for two tensors. Integers are first cast to floating point."""
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
    """Returns x / y in floating point, like Python 3's division.

    Args:
      x: a tensor of numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor, with float32 for integers of up to 16 bits, and float64 for wider ones.

    Raises:
      TypeError: if the dtypes differ or are not numbers.
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
    """Returns x / y with Python 2's semantics: integers are rounded down.

    Args:
      x: a tensor of numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: if the dtypes differ.
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
      y: a tensor of the same dtype.
      name: the name of the node.

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
      y: a tensor of the same dtype.
      name: the name of the node.

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
    """Returns x * y, and 0 where y is 0, even if x is infinite or NaN.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.

    Raises:
      TypeError: if the dtypes differ.
    """
    with ops.name_scope(name, 'multiply_no_nan', [x, y]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype.base_dtype)
        return gen.MulNoNan(x, y, name=scope)


@export('math.reciprocal_no_nan')
def reciprocal_no_nan(x, name=None):
    """Returns 1 / x, and 0 where x is 0.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'reciprocal_no_nan', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        one = constant_op.constant(1, dtype=x.dtype.base_dtype, name='one')
        return gen.DivNoNan(one, x, name=scope)


@export('math.xdivy')
def xdivy(x, y, name=None):
    """Returns x / y, and 0 where x is 0, regardless of y.

    Args:
      x: a tensor of floating-point or complex numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'xdivy', [x]):
        return gen.Xdivy(x, y)


@export('math.xlog1py')
def xlog1py(x, y, name=None):
    """Returns x * log(1 + y), and 0 where x is 0, regardless of y.

    Args:
      x: a tensor of floating-point or complex numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'xlog1py', [x]):
        return gen.Xlog1py(x, y)
