"""Candidate samplers: classes for sampled losses. With the same seeds, they are equal to TensorFlow's."""

from ramet import gen
from ramet.api import export
from ramet.docstrings import with_args_of
from ramet.framework import random_seed


@export('random.uniform_candidate_sampler', 'nn.uniform_candidate_sampler')
def uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes from [0, range_max) with the same probability.

    Args:
      true_classes: an int64 Tensor [batch, num_true] of classes.
      num_true: int, the number of true classes per example.
      num_sampled: int, the number of classes to draw.
      unique: bool, whether all drawn classes are different.
      range_max: int, the number of classes.
      seed: an integer; see tf.set_random_seed.
      name: the name of the operation.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count): the drawn classes, and how often each true
      and each drawn class is expected among them.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.UniformCandidateSampler(true_classes, num_true, num_sampled, unique, range_max, seed=seed1,
                                       seed2=seed2, name=name)


@export('random.log_uniform_candidate_sampler', 'nn.log_uniform_candidate_sampler')
@with_args_of(uniform_candidate_sampler)
def log_uniform_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws class k with the probability log((k + 2) / (k + 1)) / log(range_max + 1).

    This suits classes that are sorted by falling frequency, such as the words of a vocabulary.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count), as tf.nn.uniform_candidate_sampler.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.LogUniformCandidateSampler(true_classes, num_true, num_sampled, unique, range_max, seed=seed1,
                                          seed2=seed2, name=name)


@export('random.learned_unigram_candidate_sampler', 'nn.learned_unigram_candidate_sampler')
@with_args_of(uniform_candidate_sampler)
def learned_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, seed=None, name=None):
    """Draws classes in proportion to one more than how often they were true classes in earlier runs.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count), as tf.nn.uniform_candidate_sampler.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.LearnedUnigramCandidateSampler(true_classes, num_true, num_sampled, unique, range_max, seed=seed1,
                                              seed2=seed2, name=name)


@export('random.fixed_unigram_candidate_sampler', 'nn.fixed_unigram_candidate_sampler')
@with_args_of(uniform_candidate_sampler)
def fixed_unigram_candidate_sampler(true_classes, num_true, num_sampled, unique, range_max, vocab_file='',
                                    distortion=1.0, num_reserved_ids=0, num_shards=1, shard=0, unigrams=(),
                                    seed=None, name=None):
    """Draws classes in proportion to given counts.

    Args:
      vocab_file: the name of a comma-separated file whose last column contains a count per line.
      distortion: the power to which counts are raised; 0 gives all classes the same probability.
      num_reserved_ids: the number of classes before the first one with a count. They are never drawn.
      num_shards: the number of processes that the classes are distributed over.
      shard: the number of this process.
      unigrams: a list of counts, instead of vocab_file.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count), as tf.nn.uniform_candidate_sampler.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.FixedUnigramCandidateSampler(
        true_classes, num_true, num_sampled, unique, range_max, vocab_file=vocab_file, distortion=distortion,
        num_reserved_ids=num_reserved_ids, num_shards=num_shards, shard=shard, unigrams=unigrams, seed=seed1,
        seed2=seed2, name=name)


@export('random.all_candidate_sampler', 'nn.all_candidate_sampler')
@with_args_of(uniform_candidate_sampler)
def all_candidate_sampler(true_classes, num_true, num_sampled, unique, seed=None, name=None):
    """Returns all classes, to test a sampled loss without sampling.

    Returns:
      (sampled_candidates, true_expected_count, sampled_expected_count): the classes 0 to num_sampled - 1, and ones.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.AllCandidateSampler(true_classes, num_true, num_sampled, unique, seed=seed1, seed2=seed2, name=name)


@export('nn.compute_accidental_hits')
@with_args_of(uniform_candidate_sampler)
def compute_accidental_hits(true_classes, sampled_candidates, num_true, seed=None, name=None):
    """Finds the drawn classes that are true classes of an example.

    Args:
      sampled_candidates: an int64 Tensor [num_sampled], the drawn classes.

    Returns:
      (indices, ids, weights): the rows of true_classes, the positions in sampled_candidates of the same class, and
      the lowest float for each of these pairs.
    """
    seed1, seed2 = random_seed.get_seed(seed)
    return gen.ComputeAccidentalHits(true_classes, sampled_candidates, num_true, seed=seed1, seed2=seed2, name=name)
