"""Cells that combine or wrap other cells."""

import hashlib
import numbers

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow.tensor_array_ops import TensorArray
from ramet.ops.nn import nn_dropout
from ramet.ops.random import random_ops
from ramet.ops.variables import variable_scope as vs
from ramet.rnn import rnn_steps
from ramet.rnn.rnn_cell import LSTMStateTuple, RNNCell


@export('nn.rnn_cell.MultiRNNCell', 'contrib.rnn.MultiRNNCell')
class MultiRNNCell(RNNCell):
    """A stack of cells: the output of each is the input of the next.

    Args:
      cells: a list of RNNCells.
      state_is_tuple: whether the state is a tuple of the cells' states instead of one tensor.
    """

    def __init__(self, cells, state_is_tuple=True):
        super().__init__()
        if not cells:
            raise ValueError('Must specify at least one cell for MultiRNNCell.')
        if not nest.is_nested(cells):
            raise TypeError(f'cells must be a list or tuple, but saw: {cells}.')
        self._cells, self._state_is_tuple = cells, state_is_tuple
        if not state_is_tuple and any(nest.is_nested(c.state_size) for c in cells):
            raise ValueError('Some cells return tuples of states, but the flag state_is_tuple is '
                             f'not set.  State sizes are: {[c.state_size for c in cells]}')

    def _trackable_children(self):
        return {**super()._trackable_children(), **{f'cell-{i}': cell for i, cell in enumerate(self._cells)}}

    @property
    def state_size(self):
        sizes = tuple(cell.state_size for cell in self._cells)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._cells[-1].output_size

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            if self._state_is_tuple:
                return tuple(cell.zero_state(batch_size, dtype) for cell in self._cells)
            return super().zero_state(batch_size, dtype)

    @property
    def trainable_weights(self):
        return [w for cell in self._cells for w in cell.trainable_weights] if self.trainable else []

    @property
    def non_trainable_weights(self):
        weights = [w for cell in self._cells for w in cell.non_trainable_weights]
        return weights if self.trainable else [
            w for cell in self._cells for w in cell.trainable_weights] + weights

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state, in the structure of `state_size`.
        """
        at, new_states = 0, []
        for i, cell in enumerate(self._cells):
            with vs.variable_scope(f'cell_{i}'):
                if self._state_is_tuple:
                    own = state[i]
                else:
                    own = array_ops.slice(state, [0, at], [-1, cell.state_size])
                    at += cell.state_size
                inputs, new = cell(inputs, own)
                new_states.append(new)
        return inputs, (tuple(new_states) if self._state_is_tuple
                        else array_ops.concat(new_states, 1))


class _Wrapper(RNNCell):
    """A cell that wraps another one, without its own scope."""

    def __init__(self, cell):
        super().__init__()
        rnn_steps.check_cell(cell)
        self._cell = cell

    wrapped_cell = property(lambda self: self._cell)
    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)
    trainable_weights = property(lambda self: self._cell.trainable_weights)
    non_trainable_weights = property(lambda self: self._cell.non_trainable_weights)

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)

    def __call__(self, inputs, state, scope=None):
        keywords = {} if scope is None else {'scope': scope}
        return self._wrapped_call(inputs, state,
                                  lambda *values: self._cell(*values, **keywords))

    def call(self, inputs, state):
        return self._wrapped_call(inputs, state, self._cell)


@export('nn.rnn_cell.DropoutWrapper', 'contrib.rnn.DropoutWrapper')
class DropoutWrapper(_Wrapper):
    """Applies dropout to the inputs, states and outputs of a cell.

    Args:
      cell: an RNNCell.
      input_keep_prob, output_keep_prob, state_keep_prob: the probabilities of keeping each element:
        a number or a float scalar.
      variational_recurrent: whether every step drops the same elements. Requires dtype, and also
        input_size if inputs are dropped.
      input_size: the sizes of the inputs, without the batch.
      dtype: the DType of inputs, states and outputs.
      seed: the seed of the random numbers.
      dropout_state_filter_visitor: a function of a part of the state that returns whether (or, as a
        structure, which parts) to drop. By default everything but the memory of LSTMs is dropped.
    """

    def __init__(self, cell, input_keep_prob=1.0, output_keep_prob=1.0, state_keep_prob=1.0,
                 variational_recurrent=False, input_size=None, dtype=None, seed=None,
                 dropout_state_filter_visitor=None):
        super().__init__(cell)
        if dropout_state_filter_visitor is not None and not callable(dropout_state_filter_visitor):
            raise TypeError('dropout_state_filter_visitor must be callable')
        self._filter = dropout_state_filter_visitor or _all_but_memory
        self._keep_of = {'input': input_keep_prob, 'state': state_keep_prob,
                         'output': output_keep_prob}
        for kind, keep in self._keep_of.items():
            if isinstance(keep, numbers.Real) and not 0 < keep <= 1:
                raise ValueError(f'Parameter {kind}_keep_prob must be between 0 and 1: {keep}')
        self._seed, self._variational = seed, variational_recurrent
        if variational_recurrent:
            if dtype is None:
                raise ValueError('When variational_recurrent=True, dtype must be provided')
            self._make_noise(input_size, dtypes.as_dtype(dtype))

    def _drops(self, kind):
        keep = self._keep_of[kind]
        return not isinstance(keep, numbers.Real) or keep < 1

    def _make_noise(self, input_size, dtype):
        sizes = {'state': self._cell.state_size, 'output': self._cell.output_size}
        if self._drops('input'):
            if input_size is None:
                raise ValueError('When variational_recurrent=True and input_keep_prob < 1.0 or '
                                 'is unknown, input_size must be provided')
            sizes['input'] = input_size
        self._noise = {}
        for kind in sorted(sizes):
            noise = [random_ops.random_uniform(
                rnn_steps.joined_shape([1], size), seed=self._seed_of(kind, i), dtype=dtype)
                for i, size in enumerate(nest.flatten(sizes[kind]))]
            self._noise[kind] = noise

    def _seed_of(self, kind, index):
        if self._seed is None:
            return None
        salted = f'{self._seed}{kind}_{index}'.encode()
        return int(hashlib.md5(salted).hexdigest()[:8], 16) & 0x7FFFFFFF

    def _dropped(self, kind, values, kept=True):
        flat = nest.flatten(values)
        which = [kept] * len(flat) if isinstance(kept, bool) else nest.flatten(kept)
        results = [self._drop(kind, i, value) if drop else value
                   for i, (value, drop) in enumerate(zip(flat, which, strict=True))]
        return nest.pack_sequence_as(values, results)

    def _drop(self, kind, index, value):
        keep = self._keep_of[kind]
        if not self._variational:
            return nn_dropout.dropout(value, rate=1 - keep, seed=self._seed_of(kind, index))
        random = ops.convert_to_tensor(keep, dtype=value.dtype) + self._noise[kind][index]
        result = value / keep * gen.Floor(random)
        result.set_shape(value.shape)
        return result

    def _wrapped_call(self, inputs, state, cell):
        if self._drops('input'):
            inputs = self._dropped('input', inputs)
        output, new_state = cell(inputs, state)
        if self._drops('state'):
            new_state = self._dropped('state', new_state, _visited(self._filter, new_state))
        if self._drops('output'):
            output = self._dropped('output', output)
        return output, new_state


def _all_but_memory(part):
    if isinstance(part, LSTMStateTuple):
        return LSTMStateTuple(c=False, h=True)
    return not isinstance(part, TensorArray)


def _visited(visitor, state):
    """Returns whether to drop each tensor of the state, as a flat list."""
    found = visitor(state)
    if nest.is_nested(found):
        return nest.flatten(found)
    if not nest.is_nested(state):
        return [found]
    return [drop for part in state for drop in _visited(visitor, part)]


@export('nn.rnn_cell.ResidualWrapper', 'contrib.rnn.ResidualWrapper')
class ResidualWrapper(_Wrapper):
    """Adds the inputs of a cell to its outputs.

    Args:
      cell: an RNNCell.
      residual_fn: a function of inputs and outputs that returns the outputs, or None for their sum.
    """

    def __init__(self, cell, residual_fn=None):
        super().__init__(cell)
        self._residual_fn = residual_fn

    def _wrapped_call(self, inputs, state, cell):
        outputs, new_state = cell(inputs, state)
        combine = self._residual_fn or self._sum
        result = combine(inputs, outputs)
        nest.assert_same_structure(outputs, result)
        return result, new_state

    @staticmethod
    def _sum(inputs, outputs):
        nest.assert_same_structure(inputs, outputs)
        return nest.map_structure(lambda i, o: i + o, inputs, outputs)


@export('nn.rnn_cell.DeviceWrapper', 'contrib.rnn.DeviceWrapper')
class DeviceWrapper(_Wrapper):
    """Places the operations of a cell on a device.

    Args:
      cell: an RNNCell.
      device: the device, as for tf.device.
    """

    def __init__(self, cell, device):
        super().__init__(cell)
        self._device = device

    def zero_state(self, batch_size, dtype):
        with ops.device(self._device):
            return super().zero_state(batch_size, dtype)

    def _wrapped_call(self, inputs, state, cell):
        with ops.device(self._device):
            return cell(inputs, state)
