"""Provides all initializers in one module, with TensorFlow's name."""

from ramet.ops.initializers.init_random import (  # noqa: F401
    GlorotNormal,
    GlorotUniform,
    KerasRandomNormal,
    KerasRandomUniform,
    KerasTruncatedNormal,
    RandomNormal,
    RandomUniform,
    TruncatedNormal,
    UniformUnitScaling,
    VarianceScaling,
    he_normal,
    he_uniform,
    lecun_normal,
    lecun_uniform,
)
from ramet.ops.initializers.init_values import Constant, Identity, Initializer, Ones, Zeros  # noqa: F401

zeros_initializer = Zeros
ones_initializer = Ones
constant_initializer = Constant
random_uniform_initializer = RandomUniform
random_normal_initializer = RandomNormal
truncated_normal_initializer = TruncatedNormal
uniform_unit_scaling_initializer = UniformUnitScaling
variance_scaling_initializer = VarianceScaling
glorot_uniform_initializer = GlorotUniform
glorot_normal_initializer = GlorotNormal
