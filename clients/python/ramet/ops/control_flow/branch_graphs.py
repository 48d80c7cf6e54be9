"""Branches that are functions: what tf.cond and tf.switch_case share."""

import itertools

from ramet import _core, gen
from ramet.core.framework import attr_value_pb2
from ramet.framework import nest, ops, tensor_shape
from ramet.ops.control_flow import tensor_array_ops
from ramet.ops.functions import automatic_dependencies, func_graph

_numbers = itertools.count()


def name_of_capture(tensor):
    """Returns the name of the argument for a captured tensor."""
    return tensor.op.name


class Branch:
    """A branch as a graph, with the tensors that its function returned.

    Attributes:
      graph: the FuncGraph.
      result: what the function returned.
      structure: the result with Tensors instead of other values.
      outputs: the Tensors of the structure.
      controls: operations that must run.
    """

    def __init__(self, function, value_of_operations):
        """Calls the function.

        Args:
          function: a function without arguments.
          value_of_operations: a function that returns the value that stands for an Operation in the result.
        """
        self.graph = func_graph.FuncGraph(name_of_capture)
        self._value_of_operations = value_of_operations
        self.controls = []
        with self.graph.writing():
            dependencies = automatic_dependencies.AutomaticDependencies(self.graph)
            self.result = function()
            self.structure = nest.map_structure(self._tensor, self.result, expand_composites=True)
            flat = nest.flatten(self.structure, expand_composites=True)
            self.outputs = [t for t in flat if t is not None]
            if self.graph.adds_dependencies:
                self.outputs = [dependencies.mark_as_return(t) for t in self.outputs]
                self.controls = dependencies.finish()

    def _tensor(self, value):
        if value is None:
            return None
        if isinstance(value, ops.Operation):
            with ops.control_dependencies([value]):
                return gen.Identity(self._value_of_operations())
        if isinstance(value, tensor_array_ops.TensorArray):
            value = value.flow
        return self.graph.capture(ops.convert_to_tensor(value))


def check_same(branches, names, caller):
    """Raises TypeError unless all branches return the same structure and dtypes.

    Args:
      branches: Branches.
      names: the names of the functions for messages.
      caller: the name of the public function.
    """
    first = branches[0]
    for name, other in zip(names[1:], branches[1:], strict=True):
        try:
            nest.assert_same_structure(first.structure, other.structure, expand_composites=True)
            details = _differing_dtypes(first, other)
        except (TypeError, ValueError) as error:
            details = str(error)
        if details:
            raise TypeError(
                f'{names[0]} and {name} arguments to {caller} must have the same number, type, and overall structure '
                f'of return values.\n\n{names[0]} output: {first.structure}\n{name} output: {other.structure}\n\n'
                f'Error details:\n{details}')


def _differing_dtypes(first, other):
    if len(first.outputs) != len(other.outputs):
        return 'One result is None.'
    for mine, theirs in zip(first.outputs, other.outputs):
        if mine.dtype.base_dtype != theirs.dtype.base_dtype:
            return f'{mine} and {theirs} have different types'
    return ''


def common_shapes(branches):
    """Returns the static shape of each output that is common to all branches."""
    return [_common_shape([t.shape for t in same]) for same in zip(*(b.outputs for b in branches), strict=True)]


def _common_shape(shapes):
    first = shapes[0]
    if any(s.ndims is None or s.ndims != first.ndims for s in shapes):
        return tensor_shape.TensorShape(None)
    sizes = zip(*(s.as_list() for s in shapes), strict=True)
    return tensor_shape.TensorShape([size[0] if len(set(size)) == 1 else None for size in sizes])


def share_inputs(graphs):
    """Adds the tensors that any of some graphs captures to the inputs of each. Returns these tensors.

    Args:
      graphs: FuncGraphs.
    """
    captured = list(dict.fromkeys(tensor for graph in graphs for tensor in graph.external_captures))
    for graph in graphs:
        own = dict(zip(graph.external_captures, graph.internal_captures, strict=True))
        graph.inputs += [own[t] if t in own else graph._placeholder(t.dtype.base_dtype, t.shape, 'placeholder')
                         for t in captured]
    return captured


def add_function(scope, suffix, graph, outputs, controls=()):
    """Adds a FuncGraph to the library of the default graph; returns the function's name.

    Args:
      scope: the name scope of the node that calls it.
      suffix: the role of the function, such as "true".
      graph: a FuncGraph whose `inputs` are all arguments.
      outputs: the tensors that become results.
      controls: operations that a call runs in addition.
    """
    outer = ops.get_default_graph()
    name = _core.unique_function_name(outer, f'{scope.replace("/", "_")}{suffix}_{next(_numbers)}')
    made = func_graph.definition_of(graph, name, graph.inputs, outputs, controls=controls)
    func_graph.add_functions(outer, [*graph.functions(), made])
    return name


def is_stateful(graph):
    """Returns whether a FuncGraph has operations with side effects or state."""
    return bool(graph.stateful_operations())


def outputs_of(made, scope, shapes):
    """Returns copies of the outputs of a node that calls functions, and lets TensorFlow inline the call.

    Args:
      made: the Tensors or the Operation of the node.
      scope: the name scope of the copies.
      shapes: the shapes of the outputs.
    """
    if isinstance(made, ops.Operation):
        return []
    tensors = made if isinstance(made, (list, tuple)) else [made]
    tensors[0].op._set_attr('_lower_using_switch_merge', attr_value_pb2.AttrValue(b=True))
    with ops.name_scope(scope):
        results = [gen.Identity(tensor) for tensor in tensors]
    for tensor, shape in zip(results, shapes, strict=True):
        tensor.set_shape(shape)
    return results


def packed(branch, results):
    """Returns the structure of a branch's result, with its tensors replaced by the given ones."""
    waiting = iter(results)
    flat = []
    for original, tensor in zip(nest.flatten(branch.result, expand_composites=True),
                                nest.flatten(branch.structure, expand_composites=True), strict=True):
        made = None if tensor is None else next(waiting)
        if isinstance(original, tensor_array_ops.TensorArray):
            made = tensor_array_ops.build_ta_with_new_flow(original, made)
        flat.append(made)
    return nest.pack_sequence_as(branch.result, flat, expand_composites=True)
