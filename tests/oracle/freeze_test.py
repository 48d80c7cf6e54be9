"""Symptom: a graph that Ramet froze differs from the one that tf.graph_util creates.

The graphs are compared node for node, in order, with all attrs. Needs tensorflow, and RAMET_BUILD, the build
folder with bin/import_driver.
"""

import os
import tempfile
import unittest

import numpy as np

from import_driving import RametError, drive, tensorflow

tf = tensorflow()
from tensorflow.core.framework import graph_pb2

util = tf.graph_util


def mixed_model():
    """Ref variables of several dtypes, shared identities, a loop, control edges, colocation."""
    x = tf.placeholder(tf.float32, [None, 3], "x")
    with tf.variable_scope("a", use_resource=False):
        # Products of eighths add up exactly, with any kernel.
        w = tf.get_variable("w", initializer=np.float32([[1, -9], [5, 3], [-2, 7]]) / 8)
        one = tf.get_variable("one", [], tf.float64)
        empty = tf.get_variable("empty", [0, 3])
        flags = tf.get_variable("flags", initializer=[True, False])
        words = tf.get_variable("words", initializer=["cat", "dog"])
        whole = tf.get_variable("whole", initializer=np.int64([1, 2, 3]))
    checked = tf.check_numerics(tf.matmul(x, tf.identity(w)), "bad", name="checked")
    with tf.control_dependencies([tf.identity(one)]):
        held = tf.identity(checked, name="held")
    stopped = tf.stop_gradient(held, name="stopped")
    with tf.colocate_with(stopped):
        beside = tf.identity(stopped, name="beside")
    loop = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + w[0, 0]), [0, tf.constant(0.)])
    tf.identity(tf.nn.relu(beside) + loop[1], name="y")
    tf.group(tf.identity(flags), words, tf.shape(empty), tf.identity(whole), name="others")
    tf.identity(tf.identity(tf.add(x, 1.0)), name="far")


def resource_model():
    """Resource variables written by TensorFlow; Ramet takes their values from other variables."""
    x = tf.placeholder(tf.int32, [None], "x")
    with tf.variable_scope("r", use_resource=True):
        table = tf.get_variable("table", [5, 2])
        bias = tf.get_variable("bias", initializer=np.float32([1, 2]))
        other = tf.get_variable("other", [4, 2])
    rows = tf.nn.embedding_lookup(table, x)
    more = tf.gather(other, tf.cast(x, tf.int64))
    tf.add(rows + more, bias, name="y")
    tf.gather_nd(other, [[1, 0]], name="nd")
    chosen = tf.cond(tf.reduce_sum(bias) > 0, lambda: bias.read_value(), lambda: bias * 2)
    tf.identity(chosen, name="z")


class FreezeTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def read(self, name):
        def_ = graph_pb2.GraphDef()
        with open(self.at(name), "rb") as f:
            def_.ParseFromString(f.read())
        return def_

    def write(self, name, def_):
        with open(self.at(name), "wb") as f:
            f.write(def_.SerializeToString())
        return self.at(name)

    def assert_same(self, ours, theirs):
        self.assertEqual([n.name for n in ours.node], [n.name for n in theirs.node])
        for a, b in zip(ours.node, theirs.node):
            self.assertEqual(a, b)
        self.assertEqual(ours.versions, theirs.versions)
        self.assertEqual(ours.library, theirs.library)

    def build(self, make):
        """Saves the model that `make` builds; returns its GraphDef and a session."""
        graph = tf.Graph()
        with graph.as_default():
            make()
            saver = tf.train.Saver()
            session = tf.Session()
            self.addCleanup(session.close)
            session.run(tf.global_variables_initializer())
            saver.save(session, self.at("m"))
        return graph.as_graph_def(), session

    def test_extract_sub_graph(self):
        def_, _ = self.build(mixed_model)
        source = self.write("all", def_)
        for outputs in (["y"], ["others", "far"], ["x", "a/w/Assign"], []):
            with self.subTest(outputs=outputs):
                drive(["extract", self.at("part"), f"from={source}"] +
                      [f"output={o}" for o in outputs])
                self.assert_same(self.read("part"), util.extract_sub_graph(def_, outputs))

    def test_extract_of_an_unknown_node(self):
        def_, _ = self.build(mixed_model)
        source = self.write("all", def_)
        with self.assertRaises(AssertionError) as theirs:
            util.extract_sub_graph(def_, ["zz"])
        with self.assertRaises(RametError) as ours:
            drive(["extract", self.at("part"), f"from={source}", "output=zz"])
        self.assertEqual(ours.exception.message, str(theirs.exception))

    def test_remove_training_nodes(self):
        def_, _ = self.build(mixed_model)
        source = self.write("all", util.extract_sub_graph(def_, ["y", "far"]))
        part = self.read("all")
        for kept in ([], ["y"], ["y", "far", "checked", "stopped"]):
            with self.subTest(kept=kept):
                drive(["remove_training", self.at("part"), f"from={source}"] +
                      [f"keep={k}" for k in kept])
                self.assert_same(self.read("part"), util.remove_training_nodes(part, kept))

    def test_ref_variables(self):
        def_, session = self.build(mixed_model)
        source = self.write("all", def_)
        load = [["import_meta", self.at("m.meta")], ["restore", self.at("m")]]
        for outputs, allow, deny in ((["y", "others"], None, []), (["y"], ["a/w"], []),
                                     (["others"], None, ["a/words", "a/whole"]),
                                     (["y"], [], [])):
            with self.subTest(outputs=outputs, allow=allow, deny=deny):
                words = ["freeze", self.at("frozen"), f"graph={source}"]
                words += [f"output={o}" for o in outputs] + [f"deny={d}" for d in deny]
                words += [f"allow={a}" for a in (allow if allow != [] else ["none"]) or []]
                drive(*load, words)
                theirs = util.convert_variables_to_constants(
                    session, def_, outputs, allow, deny or None)
                self.assert_same(self.read("frozen"), theirs)

    def test_the_graph_of_the_session_itself(self):
        def_, session = self.build(mixed_model)
        x = np.float32([[1, 2, 3], [4, 5, 6]])
        drive(["import_meta", self.at("m.meta")], ["restore", self.at("m")],
              ["freeze", self.at("frozen"), "output=y"])
        with tf.Graph().as_default(), tf.Session() as fresh:
            tf.import_graph_def(self.read("frozen"), name="")
            np.testing.assert_array_equal(fresh.run("y:0", {"x:0": x}),
                                          session.run("y:0", {"x:0": x}))

    def test_unknown_output(self):
        self.build(mixed_model)
        with self.assertRaises(RametError) as ours:
            drive(["import_meta", self.at("m.meta")], ["restore", self.at("m")],
                  ["freeze", self.at("frozen"), "output=zz"])
        self.assertEqual(ours.exception.message, "zz is not in graph")

    def replace(self, def_, session, outputs, deny=()):
        """Runs Ramet's ReplaceVariables with the values of the session."""
        part = util.extract_sub_graph(def_, outputs)
        words = ["replace", self.at("frozen"), "from=" + self.write("part", part)]
        for node in part.node:
            if node.op == "VarHandleOp" and node.name not in deny:
                value = session.run(node.name + "/Read/ReadVariableOp:0")
                value.tofile(self.at(node.name.replace("/", "_")))
                dims = ",".join(str(d) for d in value.shape)
                words.append(f"value={node.name}={self.at(node.name.replace('/', '_'))}={dims}")
        drive(words)

    RESOURCE_CASES = ((["y"], []), (["z"], []), (["y", "z"], ["r/bias"]), (["nd"], []))

    def test_resource_variables(self):
        def_, session = self.build(resource_model)
        for outputs, deny in self.RESOURCE_CASES:
            with self.subTest(outputs=outputs, deny=deny):
                self.replace(def_, session, outputs, deny)
                theirs = util.convert_variables_to_constants(session, def_, outputs, None, deny)
                self.assert_same(self.read("frozen"), theirs)

    def test_resource_variables_of_a_session(self):
        def_, session = self.build(resource_model)
        source = self.write("all", def_)
        for outputs, deny in self.RESOURCE_CASES:
            with self.subTest(outputs=outputs, deny=deny):
                try:
                    drive(["import_meta", self.at("m.meta")], ["restore", self.at("m")],
                          ["freeze", self.at("frozen"), f"graph={source}"] +
                          [f"output={o}" for o in outputs] + [f"deny={d}" for d in deny])
                except RametError as error:
                    if error.code != "UNIMPLEMENTED":
                        raise
                    self.skipTest(f"skipped: {error.message}")
                theirs = util.convert_variables_to_constants(session, def_, outputs, None, deny)
                self.assert_same(self.read("frozen"), theirs)

    def test_batch_dims_are_refused(self):
        def gather():
            with tf.variable_scope("r", use_resource=True):
                t = tf.get_variable("t", [2, 5])
            tf.raw_ops.ResourceGather(resource=t.handle, indices=np.int32([[0, 1], [2, 3]]),
                                      dtype=tf.float32, batch_dims=1, name="y")

        def_, session = self.build(gather)
        with self.assertRaises(ValueError) as theirs:
            util.convert_variables_to_constants(session, def_, ["y"])
        with self.assertRaises(RametError) as ours:
            self.replace(def_, session, ["y"])
        self.assertEqual(ours.exception.message, str(theirs.exception))


if __name__ == "__main__":
    unittest.main()
