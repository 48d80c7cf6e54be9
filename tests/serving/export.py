"""Exports the models of these tests with TensorFlow, as users do."""

import pathlib

import tensorflow as tf

v1 = tf.compat.v1


class Linear(tf.Module):
    """y = a * x + b, and signatures with two inputs, two outputs, strings and all dtypes."""

    def __init__(self, a, b):
        super().__init__()
        self.a = tf.Variable(a, dtype=tf.float32)
        self.b = tf.Variable(b, dtype=tf.float32)

    @tf.function(input_signature=[tf.TensorSpec([None], tf.float32, name="x")])
    def linear(self, x):
        return {"y": self.a * x + self.b}

    @tf.function(
        input_signature=[tf.TensorSpec([None], tf.string, name="name"), tf.TensorSpec([None, 2], tf.float32, name="v")]
    )
    def pair(self, name, v):
        return {"name_bytes": tf.strings.join([name, "!"]), "sum": tf.reduce_sum(v, axis=1)}


DTYPES = {
    "bool": tf.bool,
    "int8": tf.int8,
    "int16": tf.int16,
    "int32": tf.int32,
    "int64": tf.int64,
    "uint8": tf.uint8,
    "uint16": tf.uint16,
    "uint32": tf.uint32,
    "uint64": tf.uint64,
    "half": tf.half,
    "bfloat16": tf.bfloat16,
    "float": tf.float32,
    "double": tf.double,
    "complex64": tf.complex64,
    "complex128": tf.complex128,
    "string": tf.string,
}


def export_linear(base, version=1, a=0.5, b=2.0):
    """Exports a TF2 SavedModel: the half-plus-two model of TensorFlow Serving's own guide, and a second signature."""
    model = Linear(a, b)
    tf.saved_model.save(
        model,
        str(pathlib.Path(base) / str(version)),
        signatures={"serving_default": model.linear, "pair": model.pair},
    )


def export_identities(base, version=1):
    """Exports a TF1 SavedModel with a signature for each dtype that returns its input."""
    with v1.Graph().as_default(), v1.Session() as session:
        builder = v1.saved_model.Builder(str(pathlib.Path(base) / str(version)))
        signatures = {}
        for name, dtype in DTYPES.items():
            x = v1.placeholder(dtype, None, name=f"x_{name}")
            y = tf.identity(x, name=f"y_{name}")
            signatures[name] = v1.saved_model.predict_signature_def({"x": x}, {"y": y})
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map=signatures)
        builder.save()


def export_examples(base, version=1):
    """Exports a TF1 SavedModel that parses examples: signatures that classify and regress."""
    with v1.Graph().as_default(), v1.Session() as session:
        serialized = v1.placeholder(tf.string, [None], name="input_example")
        parsed = v1.io.parse_example(serialized, {"x": v1.FixedLenFeature([1], tf.float32, default_value=[0.0])})
        weight = v1.Variable([[2.0]], name="w")
        value = tf.matmul(parsed["x"], weight, name="value")
        scores = tf.concat([value, 1.0 - value], axis=1, name="scores")
        labels = tf.tile(tf.constant([["yes", "no"]]), [tf.shape(value)[0], 1], name="labels")
        session.run(v1.global_variables_initializer())
        saved_model = v1.saved_model
        signatures = {
            "serving_default": saved_model.classification_signature_def(serialized, labels, scores),
            "classify_scores": saved_model.classification_signature_def(serialized, None, scores),
            "regress": saved_model.regression_signature_def(serialized, value),
            "predict": saved_model.predict_signature_def({"inputs": serialized}, {"value": value}),
        }
        builder = saved_model.Builder(str(pathlib.Path(base) / str(version)))
        builder.add_meta_graph_and_variables(session, ["serve"], signature_def_map=signatures)
        builder.save()
