"""Adagrad with dual averaging."""

from ramet import gen
from ramet.api import export
from ramet.framework import constant_op, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.AdagradDAOptimizer')
class AdagradDAOptimizer(optimizer.Optimizer):
    """Adagrad with dual averaging, for sparse linear models (Duchi et al., 2011).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      global_step: a variable, the number of completed steps.
      initial_gradient_squared_accumulator_value: a number > 0.
      l1_regularization_strength: a number >= 0.
      l2_regularization_strength: a number >= 0.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.

    Raises:
      ValueError: if initial_gradient_squared_accumulator_value is not positive.
    """

    def __init__(self, learning_rate, global_step, initial_gradient_squared_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='AdagradDA'):
        if initial_gradient_squared_accumulator_value <= 0.0:
            raise ValueError('initial_gradient_squared_accumulator_value must be positive: %s'
                             % initial_gradient_squared_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_gradient_squared_accumulator_value = (
            initial_gradient_squared_accumulator_value)
        self._learning_rate_tensor = None
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._global_step = global_step
        self._global_step_on_worker = None

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            with ops.colocate_with(v.op):
                zeros = constant_op.constant(0.0, shape=v.get_shape(), dtype=dtype)
                squares = constant_op.constant(self._initial_gradient_squared_accumulator_value,
                                               shape=v.get_shape(), dtype=dtype)
            self._get_or_make_slot(v, zeros, 'gradient_accumulator', self._name)
            self._get_or_make_slot(v, squares, 'gradient_squared_accumulator', self._name)

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')
        with ops.colocate_with(self._learning_rate_tensor.op):
            self._global_step_on_worker = array_ops.identity(self._global_step) + 1

    def _slots_of(self, var):
        return (self.get_slot(var, 'gradient_accumulator'),
                self.get_slot(var, 'gradient_squared_accumulator'))

    def _hyper(self, grad, dtype):
        with ops.device(grad.device):
            step = array_ops.identity(self._global_step_on_worker)
        return (math_ops.cast(self._learning_rate_tensor, dtype),
                math_ops.cast(self._l1_regularization_strength, dtype),
                math_ops.cast(self._l2_regularization_strength, dtype), step)

    def _apply_dense(self, grad, var):
        g, gg = self._slots_of(var)
        return gen.ApplyAdagradDA(var, g, gg, grad, *self._hyper(grad, var.dtype.base_dtype),
                                  use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        g, gg = self._slots_of(var)
        return gen.ResourceApplyAdagradDA(
            var.handle, g.handle, gg.handle, grad, *self._hyper(grad, grad.dtype.base_dtype),
            use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        g, gg = self._slots_of(var)
        return gen.SparseApplyAdagradDA(
            var, g, gg, grad.values, grad.indices, *self._hyper(grad, var.dtype.base_dtype),
            use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        g, gg = self._slots_of(var)
        return gen.ResourceSparseApplyAdagradDA(
            var.handle, g.handle, gg.handle, grad, indices,
            *self._hyper(grad, grad.dtype.base_dtype), use_locking=self._use_locking)
