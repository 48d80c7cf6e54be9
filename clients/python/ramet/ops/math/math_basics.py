"""Arithmetic functions that need more than one op."""


import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.sparse_tensor import SparseTensor

Tensor = ops.Tensor
_SAME = object()


def _sparse_map(build, sparse, name):
    """Returns a SparseTensor with `build` applied to its values."""
    return SparseTensor(sparse.indices, build(sparse.values, name=name), sparse.dense_shape)


@export('abs', 'math.abs')
def abs(x, name=None):
    """Returns |x| element-wise; for complex numbers the modulus.

    Args:
      x: a tensor or SparseTensor of numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`, with a real dtype if `x` is complex.
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
    """Adds tensors with Add for strings, and AddV2 otherwise."""
    if x.dtype.base_dtype == dtypes.string:
        return gen.Add(x, y, name=name)
    return gen.AddV2(x, y, name=name)


def hinted(value, like, name):
    """Converts `value` to a tensor, with the dtype of the tensor `like` if possible."""
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
    """Returns x + y element-wise, with broadcasting. Strings are concatenated.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      name: the name of the node.

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
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    return gen.Sub(x, y, name=name)


@export('math.multiply', 'multiply')
def multiply(x, y, name=None):
    """Returns x * y element-wise, with broadcasting.

    Args:
      x: a tensor of numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    return gen.Mul(x, y, name=name)


@export('math.logical_xor', 'logical_xor')
def logical_xor(x, y, name='LogicalXor'):
    """Returns True where exactly one of x and y is True.

    Args:
      x: a bool tensor.
      y: a bool tensor.
      name: the name of the node.

    Returns:
      A bool tensor.
    """
    return gen.LogicalAnd(gen.LogicalOr(x, y), gen.LogicalNot(gen.LogicalAnd(x, y)), name=name)


@export('pow', 'math.pow')
def pow(x, y, name=None):
    """Returns x to the power of y element-wise.

    Args:
      x: a tensor of numbers.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A tensor.
    """
    with ops.name_scope(name, 'Pow', [x]) as scope:
        return gen.Pow(x, y, name=scope)


@export('equal', 'math.equal')
def equal(x, y, name=None):
    """Returns True where x and y are equal.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      name: the name of the node.

    Returns:
      A bool tensor.
    """
    return gen.Equal(x, y, name=name)


@export('math.not_equal', 'not_equal')
def not_equal(x, y, name=None):
    """Returns True where x and y differ.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      name: the name of the node.

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
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.

    Raises:
      ValueError: if `scalar` is not a scalar.
    """
    base_dtype = dtypes.as_dtype(x.dtype).base_dtype
    scalar = ops.convert_to_tensor(scalar, dtype=base_dtype, name='scalar')
    if scalar.shape.rank != 0:
        raise ValueError('The input scalar must be a 0-D value. '
                         f'Received shape {scalar.shape}.')
    if isinstance(x, IndexedSlices):
        return IndexedSlices(gen.Mul(scalar, x.values, name=name), x.indices, x.dense_shape)
    return gen.Mul(scalar, x, name=name)


@export('math.round', 'round')
def round(x, name=None):
    """Rounds to the nearest integer, halves to even. Integers are returned unchanged.

    Args:
      x: a tensor of numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    x = ops.convert_to_tensor(x, name='x')
    return x if x.dtype.is_integer else gen.Round(x, name=name)


@export('math.sigmoid', 'nn.sigmoid', 'sigmoid')
def sigmoid(x, name=None):
    """Returns 1 / (1 + exp(-x)).

    Args:
      x: a tensor of floating-point or complex numbers.
      name: the name of the node.

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
      x: a tensor of floating-point numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'LogSigmoid', [x]) as scope:
        x = ops.convert_to_tensor(x, name='x')
        return gen.Neg(gen.Softplus(-x), name=scope)
