"""meshgrid."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_basics, array_fill, array_join


@export('meshgrid')
def meshgrid(*args, **kwargs):
    """Broadcasts 1-D coordinates to a grid.

    Args:
      *args: 1-D tensors of one dtype.
      **kwargs: `indexing`: 'xy' (the default, which swaps the first two dimensions) or 'ij'; `name`.

    Returns:
      A list with one tensor per argument, each with the rank of the grid.

    Raises:
      TypeError: if there are other keywords.
      ValueError: if `indexing` is something else.
    """
    indexing = kwargs.pop('indexing', 'xy')
    name = kwargs.pop('name', 'meshgrid')
    if kwargs:
        raise TypeError(f"'{next(iter(kwargs))}' is an invalid keyword argument for this function")
    if indexing not in ('xy', 'ij'):
        raise ValueError("Argument `indexing` parameter must be either 'xy' or 'ij', got "
                         f"'{indexing}'")
    with ops.name_scope(name, 'meshgrid', args):
        return _grid(args, indexing) if args else []


def _grid(args, indexing):
    rank = len(args)
    axes = []
    for i, coordinates in enumerate(args):
        lone = [-1 if k == i else 1 for k in range(rank)]
        axes.append(gen.Reshape(array_join.stack(coordinates), lone))
    sizes = [array_basics.size(coordinates) for coordinates in args]
    dtype = ops.convert_to_tensor(args[0]).dtype.base_dtype
    if indexing == 'xy' and rank > 1:
        tail = [1] * (rank - 2)
        axes[0] = gen.Reshape(axes[0], [1, -1] + tail)
        axes[1] = gen.Reshape(axes[1], [-1, 1] + tail)
        sizes[0], sizes[1] = sizes[1], sizes[0]
    whole = array_fill.ones(sizes, dtype)
    return [gen.Mul(axis, whole, name='mul') for axis in axes]
