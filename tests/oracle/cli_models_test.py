"""Symptom: a file that the program ramet wrote does not meet the expectations of TensorFlow, NumPy or safetensors.

Frozen graphs compute TensorFlow's outputs, converted checkpoints contain TensorFlow's tensors, messages converted to
the other format are equal, and runs by a SavedModel's signature return TensorFlow's values.
Needs tensorflow, and RAMET_PROGRAM, the program (default: build/bin/ramet). With RAMET_ZOO, the folder of models, these
are frozen too.
"""

import json
import os
import struct
import subprocess
import tempfile
import unittest

import numpy as np

from import_driving import tensorflow

tf = tensorflow()
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import meta_graph_pb2, saved_model_pb2, saver_pb2
from tensorflow.python.training import checkpoint_state_pb2

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PROGRAM = os.environ.get("RAMET_PROGRAM", os.path.join(ROOT, "build", "bin", "ramet"))


def ramet(*arguments, code=0):
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, text=True, timeout=300)
    assert done.returncode == code, f"ramet {arguments} ended with {done.returncode}: {done.stderr}"
    return done.stdout


def message(kind, path, text=False):
    made = kind()
    with open(path, "rb") as f:
        text_format.Parse(f.read(), made) if text else made.ParseFromString(f.read())
    return made


def read_safetensors(path):
    with open(path, "rb") as f:
        data = f.read()
    size = struct.unpack("<Q", data[:8])[0]
    header, body = json.loads(data[8 : 8 + size]), data[8 + size :]
    kinds = {"F32": np.float32, "F16": np.float16, "I64": np.int64, "BOOL": np.bool_, "U8": np.uint8}
    arrays = {}
    for name, entry in header.items():
        if name != "__metadata__":
            begin, end = entry["data_offsets"]
            arrays[name] = np.frombuffer(body[begin:end], kinds[entry["dtype"]]).reshape(entry["shape"])
    return arrays


def run_frozen(path, feeds, fetches, text=False):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.import_graph_def(message(graph_pb2.GraphDef, path, text), name="")
        if any("HashTable" in op.type for op in graph.get_operations()):
            raise unittest.SkipTest("skipped: the graph has a table")
        return session.run(fetches, feeds)


class CliModelsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.graph = tf.Graph()
        with cls.graph.as_default():
            x = tf.placeholder(tf.float32, [None, 3], "x")
            with tf.variable_scope("ref", use_resource=False):
                # Products of eighths add up exactly, with any kernel.
                eighths = np.random.default_rng(6).integers(-16, 17, [3, 4]) / 8
                w = tf.get_variable("w", initializer=np.float32(eighths))
                flags = tf.get_variable("flags", initializer=[True, False, True])
            with tf.variable_scope("resource", use_resource=True):
                b = tf.get_variable("b", initializer=np.float32([1, -2, 3, 0.5]))
                step = tf.get_variable("step", initializer=np.int64(7))
            hidden = tf.nn.relu(tf.matmul(x, w) + b)
            y = tf.identity(tf.stop_gradient(tf.check_numerics(hidden, "bad")), name="y")
            tf.identity(tf.cast(tf.reduce_sum(y), tf.int64) + step, name="z")
            cls.session = tf.Session()
            cls.session.run(tf.global_variables_initializer())
            tf.train.Saver().save(cls.session, cls.at("m"))
            tf.train.Saver(write_version=saver_pb2.SaverDef.V1).save(cls.session, cls.at("old"))
            tf.saved_model.simple_save(cls.session, cls.at("saved"), {"image": x}, {"scores": y})
            cls.values = {v.op.name: cls.session.run(v) for v in tf.global_variables()}
        cls.x = np.float32([[1, 2, 3], [-4, 5, 6]])

    @classmethod
    def tearDownClass(cls):
        cls.session.close()
        cls.folder.cleanup()

    @classmethod
    def at(cls, name):
        return os.path.join(cls.folder.name, name)

    def expect_tensors(self, got, expected):
        self.assertEqual(sorted(got), sorted(expected))
        for name, value in expected.items():
            self.assertEqual(np.asarray(got[name]).dtype, value.dtype, name)
            np.testing.assert_array_equal(got[name], value, err_msg=name)

    def read_checkpoint(self, prefix):
        reader = tf.train.NewCheckpointReader(prefix)
        return {name: reader.get_tensor(name) for name in reader.get_variable_to_shape_map()}

    def test_freeze(self):
        expected = self.session.run("y:0", {"x:0": self.x})
        for model in ("m", "m.meta", "old", "saved"):
            for flags in ([], ["--remove-training-nodes"], ["--deny", "resource/step"]):
                for name in ("frozen.pb", "frozen.pbtxt"):
                    with self.subTest(model=model, flags=flags, name=name):
                        ramet("freeze", self.at(model), "--output-nodes", "y", "-o", self.at(name), *flags)
                        got = run_frozen(self.at(name), {"x:0": self.x}, "y:0", name.endswith("txt"))
                        np.testing.assert_array_equal(got, expected)
        ramet("freeze", self.at("saved"), "--signature", "serving_default", "-o", self.at("s.pb"))
        np.testing.assert_array_equal(run_frozen(self.at("s.pb"), {"x:0": self.x}, "y:0"), expected)

    def test_training_nodes(self):
        arguments = ["freeze", self.at("m"), "--output-nodes", "y", "-o"]
        ramet(*arguments, self.at("all.pb"))
        ramet(*arguments, self.at("few.pb"), "--remove-training-nodes")
        whole, few = (message(graph_pb2.GraphDef, self.at(n)) for n in ("all.pb", "few.pb"))
        with self.assertRaises(IndexError):  # TensorFlow's own function fails for a check that is read
            tf.graph_util.remove_training_nodes(whole, ["y"])
        ops = lambda def_: {n.op for n in def_.node}
        self.assertEqual(ops(whole) - ops(few), {"CheckNumerics", "StopGradient"})
        self.assertEqual([n.name for n in few.node if n.op == "Identity"], ["y"])
        self.assertEqual(few.versions, whole.versions)

    def test_the_same_nodes_as_tensorflow(self):
        theirs = tf.graph_util.convert_variables_to_constants(
            self.session, self.graph.as_graph_def(), ["z"])
        ramet("freeze", self.at("m"), "--output-nodes", "z", "-o", self.at("z.pb"), "--keep-devices")
        ours = message(graph_pb2.GraphDef, self.at("z.pb"))
        nodes = lambda def_: sorted((n.name, n.op, tuple(n.input)) for n in def_.node)
        self.assertEqual(nodes(ours), nodes(theirs))

    def test_run_by_signature(self):
        np.save(self.at("x.npy"), self.x.astype(np.float64))
        ramet("run", self.at("saved"), "--signature", "serving_default", "--feed",
              "image=" + self.at("x.npy"), "-o", self.at("results"))
        expected = self.session.run("y:0", {"x:0": self.x})
        np.testing.assert_allclose(np.load(self.at("results/scores.npy")), expected, rtol=1e-6)

    def test_checkpoints_between_formats(self):
        for source in ("m", "old", "saved"):
            for options in ([], ["--shards", "3"], ["--format", "v1"]):
                with self.subTest(source=source, options=options):
                    target = self.at("converted-%s-%d" % (source, len(options)) + "".join(options))
                    ramet("convert", self.at(source), target, *options)
                    self.expect_tensors(self.read_checkpoint(target), self.values)

    def test_rename_and_dtype(self):
        ramet("convert", self.at("m"), self.at("renamed"), "--dtype", "half", "--rename", "^ref/(.*)$=new/$1",
              "--select", "w$")
        self.expect_tensors(self.read_checkpoint(self.at("renamed")),
                            {"new/w": self.values["ref/w"].astype(np.float16)})

    def test_to_and_from_other_formats(self):
        ramet("convert", self.at("saved"), self.at("t.safetensors"))
        self.expect_tensors(read_safetensors(self.at("t.safetensors")), self.values)
        ramet("convert", self.at("t.safetensors"), self.at("back"))
        self.expect_tensors(self.read_checkpoint(self.at("back")), self.values)
        ramet("convert", self.at("m"), self.at("t.npz"), "--compress")
        with np.load(self.at("t.npz")) as loaded:
            self.expect_tensors(dict(loaded), self.values)
        ramet("convert", self.at("t.npz"), self.at("back-1"), "--format", "v1")
        self.expect_tensors(self.read_checkpoint(self.at("back-1")), self.values)

    def test_messages_in_both_forms(self):
        ramet("freeze", self.at("m"), "--output-nodes", "z", "-o", self.at("forms.pb"))
        kinds = {"forms.pb": graph_pb2.GraphDef, "m.meta": meta_graph_pb2.MetaGraphDef,
                 "saved/saved_model.pb": saved_model_pb2.SavedModel}
        for name, kind in kinds.items():
            with self.subTest(name=name):
                ramet("convert", self.at(name), self.at("form.pbtxt"))
                ramet("convert", self.at("form.pbtxt"), self.at("form.pb"))
                original = message(kind, self.at(name))
                self.assertEqual(message(kind, self.at("form.pbtxt"), text=True), original)
                self.assertEqual(message(kind, self.at("form.pb")), original)
        ramet("convert", self.at("checkpoint"), self.at("state.pb"))
        state = checkpoint_state_pb2.CheckpointState
        self.assertEqual(message(state, self.at("state.pb")),
                         message(state, self.at("checkpoint"), text=True))

    def test_inspect_agrees(self):
        seen = json.loads(ramet("inspect", self.at("saved"), "--json"))
        with tf.Graph().as_default() as graph, tf.Session() as session:
            tf.saved_model.loader.load(session, ["serve"], self.at("saved"))
            self.assertEqual(seen["graph"]["ops"], len(graph.get_operations()))
            self.assertEqual(seen["graph"]["collections"],
                             {k: len(graph.get_collection(k)) for k in graph.get_all_collection_keys()})
        self.assertEqual(seen["graph"]["signatures"]["serving_default"]["inputs"]["image"],
                         {"name": "x:0", "dtype": "float", "shape": [None, 3]})


class CliZooTest(unittest.TestCase):
    """Each frozen model of the zoo computes the outputs that TensorFlow recorded."""

    def frozen_case(self, folder, case, target):
        files = case["files"]
        model = files.get("meta") or files.get("saved_model")
        arguments = [os.path.join(folder, model)]
        if case["kind"] == "metagraph+v2" and files["checkpoint"] + ".meta" != files["meta"]:
            arguments += ["--checkpoint", os.path.join(folder, files["checkpoint"])]
        step = case["steps"][0]
        scope = case.get("import_scope", "") + "/" if case.get("import_scope") else ""
        strip = lambda name: name[len(scope):] if name.startswith(scope) else name
        nodes = ",".join(strip(f).split(":")[0] for f in step["fetches"])
        ramet("freeze", *arguments, "--output-nodes", nodes, "-o", target)
        feeds = {strip(n): self.array(folder, a) for n, a in step.get("feeds", {}).items()}
        got = run_frozen(target, feeds, [strip(f) for f in step["fetches"]])
        for value, expected in zip(got, step["expected"]):
            np.testing.assert_allclose(value, self.array(folder, expected), rtol=step.get("rtol", 0) or 1e-5,
                                       atol=step.get("atol", 0) or 1e-6)

    def array(self, folder, entry):
        if not isinstance(entry, str):
            raise unittest.SkipTest("skipped: an array is not a plain .npy file")
        return np.load(os.path.join(folder, entry))

    def test_zoo(self):
        zoo = os.environ.get("RAMET_ZOO")
        if not zoo:
            self.skipTest("skipped: RAMET_ZOO is not set")
        tried = 0
        for name in sorted(os.listdir(zoo)):
            path = os.path.join(zoo, name, "case.json")
            if not os.path.exists(path):
                continue
            with open(path) as f:
                case = json.load(f)
            step = case["steps"][0]
            plain = not (step.get("targets") or step.get("error") or case.get("restore_map"))
            if case["kind"] == "frozen" or not plain or "files" not in case:
                continue
            tried += 1
            with self.subTest(case=name), tempfile.TemporaryDirectory() as target:
                self.frozen_case(os.path.dirname(path), case, os.path.join(target, "frozen.pb"))
        self.assertGreater(tried, 5)


if __name__ == "__main__":
    unittest.main()
