"""tf.logging: logging with Python's logger named 'tensorflow'."""

import collections
import itertools
import logging
import sys
import threading

from ramet.api import export, export_value

DEBUG = logging.DEBUG
INFO = logging.INFO
WARN = logging.WARNING
ERROR = logging.ERROR
FATAL = logging.CRITICAL

export_value('logging.DEBUG', DEBUG)
export_value('logging.INFO', INFO)
export_value('logging.WARN', WARN)
export_value('logging.ERROR', ERROR)
export_value('logging.FATAL', FATAL)

_lock = threading.Lock()
_logger = None
_counts = collections.defaultdict(itertools.count)


def _make_logger():
    logger = logging.getLogger('tensorflow')
    if logging.getLogger().handlers or logger.handlers:
        return logger
    interactive = hasattr(sys, 'ps1') or sys.flags.interactive
    if interactive:
        logger.setLevel(INFO)
    handler = logging.StreamHandler(sys.stdout if interactive else sys.stderr)
    handler.setFormatter(logging.Formatter(logging.BASIC_FORMAT))
    logger.addHandler(handler)
    return logger


@export('get_logger')
def get_logger():
    """Returns the logging.Logger. It writes to stderr unless the root logger is configured."""
    global _logger
    with _lock:
        if _logger is None:
            _logger = _make_logger()
        return _logger


def _log(level, msg, args, kwargs):
    """Logs on behalf of the caller of the calling function."""
    stack_level = kwargs.pop('stacklevel', 1) + 2
    get_logger().log(level, msg, *args, stacklevel=stack_level, **kwargs)


@export('logging.log')
def log(level, msg, *args, **kwargs):
    """Logs `msg % args` at a level.

    Args:
      level: the level, such as tf.logging.INFO.
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(level, msg, args, kwargs)


@export('logging.debug')
def debug(msg, *args, **kwargs):
    """Logs `msg % args` at level DEBUG.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(DEBUG, msg, args, kwargs)


@export('logging.info')
def info(msg, *args, **kwargs):
    """Logs `msg % args` at level INFO.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(INFO, msg, args, kwargs)


@export('logging.warn')
def warn(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(WARN, msg, args, kwargs)


@export('logging.warning')
def warning(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(WARN, msg, args, kwargs)


@export('logging.error')
def error(msg, *args, **kwargs):
    """Logs `msg % args` at level ERROR.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(ERROR, msg, args, kwargs)


@export('logging.fatal')
def fatal(msg, *args, **kwargs):
    """Logs `msg % args` at level FATAL. The program continues.

    Args:
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(FATAL, msg, args, kwargs)


@export('logging.vlog')
def vlog(level, msg, *args, **kwargs):
    """Logs `msg % args` at a level, like `log`.

    Args:
      level: the level.
      msg: str, the message or format.
      *args: the arguments of the format.
      **kwargs: the keyword arguments of logging.Logger.log.
    """
    _log(level, msg, args, kwargs)


@export('logging.TaskLevelStatusMessage')
def TaskLevelStatusMessage(msg):
    """Logs `msg` at level ERROR.

    Args:
      msg: str, the message.
    """
    _log(ERROR, msg, (), {})


def times_before():
    """Returns how often the line that called the caller has been reached before."""
    frame = sys._getframe(2)
    return next(_counts[frame.f_code.co_filename, frame.f_lineno])


@export('logging.log_every_n')
def log_every_n(level, msg, n, *args):
    """Logs `msg % args` the first time that the calling line is reached, and every n-th time.

    Args:
      level: the level.
      msg: str, the message or format.
      n: int.
      *args: the arguments of the format.
    """
    if times_before() % n == 0:
        _log(level, msg, args, {})


@export('logging.log_first_n')
def log_first_n(level, msg, n, *args):
    """Logs `msg % args` the first n times that the calling line is reached.

    Args:
      level: the level.
      msg: str, the message or format.
      n: int.
      *args: the arguments of the format.
    """
    if times_before() < n:
        _log(level, msg, args, {})


@export('logging.log_if')
def log_if(level, msg, condition, *args):
    """Logs `msg % args` if a condition holds.

    Args:
      level: the level.
      msg: str, the message or format.
      condition: whether to log.
      *args: the arguments of the format.
    """
    if condition:
        _log(level, msg, args, {})


@export('logging.set_verbosity')
def set_verbosity(v):
    """Sets the level below which messages are dropped.

    Args:
      v: the level, such as tf.logging.INFO or 'INFO'.
    """
    get_logger().setLevel(v)


@export('logging.get_verbosity')
def get_verbosity():
    """Returns the level below which messages are dropped."""
    return get_logger().getEffectiveLevel()


@export('logging.flush')
def flush():
    """Flushes the handlers of the logger."""
    for handler in get_logger().handlers:
        handler.flush()
