"""Symptom: a dataset hangs, crashes, leaves threads behind or keeps a session from ending."""

import gc
import os
import threading
import time
import unittest

import numpy as np

import ramet.compat.v1 as tf


def threads():
    return len(os.listdir('/proc/self/task'))


class DataTest(unittest.TestCase):

    def setUp(self):
        self.graph = tf.Graph()
        self.enterContext(self.graph.as_default())

    def assert_raises_code(self, error, text, fetch, before=()):
        with tf.Session() as session:
            for operation in before:
                session.run(operation)
            with self.assertRaisesRegex(error, text):
                session.run(fetch)

    def test_python_functions_live_as_long_as_the_graph(self):
        with tf.Graph().as_default():
            data = tf.data.Dataset.from_generator(lambda: iter([1, 2]), tf.int64)
            doubled = data.map(lambda x: tf.py_func(lambda v: 2 * v, [x], tf.int64))
            element = tf.data.make_one_shot_iterator(doubled).get_next()
            gc.collect()
            with tf.Session() as session:
                self.assertEqual([session.run(element) for _ in range(2)], [2, 4])

    def test_threads_end_with_the_session(self):
        data = tf.data.Dataset.range(1000).repeat().map(lambda x: x + 1, 4).prefetch(3)
        x = data.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            session.run(x)
            before = threads()
        del session
        self.assertLessEqual(threads(), before - 5)

    def test_threads_end_with_a_new_initialization(self):
        iterator = tf.data.Dataset.range(1000).prefetch(3).make_initializable_iterator()
        x = iterator.get_next()
        with tf.Session() as session:
            session.run(iterator.initializer)
            session.run(x)
            before = threads()
            for _ in range(20):
                session.run(iterator.initializer)
                session.run(x)
            self.assertLessEqual(threads(), before)

    def test_closing_the_session_ends_a_wait(self):
        stop = threading.Event()
        self.addCleanup(stop.set)

        def wait(x):
            stop.wait(20)
            return x

        data = tf.data.Dataset.range(10).map(lambda x: tf.py_func(wait, [x], tf.int64), 2)
        x = data.prefetch(1).make_one_shot_iterator().get_next()
        session = tf.Session()
        timer = threading.Timer(0.3, session.close)
        timer.start()
        start = time.monotonic()
        with self.assertRaises(tf.errors.CancelledError):
            session.run(x)
        self.assertLess(time.monotonic() - start, 10)
        timer.join()
        stop.set()

    def test_a_time_limit_ends_an_endless_filter(self):
        data = tf.data.Dataset.range(10).repeat().filter(lambda x: x > 100)
        x = data.make_one_shot_iterator().get_next()
        with tf.Session() as session, self.assertRaises(tf.errors.DeadlineExceededError):
            session.run(x, options=tf.RunOptions(timeout_in_ms=200))

    def test_an_error_does_not_end_the_iterator(self):
        data = tf.data.Dataset.from_tensor_slices([1., np.nan, 3.]).map(
            lambda x: tf.check_numerics(x, 'bad'), num_parallel_calls=2)
        x = data.make_one_shot_iterator().get_next()
        with tf.Session() as session:
            self.assertEqual(session.run(x), 1)
            with self.assertRaisesRegex(tf.errors.InvalidArgumentError, 'bad'):
                session.run(x)
            self.assertEqual(session.run(x), 3)
            for _ in range(3):
                with self.assertRaisesRegex(tf.errors.OutOfRangeError, 'End of sequence'):
                    session.run(x)

    def test_iterators_of_several_threads_share_the_elements(self):
        x = tf.data.Dataset.range(400).map(lambda v: v, 3).make_one_shot_iterator().get_next()
        found = []
        with tf.Session() as session:
            def read():
                try:
                    while True:
                        found.append(session.run(x))
                except tf.errors.OutOfRangeError:
                    pass

            readers = [threading.Thread(target=read) for _ in range(4)]
            for reader in readers:
                reader.start()
            for reader in readers:
                reader.join()
        self.assertEqual(sorted(found), list(range(400)))

    def test_a_generator_is_finished_when_its_iterator_is_replaced(self):
        ended = []

        def generate():
            try:
                yield from range(100)
            finally:
                ended.append(True)

        iterator = tf.data.Dataset.from_generator(generate, tf.int32).make_initializable_iterator()
        x = iterator.get_next()
        with tf.Session() as session:
            for _ in range(3):
                session.run(iterator.initializer)
                session.run(x)
        self.assertGreaterEqual(len(ended), 2)

    def test_a_long_chain(self):
        data = tf.data.Dataset.range(3)
        for _ in range(1500):
            data = data.skip(0)
        x = data.make_initializable_iterator()
        with tf.Session() as session:
            session.run(x.initializer)
            self.assertEqual(session.run(x.get_next()), 0)

    def test_a_chain_that_is_too_long(self):
        data = tf.data.Dataset.range(3)
        for _ in range(5001):
            data = data.skip(0)
        iterator = data.make_initializable_iterator()
        self.assert_raises_code(tf.errors.ResourceExhaustedError, 'chain of more than 5000',
                                iterator.initializer)

    def raw_map(self, function, types, source=None, op='MapDataset', name='f'):
        """Returns get_next of a dataset op with a function of this name, whatever it is."""
        source = tf.data.Dataset.range(3) if source is None else source
        arguments = {name: function, 'other_arguments': [], 'output_types': types,
                     'output_shapes': [None] * len(types)}
        variant = getattr(tf.raw_ops, op)(input_dataset=source._variant_tensor, **arguments)
        resource = tf.raw_ops.IteratorV2(
            shared_name='', container='', output_types=types, output_shapes=[None] * len(types))
        return tf.raw_ops.MakeIterator(dataset=variant, iterator=resource)

    def test_functions_with_wrong_signatures(self):
        tf.data.Dataset.range(3).map(lambda x: (x, 'text'))
        function = self.graph.as_graph_def().library.function[0].signature.name
        text = tf.data.Dataset.from_tensors('text')
        for make in (self.raw_map(function, [tf.int64]),
                     self.raw_map(function, [tf.float32, tf.string]),
                     self.raw_map(function, [tf.int64, tf.string], source=text)):
            self.assert_raises_code(tf.errors.InvalidArgumentError, 'function', make)
        for op, name in (('FlatMapDataset', 'f'), ('FilterDataset', 'predicate')):
            make = self.raw_map(function, [tf.int64], op=op, name=name)
            self.assert_raises_code(tf.errors.InvalidArgumentError, 'function', make)
        self.assert_raises_code(tf.errors.NotFoundError, 'missing', self.raw_map('missing', [tf.int64]))

    def test_a_dataset_that_lies_about_its_dtypes(self):
        variant = tf.data.Dataset.range(3)._variant_tensor
        lying = tf.raw_ops.BatchDatasetV2(
            input_dataset=variant, batch_size=2, drop_remainder=False,
            output_types=[tf.string], output_shapes=[None])
        resource = tf.raw_ops.IteratorV2(
            shared_name='', container='', output_types=[tf.string], output_shapes=[None])
        self.assert_raises_code(
            tf.errors.InvalidArgumentError, 'Data type mismatch at component 0',
            tf.raw_ops.MakeIterator(dataset=lying, iterator=resource))

    def test_elements_of_other_shapes(self):
        data = tf.data.Dataset.range(3).map(lambda x: tf.fill([x], x))
        iterator = data.make_initializable_iterator()
        wrong = tf.raw_ops.IteratorGetNext(iterator=iterator._iterator_resource,
                                           output_types=[tf.int64], output_shapes=[[7]])
        self.assert_raises_code(tf.errors.InvalidArgumentError, 'Incompatible shapes at component 0',
                                wrong[0], [iterator.initializer])

    def test_things_that_are_no_dataset_or_iterator(self):
        queue = tf.raw_ops.TensorListReserve(element_shape=np.zeros([0], np.int32), num_elements=1,
                                             element_dtype=tf.float32)
        make = tf.raw_ops.IteratorV2(shared_name='', container='', output_types=[tf.float32],
                                     output_shapes=[[]])
        self.assert_raises_code(tf.errors.InvalidArgumentError, 'must be a Dataset object',
                                tf.raw_ops.MakeIterator(dataset=queue, iterator=make))
        variable = tf.get_variable('v', initializer=1., use_resource=True)
        self.assert_raises_code(
            tf.errors.InvalidArgumentError, 'must be the handle of an iterator',
            tf.raw_ops.IteratorGetNext(iterator=variable.handle, output_types=[tf.float32],
                                       output_shapes=[[]])[0], [variable.initializer])

    def test_a_function_that_makes_datasets_with_itself(self):
        data = tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(3))
        message = self.graph.as_graph_def()
        function = message.library.function[0]
        name = function.signature.name
        for op, inputs in (('FlatMapDataset', []), ('InterleaveDataset', ['n', 'n']),
                           ('ParallelInterleaveDatasetV2', ['n', 'n', 'n'])):
            with self.subTest(op), tf.Graph().as_default():
                recursive = tf.GraphDef()
                recursive.CopyFrom(message)
                body = recursive.library.function[0]
                node = body.node_def.add(name='again', op=op)
                source = next(n.name for n in body.node_def if n.op == 'RangeDataset')
                node.input.append(f'{source}:handle:0')
                if inputs:
                    constant = body.node_def.add(name='n', op='Const')
                    constant.attr['dtype'].type = tf.int64.as_datatype_enum
                    constant.attr['value'].tensor.CopyFrom(tf.make_tensor_proto(2, tf.int64))
                    node.input.extend('n:output:0' for _ in inputs)
                node.attr['f'].func.name = name
                node.attr['Targuments'].list.SetInParent()
                node.attr['output_types'].list.type.append(tf.int64.as_datatype_enum)
                node.attr['output_shapes'].list.shape.add()
                identity = next(n for n in body.node_def if n.op == 'Identity')
                identity.input[0] = 'again:handle:0'
                tf.import_graph_def(recursive, name='')
                variant = tf.get_default_graph().get_tensor_by_name(data._variant_tensor.name)
                spec = tf.TensorSpec([], tf.int64)
                iterator = tf.data.experimental.from_variant(
                    variant, spec).make_initializable_iterator()
                self.assert_raises_code(tf.errors.ResourceExhaustedError, 'itself',
                                        iterator.get_next(), [iterator.initializer])

    def test_numbers_out_of_range(self):
        huge = np.iinfo(np.int64)
        data = tf.data.Dataset.range(5)
        for make in (lambda n: data.window(n, n, n), lambda n: data.batch(n), lambda n: data.skip(n),
                     lambda n: data.take(n), lambda n: data.repeat(n).take(3),
                     lambda n: data.shard(n, n), lambda n: data.prefetch(n),
                     lambda n: data.shuffle(n, seed=1),
                     lambda n: tf.data.Dataset.range(n, -n, n).take(3),
                     lambda n: data.interleave(lambda x: data, n, n),
                     lambda n: data.padded_batch(2, [n] if n != huge.max else [3])):
            for n in (huge.max, huge.min, -1, 0):
                try:
                    iterator = make(n).make_initializable_iterator()
                    x = iterator.get_next()
                except (ValueError, TypeError):
                    continue
                with tf.Session() as session:
                    try:
                        session.run(iterator.initializer)
                        for _ in range(6):
                            session.run(x)
                    except tf.errors.OpError as error:
                        self.assertNotIsInstance(error, tf.errors.InternalError)


if __name__ == '__main__':
    unittest.main()
