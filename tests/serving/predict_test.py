"""Predict and GetModelMetadata with the classes of tensorflow-serving-api."""

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow.core.framework import tensor_pb2
from tensorflow_serving.apis import get_model_metadata_pb2, predict_pb2

import export

pytestmark = pytest.mark.sample


def request(model="half_plus_two", signature="", output_filter=(), **inputs):
    message = predict_pb2.PredictRequest()
    message.model_spec.name = model
    message.model_spec.signature_name = signature
    message.output_filter.extend(output_filter)
    for name, value in inputs.items():
        proto = value if isinstance(value, tensor_pb2.TensorProto) else tf.make_tensor_proto(value)
        message.inputs[name].CopyFrom(proto)
    return message


def error(call, message):
    with pytest.raises(grpc.RpcError) as raised:
        call(message, timeout=60)
    return raised.value.code().name, raised.value.details()


def test_half_plus_two_answers_as_the_guide_says(server):
    response = server.prediction.Predict(request(x=np.float32([1, 2, 5])), timeout=60)
    assert list(response.outputs["y"].float_val) == [2.5, 3.0, 4.5]
    assert response.model_spec.name == "half_plus_two"
    assert response.model_spec.version.value == 123
    assert response.model_spec.signature_name == "serving_default"


def test_trailing_metadata_names_the_version(server):
    _, call = server.prediction.Predict.with_call(request(x=np.float32([1])), timeout=60)
    assert dict(call.trailing_metadata())["x-ramet-version"] == "123"


@pytest.mark.parametrize("name", export.DTYPES)
@pytest.mark.parametrize("shape", [(), (3,), (2, 0), (2, 3)])
def test_each_dtype_comes_back_as_it_went(server, name, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    dtype = export.DTYPES[name]
    sent = tf.make_tensor_proto(values.astype(str if name == "string" else dtype.as_numpy_dtype), dtype)
    response = server.prediction.Predict(request("identities", name, x=sent), timeout=60)
    found, expected = tf.make_ndarray(response.outputs["y"]), tf.make_ndarray(sent)
    assert (found.dtype, found.shape, found.tolist()) == (expected.dtype, expected.shape, expected.tolist())
    assert response.outputs["y"].tensor_content == b"", "TensorFlow Serving answers with typed lists"


@pytest.mark.parametrize("form", ["typed list", "repeated last value", "content"])
def test_each_encoding_of_a_tensor(server, form):
    proto = tf.make_tensor_proto(np.float32([4, 4, 4]))
    if form != "content":
        proto.ClearField("tensor_content")
        proto.float_val.extend([4] if form == "repeated last value" else [4, 4, 4])
    response = server.prediction.Predict(request(x=proto), timeout=60)
    assert list(response.outputs["y"].float_val) == [4, 4, 4]


def test_output_filter(server):
    inputs = {"name": tf.constant([b"a"]), "v": np.float32([[1, 2]])}
    both = server.prediction.Predict(request(signature="pair", **inputs), timeout=60)
    assert sorted(both.outputs) == ["name_bytes", "sum"]
    one = server.prediction.Predict(request(signature="pair", output_filter=["sum"], **inputs), timeout=60)
    assert list(one.outputs) == ["sum"]
    assert one.outputs["sum"].float_val == [3]
    code, text = error(server.prediction.Predict, request(signature="pair", output_filter=["z"], **inputs))
    assert code == "INVALID_ARGUMENT"
    assert text.startswith("output tensor alias not found in signature: z Outputs expected to be in the set {")
    code, text = error(server.prediction.Predict, request(signature="pair", output_filter=["sum", "sum"], **inputs))
    assert (code, text.split("\n")[0]) == ("INVALID_ARGUMENT", "duplicate output tensor alias: sum")


X = {"x": np.float32([1])}


@pytest.mark.parametrize(
    ("message", "code", "text"),
    [
        (predict_pb2.PredictRequest(), "INVALID_ARGUMENT", "Missing ModelSpec"),
        (request("", **X), "INVALID_ARGUMENT", "ModelSpec has no name specified."),
        (request("none", **X), "NOT_FOUND", "Servable not found for request: Latest(none)"),
        (request(signature="s", **X), "FAILED_PRECONDITION", 'Serving signature key "s" not found.'),
        (
            request(signature="pair", v=np.float32([[1, 2]])),
            "INVALID_ARGUMENT",
            "input size does not match signature: 1!=2 len({v}) != len({name,v}). Sent extra: {}. "
            "Missing but required: {name}.",
        ),
        (
            request(x=np.float32([1]), z=np.float32([1])),
            "INVALID_ARGUMENT",
            "input size does not match signature: 2!=1 len({x,z}) != len({x}). Sent extra: {z}. "
            "Missing but required: {}.",
        ),
    ],
    ids=lambda value: value[:30] if isinstance(value, str) else "",
)
def test_errors_word_for_word(server, message, code, text):
    assert error(server.prediction.Predict, message) == (code, text)


def test_wrong_name_version_label_and_dtype(server):
    code, text = error(server.prediction.Predict, request(z=np.float32([1])))
    assert code == "INVALID_ARGUMENT"
    assert "not found in request and no default value provided" in text
    message = request(**X)
    message.model_spec.version.value = 7
    assert error(server.prediction.Predict, message) == (
        "NOT_FOUND",
        "Servable not found for request: Specific(half_plus_two, 7)",
    )
    message.model_spec.version_label = "L"
    assert error(server.prediction.Predict, message) == (
        "INVALID_ARGUMENT",
        "Unrecognized servable version label: L",
    )
    code, text = error(server.prediction.Predict, request(x=np.int32([1])))
    assert code == "INVALID_ARGUMENT"
    assert "float" in text
    assert "int32" in text
    broken = tf.make_tensor_proto(np.float32([1, 2]))
    broken.tensor_content = b"123"
    code, text = error(server.prediction.Predict, request(x=broken))
    assert (code, text.split("\n")[0]) == ("INVALID_ARGUMENT", "tensor parsing error: x")


def test_long_messages_are_cut(server):
    code, text = error(server.prediction.Predict, request("n" * 3000, **X))
    assert code == "NOT_FOUND"
    assert len(text) == 1024 + len("...TRUNCATED")
    assert text.endswith("...TRUNCATED")


def test_expired_deadline(server):
    with pytest.raises(grpc.RpcError) as raised:
        server.prediction.Predict(request(x=np.zeros(900_000, np.float32)), timeout=1e-4)
    assert raised.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


def test_large_message(server):
    x = np.arange(10_000_000, dtype=np.float32)
    options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
    with grpc.insecure_channel(f"127.0.0.1:{server.port}", options) as channel:
        call = channel.unary_unary(
            "/tensorflow.serving.PredictionService/Predict",
            request_serializer=predict_pb2.PredictRequest.SerializeToString,
            response_deserializer=predict_pb2.PredictResponse.FromString,
        )
        response = call(request(x=x), timeout=60)
    np.testing.assert_array_equal(tf.make_ndarray(response.outputs["y"]), 0.5 * x + 2)


def test_tensor_content_flag(new_server, config_file):
    server = new_server(f"--model_config_file={config_file}", "--enable_serialization_as_tensor_content=true")
    response = server.prediction.Predict(request(x=np.float32([1, 2])), timeout=60)
    assert not response.outputs["y"].float_val
    assert list(tf.make_ndarray(response.outputs["y"])) == [2.5, 3.0]


def test_metadata(server):
    message = get_model_metadata_pb2.GetModelMetadataRequest()
    message.model_spec.name = "half_plus_two"
    assert error(server.prediction.GetModelMetadata, message)[1].endswith("must specify at least one metadata_field")
    message.metadata_field.append("signature_def")
    response = server.prediction.GetModelMetadata(message, timeout=60)
    assert (response.model_spec.version.value, response.model_spec.signature_name) == (123, "")
    signatures = get_model_metadata_pb2.SignatureDefMap()
    assert response.metadata["signature_def"].Unpack(signatures)
    default = signatures.signature_def["serving_default"]
    assert default.method_name == "tensorflow/serving/predict"
    assert default.inputs["x"].dtype == tf.float32.as_datatype_enum
    assert [dim.size for dim in default.inputs["x"].tensor_shape.dim] == [-1]
    message.metadata_field.append("x")
    assert error(server.prediction.GetModelMetadata, message)[1] == "Metadata field x is not supported"
