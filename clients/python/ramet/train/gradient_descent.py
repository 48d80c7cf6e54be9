"""Gradient descent."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.GradientDescentOptimizer')
class GradientDescentOptimizer(optimizer.Optimizer):
    """Gradient descent: var -= learning_rate * gradient.

    Args:
      learning_rate: a number, a scalar tensor, or a function without arguments that returns one.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of the operations.
    """

    def __init__(self, learning_rate, use_locking=False, name='GradientDescent'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._learning_rate_tensor = None

    def _prepare(self):
        self._learning_rate_tensor = ops.convert_to_tensor(
            self._call_if_callable(self._learning_rate), name='learning_rate')

    def _apply_dense(self, grad, var):
        rate = math_ops.cast(self._learning_rate_tensor, var.dtype.base_dtype)
        return gen.ApplyGradientDescent(var, rate, grad, use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, handle):
        rate = math_ops.cast(self._learning_rate_tensor, grad.dtype.base_dtype)
        return gen.ResourceApplyGradientDescent(handle.handle, rate, grad,
                                                use_locking=self._use_locking)

    def _resource_apply_sparse_duplicate_indices(self, grad, handle, indices):
        rate = math_ops.cast(self._learning_rate_tensor, grad.dtype.base_dtype)
        return gen.ResourceScatterAdd(handle.handle, indices, -grad * rate)

    def _apply_sparse_duplicate_indices(self, grad, var):
        rate = math_ops.cast(self._learning_rate_tensor, var.dtype.base_dtype)
        delta = IndexedSlices(grad.values * rate, grad.indices, grad.dense_shape)
        return var.scatter_sub(delta, use_locking=self._use_locking)
