"""Copies of the operations of a function in the graph around it."""

from ramet.core.framework import graph_pb2
from ramet.framework import importer, ops


def lifted(tensor):
    """Returns a copy of a tensor of a FuncGraph in the default graph, with copies of all operations it depends on.

    Args:
      tensor: a Tensor that depends on no argument of the function.

    Raises:
      ValueError: if it depends on an argument.
    """
    source, outer = tensor.graph, ops.get_default_graph()
    if source is outer:
        return tensor
    captured = dict(zip((t.op for t in source.internal_captures), source.external_captures, strict=True))
    message = graph_pb2.GraphDef()
    message.versions.producer = source._producer
    inputs, seen, waiting = {}, set(), [tensor.op]
    while waiting:
        op = waiting.pop()
        if op in seen:
            continue
        seen.add(op)
        if op in captured:
            inputs[f'{op.name}:0'] = captured[op]
        elif op.type == 'Placeholder':
            raise ValueError(f'Unable to lift tensor {tensor!r} because it depends transitively on placeholder {op!r} '
                             f'via at least one path, e.g.: {tensor.op.name} ({tensor.op.type}) <- {op.name} '
                             f'({op.type})')
        else:
            message.node.append(op.node_def)
            waiting += [t.op for t in op.inputs] + list(op.control_inputs)
    if tensor.op in captured:
        return captured[tensor.op]
    message.library.CopyFrom(source.as_graph_def().library)
    with ops.control_dependencies(None):
        return importer.import_graph_def(message, input_map=inputs, name='', return_elements=[tensor.name])[0]
