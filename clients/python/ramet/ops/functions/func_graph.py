"""The graph that contains the body of a function."""

import contextlib

from ramet import _core, gen
from ramet.core.framework import graph_pb2
from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.framework.graph import Graph
from ramet.ops.variables import variable_scope

# The number of elements of an eager tensor that becomes a constant instead of an argument.
_SMALL = 128
_VARIABLE_ARGUMENTS = (
    'shape', 'dtype', 'initializer', 'regularizer', 'trainable', 'collections', 'caching_device',
    'partitioner', 'validate_shape', 'use_resource', 'constraint', 'synchronization',
    'aggregation',
)

_SHARED_COLLECTIONS = ('variables', 'local_variables', 'trainable_variables')


def _getter_in(outer, use_resource):
    """Returns a custom getter that creates variables in a different graph, by default resource variables if asked."""

    def custom_getter(getter, name, **arguments):
        given = {k: v for k, v in arguments.items() if k in _VARIABLE_ARGUMENTS}
        if use_resource and given.get('use_resource') is None:
            given['use_resource'] = True
        with outer.as_default():
            return variable_scope.get_variable(name, **given)

    return custom_getter


class FuncGraph(Graph):
    """A graph whose nodes can use tensors of the enclosing graph, each through a Placeholder."""

    _building_function = True

    def __init__(self, capture_name=None, functional_control_flow=True, adds_dependencies=None):
        """Creates the graph.

        Args:
          capture_name: a function from a tensor to the name of its Placeholder.
          functional_control_flow: whether conditionals and loops inside are functions.
          adds_dependencies: whether operations with side effects run in the order of the program; by default as in the
            enclosing graph.
        """
        super().__init__()
        self.outer_graph = ops.get_default_graph()
        self.functional_control_flow = functional_control_flow
        if adds_dependencies is None:
            adds_dependencies = getattr(self.outer_graph, 'adds_dependencies', False)
        self.adds_dependencies = adds_dependencies
        self._capture_name = capture_name or (lambda tensor: 'placeholder')
        self._captures = {}
        self._constants = {}
        self.inputs = []
        if self.outer_graph.seed is not None:
            self.seed = self.outer_graph.seed

    @property
    def external_captures(self):
        """The tensors of the enclosing graph that are captured."""
        return [outer for outer, _ in self._captures.values()]

    @property
    def internal_captures(self):
        """The Placeholders for the captured tensors, in the same order."""
        return [inner for _, inner in self._captures.values()]

    def capture(self, tensor, name=None):
        """Returns the tensor of this graph for a tensor of this or an enclosing graph.

        Raises:
          ValueError: if the tensor belongs to a graph that does not enclose this one.
        """
        if tensor._is_eager and tensor.dtype.is_numpy_compatible and tensor.shape.num_elements() <= _SMALL:
            return self._constant(tensor)
        if not tensor._is_eager and tensor.graph is self:
            return tensor
        if tensor not in self._captures:
            outer = self._in_outer_graph(tensor)
            self._captures[tensor] = (outer, self._placeholder(
                outer.dtype.base_dtype, outer.shape, name or self._capture_name(tensor)))
        return self._captures[tensor][1]

    _inside = capture

    def _constant(self, tensor):
        """Returns a Const with the value of an eager tensor, which makes its value known to shape inference."""
        self._check_eager()
        if tensor not in self._constants:
            with self.as_default(), self.control_dependencies(None):
                self._constants[tensor] = constant_op.constant(tensor.numpy(), tensor.dtype)
        return self._constants[tensor]

    def _check_eager(self):
        outer = self.outer_graph
        while isinstance(outer, FuncGraph):
            outer = outer.outer_graph
        if not outer._eager:
            raise RuntimeError('Attempting to capture an EagerTensor without building a function.')

    def _in_outer_graph(self, tensor):
        if tensor._is_eager:
            self._check_eager()
            outer = self.outer_graph
            return outer.capture(tensor) if isinstance(outer, FuncGraph) else tensor
        if tensor.graph is self.outer_graph:
            return tensor
        if isinstance(self.outer_graph, FuncGraph):
            return self.outer_graph.capture(tensor)
        raise ValueError(f'{tensor} is not an element of {self}, nor of a graph that encloses it.')

    def _placeholder(self, dtype, shape, name):
        with self.as_default(), self.control_dependencies(None):
            return gen.Placeholder(dtype, shape, name=name)

    def add_input(self, dtype, name, shape=None):
        """Adds an argument; returns its Placeholder."""
        made = self._placeholder(dtypes.as_dtype(dtype), tensor_shape.TensorShape(shape), name)
        self.inputs.append(made)
        return made

    @contextlib.contextmanager
    def writing(self):
        """Makes this graph the default graph, so that new nodes belong to the function."""
        with self.as_default():
            _core.set_capturing(self, True)
            try:
                getter = _getter_in(self.outer_graph, self.functional_control_flow)
                with variable_scope.variable_scope('', custom_getter=getter):
                    yield self
            finally:
                _core.set_capturing(self, False)

    def create_op(self, op_type, inputs, *args, **kwargs):
        return super().create_op(op_type, [self.capture(t) for t in inputs], *args, **kwargs)

    # The variables of a function belong to the enclosing graph.

    def get_collection(self, name, scope=None):
        if name in _SHARED_COLLECTIONS:
            return self.outer_graph.get_collection(name, scope)
        return super().get_collection(name, scope)

    def get_collection_ref(self, name):
        if name in _SHARED_COLLECTIONS:
            return self.outer_graph.get_collection_ref(name)
        return super().get_collection_ref(name)

    def add_to_collection(self, name, value):
        if name in _SHARED_COLLECTIONS:
            self.outer_graph.add_to_collection(name, value)
        else:
            super().add_to_collection(name, value)

    def stateful_operations(self):
        """Returns the operations with side effects or state, including those of called functions."""
        functions = {f.signature.name: f.signature.is_stateful for f in self.functions()}
        known = {}
        for op in self.get_operations():
            if op.type not in known:
                stateful = functions.get(op.type)
                known[op.type] = (
                    _core.op_summary(op.type)['stateful'] if stateful is None else stateful)
        return [op for op in self.get_operations() if known[op.type]]

    def functions(self):
        """Returns the FunctionDefs of the graph's library."""
        return list(self.as_graph_def().library.function)


def add_functions(graph, functions, gradients=()):
    """Adds the FunctionDefs, and GradientDefs, that the library of a graph does not have yet."""
    message = graph_pb2.GraphDef()
    message.versions.producer = graph._producer
    for function in functions:
        if not _core.has_function(graph, function.signature.name):
            message.library.function.append(function)
    if message.library.function:
        message.library.gradient.extend(gradients)
        _core.import_graph_def(graph, message.SerializeToString(), '', {}, [], b'')


def definition(graph, name, outputs, return_names=(), controls=()):
    """Returns the FunctionDef of a FuncGraph. Its arguments are the inputs, then the captures."""
    return definition_of(graph, name, graph.inputs + graph.internal_captures, outputs,
                         return_names, controls)


def definition_of(graph, name, args, outputs, return_names=(), controls=()):
    """Returns the FunctionDef of the part of a FuncGraph between `args` and `outputs`.

    Args:
      graph: the FuncGraph.
      name: the name of the function.
      args: the tensors that become arguments.
      outputs: the tensors that become results.
      return_names: the names of the results, or () for those of the operations.
      controls: operations that a call runs in addition to those that the results need.
    """
    scratch = Graph()
    add_functions(scratch, graph.functions())
    _core.define_function(scratch, graph, name, list(args), list(outputs), list(controls),
                          list(return_names))
    return scratch.as_graph_def().library.function[-1]
