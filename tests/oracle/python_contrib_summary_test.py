"""Symptom: tf.contrib.summary adds other nodes, or writes other events, than TensorFlow's summary_ops_v2.

Needs tensorflow and the package ramet on the path.
"""

import glob
import os
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf
from tensorflow.python.ops import summary_ops_v2

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

NAMES = 'loss', 'numbers', 'tensor', 'scope', 'SummaryWriter', 'CreateSummaryFileWriter', 'Flush'


def written(package, summary, initializers, operations):
    """Returns (nodes, events) of a program."""
    with package.Graph().as_default() as graph, tempfile.TemporaryDirectory() as folder:
        package.train.create_global_step()
        writer = summary.create_file_writer(folder)
        with writer.as_default(), summary.always_record_summaries():
            summary.scalar('loss', package.constant(2.0))
            summary.histogram('numbers', package.constant([1., 2., -3.]))
            with package.name_scope('scope'):
                summary.scalar('inner', package.constant(4), step=package.constant(5, package.int64))
            summary.generic('tensor', package.constant([1, 2]))
            flush = summary.flush()
        with package.Session() as session:
            session.run(package.global_variables_initializer())
            session.run(initializers())
            session.run(operations())
            session.run(flush)
        nodes = sorted((n.name, n.op) for n in graph.as_graph_def().node if n.name.startswith(NAMES))
        [path] = glob.glob(os.path.join(folder, '*'))
        events = []
        for event in tf.train.summary_iterator(path):
            event.ClearField('wall_time')
            event.ClearField('source_metadata')
            events.append(event.SerializeToString(deterministic=True))
    return nodes, sorted(events)


class ContribSummaryTest(unittest.TestCase):
    maxDiff = None

    def test_nodes_and_events(self):
        theirs = written(tf, summary_ops_v2, summary_ops_v2.summary_writer_initializer_op,
                         summary_ops_v2.all_v2_summary_ops)
        summary = rt.contrib.summary
        mine = written(rt, summary, summary.summary_writer_initializer_op, summary.all_summary_ops)
        self.assertEqual(mine[1], theirs[1])
        # TensorFlow 2 adds nodes for the condition, which TensorFlow 1 does not have.
        self.assertEqual(mine[0], [node for node in theirs[0] if 'LogicalAnd' not in node[0]])


if __name__ == '__main__':
    unittest.main()
