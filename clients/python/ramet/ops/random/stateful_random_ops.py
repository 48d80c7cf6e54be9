"""Generators of random numbers, whose state is a variable. Their numbers are TensorFlow's."""

from ramet import gen
from ramet.api import export
from ramet.framework import dtypes, nest, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.random import random_algorithms
from ramet.ops.random.random_algorithms import Algorithm
from ramet.ops.variables.resource_variable import ResourceVariable
from ramet.ops.variables.variable_base import Variable

_STATE_SIZES = {Algorithm.PHILOX.value: 3, Algorithm.THREEFRY.value: 2,
                Algorithm.AUTO_SELECT.value: 3}
_WORD = 2**64
_global_generator = None


def _state_size(alg):
    if alg not in _STATE_SIZES:
        raise ValueError(random_algorithms.unsupported(alg))
    return _STATE_SIZES[alg]


def _signed(n):
    """Returns an integer as the int64 with the same bits, and other values unchanged."""
    return n - _WORD if isinstance(n, int) and n >= _WORD // 2 else n


def _state_tensor(value):
    return math_ops.cast(nest.map_structure(_signed, value), dtypes.int64)


@export('random.create_rng_state', 'random.experimental.create_rng_state')
def create_rng_state(seed, alg):
    """Returns the state of a generator that starts from a seed.

    Args:
      seed: an integer or a list of integers; shorter seeds are padded with zeros at the front.
      alg: an Algorithm, its number or name.

    Returns:
      A vector of int64, of the size that the algorithm needs.

    Raises:
      ValueError: if the algorithm does not exist.
    """
    size = _state_size(random_algorithms.number_of(alg))
    if isinstance(seed, int):
        seed = [seed >> (64 * i) & (_WORD - 1) for i in range(size)]
    seed = array_ops.reshape(_state_tensor(seed), [-1])[:size]
    given = seed.shape[0].value
    if given is None:
        given = array_ops.shape(seed)[0]
    padding = array_ops.zeros([math_ops.maximum(size - given, 0)], seed.dtype)
    state = array_ops.concat([padding, seed], axis=0)
    state.set_shape([size])
    return state


def _shape_tensor(shape):
    is_scalar = isinstance(shape, (tuple, list)) and not shape
    return ops.convert_to_tensor(shape, dtype=dtypes.int64 if is_scalar else None, name='shape')


@export('random.Generator', 'random.experimental.Generator')
class Generator:
    """A generator of random numbers, whose state is a variable.

    Each operation that draws advances the state by the numbers that it draws.

    Args:
      copy_from: a Generator to copy, or None.
      state: a vector of int64, or a variable with one, which the generator then uses.
      alg: an Algorithm, its number or name.
    """

    def __init__(self, copy_from=None, state=None, alg=None):
        if copy_from is not None:
            assert (alg or state) is None
            self._alg = copy_from.algorithm
            self._state_var = self._new_variable(copy_from.state)
            return
        assert alg is not None and state is not None
        self._alg = random_algorithms.number_of(alg)
        if not isinstance(state, Variable):
            state = _state_tensor(state)
        if not isinstance(self._alg, ops.Tensor):
            state.shape.assert_is_compatible_with([_state_size(self._alg)])
        self._state_var = state if isinstance(state, Variable) else self._new_variable(state)

    @classmethod
    def from_state(cls, state, alg):
        """Returns a generator with a state.

        Args:
          state: a vector of int64, such as the state of another generator.
          alg: an Algorithm, its number or name.
        """
        return cls(alg=alg, state=state)

    @classmethod
    def from_seed(cls, seed, alg=None):
        """Returns a generator that starts from a seed.

        Args:
          seed: an integer or a list of integers.
          alg: an Algorithm, its number or name; None for Philox.
        """
        alg = random_algorithms.number_of(Algorithm.PHILOX if alg is None else alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg=None):
        """Returns a generator with a state from the system's source of randomness.

        Args:
          alg: an Algorithm, its number or name; None for Philox.
        """
        alg = random_algorithms.number_of(Algorithm.PHILOX if alg is None else alg)
        state = gen.NonDeterministicInts(shape=[_state_size(alg)], dtype=dtypes.int64)
        return cls(state=state, alg=alg)

    @classmethod
    def from_key_counter(cls, key, counter, alg):
        """Returns a generator with a key and a counter.

        Args:
          key: an integer.
          counter: a vector of integers, of the size that the algorithm needs.
          alg: an Algorithm, its number or name.
        """
        alg = random_algorithms.number_of(alg)
        return cls(state=cls._join(key, counter, alg), alg=alg)

    @staticmethod
    def _join(key, counter, alg):
        counter, key = _state_tensor(counter), _state_tensor(key)
        counter.shape.assert_is_compatible_with([_state_size(alg) - 1])
        key.shape.assert_is_compatible_with([])
        return array_ops.concat([counter, array_ops.reshape(key, [1])], 0)

    @staticmethod
    def _new_variable(state):
        with ops.name_scope('random_generator'):
            return ResourceVariable(state, dtype=dtypes.int64, trainable=False, name='StateVar')

    @property
    def state(self):
        """The state, a variable."""
        return self._state_var

    @property
    def algorithm(self):
        """The number of the algorithm."""
        return self._alg

    @property
    def key(self):
        """The key, a scalar of int64."""
        _state_size(self._alg)
        return self._state_var[-1]

    def reset(self, state):
        """Sets the state. In a graph, the operation that sets it runs only where it is used.

        Args:
          state: a vector of int64.
        """
        state = _state_tensor(state)
        state.shape.assert_is_compatible_with([_state_size(self._alg)])
        self._state_var.assign(state)

    def reset_from_seed(self, seed):
        """Sets the state from a seed, as `reset` does.

        Args:
          seed: an integer or a list of integers.
        """
        self._state_var.assign(create_rng_state(seed, self._alg))

    def reset_from_key_counter(self, key, counter):
        """Sets the state from a key and a counter, as `reset` does.

        Args:
          key: an integer.
          counter: a vector of integers, of the size that the algorithm needs.
        """
        self._state_var.assign(self._join(key, counter, self._alg))

    def skip(self, delta):
        """Advances the state by `delta` drawn numbers.

        Args:
          delta: a scalar integer.

        Returns:
          The state before that, a vector of int64.
        """
        return gen.RngReadAndSkip(self._state_var.handle, alg=math_ops.cast(self._alg, dtypes.int32),
                                  delta=math_ops.cast(delta, dtypes.uint64))

    def _take(self, shape):
        """Returns the key and counter for numbers of this shape, and advances the state."""
        state = self.skip(math_ops.reduce_prod(shape))
        last = _state_size(self._alg) - 1
        counter = array_ops.bitcast(state[:last], dtypes.uint64)
        return {'key': array_ops.bitcast(state[last:last + 1], dtypes.uint64), 'counter': counter,
                'alg': self._alg}

    def _scaled_normal(self, draw, scope, shape, mean, stddev, dtype, name):
        with ops.name_scope(name, scope, [shape, mean, stddev]) as name:
            shape = _shape_tensor(shape)
            mean = ops.convert_to_tensor(mean, dtype=dtype, name='mean')
            stddev = ops.convert_to_tensor(stddev, dtype=dtype, name='stddev')
            drawn = draw(shape, dtype=dtype, **self._take(shape))
            return math_ops.add(drawn * stddev, mean, name=name)

    def normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Draws from a normal distribution.

        Args:
          shape: the shape, an integer vector.
          mean: a scalar (or Tensor that broadcasts to shape) of dtype.
          stddev: the standard deviation, like mean.
          dtype: half, bfloat16, float or double.
          name: the name of the operation.

        Returns:
          A Tensor of shape and dtype.
        """
        return self._scaled_normal(gen.StatelessRandomNormalV2, 'stateful_normal', shape, mean,
                                   stddev, dtype, name)

    def truncated_normal(self, shape, mean=0.0, stddev=1.0, dtype=dtypes.float32, name=None):
        """Draws from a normal distribution, truncated at two standard deviations from the mean.

        Args:
          shape: the shape, an integer vector.
          mean: a scalar (or Tensor that broadcasts to shape) of dtype.
          stddev: the standard deviation before truncation, like mean.
          dtype: half, bfloat16, float or double.
          name: the name of the operation.

        Returns:
          A Tensor of shape and dtype.
        """
        return self._scaled_normal(gen.StatelessTruncatedNormalV2, 'truncated_normal', shape, mean,
                                   stddev, dtype, name)

    def uniform(self, shape, minval=0, maxval=None, dtype=dtypes.float32, name=None):
        """Draws from a uniform distribution over [minval, maxval).

        Args:
          shape: the shape, an integer vector.
          minval: the lower bound, a scalar of dtype. If both bounds are None, the range is that of
            an integer dtype.
          maxval: the upper bound, exclusive. Defaults to 1 for floating-point types.
          dtype: half, bfloat16, float, double, int32, int64; without bounds also uint32, uint64.
          name: the name of the operation.

        Returns:
          A Tensor of shape and dtype.

        Raises:
          ValueError: if only one bound of integers is None.
        """
        dtype = dtypes.as_dtype(dtype)
        if dtype.is_integer and (minval is None) != (maxval is None):
            raise ValueError(f'For integer dtype {dtype}, minval and maxval must be both `None` or '
                             f'both non-`None`; got minval={minval} and maxval={maxval}')
        if maxval is None and not dtype.is_integer:
            maxval = 1
        with ops.name_scope(name, 'stateful_uniform', [shape, minval, maxval]) as name:
            shape = _shape_tensor(shape)
            if dtype.is_integer and minval is None:
                return self._full_int(shape, dtype, name)
            minval = ops.convert_to_tensor(minval, dtype=dtype, name='min')
            maxval = ops.convert_to_tensor(maxval, dtype=dtype, name='max')
            if dtype.is_integer:
                return gen.StatelessRandomUniformIntV2(shape, minval=minval, maxval=maxval,
                                                       name=name, **self._take(shape))
            drawn = gen.StatelessRandomUniformV2(shape, dtype=dtype, **self._take(shape))
            return math_ops.add(drawn * (maxval - minval), minval, name=name)

    def uniform_full_int(self, shape, dtype=dtypes.uint64, name=None):
        """Draws integers from the whole range of a type.

        Args:
          shape: the shape, an integer vector.
          dtype: int32, int64, uint32 or uint64.
          name: the name of the operation.

        Returns:
          A Tensor of shape and dtype.
        """
        with ops.name_scope(name, 'stateful_uniform_full_int', [shape]) as name:
            return self._full_int(_shape_tensor(shape), dtypes.as_dtype(dtype), name)

    def _full_int(self, shape, dtype, name=None):
        return gen.StatelessRandomUniformFullIntV2(shape, dtype=dtype, name=name,
                                                   **self._take(shape))

    def binomial(self, shape, counts, probs, dtype=dtypes.int32, name=None):
        """Draws from binomial distributions.

        Args:
          shape: the shape, an integer vector. It ends with the shape of the parameters.
          counts: the numbers of trials, a Tensor of half, float or double.
          probs: the probabilities of success, a Tensor like counts. Both broadcast.
          dtype: half, float, double, int32 or int64.
          name: the name of the operation.

        Returns:
          A Tensor of shape and dtype.
        """
        dtype = dtypes.as_dtype(dtype)
        with ops.name_scope(name, 'binomial', [shape, counts, probs]) as name:
            counts = ops.convert_to_tensor(counts, name='counts')
            probs = ops.convert_to_tensor(probs, name='probs')
            return gen.StatefulRandomBinomial(self._state_var.handle, self._alg, shape=_shape_tensor(shape),
                                              counts=counts, probs=probs, dtype=dtype, name=name)

    def make_seeds(self, count=1):
        """Draws seeds for the functions tf.random.stateless_*.

        Args:
          count: the number of seeds.

        Returns:
          A Tensor of int64, [2, count], with a seed in each column.
        """
        _state_size(self._alg)
        keys = self.uniform_full_int([count], dtypes.int64)
        return array_ops.stack([keys, array_ops.zeros_like(keys)])

    def split(self, count=1):
        """Returns new generators with keys that this one draws.

        Args:
          count: the number of generators.

        Returns:
          A list of Generator objects.
        """
        zeros = [0] * (_state_size(self._alg) - 1)
        keys = self.uniform_full_int([count], dtypes.int64)
        return [Generator(state=[*zeros, key], alg=self._alg)
                for key in array_ops.unstack(keys, num=count)]


@export('random.get_global_generator', 'random.experimental.get_global_generator')
def get_global_generator():
    """Returns the generator of the program, which the first call makes.

    It belongs to the graph that is the default one then.
    """
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


@export('random.set_global_generator', 'random.experimental.set_global_generator')
def set_global_generator(generator):
    """Sets the generator that get_global_generator returns.

    Args:
      generator: a Generator.
    """
    global _global_generator
    _global_generator = generator
