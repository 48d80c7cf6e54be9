"""The two seeds of a random op: of the graph and of the op."""

import operator

from ramet.api import export

DEFAULT_GRAPH_SEED = 87654321
# Seeds of any size count modulo this.
_LIMIT = 2**31 - 1


@export('get_seed', 'random.get_seed')
def get_seed(op_seed):
    """The pair of seeds for an op of the default graph.

    Args:
        op_seed: int or None.

    Returns:
        (graph seed, op seed), both below 2**31, or (None, None) if neither is set: the op then
        draws other numbers in each session. Where only the graph's is set, the ops that ask get
        0, 1, 2 ... in their order; where only the op's is set, the graph's counts as 87654321.
    """
    from ramet.framework import ops

    graph = ops.get_default_graph()
    if op_seed is None and graph.seed is None:
        return None, None
    return graph._seeds_for_op(None if op_seed is None else operator.index(op_seed) % _LIMIT)


@export('set_random_seed', 'random.set_random_seed')
def set_random_seed(seed):
    """Sets the seed of the default graph, which all its random ops share.

    Args:
        seed: int.
    """
    from ramet.framework import ops

    ops.get_default_graph().seed = seed
