"""tf.switch_case: one of several computations, selected by a number while the graph runs."""

import itertools

from ramet import _core, gen
from ramet.api import export
from ramet.core.framework import attr_value_pb2
from ramet.framework import constant_op, nest, ops, tensor_shape
from ramet.ops.functions import func_graph

_numbers = itertools.count()


@export('switch_case')
def switch_case(branch_index, branch_fns, default=None, name='switch_case'):
    """Returns the result of the function with the number `branch_index`.

    The functions become functions of the graph's library, which one operation calls. Gradients are
    computed only for the branch that ran.

    Args:
      branch_index: an int32 scalar, a tensor.
      branch_fns: a list of functions without arguments, a dict from their numbers, or a list of
        pairs of number and function. The numbers are 0 to n-1. They return tensors or structures.
      default: a function for other numbers. Without it, other numbers select the last function.
      name: the name of the scope.

    Returns:
      The result of the functions, with the values of the selected branch.

    Raises:
      TypeError: if branch_index is not an integer tensor, branch_fns is not a list or dict of functions, or
        the functions return different structures or dtypes.
      ValueError: if there is no function, or the numbers are not 0 to n-1.
    """
    functions = _functions(branch_fns, default)
    if not isinstance(branch_index, ops.Tensor) and not hasattr(
            branch_index, '_dense_var_to_tensor'):
        raise TypeError(f"'branch_index' must be a Tensor, got {type(branch_index)}")
    branch_index = ops.convert_to_tensor(branch_index)
    if not branch_index.dtype.is_integer:
        raise TypeError(f"'branch_index' must be an integer Tensor, got {branch_index.dtype!r}")
    if ops.executing_eagerly():
        number = int(branch_index)
        return functions[number if 0 <= number < len(functions) else -1]()
    with ops.name_scope(name, 'case', [branch_index]):
        with ops.name_scope('indexed_case') as scope:
            return _case(branch_index, functions, scope)


def _functions(branch_fns, default):
    if not isinstance(branch_fns, (list, tuple, dict)):
        raise TypeError("'branch_fns' must be a list, tuple, or dict")
    pairs = list(branch_fns.items() if isinstance(branch_fns, dict) else branch_fns)
    if not pairs:
        raise ValueError("Must provide at least one item in 'branch_fns'")
    if all(callable(p) for p in pairs):
        pairs = list(enumerate(pairs))
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"Each entry in 'branch_fns' must be a 2-tuple. Received {pair}.")
        if not isinstance(pair[0], int):
            raise TypeError(f'key must be a Python `int`, got {type(pair[0])}')
        if not callable(pair[1]):
            raise TypeError(f'fn for key {pair[0]} must be callable.')
    pairs.sort(key=lambda pair: pair[0])
    if [key for key, _ in pairs] != list(range(len(pairs))):
        found = ','.join(str(key) for key, _ in pairs)
        raise ValueError('branch indices (keys) must form contiguous range of '
                         f'[0 to {len(pairs)}) but found {{{found}}}')
    functions = [function for _, function in pairs]
    if default is None:
        return functions
    if not callable(default):
        raise TypeError("'default' must be callable.")
    return [*functions, default]


class _Branch:
    """A branch as a graph, with the tensors that its function returned."""

    def __init__(self, function):
        self.graph = func_graph.FuncGraph(lambda tensor: tensor.op.name)
        with self.graph.writing():
            self.structure = nest.map_structure(
                self._tensor, function(), expand_composites=True)
            flat = nest.flatten(self.structure, expand_composites=True)
            self.outputs = [t for t in flat if t is not None]

    def _tensor(self, value):
        if value is None:
            return None
        if isinstance(value, ops.Operation):
            with ops.control_dependencies([value]):
                return constant_op.constant(0)
        return self.graph.capture(ops.convert_to_tensor(value))


def _check_same(branches):
    first = branches[0]
    for i, other in enumerate(branches[1:], 1):
        try:
            nest.assert_same_structure(first.structure, other.structure, expand_composites=True)
            same = [t.dtype for t in first.outputs] == [t.dtype for t in other.outputs]
            details = 'The dtypes differ.'
        except (TypeError, ValueError) as error:
            same, details = False, str(error)
        if not same:
            raise TypeError(
                f'branches[0] and branches[{i}] arguments to tf.switch_case must have the same '
                'number, type, and overall structure of return values.\n\n'
                f'branches[0] output: {first.structure}\nbranches[{i}] output: {other.structure}'
                f'\n\nError details:\n{details}')


def _common_shape(shapes):
    """Returns the static shape that is common to all branches."""
    first = shapes[0]
    if any(s.ndims is None or s.ndims != first.ndims for s in shapes):
        return tensor_shape.TensorShape(None)
    sizes = zip(*(s.as_list() for s in shapes), strict=True)
    return tensor_shape.TensorShape(
        [size[0] if len(set(size)) == 1 else None for size in sizes])


def _case(branch_index, functions, scope):
    branches = [_Branch(function) for function in functions]
    _check_same(branches)
    graph = ops.get_default_graph()
    captured = list(dict.fromkeys(
        tensor for branch in branches for tensor in branch.graph.external_captures))
    names = []
    for i, branch in enumerate(branches):
        own = dict(zip(branch.graph.external_captures, branch.graph.internal_captures,
                       strict=True))
        branch.graph.inputs = [
            own[t] if t in own else branch.graph._placeholder(
                t.dtype.base_dtype, t.shape, 'placeholder') for t in captured]
        names.append(_define(graph, branch, scope, i))
    stateful = any(branch.graph.stateful_operations() for branch in branches)
    shapes = [_common_shape([t.shape for t in same])
              for same in zip(*(b.outputs for b in branches), strict=True)]
    make = gen.Case if stateful else gen.StatelessCase
    made = make(branch_index, captured, [t.dtype for t in branches[0].outputs], names, shapes,
                name=scope)
    op = made if isinstance(made, ops.Operation) else made[0].op
    op._set_attr('_lower_using_switch_merge', _true())
    with ops.name_scope(scope):
        results = [gen.Identity(tensor) for tensor in op.outputs]
    for tensor, shape in zip(results, shapes, strict=True):
        tensor.set_shape(shape)
    return _packed(branches[0].structure, results)


def _define(graph, branch, scope, i):
    name = f'{scope.replace("/", "_")}branch{i}_{next(_numbers)}'
    name = _core.unique_function_name(graph, name)
    made = func_graph.definition_of(branch.graph, name, branch.graph.inputs, branch.outputs)
    func_graph.add_functions(graph, [*branch.graph.functions(), made])
    return name


def _true():
    return attr_value_pb2.AttrValue(b=True)


def _packed(structure, results):
    """Returns the structure of a branch's result, with its tensors replaced by the given ones."""
    waiting = iter(results)
    flat = [None if t is None else next(waiting)
            for t in nest.flatten(structure, expand_composites=True)]
    return nest.pack_sequence_as(structure, flat, expand_composites=True)
