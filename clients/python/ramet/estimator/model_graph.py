"""The graph of a model, and its metrics."""

from ramet.framework import ops
from ramet.framework.random_seed import set_random_seed
from ramet.ops.control_flow import control_flow_ops


class ModelGraph:
    """A new graph with the seed and devices of a RunConfig, and a global step, as a context manager."""

    def __init__(self, config, create_global_step):
        """Creates the graph.

        Args:
          config: a RunConfig.
          create_global_step: a function that adds the global step to a graph.
        """
        self._config = config
        self._create_global_step = create_global_step
        self._graph = ops.Graph()

    def __enter__(self):
        self._scopes = [self._graph.as_default()]
        self._scopes[0].__enter__()
        if self._config.device_fn is not None:
            self._scopes.append(self._graph.device(self._config.device_fn))
            self._scopes[1].__enter__()
        set_random_seed(self._config.tf_random_seed)
        self._create_global_step(self._graph)
        return self._graph

    def __exit__(self, *error):
        for scope in reversed(self._scopes):
            scope.__exit__(*error)


def merged_metrics(found):
    """Returns (one operation that updates all metrics, a dict from names to values).

    Args:
      found: a dict from names to pairs (value, update operation).
    """
    updates, values = [], {}
    for name, (value, update) in sorted(found.items()):
        values[name] = value
        updates.append(update)
    return control_flow_ops.group(*updates) if updates else None, values
