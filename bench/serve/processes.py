"""Starts the programs of the benchmarks of the server: servers, trainers and loads."""

import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import time

import perceptron

HERE = pathlib.Path(__file__).resolve().parent
SERVING_PYTHON = HERE.parent.parent / ".venv-serving" / "bin" / "python"
# Calls of gRPC in a closed loop, and connections of REST.
OUTSTANDING, CONNECTIONS = 32, 8
# ramet_serve_bench does not count the first half second of a load.
WARMUP_SECONDS = 0.5


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def wait_for(port, process):
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.001)
    sys.exit("run.py: the server has ended")


class Server:
    """A process that answers on `port` (gRPC) and `rest_port`."""

    def __init__(self, process, port, rest_port=0):
        self.process, self.port, self.rest_port = process, port, rest_port


class Trainer:
    """A process that makes versions. `rate` is the number of versions per second, once it has ended."""

    rate = 0.0


class Bench:
    def __init__(self, build, seconds):
        self.build, self.seconds = pathlib.Path(build).resolve(), seconds
        self.program = self.build / "bin" / "ramet_serve_bench"
        self.environment = {**os.environ, "PYTHONPATH": str(self.build / "python"), "RAMET_LOG_LEVEL": "error"}

    @contextlib.contextmanager
    def process(self, *command, ready=True):
        """Runs a program in the background. With `ready`, waits until it prints a line."""
        process = subprocess.Popen(
            [str(part) for part in command], env=self.environment, stdout=subprocess.PIPE if ready else None, text=True
        )
        try:
            if ready and not process.stdout.readline():
                sys.exit(f"run.py: {command} has ended")
            yield process
        finally:
            process.kill()
            process.wait()

    @contextlib.contextmanager
    def server(self, *flags):
        port, rest_port = free_port(), free_port()
        program = self.build / "bin" / "ramet-serve"
        flags = [f"--port={port}", f"--rest_api_port={rest_port}", "--model_name=m", *flags]
        with self.process(program, *flags, ready=False) as process:
            wait_for(rest_port, process)  # the second one that it listens on
            yield Server(process, port, rest_port)

    @contextlib.contextmanager
    def python_server(self, kind, path):
        port = free_port()
        with self.process(SERVING_PYTHON, "-B", HERE / "python_server.py", kind, path, port) as process:
            yield Server(process, port)

    @contextlib.contextmanager
    def trainer(self, *arguments):
        trainer = Trainer()
        with self.process(sys.executable, "-B", HERE / "trainer.py", *arguments) as process:
            yield trainer
            process.terminate()
            trainer.rate = float(process.stdout.readline())

    def run(self, *arguments):
        """Returns what ramet_serve_bench prints."""
        command = [str(part) for part in (self.program, *arguments)]
        return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)

    def load(self, server, model, rate=0, rows=1, outstanding=OUTSTANDING):
        """Sends calls of gRPC at a rate, or in a closed loop, and adds the processor time of one to the result."""
        columns = perceptron.LAYERS[model][0]
        target = f"127.0.0.1:{server.port}"
        return self.measured(server, "load", target, "m", rows, columns, rate, self.seconds, outstanding)

    def rest_load(self, server, model, rows=1):
        columns = perceptron.LAYERS[model][0]
        target = f"127.0.0.1:{server.rest_port}"
        return self.measured(server, "rest", target, "m", rows, columns, self.seconds, CONNECTIONS)

    def empty_load(self, server):
        """Sends calls of gRPC that run no graph, in a closed loop: the cost of gRPC and the kernel."""
        return self.measured(server, "empty", f"127.0.0.1:{server.port}", 0, self.seconds)

    def measured(self, server, *arguments):
        before = processor_seconds(server.process.pid)
        result = self.run(*arguments)
        used = processor_seconds(server.process.pid) - before
        if result["failed"]:
            print(f"run.py: {result['failed']} requests failed: {arguments}", file=sys.stderr)
        calls = result["answered"] * (1 + WARMUP_SECONDS / self.seconds)
        return {**result, "call_us": used / max(calls, 1) * 1e6}

    def callable(self, folder, model, rows):
        return self.run("callable", folder, rows, perceptron.LAYERS[model][0], self.seconds)
