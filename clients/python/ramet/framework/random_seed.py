"""The two seeds of a random op: of the graph and of the op."""

import weakref

from ramet.api import export
from ramet.framework import ops

DEFAULT_GRAPH_SEED = 87654321
_LIMIT = 2**31 - 1
_given_out = weakref.WeakKeyDictionary()


def _next_op_seed(graph):
    seed = _given_out.setdefault(graph, 0)
    _given_out[graph] = seed + 1
    return seed


@export('get_seed', 'random.get_seed')
def get_seed(op_seed):
    """Returns the pair of seeds for an op of the default graph.

    Args:
      op_seed: an integer, or None.

    Returns:
      (graph seed, op seed) below 2**31, or (None, None) if neither is set: the op then draws
      other numbers in each session. Where only the graph's is set, the ops that ask get 0, 1, 2,
      ... in their order; where only the op's is set, the graph's counts as 87654321.
    """
    graph = ops.get_default_graph()
    global_seed = graph.seed
    if global_seed is None:
        if op_seed is None:
            return None, None
        global_seed = DEFAULT_GRAPH_SEED
    elif op_seed is None:
        op_seed = _next_op_seed(graph)
    seeds = global_seed % _LIMIT, op_seed % _LIMIT
    return (0, _LIMIT) if seeds == (0, 0) else seeds


@export('set_random_seed', 'random.set_random_seed')
def set_random_seed(seed):
    """Sets the seed of the default graph, which all its random ops share.

    Args:
      seed: an integer.
    """
    ops.get_default_graph().seed = seed
