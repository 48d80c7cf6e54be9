"""TensorFlow Serving's REST interface with curl. The commands are those of its guide."""

import base64
import json

import pytest

import running

pytestmark = pytest.mark.sample


def post(server, path, body):
    status, text = running.curl(f"{server.url}/v1/models/{path}", data=json.dumps(body) if body is not None else "")
    return status, json.loads(text)


@pytest.mark.parametrize(
    ("body", "answer"),
    [
        ({"instances": [1.0, 2.0, 5.0]}, {"predictions": [2.5, 3.0, 4.5]}),
        ({"instances": [{"x": 1.0}, {"x": 2.0}]}, {"predictions": [2.5, 3.0]}),
        ({"inputs": [1.0, 2.0]}, {"outputs": [2.5, 3.0]}),
        ({"inputs": {"x": [1.0, 2.0]}}, {"outputs": [2.5, 3.0]}),
        ({"signature_name": "serving_default", "instances": [1, 2]}, {"predictions": [2.5, 3.0]}),
        (
            {"signature_name": "pair", "instances": [{"name": "a", "v": [1, 2]}, {"name": "b", "v": [3, 4]}]},
            {
                "predictions": [
                    {"name_bytes": {"b64": base64.b64encode(b"a!").decode()}, "sum": 3.0},
                    {"name_bytes": {"b64": base64.b64encode(b"b!").decode()}, "sum": 7.0},
                ]
            },
        ),
        (
            {"signature_name": "pair", "inputs": {"name": [{"b64": "YQ=="}], "v": [[1, 2]]}},
            {"outputs": {"name_bytes": [{"b64": "YSE="}], "sum": [3.0]}},
        ),
    ],
)
@pytest.mark.parametrize("version", ["", "/versions/123"])
def test_predict(server, body, answer, version):
    assert post(server, f"half_plus_two{version}:predict", body) == (200, answer)


@pytest.mark.parametrize(
    "name", ["float", "double", "int8", "int32", "int64", "uint8", "uint32", "uint64", "bool", "string"]
)
def test_each_dtype_that_json_has(server, name):
    values = {"bool": [[True, False]], "string": [["a", "é"]]}.get(name, [[1, 2]])
    if name in ("float", "double"):
        values = [[1.5, -2.0]]
    body = {"signature_name": name, "inputs": values}
    assert post(server, "identities:predict", body) == (200, {"outputs": values})


def test_status_and_metadata(server):
    status, text = running.curl(f"{server.url}/v1/models/half_plus_two")
    assert status == 200
    assert json.loads(text) == {
        "model_version_status": [
            {"version": "123", "state": "AVAILABLE", "status": {"error_code": "OK", "error_message": ""}}
        ]
    }
    status, text = running.curl(f"{server.url}/v1/models/half_plus_two/metadata")
    metadata = json.loads(text)
    assert status == 200
    assert metadata["model_spec"] == {"name": "half_plus_two", "signature_name": "", "version": "123"}
    signature = metadata["metadata"]["signature_def"]["signature_def"]["serving_default"]
    assert signature["inputs"]["x"]["dtype"] == "DT_FLOAT"
    assert signature["inputs"]["x"]["tensor_shape"] == {"dim": [{"size": "-1", "name": ""}], "unknown_rank": False}


def test_classify_and_regress(server):
    body = {"examples": [{"x": 0.25}, {"x": 0.5}]}
    assert post(server, "examples:classify", body) == (
        200,
        {"results": [[["yes", 0.5], ["no", 0.5]], [["yes", 1.0], ["no", 0.0]]]},
    )
    body = {"signature_name": "regress", "context": {"x": 3.0}, "examples": [{}, {"x": 1.0}]}
    assert post(server, "examples:regress", body) == (200, {"results": [6.0, 2.0]})


@pytest.mark.parametrize(
    ("path", "body", "status", "text"),
    [
        ("half_plus_two:predict", None, 400, "JSON Parse error: The document is empty"),
        ("half_plus_two:predict", {}, 400, "Missing 'inputs' or 'instances' key"),
        ("half_plus_two:predict", {"instances": []}, 400, "No values in 'instances' array"),
        ("half_plus_two:predict", {"instances": 1}, 400, "Expecting 'instances' to be an list/array"),
        ("half_plus_two:predict", {"instances": [1], "inputs": [1]}, 400, "Not formatted correctly"),
        ("half_plus_two:predict", {"inputs": [1], "signature_name": 1}, 400, "'signature_name' key must be a string"),
        ("half_plus_two:predict", {"inputs": [1], "signature_name": "s"}, 400, 'Serving signature name: "s" not found'),
        ("half_plus_two:predict", {"instances": ["a"]}, 400, "is not of expected type: float"),
        ("none:predict", {"instances": [1]}, 404, "Servable not found for request: Latest(none)"),
        ("half_plus_two/versions/7:predict", {"instances": [1]}, 404, "Servable not found for request: Specific("),
        ("half_plus_two/labels/l:predict", {"instances": [1]}, 400, "Unrecognized servable version label: l"),
        ("half_plus_two:explain", {"instances": [1]}, 400, "Malformed request: POST /v1/models/half_plus_two:explain"),
        ("examples:classify", {}, 400, "key 'examples' is expected and was not found"),
        ("examples:classify", {"examples": []}, 400, "'examples' value is an empty array"),
    ],
)
def test_errors(server, path, body, status, text):
    found, answer = post(server, path, body)
    assert list(answer) == ["error"]
    assert found == status
    assert text in answer["error"]


def test_metrics_count_both_apis(server):
    post(server, "half_plus_two:predict", {"instances": [1]})
    status, text = running.curl(f"{server.url}/monitoring/prometheus/metrics")
    assert status == 200
    assert "# TYPE :tensorflow:serving:request_count counter" in text
    labels = 'model_name="half_plus_two",API="predict",entrypoint="REST"'
    assert f":tensorflow:serving:request_latency_bucket{{{labels}" in text
    labels = 'model_name="half_plus_two",API="Predict",runtime="TF1"'
    assert f":tensorflow:serving:runtime_latency_bucket{{{labels}" in text
    assert ":tensorflow:serving:model_warmup_latency_count{" in text
    assert ":tensorflow:core:graph_runs{} " in text


def test_health_addresses(server):
    assert running.curl(f"{server.url}/healthz")[0] == 200
    assert running.curl(f"{server.url}/readyz")[0] == 200
