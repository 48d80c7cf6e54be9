"""RMSProp."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.initializers import init_ops
from ramet.ops.math import math_ops
from ramet.train import optimizer


@export('train.RMSPropOptimizer')
class RMSPropOptimizer(optimizer.Optimizer):
    """RMSProp: divides gradients by the root of the running mean of their squares.

    Tieleman, Hinton: lecture 6e of Neural Networks for Machine Learning (2012). With `centered`, the
    variance replaces the mean square (Graves, arXiv 1308.0850).

    Args:
      learning_rate: a number, a scalar tensor, or a function that returns one.
      decay: like learning_rate, the decay of the running means.
      momentum: like learning_rate.
      epsilon: like learning_rate, added under the root.
      use_locking: bool, passed to the operations that update variables.
      centered: whether to subtract the mean of gradients.
      name: the name prefix of slots and operations.
    """

    def __init__(self, learning_rate, decay=0.9, momentum=0.0, epsilon=1e-10, use_locking=False,
                 centered=False, name='RMSProp'):
        super().__init__(use_locking, name)
        self._learning_rate = learning_rate
        self._decay = decay
        self._momentum = momentum
        self._epsilon = epsilon
        self._centered = centered
        self._tensors = None

    def _create_slots(self, var_list):
        for v in var_list:
            dtype = v.dtype.base_dtype
            if v.get_shape().is_fully_defined():
                ones = init_ops.Ones(dtype=dtype)
            else:
                ones = array_ops.ones_like(v)
            self._get_or_make_slot_with_initializer(v, ones, v.get_shape(), dtype, 'rms',
                                                    self._name)
            if self._centered:
                self._zeros_slot(v, 'mg', self._name)
            self._zeros_slot(v, 'momentum', self._name)

    def _prepare(self):
        named = (('learning_rate', self._learning_rate), ('decay', self._decay),
                 ('momentum', self._momentum), ('epsilon', self._epsilon))
        values = [(name, self._call_if_callable(value)) for name, value in named]
        self._tensors = [ops.convert_to_tensor(value, name=name) for name, value in values]

    def _hyper(self, dtype):
        return [math_ops.cast(t, dtype) for t in self._tensors]

    def _slots_of(self, var):
        names = ('mg', 'rms', 'momentum') if self._centered else ('rms', 'momentum')
        return [self.get_slot(var, name) for name in names]

    def _apply_dense(self, grad, var):
        apply = gen.ApplyCenteredRMSProp if self._centered else gen.ApplyRMSProp
        return apply(var, *self._slots_of(var), *self._hyper(var.dtype.base_dtype), grad,
                     use_locking=self._use_locking).op

    def _resource_apply_dense(self, grad, var):
        apply = gen.ResourceApplyCenteredRMSProp if self._centered else gen.ResourceApplyRMSProp
        return apply(var.handle, *(s.handle for s in self._slots_of(var)),
                     *self._hyper(grad.dtype.base_dtype), grad, use_locking=self._use_locking)

    def _apply_sparse(self, grad, var):
        apply = gen.SparseApplyCenteredRMSProp if self._centered else gen.SparseApplyRMSProp
        return apply(var, *self._slots_of(var), *self._hyper(var.dtype.base_dtype), grad.values,
                     grad.indices, use_locking=self._use_locking)

    def _resource_apply_sparse(self, grad, var, indices):
        apply = (gen.ResourceSparseApplyCenteredRMSProp if self._centered
                 else gen.ResourceSparseApplyRMSProp)
        return apply(var.handle, *(s.handle for s in self._slots_of(var)),
                     *self._hyper(grad.dtype.base_dtype), grad, indices,
                     use_locking=self._use_locking)
