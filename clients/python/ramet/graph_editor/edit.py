"""Detaches, connects and bypasses parts of a graph, in place.

A call that raises an error has not changed the graph. Detached operations stay in the graph.
"""

from ramet.graph_editor import reroute, select, subgraph, util
from ramet.graph_editor.patch import Patch, placeholder_like


def _detach_controls(patch, sgv, control_outputs=None, control_inputs=False):
    members = set(sgv.ops)
    for op in sgv.ops:
        if control_inputs:
            for control in op.control_inputs:
                if control not in members:
                    patch.remove_control_input(op, control)
        for reader in control_outputs.get(op) if control_outputs is not None else ():
            if reader not in members:
                patch.remove_control_input(reader, op)


def detach_control_inputs(sgv):
    """Removes the control inputs from outside of a view's operations.

    Args:
      sgv: a view, or the arguments of make_view.
    """
    sgv = subgraph.make_view(sgv)
    if sgv:
        patch = Patch(sgv.graph)
        _detach_controls(patch, sgv, control_inputs=True)
        patch.apply(check_cycles=False)


def detach_control_outputs(sgv, control_outputs):
    """Removes the control edges from a view's operations to operations outside.

    Args:
      sgv: a view, or the arguments of make_view.
      control_outputs: a util.ControlOutputs.

    Raises:
      TypeError: if control_outputs is not a util.ControlOutputs.
    """
    if not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f'Expected a util.ControlOutputs, got: {type(control_outputs)}')
    control_outputs.update()
    sgv = subgraph.make_view(sgv)
    if sgv:
        patch = Patch(sgv.graph)
        _detach_controls(patch, sgv, control_outputs)
        patch.apply(check_cycles=False)


def detach_inputs(sgv, control_inputs=False):
    """Replaces a view's inputs by new placeholders.

    Args:
      sgv: a view, or the arguments of make_view. Afterwards, its inputs are the placeholders.
      control_inputs: whether to remove control inputs from outside too.

    Returns:
      (the view, the placeholders). The placeholders are named "geph__x_k", and have the dtype of the
      input and no static shape.
    """
    sgv = subgraph.make_view(sgv)
    placeholders = [placeholder_like(sgv.graph, t, with_shape=False) for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(sgv, control_outputs=None):
    """Replaces a view's outputs by new placeholders in the operations outside that use them.

    Args:
      sgv: a view, or the arguments of make_view.
      control_outputs: a util.ControlOutputs to remove control edges to the outside too, or None.

    Returns:
      (a view that has only the outputs that are used, the placeholders)

    Raises:
      TypeError: if control_outputs has the wrong type.
    """
    select.check_cios(control_outputs=control_outputs)
    sgv = subgraph.make_view(sgv)
    read = dict.fromkeys(t for t in sgv.outputs if t.consumers())
    sgv = sgv.remap_outputs(list(read))
    placeholders = [placeholder_like(sgv.graph, t) for t in sgv.outputs]
    reroute.swap_outputs(sgv, placeholders)
    if control_outputs is not None:
        detach_control_outputs(sgv, control_outputs)
    return sgv, placeholders


def detach(sgv, control_inputs=False, control_outputs=None, control_ios=None):
    """Detaches both the inputs and the outputs of a view; see detach_inputs and detach_outputs.

    Returns:
      (the view, the placeholders for its inputs, the placeholders for its outputs)
    """
    control_inputs, control_outputs = select.check_cios(
        control_inputs, control_outputs, control_ios
    )
    _, inputs = detach_inputs(sgv := subgraph.make_view(sgv), control_inputs)
    sgv, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0, sgv1, disconnect_first=False):
    """Connects the outputs of one view to the inputs of another.

    Args:
      sgv0: a view, or the arguments of make_view.
      sgv1: a view with as many inputs as sgv0 has outputs.
      disconnect_first: whether operations that currently use sgv0's outputs use placeholders
        afterwards.

    Returns:
      (sgv0, sgv1)

    Raises:
      ValueError: if numbers, dtypes, static shapes or graphs differ.
    """
    sgv0, sgv1 = subgraph.make_view(sgv0), subgraph.make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    reroute.check_ts_compatibility(sgv0.outputs, sgv1.inputs)
    outputs = list(sgv0.outputs)
    if disconnect_first:
        detach_outputs(sgv0)
    reroute.reroute_inputs(reroute.view_of_tensors(outputs), sgv1)
    return sgv0, sgv1


def bypass(sgv):
    """Bypasses a view: operations that used its outputs use its inputs instead.

    Args:
      sgv: a view, or the arguments of make_view, with as many inputs as outputs.

    Returns:
      (the view, the placeholders that are its new inputs)

    Raises:
      ValueError: if the numbers, dtypes or static shapes of inputs and outputs differ.
    """
    sgv = subgraph.make_view(sgv)
    inputs, outputs = list(sgv.inputs), list(sgv.outputs)
    reroute.check_ts_compatibility(inputs, outputs)
    sgv, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, outputs)
    return sgv, placeholders
