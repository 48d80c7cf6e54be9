"""Operations between layers, such as x + y, as layers of a model."""

from ramet.framework import ops
from ramet.keras.engine import node


def connect_operations(tensors):
    """Makes tensors that operations computed from tensors of layers outputs of layers, too.

    Does nothing if none of them depends on a tensor of a layer.
    """
    missing = [t for t in tensors if isinstance(t, ops.Tensor) and not node.is_keras_tensor(t)]
    if not missing:
        return
    for operation in _ordered(missing):
        _connect(operation)


def _ordered(tensors):
    """Returns the operations to connect, inputs first."""
    order, depends, done = [], {}, set()
    stack = [(tensor.op, False) for tensor in tensors]
    while stack:
        operation, ready = stack.pop()
        if operation in done and not ready:
            continue
        if ready:
            depends[operation] = any(node.is_keras_tensor(t) or depends.get(t.op) for t in operation.inputs)
            if depends[operation]:
                order.append(operation)
            continue
        done.add(operation)
        stack.append((operation, True))
        stack.extend((t.op, False) for t in operation.inputs if not node.is_keras_tensor(t) and t.op not in done)
    return order


def _connect(operation):
    layer = _factory[0](operation)
    inputs = [t for i, t in enumerate(operation.inputs) if i not in layer.constants]
    made = node.Node(layer, inputs if len(inputs) > 1 else inputs[0], list(operation.outputs))
    node.mark(made)


_factory = []


def set_factory(factory):
    """Registers the class of layers for operations, which needs the base class of layers.

    Args:
      factory: a function from an Operation to a layer with the attribute `constants`, a dict from the numbers of the
        operation's inputs to tensors that depend on no layer.
    """
    _factory[:] = [factory]
