"""Clones: copies of a graph, or of a part of one, with their own state. See `ramet.clone`."""

from ramet.cloning.clone import Clone, CloneError, NoSuchElementError, clone

__all__ = ['Clone', 'CloneError', 'NoSuchElementError', 'clone']
