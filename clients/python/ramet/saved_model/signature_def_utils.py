"""SignatureDefs, which name the tensors that are the inputs and outputs of a model."""

from ramet.api import export
from ramet.core import convert
from ramet.core.protobuf import meta_graph_pb2
from ramet.framework import dtypes
from ramet.saved_model.utils import build_tensor_info

_CLASSIFY = 'tensorflow/serving/classify'
_PREDICT = 'tensorflow/serving/predict'
_REGRESS = 'tensorflow/serving/regress'
_STRING = dtypes.string.as_datatype_enum
_FLOAT = dtypes.float32.as_datatype_enum


@export('saved_model.build_signature_def', 'saved_model.signature_def_utils.build_signature_def')
def build_signature_def(inputs=None, outputs=None, method_name=None, defaults=None):
    """Builds a SignatureDef.

    Args:
      inputs: a dict from names to TensorInfos, or None.
      outputs: a dict from names to TensorInfos, or None.
      method_name: str, or None.
      defaults: a dict from names of inputs to TensorProtos, or None.
    """
    signature = meta_graph_pb2.SignatureDef()
    for fields, given in ((signature.inputs, inputs), (signature.outputs, outputs),
                          (getattr(signature, 'defaults', None), defaults)):
        for name, value in (given or {}).items():
            fields[name].CopyFrom(convert.to_ramet(value))
    if method_name is not None:
        signature.method_name = method_name
    return signature


@export('saved_model.predict_signature_def',
        'saved_model.signature_def_utils.predict_signature_def')
def predict_signature_def(inputs, outputs):
    """Returns the SignatureDef of a model with arbitrary named inputs and outputs.

    Args:
      inputs: a dict from names to tensors.
      outputs: a dict from names to tensors.

    Raises:
      ValueError: if one of them is None or empty.
    """
    for what, given in (('inputs', inputs), ('outputs', outputs)):
        if not given:
            raise ValueError('Prediction `%s` cannot be None or empty.' % what)
    return build_signature_def(_infos(inputs), _infos(outputs), _PREDICT)


def _infos(tensors):
    return {name: build_tensor_info(tensor) for name, tensor in tensors.items()}


@export('saved_model.regression_signature_def',
        'saved_model.signature_def_utils.regression_signature_def')
def regression_signature_def(examples, predictions):
    """Returns the SignatureDef of a regression.

    Args:
      examples: a string tensor, serialized Examples.
      predictions: a float tensor.

    Raises:
      ValueError: if one of them is None or has the wrong dtype.
    """
    if examples is None:
        raise ValueError('Regression `examples` cannot be None.')
    if predictions is None:
        raise ValueError('Regression `predictions` cannot be None.')
    inputs = {'inputs': build_tensor_info(examples)}
    if inputs['inputs'].dtype != _STRING:
        raise ValueError('Regression input tensors must be of type string. Found tensors with type '
                         '%s.' % inputs['inputs'].dtype)
    outputs = {'outputs': build_tensor_info(predictions)}
    if outputs['outputs'].dtype != _FLOAT:
        raise ValueError('Regression output tensors must be of type float. Found tensors with type '
                         '%s.' % outputs['outputs'].dtype)
    return build_signature_def(inputs, outputs, _REGRESS)


@export('saved_model.classification_signature_def',
        'saved_model.signature_def_utils.classification_signature_def')
def classification_signature_def(examples, classes, scores):
    """Returns the SignatureDef of a classification.

    Args:
      examples: a string tensor, serialized Examples.
      classes: a string tensor, or None.
      scores: a float tensor, or None.

    Raises:
      ValueError: if examples is None, classes and scores are both None, or a dtype is wrong.
    """
    if examples is None:
        raise ValueError('Classification `examples` cannot be None.')
    if classes is None and scores is None:
        raise ValueError('Classification `classes` and `scores` cannot both be None.')
    inputs = {'inputs': build_tensor_info(examples)}
    if inputs['inputs'].dtype != _STRING:
        raise ValueError('Classification input tensors must be of type string. Found tensors of '
                         'type %s' % inputs['inputs'].dtype)
    outputs = {}
    if classes is not None:
        outputs['classes'] = build_tensor_info(classes)
        if outputs['classes'].dtype != _STRING:
            raise ValueError('Classification classes must be of type string Tensor. Found tensors '
                             'of type %s.`' % outputs['classes'].dtype)
    if scores is not None:
        outputs['scores'] = build_tensor_info(scores)
        if outputs['scores'].dtype != _FLOAT:
            raise ValueError('Classification scores must be a float Tensor.')
    return build_signature_def(inputs, outputs, _CLASSIFY)


@export('saved_model.is_valid_signature', 'saved_model.signature_def_utils.is_valid_signature')
def is_valid_signature(signature_def):
    """Returns whether TensorFlow Serving can serve a SignatureDef.

    Args:
      signature_def: a SignatureDef.
    """
    if signature_def is None:
        return False
    check = {_CLASSIFY: _is_valid_classification, _PREDICT: _is_valid_prediction,
             _REGRESS: _is_valid_regression}.get(signature_def.method_name)
    return check is not None and check(signature_def)


def _is_valid_prediction(signature):
    return len(signature.inputs) >= 1 and len(signature.outputs) >= 1


def _is_valid_regression(signature):
    return (set(signature.inputs) == {'inputs'} and signature.inputs['inputs'].dtype == _STRING
            and set(signature.outputs) == {'outputs'}
            and signature.outputs['outputs'].dtype == _FLOAT)


def _is_valid_classification(signature):
    wanted = {'classes': _STRING, 'scores': _FLOAT}
    return (set(signature.inputs) == {'inputs'} and signature.inputs['inputs'].dtype == _STRING
            and bool(signature.outputs)
            and all(wanted.get(name) == info.dtype for name, info in signature.outputs.items()))
