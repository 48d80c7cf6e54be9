"""Writes a model in one or several modes as a SavedModel, in a folder with the time as its name."""

import os
import time

from ramet.estimator.export import export_output
from ramet.estimator.mode_keys import ModeKeys
from ramet.estimator.spec import eval_metrics
from ramet.framework import errors, ops
from ramet.lib import io_gfile
from ramet.lib import tf_logging as logging
from ramet.saved_model import signature_def_utils
from ramet.saved_model.builder import SavedModelBuilder
from ramet.train.saver import Saver
from ramet.train.scaffold import Scaffold

TAGS = {ModeKeys.PREDICT: ['serve'], ModeKeys.TRAIN: ['train'], ModeKeys.EVAL: ['eval']}
_MAX_FOLDER_ATTEMPTS = 10


def timestamped_folder(base):
    """Returns the path of a folder in `base`, with the time as its name, that does not exist yet.

    Args:
      base: str or bytes, the folder.

    Raises:
      RuntimeError: if there is none after ten attempts.
    """
    for attempt in range(_MAX_FOLDER_ATTEMPTS):
        path = os.path.join(os.fsdecode(base), str(int(time.time())))
        if not io_gfile.exists(path):
            return path
        time.sleep(1)
        logging.warning('Directory %s already exists; retrying (attempt %d/%d)', path, attempt + 1,
                        _MAX_FOLDER_ATTEMPTS)
    raise RuntimeError('Failed to obtain a unique export directory name after {} attempts.'.format(
        _MAX_FOLDER_ATTEMPTS))


def signatures_for(receiver_tensors, export_outputs, alternatives=None, serving_only=True):
    """Returns the SignatureDefs of a model, a dict from names. Outputs that do not fit the inputs are left out.

    Args:
      receiver_tensors: a tensor that is fed, or a dict of them.
      export_outputs: a dict from names to ExportOutputs.
      alternatives: a dict from names to further tensors or dicts of them that are fed instead, or None.
      serving_only: whether to leave out the signatures that TensorFlow Serving cannot serve.

    Raises:
      ValueError: if export_outputs is not a dict.
    """
    if not isinstance(export_outputs, dict):
        raise ValueError(f'export_outputs must be a dict and not{type(export_outputs)}')
    receivers = {None: receiver_tensors, **(alternatives or {})}
    found, left_out = {}, {}
    for receiver_name, tensors in receivers.items():
        tensors = tensors if isinstance(tensors, dict) else {'input': tensors}
        for key, output in export_outputs.items():
            name = str(key or 'None') if receiver_name is None else f'{receiver_name}:{key or "None"}'
            try:
                found[name] = output.as_signature_def(tensors)
            except ValueError as error:
                left_out[name] = str(error)
    _log(found, left_out)
    if serving_only:
        found = {name: s for name, s in found.items() if signature_def_utils.is_valid_signature(s)}
    return found


def _log(found, left_out):
    methods = {'tensorflow/serving/classify': 'Classify', 'tensorflow/serving/regress': 'Regress',
               'tensorflow/serving/predict': 'Predict', 'tensorflow/supervised/training': 'Train',
               'tensorflow/supervised/eval': 'Eval'}
    by_method = {title: [] for title in methods.values()}
    for name, signature in found.items():
        by_method.setdefault(methods.get(signature.method_name, signature.method_name), []).append(name)
    for title, names in by_method.items():
        logging.info('Signatures INCLUDED in export for %s: %s', title, names or None)
    if left_out:
        logging.info('Signatures EXCLUDED from export because they cannot be be served via TensorFlow Serving APIs:')
        for name, message in left_out.items():
            logging.info("'%s' : %s", name, message)


class Writer:
    """Writes the graphs of a model, whose variables come from a checkpoint, into a temporary folder that it renames."""

    def __init__(self, export_dir_base, checkpoint_path, strip_default_attrs):
        """Creates the writer.

        Args:
          export_dir_base: str or bytes, the folder for the new folder.
          checkpoint_path: str.
          strip_default_attrs: whether to leave out attrs with default values.
        """
        self._folder = timestamped_folder(export_dir_base)
        base, name = os.path.split(self._folder)
        self._temporary = os.path.join(base, f'temp-{name}')
        self._builder = SavedModelBuilder(self._temporary)
        self._checkpoint_path = checkpoint_path
        self._strip_default_attrs = strip_default_attrs
        self.has_graphs = False

    def add(self, session, mode, made, receiver):
        """Adds the graph of a session.

        Args:
          session: a Session for the default graph.
          mode: one of ModeKeys.
          made: the EstimatorSpec.
          receiver: a ServingInputReceiver or SupervisedInputReceiver.

        Raises:
          ValueError: if the checkpoint lacks a variable of the graph.
        """
        outputs = export_output.outputs_for_mode(
            made.mode, made.export_outputs, made.predictions, made.loss,
            eval_metrics(made) if mode != ModeKeys.PREDICT else None)
        signatures = signatures_for(receiver.receiver_tensors, outputs,
                                    getattr(receiver, 'receiver_tensors_alternatives', None),
                                    serving_only=mode == ModeKeys.PREDICT)
        local_init = made.scaffold.local_init_op
        if local_init is None:
            local_init = Scaffold.default_local_init_op()
        saver = made.scaffold.saver or Saver(sharded=True)
        arguments = {
            'tags': TAGS[mode], 'signature_def_map': signatures, 'main_op': local_init, 'saver': saver,
            'assets_collection': ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS),
            'strip_default_attrs': self._strip_default_attrs}
        self._restore(session, saver, mode)
        if self.has_graphs:
            self._builder.add_meta_graph(**arguments)
        else:
            self._builder.add_meta_graph_and_variables(session, **arguments)
        self.has_graphs = True

    def _restore(self, session, saver, mode):
        try:
            saver.restore(session, self._checkpoint_path)
        except errors.NotFoundError as error:
            raise ValueError(
                'Could not load all requested variables from checkpoint. Please make sure your model_fn does not '
                'expect variables that were not saved in the checkpoint.\n\n'
                f'Encountered error with mode `{mode}` while restoring checkpoint from: `{self._checkpoint_path}`. '
                f'Full Traceback:\n\n{error}') from error

    def save(self, assets_extra, as_text):
        """Writes the files and renames the folder. Returns its path as bytes.

        Args:
          assets_extra: a dict from paths below the folder assets.extra to files to copy, or None.
          as_text: whether to write saved_model.pbtxt.
        """
        self._builder.save(as_text)
        for relative, source in (assets_extra or {}).items():
            target = os.path.join(self._temporary, 'assets.extra', os.fsdecode(relative))
            io_gfile.makedirs(os.path.dirname(target))
            io_gfile.copy(source, target)
        io_gfile.rename(self._temporary, self._folder)
        return os.fsencode(self._folder)
