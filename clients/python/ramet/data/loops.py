"""Loops over datasets, and Python's built-in functions on them, in functions that AutoGraph converts."""

from ramet import gen
from ramet.autograph import loop_variables
from ramet.data.arguments import AUTOTUNE
from ramet.framework import constant_op, dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops

_INFINITE, _UNKNOWN = -1, -2


def for_stmt(dataset, extra_test, body, get_state, set_state, symbols, options):
    """Runs a block for each element of a dataset: a reduction whose state is the variables; see loops.for_stmt.

    The block runs in a scan, whose results the loop's condition ends and a reduction keeps the last of.
    """
    first = get_state()
    loop_variables.check_defined(first, symbols)
    if not first:
        # A reduction needs a state.
        first, symbols = (constant_op.constant(0),), ('<internal dummy>',)
        get_state, set_state = (lambda: (constant_op.constant(0),)), (lambda values: None)

    def step(before, element):
        set_state(before)

        def main():
            body(element)
            loop_variables.check(first, before, get_state(), symbols, check_shapes=False)
            return get_state()

        if extra_test is None:
            more, after = (constant_op.constant(True),), main()
        else:
            more = extra_test()
            after = cond(more, main, lambda: before, strict=True)
        return after, (after, more)

    scanned = dataset.scan(first, step)
    if extra_test is not None:
        scanned = scanned.take_while(lambda after, more: more)
    set_state(scanned.reduce(first, lambda state, result: result[0]))


def _single_bool(dataset, name):
    specs = nest.flatten(dataset.element_spec)
    if len(specs) != 1 or specs[0].dtype != dtypes.bool:
        raise ValueError(f'in graph mode, the "{name}" builtin only supports datasets that return bool scalars; got: '
                         f'{dataset.element_spec}')


def any_of(dataset):
    """Returns whether an element is true."""
    _single_bool(dataset, 'any')
    return dataset.filter(lambda x: x).take(1).reduce(constant_op.constant(False), lambda _, y: y)


def all_of(dataset):
    """Returns whether all elements are true."""
    _single_bool(dataset, 'all')
    return dataset.filter(math_ops.logical_not).take(1).reduce(constant_op.constant(True), lambda _, y: y)


def abs_of(dataset):
    """Returns a dataset of the absolute values."""
    if len(nest.flatten(dataset.element_spec)) == 1:
        return dataset.map(math_ops.abs, num_parallel_calls=AUTOTUNE)
    return dataset.map(lambda *parts: nest.map_structure(math_ops.abs, parts), num_parallel_calls=AUTOTUNE)


def len_of(dataset):
    """Returns the number of elements, an int64 Tensor. The run fails if it is infinite or unknown."""
    count = dataset.cardinality()
    message = gen.StringJoin(['len requires dataset with definitive cardinality, got ', gen.AsString(count)])
    known = math_ops.logical_and(math_ops.not_equal(count, _INFINITE), math_ops.not_equal(count, _UNKNOWN))
    with ops.control_dependencies([assertions.Assert(known, [message])]):
        return array_ops.identity(count)


def enumerate_of(dataset, start=0):
    """Returns dataset.enumerate(start)."""
    return dataset.enumerate(start)


def zip_of(*datasets, strict=False):
    """Returns a dataset of tuples of elements.

    Raises:
      ValueError: if strict is set.
    """
    if strict:
        raise ValueError('strict zip not supported by Dataset')
    return datasets[0].zip(datasets)


def map_of(function, *datasets):
    """Returns a dataset of the results of a function for the elements of several datasets."""
    return datasets[0].zip(datasets).map(function)


def filter_of(function, dataset):
    """Returns dataset.filter(function)."""
    return dataset.filter(function)
