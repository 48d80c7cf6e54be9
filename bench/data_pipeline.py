#!/usr/bin/env python3
"""Measures input pipelines of tf.data, in records per second.

  PYTHONPATH=build/python taskset -c 0 python3 bench/data_pipeline.py ramet.compat.v1
  taskset -c 0 .venv-oracle/bin/python bench/data_pipeline.py tensorflow.compat.v1

Prints `NAME RECORDS_PER_SECOND` for each pipeline, the best of several passes. `taskset` keeps both packages on one
core. records: TFRecord files, decoded from text, mapped, shuffled and batched. slices: rows of a matrix, reshaped and
scaled, shuffled and batched. parallel: the same with the map on two threads, and prefetched.
"""

import importlib
import os
import sys
import tempfile
import time

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

RECORDS = 20_000
PASSES = 3


def write_records(tf, path):
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(RECORDS):
            writer.write(b'%d.5' % i)


def pipelines(tf, path):
    """Returns {name: dataset}."""
    matrix = np.random.RandomState(0).rand(RECORDS, 16).astype(np.float32)

    def decode(record):
        return tf.string_to_number(record) * 2. - 1.

    def scale(row):
        return (tf.reshape(row, [4, 4]) - 0.5) * 2.

    slices = tf.data.Dataset.from_tensor_slices(matrix)
    return {
        'records': tf.data.TFRecordDataset(path).map(decode).shuffle(10_000, seed=1).batch(100),
        'slices': slices.map(scale).shuffle(10_000, seed=1).batch(100),
        'parallel': slices.map(scale, 2).shuffle(10_000, seed=1).batch(100).prefetch(2),
    }


def best_rate(tf, session, iterator):
    element = iterator.get_next()
    step = session.make_callable(element)
    best = 0
    for _ in range(PASSES):
        session.run(iterator.initializer)
        start = time.perf_counter()
        try:
            while True:
                step()
        except tf.errors.OutOfRangeError:
            best = max(best, RECORDS / (time.perf_counter() - start))
    return best


def main():
    tf = importlib.import_module(sys.argv[1])
    if 'tensorflow' in sys.argv[1]:
        tf.disable_v2_behavior()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, 'records')
        write_records(tf, path)
        for name, dataset in pipelines(tf, path).items():
            iterator = dataset.make_initializable_iterator()
            with tf.Session() as session:
                print(name, round(best_rate(tf, session, iterator)), flush=True)


if __name__ == '__main__':
    main()
