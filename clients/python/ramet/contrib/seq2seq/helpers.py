"""Helpers: what a decoder takes as the input of its next step, and when a sequence ends."""

import abc

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops, tensor_shape
from ramet.ops.array import array_ops
from ramet.ops.control_flow import control_flow_ops, tensor_array_ops
from ramet.ops.distributions import categorical
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops
from ramet.rnn import rnn_steps


@export('contrib.seq2seq.Helper')
class Helper(abc.ABC):
    """The interface that BasicDecoder uses to sample symbols and to get the inputs of its steps."""

    @property
    @abc.abstractmethod
    def batch_size(self):
        """The number of sequences, an int32 scalar."""

    @property
    @abc.abstractmethod
    def sample_ids_shape(self):
        """The TensorShape of what is sampled for each sequence."""

    @property
    @abc.abstractmethod
    def sample_ids_dtype(self):
        """The DType of what is sampled."""

    @abc.abstractmethod
    def initialize(self, name=None):
        """Returns which sequences have ended before the first step, and the first inputs.

        Args:
          name: the name of the scope of the operations.
        """

    @abc.abstractmethod
    def sample(self, time, outputs, state, name=None):
        """Samples from the outputs of a step.

        Args:
          time: the number of the step, an int32 scalar.
          outputs: the outputs of the step.
          state: the state after the step.
          name: the name of the scope of the operations.
        """

    @abc.abstractmethod
    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns which sequences have ended, the inputs of the next step and the state before it.

        Args:
          time: the number of the step, an int32 scalar.
          outputs: the outputs of the step.
          state: the state after the step.
          sample_ids: what was sampled from the outputs.
          name: the name of the scope of the operations.
        """


class SymbolHelper(Helper):
    """A Helper that samples one int32 number for each sequence."""

    sample_ids_shape = property(lambda self: tensor_shape.TensorShape([]))
    sample_ids_dtype = property(lambda self: dtypes.int32)
    batch_size = property(lambda self: self._batch_size)


@export('contrib.seq2seq.CustomHelper')
class CustomHelper(Helper):
    """A Helper that calls given functions.

    Args:
      initialize_fn: a function () -> (which sequences have ended, the first inputs).
      sample_fn: a function (time=, outputs=, state=) -> what is sampled.
      next_inputs_fn: a function (time=, outputs=, state=, sample_ids=) -> (which sequences have ended,
        the next inputs, the next state).
      sample_ids_shape: the shape of a sample, without the batch. Defaults to a scalar.
      sample_ids_dtype: the DType of a sample. Defaults to int32.
    """

    def __init__(self, initialize_fn, sample_fn, next_inputs_fn, sample_ids_shape=None,
                 sample_ids_dtype=None):
        self._initialize_fn, self._sample_fn = initialize_fn, sample_fn
        self._next_inputs_fn, self._batch_size = next_inputs_fn, None
        self._sample_ids_shape = tensor_shape.TensorShape(sample_ids_shape or [])
        self._sample_ids_dtype = sample_ids_dtype or dtypes.int32

    sample_ids_shape = property(lambda self: self._sample_ids_shape)
    sample_ids_dtype = property(lambda self: self._sample_ids_dtype)

    @property
    def batch_size(self):
        if self._batch_size is None:
            raise ValueError('batch_size accessed before initialize was called')
        return self._batch_size

    def initialize(self, name=None):
        """Calls initialize_fn, like Helper.initialize."""
        with ops.name_scope(name, 'CustomHelperInitialize'):
            finished, inputs = self._initialize_fn()
            if self._batch_size is None:
                self._batch_size = array_ops.size(finished)
        return finished, inputs

    def sample(self, time, outputs, state, name=None):
        """Calls sample_fn, like Helper.sample."""
        with ops.name_scope(name, 'CustomHelperSample', (time, outputs, state)):
            return self._sample_fn(time=time, outputs=outputs, state=state)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Calls next_inputs_fn, like Helper.next_inputs."""
        with ops.name_scope(name, 'CustomHelperNextInputs', (time, outputs, state)):
            return self._next_inputs_fn(time=time, outputs=outputs, state=state,
                                        sample_ids=sample_ids)


def array_of_steps(tensor):
    """Returns a TensorArray of the steps of a tensor [time, batch, ...]."""
    return tensor_array_ops.TensorArray(dtype=tensor.dtype, size=array_ops.shape(tensor)[0],
                          element_shape=tensor.get_shape()[1:]).unstack(tensor)


@export('contrib.seq2seq.TrainingHelper')
class TrainingHelper(SymbolHelper):
    """A Helper for training: the inputs of all steps are given.

    Args:
      inputs: a tensor [batch, time, ...], or a structure of them.
      sequence_length: an int32 vector [batch].
      time_major: whether the inputs are [time, batch, ...].
      name: the name of the scope of the operations.

    Raises:
      ValueError: if sequence_length is not a vector.
    """

    def __init__(self, inputs, sequence_length, time_major=False, name=None):
        with ops.name_scope(name, 'TrainingHelper', [inputs, sequence_length]):
            inputs = nest.map_structure(ops.convert_to_tensor, inputs)
            self._inputs = inputs
            if not time_major:
                inputs = nest.map_structure(rnn_steps.transposed, inputs)
            self._arrays = nest.map_structure(array_of_steps, inputs)
            self._lengths = ops.convert_to_tensor(sequence_length, name='sequence_length')
            if self._lengths.get_shape().ndims != 1:
                raise ValueError('Expected sequence_length to be a vector, but received shape: '
                                 f'{self._lengths.get_shape()}')
            self._zeros = nest.map_structure(lambda i: array_ops.zeros_like(i[0, :]), inputs)
            self._batch_size = array_ops.size(self._lengths)

    inputs = property(lambda self: self._inputs)
    sequence_length = property(lambda self: self._lengths)

    def _read(self, finished, time):
        return control_flow_ops.cond(math_ops.reduce_all(finished), lambda: self._zeros,
                       lambda: nest.map_structure(lambda array: array.read(time), self._arrays))

    def initialize(self, name=None):
        """Returns which sequences are empty, and the first inputs, like Helper.initialize."""
        with ops.name_scope(name, 'TrainingHelperInitialize'):
            finished = math_ops.equal(0, self._lengths)
            return finished, self._read(finished, 0)

    def sample(self, time, outputs, state, name=None):
        """Returns the positions of the largest outputs, like Helper.sample."""
        with ops.name_scope(name, 'TrainingHelperSample', [time, outputs]):
            return math_ops.argmax(outputs, axis=-1, output_type=dtypes.int32)

    def next_inputs(self, time, outputs, state, sample_ids=None, name=None):
        """Returns the given inputs of the next step, like Helper.next_inputs."""
        with ops.name_scope(name, 'TrainingHelperNextInputs', [time, outputs, state]):
            next_time = time + 1
            finished = next_time >= self._lengths
            return finished, self._read(finished, next_time), state


def embedding_function(embedding):
    """Returns a function from symbols to embeddings: the given one, or a lookup in the given table."""
    return embedding if callable(embedding) \
        else lambda ids: embedding_ops.embedding_lookup(embedding, ids)


@export('contrib.seq2seq.GreedyEmbeddingHelper')
class GreedyEmbeddingHelper(SymbolHelper):
    """A Helper that feeds back the embedding of the most likely symbol.

    Args:
      embedding: a function from symbols to embeddings, or the table of the embeddings.
      start_tokens: an int32 vector [batch], the first symbols.
      end_token: an int32 scalar, the symbol that ends a sequence.

    Raises:
      ValueError: if start_tokens is not a vector or end_token is not a scalar.
    """

    def __init__(self, embedding, start_tokens, end_token):
        self._embedding_fn = embedding_function(embedding)
        start_tokens = ops.convert_to_tensor(start_tokens, dtype=dtypes.int32, name='start_tokens')
        self._end_token = ops.convert_to_tensor(end_token, dtype=dtypes.int32, name='end_token')
        if start_tokens.get_shape().ndims != 1:
            raise ValueError('start_tokens must be a vector')
        self._batch_size = array_ops.size(start_tokens)
        if self._end_token.get_shape().ndims != 0:
            raise ValueError('end_token must be a scalar')
        self._start_inputs = self._embedding_fn(start_tokens)

    def initialize(self, name=None):
        """Returns the embeddings of the first symbols, like Helper.initialize."""
        return gen.Tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        """Returns the most likely symbols, like Helper.sample."""
        return math_ops.argmax(_single(outputs), axis=-1, output_type=dtypes.int32)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns the embeddings of the sampled symbols, like Helper.next_inputs."""
        finished = math_ops.equal(sample_ids, self._end_token)
        inputs = control_flow_ops.cond(math_ops.reduce_all(finished), lambda: self._start_inputs,
                         lambda: self._embedding_fn(sample_ids))
        return finished, inputs, state


def _single(outputs):
    if not isinstance(outputs, ops.Tensor):
        raise TypeError(f'Expected outputs to be a single Tensor, got: {type(outputs)}')
    return outputs


@export('contrib.seq2seq.SampleEmbeddingHelper')
class SampleEmbeddingHelper(GreedyEmbeddingHelper):
    """A Helper that feeds back the embedding of a symbol that is sampled from the outputs.

    Args:
      embedding: a function from symbols to embeddings, or the table of the embeddings.
      start_tokens: an int32 vector [batch], the first symbols.
      end_token: an int32 scalar, the symbol that ends a sequence.
      softmax_temperature: the logits are divided by this number, or None for 1.
      seed: the seed of the random numbers.

    Raises:
      ValueError: if start_tokens is not a vector or end_token is not a scalar.
    """

    def __init__(self, embedding, start_tokens, end_token, softmax_temperature=None, seed=None):
        super().__init__(embedding, start_tokens, end_token)
        self._temperature, self._seed = softmax_temperature, seed

    def sample(self, time, outputs, state, name=None):
        """Returns random symbols whose logits are the outputs, like Helper.sample."""
        logits = _single(outputs)
        if self._temperature is not None:
            logits = logits / self._temperature
        return categorical.Categorical(logits=logits).sample(seed=self._seed)


@export('contrib.seq2seq.InferenceHelper')
class InferenceHelper(Helper):
    """A Helper that feeds back samples of any shape.

    Args:
      sample_fn: a function from outputs to samples.
      sample_shape: the shape of a sample, without the batch.
      sample_dtype: the DType of a sample.
      start_inputs: the first inputs, a tensor [batch, ...].
      end_fn: a function from samples to a boolean vector [batch]: which sequences have ended.
      next_inputs_fn: a function from samples to the next inputs, or None to use the samples.
    """

    def __init__(self, sample_fn, sample_shape, sample_dtype, start_inputs, end_fn,
                 next_inputs_fn=None):
        self._sample_fn, self._end_fn = sample_fn, end_fn
        self._next_inputs_fn = next_inputs_fn
        self._sample_shape, self._sample_dtype = tensor_shape.TensorShape(sample_shape), sample_dtype
        self._start_inputs = ops.convert_to_tensor(start_inputs, name='start_inputs')
        self._batch_size = array_ops.shape(start_inputs)[0]

    batch_size = property(lambda self: self._batch_size)
    sample_ids_shape = property(lambda self: self._sample_shape)
    sample_ids_dtype = property(lambda self: self._sample_dtype)

    def initialize(self, name=None):
        """Returns the first inputs, like Helper.initialize."""
        return gen.Tile([False], [self._batch_size]), self._start_inputs

    def sample(self, time, outputs, state, name=None):
        """Calls sample_fn, like Helper.sample."""
        return self._sample_fn(outputs)

    def next_inputs(self, time, outputs, state, sample_ids, name=None):
        """Returns the next inputs that follow from the samples, like Helper.next_inputs."""
        inputs = sample_ids if self._next_inputs_fn is None else self._next_inputs_fn(sample_ids)
        return self._end_fn(sample_ids), inputs, state
