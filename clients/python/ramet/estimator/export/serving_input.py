"""The inputs of exported models: placeholders, and the features that are made from them."""

import collections

from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.array import array_ops
from ramet.ops.parsing.parsing_ops import parse_example

_FEATURE = 'feature'
_LABEL = 'label'
_RECEIVER = 'input'


def _is_feature(value):
    return isinstance(value, (ops.Tensor, SparseTensor))


def _checked_features(features, what, single):
    """Returns features as a dict from names to tensors."""
    if features is None:
        raise ValueError(f'{what}s must be defined.')
    if not isinstance(features, dict):
        features = {single: features}
    for name, tensor in features.items():
        if not isinstance(name, (str, int)):
            raise ValueError(f'{what} keys must be strings or ints: {name}.')
        if not _is_feature(tensor):
            raise ValueError(f'{what} {name} must be a Tensor, SparseTensor, or RaggedTensor.')
    return features


def _checked_receivers(receiver_tensors):
    if receiver_tensors is None:
        raise ValueError('receiver_tensors must be defined.')
    if not isinstance(receiver_tensors, dict):
        receiver_tensors = {_RECEIVER: receiver_tensors}
    for name, tensor in receiver_tensors.items():
        if not isinstance(name, str):
            raise ValueError(f'receiver_tensors keys must be strings: {name}.')
        if not _is_feature(tensor):
            raise ValueError(f'receiver_tensor {name} must be a Tensor, SparseTensor, or RaggedTensor.')
    return receiver_tensors


def _check_alternatives(alternatives):
    if alternatives is None:
        return
    if not isinstance(alternatives, dict):
        raise ValueError(f'receiver_tensors_alternatives must be a dict: {alternatives}.')
    for name, tensors in alternatives.items():
        if not isinstance(tensors, dict):
            tensors = {_RECEIVER: tensors}
            alternatives[name] = tensors
        _checked_receivers(tensors)


class ServingInputReceiver(collections.namedtuple(
        'ServingInputReceiver', ['features', 'receiver_tensors', 'receiver_tensors_alternatives'])):
    """The tensors that a served model is fed with, and the features for the model function."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        """Creates the inputs.

        Args:
          features: a tensor, or a dict from names to tensors or SparseTensors, for the model function.
          receiver_tensors: a tensor to feed, or a dict of them.
          receiver_tensors_alternatives: a dict from names to further dicts of tensors to feed instead.

        Raises:
          ValueError: if a name or a tensor has the wrong type.
        """
        if features is None:
            raise ValueError('features must be defined.')
        features = _checked_features(features, 'feature', _FEATURE)
        receiver_tensors = _checked_receivers(receiver_tensors)
        _check_alternatives(receiver_tensors_alternatives)
        return super().__new__(cls, features, receiver_tensors, receiver_tensors_alternatives)


export('estimator.export.ServingInputReceiver')(ServingInputReceiver)


class TensorServingInputReceiver(collections.namedtuple(
        'TensorServingInputReceiver', ['features', 'receiver_tensors', 'receiver_tensors_alternatives'])):
    """Like ServingInputReceiver, for a model function that takes one tensor instead of a dict."""

    def __new__(cls, features, receiver_tensors, receiver_tensors_alternatives=None):
        """Creates the inputs.

        Args:
          features: a tensor or SparseTensor for the model function.
          receiver_tensors: a tensor to feed, or a dict of them.
          receiver_tensors_alternatives: a dict from names to further dicts of tensors to feed instead.

        Raises:
          ValueError: if a name or a tensor has the wrong type.
        """
        if features is None:
            raise ValueError('features must be defined.')
        if not _is_feature(features):
            raise ValueError('feature must be a Tensor, SparseTensor, or RaggedTensor.')
        receiver = ServingInputReceiver({_FEATURE: features}, receiver_tensors, receiver_tensors_alternatives)
        return super().__new__(cls, features, receiver.receiver_tensors, receiver.receiver_tensors_alternatives)


export('estimator.export.TensorServingInputReceiver')(TensorServingInputReceiver)


class SupervisedInputReceiver(collections.namedtuple(
        'SupervisedInputReceiver', ['features', 'labels', 'receiver_tensors'])):
    """The tensors that a model exported for training or evaluation is fed with, with its features and labels."""

    def __new__(cls, features, labels, receiver_tensors):
        """Creates the inputs.

        Args:
          features: a tensor or a dict of tensors.
          labels: a tensor or a dict of tensors.
          receiver_tensors: a tensor to feed, or a dict of them.

        Raises:
          ValueError: if a name or a tensor has the wrong type.
        """
        for given, what, single in ((features, 'feature', _FEATURE), (labels, 'label', _LABEL)):
            _checked_features(given, what, single)
        return super().__new__(cls, features, labels, _checked_receivers(receiver_tensors))


export('estimator.experimental.SupervisedInputReceiver', 'contrib.estimator.SupervisedInputReceiver')(
    SupervisedInputReceiver)


@export('estimator.export.build_parsing_serving_input_receiver_fn',
        'contrib.learn.build_parsing_serving_input_fn')
def build_parsing_serving_input_receiver_fn(feature_spec, default_batch_size=None):
    """Returns a function that makes the inputs of a model which is fed with serialized Examples.

    Args:
      feature_spec: a dict from names to FixedLenFeatures, VarLenFeatures or SparseFeatures.
      default_batch_size: int, the number of Examples, or None for any number.
    """

    def serving_input_receiver_fn():
        serialized = array_ops.placeholder(dtypes.string, shape=[default_batch_size], name='input_example_tensor')
        return ServingInputReceiver(parse_example(serialized, feature_spec), {'examples': serialized})

    return serving_input_receiver_fn


@export('estimator.export.build_raw_serving_input_receiver_fn')
def build_raw_serving_input_receiver_fn(features, default_batch_size=None):
    """Returns a function that makes the inputs of a model which is fed with its features.

    Args:
      features: a dict from names to tensors, whose dtypes and shapes are those of the placeholders.
      default_batch_size: int, the size of their first dimension, or None for any size.
    """

    def serving_input_receiver_fn():
        receivers = _placeholders(features, default_batch_size)
        return ServingInputReceiver(receivers, receivers)

    return serving_input_receiver_fn


def _placeholders(features, default_batch_size):
    placeholders = {}
    for name, tensor in features.items():
        shape = tensor.get_shape().as_list()
        shape[0] = default_batch_size
        placeholders[name] = array_ops.placeholder(
            dtype=tensor.dtype, shape=shape, name=tensor.op.name.split('/')[-1])
    return placeholders


def _supervised_placeholders(given, what, default_batch_size):
    tensors = given if isinstance(given, dict) else {what: given}
    return _placeholders(tensors, default_batch_size)


@export('estimator.experimental.build_raw_supervised_input_receiver_fn',
        'contrib.estimator.build_raw_supervised_input_receiver_fn')
def build_raw_supervised_input_receiver_fn(features, labels, default_batch_size=None):
    """Returns a function that makes the inputs of a model which is fed with features and labels.

    Args:
      features: a tensor or a dict from names to tensors, which say the dtypes and shapes.
      labels: the same for labels.
      default_batch_size: int, the size of the first dimension, or None for any size.

    Raises:
      ValueError: if features and labels have names in common.
    """
    names = set(features if isinstance(features, dict) else [_FEATURE])
    shared = names & set(labels if isinstance(labels, dict) else [_LABEL])
    if shared:
        raise ValueError(f'Features and labels must have distinct keys. Found overlapping keys: {sorted(shared)}')

    def supervised_input_receiver_fn():
        made = [_supervised_placeholders(features, _FEATURE, default_batch_size),
                _supervised_placeholders(labels, _LABEL, default_batch_size)]
        receivers = {**made[0], **made[1]}
        given = [m if isinstance(g, dict) else next(iter(m.values())) for m, g in zip(made, (features, labels))]
        return SupervisedInputReceiver(*given, receivers)

    return supervised_input_receiver_fn
