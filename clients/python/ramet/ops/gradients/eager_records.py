"""The operations that a tape has recorded while operations run eagerly."""

from ramet import _core
from ramet.framework import ops, variable_objects
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.array import array_ops


def to_gradient(grad):
    """Returns a gradient as the core takes it: None, a Tensor, or a tuple for IndexedSlices.

    Args:
      grad: None, IndexedSlices, or a value that can be converted to a Tensor.
    """
    if grad is None:
        return None
    if isinstance(grad, IndexedSlices):
        return grad.values, grad.indices, grad.dense_shape
    return ops.convert_to_tensor(grad)


def from_gradient(grad):
    """Returns a gradient of the core as None, a Tensor or IndexedSlices.

    Args:
      grad: a value that `to_gradient` returns.
    """
    return IndexedSlices(*grad) if isinstance(grad, tuple) else grad


class EagerRecords:
    """The tape of the core, and the variables that it watches."""

    def __init__(self, watch_accessed_variables):
        self._watch_accessed = watch_accessed_variables
        self._tape = _core.Tape()
        self._variables = {}

    def start(self):
        """Begins to record."""
        self._tape.start()
        variable_objects.watchers().append(self._note_access)

    def stop(self):
        """Stops recording."""
        self._tape.stop()
        watchers = variable_objects.watchers()
        if self._note_access in watchers:
            watchers.remove(self._note_access)

    def watch(self, tensor):
        """Makes gradients with respect to a tensor possible."""
        self._tape.watch(tensor)

    def watch_variable(self, variable):
        """Makes gradients with respect to a variable possible."""
        self._tape.watch(variable.handle)
        self._variables.setdefault(_core.eager_id(variable.handle), variable)

    def _note_access(self, variable):
        if self._watch_accessed and variable.trainable:
            self.watch_variable(variable)

    def variables(self):
        """Returns the watched variables as a tuple, in the order in which they were first used."""
        return tuple(self._variables.values())

    def gradients(self, targets, sources, starts):
        """Returns the derivatives of the sum of the targets.

        Args:
          targets: a list of Tensors.
          sources: a list of Tensors, and handles of variables.
          starts: for each target, the derivative to start from, or None for ones.

        Returns:
          A Tensor, IndexedSlices or None for each source.
        """
        starts = [self._start(*pair) for pair in zip(targets, starts)]
        found = self._tape.gradients(targets, sources, [to_gradient(start) for start in starts])
        return [from_gradient(grad) for grad in found]

    def _start(self, target, start):
        variable = self._variables.get(_core.eager_id(target))
        return array_ops.ones_like(variable) if start is None and variable is not None else start

    def zeros_for(self, source):
        """Returns the gradient of a source that no target depends on, as zeros."""
        return array_ops.zeros_like(source)


def record(inputs, outputs, backward):
    """Records a piece of the program that computes its own gradients.

    Args:
      inputs: the Tensors, and handles of variables, that it depends on.
      outputs: the Tensors that it computes. No operation on a tape may have computed them.
      backward: a function from the list of gradients of the outputs, each None, a Tensor or IndexedSlices, to the
        list of gradients of the inputs.
    """
    def call(grads):
        return [to_gradient(grad) for grad in backward([from_gradient(grad) for grad in grads])]

    _core.record_backward(list(inputs), list(outputs), call)
