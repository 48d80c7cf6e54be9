"""The loop over the steps of a recurrent network, and functions on the elements of tensors."""

from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.keras.backend import tensors
from ramet.ops.array import array_ops
from ramet.ops.control_flow import functional_ops, while_loop
from ramet.ops.control_flow import map_fn as map_fn_lib
from ramet.ops.control_flow.tensor_array_ops import TensorArray


@export('keras.backend.rnn')
def rnn(step_function, inputs, initial_states, go_backwards=False, mask=None, constants=None, unroll=False,
        input_length=None, time_major=False, zero_output_for_mask=False):
    """Runs a function over the steps of sequences.

    Args:
      step_function: a function (inputs of a step, states + constants) -> (output, new states).
      inputs: a Tensor of shape [batch, time, ...], or a structure of them.
      initial_states: a list of Tensors.
      go_backwards: whether to start with the last step.
      mask: a boolean Tensor of shape [batch, time], or None. A masked step keeps the states and repeats the last
        output.
      constants: a list of Tensors for every step.
      unroll: whether to build a copy of the function for each step instead of a loop.
      input_length: the number of steps, or None for that of the inputs.
      time_major: whether time is the first axis of inputs, mask and outputs.
      zero_output_for_mask: whether masked steps output zeros.

    Returns:
      A tuple: the last output, the outputs with a time axis, and a list of the last states.

    Raises:
      ValueError: if unrolling is requested and the number of steps is not known.
    """
    loop = _Loop(step_function, list(constants or []), zero_output_for_mask)
    if not time_major:
        inputs = nest.map_structure(_swapped, inputs)
    flat = nest.flatten(inputs)
    if mask is not None:
        mask = _time_major_mask(mask, time_major)
    steps = flat[0].shape.as_list()[0]
    if unroll and not steps:
        raise ValueError('Unrolling requires a fixed number of timesteps.')
    if go_backwards:
        inputs = nest.map_structure(lambda x: tensors.reverse(x, 0), inputs)
        mask = None if mask is None else tensors.reverse(mask, 0)
    if unroll:
        outputs, states = loop.unrolled(inputs, initial_states, mask, steps)
    else:
        count = array_ops.shape(flat[0])[0] if input_length is None else input_length
        outputs, states = loop.looped(inputs, initial_states, mask, count)
    last = nest.map_structure(lambda x: x[-1], outputs)
    outputs = nest.map_structure(lambda x: _with_steps(x, steps, flat[0].shape), outputs)
    if not time_major:
        outputs = nest.map_structure(_swapped, outputs)
    return last, outputs, states


def _swapped(x):
    """Exchanges batch and time."""
    return array_ops.transpose(x, [1, 0, *range(2, x.shape.ndims)])


def _time_major_mask(mask, time_major):
    if mask.dtype.base_dtype != dtypes.bool:
        mask = tensors.cast(mask, dtypes.bool)
    if mask.shape.ndims == 2:
        mask = array_ops.expand_dims(mask, -1)
    return mask if time_major else _swapped(mask)


def _with_steps(output, steps, input_shape):
    shape = output.shape.as_list()
    shape[0] = steps
    if len(shape) > 1 and shape[1] is None:
        shape[1] = input_shape.as_list()[1]
    output.set_shape(shape)
    return output


def _selected(mask, first, second):
    """Chooses rows of two structures by a mask of shape [batch, 1]."""

    def choose(a, b):
        rank = a.shape.ndims
        spread = array_ops.reshape(mask, array_ops.concat([array_ops.shape(mask)[:1], [1] * (rank - 1)], 0))
        spread = array_ops.tile(spread, array_ops.concat([[1], array_ops.shape(a)[1:]], 0))
        chosen = array_ops.where(spread, a, b)
        chosen.set_shape(a.shape)
        return chosen

    return nest.map_structure(choose, first, second)


class _Loop:
    """The steps of a recurrent network."""

    def __init__(self, step_function, constants, zero_output_for_mask):
        self._step_function = step_function
        self._constants = constants
        self._zero = zero_output_for_mask

    def _step(self, inputs, states, mask, last):
        """Runs one step; returns the output and the states. `last` is the last output, or None."""
        output, new_states = self._step_function(inputs, [*states, *self._constants])
        if mask is None:
            return output, list(new_states)
        if last is None or self._zero:
            last = nest.map_structure(array_ops.zeros_like, output)
        flat = nest.flatten(list(new_states))
        kept = [_selected(mask, new, old) for new, old in zip(flat, nest.flatten(list(states)))]
        return _selected(mask, output, last), nest.pack_sequence_as(list(states), kept)

    def unrolled(self, inputs, states, mask, steps):
        parts = [array_ops.unstack(x, steps) for x in nest.flatten(inputs)]
        masks = [None] * steps if mask is None else array_ops.unstack(mask, steps)
        outputs, last = [], None
        for index in range(steps):
            now = nest.pack_sequence_as(inputs, [part[index] for part in parts])
            last, states = self._step(now, states, masks[index], last)
            outputs.append(last)
        return nest.map_structure(lambda *x: array_ops.stack(list(x)), *outputs), list(states)

    def looped(self, inputs, states, mask, count):
        first = nest.map_structure(lambda x: x[0], inputs)
        example, _ = self._step_function(first, [*states, *self._constants])
        flat_example = nest.flatten(example)
        arrays = [_array_of(x, count) for x in nest.flatten(inputs)]
        masks = None if mask is None else _array_of(mask, count)
        outputs = [TensorArray(x.dtype, size=count, element_shape=x.shape) for x in flat_example]
        zeros = [array_ops.zeros_like(x) for x in flat_example] if mask is not None else []

        def body(index, outputs, states, last):
            now = nest.pack_sequence_as(inputs, [array.read(index) for array in arrays])
            output, new = self._step(now, states, None if masks is None else masks.read(index),
                                     nest.pack_sequence_as(example, last) if last else None)
            flat = nest.flatten(output)
            written = [array.write(index, x) for array, x in zip(outputs, flat)]
            for old, state in zip(nest.flatten(states), nest.flatten(new)):
                if hasattr(state, 'set_shape'):
                    state.set_shape(old.shape)
            return index + 1, written, new, flat if last else []

        states = nest.map_structure(ops.convert_to_tensor, list(states))
        _, outputs, states, _ = while_loop.while_loop(
            lambda index, *unused: index < count, body,
            (ops.convert_to_tensor(0, name='time'), outputs, states, zeros),
            parallel_iterations=32, maximum_iterations=count, return_same_structure=True)
        return nest.pack_sequence_as(example, [array.stack() for array in outputs]), list(states)


def _array_of(x, count):
    """Returns a TensorArray with the slices of a tensor."""
    return TensorArray(x.dtype, size=count, element_shape=x.shape[1:]).unstack(x)


@export('keras.backend.map_fn')
def map_fn(fn, elems, name=None, dtype=None):
    """Applies a function to the slices of tensors along their first axis.

    Args:
      fn: a function of a slice.
      elems: a Tensor, or a structure of them.
      name: the name of the scope.
      dtype: the type of the results, or None for that of `elems`.
    """
    return map_fn_lib.map_fn(fn, elems, name=name, dtype=dtype)


@export('keras.backend.foldl')
def foldl(fn, elems, initializer=None, name=None):
    """Combines the slices of tensors along their first axis, from first to last.

    Args:
      fn: a function of the combined value so far and the next slice.
      elems: a Tensor.
      initializer: the initial value, or None for the first slice.
      name: the name of the scope.
    """
    return functional_ops.foldl(fn, elems, initializer=initializer, name=name)


@export('keras.backend.foldr')
def foldr(fn, elems, initializer=None, name=None):
    """Combines the slices of tensors along their first axis, from last to first; see foldl.

    Args:
      fn: a function of the combined value so far and the next slice.
      elems: a Tensor.
      initializer: the initial value, or None for the last slice.
      name: the name of the scope.
    """
    return functional_ops.foldr(fn, elems, initializer=initializer, name=name)
