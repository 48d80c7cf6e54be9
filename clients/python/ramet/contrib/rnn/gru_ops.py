"""GRU cells whose step is one operation."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.layers import base
from ramet.ops.initializers import init_ops
from ramet.rnn.rnn_cell import LayerCell


@export('contrib.rnn.GRUBlockCell')
@with_args_of(base.Layer)
class GRUBlockCell(LayerCell):
    """A GRU cell whose step is one operation. It computes what GRUCell does, with different names of variables.

    Args:
      num_units: the size of state and output.
      cell_size: another name of num_units.
      reuse: whether to reuse existing variables.
      name: the name of the layer.

    Raises:
      ValueError: if both or neither of num_units and cell_size are given.
    """

    # The matrices and biases of the gates, and of the candidate.
    _NAMES = ('w_ru', 'b_ru', 'w_c', 'b_c')

    def __init__(self, num_units=None, cell_size=None, reuse=None, name='gru_cell'):
        if (cell_size is None) == (num_units is None):
            raise ValueError('Exactly one of num_units or cell_size must be provided.')
        super().__init__(cell_size if num_units is None else num_units, None, reuse, name, None)

    state_size = output_size = property(lambda self: self._num_units)

    def build(self, input_shape):
        """Creates the variables.

        Args:
          input_shape: the shape of the inputs.

        Raises:
          ValueError: if the last dimension is not known.
        """
        depth, units = input_shape.dims[1].value, self._num_units
        if depth is None:
            raise ValueError('Expecting input_size to be set.')
        gates, gate_biases, candidate, candidate_biases = self._NAMES
        self._gate_kernel = self.add_variable(gates, [depth + units, 2 * units])
        self._gate_bias = self.add_variable(gate_biases, [2 * units], initializer=init_ops.constant_initializer(1.0))
        self._candidate_kernel = self.add_variable(candidate, [depth + units, units])
        self._candidate_bias = self.add_variable(candidate_biases, [units],
                                                 initializer=init_ops.constant_initializer(0.0))
        self.built = True

    def call(self, inputs, h_prev):
        """Returns the output and the new state, which are the same.

        Args:
          inputs: a Tensor [batch, depth].
          h_prev: the state, a Tensor [batch, num_units].

        Raises:
          ValueError: if the state has a different size.
        """
        size = h_prev.get_shape().with_rank(2).dims[1].value
        if size != self._num_units:
            raise ValueError(f'Shape of h_prev[1] incorrect: cell_size {self._num_units} vs {size}')
        step = gen.GRUBlockCell(x=inputs, h_prev=h_prev, w_ru=self._gate_kernel, w_c=self._candidate_kernel,
                                b_ru=self._gate_bias, b_c=self._candidate_bias)
        return step.h, step.h


@export('contrib.rnn.GRUBlockCellV2')
class GRUBlockCellV2(GRUBlockCell):
    """GRUBlockCell with the names of GRUCell's variables, so that they can share checkpoints."""

    _NAMES = ('gates/kernel', 'gates/bias', 'candidate/kernel', 'candidate/bias')
