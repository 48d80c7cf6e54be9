"""tf.while_loop."""

from ramet import _core, gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape
from ramet.ops.control_flow import control_flow_values as values
from ramet.ops.control_flow import modes


@export('while_loop')
def while_loop(cond, body, loop_vars, shape_invariants=None, parallel_iterations=10,
               back_prop=True, swap_memory=False, name=None, maximum_iterations=None,
               return_same_structure=False):
    """Repeats a computation on loop variables while a condition on them is True.

    `cond` and `body` are called once, while the graph is built.

    Args:
      cond: a function of the loop variables that returns a bool scalar, whether to continue.
      body: a function of the loop variables that returns their next values.
      loop_vars: the initial values: a nested structure of tensors, SparseTensors, IndexedSlices and
        TensorArrays.
      shape_invariants: shapes that hold in every iteration, in the structure of loop_vars. Defaults to
        the shapes of the initial values.
      parallel_iterations: the maximum number of iterations that run at the same time.
      back_prop: whether to support gradients.
      swap_memory: whether values for gradients may be stored in the host's memory.
      name: the name of the scope.
      maximum_iterations: an integer scalar, the maximum number of iterations.
      return_same_structure: whether a single loop variable is returned as a structure of one.

    Returns:
      The final values in the structure of loop_vars. A single variable is returned without structure
      unless return_same_structure is set.

    Raises:
      TypeError: if `cond` or `body` is not callable, parallel_iterations is not a positive number, or a
        value does not have the dtype of its variable.
      ValueError: if there are no loop_vars, maximum_iterations is not a scalar, or the body returns a
        different structure or shapes that do not match the variables'.
    """
    for role, function in (('cond', cond), ('body', body)):
        if not callable(function):
            raise TypeError(f"'{role}' must be callable.")
    if parallel_iterations < 1:
        raise TypeError("'parallel_iterations' must be a positive integer.")
    if modes.is_functional() and loop_vars:
        _, functional_while = modes.functional()
        return functional_while(cond, body, loop_vars, shape_invariants, parallel_iterations, name, maximum_iterations,
                                return_same_structure)
    with ops.name_scope(name, 'while', loop_vars):
        if not loop_vars:
            raise ValueError("'loop_vars' must be provided.")
        if maximum_iterations is not None:
            limited = _Limited(cond, body, loop_vars, maximum_iterations, return_same_structure)
            maximum_iterations, return_same_structure = limited.maximum, False
            cond, body, loop_vars = limited.cond, limited.body, limited.loop_vars
            if shape_invariants is not None:
                shape_invariants = (tensor_shape.TensorShape([]), limited.inner(shape_invariants))
        if ops.executing_eagerly():
            result = _run(cond, body, loop_vars, return_same_structure)
            return result if maximum_iterations is None else result[1]
        loop = _core.while_context(ops.get_default_graph(), parallel_iterations, back_prop,
                                   swap_memory, maximum_iterations)
        loop._add_to_collection()
        result = _build(loop, cond, body, loop_vars, shape_invariants, return_same_structure)
        return result if maximum_iterations is None else result[1]


class _Limited:
    """A loop with an additional counter variable."""

    def __init__(self, cond, body, loop_vars, maximum_iterations, return_same_structure):
        self.maximum = ops.convert_to_tensor(maximum_iterations, name='maximum_iterations')
        if self.maximum.shape.ndims != 0:
            raise ValueError("'maximum_iterations' must be a scalar. Received shape: "
                             f'{self.maximum.shape}')
        self._single = len(loop_vars) == 1 and not return_same_structure
        self._cond, self._body = cond, body
        counter = constant_op.constant(0, dtype=self.maximum.dtype, name='iteration_counter')
        self.loop_vars = (counter, self.inner(loop_vars))

    def inner(self, loop_vars):
        return loop_vars[0] if self._single else loop_vars

    def cond(self, counter, variables):
        within = counter < self.maximum
        more = self._cond(variables) if self._single else self._cond(*variables)
        return gen.LogicalAnd(within, more)

    def body(self, counter, variables):
        counter = counter + 1
        return counter, self._body(variables) if self._single else self._body(*variables)


def _run(cond, body, loop_vars, return_same_structure):
    """Returns the final values of a loop that runs eagerly."""
    pack = len(loop_vars) == 1 and not return_same_structure
    packed = False
    structure = list(loop_vars)
    while cond(*loop_vars):
        loop_vars = body(*loop_vars)
        if pack and not isinstance(loop_vars, (list, tuple)):
            packed = True
            loop_vars = (loop_vars,)
        nest.assert_same_structure(structure, list(loop_vars), expand_composites=True)
    loop_vars = nest.map_structure(lambda v: v if hasattr(v, 'flow') else values.convert(v), loop_vars)
    return loop_vars[0] if packed else loop_vars


def _build(loop, cond, body, loop_vars, shape_invariants, return_same_structure):
    converted = nest.map_structure(values.convert, loop_vars)
    shapes = _invariants(converted, shape_invariants)
    variables = loop._begin(nest.flatten(converted, expand_composites=True), shapes)
    try:
        originals = nest.flatten(loop_vars, expand_composites=True)
        packed = _packed(loop_vars, originals, variables)
        pred = ops.convert_to_tensor(cond(*packed))
        if pred.dtype != dtypes.bool:
            raise TypeError(f"Input 'input' of 'LoopCond' Op has type {pred.dtype.name} that does "
                            'not match expected type of bool.')
        variables = loop._set_condition(pred)
        packed = _packed(loop_vars, originals, variables)
        result = _body_result(loop, body, packed)
        tensors = [ops.convert_to_tensor(values.flow_of(value))
                   for value in nest.flatten(result, expand_composites=True)]
    except BaseException:
        loop.Exit()
        raise
    exits = loop._finish(tensors)
    exits = values.with_flows(nest.flatten(result, expand_composites=True), exits)
    final = nest.pack_sequence_as(result, exits, expand_composites=True)
    return final[0] if len(exits) == 1 and not return_same_structure else final


def _invariants(converted, shape_invariants):
    if shape_invariants is None:
        composite = any(not isinstance(v, ops.Tensor) for v in nest.flatten(converted))
        if not composite:
            return None
        shapes = [values.invariant_of(value) for value in nest.flatten(converted)]
    else:
        nest.assert_same_structure(converted, shape_invariants)
        shapes = [values.invariant_of(value, shape) for value, shape in zip(
            nest.flatten(converted), nest.flatten(shape_invariants), strict=True)]
    return [shape for parts in shapes for shape in parts]


def _packed(loop_vars, originals, tensors):
    return nest.pack_sequence_as(loop_vars, values.with_flows(originals, tensors),
                                 expand_composites=True)


def _body_result(loop, body, packed):
    with values.summaries_inside(ops.get_default_graph()) as summaries:
        result = body(*packed)
    if not nest.is_nested_or_composite(result):
        result = [result]
    result = values.after_summaries(summaries, result)
    nest.assert_same_structure(list(packed), list(result), expand_composites=True)
    return result
