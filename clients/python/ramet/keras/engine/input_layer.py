"""The inputs of models."""

from ramet.api import export
from ramet.framework import dtypes, ops, tensor_shape
from ramet.keras.backend import config, state, values
from ramet.keras.engine import node, operation_layer  # noqa: F401 - operations on inputs become layers
from ramet.keras.engine.base_layer import Layer


@export('keras.layers.InputLayer')
class InputLayer(Layer):
    """The layer of an input of a model.

    Args:
      input_shape: the shape without the batch.
      batch_size: the size of the batch, or None.
      dtype: the type; None means the default floating-point type.
      input_tensor: a Tensor to use instead of a placeholder.
      sparse: whether to create a sparse placeholder.
      name: the name of the layer.
      **kwargs: `batch_input_shape`, the shape with the batch; and `ragged`, which must be False.

    Raises:
      ValueError: if an argument is unknown, or the shape is given twice.
    """

    def __init__(self, input_shape=None, batch_size=None, dtype=None, input_tensor=None, sparse=False, name=None,
                 **kwargs):
        if 'batch_input_shape' in kwargs:
            shape = kwargs.pop('batch_input_shape')
            if shape is not None and input_shape is not None:
                raise ValueError('Only provide the input_shape OR batch_input_shape argument to InputLayer, not both '
                                 'at the same time.')
            if shape is not None:
                batch_size, input_shape = shape[0], tuple(shape[1:])
        if kwargs.pop('ragged', False) or kwargs:
            raise ValueError(f'Unrecognized keyword arguments: {kwargs.keys()}')
        if dtype is None:
            dtype = config.floatx() if input_tensor is None else values.dtype(input_tensor)
        super().__init__(dtype=dtype, name=name or f'input_{state.get_uid("input")}')
        self.built = True
        self.sparse = sparse
        self.batch_size = batch_size
        self.supports_masking = True
        self.is_placeholder = input_tensor is None
        if input_tensor is None:
            input_tensor = self._made_placeholder(input_shape, batch_size, dtype)
        self._batch_input_shape = values.int_shape(input_tensor)
        if not hasattr(input_tensor, '_keras_mask'):
            input_tensor._keras_mask = None
        made = node.Node(self, [], [input_tensor])
        made.input_tensors = [input_tensor]
        node.mark(made)

    def _made_placeholder(self, shape, batch_size, dtype):
        if isinstance(shape, tensor_shape.TensorShape):
            shape = tuple(shape.as_list())
        elif isinstance(shape, int):
            shape = (shape,)
        full = None if shape is None else (batch_size, *shape)
        with state.symbolic_graph(), ops.name_scope(''):
            return values.placeholder(shape=full, dtype=dtypes.as_dtype(dtype), name=self.name, sparse=self.sparse)

    # As in TensorFlow 1.15, a list.
    output_shape = property(lambda self: [self._batch_input_shape])

    def get_config(self):
        return {'batch_input_shape': self._batch_input_shape, 'dtype': self.dtype, 'sparse': self.sparse,
                'ragged': False, 'name': self.name}


@export('keras.Input', 'keras.layers.Input')
def Input(shape=None, batch_size=None, name=None, dtype=None, sparse=False, tensor=None, **kwargs):  # noqa: N802
    """Creates an input of a model.

    Args:
      shape: the shape without the batch.
      batch_size: the size of the batch, or None.
      name: the name of its layer.
      dtype: the type; None means the default floating-point type.
      sparse: whether to create a sparse placeholder.
      tensor: a Tensor to use instead of a placeholder.
      **kwargs: `batch_shape`, the shape with the batch.

    Returns:
      A Tensor.

    Raises:
      ValueError: if the shape is missing or given twice, or an argument is unknown.
    """
    batch_shape = kwargs.pop('batch_shape', None)
    if shape is not None and batch_shape is not None:
        raise ValueError('Only provide the `shape` OR `batch_shape` argument to Input, not both at the same time.')
    if batch_shape is None and shape is None and tensor is None:
        raise ValueError('Please provide to Input either a `shape` or a `tensor` argument. Note that `shape` does not '
                         'include the batch dimension.')
    if kwargs:
        raise ValueError(f'Unrecognized keyword arguments: {kwargs.keys()}')
    shapes = {'batch_input_shape': batch_shape} if batch_shape is not None else {'input_shape': shape}
    layer = InputLayer(batch_size=batch_size, name=name, dtype=dtype, sparse=sparse, input_tensor=tensor, **shapes)
    return layer._inbound_nodes[0].output_tensors[0]
