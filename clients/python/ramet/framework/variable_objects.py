"""The Python objects of variables, one for each record of a variable in a graph."""

import threading

from ramet import _core

_kinds = {}
_load_kinds = None


class _Watchers(threading.local):
    def __init__(self):
        self.watchers = []


_of_thread = _Watchers()


def watchers():
    """Returns the list of functions of this thread that are called with each variable that is read eagerly."""
    return _of_thread.watchers


def note_access(variable):
    """Calls the watchers of this thread.

    Args:
      variable: the variable that is read.
    """
    for watcher in _of_thread.watchers:
        watcher(variable)


def set_loader(load_kinds):
    """Sets a function that imports the modules of both kinds, which then register themselves.

    Args:
      load_kinds: a function of the kind, as in `kind`. It is called when the kind is first needed.
    """
    global _load_kinds
    _load_kinds = load_kinds


def register_kind(is_resource, variable_class):
    """Sets the class of the objects for one kind of variable. The module of the class calls this.

    Args:
      is_resource: whether it is the class of resource variables or that of reference variables; None for the
        variables of eager execution.
      variable_class: a class with a method `_bind(graph, variable_id)` that returns the object.
    """
    _kinds[is_resource] = variable_class


def kind(is_resource):
    """Returns the class of resource variables, of reference variables, or of those of eager execution.

    Args:
      is_resource: True or False for one of the first two, None for the last.
    """
    key = None if is_resource is None else bool(is_resource)
    if key not in _kinds:
        _load_kinds(key)
    return _kinds[key]


def object_of(graph, variable_id):
    """Returns the object for a record of a variable, and creates it if necessary.

    Args:
      graph: the Graph.
      variable_id: the number of the record in the graph.
    """
    found = graph._variable_objects.get(variable_id)
    if found is not None:
        return found
    variable_class = kind(_core.variable_is_resource(graph, variable_id))
    return variable_class.__new__(variable_class)._bind(graph, variable_id)
