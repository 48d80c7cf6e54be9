"""Calls of functions that AutoGraph converts, and the choice of these functions.

The modules that convert are imported when the first function is converted.
"""

import contextlib
import functools
import inspect
import sys
import threading
import types

from ramet.api import export
from ramet.autograph.features import STANDARD, ConversionOptions, Feature
from ramet.framework import ops
from ramet.lib import tf_logging

_LIBRARIES = frozenset(('ramet', 'tensorflow', 'tensorflow_core', 'numpy', 'pandas', 'matplotlib', 'PIL', 'keras',
                        'tf_keras', 'absl', 'ipdb', 'mock', 'pytest', '_pytest', 'six'))
_STANDARD_LIBRARY = frozenset(sys.stdlib_module_names) - {'__main__'}
_ARTIFACT = '_ramet_autograph_artifact'


class _Status(threading.local):
    """Holds whether functions are converted in this thread: True, False, or None if no caller decided."""

    enabled = None


_status = _Status()


@contextlib.contextmanager
def conversion(enabled):
    """Decides whether functions are converted: True, False, or None for the default."""
    before, _status.enabled = _status.enabled, enabled
    try:
        yield
    finally:
        _status.enabled = before


def status():
    """Returns whether functions are converted: True, False, or None if no caller decided."""
    return _status.enabled


def autograph_artifact(function):
    """Marks a function that needs no conversion, and returns it."""
    with contextlib.suppress(AttributeError):
        setattr(getattr(function, '__func__', function), _ARTIFACT, True)
    return function


def is_artifact(function):
    """Returns whether a function is marked as one that needs no conversion."""
    return hasattr(function, _ARTIFACT)


def _is_of_library(function):
    root = (getattr(function, '__module__', None) or '').partition('.')[0]
    return root in _LIBRARIES or root in _STANDARD_LIBRARY


def _defining_class(method):
    owner = method.__self__ if inspect.isclass(method.__self__) else type(method.__self__)
    return next((kind for kind in owner.__mro__ if method.__name__ in vars(kind)), owner)


def _is_test_case(kind):
    unittest = sys.modules.get('unittest')
    return unittest is not None and issubclass(kind, unittest.TestCase)


def _is_left_alone(function):
    """Returns whether a callable belongs to a library, or is of a kind that cannot be converted."""
    if inspect.isclass(function) or isinstance(function, (types.BuiltinFunctionType, functools._lru_cache_wrapper)):
        return True
    if not (inspect.isfunction(function) or inspect.ismethod(function)):
        call = type(function).__call__
        return not inspect.isfunction(call) or _is_left_alone(call)
    if _is_of_library(function) or inspect.isgeneratorfunction(function):
        return True
    if inspect.ismethod(function):
        owner = _defining_class(function)
        return _is_test_case(owner) or _is_of_library(owner)
    return function.__code__.co_filename == '<string>'


def converted_call(function, options, /, *args, **kwargs):
    """Calls a function as converted code does: converts it first unless it belongs to a library.

    Args:
      function: any callable.
      options: the ConversionOptions.
      *args: the positional arguments.
      **kwargs: the keyword arguments.

    Returns:
      The result of the function.
    """
    if status() is False or is_artifact(function):
        return function(*args, **kwargs)
    if isinstance(function, functools.partial):
        return converted_call(function.func, options, *function.args, *args, **{**function.keywords, **kwargs})
    if isinstance(function, (type, types.BuiltinFunctionType)):
        return _call_builtin(function, args, kwargs)
    if not options.recursive and not options.user_requested or _is_left_alone(function) and not (
            options.user_requested and hasattr(function, '__code__')):
        return function(*args, **kwargs)
    target = function
    if inspect.ismethod(function):
        target, args = function.__func__, (function.__self__, *args)
    elif not inspect.isfunction(function):
        target, args = type(function).__call__, (function, *args)
    if not inspect.isfunction(target) or is_artifact(target):
        return target(*args, **kwargs)
    made = _converted_or_none(target, options)
    if made is None:
        return target(*args, **kwargs)
    if options.uses(Feature.NAME_SCOPES):
        with ops.name_scope(target.__name__):
            return made(*args, **kwargs)
    return made(*args, **kwargs)


def _call_builtin(function, args, kwargs):
    from ramet.autograph import builtin_functions  # deferred: only converted functions need it

    if builtin_functions.is_builtin(function):
        return builtin_functions.call(function, args, kwargs)
    return function(*args, **kwargs)


_failed = set()


def _converted_or_none(function, options):
    """Returns the converted function, or None, with a warning, if it cannot be converted."""
    from ramet.autograph import errors  # deferred: only programs that convert functions need it

    try:
        return convert_function(function, options)
    except errors.AutoGraphError as error:
        if function.__code__ not in _failed:
            _failed.add(function.__code__)
            tf_logging.warning(
                'AutoGraph could not transform %s and will run it as-is.\nCause: %s\nTo silence this warning, decorate '
                'the function with @tf.autograph.experimental.do_not_convert', function, error)
        return None


def convert_function(function, options):
    """Returns a converted Python function.

    Raises:
      AutoGraphError: if it cannot be converted.
    """
    from ramet.autograph import conversion as compiler  # deferred: only programs that convert functions need it

    return compiler.converted(function, options, _operators())


@functools.cache
def _operators():
    """Returns the object that converted code names ag__."""
    from ramet.autograph import operators  # deferred: only programs that convert functions need it

    own = {'converted_call': converted_call, 'autograph_artifact': autograph_artifact}
    return types.SimpleNamespace(**vars(operators), **own)


def _wrapped(function, wrapper):
    if inspect.isfunction(function) or inspect.ismethod(function):
        wrapper = functools.update_wrapper(wrapper, function)
    return autograph_artifact(wrapper)


def convert(recursive=False, optional_features=None, user_requested=True):
    """Returns a decorator that converts a function when it is called.

    Args:
      recursive: whether functions that it calls are converted too.
      optional_features: a Feature, a collection of them, or None.
      user_requested: whether a function of a library is converted too.
    """
    options = ConversionOptions(recursive, user_requested, optional_features)
    return functools.partial(_converting, options=options)


def _converting(function, options):
    def wrapper(*args, **kwargs):
        with conversion(True):
            return with_lines(converted_call, function, options, *args, **kwargs)

    return _wrapped(function, wrapper)


def with_lines(function, /, *args, **kwargs):
    """Calls a function. The messages of its errors show the lines of converted functions."""
    try:
        return function(*args, **kwargs)
    except Exception as error:
        from ramet.autograph import errors  # deferred: only errors need it
        made = errors.in_user_code(error)
        if made is None:
            raise
        raise made.with_traceback(error.__traceback__) from error.__cause__


def converted(function, optional_features=None):
    """Returns a function that converts itself when it is called, unless the caller's code is not converted.

    Libraries call it for functions that programs pass to them.

    Args:
      function: a callable.
      optional_features: a Feature, a collection of them, or None.
    """
    if is_artifact(function) or status() is False:
        return function
    options = STANDARD if optional_features is None else ConversionOptions(True, False, optional_features)
    return _converting(function, options)


@export('autograph.experimental.do_not_convert', 'contrib.autograph.do_not_convert')
def do_not_convert(func=None):
    """Decorates a function that AutoGraph must not convert, nor the functions that it calls.

    Args:
      func: a function. Without it, the result is a decorator.

    Returns:
      A function with the same arguments and results.
    """
    if func is None:
        return do_not_convert

    def wrapper(*args, **kwargs):
        with conversion(False):
            return func(*args, **kwargs)

    return _wrapped(func, wrapper)
