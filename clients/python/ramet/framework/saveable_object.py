"""Objects that customize how a Saver saves and restores state."""


class SaveSpec:
    """One tensor that a SaveableObject keeps in a checkpoint.

    Args:
      tensor: a tensor, or a function that returns it.
      slice_spec: str, the part of a larger tensor that this is, or '' for all of it.
      name: str, the key in the checkpoint.
      dtype: DType, or None for that of the tensor.
      device: str, or None for that of the tensor.
    """

    def __init__(self, tensor, slice_spec, name, dtype=None, device=None):
        self._tensor = tensor
        self.slice_spec = slice_spec
        self.name = name
        if callable(tensor) and (dtype is None or device is None):
            raise AssertionError('When passing a callable `tensor` to a SaveSpec, an explicit '
                                 'dtype and device must be provided.')
        self.dtype = tensor.dtype if dtype is None else dtype
        self.device = tensor.device if device is None else device

    @property
    def tensor(self):
        return self._tensor() if callable(self._tensor) else self._tensor


class SaveableObject:
    """Defines which tensors are saved and how they are restored; for subclassing.

    Args:
      op: the object that is saved, unique within a Saver.
      specs: a list of SaveSpec, on one device.
      name: str, its name among the saved objects.
    """

    def __init__(self, op, specs, name):
        self.op = op
        self.specs = specs
        self.name = name

    @property
    def device(self):
        return self.specs[0].device

    @property
    def optional_restore(self):
        return False

    def restore(self, restored_tensors, restored_shapes):
        """Adds an operation that restores the state from tensors that were read, and returns it.

        Args:
          restored_tensors: a list of tensors, one per spec.
          restored_shapes: None, or with Saver(reshape=True) a list of shapes.
        """
        raise ValueError('Calling an abstract method.')
