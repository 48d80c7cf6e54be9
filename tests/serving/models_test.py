"""Versions, labels, reloads and health."""

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import get_model_status_pb2, model_management_pb2, predict_pb2
from tensorflow_serving.config import model_server_config_pb2

import export
import running

State = get_model_status_pb2.ModelVersionStatus


def status(server, name="half_plus_two", version=None):
    request = get_model_status_pb2.GetModelStatusRequest()
    request.model_spec.name = name
    if version is not None:
        request.model_spec.version.value = version
    return server.models.GetModelStatus(request, timeout=60).model_version_status


def states(server, name="half_plus_two"):
    return {entry.version: State.State.Name(entry.state) for entry in status(server, name)}


def answer(server, label=None, version=None, name="half_plus_two"):
    """Returns the version that answers a request."""
    request = predict_pb2.PredictRequest()
    request.model_spec.name = name
    if label:
        request.model_spec.version_label = label
    if version:
        request.model_spec.version.value = version
    request.inputs["x"].CopyFrom(tf.make_tensor_proto(np.float32([1])))
    return server.prediction.Predict(request, timeout=60).model_spec.version.value


def test_status(server):
    (entry,) = status(server)
    assert (entry.version, entry.state) == (123, State.AVAILABLE)
    assert (entry.status.error_code, entry.status.error_message) == (0, "")
    assert status(server, version=123)[0].version == 123


@pytest.mark.parametrize(
    ("name", "version", "text"),
    [
        ("none", None, "Could not find any versions of model none"),
        ("half_plus_two", 9, "Could not find version 9 of model half_plus_two"),
    ],
)
def test_unknown_status(server, name, version, text):
    with pytest.raises(grpc.RpcError) as raised:
        status(server, name, version)
    assert raised.value.code() == grpc.StatusCode.NOT_FOUND
    assert raised.value.details() == text


def test_new_version_replaces_the_old_one(new_server, tmp_path):
    base = tmp_path / "half_plus_two"
    export.export_linear(base, version=1)
    server = new_server(
        "--model_name=half_plus_two", f"--model_base_path={base}", "--file_system_poll_wait_seconds=1"
    )
    assert answer(server) == 1
    export.export_linear(tmp_path / "elsewhere", version=2, b=3.0)
    (tmp_path / "elsewhere" / "2").rename(base / "00002")
    running.until(lambda: answer(server) == 2, "version 2 answers")
    running.until(lambda: states(server) == {2: "AVAILABLE", 1: "END"}, "version 1 is unloaded")


def config(base, policy="", labels=""):
    return (
        "model_config_list { config { name: 'half_plus_two' base_path: '"
        f"{base}' model_platform: 'tensorflow' {policy} {labels} }} }}"
    )


def test_policy_and_labels(new_server, tmp_path):
    base = tmp_path / "m"
    for version in (1, 2, 3):
        export.export_linear(base, version=version)
    file = tmp_path / "models.config"
    file.write_text(
        config(
            base,
            "model_version_policy { specific { versions: 1 versions: 2 } }",
            "version_labels { key: 'stable' value: 1 } version_labels { key: 'canary' value: 2 }",
        )
    )
    server = new_server(f"--model_config_file={file}", "--allow_version_labels_for_unavailable_models=true")
    assert states(server) == {2: "AVAILABLE", 1: "AVAILABLE"}
    assert answer(server) == 2
    assert answer(server, label="stable") == 1
    assert answer(server, label="canary") == 2
    assert answer(server, version=1) == 1


def reload_request(base, name="half_plus_two", labels=(), versions=()):
    request = model_management_pb2.ReloadConfigRequest()
    model = request.config.model_config_list.config.add(name=name, base_path=str(base), model_platform="tensorflow")
    model.version_labels.update(labels)
    if versions:
        model.model_version_policy.specific.versions.extend(versions)
    return request


def test_reload_by_a_call(new_server, tmp_path):
    base = tmp_path / "m"
    for version in (1, 2):
        export.export_linear(base, version=version)
    server = new_server("--model_name=half_plus_two", f"--model_base_path={base}")
    assert states(server) == {2: "AVAILABLE"}
    request = reload_request(base, versions=[1, 2])
    request.metric_names.append("/tensorflow/cc/saved_model/load_attempt_count")
    response = server.models.HandleReloadConfigRequest(request, timeout=60)
    assert response.status.error_code == 0
    assert response.metric[0].name == "/tensorflow/cc/saved_model/load_attempt_count"
    running.until(lambda: states(server).get(1) == "AVAILABLE", "version 1 is loaded")
    request = reload_request(base, versions=[1, 2], labels={"stable": 1})
    server.models.HandleReloadConfigRequest(request, timeout=60)
    assert answer(server, label="stable") == 1
    request = reload_request(base, versions=[1, 2], labels={"stable": 9})
    with pytest.raises(grpc.RpcError) as raised:
        server.models.HandleReloadConfigRequest(request, timeout=60)
    assert raised.value.code() == grpc.StatusCode.FAILED_PRECONDITION
    assert raised.value.details().startswith(
        "Request to assign label to version 9 of model half_plus_two, which is not currently available for inference"
    )
    assert answer(server, label="stable") == 1
    server.models.HandleReloadConfigRequest(reload_request(base, name="renamed"), timeout=60)
    assert answer(server, name="renamed") == 2
    with pytest.raises(grpc.RpcError) as raised:
        answer(server)
    assert raised.value.code() == grpc.StatusCode.NOT_FOUND


def test_bad_reloads(server):
    requests = {
        "relative": reload_request("relative/path"),
        "no platform": reload_request("/m"),
        "twice": reload_request("/m"),
    }
    requests["no platform"].config.model_config_list.config[0].model_platform = ""
    requests["twice"].config.model_config_list.config.add().CopyFrom(
        requests["twice"].config.model_config_list.config[0]
    )
    custom = model_management_pb2.ReloadConfigRequest()
    custom.config.custom_model_config.Pack(model_server_config_pb2.ModelServerConfig())
    requests["custom"] = custom
    for request in requests.values():
        with pytest.raises(grpc.RpcError) as raised:
            server.models.HandleReloadConfigRequest(request, timeout=60)
        assert raised.value.code() == grpc.StatusCode.INVALID_ARGUMENT
    empty = server.models.HandleReloadConfigRequest(model_management_pb2.ReloadConfigRequest(), timeout=60)
    assert empty.status.error_code == 0
    assert answer(server) == 123


def health(server, service, method="Check"):
    """Calls grpc.health.v1 without its package: a message with the field service = 1, and status = 1 in the answer."""
    call = server.channel.unary_unary(f"/grpc.health.v1.Health/{method}")
    return call(b"\x0a" + bytes([len(service)]) + service, timeout=60)


def test_health(server):
    serving = b"\x08\x01"
    for service in (b"", b"ModelService", b"PredictionService"):
        running.until(lambda: health(server, service) == serving, f"{service} serves")
    with pytest.raises(grpc.RpcError) as raised:
        health(server, b"other")
    assert raised.value.code() == grpc.StatusCode.NOT_FOUND
    watch = server.channel.unary_stream("/grpc.health.v1.Health/Watch")(b"", timeout=60)
    assert next(watch) == serving
    watch.cancel()


def test_configuration_mistakes_end_the_program(new_server, tmp_path):
    file = tmp_path / "models.config"
    file.write_text("model_config_list {\n  config { nam: 'm' }\n}\n")
    server = new_server(f"--model_config_file={file}", wait=False)
    assert server.process.wait(60) != 0
    assert f"{file}:2:" in server.log
    assert 'has no field named "nam"; expected one of name, base_path' in server.log


def test_sigterm_ends_with_success(new_server, config_file):
    server = new_server(f"--model_config_file={config_file}")
    assert answer(server) == 123
    assert server.stop() == 0
