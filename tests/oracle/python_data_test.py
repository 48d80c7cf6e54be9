"""Symptom: a tf.data pipeline has different elements, errors or nodes than in TensorFlow.

Needs tensorflow and the package ramet on the path.
"""

import os
import re
import tempfile
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')
os.environ.setdefault('CUDA_VISIBLE_DEVICES', '')

import numpy as np

import ramet.compat.v1 as rt
import tensorflow.compat.v1 as tf

from python_data_cases import CALLS_PYTHON, CASES

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

MOST_ELEMENTS = 200


def build(package, name, folder, one_shot):
    """Returns (graph, initializer name, output names, the structure of outputs)."""
    graph = package.Graph()
    with graph.as_default():
        dataset = CASES[name](package, folder)
        if one_shot:
            iterator = package.data.make_one_shot_iterator(dataset)
        else:
            iterator = package.data.make_initializable_iterator(dataset)
        outputs = iterator.get_next()
    flat = tf.nest.flatten(outputs)
    initializer = None if one_shot else iterator.initializer.name
    return graph, initializer, [t.name for t in flat], outputs


def elements(package, graph, initializer, names):
    """Returns the elements of two passes; an error ends with its class and the first line of its message."""
    found = []
    with package.Session(graph=graph) as session:
        for _ in range(1 if initializer is None else 2):
            try:
                if initializer is not None:
                    session.run(initializer)
                while len(found) < MOST_ELEMENTS:
                    found.append(session.run(names))
            except package.errors.OpError as error:
                found.append((type(error).__name__, kernel_message(error.message)))
    return found


def kernel_message(text):
    """Returns the line that the kernel wrote, without the traces around it."""
    lines = [line for line in text.splitlines() if line.strip()]
    for i, line in enumerate(lines):
        if line.startswith('Node: '):
            return lines[i + 1]
        if line.startswith('Detected at node'):
            continue
    return lines[0] if lines else ''


def equal(mine, theirs):
    if isinstance(mine, tuple) or isinstance(theirs, tuple):
        return mine[0] == theirs[0]
    return len(mine) == len(theirs) and all(
        np.array_equal(a, b) and np.asarray(a).dtype == np.asarray(b).dtype
        for a, b in zip(mine, theirs, strict=True))


def outline(graph_def):
    """Returns {(op, attrs)} of the dataset and iterator nodes, without names of functions."""
    kinds = re.compile('Dataset|Iterator')
    found = []
    for node in graph_def.node:
        if kinds.search(node.op):
            attrs = {k: str(v) for k, v in node.attr.items()
                     if not v.HasField('func') and k not in ('_class', 'metadata')}
            found.append((node.op, node.name, sorted(attrs.items())))
    return sorted(found)


class DataTest(unittest.TestCase):
    """Has tests for each case; see add_tests."""

    maxDiff = None

    def check(self, name, one_shot):
        with tempfile.TemporaryDirectory() as folder:
            graph, init, names, outputs = build(tf, name, folder, one_shot)
            wanted = elements(tf, graph, init, names)
            mine, my_init, my_names, my_outputs = build(rt, name, folder, one_shot)
            self.compare(wanted, elements(rt, mine, my_init, my_names))
            self.assertEqual([t.shape.as_list() if t.shape.ndims is not None else None
                              for t in tf.nest.flatten(outputs)],
                             [t.shape.as_list() if t.shape.ndims is not None else None
                              for t in tf.nest.flatten(my_outputs)])
            self.assertEqual(outline(graph.as_graph_def()), outline(mine.as_graph_def()))
            if name in CALLS_PYTHON:
                return
            imported = rt.Graph()
            with imported.as_default():
                message = rt.GraphDef()
                message.ParseFromString(graph.as_graph_def().SerializeToString())
                rt.import_graph_def(message, name='')
            self.compare(wanted, elements(rt, imported, init, names))
            exported = tf.Graph()
            with exported.as_default():
                message = tf.GraphDef()
                message.ParseFromString(mine.as_graph_def().SerializeToString())
                tf.import_graph_def(message, name='')
            self.compare(elements(tf, exported, my_init, my_names), wanted)

    def compare(self, wanted, found):
        self.assertEqual(len(wanted), len(found), f'{wanted}\n{found}')
        for mine, theirs in zip(found, wanted, strict=True):
            self.assertTrue(equal(mine, theirs), f'{wanted}\n{found}')


def add_tests():
    for name in CASES:
        def initializable(self, name=name):
            self.check(name, one_shot=False)

        setattr(DataTest, f'test_{name}', initializable)
        if name not in CALLS_PYTHON:
            def one_shot(self, name=name):
                self.check(name, one_shot=True)

            setattr(DataTest, f'test_{name}_one_shot', one_shot)


add_tests()

if __name__ == '__main__':
    unittest.main()
