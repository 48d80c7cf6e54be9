"""Exporters, which write SavedModels after evaluations."""

import os

from ramet.api import export
from ramet.estimator.event_values import metric_values
from ramet.lib import io_gfile
from ramet.lib import tf_logging as logging


@export('estimator.Exporter')
class Exporter:
    """Exports a model after an evaluation; for subclassing."""

    @property
    def name(self):
        """The name of the folder below 'export' for the models, a str."""
        raise NotImplementedError(f'name is not implemented for {type(self)}.')

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        """Exports a checkpoint.

        Args:
          estimator: an Estimator.
          export_path: str, the folder for models.
          checkpoint_path: str, the checkpoint that was evaluated.
          eval_result: the dict that Estimator.evaluate returned.
          is_the_final_export: whether training has ended.

        Returns:
          The path of the model, or None if nothing was exported.
        """
        raise NotImplementedError(f'export is not implemented for {type(self)}.')


class _SavedModelExporter(Exporter):
    """Exports each checkpoint."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        """Creates the exporter.

        Args:
          name: str, the name of the folder.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
        """
        self._name = name
        self._serving_input_receiver_fn = serving_input_receiver_fn
        self._assets_extra = assets_extra
        self._as_text = as_text

    @property
    def name(self):
        return self._name

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        return estimator.export_saved_model(
            export_path, self._serving_input_receiver_fn, assets_extra=self._assets_extra, as_text=self._as_text,
            checkpoint_path=checkpoint_path)


def _remove_old(export_path, keep):
    """Removes all but the latest models in a folder. Models have numbers as names."""
    if not keep or not io_gfile.isdir(export_path):
        return
    names = [name.rstrip('/') for name in io_gfile.listdir(export_path)]
    for name in sorted((n for n in names if n.isdigit()), key=int)[:-keep]:
        try:
            io_gfile.rmtree(os.path.join(export_path, name))
        except OSError as error:
            logging.warning('Can not delete %s recursively: %s', name, error)


def _check_kept(exports_to_keep):
    if exports_to_keep is not None and exports_to_keep <= 0:
        raise ValueError('`exports_to_keep`, if provided, must be positive number')


@export('estimator.FinalExporter')
class FinalExporter(Exporter):
    """Exports the model once, when training has ended."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False):
        """Creates the exporter.

        Args:
          name: str, the name of the folder.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
        """
        self._exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)

    @property
    def name(self):
        return self._exporter.name

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if not is_the_final_export:
            return None
        logging.info('Performing the final export in the end of training.')
        return self._exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)


@export('estimator.LatestExporter')
class LatestExporter(Exporter):
    """Exports the model after each evaluation, and removes old models."""

    def __init__(self, name, serving_input_receiver_fn, assets_extra=None, as_text=False, exports_to_keep=5):
        """Creates the exporter.

        Args:
          name: str, the name of the folder.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
          exports_to_keep: int, the number of models that are kept, or None for all.

        Raises:
          ValueError: if exports_to_keep is not positive.
        """
        self._exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)
        _check_kept(exports_to_keep)
        self._exports_to_keep = exports_to_keep

    @property
    def name(self):
        return self._exporter.name

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        result = self._exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
        _remove_old(export_path, self._exports_to_keep)
        return result


def loss_is_smaller(best_eval_result, current_eval_result):
    """Reports whether the current loss is smaller than the best one.

    Args:
      best_eval_result: a dict with 'loss'.
      current_eval_result: a dict with 'loss'.

    Raises:
      ValueError: if one of them lacks the loss.
    """
    for what, result in (('best_eval_result', best_eval_result), ('current_eval_result', current_eval_result)):
        if not result or 'loss' not in result:
            raise ValueError(f'{what} cannot be empty or no loss is found in it.')
    return best_eval_result['loss'] > current_eval_result['loss']


@export('estimator.BestExporter')
class BestExporter(Exporter):
    """Exports the model after an evaluation that is better than all before, and removes old models."""

    def __init__(self, name='best_exporter', serving_input_receiver_fn=None, event_file_pattern=None,
                 compare_fn=loss_is_smaller, assets_extra=None, as_text=False, exports_to_keep=5):
        """Creates the exporter.

        Args:
          name: str, the name of the folder.
          serving_input_receiver_fn: a function that returns a ServingInputReceiver.
          event_file_pattern: str, a pattern below the folder of the estimator for event files of earlier evaluations,
            such as 'eval/*.tfevents.*', so that the best result survives a restart. None forgets it.
          compare_fn: a function of best_eval_result and current_eval_result that reports whether the latter is better.
          assets_extra: a dict from paths below the folder assets.extra to files to copy.
          as_text: whether to write saved_model.pbtxt, in text format.
          exports_to_keep: int, the number of models that are kept, or None for all.

        Raises:
          ValueError: if an argument is missing or invalid.
        """
        self._compare_fn = compare_fn
        if compare_fn is None:
            raise ValueError('`compare_fn` must not be None.')
        self._exporter = _SavedModelExporter(name, serving_input_receiver_fn, assets_extra, as_text)
        _check_kept(exports_to_keep)
        self._exports_to_keep = exports_to_keep
        self._event_file_pattern = event_file_pattern
        self._best = None
        self._has_exported = False

    @property
    def name(self):
        return self._exporter.name

    def export(self, estimator, export_path, checkpoint_path, eval_result, is_the_final_export):
        if self._best is None and self._event_file_pattern:
            self._best = self._best_of_files(os.path.join(estimator.model_dir, self._event_file_pattern))
        better = self._best is None or self._compare_fn(
            best_eval_result=self._best, current_eval_result=eval_result)
        if not better and self._has_exported:
            return None
        logging.info('Performing best model export.')
        if better:
            self._best = eval_result
        result = self._exporter.export(estimator, export_path, checkpoint_path, eval_result, is_the_final_export)
        _remove_old(export_path, self._exports_to_keep)
        self._has_exported = True
        return result

    def _best_of_files(self, pattern):
        """Returns the best of the results in event files, or None."""
        best = None
        for path in io_gfile.glob(pattern):
            for _, result in metric_values(path):
                if best is None or self._compare_fn(best, result):
                    best = result
        return best
