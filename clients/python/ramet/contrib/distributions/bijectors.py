"""Bijectors: functions with an inverse, and with the logarithm of their Jacobian's determinant."""

from ramet import gen
from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops


def _sum_of_event(values, event_ndims):
    if not event_ndims:
        return values
    return math_ops.reduce_sum(values, axis=list(range(-event_ndims, 0)))


@export('contrib.distributions.bijectors.Bijector')
class Bijector:
    """A function with an inverse. Subclasses define _forward, _inverse and a logarithm of the Jacobian.

    Args:
      event_ndims: the number of axes that belong to one value; the logarithms are summed over them.
      validate_args: whether runs check values.
      name: the name of the bijector.
    """

    def __init__(self, event_ndims=0, validate_args=False, name=None):
        self._event_ndims, self._validate_args = event_ndims, validate_args
        self._name = name or type(self).__name__.lower()

    name = property(lambda self: self._name)
    event_ndims = property(lambda self: self._event_ndims)

    def _forward_log_det_jacobian(self, x):
        return -self._inverse_log_det_jacobian(self._forward(x))

    def _inverse_log_det_jacobian(self, y):
        return -self._forward_log_det_jacobian(self._inverse(y))

    def forward(self, x, name='forward'):
        """Returns the value of the function.

        Args:
          x: a tensor.
          name: the name of the scope.
        """
        with ops.name_scope(name, values=[x]):
            return self._forward(ops.convert_to_tensor(x, name='x'))

    def inverse(self, y, name='inverse'):
        """Returns the argument for a value of the function.

        Args:
          y: a tensor.
          name: the name of the scope.
        """
        with ops.name_scope(name, values=[y]):
            return self._inverse(ops.convert_to_tensor(y, name='y'))

    def forward_log_det_jacobian(self, x, event_ndims=None, name='forward_log_det_jacobian'):
        """Returns the logarithm of the absolute value of the Jacobian's determinant at x.

        Args:
          x: a tensor.
          event_ndims: the number of axes of one value. Defaults to the bijector's.
          name: the name of the scope.
        """
        with ops.name_scope(name, values=[x]):
            return self._summed(self._forward_log_det_jacobian(ops.convert_to_tensor(x, name='x')),
                                event_ndims)

    def inverse_log_det_jacobian(self, y, event_ndims=None, name='inverse_log_det_jacobian'):
        """Returns the logarithm of the absolute value of the inverse's Jacobian's determinant at y.

        Args:
          y: a tensor.
          event_ndims: the number of axes of one value. Defaults to the bijector's.
          name: the name of the scope.
        """
        with ops.name_scope(name, values=[y]):
            return self._summed(self._inverse_log_det_jacobian(ops.convert_to_tensor(y, name='y')),
                                event_ndims)

    def _summed(self, values, event_ndims):
        return _sum_of_event(values, self._event_ndims if event_ndims is None else event_ndims)


@export('contrib.distributions.bijectors.Identity')
class Identity(Bijector):
    """The identity."""

    def _forward(self, x):
        return x

    _inverse = _forward

    def _forward_log_det_jacobian(self, x):
        return array_ops.zeros_like(x)


@export('contrib.distributions.bijectors.Exp')
class Exp(Bijector):
    """The exponential function."""

    def _forward(self, x):
        return math_ops.exp(x)

    def _inverse(self, y):
        return gen.Log(y)

    def _forward_log_det_jacobian(self, x):
        return x


@export('contrib.distributions.bijectors.Sigmoid')
class Sigmoid(Bijector):
    """The function 1 / (1 + exp(-x))."""

    def _forward(self, x):
        return math_ops.sigmoid(x)

    def _inverse(self, y):
        return gen.Log(y) - gen.Log1p(-y)

    def _forward_log_det_jacobian(self, x):
        return -math_ops.softplus(-x) - math_ops.softplus(x)


@export('contrib.distributions.bijectors.Softplus')
class Softplus(Bijector):
    """The function log(1 + exp(x))."""

    def _forward(self, x):
        return math_ops.softplus(x)

    def _inverse(self, y):
        return y + gen.Log(-gen.Expm1(-y))

    def _forward_log_det_jacobian(self, x):
        return -math_ops.softplus(-x)


@export('contrib.distributions.bijectors.AffineScalar')
class AffineScalar(Bijector):
    """The function scale * x + shift of each element.

    Args:
      shift: a tensor, or None for 0.
      scale: a tensor, or None for 1.
      event_ndims: the number of axes that belong to one value.
      validate_args: whether runs check values.
      name: the name of the bijector.
    """

    def __init__(self, shift=None, scale=None, event_ndims=0, validate_args=False,
                 name='affine_scalar'):
        super().__init__(event_ndims, validate_args, name)
        self._shift = None if shift is None else ops.convert_to_tensor(shift, name='shift')
        self._scale = None if scale is None else ops.convert_to_tensor(scale, name='scale')

    shift = property(lambda self: self._shift)
    scale = property(lambda self: self._scale)

    def _forward(self, x):
        y = x if self._scale is None else x * self._scale
        return y if self._shift is None else y + self._shift

    def _inverse(self, y):
        x = y if self._shift is None else y - self._shift
        return x if self._scale is None else x / self._scale

    def _forward_log_det_jacobian(self, x):
        zeros = array_ops.zeros_like(x)
        return zeros if self._scale is None else zeros + gen.Log(math_ops.abs(self._scale))


@export('contrib.distributions.bijectors.Affine')
class Affine(AffineScalar):
    """The function scale * x + shift of vectors, where scale is a multiple of the identity or a diagonal.

    Args:
      shift: a tensor [..., size], or None for 0.
      scale_identity_multiplier: a tensor [...], or None.
      scale_diag: a tensor [..., size] with the diagonal, or None.
      validate_args: whether runs check values.
      name: the name of the bijector.
    """

    def __init__(self, shift=None, scale_identity_multiplier=None, scale_diag=None,
                 validate_args=False, name='affine'):
        scale = None
        if scale_identity_multiplier is not None:
            scale = array_ops.expand_dims(ops.convert_to_tensor(scale_identity_multiplier), -1)
        if scale_diag is not None:
            diagonal = ops.convert_to_tensor(scale_diag)
            scale = diagonal if scale is None else scale + diagonal
        super().__init__(shift, scale, 1, validate_args, name)


@export('contrib.distributions.bijectors.Invert')
class Invert(Bijector):
    """The inverse of a bijector.

    Args:
      bijector: a Bijector.
      validate_args: whether runs check values.
      name: the name of the bijector.
    """

    def __init__(self, bijector, validate_args=False, name=None):
        super().__init__(bijector.event_ndims, validate_args, name or f'invert_{bijector.name}')
        self._bijector = bijector

    bijector = property(lambda self: self._bijector)

    def _forward(self, x):
        return self._bijector._inverse(x)

    def _inverse(self, y):
        return self._bijector._forward(y)

    def _forward_log_det_jacobian(self, x):
        return self._bijector._inverse_log_det_jacobian(x)


@export('contrib.distributions.bijectors.Chain')
class Chain(Bijector):
    """Bijectors one after another; the last one of the list is applied first.

    Args:
      bijectors: a list of Bijectors.
      validate_args: whether runs check values.
      name: the name of the bijector.
    """

    def __init__(self, bijectors, validate_args=False, name=None):
        super().__init__(max((b.event_ndims for b in bijectors), default=0), validate_args,
                         name or '_of_'.join(b.name for b in bijectors) or 'identity')
        self._bijectors = list(bijectors)

    bijectors = property(lambda self: self._bijectors)

    def _forward(self, x):
        for bijector in reversed(self._bijectors):
            x = bijector._forward(x)
        return x

    def _inverse(self, y):
        for bijector in self._bijectors:
            y = bijector._inverse(y)
        return y

    def _forward_log_det_jacobian(self, x):
        total = array_ops.zeros_like(x)
        for bijector in reversed(self._bijectors):
            total += bijector._forward_log_det_jacobian(x)
            x = bijector._forward(x)
        return total
