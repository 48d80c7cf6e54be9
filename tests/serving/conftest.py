"""Models exported by TensorFlow and a server that serves them, shared by all tests that do not change them."""

import pytest

import export
import running


def pytest_configure(config):
    config.addinivalue_line("markers", "sample: runs with every change (.ci/run)")


@pytest.fixture(scope="session")
def models(tmp_path_factory):
    """A folder with the base paths half_plus_two, identities and examples."""
    base = tmp_path_factory.mktemp("models")
    export.export_linear(base / "half_plus_two", version=123)
    export.export_identities(base / "identities")
    export.export_examples(base / "examples")
    return base


@pytest.fixture(scope="session")
def config_file(models):
    path = models / "models.config"
    entries = "".join(
        f"config {{ name: '{name}' base_path: '{models / name}' model_platform: 'tensorflow' }}\n"
        for name in ("half_plus_two", "identities", "examples")
    )
    path.write_text(f"model_config_list {{ {entries} }}")
    return path


@pytest.fixture(scope="session")
def server(config_file, tmp_path_factory):
    log = tmp_path_factory.mktemp("log") / "server.log"
    flags = [f"--model_config_file={config_file}", "--enable_grpc_healthcheck_service"]
    with running.Server(*flags, log_path=log) as server:
        yield server


@pytest.fixture
def new_server(tmp_path):
    """Starts servers of this test only, which end with it."""
    servers = []

    def start(*flags, **options):
        log_path = tmp_path / f"server{len(servers)}.log"
        servers.append(running.Server(*flags, log_path=log_path, **options))
        return servers[-1]

    yield start
    for server in servers:
        server.__exit__()
