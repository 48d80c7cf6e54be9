"""Estimator, which trains, evaluates, uses and exports a model that a function builds."""

import copy
import os

from ramet.api import export
from ramet.client.session import Session
from ramet.estimator import (
    arguments,
    event_files,
    functions,
    inputs_of,
    model_graph,
    saved_models,
    spec,
    training_run,
    warm_start_settings,
)
from ramet.estimator import predictions as predictions_lib
from ramet.estimator.mode_keys import ModeKeys
from ramet.framework import ops
from ramet.lib import tf_logging as logging
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.metrics import metrics
from ramet.ops.variables import variable_lists
from ramet.train import checkpoint_management, checkpoint_utils, evaluation, training_util, warm_starting
from ramet.train.monitored_session import MonitoredSession
from ramet.train.run_control_hooks import StopAtStepHook
from ramet.train.scaffold import ChiefSessionCreator, Scaffold

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
        self._config = arguments.with_model_dir(config, model_dir)
        self._model_dir = self._config.model_dir
        self._session_config = self._config.session_config
        logging.info('Using config: %s', self._config)
        if model_fn is None:
            raise ValueError('model_fn must be provided to Estimator.')
        arguments.check_model_fn(model_fn, params)
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
        arguments.check_steps(steps, max_steps)
        if max_steps is not None and arguments.step_of_checkpoint(self._model_dir) >= max_steps:
            logging.info('Skipping training since max_steps has already saved.')
            return self
        hooks = [*arguments.checked_hooks(hooks), *self._convert_train_steps_to_hooks(steps, max_steps)]
        loss = self._train_model(input_fn, hooks, arguments.checked_listeners(saving_listeners))
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
            if self._warm_start_settings:
                self._warm_start()
            return training_run.run(self._config, graph, made, [*input_hooks, *hooks], saving_listeners)

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
        hooks = [*arguments.checked_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
        checkpoint_path = checkpoint_path or self._checkpoint_for('evaluate')
        with self._new_graph() as graph:
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.EVAL)
            scaffold, spec_hooks, update_op, values = self._call_model_fn_eval(features, labels, graph)
            self._maybe_warm_start(checkpoint_path)
            return self._run_evaluation(checkpoint_path, scaffold, update_op, values,
                                        [*input_hooks, *hooks, *spec_hooks], self.eval_dir(name))

    def _evaluate_with_values(self, values, input_fn, steps, hooks):
        """Evaluates the model with given values of variables, a dict from names. Returns a dict of metrics."""
        hooks = [*arguments.checked_hooks(hooks), *self._convert_eval_steps_to_hooks(steps)]
        with self._new_graph() as graph:
            features, labels, input_hooks = self._inputs(input_fn, ModeKeys.EVAL)
            scaffold, spec_hooks, update_op, fetches = self._call_model_fn_eval(features, labels, graph)
            variables = [v for v in variable_lists.global_variables() if v.op.name in values]

            def set_variables(scaffold, session):
                del scaffold
                for variable in variables:
                    variable.load(values[variable.op.name], session)

            return evaluation.evaluate_once(
                checkpoint_path=None, scaffold=Scaffold(init_fn=set_variables, copy_from_scaffold=scaffold),
                eval_ops=update_op, final_ops=fetches, hooks=[*input_hooks, *hooks, *spec_hooks],
                config=self._session_config)

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
        update_op, values = model_graph.merged_metrics(found)
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
        hooks = arguments.checked_hooks(hooks)
        checkpoint_path = checkpoint_path or self._checkpoint_for('predict')
        session, predictions = self._prediction_session(input_fn, predict_keys, hooks, checkpoint_path)
        with session:
            while not session.should_stop():
                values = session.run(predictions)
                yield from predictions_lib.examples(values, predictions) if yield_single_examples else (values,)

    def _prediction_session(self, input_fn, predict_keys, hooks, checkpoint_path):
        """Returns (session, fetches). The caller runs it outside of its graph's context, which a generator would leave
        open between two examples."""
        with self._new_graph():
            features, input_hooks = self._features_for_predictions(input_fn)
            made = self._call_model_fn(features, None, ModeKeys.PREDICT, self.config)
            self._maybe_warm_start(checkpoint_path)
            predictions = predictions_lib.selected(made.predictions, predict_keys)
            creator = ChiefSessionCreator(
                checkpoint_filename_with_path=checkpoint_path, master=self._config.master, scaffold=made.scaffold,
                config=self._session_config)
            return MonitoredSession(creator, [*input_hooks, *hooks, *made.prediction_hooks]), predictions

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
            self._warm_start()

    def _warm_start(self):
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
        return model_graph.ModelGraph(self._config, self._create_and_assert_global_step)

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
