"""Writes SavedModels."""

import os

from ramet import _core
from ramet.api import export
from ramet.core import convert
from ramet.docstrings import with_args_of
from ramet.framework import errors, ops, stacks
from ramet.saved_model import signature_def_utils
from ramet.train import saver as saver_module


@export('saved_model.Builder', 'saved_model.builder.SavedModelBuilder')
class SavedModelBuilder:
    """Writes a SavedModel: a folder with saved_model.pb, variables/ and assets/.

    The first meta graph saves the variables. Further meta graphs share them.

    Args:
      export_dir: str, the folder, which is created.

    Raises:
      AssertionError: if it exists and is not empty.
    """

    def __init__(self, export_dir):
        try:
            self._core = _core.SavedModelBuilder(os.fspath(export_dir))
        except errors.AlreadyExistsError:
            raise AssertionError(
                "Export directory %s already exists, and isn't empty. Please choose a different "
                "export directory, or delete all the contents of the specified directory."
                % export_dir) from None
        self._export_dir = export_dir
        self._has_saved_variables = False

    def add_meta_graph_and_variables(self, sess, tags, signature_def_map=None,
                                     assets_collection=None, legacy_init_op=None,
                                     clear_devices=False, main_op=None,
                                     strip_default_attrs=False, saver=None):
        """Adds the graph of a session and saves its variables. Must be called first, and only once.

        Args:
          sess: a Session.
          tags: a list of str.
          signature_def_map: a dict from names to SignatureDefs.
          assets_collection: a list of string tensors that hold the paths of files. The files are
            copied into the model.
          legacy_init_op: same as main_op.
          clear_devices: whether to leave out the devices of nodes.
          main_op: an operation that runs after the model has been loaded.
          strip_default_attrs: whether to leave out attrs with default values.
          saver: a tf.train.Saver, or None for a new one for all variables.

        Raises:
          AssertionError: if it was already called, or a signature is incomplete.
          tf.errors.FailedPreconditionError: if a variable is uninitialized.
        """
        if self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has already been '
                                 'saved. Please invoke `add_meta_graph()` instead.')
        self._add(sess, tags, signature_def_map, assets_collection, main_op or legacy_init_op,
                  clear_devices, strip_default_attrs, saver)
        self._has_saved_variables = True

    @with_args_of(add_meta_graph_and_variables)
    def add_meta_graph(self, tags, signature_def_map=None, assets_collection=None,
                       legacy_init_op=None, clear_devices=False, main_op=None,
                       strip_default_attrs=False, saver=None):
        """Adds the default graph. Its variables must be among those that are already saved.

        Args:
          tags: a list of str.

        Raises:
          AssertionError: if add_meta_graph_and_variables was not called.
        """
        if not self._has_saved_variables:
            raise AssertionError('Graph state including variables and assets has not been saved '
                                 'yet. Please invoke `add_meta_graph_and_variables()` first.')
        self._add(None, tags, signature_def_map, assets_collection, main_op or legacy_init_op,
                  clear_devices, strip_default_attrs, saver)

    def _add(self, sess, tags, signature_def_map, assets_collection, main_op, clear_devices,
             strip_default_attrs, saver):
        signatures = {key: _signature_bytes(value)
                      for key, value in (signature_def_map or {}).items()}
        if main_op is not None and not isinstance(main_op, ops.Operation):
            raise TypeError('Expected %s to be an Operation but got type %s instead.'
                            % (main_op, type(main_op)))
        saver_def = _saver_def_bytes(saver)
        assets = [ops.convert_to_tensor(a) for a in assets_collection or ()]
        if sess is None:
            self._core.add_meta_graph(ops.get_default_graph(), list(tags), signatures, assets,
                                      main_op, clear_devices, strip_default_attrs, saver_def)
        else:
            self._core.add_meta_graph_and_variables(
                stacks.core_session(sess), list(tags), signatures, assets, main_op,
                clear_devices, strip_default_attrs, saver_def)

    def save(self, as_text=False):
        """Writes saved_model.pb and returns its path as bytes.

        Args:
          as_text: whether to write saved_model.pbtxt, in text format, instead.
        """
        return self._core.save(as_text).encode()


def _saver_def_bytes(saver):
    if saver is None:
        variables = saver_module._all_saveable_objects()
        if not variables:
            return None
        saver = saver_module.Saver(variables, sharded=True, allow_empty=True)
    return saver.as_saver_def().SerializeToString()


def _signature_bytes(signature):
    signature = convert.to_ramet(signature)
    for infos in (signature.inputs, signature.outputs):
        for info in infos.values():
            _check_tensor_info(info)
    return signature.SerializeToString()


def _check_tensor_info(info):
    if info.WhichOneof('encoding') is None:
        raise AssertionError(
            "Invalid `tensor_info`: %s. All TensorInfo protos used in the SignatureDefs must have "
            "one of the 'encoding' fields (e.g., name or coo_sparse) set." % info)
    if info.WhichOneof('encoding') == 'composite_tensor':
        return
    if info.dtype == 0:
        raise AssertionError(
            'Invalid `tensor_info`: %s. All TensorInfo protos used in the SignatureDefs must have '
            'the `dtype` field set.' % info)


@export('saved_model.simple_save')
def simple_save(session, export_dir, inputs, outputs, legacy_init_op=None):
    """Writes a SavedModel with the tag "serve" and the signature "serving_default".

    Args:
      session: a Session.
      export_dir: str, the folder, which is created.
      inputs: a dict from names to tensors.
      outputs: a dict from names to tensors.
      legacy_init_op: an operation that runs after the model has been loaded.

    Raises:
      AssertionError: if the folder exists and is not empty.
    """
    builder = SavedModelBuilder(export_dir)
    builder.add_meta_graph_and_variables(
        session, ['serve'],
        {'serving_default': signature_def_utils.predict_signature_def(inputs, outputs)},
        assets_collection=ops.get_collection(ops.GraphKeys.ASSET_FILEPATHS),
        main_op=legacy_init_op, clear_devices=True)
    builder.save()
