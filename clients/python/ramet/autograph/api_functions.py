"""tf.autograph: conversion of functions that programs ask for."""

import ast
import functools
import inspect

from ramet.api import export
from ramet.autograph import calls
from ramet.autograph.errors import ConversionError
from ramet.autograph.features import ConversionOptions, Feature
from ramet.docstrings import with_args_of


def _function_of(entity):
    if not hasattr(entity, '__code__'):
        raise ConversionError(
            f"converting {entity}: ValueError: Cannot apply autograph to a function that doesn't expose a __code__ "
            'object. If this is a @tf.function, try passing f.python_function instead.')
    return entity.__func__ if inspect.ismethod(entity) else entity


def _converted(entity, recursive, features):
    function = _function_of(entity)
    return function, calls.convert_function(function, ConversionOptions(recursive, True, features))


@export('autograph.to_graph')
def to_graph(entity, recursive=True, arg_values=None, arg_types=None, experimental_optional_features=None):
    """Returns a function in which Python's control flow on tensors is control flow of the graph.

    Conditionals, loops, `and`, `or`, `not`, `break`, `continue` and early returns whose conditions are tensors become
    tf.cond and tf.while_loop; other statements run as in Python.

    Args:
      entity: a Python function or method. A method becomes a function whose first argument is `self`.
      recursive: whether the functions of the program that it calls are converted too.
      arg_values: ignored.
      arg_types: ignored.
      experimental_optional_features: a Feature, a collection of them, or None.

    Returns:
      The converted function.

    Raises:
      ConversionError: if the source cannot be read, or it contains a statement that cannot be converted.
    """
    function, made = _converted(entity, recursive, experimental_optional_features)

    @functools.wraps(made)
    def wrapper(*args, **kwargs):
        with calls.conversion(True):
            return made(*args, **kwargs)

    return calls.autograph_artifact(wrapper)


@export('autograph.to_code')
@with_args_of(to_graph)
def to_code(entity, recursive=True, arg_values=None, arg_types=None, indentation='  ',
            experimental_optional_features=None):
    """Returns the source of the function that tf.autograph.to_graph makes.

    Args:
      indentation: ignored.

    Raises:
      ConversionError: if the function cannot be converted.
    """
    return ast.unparse(_converted(entity, recursive, experimental_optional_features)[1]._ramet_tree) + '\n'


@export('contrib.autograph.to_graph')
@with_args_of(to_graph)
def contrib_to_graph(e, recursive=True, verbose=False, arg_values=None, arg_types=None, partial_types=None,
                     strip_decorators=None, optional_features=Feature.ALL):
    """Like tf.autograph.to_graph.

    Args:
      e: a Python function or method.
      verbose: ignored.
      partial_types: ignored.
      strip_decorators: ignored.
      optional_features: a Feature, a collection of them, or None.

    Returns:
      The converted function.

    Raises:
      ConversionError: if the function cannot be converted.
    """
    return to_graph(e, recursive, experimental_optional_features=optional_features)


@export('contrib.autograph.to_code')
@with_args_of(contrib_to_graph)
def contrib_to_code(e, recursive=True, arg_values=None, arg_types=None, partial_types=None, indentation='  ',
                    optional_features=Feature.ALL):
    """Like tf.autograph.to_code.

    Args:
      indentation: ignored.

    Raises:
      ConversionError: if the function cannot be converted.
    """
    return to_code(e, recursive, experimental_optional_features=optional_features)


@export('contrib.autograph.convert')
@with_args_of(contrib_to_graph)
def contrib_convert(recursive=False, verbose=False, optional_features=Feature.ALL):
    """Returns a decorator that converts a function when it is called."""
    return calls.convert(recursive, optional_features)


@export('autograph.experimental.set_loop_options', 'contrib.autograph.set_loop_options')
def set_loop_options(parallel_iterations=None, swap_memory=None, maximum_iterations=None, shape_invariants=None):
    """Sets arguments of the tf.while_loop that AutoGraph makes of the loop that contains the call.

    Elsewhere it has no effect.

    Args:
      parallel_iterations: as in tf.while_loop.
      swap_memory: as in tf.while_loop.
      maximum_iterations: as in tf.while_loop.
      shape_invariants: a list of pairs of a variable's value before the loop and its TensorShape.
    """


@export('autograph.set_verbosity')
def set_verbosity(level, alsologtostdout=False):
    """Sets how much AutoGraph reports. Ramet has one warning, for functions that it cannot convert.

    Args:
      level: int; ignored.
      alsologtostdout: ignored.
    """


@export('autograph.trace')
def trace(*args):
    """Prints values while the graph is built.

    Args:
      *args: any values.
    """
    print(*args)
