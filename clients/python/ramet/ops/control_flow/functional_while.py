"""tf.while_loop as a node that calls functions for the condition and the body."""

from ramet import gen
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow import branch_graphs
from ramet.ops.control_flow import control_flow_values as values
from ramet.ops.functions import automatic_dependencies, func_graph
from ramet.ops.math import math_cast


class _Loop:
    """A loop that is being built.

    Its first two variables are the number of iterations so far and the maximum one; then come those of the program,
    then the captured tensors.
    """

    def __init__(self, loop_vars, shape_invariants):
        self.structure = loop_vars
        self.originals = nest.flatten(loop_vars, expand_composites=True)
        converted = nest.map_structure(values.convert, loop_vars)
        self.tensors = nest.flatten(converted, expand_composites=True)
        self.shapes = self._shapes(converted, shape_invariants)

    def _shapes(self, converted, shape_invariants):
        if shape_invariants is None:
            return [tensor.shape for tensor in self.tensors]
        nest.assert_same_structure(converted, shape_invariants)
        found = [values.invariant_of(value, shape) for value, shape in zip(
            nest.flatten(converted), nest.flatten(shape_invariants), strict=True)]
        return [shape for parts in found for shape in parts]

    def arguments(self, graph, maximum):
        """Adds the arguments of a function to its graph; returns (counter, maximum, variables of the program)."""
        counter = graph.add_input(dtypes.int32, 'while_loop_counter', [])
        limit = graph.add_input(maximum.dtype, 'while_maximum_iterations', maximum.shape)
        placeholders = [graph.add_input(tensor.dtype.base_dtype, 'placeholder', shape)
                        for tensor, shape in zip(self.tensors, self.shapes, strict=True)]
        return counter, limit, self.packed(placeholders)

    def packed(self, tensors):
        return nest.pack_sequence_as(self.structure, values.with_flows(self.originals, tensors), expand_composites=True)

    def check(self, outputs):
        """Raises an error unless the results of the body have the dtypes and shapes of the variables."""
        for tensor, shape, output in zip(self.tensors, self.shapes, outputs, strict=True):
            if tensor.dtype.base_dtype != output.dtype.base_dtype:
                raise TypeError(f"Loop var {tensor.name} enters the loop with type {tensor.dtype!r} but has type "
                                f"{output.dtype!r} after 1 iteration.")
            if tensor.dtype != dtypes.variant and not shape.is_compatible_with(output.shape) or _is_wider(
                    output.shape, shape):
                raise ValueError(
                    f'Input tensor `{tensor.name}` enters the loop with shape {shape}, but has shape {output.shape} '
                    'after one iteration. To allow the shape to vary across iterations, use the `shape_invariants` '
                    'argument of tf.while_loop to specify a less-specific shape.')


def _is_wider(shape, invariant):
    """Returns whether a shape lacks a size that the invariant has."""
    if invariant.ndims is None:
        return False
    if shape.ndims is None:
        return True
    return any(size is None and known is not None for size, known in zip(shape.as_list(), invariant.as_list()))


def while_loop(cond, body, loop_vars, shape_invariants, parallel_iterations, name, maximum_iterations,
               return_same_structure):
    """Adds a While node; see tf.while_loop.

    Args:
      cond: a function of the loop variables.
      body: a function of the loop variables.
      loop_vars: the initial values.
      shape_invariants: the shapes of the loop variables, or None.
      parallel_iterations: an attr of the node.
      name: the name of the node.
      maximum_iterations: an integer scalar, or None.
      return_same_structure: whether a single loop variable is returned as a structure of one.

    Returns:
      The final values.

    Raises:
      TypeError: if a value does not have the dtype of its variable.
      ValueError: if the body returns a different structure or shape.
    """
    loop_vars = list(loop_vars) if isinstance(loop_vars, tuple) and not nest.is_namedtuple(loop_vars) else loop_vars
    loop = _Loop(loop_vars, shape_invariants)
    with ops.name_scope(name, 'while') as scope:
        with ops.name_scope(None):
            limited = maximum_iterations is not None
            maximum = ops.convert_to_tensor(-1 if not limited else maximum_iterations, dtypes.int32,
                                            name=f'{scope}maximum_iterations')
            counter = constant_op.constant(0, dtypes.int32, name=f'{scope}loop_counter')
        outer = ops.get_default_graph()
        with outer.as_default():
            cond_graph, pred = _condition(loop, cond, maximum, limited)
        with outer.as_default():
            body_graph, outputs, controls = _body(loop, body, maximum, cond_graph)
        results = _node(loop, (counter, maximum), (cond_graph, pred), (body_graph, outputs, controls), scope,
                        parallel_iterations)
    final = nest.pack_sequence_as(loop.structure, values.with_flows(loop.results, results), expand_composites=True)
    return final[0] if len(loop.tensors) == 1 and not return_same_structure else final


def _condition(loop, cond, maximum, limited):
    graph = func_graph.FuncGraph(branch_graphs.name_of_capture)
    with graph.writing():
        counter, limit, variables = loop.arguments(graph, maximum)
        pred = ops.convert_to_tensor(cond(*variables))
        if pred.dtype.base_dtype != dtypes.bool:
            pred = math_cast.cast(pred, dtypes.bool)
        if pred.shape.ndims != 0:
            pred = array_ops.squeeze(pred)
        if limited:
            pred = gen.LogicalAnd(gen.Less(counter, limit), pred)
        return graph, graph.capture(pred)


def _body(loop, body, maximum, cond_graph):
    graph = func_graph.FuncGraph(branch_graphs.name_of_capture)
    with graph.writing():
        counter, limit, variables = loop.arguments(graph, maximum)
        # Captured tensors come in the same order as in the condition.
        for tensor in cond_graph.external_captures:
            graph.capture(tensor)
        dependencies = automatic_dependencies.AutomaticDependencies(graph)
        result = body(*variables)
        if not nest.is_nested_or_composite(result):
            result = [result]
        nest.assert_same_structure(result, loop.structure, check_types=False, expand_composites=True)
        outputs = [graph.capture(ops.convert_to_tensor(values.flow_of(value)))
                   for value in nest.flatten(result, expand_composites=True)]
        loop.results = nest.flatten(result, expand_composites=True)
        outputs = [counter + 1, limit, *outputs]
        controls = []
        if graph.adds_dependencies:
            outputs = [dependencies.mark_as_return(tensor) for tensor in outputs]
            controls = dependencies.finish()
    loop.check(outputs[2:])
    return graph, outputs, controls


def _node(loop, first, condition, body, scope, parallel_iterations):
    """Adds the While node; returns the final values of the program's variables."""
    cond_graph, pred = condition
    body_graph, outputs, controls = body
    captured = branch_graphs.share_inputs([cond_graph, body_graph])
    results = [*outputs, *body_graph.inputs[len(outputs):]]
    names = [branch_graphs.add_function(scope, 'cond', cond_graph, [pred]),
             branch_graphs.add_function(scope, 'body', body_graph, results, controls)]
    shapes = [tensor_shape.TensorShape([]), first[1].shape, *loop.shapes, *(t.shape for t in captured)]
    stateful = branch_graphs.is_stateful(cond_graph) or branch_graphs.is_stateful(body_graph)
    make = gen.While if stateful else gen.StatelessWhile
    made = make([*first, *loop.tensors, *captured], names[0], names[1], output_shapes=shapes,
                parallel_iterations=parallel_iterations, name=scope)
    return branch_graphs.outputs_of(made, scope, shapes)[2:2 + len(loop.tensors)]
