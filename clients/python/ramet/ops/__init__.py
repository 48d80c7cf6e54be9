"""Functions that add operations to a graph."""
