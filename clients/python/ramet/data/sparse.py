"""Datasets of sparse tensors and of their rows."""

from ramet import gen
from ramet.api import export
from ramet.data import structure
from ramet.data.arguments import int64
from ramet.data.dataset import Dataset
from ramet.data.padding import shape_tensor
from ramet.framework import dtypes, tensor_shape
from ramet.framework.sparse_tensor import SparseTensorSpec


@export('data.experimental.dense_to_sparse_batch', 'contrib.data.dense_to_sparse_batch')
def dense_to_sparse_batch(batch_size, row_shape):
    """Returns a transformation that makes batches of elements of different shapes, as SparseTensors.

    Args:
      batch_size: how many elements a batch has.
      row_shape: the shape that all elements fit in; an unknown size becomes the largest in the batch.

    Returns:
      A function from a Dataset to a Dataset.

    Raises:
      TypeError: when it is applied, if the elements have several components.
    """
    def apply(dataset):
        dtype = dataset.output_types
        if not isinstance(dtype, dtypes.DType):
            raise TypeError('`dense_to_sparse_batch` requires an input dataset whose elements have a single component, '
                            f'but the given dataset has the following component types: {dtype}.')
        spec = SparseTensorSpec(tensor_shape.TensorShape([None]).concatenate(row_shape), dtype)
        variant = gen.DenseToSparseBatchDataset(
            dataset._variant_tensor, int64(batch_size, None), shape_tensor(row_shape), **structure.attrs(spec))
        return Dataset(variant, spec)

    return apply
