"""Utilities of the graph editor: lists of operations and tensors, names, placeholders."""

import collections
import re

from ramet.framework import dtypes
from ramet.framework.graph import Graph
from ramet.framework.graph_keys import GraphKeys
from ramet.framework.tensors import Operation, Tensor
from ramet.ops.array import array_placeholders

_PLACEHOLDER_PREFIX = 'geph'


def concatenate_unique(la, lb):
    """Appends the elements of `lb` that list `la` does not have yet; returns `la`."""
    known = set(la)
    for item in lb:
        if item not in known:
            known.add(item)
            la.append(item)
    return la


class ListView:
    """A read-only view of a list."""

    def __init__(self, list_):
        if not isinstance(list_, list):
            raise TypeError(f'Expected a list, got: {type(list_)}.')
        self._list = list_

    def __iter__(self):
        return iter(self._list)

    def __len__(self):
        return len(self._list)

    def __bool__(self):
        return bool(self._list)

    def __getitem__(self, index):
        return self._list[index]

    def __contains__(self, item):
        return item in self._list

    def __add__(self, other):
        return list(self) + list(other)

    def __radd__(self, other):
        return list(other) + list(self)

    def __eq__(self, other):
        return self._list == (other._list if isinstance(other, ListView) else other)

    __hash__ = None

    def __str__(self):
        return str(self._list)

    __repr__ = __str__


def is_iterable(obj):
    """Returns whether an object is iterable. Tensors and operations are not."""
    if isinstance(obj, (Tensor, Operation)):
        return False
    try:
        iter(obj)
    except Exception:  # noqa: BLE001 - an object's __iter__ may raise anything
        return False
    return True


def flatten_tree(tree, leaves=None):
    """Returns a list of the leaves of nested iterables. For dicts, the values are used.

    Args:
      tree: an object, or an iterable or dict of objects.
      leaves: a list to append to.
    """
    leaves = [] if leaves is None else leaves
    leaves.extend(iterate_leaves(tree))
    return leaves


def iterate_leaves(tree):
    """Yields the leaves of flatten_tree one after another."""
    if isinstance(tree, dict):
        tree = tree.values()
    elif not is_iterable(tree) or isinstance(tree, (str, bytes)):
        yield tree
        return
    for value in tree:
        yield from iterate_leaves(value)


def iterate_members(items, allowed=(Operation, Tensor)):
    """Yields items. Raises an error of get_unique_graph at the first that is wrong.

    So the caller refuses, for instance, a large array without converting it to a list.
    """
    graph = None
    for item in items:
        if not isinstance(item, allowed):
            names = allowed if isinstance(allowed, tuple) else (allowed,)
            names = ', '.join(str(t) for t in names)
            raise TypeError(f'Expected a type in ({names}), got: {type(item)}')
        if graph is None:
            graph = item.graph
        elif item.graph is not graph:
            raise ValueError(f'Operation {item} does not belong to given graph')
        yield item


def transform_tree(tree, fn, iterable_type=tuple):
    """Returns a structure with `fn(leaf)` for each leaf.

    Dicts, lists, tuples and named tuples keep their type; other iterables become `iterable_type`.
    """
    if isinstance(tree, dict):
        items = [(key, transform_tree(value, fn)) for key, value in tree.items()]
        if isinstance(tree, collections.defaultdict):
            return collections.defaultdict(tree.default_factory, items)
        return type(tree)(items)
    if not is_iterable(tree) or isinstance(tree, (str, bytes)):
        return fn(tree)
    items = [transform_tree(item, fn) for item in tree]
    if hasattr(tree, '_fields'):
        return type(tree)(*items)
    return (type(tree) if isinstance(tree, (list, tuple)) else iterable_type)(items)


def check_graphs(*args):
    """Checks that all arguments that have a graph have the same one.

    Raises:
      ValueError: "Argument[i]: Wrong graph!".
    """
    graph = None
    for i, item in enumerate(args):
        own = getattr(item, 'graph', None)
        if graph is None:
            graph = own
        elif own is not None and own is not graph:
            raise ValueError(f'Argument[{i}]: Wrong graph!')


def get_unique_graph(tops, check_types=None, none_if_empty=False):
    """Returns the graph of all tensors and operations in a list.

    Args:
      tops: an iterable of them, or a graph.
      check_types: the type or types that are allowed. Defaults to both.
      none_if_empty: whether to return None for an empty list.

    Raises:
      TypeError: if it is not an iterable, or an element has the wrong type.
      ValueError: if graphs differ, or the list is empty.
    """
    if isinstance(tops, Graph):
        return tops
    if not is_iterable(tops):
        raise TypeError(f'{type(tops)} is not iterable')
    graph = None
    for item in iterate_members(tops, check_types or (Operation, Tensor)):
        graph = item.graph
    if graph is None and not none_if_empty:
        raise ValueError("Can't find the unique graph of an empty list")
    return graph


def _make_list(items, of_graph, kind, check_graph, allow_graph, ignore_others):
    if isinstance(items, Graph):
        if not allow_graph:
            raise TypeError(f'allow_graph is False: cannot convert a tf.Graph to {kind.__name__}s.')
        return of_graph(items)
    items = items if is_iterable(items) else [items]
    if check_graph:
        items = iterate_members(items, (Operation, Tensor) if ignore_others else kind)
    return [item for item in items if isinstance(item, kind)] if ignore_others else list(items)


def make_list_of_op(ops, check_graph=True, allow_graph=True, ignore_ts=False):
    """Returns a list of operations.

    Args:
      ops: a graph (for all of its operations), an operation, or an iterable of them.
      check_graph: whether elements must be operations of one graph.
      allow_graph: whether a graph is allowed.
      ignore_ts: whether to leave out tensors instead of rejecting them.

    Raises:
      TypeError: if a graph is not allowed, or an element has the wrong type.
      ValueError: if the operations belong to different graphs.
    """
    return _make_list(ops, Graph.get_operations, Operation, check_graph, allow_graph, ignore_ts)


def make_list_of_t(ts, check_graph=True, allow_graph=True, ignore_ops=False):
    """Returns a list of tensors; see make_list_of_op. For a graph, all outputs of its operations."""
    return _make_list(ts, get_tensors, Tensor, check_graph, allow_graph, ignore_ops)


def get_tensors(graph):
    """Returns all tensors of a graph, in the order of its operations.

    Raises:
      TypeError: if it is not a graph.
    """
    if not isinstance(graph, Graph):
        raise TypeError(f'Expected a graph, got: {type(graph)}')
    return [t for op in graph.get_operations() for t in op.outputs]


def get_generating_ops(ts):
    """Returns the operation that computes each tensor of a list."""
    return [t.op for t in make_list_of_t(ts, allow_graph=False)]


def get_consuming_ops(ts):
    """Returns the operations that use a tensor of a list, each once."""
    ts = make_list_of_t(ts, allow_graph=False)
    return list(dict.fromkeys(op for t in ts for op in t.consumers()))


class ControlOutputs:
    """The control outputs of each operation of a graph: the operations that wait for it."""

    def __init__(self, graph):
        if not isinstance(graph, Graph):
            raise TypeError(f'Expected a tf.Graph, got: {type(graph)}')
        self._graph = graph
        self._version = None
        self._control_outputs = {}
        self.update()

    def update(self):
        """Updates the mapping if the graph has changed; returns self."""
        if self._version != self._graph._change:
            self._control_outputs = {}
            for op in self._graph.get_operations():
                for control in op.control_inputs:
                    self._control_outputs.setdefault(control, []).append(op)
            self._version = self._graph._change
        return self

    def get_all(self):
        """Returns a dict from operations to the lists of their control outputs."""
        return self._control_outputs

    def get(self, op):
        """Returns the control outputs of `op`, or an empty tuple."""
        return self._control_outputs.get(op, ())

    @property
    def graph(self):
        return self._graph


def scope_finalize(scope):
    """Returns the scope with a trailing slash, unless it is empty."""
    return scope + '/' if scope and not scope.endswith('/') else scope


def scope_dirname(scope):
    """Returns a name without its last component, with the slash: 'a/b/' for 'a/b/c'."""
    return scope[:scope.rfind('/') + 1]


def scope_basename(scope):
    """Returns the last component of a name: 'c' for 'a/b/c'."""
    return scope[scope.rfind('/') + 1:]


def placeholder_name(t=None, scope=None, prefix=_PLACEHOLDER_PREFIX):
    """Returns the name of a placeholder that replaces a tensor.

    Args:
      t: the tensor, or None for a placeholder that replaces no tensor.
      scope: the scope of the name. Defaults to that of the tensor's operation.
      prefix: the prefix of the name.

    Raises:
      TypeError: if t is not a tensor.
    """
    if scope is not None:
        scope = scope_finalize(scope)
    if t is None:
        return (scope or '') + prefix
    if not isinstance(t, Tensor):
        raise TypeError(f'Expected a tf.Tensor, got: {type(t)}')
    name = scope_basename(t.op.name)
    if not name.startswith(prefix + '__'):
        name = f'{prefix}__{name}_{t.value_index}'
    return (scope_dirname(t.op.name) if scope is None else scope) + name


def _placeholder(dtype, shape, name):
    return array_placeholders.placeholder(dtype.base_dtype, shape, name=name)


def make_placeholder_from_tensor(t, scope=None, prefix=_PLACEHOLDER_PREFIX):
    """Creates a placeholder in the default graph with the dtype and static shape of a tensor.

    Its name is placeholder_name(t, scope, prefix), made unique.
    """
    return _placeholder(t.dtype, t.get_shape(), placeholder_name(t, scope, prefix))


def make_placeholder_from_dtype_and_shape(
    dtype, shape=None, scope=None, prefix=_PLACEHOLDER_PREFIX
):
    """Creates a placeholder in the default graph, named `prefix` under `scope`, made unique."""
    return _placeholder(dtypes.as_dtype(dtype), shape, placeholder_name(None, scope, prefix))


def get_predefined_collection_names():
    """Returns the names of the collections that tf.GraphKeys lists."""
    return [
        name for key in dir(GraphKeys)
        if re.fullmatch('[A-Z][A-Z_0-9]*', key) and isinstance(name := getattr(GraphKeys, key), str)
    ]


def find_corresponding_elem(target, dst_graph, dst_scope='', src_scope=''):
    """Finds the element with the name of a tensor or operation in another graph or scope.

    Args:
      target: the tensor or operation.
      dst_graph: the graph to search.
      dst_scope: the scope that replaces src_scope in the name.
      src_scope: the prefix of the name.

    Returns:
      The tensor or operation, or None if there is none or the name is not under src_scope.
    """
    name = target.name
    src_scope, dst_scope = scope_finalize(src_scope), scope_finalize(dst_scope)
    if not name.startswith(src_scope):
        return None
    name = dst_scope + name[len(src_scope):]
    try:
        return dst_graph.as_graph_element(
            name, allow_tensor=isinstance(target, Tensor),
            allow_operation=isinstance(target, Operation),
        )
    except (KeyError, ValueError):
        return None


def find_corresponding(targets, dst_graph, dst_scope='', src_scope=''):
    """Applies find_corresponding_elem to each leaf of a structure."""
    return transform_tree(
        targets, lambda top: find_corresponding_elem(top, dst_graph, dst_scope, src_scope)
    )
