"""Implements assert_shapes, which checks sizes of named dimensions."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_basics
from ramet.ops.checks import check_ops, check_rank
from ramet.ops.control_flow import assertions, dependencies
from ramet.ops.control_flow.cond import cond

_ANY_NUMBER = (Ellipsis, '*')
_ANY_SIZE = (None, '.')


@export('debugging.assert_shapes')
def assert_shapes(shapes, data=None, summarize=None, message=None, name=None):
    """Checks that tensors have given shapes, and that dimensions with the same name have the same size.

    Args:
      shapes: a dict, or a list of pairs, of tensors and their shapes. A shape is a list of sizes,
        names, and None or '.' for any size. It may start with Ellipsis or '*' for any dimensions. A
        scalar is treated as a vector of one element.
      data: a list of tensors to print on failure.
      summarize: how many elements of each to print.
      message: a text to print first.
      name: the name of the scope.

    Returns:
      An Operation that fails if the condition does not hold, or does nothing if it is known to hold.

    Raises:
      ValueError: if the condition is known not to hold, or a shape is malformed.
    """
    pairs = shapes.items() if isinstance(shapes, dict) else shapes
    with ops.name_scope(name, 'assert_shapes', [shapes, data]):
        pairs = [(_converted(x), _symbols(x, symbols)) for x, symbols in pairs]
        known_sizes = [_all_sizes(x) for x, _ in pairs]
        ranks = [_rank_checks(x, symbols, data, summarize, message, name) for x, symbols in pairs]
        ranks = [check for checks in ranks for check in checks]
        with ops.control_dependencies(ranks):
            named = [_named_sizes(symbols, sizes)
                     for (_, symbols), sizes in zip(pairs, known_sizes)]
        sizes = _size_checks(pairs, named, (data, summarize, message))
    return dependencies.group(*ranks, *sizes)


def _converted(x):
    return x if isinstance(x, SparseTensor) else ops.convert_to_tensor(x)


def _name(x):
    return getattr(x, 'name', 'SparseTensor')


def _label(x):
    return f'Tensor {_name(x)}'


def _symbols(x, symbols):
    if not hasattr(symbols, '__iter__') and not hasattr(symbols, '__getitem__'):
        raise ValueError(f'{_label(x)}.  Specified shape must be an iterable.  An iterable has the '
                         'attribute `__iter__` or `__getitem__`.  Received specified shape: '
                         f'{symbols}')
    for i, symbol in enumerate(symbols):
        if i and symbol in _ANY_NUMBER:
            raise ValueError(f'{_label(x)} specified shape index {i}.  Symbol `...` or `*` for a '
                             'variable number of unspecified dimensions is only allowed as the '
                             'first entry')
    return tuple(symbols)


def _all_sizes(x):
    """Returns a list of sizes, as ints if they are known; without a static rank, the shape tensor."""
    shape = array_basics.shape(x)
    if x.shape.rank is not None:
        sizes = x.shape.as_list() or [1]
        return [shape[i] if size is None else size for i, size in enumerate(sizes)]
    is_scalar = gen.Equal(array_basics.rank(x), 0)
    return cond(
        is_scalar, lambda: constant_op.constant([1]), lambda: shape)


def _rank_checks(x, symbols, data, summarize, message, name):
    arguments = dict(data=data, summarize=summarize, message=message, name=name)
    if symbols and symbols[0] in _ANY_NUMBER:
        least = len(symbols) - 1
        return [check_rank.assert_rank_at_least(x, least, **arguments)] if least > 1 else []
    if len(symbols) < 2:
        return [check_rank.assert_rank_in(x, [0, 1], **arguments)]
    return [check_rank.assert_rank(x, len(symbols), **arguments)]


def _size_checks(pairs, named, arguments):
    checks, known = [], {}
    for (x, _), triples in zip(pairs, named):
        for place, symbol, size in triples:
            if symbol in _ANY_SIZE:
                continue
            if isinstance(symbol, int):
                wanted, source = symbol, 'Specified explicitly'
            elif symbol in known:
                wanted, source = known[symbol]
            else:
                known[symbol] = size, f'Specified by tensor {_name(x)} dimension {place}'
                continue
            check = _check_size(x, place, size, wanted, source, arguments)
            if check is not None:
                checks.append(check)
    return checks


def _named_sizes(symbols, sizes):
    """Returns triples of position, symbol and size."""
    first = 0
    if symbols and symbols[0] in _ANY_NUMBER:
        symbols = symbols[1:]
        first = -len(symbols)
    return [(place, symbol, sizes[place]) for place, symbol in enumerate(symbols, first)]


def _check_size(x, place, size, wanted, source, arguments):
    data, summarize, message = arguments
    if isinstance(size, int) and isinstance(wanted, int):
        if size != wanted:
            raise ValueError(f'{check_ops.prefix(message)}{source}.  {_label(x)} dimension {place} '
                             f'must have size {wanted}.  Received size {size}, shape {x.shape}')
        return None
    size = constant_op.constant(size) if isinstance(size, int) else size
    wanted_tensor = constant_op.constant(wanted) if isinstance(wanted, int) else wanted
    condition = gen.Equal(size, wanted_tensor)
    if data is None:
        data = [check_ops.prefix(message), source, f'{_label(x)} dimension', place,
                'must have size', wanted, 'Received shape: ', array_basics.shape(x)]
    return assertions.Assert(condition, data, summarize=summarize)
