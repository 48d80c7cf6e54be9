"""Functions of datasets: Python functions of an element as functions of the graph's library."""

import itertools
import re

from ramet import gen
from ramet.autograph import calls
from ramet.data import structure
from ramet.framework import ops
from ramet.ops.functions import func_graph

_numbers = itertools.count()


def unpacks(argument):
    """Returns whether a function gets the parts of an element, or of its spec, as separate arguments."""
    return type(argument) is tuple


class StructuredFunction:
    """A function whose arguments are the components of an element.

    Attributes:
      name: the name of the function in the library of the default graph.
      output_spec: the structure of specs of the result.
      captured_inputs: the outer tensors that nodes pass as additional arguments.
    """

    def __init__(self, func, transformation, input_spec, wrap_result=None):
        """Builds the function and adds it to the default graph.

        Args:
          func: a function of an element, or of its parts if it is a tuple.
          transformation: the name of the op for the function's name, such as "Dataset.map()".
          input_spec: the structure of specs of the elements.
          wrap_result: a function that checks and converts the result, or None.

        Raises:
          TypeError: if the result cannot be converted to tensors.
        """
        graph = func_graph.FuncGraph()
        with graph.writing():
            arguments = [graph.add_input(spec.dtype, f'args_{i}', spec.shape)
                         for i, spec in enumerate(structure.flat_specs(input_spec))]
            element = structure.from_tensors(input_spec, arguments)
            converted = calls.converted(func)
            result = converted(*element) if unpacks(element) else converted(element)
            outputs = self._outputs(graph, result, transformation, wrap_result)
        readable = re.sub(r'\W+', '_', '_'.join([
            transformation.rstrip('()'), getattr(func, '__name__', type(func).__name__)]))
        self.name = f'__inference_{readable}_{next(_numbers)}'.replace('__lambda__', '_lambda_')
        self.captured_inputs = graph.external_captures
        definition = func_graph.definition(graph, self.name, outputs)
        definition.attr['_tf_data_function'].b = True
        func_graph.add_functions(ops.get_default_graph(), [*graph.functions(), definition])

    def _outputs(self, graph, result, transformation, wrap_result):
        if isinstance(result, list):
            result = tuple(result)
        if wrap_result is not None:
            result = wrap_result(result)
        try:
            result = structure.map_structure(structure.as_component, result)
            self.output_spec = structure.map_structure(structure.spec_of, result)
        except (ValueError, TypeError) as error:
            raise TypeError(f'Unsupported return value from function passed to {transformation}: '
                            f'{result}.') from error
        return [gen.Identity(graph.capture(tensor)) for tensor in structure.to_tensors(self.output_spec, result)]
