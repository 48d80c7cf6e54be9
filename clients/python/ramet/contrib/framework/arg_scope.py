"""Scopes that set default arguments of functions."""

import contextlib
import functools
import inspect

from ramet.api import export

_stack = [{}]
_with_defaults = {}


def _arguments_with_defaults(function):
    found = inspect.signature(function).parameters.values()
    return tuple(p.name for p in found if p.default is not p.empty)


@export('contrib.framework.current_arg_scope')
def current_arg_scope():
    """Returns the open scope: a dict from the keys of functions to dicts of their arguments."""
    return _stack[-1]


@export('contrib.slim.arg_scope_func_key')
def arg_scope_func_key(op):
    """Returns the key of a function in an argument scope.

    Args:
      op: the function.
    """
    return getattr(op, '_key_op', str(op))


@export('contrib.framework.has_arg_scope')
def has_arg_scope(func):
    """Returns whether a function is decorated with add_arg_scope.

    Args:
      func: the function.
    """
    return arg_scope_func_key(func) in _with_defaults


@export('contrib.framework.arg_scoped_arguments')
def arg_scoped_arguments(func):
    """Returns the names of the arguments of a function that an argument scope can set, as a tuple.

    Args:
      func: the function.

    Raises:
      AssertionError: if the function is not decorated with add_arg_scope.
    """
    assert has_arg_scope(func)
    return _with_defaults[arg_scope_func_key(func)]


def _merged(functions, arguments):
    scope = dict(current_arg_scope())
    for function in functions:
        key = arg_scope_func_key(function)
        if key not in _with_defaults:
            name = f'{function.__module__}.{function.__name__}'
            raise ValueError(f'{name} is not decorated with @add_arg_scope')
        scope[key] = {**scope.get(key, {}), **arguments}
    return scope


@export('contrib.framework.arg_scope')
@contextlib.contextmanager
def arg_scope(list_ops_or_scope, **kwargs):
    """Sets default arguments of functions that are decorated with add_arg_scope, inside the context.

    Args:
      list_ops_or_scope: a list of functions, or a scope that an earlier arg_scope returned.
      **kwargs: the arguments. Inner scopes and the calls themselves take precedence.

    Yields:
      The scope, a dict that can be passed to a later arg_scope.

    Raises:
      TypeError: if `list_ops_or_scope` is neither a list, a tuple nor a dict.
      ValueError: if a function is not decorated, or if both a scope and arguments are given.
    """
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError('When attempting to re-use a scope by suppling a'
                             'dictionary, kwargs must be empty.')
        scope = dict(list_ops_or_scope)
    elif isinstance(list_ops_or_scope, (list, tuple)):
        scope = _merged(list_ops_or_scope, kwargs)
    else:
        raise TypeError('list_ops_or_scope must either be a list/tuple or reused scope (i.e. dict)')
    _stack.append(scope)
    try:
        yield scope
    finally:
        _stack.pop()


@export('contrib.framework.add_arg_scope')
def add_arg_scope(func):
    """Decorates a function so that arg_scope can set its default arguments.

    Args:
      func: the function.
    """
    key = arg_scope_func_key(func)

    @functools.wraps(func)
    def func_with_args(*args, **kwargs):
        defaults = _stack[-1].get(key)
        return func(*args, **{**defaults, **kwargs}) if defaults else func(*args, **kwargs)

    _with_defaults[key] = _arguments_with_defaults(func)
    func_with_args._key_op = key
    return func_with_args
