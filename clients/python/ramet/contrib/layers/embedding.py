"""Embeddings of sequences."""

from ramet.api import export
from ramet.contrib.framework import variables
from ramet.contrib.framework.arg_scope import add_arg_scope
from ramet.framework import ops
from ramet.ops.array import array_ops
from ramet.ops.nn import embedding_ops
from ramet.ops.variables import variable_scope


@export('contrib.layers.embed_sequence')
@add_arg_scope
def embed_sequence(ids, vocab_size=None, embed_dim=None, unique=False, initializer=None,
                   regularizer=None, trainable=True, scope=None, reuse=None):
    """Returns the embeddings of symbols.

    Args:
      ids: a Tensor [batch, length] of integers.
      vocab_size: the number of symbols.
      embed_dim: the size of an embedding.
      unique: whether to look up each symbol only once, even if it occurs repeatedly in ids.
      initializer: the initializer of the variable 'embeddings'.
      regularizer: a function from the variable to a loss.
      trainable: whether the variable is trainable.
      scope: the name of the variable scope. Defaults to 'EmbedSequence'.
      reuse: whether to reuse the variable of the scope.

    Returns:
      A Tensor [batch, length, embed_dim].

    Raises:
      ValueError: if a size is missing and the variable is not reused.
    """
    if not (reuse or (vocab_size and embed_dim)):
        raise ValueError('Must specify vocab size and embedding dimension when not reusing. Got '
                         f'vocab_size={vocab_size} and embed_dim={embed_dim}')
    with variable_scope.variable_scope(scope, 'EmbedSequence', [ids], reuse=reuse):
        shape = None if vocab_size is None or embed_dim is None else [vocab_size, embed_dim]
        embeddings = variables.model_variable(
            'embeddings', shape=shape, initializer=initializer, regularizer=regularizer,
            trainable=trainable)
        if unique:
            return embedding_lookup_unique(embeddings, ids)
        return embedding_ops.embedding_lookup(embeddings, ids)


@export('contrib.layers.embedding_lookup_unique')
def embedding_lookup_unique(params, ids, partition_strategy='mod', name=None):
    """Like tf.nn.embedding_lookup, but looks each distinct id up only once.

    Args:
      params: a Tensor, a variable or a list of them.
      ids: a Tensor of integers.
      partition_strategy: see tf.nn.embedding_lookup.
      name: the name of the scope.

    Returns:
      A Tensor whose shape is that of ids followed by that of an embedding.
    """
    with ops.name_scope(name, 'EmbeddingLookupUnique', [params, ids]):
        ids = ops.convert_to_tensor(ids)
        shape = array_ops.shape(ids)
        unique_ids, index = array_ops.unique(array_ops.reshape(ids, [-1]))
        found = embedding_ops.embedding_lookup(params, unique_ids, partition_strategy)
        flat = array_ops.gather(found, index)
        embedding_shape = array_ops.shape(found)[1:]
        embeddings = array_ops.reshape(flat, array_ops.concat([shape, embedding_shape], 0))
        embeddings.set_shape(ids.get_shape().concatenate(found.get_shape()[1:]))
        return embeddings
