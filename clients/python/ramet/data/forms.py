"""How dataset ops hold the components of elements: each in one tensor.

A Tensor is held as it is. Others are held in variants. `register` adds a kind of component.
"""

from ramet import gen
from ramet.framework import constant_op, dtypes, ops, tensor_shape, tensor_util, type_spec
from ramet.framework.sparse_tensor import SparseTensor, SparseTensorSpec


class TensorForm:
    """The form of Tensors, which are held as they are. Others derive from it."""

    # Whether output_types, output_shapes and output_classes hold the spec itself instead of its dtype, shape and class.
    is_opaque = False

    def flat_spec(self, spec):
        """Returns the TensorSpec of the tensor that holds a component of `spec`."""
        return spec

    def to_tensor(self, spec, value):
        """Returns the tensor that holds a component."""
        return value

    def to_rows(self, spec, value):
        """Returns a tensor whose slices hold the slices of a component along its first dimension.

        Raises:
          ValueError: if the component is a scalar.
        """
        return self.to_tensor(spec, value)

    def from_tensor(self, spec, tensor):
        """Returns the component that a tensor holds."""
        return tensor

    def batched(self, spec, rows):
        """Returns the spec of batches of `rows` components, None for any number."""
        return type_spec.TensorSpec(tensor_shape.TensorShape([rows]).concatenate(spec.shape), spec.dtype)

    def row(self, spec):
        """Returns the spec of the slices of a component along its first dimension.

        Raises:
          ValueError: if the component is a scalar.
        """
        if spec.shape.ndims == 0:
            raise ValueError('Unbatching a tensor is only supported for rank >= 1')
        return type_spec.TensorSpec(spec.shape[1:], spec.dtype)


class SparseForm(TensorForm):
    """The form of SparseTensors: a vector of variants with indices, values and shape."""

    def flat_spec(self, spec):
        # A batch of sparse tensors has more dimensions.
        return type_spec.TensorSpec(None, dtypes.variant)

    def to_tensor(self, spec, value):
        return gen.SerializeSparse(value.indices, value.values, value.dense_shape, out_type=dtypes.variant)

    def to_rows(self, spec, value):
        shape = tensor_util.constant_value_as_shape(value.dense_shape)
        if spec.shape.merge_with(shape).ndims == 0:
            raise ValueError(f'Unbatching a sparse tensor is only supported for rank >= 1. Obtained input: {value}.')
        return gen.SerializeManySparse(value.indices, value.values, value.dense_shape, out_type=dtypes.variant)

    def from_tensor(self, spec, tensor):
        indices, values, dense_shape = gen.DeserializeSparse(tensor, spec.dtype)
        indices.set_shape([None, spec.shape.ndims])
        return SparseTensor(indices, values, _known_shape(spec.shape, dense_shape))

    def batched(self, spec, rows):
        return SparseTensorSpec(tensor_shape.TensorShape([rows]).concatenate(spec.shape), spec.dtype)

    def row(self, spec):
        if spec.shape.ndims == 0:
            raise ValueError('Unbatching a tensor is only supported for rank >= 1')
        return SparseTensorSpec(spec.shape[1:], spec.dtype)


def _known_shape(shape, dense_shape):
    """Returns the shape of a sparse tensor, with constants for the sizes that its static shape has."""
    if shape.is_fully_defined():
        return ops.convert_to_tensor(shape, dtype=dtypes.int64, name='shape')
    if shape.ndims is None or all(size is None for size in shape.as_list()):
        dense_shape.set_shape([shape.ndims])
        return dense_shape
    sizes = gen.Unpack(dense_shape, num=shape.ndims, name='unstack')
    return gen.Pack([size if known is None else constant_op.constant(known, dtypes.int64)
                     for size, known in zip(sizes, shape.as_list(), strict=True)], name='stack')


_forms = {type_spec.TensorSpec: TensorForm(), SparseTensorSpec: SparseForm()}


def register(spec_class, form):
    """Makes components with specs of a class possible.

    Args:
      spec_class: a class of TypeSpecs.
      form: a TensorForm.
    """
    _forms[spec_class] = form


def form_of(spec):
    """Returns the form of components of a spec.

    Raises:
      TypeError: if datasets cannot have such components.
    """
    form = _forms.get(type(spec))
    if form is None:
        raise TypeError(f'{spec}: datasets cannot have components of this kind')
    return form
