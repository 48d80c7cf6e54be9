"""Adam."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import state_ops
from ramet.train import optimizer


@export('train.AdamOptimizer')
class AdamOptimizer(optimizer.Optimizer):
    """Adam: uses running means of gradients and of their squares (Kingma, Ba: arXiv 1412.6980).

    Rows that a sparse gradient does not contain are also updated, by their momentum.

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      beta1: like learning_rate, the decay of the mean of gradients.
      beta2: like learning_rate, the decay of the mean of squares.
      epsilon: like learning_rate, added to the square root ("epsilon hat" in the paper).
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.
    """

    def __init__(self, learning_rate=0.001, beta1=0.9, beta2=0.999, epsilon=1e-8,
                 use_locking=False, name='Adam'):
        super().__init__(use_locking, name)
        self._lr = learning_rate
        self._beta1 = beta1
        self._beta2 = beta2
        self._epsilon = epsilon
        self._lr_t = self._beta1_t = self._beta2_t = self._epsilon_t = None

    def _get_beta_accumulators(self):
        graph = ops.get_default_graph()
        return (self._get_non_slot_variable('beta1_power', graph=graph),
                self._get_non_slot_variable('beta2_power', graph=graph))

    def _create_slots(self, var_list):
        first = min(var_list, key=lambda v: v.name)
        for name, value in (('beta1_power', self._beta1), ('beta2_power', self._beta2)):
            self._create_non_slot_variable(initial_value=value, name=name, colocate_with=first)
        for v in var_list:
            self._zeros_slot(v, 'm', self._name)
            self._zeros_slot(v, 'v', self._name)

    def _prepare(self):
        lr, beta1, beta2, epsilon = (
            self._call_if_callable(p) for p in (self._lr, self._beta1, self._beta2, self._epsilon))
        self._lr_t = ops.convert_to_tensor(lr, name='learning_rate')
        self._beta1_t = ops.convert_to_tensor(beta1, name='beta1')
        self._beta2_t = ops.convert_to_tensor(beta2, name='beta2')
        self._epsilon_t = ops.convert_to_tensor(epsilon, name='epsilon')

    def _hyper(self, dtype):
        tensors = (*self._get_beta_accumulators(), self._lr_t, self._beta1_t, self._beta2_t,
                   self._epsilon_t)
        return [math_ops.cast(t, dtype) for t in tensors]

    def _apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ApplyAdam(var, m, v, *self._hyper(var.dtype.base_dtype), grad,
                             use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        m, v = self.get_slot(var, 'm'), self.get_slot(var, 'v')
        return gen.ResourceApplyAdam(var.handle, m.handle, v.handle,
                                     *self._hyper(grad.dtype.base_dtype), grad,
                                     use_locking=self._use_locking)

    def _apply_sparse_shared(self, grad, var, indices, scatter_add):
        beta1_power, beta2_power, lr_t, beta1_t, beta2_t, epsilon_t = self._hyper(
            var.dtype.base_dtype)
        lr = lr_t * gen.Sqrt(1 - beta2_power) / (1 - beta1_power)
        m_t = self._decayed(self.get_slot(var, 'm'), grad * (1 - beta1_t), beta1_t, indices,
                            scatter_add)
        v_t = self._decayed(self.get_slot(var, 'v'), (grad * grad) * (1 - beta2_t), beta2_t,
                            indices, scatter_add)
        root = gen.Sqrt(v_t)
        step = lr * m_t / (root + epsilon_t)
        update = state_ops.assign_sub(var, step, use_locking=self._use_locking)
        return control_flow_ops.group(update, m_t, v_t)

    def _decayed(self, slot, addend, beta, indices, scatter_add):
        decayed = state_ops.assign(slot, slot * beta, use_locking=self._use_locking)
        with ops.control_dependencies([decayed]):
            return scatter_add(slot, indices, addend)

    def _apply_sparse(self, grad, var):
        def scatter_add(x, i, v):
            return state_ops.scatter_add(x, i, v, use_locking=self._use_locking)
        return self._apply_sparse_shared(grad.values, var, grad.indices, scatter_add)

    def _resource_scatter_add(self, x, i, v):
        with ops.control_dependencies([gen.ResourceScatterAdd(x.handle, i, v)]):
            return x.value()

    def _resource_apply_sparse(self, grad, var, indices):
        return self._apply_sparse_shared(grad, var, indices, self._resource_scatter_add)

    def _finish(self, update_ops, name_scope):
        beta1_power, beta2_power = self._get_beta_accumulators()
        powers = []
        with ops.control_dependencies(update_ops), ops.colocate_with(beta1_power.op):
            for power, beta in ((beta1_power, self._beta1_t), (beta2_power, self._beta2_t)):
                powers.append(power.assign(power * beta, use_locking=self._use_locking))
        return control_flow_ops.group(*update_ops, *powers, name=name_scope)
