"""Symptom: protos differ from TensorFlow's, or fail when Ramet and TensorFlow are both imported.

Every message of ramet.core is compared with TensorFlow's (fields, enums, names of modules). Messages are
exchanged as bytes and as text, and both packages are imported into one process, in either order.
Needs tensorflow, and the Python package on PYTHONPATH.
"""

import importlib
import os
import subprocess
import sys
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from google.protobuf import message, text_format

try:
    import tensorflow.compat.v1 as tf
    from tensorflow.core.framework import graph_pb2 as tf_graph_pb2
    from tensorflow.core.protobuf import config_pb2 as tf_config_pb2
except ImportError:
    tf = None
try:
    from ramet.core import convert, modules, pool
    from ramet.core.framework import graph_pb2
    from ramet.core.public_names import PUBLIC_NAMES
except ImportError:
    pool = None

# Declared without fields on purpose; the object model of TensorFlow 2 is preserved as unknown fields.
OPAQUE = {"SavedObjectGraph", "StructuredValue"}
# TensorFlow has these in a different place, or had them there before 2.0.
OTHER_PLACE = {
    "protobuf.checkpoint_state_pb2": "tensorflow.python.training.checkpoint_state_pb2",
    "protobuf.coordination_config_pb2":
        "tensorflow.compiler.xla.tsl.protobuf.coordination_config_pb2",
    "protobuf.graph_debug_info_pb2": "tensorflow.core.framework.graph_debug_info_pb2",
}
# The missing parts belong to TensorFlow 2's object model.
PARTIAL = {"protobuf.saved_object_graph_pb2", "protobuf.struct_pb2"}

BOTH_PACKAGES = """
import copy, pickle
{imports}
from ramet.core.framework import graph_pb2 as ours
from ramet.core.framework import attr_value_pb2
from tensorflow.core.framework import graph_pb2 as theirs
a, b = ours.GraphDef(), theirs.GraphDef()
assert type(a) is not type(b)
for graph in (a, b):
    graph.node.add(name='n', op='NoOp').attr['a'].list.i.extend([1, 2])
assert a.SerializeToString(deterministic=True) == b.SerializeToString(deterministic=True)
assert str(a) == str(b)
assert type(ours.GraphDef.FromString(b.SerializeToString())) is ours.GraphDef
for value in (a, a.node[0].attr['a'].list, b.node[0].attr['a'].list):
    assert type(pickle.loads(pickle.dumps(value))) is type(value)
    assert type(copy.deepcopy(value)) is type(value)
tf.import_graph_def(b)
"""


def theirs_of(module):
    return importlib.import_module(OTHER_PLACE.get(module, "tensorflow.core." + module))


def public(module):
    return {name for name in dir(module) if not name.startswith("_") and not name.endswith("_pb2")}


def real_oneof(field):
    """Returns the oneof of a field. The one that `optional` creates for a single field does not count."""
    oneof = field.containing_oneof
    return None if oneof is None or oneof.name == "_" + field.name else oneof.name


def describe(field):
    """Returns the properties that determine a field's binary and text formats."""
    target = field.message_type or field.enum_type
    in_map_entry = field.containing_type.GetOptions().map_entry
    return {
        "name": field.name,
        "number": field.number,
        "type": field.type,
        "repeated": field.is_repeated,
        "packed": field.is_packed,
        "presence": field.has_presence or in_map_entry,
        "oneof": real_oneof(field),
        "default": field.default_value if target is None else None,
        "of": target and target.full_name,
    }


def enum_values(enum):
    return sorted((value.number, value.name) for value in enum.values)


@unittest.skipIf(tf is None, "skipped: no tensorflow here")
@unittest.skipIf(pool is None, "skipped: ramet.core is not on PYTHONPATH")
class PythonProtosTest(unittest.TestCase):

    def compare(self, ours, theirs):
        self.assertEqual(ours.full_name, theirs.full_name)
        if ours.name in OPAQUE:
            return
        with self.subTest(message=ours.full_name):
            self.assertEqual([describe(f) for f in ours.fields],
                             [describe(f) for f in theirs.fields])
            self.assertEqual(ours.GetOptions().map_entry, theirs.GetOptions().map_entry)
            self.assertEqual(sorted(ours.nested_types_by_name), sorted(theirs.nested_types_by_name))
            self.assertEqual({n: enum_values(e) for n, e in ours.enum_types_by_name.items()},
                             {n: enum_values(e) for n, e in theirs.enum_types_by_name.items()})
        for nested in ours.nested_types:
            self.compare(nested, theirs.nested_types_by_name[nested.name])

    def test_every_field_of_every_message(self):
        compared = 0
        for module, names in modules.MODULES.items():
            for name in names.split():
                short = name.rpartition(".")[2]
                ours = getattr(importlib.import_module("ramet.core." + module), short)
                theirs = getattr(theirs_of(module), short)
                compared += 1
                if isinstance(ours, type) and issubclass(ours, message.Message):
                    self.compare(ours.DESCRIPTOR, theirs.DESCRIPTOR)
                else:
                    self.assertEqual(enum_values(ours.DESCRIPTOR), enum_values(theirs.DESCRIPTOR))
        self.assertGreater(compared, 100)

    def test_modules_have_the_same_names(self):
        for module in modules.MODULES:
            with self.subTest(module=module):
                ours = public(importlib.import_module("ramet.core." + module))
                theirs = public(theirs_of(module))
                if module in PARTIAL:
                    self.assertLess(ours, theirs)
                else:
                    self.assertEqual(ours, theirs)

    def test_public_names(self):
        for name, place in PUBLIC_NAMES.items():
            theirs = tf
            for part in name.split("."):
                theirs = getattr(theirs, part)
            module, _, attribute = place.partition(":")
            ours = getattr(importlib.import_module("ramet.core." + module), attribute)
            self.assertEqual(ours.DESCRIPTOR.full_name, theirs.DESCRIPTOR.full_name, name)

    def test_no_public_message_is_missing(self):
        spaces = {"": tf, "train.": tf.train, "summary.": tf.summary, "profiler.": tf.profiler,
                  "saved_model.": tf.saved_model, "python_io.": tf.python_io, "io.": tf.io}
        found = {prefix + name for prefix, space in spaces.items() for name in dir(space)
                 if isinstance(getattr(space, name, None), type)
                 and issubclass(getattr(space, name), message.Message)}
        self.assertEqual(found, set(PUBLIC_NAMES))

    def test_a_graph_goes_both_ways(self):
        with tf.Graph().as_default() as graph:
            x = tf.placeholder(tf.float32, [None, 3], name="x")
            tf.nn.relu(tf.matmul(x, tf.Variable(tf.ones([3, 2])), name="y"))
        theirs = graph.as_graph_def()
        ours = graph_pb2.GraphDef.FromString(theirs.SerializeToString())
        self.assertEqual(str(ours), str(theirs))
        back = tf_graph_pb2.GraphDef.FromString(ours.SerializeToString())
        self.assertEqual(back, theirs)
        self.assertEqual(text_format.Parse(str(ours), tf_graph_pb2.GraphDef()), theirs)
        self.assertEqual(text_format.Parse(str(theirs), graph_pb2.GraphDef()), ours)

    def test_a_config_of_tensorflow_is_taken(self):
        config = tf_config_pb2.ConfigProto(device_count={"GPU": 0}, allow_soft_placement=True)
        config.experimental.executor_type = "SINGLE_THREADED_EXECUTOR"
        ours = convert.to_ramet(config)
        self.assertEqual(type(ours).__module__, "ramet.core.protobuf.config_pb2")
        self.assertEqual(str(ours), str(config))
        self.assertEqual(convert.serialized(config, "tensorflow.ConfigProto"),
                         config.SerializeToString())
        nested = convert.to_ramet(config.experimental)
        self.assertEqual(nested.executor_type, "SINGLE_THREADED_EXECUTOR")

    def test_both_packages_in_one_process_in_either_order(self):
        ours = "from ramet.core.framework import graph_pb2\ngraph_pb2.GraphDef"
        theirs = "import tensorflow.compat.v1 as tf"
        for imports in (f"{ours}\n{theirs}", f"{theirs}\n{ours}"):
            ran = subprocess.run([sys.executable, "-c", BOTH_PACKAGES.format(imports=imports)],
                                 capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual(ran.returncode, 0, ran.stderr)


if __name__ == "__main__":
    unittest.main()
