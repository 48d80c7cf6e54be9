"""Folders of checkpoints exchanged between TensorFlow and Ramet's followers and publishers.

The values must be bitwise equal on both sides, also while TensorFlow overwrites one checkpoint in a loop.
"""

import glob
import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import numpy as np
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.FATAL)
DRIVER = os.path.abspath(os.path.join(os.environ.get("RAMET_BUILD", "build"), "bin", "files_driver"))
SAVES = int(os.environ.get("RAMET_SOAK_SAVES", "300"))
WHERE = os.environ.get("RAMET_SOAK_DIR") or ("/dev/shm" if os.access("/dev/shm", os.W_OK) else None)

VERSIONS = 5  # the minimum that the follower must see
LAST = -1.0

# Saves onto one name in a loop: at least the given number of times, and until its standard input ends. Each element of
# each variable is the number of the save; in the last save it is LAST. It pauses now and then, so that even a slow
# follower sees versions.
SAVER = """
import os, select, sys, time
import tensorflow.compat.v1 as tf
tf.disable_v2_behavior()
prefix, last, count, elements, max_to_keep, sharded = sys.argv[1], float(sys.argv[2]), *map(int, sys.argv[3:])
variables = []
for i in range(6):
    with tf.device("/cpu:%d" % (i % 2)):
        variables.append(tf.get_variable("v%d" % i, [elements], initializer=tf.zeros_initializer()))
saver = tf.train.Saver(max_to_keep=max_to_keep, sharded=bool(sharded))
value = tf.placeholder(tf.float32, [])
assign = [v.assign(tf.fill([elements], value)) for v in variables]
session = tf.Session(config=tf.ConfigProto(device_count={"CPU": 2}))
def save(number, write_meta_graph=False):
    session.run(assign, {value: number})
    saver.save(session, prefix, write_meta_graph=write_meta_graph)
saves = 0
while saves < count or not select.select([sys.stdin], [], [], 0)[0]:
    saves += 1
    save(saves, saves == 1)
    if saves % 10 == 0:
        time.sleep(0.02)
save(last)
print(saves + 1)
"""

DTYPES = [tf.float32, tf.float64, tf.float16, tf.bfloat16, tf.int8, tf.uint8, tf.int16, tf.int32, tf.int64, tf.bool,
          tf.complex64]


def random_bits(random, dtype, shape):
    size = dtype.size * int(np.prod(shape))
    data = random.integers(0, 2 if dtype == tf.bool else 256, size, dtype=np.uint8)
    return data.view(dtype.as_numpy_dtype).reshape(shape)


def build(resource):
    """Variables of every dtype, parts of one, a step, and an op that modifies them."""
    for i, dtype in enumerate(DTYPES):
        tf.get_variable("v/%s" % dtype.name, [i + 1, 3], dtype, tf.zeros_initializer(), use_resource=resource)
    tf.get_variable("parts", [10, 2], partitioner=tf.fixed_size_partitioner(3), initializer=tf.ones_initializer(),
                    use_resource=resource)
    tf.train.get_or_create_global_step()


@unittest.skipUnless(os.path.exists(DRIVER), "skipped: RAMET_BUILD names no build folder with bin/files_driver")
class ReplicaFilesTest(unittest.TestCase):

    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory(dir=WHERE)
        self.addCleanup(self.scratch.cleanup)
        self.run_dir = os.path.join(self.scratch.name, "run")
        self.out = os.path.join(self.scratch.name, "out")
        os.mkdir(self.out)

    def written(self, name, dtype, prefix=""):
        with open(os.path.join(self.out, prefix + name.replace("/", "+")), "rb") as file:
            return file.read()

    def check_follows(self, save, resource, objects=False):
        """Checks a follower that is started before the folder exists; `save(saver, session, step)` saves once.

        With `objects`, the saver is a tf.train.Checkpoint, which writes no graph, so the follower has its own graph.
        """
        meta = os.path.join(self.scratch.name, "graph.meta")
        random = np.random.default_rng(3)
        with tf.Graph().as_default(), tf.Session() as session:
            build(resource)
            tf.train.export_meta_graph(meta)
            driver = subprocess.Popen(
                [DRIVER, "follow", "file:" + self.run_dir, self.out] + [meta] * objects, stdin=subprocess.PIPE,
                stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
            variables = [v for v in tf.global_variables() if not (objects and v.op.name.startswith("parts"))]
            places = [tf.placeholder(v.dtype.base_dtype, v.shape) for v in variables]
            assigns = [tf.assign(v, p) for v, p in zip(variables, places)]
            saver = tf.train.Checkpoint(variables=variables) if objects else tf.train.Saver(max_to_keep=2)
            session.run(tf.global_variables_initializer())
            os.mkdir(self.run_dir)
            last = 0
            for step in range(1, 8):
                values = [np.int64(100 * step) if v.op.name == "global_step" else
                          random_bits(random, v.dtype.base_dtype, v.shape.as_list()) for v in variables]
                for one, place, value in zip(assigns, places, values):
                    session.run(one.op, {place: value})
                save(saver, session, step)
                driver.stdin.write("%d\n" % (last + 1))
                driver.stdin.flush()
                version, said = map(int, driver.stdout.readline().split())
                self.assertGreater(version, last)
                self.assertEqual(said, step if objects else 100 * step)
                last = version
                for variable, value in zip(variables, values):
                    self.assertEqual(self.written(variable.op.name, variable.dtype), value.tobytes(), variable.op.name)
        driver.stdin.close()
        self.assertEqual(driver.wait(), 0)
        driver.stdout.close()
        return last

    def test_follows_numbered_checkpoints(self):
        last = self.check_follows(
            lambda saver, session, step: saver.save(session, self.run_dir + "/model.ckpt", global_step=step), False)
        self.assertEqual(last, 7)

    def test_follows_a_name_that_is_overwritten(self):
        self.check_follows(lambda saver, session, step: saver.save(session, self.run_dir + "/model.ckpt"), False)

    def test_follows_resource_variables(self):
        self.check_follows(
            lambda saver, session, step: saver.save(session, self.run_dir + "/m", global_step=step), True)

    def test_follows_object_based_checkpoints(self):
        for resource in (False, True):
            with self.subTest(resource=resource):
                self.run_dir += "+"
                last = self.check_follows(
                    lambda saver, session, step: saver.save(self.run_dir + "/ckpt", session=session), resource, True)
                self.assertEqual(last, 7)

    def hunt(self, elements, max_to_keep, sharded):
        os.mkdir(self.run_dir)
        saver = subprocess.Popen(
            [sys.executable, "-c", SAVER, self.run_dir + "/model.ckpt",
             *map(str, (LAST, SAVES, elements, max_to_keep, sharded))], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        hunter = subprocess.Popen([DRIVER, "hunt", "file:" + self.run_dir, str(VERSIONS), str(LAST)],
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.assertEqual(hunter.stdout.readline(), "enough\n")
        saves = int(saver.communicate()[0])
        found, said = hunter.communicate()
        self.assertEqual((saver.returncode, hunter.returncode), (0, 0), said)
        seen, torn, refused = map(int, found.split())
        print("%d elements, max_to_keep %d, sharded %d: %d saves, %d versions seen, %d torn, %d refused" %
              (elements, max_to_keep, sharded, saves, seen, torn, refused), flush=True)
        self.assertEqual((torn, refused), (0, 0), said)

    def test_nothing_torn_while_one_name_is_overwritten(self):
        self.hunt(2000, 1, 0)

    def test_nothing_torn_of_a_larger_one(self):
        self.hunt(50000, 1, 0)

    def test_nothing_torn_of_shards(self):
        self.hunt(2000, 1, 1)

    def test_tensorflow_restores_what_ramet_publishes(self):
        meta = os.path.join(self.scratch.name, "graph.meta")
        with tf.Graph().as_default():
            build(False)
            random = np.random.default_rng(5)
            changes = [tf.assign_add(tf.train.get_global_step(), 1)]
            for variable in tf.global_variables():
                if variable.dtype.base_dtype in (tf.float32, tf.float64):
                    noise = tf.constant(random.normal(size=variable.shape.as_list()), variable.dtype.base_dtype)
                    changes.append(tf.assign_add(variable, noise))
            tf.group(*changes, name="train")
            tf.train.export_meta_graph(meta)
        steps = 5
        said = subprocess.run([DRIVER, "publish", meta, "file:%s/" % self.run_dir, self.out, str(steps)],
                              stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertEqual(said.split(), [str(i) for i in range(1, steps + 1)])
        self.assertEqual(tf.train.latest_checkpoint(self.run_dir), "%s/model.ckpt-%d" % (self.run_dir, steps))
        self.assertEqual(tf.train.get_checkpoint_state(self.run_dir).all_model_checkpoint_paths,
                         ["%s/model.ckpt-%d" % (self.run_dir, i) for i in range(1, steps + 1)])
        for step in range(1, steps + 1):
            prefix = "%s/model.ckpt-%d" % (self.run_dir, step)
            with tf.Graph().as_default(), tf.Session() as session:
                saver = tf.train.import_meta_graph(prefix + ".meta")
                plain = {v.op.name: v for v in tf.global_variables()}
                tf.train.Saver(plain).restore(session, prefix)
                for name, variable in plain.items():
                    self.assertEqual(self.written(name, variable.dtype, "%d+" % step),
                                     session.run(variable).tobytes(), name)
                del saver
        self.assertEqual(glob.glob(self.run_dir + "/*.tempstate*"), [])


if __name__ == "__main__":
    unittest.main()
