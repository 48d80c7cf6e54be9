"""tf.switch_case: one of several computations, selected by a number while the graph runs."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.ops.control_flow import branch_graphs


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


def _case(branch_index, functions, scope):
    # An Operation as the result of a branch has no value.
    branches = [branch_graphs.Branch(function, lambda: constant_op.constant(0)) for function in functions]
    names = [f'branches[{i}]' for i in range(len(branches))]
    branch_graphs.check_same(branches, names, 'tf.switch_case')
    graphs = [branch.graph for branch in branches]
    captured = branch_graphs.share_inputs(graphs)
    functions = [branch_graphs.add_function(scope, f'branch{i}', branch.graph, branch.outputs, branch.controls)
                 for i, branch in enumerate(branches)]
    make = gen.Case if any(branch_graphs.is_stateful(graph) for graph in graphs) else gen.StatelessCase
    shapes = branch_graphs.common_shapes(branches)
    made = make(branch_index, captured, [t.dtype for t in branches[0].outputs], functions, shapes, name=scope)
    return branch_graphs.packed(branches[0], branch_graphs.outputs_of(made, scope, shapes))
