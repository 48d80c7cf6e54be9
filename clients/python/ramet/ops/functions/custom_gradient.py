"""tf.custom_gradient: functions that define their own gradients."""

import functools
import inspect
import itertools

from ramet import _core, gen
from ramet.api import export
from ramet.framework import nest, ops, variable_objects
from ramet.ops.array import array_ops
from ramet.ops.gradients import eager_records
from ramet.ops.variables import variables

_numbers = itertools.count()


class _Decorated:
    """The decorated function. It can also be a method."""

    def __init__(self, func):
        self._func = func
        functools.update_wrapper(self, func)

    def __get__(self, instance, owner):
        if instance is None:
            return self
        return _Decorated(functools.partial(self._func, instance))

    def __call__(self, *args, **kwargs):
        if ops.executing_eagerly():
            return _eager_call(self._func, args, kwargs)
        if kwargs:
            raise ValueError('The custom_gradient decorator currently supports keywords '
                             'arguments only when eager execution is enabled.')
        args = nest.map_structure(ops.convert_to_tensor, args)
        before = set(_all_variables())
        result, grad_fn = self._func(*args)
        created = [v for v in _all_variables() if v not in before]
        return _with_gradient(result, nest.flatten(args), grad_fn, created)


def _eager_call(func, args, kwargs):
    """Calls the function and records its gradient on the tapes."""
    accessed = {}
    watchers = variable_objects.watchers()
    watchers.append(lambda variable: accessed.setdefault(_core.eager_id(variable.handle), variable))
    try:
        result, grad_fn = func(*args, **kwargs)
    finally:
        watchers.pop()
    flat_args = nest.flatten(args) + nest.flatten(kwargs)
    used = [v for v in accessed.values() if v.trainable and all(v is not arg for arg in flat_args)]
    if used and not _takes_variables(grad_fn):
        raise TypeError('@tf.custom_gradient grad_fn must accept keyword argument \'variables\', since function uses '
                        f'variables: {used}')
    inputs = [arg.handle if isinstance(arg, variables.Variable) else ops.convert_to_tensor(arg) for arg in flat_args]
    pause = _core.TapePause()
    outputs = [gen.Identity(ops.convert_to_tensor(value)) for value in nest.flatten(result)]
    pause.resume()

    def backward(grads):
        grads = [array_ops.zeros_like(out) if grad is None else grad for grad, out in zip(grads, outputs)]
        made = grad_fn(*grads, variables=used) if used else grad_fn(*grads)
        of_inputs, of_variables = _split(made, used)
        if len(of_inputs) != len(inputs):
            raise ValueError(f'custom_gradient function expected to return {len(inputs)} gradients, but returned '
                             f'{len(of_inputs)} instead.')
        return of_inputs + of_variables

    eager_records.record(inputs + [v.handle for v in used], outputs, backward)
    return nest.pack_sequence_as(result, outputs)


def _takes_variables(grad_fn):
    parameters = inspect.signature(grad_fn).parameters
    return 'variables' in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _all_variables():
    return ops.get_collection('variables') + ops.get_collection('local_variables')


def _is_resource(variable):
    return variable.dtype == variable.dtype.base_dtype


def _handles_between(results, args):
    """Returns the handles of variables that the results depend on other than through `args`."""
    seen, found = {arg.op for arg in args}, []
    waiting = [result.op for result in results]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if op.type == 'VarHandleOp':
            found.append(op)
        waiting.extend(tensor.op for tensor in op.inputs)
    return found


def _used_variables(results, args, created):
    if not all(_is_resource(v) for v in created):
        raise TypeError(
            'All variables used by a function wrapped with @custom_gradient must be '
            '`ResourceVariable`s. Ensure that no `variable_scope` is created with '
            '`use_resource=False`.')
    handles = set(_handles_between(results, args))
    return [v for v in _all_variables() if _is_resource(v) and v.handle.op in handles]


def _split(made, variables):
    """Splits the result of a grad_fn into the gradients of the inputs and of the variables."""
    if not variables:
        return nest.flatten(made), []
    if not isinstance(made, (list, tuple)) or len(made) != 2:
        raise TypeError('If using @custom_gradient with a function that uses variables, then '
                        'grad_fn must return a pair: gradients of the inputs, and a list of '
                        'gradients of the variables.')
    inputs, of_variables = made
    if len(of_variables) != len(variables):
        raise ValueError(
            'Must return gradient for each variable from @custom_gradient grad_fn.')
    return nest.flatten(inputs), list(of_variables)


def _of(graph, variables):
    """Returns the variables, or their copies for a clone of the operation."""
    if graph._stand_in is None:
        return variables
    return [graph._stand_in(v) for v in variables]


def _registered(grad_fn, count, variables):
    name = f'CustomGradient-{next(_numbers)}'

    @ops.RegisterGradient(name)
    def _gradient(op, *result_gradients):
        keywords = {'variables': _of(op.graph, variables)} if variables else {}
        made = grad_fn(*result_gradients[:count], **keywords)
        of_inputs, of_variables = _split(made, variables)
        return [None] * count + of_inputs + of_variables

    return name


def _with_gradient(result, args, grad_fn, created):
    results = [ops.convert_to_tensor(r) for r in nest.flatten(result)]
    variables = _used_variables(results, args, created)
    for tensor in results:
        gen.Identity(tensor)
    name = _registered(grad_fn, len(results), variables)
    graph = ops.get_default_graph()
    with graph.gradient_override_map({'IdentityN': name}):
        outputs = gen.IdentityN(results + args + variables)
    for variable in variables:
        ops.convert_to_tensor(variable)
    return nest.pack_sequence_as(result, outputs[:len(results)])


@export('custom_gradient')
def custom_gradient(f=None):
    """Decorates a function that returns both its result and a function that computes its gradient.

        @tf.custom_gradient
        def log1pexp(x):
            e = tf.exp(x)
            return tf.log(1 + e), lambda upstream: upstream * (1 - 1 / (1 + e))

    Args:
      f: a function of tensors that returns (result, grad_fn). result is a Tensor or a structure of
        them. grad_fn takes a gradient per Tensor of the result and returns a gradient per input. If
        f uses resource variables, grad_fn also takes variables=, a list, and returns a pair: the
        gradients of the inputs, and a list of gradients of the variables.

    Returns:
      A function with the same arguments that returns only the result.

    Raises:
      TypeError: when it is called, if f creates a variable that is not a resource variable.
      ValueError: when it is called with keyword arguments.
    """
    return custom_gradient if f is None else _Decorated(f)


@export('grad_pass_through')
def grad_pass_through(f):
    """Returns a function with the results of f and the gradient of the identity.

    Args:
      f: a function of tensors.

    Returns:
      A function with the same arguments and results as f.
    """

    @custom_gradient
    def passing(*args):
        def grad(*upstream, variables=None):
            return upstream if variables is None else (upstream, [None] * len(variables))

        return f(*args), grad

    return passing
