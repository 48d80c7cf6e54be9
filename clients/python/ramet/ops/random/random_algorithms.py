"""The algorithms of random number generators."""

import enum

from ramet.api import export
from ramet.framework import ops


@export('random.Algorithm', 'random.experimental.Algorithm')
class Algorithm(enum.Enum):
    """The algorithms of random number generators."""
    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_BY_NAME = {'philox': Algorithm.PHILOX, 'threefry': Algorithm.THREEFRY,
            'autoselect': Algorithm.AUTO_SELECT}


def unsupported(alg):
    """Returns the text of the error for an algorithm that does not exist."""
    names = list(Algorithm)
    if isinstance(alg, int):
        names = [known.value for known in Algorithm]
    elif isinstance(alg, str):
        names = [known.name.lower() for known in Algorithm]
    return (f'Argument `alg` got unsupported value {alg}. Supported values are {names[0]} for the '
            f'Philox algorithm, {names[1]} for the ThreeFry algorithm, and {names[2]} for '
            'auto-selection.')


def number_of(alg):
    """Returns the number of an algorithm.

    Args:
      alg: an Algorithm, its number or name, or a Tensor, which is returned.

    Raises:
      ValueError: if no algorithm has the name.
      TypeError: if `alg` is something else.
    """
    if isinstance(alg, (int, ops.Tensor)):
        return alg
    if isinstance(alg, Algorithm):
        return alg.value
    if not isinstance(alg, str):
        raise TypeError(f"Can't convert argument `alg` (of value {alg} and type {type(alg)}) to "
                        'int.')
    known = _BY_NAME.get(alg.strip().lower().replace('-', '').replace('_', ''))
    if known is None:
        raise ValueError(unsupported(alg))
    return known.value
