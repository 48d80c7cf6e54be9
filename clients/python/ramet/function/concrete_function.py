"""A function of the library that was built for one signature, and its calls."""

import itertools
import re

from ramet import _core, gen
from ramet.framework import nest, ops, tensor_shape, type_spec, variable_objects
from ramet.framework.tensors import Tensor
from ramet.function import signature
from ramet.ops.functions import func_graph

_numbers = itertools.count()


class ConcreteFunction:
    """A function of the library. A call adds one PartitionedCall or StatefulPartitionedCall."""

    def __init__(self, graph, bound, placeholders, result, outputs, controls, name):
        """Writes the function. tf.function creates these objects.

        Args:
          graph: the FuncGraph.
          bound: the BoundArguments that it was built for, with Placeholders and Python values.
          placeholders: the inputs of the graph, in the order of the tensors of `bound`.
          result: the structure of results, with None, Tensors and composite tensors.
          outputs: the Tensors in it.
          controls: the operations that a call runs in addition.
          name: the name of the Python function.
        """
        self._graph = graph
        self._bound = bound
        self._placeholders = placeholders
        self._result = result
        self._outputs = outputs
        self._name = f'__inference_{re.sub(r"[^A-Za-z0-9_.-]", "_", name)}_{next(_numbers)}'
        self._definition = func_graph.definition(graph, self._name, outputs, controls=controls)
        self._inner = graph.functions()
        self._is_stateful = bool(graph.stateful_operations())

    @property
    def graph(self):
        """The graph of the function's body."""
        return self._graph

    @property
    def name(self):
        """The name of the function in the library, bytes."""
        return self._name.encode()

    @property
    def function_def(self):
        """The FunctionDef."""
        return self._definition

    @property
    def inputs(self):
        """The Tensors of the body that are arguments, then those for captured tensors."""
        return self._placeholders + self._graph.internal_captures

    @property
    def outputs(self):
        """The Tensors of the body that are results."""
        return list(self._outputs)

    @property
    def captured_inputs(self):
        """The outer Tensors that calls pass as additional arguments."""
        return self._graph.external_captures

    @property
    def structured_input_signature(self):
        """The arguments, a pair (args, kwargs) with TensorSpecs instead of Tensors."""
        waiting = iter(self._placeholders)
        leaves = []
        for leaf in self._bound.leaves:
            if isinstance(leaf, Tensor):
                tensor = next(waiting)
                leaf = type_spec.TensorSpec(tensor.shape, tensor.dtype, tensor.op.name)
            leaves.append(leaf)
        args, kwargs = self._bound.packed(leaves)
        return tuple(args), kwargs

    @property
    def structured_outputs(self):
        """The structure of results, with the Tensors of the body."""
        return self._result

    @property
    def output_shapes(self):
        """The structure of shapes of the results."""
        return nest.map_structure(lambda t: t if t is None else t.shape, self._result)

    @property
    def output_dtypes(self):
        """The structure of dtypes of the results."""
        return nest.map_structure(lambda t: t if t is None else t.dtype, self._result)

    @property
    def variables(self):
        """The variables that the body uses, a tuple."""
        found = []
        for tensor in self.captured_inputs:
            known = _core.find_variable(tensor.graph, tensor) if tensor.dtype == 'resource' else None
            if known is not None:
                found.append(variable_objects.object_of(tensor.graph, known))
        return tuple(found)

    @property
    def trainable_variables(self):
        """The trainable ones of `variables`."""
        return tuple(variable for variable in self.variables if variable.trainable)

    def __call__(self, *args, **kwargs):
        """Adds a call.

        Args:
          *args: the arguments, or only the tensors among them.
          **kwargs: arguments by name.

        Returns:
          The structure of results.

        Raises:
          TypeError: if the number, the dtypes or the shapes of the tensors differ.
        """
        flat = [signature.canonical(value) for value in nest.flatten((args, kwargs), expand_composites=True)]
        if len(flat) == len(self._bound.leaves):
            flat = [value for value, known in zip(flat, self._bound.leaves, strict=True) if isinstance(known, Tensor)]
        if len(flat) != len(self._placeholders):
            raise TypeError(f'{self._name} takes {len(self._placeholders)} tensors, got {len(flat)}')
        return self.call_flat([self._checked(value, known) for value, known in zip(flat, self._placeholders,
                                                                                   strict=True)])

    def _checked(self, value, known):
        value = ops.convert_to_tensor(value, preferred_dtype=known.dtype)
        if value.dtype.base_dtype != known.dtype or not known.shape.is_compatible_with(value.shape):
            raise TypeError(f'Binding inputs to tf.function failed due to `Can not cast '
                            f'{type_spec.TensorSpec(value.shape, value.dtype)!r} to '
                            f'{type_spec.TensorSpec(known.shape, known.dtype, known.op.name)!r}`.')
        return value

    def add_to_graph(self, g=None):
        """Adds the function, and those that it calls, to a graph's library.

        Args:
          g: a Graph; the default graph if it is None.
        """
        func_graph.add_functions(ops.get_default_graph() if g is None else g, [*self._inner, self._definition])

    def call_flat(self, tensors):
        """Adds a call with a list of Tensors; returns the structure of results."""
        self.add_to_graph()
        make = gen.StatefulPartitionedCall if self._is_stateful else gen.PartitionedCall
        made = make([*tensors, *self.captured_inputs], Tout=[t.dtype.base_dtype for t in self._outputs], f=self._name)
        results = [] if isinstance(made, ops.Operation) else list(made) if isinstance(made, (list, tuple)) else [made]
        for tensor, known in zip(results, self._outputs, strict=True):
            tensor.set_shape(tensor_shape.TensorShape(known.shape))
        waiting = iter(results)
        flat = [value if value is None else next(waiting)
                for value in nest.flatten(self._result, expand_composites=True)]
        return nest.pack_sequence_as(self._result, flat, expand_composites=True)
