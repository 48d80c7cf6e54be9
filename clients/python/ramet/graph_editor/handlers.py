"""The default handlers of a Transformer for operations, tensors and collections.

The first argument of each handler is the TransformState of the running transformation.
"""

from ramet import _core
from ramet.framework import attr_value
from ramet.graph_editor import util
from ramet.graph_editor.patch import placeholder_like, put_away_scopes


def keep_t_if_possible_handler(info, t, scope=None):
    """Returns the tensor itself if the copies are in its graph, else a placeholder for it.

    Args:
      info: the TransformState.
      t: a tensor that is used but not copied.
      scope: the scope of the placeholder. Defaults to the copies' scope.
    """
    if info.graph is info.graph_:
        return t
    return replace_t_with_placeholder_handler(info, t, scope)


def replace_t_with_placeholder_handler(info, t, scope=None):
    """Returns a placeholder with the dtype and static shape of `t`, in the copies' scope."""
    return placeholder_like(info.graph_, t, info.scope_ if scope is None else scope)


def assign_renamed_collections_handler(info, elem, elem_):
    """Adds a copy to the collections of its original.

    The name of a collection that tf.GraphKeys does not list is prefixed with the copies' scope.

    Args:
      info: the TransformState.
      elem: an operation or tensor.
      elem_: its copy.
    """
    for name in info.collections_of(elem):
        info.graph_.add_to_collection(info.collection_name(name), elem_)


def transform_op_if_inside_handler(info, op, keep_if_possible=True):
    """Returns the copy of an operation if it has one.

    Args:
      info: the TransformState.
      op: an operation that another operation refers to.
      keep_if_possible: whether to return the operation itself if it has no copy and is in the graph
        of the copies.

    Returns:
      An operation of the new graph, or None.
    """
    if op in info.members:
        return info.transformed_ops.get(op)
    return op if keep_if_possible and info.graph is info.graph_ else None


def _from_node_def(info, op, new_inputs, name, nodedef_fn):
    """Adds the node for the NodeDef that nodedef_fn returns for the copy's NodeDef."""
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
      new_inputs: the inputs of the copy.
      copy_shape: whether the outputs get the static shapes of the original. By default, shapes are
        inferred from the inputs.
      nodedef_fn: if given, a function that is called with the copy's NodeDef and returns the one to
        use.

    Returns:
      (the copy, its outputs)

    Raises:
      ValueError: if the operation is not in the source scope, or the inputs do not match.
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
