"""tf.train.Server: a server of one task in this process, to which sessions connect."""

import itertools
import threading
import weakref

from ramet import _core
from ramet.api import export
from ramet.client.base_session import core_options, register_targets
from ramet.client.cluster_spec import ClusterSpec
from ramet.core import convert
from ramet.core.protobuf import tensorflow_server_pb2
from ramet.framework import errors

_FIRST_PORT = 49152
_ports = itertools.count(_FIRST_PORT)
_servers = weakref.WeakValueDictionary()


def _only(choices, what):
    if len(choices) != 1:
        raise ValueError(f'Must specify an explicit `{what}`.')
    return choices[0]


def _server_def(given, job_name, task_index, protocol, config):
    message = tensorflow_server_pb2.ServerDef()
    if convert.full_name(given) == 'tensorflow.ServerDef':
        message.ParseFromString(given.SerializeToString())
    else:
        try:
            cluster = ClusterSpec(given)
        except TypeError:
            raise TypeError('Could not convert `server_or_cluster_def` to a `tf.train.ServerDef` or '
                            '`tf.train.ClusterSpec`.') from None
        job_name = _only(cluster.jobs, 'job_name') if job_name is None else job_name
        task_index = _only(cluster.task_indices(job_name), 'task_index') if task_index is None else task_index
        message.cluster.CopyFrom(cluster.as_cluster_def())
        protocol = protocol or 'grpc'
    if job_name is not None:
        message.job_name = job_name
    if task_index is not None:
        message.task_index = task_index
    if protocol is not None:
        message.protocol = protocol
    if config is not None:
        message.default_session_config.MergeFromString(config.SerializeToString())
    return message


@export('distribute.Server', 'train.Server')
class Server:
    """A server of a cluster with one task, in this process. Sessions connect to it with its `target`.

    All sessions that run the same graph on a server share its variables and queues, which live as long as the server.

    Args:
      server_or_cluster_def: a ServerDef, or anything that ClusterSpec takes.
      job_name: str, the job of this server. It may be omitted if the cluster has only one.
      task_index: int, the number of this server. It may be omitted if the job has only one task.
      protocol: str, ignored.
      config: a ConfigProto for sessions without one.
      start: whether to start the server.

    Raises:
      TypeError: if server_or_cluster_def has a different form.
      ValueError: if the job or the task is not clear.
      tf.errors.UnimplementedError: if the cluster has several tasks.
    """

    def __init__(self, server_or_cluster_def, job_name=None, task_index=None, protocol=None, config=None, start=True):
        self._server_def = _server_def(server_or_cluster_def, job_name, task_index, protocol, config)
        cluster = ClusterSpec(self._server_def.cluster)
        count = sum(cluster.num_tasks(job) for job in cluster.jobs)
        if count != 1:
            raise errors.UnimplementedError(
                None, None, f'the cluster has {count} tasks, but a server of Ramet runs in one process: use a cluster '
                'with one task, or live copies of a model for several processes')
        host, _, port = cluster.task_address(self._server_def.job_name, self._server_def.task_index).rpartition(':')
        self._target = f'grpc://{host}:{next(_ports) if port == "0" else port}'
        self._sessions = weakref.WeakKeyDictionary()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        if start:
            self.start()

    def start(self):
        """Starts the server, which then accepts sessions."""
        _servers[self._target] = self

    def join(self):
        """Blocks until the process ends."""
        self._stopped.wait()

    @property
    def server_def(self):
        """The ServerDef of this server."""
        return self._server_def

    @property
    def target(self):
        """The str to pass to tf.Session(target)."""
        return self._target

    @staticmethod
    def create_local_server(config=None, start=True):
        """Returns a server of a cluster of its own.

        Args:
          config: a ConfigProto for sessions without one.
          start: whether to start the server.
        """
        return Server({'localhost': ['localhost:0']}, protocol='grpc', config=config, start=start)

    def _core_session(self, graph, config):
        """Returns the core's session of a graph, which all sessions of the graph on this server share."""
        with self._lock:
            core = self._sessions.get(graph)
            if core is None:
                options = core_options(self._server_def.default_session_config if config is None else config)
                core = self._sessions[graph] = _core.Session(graph, options)
            return core


def _connect(target, graph, config):
    server = _servers.get(target)
    return None if server is None else server._core_session(graph, config)


register_targets(_connect)
