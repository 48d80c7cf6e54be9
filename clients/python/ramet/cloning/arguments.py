"""Checks the arguments of ramet.clone and converts them to the form that the core takes."""

import os

from ramet import _core
from ramet.framework import device as device_lib
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.variables import variables as variables_lib
from ramet.ops.variables.partitioned_variable import PartitionedVariable

_STATES = {'own': False, 'shared': True}


def checked(source, into, given):
    """Returns the source, the target and the options for _core.clone.

    Raises:
      TypeError, ValueError: if an argument has an unsupported type or value.
    """
    for name, graph in (('source', source), ('into', into)):
        if graph is not None and not isinstance(graph, ops.Graph):
            raise TypeError(f'clone: {name}: a Graph is expected, not {type(graph).__name__}')
    elements = {name: flat(given[name], name) for name in ('inputs', 'outputs', 'ops')}
    replaced = _pairs(given['input_map'])
    source = source or _graph_of([*elements['inputs'], *elements['outputs'], *elements['ops'],
                                  *(key for key, _ in replaced)])
    target = into or source
    elements['inputs'] = [tensor for e in elements['inputs'] for tensor in _reads(e)]
    options = {name: [_for_core(e, source, name) for e in items]
               for name, items in elements.items()}
    options['input_map'] = [(_for_core(tensor, source, 'input_map'), by)
                            for key, value in replaced for tensor, by in _replacements(key, value)]
    options.update(
        into=target, scope=_text(given['scope'] or '', 'scope'),
        dst_scope=_text(given['dst_scope'] or '', 'dst_scope'), device=_device(given['device']),
        variables=_variable_rule(source, given['variables']),
        resources=_rule(given['resources'], source.get_operation_by_name, 'resources'),
        slots=bool(given['slots']), collections=_collections(source, given['collections']),
        initial=_initial(given['initial']), session=_session(given['session'], source),
        dtype=_dtype(given['dtype']), strip_training=bool(given['strip_training']))
    return source, target, options


def flat(value, argument):
    """Returns the Tensors, Operations, Variables and names that an argument holds, as a list."""
    if value is None:
        return []
    if isinstance(value, (str, bytes)):
        return [value.decode() if isinstance(value, bytes) else value]
    if isinstance(value, (ops.Tensor, ops.Operation)) or is_variable(value):
        return [value]
    if hasattr(value, 'indices') and hasattr(value, 'dense_shape'):
        parts = (value.indices, value.values, value.dense_shape)
        return [t for t in parts if t is not None]
    if isinstance(value, dict):
        value = value.values()
    elif argument == 'ops' and hasattr(value, 'ops') and hasattr(value, 'passthroughs'):
        value = value.ops
    element = ops.graph_element(value)
    if element is not None:
        return [element]
    if isinstance(value, PartitionedVariable) or hasattr(value, '__iter__'):
        return [element for part in value for element in flat(part, argument)]
    raise TypeError(f'clone: {argument}: a Tensor, Operation, Variable or name is expected, not {value!r}')


def is_variable(value):
    """Returns whether a value is a Variable itself, not its value after some operation."""
    return isinstance(value, variables_lib.Variable) and not hasattr(value, '_parent_op')


def _graph_of(elements):
    for element in elements:
        if not isinstance(element, str):
            return element.graph
    return ops.get_default_graph()


def _for_core(element, source, argument):
    if isinstance(element, str):
        return element
    if element.graph is not source:
        raise ValueError(f'clone: {argument}: {element.name!r} does not belong to the source graph')
    return element._id if is_variable(element) else element


def _pairs(input_map):
    if input_map is None:
        return []
    if not hasattr(input_map, 'items'):
        raise TypeError('clone: input_map: a dict from elements of the source to tensors is expected, not '
                        f'{type(input_map).__name__}')
    pairs = []
    for key, value in input_map.items():
        keys = flat(key, 'input_map')
        if len(keys) != 1:
            raise TypeError(f'clone: input_map: {key!r} stands for {len(keys)} tensors; give each of them')
        pairs.append((keys[0], value))
    return pairs


def _reads(element):
    """Returns the tensors that hold an element's value: for a resource variable, all its reads."""
    if not is_variable(element) or not element._is_resource:
        return [element]
    return [op.outputs[0] for op in element.handle.consumers() if op.type == 'ReadVariableOp']


def _replacements(key, value):
    both = is_variable(key) and is_variable(value) and key._is_resource and value._is_resource
    if both:
        return [(key.handle, value.handle)]
    return [(tensor, _replacement(key, value)) for tensor in _reads(key)]


def _replacement(key, value):
    if value is None or isinstance(value, tensor_shape.TensorShape):
        return value
    element = value._snapshot if is_variable(value) else ops.graph_element(value)
    if not isinstance(element, ops.Tensor):
        name = key if isinstance(key, str) else key.name
        raise TypeError(f'clone: input_map: expected a Tensor to replace {name!r}, not {value!r}; '
                        'use tf.constant to create one from a value')
    return element


def _text(value, argument):
    if not isinstance(value, str):
        raise TypeError(f'clone: {argument}: a str is expected, not {value!r}')
    return value


def _device(device):
    if device is None:
        return None
    if isinstance(device, dict):
        named = {key: _device_name(value) for key, value in device.items()}
        return {**{_device_name(key): name for key, name in named.items()},
                **{key: name for key, name in named.items() if isinstance(key, str)}}
    if callable(device) and not device_lib.is_device_spec(device):
        def asked(op):
            found = device(op)
            return op.device if found is None else _device_name(found)
        return asked
    return _device_name(device)


def _device_name(device):
    if not isinstance(device, str) and not hasattr(device, 'to_string'):
        raise TypeError(f'clone: device: a str or DeviceSpec is expected, not {device!r}')
    try:
        return device_lib.canonical_name(device)
    except ValueError as error:
        raise ValueError(f'clone: device: {error}') from None


def _dtype(dtype):
    """Returns a list of pairs (from, to), or a function from an operation to such a list."""
    if callable(dtype) and not isinstance(dtype, type):
        return lambda op: _dtype_pairs(dtype(op))
    return _dtype_pairs(dtype)


def _dtype_pairs(dtype):
    if dtype is None:
        return []
    pairs = dtype.items() if isinstance(dtype, dict) else [(dtypes.float32, dtype)]
    try:
        return [(dtypes.as_dtype(old), dtypes.as_dtype(new)) for old, new in pairs]
    except TypeError as error:
        raise TypeError(f'clone: dtype: {error}') from None


def _rule(state, element_of, argument):
    """Returns False for 'own', True for 'shared', or a function from operation names to these."""
    if isinstance(state, str):
        return _is_shared(state, argument)
    if isinstance(state, dict):
        return _by_name(state, argument)
    if callable(state):
        return lambda name: _is_shared(state(element_of(name)), argument, name)
    raise TypeError(f"clone: {argument}: 'own', 'shared', a function or a dict is expected, not {state!r}")


def _by_name(states, argument):
    shared = {}
    for key, state in states.items():
        for element in flat(key, argument):
            if isinstance(element, str):
                name = element.partition(':')[0]
            else:
                name = getattr(element, 'op', element).name
            shared[name] = _is_shared(state, argument, name)
    return lambda name: shared.get(name, False)


def _is_shared(state, argument, name=None):
    if not isinstance(state, str) or state not in _STATES:
        of = f' for {name!r}' if name else ''
        raise ValueError(f"clone: {argument}: 'own' or 'shared' is expected{of}, not {state!r}")
    return _STATES[state]


def _variable_rule(source, state):
    def variable_of(name):
        op = source.get_operation_by_name(name)
        found = _core.find_variable(source, op.outputs[0])
        return op if found is None else variables_lib.object_of(source, found)

    if isinstance(state, dict):
        for key in state:
            for element in flat(key, 'variables'):
                name = element.partition(':')[0] if isinstance(element, str) else element.op.name
                try:
                    source.get_operation_by_name(name)
                except KeyError as error:
                    raise KeyError(f'clone: variables: {error.args[0]}') from None
    return _rule(state, variable_of, 'variables')


def _collections(source, wanted):
    if wanted is True or wanted is None:
        return None
    if wanted is False:
        return []
    if isinstance(wanted, str):
        wanted = [wanted]
    if not hasattr(wanted, '__iter__'):
        raise TypeError(f'clone: collections: True, False or a list of names is expected, not {wanted!r}')
    return [source._key(name) for name in wanted]


def _initial(initial):
    if initial == 'initializer':
        return None
    if initial == 'current':
        return True
    if isinstance(initial, (str, os.PathLike)) and os.fspath(initial):
        return os.fspath(initial)
    raise ValueError("clone: initial: 'initializer', 'current' or the prefix of a checkpoint is expected, "
                     f'not {initial!r}')


def _session(session, source):
    if session is None:
        return None
    core = getattr(session, '_core', None)
    if core is None:
        raise TypeError(f'clone: session: a Session is expected, not {session!r}')
    if session.graph is not source:
        raise ValueError('clone: session: it runs a different graph than the source')
    return core
