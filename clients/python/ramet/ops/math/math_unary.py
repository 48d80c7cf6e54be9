"""Functions of one tensor that consist of one or a few ops."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics
from ramet.ops.control_flow import assertions, dependencies
from ramet.ops.math import math_cast, math_divide


def _of_sparse(build, sparse, default_name, name):
    """Returns a SparseTensor with a function applied to its values."""
    with ops.name_scope(name, default_name):
        pass
    return SparseTensor(sparse.indices, build(sparse.values, name=name), sparse.dense_shape)


@export('math.negative', 'negative')
def negative(x, name=None):
    """Returns -x.

    Args:
      x: a tensor or SparseTensor of numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return _of_sparse(gen.Neg, x, 'Neg', name)
    return gen.Neg(x, name=name)


@export('math.square', 'square')
def square(x, name=None):
    """Returns x * x.

    Args:
      x: a tensor or SparseTensor of numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return _of_sparse(gen.Square, x, 'Square', name)
    return gen.Square(x, name=name)


@export('erf', 'math.erf')
def erf(x, name=None):
    """Returns the Gauss error function.

    Args:
      x: a tensor or SparseTensor of floating-point numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return _of_sparse(gen.Erf, x, 'Erf', name)
    return gen.Erf(x, name=name)


@export('math.tanh', 'nn.tanh', 'tanh')
def tanh(x, name=None):
    """Returns the hyperbolic tangent.

    Args:
      x: a tensor or SparseTensor of floating-point or complex numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return _of_sparse(gen.Tanh, x, 'Tanh', name)
    return gen.Tanh(x, name=name)


@export('acos', 'math.acos')
def acos(x, name=None):
    """Returns the angle in [0, pi] whose cosine is x; NaN where |x| > 1.

    Args:
      x: a tensor of floating-point or complex numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.Acos(x, name=name)


@export('ceil', 'math.ceil')
def ceil(x, name=None):
    """Rounds up.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.Ceil(x, name=name)


@export('exp', 'math.exp')
def exp(x, name=None):
    """Returns e to the power of x.

    Args:
      x: a tensor of floating-point or complex numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.Exp(x, name=name)


@export('floor', 'math.floor')
def floor(x, name=None):
    """Rounds down.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.Floor(x, name=name)


@export('math.rsqrt', 'rsqrt')
def rsqrt(x, name=None):
    """Returns 1 / sqrt(x).

    Args:
      x: a tensor of floating-point or complex numbers.
      name: the name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.Rsqrt(x, name=name)


@export('math.sign', 'sign')
def sign(x, name=None):
    """Returns -1, 0 or 1; x / |x| for complex numbers.

    Args:
      x: a tensor or SparseTensor of numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return SparseTensor(x.indices, gen.Sign(x.values, name=name), x.dense_shape)
    return gen.Sign(x, name=name)


@export('math.sqrt', 'sqrt')
def sqrt(x, name=None):
    """Returns the square root.

    Args:
      x: a tensor or SparseTensor of floating-point or complex numbers.
      name: the name of the node.

    Returns:
      A value of the same kind as `x`.
    """
    if type(x) is SparseTensor:
        return _of_sparse(gen.Sqrt, x, 'Sqrt', name)
    return gen.Sqrt(x, name=name)


@export('math.softplus', 'nn.softplus')
def softplus(features, name=None):
    """Returns log(1 + exp(x)).

    Args:
      features: a tensor of floating-point numbers.
      name: the name of the node.

    Returns:
      A tensor like `features`.
    """
    return gen.Softplus(features, name=name)


@export('math.ndtri')
def ndtri(x, name=None):
    """Returns the quantile function of the standard normal distribution.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'ndtri', [x]):
        return gen.Ndtri(x)


@export('math.erfinv')
def erfinv(x, name=None):
    """Returns the number whose error function is x.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'erfinv', [x]):
        return gen.Erfinv(x)


@export('math.erfcinv')
def erfcinv(x, name=None):
    """Returns the number whose complementary error function is x.

    Args:
      x: a tensor of floating-point numbers.
      name: the name of the scope.

    Returns:
      A tensor like `x`.
    """
    with ops.name_scope(name, 'erfcinv', [x]):
        x = ops.convert_to_tensor(x, name='start')
        return -ndtri(0.5 * x) * np.sqrt(0.5)


@export('math.sobol_sample')
def sobol_sample(dim, num_results, skip=0, dtype=dtypes.float32, name=None):
    """Returns points of the Sobol sequence.

    Args:
      dim: an int32 scalar, the number of dimensions of a point.
      num_results: an int32 scalar, the number of points.
      skip: an int32 scalar, the number of points to skip first.
      dtype: float32 or float64.
      name: the name of the scope.

    Returns:
      A matrix with one row per point.
    """
    with ops.name_scope(name, 'sobol', [dim, num_results, skip]):
        return gen.SobolSample(dim, num_results, skip, dtype=dtype)


@export('histogram_fixed_width_bins')
def histogram_fixed_width_bins(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """Returns the bin of a histogram that each element falls into.

    Args:
      values: a tensor of numbers.
      value_range: [smallest, largest] of the same dtype. Values outside this range fall into the outer bins.
      nbins: the number of bins.
      dtype: ignored, as in TensorFlow. The result is int32.
      name: the name of the scope.

    Returns:
      A tensor of the shape of `values`.
    """
    with ops.name_scope(name, 'histogram_fixed_width_bins', [values, value_range, nbins]):
        values = ops.convert_to_tensor(values, name='values')
        shape = array_basics.shape(values)
        values = array_basics.reshape(values, [-1])
        value_range = ops.convert_to_tensor(value_range, name='value_range')
        nbins = ops.convert_to_tensor(nbins, dtype=dtypes.int32, name='nbins')
        check = assertions.Assert(nbins > 0, [f'nbins {nbins} must > 0'])
        nbins = dependencies.with_dependencies([check], nbins)
        count = math_cast.cast(nbins, values.dtype)
        scaled = math_divide.truediv(values - value_range[0], value_range[1] - value_range[0],
                                     name='scaled_values')
        places = gen.Floor(count * scaled, name='indices')
        places = _clipped(places, count - 1)
        return array_basics.reshape(math_cast.cast(places, dtypes.int32), shape)


def _clipped(x, most):
    with ops.name_scope('clip_by_value') as scope:
        return gen.Maximum(gen.Minimum(x, most), 0, name=scope)


@export('histogram_fixed_width')
def histogram_fixed_width(values, value_range, nbins=100, dtype=dtypes.int32, name=None):
    """Returns a histogram.

    Args:
      values: a tensor of numbers.
      value_range: [smallest, largest] of the same dtype. Values outside this range fall into the outer bins.
      nbins: the number of bins.
      dtype: int32 or int64.
      name: the name of the node.

    Returns:
      A vector of `nbins` counts.
    """
    with ops.name_scope(name, 'histogram_fixed_width', [values, value_range, nbins]) as scope:
        return gen.HistogramFixedWidth(values, value_range, nbins, dtype=dtype, name=scope)
