"""A cell that attends to memories."""

import collections

from ramet.api import export
from ramet.contrib.seq2seq import attention_mechanisms
from ramet.contrib.seq2seq.attention_mechanisms import static_or_dynamic
from ramet.framework import dtypes, nest, ops, tensor_shape
from ramet.layers import core
from ramet.ops.array import array_ops
from ramet.ops.checks import check_ops
from ramet.ops.control_flow import tensor_array_ops
from ramet.ops.math import math_ops
from ramet.rnn import rnn_cell, rnn_steps

_FIELDS = ('cell_state', 'attention', 'time', 'alignments', 'alignment_history', 'attention_state')


@export('contrib.seq2seq.AttentionWrapperState')
class AttentionWrapperState(collections.namedtuple('AttentionWrapperState', _FIELDS)):
    """The state of an AttentionWrapper.

    `cell_state` is the state of the wrapped cell, `attention` the last output of the attention,
    `time` the number of the step, `alignments` the last weights, `alignment_history` a TensorArray of
    all weights or (), and `attention_state` the state of the mechanism. With several mechanisms, the
    last three are tuples.
    """

    def clone(self, **kwargs):
        """Returns a copy with some fields replaced.

        Args:
          **kwargs: the new fields. Their shapes must be compatible with those of the old ones.
        """

        def with_same_shape(old, new):
            if isinstance(old, ops.Tensor) and isinstance(new, ops.Tensor):
                new.set_shape(old.shape)
            return new

        return nest.map_structure(with_same_shape, self, self._replace(**kwargs))


@export('contrib.seq2seq.hardmax')
def hardmax(logits, name=None):
    """Returns 1 for the largest element along the last axis, and 0 for the others.

    Args:
      logits: a float tensor.
      name: the name of the scope. Defaults to "Hardmax".
    """
    with ops.name_scope(name, 'Hardmax', [logits]):
        logits = ops.convert_to_tensor(logits, name='logits')
        return array_ops.one_hot(math_ops.argmax(logits, -1), static_or_dynamic(logits, -1),
                          dtype=logits.dtype)


def _compute_attention(attention_mechanism, cell_output, attention_state, attention_layer):
    """Returns the output of the attention, the weights and the new state of the mechanism."""
    alignments, next_state = attention_mechanism(cell_output, state=attention_state)
    context = array_ops.squeeze(math_ops.matmul(array_ops.expand_dims(alignments, 1), attention_mechanism.values), [1])
    if attention_layer is None:
        return context, alignments, next_state
    return attention_layer(array_ops.concat([cell_output, context], 1)), alignments, next_state


def _mechanisms(given):
    several = isinstance(given, (list, tuple))
    mechanisms = tuple(given) if several else (given,)
    for mechanism in mechanisms:
        if not isinstance(mechanism, attention_mechanisms.AttentionMechanism):
            raise TypeError(
                ('attention_mechanism must contain only instances of AttentionMechanism, saw '
                 'type: ' if several else 'attention_mechanism must be an AttentionMechanism or '
                 'list of multiple AttentionMechanism instances, saw type: ')
                + type(mechanism).__name__)
    return mechanisms, several


@export('contrib.seq2seq.AttentionWrapper')
class AttentionWrapper(rnn_cell.RNNCell):
    """Wraps a cell with attention to memories.

    Args:
      cell: an RNNCell.
      attention_mechanism: an AttentionMechanism, or a list of them.
      attention_layer_size: the size of a linear layer of cell output and context that makes the
        attention, or a list of sizes; None to use the context.
      alignment_history: whether the state keeps the weights of all steps in a TensorArray.
      cell_input_fn: a function (inputs, attention) -> the inputs of the cell. Defaults to joining them.
      output_attention: whether the output is the attention instead of the output of the cell.
      initial_cell_state: the state of the cell in zero_state(), or None for its zero state.
      name: the name of the layer.
      attention_layer: a Layer of cell output and context that makes the attention, or a list of them.
      attention_fn: a function (mechanism, cell output, attention state, layer) -> (attention,
        weights, new state) that replaces the usual one.

    Raises:
      TypeError: if a mechanism has the wrong type, or cell_input_fn is not callable.
      ValueError: if both attention_layer_size and attention_layer are given, or their number is not
        that of the mechanisms.
    """

    def __init__(self, cell, attention_mechanism, attention_layer_size=None,
                 alignment_history=False, cell_input_fn=None, output_attention=True,
                 initial_cell_state=None, name=None, attention_layer=None, attention_fn=None):
        super().__init__(name=name)
        rnn_steps.check_cell(cell)
        self._cell = cell
        self._attention_mechanisms, self._is_multi = _mechanisms(attention_mechanism)
        self._cell_input_fn = cell_input_fn or (
            lambda inputs, attention: array_ops.concat([inputs, attention], -1))
        if not callable(self._cell_input_fn):
            raise TypeError('cell_input_fn must be callable, saw type: '
                            f'{type(cell_input_fn).__name__}')
        self._attention_layers, self._attention_layer_size = self._make_layers(
            attention_layer_size, attention_layer)
        self._attention_fn = attention_fn or _compute_attention
        self._output_attention, self._alignment_history = output_attention, alignment_history
        with ops.name_scope(name, 'AttentionWrapperInit'):
            self._initial_cell_state = None if initial_cell_state is None else self._checked(
                initial_cell_state, static_or_dynamic(nest.flatten(initial_cell_state)[-1], 0),
                'constructing AttentionWrapper', 'check_initial_cell_state')

    def _make_layers(self, sizes, layers):
        mechanisms = self._attention_mechanisms
        if sizes is not None and layers is not None:
            raise ValueError('Only one of attention_layer_size and attention_layer should be set')
        if sizes is None and layers is None:
            return None, sum(tensor_shape.dimension_value(m.values.get_shape()[-1])
                             for m in mechanisms)
        given = layers if sizes is None else sizes
        given = tuple(given) if isinstance(given, (list, tuple)) else (given,)
        if len(given) != len(mechanisms):
            raise ValueError(
                f'If provided, {"attention_layer" if sizes is None else "attention_layer_size"} '
                'must contain exactly one '
                f'{"layer" if sizes is None else "integer"} per attention_mechanism, saw: '
                f'{len(given)} vs {len(mechanisms)}')
        if sizes is not None:
            return tuple(core.Dense(size, name='attention_layer', use_bias=False,
                                         dtype=mechanism.dtype)
                         for size, mechanism in zip(given, mechanisms, strict=True)), sum(given)
        depth = sum(tensor_shape.dimension_value(layer.compute_output_shape(
            [None, self._cell.output_size
             + tensor_shape.dimension_value(m.values.get_shape()[-1])])[-1])
            for layer, m in zip(given, mechanisms, strict=True))
        return given, depth

    def _checked(self, tensors, batch_size, when, name):
        """Returns the tensors, with a check that the memories have the same number of sequences."""
        message = (f'When {when} {self.name}: Non-matching batch sizes between the memory '
                   '(encoder output) and the given value. Are you using the BeamSearchDecoder? '
                   'You may need to tile your initial state via the '
                   'tf.contrib.seq2seq.tile_batch function with argument multiple=beam_width.')
        checks = [check_ops.assert_equal(batch_size, mechanism.batch_size, message=message)
                  for mechanism in self._attention_mechanisms]
        with ops.control_dependencies([check for check in checks if check is not None]):
            return nest.map_structure(lambda t: array_ops.identity(t, name=name), tensors)

    def _item_or_tuple(self, values):
        values = tuple(values)
        return values if self._is_multi else values[0]

    @property
    def output_size(self):
        return self._attention_layer_size if self._output_attention else self._cell.output_size

    @property
    def state_size(self):
        mechanisms = self._attention_mechanisms
        sizes = self._item_or_tuple(m.alignments_size for m in mechanisms)
        return AttentionWrapperState(
            cell_state=self._cell.state_size, time=tensor_shape.TensorShape([]),
            attention=self._attention_layer_size, alignments=sizes,
            attention_state=self._item_or_tuple(m.state_size for m in mechanisms),
            alignment_history=self._item_or_tuple(
                m.alignments_size if self._alignment_history else () for m in mechanisms))

    def zero_state(self, batch_size, dtype):
        """Returns the first state: that of the cell, no attention, and the first weights of the mechanisms.

        Args:
          batch_size: a number or an int32 scalar.
          dtype: its DType.
        """
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            cell_state = self._initial_cell_state
            if cell_state is None:
                cell_state = self._cell.zero_state(batch_size, dtype)
            cell_state = self._checked(cell_state, batch_size, 'calling zero_state of',
                                       'checked_cell_state')
            mechanisms = self._attention_mechanisms
            alignments = [m.initial_alignments(batch_size, dtype) for m in mechanisms]
            return AttentionWrapperState(
                cell_state=cell_state, time=array_ops.zeros([], dtype=dtypes.int32),
                attention=self._zeros(batch_size, self._attention_layer_size, dtype),
                alignments=self._item_or_tuple(alignments),
                attention_state=self._item_or_tuple(
                    m.initial_state(batch_size, dtype) for m in mechanisms),
                alignment_history=self._item_or_tuple(
                    tensor_array_ops.TensorArray(dtype, size=0, dynamic_size=True, element_shape=a.shape)
                    if self._alignment_history else () for a in alignments))

    def call(self, inputs, state):
        """Returns the output and the new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: an AttentionWrapperState.

        Raises:
          TypeError: if the state has another type.
        """
        if not isinstance(state, AttentionWrapperState):
            raise TypeError('Expected state to be instance of AttentionWrapperState. Received '
                            f'type {type(state)} instead.')
        output, cell_state = self._cell(self._cell_input_fn(inputs, state.attention),
                                        state.cell_state)
        output = self._checked(output, static_or_dynamic(output, 0), 'applying', 'checked_cell_output')
        attentions, alignments, states, histories = [], [], [], []
        old_states, old_histories = state.attention_state, state.alignment_history
        if not self._is_multi:
            old_states, old_histories = [old_states], [old_histories]
        for i, mechanism in enumerate(self._attention_mechanisms):
            attention, weights, new = self._attention_fn(
                mechanism, output, old_states[i],
                self._attention_layers[i] if self._attention_layers else None)
            attentions.append(attention)
            alignments.append(weights)
            states.append(new)
            histories.append(old_histories[i].write(state.time, weights)
                             if self._alignment_history else ())
        attention = array_ops.concat(attentions, 1)
        new_state = AttentionWrapperState(
            time=state.time + 1, cell_state=cell_state, attention=attention,
            attention_state=self._item_or_tuple(states),
            alignments=self._item_or_tuple(alignments),
            alignment_history=self._item_or_tuple(histories))
        return attention if self._output_attention else output, new_state
