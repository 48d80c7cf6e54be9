"""Converts RunOptions to the form that the core takes, and fills in RunMetadata messages."""

from ramet import _core
from ramet.framework import errors

_write_version = None


def set_version_writer(write):
    """Sets the function that records the published version that a run used. The room `replica` calls this.

    Args:
      write: write(run_metadata, control), called after runs of sessions that follow a publisher.
    """
    global _write_version
    _write_version = write


def control(options, run_metadata, num_pools):
    """Returns the core's control object for a run.

    Args:
      options: a RunOptions message (Ramet's or TensorFlow's) or None.
      run_metadata: a RunMetadata message or None.
      num_pools: the number of thread pools in the session's ConfigProto.

    Raises:
      AttributeError: if either one is not a message.
      tf.errors.InvalidArgumentError: if the options name a thread pool that does not exist.
    """
    if run_metadata is not None:
        run_metadata.ParseFromString  # noqa: B018 - like TensorFlow, raises AttributeError for other types
    if options is None:
        return _core.RunControl(0, False, False)
    options.SerializeToString  # noqa: B018
    pool = options.inter_op_thread_pool
    if pool < -1 or pool >= max(1, num_pools):
        raise errors.InvalidArgumentError(None, None, f'Invalid inter_op_thread_pool: {pool}')
    told = run_metadata is not None
    trace = options.trace_level != 0 or options.report_tensor_allocations_upon_oom
    return _core.RunControl(
        options.timeout_in_ms, told and bool(trace), told and options.output_partition_graphs
    )


def fill(run_metadata, control):
    """Replaces the contents of a RunMetadata message by what a run recorded."""
    run_metadata.Clear()
    devices = {}
    for device, *step in control.steps():
        if device not in devices:
            devices[device] = run_metadata.step_stats.dev_stats.add(device=device)
        _add_step(devices[device], *step)
    for graph in control.partition_graphs():
        run_metadata.partition_graphs.add().ParseFromString(graph)
    if control.follows:
        _write_version(run_metadata, control)


def _add_step(device, node, op, inputs, start, end, outputs):
    nanos = end - start
    micros = end // 1000 - start // 1000
    stats = device.node_stats.add(
        node_name=node,
        all_start_micros=start // 1000,
        op_end_rel_micros=micros,
        all_end_rel_micros=micros,
        timeline_label=f'{node} = {op}({", ".join(inputs)})',
        scheduled_micros=start // 1000,
        all_start_nanos=start,
        op_end_rel_nanos=nanos,
        all_end_rel_nanos=nanos,
        scheduled_nanos=start,
    )
    for slot, dtype, dims, size in outputs:
        description = stats.output.add(slot=slot).tensor_description
        description.dtype = dtype
        description.shape.SetInParent()
        for dim in dims:
            description.shape.dim.add(size=dim)
        description.allocation_description.requested_bytes = size
        description.allocation_description.allocator_name = 'cpu'
