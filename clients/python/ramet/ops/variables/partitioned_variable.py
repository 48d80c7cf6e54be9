"""A variable that consists of several parts."""

from ramet.framework import ops, tensor_shape
from ramet.framework.uncopyable import Uncopyable
from ramet.ops.array import array_ops


class PartitionedVariable(Uncopyable):
    """A variable that is partitioned along one dimension into several variables.

    When it is used as a tensor, it is the concatenation of its parts.

    Args:
      name: the name of the whole variable.
      shape: its TensorShape.
      dtype: its DType.
      variable_list: a list of the parts, each with its slice information set.
      partitions: a list of the number of parts in each dimension.

    Raises:
      TypeError: if `variable_list` or `partitions` is not a list.
      ValueError: if a number of parts is less than 1, or a part has no slice information.
    """

    def __init__(self, name, shape, dtype, variable_list, partitions):
        if not isinstance(variable_list, (list, tuple)):
            raise TypeError(f'variable_list is not a list or tuple: {variable_list}')
        if not isinstance(partitions, (list, tuple)):
            raise TypeError(f'partitions is not a list or tuple: {partitions}')
        if not all(p >= 1 for p in partitions):
            raise ValueError(f'partition values must be positive: {partitions}')
        if not variable_list:
            raise ValueError('variable_list may not be empty')
        sizes = tensor_shape.as_shape(shape).as_list()
        for part in variable_list:
            info = part._get_save_slice_info()
            if not info:
                raise ValueError('All variables must have a save_slice_info available: '
                                 f'{[v.name for v in variable_list]}')
            if info.full_shape != sizes:
                raise ValueError(f"All variables' full shapes must match shape: {sizes}; but full "
                                 f'shapes were: {[info.full_shape]}')
        if len(sizes) != len(partitions):
            raise ValueError(f'len(shape) != len(partitions): {sizes} vs. {partitions}')
        self._variable_list = sorted(variable_list,
                                     key=lambda v: v._get_save_slice_info().var_offset)
        self._partitions = partitions
        self._name = name
        self._shape = tensor_shape.as_shape(shape)
        self._dtype = dtype

    def __iter__(self):
        return iter(self._variable_list)

    def __len__(self):
        axes = len(self._partition_axes())
        if axes > 1:
            raise ValueError(f'Cannot get a length for {axes} > 1 partition axes')
        return len(self._variable_list)

    @property
    def name(self):
        """The name of the whole variable."""
        return self._name

    @property
    def dtype(self):
        """The DType."""
        return self._dtype

    @property
    def shape(self):
        """The TensorShape."""
        return self._shape

    def get_shape(self):
        """Returns the TensorShape."""
        return self._shape

    def __repr__(self):
        return (f"<tf.PartitionedVariable '{self._name}' shape={self._shape} "
                f'dtype={self._dtype.name} in {len(self._variable_list)} parts>')

    def _partition_axes(self):
        if all(p == 1 for p in self._partitions):
            return [0]
        return [i for i, p in enumerate(self._partitions) if p > 1]

    def _get_variable_list(self):
        return self._variable_list

    def _get_partitions(self):
        return self._partitions

    def _concat(self):
        if len(self._variable_list) == 1:
            with ops.name_scope(None):
                return array_ops.identity(self._variable_list[0], name=self._name)
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError('Cannot concatenate along more than one dimension: '
                                      f'{axes}.  Multi-axis partition concat is not supported')
        with ops.name_scope(self._name + '/ConcatPartitions/'):
            whole = array_ops.concat(self._variable_list, axes[0])
        with ops.name_scope(None):
            return array_ops.identity(whole, name=self._name)

    def as_tensor(self):
        """Returns the concatenation of the parts, as a Tensor without control dependencies."""
        with ops.control_dependencies(None):
            return self._concat()

    def _apply(self, change, value):
        axes = self._partition_axes()
        if len(axes) > 1:
            raise NotImplementedError('Cannot do assign action along more than one dimension: '
                                      f'{axes}.  Multi-axis partition assign action is not '
                                      'supported ')
        if isinstance(value, list):
            parts = value
        elif isinstance(value, PartitionedVariable):
            parts = list(value)
        else:
            sizes = [v.shape.as_list()[axes[0]] for v in self._variable_list]
            parts = array_ops.split(value, sizes, axis=axes[0])
        return [change(v, part) for v, part in zip(self._variable_list, parts, strict=True)]

    def assign(self, value, use_locking=False, name=None, read_value=True):
        """Assigns to each part; see tf.Variable.assign.

        Args:
          value: a Tensor with the shape of the whole, a list with one per part, or a PartitionedVariable.
          use_locking: whether to protect the assignments with locks.
          name: the name of the nodes.
          read_value: whether to return variables instead of Operations.

        Returns:
          A list of the results of the parts' assignments.
        """
        return self._apply(lambda v, part: v.assign(part, use_locking=use_locking, name=name,
                                                    read_value=read_value), value)

    def assign_add(self, value, use_locking=False, name=None, read_value=True):
        """Adds to each part; see assign."""
        return self._apply(lambda v, part: v.assign_add(part, use_locking=use_locking, name=name,
                                                        read_value=read_value), value)

    def assign_sub(self, value, use_locking=False, name=None, read_value=True):
        """Subtracts from each part; see assign."""
        return self._apply(lambda v, part: v.assign_sub(part, use_locking=use_locking, name=name,
                                                        read_value=read_value), value)


def _to_tensor(variable, dtype=None, name=None, as_ref=False):
    del name
    if dtype is not None and not dtype.is_compatible_with(variable.dtype):
        raise ValueError(f"Incompatible type conversion requested to type '{dtype.name}' for "
                         f"variable of type '{variable.dtype.name}'")
    if as_ref:
        raise NotImplementedError('PartitionedVariable doesn\'t support being used as a reference.')
    return variable.as_tensor()


ops.register_tensor_conversion_function(PartitionedVariable, _to_tensor)
