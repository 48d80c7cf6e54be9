"""Adagrad."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.AdagradOptimizer')
class AdagradOptimizer(optimizer.Optimizer):
    """Adagrad: accumulator += gradient^2; var -= rate * gradient / sqrt(accumulator).

    Duchi et al., Adaptive Subgradient Methods, JMLR 12 (2011).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      initial_accumulator_value: a number > 0, the initial value of the accumulators.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.

    Raises:
      ValueError: if initial_accumulator_value is not positive.
    """

    def __init__(self, learning_rate, initial_accumulator_value=0.1, use_locking=False,
                 name='Adagrad'):
        if initial_accumulator_value <= 0.0:
            raise ValueError('initial_accumulator_value must be positive: %s'
                             % initial_accumulator_value)
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._initial_accumulator_value = initial_accumulator_value
        self._learning_rate_tensor = None

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            if v.get_shape().is_fully_defined():
                init = init_ops.Constant(self._initial_accumulator_value, dtype=dtype)
            else:
                init = self._init_constant_op(v, dtype)
            self._get_or_make_slot_with_initializer(v, init, v.get_shape(), dtype, 'accumulator',
                                                    self._name)

    def _init_constant_op(self, v, dtype):
        def init():
            filled = gen.Fill(array_ops.shape(v), self._initial_accumulator_value)
            return math_ops.cast(filled, dtype)
        return init

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')

    def _rate(self, dtype):
        return math_ops.cast(self._learning_rate_tensor, dtype)

    def _apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.ApplyAdagrad(var, acc, self._rate(var.dtype.base_dtype), grad,
                                use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.ResourceApplyAdagrad(var.handle, acc.handle, self._rate(grad.dtype.base_dtype),
                                        grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        acc = self.get_slot(var, 'accumulator')
        return gen.SparseApplyAdagrad(var, acc, self._rate(var.dtype.base_dtype), grad.values,
                                      grad.indices, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        acc = self.get_slot(var, 'accumulator')
        return gen.ResourceSparseApplyAdagrad(
            var.handle, acc.handle, self._rate(grad.dtype.base_dtype), grad, indices,
            use_locking=self._use_locking)
