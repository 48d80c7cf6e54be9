"""FTRL-Proximal."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.FtrlOptimizer')
class FtrlOptimizer(optimizer.Optimizer):
    """FTRL-Proximal, for large sparse models (McMahan et al., KDD 2013).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      learning_rate_power: a number <= 0. With 0, the rate is constant.
      initial_accumulator_value: a number >= 0, the initial value of the accumulators.
      l1_regularization_strength: a number >= 0.
      l2_regularization_strength: a number >= 0.
      use_locking: bool, passed to the operations that update variables.
      name: the name prefix of slots and operations.
      accum_name: the name of the accumulators' slots, or None for `name`.
      linear_name: the name of the linear terms' slots, or None for `name`.
      l2_shrinkage_regularization_strength: a number >= 0, a penalty on the weights themselves.
      beta: a number, or None for 0.

    Raises:
      ValueError: if one of these numbers has the wrong sign.
    """

    def __init__(self, learning_rate, learning_rate_power=-0.5, initial_accumulator_value=0.1,
                 l1_regularization_strength=0.0, l2_regularization_strength=0.0,
                 use_locking=False, name='Ftrl', accum_name=None, linear_name=None,
                 l2_shrinkage_regularization_strength=0.0, beta=None):
        super().__init__(use_locking, name)
        for what, value in (
                ('initial_accumulator_value', initial_accumulator_value),
                ('l1_regularization_strength', l1_regularization_strength),
                ('l2_regularization_strength', l2_regularization_strength),
                ('l2_shrinkage_regularization_strength', l2_shrinkage_regularization_strength)):
            if value < 0.0:
                raise ValueError('%s %f needs to be positive or zero' % (what, value))
        if learning_rate_power > 0.0:
            raise ValueError('learning_rate_power %f needs to be negative or zero'
                             % learning_rate_power)
        self._learning_rate = learning_rate
        self._learning_rate_power = learning_rate_power
        self._initial_accumulator_value = initial_accumulator_value
        self._l1_regularization_strength = l1_regularization_strength
        self._l2_regularization_strength = l2_regularization_strength
        self._beta = 0.0 if beta is None else beta
        self._l2_shrinkage_regularization_strength = l2_shrinkage_regularization_strength
        self._accum_name = accum_name
        self._linear_name = linear_name

    def _create_slots(self, var_list):
        def accumulators(shape, dtype=None, partition_info=None):
            return array_ops.ones(shape, dtype) * self._initial_accumulator_value

        for v in var_list:
            self._get_or_make_slot_with_initializer(
                v, accumulators, v.get_shape(), v.dtype.base_dtype, 'accum',
                self._accum_name or self._name)
            self._zeros_slot(v, 'linear', self._linear_name or self._name)

    def _prepare(self):
        rate = self._call_if_callable(self._learning_rate)
        self._rate_t = ops.convert_to_tensor(rate, name='learning_rate')
        self._l1_t = ops.convert_to_tensor(self._l1_regularization_strength,
                                           name='l1_regularization_strength')
        self._l2_t = self._l2_regularization_strength + self._beta / (
            2.0 * gen.Maximum(rate, 1e-36))
        ops.convert_to_tensor(self._beta, name='beta')
        self._shrinkage_t = ops.convert_to_tensor(self._l2_shrinkage_regularization_strength,
                                                  name='l2_shrinkage_regularization_strength')
        self._power_t = ops.convert_to_tensor(self._learning_rate_power,
                                              name='learning_rate_power')

    def _shrinks(self):
        return self._l2_shrinkage_regularization_strength > 0.0

    def _slots_of(self, var):
        return self.get_slot(var, 'accum'), self.get_slot(var, 'linear')

    def _hyper(self, dtype):
        tensors = [self._rate_t, self._l1_t, self._l2_t, self._power_t]
        if self._shrinks():
            tensors.insert(3, self._shrinkage_t)
        return [math_ops.cast(t, dtype) for t in tensors]

    def _apply_dense(self, grad, var):
        apply = gen.ApplyFtrlV2 if self._shrinks() else gen.ApplyFtrl
        return apply(var, *self._slots_of(var), grad, *self._hyper(var.dtype.base_dtype),
                     use_locking=self._use_locking)

    def _resource_apply_dense(self, grad, var):
        apply = gen.ResourceApplyFtrlV2 if self._shrinks() else gen.ResourceApplyFtrl
        return apply(var.handle, *(s.handle for s in self._slots_of(var)), grad,
                     *self._hyper(var.dtype.base_dtype), use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        apply = gen.SparseApplyFtrlV2 if self._shrinks() else gen.SparseApplyFtrl
        return apply(var, *self._slots_of(var), grad.values, grad.indices,
                     *self._hyper(var.dtype.base_dtype), use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        apply = gen.ResourceSparseApplyFtrlV2 if self._shrinks() else gen.ResourceSparseApplyFtrl
        return apply(var.handle, *(s.handle for s in self._slots_of(var)), grad, indices,
                     *self._hyper(var.dtype.base_dtype), use_locking=self._use_locking)
