"""tf.contrib.eager.metrics: metrics over many batches."""

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variables


class Metric:
    """The base class of metrics. Calling a metric adds a batch; `result` returns the value so far."""

    def __init__(self, name=None):
        self._built = False
        self._vars = []
        self._name = name or type(self).__name__

    def __call__(self, *args, **kwargs):
        """Adds a batch.

        Args:
          *args: the arguments of `call`.
          **kwargs: the keyword arguments of `call`.

        Returns:
          The result of `call`.
        """
        if not self._built:
            with ops.init_scope():
                self.build(*args, **kwargs)
            self._built = True
        return self.call(*args, **kwargs)

    @property
    def name(self):
        """The name of the metric."""
        return self._name

    @property
    def variables(self):
        """The variables that keep the state."""
        return self._vars

    def build(self, *args, **kwargs):
        """Creates the variables, before the first batch."""

    def call(self, *args, **kwargs):
        """Adds a batch."""
        raise NotImplementedError('Metrics must define a call() member function')

    def result(self):
        """Returns the value of the metric as a Tensor."""
        raise NotImplementedError('Metrics must define a result() member function')

    def init_variables(self):
        """Sets the state back to that before the first batch."""
        for variable in self._vars:
            variable.assign(array_ops.zeros_like(variable))

    def add_variable(self, name, shape=None, dtype=None, initializer=None):
        """Creates a variable that is not trainable.

        Args:
          name: its name.
          shape: its shape.
          dtype: its DType.
          initializer: a function (shape, dtype=dtype) that returns the initial value.

        Returns:
          The variable.

        Raises:
          RuntimeError: after the first batch.
        """
        if self._built:
            raise RuntimeError("Can't call add_variable() except in build().")
        made = variables.Variable(lambda: initializer(shape, dtype=dtype), name=f'{self._name}/{name}', trainable=False,
                                  use_resource=True)
        self._vars.append(made)
        return made

    def _trackable_children(self):
        return {variable.name.split('/')[-1].partition(':')[0]: variable for variable in self._vars}


@export('contrib.eager.metrics.Mean')
class Mean(Metric):
    """The mean of all values, weighted if weights are given.

    Args:
      name: the name of the metric.
      dtype: the DType of the mean.
    """

    def __init__(self, name=None, dtype=dtypes.float64):
        super().__init__(name)
        self.dtype = dtype

    def build(self, *args, **kwargs):
        """Creates the sum and the count.

        Args:
          *args: ignored.
          **kwargs: ignored.
        """
        self.numer = self.add_variable('numer', (), self.dtype, array_ops.zeros)
        self.denom = self.add_variable('denom', (), self.dtype, array_ops.zeros)

    def call(self, values, weights=None):
        """Adds values.

        Args:
          values: a Tensor.
          weights: a Tensor that broadcasts to values, or None.

        Returns:
          values, or the pair of values and weights if there are weights.
        """
        numbers = math_ops.cast(values, self.dtype)
        if weights is None:
            self.denom.assign_add(math_ops.cast(array_ops.size(numbers), self.dtype))
            self.numer.assign_add(math_ops.reduce_sum(numbers))
            return values
        weights = math_ops.cast(weights, self.dtype)
        self.denom.assign_add(math_ops.reduce_sum(weights))
        self.numer.assign_add(math_ops.reduce_sum(numbers * weights))
        return values, weights

    def result(self):
        """Returns the mean so far."""
        return self.numer.value() / self.denom.value()


@export('contrib.eager.metrics.Accuracy')
class Accuracy(Mean):
    """The share of predictions that equal their labels.

    Args:
      name: the name of the metric.
      dtype: the DType of the share.
    """

    def call(self, labels, predictions, weights=None):
        """Adds predictions.

        Args:
          labels: a Tensor.
          predictions: a Tensor of the shape of labels.
          weights: a Tensor that broadcasts to labels, or None.

        Returns:
          The arguments.
        """
        super().call(math_ops.equal(labels, predictions), weights)
        return (labels, predictions) if weights is None else (labels, predictions, weights)
