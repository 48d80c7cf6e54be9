"""Clones: a graph, or a part of one, copied with state of its own. `ramet.clone` is the entry."""

from ramet.cloning.clone import Clone, CloneError, clone

__all__ = ['Clone', 'CloneError', 'clone']
