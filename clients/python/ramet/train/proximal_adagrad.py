"""Proximal Adagrad."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.train import proximal


@export('train.ProximalAdagradOptimizer')
class ProximalAdagradOptimizer(proximal.ProximalOptimizer):
    """Adagrad with L1 and L2 penalties in a proximal step (Duchi et al., 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      initial_accumulator_value: a number > 0, the initial value of the accumulators.
      l1_regularization_strength: a number >= 0.
      l2_regularization_strength: a number >= 0.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.

    Raises:
      ValueError: if initial_accumulator_value is not positive.
    """

    def __init__(self, learning_rate, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='ProximalAdagrad'):
        if initial_accumulator_value <= 0.0:
            raise ValueError('initial_accumulator_value must be positive: %s'
                             % initial_accumulator_value)
        super().__init__(learning_rate, l1_regularization_strength, l2_regularization_strength,
                         use_locking, name)
        self._initial_accumulator_value = initial_accumulator_value

    def _create_slots(self, var_list):
        for v in var_list:
            with ops.colocate_with(v.op):
                value = constant_op.constant(self._initial_accumulator_value, shape=v.get_shape(),
                                             dtype=v.dtype.base_dtype)
            self._get_or_make_slot(v, value, 'accumulator', self._name)

    def _apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.ApplyProximalAdagrad(var, acc, *self._hyper(var.dtype.base_dtype), grad,
                                        use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.ResourceApplyProximalAdagrad(
            var.handle, acc.handle, *self._hyper(grad.dtype.base_dtype), grad,
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.SparseApplyProximalAdagrad(
            var, acc, *self._hyper(var.dtype.base_dtype), grad.values, grad.indices,
            use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        acc = self.get_slot(var, 'accumulator')
        return gen.ResourceSparseApplyProximalAdagrad(
            var.handle, acc.handle, *self._hyper(grad.dtype), grad, indices,
            use_locking=self._use_locking)
