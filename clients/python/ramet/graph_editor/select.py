"""Selects operations and tensors by name, by scope, or by their position in the graph."""

import re

from ramet.framework.graph import Graph
from ramet.framework.tensors import Tensor
from ramet.graph_editor import util


def can_be_regex(obj):
    """Returns whether an object is a string or a compiled regular expression."""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj):
    """Returns a compiled regular expression.

    Args:
      obj: a string or a compiled regular expression.

    Raises:
      ValueError: if it is neither.
    """
    if not can_be_regex(obj):
        raise ValueError(f'Expected a string or a regex, got: {type(obj)}')
    return re.compile(obj) if isinstance(obj, str) else obj


def _get_input_ts(ops):
    """Returns the inputs of operations, each tensor once."""
    return list(dict.fromkeys(t for op in util.make_list_of_op(ops) for t in op.inputs))


def _get_output_ts(ops):
    """Returns the outputs of operations."""
    return [t for op in util.make_list_of_op(ops) for t in op.outputs]


def filter_ts(ops, positive_filter):
    """Returns those inputs, then outputs, of operations that pass `positive_filter` (True for all)."""
    ts = util.concatenate_unique(_get_input_ts(ops), _get_output_ts(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(ops, regex):
    """Returns the inputs and outputs of operations whose names ("a/b:0") match `regex` anywhere."""
    search = make_regex(regex).search
    return filter_ts(ops, lambda t: search(t.name))


def filter_ops(ops, positive_filter):
    """Returns the operations that pass `positive_filter` (True for all)."""
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops, regex):
    """Returns the operations whose names match `regex` anywhere."""
    search = make_regex(regex).search
    return filter_ops(ops, lambda op: search(op.name))


def get_name_scope_ops(ops, scope):
    """Returns the operations with the name `scope` or below it. The scope is used as a regex."""
    scope = scope[:-1] if scope.endswith('/') else scope
    return filter_ops_from_regex(ops, f'^{scope}(/.*)?$')


def check_cios(control_inputs=False, control_outputs=None, control_ios=None):
    """Reduces the three arguments for control edges to two.

    Args:
      control_inputs: whether to include control inputs.
      control_outputs: a util.ControlOutputs to include control outputs, or None.
      control_ios: a util.ControlOutputs to include both, or None.

    Returns:
      (control_inputs, control_outputs)

    Raises:
      TypeError: if one has the wrong type.
      ValueError: if both control_ios and control_outputs are given.
    """
    if control_ios is not None:
        if not isinstance(control_ios, util.ControlOutputs):
            raise TypeError(f'Expected a util.ControlOutputs, got: {type(control_ios)}')
        if control_outputs is not None:
            raise ValueError('control_outputs should be None when using control_ios.')
        control_inputs, control_outputs = True, control_ios
    elif control_outputs is not None and not isinstance(control_outputs, util.ControlOutputs):
        raise TypeError(f'Expected a util.ControlOutputs, got: {type(control_outputs)}')
    if not isinstance(control_inputs, bool):
        raise TypeError(f'control_inputs must be a bool, got: {type(control_inputs)}')
    return control_inputs, control_outputs


def _neighbors(op, control_inputs, control_outputs):
    yield from (t.op for t in op.inputs)
    yield from (reader for t in op.outputs for reader in t.consumers())
    if control_inputs:
        yield from op.control_inputs
    if control_outputs is not None:
        yield from control_outputs.get(op)


def get_ops_ios(ops, control_inputs=False, control_outputs=None, control_ios=None):
    """Returns the neighbors of operations: producers of inputs and users of outputs, each once.

    See check_cios for the arguments about control edges.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    return list(dict.fromkeys(
        near for op in ops for near in _neighbors(op, control_inputs, control_outputs)
    ))


def compute_boundary_ts(ops):
    """Returns the tensors at the boundary of a set of operations.

    Returns:
      (inputs, outputs, insides): tensors that are used here but computed outside; tensors that are
      computed here and used outside, or nowhere; tensors that are computed and used here. A tensor
      can be both an output and inside.
    """
    ops = util.make_list_of_op(ops)
    members = set(ops)
    inputs = [t for t in _get_input_ts(ops) if t.op not in members]
    outputs, insides = [], []
    for t in _get_output_ts(ops):
        within = [reader in members for reader in t.consumers()]
        if any(within):
            insides.append(t)
        if not within or not all(within):
            outputs.append(t)
    return inputs, outputs, insides


def get_within_boundary_ops(
    ops, seed_ops, boundary_ops=(), inclusive=True, control_inputs=False, control_outputs=None,
    control_ios=None,
):
    """Returns the operations that are connected with the seeds, in either direction, up to a boundary.

    Args:
      ops: a graph or operations, the set to search.
      seed_ops: the operations to start from.
      boundary_ops: the operations to stop at.
      inclusive: whether the result includes the operations of the boundary that were reached.
      control_inputs: see check_cios; so are control_outputs and control_ios.

    Returns:
      A list in the order of `ops`.

    Raises:
      ValueError: if a seed is part of the boundary.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    seeds = util.make_list_of_op(seed_ops, allow_graph=False)
    boundary = set(util.make_list_of_op(boundary_ops))
    if boundary.intersection(seeds):
        raise ValueError('Boundary is intersecting with the seeds.')
    members, met, wave = set(ops), set(seeds), seeds
    while wave:
        wave = list(dict.fromkeys(
            near for op in wave if op not in boundary
            for near in _neighbors(op, control_inputs, control_outputs)
            if near in members and near not in met
        ))
        met.update(wave)
    return [op for op in ops if op in met and (inclusive or op not in boundary)]


def _seed_ops(seeds, of_tensors):
    """Returns the operations that a walk starts from. `of_tensors` converts tensors to operations."""
    seeds = list(seeds) if util.is_iterable(seeds) else [seeds]
    if not seeds:
        return []
    if isinstance(seeds[0], Tensor):
        return of_tensors(util.make_list_of_t(seeds, allow_graph=False))
    return util.make_list_of_op(seeds, allow_graph=False)


def _walk(seeds, next_ops, inclusive, within_ops, within_ops_fn):
    members = None if within_ops is None else set(
        util.make_list_of_op(within_ops, allow_graph=False)
    )

    def is_within(op):
        return (members is None or op in members) and (within_ops_fn is None or within_ops_fn(op))

    seeds = list(dict.fromkeys(op for op in seeds if is_within(op)))
    met, wave = dict.fromkeys(seeds), seeds
    while wave:
        new = {near for op in wave for near in next_ops(op) if near not in met and is_within(near)}
        wave = sorted(new, key=lambda op: op._id)
        met.update(dict.fromkeys(wave))
    return list(met) if inclusive else [op for op in met if op not in set(seeds)]


def get_forward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(),
    control_outputs=None,
):
    """Returns the operations that depend on the seeds, the nearest first.

    Args:
      seed_ops: operations, or tensors whose users are then the seeds.
      inclusive: whether the result includes the seeds.
      within_ops: if not None, only these operations are visited.
      within_ops_fn: if not None, only operations for which it returns true are visited.
      stop_at_ts: tensors that are not followed.
      control_outputs: a util.ControlOutputs to follow control edges too, or None.

    Raises:
      TypeError: if an argument has the wrong type.
    """
    _, control_outputs = check_cios(False, control_outputs)
    seeds = _seed_ops(seed_ops, util.get_consuming_ops)
    stop = set(util.make_list_of_t(stop_at_ts))

    def readers(op):
        yield from (reader for t in op.outputs if t not in stop for reader in t.consumers())
        if control_outputs is not None:
            yield from control_outputs.get(op)

    return _walk(seeds, readers, inclusive, within_ops, within_ops_fn)


def get_backward_walk_ops(
    seed_ops, inclusive=True, within_ops=None, within_ops_fn=None, stop_at_ts=(),
    control_inputs=False,
):
    """Returns the operations that the seeds depend on, the nearest first; see get_forward_walk_ops.

    If the seeds are tensors, the operations that compute them are used.
    """
    control_inputs, _ = check_cios(control_inputs)
    seeds = _seed_ops(seed_ops, util.get_generating_ops)
    stop = set(util.make_list_of_t(stop_at_ts))

    def producers(op):
        yield from (t.op for t in op.inputs if t not in stop)
        if control_inputs:
            yield from op.control_inputs

    return _walk(seeds, producers, inclusive, within_ops, within_ops_fn)


def _two_walks(
    forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
    within_ops_fn, control_inputs, control_outputs, control_ios,
):
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    forward = get_forward_walk_ops(
        forward_seed_ops, forward_inclusive, within_ops, within_ops_fn,
        control_outputs=control_outputs,
    )
    backward = get_backward_walk_ops(
        backward_seed_ops, backward_inclusive, within_ops, within_ops_fn,
        control_inputs=control_inputs,
    )
    return forward, backward


def get_walks_intersection_ops(
    forward_seed_ops, backward_seed_ops, forward_inclusive=True, backward_inclusive=True,
    within_ops=None, within_ops_fn=None, control_inputs=False, control_outputs=None,
    control_ios=None,
):
    """Returns the operations in both walks, which lie between the two kinds of seeds.

    The order is that of the forward walk.
    """
    forward, backward = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
        within_ops_fn, control_inputs, control_outputs, control_ios,
    )
    backward = set(backward)
    return [op for op in forward if op in backward]


def get_walks_union_ops(
    forward_seed_ops, backward_seed_ops, forward_inclusive=True, backward_inclusive=True,
    within_ops=None, within_ops_fn=None, control_inputs=False, control_outputs=None,
    control_ios=None,
):
    """Returns the operations in either walk, those of the forward walk first."""
    forward, backward = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
        within_ops_fn, control_inputs, control_outputs, control_ios,
    )
    return util.concatenate_unique(forward, backward)


def _select(args, kwargs, kind, restrict_name):
    """Implements select_ops and select_ts. `kind` is ('ops', list maker, filter by regex)."""
    own, other, make_list, by_regex = kind
    graph = kwargs.pop('graph', None)
    positive_filter = kwargs.pop('positive_filter', None)
    restrict = kwargs.pop(restrict_name, False)
    if kwargs:
        raise ValueError(f'Wrong keywords argument: {", ".join(kwargs)}.')
    if graph is not None and not isinstance(graph, Graph):
        raise TypeError(f'Expected a tf.Graph, got: {type(graph)}')
    found = []
    for arg in args:
        if can_be_regex(arg):
            if graph is None:
                raise ValueError("Use the keyword argument 'graph' to use regex.")
            regex = make_regex(arg)
            if regex.pattern.startswith(f'(?#{other})'):
                continue
            if restrict and not regex.pattern.startswith(f'(?#{own})'):
                continue
            new = by_regex(graph, regex)
        else:
            new = make_list(arg)
        if positive_filter is not None:
            new = [item for item in new if positive_filter is True or positive_filter(item)]
        found += new
    found = list(dict.fromkeys(found))
    if graph is not None and any(item.graph is not graph for item in found):
        raise TypeError(f'an argument belongs to a different graph than the given one: {graph}')
    return found


def select_ops(*args, **kwargs):
    """Selects operations. Each is returned once, in the order of the arguments.

    Args:
      *args: operations, iterables of them, graphs, and regular expressions that are searched for in
        names. Expressions that start with "(?#ts)" are for tensors and are ignored.
      **kwargs: graph, the graph for regular expressions; positive_filter, a function that returns
        whether to include an operation; restrict_ops_regex, whether to use only regular
        expressions that start with "(?#ops)".

    Raises:
      TypeError: if graph is not a graph, or an argument has the wrong type or graph.
      ValueError: if there is a regular expression but no graph, or for unknown keywords.
    """
    def make_list(arg):
        return util.make_list_of_op(arg, ignore_ts=True)

    kind = ('ops', 'ts', make_list, filter_ops_from_regex)
    return _select(args, kwargs, kind, 'restrict_ops_regex')


def select_ts(*args, **kwargs):
    """Selects tensors, like select_ops. The roles of "(?#ops)" and "(?#ts)" are exchanged.

    The keyword argument is named restrict_ts_regex.
    """
    def make_list(arg):
        return util.make_list_of_t(arg, ignore_ops=True)

    kind = ('ts', 'ops', make_list, filter_ts_from_regex)
    return _select(args, kwargs, kind, 'restrict_ts_regex')


def select_ops_and_ts(*args, **kwargs):
    """Returns (operations, tensors) for arguments like those of select_ops.

    Regular expressions select operations. Those that start with "(?#ts)" select tensors.
    """
    ops = select_ops(*args, restrict_ops_regex=False, **kwargs)
    return ops, select_ts(*args, restrict_ts_regex=True, **kwargs)
