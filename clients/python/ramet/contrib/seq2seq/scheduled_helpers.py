"""Helpers for scheduled sampling (arXiv 1506.03099): training with some of the model's own outputs as inputs."""

from ramet import gen
from ramet.api import export
from ramet.contrib.seq2seq import helpers
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.distributions import bernoulli, categorical
from ramet.ops.math import math_ops
from ramet.rnn import rnn_steps


def _probability(sampling_probability):
    probability = ops.convert_to_tensor(sampling_probability, name='sampling_probability')
    if probability.get_shape().ndims not in (0, 1):
        raise ValueError('sampling_probability must be either a scalar or a vector. saw shape: '
                         f'{probability.get_shape()}')
    return probability


def _mixed(sampled, sampled_values, base):
    """Returns `base` with the rows that `sampled` marks replaced.

    Args:
      sampled: a boolean vector [batch].
      sampled_values: a function from the positions of the marked rows [n, 1] to their values.
      base: the other rows, a tensor [batch, ...].
    """
    where, where_not = (math_ops.cast(array_ops.where(marks), dtypes.int32)
                        for marks in (sampled, gen.LogicalNot(sampled)))
    shape = array_ops.shape(base)
    return gen.ScatterNd(where, sampled_values(where), shape) \
        + gen.ScatterNd(where_not, array_ops.gather_nd(base, where_not), shape)


@export('contrib.seq2seq.ScheduledEmbeddingTrainingHelper')
@with_args_of(helpers.TrainingHelper)
class ScheduledEmbeddingTrainingHelper(helpers.TrainingHelper):
    """A TrainingHelper that sometimes feeds back the embedding of a symbol sampled from the outputs.

    Args:
      embedding: a function from symbols to embeddings, or the table of the embeddings.
      sampling_probability: the probability of sampling: a scalar or a vector [batch].
      seed: the seed of the sampled symbols.
      scheduling_seed: the seed of the choices whether to sample.

    Raises:
      ValueError: if sampling_probability is neither a scalar nor a vector.
    """

    def __init__(self, inputs, sequence_length, embedding, sampling_probability, time_major=False,
                 seed=None, scheduling_seed=None, name=None):
        with ops.name_scope(name, 'ScheduledEmbeddingSamplingWrapper',
                           [embedding, sampling_probability]):
            self._embedding_fn = helpers.embedding_function(embedding)
            self._probability = _probability(sampling_probability)
            self._seed, self._scheduling_seed = seed, scheduling_seed
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time, outputs, state, name=None):
        """Returns sampled symbols, or -1 where the given input is used, like Helper.sample."""
        with ops.name_scope(name, 'ScheduledEmbeddingTrainingHelperSample', [time, outputs, state]):
            chooser = bernoulli.Bernoulli(probs=self._probability, dtype=dtypes.bool)
            chosen = array_ops.reshape(chooser.sample(
                sample_shape=self.batch_size if self._probability.shape.ndims == 0 else (),
                seed=self._scheduling_seed), [-1])
            symbols = categorical.Categorical(logits=outputs).sample(seed=self._seed)
            return array_ops.where(chosen, symbols, array_ops.fill([self.batch_size], -1))

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns given inputs and embeddings of sampled symbols, like Helper.next_inputs."""
        with ops.name_scope(name, 'ScheduledEmbeddingTrainingHelperNextInputs',
                           [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids)

            def mixed():
                return _mixed(sample_ids > -1, lambda where: self._embedding_fn(
                    array_ops.gather_nd(sample_ids, where)), base)

            return finished, control_flow_ops.cond(math_ops.reduce_all(finished), lambda: base, mixed), state


@export('contrib.seq2seq.ScheduledOutputTrainingHelper')
@with_args_of(helpers.TrainingHelper)
class ScheduledOutputTrainingHelper(helpers.TrainingHelper):
    """A TrainingHelper that sometimes feeds back the outputs themselves.

    Args:
      sampling_probability: the probability of feeding back: a scalar.
      seed: the seed of the random choices.
      next_inputs_fn: a function from outputs to inputs, or None to use the outputs.
      auxiliary_inputs: tensors [batch, time, ...] that are joined to all inputs, or None.

    Raises:
      ValueError: if sampling_probability is neither a scalar nor a vector.
    """

    def __init__(self, inputs, sequence_length, sampling_probability, time_major=False, seed=None,
                 next_inputs_fn=None, auxiliary_inputs=None, name=None):
        with ops.name_scope(name, 'ScheduledOutputTrainingHelper',
                           [inputs, auxiliary_inputs, sampling_probability]):
            self._probability = _probability(sampling_probability)
            self._seed, self._next_inputs_fn = seed, next_inputs_fn
            self._auxiliary = None
            if auxiliary_inputs is not None:
                inputs = ops.convert_to_tensor(inputs, name='inputs')
                auxiliary_inputs = ops.convert_to_tensor(auxiliary_inputs, name='auxiliary_inputs')
                inputs = array_ops.concat((inputs, auxiliary_inputs), -1)
                self._auxiliary = helpers.array_of_steps(
                    auxiliary_inputs if time_major else rnn_steps.transposed(auxiliary_inputs))
            super().__init__(inputs, sequence_length, time_major=time_major, name=name)

    def sample(self, time, outputs, state, name=None):
        """Returns 1 for the sequences whose outputs are fed back, like Helper.sample."""
        with ops.name_scope(name, 'ScheduledOutputTrainingHelperSample', [time, outputs, state]):
            chooser = bernoulli.Bernoulli(probs=self._probability)
            return chooser.sample(
                sample_shape=self.batch_size if self._probability.shape.ndims == 0 else (),
                seed=self._seed)

    def _with_auxiliary(self, values, time, where=None):
        if self._auxiliary is None:
            return values
        auxiliary = self._auxiliary.read(time)
        if where is not None:
            auxiliary = array_ops.gather_nd(auxiliary, where)
        return array_ops.concat((values, auxiliary), -1)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns given inputs and outputs that are fed back, like Helper.next_inputs."""
        with ops.name_scope(name, 'ScheduledOutputTrainingHelperNextInputs',
                           [time, outputs, state, sample_ids]):
            finished, base, state = super().next_inputs(time, outputs, state, sample_ids)
            fed = math_ops.cast(sample_ids, dtypes.bool)

            def mixed():
                if self._next_inputs_fn is None:
                    return array_ops.where(fed, self._with_auxiliary(outputs, time + 1), base)
                return _mixed(fed, lambda where: self._with_auxiliary(
                    self._next_inputs_fn(array_ops.gather_nd(outputs, where)), time + 1, where), base)

            none_fed = gen.LogicalNot(math_ops.reduce_any(fed))
            unchanged = gen.LogicalOr(math_ops.reduce_all(finished), none_fed)
            return finished, control_flow_ops.cond(unchanged, lambda: base, mixed), state
