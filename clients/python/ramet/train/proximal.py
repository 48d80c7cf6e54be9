"""The base class of the two proximal optimizers."""

from ramet.framework import ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


class ProximalOptimizer(optimizer.Optimizer):
    """An optimizer with a learning rate and the strengths of L1 and L2 penalties."""

    def __init__(self, learning_rate, l1_regularization_strength, l2_regularization_strength,
                 use_locking, name):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._tensors = None

    def _prepare(self):
        named = (('learning_rate', self._call_if_callable(self._learning_rate)),
                 ('l1_regularization_strength', self._l1_regularization_strength),
                 ('l2_regularization_strength', self._l2_regularization_strength))
        self._tensors = [ops.convert_to_tensor(value, name=name) for name, value in named]

    def _hyper(self, dtype):
        return [math_ops.cast(t, dtype) for t in self._tensors]
