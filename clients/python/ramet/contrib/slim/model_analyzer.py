"""tf.contrib.slim.model_analyzer: the sizes of variables and operations' outputs."""

from ramet.api import export


@export('contrib.slim.model_analyzer.tensor_description')
def tensor_description(var):
    """Returns the type and sizes of a tensor or variable as a text, such as '(float32 3x4)'.

    Args:
      var: a Tensor or Variable.
    """
    sizes = [str(size.value) for size in var.get_shape()]
    return f"({var.dtype.name} {'x'.join(sizes)})" if sizes else f'({var.dtype.name} )'


@export('contrib.slim.model_analyzer.analyze_ops')
def analyze_ops(graph, print_info=False):
    """Returns the number of elements of all operations' outputs.

    Args:
      graph: a Graph.
      print_info: whether to print each operation.
    """
    if print_info:
        print('---------')
        print('Operations: name -> (type shapes) [size]')
        print('---------')
    total = 0
    for op in graph.get_operations():
        size, shapes = 0, []
        for output in op.outputs:
            elements = output.get_shape().num_elements() or 0
            if output.get_shape():
                shapes.append(tensor_description(output))
            size += elements
        if print_info:
            print(op.name, '\t->', ', '.join(shapes), f'[{size}]')
        total += size
    return total


@export('contrib.slim.model_analyzer.analyze_vars')
def analyze_vars(variables, print_info=False):
    """Returns the number of elements of variables, and their number of bytes.

    Args:
      variables: a list of variables.
      print_info: whether to print each variable.
    """
    if print_info:
        print('---------')
        print('Variables: name (type shape) [size]')
        print('---------')
    total, total_bytes = 0, 0
    for var in variables:
        size = var.get_shape().num_elements() or 0
        size_in_bytes = size * var.dtype.size
        total += size
        total_bytes += size_in_bytes
        if print_info:
            print(var.name, tensor_description(var), f'[{size}, bytes: {size_in_bytes}]')
    if print_info:
        print(f'Total size of variables: {total}')
        print(f'Total bytes of variables: {total_bytes}')
    return total, total_bytes
