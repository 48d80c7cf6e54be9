"""The calls of layers in progress on this thread: the argument `training` of the outer call holds for inner ones."""

import contextlib
import threading

_local = threading.local()


def training():
    """Returns the argument `training` of the call in progress, or None."""
    return getattr(_local, 'training', None)


def inside():
    """Returns whether a layer is being called."""
    return getattr(_local, 'depth', 0) > 0


@contextlib.contextmanager
def entered(value):
    """A context manager around a call. None keeps the argument of the outer call."""
    before, depth = training(), getattr(_local, 'depth', 0)
    _local.training = before if value is None else value
    _local.depth = depth + 1
    try:
        yield
    finally:
        _local.training, _local.depth = before, depth
