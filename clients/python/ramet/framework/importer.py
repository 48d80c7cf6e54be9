"""tf.import_graph_def."""

from ramet import _core
from ramet.api import export
from ramet.core import convert
from ramet.framework import ops


def graph_def_bytes(graph_def):
    """Returns the bytes of a GraphDef, given as a message of any package or as bytes.

    Raises:
      TypeError: if it is neither.
    """
    try:
        return convert.serialized(graph_def, 'tensorflow.GraphDef')
    except TypeError:
        raise TypeError('Argument `graph_def` must be a GraphDef proto.') from None


def _op_list_bytes(producer_op_list):
    if producer_op_list is None:
        return b''
    return convert.serialized(producer_op_list, 'tensorflow.OpList')


def _checked_input_map(input_map):
    if input_map is None:
        return {}
    if not (isinstance(input_map, dict) and all(isinstance(k, (str, bytes)) for k in input_map)):
        raise TypeError('Argument `input_map` must be a dictionary. Obtained %s'
                        % type(input_map).__name__)
    return {k.decode() if isinstance(k, bytes) else k: v for k, v in input_map.items()}


def _checked_return_elements(return_elements):
    if return_elements is None:
        return None
    elements = tuple(return_elements)
    if not all(isinstance(e, (str, bytes)) for e in elements):
        raise TypeError('Argument `return_elements` must be a list of strings. Obtained %s.'
                        % (return_elements,))
    return [e.decode() if isinstance(e, bytes) else e for e in elements]


def _as_tensors(input_map, name):
    if all(isinstance(v, ops.Tensor) for v in input_map.values()):
        return input_map
    if name == '':
        raise ValueError('tf.import_graph_def() requires a non-empty `name` if `input_map` '
                         'contains non-Tensor values. Try calling tf.convert_to_tensor() on '
                         '`input_map` values before calling tf.import_graph_def().')
    with ops.name_scope('_inputs'):
        return {k: ops.convert_to_tensor(v) for k, v in input_map.items()}


@export('import_graph_def', 'graph_util.import_graph_def')
def import_graph_def(graph_def, input_map=None, return_elements=None, name=None, op_dict=None,
                     producer_op_list=None):
    """Adds the nodes of a GraphDef to the default graph. If an error is raised, none are added.

    Args:
      graph_def: a GraphDef message (of Ramet, TensorFlow or another package), or its bytes.
      input_map: a dict from names in graph_def ('n', 'n:1', '^n') to tensors of the graph that
        replace them.
      return_elements: a list of names of operations ('n') and tensors ('n:0') in graph_def.
      name: str, a name scope for all nodes. None means 'import', and '' no scope.
      op_dict: ignored.
      producer_op_list: an OpList with the op definitions of the program that wrote graph_def.

    Returns:
      A list of the Operations and Tensors named by return_elements, or None without it.

    Raises:
      TypeError: if an argument has the wrong type.
      ValueError: if graph_def is not a valid graph, or lacks a name in input_map or return_elements.
    """
    data = graph_def_bytes(graph_def)
    input_map = _checked_input_map(input_map)
    return_elements = _checked_return_elements(return_elements)
    graph = ops.get_default_graph()
    with ops.name_scope(name, 'import', input_map.values()) as scope:
        input_map = _as_tensors(input_map, name)
        elements = _core.import_graph_def(graph, data, scope or '', input_map,
                                          return_elements or [], _op_list_bytes(producer_op_list))
    return None if return_elements is None else elements
