"""tf.train.replica_device_setter, which places variables on the tasks of parameter servers in turn."""

import itertools

from ramet.api import export
from ramet.client.cluster_spec import ClusterSpec
from ramet.framework.device import DeviceSpec

STANDARD_PS_OPS = (
    'Variable', 'VariableV2', 'AutoReloadVariable', 'MutableHashTable', 'MutableHashTableV2',
    'MutableHashTableOfTensors', 'MutableHashTableOfTensorsV2', 'MutableDenseHashTable', 'MutableDenseHashTableV2',
    'VarHandleOp', 'BoostedTreesEnsembleResourceHandleOp', 'BoostedTreesQuantileStreamResourceHandleOp',
    'ResourceConditionalAccumulator', 'DecisionTreeResource')


def _in_turn(num_tasks):
    tasks = itertools.cycle(range(num_tasks))
    return lambda op: next(tasks)


class _Chooser:
    """Chooses the device of an operation."""

    def __init__(self, ps_device, worker_device, merge_devices, ps_ops, ps_strategy):
        self._ps_device = ps_device
        self._worker_device = worker_device
        self._merge_devices = merge_devices
        self._ps_ops = ps_ops
        self._ps_strategy = ps_strategy

    def device_function(self, op):
        if not self._merge_devices and op.device:
            return op.device
        current = DeviceSpec.from_string(op.device or '')
        op_type = op.node_def.op if hasattr(op, 'node_def') else op.op
        if self._ps_device and op_type in self._ps_ops:
            chosen = DeviceSpec.from_string(self._ps_device)
            if chosen.job and current.job in (None, chosen.job):
                chosen = chosen.replace(task=self._ps_strategy(op))
        else:
            chosen = DeviceSpec.from_string(self._worker_device or '')
        return chosen.make_merged_spec(current).to_string()


@export('train.replica_device_setter')
def replica_device_setter(ps_tasks=0, ps_device='/job:ps', worker_device='/job:worker', merge_devices=True,
                          cluster=None, ps_ops=None, ps_strategy=None):
    """Returns a device function for tf.device: variables go to parameter servers, other operations to workers.

    Args:
      ps_tasks: int, the number of parameter servers, unless `cluster` is given.
      ps_device: str, the device of their job.
      worker_device: str, the device of other operations.
      merge_devices: whether to merge with the devices of inner tf.device scopes, instead of leaving these alone.
      cluster: anything that ClusterSpec takes, or None.
      ps_ops: a list of the types of operations on parameter servers, or None for those of variables and tables.
      ps_strategy: a function from an Operation to the number of a task, or None to take them in turn.

    Returns:
      A function, or None without parameter servers.

    Raises:
      TypeError: if ps_strategy is not callable, or cluster has a wrong form.
    """
    if cluster is not None:
        tasks = ClusterSpec(cluster).as_dict().get(DeviceSpec.from_string(ps_device).job)
        ps_tasks = len(tasks or ())
    if ps_tasks == 0:
        return None
    if ps_strategy is None:
        ps_strategy = _in_turn(ps_tasks)
    if not callable(ps_strategy):
        raise TypeError('ps_strategy must be callable')
    chooser = _Chooser(ps_device, worker_device, merge_devices, STANDARD_PS_OPS if ps_ops is None else ps_ops,
                       ps_strategy)
    return chooser.device_function
