"""Exchanges a three-layer network between Ramet and TensorFlow: files, outputs and training steps, both ways."""

import os
import subprocess
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)
DRIVER = os.path.join(os.environ.get("RAMET_BUILD", "build"), "bin", "oracle_driver")
STEPS, BATCH = 20, 50


def ramet(*args):
    done = subprocess.run([DRIVER, *map(str, args)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=300)
    if done.returncode:
        raise AssertionError(f"oracle_driver {args} ended with {done.returncode}: {done.stderr}")
    return done.stdout


def batches():
    random = np.random.RandomState(0)
    images = random.rand(STEPS * BATCH, 784).astype("f")
    labels = np.eye(10, dtype="f")[random.randint(0, 10, STEPS * BATCH)]
    return images, labels


def build_network():
    """Builds the network with seeded weights and learning rate 0.1; returns the loss."""
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    labels = tf.placeholder(tf.float32, [None, 10], name="labels")
    shapes = [("w0", [784, 256], 1), ("w1", [256, 256], 2), ("w2", [256, 10], 3)]
    w0, w1, w2 = [tf.get_variable(n, s, initializer=tf.glorot_uniform_initializer(seed), use_resource=False)
                  for n, s, seed in shapes]
    b0, b1, b2 = [tf.Variable(np.zeros([n], "f"), use_resource=False) for n in (256, 256, 10)]
    h1 = tf.nn.relu(tf.matmul(x, w0) + b0)
    h2 = tf.nn.relu(tf.matmul(h1, w1) + b1)
    out = tf.nn.softmax(tf.matmul(h2, w2) + b2, name="out")
    loss = tf.reduce_mean(-tf.reduce_sum(labels * tf.log(out), axis=[1]))
    tf.add_to_collection("losses", loss)
    tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    return loss


def train_with_tensorflow(prefix, images, labels):
    with tf.Graph().as_default() as graph, tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
        loss, train = tf.get_collection("losses")[0], tf.get_collection("train_op")[0]
        return [session.run([loss, train], {"x:0": images[i:i + BATCH], "labels:0": labels[i:i + BATCH]})[0]
                for i in range(0, STEPS * BATCH, BATCH)]


def infer_with_tensorflow(prefix, images):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
        return session.run("out:0", {"x:0": images})


class SeedNetworkTest(unittest.TestCase):

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.ramet_prefix = os.path.join(cls.folder.name, "by_ramet")
        cls.tf_prefix = os.path.join(cls.folder.name, "by_tensorflow")
        ramet("build", cls.ramet_prefix)
        with tf.Graph().as_default(), tf.Session() as session:
            build_network()
            saver = tf.train.Saver()
            session.run(tf.global_variables_initializer())
            saver.save(session, cls.tf_prefix)
        cls.images, cls.labels = batches()
        np.hstack([cls.images, cls.labels]).tofile(cls.path("batches"))
        cls.images[:BATCH].tofile(cls.path("images"))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    @classmethod
    def path(cls, name):
        return os.path.join(cls.folder.name, name)

    def both(self):
        return ("by_ramet", self.ramet_prefix), ("by_tensorflow", self.tf_prefix)

    def test_outputs_agree(self):
        for name, prefix in self.both():
            with self.subTest(name):
                ramet("infer", prefix, self.path("images"), self.path("out"))
                got = np.fromfile(self.path("out"), "f").reshape(BATCH, 10)
                np.testing.assert_allclose(got, infer_with_tensorflow(prefix, self.images[:BATCH]), rtol=1e-5, atol=1e-8)

    def test_twenty_steps_give_the_same_losses(self):
        for name, prefix in self.both():
            with self.subTest(name):
                to = self.path(name + "_trained")
                got = [float(v) for v in ramet("train", prefix, self.path("batches"), STEPS, to).split()]
                want = train_with_tensorflow(prefix, self.images, self.labels)
                np.testing.assert_allclose(got, want, rtol=1e-4)
                self.assertLess(abs(got[0] - got[-1]), 5)
                self.assertNotEqual(got[0], got[-1])
                infer_with_tensorflow(to, self.images[:2])

    def test_seeded_weights_are_tensorflows(self):
        mine, theirs = (tf.train.load_checkpoint(p) for p in (self.ramet_prefix, self.tf_prefix))
        for name in ("w0", "w1", "w2"):
            np.testing.assert_array_equal(mine.get_tensor(name), theirs.get_tensor(name))

    def test_the_graph_is_tensorflows(self):
        graphs = []
        for _, prefix in self.both():
            meta = tf.MetaGraphDef()
            with open(prefix + ".meta", "rb") as f:
                meta.ParseFromString(f.read())
            graphs.append({n.name: (n.op, sorted(n.input)) for n in meta.graph_def.node})
        mine, theirs = graphs
        self.assertEqual(sorted(theirs.keys() - mine.keys()), [])
        self.assertEqual(sorted(mine.keys() - theirs.keys()), [])
        self.assertEqual({n: v for n, v in mine.items() if v != theirs[n]}, {})

    def test_a_fresh_save_is_byte_for_byte_tensorflows(self):
        to = self.path("resaved")
        ramet("resave", self.tf_prefix, to)
        for suffix in (".index", ".data-00000-of-00001"):
            with open(self.tf_prefix + suffix, "rb") as a, open(to + suffix, "rb") as b:
                self.assertEqual(a.read(), b.read(), suffix)

    def test_tensorflow_reads_an_overwritten_prefix(self):
        prefix = self.path("again")
        ramet("resave", self.tf_prefix, prefix)
        before = tf.train.load_checkpoint(prefix).get_tensor("Variable")
        for times in (1, 2, 1):
            ramet("overwrite", prefix, times)
            after = tf.train.load_checkpoint(prefix).get_tensor("Variable")
            np.testing.assert_array_equal(after, before + times)
            before = after
        infer_with_tensorflow(prefix, self.images[:2])


if __name__ == "__main__":
    unittest.main()
