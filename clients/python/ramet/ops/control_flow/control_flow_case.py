"""tf.case: the first of several computations whose condition is True."""

import functools

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, ops
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.math import math_ops


@export('case')
def case(pred_fn_pairs, default=None, exclusive=False, strict=False, name='case'):
    """Returns the result of the first function whose condition is True.

    Args:
      pred_fn_pairs: a list of pairs of a bool scalar and a function without arguments, or a dict
        of these, which is used in the order of the tensors' names.
      default: a function for the case that no condition is True. Without it, that is an error in the run.
      exclusive: whether it is an error in the run if more than one condition is True.
      strict: whether lists and tuples of one element are kept instead of unpacked.
      name: the name of the scope.

    Returns:
      The result of the functions, which must have equal structures and dtypes; see tf.cond.

    Raises:
      TypeError: if pred_fn_pairs is not a list or dict, contains something other than pairs, a condition is not a bool
        tensor, or a function is not callable.
      ValueError: if the functions return different structures or dtypes.
    """
    conditions, functions = _checked_pairs(pred_fn_pairs, exclusive, name)
    with ops.name_scope(name, 'case', [conditions]):
        if default is None:
            *functions, last = functions
            default = functools.partial(_last_resort, conditions, last)
            conditions = conditions[:-1]
        chosen = default
        for condition, function in zip(reversed(conditions), reversed(functions), strict=True):
            chosen = functools.partial(cond, condition, function, chosen, strict)
        if not exclusive:
            return chosen()
        with ops.control_dependencies([_at_most(1, conditions, 'Input error: exclusive=True')]):
            return chosen()


def _checked_pairs(pairs, exclusive, name):
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError("'pred_fn_pairs' must be a list, tuple, or dict. "
                        f'Received: {type(pairs)}')
    if isinstance(pairs, dict):
        if not exclusive:
            logging.warn('%s: An unordered dictionary of predicate/fn pairs was provided, but '
                         'exclusive=False. The order of conditional tests is deterministic but '
                         'not guaranteed.', name)
        pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
    for pair in pairs:
        _check_pair(pair)
    if not pairs:
        raise ValueError("'pred_fn_pairs' must have at least one pair.")
    conditions, functions = zip(*pairs, strict=True)
    return list(conditions), list(functions)


def _check_pair(pair):
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise TypeError(f"Each entry in 'pred_fn_pairs' must be a 2-tuple. Received {pair}.")
    condition, function = pair
    if not isinstance(condition, ops.Tensor):
        raise TypeError(f'pred must be a Tensor, got: {condition}')
    if condition.dtype.base_dtype != dtypes.bool:
        raise TypeError(f'pred must be Tensor of type bool: {_name(condition)}')
    if not callable(function):
        raise TypeError(f'fn for pred {_name(condition)} must be callable.')


def _name(condition):
    return '?' if condition._is_eager else condition.name


def _last_resort(conditions, function):
    """Returns the last function's result; the run checks that only its condition is True."""
    others, own = conditions[:-1], conditions[-1]
    message = ('Input error: None of conditions evaluated as True:',
               array_ops.stack(conditions, name='preds_c'))
    wrong = (f'Implementation error: selected default action #{len(others)} was called, but some '
             'of other predicates are True: ')
    checks = [_at_most(0, others, wrong), assertions.Assert(own, data=message)]
    with ops.control_dependencies(checks):
        return function()


def _at_most(count, conditions, message):
    stacked = array_ops.stack(conditions, name='preds_c')
    true = math_ops.reduce_sum(math_ops.cast(stacked, dtypes.int32), name='num_true_conds')
    holds = gen.LessEqual(true, constant_op.constant(count, name='n_true_conds'))
    names = ', '.join(_name(c) for c in conditions)
    text = f'{message}: more than {count} conditions ({names}) evaluated as True:'
    return assertions.Assert(holds, data=[text, stacked], summarize=len(conditions))
