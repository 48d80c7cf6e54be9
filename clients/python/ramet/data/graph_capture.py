"""Copies of the part of a graph that makes a dataset."""

from ramet import _core
from ramet.core.framework import graph_pb2
from ramet.framework import importer, ops


def _check(op):
    if op.type == 'Placeholder':
        raise ValueError(f'Cannot capture a placeholder (name:{op.name}, type:{op.type}) by value.')
    makes_dataset = 'Dataset' in op.type or op.type == 'DummySeedGenerator'
    if op.outputs and not makes_dataset and _core.op_summary(op.type)['stateful']:
        raise ValueError(
            f'Cannot capture a stateful node (name:{op.name}, type:{op.type}) by value.: A likely '
            'cause of this error is that the dataset for which you are calling '
            '`make_one_shot_iterator()` captures a stateful object, such as a `tf.Variable` or '
            '`tf.lookup.StaticHashTable`, which is not supported. Use '
            '`make_initializable_iterator()` instead.')


def _needed(tensor):
    """Returns the operations that a tensor depends on, each after those that it depends on."""
    order, seen, waiting = [], set(), [(tensor.op, False)]
    while waiting:
        op, done = waiting.pop()
        if done:
            order.append(op)
        elif op not in seen:
            seen.add(op)
            _check(op)
            waiting.append((op, True))
            waiting.extend((t.op, False) for t in op.inputs)
            waiting.extend((c, False) for c in op.control_inputs)
    return order


def copy_into_default_graph(tensor):
    """Returns a copy of a tensor in the default graph, with copies of all operations that it depends on.

    Raises:
      ValueError: if it depends on a placeholder, or an operation with state other than a dataset op.
    """
    message = graph_pb2.GraphDef()
    source = tensor.graph
    message.versions.producer = source._producer
    for op in _needed(tensor):
        message.node.append(op.node_def)
        message.node[-1].ClearField('device')
        message.node[-1].attr.pop('_class', None)
    message.library.CopyFrom(source.as_graph_def().library)
    with ops.control_dependencies(None):
        return importer.import_graph_def(message, name='', return_elements=[tensor.name])[0]
