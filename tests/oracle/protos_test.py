"""Symptom: a file written by one side loses or misreads a field on the other.

Every message and enum of proto/ramet/proto is compared with TensorFlow's own descriptor: field
numbers, names, types, labels, packedness, oneofs, map entries, enum values. Needs tensorflow, and
protoc (RAMET_PROTOC overrides the one on PATH).
"""

import glob
import importlib
import os
import shutil
import subprocess
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

from google.protobuf import descriptor_pb2
from google.protobuf import descriptor_pool

PROTO_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "proto")
PROTOC = os.environ.get("RAMET_PROTOC") or shutil.which("protoc")

TENSORFLOW_MODULES = [
    "tensorflow.core.framework.full_type_pb2",
    "tensorflow.core.framework.graph_pb2",
    "tensorflow.core.framework.summary_pb2",
    "tensorflow.core.framework.variable_pb2",
    "tensorflow.core.protobuf.control_flow_pb2",
    "tensorflow.core.protobuf.error_codes_pb2",
    "tensorflow.core.protobuf.queue_runner_pb2",
    "tensorflow.core.protobuf.saved_model_pb2",
    "tensorflow.core.protobuf.tensor_bundle_pb2",
    "tensorflow.core.protobuf.trackable_object_graph_pb2",
    "tensorflow.core.util.event_pb2",
    "tensorflow.core.util.saved_tensor_slice_pb2",
    "tensorflow.python.training.checkpoint_state_pb2",
]
# Declared without fields on purpose; their contents are preserved as unknown fields.
OPAQUE = {"ramet.SavedObjectGraph", "ramet.StructuredValue"}


def ramet_pool():
    """Returns the descriptors of our files, in their own pool."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "set")
        files = sorted(glob.glob(os.path.join(PROTO_ROOT, "ramet", "proto", "*.proto")))
        subprocess.run(
            [PROTOC, "-I", PROTO_ROOT, "--include_imports", f"--descriptor_set_out={path}", *files],
            check=True)
        with open(path, "rb") as f:
            descriptors = descriptor_pb2.FileDescriptorSet.FromString(f.read())
    pool = descriptor_pool.DescriptorPool()
    for file in descriptors.file:
        pool.AddSerializedFile(file.SerializeToString())
    names = [f.name for f in descriptors.file if f.name.startswith("ramet/")]
    return [pool.FindFileByName(name) for name in names]


def all_types(files):
    """Yields every message (including nested ones and map entries) and enum of `files`."""
    messages, enums = [], []

    def visit(message):
        messages.append(message)
        enums.extend(message.enum_types)
        for nested in message.nested_types:
            visit(nested)

    for file in files:
        enums.extend(file.enum_types_by_name.values())
        for message in file.message_types_by_name.values():
            visit(message)
    return messages, enums


def oracle_name(name):
    return "tensorflow" + name[len("ramet"):] if name.startswith("ramet.") else name


def real_oneof(field):
    """Returns the oneof of a field. The one that `optional` creates for a single field does not count."""
    oneof = field.containing_oneof
    return None if oneof is None or oneof.name == "_" + field.name else oneof.name


def describe(field, rename):
    """Returns the properties that determine a field's binary and text formats."""
    target = field.message_type or field.enum_type
    in_map_entry = field.containing_type.GetOptions().map_entry
    return {
        "name": field.name,
        "type": field.type,
        "repeated": field.is_repeated,
        "packed": field.is_packed,
        "presence": field.has_presence or in_map_entry,
        "oneof": real_oneof(field),
        "of": rename(target.full_name) if target else None,
    }


@unittest.skipIf(PROTOC is None, "skipped: no protoc on PATH and RAMET_PROTOC is not set")
class ProtosTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        try:
            for module in TENSORFLOW_MODULES:
                importlib.import_module(module)
        except ImportError as error:
            raise unittest.SkipTest(f"skipped: no tensorflow here ({error})")
        cls.messages, cls.enums = all_types(ramet_pool())
        cls.oracle = descriptor_pool.Default()

    def test_there_are_messages(self):
        names = {m.full_name for m in self.messages}
        for name in ("GraphDef", "MetaGraphDef.MetaInfoDef", "BundleEntryProto", "Event"):
            self.assertIn("ramet." + name, names)

    def test_fields(self):
        for message in self.messages:
            if message.full_name in OPAQUE:
                continue
            with self.subTest(message=message.full_name):
                theirs = self.oracle.FindMessageTypeByName(oracle_name(message.full_name))
                self.assertEqual(
                    {f.number: describe(f, oracle_name) for f in message.fields},
                    {f.number: describe(f, str) for f in theirs.fields})
                self.assertEqual(message.GetOptions().map_entry, theirs.GetOptions().map_entry)

    def test_opaque_messages_are_messages_there_too(self):
        for name in OPAQUE:
            self.oracle.FindMessageTypeByName(oracle_name(name))

    def test_enums(self):
        for enum in self.enums:
            with self.subTest(enum=enum.full_name):
                theirs = self.oracle.FindEnumTypeByName(oracle_name(enum.full_name))
                self.assertEqual({v.number: v.name for v in enum.values},
                                 {v.number: v.name for v in theirs.values})


if __name__ == "__main__":
    unittest.main()
