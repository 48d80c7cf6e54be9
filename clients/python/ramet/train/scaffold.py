"""Scaffold, which initializes monitored sessions, and ChiefSessionCreator, which creates them."""

from ramet.api import export
from ramet.client.session import Session
from ramet.framework import ops
from ramet.framework.ops import GraphKeys
from ramet.lib import tf_logging as logging
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.variables import variable_lists
from ramet.summary import summary
from ramet.train import checkpoint_management, saver


@export('train.Scaffold')
class Scaffold:
    """The operations and objects that initialize a monitored session.

    Each is the argument of the constructor, or the item of its collection, or created by finalize().

    Attributes:
      init_op, ready_op, ready_for_local_init_op, local_init_op, summary_op: as the arguments.
      init_feed_dict, local_init_feed_dict, init_fn, saver: as the arguments.
    """

    def __init__(self, init_op=None, init_feed_dict=None, init_fn=None, ready_op=None,
                 ready_for_local_init_op=None, local_init_op=None, summary_op=None, saver=None,
                 copy_from_scaffold=None, local_init_feed_dict=None):
        """Creates a scaffold.

        Args:
          init_op: an Operation that initializes the variables, or None for an initializer of the graph's
            variables.
          init_feed_dict: feeds for init_op.
          init_fn: a function of (scaffold, session) that is called after init_op.
          ready_op: a Tensor with the names of uninitialized variables.
          ready_for_local_init_op: the same, evaluated before local_init_op.
          local_init_op: an Operation that initializes local variables and tables, also after restoring.
          summary_op: a Tensor of merged summaries.
          saver: a Saver.
          copy_from_scaffold: a Scaffold whose parts are used where no argument is given.
          local_init_feed_dict: feeds for local_init_op.

        Raises:
          TypeError: if copy_from_scaffold is not a Scaffold.
        """
        if copy_from_scaffold is not None and not isinstance(copy_from_scaffold, Scaffold):
            raise TypeError('copy_from_scaffold is not a Scaffold instance.')

        def chosen(name, value):
            return getattr(copy_from_scaffold, name, None) if value is None else value

        self._init_op = chosen('init_op', init_op)
        self._ready_op = chosen('ready_op', ready_op)
        self._ready_for_local_init_op = chosen('ready_for_local_init_op', ready_for_local_init_op)
        self._local_init_op = chosen('local_init_op', local_init_op)
        self._local_init_feed_dict = chosen('local_init_feed_dict', local_init_feed_dict)
        self._summary_op = chosen('summary_op', summary_op)
        self._saver = chosen('saver', saver)
        self._init_feed_dict = chosen('init_feed_dict', init_feed_dict)
        self._init_fn = getattr(copy_from_scaffold, '_user_init_fn', None)
        self._user_init_fn = init_fn if init_fn is not None else self._init_fn
        self._init_fn = self._user_init_fn and (lambda session: self._user_init_fn(self, session))

    def finalize(self):
        """Creates the missing parts and finalizes the graph.

        Returns:
          The Scaffold.
        """
        if self._init_op is None:
            self._init_op = Scaffold.get_or_default('init_op', GraphKeys.INIT_OP, lambda: (
                control_flow_ops.group(variable_lists.global_variables_initializer(),
                                       ops.get_collection('saved_model_initializers'))))
        if self._ready_op is None:
            self._ready_op = Scaffold.get_or_default(
                'ready_op', GraphKeys.READY_OP, variable_lists.report_uninitialized_variables)
        if self._ready_for_local_init_op is None:
            self._ready_for_local_init_op = Scaffold.get_or_default(
                'ready_for_local_init_op', GraphKeys.READY_FOR_LOCAL_INIT_OP, lambda: (
                    variable_lists.report_uninitialized_variables(
                        variable_lists.global_variables())))
        if self._local_init_op is None:
            self._local_init_op = Scaffold.get_or_default(
                'local_init_op', GraphKeys.LOCAL_INIT_OP, lambda: control_flow_ops.group(
                    variable_lists.local_variables_initializer(),
                    variable_lists.tables_initializer()))
        if self._summary_op is None:
            self._summary_op = Scaffold.get_or_default('summary_op', GraphKeys.SUMMARY_OP,
                                                       _merged_summaries)
        if self._saver is None:
            self._saver = _saver_or_default()
        self._saver.build()
        ops.get_default_graph().finalize()
        logging.info('Graph was finalized.')
        return self

    @property
    def init_op(self):
        return self._init_op

    @property
    def init_feed_dict(self):
        return self._init_feed_dict

    @property
    def init_fn(self):
        """A function of the session, or None."""
        return self._init_fn

    @property
    def ready_op(self):
        return self._ready_op

    @property
    def ready_for_local_init_op(self):
        return self._ready_for_local_init_op

    @property
    def local_init_op(self):
        return self._local_init_op

    @property
    def local_init_feed_dict(self):
        return self._local_init_feed_dict

    @property
    def summary_op(self):
        return self._summary_op

    @property
    def saver(self):
        return self._saver

    @staticmethod
    def default_local_init_op():
        """Returns an Operation that initializes the graph's local variables and tables."""
        return control_flow_ops.group(variable_lists.local_variables_initializer(),
                                      variable_lists.tables_initializer())

    @staticmethod
    def get_or_default(arg_name, collection_key, default_constructor):
        """Returns the only item of a collection. An empty collection gets a default item.

        Args:
          arg_name: the name of the argument of the constructor, for the error message.
          collection_key: the key of the collection.
          default_constructor: a function without arguments that returns the default item.

        Raises:
          RuntimeError: if the collection has several items.
        """
        items = ops.get_collection(collection_key)
        if len(items) > 1:
            raise RuntimeError(
                f"More than one item in the collection '{collection_key}'. Please indicate which "
                f'one to use by passing it to the tf.Scaffold constructor as: '
                f'tf.Scaffold({arg_name}=item to use)')
        if items:
            return items[0]
        made = default_constructor()
        if made is not None:
            ops.add_to_collection(collection_key, made)
        return made


def _merged_summaries():
    return summary.merge_all()


def _saver_or_default():
    savers = ops.get_collection(GraphKeys.SAVERS)
    if len(savers) > 1:
        raise RuntimeError(
            f"More than one item in collection {GraphKeys.SAVERS}. Please indicate which one to "
            'use by passing it to the constructor.')
    if savers:
        return savers[0]
    made = saver.Saver(sharded=True, allow_empty=True)
    ops.add_to_collection(GraphKeys.SAVERS, made)
    return made


@export('train.SessionCreator')
class SessionCreator:
    """Creates sessions; for subclassing."""

    def create_session(self):
        """Returns a Session with initialized variables."""
        raise NotImplementedError(f'create_session is not implemented for {self}.')


@export('train.ChiefSessionCreator')
class ChiefSessionCreator(SessionCreator):
    """Creates sessions that are restored from a checkpoint or initialized."""

    def __init__(self, scaffold=None, master='', config=None, checkpoint_dir=None,
                 checkpoint_filename_with_path=None):
        """Creates the session creator.

        Args:
          scaffold: a Scaffold, or None for a new one.
          master: must be '', which means this process.
          config: a ConfigProto.
          checkpoint_dir: str, the folder whose latest checkpoint is restored.
          checkpoint_filename_with_path: str, the checkpoint to restore.
        """
        self._scaffold = scaffold or Scaffold()
        self._master = master
        self._config = config
        self._checkpoint_dir = checkpoint_dir
        self._checkpoint = checkpoint_filename_with_path
        self._finalized = False

    def create_session(self):
        """Returns a Session for the default graph, which is finalized.

        Raises:
          RuntimeError: if variables are still uninitialized. The message names them.
        """
        if not self._finalized:
            self._scaffold.finalize()
            self._finalized = True
        session = Session(self._master, ops.get_default_graph(), self._config)
        try:
            if not self._restore(session):
                self._initialize(session)
            self._initialize_local(session)
        except BaseException:
            session.close()
            raise
        return session

    def _restore(self, session):
        path = self._checkpoint
        if path is None and self._checkpoint_dir:
            state = checkpoint_management.get_checkpoint_state(self._checkpoint_dir)
            path = state and state.model_checkpoint_path
        if not path:
            return False
        self._scaffold.saver.restore(session, path)
        return True

    def _initialize(self, session):
        if self._scaffold.init_op is not None:
            session.run(self._scaffold.init_op, feed_dict=self._scaffold.init_feed_dict)
        if self._scaffold.init_fn is not None:
            self._scaffold.init_fn(session)

    def _initialize_local(self, session):
        scaffold = self._scaffold
        missing = _names(session, scaffold.ready_for_local_init_op)
        if missing:
            raise RuntimeError(self._not_ready(
                'model ready for local_init. ', f'Variables not initialized: {missing}'))
        if scaffold.local_init_op is not None:
            logging.info('Running local_init_op.')
            session.run(scaffold.local_init_op, feed_dict=scaffold.local_init_feed_dict)
            logging.info('Done running local_init_op.')
        missing = _names(session, scaffold.ready_op)
        if missing:
            raise RuntimeError(self._not_ready(
                'model ready.  ', f'Variables not initialized: {missing}'))

    def _not_ready(self, what, error):
        init_op = self._scaffold.init_op
        return (f'Init operations did not make {what}Init op: {init_op and init_op.name}, '
                f'init fn: {self._scaffold.init_fn}, '
                f'local_init_op: {self._scaffold.local_init_op}, error: {error}')


def _names(session, ready_op):
    if ready_op is None:
        return ''
    return ', '.join(name.decode() for name in session.run(ready_op))
