"""The arguments of the parse ops, made from descriptions of features."""

import re

from ramet.framework import constant_op, dtypes, ops, tensor_shape
from ramet.lib import tf_logging
from ramet.ops.array import array_basics
from ramet.ops.parsing.features import FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature
from ramet.ops.sparse import sparse_build


class ParseParams:
    """The keys, dtypes, shapes and default values of features, in the order of the parse ops.

    Attributes:
      sparse_keys, sparse_types: lists of the sparse features.
      dense_keys, dense_types, dense_shapes: lists of the dense features.
      dense_defaults: a dict of the default values by key. None means that the feature may be missing.
    """

    def __init__(self, features, allowed):
        """Collects features.

        Args:
          features: a dict of descriptions by key, or None.
          allowed: a tuple of the classes that the function accepts.

        Raises:
          ValueError: if a feature is invalid, or one key has two features that do not fit together.
        """
        self.sparse_keys, self.sparse_types = [], []
        self.dense_keys, self.dense_types, self.dense_shapes = [], [], []
        self.dense_defaults = {}
        for key in sorted(features or {}):
            feature = features[key]
            if not isinstance(feature, allowed):
                raise ValueError(f"Unsupported {type(feature).__name__} {feature} for key '{key}'")
            self._add(key, feature)
        self._check_disjoint()

    def count(self):
        """Returns the number of keys."""
        return len(self.dense_keys) + len(self.sparse_keys)

    def default_tensors(self):
        """Returns a tensor with the default value of each dense feature; an empty one for none."""
        return [self._default(*feature)
                for feature in zip(self.dense_keys, self.dense_shapes, self.dense_types)]

    def sparse_and_dense(self, indices, values, shapes, dense):
        """Returns a dict of the outputs of a parse op by key."""
        sparse = [sparse_build.SparseTensor(*parts) for parts in zip(indices, values, shapes)]
        return dict(zip(self.sparse_keys + self.dense_keys, sparse + list(dense)))

    def _add(self, key, feature):
        if isinstance(feature, SparseFeature):
            self._add_sparse(key, feature)
            return
        _require_dtype(key, feature)
        if isinstance(feature, VarLenFeature):
            self._add_sparse_key(key, feature.dtype)
            return
        if feature.shape is None:
            raise ValueError(f'Missing shape for feature {key}. Received feature={feature}.')
        if isinstance(feature, FixedLenFeature):
            _require_known_shape(key, feature)
        self.dense_keys.append(key)
        self.dense_shapes.append(tensor_shape.as_shape(feature.shape))
        self.dense_types.append(dtypes.as_dtype(feature.dtype))
        if isinstance(feature, FixedLenSequenceFeature) and feature.allow_missing:
            self.dense_defaults[key] = None
        if feature.default_value is not None:
            self.dense_defaults[key] = feature.default_value

    def _add_sparse(self, key, feature):
        if not feature.index_key:
            raise ValueError(f'Missing index_key for SparseFeature {feature}.')
        if not feature.value_key:
            raise ValueError(f'Missing value_key for SparseFeature {feature}.')
        _require_dtype(key, feature)
        index_keys = feature.index_key
        if isinstance(index_keys, str):
            index_keys = [index_keys]
        elif len(index_keys) > 1:
            tf_logging.warning('SparseFeature is a complicated feature config and should only be used after '
                               'careful consideration of VarLenFeature.')
        for index_key in sorted(index_keys):
            self._add_sparse_key(index_key, dtypes.int64)
        self._add_sparse_key(feature.value_key, feature.dtype)

    def _add_sparse_key(self, key, dtype):
        dtype = dtypes.as_dtype(dtype)
        if key not in self.sparse_keys:
            self.sparse_keys.append(key)
            self.sparse_types.append(dtype)
            return
        known = self.sparse_types[self.sparse_keys.index(key)]
        if known != dtype:
            raise ValueError(f'Conflicting type {known} vs {dtype} for feature {key}.')

    def _check_disjoint(self):
        both = set(self.dense_keys) & set(self.sparse_keys)
        if both:
            raise ValueError(f'Dense and sparse keys must not intersect; dense_keys: {self.dense_keys}, '
                             f'sparse_keys: {self.sparse_keys}, intersection: {both}')

    def _default(self, key, shape, dtype):
        value = self.dense_defaults.get(key)
        name = re.sub('[^A-Za-z0-9_.\\-/]', '_', key)
        if shape.rank and shape.dims[0].value is None:
            if value is None:
                return ops.convert_to_tensor('' if dtype == dtypes.string else 0, dtype=dtype)
            value = ops.convert_to_tensor(value, dtype=dtype, name='padding_' + name)
            return array_basics.reshape(value, [])
        if value is None:
            return constant_op.constant([], dtype=dtype)
        if isinstance(value, ops.Tensor):
            return value
        value = ops.convert_to_tensor(value, dtype=dtype, name='key_' + name)
        return array_basics.reshape(value, shape)


def example_params(features):
    """Returns the ParseParams of batches of tf.train.Example messages.

    Sequence features get a first dimension for the rows.

    Args:
      features: a dict of descriptions by key.

    Raises:
      ValueError: if a feature is invalid, or a FixedLenSequenceFeature does not allow missing values.
    """
    changed = dict(features)
    for key, feature in features.items():
        if isinstance(feature, FixedLenSequenceFeature):
            if not feature.allow_missing:
                raise ValueError('Unsupported: FixedLenSequenceFeature requires allow_missing to be True.')
            changed[key] = feature._replace(shape=[None] + list(feature.shape))
    return ParseParams(changed, (VarLenFeature, SparseFeature, FixedLenFeature, FixedLenSequenceFeature))


def construct_sparse_features(features, tensors):
    """Returns the tensors of features, where those of a SparseFeature are joined.

    Args:
      features: a dict of descriptions by key.
      tensors: a dict of the outputs of a parse op by key.

    Returns:
      A dict with the keys of `features`.
    """
    joined = {}
    for key in sorted(features):
        feature = features[key]
        if isinstance(feature, SparseFeature):
            ids = feature.index_key
            ids = tensors[ids] if isinstance(ids, str) else [tensors[index] for index in ids]
            joined[key] = sparse_build.sparse_merge(ids, tensors[feature.value_key], vocab_size=feature.size,
                                                    already_sorted=feature.already_sorted)
    return {key: value for key, value in {**tensors, **joined}.items() if key in features}


def _require_dtype(key, feature):
    if not feature.dtype:
        raise ValueError(f'Missing type for feature {key}. Received feature={feature}'
                         + ('' if isinstance(feature, VarLenFeature) else '.'))


def _require_known_shape(key, feature):
    shape = tensor_shape.as_shape(feature.shape)
    if feature.shape and shape.rank and shape.dims[0].value is None:
        raise ValueError(f'First dimension of shape for feature {key} unknown. Consider using '
                         f'FixedLenSequenceFeature. Received feature={feature}.')
    if not shape.is_fully_defined():
        raise ValueError(f'All dimensions of shape for feature {key} need to be known but received '
                         f'{feature.shape!s}.')
