"""Completes copies of tf.contrib.graph_editor: registers their variables and separates state."""

from ramet import _core
from ramet.graph_editor import handlers
from ramet.ops.variables import variables

_LOCATION = b'loc:@'


def _variables(graph):
    """Returns the variables in collections of a graph: {variable: [names of collections]}."""
    found = {}
    for name in graph.get_all_collection_keys():
        for item in graph.get_collection(name):
            if hasattr(item, 'to_proto') and hasattr(item, 'initializer') and hasattr(item, 'op'):
                found.setdefault(item, []).append(name)
    return found


def check(sgv):
    """Checks that a view contains everything that copies of its variables need.

    Raises:
      ValueError: if the view has a variable's operation but not its initializer or value.
    """
    if not sgv:
        return
    members = set(sgv.ops)
    for variable in _variables(sgv.graph):
        if variable.op not in members:
            continue
        for part in (variable.initializer, variable._snapshot.op):
            if part not in members:
                raise ValueError(
                    f'The view has variable {variable.name!r} without {part.name!r}, which belongs '
                    'to it: add it to the view, or use ramet.clone, which finds such operations.'
                )


def _own_names(info):
    """Gives copies of stateful operations, loops and colocation groups names of their own."""
    graph = info._graph_
    names = {op.name: op_.name for op, op_ in info._transformed_ops.items()}
    shared, frames = {}, {}
    for op, op_ in info._transformed_ops.items():
        attrs = op_._attr_names()
        if 'shared_name' in attrs and (name := op_.get_attr('shared_name')):
            container = op_.get_attr('container') if 'container' in attrs else b''
            op_._set_attr('shared_name', shared.setdefault((container, name), op_.name))
        if 'frame_name' in attrs and (frame := op_.get_attr('frame_name')):
            if frame not in frames:
                frames[frame] = _core.unique_full_name(graph, info._scope_ + frame.decode())
            op_._set_attr('frame_name', frames[frame])
        if '_class' in attrs:
            op_._set_attr('_class', [_group(group, names) for group in op_.get_attr('_class')])


def _group(group, names):
    if not group.startswith(_LOCATION):
        return group
    name = group[len(_LOCATION):].decode()
    return _LOCATION + names.get(name, name).encode()


def _copied_definition(variable, info):
    """Returns the VariableDef of a variable's copy."""
    definition = variable.to_proto()
    definition.variable_name = info.transformed(variable.op).outputs[0].name
    definition.initializer_name = info.transformed(variable.initializer).name
    definition.snapshot_name = info.transformed(variable._snapshot).name
    initial = variable._initial_value
    if initial is not None and (copied := info.transformed(initial)) is not None:
        definition.initial_value_name = copied.name
    elif info._graph is not info._graph_:
        definition.initial_value_name = ''
    if definition.HasField('save_slice_info_def'):
        full_name = definition.save_slice_info_def.full_name
        if full_name.startswith(info._scope):
            full_name = info._scope_ + full_name[len(info._scope):]
        definition.save_slice_info_def.full_name = full_name
    return definition


def complete(info):
    """Completes a plain copy: gives it variables and state of its own.

    The copies of variables become Variables in the collections of the originals. Each copy that has a
    shared_name (resource variables, queues, tables) gets a new one, loops get new frames, and colocation
    groups refer to the copies. Control-flow contexts are not created; ramet.clone creates them too.

    Args:
      info: the TransformerInfo of a copy of operations that include the variables' initializers.

    Returns:
      A dict from the original Variables to their copies.

    Raises:
      ValueError: if the initializer or value of a copied variable was not copied. Nothing has
        changed in this case.
    """
    wanted = {
        v: names for v, names in _variables(info._graph).items()
        if info._transformed_ops.get(v.op) is not None
    }
    for v in wanted:
        for part in (v.initializer, v._snapshot):
            if info.transformed(part) is None:
                raise ValueError(f'Variable {v.name!r} was copied without {part.name!r}.')
    _own_names(info)
    copies = {}
    with info._graph_.as_default():
        for v, names in wanted.items():
            copy = variables.Variable(variable_def=_copied_definition(v, info))
            for name in names:
                known = name in handlers.PREDEFINED_COLLECTIONS
                info._graph_.add_to_collection(name if known else info._scope_ + name, copy)
            copies[v] = copy
    return copies
