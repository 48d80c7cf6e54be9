"""What a Transformer does with one operation, tensor or collection, unless it is told otherwise.

Each handler takes the TransformState of the running transformation first.
"""

from ramet import _core
from ramet.framework import attr_value
from ramet.graph_editor import util
from ramet.graph_editor.patch import placeholder_like, put_away_scopes


def keep_t_if_possible_handler(info, t, scope=None):
    """The tensor itself if the copies are in its graph, else a placeholder for it.

    Args:
        info: the TransformState.
        t: a tensor that is read and not copied.
        scope: where the placeholder is; default: the copies' scope.
    """
    if info.graph is info.graph_:
        return t
    return replace_t_with_placeholder_handler(info, t, scope)


def replace_t_with_placeholder_handler(info, t, scope=None):
    """A placeholder with the dtype and static shape of `t`, in the scope of the copies."""
    return placeholder_like(info.graph_, t, info.scope_ if scope is None else scope)


def assign_renamed_collections_handler(info, elem, elem_):
    """Adds a copy to the collections that the original is in.

    A collection that tf.GraphKeys does not list gets the scope of the copies in front of its name.

    Args:
        info: the TransformState.
        elem: an operation or tensor.
        elem_: its copy.
    """
    for name in info.collections_of(elem):
        info.graph_.add_to_collection(info.collection_name(name), elem_)


def transform_op_if_inside_handler(info, op, keep_if_possible=True):
    """The copy of an operation, if it has one.

    Args:
        info: the TransformState.
        op: an operation that another one refers to.
        keep_if_possible: whether the operation itself is given if it has no copy and the copies are
            in its graph.

    Returns:
        An operation of the new graph, or None.
    """
    if op in info.members:
        return info.transformed_ops.get(op)
    return op if keep_if_possible and info.graph is info.graph_ else None


def _from_node_def(info, op, new_inputs, name, nodedef_fn):
    """Adds the node that nodedef_fn makes of the copy's NodeDef."""
    node_def = op.node_def
    node_def.name = name
    node_def = nodedef_fn(node_def)
    attrs = {key: attr_value.to_python(value) for key, value in node_def.attr.items()}
    with put_away_scopes(info.graph_):
        made = _core.create_op(info.graph_, node_def.op, list(new_inputs), attrs, node_def.name)
    if made.device != node_def.device:
        made._set_device(node_def.device)
    return made


def copy_op_handler(info, op, new_inputs, copy_shape=False, nodedef_fn=None):
    """Copies an operation under its new name.

    Args:
        info: the TransformState.
        op: the operation.
        new_inputs: the tensors that the copy reads.
        copy_shape: whether the outputs get the static shapes of the original's; default: those that
            follow from the inputs.
        nodedef_fn: if given, is called with the NodeDef of the copy and returns the one to be used.

    Returns:
        (the copy, its outputs)

    Raises:
        ValueError: if the operation is not in the source scope, or the inputs do not fit.
    """
    name = info.new_name(op.name)
    if nodedef_fn is None:
        copy = _core.copy_operation(op, info.graph_, name, list(new_inputs))
    else:
        name = _core.unique_full_name(info.graph_, name) + '/'
        copy = _from_node_def(info, op, new_inputs, name, nodedef_fn)
    if copy_shape:
        for t, t_ in zip(op.outputs, copy.outputs):
            t_.set_shape(t.get_shape())
    if op._original_op is not None:
        copy._original_op = info.transform_original_op_handler(info, op._original_op)
    return copy, copy.outputs


PREDEFINED_COLLECTIONS = frozenset(util.get_predefined_collection_names())
