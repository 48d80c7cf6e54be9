"""Cells that create their variables in build(), and cells whose units only see their own state."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.layers import base
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.rnn import rnn_cell
from ramet.rnn.rnn_cell import LayerCell


@export('contrib.rnn.LayerRNNCell')
class LayerRNNCell(rnn_cell.RNNCell):
    """The base class of cells that override build(), in which add_variable creates their variables."""

    def __call__(self, inputs, state, scope=None, *args, **kwargs):
        """Computes one step.

        Args:
          inputs: a tensor [batch, depth].
          state: a structure of tensors [batch, size] that matches state_size.
          scope: a VariableScope that replaces the cell's own, or None.
          *args: further arguments of call().
          **kwargs: further arguments of call().

        Returns:
          The output and the new state.
        """
        return base.Layer.__call__(self, inputs, state, *args, scope=scope, **kwargs)


class _UnitsCell(LayerCell):
    """A cell whose kernel of the state is a vector: each unit only sees its own state."""

    def __init__(self, num_units, activation, reuse, name, dtype):
        super().__init__(num_units, activation, reuse, name, dtype)

    def _add_kernels(self, input_shape, prefix, parts, initializer=None, bias_initializer=None):
        """Creates the variables of `parts` linear maps: kernels of inputs and states, and biases."""
        size = parts * self._num_units
        return (self.add_variable(prefix + 'kernel_w', [self._depth(input_shape), size],
                                  initializer=initializer),
                self.add_variable(prefix + 'kernel_u', [1, size],
                                  initializer=initializer
                                  or init_ops.RandomUniform(-1, 1, dtype=self.dtype)),
                self.add_variable(prefix + 'bias', [size],
                                  initializer=bias_initializer or init_ops.Zeros()))

    @staticmethod
    def _apply(variables, inputs, state, parts):
        w, u, bias = variables
        repeated = gen.Tile(state, [1, parts]) if parts > 1 else state
        return nn_activation.bias_add(math_ops.matmul(inputs, w) + repeated * u, bias)


_STEP = """Returns the output and the new state.

Args:
  inputs: a Tensor [batch, depth].
  state: the state, in the structure of `state_size`.
"""


def describe_steps(cls):
    """Gives the method call() of a class the usual docstring if it has none."""
    if cls.call.__doc__ is None:
        cls.call.__doc__ = _STEP
    return cls


@export('contrib.rnn.IndRNNCell')
@with_args_of(base.Layer)
@describe_steps
class IndRNNCell(_UnitsCell):
    """Independently recurrent cell (arXiv 1803.04831): activation(W * input + u * state + b).

    Args:
      num_units: the size of state and output.
      activation: a function, or None for tanh.
      reuse: whether to reuse existing variables.
      name: the name of the layer.
      dtype: the DType of the variables. Defaults to that of the inputs.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, dtype=None):
        super().__init__(num_units, activation, reuse, name, dtype)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        self._maps = self._add_kernels(inputs_shape, '', 1)
        self.built = True

    def call(self, inputs, state):
        output = self._activation(self._apply(self._maps, inputs, state, 1))
        return output, output


@export('contrib.rnn.IndyGRUCell')
@with_args_of(IndRNNCell)
@describe_steps
class IndyGRUCell(_UnitsCell):
    """A GRU whose units only see their own state.

    Args:
      kernel_initializer: the initializer of the kernels. Defaults to that of the scope for inputs,
        and to uniform numbers from -1 to 1 for states.
      bias_initializer: the initializer of the biases. Defaults to 1 for the gates and 0 for the
        candidate.
    """

    def __init__(self, num_units, activation=None, reuse=None, kernel_initializer=None,
                 bias_initializer=None, name=None, dtype=None):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._initializers = kernel_initializer, bias_initializer

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        kernel, bias = self._initializers
        self._gates = self._add_kernels(inputs_shape, 'gates/', 2, kernel,
                                        bias or init_ops.Constant(1.0))
        self._candidate = self._add_kernels(inputs_shape, 'candidate/', 1, kernel, bias)
        self.built = True

    def call(self, inputs, state):
        gates = math_ops.sigmoid(self._apply(self._gates, inputs, state, 2))
        r, u = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        c = self._activation(self._apply(self._candidate, inputs, r * state, 1))
        new = u * state + (1 - u) * c
        return new, new


@export('contrib.rnn.IndyLSTMCell')
@with_args_of(IndyGRUCell, IndRNNCell)
@describe_steps
class IndyLSTMCell(_UnitsCell):
    """An LSTM whose units only see their own state (arXiv 1903.08023).

    Args:
      forget_bias: added to the forget gate.
      bias_initializer: the initializer of the biases. Defaults to 0.
    """

    def __init__(self, num_units, forget_bias=1.0, activation=None, reuse=None,
                 kernel_initializer=None, bias_initializer=None, name=None, dtype=None):
        super().__init__(num_units, activation, reuse, name, dtype)
        self._forget_bias = forget_bias
        self._initializers = kernel_initializer, bias_initializer

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units,
                                                                     self._num_units))
    output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        self._maps = self._add_kernels(inputs_shape, '', 4, *self._initializers)
        self.built = True

    def call(self, inputs, state):
        c, h = state
        i, j, f, o = array_ops.split(value=self._apply(self._maps, inputs, h, 4), num_or_size_splits=4,
                              axis=1)
        new_c = c * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * self._activation(j)
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, rnn_cell.LSTMStateTuple(new_c, new_h)


@export('contrib.rnn.SRUCell')
@with_args_of(IndRNNCell)
@describe_steps
class SRUCell(LayerCell):
    """Simple recurrent unit (arXiv 1709.02755).

    Args:
      **kwargs: further arguments of the layer, such as dtype.
    """

    def __init__(self, num_units, activation=None, reuse=None, name=None, **kwargs):
        super().__init__(num_units, activation, reuse, name, kwargs.pop('dtype', None), **kwargs)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        units = self._num_units
        self._kernel = self.add_variable('kernel', [self._depth(inputs_shape), 4 * units])
        self._bias = self.add_variable('bias', [2 * units], initializer=init_ops.Zeros())
        self.built = True

    def call(self, inputs, state):
        products = math_ops.matmul(inputs, self._kernel)
        x_bar, f, r, x = array_ops.split(value=products, num_or_size_splits=4, axis=1)
        gates = math_ops.sigmoid(nn_activation.bias_add(array_ops.concat([f, r], 1), self._bias))
        f, r = array_ops.split(value=gates, num_or_size_splits=2, axis=1)
        c = f * state + (1.0 - f) * x_bar
        return r * self._activation(c) + (1.0 - r) * x, c


@export('contrib.rnn.NASCell')
@with_args_of(IndRNNCell)
@describe_steps
class NASCell(LayerCell):
    """The cell that neural architecture search found (arXiv 1611.01578).

    Args:
      num_units: the size of the memory.
      num_proj: the size of the output if it is a projection.
      use_bias: whether to add a bias.
      **kwargs: further arguments of the layer, such as dtype.
    """

    def __init__(self, num_units, num_proj=None, use_bias=False, reuse=None, **kwargs):
        super().__init__(num_units, None, reuse, kwargs.pop('name', None),
                         kwargs.pop('dtype', None), **kwargs)
        self._num_proj, self._use_bias = num_proj, use_bias

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units,
                                                                     self.output_size))
    output_size = property(lambda self: self._num_proj or self._num_units)

    def build(self, inputs_shape):
        """Creates the variables.

        Args:
          inputs_shape: the TensorShape of the inputs.
        """
        size = 8 * self._num_units
        self._recurrent_kernel = self.add_variable('recurrent_kernel', [self.output_size, size])
        self._kernel = self.add_variable('kernel', [self._depth(inputs_shape), size])
        if self._use_bias:
            self._bias = self.add_variable('bias', [size], initializer=init_ops.Zeros())
        if self._num_proj is not None:
            self._projection = self.add_variable('projection_weights',
                                                 [self._num_units, self._num_proj])
        self.built = True

    def call(self, inputs, state):
        c, m = state
        products = math_ops.matmul(m, self._recurrent_kernel)
        if self._use_bias:
            products = nn_activation.bias_add(products, self._bias)
        a = array_ops.split(axis=1, num_or_size_splits=8, value=math_ops.matmul(inputs, self._kernel))
        b = array_ops.split(axis=1, num_or_size_splits=8, value=products)
        first = [math_ops.sigmoid(a[0] + b[0]), gen.Relu(a[1] + b[1]), math_ops.sigmoid(a[2] + b[2]),
                 gen.Relu(a[3] * b[3]), math_ops.tanh(a[4] + b[4]), math_ops.sigmoid(a[5] + b[5]),
                 math_ops.tanh(a[6] + b[6]), math_ops.sigmoid(a[7] + b[7])]
        second = [math_ops.tanh(first[0] * first[1]), math_ops.tanh(first[2] + first[3]),
                  math_ops.tanh(first[4] * first[5]), math_ops.sigmoid(first[6] + first[7])]
        new_c = math_ops.tanh(second[0] + c) * second[1]
        new_m = math_ops.tanh(new_c * math_ops.tanh(second[2] + second[3]))
        if self._num_proj is not None:
            new_m = math_ops.matmul(new_m, self._projection)
        return new_m, rnn_cell.LSTMStateTuple(new_c, new_m)
