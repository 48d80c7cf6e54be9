"""Variable scopes and get_variable, which share variables by name."""

import contextlib
import functools
import threading

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.variables import variable_creation, variable_store, variables
from ramet.ops.variables.variable_creation import state_of
from ramet.ops.variables.variable_scope_object import VariableScope
from ramet.ops.variables.variable_store import AUTO_REUSE

_AUTO = variables.VariableSynchronization.AUTO
_NONE = variables.VariableAggregation.NONE
_INHERITED = ('initializer', 'regularizer', 'caching_device', 'partitioner', 'custom_getter',
              'dtype', 'use_resource', 'constraint')


class _ScopeStore(threading.local):
    """The open variable scope of a graph in this thread, and how often each name was opened."""

    def __init__(self):
        self.current = VariableScope(False)
        self.counts = {}
        self.children = {}
        self.numbers = {}

    def open(self, name):
        self.counts[name] = self.counts.get(name, 0) + 1
        parent, _, _ = name.rpartition('/')
        while name:
            known = self.children.setdefault(parent, set())
            if name in known:
                break
            known.add(name)
            name, (parent, _, _) = parent, parent.rpartition('/')

    def close_below(self, name):
        """Forgets how often scopes under `name` were opened. Counts at the root are kept."""
        if not name:
            return
        waiting = list(self.children.pop(name, ()))
        while waiting:
            child = waiting.pop()
            self.counts.pop(child, None)
            self.numbers.pop(child, None)
            waiting.extend(self.children.pop(child, ()))

    def saved(self):
        return dict(self.counts), {k: set(v) for k, v in self.children.items()}

    def restore(self, saved):
        self.counts, self.children = saved
        self.numbers = {}

    def unique(self, prefix):
        """Returns `prefix`, with a number if a scope with this name was already opened here."""
        full = self.current._full_name(prefix)
        if not self.counts.get(full):
            return prefix
        i = self.numbers.get(full, 1)
        while self.counts.get(f'{full}_{i}'):
            i += 1
        self.numbers[full] = i
        return f'{prefix}_{i}'


def scope_store(graph=None):
    """Returns the scopes of a graph. Defaults to those of the default graph."""
    return state_of(graph or ops.get_default_graph(), '_variable_scope_store', _ScopeStore)


def default_store():
    """Returns the variables of the default graph by name."""
    return state_of(ops.get_default_graph(), '_variable_store', variable_store.VariableStore)


@contextlib.contextmanager
def opened_store(store):
    """Returns a context in which a store has the variables of the default graph.

    Args:
      store: a VariableStore.
    """
    graph, before = ops.get_default_graph(), default_store()
    graph._variable_store = store
    try:
        yield store
    finally:
        graph._variable_store = before


@export('get_variable_scope')
def get_variable_scope():
    """Returns the current VariableScope."""
    return scope_store().current


@export('get_variable')
def get_variable(name, shape=None, dtype=None, initializer=None, regularizer=None, trainable=None,
                 collections=None, caching_device=None, partitioner=None, validate_shape=True,
                 use_resource=None, custom_getter=None, constraint=None, synchronization=_AUTO,
                 aggregation=_NONE):
    """Creates a variable in the current variable scope, or gets an existing one if it is reused.

    Args:
      name: the name of the variable, which is prefixed by variable scopes but not by name scopes.
      shape: the shape of a new variable. It must not be given if `initializer` is a tensor or does not
        need it.
      dtype: the DType of a new variable. Defaults to the scope's, or float32.
      initializer: an initializer (callable with shape, dtype), a callable without arguments, or a
        tensor or a value that can be converted to one. Defaults to the scope's, or glorot_uniform for
        floating-point dtypes and zeros for others.
      regularizer: a function from the variable to a Tensor that is added to the collection of
        regularization losses, or to None. Defaults to the scope's.
      trainable: whether to add it to the trainable variables. Defaults to True.
      collections: a list of collection keys. Defaults to [GraphKeys.GLOBAL_VARIABLES].
      caching_device: the device on which reads are cached. Defaults to the scope's.
      partitioner: a function (shape, dtype) -> list of the number of parts in each dimension.
      validate_shape: False allows values of any shape to be assigned.
      use_resource: True for a resource variable. Defaults to the scope's setting, or False.
      custom_getter: a function (getter, name, **arguments) that returns the variable.
      constraint: a function that optimizers apply to new values.
      synchronization: a VariableSynchronization.
      aggregation: a VariableAggregation.

    Returns:
      The Variable, or a PartitionedVariable if there is a partitioner and the shape is not a scalar.

    Raises:
      ValueError: if a variable to create already exists, or one to reuse does not; if shape or dtype
        do not match an existing variable; if there is no default initializer for its dtype.
    """
    return get_variable_scope().get_variable(
        default_store(), name, shape=shape, dtype=dtype, initializer=initializer,
        regularizer=regularizer, trainable=trainable, collections=collections,
        caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, custom_getter=custom_getter, constraint=constraint,
        synchronization=synchronization, aggregation=aggregation)


@export('get_local_variable')
@with_args_of(get_variable)
def get_local_variable(name, shape=None, dtype=None, initializer=None, regularizer=None,
                       trainable=False, collections=None, caching_device=None, partitioner=None,
                       validate_shape=True, use_resource=None, custom_getter=None,
                       constraint=None, synchronization=_AUTO, aggregation=_NONE):
    """Like get_variable, for a variable in the collection of local variables that is not trainable.

    Args:
      trainable: ignored. Local variables are not trainable.
      collections: a list of further collection keys.

    Returns:
      The Variable, or a PartitionedVariable if there is a partitioner and the shape is not a scalar.
    """
    collections = (collections or []) + [ops.GraphKeys.LOCAL_VARIABLES]
    return get_variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
        trainable=False, collections=collections, caching_device=caching_device,
        partitioner=partitioner, validate_shape=validate_shape, use_resource=use_resource,
        custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation)


class PureVariableScope:
    """Opens a variable scope without a name scope; see variable_scope."""

    def __init__(self, name_or_scope, reuse=None, old_name_scope=None, **given):
        self._target = name_or_scope
        self._reuse = reuse
        self._old_name_scope = old_name_scope
        self._given = {k: v for k, v in given.items() if v is not None}

    def __enter__(self):
        self._store = store = scope_store()
        self._old = store.current
        if isinstance(self._target, VariableScope):
            scope = self._again(self._target)
        else:
            scope = self._new(self._target)
        self._scope = scope
        store.open(scope.name)
        self._counts = store.saved() if isinstance(self._target, VariableScope) else None
        store.current = scope
        return scope

    def __exit__(self, *unused):
        store = self._store
        if store.current is not self._scope:
            raise RuntimeError('Improper nesting of variable_scope.')
        store.close_below(self._scope.name)
        if self._counts is not None:
            store.restore(self._counts)
        store.current = self._old

    def _again(self, target):
        """Returns a scope that is opened again, with its settings replaced by the given ones."""
        reuse = self._reuse or target.reuse
        name_scope = self._old_name_scope
        if name_scope is None:
            name_scope = target.original_name_scope
        return self._made(reuse, target.name, name_scope, target, target.custom_getter)

    def _new(self, name):
        old = self._old
        name_scope = name if self._old_name_scope is None else self._old_name_scope
        return self._made(self._reuse or old.reuse, old._full_name(name), name_scope, old,
                          old.custom_getter)

    def _made(self, reuse, name, name_scope, defaults, outer_getter):
        known = {what: getattr(defaults, what) for what in _INHERITED}
        known.update(self._given)
        getter = self._given.get('custom_getter')
        if getter is not None and outer_getter is not None:
            known['custom_getter'] = _getter_inside(getter, outer_getter)
        return VariableScope(reuse, name=name, name_scope=name_scope, **known)


def _getter_inside(inner, outer):
    def inside(getter, *args, **kwargs):
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return inside


@export('variable_scope')
class variable_scope:
    """A variable scope for get_variable, which is also a name scope for operations.

    Args:
      name_or_scope: a prefix for variables' names, or a VariableScope to open again.
      default_name: the name if `name_or_scope` is None; made unique.
      values: a list of Tensors whose graph becomes the default graph in the scope.
      initializer: the default initializer of its variables.
      regularizer: the default regularizer.
      caching_device: the default caching device.
      partitioner: the default partitioner.
      custom_getter: the default custom getter. That of an outer scope is called after it.
      reuse: True reuses existing variables, tf.AUTO_REUSE also creates missing ones, and None inherits
        the mode of the outer scope.
      dtype: the default dtype.
      use_resource: whether its variables are resource variables.
      constraint: the default constraint.
      auxiliary_name_scope: False keeps the current name scope.

    Raises:
      TypeError: if there is neither a name nor a default name, or an argument has the wrong type.
      ValueError: if `reuse` is invalid, or True without `name_or_scope`.
    """

    def __init__(self, name_or_scope, default_name=None, values=None, initializer=None,
                 regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                 reuse=None, dtype=None, use_resource=None, constraint=None,
                 auxiliary_name_scope=True):
        if default_name is None and name_or_scope is None:
            raise TypeError('If default_name is None then name_or_scope is required')
        if reuse is False:
            reuse = None
        if not (reuse is True or reuse is None or reuse is AUTO_REUSE):
            raise ValueError('The reuse parameter must be True or False or None.')
        if not isinstance(auxiliary_name_scope, bool):
            raise TypeError('The auxiliary_name_scope must be `True` or `False`, while get '
                            f'{auxiliary_name_scope}')
        if values is None:
            values = []
        self._name_or_scope = name_or_scope
        self._default_name = default_name
        self._reuse = reuse
        self._auxiliary = auxiliary_name_scope
        self._graph = _graph_of(values)
        self._given = {'initializer': initializer, 'regularizer': regularizer,
                       'caching_device': caching_device, 'partitioner': partitioner,
                       'custom_getter': custom_getter, 'dtype': dtype,
                       'use_resource': use_resource, 'constraint': constraint}

    def __enter__(self):
        self._open = []
        try:
            if ops.get_default_graph() is not self._graph:
                self._push(self._graph.as_default())
            return self._enter_scopes()
        except BaseException:
            self._close()
            raise

    def __exit__(self, *unused):
        self._close(*unused)

    def _push(self, scope):
        entered = scope.__enter__()
        self._open.append(scope)
        return entered

    def _close(self, *exception):
        while self._open:
            self._open[-1].__exit__(*(exception or (None, None, None)))
            self._open.pop()

    def _enter_scopes(self):
        name_scope = None
        if not self._auxiliary:
            here = ops.get_name_scope()
            name_scope = ops.name_scope(here + '/' if here else None)
        target = self._name_or_scope
        if target is None:
            if self._reuse:
                raise ValueError('reuse=True cannot be used without a name_or_scope')
            opened = self._push(name_scope or ops.name_scope(self._default_name))
            return self._push_pure(scope_store().unique(self._default_name), opened)
        if not isinstance(target, (VariableScope, str)):
            raise TypeError('VariableScope: name_or_scope must be a string or VariableScope.')
        name = target if isinstance(target, str) else target.name.split('/')[-1]
        if not name and name_scope is None:
            return self._push_pure(target, None)
        opened = self._push(name_scope or ops.name_scope(name))
        return self._push_pure(target, opened if isinstance(target, str)
                               else target.original_name_scope)

    def _push_pure(self, target, name_scope):
        return self._push(PureVariableScope(target, reuse=self._reuse, old_name_scope=name_scope,
                                            **self._given))


def _graph_of(values):
    for value in values:
        graph = getattr(value, 'graph', None)
        if isinstance(graph, ops.Graph):
            return graph
    return ops.get_default_graph()


@export('variable_op_scope')
@with_args_of(variable_scope)
def variable_op_scope(values, name_or_scope, default_name=None, initializer=None,
                      regularizer=None, caching_device=None, partitioner=None, custom_getter=None,
                      reuse=None, dtype=None, use_resource=None, constraint=None):
    """Opens variable_scope(name_or_scope, default_name, values); the arguments have an older order.

    Returns:
      A context manager.
    """
    return variable_scope(name_or_scope, default_name=default_name, values=values,
                          initializer=initializer, regularizer=regularizer,
                          caching_device=caching_device, partitioner=partitioner,
                          custom_getter=custom_getter, reuse=reuse, dtype=dtype,
                          use_resource=use_resource, constraint=constraint)


variable_creation.set_setting_of_scope(lambda: get_variable_scope().use_resource)
