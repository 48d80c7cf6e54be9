"""Random graphs of several ops for differential.py: each node uses earlier nodes."""

import numpy as np
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import dtypes, tensor_util

UNARY = ('Abs', 'Neg', 'Square', 'Tanh', 'Sigmoid', 'Exp', 'Relu', 'Softplus', 'Sqrt', 'Floor',
         'Sign', 'Identity', 'ZerosLike', 'Rsqrt', 'Log1p', 'Sin')
BINARY = ('AddV2', 'Sub', 'Mul', 'Maximum', 'Minimum', 'RealDiv', 'SquaredDifference', 'FloorDiv')
REDUCE = ('Sum', 'Mean', 'Max', 'Min', 'Prod')


class GraphMaker:
    """Adds nodes of float32 to a GraphDef."""

    def __init__(self, random):
        self.random = random
        self.graph = graph_pb2.GraphDef()
        self.graph.versions.producer = 1087
        self.tensors, self.feeds = [], {}

    def pick(self, items):
        return items[self.random.randint(len(items))]

    def const(self, value, dtype=dtypes.int32):
        node = self.graph.node.add(name=f'n{len(self.graph.node)}', op='Const')
        node.attr['dtype'].type = dtype.as_datatype_enum
        node.attr['value'].tensor.CopyFrom(tensor_util.make_tensor_proto(value, dtype))
        return node.name

    def add(self, op, *inputs, types=('T',), **ints):
        node = self.graph.node.add(name=f'n{len(self.graph.node)}', op=op)
        node.input.extend(inputs)
        for name in types:
            node.attr[name].type = 1
        for name, value in ints.items():
            if isinstance(value, bool):
                node.attr[name].b = value
            elif isinstance(value, dtypes.DType):
                node.attr[name].type = value.as_datatype_enum
            else:
                node.attr[name].i = value
        self.tensors.append(node.name)

    def add_input(self):
        shape = [self.pick([0, 1, 2, 3, 3]) for _ in range(self.random.randint(4))]
        node = self.graph.node.add(name=f'n{len(self.graph.node)}', op='Placeholder')
        node.attr['dtype'].type = 1
        node.attr['shape'].shape.SetInParent()
        for size in shape:
            node.attr['shape'].shape.dim.add().size = self.pick([size, size, -1])
        self.feeds[node.name + ':0'] = np.asarray(
            self.random.randint(-16, 17, shape) / 8, np.float32).reshape(shape)
        self.tensors.append(node.name)

    def add_random(self):
        x = self.pick(self.tensors)
        way = self.random.randint(9)
        int32 = dtypes.int32
        if way < 2:
            self.add(self.pick(UNARY), x)
        elif way < 4:
            self.add(self.pick(BINARY), x, self.pick(self.tensors))
        elif way == 4:
            axis = self.const(self.pick([0, -1, 1, [], [0, 1]]))
            self.add(self.pick(REDUCE), x, axis, keep_dims=bool(self.random.randint(2)), Tidx=int32)
        elif way == 5:
            sizes = self.const(self.pick([[-1], [1, -1], [-1, 3], [3, -1], []]))
            self.add('Reshape', x, sizes, Tshape=int32)
        elif way == 6:
            self.add('ConcatV2', x, self.pick(self.tensors), self.const(self.pick([0, -1, 1])), N=2,
                     Tidx=int32)
        elif way == 7:
            self.add('ExpandDims', x, self.const(self.pick([0, -1, 1])), Tdim=int32)
        else:
            self.add('MatMul', x, self.pick(self.tensors),
                     transpose_a=bool(self.random.randint(2)),
                     transpose_b=bool(self.random.randint(2)))


def several_ops(random):
    """Returns a case of 2 to 8 ops."""
    maker = GraphMaker(random)
    for _ in range(1 + random.randint(3)):
        maker.add_input()
    for _ in range(2 + random.randint(7)):
        maker.add_random()
    return {'op': 'graph', 'graph': maker.graph.SerializeToString(), 'feeds': maker.feeds,
            'fetches': [name + ':0' for name in maker.tensors]}
