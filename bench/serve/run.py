"""Measures ramet-serve and the usual alternatives, and prints the tables of docs/benchmarks.md.

usage: run.py BUILD [--seconds N] [--only WORD]

BUILD is the build folder. The servers that are compared run in .venv-serving (`make test-serving` makes it) with
bench/serve/requirements.txt; without them their rows are left out. All processes share the machine with the load. All
parts together take about four minutes.
"""

import argparse
import http.client
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

import perceptron
from processes import HERE, OUTSTANDING, SERVING_PYTHON, Bench, resident_bytes

MODELS = list(perceptron.LAYERS)
IDLE_CONNECTIONS = 10_000
BATCH_ROWS = 32


def table(title, *header):
    print(f"\n{title}\n\n| " + " | ".join(header) + " |")
    print("| --- " + "| ---: " * (len(header) - 1) + "|", flush=True)


def row(*cells):
    texts = (cell if isinstance(cell, str) else f"{cell:,.0f}" for cell in cells)
    print("| " + " | ".join(texts) + " |", flush=True)


def latencies(bench, folder):
    """p50 and p99 at half of the saturating rate, without updates and with them."""
    table(
        "Latency at half of the saturating rate",
        *("model, source", "versions/s", "requests/s", "p50 µs", "p99 µs", "p99.9 µs", "p99 / without updates"),
    )
    for model in MODELS:
        rate = half_of_saturation(bench, folder, model)
        for source, wanted in (("shm:", (0, 1, 100)), ("SavedModels", (0, 1))):
            first = None
            for versions in wanted:
                trainer, result = while_trained(bench, folder, model, source, versions, rate)
                first = first or result
                made = f"{trainer.rate:.1f}" if versions else "0"
                more = f"{result['p99_us'] / first['p99_us']:.2f}" if versions else ""
                row(f"{model}, {source}", made, *numbers(result), result["p999_us"], more)


def numbers(result):
    return result["per_second"], result["p50_us"], result["p99_us"]


def half_of_saturation(bench, folder, model):
    address = f"shm:{folder}/{model}"
    with bench.trainer("publish", model, address, 0), bench.server(address) as server:
        return round(bench.load(server, model)["per_second"] / 2)


def while_trained(bench, folder, model, source, versions, rate):
    """Loads a server while a trainer makes versions. Returns the trainer and the result."""
    if source == "shm:":
        how, place = "publish", f"shm:{folder}/{model}"
        flag = place
    else:
        how, place = "save", tempfile.mkdtemp(dir=folder)
        flag = f"--model_base_path={place}"
    with bench.trainer(how, model, place, versions) as trainer, bench.server(flag) as server:
        result = bench.load(server, model, rate)
    return trainer, result


def saved(bench, folder, model):
    """Returns a base path with one version."""
    base = pathlib.Path(tempfile.mkdtemp(dir=folder))
    with bench.trainer("save", model, base, 0):
        return base


def servers(bench, folder):
    """Rates of the usual alternatives."""
    table(
        f"Servers with {OUTSTANDING} calls in progress",
        *("model, server", "requests/s", "p50 µs", "p99 µs", "ramet serve / this"),
    )
    for model in MODELS:
        base = saved(bench, folder, model)
        with bench.server(f"--model_base_path={base}") as server:
            own = bench.load(server, model)
        row(f"{model}, ramet serve", *numbers(own), "")
        with bench.server(f"--model_base_path={base}", *batching_flags(folder)) as server:
            result = bench.load(server, model)
        row(f"{model}, ramet serve --enable_batching", *numbers(result), ratio(own, result))
        for kind, path in alternatives(folder, model, base):
            with bench.python_server(kind, path) as server:
                result = bench.load(server, model)
            row(f"{model}, {kind} behind gRPC in Python", *numbers(result), ratio(own, result))


def ratio(own, result):
    return f"{own['per_second'] / result['per_second']:.1f}"


def alternatives(folder, model, base):
    if not SERVING_PYTHON.exists():
        print("run.py: no .venv-serving: the servers in Python are left out", file=sys.stderr)
        return []
    onnx = folder / f"{model}.onnx"
    make = f"import perceptron; perceptron.save_onnx({model!r}, {str(onnx)!r})"
    has_onnx = subprocess.run([SERVING_PYTHON, "-B", "-c", make], cwd=HERE, check=False).returncode == 0
    return [("tensorflow", base), *([("onnxruntime", onnx)] if has_onnx else [])]


def overhead(bench, folder):
    """Processor time of a request over that of Callable::Run."""
    table(
        "Processor time of a request of one row",
        *("model, request", "µs", "Callable::Run µs", "above it µs", "at most µs"),
    )
    model = "1MB"
    base = saved(bench, folder, model)
    for name, load, aim in (("gRPC Predict", bench.load, 60), ("REST predict", bench.rest_load, 120)):
        direct = bench.callable(base / "1", model, 1)["processor_us"]
        with bench.server(f"--model_base_path={base}") as server:
            call = load(server, model)["call_us"]
        row(f"{model}, {name}", *(f"{us:.1f}" for us in (call, direct, call - direct)), aim)
    with bench.server(f"--model_base_path={base}") as server:
        empty = bench.empty_load(server)["call_us"]
    row("gRPC ServerLive, which runs no graph", f"{empty:.1f}", "", "", "")


def batching(bench, folder):
    """Rows per second in batches, as a share of those of Callable::Run."""
    table(
        f"Rows per second in batches of {BATCH_ROWS}, which Callable::Run computes in the same process or a server",
        *("model, requests", "rows/s", "of Callable::Run"),
    )
    for model in MODELS:
        base = saved(bench, folder, model)
        flag = f"--model_base_path={base}"
        direct = bench.callable(base / "1", model, BATCH_ROWS)["per_second"]
        with bench.server(flag) as server:
            calls = bench.load(server, model, rows=BATCH_ROWS)["per_second"]
        with bench.server(flag, *batching_flags(folder)) as server:
            singles = bench.load(server, model, outstanding=4 * BATCH_ROWS)["per_second"]
        row(f"{model}, Callable::Run", direct * BATCH_ROWS, "")
        row(f"{model}, calls of {BATCH_ROWS} rows", calls * BATCH_ROWS, f"{calls / direct:.0%}")
        row(f"{model}, calls of one row, batched", singles, f"{singles / direct / BATCH_ROWS:.0%}")


def batching_flags(folder):
    file = folder / "batching.config"
    file.write_text(f"max_batch_size {{ value: {BATCH_ROWS} }} max_enqueued_batches {{ value: 1000 }}")
    return "--enable_batching", f"--batching_parameters_file={file}"


def start(bench, folder):
    """The time from the start of the program to the first answer, and the memory of idle connections."""
    table("Start and idle connections", "figure", "measured", "at most")
    model = "1MB"
    base = saved(bench, folder, model)
    times = [first_answer(bench, model, base) for _ in range(7)]
    median = f"{statistics.median(times) * 1e3:.0f} ms"
    row(f"{model}, start to the first answer, median of {len(times)}", median, "100 ms")
    for kind in ("grpc", "rest"):
        with bench.server(f"--model_base_path={base}") as server:
            before = resident_bytes(server.process.pid)
            target = f"127.0.0.1:{server.port if kind == 'grpc' else server.rest_port}"
            hold = ("prlimit", "--nofile=20000", bench.program, "idle", target, kind, IDLE_CONNECTIONS, 60)
            with bench.process(*hold):
                time.sleep(2)
                more = resident_bytes(server.process.pid) - before
        row(f"{IDLE_CONNECTIONS:,} idle connections of {kind}", f"{more / 1e6:.0f} MB", "200 MB")


def first_answer(bench, model, base):
    begin = time.perf_counter()
    with bench.server(f"--model_base_path={base}") as server:
        client = http.client.HTTPConnection("127.0.0.1", server.rest_port)
        body = json.dumps({"instances": [[0.5] * perceptron.LAYERS[model][0]]})
        client.request("POST", "/v1/models/m:predict", body)
        answer = client.getresponse()
        if answer.status != 200:
            sys.exit(f"run.py: the first answer is {answer.status} {answer.read()}")
        return time.perf_counter() - begin


PARTS = {f.__name__: f for f in (latencies, servers, overhead, batching, start)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build")
    parser.add_argument("--seconds", type=float, default=5, help="of each load")
    parser.add_argument("--only", choices=PARTS, action="append")
    arguments = parser.parse_args()
    begin = time.monotonic()
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}, {arguments.seconds:g} s for each load")
    bench = Bench(arguments.build, arguments.seconds)
    with tempfile.TemporaryDirectory(dir="/dev/shm") as folder:
        for name in arguments.only or PARTS:
            PARTS[name](bench, pathlib.Path(folder))
    print(f"\n{time.monotonic() - begin:.0f} s, load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
