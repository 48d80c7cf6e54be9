"""Classify, Regress and MultiInference with the classes of tensorflow-serving-api."""

import grpc
import pytest
import tensorflow as tf
from tensorflow_serving.apis import classification_pb2, inference_pb2, regression_pb2

pytestmark = pytest.mark.sample


def example(x):
    return tf.train.Example(features=tf.train.Features(feature={"x": tf.train.Feature(float_list={"value": [x]})}))


def fill(message, signature="", values=(0.25, 0.5), model="examples"):
    message.model_spec.name = model
    message.model_spec.signature_name = signature
    message.input.example_list.examples.extend(map(example, values))
    return message


def error(call, message):
    with pytest.raises(grpc.RpcError) as raised:
        call(message, timeout=60)
    return raised.value.code().name, raised.value.details().split("\n")[0]


def test_classify(server):
    response = server.prediction.Classify(fill(classification_pb2.ClassificationRequest()), timeout=60)
    found = [[(c.label, c.score) for c in e.classes] for e in response.result.classifications]
    assert found == [[("yes", 0.5), ("no", 0.5)], [("yes", 1.0), ("no", 0.0)]]
    assert response.model_spec.signature_name == "serving_default"


def test_missing_labels_are_empty(server):
    message = fill(classification_pb2.ClassificationRequest(), "classify_scores")
    response = server.prediction.Classify(message, timeout=60)
    assert [c.label for c in response.result.classifications[0].classes] == ["", ""]


def test_regress(server):
    response = server.prediction.Regress(fill(regression_pb2.RegressionRequest(), "regress"), timeout=60)
    assert [r.value for r in response.result.regressions] == [0.5, 1.0]


def test_features_of_the_context_are_added(server):
    message = fill(regression_pb2.RegressionRequest(), "regress", values=[])
    examples = message.input.example_list_with_context
    examples.context.CopyFrom(example(3.0))
    examples.examples.extend([tf.train.Example(), example(1.0)])
    response = server.prediction.Regress(message, timeout=60)
    assert [r.value for r in response.result.regressions] == [6.0, 2.0]


def multi(*tasks):
    message = inference_pb2.MultiInferenceRequest()
    for model, signature, method in tasks:
        task = message.tasks.add(method_name=f"tensorflow/serving/{method}")
        task.model_spec.name = model
        task.model_spec.signature_name = signature
    message.input.example_list.examples.append(example(0.25))
    return message


def test_multi_inference(server):
    message = multi(("examples", "regress", "regress"), ("examples", "serving_default", "classify"))
    response = server.prediction.MultiInference(message, timeout=60)
    assert response.results[0].regression_result.regressions[0].value == 0.5
    assert response.results[1].classification_result.classifications[0].classes[0].label == "yes"
    assert response.results[0].model_spec.signature_name == "regress"


def test_errors_of_multi_inference(server):
    call = server.prediction.MultiInference
    code, text = error(call, multi(("examples", "regress", "regress"), ("identities", "regress", "regress")))
    assert code == "INVALID_ARGUMENT"
    assert "must access the same model name" in text
    code, text = error(call, multi(("examples", "regress", "regress"), ("examples", "regress", "regress")))
    assert (code, text) == ("INVALID_ARGUMENT", "Duplicate evaluation of signature: regress")
    code, text = error(call, multi(("examples", "regress", "predict")))
    assert code == "UNIMPLEMENTED"
    assert "Unsupported signature method_name: tensorflow/serving/predict" in text
    assert error(call, multi()) == ("INVALID_ARGUMENT", "Missing ModelSpec")
    code, text = error(call, multi(("examples", "s", "regress")))
    assert (code, text) == ("INVALID_ARGUMENT", "Requested signature not found in model graph: s")


def test_errors(server):
    classify, regress = server.prediction.Classify, server.prediction.Regress
    assert error(classify, classification_pb2.ClassificationRequest()) == ("INVALID_ARGUMENT", "Missing ModelSpec")
    code, text = error(classify, fill(classification_pb2.ClassificationRequest(), values=[]))
    assert (code, text) == ("INVALID_ARGUMENT", "Input is empty.")
    code, text = error(regress, fill(regression_pb2.RegressionRequest(), "s"))
    assert (code, text) == ("INVALID_ARGUMENT", "No signature was found with the name: s")
    code, text = error(regress, fill(regression_pb2.RegressionRequest(), model="none"))
    assert (code, text) == ("NOT_FOUND", "Servable not found for request: Latest(none)")
    code, text = error(classify, fill(classification_pb2.ClassificationRequest(), model="half_plus_two"))
    assert code == "INVALID_ARGUMENT"
    code, text = error(regress, fill(regression_pb2.RegressionRequest(), "serving_default"))
    assert (code, text) == ("INVALID_ARGUMENT", "Expected one output Tensor.")
