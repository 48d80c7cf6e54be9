"""The base class of distributions of scalars."""

import numpy as np

from ramet.framework import ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.distributions.distribution import Distribution


class ScalarDistribution(Distribution):
    """A distribution of scalars, whose batch shape is that of its parameters broadcast together."""

    def _shape_parents(self):
        """Returns the tensors that the batch shape is made from: those of the public parameters."""
        return self._graph_parents

    def _batch_shape_tensor(self):
        *others, last = [array_ops.shape(tensor) for tensor in self._shape_parents()]
        for shape in reversed(others):
            last = array_ops.broadcast_dynamic_shape(shape, last)
        return last

    def _batch_shape(self):
        *others, last = [tensor.get_shape() for tensor in self._shape_parents()]
        for shape in reversed(others):
            last = array_ops.broadcast_static_shape(shape, last)
        return last

    def _event_shape_tensor(self):
        return ops.convert_to_tensor(np.zeros([0], np.int32))

    def _event_shape(self):
        return tensor_shape.TensorShape([])
