"""Eager execution: operations that run when they are called, without a graph."""

import contextlib
import random
import types

from ramet import _core
from ramet.api import export
from ramet.framework import attr_value, random_seed, stacks, tensor_shape
from ramet.framework import device as device_lib
from ramet.framework.graph import Graph
from ramet.framework.graph_keys import GraphKeys
from ramet.framework.tensors import Tensor

# The collections to which functions of the package add. Nothing would ever remove from them.
_STANDARD_COLLECTIONS = frozenset(
    value for name, value in vars(GraphKeys).items()
    if isinstance(value, str) and not name.startswith('__') and value != GraphKeys.GLOBAL_STEP)


class EagerTensor(Tensor):
    """A value of eager execution. It is a Tensor without a graph."""

    _is_eager = True
    __hash__ = object.__hash__

    def numpy(self):
        """Returns the value as a numpy array, or as a numpy scalar if the rank is 0."""
        return _core.eager_numpy(self)

    _numpy = numpy

    @property
    def device(self):
        """The name of the device that has the value."""
        return _core.eager_devices()[0]

    backing_device = device

    @property
    def _id(self):
        return _core.eager_id(self)

    def cpu(self):
        """Returns the tensor with its value in host memory."""
        return self

    def set_shape(self, shape):
        """Checks the shape of the tensor.

        Args:
          shape: a TensorShape or an object that can be converted; -1 and None are unknown dimensions.

        Raises:
          ValueError: if it is not compatible with the shape of the value.
        """
        shape = tensor_shape.as_shape(shape)
        if not self.shape.is_compatible_with(shape):
            raise ValueError(f"Tensor's shape {self.shape} is not compatible with supplied shape {shape}.")

    def eval(self, feed_dict=None, session=None):
        raise NotImplementedError(
            "eval is not supported when eager execution is enabled, is .numpy() what you're looking for?")

    def consumers(self):
        raise NotImplementedError('Tensor.consumers is undefined when eager execution is enabled.')

    def _as_node_def_input(self):
        raise NotImplementedError('_as_node_def_input not supported when eager execution is enabled.')

    def _as_tf_output(self):
        raise NotImplementedError('_as_tf_output not supported when eager execution is enabled.')

    def __complex__(self):
        return complex(self.numpy())

    def __int__(self):
        return int(self.numpy())

    def __float__(self):
        return float(self.numpy())

    def __index__(self):
        return self.numpy().__index__()

    def __bool__(self):
        return bool(self.numpy())

    def __format__(self, format_spec):
        return self.numpy().__format__(format_spec)

    def __array__(self, dtype=None, copy=None):
        value = self.numpy()
        if dtype is None and hasattr(value, '__array__'):
            return value.__array__()
        import numpy  # deferred: start-up time

        return numpy.array(value, dtype=dtype if dtype is not None else object)

    def __len__(self):
        if not self._rank():
            raise TypeError('Scalar tensor has no `len()`')
        return self._dims()[0]

    def __iter__(self):
        if not self._rank():
            raise TypeError('Cannot iterate over a scalar tensor.')
        return (self[i] for i in range(len(self)))

    def __deepcopy__(self, memo):
        return self

    def __reduce__(self):
        return _unpickled, (self.numpy(), self.dtype.name)

    def __str__(self):
        return f'tf.Tensor({self._text(False)}, shape={self.shape}, dtype={self.dtype.name})'

    def __repr__(self):
        return f'<tf.Tensor: shape={self.shape}, dtype={self.dtype.name}, numpy={self._text(True)}>'

    def _text(self, is_repr):
        value = self.numpy()
        if self.dtype.name in ('resource', 'variant'):
            return '<unprintable>'
        if not is_repr:
            text = str(value)
        elif self._rank() == 0 and not isinstance(value, bytes):
            text = repr(value.item())
        else:
            text = repr(value)
        return '\n' + text if '\n' in text else text


def _unpickled(value, dtype):
    from ramet.framework import conversion, dtypes  # deferred: only for pickles

    return conversion.convert_to_tensor(value, dtypes.as_dtype(dtype))


class EagerGraph(Graph):
    """The default graph while operations run eagerly. It has scopes and functions, but no operations."""

    _eager = True

    def __init__(self):
        super().__init__()
        _core.make_eager(self)
        self._rng = None

    def _enter_name(self, name):
        if name and not name.endswith('/'):
            before = self.get_name_scope()
            name = f'{before}/{name}/' if before else f'{name}/'
        return _core.push_name(self, name or '', False)

    def unique_name(self, name, mark_as_used=True):
        """Returns the name under the current scope. Nothing needs unique names.

        Args:
          name: the name.
          mark_as_used: ignored.
        """
        before = self.get_name_scope()
        return f'{before}/{name}' if before else name

    def control_dependencies(self, control_inputs):
        """Calls `control_inputs` if it is a function: operations run in the order of their calls.

        Args:
          control_inputs: any value.
        """
        if callable(control_inputs):
            control_inputs()
        return contextlib.nullcontext()

    def colocate_with(self, op, ignore_existing=False):
        """Returns a context manager without effect.

        Args:
          op: ignored.
          ignore_existing: ignored.
        """
        return contextlib.nullcontext()

    _colocate_with_for_gradient = colocate_with

    def device(self, device_name_or_function):
        """Runs operations inside the context on a device.

        Args:
          device_name_or_function: a device as a string or DeviceSpec, or None for the default.

        Raises:
          RuntimeError: if it is a function.
        """
        if callable(device_name_or_function):
            raise RuntimeError('tf.device does not support functions when eager execution is enabled.')
        return super().device(device_name_or_function)

    def _put_devices(self):
        merged = ''
        for entry, in self._devices:
            merged = '' if entry is None else device_lib.merge_names(entry, merged) if merged else entry
        _core.set_eager_device(self, merged)

    def create_op(self, op_type, inputs, dtypes=None, input_types=None, name=None, attrs=None, op_def=None,
                  compute_shapes=True, compute_device=True):
        """Runs an op of any type, or a function of the library.

        Args:
          op_type: the op, such as "MatMul".
          inputs: a list of Tensors.
          dtypes: ignored.
          input_types: ignored.
          name: ignored.
          attrs: a dict of attr values, which may be AttrValue messages.
          op_def: ignored.
          compute_shapes: ignored.
          compute_device: ignored.

        Returns:
          An object whose `outputs` are the results.
        """
        plain = {key: attr_value.to_python(value) for key, value in (attrs or {}).items()}
        return types.SimpleNamespace(outputs=_core.execute(self, op_type, list(inputs), plain))

    def add_to_collection(self, name, value):
        """Adds a value to a collection of the program. The standard collections stay empty.

        Args:
          name: the name of the collection.
          value: any value.
        """
        if name not in _STANDARD_COLLECTIONS:
            super().add_to_collection(name, value)

    def _apply_seed(self, seed):
        self._rng = None if seed is None else random.Random(seed)
        _core.forget_eager_calls()

    def _seeds_for_op(self, op_seed):
        if self._seed is None:
            return random_seed.DEFAULT_GRAPH_SEED, op_seed
        if op_seed is None:
            op_seed = self._rng.randint(0, random_seed.LIMIT)
        seeds = self._seed % random_seed.LIMIT, op_seed % random_seed.LIMIT
        return (0, random_seed.LIMIT) if seeds == (0, 0) else seeds


def the_graph():
    """Returns the graph that stands for eager execution in this process. It is created on first use."""
    global _graph
    if _graph is None:
        _core.set_hooks({'eager_tensor_class': EagerTensor})
        _graph = EagerGraph()
    return _graph


_graph = None


@export('enable_eager_execution')
def enable_eager_execution(config=None, device_policy=None, execution_mode=None):
    """Makes operations run when they are called, for the rest of the program.

    Args:
      config: a ConfigProto, or None.
      device_policy: ignored; tensors are copied to the device of an operation that needs them.
      execution_mode: ignored; operations run one after another.

    Raises:
      TypeError: if config is not a ConfigProto.
      ValueError: if the program has used the default graph already.
    """
    if stacks.base_graph() is not None and not stacks.base_graph()._eager:
        raise ValueError('tf.enable_eager_execution must be called at program startup.')
    if config is not None and type(config).__name__ != 'ConfigProto':
        raise TypeError(f'config must be a tf.ConfigProto, but got {type(config)}')
    stacks.set_base_graph(the_graph())


@export('disable_eager_execution')
def disable_eager_execution():
    """Makes operations nodes of a graph again, which is the initial setting."""
    if stacks.base_graph() is not None and stacks.base_graph()._eager:
        stacks.set_base_graph(None)


@contextlib.contextmanager
def eager_mode():
    """Returns a context in which operations run eagerly."""
    with the_graph().as_default():
        yield


@contextlib.contextmanager
def graph_mode():
    """Returns a context in which operations are added to a new graph."""
    with Graph().as_default():
        yield
