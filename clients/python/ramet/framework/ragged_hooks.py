"""Lets public functions accept ragged tensors.

Tables of public names mark the functions that have an implementation for ragged tensors; `ragged_aware` makes such a
function choose. Programs without ragged tensors pay for one comparison per call: the classes are registered only when
the module of RaggedTensor is imported.
"""

import functools

_classes = ()
_load_operators = None


def set_operators_loader(load):
    """Sets the function that imports the operators of ragged tensors.

    Args:
      load: a function without arguments. It is called once, before the first ragged tensor is made.
    """
    global _load_operators
    _load_operators = load


def load_operators():
    """Installs the operators of ragged tensors, unless that has been done."""
    global _load_operators
    load, _load_operators = _load_operators, None
    if load is not None:
        load()


def set_classes(*classes):
    """Registers the classes of ragged values.

    Args:
      *classes: types.
    """
    global _classes
    _classes = classes


def is_ragged(value):
    """Returns whether a value is a RaggedTensor or a RaggedTensorValue.

    Args:
      value: any value.
    """
    return isinstance(value, _classes)


def has_ragged(values):
    """Returns whether one of some arguments is ragged, or is a list or tuple with a ragged element.

    Args:
      values: an iterable of arguments.
    """
    for value in values:
        if isinstance(value, _classes):
            return True
        if isinstance(value, (list, tuple)) and any(isinstance(v, _classes) for v in value):
            return True
    return False


def ragged_aware(function, load, path):
    """Returns a function that calls another implementation if an argument is ragged.

    Args:
      function: the function for other arguments.
      load: a function without arguments that returns the implementation for ragged tensors.
      path: the public name, under which the result can be pickled.
    """

    @functools.wraps(function)
    def call(*args, **kwargs):
        if _classes and (has_ragged(args) or kwargs and has_ragged(kwargs.values())):
            return load()(*args, **kwargs)
        return function(*args, **kwargs)

    call.__module__, call.__qualname__ = 'ramet.compat.v1', path
    return call
