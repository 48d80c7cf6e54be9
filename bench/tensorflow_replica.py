"""Measures how TensorFlow updates a copy of a model: the trainer saves a checkpoint, the copy restores it.

usage: tensorflow_replica.py FOLDER      prints one line per figure: NAME MICROSECONDS

The sets of variables are those of ramet_replica_bench: 1 MiB in 4 variables, 100 MiB in 40, 1 GiB in 400. The trainer
does not run steps while it saves. Prints the best and median of several times. FOLDER should be on a memory disk.
"""
import os
import shutil
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
import tensorflow.compat.v1 as tf

tf.disable_v2_behavior()

SETS = [(1 << 20, 4, 30), (100 << 20, 40, 10), (1 << 30, 400, 3)]


def figures(count, size, times, folder):
    """Returns the times of saving, restoring and both together, in microseconds."""
    with tf.Graph().as_default():
        for i in range(count):
            tf.get_variable("w%d" % i, [size // 4 // count], initializer=tf.zeros_initializer())
        saver = tf.train.Saver(max_to_keep=2)
        with tf.Session() as trainer, tf.Session() as copy:
            trainer.run(tf.global_variables_initializer())
            copy.run(tf.global_variables_initializer())
            pairs = []
            for step in range(times + 1):
                begin = time.perf_counter()
                path = saver.save(trainer, os.path.join(folder, "model"), step,
                                  write_meta_graph=False)
                saved = time.perf_counter()
                saver.restore(copy, path)
                pairs.append((saved - begin, time.perf_counter() - saved))
    return pairs[1:]


def main():
    tf.logging.set_verbosity(tf.logging.ERROR)
    for size, count, times in SETS:
        folder = tempfile.mkdtemp(dir=sys.argv[1])
        pairs = figures(count, size, times, folder)
        shutil.rmtree(folder)
        middle = len(pairs) // 2
        name = "descent %d MiB, %d variables" % (size >> 20, count)
        for what, values in (("save", [s for s, _ in pairs]), ("restore", [r for _, r in pairs]),
                             ("save + restore", [s + r for s, r in pairs])):
            print("%-58s %12.1f us" % ("%s: %s, median" % (name, what),
                                       sorted(values)[middle] * 1e6))


main()
