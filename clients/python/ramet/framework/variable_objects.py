"""The Python objects of variables, one for each record of a variable in a graph."""

from ramet import _core

_kinds = {}
_load_kinds = None


def set_loader(load_kinds):
    """Sets a function that imports the modules of both kinds, which then register themselves.

    Args:
      load_kinds: a function without arguments. It is called when a kind is first needed.
    """
    global _load_kinds
    _load_kinds = load_kinds


def register_kind(is_resource, variable_class):
    """Sets the class of the objects for one kind of variable. The module of the class calls this.

    Args:
      is_resource: whether it is the class of resource variables or that of reference variables.
      variable_class: a class with a method `_bind(graph, variable_id)` that returns the object.
    """
    _kinds[is_resource] = variable_class


def kind(is_resource):
    """Returns the class of resource variables or that of reference variables.

    Args:
      is_resource: which of the two.
    """
    if not _kinds:
        _load_kinds()
    return _kinds[bool(is_resource)]


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
