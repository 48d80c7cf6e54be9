"""tf.function."""

import functools
import inspect
import weakref

from ramet.api import export
from ramet.autograph import calls
from ramet.framework import nest, ops
from ramet.framework.tensors import Tensor
from ramet.function import lifting, signature
from ramet.function.concrete_function import ConcreteFunction
from ramet.ops.functions import automatic_dependencies, func_graph

_ONCE = ('tf.function only supports singleton tf.Variables created on the first call. Make sure the tf.Variable is '
         'only created once or created outside tf.function. See '
         'https://www.tensorflow.org/guide/function#creating_tfvariables for more information.')


class Function:
    """A callable that builds a function of the library for each signature of its arguments, and calls it."""

    def __init__(self, python_function, input_signature=None, autograph=True, reduce_retracing=False,
                 autograph_options=None):
        """Wraps a Python function; see tf.function.

        Args:
          python_function: the function.
          input_signature: TensorSpecs of the arguments, or None.
          autograph: whether Python's control flow on tensors is converted.
          reduce_retracing: whether shapes that differ from call to call become unknown.
          autograph_options: Features.
        """
        self._python_function = python_function
        self._signature = signature.Signature(python_function, input_signature)
        self._options = {'input_signature': input_signature, 'autograph': autograph,
                         'reduce_retracing': reduce_retracing, 'autograph_options': autograph_options}
        # The functions of each graph: [(structure, keys, ConcreteFunction)].
        self._made = weakref.WeakKeyDictionary()
        self._bound_methods = weakref.WeakKeyDictionary()
        self._has_run = False
        self._traces = 0
        functools.update_wrapper(self, python_function)

    @property
    def python_function(self):
        """The Python function."""
        return self._python_function

    @property
    def input_signature(self):
        """The declared TensorSpecs, a tuple, or None."""
        return self._signature.declared

    def experimental_get_tracing_count(self):
        """Returns how many times the Python function was called."""
        return self._traces

    def __get__(self, instance, owner):
        if instance is None:
            return self
        if instance not in self._bound_methods:
            method = self._python_function.__get__(instance, owner)
            # A method refers to its object; the table must not keep it alive.
            self._bound_methods[instance] = Function(_WeakMethod(method), **self._options)
        return self._bound_methods[instance]

    def __call__(self, *args, **kwargs):
        """Adds a call of the function for the signature of the arguments.

        Args:
          *args: the arguments. Tensors and arrays become arguments of the function; a new Python value makes a new one.
          **kwargs: arguments by name.

        Returns:
          The structure of results.

        Raises:
          TypeError: if the arguments do not fit the parameters, or the result contains other values than tensors.
          ValueError: if the function creates variables in other calls than the first one.
        """
        bound = self._signature.bind(args, kwargs)
        return self._function_for(bound).call_flat(bound.tensors())

    def get_concrete_function(self, *args, **kwargs):
        """Returns the ConcreteFunction for a signature.

        Args:
          *args: arguments as for a call, or TensorSpecs. None are needed if all were declared.
          **kwargs: arguments by name.

        Raises:
          TypeError: if the arguments do not fit the parameters.
        """
        if self._signature.declared is not None and not args and not kwargs:
            return self._function_for(self._signature.declared_arguments())
        return self._function_for(self._signature.bind(args, kwargs))

    def _function_for(self, bound):
        made = self._made.setdefault(ops.get_default_graph(), [])
        structure, keys = bound.structure_key(), self._signature.traced_keys(bound)
        for known, accepted, function in made:
            if known == structure and accepted == keys:
                return function
        for known, accepted, function in made:
            if known == structure and len(accepted) == len(keys) and all(map(_accepts, accepted, keys)):
                return function
        if self._options['reduce_retracing']:
            keys = self._generalized(made, structure, keys)
        function = self._build(bound, keys)
        made.append((structure, keys, function))
        return function

    @staticmethod
    def _generalized(made, structure, keys):
        """Returns keys with unknown sizes where earlier functions have other shapes."""
        for known, accepted, _ in made:
            if known == structure and len(accepted) == len(keys) and all(map(_is_similar, accepted, keys)):
                keys = tuple(key.covering(other) if isinstance(key, signature.TensorKey) else key
                             for key, other in zip(keys, accepted))
        return keys

    def _build(self, bound, keys):
        if self._has_run:
            return self._traced(bound, keys, self._refuse_variables)
        created = []
        function = self._traced(bound, keys, functools.partial(_create_variable, created))
        if created:
            # The first call may create variables; the function itself must not.
            function = self._traced(bound, keys, self._refuse_variables)
        self._has_run = True
        return function

    @staticmethod
    def _refuse_variables(next_creator, **kwargs):
        raise ValueError(_ONCE)

    def _traced(self, bound, keys, creator):
        """Calls the Python function and returns the ConcreteFunction of what it added."""
        self._traces += 1
        graph = func_graph.FuncGraph(lambda tensor: tensor.op.name, adds_dependencies=True)
        graph._variable_creator_stack.append(creator)
        with graph.writing():
            names = self._signature.names(bound)
            leaves = [graph.add_input(key.dtype, key.name or name, key.shape) if isinstance(key, signature.TensorKey)
                      else leaf for key, leaf, name in zip(keys, bound.leaves, names, strict=True)]
            args, kwargs = bound.packed(leaves)
            # A copy, because the function may change lists among its arguments.
            traced = signature.BoundArguments(args, kwargs)
            dependencies = automatic_dependencies.AutomaticDependencies(graph)
            result = nest.map_structure(self._as_tensor, self._call(args, kwargs))
            flat = [value if value is None else dependencies.mark_as_return(graph.capture(value))
                    for value in nest.flatten(result, expand_composites=True)]
            controls = dependencies.finish()
        result = nest.pack_sequence_as(result, flat, expand_composites=True)
        outputs = [value for value in flat if value is not None]
        return ConcreteFunction(graph, traced, list(graph.inputs), result, outputs, controls,
                                getattr(self._python_function, '__name__', 'function'))

    def _call(self, args, kwargs):
        if not self._options['autograph']:
            return self._python_function(*args, **kwargs)
        with calls.conversion(None):
            function = calls.convert(True, self._options['autograph_options'])(self._python_function)
            return function(*args, **kwargs)

    def _as_tensor(self, value):
        if value is None:
            return None
        if nest.is_nested_or_composite(value):
            return value
        if isinstance(value, ops.Operation):
            return None
        try:
            return ops.convert_to_tensor(value)
        except (TypeError, ValueError) as error:
            raise TypeError(
                'To be compatible with tf.function, Python functions must return zero or more Tensors or '
                f'ExtensionTypes or None values; in compilation of {self._python_function}, found return value of type '
                f'{type(value).__name__}, which is not a Tensor or ExtensionType.') from error


class _WeakMethod:
    """A method that does not keep its object alive."""

    def __init__(self, method):
        self._object = weakref.ref(method.__self__)
        self._function = method.__func__
        functools.update_wrapper(self, method.__func__)
        self.__signature__ = inspect.signature(method)

    def __call__(self, *args, **kwargs):
        return calls.converted(self._function)(self._object(), *args, **kwargs)


def _accepts(accepted, key):
    return accepted.accepts(key) if isinstance(accepted, signature.TensorKey) else accepted == key


def _is_similar(accepted, key):
    if isinstance(accepted, signature.TensorKey) and isinstance(key, signature.TensorKey):
        return accepted.dtype == key.dtype
    return accepted == key


def _create_variable(created, next_creator, **kwargs):
    """Creates a resource variable of the enclosing graph, whose initial value is computed there."""
    initial_value = kwargs.get('initial_value')
    if isinstance(initial_value, Tensor):
        kwargs['initial_value'] = functools.partial(lifting.lifted, initial_value)
    kwargs['use_resource'] = True
    created.append(next_creator(**kwargs))
    return created[-1]


@export('function')
def tf_function(func=None, input_signature=None, autograph=True, jit_compile=None, reduce_retracing=False,
                experimental_implements=None, experimental_autograph_options=None, experimental_attributes=None,
                experimental_relax_shapes=None, experimental_compile=None, experimental_follow_type_hints=None):
    """Decorates a Python function: its calls add one operation that calls a function of the graph's library.

    The Python function runs once for each signature: the dtypes and shapes of tensors, and the values of other
    arguments. Operations with side effects run in the order of the program. Variables that it creates belong to the
    graph of the call, and may be created by the first call only.

    Args:
      func: the Python function. Without it, the result is a decorator.
      input_signature: a list of nested TensorSpecs of the arguments; then there is one function for all calls.
      autograph: whether Python's control flow on tensors becomes control flow of the function.
      jit_compile: ignored.
      reduce_retracing: whether shapes that differ from call to call become unknown, so that fewer functions are built.
      experimental_implements: ignored.
      experimental_autograph_options: Features of AutoGraph.
      experimental_attributes: ignored.
      experimental_relax_shapes: an older name of reduce_retracing.
      experimental_compile: ignored.
      experimental_follow_type_hints: ignored.

    Returns:
      A Function.

    Raises:
      TypeError: if input_signature is not a list of TensorSpecs, or lacks one.
    """
    options = {'input_signature': input_signature, 'autograph': autograph,
               'reduce_retracing': bool(reduce_retracing or experimental_relax_shapes),
               'autograph_options': experimental_autograph_options}
    if func is None:
        return lambda function: Function(function, **options)
    return Function(func, **options)
