"""Python's built-in functions on tensors and datasets."""

from ramet import gen
from ramet.autograph.branches import is_tensor
from ramet.autograph.overrides import override_of
from ramet.framework import constant_op, dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops, math_range
from ramet.ops.strings import logging_ops

_UNSPECIFIED = object()


def _abs(x):
    return math_ops.abs(x) if is_tensor(x) else abs(x)


def _float(x=0):
    return _number(x, dtypes.float32) if is_tensor(x) else float(x)


def _int(x=0, base=_UNSPECIFIED):
    if not is_tensor(x):
        return int(x) if base is _UNSPECIFIED else int(x, base)
    if base not in (10, _UNSPECIFIED):
        raise NotImplementedError(f'base {base} not supported for int')
    return _number(x, dtypes.int32)


def _number(x, dtype):
    if x.dtype == dtypes.string:
        return gen.StringToNumber(x, out_type=dtype)
    return math_ops.cast(x, dtype)


def len_(value):
    """Returns the first size of a tensor, an int if it is known, or Python's len."""
    if hasattr(value, 'size') and hasattr(value, 'flow'):
        return value.size()
    if not is_tensor(value):
        return len(value)
    if value.shape.ndims and value.shape.as_list()[0] is not None:
        return value.shape.as_list()[0]
    shape = array_ops.shape(value)
    if value.shape.ndims == 0:
        raise ValueError(f'len requires a non-scalar tensor, got one of shape {shape}')
    if value.shape.ndims is not None:
        return shape[0]
    rank = array_ops.rank(value)

    def refuse():
        message = gen.StringJoin(['len requires non-zero rank, got ', gen.AsString(rank)])
        with ops.control_dependencies([assertions.Assert(False, [message])]):
            return constant_op.constant(0, dtype=dtypes.int32)

    return cond(rank > 0, lambda: array_ops.shape(value)[0], refuse)


def _print(*objects, **kwargs):
    unknown = tuple(set(kwargs) - {'sep', 'end', 'file', 'flush'})
    if unknown:
        raise ValueError(f'invalid keyword arguments: {unknown}')
    if any(is_tensor(value) for value in objects):
        kwargs = {{'file': 'output_stream'}.get(key, key): value for key, value in kwargs.items() if key != 'flush'}
        return logging_ops.print_v2(*objects, **kwargs)
    return print(*objects, **kwargs)


def _range(start_or_stop, stop=_UNSPECIFIED, step=_UNSPECIFIED):
    given = [value for value in (start_or_stop, stop, step) if value is not _UNSPECIFIED]
    if not any(is_tensor(value) for value in given):
        return range(*given)
    if step is not _UNSPECIFIED:
        return math_range.range(start_or_stop, stop, step)
    # An empty range, as in Python, instead of an error.
    if stop is not _UNSPECIFIED:
        return math_range.range(start_or_stop, math_ops.maximum(start_or_stop, stop))
    return math_range.range(math_ops.maximum(start_or_stop, 0))


_FUNCTIONS = {abs: _abs, float: _float, int: _int, len: len_, print: _print, range: _range}
_OF_FIRST = {abs: 'abs', len: 'len', enumerate: 'enumerate', any: 'any', all: 'all', next: 'next'}
_OF_ALL = {zip: (0, 'zip'), map: (1, 'map'), filter: (1, 'filter')}


def call(function, args, kwargs):
    """Calls a built-in function, or what stands for it on tensors and datasets.

    Args:
      function: the built-in function.
      args: the positional arguments.
      kwargs: the keyword arguments.
    """
    override = None
    if function in _OF_FIRST and args:
        override = override_of(_OF_FIRST[function], args[0])
    elif function in _OF_ALL:
        skipped, name = _OF_ALL[function]
        found = {override_of(name, value) for value in args[skipped:]}
        override = found.pop() if len(found) == 1 else None
    if override is not None:
        return override(*args, **kwargs)
    return _FUNCTIONS.get(function, function)(*args, **kwargs)


def is_builtin(function):
    """Returns whether a function is one of Python's built-in functions or types."""
    try:
        return function in _FUNCTIONS or function in _OF_FIRST or function in _OF_ALL
    except TypeError:
        return False
