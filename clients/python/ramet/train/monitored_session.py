"""Monitored sessions, which initialize or restore themselves and call hooks around each run."""

import inspect

from ramet.api import export
from ramet.core.protobuf import config_pb2
from ramet.framework import errors, ops
from ramet.lib import tf_logging as logging
from ramet.train import basic_session_run_hooks as basic
from ramet.train import queue_runner
from ramet.train import scaffold as scaffold_lib
from ramet.train.coordinator import Coordinator
from ramet.train.session_run_hook import SessionRunArgs, SessionRunContext, SessionRunValues

USE_DEFAULT = object()
_LOST = (errors.AbortedError, errors.UnavailableError)


class _Hooked:
    """A Session whose runs go through hooks, with the Coordinator of its threads."""

    def __init__(self, session, hooks):
        self.session = session
        self.coord = Coordinator(clean_stop_exception_types=[])
        self._hooks = hooks
        self._stop = False

    def should_stop(self):
        return self._stop or self.coord.should_stop()

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        if self.should_stop():
            raise RuntimeError('Run called even after should_stop requested.')
        context = SessionRunContext(SessionRunArgs(fetches, feed_dict), self.session)
        wanted, feeds, options = self._ask_hooks(context, feed_dict, options)
        if options is not None and run_metadata is None:
            # A hook may have asked for a trace.
            run_metadata = config_pb2.RunMetadata()
        fetched = self.session.run([fetches, *wanted.values()], feeds, options, run_metadata)
        results = dict(zip(wanted, fetched[1:]))
        for hook in self._hooks:
            hook.after_run(context, SessionRunValues(
                results.get(hook), options or config_pb2.RunOptions(),
                run_metadata or config_pb2.RunMetadata()))
        self._stop = self._stop or context.stop_requested
        return fetched[0]

    def _ask_hooks(self, context, feed_dict, options):
        """Returns ({hook: its fetches}, all feeds, all options) of a run."""
        wanted, hook_feeds = {}, {}
        for hook in self._hooks:
            request = hook.before_run(context)
            if request is None:
                continue
            if request.fetches is not None:
                wanted[hook] = request.fetches
            if request.feed_dict:
                _raise_if_shared(hook_feeds, request.feed_dict,
                                 'Same tensor is fed by two hooks.')
                hook_feeds.update(request.feed_dict)
            if request.options:
                options = _merged(options, request.options)
        if hook_feeds and feed_dict:
            _raise_if_shared(feed_dict, hook_feeds,
                             'Same tensor is fed by a SessionRunHook and user.')
        return wanted, {**(feed_dict or {}), **hook_feeds} or feed_dict, options

    def close(self, stop_grace_period_secs):
        self.coord.request_stop()
        try:
            self.coord.join(stop_grace_period_secs=stop_grace_period_secs,
                            ignore_live_threads=True)
        finally:
            self.session.close()


def _raise_if_shared(feeds, others, message):
    shared = [tensor for tensor in others if tensor in feeds]
    if shared:
        raise RuntimeError(f'{message} Conflict(s): {shared}')


def _merged(options, more):
    merged = config_pb2.RunOptions()
    if options is not None:
        merged.MergeFromString(options.SerializeToString())
    trace = max(merged.trace_level, more.trace_level)
    timeout = max(merged.timeout_in_ms, more.timeout_in_ms)
    merged.MergeFromString(more.SerializeToString())
    merged.trace_level, merged.timeout_in_ms = trace, timeout
    return merged


class StepContext:
    """The argument of a step function that is called by MonitoredSession.run_step_fn."""

    def __init__(self, session, run_with_hooks_fn):
        """Creates the context.

        Args:
          session: the Session, without hooks.
          run_with_hooks_fn: the function that runs the session with hooks.
        """
        self._session = session
        self._run_with_hooks_fn = run_with_hooks_fn

    @property
    def session(self):
        """The Session itself; hooks do not see its runs."""
        return self._session

    def run_with_hooks(self, *args, **kwargs):
        """Runs the session with hooks, like MonitoredSession.run."""
        return self._run_with_hooks_fn(*args, **kwargs)

    def request_stop(self):
        """Leaves the step function and stops the monitored session."""
        raise StopIteration('step_fn has requested the iterations to stop.')


class _MonitoredSession:
    """The base class of MonitoredSession and SingularMonitoredSession."""

    StepContext = StepContext

    def __init__(self, session_creator, hooks, should_recover, stop_grace_period_secs=120):
        self._hooks = list(hooks or [])
        self._creator = session_creator or scaffold_lib.ChiefSessionCreator()
        self._should_recover = should_recover
        self._grace = stop_grace_period_secs
        self._hooked = None
        self._is_closed = False
        for hook in self._hooks:
            hook.begin()
        self._graph = ops.get_default_graph()
        if should_recover:
            self._recovering(self._session)
        else:
            self._session()

    def _session(self):
        if self._hooked is None:
            self._hooked = _Hooked(self._creator.create_session(), self._hooks)
            if ops.get_collection(ops.GraphKeys.QUEUE_RUNNERS):
                queue_runner.start_queue_runners(self._hooked.session, self._hooked.coord)
            for hook in self._hooks:
                hook.after_create_session(self._hooked.session, self._hooked.coord)
        return self._hooked

    def _recovering(self, action):
        while True:
            try:
                return action()
            except _LOST as error:
                if not self._should_recover:
                    raise
                logging.info('An error was raised. This may be due to a preemption in a connected '
                             'worker or parameter server. The current session will be closed and '
                             'a new session will be created. Error: %s', error)
                self._drop()

    def _drop(self):
        hooked, self._hooked = self._hooked, None
        if hooked is not None:
            try:
                hooked.close(self._grace)
            except Exception:
                pass

    @property
    def graph(self):
        """The graph of the session."""
        return None if self._is_closed else self._session().session.graph

    def _tf_sess(self):
        """Returns the Session itself. Hooks do not see its runs."""
        return None if self._hooked is None else self._hooked.session

    def run(self, fetches, feed_dict=None, options=None, run_metadata=None):
        """Runs fetches like session.run, and calls the hooks before and after.

        Args:
          fetches: as for session.run.
          feed_dict: as for session.run.
          options: as for session.run.
          run_metadata: as for session.run.

        Raises:
          RuntimeError: if the session is closed, or a stop was requested.
        """
        self._check_open()
        return self._recovering(
            lambda: self._raising(self._session().run, fetches, feed_dict, options, run_metadata))

    def _raising(self, call, *args):
        """Calls a function and raises the errors of the session's threads."""
        try:
            return call(*args)
        except _LOST:
            raise
        except Exception as error:
            try:
                self._hooked.coord.raise_requested_exception()
            except _LOST:
                raise
            except Exception as original:
                raise original from None
            raise error

    def run_step_fn(self, step_fn):
        """Calls a function with a StepContext, with which it can run the session with or without hooks.

        Args:
          step_fn: a function with one argument `step_context`, or a method with `self` and this argument.

        Returns:
          The result of the function.

        Raises:
          StopIteration: if it called request_stop.
          ValueError: if the function has different arguments.
        """
        arguments = tuple(inspect.signature(step_fn).parameters)
        if arguments != ('step_context',):
            raise ValueError(
                '`step_fn` may either have one `step_context` argument, or `self` and '
                f"`step_context` arguments if it's an instance method. Got {arguments} instead.")
        self._check_open()

        def step():
            hooked = self._session()
            return self._raising(step_fn, StepContext(hooked.session, hooked.run))

        return self._recovering(step)

    def _check_open(self):
        if self._is_closed:
            raise RuntimeError('Attempted to use a closed Session.')

    def should_stop(self):
        """Returns whether a hook or a thread requested a stop, or the session is closed."""
        return self._is_closed or (self._hooked is not None and self._hooked.should_stop())

    def close(self):
        """Closes the session, after calling end() of its hooks."""
        self._close_internal()

    def _close_internal(self, exception_type=None):
        try:
            if not exception_type:
                for hook in self._hooks:
                    hook.end(self._tf_sess())
        finally:
            if self._is_closed:
                raise RuntimeError('Session is already closed.')
            self._is_closed = True
            hooked, self._hooked = self._hooked, None
            if hooked is not None:
                hooked.close(self._grace)

    def __enter__(self):
        return self

    def __exit__(self, exception_type, exception_value, traceback):
        if exception_type in (errors.OutOfRangeError, StopIteration):
            exception_type = None
        self._close_internal(exception_type)
        return exception_type is None


@export('train.MonitoredSession')
class MonitoredSession(_MonitoredSession):
    """A session with hooks, which is created again when it is lost.

    As a context manager, it closes on exit. tf.errors.OutOfRangeError and StopIteration end the block
    without being propagated.
    """

    def __init__(self, session_creator=None, hooks=None, stop_grace_period_secs=120):
        """Creates the session.

        Args:
          session_creator: a SessionCreator, or None for a ChiefSessionCreator.
          hooks: a list of SessionRunHooks.
          stop_grace_period_secs: the seconds that the threads of its Coordinator have to stop.
        """
        super().__init__(session_creator, hooks, True, stop_grace_period_secs)


@export('train.SingularMonitoredSession')
class SingularMonitoredSession(_MonitoredSession):
    """A session with hooks that is not created again after an error."""

    def __init__(self, hooks=None, scaffold=None, master='', config=None, checkpoint_dir=None,
                 stop_grace_period_secs=120, checkpoint_filename_with_path=None):
        """Creates the session.

        Args:
          hooks: a list of SessionRunHooks.
          scaffold: a Scaffold, or None for a new one.
          master: must be '', which means this process.
          config: a ConfigProto.
          checkpoint_dir: str, the folder whose latest checkpoint is restored.
          stop_grace_period_secs: the seconds that the threads of its Coordinator have to stop.
          checkpoint_filename_with_path: str, the checkpoint to restore.
        """
        creator = scaffold_lib.ChiefSessionCreator(
            scaffold, master, config, checkpoint_dir, checkpoint_filename_with_path)
        super().__init__(creator, hooks, False, stop_grace_period_secs)

    def raw_session(self):
        """Returns the Session itself. Hooks do not see its runs."""
        return self._tf_sess()


def _chosen(steps, secs, default_steps, default_secs):
    if steps is USE_DEFAULT and secs is USE_DEFAULT:
        return default_steps, default_secs
    return (None if steps is USE_DEFAULT else steps), (None if secs is USE_DEFAULT else secs)


@export('train.MonitoredTrainingSession')
def MonitoredTrainingSession(
        master='', is_chief=True, checkpoint_dir=None, scaffold=None, hooks=None,
        chief_only_hooks=None, save_checkpoint_secs=USE_DEFAULT, save_summaries_steps=USE_DEFAULT,
        save_summaries_secs=USE_DEFAULT, config=None, stop_grace_period_secs=120,
        log_step_count_steps=100, max_wait_secs=7200, save_checkpoint_steps=USE_DEFAULT,
        summary_dir=None, save_graph_def=True):
    """Creates a MonitoredSession that saves checkpoints and summaries and counts steps.

    Args:
      master: must be '', which means this process. Ramet does not support distributed TensorFlow.
      is_chief: must be True. Other workers belong to distributed TensorFlow.
      checkpoint_dir: str, the folder to restore from and save to. None disables both.
      scaffold: a Scaffold, or None for a new one.
      hooks: a list of SessionRunHooks.
      chief_only_hooks: a list of additional hooks.
      save_checkpoint_secs: the seconds between two checkpoints. Defaults to 600 if
        save_checkpoint_steps is not given. With None or 0, time does not trigger checkpoints.
      save_summaries_steps: the steps between two summaries. Defaults to 100 if save_summaries_secs
        is not given.
      save_summaries_secs: the seconds between two summaries.
      config: a ConfigProto.
      stop_grace_period_secs: the seconds that the threads of its Coordinator have to stop.
      log_step_count_steps: the steps between two measurements of the steps per second, which are logged
        and written to summaries. None disables them.
      max_wait_secs: ignored; it is for workers.
      save_checkpoint_steps: the steps between two checkpoints.
      summary_dir: str, the folder for summaries, or None for checkpoint_dir.
      save_graph_def: whether checkpoints have .meta files.

    Returns:
      A MonitoredSession.

    Raises:
      tf.errors.UnimplementedError: if is_chief is False.
    """
    if not is_chief:
        raise errors.UnimplementedError(
            None, None, 'is_chief=False: a worker waits for the chief of distributed TensorFlow; '
            'Ramet runs graphs only in this process')
    scaffold = scaffold or scaffold_lib.Scaffold()
    all_hooks = list(chief_only_hooks or [])
    summary_steps, summary_secs = _chosen(save_summaries_steps, save_summaries_secs, 100, None)
    saved_steps, saved_secs = _chosen(save_checkpoint_steps, save_checkpoint_secs, None, 600)
    summary_dir = summary_dir or checkpoint_dir
    if summary_dir:
        if log_step_count_steps and log_step_count_steps > 0:
            all_hooks.append(basic.StepCounterHook(
                output_dir=summary_dir, every_n_steps=log_step_count_steps))
        if (summary_steps or 0) > 0 or (summary_secs or 0) > 0:
            all_hooks.append(basic.SummarySaverHook(
                scaffold=scaffold, save_steps=summary_steps, save_secs=summary_secs,
                output_dir=summary_dir))
    if checkpoint_dir and ((saved_secs or 0) > 0 or (saved_steps or 0) > 0):
        all_hooks.append(basic.CheckpointSaverHook(
            checkpoint_dir, save_steps=saved_steps, save_secs=saved_secs, scaffold=scaffold,
            save_graph_def=save_graph_def))
    all_hooks.extend(hooks or [])
    creator = scaffold_lib.ChiefSessionCreator(scaffold, master, config, checkpoint_dir)
    return MonitoredSession(creator, all_hooks, stop_grace_period_secs)
