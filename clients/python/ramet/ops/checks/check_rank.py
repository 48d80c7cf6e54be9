"""Checks of ranks and shapes."""

import functools

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops, tensor_util
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics
from ramet.ops.checks import check_ops, check_types
from ramet.ops.control_flow import assertions, dependencies


class _KnownToFail(Exception):
    """Raised if a condition on ranks is statically known not to hold."""


def _known_scalar(value):
    known = tensor_util.constant_value(value)
    if known is not None and known.ndim != 0:
        raise ValueError('Rank must be a scalar.')
    return known


def _check(x, ranks, holds, build, data, summarize):
    for rank in ranks:
        check_types.assert_type(rank, dtypes.int32)
    known = [_known_scalar(rank) for rank in ranks]
    if all(value is not None for value in known):
        actual = x.shape.rank
        if actual is not None:
            if not holds(actual, known):
                raise _KnownToFail(actual)
            return gen.NoOp(name='static_checks_determined_all_ok')
    condition = build(array_basics.rank(x), ranks)
    for rank, value in zip(ranks, known):
        if value is None:
            scalar = assert_rank(rank, 0, data=['Rank must be a scalar. Received rank: ', rank])
            condition = dependencies.with_dependencies([scalar], condition)
    return assertions.Assert(condition, data, summarize=summarize)


def _converted(x):
    return x if isinstance(x, SparseTensor) else ops.convert_to_tensor(x, name='x')


def _name_of(x):
    return getattr(x, 'name', 'SparseTensor')


def _rank_data(x, message, wording, ranks, data):
    if data is not None:
        return data
    claim = f'Tensor {_name_of(x)} must have rank {wording}'.rstrip()
    return [check_ops.prefix(message), claim, *ranks, 'Received shape: ', array_basics.shape(x)]


def _refuse(x, message, wording, actual):
    raise ValueError(f'{check_ops.prefix(message)}Tensor {_name_of(x)} must have rank {wording}.  '
                     f'Received rank {actual}, shape {x.shape}')


@export('assert_rank', 'debugging.assert_rank')
def assert_rank(x, rank, data=None, summarize=None, message=None, name=None):
    """Checks that a tensor has a given rank.

    Args:
      x: a tensor.
      rank: an int32 scalar.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold, or does nothing if it is known to hold.

    Raises:
      ValueError: if the condition is known not to hold.
    """
    with ops.name_scope(name, 'assert_rank', (x, rank) + tuple(data or [])):
        x = _converted(x)
        rank = ops.convert_to_tensor(rank, name='rank')
        data = _rank_data(x, message, '', [rank], data)
        try:
            return _check(x, [rank], lambda actual, given: actual == given[0],
                          lambda actual, given: gen.Equal(actual, given[0]), data, summarize)
        except _KnownToFail as failure:
            _refuse(x, message, tensor_util.constant_value(rank), failure.args[0])


@export('assert_rank_at_least', 'debugging.assert_rank_at_least')
def assert_rank_at_least(x, rank, data=None, summarize=None, message=None, name=None):
    """Checks that a tensor has at least a given rank.

    Args:
      x: a tensor.
      rank: an int32 scalar.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold, or does nothing if it is known to hold.

    Raises:
      ValueError: if the condition is known not to hold.
    """
    with ops.name_scope(name, 'assert_rank_at_least', (x, rank) + tuple(data or [])):
        x = _converted(x)
        rank = ops.convert_to_tensor(rank, name='rank')
        data = _rank_data(x, message, 'at least', [rank], data)
        try:
            return _check(x, [rank], lambda actual, given: actual >= given[0],
                          lambda actual, given: gen.GreaterEqual(actual, given[0]), data,
                          summarize)
        except _KnownToFail as failure:
            least = tensor_util.constant_value(rank)
            _refuse(x, message, f'at least {least}', failure.args[0])


@export('assert_rank_in', 'debugging.assert_rank_in')
def assert_rank_in(x, ranks, data=None, summarize=None, message=None, name=None):
    """Checks that a tensor has one of several ranks.

    Args:
      x: a tensor.
      ranks: a list of int32 scalars.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold, or does nothing if it is known to hold.

    Raises:
      ValueError: if the condition is known not to hold.
    """
    with ops.name_scope(name, 'assert_rank_in', (x,) + tuple(ranks) + tuple(data or [])):
        x = _converted(x)
        ranks = tuple(ops.convert_to_tensor(rank, name='rank') for rank in ranks)
        data = _rank_data(x, message, 'in', ranks, data)
        try:
            return _check(x, ranks, lambda actual, given: actual in given, _any_equal, data,
                          summarize)
        except _KnownToFail as failure:
            known = tuple(int(tensor_util.constant_value(rank)) for rank in ranks)
            _refuse(x, message, f'in {known}', failure.args[0])


def _any_equal(actual, given):
    return functools.reduce(gen.LogicalOr, [gen.Equal(rank, actual) for rank in given])
