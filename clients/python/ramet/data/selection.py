"""Datasets that take each element from one of several datasets, and random numbers."""

from ramet import gen
from ramet.api import export
from ramet.data import arguments, structure
from ramet.data.dataset import Dataset
from ramet.framework import dtypes, ops, type_spec

_NUMBER = type_spec.TensorSpec([], dtypes.int64)


def random_numbers(seed):
    """Returns a dataset of random int64 numbers without an end."""
    first, second = arguments.seeds(seed)
    return Dataset(gen.RandomDataset(seed=first, seed2=second, **structure.attrs(_NUMBER)), _NUMBER)


def _directed(selector, datasets, stop_on_empty_dataset):
    """Returns the dataset whose elements come from the datasets that `selector` numbers."""
    spec = datasets[0].element_spec
    for i, dataset in enumerate(datasets[1:]):
        try:
            spec = structure.most_specific_common(spec, dataset.element_spec)
        except (TypeError, ValueError) as error:
            raise TypeError(
                'Invalid `datasets`. `datasets` must have compatible element specs.\n Dataset 0 '
                f'element_spec={datasets[0].element_spec}.\nDataset {i + 1} '
                f'element_spec={dataset.element_spec}.') from error
    variant = gen.DirectedInterleaveDataset(
        selector_input_dataset=selector._variant_tensor,
        data_input_datasets=[dataset._variant_tensor for dataset in datasets],
        stop_on_empty_dataset=stop_on_empty_dataset, **structure.attrs(spec))
    return Dataset(variant, spec)


@export('data.experimental.choose_from_datasets', 'contrib.data.choose_from_datasets')
def choose_from_datasets(datasets, choice_dataset, stop_on_empty_dataset=False):
    """Returns a dataset that takes each element from the dataset whose number another dataset gives.

    Args:
      datasets: a list of Datasets with the same structure and dtypes.
      choice_dataset: a Dataset of scalar int64 numbers.
      stop_on_empty_dataset: True ends at the end of a chosen dataset; False skips it from then on.

    Raises:
      ValueError: if `datasets` is empty.
      TypeError: if the choices are not int64 scalars, or the datasets differ.
    """
    if not datasets:
        raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
    if not isinstance(choice_dataset, Dataset):
        raise TypeError('Invalid `choice_dataset`. `choice_dataset` should be a `tf.data.Dataset` but '
                        f'is {type(choice_dataset)}.')
    spec = choice_dataset.element_spec
    if structure.is_nested(spec) or not _NUMBER.is_compatible_with(spec):
        raise TypeError('Invalid `choice_dataset`. Elements of `choice_dataset` must be scalar '
                        f'`tf.int64` tensors but are {spec}.')
    choices = choice_dataset._transform(gen.RewriteDataset, rewrite_name='replicate_on_split')
    return _directed(choices, list(datasets), stop_on_empty_dataset)


def _logits(datasets, weights):
    """Returns (datasets, logits): those with a weight other than 0, and the logarithms of their weights."""
    if weights is None:
        return datasets, [[1.0] * len(datasets)]
    if hasattr(weights, 'op'):
        if not weights.shape.is_compatible_with([len(datasets)]):
            raise ValueError('Invalid `weights`. The shape of `weights` should be compatible with '
                             f'`[len(datasets)]` but is {weights.shape}.')
    else:
        if len(datasets) != len(weights):
            raise ValueError('Invalid `weights`. `weights` should have the same length as `datasets` '
                             f'but got `len(weights)={len(weights)}` vs. '
                             f'`len(datasets)={len(datasets)}`.')
        kept = [(d, w) for d, w in zip(datasets, weights, strict=True) if w > 0]
        kept = kept or [(datasets[0].take(0), 1.)]
        datasets, weights = [d for d, _ in kept], [w for _, w in kept]
    weights = ops.convert_to_tensor(weights, name='weights')
    if weights.dtype not in (dtypes.float32, dtypes.float64):
        raise TypeError('Invalid `weights`. `weights` type must be either `tf.float32` or '
                        f'`tf.float64` but is {weights.dtype}.')
    return datasets, gen.ExpandDims(gen.Log(weights, name='logits'), 0)


@export('data.experimental.sample_from_datasets', 'contrib.data.sample_from_datasets')
def sample_from_datasets(datasets, weights=None, seed=None, stop_on_empty_dataset=False):
    """Returns a dataset that takes each element from a random dataset.

    Args:
      datasets: a list of Datasets with the same structure and dtypes.
      weights: their probabilities: a list, a Tensor, or a Dataset of these. None means equal ones.
      seed: int or None.
      stop_on_empty_dataset: True ends at the end of a chosen dataset; False skips it from then on.

    Raises:
      ValueError: if `datasets` is empty, or `weights` has another length.
      TypeError: if the weights are not numbers, or the datasets differ.
    """
    if not datasets:
        raise ValueError('Invalid `datasets`. `datasets` should not be empty.')
    datasets = list(datasets)

    def choose(logits, seeds):
        drawn = gen.StatelessMultinomial(logits=logits, num_samples=1, seed=seeds)
        return gen.Squeeze(drawn, [0, 1])

    if isinstance(weights, Dataset):
        logits = weights.map(lambda p: gen.Log(p, name='logits'))
        seeds = random_numbers(seed).batch(2)
        selector = Dataset.zip((logits, seeds)).map(lambda l, s: choose([l], s))
    else:
        datasets, logits = _logits(datasets, weights)
        if len(datasets) == 1:
            return datasets[0]
        logits = ops.convert_to_tensor(logits)
        selector = random_numbers(seed).batch(2).map(lambda s: choose(logits, s))
    return _directed(selector, datasets, stop_on_empty_dataset)
