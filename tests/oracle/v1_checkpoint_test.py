"""Symptom: Ramet misreads a V1 checkpoint that TensorFlow wrote, or the other way around.

Each checkpoint goes through Ramet's CopyCheckpoint, which reads every tensor and slice and writes it in either
format. V1 to V1 must produce TensorFlow's bytes, and TensorFlow must be able to read the V2 copy.
"""

import glob
import os
import subprocess
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow.compat.v1 as tf
from tensorflow.python.framework import dtypes
from tensorflow.raw_ops import Restore, RestoreSlice, Save, SaveSlices

tf.disable_v2_behavior()
DRIVER = os.path.join(os.environ.get("RAMET_BUILD", "build"), "bin", "oracle_driver")
V1_DTYPES = ("bool complex128 complex64 double float half int16 int32 int64 int8 qint32 qint8 quint8 "
             "string uint16 uint8").split()
NOT_IN_V1 = "bfloat16 qint16 quint16 uint32 uint64".split()


def ramet(*args, error=False):
    done = subprocess.run([DRIVER, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if (done.returncode != 0) != error:
        raise AssertionError(f"oracle_driver {args} ended with {done.returncode}: {done.stderr}")
    return done.stderr if error else done.stdout


def run(build):
    with tf.Graph().as_default(), tf.Session() as session:
        return session.run(build())


def value(name, shape=(5,)):
    """Returns random bits, so that all signs and widths occur; strings include NULs and empty ones."""
    random = np.random.RandomState(len(name))
    n = int(np.prod(shape))
    if name == "string":
        return np.array([random.bytes(i % 4) for i in range(n)], object).reshape(shape)
    if name == "bool":
        return random.rand(*shape) < 0.5
    dtype = dtypes.as_dtype(name)
    bits = np.frombuffer(random.bytes(n * dtype.size), dtype.as_numpy_dtype).reshape(shape)
    floating = name in ("half", "float", "double", "complex64", "complex128")
    return np.where(np.isfinite(bits), bits, np.array(-1.5, bits.dtype)) if floating else bits


PLAIN = {"qint8": "int8", "quint8": "uint8", "qint16": "int16", "quint16": "uint16", "qint32": "int32"}


def constant(name, array):
    if name not in PLAIN:
        return tf.constant(array, dtype=name)
    plain = np.frombuffer(array.tobytes(), PLAIN[name]).reshape(array.shape)
    return tf.bitcast(tf.constant(plain), name)


def plain(tensor):
    """Converts quantized tensors to integers."""
    name = tensor.dtype.name
    return tf.bitcast(tensor, PLAIN[name]) if name in PLAIN else tensor


def contents(prefix):
    """Returns every tensor as TensorFlow restores it."""
    types = tf.train.load_checkpoint(prefix).get_variable_to_dtype_map()
    names = sorted(types)
    tensors = run(lambda: [plain(t) for t in tf.raw_ops.RestoreV2(
        prefix=prefix, tensor_names=names, shape_and_slices=[""] * len(names), dtypes=[types[n] for n in names])])
    return {name: (types[name].name, tensor) for name, tensor in zip(names, tensors)}


def read_bytes(path):
    with open(path, "rb") as file:
        return file.read()


class V1Checkpoint(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def assert_same_contents(self, a, b):
        a, b = contents(a), contents(b)
        self.assertEqual(sorted(a), sorted(b))
        for name, (dtype, array) in a.items():
            self.assertEqual(dtype, b[name][0], name)
            np.testing.assert_array_equal(array, b[name][1], name)

    def save_all_dtypes(self, path):
        shapes = {"v": (5,), "m": (3, 4), "s": (), "e": (0, 2)}
        names = [f"{d}/{k}" for d in V1_DTYPES for k in shapes]
        run(lambda: Save(filename=path, tensor_names=names,
                         data=[constant(d, value(d, s)) for d in V1_DTYPES for s in shapes.values()]))

    def test_all_dtypes_whole(self):
        self.save_all_dtypes(self.path("tf"))
        ramet("copy", self.path("tf"), self.path("v1"), "v1")
        self.assertEqual(read_bytes(self.path("v1")), read_bytes(self.path("tf")))
        ramet("copy", self.path("tf"), self.path("v2"), "v2")
        self.assert_same_contents(self.path("tf"), self.path("v2"))
        ramet("copy", self.path("v2"), self.path("back"), "v1")
        self.assertEqual(read_bytes(self.path("back")), read_bytes(self.path("tf")))

    def test_all_dtypes_in_slices(self):
        def save():
            specs, data = [], []
            for d in V1_DTYPES:
                whole = value(d, (4, 3))
                for spec, part in ((" 0,1:-", whole[:1]), (" 1,3:0,2", whole[1:, :2]), (" 1,3:2,1", whole[1:, 2:])):
                    specs.append("4 3" + spec)
                    data.append(constant(d, np.ascontiguousarray(part)))
            return SaveSlices(filename=self.path("tf"), tensor_names=np.repeat(V1_DTYPES, 3), shapes_and_slices=specs, data=data)
        run(save)
        ramet("copy", self.path("tf"), self.path("v1"), "v1")
        self.assertEqual(read_bytes(self.path("v1")), read_bytes(self.path("tf")))
        ramet("copy", self.path("v1"), self.path("v2"), "v2")
        for d in V1_DTYPES:
            tensor = run(lambda: plain(RestoreSlice(
                file_pattern=self.path("v1"), tensor_name=d, shape_and_slice="4 3 0,3:1,2", dt=d)))
            expected = np.ascontiguousarray(value(d, (4, 3))[:3, 1:])
            np.testing.assert_array_equal(tensor, expected.view(tensor.dtype) if d in PLAIN else expected, d)
        # TensorFlow cannot assemble all of these from a V2 checkpoint.
        ramet("copy", self.path("v2"), self.path("back"), "v1")
        self.assertEqual(read_bytes(self.path("back")), read_bytes(self.path("tf")))

    def test_shards_are_joined(self):
        for shard in range(3):
            path = self.path("m-%05d-of-00003" % shard)
            run(lambda: SaveSlices(filename=path, tensor_names=["w", f"own{shard}"],
                                   shapes_and_slices=[f"6 2 {2 * shard},2:-", ""],
                                   data=[tf.fill([2, 2], float(shard)), tf.constant(shard)]))
        pattern = self.path("m-?????-of-00003")
        self.assertEqual(ramet("print", pattern),
                         "own0 (DT_INT32) []\nown1 (DT_INT32) []\nown2 (DT_INT32) []\nw (DT_FLOAT) [6,2], 3 slices\n")
        self.assertEqual(sorted(tf.train.load_checkpoint(pattern).debug_string().decode().splitlines()),
                         ramet("print", pattern).splitlines())
        ramet("copy", pattern, self.path("v2"), "v2")
        np.testing.assert_array_equal(contents(self.path("v2"))["w"][1], np.repeat([0, 0, 1, 1, 2, 2], 2).reshape(6, 2))
        ramet("copy", pattern, self.path("v1"), "v1")
        whole = run(lambda: Restore(file_pattern=self.path("v1"), tensor_name="w", dt=tf.float32))
        np.testing.assert_array_equal(whole, np.repeat([0, 0, 1, 1, 2, 2], 2).reshape(6, 2))

    def test_many_tensors_and_large_ones(self):
        random = np.random.RandomState(1)
        values = {f"layer_{i}/{'w' * (i % 7)}": random.rand(i % 50).astype("f") for i in range(4000)}
        values["large"] = random.rand(300_000)
        run(lambda: Save(filename=self.path("tf"), tensor_names=list(values), data=list(values.values())))
        ramet("copy", self.path("tf"), self.path("v1"), "v1")
        self.assertEqual(read_bytes(self.path("v1")), read_bytes(self.path("tf")))

    def test_a_saver_of_v1(self):
        prefix = self.path("model")
        with tf.Graph().as_default(), tf.Session() as session:
            w = tf.get_variable("w", [10, 4], partitioner=tf.fixed_size_partitioner(3))
            tf.get_variable("step", initializer=tf.constant(7, tf.int64))
            session.run(tf.global_variables_initializer())
            expected = session.run(tf.convert_to_tensor(w))
            tf.train.Saver(write_version=tf.train.SaverDef.V1, sharded=True).save(session, prefix)
        pattern = tf.train.get_checkpoint_state(self.folder.name).model_checkpoint_path
        self.assertIn("?????", pattern)
        ramet("copy", pattern, self.path("copy"), "v2")
        got = contents(self.path("copy"))
        np.testing.assert_array_equal(got["w"][1], expected)
        self.assertEqual(got["step"][1], 7)

    def test_dtypes_that_v1_lacks(self):
        for d in NOT_IN_V1:
            with self.assertRaises(tf.errors.OpError):
                run(lambda: Save(filename=self.path("tf"), tensor_names=["x"], data=[constant(d, value(d))]))
            prefix = self.path(d)
            run(lambda: tf.raw_ops.SaveV2(prefix=prefix, tensor_names=["x"], shape_and_slices=[""],
                                          tensors=[constant(d, value(d))]))
            message = ramet("copy", prefix, self.path("v1"), "v1", error=True)
            self.assertIn(f"Saving data type {d} not yet supported", message)
        self.assertFalse(glob.glob(self.path("v1*")))

    def test_errors_are_tensorflows(self):
        good = self.path("good")
        run(lambda: Save(filename=good, tensor_names=["x"], data=[tf.range(9)]))
        damaged = bytearray(read_bytes(good))
        damaged[8] ^= 1
        for name, content in (("short", b"junk"), ("magic", b"junk" * 20), ("flip", damaged)):
            with open(self.path(name), "wb") as file:
                file.write(content)
        for name in ("short", "magic", "flip", "none"):
            with self.assertRaises(Exception) as raised:
                tf.train.load_checkpoint(self.path(name)) if name != "none" else tf.train.NewCheckpointReader(self.path(name))
            wanted = str(raised.exception)
            got = ramet("print", self.path(name), error=True)
            # Ramet adds sizes and offsets in parentheses.
            for part in wanted.split(": perhaps"):
                self.assertIn(part, got)


if __name__ == "__main__":
    unittest.main()
