"""Finds the operations of while loops by their frames."""

_ENTER = ('Enter', 'RefEnter')
_EXIT = ('Exit', 'RefExit')


def _waiting(graph):
    """Returns a dict from each operation to those that have it as a control input."""
    waiting = {}
    for op in graph.get_operations():
        for control in op.control_inputs:
            waiting.setdefault(control, []).append(op)
    return waiting


def _frame_ops(enters, waiting):
    """Returns all operations of the frame of some Enter operations, including inner frames."""
    met = set(enters)
    stack = [(op, 1) for op in enters]
    while stack:
        op, depth = stack.pop()
        if depth == 0:
            continue
        after = depth - 1 if op.type in _EXIT else depth
        if after == 0:
            continue
        for near in [r for t in op.outputs for r in t.consumers()] + waiting.get(op, []):
            if near not in met:
                met.add(near)
                stack.append((near, after + (near.type in _ENTER)))
    return met


def complete_loops(graph, ops):
    """Returns the operations, extended by every while loop that one of them is part of.

    Args:
      graph: their graph.
      ops: a list of operations.

    Returns:
      A list, `ops` first.
    """
    frames = {}
    for op in graph.get_operations():
        if op.type in _ENTER:
            frames.setdefault(op.get_attr('frame_name'), []).append(op)
    if not frames:
        return list(ops)
    waiting = _waiting(graph)
    loops = [_frame_ops(enters, waiting) for enters in frames.values()]
    chosen = dict.fromkeys(ops)
    for loop in sorted(loops, key=len):
        if not loop.isdisjoint(chosen):
            chosen.update(dict.fromkeys(sorted(loop, key=lambda op: op._id)))
    return list(chosen)
