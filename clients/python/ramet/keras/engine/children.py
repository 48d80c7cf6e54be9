"""The objects that a layer, a model or an optimizer owns by its attributes: variables, layers and lists of them."""

from ramet.framework import trackable
from ramet.ops.variables.variable_base import Variable


class Children:
    """Tracks attributes. A subclass of it finds its variables and layers, and checkpoints find their names.

    A subclass lists in `_untracked` its attributes with variables and layers that it keeps track of in a different way.
    """

    _untracked = ()

    def __setattr__(self, name, value):
        known = self.__dict__.setdefault('_children', {})
        known.pop(name, None)
        if name not in self._untracked and _is_tracked(value):
            known[name] = value
        object.__setattr__(self, name, value)

    def _trackable_children(self):
        """Returns a dict from the names in checkpoints to tracked objects."""
        found = {name: child for name, child in self.__dict__.get('_children', {}).items()
                 if next(flat(child), None) is not None}
        others = {name: value for name, value in vars(self).items()
                  if name not in found and not name.startswith('_') and trackable.is_trackable(value)}
        return {**found, **others}

    def __delattr__(self, name):
        self.__dict__.get('_children', {}).pop(name, None)
        object.__delattr__(self, name)


def _is_tracked(value):
    if isinstance(value, (Variable, Children)):
        return True
    if isinstance(value, dict):
        return bool(value) and any(_is_tracked(v) for v in value.values())
    # A list may get its layers later.
    return isinstance(value, list) or (isinstance(value, tuple) and any(_is_tracked(v) for v in value))


def flat(value):
    """Yields the Variables and Children that an attribute holds, also inside lists and dicts."""
    if isinstance(value, (Variable, Children)):
        yield value
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from flat(item)
    elif isinstance(value, dict):
        for key in sorted(value, key=str):
            yield from flat(value[key])


def owned(parent):
    """Yields the Variables and Children in the attributes of an object, each once."""
    seen = set()
    for value in list(parent.__dict__.get('_children', {}).values()):
        for item in flat(value):
            if id(item) not in seen:
                seen.add(id(item))
                yield item
