"""absl.logging if absl is not installed: tf.logging with the levels of absl."""

import logging
import sys

from ramet.lib import tf_logging
from ramet.lib.tf_logging import debug, error, fatal, flush, info, warn, warning  # noqa: F401

FATAL, ERROR, WARNING, INFO, DEBUG = -3, -2, -1, 0, 1
WARN = WARNING
_STANDARD = {FATAL: logging.CRITICAL, ERROR: logging.ERROR, WARNING: logging.WARNING, INFO: logging.INFO,
             DEBUG: logging.DEBUG}
_NAMES = {'fatal': FATAL, 'error': ERROR, 'warning': WARNING, 'warn': WARNING, 'info': INFO, 'debug': DEBUG}


def _standard(level):
    """Returns the level of Python's logging for a level of absl, which counts details above DEBUG upward."""
    return _STANDARD.get(level) or max(logging.DEBUG - (level - DEBUG), 1)


def log(level, msg, *args, **kwargs):
    """Logs `msg % args` at a level of absl."""
    tf_logging.get_logger().log(_standard(level), msg, *args, stacklevel=kwargs.pop('stacklevel', 1) + 1, **kwargs)


def vlog(level, msg, *args, **kwargs):
    """Logs `msg % args` if the verbosity is at least `level`."""
    log(level, msg, *args, stacklevel=kwargs.pop('stacklevel', 1) + 1, **kwargs)


def vlog_is_on(level):
    """Returns whether `vlog` logs at a level."""
    return tf_logging.get_logger().isEnabledFor(_standard(level))


def exception(msg, *args, **kwargs):
    """Logs `msg % args` and the current exception at level ERROR."""
    log(ERROR, msg, *args, exc_info=sys.exc_info(), stacklevel=2, **kwargs)


def log_every_n(level, msg, n, *args):
    """Logs `msg % args` the first time that the calling line is reached, and every n-th time."""
    if tf_logging.times_before() % n == 0:
        log(level, msg, *args, stacklevel=2)


def log_first_n(level, msg, n, *args):
    """Logs `msg % args` the first n times that the calling line is reached."""
    if tf_logging.times_before() < n:
        log(level, msg, *args, stacklevel=2)


def log_if(level, msg, condition, *args):
    """Logs `msg % args` if a condition is true."""
    if condition:
        log(level, msg, *args, stacklevel=2)


def set_verbosity(v):
    """Sets the level below which messages are dropped: a number or name of absl."""
    v = _NAMES[v.lower()] if isinstance(v, str) else v
    tf_logging.get_logger().setLevel(_standard(v))


def get_verbosity():
    """Returns the level below which messages are dropped."""
    level = tf_logging.get_logger().getEffectiveLevel()
    return next((absl for absl, own in _STANDARD.items() if own == level), DEBUG)


def set_stderrthreshold(s):
    """Does nothing: all messages are written to the same place."""


def use_absl_handler():
    """Does nothing: messages are written by the logger named 'tensorflow'."""


def get_absl_logger():
    """Returns the logging.Logger."""
    return tf_logging.get_logger()
