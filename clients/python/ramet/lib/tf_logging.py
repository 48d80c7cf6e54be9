"""tf.logging: messages of the logger named 'tensorflow', on Python's logging."""

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
    """The logging.Logger of messages; it writes to stderr unless the root logger is set up."""
    global _logger
    with _lock:
        if _logger is None:
            _logger = _make_logger()
        return _logger


def _log(level, msg, args, kwargs):
    """Logs for the caller of the function that calls this."""
    stack_level = kwargs.pop('stacklevel', 1) + 2
    get_logger().log(level, msg, *args, stacklevel=stack_level, **kwargs)


@export('logging.log')
def log(level, msg, *args, **kwargs):
    """Logs `msg % args` at a level; keywords are those of logging.Logger.log."""
    _log(level, msg, args, kwargs)


@export('logging.debug')
def debug(msg, *args, **kwargs):
    """Logs `msg % args` at level DEBUG."""
    _log(DEBUG, msg, args, kwargs)


@export('logging.info')
def info(msg, *args, **kwargs):
    """Logs `msg % args` at level INFO."""
    _log(INFO, msg, args, kwargs)


@export('logging.warn')
def warn(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN."""
    _log(WARN, msg, args, kwargs)


@export('logging.warning')
def warning(msg, *args, **kwargs):
    """Logs `msg % args` at level WARN."""
    _log(WARN, msg, args, kwargs)


@export('logging.error')
def error(msg, *args, **kwargs):
    """Logs `msg % args` at level ERROR."""
    _log(ERROR, msg, args, kwargs)


@export('logging.fatal')
def fatal(msg, *args, **kwargs):
    """Logs `msg % args` at level FATAL; the program goes on."""
    _log(FATAL, msg, args, kwargs)


@export('logging.vlog')
def vlog(level, msg, *args, **kwargs):
    """Logs `msg % args` at a level, as `log` does."""
    _log(level, msg, args, kwargs)


@export('logging.TaskLevelStatusMessage')
def TaskLevelStatusMessage(msg):
    """Logs `msg` at level ERROR."""
    _log(ERROR, msg, (), {})


def _times_before():
    """How often the line that called the caller of this was here before."""
    frame = sys._getframe(2)
    return next(_counts[frame.f_code.co_filename, frame.f_lineno])


@export('logging.log_every_n')
def log_every_n(level, msg, n, *args):
    """Logs `msg % args` the first time that the calling line is reached, and every n-th time."""
    if _times_before() % n == 0:
        _log(level, msg, args, {})


@export('logging.log_first_n')
def log_first_n(level, msg, n, *args):
    """Logs `msg % args` the first n times that the calling line is reached."""
    if _times_before() < n:
        _log(level, msg, args, {})


@export('logging.log_if')
def log_if(level, msg, condition, *args):
    """Logs `msg % args` if the condition holds."""
    if condition:
        _log(level, msg, args, {})


@export('logging.set_verbosity')
def set_verbosity(v):
    """Sets the level below which messages are dropped: tf.logging.INFO, 'INFO', ..."""
    get_logger().setLevel(v)


@export('logging.get_verbosity')
def get_verbosity():
    """The level below which messages are dropped."""
    return get_logger().getEffectiveLevel()


@export('logging.flush')
def flush():
    """Writes out what the handlers of the logger hold back."""
    for handler in get_logger().handlers:
        handler.flush()
