"""Recurrent layers."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import nest, tensor_shape
from ramet.keras import regularizers
from ramet.keras.backend import loops, values
from ramet.keras.engine import node
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers import recurrent_cells, serialization
from ramet.ops.array import array_ops


@export('keras.layers.RNN')
@with_args_of(Layer)
class RNN(Layer):
    """Runs a cell over the steps of sequences.

    Args:
      cell: a cell, or a list of cells for StackedRNNCells.
      return_sequences: whether to return the outputs of all steps instead of the last.
      return_state: whether to return the last states, too.
      go_backwards: whether to start with the last step.
      stateful: whether the states of a batch are the initial states of the next.
      unroll: whether to build a copy of the cell for each step instead of a loop.
      time_major: whether time is the first axis.

    Raises:
      ValueError: if the cell lacks `call` or `state_size`.
    """

    _untracked = (*Layer._untracked, '_states')

    def __init__(self, cell, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 unroll=False, time_major=False, **kwargs):
        if isinstance(cell, (list, tuple)):
            cell = recurrent_cells.StackedRNNCells(cell)
        if not hasattr(cell, 'call'):
            raise ValueError('`cell` should have a `call` method. The RNN was passed:', cell)
        if not hasattr(cell, 'state_size'):
            raise ValueError('The RNN cell should have an attribute `state_size` (tuple of integers, one integer per '
                             'RNN state).')
        super().__init__(**kwargs)
        self.cell = cell
        self.return_sequences = return_sequences
        self.return_state = return_state
        self.go_backwards = go_backwards
        self.stateful = stateful
        self.unroll = unroll
        self.time_major = time_major
        self.supports_masking = True
        self._num_constants = 0
        self._states = None

    @property
    def states(self):
        """The states that a stateful layer keeps, or a None for each."""
        if self._states is None:
            return [None] * len(nest.flatten(self.cell.state_size))
        return self._states

    # Calling.

    def __call__(self, inputs, initial_state=None, constants=None, **kwargs):
        """Applies the layer.

        Args:
          inputs: a Tensor of shape [batch, time, ...]; or a list of it, the initial states and the constants.
          initial_state: a list of Tensors, or None for zeros.
          constants: a list of Tensors for every step, or None.
          **kwargs: `mask` and `training`.
        """
        inputs, initial_state, constants = self._separated(inputs, initial_state, constants)
        if initial_state is None and constants is None:
            return super().__call__(inputs, **kwargs)
        extra = [*(initial_state or []), *(constants or [])]
        self._num_constants = len(constants or [])
        if all(node.is_keras_tensor(t) for t in extra):
            return super().__call__([inputs, *extra], **kwargs)
        if initial_state is not None:
            kwargs['initial_state'] = initial_state
        if constants is not None:
            kwargs['constants'] = constants
        return super().__call__(inputs, **kwargs)

    def _separated(self, inputs, initial_state, constants):
        """Splits a list of inputs, initial states and constants."""
        if isinstance(inputs, (list, tuple)):
            rest = list(inputs[1:])
            inputs = inputs[0]
            if self._num_constants:
                constants = rest[-self._num_constants:]
                rest = rest[:-self._num_constants]
            initial_state = rest or initial_state

        def listed(value):
            return None if value is None else nest.flatten(value) if isinstance(value, (list, tuple)) else [value]

        return inputs, listed(initial_state), listed(constants)

    def build(self, input_shape):
        shape = tensor_shape.as_shape(input_shape[0] if isinstance(input_shape, list) else input_shape).as_list()
        batch = 1 if self.time_major else 0
        step = [shape[batch], *shape[2:]]
        if isinstance(self.cell, Layer) and not self.cell.built:
            if self.cell._dtype is None:
                self.cell._dtype = self._dtype
                for cell in getattr(self.cell, 'cells', ()):
                    cell._dtype = cell._dtype or self._dtype
            self.cell.build(tensor_shape.TensorShape(step))
            self.cell.built = True
        self._batch_size = shape[batch]
        if self.stateful:
            self.reset_states()
        self.built = True

    def call(self, inputs, mask=None, training=None, initial_state=None, constants=None):
        inputs, initial_state, constants = self._separated(inputs, initial_state, constants)
        for reset in ('reset_dropout_mask', 'reset_recurrent_dropout_mask'):
            if hasattr(self.cell, reset):
                getattr(self.cell, reset)()
        if isinstance(mask, (list, tuple)):
            mask = mask[0]
        if initial_state is None:
            initial_state = [s.read_value() for s in self._states] if self.stateful else \
                nest.flatten(self.get_initial_state(inputs))
        if len(initial_state) != len(nest.flatten(self.cell.state_size)):
            raise ValueError(f'Layer has {len(nest.flatten(self.cell.state_size))} states but was passed '
                             f'{len(initial_state)} initial states.')
        last, outputs, states = loops.rnn(
            self._step(training), inputs, initial_state, constants=constants, go_backwards=self.go_backwards,
            mask=mask, unroll=self.unroll, time_major=self.time_major)
        if self.stateful:
            self.add_update([(old, new) for old, new in zip(self._states, states)], inputs=True)
        output = outputs if self.return_sequences else last
        return [output, *states] if self.return_state else output

    def _step(self, training):
        cell, size = self.cell, self.cell.state_size
        count = len(nest.flatten(size))
        parameters = getattr(cell, '_call_parameters', ())
        is_plain = hasattr(cell, 'zero_state')  # a cell of tf.nn.rnn_cell

        def step(inputs, given):
            states, constants = given[:count], given[count:]
            kwargs = {'constants': constants} if constants else {}
            if 'training' in parameters:
                kwargs['training'] = training
            packed = nest.pack_sequence_as(size, states) if nest.is_nested(size) else (
                states[0] if is_plain else list(states))
            output, new = cell(inputs, packed) if is_plain else cell.call(inputs, packed, **kwargs)
            return output, nest.flatten(new)

        return step

    def get_initial_state(self, inputs):
        """Returns states of zeros.

        Args:
          inputs: a Tensor of shape [batch, time, ...].
        """
        batch = array_ops.shape(inputs)[1 if self.time_major else 0]
        if hasattr(self.cell, 'get_initial_state') and not isinstance(self.cell, recurrent_cells.AbstractRNNCell):
            return self.cell.get_initial_state(inputs=None, batch_size=batch, dtype=inputs.dtype)
        return recurrent_cells.zero_states(self.cell.state_size, batch, inputs.dtype)

    def compute_mask(self, inputs, mask=None):
        mask = mask[0] if isinstance(mask, (list, tuple)) else mask
        output = mask if self.return_sequences else None
        return [output, *([None] * len(self.states))] if self.return_state else output

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape[0] if isinstance(input_shape, list) else input_shape).as_list()
        sizes = nest.flatten(self.cell.state_size)
        output = getattr(self.cell, 'output_size', None)
        output = tensor_shape.as_shape(sizes[0] if output is None else output).as_list()
        batch = shape[1 if self.time_major else 0]
        first = tensor_shape.TensorShape([*shape[:2], *output] if self.return_sequences else [batch, *output])
        if not self.return_state:
            return first
        return [first, *(tensor_shape.TensorShape([batch, *tensor_shape.as_shape(s).as_list()]) for s in sizes)]

    # States.

    def reset_states(self, states=None):
        """Sets the states of a stateful layer.

        Args:
          states: a list of arrays, or None for zeros.

        Raises:
          AttributeError: if the layer is not stateful.
          ValueError: if the size of the batch is not known, or a state has a wrong shape.
        """
        if not self.stateful:
            raise AttributeError('Layer must be stateful.')
        if self._batch_size is None:
            raise ValueError('If a RNN is stateful, it needs to know its batch size. Specify the batch size of your '
                             'input tensors: \n- If using a Sequential model, specify the batch size by passing a '
                             '`batch_input_shape` argument to your first layer.\n- If using the functional API, '
                             'specify the batch size by passing a `batch_shape` argument to your Input layer.')
        sizes = [(self._batch_size, *tensor_shape.as_shape(s).as_list()) for s in nest.flatten(self.cell.state_size)]
        if self._states is None:
            self._states = [values.variable(np.zeros(size), name='state') for size in sizes]
            if states is None:
                return
        given = [np.zeros(size) for size in sizes] if states is None else \
            [np.asarray(s) for s in (states if isinstance(states, (list, tuple)) else [states])]
        if len(given) != len(sizes):
            raise ValueError(f'Layer {self.name} expects {len(sizes)} states, but it received {len(given)} state '
                             f'values. Input received: {states}')
        for i, (value, size) in enumerate(zip(given, sizes)):
            if value.shape != size:
                raise ValueError(f'State {i} is incompatible with layer {self.name}: expected shape={size}, found '
                                 f'shape={value.shape}')
        values.batch_set_value(list(zip(self._states, given)))

    def get_config(self):
        config = {**super().get_config(), 'return_sequences': self.return_sequences,
                  'return_state': self.return_state, 'go_backwards': self.go_backwards, 'stateful': self.stateful,
                  'unroll': self.unroll, 'time_major': self.time_major}
        if self._num_constants:
            config['num_constants'] = self._num_constants
        if type(self) is RNN:
            config['cell'] = serialization.serialize(self.cell)
        return config

    @classmethod
    def from_config(cls, config, custom_objects=None):
        """Creates a layer from the result of get_config.

        Args:
          config: a dict of arguments.
          custom_objects: a dict from names to the program's own classes.
        """
        config = dict(config)
        constants = config.pop('num_constants', 0)
        if 'cell' in config:
            config['cell'] = serialization.deserialize(config['cell'], custom_objects)
        layer = cls(**config)
        layer._num_constants = constants
        return layer


_LAYER_ARGUMENTS = ('name', 'dtype', 'trainable', 'input_shape', 'batch_input_shape', 'batch_size', 'weights',
                    'input_dim', 'input_length', 'dynamic', 'autocast')
_COMMON = (recurrent_cells._Cell, RNN, Layer)


class _WithCell(RNN):
    """The base class of layers whose arguments are those of their cells."""

    _cell = None

    def __init__(self, units, return_sequences=False, return_state=False, go_backwards=False, stateful=False,
                 unroll=False, time_major=False, activity_regularizer=None, layer=None, **kwargs):
        cell_arguments = {k: v for k, v in kwargs.items() if k not in _LAYER_ARGUMENTS}
        own = {k: v for k, v in kwargs.items() if k in _LAYER_ARGUMENTS}
        made = self._cell(units, dtype=own.get('dtype'), trainable=own.get('trainable', True), **cell_arguments)
        super().__init__(made, return_sequences=return_sequences, return_state=return_state,
                         go_backwards=go_backwards, stateful=stateful, unroll=unroll, time_major=time_major,
                         activity_regularizer=regularizers.get(activity_regularizer), **own)

    def __getattr__(self, name):
        cell = self.__dict__.get('cell')
        if cell is not None and name in cell._config.split():
            return getattr(cell, name)
        raise AttributeError(f'{type(self).__name__!r} object has no attribute {name!r}')

    def _build(self, inputs):
        first = inputs[0] if isinstance(inputs, list) else inputs
        if first.shape.ndims is not None and first.shape.ndims != 3:
            raise ValueError(f'Input 0 of layer {self.name} is incompatible with the layer: expected ndim=3, found '
                             f'ndim={first.shape.ndims}. Full shape received: {first.shape.as_list()}')
        super()._build(inputs)

    def get_config(self):
        cell = self.cell.get_config()
        own = {k: cell[k] for k in self.cell._config.split()}
        return {**super().get_config(), **own,
                'activity_regularizer': regularizers.serialize(self.activity_regularizer)}


@export('keras.layers.SimpleRNN')
@with_args_of(recurrent_cells.SimpleRNNCell, *_COMMON)
class SimpleRNN(_WithCell):
    """A fully connected recurrent network whose output is fed back.

    Args:
      activity_regularizer: a function from the output to a loss.
    """

    _cell = recurrent_cells.SimpleRNNCell

    def __init__(self, units, activation='tanh', use_bias=True, kernel_initializer='glorot_uniform',
                 recurrent_initializer='orthogonal', bias_initializer='zeros', kernel_regularizer=None,
                 recurrent_regularizer=None, bias_regularizer=None, activity_regularizer=None,
                 kernel_constraint=None, recurrent_constraint=None, bias_constraint=None, dropout=0.,
                 recurrent_dropout=0., return_sequences=False, return_state=False, go_backwards=False,
                 stateful=False, unroll=False, **kwargs):
        super().__init__(
            units, activation=activation, use_bias=use_bias, kernel_initializer=kernel_initializer,
            recurrent_initializer=recurrent_initializer, bias_initializer=bias_initializer,
            kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout,
            return_sequences=return_sequences, return_state=return_state, go_backwards=go_backwards,
            stateful=stateful, unroll=unroll, **kwargs)


@export('keras.layers.GRU')
@with_args_of(recurrent_cells.GRUCell, *_COMMON)
class GRU(_WithCell):
    """A network of gated recurrent units.

    Args:
      activity_regularizer: a function from the output to a loss.
    """

    _cell = recurrent_cells.GRUCell

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, unroll=False, reset_after=False,
                 **kwargs):
        super().__init__(
            units, activation=activation, recurrent_activation=recurrent_activation,
            use_bias=use_bias, kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer, kernel_regularizer=kernel_regularizer,
            recurrent_regularizer=recurrent_regularizer, bias_regularizer=bias_regularizer,
            activity_regularizer=activity_regularizer, kernel_constraint=kernel_constraint,
            recurrent_constraint=recurrent_constraint, bias_constraint=bias_constraint, dropout=dropout,
            recurrent_dropout=recurrent_dropout, implementation=implementation, return_sequences=return_sequences,
            return_state=return_state, go_backwards=go_backwards, stateful=stateful, unroll=unroll,
            reset_after=reset_after, **kwargs)


@export('keras.layers.LSTM')
@with_args_of(recurrent_cells.LSTMCell, *_COMMON)
class LSTM(_WithCell):
    """A network with long short-term memory.

    Args:
      activity_regularizer: a function from the output to a loss.
    """

    _cell = recurrent_cells.LSTMCell

    def __init__(self, units, activation='tanh', recurrent_activation='hard_sigmoid', use_bias=True,
                 kernel_initializer='glorot_uniform', recurrent_initializer='orthogonal', bias_initializer='zeros',
                 unit_forget_bias=True, kernel_regularizer=None, recurrent_regularizer=None, bias_regularizer=None,
                 activity_regularizer=None, kernel_constraint=None, recurrent_constraint=None,
                 bias_constraint=None, dropout=0., recurrent_dropout=0., implementation=1, return_sequences=False,
                 return_state=False, go_backwards=False, stateful=False, unroll=False, **kwargs):
        super().__init__(
            units, activation=activation, recurrent_activation=recurrent_activation,
            use_bias=use_bias, kernel_initializer=kernel_initializer, recurrent_initializer=recurrent_initializer,
            bias_initializer=bias_initializer, unit_forget_bias=unit_forget_bias,
            kernel_regularizer=kernel_regularizer, recurrent_regularizer=recurrent_regularizer,
            bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            kernel_constraint=kernel_constraint, recurrent_constraint=recurrent_constraint,
            bias_constraint=bias_constraint, dropout=dropout, recurrent_dropout=recurrent_dropout,
            implementation=implementation, return_sequences=return_sequences, return_state=return_state,
            go_backwards=go_backwards, stateful=stateful, unroll=unroll, **kwargs)
