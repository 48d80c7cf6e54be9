"""Matrix exponential, and normalization."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_basics, array_fill, array_join, array_select
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.while_loop import while_loop
from ramet.ops.linalg import linalg_ops
from ramet.ops.math import math_basics, math_cast, math_linear, math_reduce

# Coefficients of the Pade approximants of orders 3, 5, 7, 9 and 13.
_PADE = {
    3: (120., 60., 12.),
    5: (30240., 15120., 3360., 420., 30.),
    7: (17297280., 8648640., 1995840., 277200., 25200., 1512., 56.),
    9: (17643225600., 8821612800., 2075673600., 302702400., 30270240., 2162160., 110880., 3960., 90.),
    13: (64764752532480000., 32382376266240000., 7771770303897600., 1187353796428800., 129060195264000.,
         10559470521600., 670442572800., 33522128640., 1323241920., 40840800., 960960., 16380., 182.),
}
# For each size of the dtype: the largest norm for the last order, and (norm, order) for norms below it.
_SINGLE = 3.925724783138660, ((4.258730016922831e-001, 3), (1.880152677804762e+000, 5)), 7
_DOUBLE = 5.371920351148152, ((1.495585217958292e-002, 3), (2.539398330063230e-001, 5), (9.504178996162932e-001, 7),
                              (2.097847961257068e+000, 9)), 13


@export('linalg.normalize')
def normalize(tensor, ord='euclidean', axis=None, name=None):
    """Divides vectors or matrices by their norms.

    Args:
      tensor: a tensor of floating-point or complex numbers.
      ord: the norm, see tf.norm.
      axis: an int for vectors along this dimension, or a pair for matrices. If it is not given, `tensor` is treated
        as one vector.
      name: the name of the scope.

    Returns:
      (normalized, norm): a tensor of the same shape, and the norms, with the dimensions `axis` of size 1.

    Raises:
      ValueError: if there is no such norm.
    """
    with ops.name_scope(name, 'normalize', [tensor]):
        tensor = ops.convert_to_tensor(tensor)
        norm = math_cast.cast(linalg_ops.norm(tensor, ord, axis, keepdims=True), tensor.dtype)
        return tensor / norm, norm


def _sum(terms):
    """Adds terms, the last first."""
    total = terms[-1]
    for term in reversed(terms[:-1]):
        total = total + term
    return total


def _approximant(matrix, order):
    """Returns the odd part u and the even part v of a polynomial p with exp(matrix) ~ p(matrix) / p(-matrix)."""
    b = [constant_op.constant(x, matrix.dtype) for x in _PADE[order]]
    identity = linalg_ops.eye(array_basics.shape(matrix)[-2], batch_shape=array_basics.shape(matrix)[:-2],
                              dtype=matrix.dtype)
    powers = [identity, math_linear.matmul(matrix, matrix)]
    while 2 * len(powers) < min(order, 7):
        powers.append(math_linear.matmul(powers[-1], powers[1]))

    def combined(first, up_to):
        return _sum([b[i] * power for i, power in zip(range(first, len(b), 2), powers[:up_to])])

    if order == 13:
        high_u = math_linear.matmul(powers[3], powers[3] + b[11] * powers[2] + b[9] * powers[1])
        high_v = math_linear.matmul(powers[3], b[12] * powers[3] + b[10] * powers[2] + b[8] * powers[1])
        return math_linear.matmul(matrix, high_u + combined(1, 4)), high_v + combined(0, 4)
    if order == 9:
        powers.append(math_linear.matmul(powers[-1], powers[1]))
    half = len(powers) - 1
    return math_linear.matmul(matrix, powers[half] + combined(1, half)), combined(0, half + 1)


def _by_norm(norm, limits, values):
    """Returns values[i] for the first of the limits above the norm, and the last value if there is none."""
    result = values[-1]
    for limit, value in reversed(list(zip(limits, values))):
        below = gen.Less(norm, constant_op.constant(limit, norm.dtype))
        result = array_select.where_v2(below, value, result)
    return result


def _squared(matrix, norm):
    """Returns (squarings, u, v): exp(matrix / 2^squarings) is approximately (u + v) / (v - u)."""
    largest, cases, last = _DOUBLE if matrix.dtype in (dtypes.float64, dtypes.complex128) else _SINGLE
    two = constant_op.constant(2.0, norm.dtype)
    squarings = gen.Maximum(
        gen.Floor(gen.Log(norm / constant_op.constant(largest, norm.dtype)) / gen.Log(two)),
        constant_op.constant(0.0, norm.dtype))
    scaled = matrix / math_cast.cast(math_basics.pow(two, squarings), matrix.dtype)
    parts = [_approximant(matrix, order) for _, order in cases] + [_approximant(scaled, last)]
    limits = [limit for limit, _ in cases]
    u, v = (_by_norm(norm, limits, side) for side in zip(*parts))
    return squarings, u, v


@export('linalg.expm')
def matrix_exponential(input, name=None):
    """Returns the exponentials of square matrices: the sums of matrix^k / k! over k.

    Source: Higham, "The scaling and squaring method for the matrix exponential revisited".

    Args:
      input: a tensor [..., m, m] of floating-point or complex numbers.
      name: the name of the scope.

    Returns:
      A tensor of the shape and dtype of input.

    Raises:
      ValueError: if the dtype is not supported.
    """
    with ops.name_scope(name, 'matrix_exponential', [input]):
        matrix = ops.convert_to_tensor(input, name='input')
        if matrix.dtype not in (dtypes.float16, dtypes.float32, dtypes.float64, dtypes.complex64, dtypes.complex128):
            raise ValueError(f'tf.linalg.expm does not support matrices of type {matrix.dtype}')
        if matrix.shape[-2:] == [0, 0]:
            return matrix
        shape, known = array_basics.shape(matrix), matrix.shape
        matrix = array_basics.reshape(matrix, array_join.concat([[-1], shape[-2:]], 0))
        sums = math_reduce.reduce_sum(math_basics.abs(matrix), axis=array_basics.size(array_basics.shape(matrix)) - 2)
        norm = math_reduce.reduce_max(sums, axis=-1)[..., None, None]
        result = array_basics.reshape(_exponential(matrix, norm), shape)
        result.set_shape(known)
        return result


def _exponential(matrix, norm):
    squarings, u, v = _squared(matrix, norm)
    is_finite = gen.IsFinite(math_reduce.reduce_max(norm))
    nan = constant_op.constant(np.nan, matrix.dtype)
    result = cond(is_finite, lambda: gen.MatrixSolve(v - u, u + v),
                  lambda: array_fill.fill(array_basics.shape(matrix), nan))
    count = math_reduce.reduce_max(squarings)

    def more(i, _):
        return cond(is_finite, lambda: gen.Less(i, count), lambda: constant_op.constant(False))

    def square(i, product):
        return i + 1, array_select.where_v2(gen.Less(i, squarings), math_linear.matmul(product, product), product)

    return while_loop(more, square, [constant_op.constant(0.0, norm.dtype), result])[1]
