"""Finding operations and tensors: by name, by scope, by what is between what."""

import re

from ramet.framework.graph import Graph
from ramet.framework.tensors import Tensor
from ramet.graph_editor import util


def can_be_regex(obj):
    """Whether an object is a text or a compiled regular expression."""
    return isinstance(obj, (str, re.Pattern))


def make_regex(obj):
    """A compiled regular expression.

    Raises:
        ValueError: if it is neither a text nor compiled.
    """
    if not can_be_regex(obj):
        raise ValueError(f'Expected a string or a regex, got: {type(obj)}')
    return re.compile(obj) if isinstance(obj, str) else obj


def _get_input_ts(ops):
    """What operations read, each tensor once."""
    return list(dict.fromkeys(t for op in util.make_list_of_op(ops) for t in op.inputs))


def _get_output_ts(ops):
    """What operations make."""
    return [t for op in util.make_list_of_op(ops) for t in op.outputs]


def filter_ts(ops, positive_filter):
    """The inputs, then the outputs of operations for which `positive_filter` is true (or True)."""
    ts = util.concatenate_unique(_get_input_ts(ops), _get_output_ts(ops))
    return ts if positive_filter is True else [t for t in ts if positive_filter(t)]


def filter_ts_from_regex(ops, regex):
    """The inputs and outputs of operations in whose names ("a/b:0") `regex` is found."""
    search = make_regex(regex).search
    return filter_ts(ops, lambda t: search(t.name))


def filter_ops(ops, positive_filter):
    """The operations for which `positive_filter` is true (or True for all)."""
    ops = util.make_list_of_op(ops)
    return ops if positive_filter is True else [op for op in ops if positive_filter(op)]


def filter_ops_from_regex(ops, regex):
    """The operations in whose names `regex` is found."""
    search = make_regex(regex).search
    return filter_ops(ops, lambda op: search(op.name))


def get_name_scope_ops(ops, scope):
    """The operations that are named `scope` or are under it; scope counts as a regex."""
    scope = scope[:-1] if scope.endswith('/') else scope
    return filter_ops_from_regex(ops, f'^{scope}(/.*)?$')


def check_cios(control_inputs=False, control_outputs=None, control_ios=None):
    """Makes two of the three ways to say which control edges count.

    Args:
        control_inputs: whether control inputs count.
        control_outputs: a util.ControlOutputs if control outputs count, else None.
        control_ios: a util.ControlOutputs if both count.

    Returns:
        (control_inputs, control_outputs)

    Raises:
        TypeError: if one is of another type.
        ValueError: if control_ios comes with control_outputs.
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


def _neighbours(op, control_inputs, control_outputs):
    yield from (t.op for t in op.inputs)
    yield from (reader for t in op.outputs for reader in t.consumers())
    if control_inputs:
        yield from op.control_inputs
    if control_outputs is not None:
        yield from control_outputs.get(op)


def get_ops_ios(ops, control_inputs=False, control_outputs=None, control_ios=None):
    """The operations that make inputs or read outputs of operations, each once.

    See check_cios for the control edges.
    """
    control_inputs, control_outputs = check_cios(control_inputs, control_outputs, control_ios)
    ops = util.make_list_of_op(ops)
    return list(dict.fromkeys(
        near for op in ops for near in _neighbours(op, control_inputs, control_outputs)
    ))


def compute_boundary_ts(ops):
    """The tensors at the boundary of operations.

    Returns:
        (inputs, outputs, insides): what is read and made outside; what is made here and read
        outside, or nowhere; what is made and read here. A tensor can be an output and inside.
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
    """The operations that are connected with the seeds, in either direction, up to a boundary.

    Args:
        ops: a graph or operations: where to look.
        seed_ops: where to begin.
        boundary_ops: where to stop.
        inclusive: whether the boundary's operations that are met are part of the result.
        control_inputs: see check_cios; so the two that follow.

    Returns:
        A list in the order of `ops`.

    Raises:
        ValueError: if a seed is of the boundary.
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
            for near in _neighbours(op, control_inputs, control_outputs)
            if near in members and near not in met
        ))
        met.update(wave)
    return [op for op in ops if op in met and (inclusive or op not in boundary)]


def _seed_ops(seeds, of_tensors):
    """The operations that a walk begins with; of_tensors makes them of tensors."""
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
    """The operations that depend on the seeds, the nearest first.

    Args:
        seed_ops: operations, or tensors, whose readers are the seeds then.
        inclusive: whether the seeds are part of the result.
        within_ops: only these count, if not None.
        within_ops_fn: only operations for which it is true count, if not None.
        stop_at_ts: tensors that are not followed.
        control_outputs: a util.ControlOutputs if control edges count.

    Raises:
        TypeError: if an argument is of another type.
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
    """The operations that the seeds depend on, the nearest first; see get_forward_walk_ops.

    Tensors as seeds stand for the operations that make them.
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
    """The operations of both walks: those between the two kinds of seeds; forward order."""
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
    """The operations of either walk, those of the forward walk first."""
    forward, backward = _two_walks(
        forward_seed_ops, backward_seed_ops, forward_inclusive, backward_inclusive, within_ops,
        within_ops_fn, control_inputs, control_outputs, control_ios,
    )
    return util.concatenate_unique(forward, backward)


def _select(args, kwargs, kind, restrict_name):
    """What select_ops and select_ts do; kind: ('ops', list maker, filter by regex)."""
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
        raise TypeError(f'an argument is of another graph than the given one: {graph}')
    return found


def select_ops(*args, **kwargs):
    """Operations, each once, in the order of the arguments.

    Args:
        *args: operations, iterables of them, graphs, and regular expressions that are searched in
            names. Those that begin with "(?#ts)" are for tensors and do not count.
        graph: the graph for regular expressions.
        positive_filter: only those for which it is true.
        restrict_ops_regex: only regular expressions that begin with "(?#ops)" count.

    Raises:
        TypeError: if graph is no graph, or an argument is of another type or graph.
        ValueError: if a regular expression comes without graph; for other keywords.
    """
    def make_list(arg):
        return util.make_list_of_op(arg, ignore_ts=True)

    kind = ('ops', 'ts', make_list, filter_ops_from_regex)
    return _select(args, kwargs, kind, 'restrict_ops_regex')


def select_ts(*args, **kwargs):
    """Tensors, each once; see select_ops. "(?#ops)" and restrict_ts_regex take the other parts."""
    def make_list(arg):
        return util.make_list_of_t(arg, ignore_ops=True)

    kind = ('ts', 'ops', make_list, filter_ts_from_regex)
    return _select(args, kwargs, kind, 'restrict_ts_regex')


def select_ops_and_ts(*args, **kwargs):
    """(operations, tensors) of arguments as those of select_ops.

    Regular expressions select operations, those that begin with "(?#ts)" tensors.
    """
    ops = select_ops(*args, restrict_ops_regex=False, **kwargs)
    return ops, select_ts(*args, restrict_ts_regex=True, **kwargs)
