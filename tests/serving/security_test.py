"""TLS, mutual TLS, tokens and Unix sockets."""

import subprocess

import grpc
import numpy as np
import pytest
import tensorflow as tf
from tensorflow_serving.apis import predict_pb2, prediction_service_pb2_grpc

import running


def openssl(*arguments, cwd):
    subprocess.run(["openssl", *arguments], cwd=cwd, check=True, capture_output=True)


@pytest.fixture(scope="module")
def pki(tmp_path_factory):
    """A folder with ca.pem, and server and client certificates that it has signed."""
    folder = tmp_path_factory.mktemp("pki")
    openssl(
        *"req -x509 -newkey rsa:2048 -nodes -keyout ca.key -out ca.pem -days 2 -subj /CN=test-ca".split(), cwd=folder
    )
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1\n")
    for name in ("server", "client"):
        openssl(
            *f"req -newkey rsa:2048 -nodes -keyout {name}.key -out {name}.csr -subj /CN={name}".split(), cwd=folder
        )
        openssl(
            *f"x509 -req -in {name}.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names".split(),
            "-out",
            f"{name}.pem",
            cwd=folder,
        )
    return folder


def predict(channel, **options):
    request = predict_pb2.PredictRequest()
    request.model_spec.name = "half_plus_two"
    request.inputs["x"].CopyFrom(tf.make_tensor_proto(np.float32([1])))
    stub = prediction_service_pb2_grpc.PredictionServiceStub(channel)
    return list(stub.Predict(request, timeout=60, **options).outputs["y"].float_val)


def secure(server, pki, with_certificate):
    pem = [(pki / name).read_bytes() for name in ("ca.pem", "client.key", "client.pem")]
    credentials = grpc.ssl_channel_credentials(pem[0], *(pem[1:] if with_certificate else []))
    return grpc.secure_channel(f"localhost:{server.port}", credentials)


def test_ssl_config_file(new_server, config_file, pki, tmp_path):
    texts = {
        field: (pki / name).read_text().replace("\n", "\\n")
        for field, name in (("server_key", "server.key"), ("server_cert", "server.pem"), ("custom_ca", "ca.pem"))
    }
    file = tmp_path / "ssl.config"
    file.write_text("".join(f'{field}: "{text}"\n' for field, text in texts.items()) + "client_verify: true\n")
    server = new_server(f"--model_config_file={config_file}", f"--ssl_config_file={file}")
    with secure(server, pki, with_certificate=True) as channel:
        assert predict(channel) == [2.5]
    for channel in (secure(server, pki, with_certificate=False), server.channel):
        with pytest.raises(grpc.RpcError) as raised:
            predict(channel)
        assert raised.value.code() == grpc.StatusCode.UNAVAILABLE


def test_key_and_certificate_by_path_serve_both_ports(new_server, config_file, pki):
    server = new_server(
        f"--model_config_file={config_file}",
        f"--tls_key={pki / 'server.key'}",
        f"--tls_certificate={pki / 'server.pem'}",
    )
    with secure(server, pki, with_certificate=False) as channel:
        assert predict(channel) == [2.5]
    url = f"https://localhost:{server.rest_port}/v1/models/half_plus_two:predict"
    status, body = running.curl("--cacert", str(pki / "ca.pem"), url, data='{"instances": [1.0]}')
    assert (status, "2.5" in body) == (200, True)


def test_tokens(new_server, config_file, tmp_path):
    file = tmp_path / "tokens"
    file.write_text("# tokens\nsecret\n")
    file.chmod(0o600)
    server = new_server(f"--model_config_file={config_file}", f"--token_file={file}")
    assert predict(server.channel, metadata=[("authorization", "Bearer secret")]) == [2.5]
    for metadata in ([], [("authorization", "Bearer wrong")]):
        with pytest.raises(grpc.RpcError) as raised:
            predict(server.channel, metadata=metadata)
        assert raised.value.code() == grpc.StatusCode.UNAUTHENTICATED
    url = f"{server.url}/v1/models/half_plus_two:predict"
    body = '{"instances": [1.0]}'
    assert running.curl(url, data=body)[0] == 401
    assert running.curl("-H", "Authorization: Bearer secret", url, data=body)[0] == 200


def test_unix_socket(new_server, config_file, tmp_path):
    path = tmp_path / "grpc.sock"
    new_server(f"--model_config_file={config_file}", f"--grpc_socket_path={path}")
    with grpc.insecure_channel(f"unix:{path}") as channel:
        assert predict(channel) == [2.5]


def test_channel_arguments(new_server, config_file):
    arguments = "--grpc_channel_arguments=grpc.max_connection_age_ms=2000,grpc.x=y"
    server = new_server(f"--model_config_file={config_file}", arguments)
    assert predict(server.channel) == [2.5]
