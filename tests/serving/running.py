"""A running ramet-serve and its clients."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import time

import grpc
from tensorflow_serving.apis import model_service_pb2_grpc, prediction_service_pb2_grpc

BUILD = pathlib.Path(os.environ.get("RAMET_BUILD", "build"))
PROGRAM = BUILD / "bin" / "ramet-serve"
START_SECONDS = 60
CALL_SECONDS = 60


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """A ramet-serve process on free ports of the loopback interface."""

    def __init__(self, *flags, log_path, wait=True):
        self.port, self.rest_port = free_port(), free_port()
        self.log_path = pathlib.Path(log_path)
        command = [str(PROGRAM), f"--port={self.port}", f"--rest_api_port={self.rest_port}", *map(str, flags)]
        self._log = self.log_path.open("wb")
        self.process = subprocess.Popen(command, stdout=self._log, stderr=subprocess.STDOUT)
        self.channel = grpc.insecure_channel(f"127.0.0.1:{self.port}")
        self.prediction = prediction_service_pb2_grpc.PredictionServiceStub(self.channel)
        self.models = model_service_pb2_grpc.ModelServiceStub(self.channel)
        try:
            if wait:
                self.wait_until_listening()
        except BaseException:
            self.__exit__()
            raise

    @property
    def url(self):
        return f"http://127.0.0.1:{self.rest_port}"

    @property
    def log(self):
        return self.log_path.read_text(errors="replace")

    def wait_until_listening(self):
        deadline = time.monotonic() + START_SECONDS
        for port in (self.port, self.rest_port):
            while True:
                assert self.process.poll() is None, f"ramet-serve ended with {self.process.returncode}:\n{self.log}"
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                    break
                assert time.monotonic() < deadline, f"ramet-serve does not listen:\n{self.log}"
                time.sleep(0.02)

    def stop(self):
        """Ends the server as a container runtime does. Returns its exit status."""
        self.channel.close()
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        status = self.process.wait(START_SECONDS)
        self._log.close()
        return status

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        self.channel.close()
        self._log.close()


def curl(*arguments, data=None):
    """Runs curl. Returns the status and the body of the answer."""
    command = ["curl", "--silent", "--show-error", "--max-time", str(CALL_SECONDS), "-w", "\n%{http_code}", *arguments]
    if data is not None:
        command += ["--data-binary", "@-"]
    done = subprocess.run(command, input=data, capture_output=True, text=True, check=True)
    body, _, status = done.stdout.rpartition("\n")
    return int(status), body


def until(condition, what, seconds=START_SECONDS):
    """Waits until `condition()` is true, and returns its value."""
    deadline = time.monotonic() + seconds
    while not (value := condition()):
        assert time.monotonic() < deadline, f"not within {seconds} seconds: {what}"
        time.sleep(0.05)
    return value
