"""The jobs that bench/cpu measures: each is a network and a way to run it, and runs in a process of its own."""
import collections

# kind is train, infer, forward or gradient. batches are the numbers of rows of the figures of infer; None stands for
# all rows of a network whose batch is part of its graph.
Job = collections.namedtuple("Job", "name workload kind batches")

JOBS = {job.name: job for job in (
    Job("mlp_train", "mlp", "train", ()),
    Job("mlp_infer", "mlp", "infer", (50, 1)),
    Job("cnn_train", "cnn", "train", ()),
    Job("cnn_infer", "cnn", "infer", (50, 1)),
    Job("resnet20_train", "resnet20", "train", ()),
    Job("resnet20_infer", "resnet20", "infer", (32,)),
    Job("resnet20_frozen_infer", "resnet20_frozen", "infer", (32, 1)),
    Job("lstm_train", "lstm", "train", ()),
    Job("lstm_infer", "lstm", "infer", (None,)),
    Job("encoder_train", "encoder", "train", ()),
    Job("encoder_infer", "encoder", "infer", (8, 1)),
    Job("chain_forward", "chain", "forward", ()),
    Job("chain_gradient", "chain", "gradient", ()),
    Job("smooth_chain_forward", "smooth_chain", "forward", ()),
    Job("smooth_chain_gradient", "smooth_chain", "gradient", ()),
    Job("tiny_ops", "tiny_ops", "infer", (None,)),
)}


def figures_of(job):
    """Returns the names of the figures of a job, in the order in which they are measured."""
    return [f"{job.name}_{rows}" if rows else job.name for rows in job.batches] or [job.name]
