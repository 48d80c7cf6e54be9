"""TensorFlow restores a checkpoint again and again while Ramet saves onto it: no failure, of one file no mixed step.

The same with TensorFlow on both sides is printed beside it. RAMET_SOAK_SAVES says how often.
"""

import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
WORKER = os.path.abspath(os.path.join(os.environ.get("RAMET_BUILD", "build"), "bin", "soak_worker"))
COUNT = int(os.environ.get("RAMET_SOAK_SAVES", "300"))
WHERE = os.environ.get("RAMET_SOAK_DIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)

SIDE = """
import os, sys
import numpy as np
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
side, prefix, count, mode, own, other = sys.argv[1:]
variables = []
for i in range(6):
    with tf.device("/cpu:%d" % (i % 2)):
        variables.append(tf.get_variable("v%d" % i, [2000], initializer=tf.zeros_initializer()))
saver = tf.train.Saver(sharded=mode == "sharded", max_to_keep=2)
value = tf.placeholder(tf.float32, [])
assign = [v.assign(tf.fill([2000], value)) for v in variables]
session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
done = failures = mixed = 0
while done < int(count) or not os.path.exists(other):
    if side == "save":
        session.run(assign, {value: done})
        saver.save(session, prefix, write_meta_graph=False)
    else:
        try:
            saver.restore(session, prefix)
            got = np.concatenate(session.run(variables))
            mixed += (got != got[0]).any()
        except (tf.errors.OpError, ValueError):
            failures += 1
    done += 1
    if done == int(count):
        open(own, "w").close()
print(done, failures, mixed)
"""


def tensorflow(*args):
    return subprocess.Popen([sys.executable, "-c", SIDE, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)


def ramet(*args):
    return subprocess.Popen([WORKER, *map(str, args)], stdout=subprocess.PIPE, text=True)


@unittest.skipUnless(os.path.exists(WORKER), "skipped: RAMET_BUILD names no build folder with bin/soak_worker")
class SaverSoakTest(unittest.TestCase):

    def pair(self, mode, with_ramet):
        """(saves, restores, failures, mixed) of a saver and TensorFlow's reader."""
        with tempfile.TemporaryDirectory(dir=WHERE) as folder, tempfile.TemporaryDirectory() as ends:
            prefix, saved, read = os.path.join(folder, "m"), os.path.join(ends, "saved"), os.path.join(ends, "read")
            ramet("save", prefix, 1, 0, mode, "-", "-").communicate()
            reader = tensorflow("restore", prefix, COUNT, mode, read, saved)
            if with_ramet:
                saver = ramet("save", prefix, COUNT, 1, mode, saved, read)
            else:
                saver = tensorflow("save", prefix, COUNT, mode, saved, read)
            said = saver.communicate()[0].split()
            restores, failures, mixed = map(int, reader.communicate()[0].split())
            saves = said.count("saved") if with_ramet else int(said[0])
        return saves, restores, failures, mixed

    def check(self, mode):
        for name, with_ramet in (("TensorFlow", False), ("Ramet", True)):
            figures = self.pair(mode, with_ramet)
            print("%s, %s saves, TensorFlow reads: saves %d, restores %d: failures %d, mixed %d" % (mode, name, *figures),
                  flush=True)
        return figures

    def test_one_file(self):
        self.assertEqual(self.check("plain")[2:], (0, 0))

    def test_sharded(self):
        # TensorFlow reads shard by shard and may get them from two saves, of its own saver too.
        self.assertEqual(self.check("sharded")[2], 0)


if __name__ == "__main__":
    unittest.main()
