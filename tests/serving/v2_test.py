"""The Open Inference Protocol with tritonclient, over gRPC and HTTP."""

import contextlib

import numpy as np
import pytest
import tritonclient.grpc
import tritonclient.http
from tritonclient.utils import InferenceServerException

pytestmark = pytest.mark.sample

V2_NAMES = {
    "bool": "BOOL",
    "int8": "INT8",
    "int16": "INT16",
    "int32": "INT32",
    "int64": "INT64",
    "uint8": "UINT8",
    "uint16": "UINT16",
    "uint32": "UINT32",
    "uint64": "UINT64",
    "half": "FP16",
    "float": "FP32",
    "double": "FP64",
    "string": "BYTES",
}


@pytest.fixture(params=["grpc", "http"])
def triton(request):
    return tritonclient.grpc if request.param == "grpc" else tritonclient.http


@pytest.fixture
def client(triton, server):
    port = server.port if triton is tritonclient.grpc else server.rest_port
    with contextlib.closing(triton.InferenceServerClient(f"127.0.0.1:{port}")) as client:
        yield client


def test_health(client):
    assert client.is_server_live()
    assert client.is_server_ready()
    assert client.is_model_ready("half_plus_two")
    assert client.is_model_ready("half_plus_two", "123")
    assert not client.is_model_ready("half_plus_two", "7")
    assert not client.is_model_ready("none")


def test_metadata(client, triton):
    options = {"as_json": True} if triton is tritonclient.grpc else {}
    assert client.get_server_metadata(**options)["name"] == "ramet"
    model = client.get_model_metadata("half_plus_two", **options)
    assert model["name"] == "half_plus_two"
    assert model["versions"] == ["123"]
    assert model["inputs"][0]["name"] == "x"
    assert model["inputs"][0]["datatype"] == "FP32"
    assert [int(size) for size in model["inputs"][0]["shape"]] == [-1]


def infer(client, triton, model, values, datatype, signature=None, **options):
    tensor = triton.InferInput("x", list(values.shape), datatype)
    tensor.set_data_from_numpy(values)
    if signature:
        options["parameters"] = {"signature_name": signature}
    return client.infer(model, [tensor], **options)


@pytest.mark.parametrize("name", V2_NAMES)
@pytest.mark.parametrize("shape", [(3,), (2, 3), (2, 0)])
def test_each_datatype_comes_back_as_it_went(client, triton, name, shape):
    values = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    if name == "string":
        values = np.array([b"\x00binary%d" % value for value in values.flat], dtype=object).reshape(shape)
    else:
        values = values.astype(getattr(np, {"half": "float16", "float": "float32", "bool": "bool_"}.get(name, name)))
    result = infer(client, triton, "identities", values, V2_NAMES[name], signature=name)
    np.testing.assert_array_equal(result.as_numpy("y"), values)


def test_answer_has_id_and_version(client, triton):
    result = infer(client, triton, "half_plus_two", np.float32([1, 2]), "FP32", request_id="42")
    np.testing.assert_array_equal(result.as_numpy("y"), np.float32([2.5, 3]))
    response = result.get_response()
    if triton is tritonclient.grpc:
        assert (response.id, response.model_version) == ("42", "123")
    else:
        assert (response["id"], response["model_version"]) == ("42", "123")


def test_requested_outputs(client, triton):
    name = triton.InferInput("name", [1], "BYTES")
    name.set_data_from_numpy(np.array([b"a"], dtype=object))
    v = triton.InferInput("v", [1, 2], "FP32")
    v.set_data_from_numpy(np.float32([[1, 2]]))
    outputs = [triton.InferRequestedOutput("sum")]
    result = client.infer("half_plus_two", [name, v], outputs=outputs, parameters={"signature_name": "pair"})
    np.testing.assert_array_equal(result.as_numpy("sum"), np.float32([3]))
    assert result.as_numpy("name_bytes") is None


def test_mistakes(client, triton):
    with pytest.raises(InferenceServerException) as raised:
        infer(client, triton, "none", np.float32([1]), "FP32")
    assert "none" in raised.value.message()
    with pytest.raises(InferenceServerException) as raised:
        infer(client, triton, "half_plus_two", np.int32([1]), "INT32")
    assert "float" in raised.value.message()


def test_typed_contents_of_grpc(server):
    from tritonclient.grpc import service_pb2, service_pb2_grpc

    stub = service_pb2_grpc.GRPCInferenceServiceStub(server.channel)
    request = service_pb2.ModelInferRequest(model_name="half_plus_two")
    tensor = request.inputs.add(name="x", datatype="FP32", shape=[2])
    tensor.contents.fp32_contents.extend([1, 2])
    response = stub.ModelInfer(request, timeout=60)
    assert list(response.outputs[0].contents.fp32_contents) == [2.5, 3.0]
    assert not response.raw_output_contents
