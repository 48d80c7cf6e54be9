"""The collections of a graph, as seen from Python."""

import collections.abc
import re

from ramet import _core
from ramet.api import export
from ramet.framework import stacks

_proto_functions = {}
_proto_loaders = {}


def register_proto_function(collection_name, proto_type=None, to_proto=None, from_proto=None):
    """Registers how the items of a collection are converted to and from messages in a meta graph.

    Args:
      collection_name: the collection.
      proto_type: the message class.
      to_proto: to_proto(item, export_scope=) -> message.
      from_proto: from_proto(message, import_scope=) -> item.

    Raises:
      TypeError: if to_proto or from_proto is not callable.
    """
    if to_proto and not callable(to_proto):
        raise TypeError('to_proto must be callable.')
    if from_proto and not callable(from_proto):
        raise TypeError('from_proto must be callable.')
    _proto_functions[collection_name] = (proto_type, to_proto, from_proto)


def set_proto_loader(collection_name, loader):
    """Sets the function that registers the conversions of a collection when they are first needed.

    Args:
      collection_name: the collection.
      loader: a function without arguments.
    """
    _proto_loaders[collection_name] = loader


def proto_functions(collection_name):
    """Returns (proto_type, to_proto, from_proto) of a collection; Nones if not registered."""
    loader = _proto_loaders.pop(collection_name, None)
    if loader is not None and collection_name not in _proto_functions:
        loader()
    return _proto_functions.get(collection_name, (None, None, None))


def _exporter(name):
    """Returns the function that the core calls to write the collection's objects to a file."""

    def export_item(item, export_scope):
        to_proto = proto_functions(name)[1]
        if to_proto is None:
            to_proto = getattr(item, 'to_proto', None) and type(item).to_proto
        if to_proto is not None:
            message = to_proto(item, export_scope=export_scope)
            return None if message is None else message.SerializeToString()
        if isinstance(item, str):
            return item.encode()
        if isinstance(item, (bytes, float)) or type(item) is int:
            return item
        raise TypeError(f'{type(item).__name__} cannot be written to a file')

    return export_item


class CollectionRef(collections.abc.MutableSequence):
    """A list view of a collection. Changing it changes the collection in the graph."""

    def __init__(self, graph, name):
        self._graph, self._name = graph, name

    def _items(self):
        return self._graph._collection(self._name)

    def _put(self, items):
        self._graph._put_collection(self._name, items)

    def __getitem__(self, index):
        return self._items()[index]

    def __setitem__(self, index, value):
        items = self._items()
        items[index] = value
        self._put(items)

    def __delitem__(self, index):
        items = self._items()
        del items[index]
        self._put(items)

    def __len__(self):
        return _core.collection_size(self._graph, self._name)

    def insert(self, index, value):
        items = self._items()
        items.insert(index, value)
        self._put(items)

    def append(self, value):
        self._graph.add_to_collection(self._name, value)

    def sort(self, key=None, reverse=False):
        self._put(sorted(self._items(), key=key, reverse=reverse))

    def __eq__(self, other):
        return list(self) == (list(other) if isinstance(other, CollectionRef) else other)

    __hash__ = None

    def __add__(self, other):
        return self._items() + list(other)

    def __radd__(self, other):
        return list(other) + self._items()

    def __repr__(self):
        return repr(self._items())


class Collections:
    """The methods of Graph for collections."""

    def _key(self, name):
        """Returns the string key of a collection in C++. In Python, any hashable can be a name."""
        if isinstance(name, str):
            return name
        key = f'__object_key_{id(name)}'
        self._collection_objects = getattr(self, '_collection_objects', {})
        for known, obj in self._collection_objects.items():
            if obj == name:
                return known
        self._collection_objects[key] = name
        return key

    def _exporter_of(self, name):
        exporter = self._exporters.get(name)
        if exporter is None:
            exporter = self._exporters[name] = _exporter(name)
        return exporter

    def _variable_id(self, value):
        if getattr(value, '_graph', None) is self and self._variable_objects.get(
            getattr(value, '_id', None)
        ) is value:
            return value._id
        return None

    def add_to_collection(self, name, value):
        """Adds a value to a collection.

        Args:
          name: the name of the collection.
          value: any object.

        Raises:
          RuntimeError: if the graph is finalized.
        """
        self._check_not_finalized()
        key = self._key(name)
        _core.collection_add(self, key, value, self._variable_id(value), self._exporter_of(key))

    def add_to_collections(self, names, value):
        """Adds a value to each of several collections.

        Args:
          names: the names of the collections, or a single name as a str.
          value: any object.
        """
        added = set()
        for name in (names,) if isinstance(names, str) else names:
            if name not in added:
                self.add_to_collection(name, value)
                added.add(name)

    def _collection(self, name):
        key = self._key(name)
        items = _core.collection_get(self, key)
        from_proto = proto_functions(key)[2]
        if from_proto and any(type(item) is bytes for item in items):
            items = self._read_messages(key, items)
        return items

    def _read_messages(self, key, items):
        """Converts the messages that an import left in a collection into objects, once."""
        proto_type, _, from_proto = proto_functions(key)
        items = [
            from_proto(proto_type.FromString(item)) if type(item) is bytes and proto_type else item
            for item in items
        ]
        self._put_collection(key, items)
        return items

    def _put_collection(self, name, items):
        key = self._key(name)
        ids = [self._variable_id(item) for item in items]
        _core.collection_replace(self, key, list(items), ids, self._exporter_of(key))

    def get_collection_ref(self, name):
        """Returns the collection itself as a list. Changing the list changes the collection.

        Args:
          name: the name of the collection.
        """
        key = self._key(name)
        if not _core.collection_size(self, key):
            _core.collection_replace(self, key, [], [], self._exporter_of(key))
        if key not in self._collection_refs:
            self._collection_refs[key] = CollectionRef(self, key)
        return self._collection_refs[key]

    def get_collection(self, name, scope=None):
        """Returns the items of a collection as a list.

        Args:
          name: the name of the collection.
          scope: a regular expression. If given, only items whose names match it from the beginning are
            returned.
        """
        items = self._collection(name)
        if scope is None:
            return items
        matches = re.compile(scope).match
        return [item for item in items if hasattr(item, 'name') and matches(item.name)]

    def get_all_collection_keys(self):
        """Returns the names of all collections whose names are strings."""
        return [k for k in _core.collection_keys(self) if not k.startswith('__object_key_')]

    @property
    def collections(self):
        """The names of all collections whose names are strings."""
        return self.get_all_collection_keys()

    def clear_collection(self, name):
        """Removes all items of a collection.

        Args:
          name: the name of the collection.
        """
        self._check_not_finalized()
        _core.collection_clear(self, self._key(name))


@export('add_to_collection')
def add_to_collection(name, value):
    """Adds a value to a collection of the default graph.

    Args:
      name: the name of the collection.
      value: any object.
    """
    stacks.get_default_graph().add_to_collection(name, value)


@export('add_to_collections')
def add_to_collections(names, value):
    """Adds a value to several collections of the default graph.

    Args:
      names: the names of the collections, or a single name as a str.
      value: any object.
    """
    stacks.get_default_graph().add_to_collections(names, value)


@export('get_collection')
def get_collection(key, scope=None):
    """Returns the items of a collection of the default graph as a list.

    Args:
      key: the name of the collection.
      scope: a regular expression. If given, only items whose names match it from the beginning are
        returned.
    """
    return stacks.get_default_graph().get_collection(key, scope)


@export('get_collection_ref')
def get_collection_ref(key):
    """Returns a collection of the default graph as a list. Changing it changes the collection.

    Args:
      key: the name of the collection.
    """
    return stacks.get_default_graph().get_collection_ref(key)


def get_all_collection_keys():
    """Returns the names of the collections of the default graph."""
    return stacks.get_default_graph().get_all_collection_keys()
