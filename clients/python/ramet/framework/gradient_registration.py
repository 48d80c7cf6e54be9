"""Registration of the program's gradient functions."""

from ramet import _core
from ramet.api import export
from ramet.framework import conversion
from ramet.framework.indexed_slices import IndexedSlices
from ramet.framework.tensors import Tensor

_functions = {}
_call_for_clone = None


def set_caller_for_clones(call):
    """Sets the function that calls the gradient functions of cloned operations. The room `cloning` calls this.

    Args:
      call: call(func, op, gradients) -> list of the gradients of the inputs of op.
    """
    global _call_for_clone
    _call_for_clone = call


def to_core(gradient):
    """Converts a gradient to what the core takes: None, a Tensor, or a tuple for IndexedSlices."""
    if gradient is None:
        return None
    if hasattr(gradient, 'indices'):
        return (gradient.values, gradient.indices, gradient.dense_shape)
    if not isinstance(gradient, Tensor):
        gradient = conversion.convert_to_tensor(gradient)
    return gradient


def from_core(gradient):
    """Converts a gradient from the core to None, a Tensor or IndexedSlices."""
    if not isinstance(gradient, tuple):
        return gradient
    return IndexedSlices(*gradient)


def any_registered():
    """Returns whether the program has registered gradient functions."""
    return bool(_functions)


def _caller(func):
    """Wraps func for the core: fn(op, [gradients]) -> [gradients of the inputs]."""

    def call(op, gradients):
        gradients = [from_core(g) for g in gradients]
        if op.name in op.graph._cloned_gradients:
            made = _call_for_clone(func, op, gradients)
        else:
            made = func(op, *gradients)
        if not isinstance(made, (list, tuple)):
            made = [made]
        inputs = op.inputs
        if len(made) != len(inputs):
            raise ValueError(
                f'Num gradients {len(made)} generated for op {op.node_def} do not match num '
                f'inputs {len(inputs)}'
            )
        return [to_core(g) for g in made]

    return call


@export('RegisterGradient')
class RegisterGradient:
    """A decorator that registers the gradient function of an op type, or of an override name."""

    def __init__(self, op_type):
        """Creates the decorator.

        Args:
          op_type: the op type, or a name for use with Graph.gradient_override_map.

        Raises:
          TypeError: if it is not a string.
        """
        if not isinstance(op_type, str):
            raise TypeError('op_type must be a string')
        self._op_type = op_type

    def __call__(self, f):
        """Registers f(op, *output_gradients) -> gradient of each input.

        Raises:
          KeyError: if a function is already registered under that name.
        """
        if self._op_type in _functions:
            raise KeyError(
                f"Registering two gradient with name '{self._op_type}'! (Previous registration "
                'was in this program)'
            )
        _core.register_gradient(self._op_type, _caller(f))
        _functions[self._op_type] = f
        return f


@export('NotDifferentiable', 'NoGradient', 'no_gradient')
def NotDifferentiable(op_type):
    """Declares that an op type has no gradient, so that backpropagation stops there.

    Args:
      op_type: str, the op type.

    Raises:
      TypeError: if op_type is not a string.
    """
    if not isinstance(op_type, str):
        raise TypeError('op_type must be a string')
    if op_type not in _functions:
        _core.register_no_gradient(op_type)
        _functions[op_type] = None


NoGradient = NotDifferentiable
