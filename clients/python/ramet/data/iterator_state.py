"""Positions of iterators in checkpoints."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, ops
from ramet.framework.saveable_object import SaveableObject, SaveSpec

_POLICIES = ('warn', 'ignore', 'fail')


class IteratorSaveable(SaveableObject):
    """Saves the position of an iterator in its dataset; restoring drops the elements before it."""

    def __init__(self, resource, name, external_state_policy='fail', initializer=None):
        """Adds the operation that reads the position.

        Args:
          resource: the handle of the iterator.
          name: the name in the checkpoint, without its suffix.
          external_state_policy: "fail", "warn" or "ignore".
          initializer: the Operation that gives the iterator its dataset, or None.
        """
        state = gen.SerializeIterator(resource, external_state_policy=_POLICIES.index(external_state_policy))
        super().__init__(resource, [SaveSpec(state, '', f'{name}_STATE', dtype=dtypes.variant)], name)
        self._initializer = initializer

    def restore(self, restored_tensors, restored_shapes):
        # A position refers to a dataset, which the initializer sets.
        waits = [] if self._initializer is None else [self._initializer]
        with ops.colocate_with(self.op), ops.control_dependencies(waits):
            return gen.DeserializeIterator(self.op, restored_tensors[0])


@export('data.experimental.make_saveable_from_iterator', 'contrib.data.make_saveable_from_iterator')
def make_saveable_from_iterator(iterator, external_state_policy=None):
    """Returns an object that lets a Saver keep the position of an iterator in checkpoints.

        saveable = tf.data.experimental.make_saveable_from_iterator(iterator)
        tf.add_to_collection(tf.GraphKeys.SAVEABLE_OBJECTS, saveable)
        saver = tf.train.Saver()

    The position is the number of elements so far, with the seeds of shuffled datasets. Restoring starts the same
    dataset again and drops as many elements, so it takes the time to make these. TensorFlow's positions cannot be restored.

    Args:
      iterator: an Iterator.
      external_state_policy: "fail" refuses to save if a function of the dataset has operations with state, such as
        random numbers or Python functions; "warn" and "ignore" do not. None means "fail".

    Returns:
      A SaveableObject.

    Raises:
      ValueError: if external_state_policy is something else.
      FailedPreconditionError: when it is saved, if the policy refuses, or the iterator has not been initialized.
    """
    policy = 'fail' if external_state_policy is None else external_state_policy
    if policy not in _POLICIES:
        raise ValueError("Invalid `ExternalStatePolicy.` Supported values include 'warn', 'ignore', and 'fail.' "
                         f'Received {external_state_policy}.')
    resource = iterator._iterator_resource
    return IteratorSaveable(resource, resource.name, policy, iterator._initializer)
