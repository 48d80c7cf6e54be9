"""Scopes of the default graph: names, devices, control dependencies, colocation."""

import contextlib

from ramet import _core
from ramet.api import export
from ramet.framework import stacks
from ramet.framework.tensors import Tensor, graph_element


def graph_from_inputs(values):
    """The graph of the first tensor among values (nested lists too), else the default graph.

    Raises:
        ValueError: if tensors are of different graphs.
    """
    default = stacks.get_default_graph()
    if default.building_function or default._stand_in is not None:
        return default
    first = None
    for value in values:
        if type(value) is Tensor:
            graph = value.graph
        elif isinstance(value, (list, tuple)):
            graph = graph_from_inputs(value) if value else None
        elif value is None or isinstance(value, (int, float, str, bytes)):
            continue
        else:
            element = graph_element(value)
            graph = element.graph if element is not None else getattr(value, 'graph', None)
        if graph is None:
            continue
        if first is None:
            first = graph
        elif first is not graph and not isinstance(value, (list, tuple)):
            raise ValueError(f'{value} must be from the same graph as the others of {values}.')
    return first if first is not None else default


@export('name_scope', 'keras.backend.name_scope')
class name_scope:
    """A context in which the names of new nodes begin with a scope.

    `with tf.name_scope(name, 'default', [x, y]) as scope:` is how a function names its nodes: the
    caller's name or its own, in the graph of its inputs.
    """

    __slots__ = ('_name', '_default_name', '_values', '_graph', '_opened', '_before')

    def __init__(self, name, default_name=None, values=None):
        """Makes the context.

        Args:
            name: the scope; made unique under the current one. "x/" enters x again.
            default_name: the scope where name is None.
            values: tensors whose graph is to be used.

        Raises:
            TypeError: if default_name is no text (positional arguments in the wrong order).
            ValueError: if neither a name nor a default_name is given, but values are.
        """
        if not (default_name is None or isinstance(default_name, str)):
            raise TypeError(
                f'`default_name` type ({type(default_name)}) is not a string type. You likely '
                "meant to pass this into the `values` kwarg."
            )
        self._name = default_name if name is None else name
        self._default_name = default_name
        self._values = values

    @property
    def name(self):
        return self._name

    def __enter__(self):
        if self._name is None and self._values is not None:
            raise ValueError(
                f'At least one of name (None) and default_name ({self._default_name}) must be '
                'provided.'
            )
        default = stacks.get_default_graph()
        graph = graph_from_inputs(self._values) if self._values else default
        self._graph = graph
        self._opened = None
        if graph is not default:
            self._opened = graph.as_default()
            self._opened.__enter__()
        self._before, scope = graph._enter_name(self._name)
        return scope

    def __exit__(self, *error):
        _core.set_name_stack(self._graph, self._before)
        if self._opened is not None:
            self._opened.__exit__(*error)
        return False

    def __call__(self, func):
        """As a decorator."""
        import functools

        @functools.wraps(func)
        def inside(*args, **kwargs):
            with name_scope(self._name, self._default_name, self._values):
                return func(*args, **kwargs)

        return inside


@export('op_scope')
@contextlib.contextmanager
def op_scope(values, name, default_name=None):
    """The old spelling of name_scope(name, default_name, values)."""
    with name_scope(name, default_name, values) as scope:
        yield scope


def get_name_scope():
    """The current name scope of the default graph without a slash at the end."""
    return stacks.get_default_graph().get_name_scope()


@export('device')
def device(device_name_or_function):
    """Graph.device of the default graph."""
    return stacks.get_default_graph().device(device_name_or_function)


@export('container')
def container(container_name):
    """Graph.container of the default graph."""
    return stacks.get_default_graph().container(container_name)


@export('control_dependencies')
def control_dependencies(control_inputs):
    """Graph.control_dependencies of the default graph."""
    return stacks.get_default_graph().control_dependencies(control_inputs)


@export('colocate_with')
def colocate_with(op, ignore_existing=False):
    """Graph.colocate_with of the default graph."""
    return stacks.get_default_graph().colocate_with(op, ignore_existing)


@export('init_scope')
@contextlib.contextmanager
def init_scope():
    """Nodes made inside depend on no control dependencies and control flow around; names stay."""
    graph = stacks.get_default_graph()
    context = graph._get_control_flow_context()
    graph._set_control_flow_context(None)
    _core.push_controls(graph, None)
    try:
        yield
    finally:
        _core.pop_controls(graph)
        graph._set_control_flow_context(context)


def name_from_scope_name(name):
    """The name of an operation that a scope "a/b/" is named for."""
    return name[:-1] if name and name[-1] == '/' else name


def prepend_name_scope(name, import_scope):
    """The name "a:0", "^a" or "loc:@a" as it is under a name scope; itself where that is empty."""
    if not import_scope:
        return name
    mark = next((m for m in ('^', 'loc:@') if name.startswith(m)), '')
    return f'{mark}{import_scope.removesuffix("/")}/{name[len(mark):]}'


def strip_name_scope(name, export_scope):
    """The name "a/b:0", "^a/b" or "loc:@a/b" without the name scope that it begins with."""
    if not export_scope:
        return name
    mark = next((m for m in ('^', 'loc:@') if name.startswith(m)), '')
    scope = export_scope.removesuffix('/') + '/'
    inside = name[len(mark):]
    return mark + inside.removeprefix(scope).lstrip('/') if inside.startswith(scope) else name


@export('executing_eagerly', 'executing_eagerly_outside_functions')
def executing_eagerly():
    """False: operations are nodes of graphs, which sessions run."""
    return False
