"""Defun, which converts Python functions to functions of a graph's library."""

import base64
import hashlib
import inspect
import itertools

from ramet import _core
from ramet.core.framework import function_pb2
from ramet.framework import dtypes, errors, ops, tensor_shape
from ramet.framework.ops import RegisterGradient
from ramet.ops.functions import func_graph

_LETTERS = {'float': 'f', 'int': 'i', 'uint': 'u', 'bool': 'b', 'string': 's', 'resource': 'r'}
_gradient_numbers = itertools.count()


def _positional(func):
    """Returns the argument names, the number of required ones, and whether there are *args."""
    parameters = list(inspect.signature(func).parameters.values())
    names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
    required = [p for p in parameters
                if p.kind is p.POSITIONAL_OR_KEYWORD and p.default is p.empty]
    rest = next((p.name for p in parameters if p.kind is p.VAR_POSITIONAL), None)
    return names, len(required), rest


class Defun:
    """A decorator that turns a Python function into a function of the graph's library.

        @function.Defun(tf.float32, tf.float32)
        def product(x, y):
            return x * y

        z = product(a, b)
    """

    def __init__(self, *input_types, **kwargs):
        """Creates the decorator.

        Args:
          *input_types: a DType for each argument. If omitted, each call determines them.
          **kwargs: func_name: the name of the function; grad_func: a Defun that takes the arguments and
            the gradients of the results; python_grad_func: f(op, *gradients) -> gradients;
            out_names: the names of the results; shape_func: f(op) -> shapes of the results;
            noinline: bool; any others become attrs of the function.
        """
        self._input_types = input_types
        self._func_name = kwargs.pop('func_name', None)
        self._options = kwargs

    def __call__(self, func):
        """Decorates a function.

        Raises:
          ValueError: if func is not callable, or takes a different number of arguments.
        """
        if not callable(func):
            raise ValueError(f'Function {func} must be a callable.')
        names, required, rest = _positional(func)
        if not self._input_types:
            if names or rest:
                return _OverloadedFunction(func, self._func_name, self._options)
            return _DefinedFunction(func, [], [], self._func_name, **self._options)
        count = len(self._input_types)
        if count < required or (rest is None and count > len(names)):
            raise ValueError(
                f'The tf.function have {count} input types, while the python function allows '
                f'minimum {required} and maximum {"unbounded" if rest else len(names)} arguments.')
        names = names + [f'{rest}_{i}' for i in range(count - len(names))]
        return _DefinedFunction(func, names[:count], self._input_types, self._func_name,
                                **self._options)


class _DefinedFunction:
    """A function with known argument dtypes. Its graph is built on first use."""

    def __init__(self, func, argnames, input_types, func_name=None, grad_func=None,
                 python_grad_func=None, out_names=None, shape_func=None, **attrs):
        self._func = func
        self._argnames = argnames
        self._input_types = [dtypes.as_dtype(t) for t in input_types]
        self._func_name = func_name
        self._grad_func = grad_func
        self._python_grad_func = python_grad_func
        self._out_names = out_names or []
        self._shape_func = shape_func
        self._attrs = attrs
        self._definition = None

    @property
    def name(self):
        """The name of the function in the library."""
        self._write()
        return self._definition.signature.name

    @property
    def definition(self):
        """The FunctionDef."""
        self._write()
        return self._definition

    @property
    def declared_input_types(self):
        """The dtypes of the arguments, as given to the decorator."""
        return tuple(self._input_types)

    @property
    def captured_inputs(self):
        """The outer tensors that calls pass as additional arguments."""
        self._write()
        return self._captured

    @property
    def stateful_ops(self):
        """The (name, type) of each stateful operation."""
        self._write()
        return self._stateful

    @property
    def grad_func_name(self):
        """The name of the gradient function, or None."""
        return self._grad_func.name if self._grad_func else None

    @property
    def python_grad_func(self):
        """The Python function that builds the gradient, or None."""
        return self._python_grad_func

    def set_grad_func(self, grad_func):
        """Sets the gradient function. The function must not have been added to a graph yet.

        Raises:
          ValueError: if it already has a gradient function.
        """
        if self._grad_func not in (None, grad_func):
            raise ValueError(f'Gradient defined twice for function {self.name}')
        self._grad_func = grad_func

    def _write(self):
        if self._definition is not None:
            return
        graph = func_graph.FuncGraph(functional_control_flow=False)
        with graph.writing():
            for name, dtype in zip(self._argnames, self._input_types, strict=True):
                graph.add_input(dtype, name)
            outputs = self._outputs(graph, self._func(*graph.inputs))
        made = func_graph.definition(graph, 'f', outputs, self._out_names)
        for key, value in self._attrs.items():
            self._set_attr(made, f'_{key}', value)
        made.attr['_disable_call_shape_inference'].b = True
        if self._func.__doc__:
            made.signature.description = inspect.cleandoc(self._func.__doc__)
        made.signature.name = self._full_name(made)
        self._inner = graph.functions()
        self._captured = graph.external_captures
        self._stateful = [(op.name, op.type) for op in graph.stateful_operations()]
        self._definition = made
        if self._python_grad_func and self._grad_func:
            self._definition = None
            raise ValueError(f'Gradient defined twice for function {made.signature.name}')

    def _outputs(self, graph, made):
        made = [] if made is None else made
        made = list(made) if isinstance(made, (list, tuple)) else [made]
        if any(m is None for m in made):
            raise ValueError(f'Function {self._func.__name__} can not return None.')
        if self._out_names and len(self._out_names) != len(made):
            raise errors.InvalidArgumentError(
                None, None,
                'output names must be either empty or equal in size to outputs. output names '
                f'size = {len(self._out_names)} outputs size = {len(made)}')
        return [graph.capture(ops.convert_to_tensor(m)) for m in made]

    @staticmethod
    def _set_attr(definition, name, value):
        if isinstance(value, bool):
            definition.attr[name].b = value
        elif isinstance(value, int):
            definition.attr[name].i = value
        elif isinstance(value, float):
            definition.attr[name].f = value
        elif isinstance(value, (str, bytes)):
            definition.attr[name].s = value.encode() if isinstance(value, str) else value
        else:
            raise ValueError(f'Attribute {name} must be bool, int, float, or str. Got {value!r}.')

    def _full_name(self, made):
        if self._func_name:
            return self._func_name
        digest = hashlib.sha1(made.SerializeToString(deterministic=True)).digest()[:8]
        code = base64.b64encode(digest, b'AA').decode().rstrip('=')
        parts = [getattr(self._func, '__name__', 'function')]
        if self._grad_func:
            parts.append(self._grad_func.name)
        return '_'.join([*parts, code])

    def add_to_graph(self, g):
        """Adds the function, the functions that it calls and its gradient function to a graph."""
        self._write()
        if _core.has_function(g, self.name):
            return
        gradients = []
        if self._grad_func:
            self._grad_func.add_to_graph(g)
            gradients = [function_pb2.GradientDef(function_name=self.name,
                                                  gradient_func=self._grad_func.name)]
        func_graph.add_functions(g, [*self._inner, self._definition], gradients)

    def __call__(self, *args, **kwargs):
        """Adds a call of the function.

        Args:
          *args: tensors, or values that can be converted to tensors.
          **kwargs: name: the name of the operation; noinline: bool.

        Returns:
          The resulting Tensor, a tuple of several Tensors, or the Operation if there are none.

        Raises:
          ValueError: if the number of arguments or a dtype is wrong.
        """
        name, noinline = kwargs.pop('name', None), kwargs.pop('noinline', None)
        self._write()
        graph = ops.get_default_graph()
        self.add_to_graph(graph)
        inputs = [ops.convert_to_tensor(a) for a in args]
        self._check(inputs)
        attrs = {'_disable_call_shape_inference': True}
        if noinline is not None:
            attrs['_noinline'] = noinline
        with graph.gradient_override_map(self._override()):
            op = graph.create_op(self.name, inputs + self._captured, name=name or self.name,
                                 attrs=attrs)
        for tensor, shape in zip(op.outputs, self._shape_func(op) if self._shape_func else ()):
            tensor.set_shape(tensor_shape.TensorShape(shape))
        if not op.outputs:
            return op
        return op.outputs[0] if len(op.outputs) == 1 else tuple(op.outputs)

    def _check(self, inputs):
        if len(inputs) != len(self._argnames):
            raise ValueError(f'Expected {len(self._argnames)} arguments, got {len(inputs)}.')
        for tensor, arg in zip(inputs, self._definition.signature.input_arg):
            wanted = dtypes.as_dtype(arg.type)
            if tensor.dtype.base_dtype != wanted:
                raise ValueError(
                    f"Input '{arg.name}' passed {tensor.dtype.base_dtype.name} expected "
                    f"{wanted.name} while building NodeDef '{self.name}'")

    def _override(self):
        if self._python_grad_func is None:
            return {}
        if not hasattr(self, '_gradient_name'):
            self._gradient_name = f'DefunGradient-{next(_gradient_numbers)}'
            RegisterGradient(self._gradient_name)(self._python_grad_func)
        return {self.name: self._gradient_name}


class _OverloadedFunction:
    """A function whose graph is built separately for each combination of argument dtypes."""

    def __init__(self, func, func_name, options):
        self._func = func
        self._func_name = func_name
        self._options = options
        self._overload = {}

    def instantiate(self, input_types):
        """Returns the function for arguments with these dtypes."""
        key = ''.join(_letters(dtypes.as_dtype(t)) for t in input_types)
        if key not in self._overload:
            name = self._func_name and f'{self._func_name}_{key}'
            self._overload[key] = Defun(*input_types, func_name=name, **self._options)(self._func)
        return self._overload[key]

    def __call__(self, *args, **kwargs):
        tensors = [ops.convert_to_tensor(a) for a in args]
        return self.instantiate([t.dtype.base_dtype for t in tensors])(*tensors, **kwargs)


def _letters(dtype):
    """Returns a short name of a dtype, such as f32."""
    word = dtype.name.rstrip('0123456789')
    return _LETTERS.get(word, word) + dtype.name[len(word):]
