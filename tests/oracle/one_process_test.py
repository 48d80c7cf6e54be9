"""Symptom: Ramet crashes or computes wrong results in a process that has loaded TensorFlow.

TensorFlow loads its own protobuf, oneDNN and RE2. Each loading order gets its own process, in which both packages
restore and run the same checkpoint in turns. Needs tensorflow, and RAMET_BUILD, the build folder with
lib/libramet_beside.so.
"""

import os
import subprocess
import sys
import tempfile
import unittest

PROGRAM = """
import ctypes, os, sys
import numpy as np
order, prefix, library = sys.argv[1:]
x = np.linspace(-1, 1, 8 * 32, dtype=np.float32).reshape(8, 32)
floats = np.ctypeslib.ndpointer(np.float32, flags="C")

def load_ramet():
    global run_ramet
    call = ctypes.CDLL(library, ctypes.RTLD_GLOBAL).RametBeside
    call.argtypes = [ctypes.c_char_p] * 3 + [ctypes.c_int] * 2 + [floats, ctypes.c_int, floats]
    def run_ramet():
        y = np.zeros((8, 5), np.float32)
        assert call(prefix.encode(), b"x:0", b"y:0", 8, 32, x, 5, y) == 0
        return y

def load_tensorflow():
    global tf
    import tensorflow.compat.v1 as tf

def run_tensorflow():
    with tf.Graph().as_default(), tf.Session() as session:
        tf.train.import_meta_graph(prefix + ".meta").restore(session, prefix)
        return session.run("y:0", {"x:0": x})

first, second = (load_ramet, load_tensorflow) if order == "ramet-first" else (load_tensorflow, load_ramet)
first()
if order == "ramet-first":
    run_ramet()
else:
    run_tensorflow()
second()
for _ in range(3):
    np.testing.assert_allclose(run_ramet(), run_tensorflow(), rtol=1e-5)
print("agree")
"""

EXPRESSIONS = """
import importlib, sys
packages = [importlib.import_module(name) for name in sys.argv[1:]]

def run(tf):
    with tf.Graph().as_default(), tf.Session() as session:
        texts = tf.constant(["aab", "b", "x1y22"])
        return [y.tolist() for y in session.run([
            tf.strings.regex_replace(texts, tf.constant("(a)|[0-9]+"), "<\\\\1>"),
            tf.strings.regex_replace(texts, "a", "", replace_global=False),
            tf.strings.regex_full_match(texts, "[ab]+"), tf.strings.regex_full_match(texts, tf.constant("b"))])]

for _ in range(3):
    first, second = map(run, packages)
    assert first == second, (first, second)
print(first)
"""

MODEL = """
import sys
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
x = tf.placeholder(tf.float32, [None, 32], "x")
w1 = tf.get_variable("w1", [32, 64])
w2 = tf.get_variable("w2", [64, 5])
tf.nn.softmax(tf.matmul(tf.nn.relu(tf.matmul(x, w1)), w2), name="y")
with tf.Session() as session:
    session.run(tf.global_variables_initializer())
    tf.train.Saver().save(session, sys.argv[1])
"""


def python(program, *arguments):
    environment = dict(os.environ, TF_CPP_MIN_LOG_LEVEL="3", CUDA_VISIBLE_DEVICES="")
    return subprocess.run([sys.executable, "-c", program, *arguments], env=environment, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)


@unittest.skipUnless(os.environ.get("RAMET_BUILD"), "skipped: RAMET_BUILD names no build folder")
class OneProcessTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = os.path.join(folder.name, "model")
        done = python(MODEL, cls.prefix)
        assert done.returncode == 0, done.stdout

    def check(self, order):
        library = os.path.join(os.environ["RAMET_BUILD"], "lib", "libramet_beside.so")
        done = python(PROGRAM, order, self.prefix, library)
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn("agree", done.stdout)

    def test_ramet_first(self):
        self.check("ramet-first")

    def test_tensorflow_first(self):
        self.check("tensorflow-first")

    def test_regular_expressions(self):
        packages = ["ramet.compat.v1", "tensorflow.compat.v1"]
        for order in packages, packages[::-1]:
            done = python(EXPRESSIONS, *order)
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertIn("[True, True, False]", done.stdout)


if __name__ == "__main__":
    unittest.main()
