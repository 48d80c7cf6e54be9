"""One job of bench/cpu in onnxruntime, from a model that onnx_networks.py writes with the weights of the other sides.

usage: onnx_steps.py JOB --threads N --values FILE [--seconds S]
"""
import measuring
import onnx_networks
import onnxruntime
from measuring import inputs_of, rows_of


def session_of(job, shape, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_ALL
    model = onnx_networks.model(job.workload, shape)
    return onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])


def infer(job, args):
    x, _ = inputs_of(job)
    open_batch = job.workload not in ("lstm", "tiny_ops")
    session = session_of(job, [None, *x.shape[1:]] if open_batch else list(x.shape), args.threads)
    rows = dict(rows_of(job, x))
    measuring.check_values(args.values, {name: session.run(None, {"x": part})[0] for name, part in rows.items()})
    for name, part in rows.items():
        measuring.measure(args, name, lambda: session.run(None, {"x": part}))


def chain(job, args):
    """The array and the result are bound, so that no copy to numpy is measured."""
    x, _ = inputs_of(job)
    session = session_of(job, list(x.shape), args.threads)
    measuring.check_values(args.values, {job.name: session.run(None, {"x": x})[0][::997]})
    result = onnxruntime.OrtValue.ortvalue_from_shape_and_type(x.shape, x.dtype)
    bound = session.io_binding()
    bound.bind_ortvalue_input("x", onnxruntime.OrtValue.ortvalue_from_numpy(x))
    bound.bind_ortvalue_output(session.get_outputs()[0].name, result)
    measuring.measure(args, job.name, lambda: session.run_with_iobinding(bound))


if __name__ == "__main__":
    arguments = measuring.arguments()
    (infer if arguments.job.kind == "infer" else chain)(arguments.job, arguments)
