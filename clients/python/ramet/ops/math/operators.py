"""The operators of Tensor and SparseTensor. Importing this module installs them."""

from ramet import gen
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import slicing
from ramet.ops.math import math_basics, math_divide

Tensor = ops.Tensor
_FLOATING = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
                       dtypes.complex64, dtypes.complex128))
_INTEGERS = frozenset((dtypes.int32, dtypes.int64))


def _is_plain(dtype, kind):
    """Returns whether all Python numbers of this kind can be converted to the dtype."""
    return (kind is float or kind is int) and dtype in _FLOATING or (
        kind is int and dtype in _INTEGERS)


def _getitem(x, spec):
    return slicing.slice_helper(x, spec)


def _abs(x):
    return math_basics.abs(x)


def _reflected(y, x, name, build):
    """Returns `x op y` if only y is a tensor."""
    with ops.name_scope(None, name, [x, y]) as scope:
        x = ops.convert_to_tensor(x, dtype=y.dtype.base_dtype, name='x')
        return build(x, y, name=scope)


def _add(x, y):
    if type(y) is type(x):
        if x.dtype is dtypes.string:
            return gen.Add(x, y, name='add')
        return gen.AddV2(x, y, name='add')
    if _is_plain(x.dtype, type(y)):
        return gen.AddV2(x, y, name='add')
    return math_basics.add_converted(x, y)


def _radd(y, x):
    return _reflected(y, x, 'add', math_basics.add_tensors)


def _sub(x, y):
    return gen.Sub(x, y, name='sub')


def _rsub(y, x):
    return _reflected(y, x, 'sub', gen.Sub)


def _mul(x, y):
    if type(y) is SparseTensor:
        return _sparse_mul(y, x)
    return gen.Mul(x, y, name='mul')


def _rmul(y, x):
    return _reflected(y, x, 'mul', gen.Mul)


def _truediv(x, y):
    kind, dtype = type(y), x.dtype
    if dtype in _FLOATING and (kind is float or kind is int
                               or kind is type(x) and y.dtype is dtype):
        return gen.RealDiv(x, y, name='truediv')
    return math_divide.truediv_in_scope(x, y)


def _rtruediv(y, x):
    return _reflected(y, x, 'truediv', math_divide.truediv_tensors)


def _div(x, y):
    return math_divide.div(x, y)


def _rdiv(y, x):
    return _reflected(y, x, 'div', math_divide.div)


def _floordiv(x, y):
    return gen.FloorDiv(x, y, name='floordiv')


def _rfloordiv(y, x):
    return _reflected(y, x, 'floordiv', gen.FloorDiv)


def _mod(x, y):
    return gen.FloorMod(x, y, name='mod')


def _rmod(y, x):
    return _reflected(y, x, 'mod', gen.FloorMod)


def _pow(x, y):
    return gen.Pow(x, y, name='pow')


def _rpow(y, x):
    return _reflected(y, x, 'pow', gen.Pow)


def _matmul(x, y):
    from ramet.ops.math import math_linear  # deferred: start-up time, for many modules

    return math_linear.matmul(x, y, name='matmul')


def _rmatmul(y, x):
    from ramet.ops.math import math_linear  # deferred: start-up time, for many modules

    return _reflected(y, x, 'matmul', math_linear.matmul)


def _bitwise(x, y, name, build):
    with ops.name_scope(None, name, [x, y]):
        return build(x, y)


def _and(x, y):
    if x.dtype == dtypes.bool:
        return gen.LogicalAnd(x, y, name='and')
    return _bitwise(x, y, 'and', gen.BitwiseAnd)


def _rand(y, x):
    return _reflected(y, x, 'and', _and_named)


def _and_named(x, y, name):
    return gen.LogicalAnd(x, y, name=name) if x.dtype == dtypes.bool else gen.BitwiseAnd(x, y)


def _or(x, y):
    if x.dtype == dtypes.bool:
        return gen.LogicalOr(x, y, name='or')
    return _bitwise(x, y, 'or', gen.BitwiseOr)


def _ror(y, x):
    return _reflected(y, x, 'or', _or_named)


def _or_named(x, y, name):
    return gen.LogicalOr(x, y, name=name) if x.dtype == dtypes.bool else gen.BitwiseOr(x, y)


def _xor(x, y):
    with ops.name_scope(None, 'xor', [x, y]) as scope:
        return _xor_named(x, y, scope)


def _rxor(y, x):
    return _reflected(y, x, 'xor', _xor_named)


def _xor_named(x, y, name):
    if x.dtype == dtypes.bool:
        return math_basics.logical_xor(x, y, name)
    return gen.BitwiseXor(x, y)


def _invert(x):
    return gen.LogicalNot(x) if x.dtype == dtypes.bool else gen.Invert(x)


def _neg(x):
    return gen.Neg(x)


def _lt(x, y):
    return gen.Less(x, y)


def _le(x, y):
    return gen.LessEqual(x, y)


def _gt(x, y):
    return gen.Greater(x, y)


def _ge(x, y):
    return gen.GreaterEqual(x, y)


def _sparse_op(sparse, dense, name, build):
    with ops.name_scope(None, name, [sparse, dense]) as scope:
        dense = ops.convert_to_tensor(dense, dtype=sparse.dtype.base_dtype, name='y')
        values = build(sparse.indices, sparse.values, sparse.dense_shape, dense, name=scope)
        return SparseTensor(sparse.indices, values, sparse.dense_shape)


def _sparse_mul(sparse, dense):
    return _sparse_op(sparse, dense, 'mul', gen.SparseDenseCwiseMul)


def _sparse_truediv(sparse, dense):
    return _sparse_op(sparse, dense, 'truediv', math_divide.sparse_dense_truediv)


def _sparse_div(sparse, dense):
    return _sparse_op(sparse, dense, 'div', gen.SparseDenseCwiseDiv)


_TENSOR = {
    '__getitem__': _getitem,
    '__add__': _add, '__radd__': _radd, '__sub__': _sub, '__rsub__': _rsub,
    '__mul__': _mul, '__rmul__': _rmul, '__div__': _div, '__rdiv__': _rdiv,
    '__truediv__': _truediv, '__rtruediv__': _rtruediv,
    '__floordiv__': _floordiv, '__rfloordiv__': _rfloordiv,
    '__mod__': _mod, '__rmod__': _rmod, '__pow__': _pow, '__rpow__': _rpow,
    '__matmul__': _matmul, '__rmatmul__': _rmatmul,
    '__and__': _and, '__rand__': _rand, '__or__': _or, '__ror__': _ror,
    '__xor__': _xor, '__rxor__': _rxor, '__invert__': _invert, '__neg__': _neg,
    '__abs__': _abs, '__lt__': _lt, '__le__': _le, '__gt__': _gt, '__ge__': _ge,
}
_SPARSE = {'__mul__': _sparse_mul, '__truediv__': _sparse_truediv, '__div__': _sparse_div}


def install(Tensor, SparseTensor=SparseTensor):
    """Installs the operators on the classes.

    Args:
      Tensor: the class of tensors.
      SparseTensor: the class of sparse tensors, or None.
    """
    for name, function in _TENSOR.items():
        setattr(Tensor, name, function)
    Tensor.__array_priority__ = 100
    if SparseTensor is not None:
        for name, function in _SPARSE.items():
            setattr(SparseTensor, name, function)


install(Tensor)
