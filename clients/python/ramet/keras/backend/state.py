"""The state of tf.keras: the session; and for each graph, the learning phase and the numbers of names."""

import collections
import contextlib

from ramet import _core
from ramet.api import export
from ramet.client.session import Session
from ramet.framework import ops
from ramet.ops.functions import func_graph
from ramet.ops.array import array_placeholders
from ramet.ops.variables.variable_creation import state_of

_state = {'session': None, 'manual': False}


def graph_state(name, factory, graph=None):
    """Returns an object that belongs to a graph, the default one for None. `factory` makes it at the first call."""
    return state_of(ops.get_default_graph() if graph is None else graph, f'_keras_{name}', factory)


@contextlib.contextmanager
def symbolic_graph():
    """Returns a context in which layers are connected by tensors of a graph, also in programs that run eagerly."""
    graph = ops.get_default_graph()
    if graph._eager:
        with graph_state('symbolic_graph', _new_symbolic_graph, graph).as_default():
            yield
        return
    yield


def _new_symbolic_graph():
    graph = func_graph.FuncGraph()
    _core.set_capturing(graph, True)
    return graph


# Names.


@export('keras.backend.get_uid')
def get_uid(prefix=''):
    """Returns the next number of a prefix in the default graph, counted from 1.

    Args:
      prefix: str.
    """
    counts = graph_state('uids', lambda: collections.defaultdict(int))
    counts[prefix] += 1
    return counts[prefix]


@export('keras.backend.reset_uids')
def reset_uids():
    """Starts the numbers of names again."""
    graph_state('uids', lambda: collections.defaultdict(int)).clear()
    graph_state('names', dict).clear()


def unique_name(base_name):
    """Returns `base_name` at the first call in a graph, then base_name_1, base_name_2, and so on."""
    counts = graph_state('names', dict)
    counts[base_name] = counts.get(base_name, -1) + 1
    return f'{base_name}_{counts[base_name]}' if counts[base_name] else base_name


# Sessions.


@export('keras.backend.manual_variable_initialization')
def manual_variable_initialization(value):
    """Sets whether the program initializes variables itself.

    Args:
      value: True if the program does; False, the initial setting, if sessions of tf.keras do.
    """
    _state['manual'] = value


def track_variable(variable):
    """Makes sessions of tf.keras initialize a variable when they need it."""
    if not variable._in_graph_mode:
        return
    tracked = graph_state('variables', dict, variable.graph)
    tracked.setdefault(variable.op.name, variable)


@export('keras.backend.get_session')
def get_session(op_input_list=()):
    """Returns the session of models: the default session, the one of set_session, or a new one.

    Variables of models that have no value yet are initialized in it.

    Args:
      op_input_list: ignored; for compatibility.
    """
    session = ops.get_default_session()
    if session is None:
        session = _state['session']
        if session is None or session.graph is not ops.get_default_graph():
            session = _state['session'] = Session()
    if not _state['manual']:
        _initialize_variables(session)
    return session


def _initialize_variables(session):
    tracked = graph_state('variables', dict, session.graph)
    if getattr(session, '_keras_initialized', 0) == len(tracked):
        return
    missing = set(session.uninitialized_variables())
    waiting = [v for name, v in tracked.items() if name in missing]
    if waiting:
        session.run([v.initializer for v in waiting])
    session._keras_initialized = len(tracked)


@export('keras.backend.set_session')
def set_session(session):
    """Sets the session of models.

    Args:
      session: a tf.Session.
    """
    _state['session'] = session


@export('keras.backend.clear_session')
def clear_session():
    """Forgets the session, the default graph and the numbers of names, and begins a new graph."""
    ops.reset_default_graph()
    _state['session'] = None


# The learning phase.


@export('keras.backend.learning_phase')
def learning_phase():
    """Returns the learning phase of the default graph: 1 or True in training, 0 or False otherwise.

    Returns:
      The number given to set_learning_phase, or a boolean scalar Tensor that is False unless a run feeds it.
    """
    phases = graph_state('learning_phase', dict)
    if ops.executing_eagerly():
        return phases.get('value', 0)
    if 'value' not in phases:
        with ops.name_scope(''):
            phases['value'] = array_placeholders.placeholder_with_default(
                False, shape=(), name='keras_learning_phase')
    return phases['value']


def symbolic_learning_phase():
    """Returns the Tensor of the learning phase, or None if the phase is fixed or no layer has used it."""
    value = graph_state('learning_phase', dict).get('value')
    return value if isinstance(value, ops.Tensor) else None


@export('keras.backend.set_learning_phase')
def set_learning_phase(value):
    """Fixes the learning phase of the default graph for layers that are called from now on.

    Args:
      value: 0 (or False) or 1 (or True).

    Raises:
      ValueError: if it is something else.
    """
    if value not in (0, 1):
        raise ValueError('Expected learning phase to be 0 or 1.')
    graph_state('learning_phase', dict)['value'] = value


@export('keras.backend.learning_phase_scope')
@contextlib.contextmanager
def learning_phase_scope(value):
    """Returns a context manager that fixes the learning phase inside.

    Args:
      value: 0 (or False) or 1 (or True).

    Raises:
      ValueError: if it is something else.
    """
    phases = graph_state('learning_phase', dict)
    before = dict(phases)
    set_learning_phase(value)
    try:
        yield
    finally:
        phases.clear()
        phases.update(before)
