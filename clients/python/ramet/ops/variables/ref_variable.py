"""Reference variables (VariableV2), whose consumers access the buffer itself."""

from ramet import _core, gen
from ramet.framework import indexed_slices, ops, variable_objects
from ramet.ops.variables import state_ops, variable_creation
from ramet.ops.variables.variable_base import Variable


class RefVariable(Variable):
    """A variable whose tensor is a reference to its buffer. tf.Variable creates these by default."""

    _is_resource = False

    @staticmethod
    def _check(initial_value, constraint):
        if initial_value is None:
            raise ValueError('initial_value must be specified.')
        if constraint is not None and not callable(constraint):
            raise ValueError('The `constraint` argument must be a callable.')

    @staticmethod
    def _made_value(graph, initial_value, full_name, dtype, shape, validate_shape):
        if callable(initial_value):
            value, group = variable_creation.called_in_scope(graph, initial_value, full_name, dtype)
        else:
            value = ops.convert_to_tensor(initial_value, name='initial_value', dtype=dtype)
            group = ''
        if validate_shape and not value.shape.is_fully_defined():
            raise ValueError(f'initial_value must have a shape specified: {value}')
        return value, group

    @property
    def _variable(self):
        return self._part('variable')

    @property
    def dtype(self):
        """The DType of the reference, such as float32_ref."""
        return self._variable.dtype

    @property
    def shape(self):
        """The static TensorShape."""
        return self._variable.get_shape()

    def _ref(self):
        return self._variable

    def _as_graph_element(self):
        return self._variable

    def value(self):
        """Returns the Tensor that represents the variable's value, which was created with it."""
        return self._snapshot

    def read_value(self):
        """Returns a new Tensor that reads the variable after the current control dependencies."""
        return gen.Identity(self._variable, name='read')

    def initialized_value(self):
        """Returns a Tensor with the variable's value, or with its initial value if it has none."""
        with ops.init_scope():
            return _core.initialized_value(self._graph, self._id)

    def set_shape(self, shape):
        """Merges `shape` into the static shapes of the variable and of its value."""
        self._variable.set_shape(shape)
        self.value().set_shape(shape)

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Returns a new operation that assigns `value`.

        Args:
          value: Tensor of the variable's dtype and shape.
          use_locking: whether to protect the assignment with a lock.
          name: the name of the node.
          read_value: whether to return the reference instead of the Operation.

        Returns:
          A reference Tensor that holds the new value once the node has run, or the Operation.
        """
        assigned = state_ops.assign(self._variable, value, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def assign_add(self, delta, use_locking=False, name=None, read_value=True):
        """Returns a new operation that adds `delta`; see assign."""
        assigned = state_ops.assign_add(self._variable, delta, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def assign_sub(self, delta, use_locking=False, name=None, read_value=True):
        """Returns a new operation that subtracts `delta`; see assign."""
        assigned = state_ops.assign_sub(self._variable, delta, use_locking=use_locking, name=name)
        return assigned if read_value else assigned.op

    def _scatter(self, op, sparse_delta, use_locking, name):
        if not isinstance(sparse_delta, indexed_slices.IndexedSlices):
            raise TypeError(f'sparse_delta is not IndexedSlices: {sparse_delta}')
        return op(self._variable, sparse_delta.indices, sparse_delta.values,
                  use_locking=use_locking, name=name)

    def scatter_sub(self, sparse_delta, use_locking=False, name=None):
        """Subtracts IndexedSlices from the rows at their indices; returns the reference."""
        return self._scatter(gen.ScatterSub, sparse_delta, use_locking, name)

    def scatter_add(self, sparse_delta, use_locking=False, name=None):
        """Adds IndexedSlices to the rows at their indices; returns the reference."""
        return self._scatter(gen.ScatterAdd, sparse_delta, use_locking, name)

    def scatter_max(self, sparse_delta, use_locking=False, name=None):
        """Replaces rows by the maximum of themselves and IndexedSlices; returns the reference."""
        return self._scatter(gen.ScatterMax, sparse_delta, use_locking, name)

    def scatter_min(self, sparse_delta, use_locking=False, name=None):
        """Replaces rows by the minimum of themselves and IndexedSlices; returns the reference."""
        return self._scatter(gen.ScatterMin, sparse_delta, use_locking, name)

    def scatter_mul(self, sparse_delta, use_locking=False, name=None):
        """Multiplies rows by IndexedSlices; returns the reference."""
        return self._scatter(gen.ScatterMul, sparse_delta, use_locking, name)

    def scatter_div(self, sparse_delta, use_locking=False, name=None):
        """Divides rows by IndexedSlices; returns the reference."""
        return self._scatter(gen.ScatterDiv, sparse_delta, use_locking, name)

    def scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns IndexedSlices to the rows at their indices; returns the reference."""
        return self._scatter(gen.ScatterUpdate, sparse_delta, use_locking, name)

    def batch_scatter_update(self, sparse_delta, use_locking=False, name=None):
        """Assigns IndexedSlices to rows, batch by batch; see tf.batch_scatter_update."""
        return state_ops.batch_scatter_update(self, sparse_delta.indices, sparse_delta.values,
                                              use_locking=use_locking, name=name)

    def scatter_nd_sub(self, indices, updates, name=None):
        """Subtracts updates at indices [..., depth]; returns the reference."""
        return gen.ScatterNdSub(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_add(self, indices, updates, name=None):
        """Adds updates at indices [..., depth]; returns the reference."""
        return gen.ScatterNdAdd(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_update(self, indices, updates, name=None):
        """Assigns updates at indices [..., depth]; returns the reference."""
        return gen.ScatterNdUpdate(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_max(self, indices, updates, name=None):
        """Replaces values at indices by the maximum of themselves and updates; returns the reference."""
        return gen.ScatterNdMax(self._variable, indices, updates, use_locking=True, name=name)

    def scatter_nd_min(self, indices, updates, name=None):
        """Replaces values at indices by the minimum of themselves and updates; returns the reference."""
        return gen.ScatterNdMin(self._variable, indices, updates, use_locking=True, name=name)

    def count_up_to(self, limit):
        """Increments the variable and returns the previous value. Raises OutOfRangeError at `limit`."""
        return gen.CountUpTo(self._variable, limit=limit)

    def _strided_slice_assign(self, begin, end, strides, value, name, **masks):
        return gen.StridedSliceAssign(ref=self._ref(), begin=begin, end=end, strides=strides,
                                      value=value, name=name, **masks)

    def _dense_var_to_tensor(self, dtype=None, name=None, as_ref=False):
        if dtype is not None and not dtype.is_compatible_with(self.dtype):
            raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for "
                             f"variable of type '{self.dtype.name}'")
        return self._ref() if as_ref else self.value()


variable_objects.register_kind(False, RefVariable)
