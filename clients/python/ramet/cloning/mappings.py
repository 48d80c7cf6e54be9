"""Mappings from originals to copies, which compute their items on demand."""

import collections.abc


class Copies(collections.abc.Mapping):
    """A mapping from the originals of one kind to their copies."""

    def __init__(self, clone, kind, originals):
        self._clone, self._kind, self._list = clone, kind, originals
        self._originals = None

    def _all(self):
        if self._originals is None:
            self._originals = self._list()
        return self._originals

    def _copy(self, original):
        if not isinstance(original, self._kind) or original.graph is not self._clone.source:
            return None
        copy = self._clone._core.transformed(original)
        return None if copy is original else copy

    def __getitem__(self, original):
        copy = self._copy(original)
        if copy is None:
            raise KeyError(original)
        return copy

    def __contains__(self, original):
        return self._copy(original) is not None

    def __iter__(self):
        return iter(self._all())

    def __len__(self):
        return len(self._all())

    def __repr__(self):
        kind = self._kind.__name__.lower()
        return f'<{len(self)} of {self._clone!r} by their originals, {kind}s>'
