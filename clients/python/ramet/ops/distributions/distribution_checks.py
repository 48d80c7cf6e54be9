"""Checks of parameters and values of distributions, and parameters in two forms."""

import numpy as np

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops, check_rank
from ramet.ops.control_flow import dependencies
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation

_INTEGERS = {dtypes.float16: dtypes.int16, dtypes.float32: dtypes.int32, dtypes.float64: dtypes.int64}


def assert_integer_form(x, message, int_dtype=None, name='assert_integer_form'):
    """Returns an operation that fails if a number has a fraction.

    Args:
      x: a Tensor of numbers.
      message: the error message.
      int_dtype: the integer dtype that the numbers must fit into. Defaults to one of the size of x.dtype.
      name: the name of the scope.

    Raises:
      TypeError: if the dtype is neither an integer nor a floating-point type.
    """
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        if x.dtype.is_integer:
            return gen.NoOp()
        if int_dtype is None and x.dtype.base_dtype not in _INTEGERS:
            raise TypeError(f'Unrecognized type {x.dtype.name}')
        int_dtype = int_dtype or _INTEGERS[x.dtype.base_dtype]
        whole = math_ops.cast(math_ops.cast(x, int_dtype), x.dtype)
        return check_ops.assert_equal(x, whole, message=message, name=name)


def nonnegative_integers(x, name='embed_check_nonnegative_integer_form'):
    """Returns x, whose run fails unless all its numbers are integers of at least 0.

    Args:
      x: a Tensor of numbers.
      name: the name of the scope.
    """
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        checks = [check_ops.assert_non_negative(x, message=f"'{x}' must be non-negative.")]
        if not x.dtype.is_integer:
            checks.append(assert_integer_form(x, f"'{x}' cannot contain fractional components."))
        return dependencies.with_dependencies(checks, x)


def largest_integer(dtype):
    """Returns the largest number up to which a dtype has all integers.

    Args:
      dtype: a DType.

    Raises:
      TypeError: if it has none.
    """
    if dtype.is_floating:
        return int(2 ** (np.finfo(dtype.as_numpy_dtype).nmant + 1))
    if dtype.is_integer:
        return np.iinfo(dtype.as_numpy_dtype).max
    if dtype.base_dtype == dtypes.bool:
        return 1
    raise TypeError(f'Unrecognized dtype: {dtype.name}')


def integers_of(x, target_dtype, name='embed_check_casting_closed'):
    """Returns x, whose run fails unless all its numbers are integers of at least 0 that fit into a dtype.

    Args:
      x: a Tensor of numbers.
      target_dtype: an integer dtype, or bool.
      name: the name of the scope.

    Raises:
      TypeError: if x is not numeric.
    """
    with ops.name_scope(name, values=[x]):
        x = ops.convert_to_tensor(x, name='x')
        limit = largest_integer(target_dtype)
        checks = [check_ops.assert_non_negative(x, message='Elements must be non-negative.')]
        if x.dtype.is_floating:
            checks.append(assert_integer_form(x, f'Elements must be {target_dtype.name}-equivalent.', target_dtype))
        elif largest_integer(x.dtype) > limit:
            checks.append(check_ops.assert_less_equal(x, limit, message=f'Elements cannot exceed {limit}.'))
        return dependencies.with_dependencies(checks, x)


def categorical_parameter(parameter, name='embed_check_categorical_event_shape'):
    """Returns a parameter whose last dimension is that of the classes, after checks of their number.

    Args:
      parameter: a floating-point Tensor.
      name: the name of the scope.

    Raises:
      TypeError: if it is not floating-point.
      ValueError: if it is known to have fewer than two classes, or more than its dtype can count.
    """
    with ops.name_scope(name, values=[parameter]):
        x = ops.convert_to_tensor(parameter, name='categorical_param')
        if not x.dtype.is_floating:
            raise TypeError(f'Unable to validate size of unrecognized dtype ({x.dtype.base_dtype.name}).')
        limit, dtype = largest_integer(x.dtype.base_dtype), x.dtype.base_dtype.name
        if x.get_shape().ndims == 0:
            raise ValueError('A categorical-distribution parameter must have at least 1 dimension.')
        size = tensor_shape.dimension_value(x.get_shape().with_rank_at_least(1)[-1])
        if size is None:
            return _checked_classes(x, limit, dtype)
        if size < 2:
            raise ValueError('A categorical-distribution parameter must have at least 2 events.')
        if size > limit:
            raise ValueError(f'Number of classes exceeds `dtype` precision, i.e., {dtype} implies shape ({size}) '
                             f'cannot exceed {limit}.')
        return x


def _checked_classes(x, limit, dtype):
    size = array_ops.shape(x, name='x_shape')[-1]
    checks = [
        check_rank.assert_rank_at_least(
            x, 1, message='A categorical-distribution parameter must have at least 1 dimension.'),
        check_ops.assert_greater_equal(
            array_ops.shape(x)[-1], 2, message='A categorical-distribution parameter must have at least 2 events.'),
        check_ops.assert_less_equal(
            size, limit,
            message=f'Number of classes exceeds `dtype` precision, i.e., {dtype} dtype cannot exceed {limit} shape.')]
    return dependencies.with_dependencies(checks, x)


def get_logits_and_probs(logits=None, probs=None, multidimensional=False, validate_args=False,
                         name='get_logits_and_probs'):
    """Returns (logits, probabilities), given one of them.

    Args:
      logits: a floating-point Tensor, or None.
      probs: a floating-point Tensor, or None.
      multidimensional: whether the last dimension is that of the classes.
      validate_args: whether runs check the values.
      name: the name of the scope.

    Raises:
      ValueError: if both or none of logits and probs are given.
      TypeError: if it is not floating-point.
    """
    with ops.name_scope(name, values=[probs, logits]):
        if (probs is None) == (logits is None):
            raise ValueError('Must pass probs or logits, but not both.')
        if probs is None:
            return _with_probs(logits, multidimensional, validate_args)
        probs = ops.convert_to_tensor(probs, name='probs')
        if not probs.dtype.is_floating:
            raise TypeError('probs must having floating type.')
        if validate_args:
            probs = _checked_probs(probs, multidimensional)
        with ops.name_scope('logits'):
            if multidimensional:
                return math_ops.log(probs), probs
            return math_ops.log(probs) - math_ops.log1p(-1. * probs), probs


def _with_probs(logits, multidimensional, validate_args):
    logits = ops.convert_to_tensor(logits, name='logits')
    if not logits.dtype.is_floating:
        raise TypeError('logits must having floating type.')
    if not multidimensional:
        return logits, math_ops.sigmoid(logits, name='probs')
    if validate_args:
        logits = categorical_parameter(logits)
    return logits, nn_activation.softmax(logits, name='probs')


def _checked_probs(probs, multidimensional):
    with ops.name_scope('validate_probs'):
        one = constant_op.constant(1., probs.dtype)
        checks = [check_ops.assert_non_negative(probs)]
        if multidimensional:
            probs = categorical_parameter(probs)
            checks.append(check_ops.assert_near(
                math_ops.reduce_sum(probs, -1), one, message='probs does not sum to 1.'))
        else:
            checks.append(check_ops.assert_less_equal(
                probs, one, message='probs has components greater than 1.'))
        return dependencies.with_dependencies(checks, probs)


def log_combinations(n, counts, name='log_combinations'):
    """Returns the logarithm of the number of sequences of n elements with given counts of each class.

    Args:
      n: a Tensor of numbers of elements.
      counts: a Tensor with one more dimension, that of the classes.
      name: the name of the scope.
    """
    with ops.name_scope(name, values=[n, counts]):
        n = ops.convert_to_tensor(n, name='n')
        counts = ops.convert_to_tensor(counts, name='counts')
        total = math_ops.lgamma(n + 1)
        return total - math_ops.reduce_sum(math_ops.lgamma(counts + 1), axis=[-1])


def checked(self, checks, x):
    """Returns x, after checks if the distribution validates its arguments.

    Args:
      self: the Distribution.
      checks: a function that returns the operations that check x.
      x: a Tensor.
    """
    return dependencies.with_dependencies(checks(), x) if self.validate_args else x


def defined_where(self, condition, value, shape, checks):
    """Returns a statistic that is NaN where it is undefined, or whose run fails there.

    Args:
      self: the Distribution, whose allow_nan_stats selects one of the two.
      condition: a function that returns a bool Tensor, where the statistic is defined.
      value: the statistic.
      shape: a function that returns the shape of the statistic.
      checks: a function that returns operations that fail unless the statistic is defined everywhere.
    """
    if not self.allow_nan_stats:
        return dependencies.with_dependencies(checks(), value)
    nan = array_ops.fill(shape(), np.array(np.nan, self.dtype.as_numpy_dtype), name='nan')
    return array_ops.where_v2(condition(), value, nan)
