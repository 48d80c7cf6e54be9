"""The results of restoring an object-based checkpoint, which check and run the restoration."""

from ramet.framework import ops
from ramet.train.tracking import eager_files, object_graph


def session_or_default(session):
    """Returns a session, or the default one. Returns None while operations run eagerly, which needs no session.

    Raises:
      ValueError: if `session` is None and no default session exists.
    """
    if ops.executing_eagerly():
        return None
    session = session or ops.get_default_session()
    if session is None:
        raise ValueError('No default session exists: pass session= or call this within `with tf.Session():`.')
    return session


def _initializers(graph, restored):
    """Returns the initializers of the variables of the program that are not restored."""
    found = []
    for variable in (value.variable for value in graph.values()):
        if all(variable is not other for other in restored) and variable.initializer is not None:
            found.append(variable.initializer)
    return found


def _shown(values):
    return f'Showing {min(10, len(values))} of {len(values)} unmatched objects: {values[:10]}'


class CheckpointLoadStatus:
    """Checks and runs the restoration of a checkpoint."""

    def __init__(self, restoration):
        self._restoration = restoration

    def _unmatched(self):
        matched = list(self._restoration.matched.values())
        values = [value.variable for value in self._restoration.graph().values()]
        return [v for v in values if all(v is not other for other in matched)]

    def assert_existing_objects_matched(self):
        """Checks that each variable of the program has a value in the checkpoint; returns self.

        Raises:
          AssertionError: if one has none.
        """
        self._restoration.match()
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                f'Found {len(unmatched)} Python objects that were not bound to checkpointed values, likely due to '
                f'changes in the Python program. {_shown(unmatched)}')
        return self

    def assert_consumed(self):
        """Checks that the variables of the program and the values of the checkpoint match; returns self.

        Raises:
          AssertionError: if one of them has no counterpart.
        """
        self.assert_existing_objects_matched()
        restoration = self._restoration
        for number, node in enumerate(restoration.proto.nodes):
            if node.attributes and number not in restoration.matched:
                raise AssertionError(f'Unresolved object in checkpoint {_name_of(restoration.proto, number)}: {node}')
        if restoration.unresolved_slots():
            raise AssertionError(f'Unresolved slot restorations: {restoration.unresolved_slots()}')
        if restoration.unused():
            lines = [f'{_name_of(restoration.proto, number)} ({restoration.matched[number]}): {names}'
                     for number, names in restoration.unused().items()]
            raise AssertionError('Unused attributes in these objects (the attributes exist in the checkpoint but '
                                 'were not restored):\n' + '\n'.join(lines))
        return self

    def assert_nontrivial_match(self):
        """Checks that an object below the root has a counterpart in the checkpoint; returns self.

        Raises:
          AssertionError: if only the root matches.
        """
        self._restoration.match()
        if len(self._restoration.matched) > 1:
            return self
        unmatched = self._unmatched()
        if unmatched:
            raise AssertionError(
                'Nothing except the root object matched a checkpointed value. Typically this means that the '
                'checkpoint does not match the Python program. The following objects have no matching '
                f'checkpointed value: {unmatched}')
        raise AssertionError(f'Nothing to load. No dependencies have been added to {self._restoration.matched[0]} yet.')

    def expect_partial(self):
        """Returns self. Ramet does not warn about values that are not restored."""
        return self

    def run_restore_ops(self, session=None):
        """Restores the values in a session.

        Args:
          session: the Session, or None for the default one.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        self._restoration.match()
        self._restoration.run(session_or_default(session))

    def initialize_or_restore(self, session=None):
        """Restores the values in a session, and initializes the variables without one in the checkpoint.

        Args:
          session: the Session, or None for the default one.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        session = session_or_default(session)
        self.run_restore_ops(session)
        if session is None:
            return
        session.run(_initializers(self._restoration.graph(), self._restoration.restored()))


def _name_of(proto, number):
    """Returns the path of an object of a checkpoint, such as (root).model.w."""
    names = {0: '(root)'}
    waiting = [0]
    while waiting:
        parent = waiting.pop(0)
        for child in proto.nodes[parent].children:
            if child.node_id not in names:
                names[child.node_id] = f'{names[parent]}.{child.local_name}'
                waiting.append(child.node_id)
        for slot in proto.nodes[parent].slot_variables:
            names.setdefault(slot.slot_variable_node_id, (
                f"{names[parent]}'s state '{slot.slot_name}' for "
                f'{names.get(slot.original_variable_node_id, "?")}'))
    return names.get(number, '(unreachable)')


class InitializationOnlyStatus:
    """The result of restoring from None: variables can only be initialized."""

    _NOTHING = 'No checkpoint specified (save_path=None); nothing is being restored.'

    def __init__(self, root):
        self._root = root

    def _refuse(self):
        raise AssertionError(self._NOTHING)

    def assert_consumed(self):
        """Raises AssertionError."""
        self._refuse()

    def assert_existing_objects_matched(self):
        """Raises AssertionError."""
        self._refuse()

    def assert_nontrivial_match(self):
        """Raises AssertionError."""
        self._refuse()

    def expect_partial(self):
        """Returns self."""
        return self

    def run_restore_ops(self, session=None):
        """Raises AssertionError."""
        raise AssertionError('No checkpoint specified, so no restore ops are available (save_path=None to '
                             'Saver.restore).')

    def initialize_or_restore(self, session=None):
        """Initializes the variables in a session.

        Args:
          session: the Session, or None for the default one.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        session = session_or_default(session)
        if session is not None:
            session.run(_initializers(object_graph.ObjectGraph(self._root), []))


class NameBasedSaverStatus:
    """The result of restoring a checkpoint of tf.train.Saver, whose values have the names of variables."""

    def __init__(self, root, reader, path, operations, optional=()):
        self._root = root
        self._names = reader.get_variable_to_shape_map()
        self._path = path
        self._operations = operations
        self._optional = optional

    def _variables(self):
        return [value.variable for value in object_graph.ObjectGraph(self._root).values()]

    def assert_consumed(self):
        """Checks that each variable of the program has a value in the checkpoint; returns self.

        Raises:
          AssertionError: if one has none.
        """
        missing = [v for v in self._variables()
                   if v._shared_name not in self._names and all(v is not o for o in self._optional)]
        if missing:
            raise AssertionError(f'Object not restored: {missing[0]}')
        return self

    assert_existing_objects_matched = assert_consumed

    def assert_nontrivial_match(self):
        """Calls assert_consumed."""
        return self.assert_consumed()

    def expect_partial(self):
        """Returns self."""
        return self

    def run_restore_ops(self, session=None):
        """Restores the variables that have a value in the checkpoint.

        Args:
          session: the Session, or None for the default one.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        session = session_or_default(session)
        if session is None:
            eager_files.restore(self._path, [(v, v._shared_name) for v in self._variables()
                                             if v._shared_name in self._names])
            return
        restore = [self._operations.of(v, v._shared_name) for v in self._variables() if v._shared_name in self._names]
        if restore:
            session.run(restore, feed_dict={self._operations.prefix: self._path})

    def initialize_or_restore(self, session=None):
        """Restores the variables that have a value in the checkpoint, and initializes the others.

        Args:
          session: the Session, or None for the default one.

        Raises:
          ValueError: if `session` is None and no default session exists.
        """
        session = session_or_default(session)
        graph = object_graph.ObjectGraph(self._root)
        restored = [v for v in self._variables() if v._shared_name in self._names]
        if session is not None:
            session.run(_initializers(graph, restored))
        self.run_restore_ops(session)
