"""Checks of the variables of loops, and values for those that only the body assigns."""

import functools

from ramet.autograph.branches import PLAIN, as_tensors, assert_same_structure, is_tensor, tensor_if_plain
from ramet.autograph.variables import Undefined, UndefinedReturnValue, is_undefined
from ramet.framework import dtypes, nest, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.functions import func_graph

_LEGAL = 'Tensor, int, float, bool or a list, tuple or dict thereof'


def check_defined(values, symbols, after=None, extra=None):
    """Raises an error if a variable has no value before a loop.

    Args:
      values: the values before the loop.
      symbols: the names.
      after: the values after an iteration, or None.
      extra: a second line for messages, or None.

    Raises:
      NotImplementedError: if the loop returns.
      ValueError: if a variable is None or undefined.
    """
    for name, value, later in zip(symbols, values, after or [None] * len(symbols)):
        if isinstance(value, UndefinedReturnValue):
            if later is not None and not isinstance(later, UndefinedReturnValue):
                raise ValueError(f'the return value from a TensorFlow loop may only be a {_LEGAL}; got {type(later)}')
            raise NotImplementedError(
                'a return statement cannot be placed inside this TensorFlow loop; this may happen if a return '
                'statement depends on a static Python condition such as a hyperparameter')
        if value is None:
            raise ValueError(f"'{name}' is not allowed to be None before the loop")
        if isinstance(value, Undefined):
            raise ValueError(f"'{name}' must be defined before the loop" + (f'\n{extra}' if extra else ''))


def _is_subshape(shape, general):
    """Returns whether a shape has every size that a general one knows."""
    general = tensor_shape.as_shape(general)
    if general.ndims is None:
        return True
    if shape.ndims != general.ndims:
        return False
    return all(wanted is None or size == wanted for size, wanted in zip(shape.as_list(), general.as_list()))


def _check_one(name, check_shape, first, before, after, invariant=None):
    if after is None:
        raise ValueError(f"'{name}' is None at the end of the iteration.")
    first, before, after = tensor_if_plain(first), tensor_if_plain(before), tensor_if_plain(after)
    if not all(is_tensor(value) and hasattr(value, 'dtype') and hasattr(value, 'shape') for value in (before, after)):
        return
    old, new = dtypes.as_dtype(before.dtype).base_dtype, dtypes.as_dtype(after.dtype).base_dtype
    if old != new:
        raise TypeError(f"'{name}' has dtype {old.name} before the loop, but dtype {new.name} after one iteration")
    if not check_shape:
        return
    if invariant is None:
        if not _is_subshape(after.shape, before.shape):
            raise ValueError(f"'{name}' has shape {before.shape} before the loop, but shape {after.shape} after one "
                             'iteration. Use tf.autograph.experimental.set_loop_options to set shape invariants.')
        return
    for when, value in (('before the loop', first), ('after one iteration', after)):
        if not _is_subshape(value.shape, invariant):
            raise ValueError(f"'{name}' has shape {value.shape} {when}, which does not conform with the shape "
                             f'invariant {invariant}.')


def check(first, before, after, symbols, invariants=None, check_shapes=True):
    """Raises an error unless the variables keep their structure, dtypes and shapes.

    Args:
      first: the values before the loop.
      before: the values at the start of an iteration.
      after: the values at its end.
      symbols: the names.
      invariants: the shape invariant of each variable, or None.
      check_shapes: whether shapes must stay.
    """
    invariants = invariants or [None] * len(symbols)
    for name, initial, entry, exit_, shape in zip(symbols, first, before, after, invariants):
        message = f"'{name}' does not have the same nested structure after one iteration."
        assert_same_structure(initial, entry, message)
        assert_same_structure(entry, exit_, message)
        one = functools.partial(_check_one, name, check_shapes)
        if shape is None:
            nest.map_structure(one, as_tensors(initial), as_tensors(entry), as_tensors(exit_))
        else:
            flat = [nest.flatten(value) for value in (initial, entry, exit_)]
            shapes = [shape] if len(flat[0]) == 1 else nest.flatten(shape)
            for parts in zip(*flat, shapes, strict=True):
                one(*parts)


def invariants(values, options):
    """Returns the shape invariant of each variable from the pairs (value, shape) of set_loop_options, or Nones."""
    known = {id(value): shape for value, shape in options.get('shape_invariants', ())}
    return [known.get(id(value)) for value in values]


def full_invariants(values, shapes):
    """Returns the shape invariants of all variables for tf.while_loop."""
    made = []
    for value, shape in zip(values, shapes):
        if shape is None:
            shape = nest.map_structure(_shape_of, value)
        elif not nest.is_nested(value):
            shape = tensor_shape.as_shape(shape)
        made.append(shape)
    return tuple(made)


def _shape_of(value):
    return value.shape if hasattr(value, 'shape') else tensor_shape.TensorShape([])


def _placeholder(like, invariant, original):
    """Returns a value with the dtype and shape of another, and the shape invariant it needs."""
    if like is None or is_undefined(like):
        return original, None
    if isinstance(like, (int, float, bool)):
        return type(like)(0), None
    if is_tensor(like):
        return _zeros(like, invariant)
    if isinstance(like, (list, tuple, dict)):
        shapes = [None] * len(nest.flatten(like)) if invariant is None else nest.flatten(invariant)
        pairs = [_placeholder(value, shape, original) for value, shape in zip(nest.flatten(like), shapes)]
        values, needed = zip(*pairs)
        packed = None if all(n is None for n in needed) else nest.pack_sequence_as(like, needed)
        return nest.pack_sequence_as(like, values), packed
    raise TypeError(f"Found an unsupported type '{type(like).__name__}' while creating placeholder for {like}. "
                    'Supported types include Tensor, int, float, bool, list, tuple or dict.')


def _zeros(like, invariant):
    dtype = like.dtype.base_dtype
    wanted = like.shape if invariant is None else tensor_shape.as_shape(invariant)
    if wanted.ndims is None:
        return array_ops.zeros((), dtype), wanted
    sizes, dynamic = [], False
    known = like.shape.as_list() if like.shape.ndims is not None else [None] * wanted.ndims
    for size, general in zip(known, wanted.as_list()):
        dynamic |= size is None
        sizes.append(size if size is not None else general or 0)
    return array_ops.zeros(sizes, dtype), wanted if dynamic else None


def with_placeholders(body, get_state, set_state, given, missing, shapes, symbols):
    """Returns (values, shape invariants) in which variables that only the body assigns are zeros.

    Args:
      body: the body of the loop.
      get_state: a function that returns the variables.
      set_state: a function that sets them.
      given: the values before the loop.
      missing: for each variable, whether it has no value.
      shapes: the shape invariants.
      symbols: the names.

    Raises:
      NotImplementedError: if the loop returns.
      ValueError: if a variable still has no value.
    """
    made, needed, after, failure = given, shapes, None, None
    try:
        with func_graph.FuncGraph().writing():
            set_state(tuple(nest.map_structure(_stand_in, value) for value in given))
            body()
            after = get_state()
        pairs = [_placeholder(like, shape, value) if gone else (value, shape)
                 for value, gone, like, shape in zip(given, missing, after, shapes)]
        made, needed = tuple(value for value, _ in pairs), [shape for _, shape in pairs]
    except (UnboundLocalError, TypeError, ValueError, KeyError) as error:
        failure = ('Note: AutoGraph tried to define it automatically, but ran into a '
                   f'{type(error).__name__}: {error}')
    finally:
        set_state(tuple(made))
    check_defined(made, symbols, after, failure)
    return made, needed


def _stand_in(value):
    """Returns a tensor without a known value for a Python value, so that the body does not depend on it."""
    if not isinstance(value, PLAIN):
        return value
    tensor = ops.convert_to_tensor(value)
    return array_ops.placeholder(tensor.dtype, tensor.shape)


def after_one_iteration(made, symbols, missing, given):
    """Returns the values of variables behind an assertion that the loop ran at least once.

    Args:
      made: whether the loop ran, then the values.
      symbols: the names.
      missing: for each variable, whether it had no value before.
      given: the values before the loop.
    """
    names = ['the function return value' if isinstance(value, UndefinedReturnValue) else name
             for name, gone, value in zip(symbols, missing, given) if gone]
    message = f'loop must iterate at least once to initialize {", ".join(names)}'
    with ops.control_dependencies([assertions.Assert(made[0], [message])]):
        return nest.map_structure(lambda value: array_ops.identity(value) if is_tensor(value) else value,
                                  tuple(made[1:]))
