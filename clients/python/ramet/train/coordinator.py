"""Coordinator, which stops a group of threads together."""

import contextlib
import sys
import threading
import time

from ramet.api import export
from ramet.framework import errors
from ramet.lib import tf_logging as logging


@export('train.Coordinator')
class Coordinator:
    """Stops a group of threads together. Any thread may request a stop, and all of them check for it.

    Thread-safe.

    Args:
      clean_stop_exception_types: exception types that stop the group but are not raised again by
        join, or None for tf.errors.OutOfRangeError.
    """

    def __init__(self, clean_stop_exception_types=None):
        if clean_stop_exception_types is None:
            clean_stop_exception_types = (errors.OutOfRangeError,)
        self._clean_stop_exception_types = tuple(clean_stop_exception_types)
        self._lock = threading.Lock()
        self._stop_event = threading.Event()
        self._exc_info_to_raise = None
        self._joined = False
        self._registered_threads = set()

    def _filter_exception(self, ex):
        exception = ex[1] if isinstance(ex, tuple) else ex
        return None if isinstance(exception, self._clean_stop_exception_types) else ex

    def request_stop(self, ex=None):
        """Asks all threads to stop.

        Args:
          ex: an exception, or the result of sys.exc_info(). join raises the first one.

        Raises:
          Exception: `ex` itself, if join has already returned.
        """
        with self._lock:
            ex = self._filter_exception(ex)
            if self._joined:
                if isinstance(ex, tuple):
                    raise ex[1].with_traceback(ex[2])
                if ex is not None:
                    raise ex
                return
            if self._stop_event.is_set():
                return
            if ex is not None and self._exc_info_to_raise is None:
                logging.info('Error reported to Coordinator: %s', ex)
                self._exc_info_to_raise = self._checked(ex)
            self._stop_event.set()

    @staticmethod
    def _checked(ex):
        if not isinstance(ex, tuple):
            return (type(ex), ex, ex.__traceback__)
        if (len(ex) == 3 and isinstance(ex[0], type) and isinstance(ex[1], BaseException)):
            return ex
        try:
            raise ValueError('ex must be a tuple or sys.exc_info must return the current '
                             'exception: %s' % (ex,))
        except ValueError:
            return sys.exc_info()

    def clear_stop(self):
        """Withdraws a request to stop, and the exception that came with it."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self):
        """Returns whether a stop was requested."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context in which an exception requests a stop and is not propagated."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits for a stop request. Returns whether a stop was requested.

        Args:
          timeout: the maximum number of seconds to wait, or None for no limit.
        """
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        """Adds a thread to the threads that join waits for.

        Args:
          thread: a threading.Thread.
        """
        with self._lock:
            self._registered_threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until a stop is requested and all threads have ended.

        Args:
          threads: threads to wait for, in addition to the registered ones.
          stop_grace_period_secs: the seconds that the threads have to end after the request.
          ignore_live_threads: whether to ignore threads that are still alive after this period.

        Raises:
          RuntimeError: if threads are still alive after this period.
          Exception: the exception that the stop was requested with.
        """
        with self._lock:
            threads = self._registered_threads.union(threads or ())
        while any(t.is_alive() for t in threads) and not self.wait_for_stop(1.0):
            pass
        deadline = time.monotonic() + stop_grace_period_secs
        while any(t.is_alive() for t in threads) and time.monotonic() < deadline:
            time.sleep(0.001)
        stragglers = [t.name for t in threads if t.is_alive()]
        with self._lock:
            self._joined = True
            self._registered_threads = set()
            if self._exc_info_to_raise:
                _, ex, traceback = self._exc_info_to_raise
                raise ex.with_traceback(traceback)
            if not stragglers:
                return
            if not ignore_live_threads:
                raise RuntimeError('Coordinator stopped with threads still running: %s'
                                   % ' '.join(stragglers))
            logging.info('Coordinator stopped with threads still running: %s',
                         ' '.join(stragglers))

    @property
    def joined(self):
        """True if join has returned."""
        return self._joined

    def raise_requested_exception(self):
        """Raises the exception that a stop was requested with, if there is one."""
        with self._lock:
            if self._exc_info_to_raise:
                _, ex, traceback = self._exc_info_to_raise
                raise ex.with_traceback(traceback)


@export('train.LooperThread')
class LooperThread(threading.Thread):
    """A thread that runs a function repeatedly until its Coordinator stops.

    Args:
      coord: a Coordinator. An exception in the function requests a stop.
      timer_interval_secs: seconds between the starts of two runs, or None for no pause.
      target: a function, or None for run_loop, which a subclass defines.
      args: a list or tuple of its arguments.
      kwargs: a dict of its keyword arguments.

    Raises:
      ValueError: if coord is not a Coordinator.
    """

    def __init__(self, coord, timer_interval_secs, target=None, args=None, kwargs=None):
        if not isinstance(coord, Coordinator):
            raise ValueError("'coord' argument must be a Coordinator: %s" % coord)
        super().__init__()
        self.daemon = True
        self._coord = coord
        self._timer_interval_secs = timer_interval_secs
        self._target = target
        if self._target:
            self._args = args or ()
            self._kwargs = kwargs or {}
        elif args or kwargs:
            raise ValueError("'args' and 'kwargs' argument require that you also pass 'target'")
        self._coord.register_thread(self)

    @staticmethod
    def loop(coord, timer_interval_secs, target, args=None, kwargs=None):
        """Creates a LooperThread, starts it and returns it.

        Args:
          coord: a Coordinator.
          timer_interval_secs: seconds between the starts of two runs, or None for no pause.
          target: a function.
          args: a list or tuple of its arguments.
          kwargs: a dict of its keyword arguments.
        """
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
        """Runs the function until a stop is requested."""
        with self._coord.stop_on_exception():
            self.start_loop()
            if self._timer_interval_secs is None:
                while not self._coord.should_stop():
                    self.run_loop()
            else:
                self._run_on_timer()
            self.stop_loop()

    def _run_on_timer(self):
        next_time = time.time()
        while not self._coord.wait_for_stop(next_time - time.time()):
            next_time += self._timer_interval_secs
            self.run_loop()

    def start_loop(self):
        """Called once, before the first run."""

    def stop_loop(self):
        """Called once, after the last run."""

    def run_loop(self):
        """Runs once: calls the target."""
        if self._target:
            self._target(*self._args, **self._kwargs)
