"""Parses the strides, window sizes, dilations and paddings of convolutions and pools."""


def per_axis(value, spatial, channel_axis, name):
    """Returns a value per axis, including batch and channels.

    Args:
      value: None for ones, a number for all spatial axes, or a list of 1, spatial or
        spatial + 2 numbers.
      spatial: the number of spatial axes.
      channel_axis: 1 if the channels come before the spatial axes.
      name: the argument's name, for the error message.

    Returns:
      A list of spatial + 2 numbers.

    Raises:
      ValueError: if a list has a different length.
    """
    if value is None:
        value = [1]
    if not hasattr(value, '__len__'):
        value = [value]
    length = len(value)
    if length == spatial + 2:
        return value
    if length == 1:
        value = list(value) * spatial
    elif length == spatial:
        value = list(value)
    else:
        raise ValueError(f'{name} should be of length 1, {spatial} or {spatial + 2}. '
                         f'Received: {name}={value} of length {length}')
    return [1, 1] + value if channel_axis == 1 else [1] + value + [1]


def channel_axis(data_format, spatial):
    """Returns the axis of the channels for a data format. None means channels last."""
    if data_format is not None and data_format.startswith('NC'):
        return 1
    return spatial + 1


def explicit_padding(padding, length=4):
    """Splits a padding argument into the padding attribute and the list of explicit paddings.

    Args:
      padding: 'SAME', 'VALID' or a list with a [before, after] pair per axis.
      length: the number of axes.

    Returns:
      The string for the attribute, and a flat list of explicit paddings.

    Raises:
      ValueError: if the list has another form, or padding is 'EXPLICIT'.
    """
    if isinstance(padding, (list, tuple)):
        for i, pair in enumerate(padding):
            _check_pair(padding, i, pair)
        if len(padding) != length:
            raise ValueError(f'When padding is a list, it must be of size {length}. '
                             f'Received: padding={padding} of size {len(padding)}')
        return 'EXPLICIT', [size for pair in padding for size in pair]
    if padding == 'EXPLICIT':
        raise ValueError("'EXPLICIT' is not a valid value for `padding`. To use explicit padding, "
                         '`padding` must be a list.')
    return padding, []


def _check_pair(padding, index, pair):
    if not isinstance(pair, (list, tuple)):
        found = f'type {type(pair)}'
    elif len(pair) != 2:
        found = f'size {len(pair)}'
    else:
        return
    raise ValueError('When `padding` is a list, each element of `padding` must be a list/tuple of '
                     f'size 2. Received: padding={padding} with element at index {index} '
                     f'of {found}')
