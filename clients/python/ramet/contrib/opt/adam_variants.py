"""Relatives of Adam."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops
from ramet.train import adam


class _RowsOnly(adam.AdamOptimizer):
    """An Adam whose sparse gradients only change the rows that they contain."""

    def _apply_sparse(self, grad, var):
        return self._update_rows(grad.values, var, grad.indices)

    def _resource_apply_sparse(self, grad, var, indices):
        return self._update_rows(grad, var, indices)

    def _rows(self, slot, new_rows, indices):
        """Assigns rows of a slot. Returns the operation."""
        return state_ops.scatter_update(slot, indices, new_rows)

    def _subtract(self, var, indices, step):
        return state_ops.scatter_sub(var, indices, step)


@export('contrib.opt.LazyAdamOptimizer')
@with_args_of(adam.AdamOptimizer)
class LazyAdamOptimizer(_RowsOnly):
    """Adam whose sparse gradients only update the slots of the rows that they contain."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='Adam'):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _update_rows(self, grad, var, indices):
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
        lr = lr * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        m_rows = beta1 * array_ops.gather(m, indices) + (1 - beta1) * grad
        v_rows = beta2 * array_ops.gather(v, indices) + (1 - beta2) * math_ops.square(grad)
        step = lr * m_rows / (math_ops.sqrt(v_rows) + epsilon)
        return control_flow_ops.group(self._subtract(var, indices, step), self._rows(m, m_rows, indices),
                        self._rows(v, v_rows, indices))


@export('contrib.opt.NadamOptimizer')
@with_args_of(adam.AdamOptimizer)
class NadamOptimizer(_RowsOnly):
    """Adam with Nesterov's momentum (Dozat 2015)."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='Adam'):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ApplyAdam(var, m, v, *self._hyper(var.dtype.base_dtype), grad,
                             use_locking=self._use_locking, use_nesterov=True).op

    def _resource_apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ResourceApplyAdam(var.handle, m.handle, v.handle,
                                     *self._hyper(grad.dtype.base_dtype), grad,
                                     use_locking=self._use_locking, use_nesterov=True)

    def _update_rows(self, grad, var, indices):
        beta1_power, beta2_power, lr, beta1, beta2, epsilon = self._hyper(var.dtype.base_dtype)
        lr = lr * math_ops.sqrt(1 - beta2_power) / (1 - beta1_power)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        # The means of all rows decay; only the rows of the gradient are updated with them.
        all_m = state_ops.assign(m, m * beta1, use_locking=self._use_locking)
        all_v = state_ops.assign(v, v * beta2, use_locking=self._use_locking)
        with ops.control_dependencies([all_m]):
            m_op = state_ops.scatter_add(m, indices, (1 - beta1) * grad)
        with ops.control_dependencies([all_v]):
            v_op = state_ops.scatter_add(v, indices, (1 - beta2) * math_ops.square(grad))
        with ops.control_dependencies([m_op, v_op]):
            m_rows = (1 - beta1) * grad + beta1 * array_ops.gather(m, indices)
            step = lr * m_rows / (math_ops.sqrt(array_ops.gather(v, indices)) + epsilon)
        return control_flow_ops.group(self._subtract(var, indices, step), m_op, v_op)


@export('contrib.opt.AdaMaxOptimizer')
@with_args_of(adam.AdamOptimizer)
class AdaMaxOptimizer(_RowsOnly):
    """Adam with the largest gradients instead of their squares (arXiv 1412.6980, section 7.1)."""

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='AdaMax'):
        super().__init__(learning_rate, beta1, beta2, epsilon, use_locking, name)

    def _max_hyper(self, dtype):
        beta1_power, _, lr, beta1, beta2, epsilon = self._hyper(dtype)
        return beta1_power, lr, beta1, beta2, epsilon

    def _apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ApplyAdaMax(var, m, v, *self._max_hyper(var.dtype.base_dtype), grad,
                               use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ResourceApplyAdaMax(var.handle, m.handle, v.handle,
                                       *self._max_hyper(grad.dtype.base_dtype), grad,
                                       use_locking=self._use_locking)

    def _update_rows(self, grad, var, indices):
        beta1_power, lr, beta1, beta2, epsilon = self._max_hyper(var.dtype.base_dtype)
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        m_rows = beta1 * array_ops.gather(m, indices) + (1 - beta1) * grad
        v_rows = gen.Maximum(beta2 * array_ops.gather(v, indices), math_ops.abs(grad))
        step = lr / (1 - beta1_power) * m_rows / (v_rows + epsilon)
        return control_flow_ops.group(self._subtract(var, indices, step), self._rows(m, m_rows, indices),
                        self._rows(v, v_rows, indices))
