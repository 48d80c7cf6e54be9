"""Proximal gradient descent."""

from ramet import gen
from ramet.api import export
from ramet.train import proximal


@export('train.ProximalGradientDescentOptimizer')
class ProximalGradientDescentOptimizer(proximal.ProximalOptimizer):
    """Gradient descent with L1 and L2 penalties in a proximal step (Duchi, Singer: FOBOS, 2009).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      l1_regularization_strength: a number >= 0.
      l2_regularization_strength: a number >= 0.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of the operations.
    """

    def __init__(self, learning_rate, l1_regularization_strength=0.0,
                 l2_regularization_strength=0.0, use_locking=False,
                 name='ProximalGradientDescent'):
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength,
                         use_locking, name)

    def _apply_dense(self, grad, var):
        return gen.ApplyProximalGradientDescent(
            var, *self._hyper(var.dtype.base_dtype), grad, use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return gen.ResourceApplyProximalGradientDescent(
            var.handle, *self._hyper(grad.dtype.base_dtype), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        return gen.SparseApplyProximalGradientDescent(
            var, *self._hyper(var.dtype.base_dtype), grad.values, grad.indices,
            use_locking=self._use_locking).op

    def _resource_apply_sparse(self, grad, var, indices):
        return gen.ResourceSparseApplyProximalGradientDescent(
            var.handle, *self._hyper(grad.dtype), grad, indices, use_locking=self._use_locking)
