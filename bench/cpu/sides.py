"""The sides that bench/cpu compares, and how each is held to a number of threads.

Every process is pinned to as many cores as it has threads, with sched_setaffinity, so no side can use more than the
others. In addition TensorFlow and Ramet get intra_op_parallelism_threads and inter_op_parallelism_threads,
onnxruntime gets intra_op_num_threads, and XLA_FLAGS turn off XLA's thread pool for one thread; for two, XLA's pool has
as many threads as the process has cores. OMP_NUM_THREADS is set for libraries inside.
"""
import json
import os
import shlex
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
TIMEOUT_SECONDS = 600


def cores_of(threads):
    """Returns the last cores of this process: the first ones also serve interrupts."""
    return set(sorted(os.sched_getaffinity(0))[-threads:])


def environment(threads):
    flags = "--xla_cpu_multi_thread_eigen=" + ("false intra_op_parallelism_threads=1" if threads == 1 else "true")
    return dict(os.environ, XLA_FLAGS=flags, JAX_PLATFORMS="cpu", OMP_NUM_THREADS=str(threads), RAMET_GPU="off",
                TF_ENABLE_ONEDNN_OPTS="1", TF_CPP_MIN_LOG_LEVEL="3", PYTHONDONTWRITEBYTECODE="1")


def output_of(command, threads):
    """Returns the stdout of a command on as many cores as it has threads. Ends this program if the command fails."""
    cores = cores_of(threads)
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          env=environment(threads), timeout=TIMEOUT_SECONDS,
                          preexec_fn=lambda: os.sched_setaffinity(0, cores))
    if done.returncode != 0:
        sys.exit(f"{shlex.join(command)} ended with status {done.returncode}:\n{done.stderr[-3000:]}")
    return done.stdout


class Side:
    """A library that runs jobs in processes of an interpreter.

    Attributes:
      name: the name in tables and records.
    """

    def __init__(self, name, python, script, package, infers_only=False):
        self.name = name
        self._python = shlex.split(python)
        self._script = [os.path.join(HERE, script[0]), *script[1:]]
        self._package = package
        self._infers_only = infers_only

    def has(self, job):
        return job.kind in ("infer", "forward") or not self._infers_only

    def run(self, job, threads, values, seconds):
        """Runs a job in a process. Returns the objects that it printed, one per figure."""
        command = [*self._python, *self._script, job.name, "--threads", str(threads), "--values", values,
                   "--seconds", str(seconds)]
        return [json.loads(line) for line in output_of(command, threads).splitlines() if line.startswith("{")]

    def version(self):
        code = f"import importlib.metadata as m, {self._package} as p; print(p.__version__)"
        return output_of([*self._python, "-c", code], 1).split()[-1]


def chosen(tensorflow, ramet, peers):
    """Returns the sides whose interpreters are given, in the order in which they run."""
    sides = [Side("tensorflow", tensorflow, ["graph_steps.py", "tensorflow.compat.v1"], "tensorflow"),
             Side("ramet", ramet, ["graph_steps.py", "ramet.compat.v1"], "ramet")]
    if peers:
        sides += [Side("jax", peers, ["jax_steps.py"], "jax"),
                  Side("onnxruntime", peers, ["onnx_steps.py"], "onnxruntime", infers_only=True)]
    return sides


def versions(sides):
    return {side.name: side.version() for side in sides}


# Figures whose floor has a different name in ramet_bench.
FLOOR_NAMES = {"mlp_train_step": "mlp_train", "mlp_inference/batch:50": "mlp_infer_50",
               "mlp_inference/batch:1": "mlp_infer_1"}


def floors(program, threads, workloads):
    """Yields the name and the seconds of each floor of some workloads that ramet_bench has for a number of threads."""
    command = [program, f"--benchmark_filter=^floor/({'|'.join(workloads)})_.*/threads:{threads}/",
               "--benchmark_format=json", "--benchmark_min_time=0.1", "--benchmark_repetitions=10"]
    out = output_of(command, threads)
    for row in json.loads(out)["benchmarks"] if out.strip().startswith("{") else ():
        if row["run_type"] == "iteration":
            name = row["run_name"].removeprefix("floor/").split("/threads:")[0]
            time = row["cpu_time" if threads == 1 else "real_time"]  # as measuring.best_seconds
            yield FLOOR_NAMES.get(name, name), time * SECONDS[row["time_unit"]]
