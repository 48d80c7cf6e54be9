"""Gradient descent with momentum."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.MomentumOptimizer')
class MomentumOptimizer(optimizer.Optimizer):
    """Momentum: accumulation = momentum * accumulation + gradient; var -= rate * accumulation.

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      momentum: like learning_rate, the decay of the accumulation.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.
      use_nesterov: whether to use var -= rate * (gradient + momentum * accumulation) instead.
    """

    def __init__(self, learning_rate, momentum, use_locking=False, name='Momentum',
                 use_nesterov=False):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._momentum = momentum
        self._use_nesterov = use_nesterov

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'momentum', self._name)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')
        self._momentum_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._momentum), name='momentum')

    def _hyper(self, dtype):
        return (math_ops.cast(self._learning_rate_tensor, dtype),
                math_ops.cast(self._momentum_tensor, dtype))

    def _options(self):
        return {'use_locking': self._use_locking, 'use_nesterov': self._use_nesterov}

    def _apply_dense(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._hyper(var.dtype.base_dtype)
        return gen.ApplyMomentum(var, mom, rate, grad, momentum, **self._options()).op

    def _resource_apply_dense(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._hyper(grad.dtype.base_dtype)
        return gen.ResourceApplyMomentum(var.handle, mom.handle, rate, grad, momentum,
                                         **self._options())

    def _apply_sparse(self, grad, var):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._hyper(var.dtype.base_dtype)
        return gen.SparseApplyMomentum(var, mom, rate, grad.values, grad.indices, momentum,
                                       **self._options()).op

    def _resource_apply_sparse(self, grad, var, indices):
        mom = self.get_slot(var, 'momentum')
        rate, momentum = self._hyper(grad.dtype.base_dtype)
        return gen.ResourceSparseApplyMomentum(var.handle, mom.handle, rate, grad, indices,
                                               momentum, **self._options())
