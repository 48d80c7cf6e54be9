"""TensorFlow restores a checkpoint repeatedly while Ramet saves onto it: no failures, and each RestoreV2 reads one save.

Prints the same figures for TensorFlow on both sides for comparison. RAMET_SOAK_SAVES is the number of saves.

Mixed: the restore ops of two shards read different saves. TensorFlow restores shard by shard, each op opens the index
again, and a save may finish in between. This also happens with TensorFlow's own saver. Torn: the values that one op
read come from two saves.
"""

import os
import subprocess
import sys
import tempfile
import threading
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
side, prefix, count, mode, own, other, elements = sys.argv[1:]
variables = []
for i in range(6):
    with tf.device("/cpu:%d" % (i % 2)):
        variables.append(tf.get_variable("v%d" % i, [int(elements)], initializer=tf.zeros_initializer()))
saver = tf.train.Saver(sharded=mode == "sharded", max_to_keep=2)
value = tf.placeholder(tf.float32, [])
assign = [v.assign(tf.fill([int(elements)], value)) for v in variables]
session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
done = failures = mixed = torn = 0
while done < int(count) or not os.path.exists(other):
    if side == "save":
        session.run(assign, {value: done})
        saver.save(session, prefix, write_meta_graph=False)
    else:
        try:
            saver.restore(session, prefix)
            got = session.run(variables)
            shards = [np.concatenate(got[i::2]) for i in (0, 1)] if mode == "sharded" else [np.concatenate(got)]
            torn += any((s != s[0]).any() for s in shards)
            mixed += len({s[0] for s in shards}) > 1
        except (tf.errors.OpError, ValueError):
            failures += 1
    done += 1
    if done == int(count):
        open(own, "w").close()
print(done, failures, mixed, torn)
"""


def tensorflow(*args):
    return subprocess.Popen([sys.executable, "-c", SIDE, *map(str, args)], stdout=subprocess.PIPE,
                            stderr=subprocess.DEVNULL, text=True)


def ramet(elements, *args):
    return subprocess.Popen([WORKER, *map(str, args)], stdout=subprocess.PIPE, text=True,
                            env=dict(os.environ, RAMET_SOAK_ELEMENTS=str(elements)))


class NameWatch:
    """Records which data files of a folder had more than one name: spare files that a save reused."""

    def __init__(self, folder):
        self.folder, self.names, self.ended = folder, {}, threading.Event()
        self.thread = threading.Thread(target=self.watch)

    def watch(self):
        while not self.ended.wait(0.0005):
            for entry in os.scandir(self.folder):
                if ".data-" in entry.name and ".tempstate" not in entry.name:
                    self.names.setdefault(entry.inode(), set()).add(entry.name)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def reused(self):
        return sum(len(names) > 1 for names in self.names.values())


@unittest.skipUnless(os.path.exists(WORKER), "skipped: RAMET_BUILD names no build folder with bin/soak_worker")
class SaverSoakTest(unittest.TestCase):

    def pair(self, mode, elements, with_ramet):
        """Returns (saves, restores, failures, mixed, torn) of a saver and TensorFlow's reader, and the number of reused data files.
        """
        with tempfile.TemporaryDirectory(dir=WHERE) as folder, tempfile.TemporaryDirectory() as ends:
            prefix, saved, read = os.path.join(folder, "m"), os.path.join(ends, "saved"), os.path.join(ends, "read")
            ramet(elements, "save", prefix, 1, 0, mode, "-", "-").communicate()
            with NameWatch(folder) as watch:
                reader = tensorflow("restore", prefix, COUNT, mode, read, saved, elements)
                if with_ramet:
                    saver = ramet(elements, "save", prefix, COUNT, 1, mode, saved, read)
                else:
                    saver = tensorflow("save", prefix, COUNT, mode, saved, read, elements)
                said = saver.communicate()[0].split()
                figures = tuple(map(int, reader.communicate()[0].split()))
        saves = said.count("saved") if with_ramet else int(said[0])
        return (saves, *figures), watch.reused()

    def check(self, mode, elements=2000):
        """Returns the figures with Ramet, and the number of data files that were reused."""
        for name, with_ramet in (("TensorFlow", False), ("Ramet", True)):
            figures, reused = self.pair(mode, elements, with_ramet)
            print("%s, %d elements, %s saves, TensorFlow reads: saves %d, restores %d: failures %d, mixed %d, torn %d" %
                  (mode, elements, name, *figures), flush=True)
        return figures, reused

    def test_one_file(self):
        self.assertEqual(self.check("plain")[0][2:], (0, 0, 0))

    def test_one_file_that_is_written_over(self):
        figures, reused = self.check("plain", 50000)
        if WHERE == "/dev/shm":
            self.assertGreater(reused, 0)
        self.assertEqual(figures[2:], (0, 0, 0))

    def test_sharded(self):
        _, _, failures, _, torn = self.check("sharded")[0]
        self.assertEqual((failures, torn), (0, 0))


if __name__ == "__main__":
    unittest.main()
