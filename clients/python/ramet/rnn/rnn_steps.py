"""Functions shared by all recurrent networks: checks of inputs, and single steps."""

from ramet.framework import constant_op, nest, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.control_flow.cond import cond
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.math import math_ops


def check_cell(cell):
    """Raises TypeError if an object is not a cell of a recurrent network."""
    missing = [name for name in ('output_size', 'state_size') if not hasattr(cell, name)]
    if not (hasattr(cell, 'zero_state') or hasattr(cell, 'get_initial_state')):
        missing.append('zero_state or get_initial_state')
    if not callable(cell):
        missing.append('__call__')
    if missing:
        raise TypeError(f"The argument 'cell' ({cell}) is not an RNNCell: it lacks "
                        f"{', '.join(missing)}.")


def joined_shape(prefix, suffix):
    """Returns prefix + suffix as a tensor: a batch size and the size of a state or output."""
    parts = []
    for part in (prefix, suffix):
        if isinstance(part, ops.Tensor):
            parts.append(array_ops.expand_dims(part, 0) if part.shape.ndims == 0 else part)
        else:
            sizes = tensor_shape.as_shape(part if isinstance(
                part, (list, tuple, tensor_shape.TensorShape)) else [part])
            if not sizes.is_fully_defined():
                raise ValueError(f'Provided a shape with unknown dimensions: {sizes}')
            parts.append(constant_op.constant(sizes.as_list(), dtype='int32'))
    return array_ops.concat(parts, 0)


def static_shape(prefix, suffix):
    """Returns prefix + suffix as a TensorShape, as far as it is known."""
    shape = tensor_shape.TensorShape([])
    for part in (prefix, suffix):
        if isinstance(part, ops.Tensor):
            known = tensor_util.constant_value(part)
            part = known.tolist() if known is not None else (
                [None] if part.shape.ndims == 0 else [None] * part.shape[0].value)
        if not isinstance(part, (list, tuple, tensor_shape.TensorShape)):
            part = [part]
        shape = shape.concatenate(tensor_shape.as_shape(part))
    return shape


def static_shape_with_nodes(prefix, suffix):
    """Like static_shape, but also adds TensorFlow's constants, which affect the names of later nodes."""
    for part in (prefix, suffix):
        if isinstance(part, ops.Tensor):
            continue
        sizes = tensor_shape.as_shape(part if isinstance(
            part, (list, tuple, tensor_shape.TensorShape)) else [part])
        if sizes.is_fully_defined():
            constant_op.constant(sizes.as_list(), dtype='int32')
    return static_shape(prefix, suffix)


def concat_shape(prefix, suffix, static=False):
    """Returns prefix + suffix: a list of known sizes (or None) if static, otherwise an int32 vector."""
    return static_shape(prefix, suffix).as_list() if static else joined_shape(prefix, suffix)


def zero_state_tensors(state_size, batch_size, dtype):
    """Returns zeros in the structure of the sizes of a state."""

    def zeros(size):
        result = array_ops.zeros(joined_shape(batch_size, size), dtype=dtype)
        result.set_shape(static_shape(batch_size, size))
        return result

    return nest.map_structure(zeros, state_size)


def zero_output(cell, batch_size, dtype):
    """Returns zeros in the structure of a cell's output, and its sizes as a flat list."""
    sizes = nest.flatten(cell.output_size)
    zeros = []
    for size in sizes:
        zero = array_ops.zeros(joined_shape(batch_size, size), dtype)
        zero.set_shape(static_shape(batch_size, size))
        zeros.append(zero)
    return zeros


def initial_state_of(cell, initial_state, batch_size, dtype):
    if initial_state is not None:
        return initial_state
    if not dtype:
        raise ValueError('If there is no initial_state, you must give a dtype.')
    if getattr(cell, 'get_initial_state', None) is not None:
        return cell.get_initial_state(inputs=None, batch_size=batch_size, dtype=dtype)
    return cell.zero_state(batch_size, dtype)


def transposed(tensor):
    """Transposes [batch, time, ...] to [time, batch, ...] or back. TensorArrays are returned unchanged."""
    if isinstance(tensor, TensorArray):
        return tensor
    tensor = ops.convert_to_tensor(tensor)
    if tensor.shape.ndims is not None and tensor.shape.ndims < 2:
        raise ValueError(f'Expected input tensor {tensor} to have rank at least 2, but saw shape: '
                         f'{tensor.shape}')
    rank = array_ops.rank(tensor)
    result = array_ops.transpose(
        tensor, array_ops.concat(([1, 0], math_ops.range(2, rank)), axis=0))
    if tensor.shape.ndims is not None:
        dims = tensor.shape.as_list()
        result.set_shape([dims[1], dims[0], *dims[2:]])
    return result


def batch_size_of(tensors):
    """Returns the second dimension of tensors [time, batch, ...], as a number if it is known."""
    for tensor in tensors:
        if tensor.shape.ndims is not None:
            if tensor.shape.ndims < 2:
                raise ValueError(f'Expected input tensor {tensor} to have rank at least 2')
            size = tensor_shape.dimension_value(tensor.shape[1])
            if size is not None:
                return size
    return array_ops.shape(tensors[0])[1]


def checked_lengths(lengths, batch_size):
    """Returns sequence_length, with a run-time check that there is one length per sequence."""
    if ops.executing_eagerly():
        return lengths
    expected = array_ops.stack([batch_size])
    shape = array_ops.shape(lengths)
    data = ['Expected shape for Tensor %s is ' % lengths.name, expected, ' but saw shape: ', shape]
    check = assertions.Assert(math_ops.reduce_all(math_ops.equal(shape, expected)), data)
    with ops.control_dependencies([check]):
        return array_ops.identity(lengths, name='CheckSeqLen')


def as_vector(lengths):
    if lengths.shape.ndims not in (None, 1):
        raise ValueError('sequence_length must be a vector of length batch_size, but saw shape: '
                         f'{lengths.shape}')
    return lengths


def select(finished, old, new):
    """Returns `old` for the sequences that have ended, and `new` for the others."""
    if isinstance(old, TensorArray) or new.shape.ndims == 0:
        return new
    with ops.colocate_with(new):
        return array_ops.where(finished, old, new)


def step_within_lengths(time, sequence_length, least, most, zeros, state, call_cell, state_size,
                        skip_conditionals=False):
    """Returns a step of a cell for which some sequences may have ended.

    Args:
      time: the step, a number or an int32 scalar.
      sequence_length: an int32 vector. `least` and `most` are its minimum and maximum, scalars.
      zeros: the outputs of sequences that have ended, as a flat list.
      state: the state before the step, a structure.
      call_cell: a function that returns the output and the new state.
      state_size: the state_size of the cell.
      skip_conditionals: whether to compute the cell even if all sequences have ended.

    Returns:
      The output and the new state.
    """
    flat_state = nest.flatten(state)
    finished = (time >= sequence_length)

    def selected(output, new_state):
        values = [select(finished, old, new) for old, new in zip(zeros, output, strict=True)]
        return values + [select(finished, old, new)
                         for old, new in zip(flat_state, new_state, strict=True)]

    if skip_conditionals:
        output, new_state = call_cell()
        nest.assert_same_structure(state, new_state)
        values = selected(nest.flatten(output), nest.flatten(new_state))
        structure = output
    else:
        made = {}

        def compute():
            made['output'], new_state = call_cell()
            nest.assert_same_structure(state, new_state)
            output, new_state = nest.flatten(made['output']), nest.flatten(new_state)
            return cond(time < least, lambda: output + new_state,
                        lambda: selected(output, new_state))

        values = cond(time >= most, lambda: list(zeros) + flat_state, compute)
        structure = made['output']
    count = len(zeros)
    for value, like in zip(values, list(zeros) + flat_state, strict=True):
        if isinstance(value, ops.Tensor):
            value.set_shape(like.shape)
    return (nest.pack_sequence_as(structure, values[:count]),
            nest.pack_sequence_as(state, values[count:]))
