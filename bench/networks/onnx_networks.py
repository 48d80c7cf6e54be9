"""The networks of the benchmarks as ONNX models with the weights of the other sides, for inference.

Inputs and outputs are those of the graphs: images come as NHWC and are transposed once, because ONNX convolves NCHW.
"""
import common
import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

OPSET = 18
OUTPUT_RANKS = {"encoder": 3, "chain": 1, "smooth_chain": 1, "tiny_ops": 0}  # 2 for the others


class ModelBuilder:
    """Adds nodes and constants to a model; each method returns the name of a value."""

    def __init__(self):
        self._nodes = []
        self._constants = {}

    def constant(self, value):
        name = f"constant{len(self._constants)}"
        self._constants[name] = numpy_helper.from_array(np.asarray(value), name)
        return name

    def weight(self, name, shape, fill=None):
        value = common.normal(name, shape) if fill is None else np.full(shape, fill, np.float32)
        return self.constant(value)

    def ints(self, *values):
        return self.constant(np.array(values, np.int64))

    def node(self, kind, *inputs, outputs=1, **attributes):
        names = [f"{kind}{len(self._nodes)}_{i}" for i in range(outputs)]
        inputs = [self.constant(np.float32(value)) if isinstance(value, float) else value for value in inputs]
        self._nodes.append(helper.make_node(kind, inputs, names, **attributes))
        return names[0] if outputs == 1 else names

    def model(self, out, shape, output_rank):
        """Returns the serialized model from the input 'x' to `out`."""
        x = helper.make_tensor_value_info("x", TensorProto.FLOAT, shape)
        y = helper.make_tensor_value_info(out, TensorProto.FLOAT, [None] * output_rank)
        graph = helper.make_graph(self._nodes, "network", [x], [y], list(self._constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=9)
        onnx.checker.check_model(model)
        return model.SerializeToString()


def mlp(m, x):
    for i, (rows, columns) in enumerate([(784, 256), (256, 256), (256, 10)]):
        x = m.node("Gemm", x, m.weight(f"w{i}", (rows, columns)), m.weight(f"b{i}", (columns,), 0))
        x = m.node("Relu", x) if i < 2 else m.node("Softmax", x, axis=-1)
    return x


def to_nchw(m, x):
    return m.node("Transpose", x, perm=[0, 3, 1, 2])


def conv(m, x, name, shape, stride=1, bias=None):
    """Adds a convolution with the padding that TensorFlow calls SAME. `shape` is HWIO."""
    kernel = m.constant(np.ascontiguousarray(common.normal(name, shape).transpose(3, 2, 0, 1)))
    return m.node("Conv", x, kernel, *([] if bias is None else [bias]), strides=[stride, stride],
                  kernel_shape=list(shape[:2]), auto_pad="SAME_UPPER")


def cnn(m, x):
    x = to_nchw(m, x)
    for i, (before, after) in enumerate([(1, 32), (32, 64)]):
        x = m.node("Relu", conv(m, x, f"c{i}", (5, 5, before, after), bias=m.weight(f"cb{i}", (after,), 0)))
        x = m.node("MaxPool", x, kernel_shape=[2, 2], strides=[2, 2])
    x = m.node("Reshape", m.node("Transpose", x, perm=[0, 2, 3, 1]), m.ints(-1, 3136))
    x = m.node("Relu", m.node("MatMul", x, m.weight("f0", (3136, 1024))))
    return m.node("MatMul", x, m.weight("f1", (1024, 10)))


class Images:
    """A value of NCHW images that common.resnet20_blocks can add, with a shape whose last size is the channels."""

    def __init__(self, builder, name, channels):
        self._builder = builder
        self.name = name
        self.shape = (None, None, None, channels)

    def __add__(self, other):
        return self.then("Add", other.name)

    def then(self, kind, *inputs):
        """Returns the images after a node that keeps their channels."""
        return Images(self._builder, self._builder.node(kind, self.name, *inputs), self.shape[-1])


def batch_moments(m, h, channels, scale, offset):
    """Adds batch normalization with the batch's own moments, which onnxruntime's BatchNormalization does not have."""
    axes = m.ints(0, 2, 3)
    mean = m.node("ReduceMean", h, axes, keepdims=1)
    centered = m.node("Sub", h, mean)
    variance = m.node("ReduceMean", m.node("Mul", centered, centered), axes, keepdims=1)
    deviation = m.node("Sqrt", m.node("Add", variance, 1e-3))
    factor = m.node("Div", m.node("Reshape", scale, m.ints(1, channels, 1, 1)), deviation)
    shift = m.node("Reshape", offset, m.ints(1, channels, 1, 1))
    return m.node("Add", m.node("Mul", centered, factor), shift)


def resnet20(m, x, frozen=False):
    count = [0]

    def conv_bn(h, channels, size, stride, relu=True):
        number = count[0]
        count[0] += 1
        out = conv(m, h.name, f"k{number}", (size, size, h.shape[-1], channels), stride)
        scale, offset = m.weight(f"g{number}", (channels,), 1), m.weight(f"o{number}", (channels,), 0)
        if frozen:
            mean = m.weight(f"m{number}", (channels,), common.KEPT_MEAN)
            variance = m.weight(f"v{number}", (channels,), common.KEPT_VARIANCE)
            out = m.node("BatchNormalization", out, scale, offset, mean, variance, epsilon=1e-3)
        else:
            out = batch_moments(m, out, channels, scale, offset)
        out = Images(m, out, channels)
        return out.then("Relu") if relu else out
    h = common.resnet20_blocks(Images(m, to_nchw(m, x), 3), conv_bn, lambda h: h.then("Relu"))
    mean = m.node("ReduceMean", h.name, m.ints(2, 3), keepdims=0)
    return m.node("MatMul", mean, m.weight("fc", (64, 10)))


def lstm(m, x):
    """The LSTM op of ONNX: the gates in its order, and the forget gate's 1.0 in the bias."""
    def gates(rows):  # (n, 512) with the gates i, j, f, o -> (1, 512, n) with i, o, f, j
        i, j, f, o = np.split(rows, 4, axis=1)
        return np.ascontiguousarray(np.concatenate([i, o, f, j], axis=1).T[None])
    w = common.normal("w", (64 + 128, 512))
    bias = np.zeros((1, 1024), np.float32)
    bias[0, 256:384] = 1.0
    out = m.node("LSTM", x, m.constant(gates(w[:64])), m.constant(gates(w[64:])), m.constant(bias),
                 outputs=2, hidden_size=128)[1]
    return m.node("Squeeze", out, m.ints(0))


def encoder(m, h):
    count = [0]

    def dense(h, rows, columns):
        count[0] += 1
        product = m.node("MatMul", h, m.weight(f"d{count[0]}", (rows, columns)))
        return m.node("Add", product, m.weight(f"db{count[0]}", (columns,), 0))

    def norm(h):
        count[0] += 1
        return m.node("LayerNormalization", h, m.weight(f"g{count[0]}", (128,), 1), axis=-1, epsilon=1e-6)

    def heads(h, perm):
        return m.node("Transpose", m.node("Reshape", h, m.ints(-1, 64, 4, 32)), perm=perm)
    for _ in range(4):
        q, k, v = (heads(dense(h, 128, 128), perm) for perm in ([0, 2, 1, 3], [0, 2, 3, 1], [0, 2, 1, 3]))
        scores = m.node("Softmax", m.node("Mul", m.node("MatMul", q, k), 0.17677669), axis=-1)
        a = m.node("Transpose", m.node("MatMul", scores, v), perm=[0, 2, 1, 3])
        h = norm(m.node("Add", h, dense(m.node("Reshape", a, m.ints(-1, 64, 128)), 128, 128)))
        f = dense(h, 128, 512)
        erf = m.node("Add", m.node("Erf", m.node("Mul", f, 0.70710678)), 1.0)
        h = norm(m.node("Add", h, dense(m.node("Mul", m.node("Mul", f, 0.5), erf), 512, 128)))
    return h


def chain(m, x):
    for scale in common.CHAIN_SCALES:
        x = m.node("Relu", m.node("Add", m.node("Mul", x, scale), 0.25))
    return x


def smooth_chain(m, x):
    for scale in common.CHAIN_SCALES:
        bell = m.node("Exp", m.node("Neg", m.node("Mul", x, x)))
        x = m.node("Add", m.node("Tanh", m.node("Mul", x, scale)), bell)
    return m.node("Sigmoid", x)


def tiny_ops(m, x):
    for i in range(1000):
        x = m.node("Sin" if i % 2 else "Cos", x)
    return x


def model(workload, shape):
    """Returns the serialized model of a workload for inputs of a shape, with None for the size of a batch."""
    builder = ModelBuilder()
    if workload == "resnet20_frozen":
        out = resnet20(builder, "x", frozen=True)
    else:
        out = globals()[workload](builder, "x")
    return builder.model(out, shape, OUTPUT_RANKS.get(workload, 2))
