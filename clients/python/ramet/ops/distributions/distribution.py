"""The base class of distributions."""

import contextlib

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape, tensor_util
from ramet.ops.array import array_ops
from ramet.ops.distributions import kullback_leibler
from ramet.ops.distributions.distribution_shapes import as_vector, set_sample_shape
from ramet.ops.distributions.reparameterization import (  # noqa: F401
    FULLY_REPARAMETERIZED,
    NOT_REPARAMETERIZED,
    ReparameterizationType,
)
from ramet.ops.math import math_ops


def _absent(method):
    """Returns a method that a subclass may define."""

    def refuse(self, *unused_args, **unused_kwargs):
        raise NotImplementedError(f'{method} is not implemented: {type(self).__name__}')

    refuse.__doc__ = f'Computes `{method}`. Subclasses define it.'
    return refuse


@export('distributions.Distribution')
class Distribution:
    """A batch of probability distributions of the same kind.

    Samples have the shape sample_shape + batch_shape + event_shape. A subclass defines some of the methods with an
    underscore (_sample_n, _log_prob, _mean, ...), and the public methods call them within a name scope.
    """

    def __init__(self, dtype, reparameterization_type, validate_args, allow_nan_stats, parameters=None,
                 graph_parents=None, name=None):
        """Initializes the base of a distribution.

        Args:
          dtype: the dtype of samples.
          reparameterization_type: FULLY_REPARAMETERIZED if gradients flow through samples, or NOT_REPARAMETERIZED.
          validate_args: whether runs check parameters and values, at some cost.
          allow_nan_stats: whether undefined statistics are NaN instead of errors.
          parameters: a dict of the arguments of the subclass.
          graph_parents: a list of the tensors that the distribution is made from.
          name: the prefix of the names of operations. Defaults to the name of the class.

        Raises:
          ValueError: if one of graph_parents is not a Tensor.
        """
        for i, parent in enumerate(graph_parents or ()):
            if parent is None or not tensor_util.is_tensor(parent):
                raise ValueError(f'Graph parent item {i} is not a Tensor; {parent}.')
        if not name or name[-1] != '/':
            with ops.name_scope(name or type(self).__name__) as name:
                pass
        self._dtype = dtype
        self._reparameterization_type = reparameterization_type
        self._allow_nan_stats = allow_nan_stats
        self._validate_args = validate_args
        self._parameters = {key: value for key, value in (parameters or {}).items() if key != 'self'}
        self._graph_parents = list(graph_parents or ())
        self._name = name

    @classmethod
    def param_shapes(cls, sample_shape, name='DistributionParamShapes'):
        """Maps the names of parameters to their shapes, as Tensors, for samples of a shape.

        Args:
          sample_shape: the shape of the result of `sample()`.
          name: the name of the scope.
        """
        with ops.name_scope(name, values=[sample_shape]):
            return cls._param_shapes(sample_shape)

    @classmethod
    def param_static_shapes(cls, sample_shape):
        """Maps the names of parameters to their shapes, as TensorShapes, for samples of a shape.

        Args:
          sample_shape: the shape of the result of `sample()`.

        Raises:
          ValueError: if sample_shape is not fully defined.
        """
        if isinstance(sample_shape, tensor_shape.TensorShape):
            if not sample_shape.is_fully_defined():
                raise ValueError('TensorShape sample_shape must be fully defined')
            sample_shape = sample_shape.as_list()
        shapes = {}
        for name, shape in cls.param_shapes(sample_shape).items():
            known = tensor_util.constant_value(shape)
            if known is None:
                raise ValueError('sample_shape must be a fully-defined TensorShape or list/tuple')
            shapes[name] = tensor_shape.TensorShape(known)
        return shapes

    @staticmethod
    def _param_shapes(sample_shape):
        raise NotImplementedError('_param_shapes not implemented')

    @property
    def name(self):
        """The prefix of the names of its operations."""
        return self._name

    @property
    def dtype(self):
        """The dtype of samples."""
        return self._dtype

    @property
    def parameters(self):
        """The arguments of the constructor, as a dict."""
        return {key: value for key, value in self._parameters.items() if not key.startswith('__')}

    @property
    def reparameterization_type(self):
        """FULLY_REPARAMETERIZED or NOT_REPARAMETERIZED."""
        return self._reparameterization_type

    @property
    def allow_nan_stats(self):
        """True if undefined statistics are NaN, False if they are errors."""
        return self._allow_nan_stats

    @property
    def validate_args(self):
        """True if runs check parameters and values."""
        return self._validate_args

    def copy(self, **override_parameters_kwargs):
        """Returns a distribution of the same class with the same arguments.

        Args:
          **override_parameters_kwargs: arguments with different values.
        """
        return type(self)(**{**self.parameters, **override_parameters_kwargs})

    _batch_shape_tensor = _absent('batch_shape_tensor')
    _event_shape_tensor = _absent('event_shape_tensor')
    _sample_n = _absent('sample_n')
    _log_prob = _absent('log_prob')
    _prob = _absent('prob')
    _log_cdf = _absent('log_cdf')
    _cdf = _absent('cdf')
    _log_survival_function = _absent('log_survival_function')
    _survival_function = _absent('survival_function')
    _entropy = _absent('entropy')
    _mean = _absent('mean')
    _quantile = _absent('quantile')
    _variance = _absent('variance')
    _stddev = _absent('stddev')
    _covariance = _absent('covariance')
    _mode = _absent('mode')

    def _batch_shape(self):
        return tensor_shape.TensorShape(None)

    def _event_shape(self):
        return tensor_shape.TensorShape(None)

    @property
    def batch_shape(self):
        """The shape of the batch of distributions, a TensorShape."""
        return tensor_shape.as_shape(self._batch_shape())

    @property
    def event_shape(self):
        """The shape of one sample of one distribution, a TensorShape."""
        return tensor_shape.as_shape(self._event_shape())

    def batch_shape_tensor(self, name='batch_shape_tensor'):
        """Returns the shape of the batch as an int32 vector.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._shape_tensor(self.batch_shape, self._batch_shape_tensor, 'batch_shape')

    def event_shape_tensor(self, name='event_shape_tensor'):
        """Returns the shape of one sample as an int32 vector.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._shape_tensor(self.event_shape, self._event_shape_tensor, 'event_shape')

    @staticmethod
    def _shape_tensor(known, compute, name):
        if known.is_fully_defined():
            return ops.convert_to_tensor(known.as_list(), dtype=dtypes.int32, name=name)
        return compute()

    def is_scalar_event(self, name='is_scalar_event'):
        """Returns whether one sample is a scalar, as a bool Tensor.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return ops.convert_to_tensor(
                self._is_scalar(self.event_shape, self.event_shape_tensor), name='is_scalar_event')

    def is_scalar_batch(self, name='is_scalar_batch'):
        """Returns whether this is a single distribution, as a bool Tensor.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return ops.convert_to_tensor(
                self._is_scalar(self.batch_shape, self.batch_shape_tensor), name='is_scalar_batch')

    @staticmethod
    def _is_scalar(known, compute):
        if known.ndims is not None:
            return known.ndims == 0
        return math_ops.equal(array_ops.shape(compute())[0], 0)

    def sample(self, sample_shape=(), seed=None, name='sample'):
        """Draws samples.

        Args:
          sample_shape: an int32 scalar or vector, the shape of independent samples.
          seed: an integer; see tf.set_random_seed.
          name: the name of the scope.

        Returns:
          A Tensor of shape sample_shape + batch_shape + event_shape.
        """
        return self._call_sample_n(sample_shape, seed, name)

    def _call_sample_n(self, sample_shape, seed, name, **kwargs):
        with self._name_scope(name, values=[sample_shape]):
            sample_shape = ops.convert_to_tensor(sample_shape, dtype=dtypes.int32, name='sample_shape')
            sample_shape, count = as_vector(sample_shape, 'sample_shape')
            samples = self._sample_n(count, seed, **kwargs)
            rest = array_ops.shape(samples)[1:]
            samples = array_ops.reshape(samples, array_ops.concat([sample_shape, rest], 0))
            return set_sample_shape(samples, sample_shape, self.batch_shape, self.event_shape)

    def _of_value(self, value, name, compute, convert=None, instead=None):
        """Calls compute(value) in a scope, or convert(instead(value)) if the subclass does not define it."""
        with self._name_scope(name, values=[value]):
            value = ops.convert_to_tensor(value, name='value', preferred_dtype=self.dtype)
            return _first_defined(lambda: compute(value), convert and (lambda: convert(instead(value))))

    def log_prob(self, value, name='log_prob'):
        """Returns the logarithm of the probability, or density, of a value.

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._log_prob, math_ops.log, self._prob)

    def prob(self, value, name='prob'):
        """Returns the probability, or density, of a value.

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._prob, math_ops.exp, self._log_prob)

    def log_cdf(self, value, name='log_cdf'):
        """Returns the logarithm of the cumulative distribution function.

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._log_cdf, math_ops.log, self._cdf)

    def cdf(self, value, name='cdf'):
        """Returns the cumulative distribution function, P(X <= value).

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._cdf, math_ops.exp, self._log_cdf)

    def log_survival_function(self, value, name='log_survival_function'):
        """Returns log P(X > value).

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._log_survival_function, lambda cdf: math_ops.log1p(-cdf), self.cdf)

    def survival_function(self, value, name='survival_function'):
        """Returns P(X > value).

        Args:
          value: a Tensor that broadcasts with batch_shape + event_shape.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._survival_function, lambda cdf: 1. - cdf, self.cdf)

    def quantile(self, value, name='quantile'):
        """Returns the inverse of `cdf`.

        Args:
          value: a Tensor of probabilities.
          name: the name of the scope.
        """
        return self._of_value(value, name, self._quantile)

    def entropy(self, name='entropy'):
        """Returns the Shannon entropy in nats.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._entropy()

    def mean(self, name='mean'):
        """Returns the mean.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._mean()

    def variance(self, name='variance'):
        """Returns the variance of each element of a sample.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return _first_defined(self._variance, lambda: math_ops.square(self._stddev()))

    def stddev(self, name='stddev'):
        """Returns the standard deviation of each element of a sample.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return _first_defined(self._stddev, lambda: math_ops.sqrt(self._variance()))

    def covariance(self, name='covariance'):
        """Returns the covariance matrices of the elements of samples.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._covariance()

    def mode(self, name='mode'):
        """Returns the most probable value.

        Args:
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._mode()

    def cross_entropy(self, other, name='cross_entropy'):
        """Returns the cross entropy -E_self[log other(x)].

        Args:
          other: a Distribution.
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._cross_entropy(other)

    def _cross_entropy(self, other):
        return kullback_leibler.cross_entropy(self, other, allow_nan_stats=self.allow_nan_stats)

    def kl_divergence(self, other, name='kl_divergence'):
        """Returns the Kullback-Leibler divergence KL(self || other).

        Args:
          other: a Distribution.
          name: the name of the scope.
        """
        with self._name_scope(name):
            return self._kl_divergence(other)

    def _kl_divergence(self, other):
        return kullback_leibler.kl_divergence(self, other, allow_nan_stats=self.allow_nan_stats)

    def _known_shapes(self):
        known = (('batch_shape', self.batch_shape), ('event_shape', self.event_shape))
        return ''.join(f', {name}={shape}' for name, shape in known if shape.ndims is not None)

    def __str__(self):
        return (f'tfp.distributions.{type(self).__name__}("{self.name}"{self._known_shapes()}, '
                f'dtype={self.dtype.name})')

    def __repr__(self):
        return (f"<tfp.distributions.{type(self).__name__} '{self.name}' batch_shape={self.batch_shape} "
                f'event_shape={self.event_shape} dtype={self.dtype.name}>')

    @contextlib.contextmanager
    def _name_scope(self, name=None, values=None):
        with ops.name_scope(self.name):
            with ops.name_scope(name, values=[*(values or ()), *self._graph_parents]) as scope:
                yield scope


def _first_defined(compute, instead):
    """Returns compute(), or instead() if a subclass does not define the method that compute() calls."""
    try:
        return compute()
    except NotImplementedError as error:
        if instead is None:
            raise
        try:
            return instead()
        except NotImplementedError:
            raise error from None
