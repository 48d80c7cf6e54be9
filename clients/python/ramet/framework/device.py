"""Device names: DeviceSpec, and functions that merge partial names."""

import functools

from ramet.api import export

_TYPES = ('CPU', 'GPU', 'TPU', 'CUSTOM')


@functools.lru_cache(maxsize=1024)
def _parse(spec):
    """Returns (job, replica, task, device type, device index) of a device name; None if absent.

    Raises:
      ValueError: if the name has unknown parts.
    """
    job = replica = task = device_type = index = None
    for part in spec.split('/'):
        pieces = part.split(':')
        key, count = pieces[0], len(pieces)
        kind = key.upper() if key.upper() in _TYPES and count <= 2 else None
        if kind or (key == 'device' and count == 3):
            if device_type is not None:
                raise ValueError(
                    f'Multiple device types are not allowed while parsing the device spec: {spec}.'
                )
            device_type = kind or _normal_type(pieces[1])
            index = pieces[-1] if count > 1 else '*'
            index = None if index == '*' else int(index)
        elif key == 'job' and count == 2:
            job = pieces[1]
        elif key == 'replica' and count == 2:
            replica = int(pieces[1])
        elif key == 'task' and count == 2:
            task = int(pieces[1])
        elif key or count > 1:
            raise ValueError(
                f"Unknown attribute '{key}' is encountered while parsing the device spec: '{spec}'."
            )
    return job, replica, task, device_type, index


def _normal_type(device_type):
    return device_type.upper() if device_type in ('cpu', 'gpu') else device_type


def _int_or_none(value):
    return None if value is None else int(value)


def _str_or_none(value):
    return None if value is None else str(value)


def _part(name, convert):
    attribute = '_' + name

    def get(self):
        return getattr(self, attribute)

    def put(self, value):
        setattr(self, attribute, convert(value))

    return property(get, put, doc=f'The {name.replace("_", " ")}, or None if it is not specified.')


@export('DeviceSpec')
class DeviceSpec:
    """A full or partial device name: job, replica, task, device type and device index."""

    __slots__ = ('_job', '_replica', '_task', '_device_type', '_device_index')

    def __init__(self, job=None, replica=None, task=None, device_type=None, device_index=None):
        """Creates a spec; None means that a part is not specified.

        Args:
          job: str, the name of the job.
          replica: int.
          task: int.
          device_type: str, such as 'CPU' or 'GPU'.
          device_index: int; None means any device of the type.

        Raises:
          ValueError: if replica, task or device_index is not an int.
        """
        self.job = job
        self.replica = replica
        self.task = task
        self.device_type = device_type
        self.device_index = device_index

    job = _part('job', _str_or_none)
    replica = _part('replica', _int_or_none)
    task = _part('task', _int_or_none)
    device_type = _part(
        'device_type', lambda value: None if value is None else _normal_type(str(value))
    )
    device_index = _part('device_index', _int_or_none)

    def _parts(self):
        return self._job, self._replica, self._task, self._device_type, self._device_index

    @classmethod
    def from_string(cls, spec):
        """Returns the spec for a device name.

        Args:
          spec: str, such as '/job:worker/task:1/device:GPU:0', '/gpu:0' or ''.

        Raises:
          ValueError: if the name has unknown parts or two device types.
        """
        return cls(*_parse(spec)) if spec else cls()

    def parse_from_string(self, spec):
        """Replaces all parts by those of a device name.

        Args:
          spec: str, as for `from_string`.

        Returns:
          This spec.

        Raises:
          ValueError: as `from_string`.
        """
        self.__init__(*_parse(spec) if spec else ())
        return self

    def make_merged_spec(self, dev):
        """Returns a new spec with the parts that `dev` specifies, and this spec's parts otherwise.

        Args:
          dev: a DeviceSpec.
        """
        pairs = zip(dev._parts(), self._parts(), strict=True)
        return type(self)(*[mine if new is None else new for new, mine in pairs])

    def merge_from(self, dev):
        """Replaces the parts that `dev` specifies.

        Args:
          dev: a DeviceSpec.
        """
        self.__init__(*self.make_merged_spec(dev)._parts())

    def replace(self, **kwargs):
        """Returns a copy with some parts replaced.

        Args:
          **kwargs: new values of `job`, `replica`, `task`, `device_type` and `device_index`.
        """
        names = ('job', 'replica', 'task', 'device_type', 'device_index')
        return type(self)(**{**dict(zip(names, self._parts(), strict=True)), **kwargs})

    def to_string(self):
        """Returns the device name in canonical form, or '' if no part is specified."""
        job, replica, task, device_type, index = self._parts()
        text = '' if job is None else f'/job:{job}'
        if replica is not None:
            text += f'/replica:{replica}'
        if task is not None:
            text += f'/task:{task}'
        if device_type is not None:
            text += f'/device:{device_type}:{"*" if index is None else index}'
        return text

    def __eq__(self, other):
        return isinstance(other, DeviceSpec) and self.to_string() == other.to_string()

    def __hash__(self):
        return hash(self.to_string())

    def __repr__(self):
        job, replica, task, device_type, index = self._parts()
        return (
            f'<DeviceSpec(job={job}, replica={replica}, task={task}, '
            f'device_type={device_type}, device_index={index})>'
        )


def is_device_spec(value):
    """Returns whether value is a DeviceSpec."""
    return isinstance(value, DeviceSpec)


def canonical_name(device):
    """Returns a device name in canonical form.

    Args:
      device: None, a str or a DeviceSpec.

    Raises:
      ValueError: if it is a str but not a device name.
    """
    if device is None:
        return ''
    return (device if is_device_spec(device) else DeviceSpec.from_string(device)).to_string()


def check_valid(spec):
    """Raises ValueError if spec is not a device name."""
    DeviceSpec.from_string(spec)


@functools.lru_cache(maxsize=4096)
def merge_names(outer, inner):
    """Returns the canonical name with the parts of `inner`, and those of `outer` otherwise.

    Args:
      outer: str, a device name or ''.
      inner: str, a device name or ''.

    Raises:
      ValueError: if one of them is not a device name.
    """
    merged = DeviceSpec.from_string(outer).make_merged_spec(DeviceSpec.from_string(inner))
    return merged.to_string()


class MergeDevice:
    """A device function that completes the partially specified devices of ops."""

    __slots__ = ('_spec',)

    def __init__(self, spec):
        """Creates the function.

        Args:
          spec: None, a str or a DeviceSpec.

        Raises:
          ValueError: if it is a str but not a device name.
        """
        self._spec = spec if is_device_spec(spec) else DeviceSpec.from_string(spec)

    def __call__(self, op):
        """Returns the DeviceSpec of an op's device, completed by this one."""
        return self._spec.make_merged_spec(DeviceSpec.from_string(op.device or ''))

    def shortcut_string_merge(self, op):
        """Returns the name of an op's device, completed by this one."""
        return merge_names(self._spec.to_string(), op.device or '')

    @property
    def is_null_merge(self):
        """True if this function specifies nothing and so leaves every device unchanged."""
        return not self._spec.to_string()

    def __repr__(self):
        return f'MergeDevice({self._spec.to_string()!r})'


def merge_device(spec):
    """Returns a function for `Graph.device` that completes the devices of inner scopes and ops.

    Args:
      spec: None, a str, a DeviceSpec or a MergeDevice.

    Returns:
      A MergeDevice.

    Raises:
      ValueError: if spec is a str but not a device name.
    """
    return spec if isinstance(spec, MergeDevice) else MergeDevice(spec)
