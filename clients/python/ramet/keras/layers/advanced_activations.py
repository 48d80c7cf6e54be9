"""Activations with parameters, as layers."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import tensor_shape
from ramet.keras import activations
from ramet.keras.engine.base_layer import Layer
from ramet.keras.engine.input_spec import InputSpec
from ramet.keras.layers import configs
from ramet.ops.math import math_ops


class _ElementWise(Layer):
    """A layer whose output has the shape of its input, and its mask."""

    _config = ''

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.supports_masking = True

    def compute_output_shape(self, input_shape):
        return tensor_shape.as_shape(input_shape)

    def get_config(self):
        return {**super().get_config(), **configs.serialized(self, self._config)}


@export('keras.layers.LeakyReLU')
@with_args_of(Layer)
class LeakyReLU(_ElementWise):
    """x where it is positive, and alpha * x elsewhere.

    Args:
      alpha: a number.
    """

    _config = 'alpha'

    def __init__(self, alpha=0.3, **kwargs):
        super().__init__(**kwargs)
        self.alpha = np.float32(alpha).item()

    def call(self, inputs):
        return activations.relu(inputs, alpha=self.alpha)


@export('keras.layers.PReLU')
@with_args_of(Layer)
class PReLU(_ElementWise):
    """x where it is positive, and alpha * x elsewhere, with a variable alpha for each element.

    Args:
      alpha_initializer: the initializer of the variable.
      alpha_regularizer: a function from the variable to a loss.
      alpha_constraint: a function that optimizers apply to new values.
      shared_axes: the axes along which elements have the same alpha, counted from 1 without the batch.
    """

    _config = 'alpha_initializer alpha_regularizer alpha_constraint shared_axes'

    def __init__(self, alpha_initializer='zeros', alpha_regularizer=None, alpha_constraint=None, shared_axes=None,
                 **kwargs):
        super().__init__(**kwargs)
        configs.keep(self, alpha_initializer=alpha_initializer, alpha_regularizer=alpha_regularizer,
                     alpha_constraint=alpha_constraint)
        self.shared_axes = shared_axes if shared_axes is None else (
            list(shared_axes) if isinstance(shared_axes, (list, tuple)) else [shared_axes])

    def build(self, input_shape):
        sizes = tensor_shape.as_shape(input_shape).as_list()[1:]
        for axis in self.shared_axes or ():
            sizes[axis - 1] = 1
        self.alpha = self.add_weight('alpha', shape=sizes, initializer=self.alpha_initializer,
                                     regularizer=self.alpha_regularizer, constraint=self.alpha_constraint)
        known = {i: size for i, size in enumerate(sizes, 1) if i not in (self.shared_axes or ())}
        self.input_spec = InputSpec(ndim=len(sizes) + 1, axes=known)
        self.built = True

    def call(self, inputs):
        return activations.relu(inputs) - self.alpha * activations.relu(-inputs)


@export('keras.layers.ELU')
@with_args_of(Layer)
class ELU(_ElementWise):
    """x where it is positive, and alpha * (exp(x) - 1) elsewhere.

    Args:
      alpha: a number.
    """

    _config = 'alpha'

    def __init__(self, alpha=1.0, **kwargs):
        super().__init__(**kwargs)
        self.alpha = float(alpha)

    def call(self, inputs):
        return activations.elu(inputs, self.alpha)


@export('keras.layers.ThresholdedReLU')
@with_args_of(Layer)
class ThresholdedReLU(_ElementWise):
    """x where it is above theta, and 0 elsewhere.

    Args:
      theta: a number.
    """

    _config = 'theta'

    def __init__(self, theta=1.0, **kwargs):
        super().__init__(**kwargs)
        self.theta = float(theta)

    def call(self, inputs):
        return inputs * math_ops.cast(math_ops.greater(inputs, self.theta), inputs.dtype)


@export('keras.layers.Softmax')
@with_args_of(Layer)
class Softmax(_ElementWise):
    """exp(x), divided by its sum along an axis.

    Args:
      axis: an int.
    """

    _config = 'axis'

    def __init__(self, axis=-1, **kwargs):
        super().__init__(**kwargs)
        self.axis = axis

    def call(self, inputs):
        return activations.softmax(inputs, axis=self.axis)


@export('keras.layers.ReLU')
@with_args_of(Layer)
class ReLU(_ElementWise):
    """x where it is above a threshold, and negative_slope * (x - threshold) elsewhere, limited from above.

    Args:
      max_value: the upper bound, or None.
      negative_slope: the slope below the threshold.
      threshold: the threshold.

    Raises:
      ValueError: if a number is negative.
    """

    _config = 'max_value negative_slope threshold'

    def __init__(self, max_value=None, negative_slope=0, threshold=0, **kwargs):
        super().__init__(**kwargs)
        if max_value is not None and max_value < 0.:
            raise ValueError(f'max_value of Relu layer cannot be negative value: {max_value}')
        if negative_slope < 0.:
            raise ValueError(f'negative_slope of Relu layer cannot be negative value: {negative_slope}')
        self.max_value = max_value
        self.negative_slope = float(negative_slope)
        self.threshold = float(threshold)

    def call(self, inputs):
        return activations.relu(inputs, alpha=self.negative_slope, max_value=self.max_value, threshold=self.threshold)
