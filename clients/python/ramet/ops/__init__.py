"""Functions that add operations to a graph. Loads the core of graph construction first."""

from ramet.framework import ops as _ops  # noqa: F401
