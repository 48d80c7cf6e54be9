"""Progress bars."""

import sys
import time

import numpy as np

from ramet.api import export


@export('keras.utils.Progbar')
class Progbar:
    """A progress bar on the standard output.

    Args:
      target: the total number of steps, or None if it is unknown.
      width: the width of the bar.
      verbose: 0 for nothing, 1 for a bar, 2 for a line at the end.
      interval: the minimum number of seconds between two updates.
      stateful_metrics: the names of values that are not averaged over steps.
      unit_name: the word for a step.
    """

    def __init__(self, target, width=30, verbose=1, interval=0.05, stateful_metrics=None, unit_name='step'):
        self.target = target
        self.width = width
        self.verbose = verbose
        self.interval = interval
        self.unit_name = unit_name
        self.stateful_metrics = set(stateful_metrics or ())
        self._seen = 0
        self._values = {}
        self._begin = time.time()
        self._last_update = 0
        self._total_width = 0
        out = sys.stdout
        self._dynamic = (hasattr(out, 'isatty') and out.isatty()) or 'ipykernel' in sys.modules

    def update(self, current, values=None):
        """Shows a number of completed steps.

        Args:
          current: the number of completed steps.
          values: a list of pairs of a name and the value of the last steps.
        """
        for name, value in values or ():
            if name in self.stateful_metrics:
                self._values[name] = [value, 1]
            else:
                total, count = self._values.get(name, (0, 0))
                new = current - self._seen
                self._values[name] = [total + value * new, count + new]
        self._seen = current
        now = time.time()
        done = self.target is not None and current >= self.target
        if self.verbose == 1:
            if now - self._last_update < self.interval and not done:
                return
            self._show(current, now, done)
        elif self.verbose == 2 and done:
            count = len(str(self.target))
            sys.stdout.write(f'{current:{count}d}/{self.target}' + self._info(now - self._begin, current, done) + '\n')
            sys.stdout.flush()
        self._last_update = now

    def add(self, n, values=None):
        """Shows that more steps are completed.

        Args:
          n: the number of new steps.
          values: a list of pairs of a name and the value of the last steps.
        """
        self.update(self._seen + n, values)

    def _show(self, current, now, done):
        text = self._bar(current)
        before, self._total_width = self._total_width, len(text)
        info = self._info(now - self._begin, current, done)
        self._total_width += len(info)
        padding = ' ' * max(before - self._total_width, 0)
        sys.stdout.write(('\b' * before + '\r' if self._dynamic else '\n') + text + info + padding
                         + ('\n' if done else ''))
        sys.stdout.flush()

    def _bar(self, current):
        if self.target is None:
            return f'{current:7d}/Unknown'
        digits = len(str(self.target))
        filled = int(self.width * current / self.target) if self.target else self.width
        bar = ''
        if filled > 0:
            bar = '=' * (filled - 1) + ('>' if current < self.target else '=')
        return f'{current:{digits}d}/{self.target} [{bar}{"." * (self.width - filled)}]'

    def _info(self, elapsed, current, done):
        per_unit = elapsed / current if current else 0
        if self.target is not None and not done and self.verbose == 1:
            text = f' - ETA: {_clock(per_unit * (self.target - current))}'
        elif per_unit >= 1:
            text = f' - {elapsed:.0f}s {per_unit:.0f}s/{self.unit_name}'
        elif per_unit >= 1e-3:
            text = f' - {elapsed:.0f}s {per_unit * 1e3:.0f}ms/{self.unit_name}'
        else:
            text = f' - {elapsed:.0f}s {per_unit * 1e6:.0f}us/{self.unit_name}'
        for name, (total, count) in self._values.items():
            mean = np.mean(total / max(1, count))
            text += f' - {name}: {mean:.4f}' if abs(mean) > 1e-3 else f' - {name}: {mean:.4e}'
        return text


def _clock(seconds):
    seconds = int(seconds)
    if seconds > 3600:
        return f'{seconds // 3600}:{seconds % 3600 // 60:02d}:{seconds % 60:02d}'
    return f'{seconds // 60}:{seconds % 60:02d}' if seconds > 60 else f'{seconds}s'
