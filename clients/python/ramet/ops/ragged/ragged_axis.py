"""Checks of axes."""


def positive_axis(axis, ndims, axis_name='axis', ndims_name='ndims'):
    """Returns an axis that counts from the first dimension.

    Args:
      axis: an int.
      ndims: the number of dimensions, or None if it is not known.
      axis_name: the name of the argument, for errors.
      ndims_name: the name of the number of dimensions, for errors.

    Raises:
      TypeError: if axis is not an int.
      ValueError: if axis is out of range, or negative although ndims is not known.
    """
    if not isinstance(axis, int):
        raise TypeError(f'{axis_name} must be an int; got {type(axis).__name__}')
    if ndims is not None:
        if 0 <= axis < ndims:
            return axis
        if -ndims <= axis < 0:
            return axis + ndims
        raise ValueError(f'{axis_name}={axis} out of bounds: expected {-ndims}<={axis_name}<{ndims}')
    if axis < 0:
        raise ValueError(f'{axis_name}={axis} may only be negative if {ndims_name} is statically known.')
    return axis
