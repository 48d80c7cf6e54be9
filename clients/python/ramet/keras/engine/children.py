"""The objects that a layer, a model or an optimizer owns by its attributes: variables, layers and lists of them."""

from ramet.ops.variables.variable_base import Variable


class Children:
    """Tracks attributes. A subclass of it finds its variables and layers, and checkpoints find their names.

    Attributes that begin with an underscore and hold lists belong to the class itself and are not tracked.
    """

    def __setattr__(self, name, value):
        known = self.__dict__.setdefault('_children', {})
        known.pop(name, None)
        if _is_tracked(value) and not (name.startswith('_') and isinstance(value, (list, tuple, dict))):
            known[name] = value
        object.__setattr__(self, name, value)

    def _checkpoint_children(self):
        """Returns a dict from the names in checkpoints to tracked objects."""
        return dict(self.__dict__.get('_children', {}))

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


def children_of(value):
    """Returns a dict from names to the tracked objects that an object, list or dict holds directly."""
    if isinstance(value, Children):
        own = value._checkpoint_children()
        return {name: child for name, child in own.items() if next(flat(child), None) is not None}
    if isinstance(value, (list, tuple)):
        return {str(i): v for i, v in enumerate(value) if _is_tracked(v)}
    if isinstance(value, dict):
        return {str(k): v for k, v in value.items() if _is_tracked(v)}
    return {}


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
