"""Names, tags and collections of summaries."""

import contextlib
import logging
import re

from ramet.framework import ops

_ILLEGAL = re.compile(r'[^-/\w\.]')


def clean(name):
    """Returns a name with characters that are not allowed in node names replaced. None stays None."""
    if name is None:
        return None
    legal = _ILLEGAL.sub('_', name).lstrip('/')
    if legal != name:
        logging.getLogger('tensorflow').info(
            'Summary name %s is illegal; using %s instead.', name, legal)
    return legal


@contextlib.contextmanager
def scope(name, family=None, values=None, default_name=None):
    """Opens the scope of a summary. Yields its tag and the name of its node.

    Args:
      name: str, the name given by the caller.
      family: str or None. It is prefixed to the name, and twice to the tag.
      values: the summary's inputs.
      default_name: the name of the scope if `name` is None.
    """
    name, family = clean(name), clean(family)
    scoped = name if family is None else f'{family}/{name}'
    with ops.name_scope(scoped, default_name, values) as opened:
        tag = opened.rstrip('/')
        yield (tag if family is None else f'{family}/{tag}'), opened or None


def collect(value, collections, otherwise=(ops.GraphKeys.SUMMARIES,)):
    """Adds a summary to the collections, or to those in `otherwise` if None are given."""
    for key in otherwise if collections is None else collections:
        ops.add_to_collection(key, value)
