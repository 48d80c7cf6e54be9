"""tf.contrib.slim.learning: the training loop of slim."""

import os
import time

from ramet import gen
from ramet.api import export
from ramet.contrib.training import gradients
from ramet.docstrings import with_args_of
from ramet.framework import constant_op, errors, ops
from ramet.lib import gfile, tf_logging as logging
from ramet.ops.control_flow import control_flow_ops
from ramet.ops.math import math_ops
from ramet.ops.variables import variable_lists
from ramet.summary import summary
from ramet.summary import writer as writer_lib
from ramet.train import queue_runner, training_util
from ramet.train import saver as saver_lib
from ramet.train import coordinator as coordinator_lib
from ramet.train import optimizer as optimizer_lib
from ramet.train.session_manager import SessionManager

_USE_DEFAULT = 0


@export('contrib.slim.learning.create_train_op')
@with_args_of(gradients.create_train_op)
def create_train_op(total_loss, optimizer, global_step=gradients.USE_GLOBAL_STEP, update_ops=None,
                    variables_to_train=None, clip_gradient_norm=0, summarize_gradients=False,
                    gate_gradients=optimizer_lib.Optimizer.GATE_OP, aggregation_method=None,
                    colocate_gradients_with_ops=False, gradient_multipliers=None,
                    check_numerics=True):
    """Creates an operation that runs a step of training and returns the loss.

    Args:
      clip_gradient_norm: the largest norm of each gradient, or 0 for no limit.
      gradient_multipliers: a dict from variables, or their names without ':0', to factors, or None.

    Returns:
      A tensor, the loss.
    """

    def transform_grads_fn(grads):
        if gradient_multipliers:
            with ops.name_scope('multiply_grads'):
                grads = gradients.multiply_gradients(grads, gradient_multipliers)
        if clip_gradient_norm > 0:
            with ops.name_scope('clip_grads'):
                grads = gradients.clip_gradient_norms(grads, clip_gradient_norm)
        return grads

    return gradients.create_train_op(
        total_loss, optimizer, global_step=global_step, update_ops=update_ops,
        variables_to_train=variables_to_train, transform_grads_fn=transform_grads_fn,
        summarize_gradients=summarize_gradients, gate_gradients=gate_gradients,
        aggregation_method=aggregation_method,
        colocate_gradients_with_ops=colocate_gradients_with_ops, check_numerics=check_numerics)


@export('contrib.slim.learning.train_step')
def train_step(sess, train_op, global_step, train_step_kwargs):
    """Runs one step, and logs it if it is due.

    Args:
      sess: the Session.
      train_op: the training operation, a tensor.
      global_step: the variable that counts steps.
      train_step_kwargs: a dict that may have the boolean tensors 'should_stop' and 'should_log'.

    Returns:
      The loss, and whether to stop.
    """
    start = time.time()
    total_loss, step = sess.run([train_op, global_step])
    elapsed = time.time() - start
    if 'should_log' in train_step_kwargs and sess.run(train_step_kwargs['should_log']):
        logging.info('global step %d: loss = %.4f (%.3f sec/step)', step, total_loss, elapsed)
    should_stop = False
    if 'should_stop' in train_step_kwargs:
        should_stop = bool(sess.run(train_step_kwargs['should_stop']))
    return total_loss, should_stop


def _step_arguments(global_step, number_of_steps, log_every_n_steps):
    with ops.name_scope('train_step'):
        arguments = {}
        stop = constant_op.constant(False)
        if number_of_steps:
            stop = gen.GreaterEqual(global_step, number_of_steps)
        arguments['should_stop'] = stop
        if log_every_n_steps and log_every_n_steps > 0:
            arguments['should_log'] = math_ops.equal(gen.FloorMod(global_step, log_every_n_steps), 0)
        return arguments


class _Periodically:
    """Calls a function when a number of seconds has passed since the last call, or the start."""

    def __init__(self, seconds, function):
        self._seconds, self._function = seconds, function
        self._last = time.time()

    def __call__(self, session):
        if self._seconds and time.time() - self._last >= self._seconds:
            self._last = time.time()
            self._function(session)


class _Writer:
    """Writes the checkpoints and summaries of a training."""

    def __init__(self, logdir, graph, global_step, saver, summary_op, summary_writer):
        self._logdir, self._step, self._saver = logdir, global_step, saver
        self._summary_op = summary_op
        self._writer = summary_writer
        if summary_writer == _USE_DEFAULT:
            self._writer = writer_lib.FileWriter(logdir, graph) if logdir else None

    def save(self, session):
        if self._logdir and self._saver is not None:
            self._saver.save(session, os.path.join(self._logdir, 'model.ckpt'),
                             global_step=self._step)

    def summarize(self, session):
        if self._writer is not None and self._summary_op is not None:
            summary, step = session.run([self._summary_op, self._step])
            self._writer.add_summary(summary, step)
            self._writer.flush()


def _or_default(value, make):
    return make() if isinstance(value, int) and value == _USE_DEFAULT else value


@export('contrib.slim.learning.train')
def train(train_op, logdir, train_step_fn=train_step, train_step_kwargs=_USE_DEFAULT,
          log_every_n_steps=1, graph=None, master='', is_chief=True, global_step=None,
          number_of_steps=None, init_op=_USE_DEFAULT, init_feed_dict=None,
          local_init_op=_USE_DEFAULT, init_fn=None, ready_op=_USE_DEFAULT,
          summary_op=_USE_DEFAULT, save_summaries_secs=600, summary_writer=_USE_DEFAULT,
          startup_delay_steps=0, saver=None, save_interval_secs=600, sync_optimizer=None,
          session_config=None, session_wrapper=None, trace_every_n_steps=None,
          ignore_live_threads=False):
    """Trains: restores or initializes the model, runs steps, and writes checkpoints and summaries.

    Args:
      train_op: the training operation, a tensor; see create_train_op.
      logdir: the folder of checkpoints and summaries, or None. The training goes on from its latest
        checkpoint.
      train_step_fn: a function like train_step.
      train_step_kwargs: its last argument. By default, training stops after number_of_steps.
      log_every_n_steps: the number of steps between two lines in the log.
      graph: the Graph, or None for the default graph.
      master: must be '', which means this process.
      is_chief: must be True.
      global_step: the variable that counts steps. Defaults to the global step, which is created if
        there is none.
      number_of_steps: the global step after which training stops, or None.
      init_op: the operation that initializes the model. Defaults to all global variables' initializer.
      init_feed_dict: the feeds of init_op.
      local_init_op: the operation that initializes what is not in a checkpoint. Defaults to the
        initializers of local variables and tables.
      init_fn: a function of the session, called after init_op.
      ready_op: a tensor with the names of variables that are not initialized, or None.
      summary_op: the summaries, a tensor. Defaults to all that are in the collection.
      save_summaries_secs: the number of seconds between two summaries.
      summary_writer: a tf.summary.FileWriter, or None for no summaries. Defaults to one of logdir.
      startup_delay_steps: must be 0 for the chief.
      saver: a tf.train.Saver. Defaults to one of all variables.
      save_interval_secs: the number of seconds between two checkpoints.
      sync_optimizer: must be None.
      session_config: a ConfigProto.
      session_wrapper: a function from the Session to an object that is used instead, or None.
      trace_every_n_steps: must be None.
      ignore_live_threads: ignored.

    Returns:
      The loss of the last step, or None if no step ran.

    Raises:
      ValueError: if train_op is empty, logdir is missing with an option that needs it, or
        number_of_steps is not positive.
    """
    if train_op is None:
        raise ValueError('train_op cannot be None.')
    if logdir is None and summary_op not in (None, _USE_DEFAULT):
        raise ValueError('Cannot provide summary_op because logdir=None')
    if not is_chief or sync_optimizer is not None or trace_every_n_steps is not None:
        raise ValueError('slim.learning.train supports neither several workers, sync_optimizer nor '
                         'trace_every_n_steps.')
    if number_of_steps is not None and number_of_steps <= 0:
        raise ValueError('`number_of_steps` must be either None or a positive number.')
    graph = graph or ops.get_default_graph()
    with graph.as_default():
        if global_step is None:
            global_step = training_util.get_or_create_global_step()
        saver = saver or saver_lib.Saver()
        init_op = _or_default(init_op, variable_lists.global_variables_initializer)
        ready_op = _or_default(ready_op, variable_lists.report_uninitialized_variables)
        local_init_op = _or_default(local_init_op, lambda: control_flow_ops.group(
            variable_lists.local_variables_initializer(), variable_lists.tables_initializer()))
        summary_op = _or_default(summary_op, summary.merge_all)
        train_step_kwargs = _or_default(train_step_kwargs, lambda: _step_arguments(
            global_step, number_of_steps, log_every_n_steps))
        if logdir is not None and not gfile.Exists(logdir):
            gfile.MakeDirs(logdir)
        writer = _Writer(logdir, graph, global_step, saver, summary_op, summary_writer)
        session = SessionManager(local_init_op=local_init_op, ready_op=ready_op,
                                 graph=graph).prepare_session(
            master, init_op=init_op, saver=saver, checkpoint_dir=logdir, config=session_config,
            init_feed_dict=init_feed_dict, init_fn=init_fn)
        with session:
            return _run(session_wrapper(session) if session_wrapper else session, writer,
                        lambda sess: train_step_fn(sess, train_op, global_step, train_step_kwargs),
                        save_summaries_secs, save_interval_secs)


def _run(session, writer, step, save_summaries_secs, save_interval_secs):
    """Runs steps until one requests to stop, and saves the model. Returns the last loss."""
    coordinator = coordinator_lib.Coordinator()
    threads = queue_runner.start_queue_runners(session, coord=coordinator)
    due = [_Periodically(save_summaries_secs, writer.summarize),
           _Periodically(save_interval_secs, writer.save)]
    total_loss = None
    logging.info('Starting Session.')
    try:
        while not coordinator.should_stop():
            total_loss, should_stop = step(session)
            for function in due:
                function(session)
            if should_stop:
                logging.info('Stopping Training.')
                break
    except errors.OutOfRangeError as error:
        logging.info('Caught OutOfRangeError. Stopping Training. %s', error)
    writer.summarize(session)
    logging.info('Finished training! Saving model to disk.')
    writer.save(session)
    coordinator.request_stop()
    coordinator.join(threads, ignore_live_threads=True)
    return total_loss
