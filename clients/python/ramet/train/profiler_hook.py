"""A hook that writes traces of runs."""

import os

from ramet.api import export
from ramet.client import timeline
from ramet.core.protobuf import config_pb2
from ramet.lib import tf_logging as logging
from ramet.summary import writer
from ramet.train.session_run_hook import SessionRunArgs, SessionRunHook
from ramet.train.step_timer import SecondOrStepTimer, global_step_for


@export('train.ProfilerHook', 'contrib.hooks.ProfilerHook')
class ProfilerHook(SessionRunHook):
    """Traces a run periodically: writes timeline-STEP.json for Chrome's trace viewer, and the metadata as an event."""

    def __init__(self, save_steps=None, save_secs=None, output_dir='', show_dataflow=True, show_memory=False):
        """Creates the hook. Exactly one of `save_steps` and `save_secs` must be given.

        Args:
          save_steps: int, the steps between two traces.
          save_secs: float, the seconds between two traces.
          output_dir: str, the folder.
          show_dataflow: whether the trace connects the producers and consumers of tensors.
          show_memory: whether the trace shows the sizes and lifetimes of tensors.

        Raises:
          ValueError: if neither or both periods are given.
        """
        self._output_file = os.path.join(output_dir, 'timeline-{}.json')
        self._file_writer = writer.FileWriterCache.get(output_dir)
        self._show = {'show_dataflow': show_dataflow, 'show_memory': show_memory}
        self._timer = SecondOrStepTimer(every_secs=save_secs, every_steps=save_steps)

    def begin(self):
        self._next_step = None
        self._global_step_tensor = global_step_for(self)

    def before_run(self, run_context):
        self._traces = self._next_step is not None and self._timer.should_trigger_for_step(self._next_step)
        options = config_pb2.RunOptions(trace_level=config_pb2.RunOptions.FULL_TRACE) if self._traces else None
        return SessionRunArgs({'global_step': self._global_step_tensor}, options=options)

    def after_run(self, run_context, run_values):
        step = self._step_after(run_context.session, run_values.results['global_step'])
        if self._next_step is None:
            # The first trace comes after the first period.
            self._timer.update_last_triggered_step(step - 1)
        if self._traces:
            self._timer.update_last_triggered_step(step)
            self._save(step, run_values.run_metadata)
        self._next_step = step + 1

    def _step_after(self, session, read):
        """Returns the global step after a run, which may have read it before or after its own change."""
        if self._traces or self._next_step is None:
            return session.run(self._global_step_tensor)
        return max(read, self._next_step)

    def _save(self, step, run_metadata):
        path = self._output_file.format(step)
        logging.info("Saving timeline for %d into '%s'.", step, path)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(timeline.Timeline(run_metadata.step_stats).generate_chrome_trace_format(**self._show))
        self._file_writer.add_run_metadata(run_metadata, f'step_{step}')
