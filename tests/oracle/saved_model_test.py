"""Symptom: a SavedModel that one side wrote does not load on the other, or computes different values.

Needs tensorflow, and RAMET_BUILD, the build folder with bin/import_driver.
"""

import os
import tempfile
import unittest

import numpy as np
from tensorflow.python.saved_model import loader_impl

from import_driving import RametError, drive, tensorflow

tf = tensorflow()
SERVE = [tf.saved_model.tag_constants.SERVING]


def small_model(asset=None):
    """Builds in:0 [n,3] -> out:0 [n,2]; returns an init op and the asset's tensor, if there is one."""
    x = tf.placeholder(tf.float32, [None, 3], "in")
    w = tf.get_variable("w", initializer=np.float32([[1, -9], [5, 3], [-2, 7]]) / 8, use_resource=False)
    b = tf.get_variable("b", initializer=np.float32([1, -2]), use_resource=False)
    tf.add(tf.matmul(x, w), b, name="out")
    count = tf.get_variable("count", initializer=np.float32(0), trainable=False, use_resource=False,
                            collections=["local_variables"])
    init = tf.assign(count, 7.0, name="set_count").op
    asset_tensor = tf.constant(asset, name="vocabulary") if asset else None
    if asset:
        tf.identity(asset_tensor, name="path_now")
    return init, asset_tensor


def signature():
    g = tf.get_default_graph()
    info = tf.saved_model.build_tensor_info
    return tf.saved_model.build_signature_def(
        {"x": info(g.get_tensor_by_name("in:0"))}, {"y": info(g.get_tensor_by_name("out:0"))},
        tf.saved_model.signature_constants.PREDICT_METHOD_NAME)


def one_device():
    small_model()


def two_devices():
    small_model()
    with tf.device("/cpu:1"):
        tf.get_variable("far", initializer=np.float32([3, 4]), use_resource=False)


def resources():
    small_model()
    with tf.variable_scope("", use_resource=True):
        tf.get_variable("r", initializer=np.float32([3, 4]))
        with tf.device("/cpu:1"):
            tf.get_variable("p", [4, 2], partitioner=tf.fixed_size_partitioner(2))


def no_variables():
    x = tf.placeholder(tf.float32, [None, 3], "in")
    tf.add(x, 1.0, name="out")


class SavedModelTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.x = np.random.RandomState(1).rand(4, 3).astype(np.float32)
        self.x.tofile(self.at("x"))

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write_with_tensorflow(self, name="theirs", as_text=False, asset=False, collection=None):
        """Writes a SavedModel; returns its folder and the value of out:0 for self.x."""
        where = self.at(name)
        path = self.at("vocabulary.txt")
        with open(path, "w") as f:
            f.write("cat\ndog\n")
        with tf.Graph().as_default() as g, tf.Session() as session:
            init, asset_tensor = small_model(path if asset else None)
            session.run(tf.global_variables_initializer())
            builder = tf.saved_model.Builder(where)
            if collection:
                tf.add_to_collection(collection, init)
                init = None
            builder.add_meta_graph_and_variables(
                session, SERVE, {"serving_default": signature()}, main_op=init,
                assets_collection=[asset_tensor] if asset else None)
            builder.save(as_text)
            return where, session.run("out:0", {"in:0": self.x})

    def run_in_tensorflow(self, where, scope=None):
        with tf.Graph().as_default(), tf.Session() as session:
            meta = tf.saved_model.loader.load(session, SERVE, where, import_scope=scope)
            s = meta.signature_def["serving_default"]
            (x,) = s.inputs.values()
            (y,) = s.outputs.values()
            prefix = scope + "/" if scope else ""
            return meta, session.run(prefix + y.name, {prefix + x.name: self.x}), session.run(
                prefix + "count:0")

    def feed(self, name="in:0"):
        return f"feed={name}={self.at('x')}=4,3"

    def assert_values(self, text, expected):
        np.testing.assert_allclose(np.array(text.split(), np.float32), np.ravel(expected),
                                   rtol=1e-6)

    def test_ramet_loads(self):
        for as_text in (False, True):
            with self.subTest(as_text=as_text):
                where, y = self.write_with_tensorflow(f"text{as_text}", as_text)
                loaded, got, count = drive(["load_model", where, "tag=serve"],
                                           ["run", "out:0", self.feed()], ["run", "count:0"])
                self.assertIn("serving_default tensorflow/serving/predict <x:in:0 >y:out:0", loaded)
                self.assert_values(got, y)
                self.assert_values(count, 7)

    def test_ramet_runs_a_legacy_init_op(self):
        where, _ = self.write_with_tensorflow(collection="legacy_init_op")
        loaded, count = drive(["load_model", where, "tag=serve"], ["run", "count:0"])
        self.assertIn("init set_count", loaded)
        self.assert_values(count, 7)

    def test_ramet_loads_two_under_scopes(self):
        where, y = self.write_with_tensorflow(asset=True)
        _, second, got, count = drive(
            ["load_model", where, "tag=serve", "scope=a"],
            ["load_model", where, "tag=serve", "scope=a"],
            ["run", "a_1/out:0", self.feed("a_1/in:0")], ["run", "a_1/count:0"])
        self.assertIn("<x:a_1/in:0 >y:a_1/out:0", second)
        self.assertIn("a_1/vocabulary:0=" + os.path.join(where, "assets", "vocabulary.txt"), second)
        self.assert_values(got, y)
        self.assert_values(count, 7)

    def test_a_missing_tag_lists_those_there(self):
        where, _ = self.write_with_tensorflow()
        with self.assertRaises(RametError) as raised:
            drive(["load_model", where, "tag=train", "tag=gpu"])
        self.assertEqual(raised.exception.code, "NOT_FOUND")
        self.assertIn("MetaGraphDef associated with tags {'gpu', 'train'} could not be found",
                      raised.exception.message)
        self.assertIn("available tags: {'serve'}", raised.exception.message)

    def test_no_model_there(self):
        with self.assertRaises(RametError) as raised:
            drive(["load_model", self.at("nowhere"), "tag=serve"])
        self.assertIn("SavedModel file does not exist at: ", raised.exception.message)

    def test_tensorflow_loads_what_ramet_wrote_again(self):
        where, y = self.write_with_tensorflow(asset=True)
        for text in ([], ["text"]):
            with self.subTest(text=text):
                ours = self.at("ours" + "".join(text))
                drive(["load_model", where, "tag=serve"],
                      ["save_model", ours, "tag=serve"] + text)
                name = "saved_model.pbtxt" if text else "saved_model.pb"
                self.assertTrue(os.path.exists(os.path.join(ours, name)))
                with open(os.path.join(ours, "assets", "vocabulary.txt")) as f:
                    self.assertEqual(f.read(), "cat\ndog\n")
                meta, got, count = self.run_in_tensorflow(ours)
                np.testing.assert_allclose(got, y, rtol=1e-6)
                self.assertEqual(count, 7)
                self.assertEqual(list(meta.meta_info_def.tags), SERVE)
                _, got, _ = self.run_in_tensorflow(ours, scope="inner")
                np.testing.assert_allclose(got, y, rtol=1e-6)

    def test_tensorflow_loads_a_new_model_with_assets_and_main_op(self):
        with tf.Graph().as_default(), tf.Session() as session:
            init, _ = small_model("somewhere else")
            saver = tf.train.Saver()
            session.run(tf.global_variables_initializer())
            saver.save(session, self.at("ckpt"))
            y = session.run("out:0", {"in:0": self.x})
        for name, text in (("one", "1"), ("two", "2")):
            os.mkdir(self.at(name))
            with open(os.path.join(self.at(name), "words"), "w") as f:
                f.write(text)
        ours = self.at("ours")
        drive(["import_meta", self.at("ckpt.meta")], ["restore", self.at("ckpt")],
              ["save_model", ours, "tag=serve", "sig", "main_op=set_count",
               "asset=vocabulary:0=" + os.path.join(self.at("one"), "words"),
               "asset=path_now:0=" + os.path.join(self.at("two"), "words")])
        meta, got, count = self.run_in_tensorflow(ours)
        np.testing.assert_allclose(got, y, rtol=1e-6)
        self.assertEqual(count, 7)
        self.assertEqual(sorted(os.listdir(os.path.join(ours, "assets"))), ["words", "words_1"])
        self.assertEqual(len(meta.collection_def["saved_model_assets"].any_list.value), 2)
        shape = meta.signature_def["serving_default"].inputs["in"].tensor_shape
        self.assertEqual([d.size for d in shape.dim], [-1, 3])

    def test_the_default_saver_is_tensorflows(self):
        for make in (one_device, two_devices, resources, no_variables):
            with self.subTest(make.__name__):
                theirs, ours = self.at("theirs_" + make.__name__), self.at("ours_" + make.__name__)
                config = tf.ConfigProto(device_count={"CPU": 2})
                with tf.Graph().as_default(), tf.Session(config=config) as session:
                    make()
                    tf.train.export_meta_graph(self.at("graph.meta"))
                    has_variables = bool(tf.global_variables())
                    if has_variables:
                        session.run(tf.global_variables_initializer())
                        saver = tf.train.Saver(name="first")
                        saver.save(session, self.at("ckpt_" + make.__name__))
                    builder = tf.saved_model.Builder(theirs)
                    builder.add_meta_graph_and_variables(session, SERVE, {"serving_default": signature()})
                    builder.save()
                    y = session.run("out:0", {"in:0": self.x})
                imports = [["cpus", "2"], ["import_meta", self.at("graph.meta")]]
                if has_variables:
                    meta = self.at("ckpt_" + make.__name__)
                    imports = [["cpus", "2"], ["import_meta", meta + ".meta"], ["restore", meta]]
                drive(*imports, ["save_model", ours, "tag=serve", "sig"])
                self.compare_models(theirs, ours)
                with tf.Graph().as_default(), tf.Session(config=config) as session:
                    tf.saved_model.loader.load(session, SERVE, ours)
                    np.testing.assert_allclose(session.run("out:0", {"in:0": self.x}), y, rtol=1e-6)

    def compare_models(self, theirs, ours):
        """Compares files, saver nodes and saver_def."""
        files = [sorted(os.path.join(d, n)[len(top):] for d, ds, fs in os.walk(top) for n in ds + fs) for top in (theirs, ours)]
        self.assertEqual(files[1], [f for f in files[0] if "fingerprint" not in f])
        metas = [loader_impl.parse_saved_model(where).meta_graphs[0] for where in (theirs, ours)]
        self.assertEqual(metas[1].saver_def, metas[0].saver_def)
        nodes = [{n.name: n for n in m.graph_def.node if n.name.startswith("save")} for m in metas]
        self.assertEqual(list(nodes[1]), list(nodes[0]))
        for name, theirs_node in nodes[0].items():
            ours_node = nodes[1][name]
            self.assertEqual((ours_node.op, ours_node.device), (theirs_node.op, theirs_node.device), name)
            split = lambda n: (([i for i in n.input if i[0] != "^"]), sorted(i for i in n.input if i[0] == "^"))
            self.assertEqual(split(ours_node), split(theirs_node), name)
            if ours_node.op == "Const":
                values = [tf.make_ndarray(n.attr["value"].tensor) for n in (theirs_node, ours_node)]
                np.testing.assert_array_equal(values[1], values[0], name)

    def test_a_folder_that_is_not_empty_is_refused(self):
        where, _ = self.write_with_tensorflow()
        with self.assertRaises(RametError) as raised:
            drive(["load_model", where, "tag=serve"], ["save_model", where, "tag=serve"])
        self.assertEqual(raised.exception.code, "ALREADY_EXISTS")
        self.assertIn("already exists, and isn't empty", raised.exception.message)


if __name__ == "__main__":
    unittest.main()
