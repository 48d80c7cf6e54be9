"""Symptom: variables of the Python package have different nodes, collections or errors than TensorFlow's.

Each case is built in both packages, in a separate graph. Nodes (names, ops, inputs, devices, attrs), the variables
in the collections as VariableDefs, and the results of the case must be the same. If one raises an error, the
other must raise the same class with the same message. Needs tensorflow and the package ramet on the path.
"""

import difflib
import os
import re
import unittest

os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '3')

import tensorflow.compat.v1 as tf

import ramet.compat.v1 as rt
from ramet import _core

from python_variables_cases import CASES, GUARDED

tf.disable_v2_behavior()
tf.logging.set_verbosity(tf.logging.ERROR)


# TensorFlow's internal attrs.
IGNORED_ATTRS = {'_has_manual_control_dependencies'}


def attr_text(name, value):
    if name == 'value':
        return (value.tensor.dtype, tf.make_ndarray(value.tensor).tolist())
    return value.SerializeToString(deterministic=True)


def node_lines(graph):
    """Returns the nodes as lines, sorted by name. TensorFlow creates a guarded read before its Switch."""
    lines = []
    for node in graph.as_graph_def().node:
        attrs = sorted((k, attr_text(k, v)) for k, v in node.attr.items() if k not in IGNORED_ATTRS)
        inputs = [i for i in node.input if not i.startswith('^')]
        controls = sorted(i for i in node.input if i.startswith('^'))
        lines.append(str((node.name, node.op, inputs + controls, node.device, attrs)))
    return sorted(lines)


def collection_lines(graph):
    lines = []
    for key in graph.get_all_collection_keys():
        if not isinstance(key, str) or key == 'cond_context':
            continue
        for item in graph.get_collection(key):
            shown = str(item.to_proto()) if hasattr(item, 'to_proto') else item_name(item)
            lines.append(f'{key}: {shown}')
    return sorted(lines)


def item_name(item):
    name = getattr(item, 'name', None)
    return name if name is not None else getattr(item(), 'name', item)


def plain(value):
    """Returns a result without information that is specific to one package."""
    if isinstance(value, (list, tuple)):
        return [plain(v) for v in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    name = getattr(value, 'name', None)
    return (name, str(getattr(value, 'shape', ''))) if name else str(value)


def message(error):
    text = re.sub(r' at 0x[0-9a-f]+', '', str(error))
    text = text.split(' Originally defined at')[0]
    return text.replace('ResourceVariable', 'Variable').replace('RefVariable', 'Variable')


def build(package, case):
    with package.Graph().as_default() as graph:
        try:
            return graph, plain(case(package)), None
        except Exception as error:
            return graph, None, f'{type(error).__name__}: {message(error)}'


class VariablesTest(unittest.TestCase):
    """Has one test per case; see add_tests."""

    maxDiff = None

    def same(self, expected, actual, what):
        if expected != actual:
            lines = difflib.unified_diff(expected, actual, 'tensorflow', 'ramet', lineterm='', n=0)
            self.fail(what + '\n' + '\n'.join(lines))

    def check(self, case):
        expected, expected_result, expected_error = build(tf, case)
        actual, actual_result, actual_error = build(rt, case)
        self.assertEqual(expected_error, actual_error)
        if expected_error is None:
            self.same(node_lines(expected), node_lines(actual), 'nodes')
            self.same(collection_lines(expected), collection_lines(actual), 'collections')
            self.assertEqual(expected_result, actual_result)


def add_tests():
    for group, cases in CASES.items():
        for i, case in enumerate(cases):
            def test(self, case=case):
                if case in GUARDED and 'Switch' not in _core.registered_ops():
                    self.skipTest('skipped: ramet has no Switch')
                self.check(case)

            setattr(VariablesTest, f'test_{group}_{i}_{case.__name__}'.replace('<lambda>', ''),
                    test)


add_tests()

if __name__ == '__main__':
    unittest.main()
