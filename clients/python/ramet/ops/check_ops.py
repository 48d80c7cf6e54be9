"""tf.assert_*: checked while building where that can be told, by Assert operations elsewhere."""

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, errors, ops, tensor_util
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops import array_basics, control_flow_ops, gen, math_basics, math_reduce, slicing

Tensor = ops.Tensor
_NUMBERS = frozenset((dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64,
                      dtypes.int8, dtypes.int16, dtypes.int32, dtypes.int64, dtypes.uint8,
                      dtypes.uint16, dtypes.uint32, dtypes.uint64, dtypes.qint8, dtypes.qint16,
                      dtypes.qint32, dtypes.quint8, dtypes.quint16, dtypes.complex64,
                      dtypes.complex128))


def _static(value):
    return tensor_util.constant_value(value) if isinstance(value, Tensor) else value


def _refuse_if_known(condition, data):
    """Raises when a condition that is known now does not hold."""
    if not condition:
        shown = [_static(value) for value in data]
        lines = [str(data[i] if value is None else value) for i, value in enumerate(shown)]
        raise errors.InvalidArgumentError(node_def=None, op=None, message='\n'.join(lines))


def _binary(sign, default_name, build, known, arguments):
    x, y, data, summarize, message, name = arguments
    with ops.name_scope(name, default_name, [x, y, data]):
        x = ops.convert_to_tensor(x, name='x')
        y = ops.convert_to_tensor(y, name='y')
        if data is None:
            data = [f'Condition x {sign} y did not hold element-wise:',
                    f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
        if message is not None:
            data = [message] + list(data)
        condition = math_reduce.reduce_all(build(x, y))
        x_known, y_known = _static(x), _static(y)
        if x_known is not None and y_known is not None:
            _refuse_if_known(np.all(known(x_known, y_known)), data)
        return control_flow_ops.Assert(condition, data, summarize=summarize)


@export('assert_equal', 'debugging.assert_equal')
def assert_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x == y for all elements.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    with ops.name_scope(name, 'assert_equal', [x, y, data]):
        if x is y:
            return gen.NoOp()
    return _binary('==', 'assert_equal', gen.Equal, np.equal,
                   (x, y, data, summarize, message, name))


@export('assert_none_equal', 'debugging.assert_none_equal')
def assert_none_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x != y for all elements.

    Args:
      x: a tensor.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _binary('!=', 'assert_none_equal', gen.NotEqual, np.not_equal,
                   (x, y, data, summarize, message, name))


@export('assert_less', 'debugging.assert_less')
def assert_less(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x < y for all elements.

    Args:
      x: a tensor of real numbers.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _binary('<', 'assert_less', gen.Less, np.less, (x, y, data, summarize, message, name))


@export('assert_less_equal', 'debugging.assert_less_equal')
def assert_less_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x <= y for all elements.

    Args:
      x: a tensor of real numbers.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _binary('<=', 'assert_less_equal', gen.LessEqual, np.less_equal,
                   (x, y, data, summarize, message, name))


@export('assert_greater', 'debugging.assert_greater')
def assert_greater(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x > y for all elements.

    Args:
      x: a tensor of real numbers.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _binary('>', 'assert_greater', gen.Greater, np.greater,
                   (x, y, data, summarize, message, name))


@export('assert_greater_equal', 'debugging.assert_greater_equal')
def assert_greater_equal(x, y, data=None, summarize=None, message=None, name=None):
    """Checks that x >= y for all elements.

    Args:
      x: a tensor of real numbers.
      y: a tensor of that dtype.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _binary('>=', 'assert_greater_equal', gen.GreaterEqual, np.greater_equal,
                   (x, y, data, summarize, message, name))


def _against_zero(sign, default_name, check, arguments):
    x, data, summarize, message, name = arguments
    with ops.name_scope(name, default_name, [x, data]):
        x = ops.convert_to_tensor(x, name='x')
        if data is None:
            data = [prefix(message), f'Condition x {sign} 0 did not hold element-wise:',
                    f'x ({x.name}) = ', x]
        return check(x, constant_op.constant(0, dtype=x.dtype), data, summarize)


def _zero_less(x, zero, data, summarize):
    return assert_less(zero, x, data=data, summarize=summarize)


def _zero_less_equal(x, zero, data, summarize):
    return assert_less_equal(zero, x, data=data, summarize=summarize)


@export('assert_negative', 'debugging.assert_negative')
def assert_negative(x, data=None, summarize=None, message=None, name=None):
    """Checks that x < 0 for all elements.

    Args:
      x: a tensor of real numbers.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _against_zero('<', 'assert_negative', assert_less, (x, data, summarize, message, name))


@export('assert_positive', 'debugging.assert_positive')
def assert_positive(x, data=None, summarize=None, message=None, name=None):
    """Checks that x > 0 for all elements.

    Args:
      x: a tensor of real numbers.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _against_zero('>', 'assert_positive', _zero_less, (x, data, summarize, message, name))


@export('assert_non_negative', 'debugging.assert_non_negative')
def assert_non_negative(x, data=None, summarize=None, message=None, name=None):
    """Checks that x >= 0 for all elements.

    Args:
      x: a tensor of real numbers.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _against_zero('>=', 'assert_non_negative', _zero_less_equal,
                         (x, data, summarize, message, name))


@export('assert_non_positive', 'debugging.assert_non_positive')
def assert_non_positive(x, data=None, summarize=None, message=None, name=None):
    """Checks that x <= 0 for all elements.

    Args:
      x: a tensor of real numbers.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.

    Raises:
      InvalidArgumentError: it is known not to hold.
    """
    return _against_zero('<=', 'assert_non_positive', assert_less_equal,
                         (x, data, summarize, message, name))


@export('assert_near', 'debugging.assert_near')
def assert_near(x, y, rtol=None, atol=None, data=None, summarize=None, message=None, name=None):
    """Checks that |x - y| < atol + rtol * |y| for all elements.

    Args:
      x: a tensor of floating point or complex numbers.
      y: a tensor of that dtype.
      rtol: the relative tolerance; 10 times the precision of the dtype if not given.
      atol: the absolute tolerance; likewise.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: what to print first.
      name: name of the scope.

    Returns:
      An Operation that fails if not.
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
                    f'x ({x.name}) = ', x, f'y ({y.name}) = ', y]
        bound = atol + rtol * math_basics.abs(y)
        condition = math_reduce.reduce_all(gen.Less(math_basics.abs(x - y), bound))
        return control_flow_ops.Assert(condition, data, summarize=summarize)


@export('assert_integer', 'debugging.assert_integer')
def assert_integer(x, message=None, name=None):
    """Checks that `x` is of an integer dtype.

    Args:
      x: a tensor.
      message: what the error says first.
      name: name of the scope.

    Returns:
      An Operation that does nothing.

    Raises:
      TypeError: it is not.
    """
    with ops.name_scope(name, 'assert_integer', [x]):
        x = ops.convert_to_tensor(x, name='x')
        if not x.dtype.is_integer:
            raise TypeError(f'{prefix(message)}Expected "x" to be integer type.  '
                            f'Found: {x.name} of dtype {x.dtype}')
        return gen.NoOp(name='statically_determined_was_integer')


def prefix(message):
    return message + '.  ' if message else ''


@export('assert_type', 'debugging.assert_type')
def assert_type(tensor, tf_type, message=None, name=None):
    """Checks that a tensor is of a dtype.

    Args:
      tensor: a tensor or SparseTensor.
      tf_type: the dtype.
      message: what the error says first.
      name: name of the scope.

    Returns:
      An Operation that does nothing.

    Raises:
      TypeError: it is not.
    """
    tf_type = dtypes.as_dtype(tf_type)
    with ops.name_scope(name, 'assert_type', [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = ops.convert_to_tensor(tensor, name='tensor')
        if tensor.dtype != tf_type:
            label = f'{tensor.name} ' if hasattr(tensor, 'name') else ''
            raise TypeError(f'{prefix(message)}{label}must be of type {tf_type!r}; got '
                            f'{tensor.dtype!r}')
        return gen.NoOp(name='statically_determined_correct_type')


@export('assert_scalar', 'debugging.assert_scalar')
def assert_scalar(tensor, name=None, message=None):
    """Checks that a tensor is a scalar.

    Args:
      tensor: a tensor.
      name: name of the scope.
      message: what the error says first.

    Returns:
      The tensor.

    Raises:
      ValueError: it is not, or its rank is not known.
    """
    with ops.name_scope(name, 'assert_scalar', [tensor]) as scope:
        tensor = ops.convert_to_tensor(tensor, name=scope)
        if tensor.shape.rank != 0:
            raise ValueError(f'{prefix(message)}Expected scalar shape for {tensor.name}, saw '
                             f'shape: {tensor.shape}.')
        return tensor


@export('assert_proper_iterable', 'debugging.assert_proper_iterable')
def assert_proper_iterable(values):
    """Checks that something is an iterable, and neither a tensor nor a string.

    Args:
      values: an object.

    Raises:
      TypeError: it is not.
    """
    kinds = (Tensor, SparseTensor, np.ndarray, bytes, str)
    if isinstance(values, kinds):
        raise TypeError('Expected argument "values" to be a "proper" iterable.  Found: '
                        f'{type(values)}')
    if not hasattr(values, '__iter__'):
        raise TypeError('Expected argument "values" to be iterable.  Found: '
                        f'{type(values)}')


@export('assert_same_float_dtype', 'debugging.assert_same_float_dtype')
def assert_same_float_dtype(tensors=None, dtype=None):
    """Checks that tensors are of one floating point dtype.

    Args:
      tensors: a list of tensors.
      dtype: the dtype they must have.

    Returns:
      The dtype; float32 if nothing says which.

    Raises:
      ValueError: dtypes differ or are not floating point.
    """
    if tensors:
        dtype = _same_dtype(tensors, dtype)
    if not dtype:
        return dtypes.float32
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'Expected floating point type, got {dtype}.')
    return dtype


def _same_dtype(tensors, expected):
    expected = None if expected is None else dtypes.as_dtype(expected)
    first = None
    for tensor in tensors:
        if tensor is None:
            continue
        found = tensor.dtype.base_dtype
        if expected is None:
            expected, first = found, tensor
        elif expected != found:
            like = '' if first is None else f' as {first.name}'
            raise ValueError(f'{tensor.name}, type={found}, must be of the same type '
                             f'({expected}){like}.')
    return expected


@export('debugging.is_numeric_tensor', 'is_numeric_tensor')
def is_numeric_tensor(tensor):
    """Returns whether something is a tensor of numbers.

    Args:
      tensor: an object.

    Returns:
      A bool.
    """
    return isinstance(tensor, Tensor) and tensor.dtype.base_dtype in _NUMBERS


@export('debugging.is_non_decreasing', 'is_non_decreasing', 'math.is_non_decreasing')
def is_non_decreasing(x, name=None):
    """Returns whether no element is less than the one before it.

    Args:
      x: a tensor of real numbers, read row by row.
      name: name of the scope.

    Returns:
      A bool scalar.

    Raises:
      TypeError: `x` is not of numbers.
    """
    with ops.name_scope(name, 'is_non_decreasing', [x]):
        return math_reduce.reduce_all(_compared(x, gen.GreaterEqual))


@export('debugging.is_strictly_increasing', 'is_strictly_increasing',
        'math.is_strictly_increasing')
def is_strictly_increasing(x, name=None):
    """Returns whether each element is greater than the one before it.

    Args:
      x: a tensor of real numbers, read row by row.
      name: name of the scope.

    Returns:
      A bool scalar.

    Raises:
      TypeError: `x` is not of numbers.
    """
    with ops.name_scope(name, 'is_strictly_increasing', [x]):
        return math_reduce.reduce_all(_compared(x, gen.Greater))


def _compared(x, build):
    """Each element against the one before it; nothing for fewer than two."""
    flat = array_basics.reshape(x, [-1])
    if not is_numeric_tensor(flat):
        raise TypeError(f'Expected x to be numeric, instead found: {flat}')
    few = gen.Less(array_basics.size(flat), 2)
    count = array_basics.shape(flat) - 1

    def neighbours():
        later = slicing.strided_slice(flat, [1], [1] + count)
        return build(later, slicing.strided_slice(flat, [0], count))
    return control_flow_ops.needed_cond()(
        few, lambda: ops.convert_to_tensor([], dtype=dtypes.bool), neighbours)


@export('ensure_shape')
def ensure_shape(x, shape, name=None):
    """Returns `x`, with a shape that is checked when it runs.

    Args:
      x: a tensor.
      shape: a TensorShape or what becomes one.
      name: name of the node.

    Returns:
      A tensor like `x`.
    """
    return gen.EnsureShape(x, shape, name=name)
