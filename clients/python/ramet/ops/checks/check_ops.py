"""tf.assert_*: checks that are evaluated statically if possible, and by Assert operations otherwise."""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import named
from ramet.framework import constant_op, errors, ops, tensor_util
from ramet.ops.checks import eager_checks
from ramet.ops.control_flow import assertions
from ramet.ops.math import math_basics, math_reduce

Tensor = ops.Tensor


def _static(value):
    return tensor_util.constant_value(value) if isinstance(value, Tensor) else value


def _refuse_if_known(condition, data):
    """Raises an error if a condition is statically known not to hold."""
    if not condition:
        shown = [_static(value) for value in data]
        lines = [str(data[i] if value is None else value) for i, value in enumerate(shown)]
        raise errors.InvalidArgumentError(node_def=None, op=None, message='\n'.join(lines))


def _binary(sign, default_name, build, known, arguments):
    x, y, data, summarize, message, name = arguments
    with ops.name_scope(name, default_name, [x, y, data]):
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y')
        if ops.executing_eagerly():
            return eager_checks.check(sign, x, y, build(x, y), (data, summarize, message))
        if data is None:
            data = [f'Condition x {sign} y did not hold element-wise:',
                    f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
        if message is not None:
            data = [message] + list(data)
        condition = math_reduce.reduce_all(build(x, y))
        x_known, y_known = _static(x), _static(y)
        if x_known is not None and y_known is not None:
            _refuse_if_known(np.all(known(x_known, y_known)), data)
        return assertions.Assert(condition, data, summarize=summarize)


@export('assert_equal', 'debugging.assert_equal')
def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x == y for all elements.

    Args:
      x: a tensor.
      y: a tensor of the same dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold.

    Raises:
      InvalidArgumentError: if the condition is known not to hold.
    """
    with ops.name_scope(name, 'assert_equal', [x, y, data]):
        if x is y:
            return gen.NoOp()
    return _binary('==', 'assert_equal', gen.Equal, np.equal,
                   (x, y, data, summarize, message, name))


_DOC = """Checks that x {sign} {other} for all elements.

Args:
  x: a tensor{kind}.
{y}  data: a list of tensors to print on failure.
  summarize: how many elements of each to print.
  message: a text to print first.
  name: the name of the scope.

Returns:
  An Operation that fails if the condition does not hold.

Raises:
  InvalidArgumentError: if the condition is known not to hold.
"""
_Y_DOC = '  y: a tensor of the same dtype.\n'
_REAL = ' of real numbers'


def _comparison(function_name, sign, build, known, kind=_REAL):
    """Returns the function that checks a comparison of two tensors.

    Args:
      function_name: its name.
      sign: the sign of the comparison.
      build: the function of the op that compares tensors.
      known: the function that compares arrays.
      kind: the kind of the tensors, for the docstring.
    """

    @named(function_name, _DOC.format(sign=sign, other='y', kind=kind, y=_Y_DOC))
    def check(x, y, data=None, summarize=None, message=None, name=None):
        return _binary(sign, function_name, build, known, (x, y, data, summarize, message, name))

    return check


assert_none_equal = export('assert_none_equal', 'debugging.assert_none_equal')(_comparison(
    'assert_none_equal', '!=', gen.NotEqual, np.not_equal, kind=''))
assert_less = export('assert_less', 'debugging.assert_less')(_comparison(
    'assert_less', '<', gen.Less, np.less))
assert_less_equal = export('assert_less_equal', 'debugging.assert_less_equal')(_comparison(
    'assert_less_equal', '<=', gen.LessEqual, np.less_equal))
assert_greater = export('assert_greater', 'debugging.assert_greater')(_comparison(
    'assert_greater', '>', gen.Greater, np.greater))
assert_greater_equal = export('assert_greater_equal', 'debugging.assert_greater_equal')(_comparison(
    'assert_greater_equal', '>=', gen.GreaterEqual, np.greater_equal))


def _against_zero(sign, default_name, check, arguments):
    x, data, summarize, message, name = arguments
    with ops.name_scope(name, default_name, [x, data]):
        x = ops.convert_to_tensor(x, name='x')
        if data is None:
            data = [prefix(message), f'Condition x {sign} 0 did not hold element-wise:',
                    f'x ({eager_checks.name_of(x)}) = ', x]
        return check(x, constant_op.constant(0, dtype=x.dtype), data, summarize)


def _zero_less(x, zero, data, summarize):
    return assert_less(zero, x, data=data, summarize=summarize)


def _zero_less_equal(x, zero, data, summarize):
    return assert_less_equal(zero, x, data=data, summarize=summarize)


def _comparison_with_zero(function_name, sign, check_against):
    """Returns the function that compares a tensor with zero.

    Args:
      function_name: its name.
      sign: the sign of the comparison.
      check_against: the function (x, zero, data, summarize) that checks it.
    """

    @named(function_name, _DOC.format(sign=sign, other='0', kind=_REAL, y=''))
    def check(x, data=None, summarize=None, message=None, name=None):
        return _against_zero(sign, function_name, check_against, (x, data, summarize, message, name))

    return check


assert_negative = export('assert_negative', 'debugging.assert_negative')(
    _comparison_with_zero('assert_negative', '<', assert_less))
assert_positive = export('assert_positive', 'debugging.assert_positive')(
    _comparison_with_zero('assert_positive', '>', _zero_less))
assert_non_negative = export('assert_non_negative', 'debugging.assert_non_negative')(
    _comparison_with_zero('assert_non_negative', '>=', _zero_less_equal))
assert_non_positive = export('assert_non_positive', 'debugging.assert_non_positive')(
    _comparison_with_zero('assert_non_positive', '<=', assert_less_equal))


@export('assert_near', 'debugging.assert_near')
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Checks that |x - y| < atol + rtol * |y| for all elements.

    Args:
      x: a tensor of floating-point or complex numbers.
      y: a tensor of the same dtype.
      rtol: the relative tolerance. Defaults to 10 times the precision of the dtype.
      atol: the absolute tolerance. Defaults to the same.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold.
    """
    with ops.name_scope(name, 'assert_near', [x, y, rtol, atol, data]):
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y', dtype=x.dtype)
        real = x.dtype.real_dtype if x.dtype.is_complex else x.dtype
        precision = None
        if rtol is None or atol is None:
            precision = 10 * np.finfo(real.as_numpy_dtype).eps
        rtol = ops.convert_to_tensor(precision if rtol is None else rtol, name='rtol', dtype=real)
        atol = ops.convert_to_tensor(precision if atol is None else atol, name='atol', dtype=real)
        if data is None:
            data = [prefix(message),
                    f'x and y not equal to tolerance rtol = {rtol}, atol = {atol}',
                    f'x ({eager_checks.name_of(x)}) = ', x, f'y ({eager_checks.name_of(y)}) = ', y]
        bound = atol + rtol * math_basics.abs(y)
        condition = math_reduce.reduce_all(gen.Less(math_basics.abs(x - y), bound))
        return assertions.Assert(condition, data, summarize=summarize)


def prefix(message):
    return message + '.  ' if message else ''
