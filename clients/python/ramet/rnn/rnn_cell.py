"""Cells of recurrent networks, which compute one step of the loops in tf.nn."""

import collections

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, dtypes, nest, ops, tensor_shape
from ramet.keras import activations, initializers
from ramet.keras.engine.input_spec import InputSpec
from ramet.layers import base
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.variables import partitioned_variables
from ramet.ops.variables import variable_scope as vs
from ramet.rnn import rnn_steps


@export('nn.rnn_cell.LSTMStateTuple', 'contrib.rnn.LSTMStateTuple')
class LSTMStateTuple(collections.namedtuple('LSTMStateTuple', ('c', 'h'))):
    """The state of LSTM cells: `c`, the memory, and `h`, the last output."""

    __slots__ = ()

    @property
    def dtype(self):
        """The common DType of c and h.

        Raises:
          TypeError: if their DTypes differ.
        """
        if self.c.dtype != self.h.dtype:
            raise TypeError('Inconsistent internal state: '
                            f'{self.c.dtype} vs {self.h.dtype}')
        return self.c.dtype


@export('nn.rnn_cell.RNNCell', 'contrib.rnn.RNNCell')
class RNNCell(base.Layer):
    """A layer that takes an input and a state, and returns an output and the next state.

    A subclass overrides `call(inputs, state)` and the properties `state_size` and `output_size`.
    tf.get_variable in call() creates the cell's variables.
    """

    _rnn_scope = None

    @property
    def state_size(self):
        """The sizes of the state: a number, a TensorShape, or a structure of these."""
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self):
        """The sizes of the output."""
        raise NotImplementedError('Abstract method')

    def __call__(self, inputs, state, scope=None):
        """Computes one step.

        Args:
          inputs: a tensor [batch, ...].
          state: a structure of tensors [batch, size] that matches state_size.
          scope: a VariableScope, or the name of one, that replaces the cell's own.

        Returns:
          The output and the new state.
        """
        if scope is not None:
            with vs.variable_scope(scope, custom_getter=self._tracked) as opened:
                return super().__call__(inputs, state, scope=opened)
        if self._rnn_scope is None:
            self._rnn_scope = vs.variable_scope(vs.get_variable_scope(),
                                                custom_getter=self._tracked)
        with self._rnn_scope:
            return super().__call__(inputs, state)

    def _tracked(self, getter, *args, **kwargs):
        variable = getter(*args, **kwargs)
        self._keep(variable, variable in ops.get_collection(ops.GraphKeys.TRAINABLE_VARIABLES))
        return variable

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Returns the zero state.

        Args:
          inputs: a Tensor whose first dimension is the batch, or None.
          batch_size: the size of the batch. Defaults to that of the inputs.
          dtype: the DType of the state. Defaults to that of the inputs.
        """
        if inputs is not None:
            inputs = ops.convert_to_tensor(inputs, name='inputs')
            batch_size = array_ops.shape(inputs)[0] if batch_size is None else batch_size
            dtype = inputs.dtype if dtype is None else dtype
        if batch_size is None or dtype is None:
            raise ValueError('batch_size and dtype cannot be None while constructing initial '
                             f'state: batch_size={batch_size}, dtype={dtype}')
        return self.zero_state(batch_size, dtype)

    def zero_state(self, batch_size, dtype):
        """Returns a state of zeros.

        Args:
          batch_size: a number or an int32 scalar.
          dtype: its DType.
        """
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return nest.map_structure(lambda size: self._zeros(batch_size, size, dtype),
                                      self.state_size)

    @staticmethod
    def _zeros(batch_size, size, dtype):
        zeros = array_ops.zeros(rnn_steps.joined_shape(batch_size, size), dtype=dtype)
        zeros.set_shape(rnn_steps.static_shape_with_nodes(batch_size, size))
        return zeros


class LayerCell(RNNCell):
    """A cell that creates its variables in build()."""

    def __init__(self, num_units, activation, reuse, name, dtype, **kwargs):
        super().__init__(_reuse=reuse, name=name, dtype=dtype, **kwargs)
        self.input_spec = InputSpec(ndim=2)
        self._num_units = num_units
        self._activation = activations.get(activation) if activation else math_ops.tanh

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        return base.Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)

    def _depth(self, input_shape):
        depth = tensor_shape.dimension_value(tensor_shape.as_shape(input_shape)[-1])
        if depth is None:
            raise ValueError('Expected inputs.shape[-1] to be known, saw shape: '
                             f'{input_shape}')
        if self.dtype is not None and not dtypes.as_dtype(self.dtype).is_floating:
            raise ValueError('RNN cell only supports floating point inputs, but saw dtype: '
                             f'{self.dtype}')
        return depth

    def _linear(self, inputs, state, kernel, bias):
        product = math_ops.matmul(array_ops.concat([inputs, state], 1), kernel)
        return gen.BiasAdd(product, bias)


@export('nn.rnn_cell.BasicRNNCell', 'contrib.rnn.BasicRNNCell')
@with_args_of(base.Layer)
class BasicRNNCell(LayerCell):
    """Computes output = new state = activation(W * input + U * state + b).

    Args:
      num_units: the size of state and output.
      activation: a function, or None for tanh.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        depth = self._depth(input_shape)
        self._kernel = self.add_variable('kernel', [depth + self._num_units, self._num_units])
        self._bias = self.add_variable('bias', [self._num_units],
                                       initializer=init_ops.zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state, in the structure of `state_size`.
        """
        output = self._activation(self._linear(inputs, state, self._kernel, self._bias))
        return output, output


@export('nn.rnn_cell.GRUCell', 'contrib.rnn.GRUCell')
@with_args_of(base.Layer)
class GRUCell(LayerCell):
    """Gated recurrent unit (arXiv 1406.1078).

    Args:
      num_units: the size of state and output.
      activation: a function, or None for tanh.
      reuse: whether to reuse existing variables.
      kernel_initializer: the initializer of the matrices.
      bias_initializer: the initializer of the biases. Defaults to 1 for the gates and 0 for the
        candidate.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.
    """

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._kernel_initializer = initializers.get(kernel_initializer)
        self._bias_initializer = initializers.get(bias_initializer)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        units = self._num_units
        rows = self._depth(input_shape) + units
        self._gate_kernel = self.add_variable('gates/kernel', [rows, 2 * units],
                                              initializer=self._kernel_initializer)
        self._gate_bias = self.add_variable(
            'gates/bias', [2 * units],
            initializer=self._bias_initializer or init_ops.constant_initializer(1.0))
        self._candidate_kernel = self.add_variable('candidate/kernel', [rows, units],
                                                   initializer=self._kernel_initializer)
        self._candidate_bias = self.add_variable(
            'candidate/bias', [units],
            initializer=self._bias_initializer or init_ops.zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state, in the structure of `state_size`.
        """
        gates = math_ops.sigmoid(self._linear(inputs, state, self._gate_kernel, self._gate_bias))
        reset, update = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        candidate = self._activation(self._linear(inputs, reset * state, self._candidate_kernel,
                                                  self._candidate_bias))
        new = update * state + (1 - update) * candidate
        return new, new


@export('nn.rnn_cell.BasicLSTMCell', 'contrib.rnn.BasicLSTMCell')
@with_args_of(base.Layer)
class BasicLSTMCell(LayerCell):
    """Long short-term memory without peepholes, clipping or projection (arXiv 1409.2329).

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      state_is_tuple: whether the state is an LSTMStateTuple instead of one tensor with c and h.
      activation: a function, or None for tanh.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.
    """

    def __init__(self, num_units, forget_bias=1.0, state_is_tuple=True, activation=None,
                 reuse=None, name=None, dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    @property
    def state_size(self):
        units = self._num_units
        return LSTMStateTuple(units, units) if self._state_is_tuple else 2 * units

    output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        units = self._num_units
        self._kernel = self.add_variable('kernel', [self._depth(input_shape) + units, 4 * units])
        self._bias = self.add_variable('bias', [4 * units],
                                       initializer=init_ops.zeros_initializer())
        self.built = True

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state, in the structure of `state_size`.
        """
        one = constant_op.constant(1, dtype=dtypes.int32)
        if self._state_is_tuple:
            c, h = state
        else:
            c, h = array_ops.split(value=state, num_or_size_splits=2, axis=one)
        gates = self._linear(inputs, h, self._kernel, self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=one)
        bias = constant_op.constant(self._forget_bias, dtype=f.dtype)
        kept = math_ops.multiply(c, math_ops.sigmoid(math_ops.add(f, bias)))
        new_c = math_ops.add(kept, math_ops.multiply(math_ops.sigmoid(i), self._activation(j)))
        new_h = math_ops.multiply(self._activation(new_c), math_ops.sigmoid(o))
        if self._state_is_tuple:
            return new_h, LSTMStateTuple(new_c, new_h)
        return new_h, array_ops.concat([new_c, new_h], 1)


@export('nn.rnn_cell.LSTMCell', 'contrib.rnn.LSTMCell')
@with_args_of(base.Layer)
class LSTMCell(LayerCell):
    """Long short-term memory with optional peepholes, clipping and projection.

    Args:
      num_units: the size of the memory.
      use_peepholes: whether the gates see the memory.
      cell_clip: the memory is clipped to [-cell_clip, cell_clip].
      initializer: the initializer of the matrices.
      num_proj: the size of the output if it is a projection.
      proj_clip: with num_proj, the output is clipped to [-proj_clip, proj_clip].
      num_unit_shards, num_proj_shards: the number of parts of the variables.
      forget_bias: added to the forget gate.
      state_is_tuple: whether the state is an LSTMStateTuple instead of one tensor with c and h.
      activation: a function, or None for tanh.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.
    """

    def __init__(self, num_units, use_peepholes=False, cell_clip=None, initializer=None,
                 num_proj=None, proj_clip=None, num_unit_shards=None, num_proj_shards=None,
                 forget_bias=1.0, state_is_tuple=True, activation=None, reuse=None, name=None,
                 dtype=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, dtype, **kwargs)
        self._use_peepholes, self._cell_clip = use_peepholes, cell_clip
        self._initializer = initializers.get(initializer)
        self._num_proj, self._proj_clip = num_proj, proj_clip
        self._unit_shards, self._proj_shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._state_is_tuple = forget_bias, state_is_tuple

    @property
    def state_size(self):
        sizes = LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    @property
    def output_size(self):
        return self._num_proj or self._num_units

    @staticmethod
    def _partitioner(shards):
        return partitioned_variables.fixed_size_partitioner(shards) if shards else None

    def build(self, input_shape):
        units = self._num_units
        rows = self._depth(input_shape) + self.output_size
        self._kernel = self.add_variable('kernel', [rows, 4 * units], initializer=self._initializer,
                                         partitioner=self._partitioner(self._unit_shards))
        self._bias = self.add_variable('bias', [4 * units],
                                       initializer=init_ops.zeros_initializer())
        if self._use_peepholes:
            self._w_f_diag, self._w_i_diag, self._w_o_diag = (
                self.add_variable(f'w_{gate}_diag', [units], initializer=self._initializer)
                for gate in 'fio')
        if self._num_proj is not None:
            self._proj_kernel = self.add_variable(
                'projection/kernel', [units, self._num_proj], initializer=self._initializer,
                partitioner=self._partitioner(self._proj_shards))
        self.built = True

    def _split_state(self, state):
        if self._state_is_tuple:
            return state
        return (array_ops.slice(state, [0, 0], [-1, self._num_units]),
                array_ops.slice(state, [0, self._num_units], [-1, self.output_size]))

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state, in the structure of `state_size`.
        """
        c, m = self._split_state(state)
        gates = self._linear(inputs, m, self._kernel, self._bias)
        i, j, f, o = array_ops.split(value=gates, num_or_size_splits=4, axis=1)
        sigmoid = math_ops.sigmoid
        if self._use_peepholes:
            c = (sigmoid(f + self._forget_bias + self._w_f_diag * c) * c
                 + sigmoid(i + self._w_i_diag * c) * self._activation(j))
        else:
            c = sigmoid(f + self._forget_bias) * c + sigmoid(i) * self._activation(j)
        if self._cell_clip is not None:
            c = clip_ops.clip_by_value(c, -self._cell_clip, self._cell_clip)
        if self._use_peepholes:
            m = sigmoid(o + self._w_o_diag * c) * self._activation(c)
        else:
            m = sigmoid(o) * self._activation(c)
        if self._num_proj is not None:
            m = math_ops.matmul(m, self._proj_kernel)
            if self._proj_clip is not None:
                m = clip_ops.clip_by_value(m, -self._proj_clip, self._proj_clip)
        return m, LSTMStateTuple(c, m) if self._state_is_tuple else array_ops.concat([c, m], 1)
