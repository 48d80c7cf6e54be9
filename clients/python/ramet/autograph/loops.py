"""Loops of converted functions."""

from ramet import gen
from ramet.autograph import loop_variables
from ramet.autograph.branches import is_dense, is_tensor, scalar_condition
from ramet.autograph.builtin_functions import len_
from ramet.autograph.overrides import override_of
from ramet.autograph.variables import Undefined
from ramet.framework import dtypes, ops, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.control_flow.while_loop import while_loop
from ramet.ops.functions import func_graph
from ramet.ops.math import math_ops

_LIMITS = ('break and return statements which depend on a TF condition are not supported in Python for loops. Did you '
           'intend to make it a TF loop?')
_CHANGED = (
    'The condition of while loop started as non-Tensor, then changed to Tensor. This may happen either because '
    'variables changed type, or when a break or return statement inside the loop depends on a Tensor condition. In '
    'both cases, changing to a TF loop should remove the error.')
_MAX_PYTHON_ITERATIONS = 100000000


def _known(test, message):
    """Returns a condition of a Python loop as a bool.

    Raises:
      NotImplementedError: if it is a tensor.
    """
    value = test()
    try:
        return bool(value)
    except TypeError as error:  # of Tensor.__bool__
        raise NotImplementedError(message) from error


def while_stmt(test, body, get_state, set_state, symbols, options):
    """Repeats a block; adds tf.while_loop if the condition is a tensor.

    Args:
      test: a function that returns the condition.
      body: the block, a function.
      get_state: a function that returns the variables that the block changes.
      set_state: a function that sets them.
      symbols: their names.
      options: arguments of tf.while_loop.
    """
    with func_graph.FuncGraph().writing():
        first = test()
    if is_dense(first):
        _graph_while(test, body, get_state, set_state, symbols, options)
        return
    if not first:
        return
    body()
    for _ in range(_MAX_PYTHON_ITERATIONS):
        if not _known(test, _CHANGED):
            return
        body()
    raise ValueError('iteration limit exceeded')


def for_stmt(iterated, extra_test, body, get_state, set_state, symbols, options):
    """Runs a block for each element; adds tf.while_loop if the elements are those of a tensor.

    Args:
      iterated: an iterable, a tensor, a dataset or an iterator.
      extra_test: a function that returns whether to go on, or None.
      body: the block, a function of an element.
      get_state: a function that returns the variables that the block changes.
      set_state: a function that sets them.
      symbols: their names.
      options: arguments of tf.while_loop, and iterate_names, the source of the loop's target.
    """
    loop = override_of('for', iterated)
    if loop is None:
        loop = _python_for
        if is_tensor(iterated):
            loop = _range_for if _is_range(iterated) else _tensor_for
    loop(iterated, extra_test, body, get_state, set_state, symbols, options)


def _python_for(iterated, extra_test, body, get_state, set_state, symbols, options):
    if extra_test is None:
        for value in iterated:
            body(value)
    elif _known(extra_test, _LIMITS):
        for value in iterated:
            body(value)
            if not _known(extra_test, _LIMITS):
                break


def _is_range(value):
    return getattr(getattr(value, 'op', None), 'type', '') == 'Range'


def _with_extra(test, extra_test):
    """Returns a condition that also holds the additional one of a loop."""
    return test if extra_test is None else cond(test, extra_test, lambda: False)


def _stepped(first, step, test, get_state, set_state, rest):
    """Adds a loop with a counter of its own before the variables of the program.

    Args:
      first: the first value of the counter.
      step: a function of the counter that runs the block and returns the next value.
      test: a function of the counter that returns whether to go on.
      get_state: a function of the counter that returns the variables.
      set_state: a function that sets the variables.
      rest: the other arguments of _graph_while.
    """
    counter = first

    def get():
        return (counter, *get_state(counter))

    def put(values):
        nonlocal counter
        counter, *others = values
        set_state(tuple(others))

    def body():
        nonlocal counter
        counter = step(counter)

    symbols, options = rest
    _graph_while(lambda: test(counter), body, get, put, ('<internal iterate>', *symbols), options)


def _tensor_for(iterated, extra_test, body, get_state, set_state, symbols, options):
    iterated = ops.convert_to_tensor(iterated)
    count = len_(iterated)
    elements = TensorArray(iterated.dtype.base_dtype, size=count).unstack(iterated)

    def step(index):
        body(elements.read(index))
        return index + 1

    _stepped(0, step, lambda index: _with_extra(index < count, extra_test), lambda _: get_state(), set_state,
             (symbols, options))


def _range_for(iterated, extra_test, body, get_state, set_state, symbols, options):
    start, limit, delta = iterated.op.inputs

    def step(value):
        body(value)
        return value + delta

    def test(value):
        return _with_extra(_within(value, limit, delta), extra_test)

    def state(value):
        # After a loop without iterations, the target has the start as its value.
        return tuple(value if name == options['iterate_names'] and isinstance(known, Undefined) else known
                     for name, known in zip(symbols, get_state()))

    _add_length(start, limit, delta)
    _stepped(start, step, test, state, set_state, (symbols, options))


def _add_length(start, limit, delta):
    """Adds nodes for the length of a range. Nothing reads them; later nodes get the names that TensorFlow gives."""
    distance = limit - start
    partial = math_ops.cast(math_ops.not_equal(distance % delta, array_ops.zeros_like(distance)), distance.dtype)
    length = distance // delta + partial
    math_ops.cast(math_ops.maximum(length, array_ops.zeros_like(length)), dtypes.int32)


def _within(value, limit, delta):
    known = tensor_util.constant_value(delta)
    if known is not None:
        return value < limit if known >= 0 else value > limit
    up = gen.LogicalAnd(delta >= 0, value < limit)
    return gen.LogicalOr(up, gen.LogicalAnd(delta < 0, value > limit))


def iterator_for(iterator, extra_test, body, get_state, set_state, symbols, options):
    """Adds a loop over the elements of an iterator; see for_stmt."""
    more = True
    symbols = ('<internal has_next>', *symbols)

    def get():
        return (more, *get_state())

    def put(values):
        nonlocal more
        more, *others = values
        set_state(tuple(others))

    first = get()
    loop_variables.check_defined(first, symbols)

    def step():
        nonlocal more
        element = iterator.get_next_as_optional()
        more = element.has_value()
        before = get()

        def main():
            body(element.get_value())
            loop_variables.check(first, before, get(), symbols)
            return get()

        put(cond(more, main, lambda: before))

    _graph_while(lambda: _with_extra(more, extra_test), step, get, put, symbols, options)


def _graph_while(test, body, get_state, set_state, symbols, options):
    given = get_state()
    missing = [value is None or loop_variables.is_undefined(value) for value in given]
    invariants = loop_variables.invariants(given, options)
    first = given
    if any(missing):
        first, invariants = loop_variables.with_placeholders(body, get_state, set_state, given, missing, invariants,
                                                             symbols)
    marked = any(missing)

    def unmarked(values):
        return values[1:] if marked else values

    def loop_test(*values):
        set_state(unmarked(values))
        return scalar_condition(test(), 'while loop')

    def loop_body(*values):
        set_state(unmarked(values))
        body()
        after = get_state()
        loop_variables.check(first, unmarked(values), after, symbols, invariants)
        return (True, *after) if marked else after

    arguments = {key: value for key, value in options.items() if key not in ('iterate_names', 'shape_invariants')}
    if any(shape is not None for shape in invariants):
        full = loop_variables.full_invariants(first, invariants)
        arguments['shape_invariants'] = ((), *full) if marked else full
    made = while_loop(loop_test, loop_body, (False, *first) if marked else first, return_same_structure=True,
                      **arguments)
    if marked:
        made = loop_variables.after_one_iteration(made, symbols, missing, given)
    set_state(tuple(made))
