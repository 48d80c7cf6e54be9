"""tf.train.ClusterSpec, which names the tasks of a cluster and their addresses."""

from ramet.api import export
from ramet.core import convert
from ramet.core.protobuf import cluster_pb2
from ramet.framework import compat


def _tasks_of(job_name, tasks):
    if isinstance(tasks, (list, tuple)):
        return dict(enumerate(tasks))
    if isinstance(tasks, dict):
        return {int(i): task for i, task in tasks.items()}
    raise TypeError(f'The tasks for job {job_name!r} must be a list or a dictionary from integers to strings.')


def _text(value, what):
    try:
        return compat.as_text(value)
    except TypeError:
        raise TypeError(f'{what} {value!r} must be bytes or unicode') from None


@export('train.ClusterSpec')
class ClusterSpec:
    """The jobs of a cluster, each with tasks at network addresses.

    Args:
      cluster: a dict from names of jobs to lists of addresses, or to dicts from task numbers to addresses; a
        ClusterDef; or a ClusterSpec.

    Raises:
      TypeError: if it has a different form.
    """

    def __init__(self, cluster):
        if isinstance(cluster, ClusterSpec):
            cluster = cluster.as_cluster_def()
        if convert.full_name(cluster) == 'tensorflow.ClusterDef':
            self._jobs = {job.name: dict(job.tasks) for job in cluster.job}
        elif isinstance(cluster, dict):
            self._jobs = {_text(name, 'Job name'): {i: _text(task, 'Task address')
                                                    for i, task in _tasks_of(name, tasks).items()}
                          for name, tasks in cluster.items()}
        else:
            raise TypeError('`cluster` must be a dictionary mapping one or more job names to lists of network '
                            'addresses, or a `ClusterDef` protocol buffer')

    def __bool__(self):
        return bool(self._jobs)

    def __eq__(self, other):
        return self._jobs == (other._jobs if isinstance(other, ClusterSpec) else other)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __repr__(self):
        jobs = self.as_dict()
        return 'ClusterSpec({' + ', '.join(f'{name!r}: {jobs[name]!r}' for name in sorted(jobs)) + '})'

    @property
    def jobs(self):
        """The names of the jobs."""
        return list(self._jobs)

    def _tasks(self, job_name):
        if job_name not in self._jobs:
            raise ValueError(f'No such job in cluster: {job_name!r}')
        return self._jobs[job_name]

    def num_tasks(self, job_name):
        """Returns the number of tasks of a job.

        Args:
          job_name: str.

        Raises:
          ValueError: if the job is unknown.
        """
        return len(self._tasks(job_name))

    def task_indices(self, job_name):
        """Returns the numbers of the tasks of a job, sorted.

        Args:
          job_name: str.

        Raises:
          ValueError: if the job is unknown.
        """
        return sorted(self._tasks(job_name))

    def task_address(self, job_name, task_index):
        """Returns the address of a task.

        Args:
          job_name: str.
          task_index: int, the number of the task.

        Raises:
          ValueError: if the job or task is unknown.
        """
        tasks = self._tasks(job_name)
        if task_index not in tasks:
            raise ValueError(f'No task with index {task_index!r} in job {job_name!r}')
        return tasks[task_index]

    def job_tasks(self, job_name):
        """Returns a list of the addresses of a job's tasks, with None for missing numbers.

        Args:
          job_name: str.

        Raises:
          ValueError: if the job is unknown.
        """
        tasks = self._tasks(job_name)
        return [tasks.get(i) for i in range(max(tasks) + 1)] if tasks else []

    def as_dict(self):
        """Returns a dict from names of jobs to lists of addresses, or to dicts if task numbers are missing."""
        return {name: self.job_tasks(name) if sorted(tasks) == list(range(len(tasks))) and tasks else dict(tasks)
                for name, tasks in self._jobs.items()}

    def as_cluster_def(self):
        """Returns a ClusterDef message."""
        message = cluster_pb2.ClusterDef()
        for name, tasks in sorted(self._jobs.items()):
            job = message.job.add(name=name)
            for i, address in sorted(tasks.items()):
                job.tasks[i] = address
        return message
