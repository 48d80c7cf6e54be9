"""Parses serialized tf.train.SequenceExample messages."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.parsing.features import FixedLenFeature, FixedLenSequenceFeature, VarLenFeature
from ramet.ops.parsing.parse_params import ParseParams
from ramet.ops.parsing.parsing_ops import require_scalar


@export('io.parse_sequence_example')
def parse_sequence_example(serialized, context_features=None, sequence_features=None, example_names=None,
                           name=None):
    """Parses a batch of serialized tf.train.SequenceExample messages.

    Args:
      serialized: a vector of strings.
      context_features: a dict of VarLenFeature and FixedLenFeature by key, the features of whole
        sequences.
      sequence_features: a dict of VarLenFeature and FixedLenSequenceFeature by key, the lists of
        features.
      example_names: a vector with the names of the examples in errors.
      name: the name of the operation.

    Returns:
      A tuple of dicts by key: the context, the lists, and the lengths of dense lists.

    Raises:
      ValueError: if a feature is invalid or there are none.
    """
    if not (context_features or sequence_features):
        raise ValueError('Both `context_features` and `sequence_features` argument are None, but at least one '
                         'should have values.')
    context, lists = _params(context_features, sequence_features)
    with ops.name_scope(name, 'ParseSequenceExample', [serialized, example_names]):
        return _parse(serialized, example_names, context, lists, name)


def _params(context_features, sequence_features):
    return (ParseParams(context_features, (VarLenFeature, FixedLenFeature)),
            ParseParams(sequence_features, (VarLenFeature, FixedLenSequenceFeature)))


def _parse(serialized, names, context, lists, name):
    with ops.name_scope(name, 'ParseSequenceExample', [serialized]):
        for key, value in lists.dense_defaults.items():
            if value is not None:
                raise ValueError(f'Value feature_list.dense_defaults[{key}] must be None')
        serialized = ops.convert_to_tensor(serialized, name='serialized')
        may_be_missing = [key in lists.dense_defaults for key in lists.dense_keys]
        outputs = gen.ParseSequenceExampleV2(
            serialized=serialized, debug_name=[] if names is None else names,
            context_sparse_keys=context.sparse_keys, context_dense_keys=context.dense_keys,
            context_ragged_keys=[], feature_list_sparse_keys=lists.sparse_keys,
            feature_list_dense_keys=lists.dense_keys, feature_list_ragged_keys=[],
            feature_list_dense_missing_assumed_empty=may_be_missing,
            context_dense_defaults=context.default_tensors(), Ncontext_sparse=len(context.sparse_keys),
            Nfeature_list_sparse=len(lists.sparse_keys), Nfeature_list_dense=len(lists.dense_keys),
            context_sparse_types=context.sparse_types, context_ragged_value_types=[],
            context_ragged_split_types=[], feature_list_dense_types=lists.dense_types,
            feature_list_sparse_types=lists.sparse_types, feature_list_ragged_value_types=[],
            feature_list_ragged_split_types=[], context_dense_shapes=context.dense_shapes,
            feature_list_dense_shapes=lists.dense_shapes, name=name)
        return (context.sparse_and_dense(*outputs[:4]), lists.sparse_and_dense(*outputs[6:10]),
                dict(zip(lists.dense_keys, outputs[10])))


@export('parse_single_sequence_example', 'io.parse_single_sequence_example')
@with_args_of(parse_sequence_example)
def parse_single_sequence_example(serialized, context_features=None, sequence_features=None,
                                  example_name=None, name=None):
    """Parses one serialized tf.train.SequenceExample message.

    Args:
      serialized: a string scalar.
      example_name: a scalar, the name of the example in errors.

    Returns:
      A pair of dicts by key: the context and the lists.

    Raises:
      ValueError: if a feature is invalid, there are none, or `serialized` is not a scalar.
    """
    if not (context_features or sequence_features):
        raise ValueError('Both context_features and sequence_features are None, but at least one should have '
                         'values.')
    context, lists = _params(context_features, sequence_features)
    with ops.name_scope(name, 'ParseSingleSequenceExample', [serialized, example_name]):
        with ops.name_scope(name, 'ParseSingleExample', [serialized, example_name]):
            serialized = ops.convert_to_tensor(serialized, name='serialized')
            serialized = require_scalar(serialized, 'serialized')
        return _parse(serialized, example_name, context, lists, name)[:2]
