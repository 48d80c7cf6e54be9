"""Cells that embed or project the inputs and outputs of other cells."""

import math

from ramet.api import export
from ramet.contrib.rnn.linear import linear
from ramet.docstrings import with_args_of
from ramet.framework import nest, ops
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.nn import embedding_ops
from ramet.ops.variables import variable_scope
from ramet.rnn import rnn_cell, rnn_steps


class ForwardingCell(rnn_cell.RNNCell):
    """A cell in a scope of its own that has the sizes of the cell that it wraps.

    Args:
      cell: an RNNCell.
      reuse: whether to reuse the variables of the scope.
    """

    def __init__(self, cell, reuse=None):
        super().__init__(_reuse=reuse)
        rnn_steps.check_cell(cell)
        self._cell = cell

    state_size = property(lambda self: self._cell.state_size)
    output_size = property(lambda self: self._cell.output_size)

    def zero_state(self, batch_size, dtype):
        with ops.name_scope(type(self).__name__ + 'ZeroState', values=[batch_size]):
            return self._cell.zero_state(batch_size, dtype)


@export('contrib.rnn.EmbeddingWrapper')
@with_args_of(ForwardingCell)
class EmbeddingWrapper(ForwardingCell):
    """Looks up the embeddings of its inputs, which are numbers of symbols, for a cell.

    Args:
      embedding_classes: the number of symbols.
      embedding_size: the size of an embedding.
      initializer: the initializer of the variable "embedding". Defaults to that of the scope, or to
        uniform numbers of variance 1.

    Raises:
      ValueError: if a size is not positive.
    """

    def __init__(self, cell, embedding_classes, embedding_size, initializer=None, reuse=None):
        super().__init__(cell, reuse)
        if embedding_classes <= 0 or embedding_size <= 0:
            raise ValueError('Both embedding_classes and embedding_size must be > 0: '
                             f'{embedding_classes}, {embedding_size}.')
        self._classes, self._size = embedding_classes, embedding_size
        self._initializer = initializer

    def call(self, inputs, state):
        """Returns the output of the cell and its new state.

        Args:
          inputs: a vector of integers [batch].
          state: the state of the cell.
        """
        with ops.device('/cpu:0'):
            limit = math.sqrt(3)  # The variance of uniform numbers up to this limit is 1.
            initializer = self._initializer or variable_scope.get_variable_scope().initializer \
                or init_ops.RandomUniform(-limit, limit)
            first = state[0] if isinstance(state, tuple) else state
            embedding = variable_scope.get_variable('embedding', [self._classes, self._size],
                                        initializer=initializer,
                                        dtype=nest.flatten(first)[0].dtype)
            embedded = embedding_ops.embedding_lookup(embedding, array_ops.reshape(inputs, [-1]))
        return self._cell(embedded, state)


@export('contrib.rnn.InputProjectionWrapper')
@with_args_of(ForwardingCell)
class InputProjectionWrapper(ForwardingCell):
    """Projects the inputs of a cell.

    Args:
      num_proj: the size of the projected inputs.
      activation: a function of the projected inputs, or None.
      input_size: ignored.
    """

    def __init__(self, cell, num_proj, activation=None, input_size=None, reuse=None):
        super().__init__(cell, reuse)
        self._num_proj, self._activation = num_proj, activation

    def call(self, inputs, state):
        """Returns the output of the cell and its new state.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state of the cell.
        """
        projected = linear(inputs, self._num_proj, True)
        if self._activation:
            projected = self._activation(projected)
        return self._cell(projected, state)


@export('contrib.rnn.OutputProjectionWrapper')
@with_args_of(ForwardingCell)
class OutputProjectionWrapper(ForwardingCell):
    """Projects the outputs of a cell.

    Args:
      output_size: the size of the projected outputs.
      activation: a function of the projected outputs, or None.

    Raises:
      ValueError: if output_size is not positive.
    """

    def __init__(self, cell, output_size, activation=None, reuse=None):
        super().__init__(cell, reuse)
        if output_size < 1:
            raise ValueError(f'Parameter output_size must be > 0: {output_size}.')
        self._output_size, self._activation = output_size, activation

    output_size = property(lambda self: self._output_size)

    def call(self, inputs, state):
        """Returns the projected output and the new state of the cell.

        Args:
          inputs: a Tensor [batch, depth].
          state: the state of the cell.
        """
        output, new_state = self._cell(inputs, state)
        projected = linear(output, self._output_size, True)
        return self._activation(projected) if self._activation else projected, new_state
