"""Losses of embeddings: the same labels should be close to each other, and different labels apart."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.nn import nn_loss
from ramet.ops.strings import logging_ops


def _squared_distances(feature):
    """Returns the squared distances between all pairs of rows."""
    norms = math_ops.reduce_sum(math_ops.square(feature), axis=[1], keepdims=True)
    transposed_norms = math_ops.reduce_sum(math_ops.square(array_ops.transpose(feature)), axis=[0], keepdims=True)
    squares = math_ops.add(norms, transposed_norms) - 2.0 * math_ops.matmul(feature, array_ops.transpose(feature))
    squares = gen.Maximum(squares, 0.0)
    off_diagonal = array_ops.ones_like(squares) - gen.Diag(array_ops.ones([array_ops.shape(feature)[0]]))
    return math_ops.multiply(squares, off_diagonal)


def _distances(feature):
    """Returns the distances between all pairs of rows. Their gradient is zero where they are zero."""
    squares = _squared_distances(feature)
    zeros = gen.LessEqual(squares, 0.0)
    return math_ops.multiply(math_ops.sqrt(squares + math_ops.to_float(zeros) * 1e-16),
                       math_ops.to_float(gen.LogicalNot(zeros)))


def _adjacency(labels):
    """Returns which pairs of labels are equal."""
    labels = array_ops.reshape(labels, [array_ops.shape(labels)[0], 1])
    return math_ops.equal(labels, array_ops.transpose(labels))


@export('contrib.losses.metric_learning.contrastive_loss')
def contrastive_loss(labels, embeddings_anchor, embeddings_positive, margin=1.0):
    """Returns the contrastive loss (Hadsell, Chopra, LeCun 2006).

    Args:
      labels: an integer vector [batch]: 1 for pairs that belong together, 0 for others.
      embeddings_anchor: the first embeddings [batch, size].
      embeddings_positive: the second embeddings [batch, size].
      margin: the distance beyond which others do not matter.

    Returns:
      A float scalar.
    """
    distances = math_ops.sqrt(math_ops.reduce_sum(
        gen.SquaredDifference(embeddings_anchor, embeddings_positive), 1))
    together = math_ops.to_float(labels)
    return math_ops.reduce_mean(
        together * math_ops.square(distances)
        + (1. - together) * math_ops.square(gen.Maximum(margin - distances, 0.)),
        name='contrastive_loss')


def _masked_maximum(data, mask, axis=1):
    least = math_ops.reduce_min(data, axis, keepdims=True)
    return math_ops.reduce_max(math_ops.multiply(data - least, mask), axis, keepdims=True) + least


def _masked_minimum(data, mask, axis=1):
    most = math_ops.reduce_max(data, axis, keepdims=True)
    return math_ops.reduce_min(math_ops.multiply(data - most, mask), axis, keepdims=True) + most


@export('contrib.losses.metric_learning.triplet_semihard_loss')
def triplet_semihard_loss(labels, embeddings, margin=1.0):
    """Returns the triplet loss with semi-hard negatives (arXiv 1503.03832).

    The negative of each positive pair is the closest one that is farther away than the positive, or
    the farthest one if there is none.

    Args:
      labels: an integer vector [batch].
      embeddings: a float tensor [batch, size], whose rows should have length 1.
      margin: how much farther away negatives should be.

    Returns:
      A float scalar.
    """
    squares = _squared_distances(embeddings)
    adjacency = _adjacency(labels)
    different = gen.LogicalNot(adjacency)
    batch = array_ops.size(labels)
    tiled = gen.Tile(squares, [batch, 1])
    mask = gen.LogicalAnd(gen.Tile(different, [batch, 1]),
                          gen.Greater(tiled, array_ops.reshape(array_ops.transpose(squares), [-1, 1])))
    has_farther = gen.Greater(math_ops.reduce_sum(math_ops.to_float(mask), 1, keepdims=True), 0.0)
    has_farther = array_ops.transpose(array_ops.reshape(has_farther, [batch, batch]))
    outside = array_ops.transpose(array_ops.reshape(_masked_minimum(tiled, math_ops.to_float(mask)), [batch, batch]))
    inside = gen.Tile(_masked_maximum(squares, math_ops.to_float(different)), [1, batch])
    losses = math_ops.add(margin, squares - array_ops.where(has_farther, outside, inside))
    positives = math_ops.to_float(adjacency) - gen.Diag(array_ops.ones([batch]))
    return math_ops.truediv(math_ops.reduce_sum(gen.Maximum(math_ops.multiply(losses, positives), 0.0)),
                      math_ops.reduce_sum(positives), name='triplet_semihard_loss')


@export('contrib.losses.metric_learning.npairs_loss')
def npairs_loss(labels, embeddings_anchor, embeddings_positive, reg_lambda=0.002,
                print_losses=False):
    """Returns the N-pair loss (Sohn 2016).

    Args:
      labels: an integer vector [batch].
      embeddings_anchor: the first embeddings [batch, size].
      embeddings_positive: the second embeddings [batch, size].
      reg_lambda: the factor of the embeddings' squares.
      print_losses: whether to print the parts of the loss.

    Returns:
      A float scalar.
    """
    squares = [math_ops.reduce_mean(math_ops.reduce_sum(math_ops.square(e), 1))
               for e in (embeddings_anchor, embeddings_positive)]
    l2loss = math_ops.multiply(0.25 * reg_lambda, squares[0] + squares[1], name='l2loss')
    similarity = math_ops.matmul(embeddings_anchor, embeddings_positive, transpose_a=False,
                           transpose_b=True)
    targets = math_ops.to_float(_adjacency(labels))
    targets /= math_ops.reduce_sum(targets, 1, keepdims=True)
    losses = nn_loss.softmax_cross_entropy_with_logits(logits=similarity, labels=targets)
    xent = math_ops.reduce_mean(losses, name='xentropy')
    if print_losses:
        xent = logging_ops.Print(xent, ['cross entropy:', xent, 'l2loss:', l2loss])
    return l2loss + xent


@export('contrib.losses.metric_learning.lifted_struct_loss')
@with_args_of(triplet_semihard_loss)
def lifted_struct_loss(labels, embeddings, margin=1.0):
    """Returns the lifted structured loss (arXiv 1511.06452).

    Args:
      embeddings: a float tensor [batch, size].

    Returns:
      A float scalar.
    """
    distances = _distances(embeddings)
    adjacency = _adjacency(labels)
    different = math_ops.to_float(gen.LogicalNot(adjacency))
    batch = array_ops.size(labels)
    differences = margin - distances
    row_minimums = math_ops.reduce_min(differences, 1, keepdims=True)
    row_negatives = math_ops.reduce_max(math_ops.multiply(differences - row_minimums, different), 1,
                                  keepdims=True) + row_minimums
    max_elements = gen.Maximum(row_negatives, array_ops.transpose(row_negatives))
    diff_tiled = gen.Tile(differences, [batch, 1])
    mask_tiled = gen.Tile(different, [batch, 1])
    max_elements_vector = array_ops.reshape(array_ops.transpose(max_elements), [-1, 1])
    exponentials = math_ops.reduce_sum(
        math_ops.multiply(math_ops.exp(diff_tiled - max_elements_vector), mask_tiled), 1, keepdims=True)
    loss_exp = array_ops.reshape(exponentials, [batch, batch])
    loss_matrix = gen.Log(loss_exp + array_ops.transpose(loss_exp)) + max_elements + distances
    positives = math_ops.to_float(adjacency) - gen.Diag(array_ops.ones([batch]))
    count = math_ops.reduce_sum(positives) / 2.0
    return math_ops.truediv(
        0.25 * math_ops.reduce_sum(math_ops.square(gen.Maximum(math_ops.multiply(loss_matrix, positives), 0.0))),
        count, name='liftedstruct_loss')
