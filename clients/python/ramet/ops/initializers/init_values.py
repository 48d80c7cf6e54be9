"""The base class of initializers, and those with fixed values."""

import numpy as np

from ramet.api import export
from ramet.framework import constant_op, dtypes, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.linalg import linalg_ops


def floating(dtype):
    dtype = dtypes.as_dtype(dtype)
    if not dtype.is_floating:
        raise ValueError(f'Argument `dtype` is expected to be floating point. Received: {dtype}.')
    return dtype


class Initializer:
    """The base class of initializers: callables that can be serialized and restored.

    `initializer(shape, dtype=None, partition_info=None)` returns a Tensor. For a part of a partitioned
    variable, partition_info contains the whole variable's full_shape and the part's var_offset.
    """

    def __call__(self, shape, dtype=None, partition_info=None):
        """Returns a Tensor with a shape and dtype, which defaults to the initializer's own."""
        raise NotImplementedError

    def get_config(self):
        """Returns the arguments as a dict that can be serialized as JSON."""
        return {}

    @classmethod
    def from_config(cls, config):
        """Creates an initializer from the result of get_config.

        Args:
          config: a dict of arguments; 'dtype' is optional.
        """
        arguments = dict(config)
        arguments.pop('dtype', None)
        return cls(**arguments)


@export('zeros_initializer', 'initializers.zeros', 'keras.initializers.Zeros',
        'keras.initializers.zeros')
class Zeros(Initializer):
    """Initializes with zeros.

    Args:
      dtype: the default type.
    """

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.zeros(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


@export('ones_initializer', 'initializers.ones', 'keras.initializers.Ones',
        'keras.initializers.ones')
class Ones(Initializer):
    """Initializes with ones.

    Args:
      dtype: the default type.
    """

    def __init__(self, dtype=dtypes.float32):
        self.dtype = dtypes.as_dtype(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        return array_ops.ones(shape, self.dtype if dtype is None else dtype)

    def get_config(self):
        return {'dtype': self.dtype.name}


@export('constant_initializer', 'initializers.constant', 'keras.initializers.Constant',
        'keras.initializers.constant')
class Constant(Initializer):
    """Initializes with a value, or with the values of a list or array in order.

    Args:
      value: a Python scalar, a list or tuple of values, or a numpy array. If the variable has more
        elements than there are values, the last value is repeated.
      dtype: the default type.
      verify_shape: whether the values must have the variable's shape.

    Raises:
      TypeError: if value is something else.
    """

    def __init__(self, value=0, dtype=dtypes.float32, verify_shape=False):
        if not (np.isscalar(value) or isinstance(value, (list, tuple, np.ndarray))):
            raise TypeError(
                f'Invalid type for initial value={value} of type: {type(value).__name__}. '
                'Expected Python scalar, list or tuple of values, or numpy.ndarray.')
        self.value = value
        self.dtype = dtypes.as_dtype(dtype)
        self._verify_shape = verify_shape

    def __call__(self, shape, dtype=None, partition_info=None, verify_shape=None):
        return constant_op.constant(
            self.value, dtype=self.dtype if dtype is None else dtype, shape=shape,
            verify_shape=self._verify_shape if verify_shape is None else verify_shape)

    def get_config(self):
        return {'value': self.value, 'dtype': self.dtype.name}


@export('initializers.identity', 'keras.initializers.Identity', 'keras.initializers.identity')
class Identity(Initializer):
    """Initializes with a matrix that has a value on its diagonal.

    Args:
      gain: the value.
      dtype: the default type, a floating-point type.
    """

    def __init__(self, gain=1.0, dtype=dtypes.float32):
        self.gain = gain
        self.dtype = floating(dtype)

    def __call__(self, shape, dtype=None, partition_info=None):
        full = shape if partition_info is None else partition_info.full_shape
        if len(full) != 2:
            raise ValueError('The tensor to initialize, specified by argument `shape` must be at '
                             f'least two-dimensional. Received shape={shape}')
        dtype = self.dtype if dtype is None else dtype
        if isinstance(full, tensor_shape.TensorShape):
            full = full.as_list()
        matrix = linalg_ops.eye(*full, dtype=dtype)
        if partition_info is not None:
            matrix = array_ops.slice(matrix, partition_info.var_offset, shape)
        return self.gain * matrix

    def get_config(self):
        return {'gain': self.gain, 'dtype': self.dtype.name}
