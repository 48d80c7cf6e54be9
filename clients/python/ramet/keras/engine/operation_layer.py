"""The layer of one operation."""

from ramet.core.framework import node_def_pb2
from ramet.framework import nest, ops, tensor_util
from ramet.keras.backend import state, values
from ramet.keras.engine import node, op_layer
from ramet.keras.engine.base_layer import Layer


class TensorFlowOpLayer(Layer):
    """An operation on tensors of layers, such as x + y.

    Args:
      node_def: the NodeDef of the operation, or its serialized bytes.
      constants: a dict from the numbers of inputs to tensors or arrays that depend on no layer.
      name: the name of the layer.
      trainable, dtype: see Layer.
    """

    def __init__(self, node_def, constants=None, name=None, trainable=True, dtype=None):
        super().__init__(name=name or state.unique_name('tf_op_layer_op'), trainable=trainable, dtype=dtype)
        if isinstance(node_def, str):
            node_def = node_def_pb2.NodeDef.FromString(node_def.encode('latin1'))
        self.node_def = node_def
        self.constants = {int(k): v for k, v in (constants or {}).items()}
        self.built = True

    @staticmethod
    def of(operation):
        """Returns the layer of an operation."""
        constants = {i: t for i, t in enumerate(operation.inputs) if not node.is_keras_tensor(t)}
        name = state.unique_name('tf_op_layer_' + operation.name.replace('/', '_'))
        return TensorFlowOpLayer(operation.node_def, constants, name=name)

    def call(self, inputs):
        inputs = list(nest.flatten(inputs))
        for index in sorted(self.constants):
            inputs.insert(index, ops.convert_to_tensor(self.constants[index]))
        graph = ops.get_default_graph()
        made = graph.create_op(self.node_def.op, inputs, name=self.node_def.name.rpartition('/')[2],
                               attrs={k: v for k, v in self.node_def.attr.items() if k != '_class'})
        outputs = list(made.outputs)
        return outputs[0] if len(outputs) == 1 else outputs

    def get_config(self):
        constants = {i: self._value(t) for i, t in self.constants.items()}
        return {**super().get_config(), 'node_def': self.node_def.SerializeToString().decode('latin1'),
                'constants': constants}

    @staticmethod
    def _value(tensor):
        known = tensor_util.constant_value(tensor) if isinstance(tensor, ops.Tensor) else tensor
        return values.get_value(tensor) if known is None else known


op_layer.set_factory(TensorFlowOpLayer.of)
