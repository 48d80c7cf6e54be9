"""The request log, and warm-up files, which are the same format."""

import os

import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_log_pb2

import export
import running


def request(x):
    message = predict_pb2.PredictRequest()
    message.model_spec.name = "m"
    message.inputs["x"].CopyFrom(tf.make_tensor_proto(np.float32(x)))
    return message


def logged(folder):
    """Returns the records of all log files, as TensorFlow reads them."""
    files = sorted(str(file) for file in folder.glob("log.*"))
    records = [record.numpy() for record in tf.data.TFRecordDataset(files)]
    return [prediction_log_pb2.PredictionLog.FromString(record) for record in records]


def write_warmup(version_folder, logs):
    folder = version_folder / "assets.extra"
    folder.mkdir()
    with tf.io.TFRecordWriter(str(folder / "tf_serving_warmup_requests")) as writer:
        for log in logs:
            writer.write(log.SerializeToString())


def test_log_can_be_a_warmup_file(new_server, tmp_path):
    base, logs = tmp_path / "m", tmp_path / "logs"
    logs.mkdir()
    export.export_linear(base, version=1)
    config = tmp_path / "models.config"
    config.write_text(
        f"model_config_list {{ config {{ name: 'm' base_path: '{base}' model_platform: 'tensorflow' logging_config {{ "
        f"log_collector_config {{ filename_prefix: '{logs / 'log'}' }} sampling_config {{ sampling_rate: 1 }} }} }} }}"
    )
    server = new_server(f"--model_config_file={config}")
    server.prediction.Predict(request([1]), timeout=60)
    server.prediction.Predict(request([2, 3]), timeout=60)
    assert server.stop() == 0
    first, second = logged(logs)
    assert first.log_metadata.model_spec.name == "m"
    assert first.log_metadata.model_spec.version.value == 1
    assert first.log_metadata.sampling_config.sampling_rate == 1
    assert list(tf.make_ndarray(second.predict_log.request.inputs["x"])) == [2, 3]
    assert list(second.predict_log.response.outputs["y"].float_val) == [3, 3.5]
    export.export_linear(base, version=2)
    (recorded,) = logs.glob("log.*")
    (base / "2" / "assets.extra").mkdir()
    os.rename(recorded, base / "2" / "assets.extra" / "tf_serving_warmup_requests")
    server = new_server(f"--model_config_file={config}")
    response = server.prediction.Predict(request([1]), timeout=60)
    assert response.model_spec.version.value == 2


def predict_log(message):
    log = prediction_log_pb2.PredictionLog()
    log.predict_log.request.CopyFrom(message)
    return log


def test_warmup_that_fails_keeps_the_old_version(new_server, tmp_path):
    base = tmp_path / "m"
    export.export_linear(base, version=1)
    server = new_server("--model_name=m", f"--model_base_path={base}", "--max_num_load_retries=0")
    bad = request([1])
    bad.inputs["z"].CopyFrom(bad.inputs["x"])
    url = f"{server.url}/v1/models/m"
    for version, logs in ((2, [predict_log(bad)]), (3, [predict_log(request([1]))] * 1001)):
        export.export_linear(tmp_path / "elsewhere", version=version)
        write_warmup(tmp_path / "elsewhere" / str(version), logs)
        (tmp_path / "elsewhere" / str(version)).rename(base / str(version))
        failed = version - 1
        running.until(lambda wanted=failed: running.curl(url)[1].count('"END"') == wanted, f"version {version} fails")
    assert "INVALID_ARGUMENT" in running.curl(url)[1]
    assert server.prediction.Predict(request([1]), timeout=60).model_spec.version.value == 1


@pytest.mark.parametrize("content", [b"not a TFRecord file", b"\xff" * 12])
def test_hostile_warmup_file_fails_the_load_only(new_server, tmp_path, content):
    base = tmp_path / "m"
    export.export_linear(base, version=1)
    server = new_server("--model_name=m", f"--model_base_path={base}", "--max_num_load_retries=0")
    export.export_linear(tmp_path / "elsewhere", version=2)
    folder = tmp_path / "elsewhere" / "2" / "assets.extra"
    folder.mkdir()
    (folder / "tf_serving_warmup_requests").write_bytes(content)
    (tmp_path / "elsewhere" / "2").rename(base / "2")
    running.until(lambda: '"END"' in running.curl(f"{server.url}/v1/models/m")[1], "version 2 fails")
    assert "Please verify your warmup data is in TFRecord format." in running.curl(f"{server.url}/v1/models/m")[1]
    assert server.prediction.Predict(request([1]), timeout=60).model_spec.version.value == 1
