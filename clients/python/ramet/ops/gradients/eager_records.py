"""The operations that a tape has recorded while operations run eagerly."""

from ramet import _core
from ramet.framework import eager, ops, variable_objects
from ramet.framework.gradient_registration import from_core, to_core
from ramet.ops.array import array_ops


class RecordedOp:
    """An operation that ran eagerly, as a gradient function of the program sees it.

    Attributes:
      type: the op.
      name: the op as well, since it has no node.
      inputs: a list of Tensors.
      outputs: a list of Tensors.
    """

    node_def = None

    def __init__(self, op_type, inputs, outputs, attrs):
        self.type = self.name = op_type
        self.inputs = inputs
        self.outputs = outputs
        self._attrs = attrs

    @property
    def graph(self):
        """The graph that stands for eager execution."""
        return eager.the_graph()

    def get_attr(self, name):
        """Returns the value of an attr.

        Args:
          name: its name.

        Raises:
          KeyError: if the op does not have the attr.
        """
        return self._attrs[name]


_core.set_hooks({'recorded_op': RecordedOp})


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
        """Returns the derivatives of the sum of the targets. Takes and returns what TapeRecords.gradients does."""
        starts = [self._start(*pair) for pair in zip(targets, starts)]
        found = self._tape.gradients(targets, sources, [to_core(start) for start in starts])
        return [from_core(grad) for grad in found]

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
        return [to_core(grad) for grad in backward([from_core(grad) for grad in grads])]

    _core.record_backward(list(inputs), list(outputs), call)
