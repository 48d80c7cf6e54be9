"""Conditionals, `and`, `or`, `not` and assertions of converted functions."""

import functools

import numpy as np

from ramet import gen
from ramet.autograph.variables import Undefined, UndefinedReturnValue
from ramet.framework import dtypes, nest, ops, sparse_tensor, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond

_HINT = 'to check for None, use `is not None`'
PLAIN = (bool, int, float, str, np.ndarray)


def is_dense(value):
    """Returns whether a value is a tensor or a variable, and not a sparse or ragged tensor."""
    return ops.is_dense_tensor_like(value)


def scalar_condition(condition, tag):
    """Returns a condition as a bool scalar.

    Args:
      condition: a tensor.
      tag: the kind of statement, for messages.

    Raises:
      ValueError: if it has another dtype, or more than one element.
    """
    condition = ops.convert_to_tensor(condition)
    if condition.dtype.base_dtype != dtypes.bool:
        raise ValueError(f'condition of {tag} expected to be `tf.bool` scalar, got {condition}; to use as boolean '
                         f'Tensor, use `tf.cast`; {_HINT}')
    if condition.shape.ndims == 0:
        return condition
    if condition.shape.ndims and np.prod([d for d in condition.shape.as_list() if d is not None]) > 1:
        raise ValueError(f'condition of {tag} expected to be `tf.bool` scalar, got {condition}; {_HINT}')
    return array_ops.reshape(condition, ())


def as_tensors(structure):
    """Returns a structure whose variables are replaced by their values."""
    return nest.map_structure(
        lambda value: ops.convert_to_tensor(value) if hasattr(value, '_dense_var_to_tensor') else value, structure)


def assert_same_structure(first, second, message):
    """Raises TypeError with a message unless two values have the same structure.

    Args:
      first: a structure.
      second: a structure.
      message: the first line of the message.
    """
    try:
        nest.assert_same_structure(as_tensors(first), as_tensors(second), expand_composites=True)
    except (ValueError, TypeError) as error:
        raise TypeError(f'{message}\n\n{error}') from error


def tensor_if_plain(value):
    """Returns a Python number, string or array as a tensor, and other values as they are."""
    return ops.convert_to_tensor(value) if isinstance(value, PLAIN) else value


def _check_value(name, of_body, of_else):
    """Raises an error unless the values of both branches have the same dtype."""
    if of_body is None:
        raise ValueError(f"'{name}' is None at the end of the main branch.")
    if of_else is None:
        raise ValueError(f"'{name}' is None at the end of the else branch.")
    of_body, of_else = tensor_if_plain(of_body), tensor_if_plain(of_else)
    if not (hasattr(of_body, 'dtype') and hasattr(of_else, 'dtype')):
        return
    mine, other = dtypes.as_dtype(of_body.dtype).base_dtype, dtypes.as_dtype(of_else.dtype).base_dtype
    if mine != other:
        raise TypeError(f"'{name}' has dtype {mine.name} in the main branch, but dtype {other.name} in the else branch")


def _check_defined(values, symbols, branch):
    for name, value in zip(symbols, values):
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must also be initialized in the {branch} branch")
        if isinstance(value, UndefinedReturnValue):
            raise ValueError(f'the {branch} branch must also have a return statement.')


def _check_branches(of_body, of_else, symbols):
    for name, mine, other in zip(symbols, of_body, of_else):
        message = f"'{name}' must have the same nested structure in the main and else branches:"
        assert_same_structure(mine, other, message)
        nest.map_structure(functools.partial(_check_value, name), mine, other)


def if_stmt(condition, body, orelse, get_state, set_state, symbols, outputs):
    """Runs one of two blocks; adds tf.cond if the condition is a tensor.

    Args:
      condition: a bool or a tensor.
      body: the first block, a function.
      orelse: the second block.
      get_state: a function that returns the variables that the blocks change.
      set_state: a function that sets them.
      symbols: their names.
      outputs: how many of them are used afterwards; these come first.
    """
    if is_dense(condition):
        _graph_if(condition, (body, orelse), get_state, set_state, symbols, outputs)
    elif condition:
        body()
    else:
        orelse()


def _graph_if(condition, blocks, get_state, set_state, symbols, outputs):
    condition = scalar_condition(condition, 'if statement')
    first, results = get_state(), {}

    def branch(number, name):
        set_state(first)
        blocks[number]()
        # A branch must have a result.
        results[number] = get_state()[:outputs] if outputs else (0,)
        _check_defined(results[number], symbols, name)
        if len(results) == 2:
            _check_branches(results[0], results[1], symbols[:outputs])
        return results[number]

    made = cond(condition, lambda: branch(0, 'main'), lambda: branch(1, 'else'), strict=True)
    set_state((*made[:outputs], *first[outputs:]))


def if_exp(condition, if_true, if_false, text):
    """Returns the value of `if_true() if condition else if_false()`.

    Args:
      condition: a bool or a tensor.
      if_true: a function without arguments.
      if_false: a function without arguments.
      text: the source of the condition, for messages.
    """
    if not is_dense(condition):
        return if_true() if condition else if_false()
    results = []

    def branch(function):
        results.append(function())
        if len(results) == 2:
            _check_value(text, *results)
        return results[-1]

    return cond(condition, lambda: branch(if_true), lambda: branch(if_false))


def and_(first, second):
    """Returns `first() and second()`."""
    value = first()
    if is_tensor(value):
        return cond(value, second, lambda: value)
    return value and second()


def or_(first, second):
    """Returns `first() or second()`."""
    value = first()
    if is_tensor(value):
        return cond(value, lambda: value, second)
    return value or second()


def not_(value):
    """Returns `not value`."""
    return gen.LogicalNot(ops.convert_to_tensor(value)) if is_tensor(value) else not value


def eq(first, second):
    """Returns `first == second`."""
    if is_tensor(first) or is_tensor(second):
        return gen.Equal(first, second)
    return first == second


def not_eq(first, second):
    """Returns `first != second`."""
    return not_(eq(first, second))


def is_tensor(value):
    """Returns whether a value is a tensor of any kind, or a variable."""
    return tensor_util.is_tensor(value) or sparse_tensor.is_sparse(value)


def assert_stmt(condition, message):
    """Checks a condition, in the run if it is a tensor.

    Args:
      condition: a bool or a tensor.
      message: a function that returns the message, a value or a list of tensors.
    """
    if not is_tensor(condition):
        assert condition, message()
        return
    data = message()
    assertions.Assert(condition, data if isinstance(data, list) else [data])
