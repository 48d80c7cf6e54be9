"""The cumulative distribution functions of the standard normal and Laplace distributions.

Source: Cody, "Rational Chebyshev approximations for the error function"; Moshier, the Cephes library.
"""

import numpy as np

from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops

# Below and above these, log_ndtr uses a series instead of the logarithm of ndtr.
_SEGMENTS = {dtypes.float64: (-20, 8), dtypes.float32: (-10, 5)}

# Coefficients of the quotients of polynomials in _ndtri, by rising power.
_NDTRI_CENTRAL = (
    [-1.23916583867381258016E0, 1.39312609387279679503E1, -5.66762857469070293439E1,
     9.80010754185999661536E1, -5.99633501014107895267E1],
    [-1.18331621121330003142E0, 1.59056225126211695515E1, -8.20372256168333339912E1,
     2.00260212380060660359E2, -2.25462687854119370527E2, 8.63602421390890590575E1,
     4.67627912898881538453E0, 1.95448858338141759834E0, 1.0])
_NDTRI_TAIL = (
    [-8.57456785154685413611E-4, -3.50424626827848203418E-2, -1.40256079171354495875E-1,
     2.18663306850790267539E0, 1.46849561928858024014E1, 4.40805073893200834700E1,
     5.71628192246421288162E1, 3.15251094599893866154E1, 4.05544892305962419923E0],
    [-9.33259480895457427372E-4, -3.80806407691578277194E-2, -1.42182922854787788574E-1,
     2.50464946208309415979E0, 1.50425385692907503408E1, 4.13172038254672030440E1,
     4.53907635128879210584E1, 1.57799883256466749731E1, 1.0])
_NDTRI_FAR_TAIL = (
    [6.23974539184983293730E-9, 2.65806974686737550832E-6, 3.01581553508235416007E-4,
     1.23716634817820021358E-2, 2.01485389549179081538E-1, 1.33303460815807542389E0,
     3.93881025292474443415E0, 6.91522889068984211695E0, 3.23774891776946035970E0],
    [6.79019408009981274425E-9, 2.89247864745380683936E-6, 3.28014464682127739104E-4,
     1.34204006088543189037E-2, 2.16236993594496635890E-1, 1.37702099489081330271E0,
     3.67983563856160859403E0, 6.02427039364742014255E0, 1.0])


def _floating(x, name='x', message='x.dtype={} is not handled, see docstring for supported types.'):
    x = ops.convert_to_tensor(x, name=name)
    if x.dtype.base_dtype not in _SEGMENTS:
        raise TypeError(message.format(x.dtype))
    return x


def ndtr(x, name='ndtr'):
    """Returns the cumulative distribution function of the standard normal distribution.

    Args:
      x: a Tensor of float or double.
      name: the name of the scope.

    Raises:
      TypeError: if x has a different dtype.
    """
    with ops.name_scope(name, values=[x]):
        return _ndtr(_floating(x))


def _ndtr(x):
    half_sqrt_2 = constant_op.constant(0.5 * np.sqrt(2.), dtype=x.dtype, name='half_sqrt_2')
    w = x * half_sqrt_2
    z = math_ops.abs(w)
    y = array_ops.where_v2(
        math_ops.less(z, half_sqrt_2), 1. + math_ops.erf(w),
        array_ops.where_v2(math_ops.greater(w, 0.), 2. - math_ops.erfc(z), math_ops.erfc(z)))
    return 0.5 * y


def ndtri(p, name='ndtri'):
    """Returns the inverse of `ndtr`.

    Args:
      p: a Tensor of float or double.
      name: the name of the scope.

    Raises:
      TypeError: if p has a different dtype.
    """
    with ops.name_scope(name, values=[p]):
        return _ndtri(_floating(p, 'p', 'p.dtype={} is not handled, see docstring for supported types.'))


def _polynomial(x, coefficients):
    coefficients = np.array(coefficients, x.dtype.as_numpy_dtype)
    if not coefficients.size:
        return array_ops.zeros_like(x)
    return coefficients[0] + _polynomial(x, coefficients[1:]) * x


def _quotient(x, polynomials):
    above, below = polynomials
    return _polynomial(x(), above) / _polynomial(x(), below)


def _ndtri(p):
    complement = array_ops.where_v2(p > -np.expm1(-2.), 1. - p, p)
    safe = array_ops.where_v2(
        complement <= 0., array_ops.fill(array_ops.shape(p), np.array(0.5, p.dtype.as_numpy_dtype)), complement)
    w = safe - 0.5
    ww = w ** 2
    central = w + w * ww * _quotient(lambda: ww, _NDTRI_CENTRAL)
    central *= -np.sqrt(2. * np.pi)
    z = math_ops.sqrt(-2. * math_ops.log(safe))
    first = z - math_ops.log(z) / z
    far_tail = _quotient(lambda: 1. / z, _NDTRI_FAR_TAIL) / z
    tail = _quotient(lambda: 1. / z, _NDTRI_TAIL) / z
    far_tail, tail = first - far_tail, first - tail
    x = array_ops.where_v2(safe > np.exp(-2.), central, array_ops.where_v2(z >= 8.0, far_tail, tail))
    x = array_ops.where_v2(p > 1. - np.exp(-2.), x, -x)
    infinity = constant_op.constant(np.inf, dtype=p.dtype)
    infinity = array_ops.fill(array_ops.shape(p), infinity)
    return array_ops.where_v2(p <= 0.0, -infinity, array_ops.where_v2(p >= 1.0, infinity, x))


def log_ndtr(x, series_order=3, name='log_ndtr'):
    """Returns the logarithm of `ndtr`, which is accurate in the tails too.

    Args:
      x: a Tensor of float or double.
      series_order: int, the number of terms of the series for the lower tail, at most 30.
      name: the name of the scope.

    Raises:
      TypeError: if x has a different dtype, or series_order is not an int.
      ValueError: if series_order is out of range.
    """
    if not isinstance(series_order, int):
        raise TypeError('series_order must be a Python integer.')
    if series_order < 0:
        raise ValueError('series_order must be non-negative.')
    if series_order > 30:
        raise ValueError('series_order must be <= 30.')
    with ops.name_scope(name, values=[x]):
        x = _floating(x, message='x.dtype={} is not supported.')
        lower, upper = np.array(_SEGMENTS[x.dtype.base_dtype], x.dtype.as_numpy_dtype)
        return array_ops.where_v2(
            math_ops.greater(x, upper), -_ndtr(-x),
            array_ops.where_v2(
                math_ops.greater(x, lower), math_ops.log(_ndtr(math_ops.maximum(x, lower))),
                _log_ndtr_tail(math_ops.minimum(x, lower), series_order)))


def _log_ndtr_tail(x, series_order):
    log_scale = -0.5 * math_ops.square(x) - math_ops.log(-x) - 0.5 * np.log(2. * np.pi)
    return log_scale + math_ops.log(_asymptotic_series(x, series_order))


def _asymptotic_series(x, series_order):
    dtype = x.dtype.as_numpy_dtype
    if series_order <= 0:
        return np.array(1, dtype)
    square = math_ops.square(x)
    even, odd = array_ops.zeros_like(x), array_ops.zeros_like(x)
    power = square
    for n in range(1, series_order + 1):
        term = np.array(np.prod(np.arange(2 * n - 1, 1, -2)), dtype) / power
        if n % 2:
            odd += term
        else:
            even += term
        power *= square
    return 1. + even - odd


def log_cdf_laplace(x, name='log_cdf_laplace'):
    """Returns the logarithm of the cumulative distribution function of the standard Laplace distribution.

    Args:
      x: a Tensor of float or double.
      name: the name of the scope.
    """
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        lower = -np.log(2.) + x
        upper = math_ops.log1p(-0.5 * math_ops.exp(-math_ops.abs(x)))
        return array_ops.where_v2(x < 0., lower, upper)
