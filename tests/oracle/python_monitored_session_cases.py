"""Monitored sessions and hooks, for TensorFlow and Ramet; see python_monitored_session_test.py."""

import os
import tempfile
import time


def counting(tf):
    """Returns a graph that adds 1 to w in each step."""
    w = tf.get_variable('w', [], initializer=tf.zeros_initializer())
    step = tf.train.create_global_step()
    with tf.control_dependencies([tf.assign_add(w, 1.0)]):
        return w, step, tf.assign_add(step, 1)


def order_of_calls(tf, note):
    w, step, train = counting(tf)
    calls = []

    class Hook(tf.train.SessionRunHook):
        def begin(self):
            calls.append('begin')

        def after_create_session(self, session, coord):
            calls.append(('created', type(coord).__name__))

        def before_run(self, run_context):
            calls.append(('before', run_context.original_args.fetches is train,
                          run_context.stop_requested))
            return tf.train.SessionRunArgs({'w': w})

        def after_run(self, run_context, run_values):
            calls.append(('after', sorted(run_values.results),
                          type(run_values.options).__name__))
            if len(calls) > 6:
                run_context.request_stop()

        def end(self, session):
            calls.append(('end', float(session.run(w))))

    def loop():
        with tf.train.MonitoredSession(hooks=[Hook()]) as session:
            while not session.should_stop():
                session.run(train)
            session.run(train)

    note(loop)
    note(lambda: calls)


def files_of_training(tf, note):
    w, step, train = counting(tf)
    tf.summary.scalar('w', w)
    with tempfile.TemporaryDirectory() as folder:
        for last in (5, 8):
            with tf.train.MonitoredTrainingSession(
                    checkpoint_dir=folder, save_checkpoint_steps=3, save_summaries_steps=2,
                    log_step_count_steps=2,
                    hooks=[tf.train.StopAtStepHook(last_step=last)]) as session:
                while not session.should_stop():
                    session.run(train)
            tf.summary.FileWriterCache.clear()
            # Names of event files have a resolution of one second, so two of the same second would collide.
            time.sleep(1.1)
        names = sorted(os.listdir(folder))
        note(lambda: [name for name in names if 'tfevents' not in name and '.data' not in name])
        note(lambda: tf.train.load_variable(folder, 'w'))
        events = [os.path.join(folder, name) for name in names if 'tfevents' in name]
        note(lambda: sorted([told(event) for event in tf.train.summary_iterator(path)]
                            for path in events))


def told(event):
    kind = event.WhichOneof('what')
    if kind == 'session_log':
        return event.step, str(event.session_log.status)
    tags = [value.tag for value in event.summary.value] if kind == 'summary' else kind
    return event.step, str(tags)


def wrong_arguments(tf, note):
    w, _, _ = counting(tf)
    train = tf.train
    for make in (lambda: train.StopAtStepHook(), lambda: train.StopAtStepHook(1, 2),
                 lambda: train.SecondOrStepTimer(), lambda: train.SecondOrStepTimer(1, 2),
                 lambda: train.LoggingTensorHook([w]),
                 lambda: train.LoggingTensorHook([w], every_n_iter=0),
                 lambda: train.StepCounterHook(every_n_steps=None),
                 lambda: train.SummarySaverHook(save_steps=1),
                 lambda: train.CheckpointSaverHook('/x', saver=1, scaffold=2),
                 lambda: train.Scaffold(copy_from_scaffold=1)):
        note(make)


def feeds_of_hooks(tf, note):
    w, _, _ = counting(tf)

    class Feeding(tf.train.SessionRunHook):
        def before_run(self, run_context):
            return tf.train.SessionRunArgs(None, {w: 7.0})

    with tf.train.MonitoredSession(hooks=[Feeding()]) as session:
        note(lambda: float(session.run(w)))
        note(lambda: type_of(lambda: session.run(w, {w: 1.0})))
        note(lambda: session.run_step_fn(lambda other: None))


def type_of(call):
    try:
        call()
    except RuntimeError as error:
        return str(error).split(' Conflict')[0]


def timers(tf, note):
    timer = tf.train.SecondOrStepTimer(every_steps=2)
    for step in range(5):
        note(lambda: timer.should_trigger_for_step(step))
        if timer.should_trigger_for_step(step):
            note(lambda: timer.update_last_triggered_step(step)[1])


def without_a_global_step(tf, note):
    note(lambda: tf.train.MonitoredSession(hooks=[tf.train.StopAtStepHook(1)]))


def not_ready(tf, note):
    counting(tf)
    scaffold = tf.train.Scaffold(init_op=tf.no_op())

    def make():
        try:
            tf.train.MonitoredSession(tf.train.ChiefSessionCreator(scaffold))
        except RuntimeError as error:
            return str(error).split('Init op')[0], str(error).split('error: ')[1]

    note(make)


CASES = [order_of_calls, files_of_training, wrong_arguments, feeds_of_hooks, timers,
         without_a_global_step, not_ready]
