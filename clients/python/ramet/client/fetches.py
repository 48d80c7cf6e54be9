"""Flattens the fetches and feeds of a run, and restores the structure of the results."""

import collections

from ramet.framework import nest
from ramet.framework.indexed_slices import IndexedSlices, IndexedSlicesValue
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorValue
from ramet.framework.tensors import Operation, Tensor

_client_types = []


def register_session_run_conversion_functions(
    tensor_type, fetch_function, feed_function=None, feed_function_for_partial_run=None
):
    """Registers how objects of a type are fetched and fed.

    Args:
      tensor_type: the type.
      fetch_function: fetch_function(object) -> (list of tensors, function of their values).
      feed_function: feed_function(object, value) -> [(tensor, value)].
      feed_function_for_partial_run: feed_function(object) -> [tensor].

    Raises:
      ValueError: if the type is already registered.
    """
    if any(tensor_type is known[0] for known in _client_types):
        raise ValueError(f'{tensor_type} has already been registered so ignore it.')
    _client_types.insert(0, (tensor_type, fetch_function, feed_function,
                             feed_function_for_partial_run))


def _sparse_fetch(fetch):
    return (
        [fetch.indices, fetch.values, fetch.dense_shape],
        lambda values: SparseTensorValue(*values),
    )


def _slices_fetch(fetch):
    if fetch.dense_shape is None:
        return [fetch.values, fetch.indices], lambda v: IndexedSlicesValue(v[0], v[1], None)
    return (
        [fetch.values, fetch.indices, fetch.dense_shape],
        lambda values: IndexedSlicesValue(*values),
    )


def _sparse_feed(feed, value):
    return list(zip(_sparse_parts(feed), value))


def _slices_feed(feed, value):
    return list(zip(_slices_parts(feed), value))


def _sparse_parts(feed):
    return [feed.indices, feed.values, feed.dense_shape]


def _slices_parts(feed):
    parts = [feed.values, feed.indices]
    return parts if feed.dense_shape is None else [*parts, feed.dense_shape]


_own_types = (
    (SparseTensor, _sparse_fetch, _sparse_feed, _sparse_parts),
    (IndexedSlices, _slices_fetch, _slices_feed, _slices_parts),
)


def _conversion_of(obj):
    for entry in (*_client_types, *_own_types):
        if isinstance(obj, entry[0]):
            return entry
    return None


class Elements:
    """The distinct tensors and operations that a run fetches, in the order of appearance."""

    def __init__(self, graph):
        self.graph = graph
        self.items = []
        self._positions = {}

    def add(self, fetch):
        """Returns the position of the element for an object or a name, and adds it if it is new.

        Raises:
          TypeError, ValueError: as Session.run does for invalid fetches.
        """
        try:
            element = self.graph.as_graph_element(fetch, allow_tensor=True, allow_operation=True)
        except TypeError as error:
            raise TypeError(
                f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}" must be a '
                f'string or Tensor. ({error})'
            ) from None
        except ValueError as error:
            raise ValueError(
                f'Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})'
            ) from None
        except KeyError as error:
            raise ValueError(
                f'Argument `fetch` = {fetch} cannot be interpreted as a Tensor. ({error})'
            ) from None
        if not self.graph.is_fetchable(element):
            raise ValueError(f'Operation {element.name!r} has been marked as not fetchable.')
        if element not in self._positions:
            self._positions[element] = len(self.items)
            self.items.append(element)
        return self._positions[element]


def mapper(fetch, elements):
    """Returns a function that puts a list of fetched values into the structure of `fetch`."""
    if fetch is None:
        raise TypeError(
            f'Argument `fetch` = {fetch} has invalid type "{type(fetch).__name__}". Cannot be None'
        )
    if isinstance(fetch, (Tensor, Operation, str, bytes)):
        return _single(fetch, elements)
    if isinstance(fetch, (list, tuple)):
        return _sequence(fetch, elements)
    if isinstance(fetch, collections.abc.Mapping):
        return _mapping(fetch, elements)
    if hasattr(type(fetch), '__attrs_attrs__'):
        names = [a.name for a in type(fetch).__attrs_attrs__]
        inner = [mapper(getattr(fetch, n), elements) for n in names]
        return lambda values: type(fetch)(*(m(values) for m in inner))
    conversion = _conversion_of(fetch)
    if conversion is None:
        return _single(fetch, elements)
    parts, contract = conversion[1](fetch)
    positions = [elements.add(p) for p in parts]
    return lambda values: contract([values[p] for p in positions])


def _single(fetch, elements):
    position = elements.add(fetch)
    return lambda values: values[position]


def _sequence(fetch, elements):
    inner = [mapper(f, elements) for f in fetch]
    kind = type(fetch)
    if hasattr(fetch, '_fields'):
        return lambda values: kind(*(m(values) for m in inner))
    if kind is tuple:
        return lambda values: tuple(m(values) for m in inner)
    return lambda values: [m(values) for m in inner]


def _mapping(fetch, elements):
    inner = [(key, mapper(value, elements)) for key, value in fetch.items()]
    kind = type(fetch)

    def build(values):
        pairs = [(key, m(values)) for key, m in inner]
        if issubclass(kind, collections.defaultdict):
            return kind(fetch.default_factory, pairs)
        return kind(pairs)

    return build


def flat_items(feed_dict):
    """Returns the (key, value) pairs of a feed dict, with structures of elements flattened.

    A structure is anything that nest.flatten takes apart: tuples, namedtuples such as
    LSTMStateTuple, attrs classes and hashable mappings, nested.

    Raises:
      TypeError: if feed_dict is not a mapping.
      ValueError: if a structure and its value differ in length, or a key occurs twice.
    """
    if not nest.is_mapping(feed_dict):
        raise TypeError(
            "FlattenDictItems: 'dict' must be a dictionary or collection.Mapping type object, "
            f"instead of '{type(feed_dict).__name__}'."
        )
    flat = {}
    for structure, values in feed_dict.items():
        for key, value in flat_feed(structure, values):
            if key in flat:
                raise ValueError(f'Cannot flatten dict because this key is not unique: {key}')
            flat[key] = value
    return flat.items()


def flat_feed(structure, value):
    """Returns pairs of the elements of a feed dict's key and the parts of its value.

    Raises:
      ValueError: if a structure and its value differ in length.
    """
    if not nest.is_nested(structure):
        return [(structure, value)]
    keys, values = nest.flatten(structure), nest.flatten(value)
    if len(keys) != len(values):
        raise ValueError(
            f'Could not flatten dictionary. Key had {len(keys)} elements, but value had '
            f'{len(values)} elements. Key: {keys}, value: {values}.'
        )
    return list(zip(keys, values))


def expand_feed(feed, value):
    """Returns [(element or name, value)] for feeding a value to an object of any kind."""
    conversion = None if isinstance(feed, (Tensor, str)) else _conversion_of(feed)
    if conversion is None:
        return [(feed, value)]
    if conversion[2] is None:
        raise TypeError(f'{type(feed).__name__} cannot be fed')
    return list(conversion[2](feed, value))


def feed_parts(feed):
    """Returns the elements or names that feed an object of any kind in a partial run."""
    conversion = None if isinstance(feed, (Tensor, str)) else _conversion_of(feed)
    if conversion is None:
        return [feed]
    if conversion[3] is None:
        raise TypeError(f'{type(feed).__name__} cannot be fed in a partial run')
    return list(conversion[3](feed))
