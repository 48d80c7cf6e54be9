"""Symptom: import_graph_def, import_meta_graph or export_meta_graph differs from TensorFlow's.

Each case runs on both sides. Both must reject the same graphs, with the same message where the table says so,
and must create the same nodes for graphs that they accept. Needs tensorflow, and RAMET_BUILD, the build folder
with bin/import_driver.
"""

import os
import tempfile
import unittest

import numpy as np

from import_driving import RametError, drive, drive_all, tensorflow

tf = tensorflow()
from google.protobuf import text_format
from tensorflow.core.framework import graph_pb2
from tensorflow.core.protobuf import meta_graph_pb2

PLACE = ("node { name: '%s' op: 'Placeholder' attr { key: 'dtype' value { type: DT_FLOAT } }"
         " attr { key: 'shape' value { shape { dim { size: 2 } dim { size: 3 } } } } %s }")


def place(name, more=""):
    return PLACE % (name, more)


def node(name, op, inputs=(), t="T", more=""):
    text = f"node {{ name: '{name}' op: '{op}' "
    text += "".join(f"input: '{i}' " for i in inputs)
    if t:
        text += f"attr {{ key: '{t}' value {{ type: DT_FLOAT }} }} "
    return text + more + " }\n"


def attr(key, value):
    return f"attr {{ key: '{key}' value {{ {value} }} }} "


def const(tensor, dtype="DT_FLOAT"):
    return node("k", "Const", (), "", attr("dtype", f"type: {dtype}") +
                attr("value", f"tensor {{ {tensor} }}"))


A, B = place("a"), node("b", "Identity", ["a"])
DIM2 = "tensor_shape { dim { size: 2 } }"
CLASS = "attr { key: '_class' value { list { %s } } }"
LOOP = (place("x") + node("E", "Enter", ["x"], more=attr("frame_name", "s: 'f'") +
             attr("is_constant", "b: false") + attr("parallel_iterations", "i: 10")) +
        node("M", "Merge", ["E", "N"], more=attr("N", "i: 2")) + node("N", "NextIteration", ["M"]))
FUNCTION = ("library { function { signature { name: 'F' input_arg { name: 'x' type: DT_FLOAT }"
            " output_arg { name: 'y' type: DT_FLOAT } } ret { key: 'y' value: 'i:output:0' }"
            " node_def { name: 'i' op: 'Identity' input: 'x'"
            " attr { key: 'T' value { type: DT_FLOAT } } } } }")

# name: (GraphDef, the text that Ramet's and TensorFlow's messages have in common; None for none,
# SAME if Ramet's message contains TensorFlow's completely)
SAME = "same"
REFUSED = {
    "unknown input": (node("b", "Identity", ["zzz"]), SAME),
    "unknown control": (node("b", "NoOp", ["^zzz"], ""), SAME),
    "output index": (A + node("b", "Identity", ["a:4"]), None),
    "negative port": (A + node("b", "Identity", ["a:-3"]), None),
    "duplicate": (A + A, SAME),
    "bad name": (place("_b"), SAME),
    "empty name": (place(""), SAME),
    "bad group": (place("a>>b"), SAME),
    "control before data": (A + B + node("c", "Identity", ["^a", "b"]), SAME),
    "colocation": (node("b", "NoOp", (), "", CLASS % "s: 'loc:@zz'"), SAME),
    "missing attr": (A + node("b", "Identity", ["a"], ""), "NodeDef missing attr 'T' from Op<"),
    "arity": (A + node("b", "Identity", ["a", "a"]),
              "NodeDef expected inputs 'float' do not match 2 inputs specified; Op<"),
    "dtype": (A + node("b", "Identity", ["a"], "", attr("T", "type: DT_INT32")),
              "was passed float from a:0 incompatible with expected int32."),
    "plain for ref": (A + node("b", "Assign", ["a", "a"]), "incompatible with expected float_ref."),
    "attr kind": (node("a", "Placeholder", (), "", attr("dtype", "i: 1")), None),
    "attr value": (A + node("b", "AddV2", ["a", "a"], "", attr("T", "type: DT_BOOL")), None),
    "self input": (node("a", "Identity", ["a"]), None),
    "cycle": (node("a", "Identity", ["c"]) + node("b", "Identity", ["a"]) +
              node("c", "Identity", ["b"]), "3 nodes in a cycle"),
    "control cycle": (node("a", "NoOp", ["^b"], "") + node("b", "NoOp", ["^a"], ""),
                      "2 nodes in a cycle"),
    "min consumer": (A + "versions { producer: 99999 min_consumer: 99999 }",
                     "GraphDef min consumer version 99999 above current version"),
    "bad consumer": (A + "versions { bad_consumers: 2474 }",
                     "GraphDef disallows consumer version 2474"),
    "negative producer": (A + "versions { producer: -1 }", None),
    "deprecated": (A + node("b", "TileGrad", ["a", "a"], more="") + "versions { producer: 30 }",
                   "Op TileGrad is not available in GraphDef version 30. It has been removed in "
                   "version 3. TileGrad has been replaced with reduce_sum."),
    "deprecated, with a bad attr": (A + node("b", "Conv3DBackpropInput", ["a"] * 3, "",
                                             attr("T", "type: DT_BOOL")) +
                                    "versions { producer: 30 }", "Value for attr 'T' of bool"),
    "shapes contradict": (place("a", "attr { key: '_output_shapes' value { list { shape { dim "
                                     "{ size: 7 } } } } }"),
                          "Node 'a' has an _output_shapes attribute inconsistent with the GraphDef "
                          "for output #0"),
    "negative dim": (node("v", "VariableV2", (), "dtype", attr("shape", "shape { dim "
                          "{ size: -5 } }")), None),
    "huge shape": (node("v", "VariableV2", (), "dtype",
                        attr("shape", "shape { dim { size: 4611686018427387904 } dim "
                             "{ size: 4611686018427387904 } }")), None),
    "overflowing const": (const("dtype: DT_FLOAT tensor_shape { dim { size: 4611686018427387904 } "
                                "dim { size: 8 } } float_val: 1"), None),
    "negative const": (const("dtype: DT_FLOAT tensor_shape { dim { size: -1 } } float_val: 1"),
                       None),
    "negative count": (A + node("m", "AddN", ["a"], more=attr("N", "i: -1")), None),
    "huge count": (A + node("m", "AddN", ["a"], more=attr("N", "i: 1099511627776")), None),
    "function twice": (FUNCTION.rstrip("} ") + "} } } } " + FUNCTION[FUNCTION.index("function"):]
                       .replace("'x'", "'z'"), None),
}
# Intentionally rejected by Ramet but accepted or deferred by TensorFlow, and the reverse.
STRICTER = {
    "short content": const(f"dtype: DT_FLOAT {DIM2} tensor_content: 'abc'"),
    "const of another dtype": const("dtype: DT_INT32 tensor_shape { } int_val: 1"),
}
ACCEPTED = {
    "any order": node("c", "AddV2", ["a", "b:0", "^b"]) + A + B,
    "file order": node("z", "Identity", ["a"]) + place("y") + A + B + place("x"),
    "defaults": node("v", "VariableV2", (), "dtype", attr("shape", "shape { }") +
                     attr("_mine", "i: 3")),
    "unknown attr": A + node("b", "Identity", ["a"], more=attr("newer", "b: true")),
    "colocated": A + node("b", "Identity", ["a"], more=CLASS % "s: 'loc:@a' s: 'loc:@b'"),
    "other groups": A + node("b", "Identity", ["a"], more=CLASS % "s: 'foo'"),
    "devices": "node { name: 'a' op: 'NoOp' device: '/gpu:1' } node { name: 'b' op: 'NoOp' "
               "device: '/job:ps/task:1/cpu:0' } " +
               node("c", "NoOp", (), "", CLASS % "s: 'loc:@b'"),
    "loop": LOOP,
    "old scalar placeholder": node("a", "Placeholder", (), "dtype", attr("shape", "shape { }")) +
                              "versions { producer: 21 }",
    "new scalar placeholder": node("a", "Placeholder", (), "dtype", attr("shape", "shape { }")) +
                              "versions { producer: 22 }",
    "versions": A + "versions { producer: 100 min_consumer: 12 bad_consumers: [7, 5, 7] }",
    "debug info": "node { name: 'a' op: 'NoOp' experimental_debug_info "
                  "{ original_node_names: 'old' } }",
    "splat": const(f"dtype: DT_FLOAT {DIM2} float_val: 7"),
    "too many values": const(f"dtype: DT_FLOAT {DIM2} float_val: [1, 2, 3]"),
    "no values": const(f"dtype: DT_FLOAT {DIM2}"),
    "strings": const(f"dtype: DT_STRING {DIM2} string_val: 'x'", "DT_STRING"),
    "halves": const(f"dtype: DT_HALF {DIM2} half_val: [15360, 16384]", "DT_HALF"),
    "partial shapes": place("a", "attr { key: '_output_shapes' value { list { shape "
                                 "{ unknown_rank: true } } } }"),
    "scopes as names": place("a/b") + place("a"),
    "function": A + node("call", "F", ["a"], "") + FUNCTION,
    "empty": "versions { producer: 9 }",
}


def plain(def_):
    """Returns nodes by name, with constants as arrays, because their encodings may differ."""
    nodes = {}
    for n in def_.node:
        attrs = {}
        for key, value in n.attr.items():
            if value.HasField("tensor"):
                if len(value.tensor.float_val) == 3:  # make_ndarray fails if there are more values than elements
                    del value.tensor.float_val[2:]
                array = tf.make_ndarray(value.tensor)
                attrs[key] = (str(array.dtype), array.shape, array.tolist())
            else:
                attrs[key] = value.SerializeToString(deterministic=True)
        data = [i for i in n.input if i[0] != "^"]
        control = sorted(i for i in n.input if i[0] == "^")  # in TensorFlow's order
        nodes[n.name] = (n.op, data + control, n.device, attrs,
                         n.experimental_debug_info.SerializeToString())
    return nodes


class Base(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def at(self, name):
        return os.path.join(self.folder.name, name)

    def write(self, name, content):
        with open(self.at(name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())
        return self.at(name)

    def read(self, name, kind=graph_pb2.GraphDef):
        message = kind()
        with open(self.at(name), "rb") as f:
            message.ParseFromString(f.read())
        return message

    def assert_same_nodes(self, ours, theirs):
        self.assertEqual([n.name for n in ours.node], [n.name for n in theirs.node])
        a, b = plain(ours), plain(theirs)
        for name in a:
            self.assertEqual(a[name], b[name], name)
        self.assertEqual(ours.versions, theirs.versions)


class ImportGraphTest(Base):
    def theirs(self, text, **arguments):
        """Returns the graph after the import, or the exception."""
        def_ = text_format.Parse(text, graph_pb2.GraphDef())
        graph = tf.Graph()
        with graph.as_default():
            try:
                tf.import_graph_def(def_, **arguments)
            except Exception as error:  # pylint: disable=broad-except
                return error
        return graph.as_graph_def()

    def test_refused(self):
        for name, (text, message) in REFUSED.items():
            with self.subTest(case=name):
                theirs = self.theirs(text, name="")
                self.assertIsInstance(theirs, Exception, "TensorFlow accepts it")
                (ours,) = drive_all(["import_graph", self.write("g", text), "name="])
                self.assertIsInstance(ours, RametError, f"TensorFlow says: {theirs}")
                if message == SAME:
                    message = str(theirs)
                if message:
                    self.assertIn(message, str(theirs))
                    self.assertIn(message, ours.message)

    def test_stricter(self):
        for name, text in STRICTER.items():
            with self.subTest(case=name):
                (ours,) = drive_all(["import_graph", self.write("g", text), "name="])
                self.assertIsInstance(ours, RametError)
                self.assertIn("node k", ours.message.replace("'", ""))

    def test_accepted(self):
        for name, text in ACCEPTED.items():
            for prefix in ("", "import"):
                with self.subTest(case=name, prefix=prefix):
                    theirs = self.theirs(text, name=prefix)
                    self.assertNotIsInstance(theirs, Exception, str(theirs))
                    drive(["import_graph", self.write("g", text), f"name={prefix}"],
                          ["export_graph", self.at("out")])
                    self.assert_same_nodes(self.read("out"), theirs)

    def test_shapes(self):
        for name, text in ACCEPTED.items():
            with self.subTest(case=name):
                graph = tf.Graph()
                with graph.as_default():
                    tf.import_graph_def(text_format.Parse(text, graph_pb2.GraphDef()), name="")
                drive(["import_graph", self.write("g", text), "name="],
                      ["export_graph", self.at("out"), "shapes"])
                shapes = {n.name: n.attr["_output_shapes"] for n in self.read("out").node}
                theirs = graph.as_graph_def(add_shapes=True)
                for n in theirs.node:
                    if n.op in ("Enter", "Merge", "NextIteration", "F"):
                        continue
                    self.assertEqual(shapes[n.name], n.attr["_output_shapes"], n.name)

    def test_a_second_import_makes_names_unique(self):
        text = A + place("a_1") + node("b", "Identity", ["a"], more=CLASS % "s: 'loc:@a'")
        def_ = text_format.Parse(text, graph_pb2.GraphDef())
        path = self.write("g", text)
        for first, second in (("", ""), ("s", "s"), ("s/", "s/"), ("", "a")):
            with self.subTest(first=first, second=second):
                graph = tf.Graph()
                with graph.as_default():
                    tf.import_graph_def(def_, name=first)
                    tf.import_graph_def(def_, name=second)
                drive(["import_graph", path, f"name={first}"],
                      ["import_graph", path, f"name={second}"], ["export_graph", self.at("out")])
                self.assert_same_nodes(self.read("out"), graph.as_graph_def())

    def test_input_map_and_return_elements(self):
        text = A + node("n", "NoOp", (), "") + node("b", "AddV2", ["a", "a:0", "^n", "^a"])
        def_ = text_format.Parse(text, graph_pb2.GraphDef())
        path = self.write("g", text)
        cases = [
            (["a=mine:0"], ["a:0", "b", "b:0"]),
            (["a:0=mine:0", "^n=^mine"], ["b:0"]),
            (["b=mine:0"], ["b:0"]),
            (["zz:0=mine:0", "yy=mine:0"], []),
            ([], ["nope:0"]), ([], ["nope"]), ([], ["a:3"]),
        ]
        for maps, wanted in cases:
            with self.subTest(maps=maps, wanted=wanted):
                graph = tf.Graph()
                with graph.as_default():
                    mine = tf.placeholder(tf.float32, None, "mine")
                    input_map = {}
                    for text_ in maps:
                        key, value = text_.split("=")
                        input_map[key] = mine
                    try:
                        got = tf.import_graph_def(def_, input_map, wanted, name="i")
                        theirs = " ".join(e.name for e in got)
                    except ValueError as error:
                        theirs = error
                answers = drive_all(
                    ["op", "mine"],
                    ["import_graph", path, "name=i"] + [f"map={m.replace('=^', '=')}" for m in maps] +
                    [f"return={r}" for r in wanted], ["export_graph", self.at("out")])
                if isinstance(theirs, ValueError):
                    self.assertIsInstance(answers[1], RametError, str(theirs))
                    if "Attempted" not in str(theirs):
                        self.assertEqual(answers[1].message, path + ": " + str(theirs))
                    else:
                        self.assertIn("Attempted to map inputs that were not found in graph_def: [",
                                      answers[1].message)
                    continue
                self.assertEqual(answers[1], theirs)
                self.assert_same_nodes(self.read("out"), graph.as_graph_def())


def scoped_model():
    """Variables of three kinds, a loop and a cond, a saver, collections of all kinds, in scope H."""
    outside = tf.placeholder(tf.float32, [2], "outside")
    with tf.variable_scope("H", use_resource=False):
        v = tf.get_variable("v", [2])
        tf.get_variable("step", initializer=np.int64(0), trainable=False)
        parts = tf.get_variable("parts", [4, 2], partitioner=tf.fixed_size_partitioner(2))
        y = tf.add(v, outside, name="y")
        i, s = tf.while_loop(lambda i, s: i < 3, lambda i, s: (i + 1, s + v), [0, y])
        c = tf.cond(i > 2, lambda: s * 2, lambda: s + 1)
        with tf.colocate_with(v):
            out = tf.identity(c, name="out")
        tf.add_to_collection("tensors", out)
        tf.add_to_collection("ops", out.op)
        queue = tf.FIFOQueue(3, [tf.float32], name="queue")
        tf.train.add_queue_runner(tf.train.QueueRunner(queue, [queue.enqueue([out[0]])]))
        tf.identity(tf.convert_to_tensor(parts), name="whole")
    tf.add_to_collection("numbers", 3)
    tf.add_to_collection("numbers", 4)
    tf.add_to_collection("floats", 2.5)
    tf.add_to_collection("words", "H/word")
    tf.add_to_collection("words", "other")
    tf.add_to_collection("mixed", 1)
    tf.add_to_collection("mixed", "a")


def readable(meta):
    """Returns a meta graph as plain values, without the information about the program that wrote it."""
    from tensorflow.core.framework import variable_pb2
    from tensorflow.core.protobuf import control_flow_pb2, queue_runner_pb2
    kinds = {"cond_context": control_flow_pb2.CondContextDef,
             "while_context": control_flow_pb2.WhileContextDef,
             "queue_runners": queue_runner_pb2.QueueRunnerDef,
             "savers": tf.train.SaverDef}
    for key in ("variables", "trainable_variables"):
        kinds[key] = variable_pb2.VariableDef
    collections = {}
    for key, value in meta.collection_def.items():
        items = [kinds[key].FromString(b) for b in value.bytes_list.value] if key in kinds else value
        collections[key] = str(items)
    return {"collections": collections, "saver": str(meta.saver_def),
            "ops": [o.name for o in meta.meta_info_def.stripped_op_list.op],
            "stripped": meta.meta_info_def.stripped_default_attrs}


class MetaGraphTest(Base):
    def export(self, graph, saver=None, **arguments):
        """Returns TensorFlow's export, without writing to the collections of `graph` itself."""
        with graph.as_default():
            meta = tf.train.export_meta_graph(
                saver_def=saver.saver_def if saver else None, **arguments)
            tf.get_collection_ref("unbound_inputs").clear()
        return meta

    def imported(self, **arguments):
        """Returns TensorFlow's graph after importing m.meta, and its saver."""
        graph = tf.Graph()
        with graph.as_default():
            made = tf.train.import_meta_graph(self.at("m.meta"), **arguments)
        return graph, made

    def model(self, saver=True):
        graph = tf.Graph()
        with graph.as_default():
            scoped_model()
            made = tf.train.Saver(sharded=False) if saver else None
        self.write("m.meta", self.export(graph, made).SerializeToString())
        return graph, made

    def assert_same_meta(self, ours, theirs):
        a, b = readable(ours), readable(theirs)
        self.assertEqual(sorted(a["collections"]), sorted(b["collections"]))
        for key in a["collections"]:
            self.assertEqual(a["collections"][key], b["collections"][key], key)
        self.assertEqual(a["saver"], b["saver"])
        self.assertEqual(a["stripped"], b["stripped"])
        self.assert_same_nodes(without_shapes(ours.graph_def), without_shapes(theirs.graph_def))

    def test_export_of_what_was_imported(self):
        original, _ = self.model()
        graph, saver = self.imported()
        for words, arguments in ((["x"], {}), (["clear_devices"], {"clear_devices": True}),
                                 (["strip"], {"strip_default_attrs": True}),
                                 (["scope=H", "fresh"], {"export_scope": "H"}),
                                 (["text"], {})):
            with self.subTest(words=words):
                drive(["import_meta", self.at("m.meta")],
                      ["export_meta", self.at("out")] + words)
                if "text" in words:
                    with open(self.at("out")) as f:
                        ours = text_format.Parse(f.read(), meta_graph_pb2.MetaGraphDef())
                else:
                    ours = self.read("out", meta_graph_pb2.MetaGraphDef)
                theirs = self.export(graph, None if "fresh" in words else saver, **arguments)
                if "fresh" in words:  # an import converts strings to bytes, which no scope leaves out
                    kept = self.export(original, export_scope="H").collection_def["words"]
                    theirs.collection_def["words"].CopyFrom(kept)
                self.assert_same_meta(ours, theirs)

    def test_import_under_a_scope(self):
        self.model()
        for scope in ("s", "s/t"):
            with self.subTest(scope=scope):
                theirs = self.export(*self.imported(import_scope=scope))
                drive(["import_meta", self.at("m.meta"), f"scope={scope}"],
                      ["export_meta", self.at("out")])
                self.assert_same_meta(self.read("out", meta_graph_pb2.MetaGraphDef), theirs)

    def test_unbound_inputs(self):
        graph, _ = self.model(saver=False)
        self.write("h.meta", self.export(graph, export_scope="H").SerializeToString())
        (ours,) = drive_all(["import_meta", self.at("h.meta")])
        with self.assertRaises(ValueError) as theirs, tf.Graph().as_default():
            tf.train.import_meta_graph(self.at("h.meta"))
        self.assertIn(str(theirs.exception), ours.message)
        fresh = tf.Graph()
        with fresh.as_default():
            mine = tf.placeholder(tf.float32, None, "mine")
            tf.train.import_meta_graph(self.at("h.meta"), import_scope="again",
                                       input_map={"$unbound_inputs_outside": mine})
        drive(["op", "mine"],
              ["import_meta", self.at("h.meta"), "scope=again",
               "map=$unbound_inputs_outside=mine:0"],
              ["export_graph", self.at("out")])
        with fresh.as_default():
            theirs = fresh.as_graph_def()
        names = [n.name for n in theirs.node if not n.name.startswith("save")]
        theirs = tf.graph_util.extract_sub_graph(theirs, names)
        self.assert_same_nodes(self.read("out"), theirs)

    def test_clear_extraneous_savers(self):
        graph, saver = self.model()
        with graph.as_default():
            tf.train.Saver(name="second")
            tf.train.Saver(name="H/third")
        self.write("m.meta", self.export(graph, saver).SerializeToString())
        theirs = self.export(*self.imported(), clear_extraneous_savers=True)
        drive(["import_meta", self.at("m.meta")],
              ["export_meta", self.at("out"), "clear_savers"])
        self.assert_same_meta(self.read("out", meta_graph_pb2.MetaGraphDef), theirs)

    def test_missing_and_damaged_files(self):
        bad = self.write("bad.meta", b"\x01\x02 no meta graph")
        for path in (self.at("nowhere.meta"), bad):
            (ours,) = drive_all(["import_meta", path])
            with self.assertRaises(IOError), tf.Graph().as_default():
                tf.train.import_meta_graph(path)
            self.assertIsInstance(ours, RametError)
            self.assertIn(f"ile {path}", ours.message)


def without_shapes(def_):
    copy = graph_pb2.GraphDef()
    copy.CopyFrom(def_)
    for n in copy.node:
        n.attr.pop("_output_shapes", None)
    return copy


if __name__ == "__main__":
    unittest.main()
