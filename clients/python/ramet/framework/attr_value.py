"""Converts AttrValue messages to Python values."""

from ramet.framework import dtypes, tensor_shape


def to_python(value):
    """Converts an AttrValue message (Ramet's or TensorFlow's); other values are returned unchanged."""
    descriptor = getattr(value, 'DESCRIPTOR', None)
    if descriptor is None or descriptor.name != 'AttrValue':
        return value
    kind = value.WhichOneof('value')
    if kind is None:
        return None
    if kind == 'list':
        for field, items in value.list.ListFields():
            return [_item(field.name, item) for item in items]
        return []
    return _item(kind, getattr(value, kind))


def _item(kind, item):
    if kind == 'type':
        return dtypes.as_dtype(item)
    if kind == 'shape':
        return tensor_shape.TensorShape(item)
    return item
