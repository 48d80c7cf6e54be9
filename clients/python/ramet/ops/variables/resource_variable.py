"""Resource variables, which are accessed through a handle and read as snapshots."""

import functools

from ramet import _core, gen
from ramet.framework import indexed_slices, ops, variable_objects
from ramet.ops.control_flow.cond import cond
from ramet.ops.variables import state_ops, variable_creation
from ramet.ops.variables.variable_base import Variable


class ResourceVariable(Variable):
    """A variable behind a handle. Each read returns the value at that time."""

    _is_resource = True

    def __copy__(self):
        return self

    @staticmethod
    def _check(initial_value, constraint):
        if initial_value is None:
            raise ValueError('The `initial_value` arg to `tf.Variable` must be specified except '
                             'when you are not providing a `variable_def`. You provided neither.')
        if constraint is not None and not callable(constraint):
            raise ValueError('Argument `constraint` must be None or a callable. a callable. Got a '
                             f'{type(constraint)}:  {constraint}')

    @staticmethod
    def _made_value(graph, initial_value, full_name, dtype, shape, validate_shape):
        function = initial_value if callable(initial_value) else lambda: initial_value
        value, group = variable_creation.called_in_scope(graph, function, full_name, dtype)
        if shape is not None and not value.shape.is_compatible_with(shape):
            raise ValueError("In this `tf.Variable` creation, the initial value's shape "
                             f'({value.shape}) is not compatible with the explicitly supplied '
                             f'`shape` argument ({shape}).')
        return value, group

    @property
    def handle(self):
        """The resource Tensor that identifies the variable."""
        return self._part('variable')

    @property
    def _handle(self):
        return self.handle

    @property
    def _handle_name(self):
        return self.name

    @property
    def _unique_id(self):
        return self._shared_name

    @property
    def _graph_element(self):
        snapshot = self._snapshot
        return snapshot.op.inputs[0] if snapshot.op.type == 'Identity' else snapshot

    @property
    def _cached_value(self):
        snapshot = self._snapshot
        return snapshot if snapshot.op.type == 'Identity' else None

    @property
    def dtype(self):
        """The DType of its value."""
        return self._snapshot.dtype

    @property
    def _dtype(self):
        return self.dtype

    @property
    def shape(self):
        """The static TensorShape."""
        return self._snapshot.get_shape()

    def _as_graph_element(self):
        return self._graph_element

    def value(self):
        """Returns a new Tensor that reads the variable, or the cached one of its caching device."""
        cached = self._cached_value
        return self._read() if cached is None else cached

    def _read(self, name='ReadVariableOp'):
        graph = ops.get_default_graph()
        if graph.building_function or graph._stand_in is not None:
            value = gen.ReadVariableOp(self.handle, self.dtype, name=name)
            value.set_shape(self.shape)
            return value
        return _core.read_variable(self._graph, self._id, name)

    def read_value(self):
        """Returns a new Tensor that reads the variable after the current control dependencies."""
        with ops.name_scope('Read'), ops.device(self.handle.device):
            value = self._read_here()
        return gen.Identity(value)

    def _read_here(self):
        return gen.ReadVariableOp(self.handle, self.dtype)

    def is_initialized(self, name=None):
        """Returns a bool Tensor that is True if the variable has a value."""
        return gen.VarIsInitializedOp(self.handle, name=name)

    def initialized_value(self):
        """Returns a Tensor with the variable's value, or with its initial value if it has none."""
        with ops.init_scope():
            return cond(self.is_initialized(), self.read_value, lambda: self.initial_value)

    def set_shape(self, shape):
        """Checks that `shape` is compatible with the variable's, and merges it into the static shape."""
        shape = self.shape.merge_with(shape)
        self._graph_element.set_shape(shape)
        if self._cached_value is not None:
            self._cached_value.set_shape(shape)

    def _lazy_read(self, op):
        return UnreadVariable(self, op)

    def assign(self, value, use_locking=None, name=None, read_value=True):
        """Returns a new operation that assigns `value`.

        Args:
          value: Tensor of the variable's dtype and shape.
          use_locking: ignored.
          name: the name of the node.
          read_value: whether to return a variable instead of the Operation.

        Returns:
          The variable after the assignment, or the Operation.

        Raises:
          ValueError: if the shapes are incompatible.
        """
        value = ops.convert_to_tensor(value, dtype=self.dtype)
        if not self.shape.is_compatible_with(value.shape):
            raise ValueError(
                f"Cannot assign value to variable ' {self.name}': Shape mismatch.The variable "
                f'shape {self.shape}, and the assigned value shape {value.shape} are incompatible.')
        op = gen.AssignVariableOp(self.handle, value, name=name,
                                  validate_shape=self.shape.is_fully_defined())
        return self._lazy_read(op) if read_value else op

    def assign_add(self, delta, use_locking=None, name=None, read_value=True):
        """Returns a new operation that adds `delta`; see assign."""
        op = gen.AssignAddVariableOp(self.handle, ops.convert_to_tensor(delta, dtype=self.dtype),
                                     name=name)
        return self._lazy_read(op) if read_value else op

    def assign_sub(self, delta, use_locking=None, name=None, read_value=True):
        """Returns a new operation that subtracts `delta`; see assign."""
        op = gen.AssignSubVariableOp(self.handle, ops.convert_to_tensor(delta, dtype=self.dtype),
                                     name=name)
        return self._lazy_read(op) if read_value else op

    def sparse_read(self, indices, name=None):
        """Returns the rows at `indices` without reading the whole variable."""
        with ops.name_scope('Gather' if name is None else name) as scope:
            return gen.ResourceGather(self.handle, indices, dtype=self.dtype, name=scope)

    def gather_nd(self, indices, name=None):
        """Returns the values at `indices` [..., depth] without reading the whole variable."""
        with ops.name_scope('GatherNd' if name is None else name) as scope:
            value = gen.ResourceGatherNd(self.handle, indices, dtype=self.dtype, name=scope)
        return gen.Identity(value)

    def _scatter(self, op, sparse_delta, name):
        if not isinstance(sparse_delta, indexed_slices.IndexedSlices):
            raise TypeError('Argument `sparse_delta` must be a `tf.IndexedSlices`. Received arg: '
                            f'{sparse_delta}')
        values = ops.convert_to_tensor(sparse_delta.values, self.dtype)
        return self._lazy_read(op(self.handle, sparse_delta.indices, values, name=name))

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtracts IndexedSlices from the rows at their indices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterSub, sparse_delta, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Adds IndexedSlices to the rows at their indices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterAdd, sparse_delta, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Replaces rows by the maximum of themselves and IndexedSlices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterMax, sparse_delta, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Replaces rows by the minimum of themselves and IndexedSlices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterMin, sparse_delta, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiplies rows by IndexedSlices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterMul, sparse_delta, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divides rows by IndexedSlices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterDiv, sparse_delta, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns IndexedSlices to the rows at their indices; returns the updated variable."""
        return self._scatter(gen.ResourceScatterUpdate, sparse_delta, name)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns IndexedSlices to rows, batch by batch; see tf.batch_scatter_update."""
        updated = state_ops.batch_scatter_update(self, sparse_delta.indices, sparse_delta.values,
                                                 use_locking=use_locking, name=name)
        return self._lazy_read(updated.op)

    def _scatter_nd(self, op, indices, updates, name):
        updates = ops.convert_to_tensor(updates, self.dtype)
        return self._lazy_read(op(self.handle, indices, updates, name=name))

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtracts updates at indices [..., depth]; returns the updated variable."""
        return self._scatter_nd(gen.ResourceScatterNdSub, indices, updates, name)

    def scatter_nd_add(self, indices, updates, name=None):
        """Adds updates at indices [..., depth]; returns the updated variable."""
        return self._scatter_nd(gen.ResourceScatterNdAdd, indices, updates, name)

    def scatter_nd_update(self, indices, updates, name=None):
        """Assigns updates at indices [..., depth]; returns the updated variable."""
        return self._scatter_nd(gen.ResourceScatterNdUpdate, indices, updates, name)

    def scatter_nd_max(self, indices, updates, name=None):
        """Replaces values at indices by the maximum of themselves and updates."""
        return self._scatter_nd(gen.ResourceScatterNdMax, indices, updates, name)

    def scatter_nd_min(self, indices, updates, name=None):
        """Replaces values at indices by the minimum of themselves and updates."""
        return self._scatter_nd(gen.ResourceScatterNdMin, indices, updates, name)

    def count_up_to(self, limit):
        """Increments the variable and returns the previous value. Raises OutOfRangeError at `limit`."""
        return gen.ResourceCountUpTo(self.handle, limit=limit, T=self.dtype)

    def _strided_slice_assign(self, begin, end, strides, value, name, **masks):
        value = ops.convert_to_tensor(value, dtype=self.dtype)
        return self._lazy_read(gen.ResourceStridedSliceAssign(
            ref=self.handle, begin=begin, end=end, strides=strides, value=value, name=name,
            **masks))

    def _ref(self):
        return self.handle

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f'Incompatible type conversion requested to type {dtype.name} for '
                             f'`tf.Variable of type {self.dtype.name}. (Variable: {self})')
        return self.handle if as_ref else self.value()

    def __bool__(self):
        return bool(self.read_value())


class UnreadVariable(ResourceVariable):
    """A resource variable after an operation that changes it."""

    def __init__(self, variable, parent_op):
        self._graph = variable._graph
        self._id = variable._id
        self._constraint = variable._constraint
        self._parent_op = parent_op
        self._after_or_none = None
        if not parent_op.graph.building_function:
            self._read_after()

    def _read_after(self):
        if self._after_or_none is None:
            with ops.control_dependencies([self._parent_op]):
                self._after_or_none = self._read_here()
        return self._after_or_none

    @property
    def name(self):
        """The name of the operation that changes the variable."""
        return self._parent_op.name

    @property
    def op(self):
        """The operation that changes the variable."""
        return self._parent_op

    @property
    def _shared_name(self):
        return self.handle.op.name

    @property
    def _graph_element(self):
        return self._read_after()

    @property
    def _cached_value(self):
        return None

    def read_value(self):
        with ops.control_dependencies([self._parent_op]):
            return self._read_here()


def _after_parent(method):
    """Returns a method of ResourceVariable that runs after the operation that changes the variable."""
    @functools.wraps(method)
    def after(self, *args, **kwargs):
        with ops.control_dependencies([self._parent_op]):
            return method(self, *args, **kwargs)

    return after


for _name, _method in list(vars(ResourceVariable).items()):
    if _name.startswith(('assign', 'scatter_', 'batch_scatter_')) or _name == 'value':
        setattr(UnreadVariable, _name, _after_parent(_method))


variable_objects.register_kind(True, ResourceVariable)
