"""Measures ramet-serve and the usual alternatives, and prints one table.

usage: run.py BUILD [--seconds N] [--only WORD]

BUILD is the build folder. The servers that are compared run in .venv-serving (`make test-serving` makes it) with
bench/serve/requirements.txt; without them their rows are left out. All processes share the machine with the load.
"""

import argparse
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time

import perceptron

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
SERVING_PYTHON = ROOT / ".venv-serving" / "bin" / "python"
MODELS = list(perceptron.LAYERS)


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def resident_bytes(pid):
    return int(pathlib.Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


class Bench:
    def __init__(self, build, seconds):
        self.build, self.seconds = pathlib.Path(build).resolve(), seconds
        self.program = self.build / "bin" / "ramet_serve_bench"
        self.environment = {**os.environ, "PYTHONPATH": str(self.build / "python"), "RAMET_LOG_LEVEL": "error"}
        self.rates = {}  # half of the saturating rate, by model

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
        port = free_port()
        program = self.build / "bin" / "ramet-serve"
        flags = [f"--port={port}", "--rest_api_port=0", "--model_name=m", *flags]
        with self.process(program, *flags, ready=False) as process:
            wait_for(port, process)
            yield process, port

    def trainer(self, *arguments):
        return self.process(sys.executable, "-B", HERE / "trainer.py", *arguments)

    def load(self, port, model, rate, rows=1):
        columns = perceptron.LAYERS[model][0]
        command = [self.program, "load", f"127.0.0.1:{port}", "m", rows, columns, rate, self.seconds]
        done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
        return json.loads(done.stdout)

    def rate(self, model, port):
        """Half of the rate at which the server is saturated."""
        if model not in self.rates:
            self.rates[model] = round(self.load(port, model, 0)["per_second"] / 2)
        return self.rates[model]


def wait_for(port, process):
    while process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
            return
        time.sleep(0.001)
    sys.exit("run.py: the server has ended")


def row(what, result, **more):
    numbers = "".join(f"{result[key]:>12.0f}" for key in ("per_second", "p50_us", "p99_us", "p999_us", "max_us"))
    extra = "  ".join(f"{name} {value}" for name, value in more.items())
    failed = f"  FAILED {result['failed']}" if result["failed"] else ""
    print(f"{what:<52}{numbers}  {extra}{failed}", flush=True)


def latencies(bench, folder):
    """p50 and p99 at half of the saturating rate, without updates and with them."""
    for model in MODELS:
        address = f"shm:{folder}/{model}"
        for versions in (0, 1, 100):
            with bench.trainer("publish", model, address, versions), bench.server(address) as (_, port):
                result = bench.load(port, model, bench.rate(model, port))
            row(f"{model}, shm:, {versions} versions per second", result)
        for versions in (0, 1):
            base = folder / f"{model}-{versions}"
            base.mkdir()
            with (
                bench.trainer("save", model, base, versions),
                bench.server(f"--model_base_path={base}") as (_, port),
            ):
                result = bench.load(port, model, bench.rate(model, port))
            row(f"{model}, SavedModel folders, {versions} versions per second", result)


def python_servers(bench, folder):
    """The rates of the usual alternatives, with clients that wait for their answers."""
    if not SERVING_PYTHON.exists():
        print("no .venv-serving: the servers in Python are left out")
        return
    for model in MODELS:
        base = folder / f"python-{model}"
        base.mkdir()
        with bench.trainer("save", model, base, 0), bench.server(f"--model_base_path={base}") as (_, port):
            row(f"{model}, ramet serve, saturated", bench.load(port, model, 0))
        onnx = folder / f"{model}.onnx"
        make = f"import perceptron; perceptron.save_onnx({model!r}, {str(onnx)!r})"
        has_onnx = subprocess.run([SERVING_PYTHON, "-B", "-c", make], cwd=HERE, check=False).returncode == 0
        for kind, path in (("tensorflow", base), *([("onnxruntime", onnx)] if has_onnx else [])):
            port = free_port()
            with bench.process(SERVING_PYTHON, "-B", HERE / "python_server.py", kind, path, port):
                row(f"{model}, {kind} behind gRPC in Python, saturated", bench.load(port, model, 0))


def overhead(bench, folder):
    """Processor time of a call over that of Callable::Run."""
    model, base = "1MB", folder / "overhead"
    base.mkdir()
    with bench.trainer("save", model, base, 0):
        for rows in (1, 32):
            columns = perceptron.LAYERS[model][0]
            command = [bench.program, "callable", base / "1", rows, columns, bench.seconds]
            done = subprocess.run([str(part) for part in command], check=True, capture_output=True, text=True)
            direct = json.loads(done.stdout)
            with bench.server(f"--model_base_path={base}") as (process, port):
                before = processor_seconds(process.pid)
                result = bench.load(port, model, 0, rows)
                used = processor_seconds(process.pid) - before
            calls = result["answered"] * (1 + 0.5 / bench.seconds)  # with those of the warm-up
            micros = used / calls * 1e6
            row(
                f"{model}, {rows} rows: a call, and Callable::Run",
                result,
                call=f"{micros:.1f} us",
                run=f"{direct['processor_us']:.1f} us",
                share_of_rate=f"{result['per_second'] / direct['per_second']:.0%}",
            )


def batching(bench, folder):
    """The rate of rows when requests of one row are batched, as a share of the rate in this process at batch 32."""
    model, base = "1MB", folder / "batching"
    base.mkdir()
    file = folder / "batching.config"
    file.write_text("max_batch_size { value: 32 } max_enqueued_batches { value: 1000 }")
    with bench.trainer("save", model, base, 0):
        flags = [f"--model_base_path={base}", "--enable_batching", f"--batching_parameters_file={file}"]
        with bench.server(*flags) as (_, port):
            row(f"{model}, batching of single rows, saturated", bench.load(port, model, 0))


def start(bench, folder):
    """The time from the start of the program to the first answer, and the memory of idle connections."""
    model, base = "1MB", folder / "start"
    base.mkdir()
    with bench.trainer("save", model, base, 0):
        times = []
        for _ in range(5):
            begin = time.perf_counter()
            with bench.server(f"--model_base_path={base}"):
                times.append(time.perf_counter() - begin)
        print(f"{model}, start until the port answers: {sorted(times)[2] * 1e3:.0f} ms (median of 5)")
        with bench.server(f"--model_base_path={base}") as (process, port):
            before, count = resident_bytes(process.pid), 10_000
            with bench.process("prlimit", "--nofile=20000", bench.program, "idle", f"127.0.0.1:{port}", count, 60):
                time.sleep(2)
                more = resident_bytes(process.pid) - before
        print(f"{count} idle connections: {more / 1e6:.0f} MB")


PARTS = {f.__name__: f for f in (latencies, python_servers, overhead, batching, start)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--only", choices=PARTS, action="append")
    arguments = parser.parse_args()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}")
    print(f"{'':<52}" + "".join(f"{name:>12}" for name in ("per second", "p50 us", "p99 us", "p99.9 us", "max us")))
    bench = Bench(arguments.build, arguments.seconds)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name in arguments.only or PARTS:
            PARTS[name](bench, pathlib.Path(folder))


if __name__ == "__main__":
    main()
