"""Optimizers that compare the signs of gradients and of their mean (arXiv 1709.07417), and LARS."""

import math

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.linalg import linalg_ops
from ramet.ops.math import math_ops
from ramet.train import adam, momentum, optimizer as optimizer_lib


class _SignOptimizer(optimizer_lib.Optimizer):
    """An optimizer whose steps depend on the agreement of signs."""

    def __init__(self, learning_rate, scale, beta, sign_decay_fn, use_locking, name):
        super().__init__(use_locking, name)
        self._lr, self._scale, self._beta = learning_rate, scale, beta
        self._sign_decay_fn = sign_decay_fn

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        """Like Optimizer.apply_gradients; the decay of the signs depends on the global step."""
        decay = 1.0 if self._sign_decay_fn is None else self._sign_decay_fn(global_step)
        self._sign_decay_t = ops.convert_to_tensor(decay, name='sign_decay')
        return super().apply_gradients(grads_and_vars, global_step=global_step, name=name)

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)

    def _hyper(self, dtype):
        return [math_ops.cast(t, dtype) for t in (
            self._call_if_callable(self._lr), self._scale, self._sign_decay_t, self._beta)]

    def _apply_dense(self, grad, var):
        return self._apply(var, self.get_slot(var, 'm'), *self._hyper(var.dtype.base_dtype), grad,
                           use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        return self._apply_resource(var.handle, self.get_slot(var, 'm').handle,
                                    *self._hyper(grad.dtype.base_dtype), grad,
                                    use_locking=self._use_locking)


@export('contrib.opt.AddSignOptimizer')
@with_args_of(adam.AdamOptimizer)
class AddSignOptimizer(_SignOptimizer):
    """Multiplies the gradient by alpha + the decayed product of its sign and the sign of its mean.

    Args:
      learning_rate: a number or a scalar tensor.
      alpha: the part of the factor that does not depend on the signs.
      beta: the decay of the mean of gradients.
      sign_decay_fn: a function from the global step to the decay of the signs, or None for 1.
    """

    _apply, _apply_resource = staticmethod(gen.ApplyAddSign), staticmethod(gen.ResourceApplyAddSign)

    def __init__(self, learning_rate=0.1, alpha=1.0, beta=0.9, sign_decay_fn=None,
                 use_locking=False, name='AddSignOptimizer'):
        super().__init__(learning_rate, alpha, beta, sign_decay_fn, use_locking, name)


@export('contrib.opt.PowerSignOptimizer')
@with_args_of(AddSignOptimizer)
class PowerSignOptimizer(_SignOptimizer):
    """Multiplies the gradient by base ** the decayed product of its sign and the sign of its mean.

    Args:
      base: the base of the power.
    """

    _apply = staticmethod(gen.ApplyPowerSign)
    _apply_resource = staticmethod(gen.ResourceApplyPowerSign)

    def __init__(self, learning_rate=0.1, base=math.e, beta=0.9, sign_decay_fn=None,
                 use_locking=False, name='PowerSignOptimizer'):
        super().__init__(learning_rate, math.log(base), beta, sign_decay_fn, use_locking, name)


@export('contrib.opt.LARSOptimizer')
@with_args_of(momentum.MomentumOptimizer)
class LARSOptimizer(optimizer_lib.Optimizer):
    """Momentum whose rate for a variable depends on the norms of variable and gradient (arXiv 1708.03888).

    Args:
      weight_decay: the factor of the variable that is added to the gradient.
      eeta: the factor of the ratio of the norms.
      epsilon: added to the divisor of the ratio.
      skip_list: parts of the names of variables whose gradients are used as they are, or None.
    """

    def __init__(self, learning_rate, momentum=0.9, weight_decay=0.0001, eeta=0.001, epsilon=0.0,
                 name='LARSOptimizer', skip_list=None, use_nesterov=False):
        if momentum < 0.0:
            raise ValueError(f'momentum should be positive: {momentum}')
        if weight_decay < 0.0:
            raise ValueError(f'weight_decay should be positive: {weight_decay}')
        super().__init__(use_locking=False, name=name)
        self._rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov
        self._weight_decay, self._eeta, self._epsilon = weight_decay, eeta, epsilon
        self._skip_list = skip_list

    def _create_slots(self, var_list):
        for v in var_list:
            self._zeros_slot(v, 'momentum', self._name)

    def _prepare(self):
        self._rate_t = ops.convert_to_tensor(self._call_if_callable(self._rate),
                                            name='learning_rate')
        self._momentum_t = ops.convert_to_tensor(self._momentum, name='momentum')

    def compute_lr(self, grad, var):
        """Returns the rate for a variable, and its gradient with weight decay.

        Args:
          grad: the gradient, a tensor.
          var: the variable.
        """
        rate = math_ops.cast(self._rate_t, grad.dtype)
        if any(part in var.name for part in self._skip_list or ()):
            return rate, grad
        w_norm, g_norm = linalg_ops.norm(var, ord=2), linalg_ops.norm(grad, ord=2)
        ratio = array_ops.where(gen.Greater(w_norm, 0), array_ops.where(
            gen.Greater(g_norm, 0),
            self._eeta * w_norm / (g_norm + self._weight_decay * w_norm + self._epsilon), 1.0), 1.0)
        return rate * ratio, grad + self._weight_decay * var

    def _apply_dense(self, grad, var):
        rate, grad = self.compute_lr(grad, var)
        one, momentum = math_ops.cast(1.0, grad.dtype), math_ops.cast(self._momentum_t, grad.dtype)
        return gen.ApplyMomentum(var, self.get_slot(var, 'momentum'), one, grad * rate, momentum,
                                 use_locking=False, use_nesterov=self._use_nesterov).op

    def _resource_apply_dense(self, grad, var):
        rate, grad = self.compute_lr(grad, var)
        one, momentum = math_ops.cast(1.0, grad.dtype), math_ops.cast(self._momentum_t, grad.dtype)
        return gen.ResourceApplyMomentum(
            var.handle, self.get_slot(var, 'momentum').handle, one, grad * rate, momentum,
            use_locking=False, use_nesterov=self._use_nesterov)

    def _apply_sparse(self, grad, var):
        return gen.SparseApplyMomentum(
            var, self.get_slot(var, 'momentum'), math_ops.cast(self._rate_t, grad.dtype), grad.values,
            grad.indices, math_ops.cast(self._momentum_t, grad.dtype),
            use_nesterov=self._use_nesterov).op

    def _resource_apply_sparse(self, grad, var, indices):
        return gen.ResourceSparseApplyMomentum(
            var.handle, self.get_slot(var, 'momentum').handle, math_ops.cast(self._rate_t, grad.dtype),
            grad, indices, math_ops.cast(self._momentum_t, grad.dtype), use_nesterov=self._use_nesterov)
