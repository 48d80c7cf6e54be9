"""Converts messages of other packages, such as an installed TensorFlow, to messages of Ramet."""


def full_name(value):
    """Returns the full name of a message's type, such as 'tensorflow.GraphDef', else None."""
    descriptor = getattr(type(value), 'DESCRIPTOR', None)
    return getattr(descriptor, 'full_name', None)


def _found(value):
    name = full_name(value)
    return f'a {name} message' if name else f'{type(value).__module__}.{type(value).__qualname__}'


def to_ramet(message):
    """Converts a message to one of ramet.core: itself, or a copy made through its bytes.

    Args:
      message: A message of ramet.core, or one of another package with the same full name.

    Returns:
      A message of ramet.core. Fields that its class does not know are kept as unknown fields.

    Raises:
      TypeError: if `message` is not a message, or has a type that ramet.core does not have.
    """
    name = full_name(message)
    if name is None:
        raise TypeError(f'expected a protocol buffer message, found {_found(message)}')
    from ramet.core import pool  # deferred: loads protobuf
    try:
        ours = pool.message_class(name)
    except KeyError:
        raise TypeError(f'ramet.core has no message {name}') from None
    return message if isinstance(message, ours) else ours.FromString(message.SerializeToString())


def serialized(message, expected):
    """Returns the bytes of `message`, for the C++ library.

    Args:
      message: A message whose full name is `expected`, of any package, or its bytes.
      expected: A full name, such as 'tensorflow.GraphDef'.

    Returns:
      bytes.

    Raises:
      TypeError: if `message` is neither.
    """
    if full_name(message) == expected:
        return message.SerializeToString()
    if isinstance(message, (bytes, bytearray, memoryview)):
        return bytes(message)
    raise TypeError(f'expected a {expected} message or its bytes, found {_found(message)}')
