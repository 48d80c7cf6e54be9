"""The descriptor pool of ramet.core, and the message classes that are created from it."""

import copyreg
import functools
import os
import threading

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory
from google.protobuf.internal.enum_type_wrapper import EnumTypeWrapper

from ramet.core.modules import MODULES

_DESCRIPTORS = os.path.join(os.path.dirname(__file__), 'descriptors.bin')
_PACKAGE = 'tensorflow.'

_lock = threading.RLock()
# Some protobuf runtimes hold classes weakly. Without this table, a class could be created twice.
_classes = {}


@functools.cache
def _pool():
    try:
        with open(_DESCRIPTORS, 'rb') as f:
            descriptors = descriptor_pb2.FileDescriptorSet.FromString(f.read())
    except FileNotFoundError:
        raise ImportError(f'{_DESCRIPTORS} is missing: the build target ramet_descriptors creates '
                          'it, and a wheel contains it') from None
    made = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        made.AddSerializedFile(file.SerializeToString())
    return made


@functools.cache
def _class_maker():
    """Returns the function that creates a descriptor's class; protobuf < 4.22 has no GetMessageClass."""
    if hasattr(message_factory, 'GetMessageClass'):
        return message_factory.GetMessageClass
    return message_factory.MessageFactory(_pool()).GetPrototype


@functools.cache
def _homes():
    """Returns a dict from each top-level message to the module that it belongs to."""
    homes = {}
    for module, names in MODULES.items():
        for name in names.split():
            homes.setdefault(_PACKAGE + name, f'{__package__}.{module}')
    return homes


def _outermost(descriptor):
    while descriptor.containing_type is not None:
        descriptor = descriptor.containing_type
    return descriptor


def _restore(full_name, data):
    return message_class(full_name).FromString(data)


def _reduce(message):
    """Pickles a message; protobuf's own method looks classes up in the default pool."""
    return _restore, (message.DESCRIPTOR.full_name, message.SerializePartialToString())


def _adopt(descriptor):
    """Returns the class of `descriptor`, created with all that it refers to, named as by protoc."""
    if descriptor.full_name in _classes:
        return _classes[descriptor.full_name]
    made = _class_maker()(descriptor)
    _classes[descriptor.full_name] = made
    copyreg.pickle(made, _reduce)
    home = _homes().get(_outermost(descriptor).full_name)
    if home is not None:
        made.__module__ = home
        made.__qualname__ = descriptor.full_name[len(descriptor.file.package) + 1:]
    for nested in descriptor.nested_types:
        setattr(made, nested.name, _adopt(nested))
    for field in descriptor.fields:
        if field.message_type is not None:
            _adopt(field.message_type)
    return made


def message_class(full_name):
    """Returns the class of a message.

    Args:
      full_name: such as 'tensorflow.GraphDef' or 'tensorflow.AttrValue.ListValue'.

    Raises:
      KeyError: if there is no message with this name.
    """
    with _lock:
        return _adopt(_pool().FindMessageTypeByName(full_name))


def module_contents(name):
    """Returns the contents of a module of MODULES: classes, enum wrappers, values and descriptors."""
    contents = {}
    with _lock:
        for full_name in (_PACKAGE + short for short in MODULES[name].split()):
            contents.update(_message(full_name) if _is_message(full_name) else _enum(full_name))
            contents['DESCRIPTOR'] = _pool().FindFileContainingSymbol(full_name)
    return contents


def _is_message(full_name):
    try:
        _pool().FindMessageTypeByName(full_name)
    except KeyError:
        return False
    return True


def _message(full_name):
    made = message_class(full_name)
    return {made.DESCRIPTOR.name: made, '_' + made.DESCRIPTOR.name.upper(): made.DESCRIPTOR}


def _enum(full_name):
    descriptor = _pool().FindEnumTypeByName(full_name)
    values = {value.name: value.number for value in descriptor.values}
    return {descriptor.name: EnumTypeWrapper(descriptor),
            '_' + descriptor.name.upper(): descriptor, **values}
