"""TPUEstimator, with which programs for TPUs run on the CPU."""

import collections
import copy

from ramet.api import export
from ramet.contrib.tpu import config as tpu_config
from ramet.core.framework import summary_pb2
from ramet.estimator import estimator as estimator_lib
from ramet.estimator import functions
from ramet.estimator.mode_keys import ModeKeys
from ramet.estimator.spec import EstimatorSpec
from ramet.framework import errors
from ramet.lib import tf_logging as logging
from ramet.train.monitoring_hooks import StepCounterHook

_RESERVED = ('batch_size', 'context')
_FIELDS = ('mode', 'predictions', 'loss', 'train_op', 'eval_metrics', 'export_outputs', 'scaffold_fn', 'host_call',
           'training_hooks', 'evaluation_hooks', 'prediction_hooks')


def _check_function_with_tensors(value, name):
    if value is None:
        return
    if not isinstance(value, (tuple, list)):
        raise ValueError(f'{name} should be tuple or list')
    if len(value) != 2:
        raise ValueError(f'{name} should have two elements.')
    if not callable(value[0]):
        raise TypeError(f'{name}[0] should be callable.')
    if not isinstance(value[1], (tuple, list, dict)):
        raise ValueError(f'{name}[1] should be tuple or list, or dict.')
    if isinstance(value[1], (tuple, list)) and len(functions.argument_names(value[0])) > 0:
        arguments = functions.argument_names(value[0])
        if len(arguments) < len(value[1]):
            raise RuntimeError(f'In TPUEstimatorSpec.{name}, length of tensors {len(value[1])} does not match method '
                               f'args of the function, which takes {len(arguments)}.')


class TPUEstimatorSpec(collections.namedtuple('TPUEstimatorSpec', _FIELDS)):
    """The result of a model function for a TPUEstimator."""

    def __new__(cls, mode, predictions=None, loss=None, train_op=None, eval_metrics=None, export_outputs=None,
                scaffold_fn=None, host_call=None, training_hooks=None, evaluation_hooks=None, prediction_hooks=None):
        """Creates the result of a model function.

        Args:
          mode: one of ModeKeys.
          predictions: a dict of Tensors.
          loss: a Tensor with one element.
          train_op: the operation of one training step.
          eval_metrics: a pair (function, its arguments as a list or dict of tensors). The function returns a dict from
            names to pairs (value, update operation).
          export_outputs: a dict from the names of signatures to ExportOutputs.
          scaffold_fn: a function without arguments that returns a Scaffold.
          host_call: a pair (function, its arguments), which a TPU runs on its host; unused on the CPU.
          training_hooks: SessionRunHooks that run in training.
          evaluation_hooks: SessionRunHooks that run in evaluation.
          prediction_hooks: SessionRunHooks that run in predictions.

        Raises:
          ValueError: if eval_metrics or host_call is not such a pair.
        """
        for value, name in ((eval_metrics, 'eval_metrics'), (host_call, 'host_call')):
            _check_function_with_tensors(value, name)
        return super().__new__(
            cls, mode, predictions, loss, train_op, eval_metrics, export_outputs, scaffold_fn, host_call,
            tuple(training_hooks or ()), tuple(evaluation_hooks or ()), tuple(prediction_hooks or ()))

    def as_estimator_spec(self):
        """Returns the EstimatorSpec with the same contents."""
        metrics = None
        if self.eval_metrics is not None:
            function, arguments = self.eval_metrics
            metrics = function(**arguments) if isinstance(arguments, dict) else function(*arguments)
        return EstimatorSpec(
            self.mode, predictions=self.predictions, loss=self.loss, train_op=self.train_op, eval_metric_ops=metrics,
            export_outputs=self.export_outputs, scaffold=self.scaffold_fn() if self.scaffold_fn else None,
            training_hooks=self.training_hooks, evaluation_hooks=self.evaluation_hooks,
            prediction_hooks=self.prediction_hooks)


export('contrib.tpu.TPUEstimatorSpec', 'estimator.tpu.TPUEstimatorSpec')(TPUEstimatorSpec)


class ExamplesPerSecondHook(StepCounterHook):
    """Logs the number of steps and examples per second, and writes them to summaries."""

    def __init__(self, batch_size, every_n_steps=100, every_n_secs=None, output_dir=None, summary_writer=None):
        """Creates the hook.

        Args:
          batch_size: int, the number of examples of a step.
          every_n_steps: int, the steps between two measurements.
          every_n_secs: float, the seconds between two measurements.
          output_dir: str, the folder of the summaries, or None for no summaries.
          summary_writer: a FileWriter to use instead of `output_dir`.
        """
        super().__init__(every_n_steps, every_n_secs, output_dir, summary_writer)
        self._batch_size = batch_size

    def _log_and_record(self, elapsed_time, elapsed_steps, global_step):
        super()._log_and_record(elapsed_time, elapsed_steps, global_step)
        rate = self._batch_size * elapsed_steps / elapsed_time
        if self._summary_writer is not None:
            value = summary_pb2.Summary.Value(tag='examples/sec', simple_value=rate)
            self._summary_writer.add_summary(summary_pb2.Summary(value=[value]), global_step)
        logging.info('examples/sec: %g', rate)


def _with_item(params, name, value):
    """Sets an entry of a dict or an HParams."""
    if not hasattr(params, 'set_hparam'):
        params[name] = value
    elif name in params:
        params.set_hparam(name, value)
    else:
        params.add_hparam(name, value)


@export('contrib.tpu.TPUEstimator', 'estimator.tpu.TPUEstimator')
class TPUEstimator(estimator_lib.Estimator):
    """An Estimator whose functions get params['batch_size'], and may return TPUEstimatorSpecs."""

    def __init__(self, model_fn=None, model_dir=None, config=None, params=None, use_tpu=True, train_batch_size=None,
                 eval_batch_size=None, predict_batch_size=None, batch_axis=None, eval_on_tpu=True,
                 export_to_tpu=True, export_to_cpu=True, warm_start_from=None, embedding_config_spec=None,
                 export_saved_model_api_version=1):
        """Creates the estimator.

        Args:
          model_fn: as for Estimator; it may return a TPUEstimatorSpec.
          model_dir: str, the folder of checkpoints and event files.
          config: a tf.contrib.tpu.RunConfig.
          params: a dict or HParams for the functions, without 'batch_size' and 'context'.
          use_tpu: must be False, for the CPU.
          train_batch_size: int, params['batch_size'] in training.
          eval_batch_size: int, params['batch_size'] in evaluation, or None for none.
          predict_batch_size: int, params['batch_size'] in predictions, or None for none.
          batch_axis: ignored; it is for TPUs.
          eval_on_tpu: ignored.
          export_to_tpu: ignored.
          export_to_cpu: ignored.
          warm_start_from: as for Estimator.
          embedding_config_spec: must be None.
          export_saved_model_api_version: ignored.

        Raises:
          tf.errors.UnimplementedError: if use_tpu is True.
          ValueError: if an argument is invalid.
        """
        if not isinstance(config, tpu_config.RunConfig):
            raise ValueError('`config` must be provided with type `tpu_config.RunConfig`')
        if params is not None and any(key in params for key in _RESERVED):
            raise ValueError(f'{_RESERVED} are reserved keys but existed in params {params}.')
        if use_tpu:
            raise errors.UnimplementedError(
                None, None, 'TPUEstimator(use_tpu=True): Ramet does not run graphs on TPUs; pass use_tpu=False')
        if embedding_config_spec is not None:
            raise ValueError('embedding_config_spec requires use_tpu, which Ramet does not have.')
        super().__init__(model_fn, model_dir, config, params or {}, warm_start_from)
        self._batch_sizes = {ModeKeys.TRAIN: train_batch_size, ModeKeys.EVAL: eval_batch_size,
                             ModeKeys.PREDICT: predict_batch_size}

    def _params_for_inputs(self, mode):
        params = copy.deepcopy(self._params)
        if self._batch_sizes[mode] is not None:
            _with_item(params, 'batch_size', self._batch_sizes[mode])
        return params

    def _params_for_model(self, mode):
        params = self._params_for_inputs(mode)
        _with_item(params, 'use_tpu', False)
        return params

    def _call_input_fn(self, input_fn, mode):
        if self._batch_sizes[mode] is not None and 'params' not in functions.argument_names(input_fn):
            raise ValueError(f'input_fn ({input_fn}) does not include params argument, required by TPUEstimator to '
                             'pass batch size as params["batch_size"]')
        return super()._call_input_fn(input_fn, mode)

    def _call_model_fn(self, features, labels, mode, config):
        logging.info('Running %s on CPU', mode)
        return super()._call_model_fn(features, labels, mode, config)

    def _as_estimator_spec(self, made, mode):
        if isinstance(made, TPUEstimatorSpec):
            made = made.as_estimator_spec()
        return self._with_speed(made) if mode == ModeKeys.TRAIN and isinstance(made, EstimatorSpec) else made

    def _with_speed(self, made):
        every, batch_size = self._config.log_step_count_steps, self._batch_sizes[ModeKeys.TRAIN]
        if every is None or batch_size is None:
            return made
        hook = ExamplesPerSecondHook(
            batch_size, every_n_steps=every,
            output_dir=self.model_dir if self._config.save_summary_steps else None)
        return made._replace(training_hooks=(*made.training_hooks, hook))
