"""tf.py_func: Python functions as ops."""

import itertools
import weakref

import numpy as np

from ramet import _core, gen
from ramet.api import export
from ramet.framework import nest, ops

_numbers = itertools.count()


def _as_array(value):
    array = np.asarray(value, order='C')
    if array.dtype.char == 'S' and array is not value:
        return np.asarray(value, order='C', dtype=object)
    if array.dtype.char == 'U':
        return np.array([text.encode() for text in array.ravel()],
                        dtype=object).reshape(array.shape)
    return array


def _as_arrays(result):
    if result is None:
        return []
    if isinstance(result, (list, tuple)):
        return [_as_array(value) for value in result]
    return [_as_array(result)]


class _Registered:
    """A function with a token. The graph owns it; the registry of the core only refers to it."""

    def __init__(self, func):
        self.token = f'pyfunc_{next(_numbers)}'
        self._func = func
        held = weakref.ref(self)
        _core.register_host_function(self.token, lambda inputs: held()._call(inputs))
        weakref.finalize(self, _core.unregister_host_function, self.token)

    def _call(self, inputs):
        return _as_arrays(self._func(*inputs))


def registered(func):
    """Registers a function with the core and returns its token. The default graph keeps it alive."""
    registered = _Registered(func)
    graph = ops.get_default_graph()
    # The graph of a function ends when the function is written.
    while hasattr(graph, 'outer_graph'):
        graph = graph.outer_graph
    if not hasattr(graph, '_py_funcs_used_in_graph'):
        graph._py_funcs_used_in_graph = []
    graph._py_funcs_used_in_graph.append(registered)
    return registered.token


def _call_eagerly(func, inp):
    """Calls the function with arrays, and returns its results as tensors."""
    inp = inp if isinstance(inp, (list, tuple)) else [inp]
    result = nest.flatten(func(*[np.array(value) for value in inp]))
    result = [value if value is None else ops.convert_to_tensor(value) for value in result]
    return result[0] if len(result) == 1 else result


@export('py_func')
def py_func(func, inp, Tout, stateful=True, name=None):
    """Calls a Python function on the values of tensors when the graph runs.

    The node identifies the function by a token of this process, so it cannot run in another process.
    The graph keeps the function alive.

    Args:
      func: a function that takes one numpy array per input. It returns a value, a list or tuple of
        values, or None.
      inp: a list of Tensors.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: False if the results depend only on the inputs, so that calls may be skipped.
      name: the name of the operation.

    Returns:
      A Tensor if Tout is a dtype, a list of Tensors if it is a list, and the Operation if it is an
      empty list. Their shapes are unknown.

    Raises:
      ValueError: if func is not callable.
    """
    if not callable(func):
        raise ValueError(f'Expected func to be callable. Received func={func} '
                         f'of type {type(func)}.')
    if ops.executing_eagerly():
        return _call_eagerly(func, inp)
    is_list = isinstance(Tout, (list, tuple))
    op = gen.PyFunc if stateful else gen.PyFuncStateless
    result = op(input=inp, token=registered(func), Tout=Tout if is_list else [Tout], name=name)
    return result if is_list else result[0]


@export('numpy_function')
def numpy_function(func=None, inp=None, Tout=None, stateful=True, name=None):
    """Calls a Python function on the values of tensors when the graph runs, like tf.py_func.

    Args:
      func: a function that takes one numpy array per input.
      inp: a list of Tensors.
      Tout: the dtype of the result, or a list of dtypes.
      stateful: False if the results depend only on the inputs.
      name: the name of the operation.

    Returns:
      A Tensor if Tout is a dtype, a list of Tensors if it is a list.

    Raises:
      ValueError: if func is not callable.
    """
    return py_func(func, inp, Tout, stateful, name=name)
