"""Accumulators of gradients, and barriers, which collect elements by key."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.framework.indexed_slices import IndexedSlices
from ramet.ops.math import math_ops
from ramet.ops.queues.queue_base import as_shape_list, as_type_list


def _as_step(step):
    return math_ops.cast(ops.convert_to_tensor(step), dtypes.int64)


@export('ConditionalAccumulatorBase')
class ConditionalAccumulatorBase:
    """The base of accumulators, which add up gradients until enough have come.

    Args:
      dtype: a DType, that of the gradients.
      shape: the shape of a gradient, or None if it is not known.
      accumulator_ref: a tensor, the handle of the accumulator.
    """

    _prefix = ''

    def __init__(self, dtype, shape, accumulator_ref):
        self._dtype = dtype
        self._shape = (tensor_shape.unknown_shape() if shape is None
                       else tensor_shape.TensorShape(shape))
        self._accumulator_ref = accumulator_ref
        self._name = accumulator_ref.op.name.split('/')[-1]

    @property
    def accumulator_ref(self):
        """The handle of the accumulator, a tensor."""
        return self._accumulator_ref

    @property
    def name(self):
        """The name of the accumulator."""
        return self._name

    @property
    def dtype(self):
        """The dtype of the gradients."""
        return self._dtype

    def num_accumulated(self, name=None):
        """Returns the number of gradients in the accumulator, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        op = getattr(gen, self._prefix + 'AccumulatorNumAccumulated')
        return op(self._accumulator_ref, name=name or f'{self._name}_NumAccumulated')

    def set_global_step(self, new_global_step, name=None):
        """Returns an operation that sets the step; gradients of earlier steps are dropped from then on.

        Args:
          new_global_step: int or an integer scalar.
          name: the name of the operation.
        """
        op = getattr(gen, self._prefix + 'AccumulatorSetGlobalStep')
        return op(self._accumulator_ref, _as_step(new_global_step), name=name)


@export('ConditionalAccumulator')
@with_args_of(ConditionalAccumulatorBase)
class ConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of dense gradients: float16, float32 or float64.

    Args:
      shared_name: str. Accumulators with the same shared name share one of the session.
      name: the name of the operation.
      reduction_type: 'MEAN' or 'SUM'.
    """

    _prefix = 'Resource'

    def __init__(self, dtype, shape=None, shared_name=None, name='conditional_accumulator',
                 reduction_type='MEAN'):
        handle = gen.ResourceConditionalAccumulator(
            dtype=dtype, shape=tensor_shape.TensorShape(shape), shared_name=shared_name or '', name=name,
            reduction_type=reduction_type)
        super().__init__(dtype, shape, handle)

    def apply_grad(self, grad, local_step=0, name=None):
        """Returns an operation that adds a gradient, unless it belongs to an earlier step.

        Args:
          grad: a tensor.
          local_step: int or an integer scalar, the step of the gradient.
          name: the name of the operation.

        Raises:
          ValueError: if the gradient does not have the shape of the accumulator.
        """
        grad = ops.convert_to_tensor(grad, self._dtype)
        grad.get_shape().assert_is_compatible_with(self._shape)
        return gen.ResourceAccumulatorApplyGradient(self._accumulator_ref, _as_step(local_step),
                                                    grad, name=name)

    def take_grad(self, num_required, name=None):
        """Returns the mean (or sum) of the gradients once there are num_required; removes them.

        Args:
          num_required: int or an int32 scalar, at least 1.
          name: the name of the operation.
        """
        out = gen.ResourceAccumulatorTakeGradient(self._accumulator_ref, num_required,
                                                  dtype=self._dtype, name=name)
        out.set_shape(self._shape)
        return out


@export('sparse.SparseConditionalAccumulator', 'SparseConditionalAccumulator')
@with_args_of(ConditionalAccumulator)
class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """An accumulator of gradients that consist of some rows: float16, float32 or float64."""

    def __init__(self, dtype, shape=None, shared_name=None, name='sparse_conditional_accumulator',
                 reduction_type='MEAN'):
        handle = gen.SparseConditionalAccumulator(
            dtype=dtype, shape=tensor_shape.TensorShape(shape), shared_name=shared_name or '', name=name,
            reduction_type=reduction_type)
        super().__init__(dtype, shape, handle)

    def apply_indexed_slices_grad(self, grad, local_step=0, name=None):
        """Returns an operation that adds a gradient, unless it belongs to an earlier step.

        Args:
          grad: an IndexedSlices.
          local_step: int or an integer scalar, the step of the gradient.
          name: the name of the operation.
        """
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(self, grad_indices, grad_values, grad_shape=None, local_step=0, name=None):
        """Returns an operation that adds a gradient, unless it belongs to an earlier step.

        Args:
          grad_indices: the numbers of the rows, an integer vector in increasing order.
          grad_values: the rows.
          grad_shape: the shape of the whole gradient, or None if it is not known.
          local_step: int or an integer scalar, the step of the gradient.
          name: the name of the operation.
        """
        return gen.SparseAccumulatorApplyGradient(
            self._accumulator_ref, _as_step(local_step),
            math_ops.cast(grad_indices, dtypes.int64), grad_values,
            math_ops.cast([] if grad_shape is None else grad_shape, dtypes.int64),
            has_known_shape=grad_shape is not None, name=name)

    def take_grad(self, num_required, name=None):
        """Returns the mean (or sum) of the gradients once there are num_required; removes them.

        Args:
          num_required: int or an int32 scalar, at least 1.
          name: the name of the operation.

        Returns:
          (indices, values, shape) of the rows.
        """
        return gen.SparseAccumulatorTakeGradient(self._accumulator_ref, num_required,
                                                 dtype=self._dtype, name=name)

    def take_indexed_slices_grad(self, num_required, name=None):
        """Like take_grad, but returns an IndexedSlices.

        Args:
          num_required: int or an int32 scalar, at least 1.
          name: the name of the operation.
        """
        taken = self.take_grad(num_required, name)
        return IndexedSlices(indices=taken.indices, values=taken.values, dense_shape=taken.shape)


class Barrier:
    """Collects the components of elements by their keys, in any order; complete elements can be taken.

    Args:
      types: a DType or a list of DTypes, those of the components.
      shapes: a list of their shapes, or None if they are not known.
      shared_name: str. Barriers with the same shared name share one of the session.
      name: the name of the operation.

    Raises:
      ValueError: if a shape has no elements.
    """

    def __init__(self, types, shapes=None, shared_name=None, name='barrier'):
        self._types = as_type_list(types)
        if shapes is None:
            self._shapes = [tensor_shape.unknown_shape() for _ in self._types]
        else:
            self._shapes = [tensor_shape.TensorShape(s) for s in as_shape_list(shapes)]
            for i, shape in enumerate(self._shapes):
                if shape.num_elements() == 0:
                    raise ValueError('Empty tensors are not supported, but received shape '
                                     f"'{shape}' at index {i}")
        self._barrier_ref = gen.Barrier(component_types=self._types, shapes=self._shapes,
                                        shared_name=shared_name or '', name=name)
        self._name = self._barrier_ref.op.name.split('/')[-1]

    @property
    def barrier_ref(self):
        """The handle of the barrier, a tensor."""
        return self._barrier_ref

    @property
    def name(self):
        """The name of the operation that creates the barrier."""
        return self._barrier_ref.op.name

    def insert_many(self, component_index, keys, values, name=None):
        """Returns an operation that sets a component of several elements.

        Args:
          component_index: int.
          keys: a vector of strings.
          values: a tensor with a row for each key.
          name: the name of the operation.
        """
        return gen.BarrierInsertMany(self._barrier_ref, keys, values, component_index,
                                     name=name or f'{self._name}_BarrierInsertMany')

    def take_many(self, num_elements, allow_small_batch=False, timeout=None, name=None):
        """Returns complete elements, which are removed; waits for them.

        Args:
          num_elements: int or an int32 scalar.
          allow_small_batch: whether a closed barrier may return fewer elements.
          timeout: ignored, as in TensorFlow.
          name: the name of the operation.

        Returns:
          (indices, keys, values): the numbers of the insertions, the keys, and a list of the components as rows.
        """
        taken = gen.BarrierTakeMany(
            self._barrier_ref, num_elements, self._types, allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout, name=name or f'{self._name}_BarrierTakeMany')
        op = taken[0].op
        known = None if allow_small_batch else tensor_util.constant_value(op.inputs[1])
        rows = tensor_shape.TensorShape([tensor_shape.Dimension(None if known is None else int(known))])
        for output, shape in zip(op.outputs, [[], [], *self._shapes]):
            output.set_shape(rows.concatenate(shape))
        return taken

    def close(self, cancel_pending_enqueues=False, name=None):
        """Returns an operation that closes the barrier for new keys.

        Args:
          cancel_pending_enqueues: whether to drop incomplete elements too.
          name: the name of the operation.
        """
        return gen.BarrierClose(self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues,
                                name=name or f'{self._name}_BarrierClose')

    def ready_size(self, name=None):
        """Returns the number of complete elements, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return gen.BarrierReadySize(self._barrier_ref, name=name or f'{self._name}_BarrierReadySize')

    def incomplete_size(self, name=None):
        """Returns the number of incomplete elements, an int32 scalar.

        Args:
          name: the name of the operation.
        """
        return gen.BarrierIncompleteSize(self._barrier_ref,
                                         name=name or f'{self._name}_BarrierIncompleteSize')
