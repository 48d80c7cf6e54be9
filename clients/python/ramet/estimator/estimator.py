"""Estimator, which trains, evaluates, uses and exports a model that a function builds."""

import copy
import os
import tempfile

import numpy as np

from ramet.api import export
from ramet.client.session import Session
from ramet.estimator import event_files, functions, inputs_of, run_config, saved_models, spec, warm_start_settings
from ramet.estimator.mode_keys import ModeKeys
from ramet.framework import nest, ops
from ramet.framework.random_seed import set_random_seed
from ramet.lib import tf_logging as logging
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.metrics import metrics
from ramet.summary import summary
from ramet.train import checkpoint_management, checkpoint_utils, evaluation, saver, training_util, warm_starting
from ramet.train.checkpoint_hooks import CheckpointSaverHook, CheckpointSaverListener
from ramet.train.monitored_session import MonitoredSession, MonitoredTrainingSession
from ramet.train.monitoring_hooks import LoggingTensorHook, NanTensorHook
from ramet.train.run_control_hooks import StopAtStepHook
from ramet.train.scaffold import ChiefSessionCreator, Scaffold
from ramet.train.session_run_hook import SessionRunHook

_OVERRIDABLE = ('model_fn', 'create_feature_columns', '_call_input_fn', '_call_model_fn', '_create_global_step',
                '_convert_train_steps_to_hooks', '_convert_eval_steps_to_hooks', '_tf_api_names', '_tf_api_names_v1',
                '_estimator_api_names', '_estimator_api_names_v1', '_estimator_api_constants',
                '_estimator_api_constants_v1', 'latest_checkpoint')


@export('estimator.Estimator', 'contrib.estimator.Estimator')
class Estimator:
    """A model that is built by a function, in a new graph for each use, and kept in checkpoints.

    Attributes:
      config: the RunConfig.
      model_dir: the folder of its checkpoints and event files.
      params: a copy of the parameters for the model function.
    """

    def __init__(self, model_fn, model_dir=None, config=None, params=None, warm_start_from=None):
        """Creates the estimator.

        Args:
          model_fn: a function that returns an EstimatorSpec. Its arguments are features and, by their names, labels,
            mode, params and config; all but features may be missing.
          model_dir: str, the folder of checkpoints and event files. Defaults to that of config, or a new temporary one.
          config: a RunConfig, or None for the default one.
          params: an object for the model function, such as a dict.
          warm_start_from: WarmStartSettings, or a path, from which variables are initialized in training.

        Raises:
          ValueError: if an argument is invalid, or a subclass overrides a method that it may not override.
        """
        self._check_overrides()
        self._config = _with_model_dir(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        logging.info('Using config: %s', self._config)
        if model_fn is None:
            raise ValueError('model_fn must be provided to Estimator.')
        _check_model_fn(model_fn, params)
        self._model_fn = model_fn
        self._params = copy.deepcopy(params or {})
        self._warm_start_settings = warm_start_settings.settings_for(warm_start_from)

    @classmethod
    def _check_overrides(cls):
        if cls is Estimator or not issubclass(cls, Estimator) or cls.__module__.startswith('ramet.'):
            return
        fixed = {name for name in vars(Estimator)
                 if not name.startswith('__') and name not in _OVERRIDABLE}
        for name in sorted(fixed & set(vars(cls))):
            raise ValueError('Subclasses of Estimator cannot override members of Estimator. {} does override {}'.format(
                cls, name))

    @property
    def model_dir(self):
        return self._model_dir

    @property
    def config(self):
        return copy.deepcopy(self._config)

    @property
    def params(self):
        return copy.deepcopy(self._params)

    @property
    def model_fn(self):
        """The model function, as a function of features, labels, mode and config."""

        def public_model_fn(features, labels, mode, config):
            return self._call_model_fn(features, labels, mode, config)

        return public_model_fn

    def get_variable_value(self, name):
        """Returns the value of a variable in the latest checkpoint, as a numpy array.

        Args:
          name: str, the name of the variable.

        Raises:
          ValueError: if there is no checkpoint.
        """
        self._check_trained()
        return checkpoint_utils.load_variable(self.model_dir, name)

    def get_variable_names(self):
        """Returns the names of the variables in the latest checkpoint, as a list.

        Raises:
          ValueError: if there is no checkpoint.
        """
        self._check_trained()
        return [name for name, _ in checkpoint_utils.list_variables(self.model_dir)]

    def latest_checkpoint(self):
        """Returns the path of the latest checkpoint, or None."""
        return checkpoint_management.latest_checkpoint(self.model_dir)

    def eval_dir(self, name=None):
        """Returns the folder of the event files of an evaluation.

        Args:
          name: str, the name of the evaluation, or None.
        """
        return os.path.join(self._model_dir, 'eval' if not name else 'eval_' + name)

    def _check_trained(self):
        if checkpoint_management.latest_checkpoint(self._model_dir) is None:
            raise ValueError(f"Couldn't find trained model at {self._model_dir}.")

    def train(self, input_fn, hooks=None, steps=None, max_steps=None, saving_listeners=None):
        """Trains the model, from the latest checkpoint on.

        Args:
          input_fn: a function that returns a pair (features, labels) or a Dataset of these. Its arguments may be mode,
            params and config.
          hooks: a list of SessionRunHooks.
          steps: int, the number of steps to train. With None, the inputs or max_steps end the training.
          max_steps: int, the global step to train to. It cannot be combined with steps.
          saving_listeners: a list of CheckpointSaverListeners.

        Returns:
          The estimator.

        Raises:
          ValueError: if steps and max_steps are both given, or one is not positive.
        """
        _check_steps(steps, max_steps)
        if max_steps is not None and _step_of_checkpoint(self._model_dir) >= max_steps:
            logging.info('Skipping training since max_steps has already saved.')
            return self
        hooks = [*_checked_hooks(hooks), *self._convert_train_steps_to_hooks(steps, max_steps)]
        loss = self._train_model(input_fn, hooks, _checked_listeners(saving_listeners))
        logging.info('Loss for final step: %s.', loss)
        return self

    def _convert_train_steps_to_hooks(self, steps, max_steps):
        if steps is None and max_steps is None:
            return []
        return [StopAtStepHook(steps, max_steps)]

    def _train_model(self, input_fn, hooks, saving_listeners):
        with self._new_graph() as graph:
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.TRAIN)
            made = self._call_model_fn(features, labels, ModeKeys.TRAIN, self.config)
            return self._run_training(graph, made, [*input_hooks, *hooks], saving_listeners)

    def _run_training(self, graph, made, hooks, saving_listeners):
        if self._warm_start_settings:
            logging.info('Warm-starting with WarmStartSettings: %s', self._warm_start_settings)
            warm_starting.warm_start(*self._warm_start_settings)
        if not any(item.op.name == 'loss' for item in ops.get_collection(ops.GraphKeys.SUMMARIES)):
            summary.scalar('loss', made.loss)
        ops.add_to_collection(ops.GraphKeys.LOSSES, made.loss)
        hooks = [*hooks, *self._observing_hooks(graph, made), *made.training_hooks]
        self._add_saver(made)
        chief_hooks = self._saving_hooks(made, hooks, saving_listeners)
        loss, any_step_done = None, False
        with MonitoredTrainingSession(
                master=self._config.master, is_chief=self._config.is_chief, checkpoint_dir=self._model_dir,
                scaffold=made.scaffold, hooks=hooks, chief_only_hooks=(*chief_hooks, *made.training_chief_hooks),
                save_checkpoint_secs=0, save_summaries_steps=self._config.save_summary_steps,
                config=self._session_config, log_step_count_steps=self._config.log_step_count_steps) as session:
            while not session.should_stop():
                _, loss = session.run([made.train_op, made.loss])
                any_step_done = True
        if not any_step_done:
            logging.warning('Training with estimator made no steps. Perhaps input is empty or misspecified.')
        return loss

    def _observing_hooks(self, graph, made):
        hooks = [NanTensorHook(made.loss)]
        if self._config.log_step_count_steps is not None:
            hooks.append(LoggingTensorHook({'loss': made.loss, 'step': training_util.get_global_step(graph)},
                                           every_n_iter=self._config.log_step_count_steps))
        return hooks

    def _add_saver(self, made):
        if not (made.scaffold.saver or ops.get_collection(ops.GraphKeys.SAVERS)):
            ops.add_to_collection(ops.GraphKeys.SAVERS, saver.Saver(
                sharded=True, max_to_keep=self._config.keep_checkpoint_max,
                keep_checkpoint_every_n_hours=self._config.keep_checkpoint_every_n_hours, defer_build=True,
                save_relative_paths=True))

    def _saving_hooks(self, made, hooks, saving_listeners):
        """Returns the list of the hook that saves checkpoints, or [] if the program has its own. Adds the listeners."""
        found = [hook for hook in (*hooks, *made.training_chief_hooks) if isinstance(hook, CheckpointSaverHook)]
        created = []
        if not found and (self._config.save_checkpoints_secs or self._config.save_checkpoints_steps):
            created = found = [CheckpointSaverHook(
                self._model_dir, save_secs=self._config.save_checkpoints_secs,
                save_steps=self._config.save_checkpoints_steps, scaffold=made.scaffold)]
        if saving_listeners:
            if not found:
                raise ValueError('There should be a CheckpointSaverHook to use saving_listeners. Please set one of the '
                                 'RunConfig.save_checkpoints_steps or RunConfig.save_checkpoints_secs.')
            found[0]._listeners.extend(saving_listeners)
        return created

    def evaluate(self, input_fn, steps=None, hooks=None, checkpoint_path=None, name=None):
        """Evaluates a checkpoint.

        Args:
          input_fn: as for train.
          steps: int, the number of batches, or None for all.
          hooks: a list of SessionRunHooks.
          checkpoint_path: str, the checkpoint, or None for the latest one. Without one, variables are initialized.
          name: str, the name of the evaluation, for the folder of its event files.

        Returns:
          A dict from names to values of metrics, with 'loss' and 'global_step'.

        Raises:
          ValueError: if steps is not positive, or a metric is called 'loss' or 'global_step'.
        """
        hooks = [*_checked_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
        checkpoint_path = checkpoint_path or self._checkpoint_for('evaluate')
        with self._new_graph() as graph:
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.EVAL)
            scaffold, spec_hooks, update_op, values = self._call_model_fn_eval(features, labels, graph)
            self._maybe_warm_start(checkpoint_path)
            return self._run_evaluation(checkpoint_path, scaffold, update_op, values,
                                        [*input_hooks, *hooks, *spec_hooks], self.eval_dir(name))

    def _convert_eval_steps_to_hooks(self, steps):
        if steps is None:
            return []
        if steps <= 0:
            raise ValueError(f'Must specify steps > 0, given: {steps}')
        return [evaluation.StopAfterNEvalsHook(num_evals=steps)]

    def _call_model_fn_eval(self, features, labels, graph):
        """Returns (scaffold, hooks, update operation, {name: value}) of the model in evaluation."""
        made = self._call_model_fn(features, labels, ModeKeys.EVAL, self.config)
        found = spec.eval_metrics(made)
        for reserved in (spec.LOSS_METRIC_KEY, ops.GraphKeys.GLOBAL_STEP):
            if reserved in found:
                raise ValueError(f'Metric with name "{reserved}" is not allowed, because Estimator already defines a '
                                 'default metric with the same name.')
        found[spec.LOSS_METRIC_KEY] = metrics.mean(made.loss)
        update_op, values = _merged_metrics(found)
        values[ops.GraphKeys.GLOBAL_STEP] = training_util.get_global_step(graph)
        scaffold = made.scaffold
        if scaffold.local_init_op is not None:
            scaffold = Scaffold(copy_from_scaffold=scaffold, local_init_op=control_flow_ops.group(
                scaffold.local_init_op, Scaffold.default_local_init_op()))
        return scaffold, made.evaluation_hooks, update_op, values

    def _run_evaluation(self, checkpoint_path, scaffold, update_op, values, hooks, output_dir):
        results = evaluation.evaluate_once(
            checkpoint_path=checkpoint_path, master=self._config.evaluation_master, scaffold=scaffold,
            eval_ops=update_op, final_ops=values, hooks=hooks, config=self._session_config)
        step = results[ops.GraphKeys.GLOBAL_STEP]
        event_files.write_metrics(output_dir, results, step)
        if checkpoint_path:
            event_files.write_checkpoint_path(output_dir, checkpoint_path, step)
        return results

    def predict(self, input_fn, predict_keys=None, hooks=None, checkpoint_path=None, yield_single_examples=True):
        """Yields predictions.

        Args:
          input_fn: as for train; labels are ignored.
          predict_keys: a list of the names of predictions to return, or None for all.
          hooks: a list of SessionRunHooks.
          checkpoint_path: str, the checkpoint, or None for the latest one. Without one, variables are initialized.
          yield_single_examples: False yields whole batches.

        Yields:
          The predictions of each example: a dict from names to values, or one value.

        Raises:
          ValueError: if predict_keys is invalid, or the predictions of a batch have different lengths.
        """
        hooks = _checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._checkpoint_for('predict')
        with self._new_graph():
            features, input_hooks = self._features_for_predictions(input_fn)
            made = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._maybe_warm_start(checkpoint_path)
            predictions = _selected(made.predictions, predict_keys)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path, master=self._config.master, scaffold=made.scaffold,
                config=self._session_config)
            with MonitoredSession(creator, [*input_hooks, *hooks, *made.prediction_hooks]) as session:
                while not session.should_stop():
                    values = session.run(predictions)
                    yield from _examples(values, predictions) if yield_single_examples else (values,)

    def _features_for_predictions(self, input_fn):
        result = self._call_input_fn(input_fn, ModeKeys.PREDICT)
        features, _, hooks = inputs_of.parsed(result)
        if not hooks:
            inputs_of.warn_if_endless(features)
        return features, hooks

    def _checkpoint_for(self, purpose):
        path = self.latest_checkpoint()
        if not path:
            logging.info('Could not find trained model in model_dir: %s, running initialization to %s.',
                         self._model_dir, purpose)
        return path

    def _maybe_warm_start(self, checkpoint_path):
        if not checkpoint_path and self._warm_start_settings:
            logging.info('Warm-starting with WarmStartSettings: %s', self._warm_start_settings)
            warm_starting.warm_start(*self._warm_start_settings)

    def export_saved_model(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                           checkpoint_path=None, experimental_mode=ModeKeys.PREDICT):
        """Writes a SavedModel of a checkpoint.

        Args:
          export_dir_base: str, the folder in which a folder with the time as its name is created.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
          checkpoint_path: str, the checkpoint, or None for the latest one.
          experimental_mode: the mode of the model, one of ModeKeys.

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: if there is no checkpoint.
        """
        return self.experimental_export_all_saved_models(
            export_dir_base, {experimental_mode: serving_input_receiver_fn}, assets_extra, as_text, checkpoint_path)

    def export_savedmodel(self, export_dir_base, serving_input_receiver_fn, assets_extra=None, as_text=False,
                          checkpoint_path=None, strip_default_attrs=False):
        """Writes a SavedModel of a checkpoint; the older name of export_saved_model.

        Args:
          export_dir_base: str, the folder in which a folder with the time as its name is created.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
          checkpoint_path: str, the checkpoint, or None for the latest one.
          strip_default_attrs: whether to leave out attrs with default values.

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: if there is no checkpoint.
        """
        return self._export({ModeKeys.PREDICT: serving_input_receiver_fn}, export_dir_base, assets_extra, as_text,
                            checkpoint_path, strip_default_attrs)

    def experimental_export_all_saved_models(self, export_dir_base, input_receiver_fn_map, assets_extra=None,
                                             as_text=False, checkpoint_path=None):
        """Writes a SavedModel with one graph per mode.

        Args:
          export_dir_base: str, the folder in which a folder with the time as its name is created.
          input_receiver_fn_map: a dict from ModeKeys to functions that return the inputs: a ServingInputReceiver for
            PREDICT, a SupervisedInputReceiver for TRAIN and EVAL.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
          checkpoint_path: str, the checkpoint, or None for the latest one.

        Returns:
          The path of the new folder, as bytes.

        Raises:
          ValueError: if there is no checkpoint, or no mode is given.
        """
        return self._export(input_receiver_fn_map, export_dir_base, assets_extra, as_text, checkpoint_path, True)

    def _export(self, receivers, export_dir_base, assets_extra, as_text, checkpoint_path, strip_default_attrs):
        checkpoint_path = checkpoint_path or self.latest_checkpoint()
        if not checkpoint_path:
            if not self._warm_start_settings:
                raise ValueError(f"Couldn't find trained model at {self._model_dir}.")
            checkpoint_path = warm_start_settings.checkpoint_of(self._warm_start_settings)
        writer = saved_models.Writer(export_dir_base, checkpoint_path, strip_default_attrs)
        for mode in (ModeKeys.TRAIN, ModeKeys.EVAL, ModeKeys.PREDICT):
            if receivers.get(mode):
                with self._new_graph():
                    receiver = receivers[mode]()
                    made = self._call_model_fn(receiver.features, getattr(receiver, 'labels', None), mode, self.config)
                    with Session(config=self._session_config) as session:
                        writer.add(session, mode, made, receiver)
        if not writer.has_graphs:
            raise ValueError(f'No valid modes for exporting found. Got {receivers.keys()}.')
        return writer.save(assets_extra, as_text)

    def _new_graph(self):
        """Returns a context manager that makes a new graph, with a global step, the default graph."""
        return _ModelGraph(self._config, self._create_and_assert_global_step)

    def _create_global_step(self, graph):
        return training_util.create_global_step(graph)

    def _create_and_assert_global_step(self, graph):
        step = self._create_global_step(graph)
        assert step is training_util.get_global_step(graph)
        assert step.dtype.is_integer
        return step

    def _inputs(self, input_fn, mode):
        return inputs_of.parsed(self._call_input_fn(input_fn, mode))

    def _call_input_fn(self, input_fn, mode):
        with ops.device('/cpu:0'):
            return functions.call_with_known(input_fn, mode=mode, params=self._params_for_inputs(mode),
                                             config=self.config)

    def _call_model_fn(self, features, labels, mode, config):
        """Calls the model function with the arguments that it has."""
        names = functions.argument_names(self._model_fn)
        if 'labels' not in names and labels is not None:
            raise ValueError('model_fn does not take labels, but input_fn returns labels.')
        logging.info('Calling model_fn.')
        made = functions.call_with_known(self._model_fn, features=features, labels=labels, mode=mode,
                                         params=self._params_for_model(mode), config=config)
        logging.info('Done calling model_fn.')
        made = self._as_estimator_spec(made, mode)
        if not isinstance(made, spec.EstimatorSpec):
            raise ValueError('model_fn should return an EstimatorSpec.')
        return made

    def _params_for_model(self, mode):
        del mode
        return self.params

    def _params_for_inputs(self, mode):
        del mode
        return self.params

    def _as_estimator_spec(self, made, mode):
        del mode
        return made


class _ModelGraph:
    """A new graph with the seed and devices of a RunConfig, and a global step."""

    def __init__(self, config, create_global_step):
        self._config = config
        self._create_global_step = create_global_step
        self._graph = ops.Graph()

    def __enter__(self):
        self._scopes = [self._graph.as_default()]
        self._scopes[0].__enter__()
        if self._config.device_fn is not None:
            self._scopes.append(self._graph.device(self._config.device_fn))
            self._scopes[1].__enter__()
        set_random_seed(self._config.tf_random_seed)
        self._create_global_step(self._graph)
        return self._graph

    def __exit__(self, *error):
        for scope in reversed(self._scopes):
            scope.__exit__(*error)


def _with_model_dir(config, model_dir):
    """Returns the RunConfig of an estimator, with a folder and a session config."""
    if config is None:
        config = run_config.RunConfig()
        logging.info('Using default config.')
    if not isinstance(config, run_config.RunConfig):
        raise ValueError(f'config must be an instance of `RunConfig`, but provided {config}.')
    if config.session_config is None:
        config = config.replace(session_config=run_config.default_session_config())
    if model_dir is not None:
        model_dir = os.fspath(model_dir)
        if config.model_dir is not None and config.model_dir != model_dir:
            raise ValueError('`model_dir` are set both in constructor and `RunConfig`, but with different values. In '
                             f"constructor: '{model_dir}', in `RunConfig`: '{config.model_dir}' ")
    if model_dir:
        return config.replace(model_dir=model_dir)
    if config.model_dir is None:
        model_dir = tempfile.mkdtemp()
        logging.warning('Using temporary folder as model directory: %s', model_dir)
        return config.replace(model_dir=model_dir)
    return config


def _check_model_fn(model_fn, params):
    names = set(functions.argument_names(model_fn))
    if 'features' not in names:
        raise ValueError(f'model_fn ({model_fn}) must include features argument.')
    if params is not None and 'params' not in names:
        raise ValueError(f'model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to '
                         'Estimator.')
    if params is None and 'params' in names:
        logging.warning("Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.",
                        model_fn)
    unknown = names - {'features', 'labels', 'mode', 'params', 'config', 'self'}
    if unknown:
        raise ValueError(f'model_fn ({model_fn}) has following not expected args: {sorted(unknown)}')


def _check_steps(steps, max_steps):
    if steps is not None and max_steps is not None:
        raise ValueError('Can not provide both steps and max_steps.')
    if steps is not None and steps <= 0:
        raise ValueError(f'Must specify steps > 0, given: {steps}')
    if max_steps is not None and max_steps <= 0:
        raise ValueError(f'Must specify max_steps > 0, given: {max_steps}')


def _checked_hooks(hooks):
    hooks = list(hooks or [])
    for hook in hooks:
        if not isinstance(hook, SessionRunHook):
            raise TypeError(f'Hooks must be a SessionRunHook, given: {hook}')
    return hooks


def _checked_listeners(listeners):
    listeners = list(listeners or [])
    for listener in listeners:
        if not isinstance(listener, CheckpointSaverListener):
            raise TypeError('saving_listeners must be a list of CheckpointSaverListener, given: {}'.format(listener))
    return listeners


def _step_of_checkpoint(folder):
    latest = checkpoint_management.latest_checkpoint(folder)
    if not latest:
        return 0
    reader = checkpoint_utils.load_checkpoint(latest)
    return int(reader.get_tensor(ops.GraphKeys.GLOBAL_STEP)) if reader.has_tensor(ops.GraphKeys.GLOBAL_STEP) else 0


def _merged_metrics(found):
    """Returns (one operation that updates all metrics, {name: value})."""
    updates, values = [], {}
    for name, (value, update) in sorted(found.items()):
        values[name] = value
        updates.append(update)
    return control_flow_ops.group(*updates) if updates else None, values


def _selected(predictions, predict_keys):
    if not predict_keys:
        return predictions
    if not isinstance(predictions, dict):
        raise ValueError('predict_keys argument is not valid in case of non-dict predictions.')
    chosen = {key: value for key, value in predictions.items() if key in predict_keys}
    if not chosen:
        raise ValueError('Expected to run at least one output from %s, provided %s.'
                         % (predictions.keys(), predict_keys))
    return chosen


def _examples(values, predictions):
    """Yields the predictions of each example of a batch."""
    if not isinstance(predictions, dict):
        yield from values
        return
    size = _batch_size(values)
    for i in range(size):
        yield {key: value[i] for key, value in values.items()}


def _batch_size(values):
    size = None
    for key, value in values.items():
        rows = np.shape(nest.flatten(value)[0])[0]
        size = size or rows
        if rows != size:
            raise ValueError(f'Batch length of predictions should be same. {key} has different batch length than '
                             'others.')
    return size or 0
