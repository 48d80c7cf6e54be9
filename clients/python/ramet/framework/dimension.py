"""A single dimension of a static shape."""

import operator

from ramet.api import export


def _as_size(value):
    """Converts a size to an int, or None if it is unknown."""
    if value is None or type(value) is int:
        size = value
    elif isinstance(value, Dimension):
        return value._value
    else:
        try:
            size = value.__index__()
        except AttributeError:
            raise TypeError(
                'Dimension value must be integer or None or have an __index__ method, got value '
                f"'{value!r}' with type '{type(value)!r}'"
            ) from None
    if size is not None and size < 0:
        raise ValueError(f'Dimension {size} must be >= 0')
    return size


def _arithmetic(symbol, compute, reverse=False):
    """Returns a method that combines two sizes. Its result is unknown if either size is."""

    def method(self, other):
        try:
            other = _as_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return Dimension(None)
        return Dimension(compute(other, self._value) if reverse else compute(self._value, other))

    method.__doc__ = f'Returns the Dimension of {"other" if reverse else "self"} {symbol} ' + (
        'self.' if reverse else 'other.'
    )
    return method


def _comparison(compare):
    """Returns a method that compares two sizes. Its result is None if either size is unknown."""

    def method(self, other):
        other = _as_size(other)
        if self._value is None or other is None:
            return None
        return compare(self._value, other)

    method.__doc__ = 'Compares two sizes; returns None if either one is unknown.'
    return method


@export('Dimension')
class Dimension:
    """One size of a shape: a non-negative int, or unknown.

    Arithmetic with ints and other dimensions returns a Dimension. A comparison returns None if either
    side is unknown.
    """

    __slots__ = ('_value',)

    def __init__(self, value):
        """Creates a dimension.

        Args:
          value: an int, None for unknown, a Dimension, or anything with `__index__`.

        Raises:
          TypeError: if value has a different type.
          ValueError: if value is negative.
        """
        if value is not None and type(value) is bool:
            self._value = value
        else:
            self._value = _as_size(value)

    @property
    def value(self):
        """The size as an int, or None if it is unknown."""
        return self._value

    def is_compatible_with(self, other):
        """Returns whether the sizes are equal or at least one of them is unknown.

        Args:
          other: a Dimension, an int, or None for an unknown size.
        """
        other = as_dimension(other)
        return self._value == other._value or self._value is None or other._value is None

    def assert_is_compatible_with(self, other):
        """Raises ValueError if both sizes are known and differ.

        Args:
          other: a Dimension, an int, or None for an unknown size.
        """
        if not self.is_compatible_with(other):
            raise ValueError(f'Dimensions {self} and {other} are not compatible')

    def merge_with(self, other):
        """Returns the known one of the two sizes.

        Args:
          other: a Dimension, an int, or None for an unknown size.

        Raises:
          ValueError: if both sizes are known and differ.
        """
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return Dimension(other._value if self._value is None else self._value)

    def __eq__(self, other):
        try:
            other = _as_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return None
        return self._value == other

    def __ne__(self, other):
        try:
            other = _as_size(other)
        except (TypeError, ValueError):
            return NotImplemented
        if self._value is None or other is None:
            return None
        return self._value != other

    __hash__ = None

    __lt__ = _comparison(operator.lt)
    __le__ = _comparison(operator.le)
    __gt__ = _comparison(operator.gt)
    __ge__ = _comparison(operator.ge)

    __add__ = __radd__ = _arithmetic('+', operator.add)
    __sub__ = _arithmetic('-', operator.sub)
    __rsub__ = _arithmetic('-', operator.sub, reverse=True)
    __mul__ = __rmul__ = _arithmetic('*', operator.mul)
    __floordiv__ = __div__ = _arithmetic('//', operator.floordiv)
    __rfloordiv__ = __rdiv__ = _arithmetic('//', operator.floordiv, reverse=True)

    def __mod__(self, other):
        other = _as_size(other)
        if self._value is None or other is None:
            return Dimension(None)
        return Dimension(self._value % other)

    def __rmod__(self, other):
        return as_dimension(other) % self

    def __truediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: 'Dimension' and '{type(other).__name__}', "
            'please use // instead'
        )

    def __rtruediv__(self, other):
        raise TypeError(
            f"unsupported operand type(s) for /: '{type(other).__name__}' and 'Dimension', "
            'please use // instead'
        )

    def __int__(self):
        return self._value

    def __index__(self):
        return self._value

    __long__ = __int__

    def __bool__(self):
        return bool(self._value)

    def __str__(self):
        return '?' if self._value is None else str(self._value)

    def __repr__(self):
        return f'Dimension({self._value})'

    def __reduce__(self):
        return Dimension, (self._value,)


def as_dimension(value):
    """Converts `value` to a Dimension. A Dimension is returned unchanged."""
    return value if isinstance(value, Dimension) else Dimension(value)


@export('dimension_value', 'compat.dimension_value')
def dimension_value(dimension):
    """Returns the value of a Dimension; any other size is returned unchanged.

    Args:
      dimension: a Dimension, an int or None.

    Returns:
      An int, or None if unknown.
    """
    return dimension._value if isinstance(dimension, Dimension) else dimension
