"""Adadelta."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.AdadeltaOptimizer')
class AdadeltaOptimizer(optimizer.Optimizer):
    """Adadelta: scales steps by the running means of gradients and updates (Zeiler, arXiv 1212.5701).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      rho: like learning_rate, the decay of the running means.
      epsilon: like learning_rate, keeps square roots away from 0.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.
    """

    def __init__(self, learning_rate=0.001, rho=0.95, epsilon=1e-8, use_locking=False,
                 name='Adadelta'):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._rho = rho
        self._epsilon = epsilon
        self._lr_t = self._rho_t = self._epsilon_t = None

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'accum', self._name)
            self._zeros_slot(v, 'accum_update', self._name)

    def _prepare(self):
        lr, rho, epsilon = (self._call_if_callable(p) for p in (self._lr, self._rho, self._epsilon))
        self._lr_t = ops.convert_to_tensor(lr, name='lr')
        self._rho_t = ops.convert_to_tensor(rho, name='rho')
        self._epsilon_t = ops.convert_to_tensor(epsilon, name='epsilon')

    def _slots_of(self, var):
        return self.get_slot(var, 'accum'), self.get_slot(var, 'accum_update')

    def _hyper(self, dtype):
        return [math_ops.cast(t, dtype) for t in (self._lr_t, self._rho_t, self._epsilon_t)]

    def _apply_dense(self, grad, var):
        accum, update = self._slots_of(var)
        return gen.ApplyAdadelta(var, accum, update, *self._hyper(var.dtype.base_dtype), grad,
                                 use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        accum, update = self._slots_of(var)
        return gen.ResourceApplyAdadelta(
            var.handle, accum.handle, update.handle, *self._hyper(grad.dtype.base_dtype), grad,
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        accum, update = self._slots_of(var)
        return gen.SparseApplyAdadelta(
            var, accum, update, *self._hyper(var.dtype.base_dtype), grad.values, grad.indices,
            use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        accum, update = self._slots_of(var)
        return gen.ResourceSparseApplyAdadelta(
            var.handle, accum.handle, update.handle, *self._hyper(grad.dtype.base_dtype), grad,
            indices, use_locking=self._use_locking)
