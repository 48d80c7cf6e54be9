"""The perceptrons of the benchmarks: one of 1 MB and one of 100 MB, for Ramet, TensorFlow and onnxruntime."""

import os

import numpy as np

# Sizes of the layers by name. A float has 4 bytes.
LAYERS = {"1MB": [256, 640, 128], "100MB": [1024, 8192, 2048]}


def arrays(name, seed):
    """Returns a weight matrix and a bias for each layer."""
    random = np.random.default_rng(seed)
    sizes = LAYERS[name]
    for rows, columns in zip(sizes, sizes[1:], strict=False):
        yield random.normal(0, rows**-0.5, [rows, columns]).astype(np.float32), np.zeros(columns, np.float32)


def build(tf, name, seed=0):
    """Builds the graph with TensorFlow 1's functions. Returns (x, y)."""
    x = tf.placeholder(tf.float32, [None, LAYERS[name][0]], name="x")
    y = x
    for i, (weight, bias) in enumerate(arrays(name, seed)):
        y = tf.nn.relu(tf.matmul(y, tf.Variable(weight, name=f"w{i}")) + tf.Variable(bias, name=f"b{i}"))
    return x, tf.identity(y, name="y")


def save(tf, name, base, version, seed=0):
    """Saves a SavedModel elsewhere and renames it to BASE/VERSION, as a trainer should."""
    temporary = f"{base}/.{version}"
    with tf.Graph().as_default(), tf.Session() as session:
        x, y = build(tf, name, seed)
        session.run(tf.global_variables_initializer())
        tf.saved_model.simple_save(session, temporary, {"x": x}, {"y": y})
    os.rename(temporary, f"{base}/{version}")


def save_onnx(name, path):
    import onnx
    from onnx import helper, numpy_helper

    nodes, initializers, value = [], [], "x"
    for i, (weight, bias) in enumerate(arrays(name, 0)):
        initializers += [numpy_helper.from_array(weight, f"w{i}"), numpy_helper.from_array(bias, f"b{i}")]
        nodes += [
            helper.make_node("Gemm", [value, f"w{i}", f"b{i}"], [f"sum{i}"]),
            helper.make_node("Relu", [f"sum{i}"], [f"relu{i}"]),
        ]
        value = f"relu{i}"
    nodes.append(helper.make_node("Identity", [value], ["y"]))
    sizes = LAYERS[name]
    graph = helper.make_graph(
        nodes,
        "perceptron",
        [helper.make_tensor_value_info("x", onnx.TensorProto.FLOAT, [None, sizes[0]])],
        [helper.make_tensor_value_info("y", onnx.TensorProto.FLOAT, [None, sizes[-1]])],
        initializers,
    )
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
