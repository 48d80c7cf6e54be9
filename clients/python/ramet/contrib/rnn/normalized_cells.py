"""LSTMs with layer normalization (arXiv 1607.06450)."""

import numbers

from ramet.api import export
from ramet.contrib.layers.normalization import layer_norm
from ramet.contrib.rnn.layer_cell import describe_steps
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import clip_ops, math_ops
from ramet.ops.nn import nn_activation, nn_dropout
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell


class NormalizedCell(rnn_cell.RNNCell):
    """A cell that normalizes its sums.

    Args:
      norm_gain: the initial value of the factors.
      norm_shift: the initial value of the offsets.
      reuse: whether to reuse existing variables.
    """

    def __init__(self, norm_gain, norm_shift, reuse):
        super().__init__(_reuse=reuse)
        self._norm_gain, self._norm_shift = norm_gain, norm_shift

    def _norm(self, x, scope):
        shape = x.get_shape()[-1:]
        with variable_scope.variable_scope(scope):
            for name, value in (('gamma', self._norm_gain), ('beta', self._norm_shift)):
                variable_scope.get_variable(name, shape=shape, dtype=x.dtype,
                                initializer=init_ops.Constant(value))
        return layer_norm(x, reuse=True, scope=scope)


@export('contrib.rnn.LayerNormBasicLSTMCell')
@with_args_of(NormalizedCell)
@describe_steps
class LayerNormBasicLSTMCell(NormalizedCell):
    """An LSTM with layer normalization and recurrent dropout (arXiv 1603.05118).

    Args:
      num_units: the size of memory and output.
      forget_bias: added to the forget gate.
      input_size: ignored.
      activation: a function.
      layer_norm: whether to normalize.
      dropout_keep_prob: the probability of keeping each element of the candidate: a number or a
        float scalar.
      dropout_prob_seed: the seed of the random numbers.
    """

    def __init__(self, num_units, forget_bias=1.0, input_size=None, activation=math_ops.tanh,
                 layer_norm=True, norm_gain=1.0, norm_shift=0.0, dropout_keep_prob=1.0,
                 dropout_prob_seed=None, reuse=None):
        super().__init__(norm_gain, norm_shift, reuse)
        self._num_units, self._forget_bias = num_units, forget_bias
        self._activation, self._layer_norm = activation, layer_norm
        self._keep_prob, self._seed = dropout_keep_prob, dropout_prob_seed

    state_size = property(lambda self: rnn_cell.LSTMStateTuple(self._num_units,
                                                                     self._num_units))
    output_size = property(lambda self: self._num_units)

    def _products(self, inputs, h):
        joined = array_ops.concat([inputs, h], 1)
        size = 4 * self._num_units
        rows = tensor_shape.dimension_value(joined.get_shape()[-1])
        kernel = variable_scope.get_variable('kernel', [rows, size], dtype=joined.dtype)
        product = math_ops.matmul(joined, kernel)
        if self._layer_norm:
            return product
        return nn_activation.bias_add(product, variable_scope.get_variable('bias', [size], dtype=joined.dtype))

    def call(self, inputs, state):
        c, h = state
        gates = array_ops.split(value=self._products(inputs, h), num_or_size_splits=4, axis=1)
        if self._layer_norm:
            gates = [self._norm(gate, scope) for gate, scope in zip(
                gates, ('input', 'transform', 'forget', 'output'), strict=True)]
        i, j, f, o = gates
        g = self._activation(j)
        if not isinstance(self._keep_prob, numbers.Real) or self._keep_prob < 1.0:
            g = nn_dropout.dropout(g, rate=1 - self._keep_prob, seed=self._seed)
        new_c = c * math_ops.sigmoid(f + self._forget_bias) + math_ops.sigmoid(i) * g
        if self._layer_norm:
            new_c = self._norm(new_c, 'state')
        new_h = self._activation(new_c) * math_ops.sigmoid(o)
        return new_h, rnn_cell.LSTMStateTuple(new_c, new_h)


def _sharded(name, shape, dtype, shards):
    """Returns a variable in parts along its first axis, joined."""
    size, more = divmod(shape[0], shards)
    parts = [variable_scope.get_variable(f'{name}_{i}', [size + (i < more), *shape[1:]], dtype=dtype)
             for i in range(shards)]
    return parts[0] if shards == 1 else array_ops.concat(parts, 0)


@export('contrib.rnn.CoupledInputForgetGateLSTMCell')
@with_args_of(rnn_cell.LSTMCell, NormalizedCell)
@describe_steps
class CoupledInputForgetGateLSTMCell(NormalizedCell):
    """An LSTM whose input gate is 1 - forget gate (arXiv 1503.04069).

    Args:
      activation: a function.
      layer_norm: whether to normalize.
    """

    def __init__(self, num_units, use_peepholes=False, initializer=None, num_proj=None,
                 proj_clip=None, num_unit_shards=1, num_proj_shards=1, forget_bias=1.0,
                 state_is_tuple=True, activation=math_ops.tanh, reuse=None, layer_norm=False,
                 norm_gain=1.0, norm_shift=0.0):
        super().__init__(norm_gain, norm_shift, reuse)
        self._num_units, self._use_peepholes = num_units, use_peepholes
        self._initializer, self._proj = initializer, (num_proj, proj_clip)
        self._shards = num_unit_shards, num_proj_shards
        self._forget_bias, self._activation = forget_bias, activation
        self._state_is_tuple, self._layer_norm = state_is_tuple, layer_norm

    output_size = property(lambda self: self._proj[0] or self._num_units)

    @property
    def state_size(self):
        sizes = rnn_cell.LSTMStateTuple(self._num_units, self.output_size)
        return sizes if self._state_is_tuple else sum(sizes)

    def call(self, inputs, state):
        if self._state_is_tuple:
            c, m = state
        else:
            c = array_ops.slice(state, [0, 0], [-1, self._num_units])
            m = array_ops.slice(state, [0, self._num_units], [-1, self.output_size])
        with variable_scope.variable_scope(variable_scope.get_variable_scope(), initializer=self._initializer):
            new_c, new_m = self._step(array_ops.concat([inputs, m], 1), c)
        if self._state_is_tuple:
            return new_m, rnn_cell.LSTMStateTuple(new_c, new_m)
        return new_m, array_ops.concat([new_c, new_m], 1)

    def _step(self, joined, c):
        units, dtype = self._num_units, joined.dtype
        rows = tensor_shape.dimension_value(joined.get_shape()[1])
        product = math_ops.matmul(joined, _sharded('W', [rows, 3 * units], dtype, self._shards[0]))
        if not self._layer_norm:
            product = nn_activation.bias_add(product, variable_scope.get_variable(
                'B', shape=[3 * units], dtype=dtype, initializer=init_ops.Zeros()))
        j, f, o = array_ops.split(axis=1, num_or_size_splits=3, value=product)
        if self._layer_norm:
            j, f, o = (self._norm(gate, scope) for gate, scope in zip(
                (j, f, o), ('transform', 'forget', 'output'), strict=True))
        if self._use_peepholes:
            w_f, w_o = (variable_scope.get_variable(name, shape=[units], dtype=dtype)
                        for name in ('W_F_diag', 'W_O_diag'))
            f = f + w_f * c
        forget = math_ops.sigmoid(f + self._forget_bias)
        new_c = forget * c + (1 - forget) * self._activation(j)
        if self._layer_norm:
            new_c = self._norm(new_c, 'state')
        if self._use_peepholes:
            o = o + w_o * new_c
        return new_c, self._projected(math_ops.sigmoid(o) * self._activation(new_c))

    def _projected(self, m):
        num_proj, clip = self._proj
        if num_proj is None:
            return m
        m = math_ops.matmul(m, _sharded('W_P', [self._num_units, num_proj], m.dtype, self._shards[1]))
        return m if clip is None else clip_ops.clip_by_value(m, -clip, clip)
