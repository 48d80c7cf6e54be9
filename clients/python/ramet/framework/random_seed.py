"""The graph-level and op-level seeds of random ops."""

import operator

from ramet.api import export
from ramet.framework import stacks

DEFAULT_GRAPH_SEED = 87654321
# Seeds are reduced modulo this number.
LIMIT = 2**31 - 1


@export('get_seed', 'random.get_seed')
def get_seed(op_seed):
    """Returns the pair of seeds for an op of the default graph.

    Args:
      op_seed: int or None.

    Returns:
      (graph seed, op seed), both less than 2**31, or (None, None) if neither is set: the op then
      produces different numbers in each session. If only the graph seed is set, successive ops get
      the op seeds 0, 1, 2, ... If only the op seed is set, the graph seed is 87654321.
    """
    graph = stacks.get_default_graph()
    if op_seed is None and graph.seed is None:
        return None, None
    return graph._seeds_for_op(None if op_seed is None else operator.index(op_seed) % LIMIT)


@export('set_random_seed', 'random.set_random_seed')
def set_random_seed(seed):
    """Sets the seed of the default graph, which all its random ops share.

    Args:
      seed: int.
    """
    stacks.get_default_graph().seed = seed
