"""SessionManager, which restores or initializes a session."""

import time

import numpy as np

from ramet.api import export
from ramet.client.session import Session
from ramet.docstrings import with_args_of
from ramet.framework import errors, ops
from ramet.lib import tf_logging as logging
from ramet.train import checkpoint_management


def _name_of(obj):
    if obj is None:
        return 'None'
    return getattr(obj, 'name', None) or f'<no name for {type(obj)}>'


@export('train.SessionManager')
class SessionManager:
    """Creates sessions that are restored from a checkpoint, initialized, or initialized by a different program.

    Args:
      local_init_op: an operation that initializes what is not in a checkpoint, or None.
      ready_op: a tensor with the names of uninitialized variables, or None; the model is ready when it is empty.
      ready_for_local_init_op: a tensor like ready_op; local_init_op runs when it is empty.
      graph: the Graph, or None for the default graph.
      recovery_wait_secs: the seconds between two looks for a checkpoint or an initialized model.
      local_init_run_options: RunOptions for local_init_op.
      local_init_feed_dict: feeds for local_init_op.

    Raises:
      ValueError: if ready_for_local_init_op is given without local_init_op.
    """

    def __init__(self, local_init_op=None, ready_op=None, ready_for_local_init_op=None, graph=None,
                 recovery_wait_secs=30, local_init_run_options=None, local_init_feed_dict=None):
        if ready_for_local_init_op is not None and local_init_op is None:
            raise ValueError('If you pass a ready_for_local_init_op you must also pass a '
                             'local_init_op , ready_for_local_init_op '
                             f'[{ready_for_local_init_op}]')
        self._local_init_op = local_init_op
        self._ready_op = ready_op
        self._ready_for_local_init_op = ready_for_local_init_op
        self._graph = ops.get_default_graph() if graph is None else graph
        self._recovery_wait_secs = recovery_wait_secs
        self._local_init_run_options = local_init_run_options
        self._local_init_feed_dict = local_init_feed_dict

    def _restore(self, sess, saver, checkpoint_dir, path, wait, max_wait_secs):
        """Restores the latest checkpoint. Returns whether there was one."""
        if checkpoint_dir and path:
            raise ValueError('Can not provide both checkpoint_dir and '
                             'checkpoint_filename_with_path.')
        if not saver or not (checkpoint_dir or path):
            return False
        if path:
            saver.restore(sess, path)
            return True
        state = self._checkpoint_state(checkpoint_dir, max_wait_secs if wait else 0)
        if state is None:
            return False
        saver.restore(sess, state.model_checkpoint_path)
        saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True

    def _checkpoint_state(self, checkpoint_dir, max_wait_secs):
        waited = 0
        while True:
            state = checkpoint_management.get_checkpoint_state(checkpoint_dir)
            if state and state.model_checkpoint_path:
                return state
            if waited >= max_wait_secs:
                return None
            logging.info('Waiting for checkpoint to be available.')
            time.sleep(self._recovery_wait_secs)
            waited += self._recovery_wait_secs

    def prepare_session(self, master, init_op=None, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None, init_feed_dict=None, init_fn=None):
        """Returns a session that is restored from a checkpoint, or else initialized.

        Args:
          master: must be '', which means this process.
          init_op: the operation that initializes the model, or None.
          saver: a Saver, or None to restore nothing.
          checkpoint_dir: str, the folder whose latest checkpoint is restored.
          checkpoint_filename_with_path: str, the checkpoint to restore.
          wait_for_checkpoint: whether to wait for a checkpoint in the folder.
          max_wait_secs: the maximum number of seconds to wait.
          config: a ConfigProto.
          init_feed_dict: feeds for init_op.
          init_fn: init_fn(session), called after init_op.

        Raises:
          RuntimeError: if the model could not be initialized.
          ValueError: if both a folder and a checkpoint are given.
        """
        sess = Session(master, graph=self._graph, config=config)
        if not self._restore(sess, saver, checkpoint_dir, checkpoint_filename_with_path,
                             wait_for_checkpoint, max_wait_secs):
            if init_op is None and not init_fn and self._local_init_op is None:
                raise RuntimeError('Model is not initialized and no init_op or init_fn or '
                                   'local_init_op was given')
            if init_op is not None:
                sess.run(init_op, feed_dict=init_feed_dict)
            if init_fn:
                init_fn(sess)
        error = self._run_local_init_op(sess)
        if error is not None:
            raise RuntimeError('Init operations did not make model ready for local_init.  Init op: '
                               f'{_name_of(init_op)}, init fn: {init_fn}, error: {error}')
        error = self._not_ready(sess)
        if error is not None:
            raise RuntimeError('Init operations did not make model ready.  Init op: '
                               f'{_name_of(init_op)}, init fn: {init_fn}, local_init_op: '
                               f'{self._local_init_op}, error: {error}')
        return sess

    def recover_session(self, master, saver=None, checkpoint_dir=None,
                        checkpoint_filename_with_path=None, wait_for_checkpoint=False,
                        max_wait_secs=7200, config=None):
        """Returns a session, restored from a checkpoint if one was found, and whether it is ready."""
        sess = Session(master, graph=self._graph, config=config)
        restored = self._restore(sess, saver, checkpoint_dir, checkpoint_filename_with_path,
                                 wait_for_checkpoint, max_wait_secs)
        error = self._run_local_init_op(sess)
        if not restored:
            return sess, False
        source = checkpoint_dir or checkpoint_filename_with_path
        if error is not None:
            logging.info('Restoring model from %s did not make model ready for local init: %s',
                         source, error)
            return sess, False
        error = self._not_ready(sess)
        if error is not None:
            logging.info('Restoring model from %s did not make model ready: %s', source, error)
            return sess, False
        logging.info('Restored model from %s', source)
        return sess, True

    recover_session = with_args_of(prepare_session)(recover_session)

    def wait_for_session(self, master, config=None, max_wait_secs=float('Inf')):
        """Returns a session when the model is ready; checks again and again.

        Args:
          master: must be '', which means this process.
          config: a ConfigProto.
          max_wait_secs: the maximum number of seconds to wait, or None for no limit.

        Raises:
          DeadlineExceededError: if the model was not ready in time.
        """
        limit = float('Inf') if max_wait_secs is None else max_wait_secs
        deadline = time.time() + limit
        while True:
            sess = Session(master, graph=self._graph, config=config)
            error = self._run_local_init_op(sess)
            if error is None:
                error = self._not_ready(sess)
            if error is None:
                return sess
            sess.close()
            if max(0, deadline - time.time()) < self._recovery_wait_secs:
                raise errors.DeadlineExceededError(
                    None, None, f'Session was not ready after waiting {limit} secs.')
            logging.info('Waiting for model to be ready: %s', error)
            time.sleep(self._recovery_wait_secs)

    def _run_local_init_op(self, sess):
        """Runs local_init_op. Returns why the model is not ready for it, or None."""
        if self._local_init_op is None:
            return None
        error = uninitialized_message(sess, self._ready_for_local_init_op, 'Model not ready for local init')
        if error is None:
            logging.info('Running local_init_op.')
            sess.run(self._local_init_op, feed_dict=self._local_init_feed_dict,
                     options=self._local_init_run_options)
            logging.info('Done running local_init_op.')
        return error

    def _not_ready(self, sess):
        return uninitialized_message(sess, self._ready_op, 'Model not ready')


def uninitialized_message(sess, op, message):
    """Returns why an operation says that the model is not ready, or None."""
    if op is None:
        return None
    try:
        names = sess.run(op)
    except errors.FailedPreconditionError as error:
        if 'uninitialized' not in str(error):
            logging.warning('%s : error [%s]', message, str(error))
            raise
        return str(error)
    if names is None or names.dtype == np.int32 or names.size == 0:
        return None
    return 'Variables not initialized: ' + ', '.join(name.decode() for name in names)
