"""Losses over a sample of many classes: noise-contrastive estimation and sampled softmax."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import embedding_ops, nn_loss
from ramet.ops.random import candidate_sampling_ops


def _sum_rows(matrix):
    """Returns the sum of each row, by a product whose gradient is cheaper than that of tf.reduce_sum."""
    ones = array_ops.ones(array_ops.stack([array_ops.shape(matrix)[1], 1]), matrix.dtype)
    return array_ops.reshape(math_ops.matmul(matrix, ones), [-1])


def _as(tensor, dtype):
    return tensor if tensor.dtype == dtype else math_ops.cast(tensor, dtype)


def _true_logits(inputs, weights, biases, num_true):
    """Returns the logits [batch, num_true] of weights [batch * num_true, dim] and biases [batch * num_true]."""
    dim = array_ops.shape(weights)[1:2]
    shape = array_ops.concat([[-1, num_true], dim], 0)
    products = math_ops.multiply(array_ops.expand_dims(inputs, 1), array_ops.reshape(weights, shape))
    rows = array_ops.reshape(products, array_ops.concat([[-1], dim], 0))
    logits = array_ops.reshape(_sum_rows(rows), [-1, num_true])
    return logits + array_ops.reshape(biases, [-1, num_true])


def _accidental_hits(labels, sampled, num_true, num_sampled, dtype):
    """Returns a matrix [batch, num_sampled] of the lowest float for each sampled class that is a label, and zeros."""
    indices, ids, weights = candidate_sampling_ops.compute_accidental_hits(labels, sampled, num_true=num_true)
    pairs = array_ops.concat(
        [array_ops.reshape(indices, [-1, 1]), array_ops.reshape(math_ops.cast(ids, dtypes.int32), [-1, 1])], 1,
        'sparse_indices')
    shape = array_ops.concat([array_ops.shape(labels)[:1], array_ops.expand_dims(num_sampled, 0)], 0)
    return gen.SparseToDense(pairs, shape, _as(weights, dtype), default_value=0.0, validate_indices=False)


def _logits(tables, biases, inputs, flat, sampled, num_true, partition_strategy):
    """Returns the logits of the true classes [batch, num_true] and of the sampled ones [batch, num_sampled]."""
    ids = array_ops.concat([flat, sampled], 0)
    rows = _as(embedding_ops.embedding_lookup(tables, ids, partition_strategy=partition_strategy), inputs.dtype)
    true_rows = array_ops.slice(rows, [0, 0], array_ops.stack([array_ops.shape(flat)[0], -1]))
    sampled_rows = array_ops.slice(rows, array_ops.stack([array_ops.shape(flat)[0], 0]), [-1, -1])
    sampled_logits = math_ops.matmul(inputs, sampled_rows, transpose_b=True)
    values = _as(embedding_ops.embedding_lookup(biases, ids, partition_strategy=partition_strategy), inputs.dtype)
    true_biases = array_ops.slice(values, [0], array_ops.shape(flat))
    sampled_biases = array_ops.slice(values, array_ops.shape(flat), [-1])
    return _true_logits(inputs, true_rows, true_biases, num_true), sampled_logits + sampled_biases


def _sampled_logits(weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values,
                    remove_accidental_hits, partition_strategy, name, seed=None):
    """Returns logits and labels [batch, num_true + num_sampled], less the logarithms of the expected counts."""
    tables = embedding_ops.as_list(weights)
    with ops.name_scope(name, 'compute_sampled_logits', tables + [biases, inputs, labels]):
        labels = _as(labels, dtypes.int64)
        flat = array_ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = candidate_sampling_ops.log_uniform_candidate_sampler(
                labels, num_true, num_sampled, unique=True, range_max=num_classes, seed=seed)
        sampled, true_expected, sampled_expected = (array_ops.stop_gradient(value) for value in sampled_values)
        sampled = math_ops.cast(sampled, dtypes.int64)
        true_logits, sampled_logits = _logits(tables, biases, inputs, flat, sampled, num_true, partition_strategy)
        if remove_accidental_hits:
            sampled_logits += _accidental_hits(labels, sampled, num_true, num_sampled, sampled_logits.dtype)
        true_logits -= math_ops.log(true_expected)
        sampled_logits -= math_ops.log(sampled_expected)
        logits = array_ops.concat([true_logits, sampled_logits], 1)
        ones = array_ops.ones_like(true_logits) / num_true
        return logits, array_ops.concat([ones, array_ops.zeros_like(sampled_logits)], 1)


@export('nn.nce_loss')
def nce_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
             remove_accidental_hits=False, partition_strategy='mod', name='nce_loss'):
    """Returns the noise-contrastive estimation loss of each example, for training with many classes.

    Args:
      weights: a Tensor or Variable [num_classes, dim], a list of them, or a PartitionedVariable: a row per class.
      biases: a Tensor or Variable [num_classes].
      labels: an int64 Tensor [batch, num_true] of classes.
      inputs: a Tensor [batch, dim].
      num_sampled: int, the number of classes to draw for the whole batch.
      num_classes: int, the number of classes.
      num_true: int, the number of labels per example.
      sampled_values: the result of a candidate sampler, or None for tf.nn.log_uniform_candidate_sampler.
      remove_accidental_hits: bool, whether to ignore drawn classes that are labels of the example.
      partition_strategy: 'mod' or 'div', see tf.nn.embedding_lookup.
      name: the name of the scope.

    Returns:
      A Tensor [batch].
    """
    logits, labels = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, name)
    losses = nn_loss.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name='sampled_losses')
    return _sum_rows(losses)


@export('nn.sampled_softmax_loss')
@with_args_of(nce_loss)
def sampled_softmax_loss(weights, biases, labels, inputs, num_sampled, num_classes, num_true=1, sampled_values=None,
                         remove_accidental_hits=True, partition_strategy='mod', name='sampled_softmax_loss',
                         seed=None):
    """Returns the softmax cross entropy of each example over its labels and a sample of the other classes.

    Args:
      seed: an integer, the seed of the candidate sampler; see tf.set_random_seed.

    Returns:
      A Tensor [batch].
    """
    logits, labels = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, remove_accidental_hits,
        partition_strategy, name, seed)
    labels = array_ops.stop_gradient(labels, name='labels_stop_gradient')
    return nn_loss.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits)
