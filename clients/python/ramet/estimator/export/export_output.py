"""ExportOutputs: the outputs of a model that become signatures of a SavedModel."""

from ramet.api import export
from ramet.estimator.mode_keys import ModeKeys
from ramet.framework import dtypes, ops
from ramet.saved_model import signature_def_utils as signatures
from ramet.saved_model.utils import build_tensor_info

SERVING_DEFAULT = 'serving_default'
_SUPERVISED = {ModeKeys.TRAIN: 'tensorflow/supervised/training', ModeKeys.EVAL: 'tensorflow/supervised/eval'}


def _is_tensor(value):
    return isinstance(value, ops.Tensor) or hasattr(value, '_as_graph_element')


def _single_string(receiver_tensors, task):
    """Returns the only input of a signature that takes serialized Examples."""
    message = f'{task} input must be a single string Tensor; got {receiver_tensors}'
    if len(receiver_tensors) != 1:
        raise ValueError(message)
    (examples,) = receiver_tensors.values()
    if dtypes.as_dtype(examples.dtype).base_dtype != dtypes.string:
        raise ValueError(message)
    return examples


@export('estimator.export.ExportOutput')
class ExportOutput:
    """An output of a model in a SavedModel; for subclassing."""

    def as_signature_def(self, receiver_tensors):
        """Returns the SignatureDef that maps inputs to this output.

        Args:
          receiver_tensors: a dict from names to the tensors that are fed.

        Raises:
          ValueError: if the inputs do not fit.
        """
        raise NotImplementedError(f'as_signature_def is not implemented for {self}.')


@export('estimator.export.ClassificationOutput')
class ClassificationOutput(ExportOutput):
    """The scores and classes of a classifier."""

    def __init__(self, scores=None, classes=None):
        """Creates the output. At least one argument must be given.

        Args:
          scores: a Tensor of floats, or None.
          classes: a Tensor of strings, or None.

        Raises:
          ValueError: if both are None, or one has the wrong type.
        """
        if scores is not None and not (_is_tensor(scores) and scores.dtype.is_floating):
            raise ValueError(f'Classification scores must be a float32 Tensor; got {scores}')
        if classes is not None and not (
                _is_tensor(classes) and dtypes.as_dtype(classes.dtype) == dtypes.string):
            raise ValueError(f'Classification classes must be a string Tensor; got {classes}')
        if scores is None and classes is None:
            raise ValueError('At least one of scores and classes must be set.')
        self._scores = scores
        self._classes = classes

    @property
    def scores(self):
        """The scores, or None."""
        return self._scores

    @property
    def classes(self):
        """The names of the classes, or None."""
        return self._classes

    def as_signature_def(self, receiver_tensors):
        examples = _single_string(receiver_tensors, 'Classification')
        return signatures.classification_signature_def(examples, self.classes, self.scores)


@export('estimator.export.RegressionOutput')
class RegressionOutput(ExportOutput):
    """The value of a regressor."""

    def __init__(self, value):
        """Creates the output.

        Args:
          value: a Tensor of floats.

        Raises:
          ValueError: if it is not one.
        """
        if not (_is_tensor(value) and value.dtype.is_floating):
            raise ValueError(f'Regression output value must be a float32 Tensor; got {value}')
        self._value = value

    @property
    def value(self):
        """The value."""
        return self._value

    def as_signature_def(self, receiver_tensors):
        return signatures.regression_signature_def(_single_string(receiver_tensors, 'Regression'), self.value)


def _named(outputs, single, kind):
    """Returns outputs as a dict from names to tensors."""
    if not isinstance(outputs, dict):
        outputs = {single: outputs}
    named = {}
    for key, value in outputs.items():
        name = '/'.join(key) if isinstance(key, tuple) else key
        if not isinstance(name, str):
            raise ValueError(f'{kind} output key must be a string; got {name}.')
        if not _is_tensor(value):
            raise ValueError(f'{kind} output value must be a Tensor; got {value}.')
        named[name] = value
    return named


@export('estimator.export.PredictOutput')
class PredictOutput(ExportOutput):
    """Any named outputs."""

    def __init__(self, outputs):
        """Creates the output.

        Args:
          outputs: a Tensor, or a dict from names to Tensors.

        Raises:
          ValueError: if a name is not a str, or a value is not a Tensor.
        """
        self._outputs = _named(outputs, 'output', 'Prediction')

    @property
    def outputs(self):
        """A dict from names to tensors."""
        return self._outputs

    def as_signature_def(self, receiver_tensors):
        return signatures.predict_signature_def(receiver_tensors, self.outputs)


class SupervisedOutput(ExportOutput):
    """The loss, predictions and metrics of a model that is exported for training or evaluation."""

    def __init__(self, mode, loss=None, predictions=None, metrics=None):
        """Creates the output.

        Args:
          mode: ModeKeys.TRAIN or ModeKeys.EVAL.
          loss: a Tensor, or None.
          predictions: a Tensor, a dict of Tensors, or None.
          metrics: a dict from names to pairs (value, update operation), or None.
        """
        self._mode = mode
        self._outputs = {}
        if loss is not None:
            self._outputs.update(self._prefixed('loss', loss if isinstance(loss, dict) else {'loss': loss}))
        if predictions is not None and not (isinstance(predictions, dict) and not predictions):
            given = predictions if isinstance(predictions, dict) else {'predictions': predictions}
            self._outputs.update(self._prefixed('predictions', given))
        for name, (value, update) in (metrics or {}).items():
            if isinstance(update, ops.Operation):
                with ops.control_dependencies([update]):
                    update = ops.convert_to_tensor([])
            self._outputs.update(self._prefixed('metrics', {f'{name}/value': value, f'{name}/update_op': update}))

    @staticmethod
    def _prefixed(prefix, outputs):
        return {name if name.startswith(prefix) else f'{prefix}/{name}': tensor
                for name, tensor in _named(outputs, prefix, prefix).items()}

    @property
    def outputs(self):
        """A dict from names to tensors."""
        return self._outputs

    def as_signature_def(self, receiver_tensors):
        def infos(tensors):
            return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}

        return signatures.build_signature_def(infos(receiver_tensors), infos(self._outputs), _SUPERVISED[self._mode])


def outputs_for_serving(export_outputs, predictions):
    """Returns the outputs of a model for serving, with a default one.

    Args:
      export_outputs: a dict from names to ExportOutputs, or None for one that returns the predictions.
      predictions: a Tensor, or a dict of Tensors.

    Raises:
      TypeError: if export_outputs is not such a dict.
      ValueError: if it has several outputs, and none is the default.
    """
    if export_outputs is None:
        export_outputs = {SERVING_DEFAULT: PredictOutput(predictions)}
    if not isinstance(export_outputs, dict):
        raise TypeError(f'export_outputs must be dict, given: {export_outputs}')
    for value in export_outputs.values():
        if not isinstance(value, ExportOutput):
            raise TypeError(f'Values in export_outputs must be ExportOutput objects. Given: {export_outputs}')
    if len(export_outputs) == 1:
        ((key, value),) = export_outputs.items()
        if key != SERVING_DEFAULT:
            export_outputs = {**export_outputs, SERVING_DEFAULT: value}
    elif SERVING_DEFAULT not in export_outputs:
        raise ValueError('Multiple export_outputs were provided, but none of them is specified as the default.  Do '
                         'this by naming one of them with signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY.')
    return export_outputs


def outputs_for_mode(mode, serving_export_outputs, predictions, loss, metrics):
    """Returns the outputs of a model in a mode, as a dict from the names of signatures to ExportOutputs.

    Args:
      mode: one of ModeKeys.
      serving_export_outputs: the outputs in mode PREDICT.
      predictions: the predictions of the model.
      loss: the loss of the model.
      metrics: a dict from names to pairs (value, update operation).
    """
    if mode == ModeKeys.PREDICT:
        return outputs_for_serving(serving_export_outputs, predictions)
    return {mode: SupervisedOutput(mode, loss, predictions, metrics)}
