"""The registry of Kullback-Leibler divergences."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import assertions
from ramet.ops.math import math_ops

_divergences = {}


def _find(class_a, class_b):
    """Returns the function for the nearest registered base classes, or None."""
    found = [(i + j, _divergences[a, b])
             for i, a in enumerate(class_a.__mro__) for j, b in enumerate(class_b.__mro__)
             if (a, b) in _divergences]
    return min(found, key=lambda entry: entry[0])[1] if found else None


@export('distributions.kl_divergence')
def kl_divergence(distribution_a, distribution_b, allow_nan_stats=True, name=None):
    """Returns the Kullback-Leibler divergence KL(a || b) = E_a[log a(x) - log b(x)].

    Args:
      distribution_a: a Distribution.
      distribution_b: a Distribution.
      allow_nan_stats: whether the result may be NaN. Otherwise a run fails if it is.
      name: the name of the scope.

    Returns:
      A Tensor of the batch shape.

    Raises:
      NotImplementedError: if no function is registered for the two classes.
    """
    class_a, class_b = type(distribution_a), type(distribution_b)
    divergence = _find(class_a, class_b)
    if divergence is None:
        raise NotImplementedError(
            f'No KL(distribution_a || distribution_b) registered for distribution_a type {class_a.__name__} and '
            f'distribution_b type {class_b.__name__}')
    with ops.name_scope('KullbackLeibler'):
        value = divergence(distribution_a, distribution_b, name=name)
        if allow_nan_stats:
            return value
        value = array_ops.identity(value, name='kl')
        is_number = math_ops.logical_not(math_ops.reduce_any(math_ops.is_nan(value)))
        message = (f'KL calculation between {distribution_a.name} and {distribution_b.name} returned NaN values (and '
                   'was called with allow_nan_stats=False). Values:')
        with ops.control_dependencies([assertions.Assert(is_number, [message, value])]):
            return array_ops.identity(value, name='checked_kl')


def cross_entropy(ref, other, allow_nan_stats=True, name=None):
    """Returns the cross entropy -E_ref[log other(x)].

    Args:
      ref: a Distribution.
      other: a Distribution.
      allow_nan_stats: whether the result may be NaN. Otherwise a run fails if it is.
      name: the name of the scope.
    """
    with ops.name_scope(name, 'cross_entropy'):
        return ref.entropy() + kl_divergence(ref, other, allow_nan_stats=allow_nan_stats)


@export('distributions.RegisterKL')
class RegisterKL:
    """A decorator that registers a function for the divergence between two classes of distributions.

    The function takes two distributions and a keyword argument `name`.

    Args:
      dist_cls_a: the class of the first distribution.
      dist_cls_b: the class of the second distribution.
    """

    def __init__(self, dist_cls_a, dist_cls_b):
        self._key = dist_cls_a, dist_cls_b

    def __call__(self, kl_fn):
        """Registers the function and returns it.

        Raises:
          TypeError: if kl_fn is not callable.
          ValueError: if a function is registered for the classes.
        """
        if not callable(kl_fn):
            raise TypeError(f'kl_fn must be callable, received: {kl_fn}')
        if self._key in _divergences:
            a, b = self._key
            raise ValueError(f'KL({a.__name__} || {b.__name__}) has already been registered to: '
                             f'{_divergences[self._key]}')
        _divergences[self._key] = kl_fn
        return kl_fn
