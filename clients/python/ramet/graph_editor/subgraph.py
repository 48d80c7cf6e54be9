"""SubGraphView: a set of operations of a graph with its inputs and outputs."""

from ramet.graph_editor import select, util


def _positions(ids, ts, what):
    """Converts a list of positions or tensors to positions in a list of tensors."""
    places = {t: i for i, t in reversed(list(enumerate(ts)))}
    positions = []
    for item in ids:
        if isinstance(item, int) and not isinstance(item, bool):
            if not 0 <= item < len(ts):
                raise ValueError(f'Out of [0, {len(ts)}[ range: {item}')
            positions.append(item)
        elif item in places:
            positions.append(places[item])
        else:
            raise ValueError(f"Can't find {item} in {what} of subgraph.")
    return positions


class SubGraphView:
    """An ordered set of operations of a graph, with input and output tensors.

    A view owns nothing. Its inputs are the tensors from outside that the operations use, and its outputs
    are the tensors that are used outside or nowhere. Passthroughs are tensors that are both inputs and
    outputs, and that no operation of the view computes or uses.
    """

    def __init__(self, inside_ops=(), passthrough_ts=()):
        """Creates a view.

        Args:
          inside_ops: operations.
          passthrough_ts: tensors. Tensors that the operations compute or use are ignored.

        Raises:
          TypeError: if an element has the wrong type.
          ValueError: if graphs differ.
        """
        inside_ops = util.make_list_of_op(inside_ops)
        passthrough_ts = util.make_list_of_t(passthrough_ts)
        self._graph = util.get_unique_graph(inside_ops + passthrough_ts, none_if_empty=True)
        self._ops = inside_ops
        self._input_ts, self._output_ts, insides = select.compute_boundary_ts(inside_ops)
        known = {*self._input_ts, *self._output_ts, *insides}
        self._passthrough_ts = [t for t in dict.fromkeys(passthrough_ts) if t not in known]
        self._input_ts += self._passthrough_ts
        self._output_ts += self._passthrough_ts

    @property
    def graph(self):
        """The graph, or None for an empty view."""
        return self._graph

    @property
    def ops(self):
        return self._ops

    @property
    def inputs(self):
        """The input tensors, passthroughs last."""
        return util.ListView(self._input_ts)

    @property
    def outputs(self):
        """The output tensors, passthroughs last."""
        return util.ListView(self._output_ts)

    @property
    def passthroughs(self):
        return util.ListView(self._passthrough_ts)

    @property
    def connected_inputs(self):
        """The inputs that an operation of the view uses."""
        return [t for t in self._input_ts if t not in self._passthrough_ts]

    @property
    def connected_outputs(self):
        """The outputs that an operation of the view computes."""
        return [t for t in self._output_ts if t not in self._passthrough_ts]

    def op(self, op_id):
        """Returns the operation at a position."""
        return self._ops[op_id]

    def find_op_by_name(self, op_name):
        """Returns the operation with a name.

        Raises:
          ValueError: "n not in subgraph.".
          AssertionError: if the view has it more than once.
        """
        found = [op for op in self._ops if op.name == op_name]
        if not found:
            raise ValueError(f'{op_name} not in subgraph.')
        if len(found) > 1:
            raise AssertionError(f'More than one op named: {op_name}!')
        return found[0]

    def is_passthrough(self, t):
        return t in self._passthrough_ts

    def input_index(self, t):
        """Returns the position of an input. Raises ValueError if the tensor is not an input."""
        return _positions([t], self._input_ts, 'inputs')[0]

    def output_index(self, t):
        """Returns the position of an output. Raises ValueError if the tensor is not an output."""
        return _positions([t], self._output_ts, 'outputs')[0]

    def consumers(self):
        """Returns the operations outside the view that use its outputs, each once."""
        members = set(self._ops)
        readers = util.get_consuming_ops(self._output_ts)
        return [op for op in readers if op not in members]

    def _boundary(self):
        return SubGraphView(self._ops, self._passthrough_ts)

    def copy(self):
        """Returns a view of the same operations and tensors."""
        other = SubGraphView()
        other._graph = self._graph
        for name in ('_ops', '_input_ts', '_output_ts', '_passthrough_ts'):
            setattr(other, name, list(getattr(self, name)))
        return other

    __copy__ = copy

    def remap_inputs(self, new_input_indices):
        """Returns a view with some of the inputs, possibly in a different order.

        Args:
          new_input_indices: positions or tensors.

        Raises:
          ValueError: if one occurs twice or does not exist.
        """
        other = self.copy()
        positions = _positions(new_input_indices, self._input_ts, 'inputs')
        if len(set(positions)) != len(positions):
            raise ValueError(f'Found repetition in mapping: {positions}')
        other._input_ts = [self._input_ts[i] for i in positions]
        return other

    def remap_outputs(self, new_output_indices):
        """Returns a view with some of the outputs, possibly in a different order or repeated."""
        other = self.copy()
        positions = _positions(new_output_indices, self._output_ts, 'outputs')
        other._output_ts = [self._output_ts[i] for i in positions]
        return other

    def remap(self, new_input_indices=None, new_output_indices=None):
        """Applies remap_inputs and remap_outputs. None leaves a side unchanged."""
        other = self if new_input_indices is None else self.remap_inputs(new_input_indices)
        if new_output_indices is not None:
            other = other.remap_outputs(new_output_indices)
        return other.copy() if other is self else other

    def remap_default(self, remove_input_map=True, remove_output_map=True):
        """Returns a view with the default inputs and outputs of its operations."""
        other, default = self.copy(), self._boundary()
        if remove_input_map:
            other._input_ts = default._input_ts
        if remove_output_map:
            other._output_ts = default._output_ts
        return other

    def remap_outputs_make_unique(self):
        """Returns a view with each output once."""
        other = self.copy()
        other._output_ts = list(dict.fromkeys(self._output_ts))
        return other

    def remap_outputs_to_consumers(self):
        """Returns a view with each output as often as it is used."""
        other = self.copy()
        unique = dict.fromkeys(self._output_ts)
        other._output_ts = [t for t in unique for _ in t.consumers()]
        return other

    def remove_unused_ops(self, control_inputs=True):
        """Returns a view of the operations that depend on its inputs, or that its outputs depend on.

        Args:
          control_inputs: whether outputs also depend on control inputs.
        """
        used = set(select.get_walks_union_ops(
            self.connected_inputs, self.connected_outputs, within_ops=self._ops,
            control_inputs=control_inputs,
        ))
        other = self.copy()
        other._ops = [op for op in self._ops if op in used]
        return other

    def __bool__(self):
        return self._graph is not None

    def __enter__(self):
        return self

    def __exit__(self, exc_type, exc_value, traceback):
        return None

    def _text(self, title, items):
        if not items:
            return [f'** {title}: empty']
        marks = {t: ' *' for t in self._passthrough_ts}
        lines = [f'  - {item.name}{marks.get(item, "")}' for item in items]
        return [f'** {title}[{len(items)}]:', *lines]

    def __str__(self):
        if not self:
            return 'SubGraphView: empty'
        return '\n'.join([
            f'SubGraphView (graphid={id(self._graph)}):',
            *self._text('ops', self._ops),
            *self._text('inputs', self._input_ts),
            *self._text('outputs', self._output_ts),
        ])

    __repr__ = __str__


def make_view(*args, **kwargs):
    """Returns a view of the elements that select_ops_and_ts selects. A view is returned unchanged.

    Args:
      *args: a view; or operations, tensors (passthroughs), graphs, regular expressions.
      **kwargs: graph, the graph for regular expressions, which a view must have too.

    Raises:
      ValueError: "Graph mismatch." if the view's graph differs.
    """
    if len(args) == 1 and isinstance(args[0], SubGraphView):
        graph = kwargs.pop('graph', None)
        if kwargs:
            raise ValueError(f'Wrong keywords argument: {", ".join(kwargs)}.')
        if graph is not None and args[0].graph is not None and graph is not args[0].graph:
            raise ValueError('Graph mismatch.')
        return args[0]
    return SubGraphView(*select.select_ops_and_ts(*args, **kwargs))


def make_view_from_scope(scope, graph):
    """Returns a view of all operations under a name scope."""
    return SubGraphView(select.get_name_scope_ops(graph, scope))
