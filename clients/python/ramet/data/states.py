"""Functions of a state and an element: those of reduce, scan and group_by_reducer."""

from ramet.data import structure
from ramet.data.structured_function import StructuredFunction

_SCAN = ('Invalid `scan_func`. The element classes for the new state must match the initial state. Expected {old}, '
         'got {new}.',
         'Invalid `scan_func`. The element types for the new state must match the initial state. Expected {old}, '
         'got {new}.')
_REDUCE = ('The element classes for the new state must match the initial state. Expected {old} but got {new}.',
           'The element types for the new state must match the initial state. Expected {old} but got {new}.')
_REDUCER = ('Invalid `reducer`. The output class of the `reducer.reduce_func` {new}, does not match the class of the '
            'reduce state {old}.',
            'Invalid `reducer`. The element types for the new state {new} do not match the element types of the old '
            'state {old}.')


def _relaxed(old, new, messages):
    """Returns the spec of a state that covers an old and a new one.

    Raises:
      TypeError: if their structures, classes or dtypes differ; `messages` are for classes and dtypes.
    """
    try:
        return structure.most_specific_common(old, new)
    except (TypeError, ValueError):
        pass
    of_classes = structure.classes(old), structure.classes(new)
    flat = [structure.flatten(classes) for classes in of_classes]
    if len(flat[0]) == len(flat[1]) and flat[0] != flat[1]:
        raise TypeError(messages[0].format(old=of_classes[0], new=of_classes[1]))
    raise TypeError(messages[1].format(old=structure.types(old), new=structure.types(new)))


def _fixed_point(func, transformation, specs, messages, new_state_of):
    """Returns (function, spec of the state), where the spec covers all states.

    Args:
      func: a function of a state and an element.
      transformation: as for StructuredFunction.
      specs: the specs of the first state and of the elements.
      messages: as for _relaxed.
      new_state_of: a function from the spec of a result to that of the new state in it.
    """
    state_spec, element_spec = specs
    while True:
        f = StructuredFunction(func, transformation, (state_spec, element_spec))
        relaxed = _relaxed(state_spec, new_state_of(f.output_spec), messages)
        if relaxed == state_spec:
            return f, state_spec
        state_spec = relaxed


def stateful_function(func, transformation, state_spec, element_spec):
    """Returns (function, spec) of a function (state, element) -> state; the spec covers all states.

    Raises:
      TypeError: if the function changes the structure, the classes or the dtypes of the state.
    """
    messages = _REDUCE if transformation == 'reduce()' else _REDUCER
    return _fixed_point(func, transformation, (state_spec, element_spec), messages, lambda spec: spec)


def _state_of_pair(spec):
    if type(spec) is not tuple or len(spec) != 2:
        raise TypeError('Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output '
                        f'value but its return type is {spec}.')
    return spec[0]


def scanning_function(func, state_spec, element_spec):
    """Returns (function, state spec, output spec) of a function (state, element) -> (state, output).

    Raises:
      TypeError: if the function does not return a pair, or changes the structure, the classes or the dtypes of the
        state.
    """
    f, state_spec = _fixed_point(func, 'Dataset.scan()', (state_spec, element_spec), _SCAN, _state_of_pair)
    return f, state_spec, f.output_spec[1]
