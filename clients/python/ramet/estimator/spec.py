"""EstimatorSpec, the result of a model function, and its checks."""

import collections

from ramet.api import export
from ramet.estimator import mode_keys
from ramet.estimator.export import export_output
from ramet.estimator.mode_keys import ModeKeys
from ramet.framework import nest, ops
from ramet.lib import tf_logging as logging
from ramet.ops.array import array_ops
from ramet.train.scaffold import Scaffold
from ramet.train.session_run_hook import SessionRunHook

LOSS_METRIC_KEY = 'loss'
AVERAGE_LOSS_METRIC_KEY = 'average_loss'
_FIELDS = ('mode', 'predictions', 'loss', 'train_op', 'eval_metric_ops', 'export_outputs', 'training_chief_hooks',
           'training_hooks', 'scaffold', 'evaluation_hooks', 'prediction_hooks')


def _is_tensor(value):
    return isinstance(value, ops.Tensor) or hasattr(value, '_as_graph_element')


def _check_graph(value, name):
    graph = ops.get_default_graph()
    if getattr(value, 'graph', graph) is not graph:
        raise ValueError('{0} must be from the default graph. Possible causes of this error include: \n\n'
                         '1) {0} was created outside the context of the default graph.\n\n'
                         '2) The object passed through to EstimatorSpec was not created in the most recent call to '
                         '"model_fn".'.format(f'{name} with "{value.name}"'))


def _check_tensor(value, name):
    if not _is_tensor(value):
        raise TypeError(f'{name} must be Tensor, given: {value}')
    _check_graph(value, name)


def _checked_loss(loss, mode):
    if loss is None:
        if mode in (ModeKeys.TRAIN, ModeKeys.EVAL):
            raise ValueError('Missing loss.')
        return None
    if not _is_tensor(loss):
        raise TypeError(f'loss must be Tensor, given: {loss}')
    _check_graph(loss, 'loss')
    shape = loss.get_shape()
    if shape.num_elements() not in (None, 1):
        raise ValueError(f'Loss must be scalar, given: {loss}')
    if shape.ndims != 0 and shape.is_fully_defined():
        return array_ops.reshape(loss, [])
    return loss


def _check_train_op(train_op, mode):
    if train_op is None:
        if mode == ModeKeys.TRAIN:
            raise ValueError('Missing train_op.')
    elif not (_is_tensor(train_op) or isinstance(train_op, ops.Operation)):
        raise TypeError(f'train_op must be Operation or Tensor, given: {train_op}')
    else:
        _check_graph(train_op, 'train_op')


def _checked_predictions(predictions, mode):
    if predictions is None:
        if mode == ModeKeys.PREDICT:
            raise ValueError('Missing predictions.')
        return {}
    if isinstance(predictions, dict):
        for key, value in predictions.items():
            _check_tensor(value, f'predictions[{key}]')
    else:
        _check_tensor(predictions, 'predictions')
    return predictions


def _checked_metrics(metrics):
    metrics = {} if metrics is None else metrics
    if not isinstance(metrics, dict):
        raise TypeError(f'eval_metric_ops must be a dict, given: {metrics}')
    for key, value in metrics.items():
        if hasattr(value, 'updates') and hasattr(value, 'result'):  # a metric of Keras
            continue
        if not isinstance(value, tuple) or len(value) != 2:
            raise TypeError('Values of eval_metric_ops must be (metric_value, update_op) tuples, given: {} for key: '
                            '{}'.format(value, key))
        metric, update = value
        for item in [*nest.flatten(metric), update]:
            if not (_is_tensor(item) or isinstance(item, ops.Operation)):
                raise TypeError(f'Values of eval_metric_ops must be Tensors or Operations, given: {item} for key: '
                                f'{key}')
            _check_graph(item, f'eval_metric_ops[{key}]')
    return metrics


def _checked_hooks(hooks, name):
    hooks = tuple(hooks) if hooks else ()
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'All hooks must be SessionRunHook instances, given: {hook}')
    return hooks


class EstimatorSpec(collections.namedtuple('EstimatorSpec', _FIELDS)):
    """The result of a model function: the operations of a model in one mode.

    TRAIN needs loss and train_op, EVAL needs loss, PREDICT needs predictions. A model function may fill in more than
    its mode needs.
    """

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metric_ops=None, export_outputs=None,
                training_chief_hooks=None, training_hooks=None, scaffold=None, evaluation_hooks=None,
                prediction_hooks=None):
        """Creates the result of a model function.

        Args:
          mode: one of ModeKeys.
          predictions: a Tensor, or a dict of Tensors.
          loss: a Tensor with one element.
          train_op: the operation of one training step.
          eval_metric_ops: a dict from names to pairs (value, update operation), as tf.metrics returns them.
          export_outputs: a dict from the names of signatures to ExportOutputs, for exporting.
          training_chief_hooks: SessionRunHooks that run in training, on the chief only.
          training_hooks: SessionRunHooks that run in training.
          scaffold: a Scaffold with the initialization, the saver and more.
          evaluation_hooks: SessionRunHooks that run in evaluation.
          prediction_hooks: SessionRunHooks that run in predictions.

        Raises:
          ValueError: if the mode needs an argument that is missing, or a tensor belongs to a different graph.
          TypeError: if an argument has the wrong type.
        """
        if mode not in mode_keys.ALL:
            raise ValueError(f'mode {mode} is not one of ModeKeys: {", ".join(mode_keys.ALL)}')
        predictions = _checked_predictions(predictions, mode)
        loss = _checked_loss(loss, mode)
        _check_train_op(train_op, mode)
        scaffold = scaffold or Scaffold()
        if not isinstance(scaffold, Scaffold):
            raise TypeError(f'scaffold must be tf.train.Scaffold. Given: {scaffold}')
        return super().__new__(
            cls, mode=mode, predictions=predictions, loss=loss, train_op=train_op,
            eval_metric_ops=_checked_metrics(eval_metric_ops),
            export_outputs=_checked_export_outputs(export_outputs, predictions, mode),
            training_chief_hooks=_checked_hooks(training_chief_hooks, 'training_chief_hooks'),
            training_hooks=_checked_hooks(training_hooks, 'training_hooks'), scaffold=scaffold,
            evaluation_hooks=_checked_hooks(evaluation_hooks, 'evaluation_hooks'),
            prediction_hooks=_checked_hooks(prediction_hooks, 'prediction_hooks'))


export('estimator.EstimatorSpec')(EstimatorSpec)


def _checked_export_outputs(export_outputs, predictions, mode):
    if mode != ModeKeys.PREDICT:
        return export_outputs
    return export_output.outputs_for_serving(export_outputs, predictions)


def eval_metrics(spec):
    """Returns the metrics of a spec as a dict from names to pairs (value, update operation).

    Args:
      spec: an EstimatorSpec.
    """
    found = {}
    for name, metric in spec.eval_metric_ops.items():
        if isinstance(metric, tuple):
            found[name] = metric
        else:
            with ops.control_dependencies(metric.updates):
                found[name] = (metric.result(), metric.updates[0])
            logging.debug('Metric %s is an object of Keras.', name)
    return found
