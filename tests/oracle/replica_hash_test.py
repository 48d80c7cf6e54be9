"""Symptom: a version cannot be proven to be the checkpoint of its step, because their hashes differ.

The hash is computed here from the values that TensorFlow reads from its own checkpoint, as described in
docs/formats/version-hash.md. Ramet's publishers and followers must have the same hash. Needs tensorflow, xxhash and the
package ramet on the path.
"""

import os
import struct
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np
import tensorflow.compat.v1 as tf
import xxhash

import ramet
import ramet.compat.v1 as rt

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

DTYPES = ['float32', 'float64', 'float16', 'bfloat16', 'int8', 'uint8', 'int16', 'int32', 'int64', 'bool', 'complex64']


def tensor_hash(name, value):
    value = np.asarray(value)
    text = name.encode()
    head = struct.pack('<Q', len(text)) + text
    head += struct.pack('<ii', tf.as_dtype(value.dtype).as_datatype_enum, value.ndim)
    head += struct.pack('<%dq' % value.ndim, *value.shape)
    return xxhash.xxh3_128(head + value.tobytes()).digest()


def checkpoint_hash(prefix):
    reader = tf.train.load_checkpoint(prefix)
    names = sorted(reader.get_variable_to_shape_map(), key=str.encode)
    return xxhash.xxh3_128(b''.join(tensor_hash(name, reader.get_tensor(name)) for name in names)).hexdigest()


class ReplicaHashTest(unittest.TestCase):

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.prefix = os.path.join(scratch.name, 'model.ckpt')
        self.address = 'shm:' + os.path.join(scratch.name, 'socket')

    def build(self):
        """Variables of every dtype and of unusual shapes, with random bits."""
        random = np.random.default_rng(5)
        for i, name in enumerate(DTYPES):
            dtype = tf.as_dtype(name)
            for shape in ([], [i + 1, 3], [0, 2]):
                size = dtype.size * int(np.prod(shape))
                data = random.integers(0, 2 if name == 'bool' else 256, size, dtype=np.uint8)
                value = data.view(dtype.as_numpy_dtype).reshape(shape)
                tf.get_variable('%s/rank_%d' % (name, len(shape) + (0 in shape)), initializer=tf.constant(value, dtype))
        tf.train.create_global_step()

    def save(self):
        """Saves with TensorFlow; returns the checkpoint's path."""
        with tf.Graph().as_default(), tf.Session() as session:
            self.build()
            session.run(tf.global_variables_initializer())
            return tf.train.Saver().save(session, self.prefix, global_step=7)

    def test_followers_of_tensorflows_checkpoint(self):
        path = self.save()
        with ramet.Follower('file:' + os.path.dirname(path)) as follower:
            self.assertEqual(follower.hashes(follower.version), (checkpoint_hash(path),) * 2)

    def test_publishers_of_what_was_restored(self):
        path = self.save()
        rules = dict(rename={'float32/': 'single/'}, convert={'float64/': 'bfloat16'})
        with rt.Graph().as_default(), rt.Session() as session:
            rt.train.import_meta_graph(path + '.meta').restore(session, path)
            for rules in ({}, rules):
                with ramet.Publisher(session, self.address, **rules) as publisher:
                    publisher.publish()
                    with ramet.Follower(self.address) as follower:
                        source, content = follower.hashes(follower.version)
                        self.assertEqual(source, checkpoint_hash(path))
                        self.assertEqual(content == source, not rules)


if __name__ == '__main__':
    unittest.main()
