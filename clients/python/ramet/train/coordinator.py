"""A Coordinator ends a group of threads together."""

import contextlib
import sys
import threading
import time

from ramet.api import export
from ramet.framework import errors
from ramet.lib import tf_logging as logging


@export('train.Coordinator')
class Coordinator:
    """Ends a group of threads together: any of them may ask for a stop, and all look for it.

    Safe to use from any thread.

    Args:
      clean_stop_exception_types: exception types that end the group without being raised again by
        join; None: tf.errors.OutOfRangeError.
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
          ex: an exception, or what sys.exc_info() returns; the first one is raised by join.

        Raises:
          the exception itself, if join has returned already.
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
        """Takes back a request to stop, and the exception that came with it."""
        with self._lock:
            self._joined = False
            self._exc_info_to_raise = None
            self._stop_event.clear()

    def should_stop(self):
        """Whether a stop was asked for."""
        return self._stop_event.is_set()

    @contextlib.contextmanager
    def stop_on_exception(self):
        """A context: an exception inside it asks for a stop and goes no further."""
        try:
            yield
        except BaseException:
            self.request_stop(ex=sys.exc_info())

    def wait_for_stop(self, timeout=None):
        """Waits until a stop is asked for, or `timeout` seconds; returns whether it was."""
        return self._stop_event.wait(timeout)

    def register_thread(self, thread):
        """Adds a thread to those that join waits for."""
        with self._lock:
            self._registered_threads.add(thread)

    def join(self, threads=None, stop_grace_period_secs=120, ignore_live_threads=False):
        """Waits until a stop is asked for and all threads have ended.

        Args:
          threads: threads to wait for, beside the registered ones.
          stop_grace_period_secs: how long they have after the request, in seconds.
          ignore_live_threads: whether threads that are still alive then are no error.

        Raises:
          RuntimeError: if threads are alive after that time.
          the exception that the stop was asked for with.
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
        """Whether join has returned."""
        return self._joined

    def raise_requested_exception(self):
        """Raises the exception that a stop was asked for with, if there is one."""
        with self._lock:
            if self._exc_info_to_raise:
                _, ex, traceback = self._exc_info_to_raise
                raise ex.with_traceback(traceback)


@export('train.LooperThread')
class LooperThread(threading.Thread):
    """A thread that runs a function again and again, until its Coordinator stops.

    Args:
      coord: a Coordinator; an exception of the function asks it for a stop.
      timer_interval_secs: seconds between the starts of two runs; None: no pause.
      target: a function; None: run_loop, which a subclass defines.
      args: a list or tuple of its arguments.
      kwargs: a dict of its keyword arguments.

    Raises:
      ValueError: if coord is no Coordinator.
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
        """Makes a LooperThread, starts it and returns it."""
        looper = LooperThread(coord, timer_interval_secs, target=target, args=args, kwargs=kwargs)
        looper.start()
        return looper

    def run(self):
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
        """Called once before the first run."""

    def stop_loop(self):
        """Called once after the last run."""

    def run_loop(self):
        """One run: calls the target."""
        if self._target:
            self._target(*self._args, **self._kwargs)
