"""Distributions that are made of other ones: transformed, independent and mixed."""

from ramet.api import export
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.distributions import kullback_leibler
from ramet.ops.distributions.distribution import Distribution
from ramet.ops.distributions.reparameterization import NOT_REPARAMETERIZED
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_activation


@export('contrib.distributions.TransformedDistribution')
class TransformedDistribution(Distribution):
    """The distribution of a bijector's values.

    Args:
      distribution: the Distribution of the bijector's arguments.
      bijector: a Bijector.
      validate_args: whether runs check values.
      name: the prefix of the names of operations.
    """

    def __init__(self, distribution, bijector, validate_args=False, name=None):
        parameters = dict(locals())
        self._distribution, self._bijector = distribution, bijector
        super().__init__(distribution.dtype, distribution.reparameterization_type, validate_args,
                         distribution.allow_nan_stats, parameters, distribution._graph_parents,
                         name or bijector.name + distribution.name.rstrip('/').rpartition('/')[2])

    distribution = property(lambda self: self._distribution)
    bijector = property(lambda self: self._bijector)

    def _batch_shape_tensor(self):
        return self._distribution.batch_shape_tensor()

    def _batch_shape(self):
        return self._distribution.batch_shape

    def _event_shape_tensor(self):
        return self._distribution.event_shape_tensor()

    def _event_shape(self):
        return self._distribution.event_shape

    def _sample_n(self, n, seed=None):
        return self._bijector.forward(self._distribution.sample(n, seed=seed))

    def _log_prob(self, y):
        return self._distribution.log_prob(self._bijector.inverse(y)) \
            + self._bijector.inverse_log_det_jacobian(y, self._distribution.event_shape.ndims)

    def _cdf(self, y):
        return self._distribution.cdf(self._bijector.inverse(y))

    def _survival_function(self, y):
        return self._distribution.survival_function(self._bijector.inverse(y))

    def _quantile(self, value):
        return self._bijector.forward(self._distribution.quantile(value))


@export('contrib.distributions.Independent')
class Independent(Distribution):
    """Makes the last axes of a batch parts of one sample.

    Args:
      distribution: a Distribution.
      reinterpreted_batch_ndims: the number of axes. Defaults to all but the first.
      validate_args: whether runs check values.
      name: the prefix of the names of operations.
    """

    def __init__(self, distribution, reinterpreted_batch_ndims=None, validate_args=False,
                 name=None):
        parameters = dict(locals())
        self._distribution = distribution
        self._ndims = max(0, distribution.batch_shape.ndims - 1) \
            if reinterpreted_batch_ndims is None else reinterpreted_batch_ndims
        super().__init__(distribution.dtype, distribution.reparameterization_type, validate_args,
                         distribution.allow_nan_stats, parameters, distribution._graph_parents,
                         name or 'Independent' + distribution.name.rstrip('/').rpartition('/')[2])

    distribution = property(lambda self: self._distribution)
    reinterpreted_batch_ndims = property(lambda self: self._ndims)

    def _kept(self):
        return self._distribution.batch_shape.ndims - self._ndims

    def _batch_shape_tensor(self):
        return self._distribution.batch_shape_tensor()[:self._kept()]

    def _batch_shape(self):
        return self._distribution.batch_shape[:self._kept()]

    def _event_shape_tensor(self):
        return array_ops.concat([self._distribution.batch_shape_tensor()[self._kept():],
                          self._distribution.event_shape_tensor()], 0)

    def _event_shape(self):
        return self._distribution.batch_shape[self._kept():].concatenate(
            self._distribution.event_shape)

    def _sample_n(self, n, seed=None):
        return self._distribution.sample(n, seed=seed)

    def _summed(self, values):
        return math_ops.reduce_sum(values, axis=list(range(-self._ndims, 0)))

    def _log_prob(self, x):
        return self._summed(self._distribution.log_prob(x))

    def _entropy(self):
        return self._summed(self._distribution.entropy())

    def _mean(self):
        return self._distribution.mean()

    def _variance(self):
        return self._distribution.variance()

    def _stddev(self):
        return self._distribution.stddev()

    def _mode(self):
        return self._distribution.mode()


@kullback_leibler.RegisterKL(Independent, Independent)
def _kl_of_independent(a, b, name=None):
    with ops.name_scope(name, 'kl_independent'):
        return a._summed(kullback_leibler.kl_divergence(a.distribution, b.distribution))


@export('contrib.distributions.Mixture')
class Mixture(Distribution):
    """Samples of one of several distributions, which is chosen at random.

    Args:
      cat: a tf.distributions.Categorical, the probabilities of the components.
      components: a list of Distributions with the same batch and event shapes.
      validate_args: whether runs check values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.

    Raises:
      ValueError: if there are no components.
    """

    def __init__(self, cat, components, validate_args=False, allow_nan_stats=True,
                 name='Mixture'):
        parameters = dict(locals())
        if not components:
            raise ValueError('components must be a non-empty list or tuple')
        self._cat, self._components = cat, list(components)
        super().__init__(components[0].dtype, NOT_REPARAMETERIZED, validate_args, allow_nan_stats,
                         parameters, [cat.logits], name)

    cat = property(lambda self: self._cat)
    components = property(lambda self: self._components)
    num_components = property(lambda self: len(self._components))

    def _batch_shape_tensor(self):
        return self._components[0].batch_shape_tensor()

    def _batch_shape(self):
        return self._components[0].batch_shape

    def _event_shape_tensor(self):
        return self._components[0].event_shape_tensor()

    def _event_shape(self):
        return self._components[0].event_shape

    def _stacked(self, values):
        """Returns the components' values with the components in the last axis before the event."""
        return array_ops.stack(values, axis=-1 - self.event_shape.ndims)

    def _weights(self):
        weights = nn_activation.softmax(self._cat.logits)
        for _ in range(self.event_shape.ndims):
            weights = array_ops.expand_dims(weights, -1)
        return weights

    def _sample_n(self, n, seed=None):
        samples = self._stacked([c.sample(n, seed=seed) for c in self._components])
        chosen = array_ops.one_hot(self._cat.sample(n, seed=seed), len(self._components),
                            dtype=self.dtype)
        for _ in range(self.event_shape.ndims):
            chosen = array_ops.expand_dims(chosen, -1)
        return math_ops.reduce_sum(samples * chosen, axis=-1 - self.event_shape.ndims)

    def _log_prob(self, x):
        logs = array_ops.stack([c.log_prob(x) for c in self._components], axis=-1)
        return math_ops.reduce_logsumexp(logs + nn_activation.log_softmax(self._cat.logits), axis=-1)

    def _cdf(self, x):
        values = array_ops.stack([c.cdf(x) for c in self._components], axis=-1)
        return math_ops.reduce_sum(values * nn_activation.softmax(self._cat.logits), axis=-1)

    def _weighted(self, values):
        return math_ops.reduce_sum(self._stacked(values) * self._weights(),
                             axis=-1 - self.event_shape.ndims)

    def _mean(self):
        return self._weighted([c.mean() for c in self._components])

    def _variance(self):
        squares = [c.variance() + math_ops.square(c.mean()) for c in self._components]
        return self._weighted(squares) - math_ops.square(self._mean())


@export('contrib.distributions.MixtureSameFamily')
class MixtureSameFamily(Distribution):
    """Samples of one of a batch of distributions, which is chosen at random.

    Args:
      mixture_distribution: a tf.distributions.Categorical, the probabilities of the components.
      components_distribution: a Distribution whose last batch axis has the components.
      validate_args: whether runs check values.
      allow_nan_stats: whether undefined statistics are NaN instead of errors.
      name: the prefix of the names of operations.
    """

    def __init__(self, mixture_distribution, components_distribution, validate_args=False,
                 allow_nan_stats=True, name='MixtureSameFamily'):
        parameters = dict(locals())
        self._mixture, self._components = mixture_distribution, components_distribution
        super().__init__(components_distribution.dtype, NOT_REPARAMETERIZED, validate_args,
                         allow_nan_stats, parameters, [mixture_distribution.logits], name)

    mixture_distribution = property(lambda self: self._mixture)
    components_distribution = property(lambda self: self._components)

    def _batch_shape_tensor(self):
        return self._components.batch_shape_tensor()[:-1]

    def _batch_shape(self):
        return self._components.batch_shape[:-1]

    def _event_shape_tensor(self):
        return self._components.event_shape_tensor()

    def _event_shape(self):
        return self._components.event_shape

    def _axis(self):
        return -1 - self._components.event_shape.ndims

    def _expanded(self, weights):
        for _ in range(self._components.event_shape.ndims):
            weights = array_ops.expand_dims(weights, -1)
        return weights

    def _sample_n(self, n, seed=None):
        samples = self._components.sample(n, seed=seed)
        count = self._components.batch_shape[-1].value
        chosen = array_ops.one_hot(self._mixture.sample(n, seed=seed), count, dtype=self.dtype)
        if self._mixture.batch_shape.ndims == 0:
            for _ in range(self._components.batch_shape.ndims - 1):
                chosen = array_ops.expand_dims(chosen, 1)
        return math_ops.reduce_sum(samples * self._expanded(chosen), axis=self._axis())

    def _log_prob(self, x):
        logs = self._components.log_prob(array_ops.expand_dims(x, self._axis()))
        return math_ops.reduce_logsumexp(logs + nn_activation.log_softmax(self._mixture.logits), axis=-1)

    def _cdf(self, x):
        values = self._components.cdf(array_ops.expand_dims(x, self._axis()))
        return math_ops.reduce_sum(values * nn_activation.softmax(self._mixture.logits), axis=-1)

    def _weighted(self, values):
        weights = self._expanded(nn_activation.softmax(self._mixture.logits))
        return math_ops.reduce_sum(values * weights, axis=self._axis())

    def _mean(self):
        return self._weighted(self._components.mean())

    def _variance(self):
        mean = self._components.mean()
        return self._weighted(self._components.variance() + math_ops.square(mean)) \
            - math_ops.square(self._weighted(mean))
