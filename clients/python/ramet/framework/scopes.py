"""Scopes of the default graph: names, devices, control dependencies and colocation."""

import contextlib

from ramet import _core
from ramet.api import export
from ramet.framework import stacks
from ramet.framework.tensors import Tensor, graph_element


def graph_from_inputs(values):
    """Returns the graph of the first tensor in `values`, or the default graph if there is none.

    Nested lists are searched.

    Raises:
      ValueError: if tensors belong to different graphs.
    """
    default = stacks.get_default_graph()
    if default._eager or default.building_function or default._stand_in is not None:
        return default
    first = None
    for value in values:
        if isinstance(value, Tensor):
            graph = None if value._is_eager else value.graph
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
            raise ValueError(f'{value} must be from the same graph as the others in {values}.')
    return first if first is not None else default


@export('name_scope', 'keras.backend.name_scope')
class name_scope:
    """A context manager that prefixes the names of new nodes with a scope.

    A function names its nodes with `with tf.name_scope(name, 'default', [x, y]) as scope:`. This uses
    the caller's name or the default one, in the graph of the inputs.
    """

    __slots__ = ('_name', '_default_name', '_values', '_graph', '_opened', '_before')

    def __init__(self, name, default_name=None, values=None):
        """Creates the context manager.

        Args:
          name: the scope, made unique under the current one. "x/" enters x again.
          default_name: the scope if name is None.
          values: tensors whose graph is used.

        Raises:
          TypeError: if default_name is not a string (positional arguments in the wrong order).
          ValueError: if `values` are given, but neither a name nor a default_name.
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
        """Returns a function that runs `func` inside the scope, for use as a decorator."""
        import functools

        @functools.wraps(func)
        def inside(*args, **kwargs):
            with name_scope(self._name, self._default_name, self._values):
                return func(*args, **kwargs)

        return inside


@export('op_scope')
@contextlib.contextmanager
def op_scope(values, name, default_name=None):
    """Opens name_scope(name, default_name, values); the arguments have an older order.

    Args:
      values: tensors whose graph is used.
      name: the scope, made unique under the current one.
      default_name: the scope if name is None.
    """
    with name_scope(name, default_name, values) as scope:
        yield scope


@export('contrib.framework.get_name_scope')
def get_name_scope():
    """Returns the current name scope of the default graph without the trailing slash."""
    return stacks.get_default_graph().get_name_scope()


@export('device')
def device(device_name_or_function):
    """Places the nodes created inside the context on a device; see Graph.device.

    Args:
      device_name_or_function: a device as a string or DeviceSpec; a function from an Operation to a
        device; or None to ignore the outer device scopes.

    Returns:
      A context manager.
    """
    return stacks.get_default_graph().device(device_name_or_function)


@export('container')
def container(container_name):
    """Sets the resource container inside the context; see Graph.container.

    Args:
      container_name: str, the name of the container.

    Returns:
      A context manager.
    """
    return stacks.get_default_graph().container(container_name)


@export('control_dependencies')
def control_dependencies(control_inputs):
    """Makes nodes created inside the context run after others; see Graph.control_dependencies.

    Args:
      control_inputs: a list of Operations, Tensors, or objects that stand for one; or None to ignore
        the outer scopes of this kind.

    Returns:
      A context manager.
    """
    return stacks.get_default_graph().control_dependencies(control_inputs)


@export('colocate_with')
def colocate_with(op, ignore_existing=False):
    """Places nodes created inside the context on the device of `op`; see Graph.colocate_with.

    Args:
      op: an Operation, Tensor or an object that stands for one; or None with ignore_existing.
      ignore_existing: whether to ignore the outer scopes of this kind.

    Returns:
      A context manager.
    """
    return stacks.get_default_graph().colocate_with(op, ignore_existing)


@export('init_scope')
@contextlib.contextmanager
def init_scope():
    """Lifts nodes created inside the context out of control dependencies, control flow and functions.

    Name scopes and devices still apply.
    """
    inner = stacks.get_default_graph()
    graph = stacks.enclosing(lambda graph: not graph.building_function)
    if graph._eager:
        with _eager_scope(graph, inner):
            yield
        return
    context = graph._get_control_flow_context()
    graph._set_control_flow_context(None)
    _core.push_controls(graph, None)
    try:
        with contextlib.ExitStack() as entered:
            if graph is not inner:
                entered.enter_context(graph.as_default())
                scope = inner.get_name_scope()
                entered.enter_context(graph.name_scope(f'{scope}/' if scope else None))
                entered.enter_context(graph._devices_of(inner))
            yield
    finally:
        _core.pop_controls(graph)
        graph._set_control_flow_context(context)


@contextlib.contextmanager
def _eager_scope(graph, inner):
    """Opens the graph of eager execution with the name scope of another graph, and without a tape."""
    if graph is inner:
        yield
        return
    scope = inner.get_name_scope()
    pause = _core.TapePause()
    try:
        with graph.as_default(), graph.name_scope(f'{scope}/' if scope else None), graph._devices_of(inner):
            yield
    finally:
        pause.resume()


def name_from_scope_name(name):
    """Returns the operation name for a scope name: "a/b" for "a/b/"."""
    return name[:-1] if name and name[-1] == '/' else name


@export('contrib.framework.prepend_name_scope')
def prepend_name_scope(name, import_scope):
    """Returns the name "a:0", "^a" or "loc:@a" under a name scope, or unchanged without a scope.

    Args:
      name: the name.
      import_scope: the name scope, or None.
    """
    if not import_scope:
        return name
    mark = next((m for m in ('^', 'loc:@') if name.startswith(m)), '')
    return f'{mark}{import_scope.removesuffix("/")}/{name[len(mark):]}'


@export('contrib.framework.strip_name_scope')
def strip_name_scope(name, export_scope):
    """Returns the name "a/b:0", "^a/b" or "loc:@a/b" without a name scope that it starts with.

    Args:
      name: the name.
      export_scope: the name scope, or None.
    """
    if not export_scope:
        return name
    mark = next((m for m in ('^', 'loc:@') if name.startswith(m)), '')
    scope = export_scope.removesuffix('/') + '/'
    inside = name[len(mark):]
    return mark + inside.removeprefix(scope).lstrip('/') if inside.startswith(scope) else name


@export('executing_eagerly')
def executing_eagerly():
    """Returns whether operations run when they are called, instead of becoming nodes of the default graph."""
    return stacks.get_default_graph()._eager


@export('executing_eagerly_outside_functions')
def executing_eagerly_outside_functions():
    """Returns whether operations run when they are called, outside of the functions under construction."""
    return stacks.enclosing(lambda graph: not graph.building_function)._eager
