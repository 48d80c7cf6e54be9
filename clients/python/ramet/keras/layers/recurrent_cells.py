"""Cells of recurrent layers, which compute one step."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import nest, tensor_shape
from ramet.keras import initializers
from ramet.keras.backend import nn, tensors
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers import configs, serialization
from ramet.ops.array import array_ops


def zero_states(state_size, batch_size, dtype):
    """Returns zeros for each size in a structure of state sizes."""
    def zeros(size):
        sizes = tensor_shape.as_shape(size).as_list()
        made = array_ops.zeros(array_ops.stack([batch_size, *sizes]), dtype=dtype)
        made.set_shape([None, *sizes])
        return made

    return nest.map_structure(zeros, state_size)


@export('keras.layers.AbstractRNNCell')
class AbstractRNNCell(Layer):
    """The base class of cells. A subclass overrides `call(inputs, states)`, `state_size` and `output_size`."""

    @property
    def state_size(self):
        """The size of the state, or a list of sizes."""
        raise NotImplementedError('Abstract method')

    @property
    def output_size(self):
        """The size of the output."""
        raise NotImplementedError('Abstract method')

    def get_initial_state(self, inputs=None, batch_size=None, dtype=None):
        """Returns states of zeros.

        Args:
          inputs: a Tensor whose first axis is the batch, or None.
          batch_size: the size of the batch. Defaults to that of the inputs.
          dtype: the DType of the states. Defaults to that of the inputs.
        """
        if inputs is not None:
            batch_size, dtype = array_ops.shape(inputs)[0], inputs.dtype
        return zero_states(self.state_size, batch_size, dtype)


class _Cell(AbstractRNNCell):
    """The base class of the cells of tf.keras.

    Args:
      units: the size of the output.
      activation: the function of the output, or its name.
      use_bias: whether to add a bias.
      kernel_initializer, recurrent_initializer, bias_initializer: initializers of the variables.
      kernel_regularizer, recurrent_regularizer, bias_regularizer: functions from a variable to a loss.
      kernel_constraint, recurrent_constraint, bias_constraint: functions that optimizers apply to new values.
      dropout: the fraction of the inputs to drop in training.
      recurrent_dropout: the fraction of the state to drop in training.

    Attributes:
      kernel: the variable of shape [channels in, gates * units].
      recurrent_kernel: the variable of shape [units, gates * units].
      bias: the variable of shape [gates * units], or None.
    """

    _gates = 1
    _config = ('units activation use_bias kernel_initializer recurrent_initializer bias_initializer '
               'kernel_regularizer recurrent_regularizer bias_regularizer kernel_constraint recurrent_constraint '
               'bias_constraint dropout recurrent_dropout')

    def __init__(self, units, activation='tanh', use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros', kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0., recurrent_dropout=0., **kwargs):
        super().__init__(**kwargs)
        self.units = units
        self.use_bias = use_bias
        configs.keep(self, activation=activation, kernel_initializer=kernel_initializer,
                     recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer,
                     kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
                     bias_regularizer=bias_regularizer, kernel_constraint=kernel_constraint,
                     recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint)
        self.dropout = min(1., max(0., dropout))
        self.recurrent_dropout = min(1., max(0., recurrent_dropout))
        self._masks = {}

    state_size = property(lambda self: self.units)
    output_size = property(lambda self: self.units)

    def build(self, input_shape):
        channels = tensor_shape.as_shape(input_shape).as_list()[-1]
        width = self.units * self._gates
        self.kernel = self.add_weight('kernel', shape=(channels, width), initializer=self.kernel_initializer,
                                      regularizer=self.kernel_regularizer, constraint=self.kernel_constraint)
        self.recurrent_kernel = self.add_weight(
            'recurrent_kernel', shape=(self.units, width), initializer=self.recurrent_initializer,
            regularizer=self.recurrent_regularizer, constraint=self.recurrent_constraint)
        self.bias = None
        if self.use_bias:
            self.bias = self.add_weight('bias', shape=self._bias_shape(width), initializer=self._bias_start(),
                                        regularizer=self.bias_regularizer, constraint=self.bias_constraint)
        self.built = True

    def _bias_shape(self, width):
        return (width,)

    def _bias_start(self):
        return self.bias_initializer

    # Dropout uses the same random choices in all steps.

    def reset_dropout_mask(self):
        """Forgets the random choices for the inputs."""
        self._masks.pop('inputs', None)

    def reset_recurrent_dropout_mask(self):
        """Forgets the random choices for the state."""
        self._masks.pop('state', None)

    def _dropped(self, tensor, what, training):
        """Returns a copy of a tensor for each gate, with different elements dropped."""
        rate = self.dropout if what == 'inputs' else self.recurrent_dropout
        if rate == 0:
            return None
        if what not in self._masks:
            ones = array_ops.ones_like(tensor)
            self._masks[what] = [nn.in_train_phase(lambda: nn.dropout(ones, rate), ones, training=training)
                                 for _ in range(self._gates)]
        return [tensor * mask for mask in self._masks[what]]

    def _projected(self, tensor, kernel, dropped):
        """Returns the products with the kernel of each gate."""
        if dropped is None:
            return array_ops.split(tensors.dot(tensor, kernel), self._gates, axis=1)
        kernels = array_ops.split(kernel, self._gates, axis=1)
        return [tensors.dot(copy, part) for copy, part in zip(dropped, kernels)]

    def _inputs_of_gates(self, inputs, bias, training):
        parts = self._projected(inputs, self.kernel, self._dropped(inputs, 'inputs', training))
        if bias is None:
            return parts
        biases = array_ops.split(bias, self._gates, axis=0) if self._gates > 1 else [bias]
        return [nn.bias_add(part, b) for part, b in zip(parts, biases)]

    def get_config(self):
        return {**super().get_config(), **configs.serialized(self, self._config)}


@export('keras.layers.SimpleRNNCell')
@with_args_of(_Cell, Layer)
class SimpleRNNCell(_Cell):
    """A fully connected cell whose output is fed back."""

    def call(self, inputs, states, training=None):
        previous = states[0]
        dropped = self._dropped(previous, 'state', training)
        output = self._inputs_of_gates(inputs, self.bias, training)[0]
        output = output + tensors.dot(previous if dropped is None else dropped[0], self.recurrent_kernel)
        if self.activation is not None:
            output = self.activation(output)
        return output, [output]


class _GatedCell(_Cell):
    """The base class of cells with gates.

    Args:
      recurrent_activation: the function of the gates, or its name.
      implementation: 1 or 2; ignored, the results are the same.
    """

    _config = _Cell._config + ' recurrent_activation implementation'

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', implementation=1, **kwargs):
        super().__init__(units, activation=activation, **kwargs)
        configs.keep(self, recurrent_activation=recurrent_activation)
        self.implementation = implementation


@export('keras.layers.GRUCell')
@with_args_of(_GatedCell, _Cell, Layer)
class GRUCell(_GatedCell):
    """A gated recurrent unit.

    Args:
      reset_after: whether the reset gate is applied after the product with the kernel.
    """

    _gates = 3
    _config = _GatedCell._config + ' reset_after'

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None, kernel_constraint=None,
                 recurrent_constraint=None, bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1,
                 reset_after=False, **kwargs):
        super().__init__(
            units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
            kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer, bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout,
            implementation=implementation, **kwargs)
        self.reset_after = reset_after

    def _bias_shape(self, width):
        return (2, width) if self.reset_after else (width,)

    def call(self, inputs, states, training=None):
        previous = states[0]
        bias = self.bias if self.bias is None or not self.reset_after else self.bias[0]
        x_z, x_r, x_h = self._inputs_of_gates(inputs, bias, training)
        dropped = self._dropped(previous, 'state', training)
        copies = dropped or [previous] * 3
        if self.reset_after:
            inner = self._projected(previous, self.recurrent_kernel, dropped)
            if self.bias is not None:
                inner = [nn.bias_add(p, b) for p, b in zip(inner, array_ops.split(self.bias[1], 3, axis=0))]
            h_z, h_r, h_h = inner
        else:
            kernels = array_ops.split(self.recurrent_kernel, 3, axis=1)
            h_z, h_r = tensors.dot(copies[0], kernels[0]), tensors.dot(copies[1], kernels[1])
        update = self.recurrent_activation(x_z + h_z)
        reset = self.recurrent_activation(x_r + h_r)
        h_h = reset * h_h if self.reset_after else tensors.dot(reset * copies[2], kernels[2])
        candidate = self.activation(x_h + h_h)
        output = update * previous + (1 - update) * candidate
        return output, [output]


@export('keras.layers.LSTMCell')
@with_args_of(_GatedCell, _Cell, Layer)
class LSTMCell(_GatedCell):
    """A cell with long short-term memory.

    Args:
      unit_forget_bias: whether the bias of the forget gate begins with ones.
    """

    _gates = 4
    _config = _GatedCell._config + ' unit_forget_bias'

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.,
                 recurrent_dropout=0., implementation=1, **kwargs):
        super().__init__(
            units, activation=activation, recurrent_activation=recurrent_activation, use_bias=use_bias,
            kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer, bias_regularizer=bias_regularizer,
            kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout,
            implementation=implementation, **kwargs)
        self.unit_forget_bias = unit_forget_bias

    state_size = property(lambda self: [self.units, self.units])

    def _bias_start(self):
        if not self.unit_forget_bias:
            return self.bias_initializer

        def start(shape, dtype=None, partition_info=None):
            units = self.units
            return array_ops.concat([self.bias_initializer((units,), dtype=dtype),
                                     initializers.get('ones')((units,), dtype=dtype),
                                     self.bias_initializer((units * 2,), dtype=dtype)], 0)

        return start

    def call(self, inputs, states, training=None):
        previous, memory = states[0], states[1]
        given = self._inputs_of_gates(inputs, self.bias, training)
        inner = self._projected(previous, self.recurrent_kernel, self._dropped(previous, 'state', training))
        i, f, c, o = (x + h for x, h in zip(given, inner))
        memory = self.recurrent_activation(f) * memory + self.recurrent_activation(i) * self.activation(c)
        output = self.recurrent_activation(o) * self.activation(memory)
        return output, [output, memory]


@export('keras.layers.StackedRNNCells')
@with_args_of(Layer)
class StackedRNNCells(Layer):
    """Cells in a row: each takes the output of the one before.

    Args:
      cells: a list of cells.
    """

    def __init__(self, cells, **kwargs):
        for cell in cells:
            if not hasattr(cell, 'call') or not hasattr(cell, 'state_size'):
                raise ValueError('All cells must have a `call` method and a `state_size` attribute. received cells:',
                                 cells)
        super().__init__(**kwargs)
        self.cells = cells

    @property
    def state_size(self):
        """The sizes of the states of all cells."""
        return tuple(cell.state_size for cell in self.cells)

    @property
    def output_size(self):
        """The size of the output of the last cell."""
        last = self.cells[-1]
        return last.output_size if getattr(last, 'output_size', None) is not None else nest.flatten(last.state_size)[0]

    def build(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        for cell in self.cells:
            if isinstance(cell, Layer) and not cell.built:
                cell.build(tensor_shape.TensorShape(shape))
                cell.built = True
            size = getattr(cell, 'output_size', None)
            size = nest.flatten(cell.state_size)[0] if size is None else size
            shape = [shape[0], *tensor_shape.as_shape(size).as_list()]
        self.built = True

    def call(self, inputs, states, training=None, **kwargs):
        new, kwargs = [], {'training': training, **kwargs}
        for cell, own in zip(self.cells, states):
            own = own if nest.is_nested(own) else [own]
            passed = {k: v for k, v in kwargs.items() if k in cell._call_parameters}
            inputs, own = cell.call(inputs, own, **passed)
            new.append(own)
        flat = nest.flatten(new)
        return inputs, nest.pack_sequence_as(self.state_size, flat)

    def reset_dropout_mask(self):
        """Forgets the random choices for the inputs."""
        for cell in self.cells:
            if hasattr(cell, 'reset_dropout_mask'):
                cell.reset_dropout_mask()

    def reset_recurrent_dropout_mask(self):
        """Forgets the random choices for the state."""
        for cell in self.cells:
            if hasattr(cell, 'reset_recurrent_dropout_mask'):
                cell.reset_recurrent_dropout_mask()

    def get_config(self):
        return {**super().get_config(), 'cells': [
            {'class_name': type(cell).__name__, 'config': cell.get_config()} for cell in self.cells]}

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates cells from the result of get_config.

        Args:
          config: a dict of arguments.
          custom_objects: a dict from names to the program's own classes.
        """
        config = dict(config)
        cells = [serialization.deserialize(cell, custom_objects) for cell in config.pop('cells')]
        return cls(cells, **config)
