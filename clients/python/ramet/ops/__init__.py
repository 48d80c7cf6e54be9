"""Functions that add operations to a graph. The core of graph building is loaded before them."""

from ramet.framework import ops as _ops  # noqa: F401
