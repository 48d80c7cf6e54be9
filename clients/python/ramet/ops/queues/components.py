"""The components of the elements that a queue or a staging area holds."""

from ramet.framework import tensor_shape


class Components:
    """The dtypes, shapes and names of the tensors that form an element.

    Args:
      dtypes: a list of DTypes.
      shapes: a list of shapes, or None if the tensors may have any.
      names: a list of str, or None. Elements with names are dicts.

    Raises:
      TypeError: if dtypes is neither a list nor a tuple.
    """

    def __init__(self, dtypes, shapes, names):
        if not isinstance(dtypes, (list, tuple)):
            raise TypeError(f'dtypes must be a list or tuple, got {type(dtypes).__name__}')
        self._dtypes = dtypes
        if shapes is None:
            self._shapes = [tensor_shape.unknown_shape() for _ in dtypes]
        else:
            self._shapes = [tensor_shape.TensorShape(shape) for shape in shapes]
        self._names = names

    @property
    def dtypes(self):
        """The dtypes of the components of an element."""
        return self._dtypes

    @property
    def shapes(self):
        """The shapes of the components of an element."""
        return self._shapes

    @property
    def names(self):
        """The names of the components of an element, or None."""
        return self._names
