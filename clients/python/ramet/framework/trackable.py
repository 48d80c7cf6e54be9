"""Objects whose state object-based checkpoints save, each under its path of attributes from a root."""


# Functions that restore variables of eager execution that are created after the checkpoint was read. They return
# whether all values have been restored.
restorations = []


def note_new_variables():
    """Restores variables that have become part of an object since a checkpoint of it was read."""
    for restore in list(restorations):
        if restore():
            restorations.remove(restore)


class Trackable:
    """An object that depends on other objects by name.

    A subclass overrides `_trackable_children`.
    """

    def _trackable_children(self):
        """Returns a dict from names to the objects that this one depends on."""
        return {}


class AutoTrackable(Trackable):
    """An object that depends on the values of its attributes."""

    def __setattr__(self, name, value):
        super().__setattr__(name, value)
        if restorations and is_trackable(value):
            note_new_variables()

    def _trackable_children(self):
        return {name: value for name, value in vars(self).items() if is_trackable(value)}


class NoDependency:
    """Holds a value that is not saved with the object of which it is an attribute."""

    def __init__(self, value):
        self.value = value


def _has_state(value):
    return getattr(value, '_checkpoint_value', None) is not None


def _is_collection(value):
    return type(value) in (list, dict, tuple) or isinstance(value, (list, tuple, dict)) and not isinstance(value, str)


def is_trackable(value):
    """Returns whether a value can be a dependency: a trackable object, a variable, or a list or dict of them."""
    if _is_collection(value):
        return any(is_trackable(element) for element in
                   (value.values() if isinstance(value, dict) else value))
    return hasattr(value, '_trackable_children') or _has_state(value)


def children(value):
    """Returns a dict from names to the dependencies of a trackable value. Elements of lists are numbered."""
    if isinstance(value, dict):
        return {str(key): element for key, element in value.items() if is_trackable(element)}
    if isinstance(value, (list, tuple)):
        return {str(i): element for i, element in enumerate(value) if is_trackable(element)}
    find = getattr(value, '_trackable_children', None)
    return {} if find is None else dict(find())
