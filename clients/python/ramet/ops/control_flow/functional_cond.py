"""tf.cond as a node that calls one of two functions."""

from ramet import gen
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import branch_graphs


def cond(pred, true_fn, false_fn, name):
    """Adds an If node; see tf.cond.

    Args:
      pred: the condition, a tensor. Numbers other than zero, and strings that are not empty, are true.
      true_fn: a function without arguments.
      false_fn: a function without arguments.
      name: the name of the node.

    Returns:
      The result of the functions.

    Raises:
      TypeError: if they return different structures or dtypes.
    """
    with ops.name_scope(name, 'cond', [pred]) as scope:
        pred = ops.convert_to_tensor(pred)
        if pred.shape.ndims != 0:
            pred = array_ops.squeeze(pred)
        outer = ops.get_default_graph()
        branches = []
        for function in (true_fn, false_fn):
            with outer.as_default():
                branches.append(branch_graphs.Branch(function, lambda: pred))
        branch_graphs.check_same(branches, ('true_fn', 'false_fn'), 'tf.cond')
        return _node(pred, branches, scope)


def _node(pred, branches, scope):
    graphs = [branch.graph for branch in branches]
    captured = branch_graphs.share_inputs(graphs)
    names = [branch_graphs.add_function(scope, suffix, branch.graph, branch.outputs, branch.controls)
             for suffix, branch in zip(('true', 'false'), branches, strict=True)]
    shapes = branch_graphs.common_shapes(branches)
    make = gen.If if any(branch_graphs.is_stateful(graph) for graph in graphs) else gen.StatelessIf
    dtypes = [tensor.dtype.base_dtype for tensor in branches[0].outputs]
    made = make(pred, captured, dtypes, names[0], names[1], shapes, name=scope)
    results = branch_graphs.outputs_of(made, scope, shapes)
    return branch_graphs.packed(branches[0], results)
