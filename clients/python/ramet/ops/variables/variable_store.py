"""The variables of a graph by their names for get_variable."""

import collections.abc
import enum
import functools
import inspect
import traceback

from ramet import gen
from ramet.api import export_value
from ramet.framework import dtypes, ops, tensor_shape
from ramet.ops.initializers import init_ops
from ramet.ops.variables import variables
from ramet.ops.variables.partitioned_variable import PartitionedVariable


class _ReuseMode(enum.Enum):
    """How get_variable treats a variable that may exist."""

    AUTO_REUSE = 1


AUTO_REUSE = _ReuseMode.AUTO_REUSE
export_value('AUTO_REUSE', AUTO_REUSE)


class PartitionInfo:
    """The part of a partitioned variable that an initializer creates.

    Attributes:
      full_shape: a list, the dimensions of the whole.
      var_offset: a list, the start of the part.
    """

    def __init__(self, full_shape, var_offset):
        if not isinstance(full_shape, collections.abc.Sequence) or isinstance(full_shape, str):
            raise TypeError('`full_shape` must be a sequence (like tuple or list) instead of '
                            + type(full_shape).__name__)
        if not isinstance(var_offset, collections.abc.Sequence) or isinstance(var_offset, str):
            raise TypeError('`var_offset` must be a sequence (like tuple or list) instead of '
                            + type(var_offset).__name__)
        if len(var_offset) != len(full_shape):
            raise ValueError('Expected equal length, but `var_offset` is of length '
                             f'{len(var_offset)} while full_shape is of length {len(full_shape)}.')
        for offset, size in zip(var_offset, full_shape, strict=True):
            if offset < 0 or offset >= size:
                raise ValueError(f'Expected 0 <= offset < shape but found offset={offset}, '
                                 f'shape={size} for var_offset={var_offset}, '
                                 f'full_shape={full_shape}')
        self._full_shape = full_shape
        self._var_offset = var_offset

    @property
    def full_shape(self):
        return self._full_shape

    @property
    def var_offset(self):
        return self._var_offset

    def single_offset(self, shape):
        """Returns the start of a part of `shape` in the partitioned dimension, or 0 if there is none."""
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self.var_offset[dim]

    def single_slice_dim(self, shape):
        """Returns the only dimension in which a part of `shape` is smaller than the whole, or None.

        Raises:
          TypeError: if `shape` is not a sequence.
          ValueError: if it does not fit into the whole, or is partitioned in more than one dimension.
        """
        if not isinstance(shape, (tuple, list)):
            raise TypeError('`shape` must be a sequence (like tuple or list) instead of '
                            + type(shape).__name__)
        if len(shape) != len(self.full_shape):
            raise ValueError(f'Expected equal length, but received shape={shape} of length '
                             f'{len(shape)} while self.full_shape={self.full_shape} is of length '
                             f'{len(self.full_shape)}.')
        for i, size in enumerate(shape):
            if self.var_offset[i] + size > self.full_shape[i]:
                raise ValueError(f'With self.var_offset={self.var_offset}, a partition of '
                                 f'shape={shape} would exceed self.full_shape={self.full_shape} in '
                                 f'dimension {i}.')
        cut = [i for i, size in enumerate(shape) if size != self.full_shape[i]]
        if len(cut) > 1:
            raise ValueError(f'Cannot use single_slice_dim() with shape={shape} and '
                             f'self.full_shape={self.full_shape} since slice dim could be either '
                             f'dimension {cut[0]} or {cut[1]}.')
        return cut[0] if cut else None


class VariableStore:
    """Creates the variables of a graph, or gets existing ones by name."""

    def __init__(self, keeps_eager=False):
        self._vars = {}
        self._partitioned_vars = {}
        self._keeps_eager = keeps_eager  # whether variables of eager execution are found again by their names

    def sorted_variables(self):
        """Returns the variables that are not partitioned, sorted by name."""
        return sorted(self._vars.values(), key=lambda v: v.name)

    def get_variable(self, name, shape=None, dtype=dtypes.float32, initializer=None,
                     regularizer=None, reuse=None, trainable=None, collections=None,
                     caching_device=None, partitioner=None, validate_shape=True, use_resource=None,
                     custom_getter=None, constraint=None, synchronization=None, aggregation=None):
        """Creates the variable `name` or gets the existing one. The arguments are those of tf.get_variable.

        Raises:
          ValueError: as tf.get_variable.
        """
        if ops.executing_eagerly():
            reuse = AUTO_REUSE if self._keeps_eager else False
        if custom_getter is not None and not callable(custom_getter):
            raise ValueError(f'Passed a custom_getter which is not callable: {custom_getter}')
        arguments = {
            'name': name, 'shape': shape,
            'dtype': getattr(dtype, 'base_dtype', dtype), 'initializer': initializer,
            'regularizer': regularizer, 'reuse': reuse, 'trainable': trainable,
            'collections': collections, 'caching_device': caching_device,
            'partitioner': partitioner, 'validate_shape': validate_shape,
            'use_resource': use_resource, 'constraint': constraint,
            'synchronization': synchronization or variables.VariableSynchronization.AUTO,
            'aggregation': aggregation or variables.VariableAggregation.NONE}
        if custom_getter is None:
            return self._get(**arguments)
        takes, takes_any = parameters(custom_getter)
        if 'constraint' not in takes and not takes_any:
            del arguments['constraint']
        return custom_getter(getter=self._get, **arguments)

    def _get(self, name, shape=None, dtype=dtypes.float32, initializer=None, regularizer=None,
             reuse=None, trainable=None, collections=None, caching_device=None, partitioner=None,
             validate_shape=True, use_resource=None, constraint=None, synchronization=None,
             aggregation=None):
        common = {'regularizer': regularizer, 'trainable': trainable, 'collections': collections,
                  'caching_device': caching_device, 'validate_shape': validate_shape,
                  'use_resource': use_resource, 'constraint': constraint,
                  'synchronization': synchronization, 'aggregation': aggregation}
        is_scalar = shape is not None and hasattr(shape, '__len__') and not len(shape)
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f'Partitioner must be callable, but received: {partitioner}')
            with ops.name_scope(None):
                return self._get_parts(name, partitioner, shape, dtype, initializer, reuse, common)
        if reuse is True and partitioner is None and name in self._partitioned_vars:
            return self._get_parts(name, None, shape, dtype, initializer, reuse, common)
        if f'{name}/part_0' in self._vars:
            raise ValueError('No partitioner was provided, but a partitioned version of the '
                             f'variable was found: {name}/part_0. Perhaps a variable of the same '
                             'name was already created with partitioning?')
        return self._get_single(name, shape, dtype, initializer, reuse, None, common)

    def _get_parts(self, name, partitioner, shape, dtype, initializer, reuse, common):
        if name in self._vars:
            raise ValueError('A partitioner was provided, but an unpartitioned version of the '
                             f'variable was found: {name}.  Perhaps a variable of the same name '
                             'was already created without partitioning?')
        dtype = dtypes.as_dtype(dtype).base_dtype
        shape = tensor_shape.as_shape(shape)
        if initializer is not None and not callable(initializer):
            if not isinstance(initializer, ops.Tensor):
                initializer = ops.convert_to_tensor(initializer, dtype=dtype)
            shape = shape.merge_with(initializer.get_shape())
        partitions = None
        if not reuse or partitioner:
            partitions = _call_partitioner(partitioner, shape, dtype)
        if name in self._partitioned_vars:
            return self._found_parts(name, shape, dtype, partitions, reuse)
        if reuse is True:
            raise ValueError(f'PartitionedVariable {name} does not exist, or was not created with '
                             'tf.get_variable(). Did you mean to set reuse=False or '
                             'reuse=tf.AUTO_REUSE in VarScope?')
        parts = self._make_parts(name, shape, dtype, initializer, partitions, reuse, common)
        whole = PartitionedVariable(name=name, shape=shape, dtype=dtype, variable_list=parts,
                                    partitions=partitions)
        self._partitioned_vars[name] = whole
        return whole

    def _found_parts(self, name, shape, dtype, partitions, reuse):
        if reuse is False:
            raise ValueError(f'Partitioned variable with name {name} already exists. Did you mean '
                             'to set reuse=True or reuse=tf.AUTO_REUSE in VarScope?')
        found = self._partitioned_vars[name]
        trying = f'Trying to reuse partitioned variable {name}, but specified '
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(f'{trying}shape {shape} and found shape {found.get_shape()}.')
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f'{trying}dtype {dtype.name} and found dtype {found.dtype.name}.')
        if partitions is not None and found._get_partitions() != partitions:
            raise ValueError(f'{trying}partitions {partitions} and found partitions '
                             f'{found._get_partitions()}.')
        return found

    def _make_parts(self, name, shape, dtype, initializer, partitions, reuse, common):
        dim, count = _cut(partitions)
        self._check_shards(name, count)
        made = []
        for i, (offset, part_shape) in enumerate(_slices(shape.as_list(), count, dim)):
            part_name = f'{name}/part_{i}'
            with ops.name_scope(part_name + '/PartitionedInitializer'):
                part_initializer, given_shape = initializer, part_shape
                if initializer is None:
                    part_initializer = _default_initializer(name, dtype)
                elif not callable(initializer):
                    part_initializer = gen.Slice(initializer, offset, part_shape)
                    dtype, given_shape = part_initializer.dtype.base_dtype, None
            with ops.name_scope(None):
                part = self._get_single(part_name, given_shape, dtype, part_initializer, reuse,
                                        PartitionInfo(shape.as_list(), offset), common)
            part._set_save_slice_info(
                variables.SaveSliceInfo(name, shape.as_list(), offset, part_shape))
            made.append(part)
        return made

    def _check_shards(self, name, count):
        if f'{name}/part_0' not in self._vars:
            return
        told = ('Partitioner returned a different partitioning than what was already found.  '
                f'Partitioner returned {count} shards, and shard {name}/part_0 was found, but ')
        if f'{name}/part_{count - 1}' not in self._vars:
            raise ValueError(f'{told}{name}/part_{count - 1} was not.')
        if f'{name}/part_{count}' in self._vars:
            raise ValueError(f'{told}so was the extra shard {name}/part_{count}.')

    def _get_single(self, name, shape, dtype, initializer, reuse, partition_info, common):
        from_value = initializer is not None and not callable(initializer)
        if from_value and shape is not None:
            raise ValueError('If initializer is a constant, do not specify shape.')
        dtype = dtypes.as_dtype(dtype)
        if shape is not None:
            shape = tensor_shape.as_shape(shape)
        if name in self._vars:
            return self._found_single(name, shape, dtype, reuse)
        if reuse is True:
            raise ValueError(f'Variable {name} does not exist, or was not created with '
                             'tf.get_variable(). Did you mean to set reuse=tf.AUTO_REUSE in '
                             'VarScope?')
        if initializer is None:
            if shape is None:
                raise ValueError(f'Variable {name} did not get an initializer, so its `shape` '
                                 'argument must be specified.')
            initializer = _default_initializer(name, dtype)
        regularizer = common['regularizer']
        arguments = {k: v for k, v in common.items() if k != 'regularizer'}
        with ops.init_scope():
            value, value_dtype = initializer, None
            if not from_value:
                value, value_dtype = _without_arguments(initializer, shape, dtype, partition_info)
        variable = variables.Variable(initial_value=value, name=name, dtype=value_dtype,
                                      **arguments)
        if self._keeps_eager or not ops.executing_eagerly():
            self._vars[name] = variable
        if regularizer:
            _add_regularization_loss(name, variable, regularizer)
        return variable

    def _found_single(self, name, shape, dtype, reuse):
        found = self._vars[name]
        if reuse is False:
            raise ValueError(_exists(name, found))
        trying = f'Trying to share variable {name}, but specified '
        if shape is not None and not shape.is_compatible_with(found.get_shape()):
            raise ValueError(f'{trying}shape {shape} and found shape {found.get_shape()}.')
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(f'{trying}dtype {dtype.name} and found dtype {found.dtype.name}.')
        return found


def _exists(name, variable):
    message = (f'Variable {name} already exists, disallowed. Did you mean to set reuse=True or '
               'reuse=tf.AUTO_REUSE in VarScope?')
    if variable._is_resource:
        return message
    frames = variable.op.traceback[::-1][:5]
    return f'{message} Originally defined at:\n\n{"".join(traceback.format_list(frames))}\n'


def _add_regularization_loss(name, variable, regularizer):
    if regularizer(variable) is None:
        return
    with ops.colocate_with(variable.op), ops.name_scope(name + '/Regularizer/'):
        loss = regularizer(variable)
    ops.add_to_collection(ops.GraphKeys.REGULARIZATION_LOSSES, loss)


def _default_initializer(name, dtype):
    if dtype.is_floating:
        return init_ops.GlorotUniform()
    if dtype.is_integer or dtype.is_unsigned or dtype.is_bool or dtype == dtypes.string:
        return init_ops.Zeros()
    raise ValueError(f'An initializer for variable {name} of {dtype.base_dtype} is required')


def _without_arguments(initializer, shape, dtype, partition_info):
    """Returns an initializer as a callable without arguments, and the dtype of its result."""
    if inspect.isclass(initializer):
        initializer = initializer()
    if shape is not None and shape.is_fully_defined():
        known = {'dtype': dtype}
        if 'partition_info' in parameters(initializer)[0]:
            known['partition_info'] = partition_info
        return functools.partial(initializer, shape.as_list(), **known), dtype.base_dtype
    if _needs_no_arguments(initializer):
        return initializer, None
    raise ValueError('The initializer passed is not valid. It should be a callable with no '
                     'arguments and the shape should not be provided or an instance of '
                     "`tf.keras.initializers.*' and `shape` should be fully defined.")


def parameters(function):
    """Returns the names of a callable's parameters, and whether it accepts any keyword."""
    code = getattr(function, '__code__', None)
    if code is None and not isinstance(function, functools.partial):
        code = getattr(type(function).__call__, '__code__', None)
    if code is not None and not hasattr(function, '__wrapped__'):
        names = code.co_varnames[:code.co_argcount + code.co_kwonlyargcount]
        return names, bool(code.co_flags & inspect.CO_VARKEYWORDS)
    found = inspect.signature(function).parameters
    return tuple(found), any(p.kind is p.VAR_KEYWORD for p in found.values())


def _needs_no_arguments(function):
    needed = inspect.signature(function).parameters.values()
    return not any(p.default is p.empty and p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)
                   for p in needed)


def _call_partitioner(partitioner, shape, dtype):
    if not shape.is_fully_defined():
        raise ValueError('Shape of a new partitioned variable must be fully defined, but instead '
                         f'was {shape}.')
    if shape.ndims < 1:
        raise ValueError(f'A partitioned Variable must have rank at least 1, shape: {shape}')
    slicing = partitioner(shape=shape, dtype=dtype)
    if not isinstance(slicing, collections.abc.Sequence):
        raise ValueError(f'Partitioner must return a sequence, but saw: {slicing}')
    if len(slicing) != shape.ndims:
        raise ValueError("Partitioner returned a partition list that does not match the Variable's "
                         f'rank: {slicing} vs. {shape}')
    if any(p < 1 for p in slicing):
        raise ValueError(f'Partitioner returned zero partitions for some axes: {slicing}')
    if sum(p > 1 for p in slicing) > 1:
        raise ValueError(f'Can only slice a variable along one dimension: shape: {shape}, '
                         f'partitioning: {slicing}')
    return slicing


def _cut(partitions):
    for dim, count in enumerate(partitions):
        if count > 1:
            return dim, count
    return 0, 1


def _slices(full_shape, count, dim):
    """Returns the (offset, shape) of `count` parts along `dim`; the first ones are longer if needed."""
    shortest, longer = divmod(full_shape[dim], count)
    offset = [0] * len(full_shape)
    for i in range(count):
        shape = list(full_shape)
        shape[dim] = shortest + (i < longer)
        yield list(offset), shape
        offset[dim] += shape[dim]
