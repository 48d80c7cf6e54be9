"""Embeddings."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras import regularizers
from ramet.keras.backend import config
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers import configs
from ramet.keras.utils import generic_utils
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops


@export('keras.layers.Embedding')
@with_args_of(Layer)
class Embedding(Layer):
    """Replaces integers by rows of a variable.

    Args:
      input_dim: the number of rows.
      output_dim: the size of a row.
      embeddings_initializer: the initializer of the variable.
      embeddings_regularizer: a function from the variable to a loss.
      activity_regularizer: a function from the output to a loss.
      embeddings_constraint: a function that optimizers apply to new values.
      mask_zero: whether the integer 0 means a time step to mask.
      input_length: the number of integers in a sample, if it is fixed.

    Attributes:
      embeddings: the variable of shape [input_dim, output_dim].
    """

    def __init__(self, input_dim, output_dim, embeddings_initializer='uniform', embeddings_regularizer=None,
                 activity_regularizer=None, embeddings_constraint=None, mask_zero=False, input_length=None, **kwargs):
        if 'input_shape' not in kwargs and 'batch_input_shape' not in kwargs:
            kwargs['input_shape'] = (None,) if input_length is None else tuple(generic_utils.to_list(input_length))
        dtype = kwargs.pop('dtype', None) or config.floatx()
        super().__init__(dtype=dtype, activity_regularizer=regularizers.get(activity_regularizer), **kwargs)
        self.input_dim = input_dim
        self.output_dim = output_dim
        configs.keep(self, embeddings_initializer=embeddings_initializer,
                     embeddings_regularizer=embeddings_regularizer, embeddings_constraint=embeddings_constraint)
        self.mask_zero = mask_zero
        self.supports_masking = mask_zero
        self.input_length = input_length

    def build(self, input_shape):
        self.embeddings = self.add_weight(
            'embeddings', shape=(self.input_dim, self.output_dim), initializer=self.embeddings_initializer,
            regularizer=self.embeddings_regularizer, constraint=self.embeddings_constraint)
        self.built = True

    def compute_mask(self, inputs, mask=None):
        return math_ops.not_equal(inputs, 0) if self.mask_zero else None

    def compute_output_shape(self, input_shape):
        shape = tensor_shape.as_shape(input_shape).as_list()
        if self.input_length is not None:
            lengths = generic_utils.to_list(self.input_length)
            if len(lengths) != len(shape) - 1:
                raise ValueError(f'"input_length" is {self.input_length}, but received input has shape {tuple(shape)}')
            shape = [shape[0], *(known if length is None else length for known, length in zip(shape[1:], lengths))]
        return tensor_shape.TensorShape([*shape, self.output_dim])

    def call(self, inputs):
        if inputs.dtype.base_dtype.name not in ('int32', 'int64'):
            inputs = math_ops.cast(inputs, 'int32')
        return embedding_ops.embedding_lookup(self.embeddings, inputs)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(
            self, 'input_dim output_dim embeddings_initializer embeddings_regularizer activity_regularizer '
            'embeddings_constraint mask_zero input_length')}
