"""Variables of eager execution, which hold their value themselves."""

import itertools

from ramet import _core, gen
from ramet.framework import dtypes, eager, ops, tensor_shape, variable_objects
from ramet.ops.variables import variable_modes
from ramet.ops.variables.resource_variable import ResourceVariable

_numbers = itertools.count()


def _unsupported(self, *unused_args, **unused_kwargs):
    raise RuntimeError('This operation is not supported when eager execution is enabled.')


class _StandIn:
    """Stands for the operation of a variable, in code that is written for graphs."""

    type = 'VarHandleOp'
    inputs = ()

    def __init__(self, name, device, handle):
        self.name = name
        self.device = device
        self.outputs = [handle]

    @property
    def graph(self):
        return eager.the_graph()


class EagerVariable(ResourceVariable):
    """A variable that is created while operations run eagerly. It has a value from the beginning."""

    _in_graph_mode = False
    initializer = None
    _initializer_op = None
    _graph_element = None
    _cached_value = None
    _save_slice_info = None
    eval = _unsupported
    to_proto = _unsupported
    create = property(_unsupported)
    __complex__ = eager.EagerTensor.__complex__
    __int__ = eager.EagerTensor.__int__
    __float__ = eager.EagerTensor.__float__

    def __init__(self, initial_value=None, trainable=None, collections=None, validate_shape=True,
                 caching_device=None, name=None, dtype=None, constraint=None, synchronization=None,
                 aggregation=None, shape=None):
        self._synchronization, self._aggregation, self._trainable = variable_modes.checked_modes(
            synchronization, aggregation, trainable, name)
        self._check(initial_value, constraint)
        self._constraint = constraint
        with ops.init_scope(), ops.name_scope(name, 'Variable') as scope:
            self._base_name = ops.name_from_scope_name(scope)
            value = self._initial_tensor(initial_value, dtype)
            if shape is not None and not value.shape.is_compatible_with(shape):
                raise ValueError("In this `tf.Variable` creation, the initial value's shape "
                                 f'({value.shape}) is not compatible with the explicitly supplied '
                                 f'`shape` argument ({shape}).')
            self._shape = value.shape if shape is None else tensor_shape.as_shape(shape)
            self._value_dtype = value.dtype
            self._own_handle = _core.eager_variable(self._base_name)
            gen.AssignVariableOp(self._own_handle, value)
            if collections and ops.GraphKeys.GLOBAL_STEP in collections:
                ops.add_to_collection(ops.GraphKeys.GLOBAL_STEP, self)
        self._number = next(_numbers)

    def _initial_tensor(self, initial_value, dtype):
        dtype = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        with ops.name_scope('Initializer'), ops.device(None):
            value = initial_value() if callable(initial_value) else initial_value
            if isinstance(value, ops.Tensor) and not value._is_eager:
                raise ValueError('Tensor-typed variable initializers must either be wrapped in an init_scope or '
                                 'callable (e.g., `tf.Variable(lambda : tf.truncated_normal([10, 40]))`) when '
                                 f'building functions. Got: {value}')
            return ops.convert_to_tensor(value, name='initial_value', dtype=dtype)

    @property
    def handle(self):
        """The resource tensor that identifies the variable."""
        return self._own_handle

    @property
    def name(self):
        """The name of the variable, such as 'w:0'. Several variables may have the same name."""
        return self._base_name + ':0'

    @property
    def _shared_name(self):
        return self._base_name

    @property
    def _unique_id(self):
        return f'{self._base_name}_{self._number}'

    @property
    def op(self):
        """An object with the name and the device of the variable, since the variable has no operation."""
        return _StandIn(self._base_name, self.device, self.handle)

    @property
    def graph(self):
        """The graph that stands for eager execution."""
        return self.op.graph

    @property
    def device(self):
        """The name of the device that has the value."""
        return self.handle.device

    @property
    def initial_value(self):
        """Raises RuntimeError: the initial value is not kept."""
        raise RuntimeError('This property is not supported when eager execution is enabled.')

    @property
    def trainable(self):
        """True if tapes watch the variable when it is read."""
        return self._trainable

    @property
    def synchronization(self):
        """The VariableSynchronization that the variable was created with."""
        return self._synchronization

    @property
    def aggregation(self):
        """The VariableAggregation that the variable was created with."""
        return self._aggregation

    @property
    def dtype(self):
        """The DType of its value."""
        return self._value_dtype

    @property
    def shape(self):
        """The static TensorShape."""
        return self._shape

    @property
    def _snapshot(self):
        return self.value()

    _checkpoint_value = _snapshot

    def set_shape(self, shape):
        """Checks that `shape` is compatible with the variable's, and merges it into the static shape."""
        self._shape = self._shape.merge_with(shape)

    def _read(self, name='ReadVariableOp'):
        variable_objects.note_access(self)
        value = gen.ReadVariableOp(self._own_handle, self._value_dtype, name=name)
        if not value._is_eager:
            value.set_shape(self._shape)
        return value

    _read_here = _read

    def value(self):
        """Returns the value as a Tensor. Later assignments do not change it."""
        return self._read()

    def read_value(self):
        """Returns the value as a Tensor. Later assignments do not change it."""
        return gen.Identity(self._read())

    def numpy(self):
        """Returns the value as a numpy array, or as a numpy scalar if the rank is 0.

        Raises:
          NotImplementedError: inside a function under construction.
        """
        if not ops.executing_eagerly():
            raise NotImplementedError('numpy() is only available when eager execution is enabled.')
        return self._read().numpy()

    def sparse_read(self, indices, name=None):
        """Returns the rows at `indices` without reading the whole variable."""
        variable_objects.note_access(self)
        return super().sparse_read(indices, name)

    def gather_nd(self, indices, name=None):
        """Returns the values at `indices` [..., depth] without reading the whole variable."""
        variable_objects.note_access(self)
        return super().gather_nd(indices, name)

    def _lazy_read(self, op):
        variable_objects.note_access(self)
        return UpdatedVariable(self, op)

    def load(self, value, session=None):
        """Assigns a value.

        Args:
          value: a value that can be converted to a Tensor of the variable's dtype and shape.
          session: ignored.
        """
        self.assign(value)

    def __deepcopy__(self, memo):
        copied = EagerVariable(
            self.read_value(), trainable=self._trainable, constraint=self._constraint, dtype=self._value_dtype,
            name=self._shared_name, synchronization=self._synchronization, aggregation=self._aggregation)
        memo[id(self)] = copied
        return copied

    def __reduce_ex__(self, protocol):
        return _unpickled, (self.numpy(), self._trainable, self._value_dtype.name, self._shared_name)

    def __array__(self, dtype=None, copy=None):
        return self._read().__array__(dtype)

    def __repr__(self):
        text = self._read()._text(True) if ops.executing_eagerly() else '<unprintable>'
        return f"<tf.Variable '{self._repr_name}' shape={self.shape} dtype={self.dtype.name}, numpy={text}>"

    @property
    def _repr_name(self):
        return self.name


class UpdatedVariable(EagerVariable):
    """The variable as the result of an operation that changes it."""

    def __init__(self, variable, parent_op):
        self.__dict__.update(variable.__dict__)
        self._parent_op = parent_op  # None, or the Operation inside a function under construction

    def _read(self, name='ReadVariableOp'):
        if self._parent_op is None:
            return super()._read(name)
        with ops.control_dependencies([self._parent_op]):
            return super()._read(name)

    @property
    def op(self):
        """The operation that changes the variable, or None if it ran eagerly."""
        return self._parent_op

    @property
    def _repr_name(self):
        return 'UnreadVariable'


def _unpickled(value, trainable, dtype, name):
    return EagerVariable(value, trainable=trainable, dtype=dtype, name=name)


variable_objects.register_kind(None, EagerVariable)
_core.set_hooks({'eager_variable_class': EagerVariable})
