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
from tensorflow.python.framework import op_def_registry

from python_data_cases import CALLS_PYTHON, CASES, MORE_NODES, NOT_ONE_SHOT
from python_data_formats_cases import BUILD_ERRORS

tf.disable_v2_behavior()
tf.logging.set_verbosity('FATAL')

MOST_ELEMENTS = 200


def build(package, name, folder, one_shot):
    """Returns (graph, initializer name, output names, the output tensors)."""
    graph = package.Graph()
    with graph.as_default():
        dataset = CASES[name](package, folder)
        if one_shot:
            iterator = package.data.make_one_shot_iterator(dataset)
        else:
            iterator = package.data.make_initializable_iterator(dataset)
        outputs = iterator.get_next()
    flat = package.nest.flatten(outputs, expand_composites=True)
    initializer = None if one_shot else iterator.initializer.name
    return graph, initializer, [t.name for t in flat], flat


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
                              for t in outputs],
                             [t.shape.as_list() if t.shape.ndims is not None else None
                              for t in my_outputs])
            if name not in MORE_NODES:
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
        if name not in CALLS_PYTHON | NOT_ONE_SHOT:
            def one_shot(self, name=name):
                self.check(name, one_shot=True)

            setattr(DataTest, f'test_{name}_one_shot', one_shot)


add_tests()

# Ops that TensorFlow's Python no longer makes, and what to change in a graph with the op that replaced each.
OLD_OPS = {
    'ParallelMapDataset': ('mapped_in_parallel', 'ParallelMapDatasetV2'),
    'ParallelInterleaveDatasetV2': ('interleaved_in_parallel', 'ParallelInterleaveDatasetV4'),
    'ParallelInterleaveDatasetV3': ('interleaved_in_parallel', 'ParallelInterleaveDatasetV4'),
    'ParallelInterleaveDataset': ('legacy_parallel_interleave', 'LegacyParallelInterleaveDatasetV2'),
    'GroupByReducerDataset': ('grouped_by_reducer', 'ExperimentalGroupByReducerDataset'),
    'IteratorGetNextSync': ('slices', 'IteratorGetNext'),
    'Iterator': ('slices', 'IteratorV2'),
}


def with_old_op(message, old, new):
    """Replaces the nodes of op `new` in a GraphDef by nodes of op `old`."""
    definition = op_def_registry.get(old)
    known = {a.name for a in definition.attr}
    for node in message.node:
        if node.op != new:
            continue
        node.op = old
        for name in set(node.attr) - known:
            del node.attr[name]
        if old in ('ParallelInterleaveDatasetV2', 'ParallelInterleaveDatasetV3'):
            del node.input[-3:-1]
        if old == 'ParallelInterleaveDataset':
            message.node.extend([constant_node('sloppy', False)])
            node.input.insert(3, 'sloppy')
        if old == 'ParallelMapDataset':
            message.node.extend([constant_node('calls', np.int32(4))])
            node.input[-1] = 'calls'


def constant_node(name, value):
    with tf.Graph().as_default() as graph:
        tf.constant(value, name=name)
    return graph.as_graph_def().node[0]


class OldOpsTest(unittest.TestCase):
    """Compares ops that only graphs of older versions have."""

    def test_all(self):
        for old, (name, new) in OLD_OPS.items():
            with self.subTest(old), tempfile.TemporaryDirectory() as folder:
                graph, init, names, _ = build(tf, name, folder, one_shot=False)
                message = graph.as_graph_def()
                with_old_op(message, old, new)
                results = []
                for package in (tf, rt):
                    with package.Graph().as_default() as imported:
                        text = package.GraphDef()
                        text.ParseFromString(message.SerializeToString())
                        package.import_graph_def(text, name='')
                    results.append(elements(package, imported, init, names))
                self.assertEqual(len(results[0]), len(results[1]), results)
                for theirs, mine in zip(*results, strict=True):
                    self.assertTrue(equal(mine, theirs), results)


PROGRAMS = {}


def program(run):
    PROGRAMS[run.__name__] = run
    return run


def drain(package, session, fetches, feeds=None):
    found = []
    try:
        while len(found) < MOST_ELEMENTS:
            found.append(session.run(fetches, feeds))
    except package.errors.OutOfRangeError:
        found.append('end')
    return found


@program
def reinitializable(package, session):
    data = package.data.Dataset.range(5)
    iterator = package.data.Iterator.from_structure(data.output_types, data.output_shapes)
    first, second = (iterator.make_initializer(d) for d in (data, data.map(lambda x: x * x)))
    x = iterator.get_next()
    found = []
    for initializer in (first, second, first):
        session.run(initializer)
        found.append(drain(package, session, x))
    return found


@program
def feedable(package, session):
    handle = package.placeholder(package.string, [])
    data = package.data.Dataset.range(4)
    iterator = package.data.Iterator.from_string_handle(handle, data.output_types, data.output_shapes)
    x = iterator.get_next()
    one_shot = data.make_one_shot_iterator()
    other = data.map(lambda v: v + 100).make_initializable_iterator()
    session.run(other.initializer)
    handles = session.run([one_shot.string_handle(), other.string_handle()])
    mixed = [session.run(x, {handle: handles[i % 2]}) for i in range(4)]
    return mixed, [drain(package, session, x, {handle: h}) for h in handles]


@program
def bad_handle(package, session):
    x = package.data.Iterator.from_string_handle('nonsense', package.int64, []).get_next()
    return error_of(package, session, x)


@program
def handle_of_other_dtype(package, session):
    one_shot = package.data.Dataset.range(4).make_one_shot_iterator()
    x = package.data.Iterator.from_string_handle(
        one_shot.string_handle(), package.float32, []).get_next()
    return error_of(package, session, x)


@program
def uninitialized(package, session):
    return error_of(package, session,
                    package.data.Dataset.range(4).make_initializable_iterator().get_next())


def error_of(package, session, fetch):
    try:
        session.run(fetch)
    except package.errors.OpError as error:
        return type(error).__name__, kernel_message(error.message)
    return None


@program
def placeholder_in_dataset(package, session):
    n = package.placeholder(package.int64, [])
    iterator = package.data.Dataset.range(n).map(lambda x: x * n).make_initializable_iterator()
    x = iterator.get_next()
    found = []
    for value in (3, 5):
        session.run(iterator.initializer, {n: value})
        found.append(drain(package, session, x))
    return found


@program
def variable_in_map(package, session):
    v = package.get_variable('v', initializer=np.int64(3), use_resource=True)
    iterator = package.data.Dataset.range(4).map(lambda x: x * v).make_initializable_iterator()
    x = iterator.get_next()
    session.run([package.global_variables_initializer(), iterator.initializer])
    return drain(package, session, x)


@program
def table_in_map(package, session):
    table = package.lookup.StaticHashTable(package.lookup.KeyValueTensorInitializer(
        np.array(['a', 'b']), np.array([1, 2], np.int64)), -1)
    iterator = package.data.Dataset.from_tensor_slices(['b', 'a', 'c']).map(
        table.lookup).make_initializable_iterator()
    x = iterator.get_next()
    session.run([package.tables_initializer(), iterator.initializer])
    return drain(package, session, x)


@program
def shared_iterator(package, session):
    data = package.data.Dataset.range(6)
    first = data.make_initializable_iterator(shared_name='shared')
    second = data.make_initializable_iterator(shared_name='shared')
    a, b = first.get_next(), second.get_next()
    session.run(first.initializer)
    return [session.run(a), session.run(b), session.run(a)]


@program
def optionals(package, session):
    iterator = package.data.Dataset.range(2).make_one_shot_iterator()
    optional = package.raw_ops.IteratorGetNextAsOptional(
        iterator=iterator._iterator_resource, output_types=[package.int64], output_shapes=[[]])
    has_value = package.raw_ops.OptionalHasValue(optional=optional)
    value = package.raw_ops.OptionalGetValue(
        optional=optional, output_types=[package.int64], output_shapes=[[]])
    made = package.raw_ops.OptionalFromValue(components=[3., 'x'])
    parts = package.raw_ops.OptionalGetValue(
        optional=made, output_types=[package.float32, package.string], output_shapes=[[], []])
    none = package.raw_ops.OptionalHasValue(optional=package.raw_ops.OptionalNone())
    return [session.run([has_value, value]), session.run(has_value), session.run(has_value),
            session.run(parts), session.run(none)]


@program
def one_shot_refuses_variables(package, session):
    v = package.get_variable('v', initializer=np.int64(3), use_resource=True)
    try:
        package.data.Dataset.range(4).map(lambda x: x * v).make_one_shot_iterator()
    except ValueError as error:
        return str(error)[:30]
    return None


@program
def types_shapes_classes(package, session):
    data = package.data.Dataset.from_tensor_slices(
        {'a': np.ones([3, 2], np.float32), 'b': (np.arange(3), np.array(['x', 'y', 'z']))}).batch(2)
    return [str(package.data.get_output_types(data)).replace('tf.', ''), str(package.data.get_output_shapes(data)),
            package.data.get_output_classes(data)['a'].__name__]


def build_error_of(package, build):
    with tempfile.TemporaryDirectory() as folder, package.Graph().as_default():
        try:
            build(package, folder)
        except Exception as error:  # pylint: disable=broad-except
            text = str(error).replace(folder, 'FOLDER')
            return type(error).__name__, re.sub("<class '[a-z_0-9.]*\\.", "<class '", text)
    return None


class BuildErrorTest(unittest.TestCase):
    """Compares the errors of pipelines that cannot be built."""

    maxDiff = None

    def test_all(self):
        for name, build in BUILD_ERRORS.items():
            with self.subTest(name):
                wanted, found = (build_error_of(package, build) for package in (tf, rt))
                self.assertIsNotNone(wanted)
                self.assertEqual(wanted, found)


@program
def sparse_iterators(package, session):
    data = package.data.Dataset.from_tensors(package.SparseTensor([[0, 0]], [1], [2, 4]))
    iterator = package.data.Iterator.from_structure(package.int32, package.TensorShape([None, 4]),
                                                    output_classes=package.SparseTensor)
    session.run(iterator.make_initializer(data))
    found = [session.run(iterator.get_next())]
    for other in (package.data.Dataset.from_tensors([[1]]), package.data.Dataset.from_tensors(
            package.SparseTensor([[0, 0]], [1.], [2, 4])), package.data.Dataset.from_tensors(
            package.SparseTensor([[0, 0]], [1], [2, 5]))):
        try:
            iterator.make_initializer(other)
        except TypeError as error:
            found.append(re.sub("'[a-z_0-9.]*\\.", "'", str(error)))
    one_shot = data.make_one_shot_iterator()
    by_handle = package.data.Iterator.from_string_handle(
        one_shot.string_handle(), data.output_types, data.output_shapes, data.output_classes)
    return found, session.run(by_handle.get_next()), by_handle.get_next().shape


@program
def next_as_optional(package, session):
    optional = package.data.experimental.get_next_as_optional(package.data.Dataset.range(1).make_one_shot_iterator())
    has_value, value = optional.has_value(), optional.get_value()
    found = [session.run([has_value, value]), session.run(has_value), error_of(package, session, value)]
    made = package.data.experimental.Optional.from_value(
        (1., {'a': package.SparseTensor([[0]], [1], [3])}))
    empty = package.data.experimental.Optional.empty(package.TensorSpec([], package.int32))
    data = package.data.Dataset.from_tensors(made)
    inner = data.make_one_shot_iterator().get_next()
    return (found, session.run([made.get_value(), made.has_value(), empty.has_value(), inner.get_value()]),
            str(made.element_spec), str(empty.element_spec), str(data.output_types), str(data.output_shapes))


@program
def excluded_columns(package, session):
    found = []
    with tempfile.TemporaryDirectory() as folder:
        with open(f'{folder}/a.csv', 'w', encoding='utf-8') as file:
            file.write('1,2,3\n4,5,6')
        for columns, selected in (([1], []), ([0], []), ([0, 5], []), ([1, 1], []), ([-1], []), ([1], [0, 2])):
            variant = package.raw_ops.CSVDatasetV2(
                filenames=f'{folder}/a.csv', compression_type='', buffer_size=100, header=False, field_delim=',',
                use_quote_delim=True, na_value='', select_cols=np.array(selected, np.int64), record_defaults=[0, 0],
                exclude_cols=np.array(columns, np.int64), output_shapes=[[], []])
            spec = package.TensorSpec([], package.int32)
            data = package.data.experimental.from_variant(variant, (spec, spec))
            iterator = package.data.make_initializable_iterator(data)
            found.append(error_of(package, session, iterator.initializer))
            if found[-1] is None:
                x = iterator.get_next()
                found.append(error_of(package, session, x) or session.run(x))
    return found


class ProgramTest(unittest.TestCase):
    """Runs the same programs with both packages."""

    maxDiff = None

    def test_all(self):
        for name, run in PROGRAMS.items():
            with self.subTest(name):
                results = []
                for package in (tf, rt):
                    with package.Graph().as_default(), package.Session() as session:
                        results.append(run(package, session))
                self.assertEqual(repr(results[0]), repr(results[1]))


if __name__ == '__main__':
    unittest.main()
