"""Processes the arguments of partial_run_setup() and partial_run()."""

import itertools

from ramet.client import fetches as fetches_lib
from ramet.framework import nest
from ramet.framework.tensors import Operation

_numbers = itertools.count()


def flat_feeds(feeds):
    """Yields the elements or names in a structure of feeds."""
    for feed in nest.flatten(feeds) if feeds is not None else ():
        yield from fetches_lib.feed_parts(feed)


def handle(feeds, fetches):
    """Returns a unique name for a run, from its feeds, fetches, operations and a number."""
    tensors = [f.name for f in fetches if not isinstance(f, Operation)]
    operations = [f.name for f in fetches if isinstance(f, Operation)]
    fed = ','.join(f.name for f in feeds)
    return f'{fed}->{",".join(tensors)}/{",".join(operations)}/1/;{next(_numbers)}'


def checked_handle(given):
    """Returns the handle as str.

    Raises:
      TypeError: if it is neither a str nor bytes.
    """
    if isinstance(given, bytes):
        return given.decode(errors='replace')
    if not isinstance(given, str):
        raise TypeError(
            f'Argument `handle` must be what partial_run_setup() returned, but got '
            f'"{type(given).__name__}"'
        )
    return given
