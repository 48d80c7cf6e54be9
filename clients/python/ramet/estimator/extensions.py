"""Functions that extend or feed ready estimators: further metrics, features in predictions, and Example specs."""

from ramet.api import export
from ramet.estimator import functions
from ramet.estimator.estimator import Estimator
from ramet.estimator.export.export_output import PredictOutput
from ramet.estimator.mode_keys import ModeKeys
from ramet.feature_column.input_layer import make_parse_example_spec
from ramet.feature_column.numeric import NumericColumn
from ramet.framework import dtypes
from ramet.framework.sparse_tensor import SparseTensor
from ramet.ops.math import clip_ops
from ramet.ops.parsing.features import FixedLenFeature
from ramet.train.optimizer import Optimizer


def _extended(estimator, change):
    """Returns an Estimator whose EstimatorSpecs a function of (spec, features, labels, mode, config) changes."""

    def model_fn(features, labels, mode, config):
        return change(estimator.model_fn(features, labels, mode, config), features, labels, mode, config)

    return Estimator(model_fn=model_fn, model_dir=estimator.model_dir, config=estimator.config,
                     warm_start_from=estimator._warm_start_settings)


@export('estimator.add_metrics', 'contrib.estimator.add_metrics')
def add_metrics(estimator, metric_fn):
    """Returns an Estimator with further metrics.

    Args:
      estimator: an Estimator.
      metric_fn: a function that returns a dict from names to metrics. Its arguments may be predictions, features,
        labels and config.

    Raises:
      ValueError: if metric_fn has other arguments.
    """
    unknown = set(functions.argument_names(metric_fn)) - {'predictions', 'features', 'labels', 'config', 'self'}
    if unknown:
        raise ValueError(f'metric_fn ({metric_fn}) has following not expected args: {sorted(unknown)}')

    def change(made, features, labels, mode, config):
        if mode != ModeKeys.EVAL:
            return made
        added = functions.call_with_known(metric_fn, features=features, labels=labels, predictions=made.predictions,
                                          config=config)
        return made._replace(eval_metric_ops={**made.eval_metric_ops, **added})

    return _extended(estimator, change)


@export('contrib.estimator.forward_features')
def forward_features(estimator, keys=None, sparse_default_values=None):
    """Returns an Estimator whose predictions also contain features.

    Args:
      estimator: an Estimator.
      keys: the name of a feature, a list of names, or None for all.
      sparse_default_values: a dict from names of SparseTensors to the values that make them dense. Must be None.

    Raises:
      TypeError: if a key is not a str, or a feature is a SparseTensor.
      ValueError: if the predictions have the name of a feature.
    """
    keys = [keys] if isinstance(keys, str) else keys
    if sparse_default_values is not None:
        raise TypeError('sparse_default_values: make sparse features dense in the input function instead')
    if any(not isinstance(key, str) for key in keys or ()):
        raise TypeError(f'keys should be either a string or a list of strings. Given: {keys}')

    def change(made, features, labels, mode, config):
        if mode != ModeKeys.PREDICT:
            return made
        predictions = dict(made.predictions)
        for key in keys or features:
            if key in predictions:
                raise ValueError(f'Key already exists in predictions: {key}. Please select a different key.')
            if isinstance(features[key], SparseTensor):
                raise TypeError(f'Forwarded feature ({key}) should be a Tensor. Please use keys argument of '
                                'forward_features to filter unwanted features.')
            predictions[key] = features[key]
        outputs = {name: PredictOutput(predictions) if isinstance(output, PredictOutput) else output
                   for name, output in made.export_outputs.items()}
        return made._replace(predictions=predictions, export_outputs=outputs)

    return _extended(estimator, change)


class _Clipping(Optimizer):
    """An optimizer that clips the norm of all gradients before it applies them."""

    def __init__(self, optimizer, clip_norm):
        super().__init__(False, f'Clip{type(optimizer).__name__}')
        self._optimizer = optimizer
        self._clip_norm = clip_norm

    def compute_gradients(self, *args, **kwargs):
        return self._optimizer.compute_gradients(*args, **kwargs)

    def apply_gradients(self, grads_and_vars, global_step=None, name=None):
        gradients, variables = zip(*grads_and_vars)
        gradients, _ = clip_ops.clip_by_global_norm(gradients, self._clip_norm)
        return self._optimizer.apply_gradients(zip(gradients, variables), global_step, name)

    def get_slot(self, var, name):
        return self._optimizer.get_slot(var, name)

    def get_slot_names(self):
        return self._optimizer.get_slot_names()


@export('contrib.estimator.clip_gradients_by_norm')
def clip_gradients_by_norm(optimizer, clip_norm):
    """Returns an optimizer that clips the norm of all gradients together.

    Args:
      optimizer: an Optimizer.
      clip_norm: the maximum norm.
    """
    return _Clipping(optimizer, clip_norm)


def _with_labels(feature_columns, label_key, label_spec, weight_column):
    spec = make_parse_example_spec(feature_columns)
    if label_key in spec:
        raise ValueError(f'label should not be used as feature. label_key: {label_key}, features: {list(spec)}')
    spec[label_key] = label_spec
    if weight_column is None:
        return spec
    if isinstance(weight_column, NumericColumn):
        key, weight_spec = weight_column.key, weight_column.parse_example_spec[weight_column.key]
    else:
        key, weight_spec = weight_column, FixedLenFeature((1,), dtypes.float32, None)
    if key in spec:
        raise ValueError(f'weight_column should not be used as feature. weight_column: {key}, features: {list(spec)}')
    spec[key] = weight_spec
    return spec


@export('estimator.classifier_parse_example_spec')
def classifier_parse_example_spec(feature_columns, label_key, label_dtype=dtypes.int64, label_default=None,
                                  weight_column=None):
    """Returns what parse_example reads for a classifier: features, labels and weights.

    Args:
      feature_columns: an iterable of columns.
      label_key: str, the name of the label.
      label_dtype: the DType of the label.
      label_default: the label of Examples without one, or None.
      weight_column: the name of a feature with weights, a numeric column, or None.

    Raises:
      ValueError: if the label or the weight is also a feature.
    """
    label = FixedLenFeature((1,), label_dtype, label_default)
    return _with_labels(feature_columns, label_key, label, weight_column)


@export('estimator.regressor_parse_example_spec')
def regressor_parse_example_spec(feature_columns, label_key, label_dtype=dtypes.float32, label_default=None,
                                 label_dimension=1, weight_column=None):
    """Returns what parse_example reads for a regressor: features, labels and weights.

    Args:
      feature_columns: an iterable of columns.
      label_key: str, the name of the label.
      label_dtype: the DType of the label.
      label_default: the label of Examples without one, or None.
      label_dimension: int, the numbers of a label.
      weight_column: the name of a feature with weights, a numeric column, or None.

    Raises:
      ValueError: if the label or the weight is also a feature.
    """
    label = FixedLenFeature((label_dimension,), label_dtype, label_default)
    return _with_labels(feature_columns, label_key, label, weight_column)
