"""The ops that graphs use."""

from ramet.api import export


@export('contrib.util.ops_used_by_graph_def')
def ops_used_by_graph_def(graph_def):
    """Returns the types of the ops that a graph and its functions use, as a set.

    Args:
      graph_def: a GraphDef.
    """
    functions = {f.signature.name: f for f in graph_def.library.function}
    used, open_nodes = set(), list(graph_def.node)
    while open_nodes:
        op = open_nodes.pop().op
        if op in functions:
            open_nodes += functions.pop(op).node_def
        used.add(op)
    names = {f.signature.name for f in graph_def.library.function}
    return {op for op in used if op not in names}
