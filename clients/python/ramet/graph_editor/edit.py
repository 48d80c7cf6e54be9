"""Detaching, connecting and bypassing parts of a graph, in place.

What a call refuses it refuses before anything has changed. What is detached stays in the graph.
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
    """Removes the control inputs of a view's operations that come from outside."""
    sgv = subgraph.make_view(sgv)
    if sgv:
        patch = Patch(sgv.graph)
        _detach_controls(patch, sgv, control_inputs=True)
        patch.apply(check_cycles=False)


def detach_control_outputs(sgv, control_outputs):
    """Removes the control edges from a view's operations to those outside.

    Raises:
        TypeError: if control_outputs is no util.ControlOutputs.
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
    """Puts new placeholders in the place of a view's inputs.

    Args:
        sgv: a view, or what make_view takes; its inputs are the placeholders afterwards.
        control_inputs: whether control inputs from outside are removed, too.

    Returns:
        (the view, the placeholders): named "geph__x_k", with the dtype and no static shape.
    """
    sgv = subgraph.make_view(sgv)
    placeholders = [placeholder_like(sgv.graph, t, with_shape=False) for t in sgv.inputs]
    reroute.swap_inputs(sgv, placeholders)
    if control_inputs:
        detach_control_inputs(sgv)
    return sgv, placeholders


def detach_outputs(sgv, control_outputs=None):
    """Makes what reads a view's outputs from outside read new placeholders.

    Args:
        sgv: a view, or what make_view takes.
        control_outputs: a util.ControlOutputs if control edges to the outside are removed, too.

    Returns:
        (a view that has only the outputs that are read, the placeholders)

    Raises:
        TypeError: if control_outputs is of another type.
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
    """detach_inputs and detach_outputs.

    Returns:
        (the view, the placeholders of its inputs, those of its outputs)
    """
    control_inputs, control_outputs = select.check_cios(
        control_inputs, control_outputs, control_ios
    )
    _, inputs = detach_inputs(sgv := subgraph.make_view(sgv), control_inputs)
    sgv, outputs = detach_outputs(sgv, control_outputs)
    return sgv, inputs, outputs


def connect(sgv0, sgv1, disconnect_first=False):
    """Makes one view read the outputs of another.

    Args:
        sgv0: a view, or what make_view takes.
        sgv1: one that has as many inputs as sgv0 has outputs.
        disconnect_first: whether what reads sgv0's outputs now reads placeholders afterwards.

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
    """Leads a view's inputs past it: what read its outputs reads its inputs.

    Args:
        sgv: a view, or what make_view takes, with as many inputs as outputs.

    Returns:
        (the view, the placeholders that it reads now)

    Raises:
        ValueError: if the numbers, dtypes or static shapes of inputs and outputs differ.
    """
    sgv = subgraph.make_view(sgv)
    inputs, outputs = list(sgv.inputs), list(sgv.outputs)
    reroute.check_ts_compatibility(inputs, outputs)
    sgv, placeholders = detach_inputs(sgv)
    reroute.reroute_ts(inputs, outputs)
    return sgv, placeholders
