"""A decoder that takes the inputs of its steps from a helper."""

import collections

from ramet.api import export
from ramet.contrib.seq2seq import decoder, helpers
from ramet.framework import nest, ops, tensor_shape
from ramet.layers import base
from ramet.rnn import rnn_steps


@export('contrib.seq2seq.BasicDecoderOutput')
class BasicDecoderOutput(collections.namedtuple('BasicDecoderOutput',
                                                ('rnn_output', 'sample_id'))):
    """The outputs of a BasicDecoder: those of the cell, and the symbols that were sampled from them."""

    __slots__ = ()


def size_after(output_layer, size):
    """Returns the sizes of a cell's outputs after an output layer, if there is one."""
    if output_layer is None:
        return size
    shapes = nest.map_structure(lambda s: tensor_shape.TensorShape([None]).concatenate(s), size)
    shapes = output_layer.compute_output_shape(shapes)
    return nest.map_structure(lambda s: s[1:], shapes)


@export('contrib.seq2seq.BasicDecoder')
class BasicDecoder(decoder.Decoder):
    """Applies a cell to the inputs that a helper chooses.

    Args:
      cell: an RNNCell.
      helper: a Helper.
      initial_state: the first state of the cell.
      output_layer: a tf.layers.Layer that is applied to the outputs of the cell, or None.

    Raises:
      TypeError: if an argument has the wrong type.
    """

    def __init__(self, cell, helper, initial_state, output_layer=None):
        rnn_steps.check_cell(cell)
        if not isinstance(helper, helpers.Helper):
            raise TypeError(f'helper must be a Helper, received: {type(helper)}')
        if output_layer is not None and not isinstance(output_layer, base.Layer):
            raise TypeError(f'output_layer must be a Layer, received: {type(output_layer)}')
        self._cell, self._helper = cell, helper
        self._initial_state, self._output_layer = initial_state, output_layer

    batch_size = property(lambda self: self._helper.batch_size)

    @property
    def output_size(self):
        return BasicDecoderOutput(size_after(self._output_layer, self._cell.output_size),
                                  self._helper.sample_ids_shape)

    @property
    def output_dtype(self):
        dtype = nest.flatten(self._initial_state)[0].dtype
        sizes = size_after(self._output_layer, self._cell.output_size)
        return BasicDecoderOutput(nest.map_structure(lambda _: dtype, sizes),
                                  self._helper.sample_ids_dtype)

    def initialize(self, name=None):
        """Returns which sequences are empty, the first inputs and the first state.

        Args:
          name: ignored.
        """
        return (*self._helper.initialize(), self._initial_state)

    def step(self, time, inputs, state, name=None):
        """Computes one step, like Decoder.step."""
        with ops.name_scope(name, 'BasicDecoderStep', (time, inputs, state)):
            outputs, state = self._cell(inputs, state)
            if self._output_layer is not None:
                outputs = self._output_layer(outputs)
            sample_ids = self._helper.sample(time=time, outputs=outputs, state=state)
            finished, next_inputs, next_state = self._helper.next_inputs(
                time=time, outputs=outputs, state=state, sample_ids=sample_ids)
            return BasicDecoderOutput(outputs, sample_ids), next_state, next_inputs, finished
