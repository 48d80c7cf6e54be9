"""tf.data.Options: what TensorFlow can change about how datasets run."""

import enum

from ramet.api import export


class _OptionSet:
    """Attributes that may be set to any value; others are an error, as a misspelled name should be."""

    _names = ()

    def __init__(self):
        for name in self._names:
            super().__setattr__(name, None)

    def __setattr__(self, name, value):
        if name not in self._names:
            raise AttributeError(
                f"Cannot set the property {name} on {type(self).__name__}. It has "
                f"{', '.join(self._names)}.")
        super().__setattr__(name, value)

    def __eq__(self, other):
        return type(self) is type(other) and vars(self) == vars(other)

    __hash__ = None

    def merge(self, options):
        """Returns options with the values of `options` where they are set, else those of this object.

        Args:
          options: an object of the same class.
        """
        merged = type(self)()
        for name in self._names:
            mine, theirs = getattr(self, name), getattr(options, name)
            if isinstance(mine, _OptionSet) and isinstance(theirs, _OptionSet):
                theirs = mine.merge(theirs)
            setattr(merged, name, mine if theirs is None else theirs)
        return merged


@export('data.experimental.OptimizationOptions')
class OptimizationOptions(_OptionSet):
    """Options for the rewriting of datasets. Ramet runs datasets as they are."""

    _names = ('apply_default_optimizations', 'filter_fusion', 'filter_parallelization',
              'inject_prefetch', 'map_and_batch_fusion', 'map_and_filter_fusion', 'map_fusion',
              'map_parallelization', 'noop_elimination', 'parallel_batch', 'seq_interleave_prefetch',
              'shuffle_and_repeat_fusion', 'autotune', 'autotune_buffers', 'autotune_cpu_budget',
              'filter_with_random_uniform_fusion', 'hoist_random_uniform', 'map_vectorization')


@export('data.ThreadingOptions', 'data.experimental.ThreadingOptions')
class ThreadingOptions(_OptionSet):
    """Options for threads. Ramet's iterators have threads of their own."""

    _names = ('max_intra_op_parallelism', 'private_threadpool_size')


@export('data.experimental.AutoShardPolicy')
class AutoShardPolicy(enum.IntEnum):
    """How TensorFlow divides a dataset among workers."""

    OFF = -1
    AUTO = 0
    FILE = 1
    DATA = 2
    HINT = 3


@export('data.experimental.DistributeOptions')
class DistributeOptions(_OptionSet):
    """Options for several workers. Ramet runs datasets in one process."""

    _names = ('auto_shard_policy', 'num_devices')


@export('data.Options')
class Options(_OptionSet):
    """Options of a dataset. They do not change its elements."""

    _names = ('autotune', 'deterministic', 'experimental_deterministic', 'experimental_distribute',
              'experimental_external_state_policy', 'experimental_optimization',
              'experimental_slack', 'experimental_stats', 'experimental_threading',
              'framework_type', 'threading', 'dataset_name')

    def __init__(self):
        super().__init__()
        self.experimental_optimization = OptimizationOptions()
        self.experimental_distribute = DistributeOptions()
        self.threading = self.experimental_threading = ThreadingOptions()
