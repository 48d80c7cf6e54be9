"""Static shapes: what is known about the shape of a tensor before the graph runs."""

import functools
import itertools
import operator

from ramet.api import export
from ramet.core.framework import tensor_shape_pb2
from ramet.framework.dimension import (  # noqa: F401 - also accessible through this module
    Dimension,
    _as_size,
    as_dimension,
    dimension_value,
)

# The greatest number of dimensions of a tensor, as in TensorFlow.
MAX_RANK = 254


@export('dimension_at_index', 'compat.dimension_at_index')
def dimension_at_index(shape, index):
    """Returns the Dimension of a shape at an index.

    Args:
      shape: a TensorShape. If its rank is unknown, so is the result.
      index: an int.

    Raises:
      IndexError: if the rank is known and index is out of range.
    """
    return Dimension(None) if shape._dims is None else shape.dims[index]


def bounded(sizes):
    """Returns the elements of an iterable of sizes, which may be endless, as a list.

    Raises:
      ValueError: if there are more than MAX_RANK.
    """
    found = list(itertools.islice(sizes, MAX_RANK + 1))
    if len(found) > MAX_RANK:
        raise ValueError(f'a tensor has at most {MAX_RANK} dimensions, but the shape has more')
    return found


def _is_shape_proto(value):
    descriptor = getattr(type(value), 'DESCRIPTOR', None)
    return getattr(descriptor, 'full_name', None) == 'tensorflow.TensorShapeProto'


def _sizes_of(dims):
    """Returns the sizes of a shape as a tuple of int or None; None if the rank is unknown."""
    if isinstance(dims, (tuple, list)):
        return tuple([d if type(d) is bool else _as_size(d) for d in dims])
    if dims is None:
        return None
    if isinstance(dims, TensorShape):
        return dims._dims
    if _is_shape_proto(dims):
        if dims.unknown_rank:
            return None
        return tuple([d.size if d.size != -1 else None for d in dims.dim])
    try:
        sizes = iter(dims)
    except TypeError:
        return (Dimension(dims)._value,)
    return tuple([_size_of_item(size, dims) for size in bounded(sizes)])


def _size_of_item(size, dims):
    try:
        return Dimension(size)._value
    except TypeError:
        raise TypeError(
            f"Failed to convert '{dims!r}' to a shape: '{size!r}'could not be converted to a "
            'dimension. A shape should either be single dimension (e.g. 10), or an iterable of '
            'dimensions (e.g. [1, 10, None]).'
        ) from None


@export('TensorShape')
class TensorShape:
    """The shape of a tensor, as far as it is known before the graph runs.

    The rank may be unknown, and so may each size. `shape[i]` is a Dimension and `shape[i:j]` a
    TensorShape. `as_list()` returns ints and None.
    """

    _v2_behavior = False

    __slots__ = ('_dims', '__weakref__')

    def __init__(self, dims):
        """Creates a shape.

        Args:
          dims: an iterable of sizes (int, None or Dimension); a single size; a TensorShape; a
            TensorShapeProto; or None for unknown rank.

        Raises:
          TypeError: if an element of dims is not a size.
          ValueError: if a size is negative.
        """
        self._dims = _sizes_of(dims)

    @classmethod
    def from_sizes(cls, sizes):
        """Returns the shape for the core's sizes: -1 is an unknown size, None an unknown rank.

        Args:
          sizes: a tuple of ints, with None for unknown sizes; or None for an unknown rank.
        """
        shape = object.__new__(cls)
        if sizes is None:
            shape._dims = None
        elif -1 in sizes:
            shape._dims = tuple([None if size < 0 else size for size in sizes])
        else:
            shape._dims = tuple(sizes)
        return shape

    @property
    def dims(self):
        """A list of Dimensions, or None if the rank is unknown."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def rank(self):
        """The number of dimensions, or None if it is unknown."""
        return None if self._dims is None else len(self._dims)

    @property
    def ndims(self):
        """Same as `rank`."""
        return None if self._dims is None else len(self._dims)

    def __len__(self):
        if self._dims is None:
            raise ValueError('Cannot take the length of shape with unknown rank.')
        return len(self._dims)

    def __bool__(self):
        return self._dims is not None

    __nonzero__ = __bool__

    def __iter__(self):
        if self._dims is None:
            raise ValueError('Cannot iterate over a shape with unknown rank.')
        return (Dimension(d) for d in self._dims)

    def __getitem__(self, key):
        """Returns the Dimension at an index, or the TensorShape for a slice.

        Raises:
          IndexError: if the rank is known and the index is out of range.
          ValueError: if the rank is unknown and the slice has a step.
        """
        if self._dims is not None:
            if isinstance(key, slice):
                return TensorShape(self._dims[key])
            return self.dims[key]
        if not isinstance(key, slice):
            return Dimension(None)
        return self._slice_of_unknown(key)

    def _slice_of_unknown(self, key):
        start = 0 if key.start is None else key.start
        stop = key.stop
        if key.step is not None:
            raise ValueError('Steps are not yet handled')
        if stop is None or start < 0 or stop < 0:
            return unknown_shape()
        return unknown_shape(rank=max(stop - start, 0))

    def num_elements(self):
        """Returns the number of elements, or None if a size is unknown."""
        return functools.reduce(operator.mul, self._dims, 1) if self.is_fully_defined() else None

    def merge_with(self, other):
        """Returns the shape that combines the known sizes of both shapes.

        Args:
          other: a TensorShape or a value that can be converted to one.

        Raises:
          ValueError: if the shapes contradict each other.
        """
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        try:
            self.assert_same_rank(other)
            merged = [
                Dimension(a).merge_with(b)
                for a, b in zip(self._dims, other._dims, strict=True)
            ]  # fmt: skip
        except ValueError:
            raise ValueError(f'Shapes {self} and {other} are not compatible') from None
        return TensorShape(merged)

    def concatenate(self, other):
        """Returns the dimensions of this shape followed by those of `other`.

        If either rank is unknown, so is the result.

        Args:
          other: a TensorShape or a value that can be converted to one.
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return unknown_shape()
        return TensorShape(self._dims + other._dims)

    __concat__ = concatenate

    def __add__(self, other):
        return self.concatenate(other)

    def __radd__(self, other):
        return as_shape(other).concatenate(self)

    def assert_same_rank(self, other):
        """Raises ValueError if both ranks are known and differ.

        Args:
          other: a TensorShape or a value that can be converted to one.
        """
        other = as_shape(other)
        if None not in (self.rank, other.rank) and self.rank != other.rank:
            raise ValueError(f'Shapes {self} and {other} must have the same rank')

    def assert_has_rank(self, rank):
        """Raises ValueError if the rank is known and differs from `rank`.

        Args:
          rank: int.
        """
        if self.rank not in (None, rank):
            raise ValueError(f'Shape {self} must have rank {rank}')

    def with_rank(self, rank):
        """Returns this shape with a known rank.

        Args:
          rank: int.

        Raises:
          ValueError: if the known rank is different.
        """
        try:
            return self.merge_with(unknown_shape(rank=rank))
        except ValueError:
            raise ValueError(f'Shape {self} must have rank {rank}') from None

    def with_rank_at_least(self, rank):
        """Returns this shape after checking its rank.

        Args:
          rank: int.

        Raises:
          ValueError: if the known rank is less than `rank`.
        """
        if self.rank is not None and self.rank < rank:
            raise ValueError(f'Shape {self} must have rank at least {rank}')
        return self

    def with_rank_at_most(self, rank):
        """Returns this shape after checking its rank.

        Args:
          rank: int.

        Raises:
          ValueError: if the known rank is greater than `rank`.
        """
        if self.rank is not None and self.rank > rank:
            raise ValueError(f'Shape {self} must have rank at most {rank}')
        return self

    def is_compatible_with(self, other):
        """Returns whether a tensor can have both shapes.

        Args:
          other: a TensorShape or a value that can be converted to one.
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        return len(self._dims) == len(other._dims) and all(
            a == b or a is None or b is None
            for a, b in zip(self._dims, other._dims, strict=True)
        )  # fmt: skip

    def assert_is_compatible_with(self, other):
        """Raises ValueError if no tensor can have both shapes.

        Args:
          other: a TensorShape or a value that can be converted to one.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f'Shapes {self} and {other} are incompatible')

    def is_subtype_of(self, other):
        """Returns whether every tensor of this shape also has the shape `other`.

        Args:
          other: a TensorShape.
        """
        if not isinstance(other, TensorShape):
            return False
        if other._dims is None:
            return True
        return self.rank == other.rank and all(
            b is None or a == b for a, b in zip(self._dims, other._dims, strict=True)
        )

    def most_specific_compatible_shape(self, other):
        """Returns the narrowest shape that includes both shapes.

        Args:
          other: a TensorShape or a value that can be converted to one.
        """
        other = as_shape(other)
        if self._dims is None or other._dims is None or self.rank != other.rank:
            return unknown_shape()
        return TensorShape(
            [a if a == b else None for a, b in zip(self._dims, other._dims, strict=True)]
        )

    def most_specific_common_supertype(self, others):
        """Returns the narrowest shape that includes this shape and all of `others`.

        Returns None if one of `others` is not a TensorShape.

        Args:
          others: a sequence of TensorShapes.
        """
        if any(not isinstance(other, TensorShape) for other in others):
            return None
        return functools.reduce(TensorShape.most_specific_compatible_shape, others, self)

    def is_fully_defined(self):
        """Returns whether the rank and every size are known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self):
        """Raises ValueError unless the rank and every size are known."""
        if not self.is_fully_defined():
            raise ValueError(f'Shape {self} is not fully defined')

    def as_list(self):
        """Returns the sizes as a list of int, with None for unknown sizes.

        Raises:
          ValueError: if the rank is unknown.
        """
        if self._dims is None:
            raise ValueError('as_list() is not defined on an unknown TensorShape.')
        return list(self._dims)

    def as_proto(self):
        """Returns this shape as a TensorShapeProto."""
        proto = tensor_shape_pb2.TensorShapeProto()
        if self._dims is None:
            proto.unknown_rank = True
        else:
            for size in self._dims:
                proto.dim.add().size = -1 if size is None else size
        return proto

    def __eq__(self, other):
        if not isinstance(other, TensorShape):
            try:
                other = as_shape(other)
            except TypeError:
                return NotImplemented
        return self._dims == other._dims

    def __hash__(self):
        return hash(self._dims)

    def __reduce__(self):
        return TensorShape, (self._dims,)

    def __str__(self):
        if self._dims is None:
            return '<unknown>'
        text = ', '.join(['?' if size is None else str(size) for size in self._dims])
        return f'({text},)' if len(self._dims) == 1 else f'({text})'

    def __repr__(self):
        return f'TensorShape({self.dims!r})'


def as_shape(shape):
    """Converts `shape` to a TensorShape. A TensorShape is returned unchanged."""
    return shape if isinstance(shape, TensorShape) else TensorShape(shape)


def unknown_shape(rank=None, **kwargs):
    """Returns a shape with unknown sizes.

    Args:
      rank: the rank, or None if it is unknown too.
      **kwargs: `ndims` is an older name of rank.
    """
    if rank is None and 'ndims' in kwargs:
        rank = kwargs.pop('ndims')
    if kwargs:
        raise TypeError(f'Unknown argument: {kwargs}')
    return TensorShape(None) if rank is None else TensorShape([None] * rank)


def scalar():
    """Returns the shape of a scalar."""
    return TensorShape([])


def vector(length):
    """Returns the shape of a vector. The length may be None."""
    return TensorShape([length])


def matrix(rows, cols):
    """Returns the shape of a matrix. The sizes may be None."""
    return TensorShape([rows, cols])
