"""Cells with gates of different kinds: update gates, intersections, groups and phases."""

import math

from ramet import gen
from ramet.api import export
from ramet.contrib.rnn.layer_cell import describe_steps
from ramet.contrib.rnn.linear import linear
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation
from ramet.ops.random import random_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell


@export('contrib.rnn.UGRNNCell')
@describe_steps
class UGRNNCell(rnn_cell.RNNCell):
    """Update gate RNN (arXiv 1611.09913).

    Args:
      num_units: the size of state and output.
      initializer: the initializer of the matrices.
      forget_bias: added to the gate.
      activation: a function.
      reuse: whether to reuse existing variables.
    """

    def __init__(self, num_units, initializer=None, forget_bias=1.0, activation=math_ops.tanh,
                 reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer = num_units, initializer
        self._forget_bias, self._activation = forget_bias, activation

    state_size = output_size = property(lambda self: self._num_units)

    def call(self, inputs, state):
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), initializer=self._initializer):
            products = linear(array_ops.concat([inputs, state], 1), 2 * self._num_units, True)
        gate, candidate = array_ops.split(axis=1, num_or_size_splits=2, value=products)
        gate = math_ops.sigmoid(gate + self._forget_bias)
        new = gate * state + (1.0 - gate) * self._activation(candidate)
        return new, new


@export('contrib.rnn.IntersectionRNNCell')
@with_args_of(UGRNNCell)
@describe_steps
class IntersectionRNNCell(rnn_cell.RNNCell):
    """Intersection RNN, with gates for depth and for time (arXiv 1611.09913).

    Args:
      num_in_proj: the size that inputs are projected to if it is not num_units.
      forget_bias: added to the gates.
      y_activation: a function of the candidate for the output.

    Raises:
      ValueError: if the inputs do not have num_units columns, when the cell is called.
    """

    def __init__(self, num_units, num_in_proj=None, initializer=None, forget_bias=1.0,
                 y_activation=gen.Relu, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._num_in_proj = num_units, num_in_proj
        self._initializer, self._forget_bias = initializer, forget_bias
        self._y_activation = y_activation

    state_size = output_size = property(lambda self: self._num_units)

    def call(self, inputs, state):
        units, size = self._num_units, tensor_shape.dimension_value(inputs.get_shape()[1])
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), initializer=self._initializer):
            if size != units:
                if not self._num_in_proj:
                    raise ValueError('Must have input size == output size for Intersection RNN. '
                                     'To fix, num_in_proj should be set to num_units at cell init.')
                with variable_scope.variable_scope('in_projection'):
                    inputs = linear(inputs, self._num_in_proj, True)
            products = linear(array_ops.concat([inputs, state], 1), 4 * units, True)
        gh, h, gy, y = array_ops.split(axis=1, num_or_size_splits=4, value=products)
        gh, gy = math_ops.sigmoid(gh + self._forget_bias), math_ops.sigmoid(gy + self._forget_bias)
        new_state = gh * state + (1.0 - gh) * math_ops.tanh(h)
        return gy * inputs + (1.0 - gy) * self._y_activation(y), new_state


@export('contrib.rnn.GLSTMCell')
@with_args_of(UGRNNCell)
@describe_steps
class GLSTMCell(rnn_cell.RNNCell):
    """An LSTM whose units are in independent groups (arXiv 1703.10722).

    Args:
      num_units: the size of the memory.
      num_proj: the size of the output if it is a projection.
      number_of_groups: the number of groups, which must divide all sizes.
      forget_bias: added to the forget gate.

    Raises:
      ValueError: if the number of groups does not divide a size.
    """

    def __init__(self, num_units, initializer=None, num_proj=None, number_of_groups=1,
                 forget_bias=1.0, activation=math_ops.tanh, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._initializer, self._num_proj = num_units, initializer, num_proj
        self._forget_bias, self._activation = forget_bias, activation
        self._groups = number_of_groups
        if num_units % number_of_groups or (num_proj or 0) % number_of_groups:
            raise ValueError(f'number_of_groups ({number_of_groups}) must divide num_units '
                             f'({num_units}) and num_proj ({num_proj}).')

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units, self.output_size))
    output_size = property(lambda self: self._num_proj or self._num_units)

    def _part(self, tensor, group):
        size = tensor_shape.dimension_value(tensor.get_shape()[1])
        if size % self._groups:
            raise ValueError(f'number_of_groups ({self._groups}) must divide the size of the '
                             f'inputs ({size}).')
        size //= self._groups
        return array_ops.slice(tensor, begin=[0, group * size], size=[-1, size])

    def call(self, inputs, state):
        c, m = state
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), initializer=self._initializer):
            parts = []
            for group in range(self._groups):
                with variable_scope.variable_scope(f'group{group}'):
                    joined = array_ops.concat([self._part(inputs, group), self._part(m, group)], axis=1)
                    products = linear(joined, 4 * self._num_units // self._groups, False)
                    parts.append(array_ops.split(products, 4, 1))
            i, j, f, o = (
                nn_activation.bias_add(array_ops.concat(gate, axis=1), variable_scope.get_variable(
                    name=f'bias_{name}', shape=[self._num_units], dtype=inputs.dtype,
                    initializer=init_ops.Zeros()))
                for name, gate in zip('ijfo', zip(*parts, strict=True), strict=True))
        new_c = math_ops.sigmoid(f + self._forget_bias) * c + math_ops.sigmoid(i) * math_ops.tanh(j)
        new_m = math_ops.sigmoid(o) * self._activation(new_c)
        if self._num_proj is not None:
            with variable_scope.variable_scope('projection'):
                new_m = linear(new_m, self._num_proj, False)
        return new_m, rnn_cell.LSTMStateTuple(new_c, new_m)


def _random_exponential(low, high, seed=None):
    """Returns an initializer of numbers whose logarithms are uniform from log(low) to log(high)."""

    def initializer(shape, dtype, partition_info=None):
        del partition_info
        return math_ops.exp(random_ops.random_uniform(shape, math.log(low), math.log(high), dtype, seed=seed))

    return initializer


@export('contrib.rnn.PhasedLSTMCell')
@with_args_of(UGRNNCell)
class PhasedLSTMCell(rnn_cell.RNNCell):
    """Phased LSTM (arXiv 1610.09513), whose units are only updated in a part of their periods.

    Args:
      num_units: the size of memory and output.
      use_peepholes: whether the gates see the memory.
      leak: the rate at which a closed unit is updated.
      ratio_on: the initial part of the period in which a unit is open.
      trainable_ratio_on: whether that part is trainable.
      period_init_min, period_init_max: the smallest and largest initial period.
    """

    def __init__(self, num_units, use_peepholes=False, leak=0.001, ratio_on=0.1,
                 trainable_ratio_on=True, period_init_min=1.0, period_init_max=1000.0, reuse=None):
        super().__init__(_reuse=reuse)
        self._num_units, self._use_peepholes, self._leak = num_units, use_peepholes, leak
        self._ratio_on, self._trainable_ratio_on = ratio_on, trainable_ratio_on
        self._period_init = period_init_min, period_init_max

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units, self._num_units))
    output_size = property(lambda self: self._num_units)

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a pair (time [batch, 1], input [batch, depth]).
          state: the state, an LSTMStateTuple.
        """
        c, h = state
        time, x = inputs
        with variable_scope.variable_scope('mask_gates'):
            gates = math_ops.sigmoid(linear([x, h, c] if self._use_peepholes else [x, h],
                                      2 * self._num_units, True))
            input_gate, forget_gate = array_ops.split(axis=1, num_or_size_splits=2, value=gates)
        with variable_scope.variable_scope('new_input'):
            new_input = math_ops.tanh(linear([x, h], self._num_units, True))
        new_c = c * forget_gate + input_gate * new_input
        with variable_scope.variable_scope('output_gate'):
            output_gate = math_ops.sigmoid(linear([x, h, new_c] if self._use_peepholes else [x, h],
                                            self._num_units, True))
        new_h = math_ops.tanh(new_c) * output_gate
        k = self._openness(time, c.dtype)
        new_c, new_h = k * new_c + (1 - k) * c, k * new_h + (1 - k) * h
        return new_h, rnn_cell.LSTMStateTuple(new_c, new_h)

    def _openness(self, time, dtype):
        """Returns how far the units are open at a time, [batch, num_units]."""
        shape = [self._num_units]
        period = variable_scope.get_variable('period', shape, dtype,
                                 initializer=_random_exponential(*self._period_init))
        phase = variable_scope.get_variable(
            'phase', shape, dtype, initializer=lambda shape, dtype, partition_info=None:
            random_ops.random_uniform(shape, dtype=dtype) * period.initialized_value())
        ratio_on = variable_scope.get_variable('ratio_on', shape, dtype,
                                   initializer=init_ops.Constant(self._ratio_on),
                                   trainable=self._trainable_ratio_on)
        shifted = math_ops.cast(time, dtype) - phase
        ratio = gen.FloorMod(shifted, period) / period
        k_up = 2 * ratio / ratio_on
        k = array_ops.where(ratio < ratio_on, 2 - k_up, self._leak * ratio)
        return array_ops.where(ratio < 0.5 * ratio_on, k_up, k)
