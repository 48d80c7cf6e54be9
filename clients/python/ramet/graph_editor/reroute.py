"""Changes the inputs of operations, in place. Each call changes everything or nothing."""

from ramet.framework.tensors import Operation
from ramet.graph_editor import util
from ramet.graph_editor.patch import Patch
from ramet.graph_editor.subgraph import SubGraphView, make_view


def check_ts_compatibility(ts0, ts1):
    """Checks that the tensors at each position could replace each other.

    Raises:
      ValueError: if the numbers, dtypes (ignoring references) or static shapes differ.
    """
    if len(ts0) != len(ts1):
        raise ValueError(f'ts0 and ts1 have different sizes: {len(ts0)} != {len(ts1)}')
    for t0, t1 in zip(ts0, ts1):
        if t0.dtype.base_dtype != t1.dtype.base_dtype:
            raise ValueError(f'Dtypes {t0.dtype} and {t1.dtype} are not compatible.')
        if not t0.get_shape().is_compatible_with(t1.get_shape()):
            raise ValueError(f'Shapes {t0.get_shape()} and {t1.get_shape()} are not compatible.')


def _op_set(ops):
    return None if ops is None else set(util.make_list_of_op(ops))


def _allowed(readers, can_modify, cannot_modify):
    return [
        op for op in readers
        if (can_modify is None or op in can_modify)
        and (cannot_modify is None or op not in cannot_modify)
    ]


def _places(patch, readers, t):
    """Returns the places where `t` is used, as (operation, index)."""
    return [(op, i) for op in readers for i, own in enumerate(patch.inputs_of(op)) if own is t]


def plan(patch, ts0, ts1, swap, can_modify=None, cannot_modify=None):
    """Adds a rerouting to a patch: users of ts1[i] use ts0[i], and the reverse if `swap`.

    The users are determined before the first change.

    Returns:
      The number of inputs that change.
    """
    can_modify, cannot_modify = _op_set(can_modify), _op_set(cannot_modify)
    readers = {
        t: _allowed(patch.readers(t), can_modify, cannot_modify) for t in {*ts1, *(ts0 if swap else ())}
    }
    changes = 0
    for t0, t1 in zip(ts0, ts1):
        if t0 is t1:
            continue
        places0 = _places(patch, readers[t0], t0) if swap else []
        places1 = _places(patch, readers[t1], t1)
        for op, index in places1:
            patch.set_input(op, index, t0)
        for op, index in places0:
            patch.set_input(op, index, t1)
        changes += len(places0) + len(places1)
    return changes


def _reroute_ts(ts0, ts1, swap, can_modify, cannot_modify, allow_cycles):
    ts0 = util.make_list_of_t(ts0)
    ts1 = util.make_list_of_t(ts1)
    util.check_graphs(*ts0, *ts1)
    check_ts_compatibility(ts0, ts1)
    if not ts0:
        return 0
    patch = Patch(ts0[0].graph)
    changes = plan(patch, ts0, ts1, swap, can_modify, cannot_modify)
    patch.apply(check_cycles=not allow_cycles)
    return changes


def swap_ts(ts0, ts1, can_modify=None, cannot_modify=None, *, allow_cycles=True):
    """Swaps tensors: users of ts0[i] use ts1[i] and the reverse.

    Args:
      ts0: a tensor or tensors.
      ts1: the same number of tensors.
      can_modify: if not None, only these operations are changed.
      cannot_modify: operations that are not changed.
      allow_cycles: if False, a change that closes a cycle is rejected. A run of such a graph would
        fail.

    Returns:
      The number of inputs that changed.

    Raises:
      TypeError: if an element is not a tensor.
      ValueError: if sizes, dtypes, static shapes or graphs differ. The graph has not changed in this
        case.
    """
    return _reroute_ts(ts0, ts1, True, can_modify, cannot_modify, allow_cycles)


def reroute_ts(ts0, ts1, can_modify=None, cannot_modify=None, *, allow_cycles=True):
    """Reroutes tensors: users of ts1[i] use ts0[i] instead; see swap_ts."""
    return _reroute_ts(ts0, ts1, False, can_modify, cannot_modify, allow_cycles)


def _views(sgv0, sgv1):
    sgv0, sgv1 = make_view(sgv0), make_view(sgv1)
    util.check_graphs(sgv0, sgv1)
    return sgv0, sgv1


def _passing(sgv0, sgv1):
    return util.get_consuming_ops([*sgv0.passthroughs, *sgv1.passthroughs])


def _take_inputs(sgv, inputs):
    """Replaces the inputs of a view. A passthrough is replaced along with its input."""
    new = dict(zip(sgv._input_ts, inputs))
    sgv._output_ts = [
        new.get(t, t) if t in sgv._passthrough_ts else t for t in sgv._output_ts
    ]
    sgv._passthrough_ts = [new.get(t, t) for t in sgv._passthrough_ts]
    sgv._input_ts = list(inputs)


def _plan_inputs(patch, sgv0, sgv1, swap):
    can_modify = [*sgv0.ops, *sgv1.ops, *_passing(sgv0, sgv1)]
    plan(patch, list(sgv0.inputs), list(sgv1.inputs), swap, can_modify=can_modify)


def _plan_outputs(patch, sgv0, sgv1, swap):
    cannot_modify = [*sgv0.ops, *sgv1.ops, *_passing(sgv0, sgv1)]
    plan(patch, list(sgv0.outputs), list(sgv1.outputs), swap, cannot_modify=cannot_modify)


def _reroute_views(sgv0, sgv1, swap, inputs, outputs, allow_cycles):
    sgv0, sgv1 = _views(sgv0, sgv1)
    if outputs:
        check_ts_compatibility(sgv0.outputs, sgv1.outputs)
    if inputs:
        check_ts_compatibility(sgv0.inputs, sgv1.inputs)
    graph = sgv0.graph or sgv1.graph
    if graph is None:
        return sgv0, sgv1
    patch = Patch(graph)
    if outputs:
        _plan_outputs(patch, sgv0, sgv1, swap)
    if inputs:
        _plan_inputs(patch, sgv0, sgv1, swap)
    patch.apply(check_cycles=not allow_cycles)
    if inputs:
        inputs0, inputs1 = list(sgv0.inputs), list(sgv1.inputs)
        _take_inputs(sgv1, inputs0)
        if swap:
            _take_inputs(sgv0, inputs1)
    return sgv0, sgv1


def swap_inputs(sgv0, sgv1, *, allow_cycles=True):
    """Swaps the inputs of two views. Only their operations, and users of passthroughs, change.

    Args:
      sgv0: a view, or the arguments of make_view. Afterwards, its inputs are those of sgv1.
      sgv1: a view with the same number of inputs, of the same dtypes.
      allow_cycles: see swap_ts.

    Returns:
      (sgv0, sgv1)

    Raises:
      ValueError: as swap_ts. The graph has not changed in this case.
    """
    return _reroute_views(sgv0, sgv1, True, True, False, allow_cycles)


def reroute_inputs(sgv0, sgv1, *, allow_cycles=True):
    """Replaces the inputs of sgv1 by those of sgv0; see swap_inputs."""
    return _reroute_views(sgv0, sgv1, False, True, False, allow_cycles)


def swap_outputs(sgv0, sgv1, *, allow_cycles=True):
    """Swaps the outputs of two views in the operations outside that use them; see swap_inputs."""
    return _reroute_views(sgv0, sgv1, True, False, True, allow_cycles)


def reroute_outputs(sgv0, sgv1, *, allow_cycles=True):
    """Replaces the outputs of sgv1 by those of sgv0 in operations outside; see swap_inputs."""
    return _reroute_views(sgv0, sgv1, False, False, True, allow_cycles)


def swap_ios(sgv0, sgv1, *, allow_cycles=True):
    """Applies swap_outputs and swap_inputs in one step."""
    return _reroute_views(sgv0, sgv1, True, True, True, allow_cycles)


def reroute_ios(sgv0, sgv1, *, allow_cycles=True):
    """Applies reroute_outputs and reroute_inputs in one step."""
    return _reroute_views(sgv0, sgv1, False, True, True, allow_cycles)


def _check_op(op):
    if not isinstance(op, Operation):
        raise TypeError(f'Expected a tf.Operation, got: {type(op)}')


def add_control_inputs(op, cops):
    """Adds control inputs to an operation.

    Args:
      op: the operation.
      cops: an operation or operations.

    Raises:
      TypeError: if op is not an operation.
      ValueError: if one of them is already a control input. Nothing is added in this case.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop in op.control_inputs:
            raise ValueError(f'{cop.name} is already a control_input of {op.name}')
    patch = Patch(op.graph)
    for cop in cops:
        patch.add_control_input(op, cop)
    patch.apply(check_cycles=False)


def remove_control_inputs(op, cops):
    """Removes control inputs from an operation.

    Args:
      op: the operation.
      cops: an operation or operations.

    Raises:
      TypeError: if op is not an operation.
      ValueError: if one of them is not a control input. Nothing is removed in this case.
    """
    _check_op(op)
    cops = util.make_list_of_op(cops, allow_graph=False)
    for cop in cops:
        if cop not in op.control_inputs:
            raise ValueError(f'{op.name} is not a control_input of {cop.name}')
    patch = Patch(op.graph)
    for cop in cops:
        patch.remove_control_input(op, cop)
    patch.apply(check_cycles=False)


def view_of_tensors(ts):
    """Returns a view that consists of passthroughs."""
    return SubGraphView(passthrough_ts=ts)
