"""A base class of objects that cannot be copied, because they belong to a graph or a process."""


class Uncopyable:
    """A base class of objects that copy.deepcopy and pickle reject with a TypeError.

    copy.copy creates a second object with the same attributes, as for other classes.
    """

    __slots__ = ()
    _instead = 'it belongs to a graph'  # the reason, and what to do instead

    def __copy__(self):
        made = object.__new__(type(self))
        made.__dict__.update(self.__dict__)
        return made

    def __reduce_ex__(self, protocol):
        raise TypeError(f"cannot pickle '{type(self).__name__}' object: {self._instead}")

