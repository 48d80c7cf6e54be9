"""Layers that add noise in training."""

import numpy as np

from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.keras.backend import nn
from ramet.keras.engine.base_layer import Layer
from ramet.keras.layers.core import SameShape
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


@export('keras.layers.GaussianNoise')
@with_args_of(Layer)
class GaussianNoise(SameShape):
    """Adds normal random values in training.

    Args:
      stddev: their standard deviation.
    """

    def __init__(self, stddev, **kwargs):
        super().__init__(**kwargs)
        self.stddev = stddev

    def call(self, inputs, training=None):
        return nn.in_train_phase(lambda: inputs + nn.random_normal(array_ops.shape(inputs), stddev=self.stddev,
                                                                   dtype=inputs.dtype.name),
                                 inputs, training=training)

    def get_config(self):
        return {**super().get_config(), 'stddev': self.stddev}


@export('keras.layers.GaussianDropout')
@with_args_of(Layer)
class GaussianDropout(SameShape):
    """Multiplies with normal random values around 1 in training.

    Args:
      rate: the fraction that Dropout with the same effect would zero.
    """

    def __init__(self, rate, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate

    def call(self, inputs, training=None):
        if not 0 < self.rate < 1:
            return inputs
        stddev = np.sqrt(self.rate / (1.0 - self.rate))
        return nn.in_train_phase(lambda: inputs * nn.random_normal(array_ops.shape(inputs), mean=1.0, stddev=stddev,
                                                                   dtype=inputs.dtype.name),
                                 inputs, training=training)

    def get_config(self):
        return {**super().get_config(), 'rate': self.rate}


@export('keras.layers.AlphaDropout')
@with_args_of(Layer)
class AlphaDropout(SameShape):
    """Dropout that keeps the mean and variance of the outputs of SELUs.

    Args:
      rate: the fraction to replace.
      noise_shape: the shape of the random choices, or None for that of the inputs.
      seed: an integer.
    """

    _ALPHA_P = -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946

    def __init__(self, rate, noise_shape=None, seed=None, **kwargs):
        super().__init__(**kwargs)
        self.rate = rate
        self.noise_shape = noise_shape
        self.seed = seed

    def call(self, inputs, training=None):
        if not 0. < self.rate < 1.:
            return inputs
        return nn.in_train_phase(lambda: self._dropped(inputs), inputs, training=training)

    def _dropped(self, inputs):
        shape = array_ops.shape(inputs) if self.noise_shape is None else self.noise_shape
        kept = math_ops.cast(math_ops.greater_equal(nn.random_uniform(shape, seed=self.seed), self.rate), inputs.dtype)
        a = ((1 - self.rate) * (1 + self.rate * self._ALPHA_P ** 2)) ** -0.5
        b = -a * self._ALPHA_P * self.rate
        return a * (inputs * kept + self._ALPHA_P * (1 - kept)) + b

    def get_config(self):
        return {**super().get_config(), 'rate': self.rate}
