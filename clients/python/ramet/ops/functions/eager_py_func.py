"""tf.py_function: Python functions as ops, which run their operations eagerly and can be differentiated."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, dtypes, eager, ops
from ramet.ops.functions import script_ops
from ramet.ops.gradients import gradient_tape, tape_records
from ramet.ops.variables import variables

# (tape, inputs, outputs) of the last call, by token, for the gradient of the node.
_calls = {}
_VARIABLE = ('Attempting to return a variable from an eagerly executed py_func. Only numeric data structures like '
             'Tensors or NumPy arrays should be returned; to return the value of a variable, make sure to obtain the '
             'Tensor backing it by calling `.read_value()` on the variable in question: ')
_differentiated = set()


class _EagerFunction:
    """A function that is called with arrays and returns arrays, and calls another with eager tensors."""

    def __init__(self, func, out_dtypes, is_gradient):
        self._func = func
        self._out_dtypes = out_dtypes
        self._is_gradient = is_gradient
        self.token = None

    def __call__(self, *arrays):
        with eager.eager_mode():
            inputs = [ops.convert_to_tensor(array) for array in arrays]
            if self.token not in _differentiated:
                return [value.numpy() for value in self._outputs(self._func(*inputs))]
            with gradient_tape.GradientTape() as tape:
                tape.watch([tensor for tensor in inputs if tape_records.is_trainable(tensor)])
                outputs = self._outputs(self._func(*inputs))
            _calls[self.token] = tape, inputs, outputs
            return [value.numpy() for value in outputs]

    def _outputs(self, result):
        if result is None:
            return []
        if not isinstance(result, (list, tuple)):
            result = [result]
        return [self._converted(value, dtype) for value, dtype in zip(result, self._out_dtypes)]

    def _converted(self, value, dtype):
        if isinstance(value, variables.Variable):
            raise RuntimeError(f'{_VARIABLE}{value}')
        if value is None and self._is_gradient:
            return constant_op.constant(0.0, dtype=dtype)
        return ops.convert_to_tensor(value, dtype=dtype)


def _node(func, inp, out_dtypes, is_gradient, name=None):
    function = _EagerFunction(func, out_dtypes, is_gradient)
    function.token = script_ops.registered(function)
    return gen.EagerPyFunc(input=inp, token=function.token, is_async=False, Tout=out_dtypes, name=name)


@ops.RegisterGradient('EagerPyFunc')
def _gradient(op, *grads):
    token = op.get_attr('token').decode()
    _differentiated.add(token)

    def backward(*arriving):
        tape, inputs, outputs = _calls.pop(token)
        return tape.gradient(outputs, inputs, output_gradients=arriving)

    with ops.control_dependencies(op.outputs):
        return _node(backward, list(grads), [tensor.dtype.base_dtype for tensor in op.inputs], True)


@export('py_function')
def py_function(func=None, inp=None, Tout=None, name=None):
    """Calls a Python function on tensors when the graph runs. Its operations run eagerly.

    The node identifies the function by a token of this process, so it cannot run in another process. The graph
    keeps the function alive. Gradients pass through the operations that the function runs.

    Args:
      func: a function that takes one EagerTensor per input. It returns a value, a list of values, or None.
      inp: a list of Tensors.
      Tout: the dtype of the result, or a list of dtypes; empty or None if the function returns nothing.
      name: the name of the operation.

    Returns:
      A Tensor if Tout is a dtype, a list of Tensors if it is a list, and the Operation if it is empty. Their shapes
      are unknown.

    Raises:
      ValueError: if func is not callable.
    """
    if not callable(func):
        raise ValueError(f'Expected func to be callable. Received func={func} of type {type(func)}.')
    is_list = isinstance(Tout, (list, tuple))
    out_dtypes = [dtypes.as_dtype(dtype) for dtype in (Tout if is_list else [] if Tout is None else [Tout])]
    inp = [ops.convert_to_tensor(value) for value in inp]
    if ops.executing_eagerly():
        outputs = _EagerFunction(func, out_dtypes, False)._outputs(func(*inp))
        return outputs[0] if len(outputs) == 1 and not is_list else outputs
    result = _node(func, inp, out_dtypes, False, name)
    return result if is_list or not out_dtypes else result[0]
