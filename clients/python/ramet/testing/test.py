"""tf.test: TestCase, and functions that tell what a machine supports."""

import contextlib
import os
import sys
import tempfile
import unittest
from unittest import mock

from ramet.api import export, export_value
from ramet.client.session import Session
from ramet.framework import ops, random_seed
from ramet.testing import asserts as test_asserts

export_value('test.mock', mock)

_SEED = 87654321


def _seed_all():
    import random

    import numpy as np

    random.seed(_SEED)
    np.random.seed(_SEED)
    ops.reset_default_graph()
    random_seed.set_random_seed(_SEED)


@export('test.TestCase')
class TestCase(test_asserts.TensorAsserts, unittest.TestCase):
    """A unittest.TestCase with sessions and with assertions about arrays and tensors.

    Each test starts with an empty default graph whose seed is 87654321.
    """

    def __init__(self, methodName='runTest'):
        """Creates the test case.

        Args:
          methodName: the name of the method that runs the test.
        """
        super().__init__(methodName)
        self._temporary = None
        self._kept_session = None

    def setUp(self):
        """Resets the default graph and the seeds."""
        super().setUp()
        self._close_kept_session()
        _seed_all()

    def tearDown(self):
        """Closes the session that `cached_session` keeps."""
        self._close_kept_session()
        super().tearDown()

    def _close_kept_session(self):
        session, self._kept_session = self._kept_session, None
        if session is not None:
            session.close()

    def get_temp_dir(self):
        """Returns a folder for this test, the same one at each call."""
        if self._temporary is None:
            self._temporary = tempfile.mkdtemp(dir=get_temp_dir())
        return self._temporary

    @contextlib.contextmanager
    def session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """Opens a session for a graph and makes it the default session inside the context.

        Args:
          graph: a Graph, or None for the default graph.
          config: a ConfigProto.
          use_gpu: whether ops may run on a GPU. If False, they are placed on the CPU.
          force_gpu: whether ops must run on a GPU.
        """
        with Session(graph=graph, config=config) as session:
            with self._placed(session, use_gpu, force_gpu):
                yield session

    @contextlib.contextmanager
    def _placed(self, session, use_gpu, force_gpu):
        with session.graph.as_default(), session.as_default():
            if force_gpu or use_gpu:
                with ops.device('/device:GPU:0' if force_gpu else None):
                    yield
            else:
                with ops.device('/device:CPU:0'):
                    yield

    @contextlib.contextmanager
    def cached_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """Like `session`, but all calls in a test share one session, which stays open until its end.

        Args:
          graph: a Graph, or None for the default graph.
          config: a ConfigProto.
          use_gpu: whether ops may run on a GPU.
          force_gpu: whether ops must run on a GPU.

        Raises:
          ValueError: if an earlier call in the test had a different graph or config.
        """
        arguments = (graph, config, force_gpu)
        if self._kept_session is None:
            self._kept_session = Session(graph=graph, config=config)
            self._kept_arguments = arguments
        elif self._kept_arguments != arguments:
            raise ValueError('The graph, config and force_gpu used to get the cached session are '
                             'different than the ones that were used to create it. Maybe create '
                             'a new session with self.session()')
        with self._placed(self._kept_session, use_gpu, force_gpu):
            yield self._kept_session

    def test_session(self, graph=None, config=None, use_gpu=True, force_gpu=False):
        """Calls `cached_session` if no graph is given, and `session` otherwise. Deprecated.

        Args:
          graph: a Graph, or None for the default graph.
          config: a ConfigProto.
          use_gpu: whether ops may run on a GPU.
          force_gpu: whether ops must run on a GPU.
        """
        if self.id().endswith('.test_session'):
            self.skipTest('Not a test.')
        if graph is None:
            return self.cached_session(graph, config, use_gpu, force_gpu)
        return self.session(graph, config, use_gpu, force_gpu)

    def evaluate(self, tensors):
        """Returns the values of tensors in the default session.

        Args:
          tensors: fetches, as for Session.run.
        """
        session = ops.get_default_session()
        if session is None:
            with self.session() as session:
                return session.run(tensors)
        return session.run(tensors)


@export('test.main')
def main(argv=None):
    """Runs the tests of the program with unittest.main.

    Args:
      argv: the program's arguments. Defaults to sys.argv.
    """
    unittest.main(argv=argv or sys.argv)


@export('test.get_temp_dir')
def get_temp_dir():
    """Returns a folder for temporary files: $TEST_TMPDIR, or that of the system."""
    directory = os.environ.get('TEST_TMPDIR') or tempfile.gettempdir()
    os.makedirs(directory, exist_ok=True)
    return directory


@export('test.test_src_dir_path')
def test_src_dir_path(relative_path):
    """Returns a path below $TEST_SRCDIR, or below the current folder.

    Args:
      relative_path: str.
    """
    return os.path.join(os.environ.get('TEST_SRCDIR', os.getcwd()), relative_path)


test_src_dir_path.__test__ = False


def _gpu_names():
    with Session(graph=ops.Graph()) as session:
        devices = [device for device in session.list_devices() if device.device_type == 'GPU']
        return ['/' + device.name.rsplit('/', 1)[-1] for device in devices]


@export('test.is_gpu_available')
def is_gpu_available(cuda_only=False, min_cuda_compute_capability=None):
    """Returns whether a session has a GPU.

    Args:
      cuda_only: ignored.
      min_cuda_compute_capability: ignored.
    """
    return bool(_gpu_names())


@export('test.gpu_device_name')
def gpu_device_name():
    """Returns the name of the first GPU, or '' if there is none."""
    return next(iter(_gpu_names()), '')


@export('test.is_built_with_cuda')
def is_built_with_cuda():
    """Returns False: Ramet has no CUDA kernels."""
    return False


@export('test.is_built_with_rocm')
def is_built_with_rocm():
    """Returns False: Ramet has no ROCm kernels."""
    return False


@export('test.is_built_with_gpu_support')
def is_built_with_gpu_support():
    """Returns False: Ramet has no CUDA or ROCm kernels."""
    return False


@export('test.is_built_with_xla')
def is_built_with_xla():
    """Returns False: Ramet has no XLA."""
    return False


@export('test.assert_equal_graph_def')
def assert_equal_graph_def(actual, expected, checkpoint_v2=False, hash_table_shared_name=False):
    """Raises AssertionError if two GraphDefs differ in more than the order of nodes.

    Args:
      actual: a GraphDef.
      expected: a GraphDef.
      checkpoint_v2: whether to ignore the names of saved shards, which have random parts.
      hash_table_shared_name: whether to ignore the shared names of tables.

    Raises:
      TypeError: if an argument is not a GraphDef.
      AssertionError: if they differ.
    """
    test_asserts.assert_equal_graph_def(
        actual, expected, checkpoint_v2, hash_table_shared_name)
