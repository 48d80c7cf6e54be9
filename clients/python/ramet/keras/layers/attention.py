"""Attention."""

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops, tensor_shape
from ramet.keras.engine.base_layer import Layer
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation


class _Attention(Layer):
    """The base class of attention: the inputs are a list [query, value] or [query, value, key].

    Args:
      causal: whether each step attends only to itself and earlier steps.
    """

    def __init__(self, causal=False, **kwargs):
        super().__init__(**kwargs)
        self.causal = causal
        self.supports_masking = True

    def _scores(self, query, key):
        raise NotImplementedError

    def call(self, inputs, mask=None):
        if not isinstance(inputs, list) or len(inputs) not in (2, 3):
            raise ValueError(f'{type(self).__name__} layer must be called on a list of inputs, namely [query, value] '
                             f'or [query, value, key]. Given: {inputs}')
        query, value = inputs[:2]
        key = inputs[2] if len(inputs) > 2 else value
        scores = self._scores(query, key)
        allowed = None
        if mask is not None and mask[1] is not None:
            allowed = array_ops.expand_dims(mask[1], -2)
        if self.causal:
            steps = _lower_triangle(array_ops.shape(scores))
            allowed = steps if allowed is None else math_ops.logical_and(allowed, steps)
        if allowed is not None:
            scores -= 1.e9 * math_ops.cast(math_ops.logical_not(allowed), scores.dtype)
        result = math_ops.matmul(nn_activation.softmax(scores), value)
        if mask is not None and mask[0] is not None:
            result *= math_ops.cast(array_ops.expand_dims(mask[0], -1), result.dtype)
        return result

    def compute_mask(self, inputs, mask=None):
        return ops.convert_to_tensor(mask[0]) if mask is not None and mask[0] is not None else None

    def compute_output_shape(self, input_shape):
        query, value = (tensor_shape.as_shape(s).as_list() for s in input_shape[:2])
        return tensor_shape.TensorShape([*query[:-1], value[-1]])

    def get_config(self):
        return {**super().get_config(), 'causal': self.causal}


def _lower_triangle(shape):
    rows, columns = shape[-2], shape[-1]
    return math_ops.greater_equal(array_ops.expand_dims(math_ops.range(rows), -1),
                                  array_ops.expand_dims(math_ops.range(columns), 0))


@export('keras.layers.Attention')
@with_args_of(_Attention, Layer)
class Attention(_Attention):
    """Attention by the products of queries and keys.

    Args:
      use_scale: whether to multiply the products by a variable.
    """

    def __init__(self, use_scale=False, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.scale = None

    def build(self, input_shape):
        if self.use_scale:
            self.scale = self.add_weight('scale', shape=(), initializer='ones')
        self.built = True

    def _scores(self, query, key):
        scores = math_ops.matmul(query, key, transpose_b=True)
        return scores if self.scale is None else scores * self.scale

    def get_config(self):
        return {**super().get_config(), 'use_scale': self.use_scale}


@export('keras.layers.AdditiveAttention')
@with_args_of(_Attention, Layer)
class AdditiveAttention(_Attention):
    """Attention by the hyperbolic tangents of the sums of queries and keys.

    Args:
      use_scale: whether to multiply by a variable.
    """

    def __init__(self, use_scale=True, **kwargs):
        super().__init__(**kwargs)
        self.use_scale = use_scale
        self.scale = None

    def build(self, input_shape):
        if self.use_scale:
            size = tensor_shape.as_shape(input_shape[1]).as_list()[-1]
            self.scale = self.add_weight('scale', shape=[size], initializer='glorot_uniform')
        self.built = True

    def _scores(self, query, key):
        sums = math_ops.tanh(array_ops.expand_dims(query, -2) + array_ops.expand_dims(key, -3))
        return math_ops.reduce_sum(sums if self.scale is None else self.scale * sums, -1)

    def get_config(self):
        return {**super().get_config(), 'use_scale': self.use_scale}
