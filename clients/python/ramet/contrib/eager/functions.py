"""Functions that return gradients of functions, and queries."""

import functools
import inspect

from ramet import _core
from ramet.api import export
from ramet.framework import eager, nest, ops
from ramet.ops.gradients.gradient_tape import GradientTape
from ramet.ops.variables import eager_variable, variable_creation, variable_scope, variable_store


def _parameters(f, params, args, kwargs):
    """Returns the positions of the arguments to differentiate by, and all arguments by position."""
    names = list(inspect.signature(f).parameters)
    if kwargs:
        bound = inspect.getcallargs(f, *args, **kwargs)
        args = [bound[name] for name in names]
    if params is None:
        return list(range(len(args))), args
    if all(isinstance(param, str) for param in params):
        return [names.index(param) for param in params], args
    if all(isinstance(param, int) for param in params):
        return list(params), args
    raise ValueError('params must be all strings or all integers; got %s.' % (params,))


def _checked(result, f):
    if result is None:
        raise ValueError('Cannot differentiate a function that returns None; did you forget to return a value '
                         f'from {f.__name__}?')
    return result


def _second_result(f, compute):
    """Returns a function like f that returns the second part of what `compute` returns."""
    @functools.wraps(f)
    def second(*args, **kwargs):
        return compute(*args, **kwargs)[1]

    return second


@export('contrib.eager.value_and_gradients_function')
def value_and_gradients_function(f, params=None):
    """Returns a function that computes f and its derivatives by its arguments.

    Args:
      f: a function of tensors that returns a Tensor.
      params: the names or the positions of the arguments to differentiate by, or None for all.

    Returns:
      A function with the arguments of f, and optionally dy, the derivative to start from. It returns a pair: the
      result of f, and a list of gradients.

    Raises:
      ValueError: when it is called, if params mixes names and positions, or f returns None.
    """
    @functools.wraps(f)
    def compute(*args, **kwargs):
        dy = kwargs.pop('dy', None)
        positions, args = _parameters(f, params, args, kwargs)
        args = list(args)
        with GradientTape() as tape:
            for i in positions:
                args[i] = nest.map_structure(ops.convert_to_tensor, args[i])
                tape.watch(args[i])
            result = _checked(f(*args), f)
        sources = [args[i] for i in positions]
        flat = tape.gradient(nest.flatten(result), nest.flatten(sources),
                             None if dy is None else nest.flatten(dy))
        return result, nest.pack_sequence_as(sources, flat)

    return compute


@export('contrib.eager.gradients_function')
def gradients_function(f, params=None):
    """Returns a function that computes the derivatives of f by its arguments.

    Args:
      f: a function of tensors that returns a Tensor.
      params: the names or the positions of the arguments to differentiate by, or None for all.

    Returns:
      A function with the arguments of f, and optionally dy, that returns a list of gradients.

    Raises:
      ValueError: when it is called, if params mixes names and positions, or f returns None.
    """
    return _second_result(f, value_and_gradients_function(f, params))


@export('contrib.eager.implicit_value_and_gradients')
def implicit_value_and_gradients(f):
    """Returns a function that computes f and its derivatives by the trainable variables that it uses.

    Args:
      f: a function that returns a Tensor.

    Returns:
      A function with the arguments of f that returns a pair: the result of f, and a list of pairs (gradient,
      variable).

    Raises:
      ValueError: when it is called, if f returns None or uses no trainable variables.
    """
    @functools.wraps(f)
    def compute(*args, **kwargs):
        with GradientTape() as tape:
            result = _checked(f(*args, **kwargs), f)
        variables = tape.watched_variables()
        if not variables:
            raise ValueError('No trainable variables were accessed while the function was being computed.')
        pairs = [(grad, variable) for grad, variable in zip(tape.gradient(result, variables), variables)
                 if grad is not None]
        return result, pairs

    return compute


@export('contrib.eager.implicit_gradients')
def implicit_gradients(f):
    """Returns a function that computes the derivatives of f by the trainable variables that it uses.

    Args:
      f: a function that returns a Tensor.

    Returns:
      A function with the arguments of f that returns a list of pairs (gradient, variable).

    Raises:
      ValueError: when it is called, if f returns None or uses no trainable variables.
    """
    return _second_result(f, implicit_value_and_gradients(f))


@export('contrib.eager.run')
def run(main=None, argv=None):
    """Enables eager execution and runs a program; see tf.app.run.

    Args:
      main: the function of the program, or None for the function main of the module __main__.
      argv: the arguments, or None for those of the process.
    """
    from ramet.lib import app  # deferred: it parses flags

    eager.enable_eager_execution()
    app.run(main, argv)


@export('contrib.eager.num_gpus')
def num_gpus():
    """Returns how many GPUs eager execution uses."""
    eager.the_graph()
    return sum('device:GPU:' in name for name in _core.eager_devices())


@export('contrib.eager.list_devices')
def list_devices():
    """Returns the names of the devices."""
    eager.the_graph()
    return _core.eager_devices()


@export('contrib.eager.in_eager_mode')
def in_eager_mode():
    """Returns whether operations run when they are called."""
    return ops.executing_eagerly()


@export('contrib.eager.Variable')
def Variable(*args, **kwargs):
    """Creates a resource variable; see tf.Variable.

    Args:
      *args: the positional arguments of tf.Variable.
      **kwargs: the keyword arguments of tf.Variable.

    Returns:
      A variable.
    """
    if ops.executing_eagerly_outside_functions():
        return eager_variable.EagerVariable(*args, **kwargs)
    return variable_creation.create(*args, use_resource=True, **kwargs)


@export('contrib.eager.EagerVariableStore')
class EagerVariableStore:
    """Keeps the variables that tf.get_variable and the functions of tf.layers create, so that they are found again.

        container = tfe.EagerVariableStore()
        for input in dataset:
            with container.as_default():
                x = tf.layers.dense(input, name='l1')
        print(container.variables)
    """

    def __init__(self, store=None):
        """Creates the container.

        Args:
          store: the variables of another container, or None.

        Raises:
          ValueError: if `store` does not keep variables of eager execution.
        """
        if store is not None and not store._keeps_eager:
            raise ValueError('Cannot construct EagerVariableStore from a VariableStore object that does not hold '
                             'eager variables.')
        self._store = store or variable_store.VariableStore(keeps_eager=True)

    def as_default(self):
        """Returns a context manager in which variables are kept here."""
        return variable_scope.opened_store(self._store)

    def variables(self):
        """Returns all variables, sorted by name."""
        return self._store.sorted_variables()

    def trainable_variables(self):
        """Returns the trainable variables, sorted by name."""
        return [v for v in self.variables() if v.trainable]

    def non_trainable_variables(self):
        """Returns the other variables, sorted by name."""
        return [v for v in self.variables() if not v.trainable]
