"""Provides the hooks for monitored sessions in one module, with TensorFlow's name."""

from ramet.train.checkpoint_hooks import CheckpointSaverHook, CheckpointSaverListener  # noqa: F401
from ramet.train.monitoring_hooks import (  # noqa: F401
    LoggingTensorHook,
    NanLossDuringTrainingError,
    NanTensorHook,
    StepCounterHook,
    SummarySaverHook,
)
from ramet.train.profiler_hook import ProfilerHook  # noqa: F401
from ramet.train.run_control_hooks import FeedFnHook, FinalOpsHook, GlobalStepWaiterHook, StopAtStepHook  # noqa: F401
from ramet.train.step_timer import SecondOrStepTimer  # noqa: F401
