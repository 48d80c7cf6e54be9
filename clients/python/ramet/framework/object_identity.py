"""References that compare by identity, for dicts and sets of tensors and variables."""


class Reference:
    """A hashable reference to an object. References to the same object are equal."""

    __slots__ = ('_wrapped', '__weakref__')

    def __init__(self, wrapped):
        """Creates a reference, which keeps the object alive."""
        self._wrapped = wrapped

    def deref(self):
        """Returns the object."""
        return self._wrapped

    def __eq__(self, other):
        if not isinstance(other, Reference):
            return NotImplemented
        return self._wrapped is other._wrapped

    def __hash__(self):
        return id(self._wrapped)

    def __repr__(self):
        return f'<Reference wrapping {self._wrapped!r}>'
