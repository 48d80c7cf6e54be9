"""Parses serialized tf.train.Example messages."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import ops
from ramet.ops.array import array_basics
from ramet.ops.control_flow import assertions, dependencies
from ramet.ops.math import math_basics
from ramet.ops.parsing import parse_params


@export('parse_example', 'io.parse_example')
def parse_example(serialized, features, name=None, example_names=None):
    """Parses a batch of serialized tf.train.Example messages.

    Args:
      serialized: a vector of strings.
      features: a dict of VarLenFeature, SparseFeature, FixedLenFeature and FixedLenSequenceFeature
        by key.
      name: the name of the operation.
      example_names: a vector with the names of the examples in errors.

    Returns:
      A dict of tensors and SparseTensors by key.

    Raises:
      ValueError: if a feature is invalid.
    """
    if not features:
        raise ValueError(f'Argument `features` cannot be None or falsy. Got {features}')
    params = parse_params.example_params(features)
    return parse_params.construct_sparse_features(
        features, _parse(serialized, example_names, params, name))


def _parse(serialized, names, params, name):
    with ops.name_scope(name, 'ParseExample', [serialized, names]):
        serialized = ops.convert_to_tensor(serialized, name='serialized')
        outputs = gen.ParseExampleV2(
            serialized=serialized, names=[] if names is None else names, sparse_keys=params.sparse_keys,
            dense_keys=params.dense_keys, ragged_keys=[], dense_defaults=params.default_tensors(),
            num_sparse=len(params.sparse_keys), sparse_types=params.sparse_types, ragged_value_types=[],
            ragged_split_types=[], dense_shapes=params.dense_shapes, name=name)
        return params.sparse_and_dense(*outputs[:4])


@export('parse_single_example', 'io.parse_single_example')
@with_args_of(parse_example)
def parse_single_example(serialized, features, name=None, example_names=None):
    """Parses one serialized tf.train.Example message.

    Args:
      serialized: a string scalar.
      example_names: a scalar, the name of the example in errors.

    Returns:
      A dict of tensors and SparseTensors by key, without the dimension of the batch.

    Raises:
      ValueError: if a feature is invalid or `serialized` is not a scalar.
    """
    if features is None:
        raise ValueError('Invalid argument: features cannot be None.')
    if not features:
        raise ValueError('Invalid argument: features cannot be empty.')
    with ops.name_scope(name, 'ParseSingleExample', [serialized, example_names]):
        serialized = ops.convert_to_tensor(serialized, name='serialized')
        serialized = require_scalar(serialized, 'serialized')
        return parse_example(serialized, features, name, example_names)


def require_scalar(value, name):
    """Returns `value`, with a check at run time if its rank is unknown.

    Raises:
      ValueError: if it is known not to be a scalar.
    """
    if value.shape.rank == 0:
        return value
    if value.shape.rank is not None:
        raise ValueError(f'Input {name} must be a scalar')
    check = assertions.Assert(math_basics.equal(array_basics.rank(value), 0),
                              [f'Input {name} must be a scalar'], name=f'{name.capitalize()}IsScalar')
    result = dependencies.with_dependencies([check], value, name=f'{name}Dependencies')
    result.set_shape([])
    return result
