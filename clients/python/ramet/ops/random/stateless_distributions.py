"""Numbers of distributions with parameters, and seeds, that depend only on a seed tensor.

They are equal to TensorFlow's.
"""

import numpy as np

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import dtypes, ops
from ramet.ops.array import array_ops
from ramet.ops.math import math_ops
from ramet.ops.random.random_ops import _shape_tensor, _with_static_shape
from ramet.ops.random.stateless_random_ops import _key_counter_alg, stateless_random_uniform


@export('random.stateless_binomial')
def stateless_random_binomial(shape, seed, counts, probs, output_dtype=dtypes.int32, name=None):
    """Draws from binomial distributions. Equal seeds draw equal numbers.

    Args:
      shape: the shape, an integer vector. It ends with the shape of the parameters.
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      counts: the numbers of trials, a Tensor of half, float or double.
      probs: the probabilities of success, a Tensor like counts. Both broadcast.
      output_dtype: half, float, double, int32 or int64.
      name: the name of the operation.

    Returns:
      A Tensor of shape and output_dtype.
    """
    with ops.name_scope(name, 'stateless_random_binomial', [shape, seed, counts, probs]) as name:
        shape = _shape_tensor(shape)
        probs = ops.convert_to_tensor(probs, dtype_hint=dtypes.float32, name='probs')
        counts = ops.convert_to_tensor(counts, dtype_hint=probs.dtype, name='counts')
        result = gen.StatelessRandomBinomial(shape, seed, counts, probs, dtype=output_dtype)
        return _with_static_shape(result, shape)


@export('random.stateless_gamma')
@with_args_of(stateless_random_binomial)
def stateless_random_gamma(shape, seed, alpha, beta=None, dtype=dtypes.float32, name=None):
    """Draws from gamma distributions. Equal seeds draw equal numbers.

    Args:
      alpha: the shapes of the distributions, a Tensor of dtype.
      beta: the rates, a Tensor of dtype that broadcasts with alpha. Defaults to 1.
      dtype: half, float or double.

    Returns:
      A Tensor of shape and dtype.
    """
    with ops.name_scope(name, 'stateless_random_gamma', [shape, seed, alpha, beta]) as name:
        shape = _shape_tensor(shape)
        alpha = ops.convert_to_tensor(alpha, dtype=dtype, name='alpha')
        beta = ops.convert_to_tensor(1 if beta is None else beta, name='beta', dtype=dtype)
        both = array_ops.broadcast_dynamic_shape(array_ops.shape(alpha), array_ops.shape(beta))
        broadcast = array_ops.broadcast_to(alpha, both)
        key, counter, alg = _key_counter_alg(seed, 'auto_select')
        drawn = gen.StatelessRandomGammaV3(shape, key=key, counter=counter, alg=alg, alpha=broadcast)
        result = math_ops.maximum(np.finfo(alpha.dtype.as_numpy_dtype).tiny, drawn / beta)
        return _with_static_shape(result, shape)


@export('random.stateless_poisson')
@with_args_of(stateless_random_binomial)
def stateless_random_poisson(shape, seed, lam, dtype=dtypes.int32, name=None):
    """Draws from Poisson distributions. Equal seeds draw equal numbers.

    Args:
      lam: the rates, a Tensor of half, float, double, int32 or int64.
      dtype: half, float, double, int32 or int64.

    Returns:
      A Tensor of shape and dtype.
    """
    with ops.name_scope(name, 'stateless_random_poisson', [shape, seed, lam]) as name:
        shape = _shape_tensor(shape)
        result = gen.StatelessRandomPoisson(shape, seed, lam, dtype=dtype)
        return _with_static_shape(result, shape)


@export('random.stateless_parameterized_truncated_normal')
@with_args_of(stateless_random_binomial)
def stateless_parameterized_truncated_normal(shape, seed, means=0.0, stddevs=1.0, minvals=-2.0, maxvals=2.0,
                                             name=None):
    """Draws from normal distributions that are truncated to intervals. Equal seeds draw equal numbers.

    Args:
      means: the means before truncation, a Tensor of half, float or double.
      stddevs: the standard deviations before truncation, like means. All parameters broadcast.
      minvals: the lower bounds, like means.
      maxvals: the upper bounds, like means. One of the bounds may be infinite.

    Returns:
      A Tensor of shape and the dtype of means.
    """
    with ops.name_scope(name, 'stateless_parameterized_truncated_normal',
                        [shape, means, stddevs, minvals, maxvals]) as name:
        shape = _shape_tensor(shape)
        means = ops.convert_to_tensor(means, name='means')
        stddevs = ops.convert_to_tensor(stddevs, name='stddevs')
        minvals = ops.convert_to_tensor(minvals, name='minvals')
        maxvals = ops.convert_to_tensor(maxvals, name='maxvals')
        result = gen.StatelessParameterizedTruncatedNormal(shape, seed, means, stddevs, minvals, maxvals)
        return _with_static_shape(result, shape)


@export('random.split', 'random.experimental.stateless_split')
def split(seed, num=2, alg='auto_select'):
    """Makes seeds from a seed.

    Args:
      seed: two integers (int32 or int64), a Tensor or a value that can be converted to one.
      num: the number of seeds, an integer or an integer Tensor.
      alg: 'auto_select'.

    Returns:
      A Tensor [num, 2] of the dtype of seed, with a seed in each row.

    Raises:
      ValueError: if alg is not an algorithm.
      NotImplementedError: if it is not 'auto_select'.
    """
    seed = ops.convert_to_tensor(seed)
    return stateless_random_uniform([num, 2], seed, minval=None, maxval=None, dtype=seed.dtype, alg=alg)


@export('random.fold_in', 'random.experimental.stateless_fold_in')
@with_args_of(split)
def fold_in(seed, data, alg='auto_select'):
    """Makes a seed from a seed and a number, such as that of a step.

    Args:
      data: an int32 or int64, a Tensor or a value that can be converted to one.

    Returns:
      A seed, a Tensor [2] of the dtype of data.

    Raises:
      ValueError: if alg is not an algorithm.
      NotImplementedError: if it is not 'auto_select'.
    """
    data = ops.convert_to_tensor(data)
    first = stateless_random_uniform([], seed, minval=None, maxval=None, dtype=data.dtype, alg=alg)
    return array_ops.stack([first, data])
