"""Input pipelines that python_data_test.py builds with TensorFlow and with Ramet.

Each case takes the package tf and a folder, and returns a Dataset.
"""

import numpy as np

CASES = {}
# Cases whose functions call the Python of the process, so that other processes cannot run the graph.
# Cases that TensorFlow's one-shot iterators refuse, or whose checks they drop.
NOT_ONE_SHOT = {'reduced', 'no_files', 'single_element', 'single_element_error', 'shuffle_v3',
                'shuffle_and_repeat_v2', 'cache_v2'}
# Cases to which TensorFlow adds nodes that change no element.
MORE_NODES = {'unbatched', 'sampled'}
CALLS_PYTHON = {'generator', 'generator_types', 'generator_args', 'py_func_in_map', 'generator_error'}


def case(build):
    CASES[build.__name__] = build
    return build


def numbers(tf, n=10):
    return tf.data.Dataset.range(n)


def pairs(tf):
    return tf.data.Dataset.from_tensor_slices({
        'a': np.arange(7, dtype=np.int32), 'b': np.arange(14, dtype=np.float32).reshape(7, 2)})


@case
def tensors(tf, folder):
    return tf.data.Dataset.from_tensors((np.ones([2, 3], np.float32), {'x': 3, 'y': 'text'}))


@case
def slices(tf, folder):
    return pairs(tf)


@case
def range_steps(tf, folder):
    return tf.data.Dataset.range(10, 2, -3)


@case
def range_int32(tf, folder):
    return tf.data.Dataset.range(3, 6, output_type=tf.int32)


@case
def zipped(tf, folder):
    return tf.data.Dataset.zip((numbers(tf, 4), {'p': pairs(tf)}))


@case
def concatenated(tf, folder):
    first = tf.data.Dataset.from_tensor_slices(np.ones([2, 3], np.float32))
    return first.concatenate(tf.data.Dataset.from_tensor_slices(np.zeros([2, 5], np.float32)))


@case
def mapped(tf, folder):
    scale = tf.constant(3, tf.int32, name='scale')
    return pairs(tf).map(lambda x: (x['a'] * scale, {'sum': tf.reduce_sum(x['b'])}))


@case
def mapped_list(tf, folder):
    return pairs(tf).map(lambda x: [x['a'], x['b']])


@case
def mapped_in_parallel(tf, folder):
    return numbers(tf, 100).map(lambda x: tf.square(x), num_parallel_calls=4)


@case
def seeded_random_in_map(tf, folder):
    return numbers(tf, 4).map(lambda x: tf.random_uniform([2], seed=7)).repeat(2)


@case
def map_error(tf, folder):
    return tf.data.Dataset.from_tensor_slices([1., 2., np.nan, 4.]).map(
        lambda x: tf.check_numerics(x, 'bad number'))


@case
def parallel_map_error(tf, folder):
    return tf.data.Dataset.from_tensor_slices([1., 2., np.nan, 4.]).map(
        lambda x: tf.check_numerics(x, 'bad number'), num_parallel_calls=2)


@case
def ignored_errors(tf, folder):
    return tf.data.Dataset.from_tensor_slices([1., 2., np.nan, 4.]).map(
        lambda x: tf.check_numerics(x, 'bad number')).apply(tf.data.experimental.ignore_errors())


@case
def flat_mapped(tf, folder):
    return numbers(tf, 5).flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: x * 10 + y))


@case
def interleaved(tf, folder):
    return numbers(tf, 7).interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=3, block_length=2)


@case
def interleaved_in_parallel(tf, folder):
    return numbers(tf, 7).interleave(lambda x: tf.data.Dataset.from_tensors(x).repeat(x),
                                     cycle_length=3, block_length=2, num_parallel_calls=2)


@case
def legacy_parallel_interleave(tf, folder):
    return numbers(tf, 7).apply(tf.data.experimental.parallel_interleave(
        lambda x: tf.data.Dataset.from_tensors(x).repeat(x), cycle_length=2, block_length=2))


@case
def filtered(tf, folder):
    return pairs(tf).filter(lambda x: tf.equal(x['a'] % 2, 1))


@case
def batched(tf, folder):
    return pairs(tf).batch(3)


@case
def batched_without_remainder(tf, folder):
    return pairs(tf).batch(3, drop_remainder=True)


@case
def batch_error(tf, folder):
    return numbers(tf, 3).map(lambda x: tf.fill([x], x)).batch(2)


@case
def batch_size_error(tf, folder):
    return numbers(tf, 3).batch(0)


@case
def strings_in_batches(tf, folder):
    return tf.data.Dataset.from_tensor_slices(['a', 'bc', 'def']).batch(2)


@case
def padded(tf, folder):
    return numbers(tf, 5).map(lambda x: (tf.fill([x], x), x)).padded_batch(2, ([None], []))


@case
def padded_to_size(tf, folder):
    return numbers(tf, 4).map(lambda x: tf.as_string(tf.fill([x, 1], x))).padded_batch(
        3, [4, None], 'pad', drop_remainder=True)


@case
def padded_too_small(tf, folder):
    return numbers(tf, 5).map(lambda x: tf.fill([x], x)).padded_batch(5, [3])


@case
def shuffled(tf, folder):
    return numbers(tf, 20).shuffle(7, seed=3).repeat(3)


@case
def shuffled_once(tf, folder):
    return numbers(tf, 20).shuffle(100, seed=5, reshuffle_each_iteration=False).repeat(2)


@case
def shuffled_with_graph_seed(tf, folder):
    tf.set_random_seed(11)
    return numbers(tf, 20).shuffle(20)


@case
def shuffled_and_repeated(tf, folder):
    return numbers(tf, 6).apply(tf.data.experimental.shuffle_and_repeat(4, count=3, seed=2))


@case
def shuffle_error(tf, folder):
    return numbers(tf, 3).shuffle(0, seed=1)


@case
def repeated(tf, folder):
    return numbers(tf, 3).repeat(2)


@case
def repeated_empty(tf, folder):
    return numbers(tf, 0).repeat()


@case
def prefetched(tf, folder):
    return numbers(tf, 50).prefetch(3)


@case
def taken(tf, folder):
    return numbers(tf).repeat().take(13)


@case
def taken_all(tf, folder):
    return numbers(tf).take(-1)


@case
def skipped(tf, folder):
    return numbers(tf).skip(4)


@case
def skipped_all(tf, folder):
    return numbers(tf).skip(-1)


@case
def sharded(tf, folder):
    return numbers(tf).shard(3, 1)


@case
def shard_error(tf, folder):
    return numbers(tf).shard(3, 3)


@case
def cached(tf, folder):
    return numbers(tf).map(lambda x: x + tf.random_uniform([], 0, 100, tf.int64, seed=4)).cache().repeat(2)


@case
def windows(tf, folder):
    return numbers(tf).window(3, shift=2, stride=2).flat_map(lambda w: w.batch(3))


@case
def windows_without_remainder(tf, folder):
    return pairs(tf).window(3, drop_remainder=True).flat_map(
        lambda w: tf.data.Dataset.zip((w['a'].batch(3), w['b'].batch(3))))


@case
def window_error(tf, folder):
    return numbers(tf).window(0).flat_map(lambda w: w)


@case
def enumerated(tf, folder):
    return tf.data.Dataset.from_tensor_slices(['a', 'b']).enumerate(start=5)


@case
def unbatched(tf, folder):
    return pairs(tf).batch(3).unbatch()


@case
def scanned(tf, folder):
    return numbers(tf).apply(tf.data.experimental.scan(
        np.int64(0), lambda state, x: (state + x, state * x)))


@case
def taken_while(tf, folder):
    return numbers(tf).apply(tf.data.experimental.take_while(lambda x: x < 4))


@case
def reduced(tf, folder):
    total = numbers(tf).reduce((np.int64(0), 1.), lambda s, x: (s[0] + x, s[1] * 2))
    return tf.data.Dataset.from_tensors(total)


@case
def map_and_batch(tf, folder):
    return numbers(tf).apply(tf.data.experimental.map_and_batch(
        lambda x: x + 1, batch_size=4, num_parallel_calls=2))


@case
def unique(tf, folder):
    return tf.data.Dataset.from_tensor_slices([3, 1, 3, 2, 1]).apply(tf.data.experimental.unique())


@case
def grouped_by_window(tf, folder):
    return numbers(tf).apply(tf.data.experimental.group_by_window(
        lambda x: x % 3, lambda key, window: window.batch(2), window_size=2))


@case
def grouped_by_reducer(tf, folder):
    reducer = tf.data.experimental.Reducer(
        lambda key: np.int64(0), lambda state, x: state + x, lambda state: state * 2)
    return numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x % 3, reducer))


@case
def bucketed(tf, folder):
    return numbers(tf).map(lambda x: tf.fill([x + 1], x)).apply(
        tf.data.experimental.bucket_by_sequence_length(
            lambda x: tf.size(x), [3, 6], [2, 2, 3]))


@case
def chosen(tf, folder):
    choices = tf.data.Dataset.from_tensor_slices(np.array([0, 1, 1, 0, 1], np.int64))
    return tf.data.experimental.choose_from_datasets(
        [numbers(tf), numbers(tf).map(lambda x: x + 100)], choices)


@case
def sampled(tf, folder):
    return tf.data.experimental.sample_from_datasets(
        [numbers(tf), numbers(tf).map(lambda x: x + 100)], weights=[0.3, 0.7], seed=3)


@case
def random_numbers(tf, folder):
    return tf.data.experimental.RandomDataset(seed=4).take(5)


@case
def counter(tf, folder):
    return tf.data.experimental.Counter(3, 2).take(4)


@case
def generator(tf, folder):
    def generate():
        for i in range(4):
            yield i

    return tf.data.Dataset.from_generator(generate, tf.int32).repeat(2)


@case
def generator_types(tf, folder):
    return tf.data.Dataset.from_generator(
        lambda: [({'x': [1, 2]}, 'a'), ({'x': [3, 4]}, 'b')],
        ({'x': tf.int64}, tf.string), ({'x': [2]}, []))


@case
def generator_args(tf, folder):
    return tf.data.Dataset.from_generator(
        lambda n, k: (np.arange(i) for i in range(n, k)), tf.int64, [None], args=(1, 4))


@case
def generator_error(tf, folder):
    return tf.data.Dataset.from_generator(lambda: [[1], [2, 3]], tf.int32, [1])


@case
def py_func_in_map(tf, folder):
    return numbers(tf, 4).map(
        lambda x: tf.py_func(lambda v: v * 2, [x], tf.int64), num_parallel_calls=2)


@case
def control_flow_in_map(tf, folder):
    return numbers(tf, 6).map(lambda x: tf.cond(tf.equal(x % 2, 0), lambda: x * 10, lambda: -x))


@case
def loop_in_map(tf, folder):
    return numbers(tf, 5).map(
        lambda x: tf.while_loop(lambda i: i < 20, lambda i: i * 2 + 1, [x]))


@case
def records(tf, folder):
    path = f'{folder}/records'
    with tf.python_io.TFRecordWriter(path) as writer:
        for i in range(5):
            writer.write(b'record %d' % i * i)
    return tf.data.TFRecordDataset([path, path]).repeat(2)


@case
def compressed_records(tf, folder):
    datasets = []
    for kind in ('GZIP', 'ZLIB'):
        path = f'{folder}/records.{kind}'
        with tf.python_io.TFRecordWriter(path, tf.python_io.TFRecordOptions(kind)) as writer:
            for i in range(5):
                writer.write(b'record %d' % i * 100)
        datasets.append(tf.data.TFRecordDataset(path, compression_type=kind))
    return datasets[0].concatenate(datasets[1])


@case
def records_in_parallel(tf, folder):
    paths = [f'{folder}/part{i}' for i in range(3)]
    for i, path in enumerate(paths):
        with tf.python_io.TFRecordWriter(path) as writer:
            for k in range(i + 2):
                writer.write(b'%d %d' % (i, k))
    return tf.data.TFRecordDataset(paths, num_parallel_reads=2)


@case
def damaged_records(tf, folder):
    path = f'{folder}/damaged'
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b'good')
        writer.write(b'bad record')
    data = bytearray(open(path, 'rb').read())
    data[-6] ^= 1
    open(path, 'wb').write(data)
    return tf.data.TFRecordDataset(path)


@case
def truncated_records(tf, folder):
    path = f'{folder}/truncated'
    with tf.python_io.TFRecordWriter(path) as writer:
        writer.write(b'good')
        writer.write(b'bad record')
    data = open(path, 'rb').read()
    open(path, 'wb').write(data[:-5])
    return tf.data.TFRecordDataset(path)


@case
def missing_file(tf, folder):
    return tf.data.TextLineDataset('/no/such/file')


@case
def lines(tf, folder):
    path = f'{folder}/lines'
    open(path, 'wb').write(b'one\ntwo\r\n\nfour')
    return tf.data.TextLineDataset([path]).skip(1)


@case
def lines_of_files(tf, folder):
    for name in 'ab':
        open(f'{folder}/file_{name}', 'w').write(f'{name}1\n{name}2\n')
    files = tf.data.Dataset.list_files(f'{folder}/file_*', shuffle=False)
    return files.flat_map(tf.data.TextLineDataset)


@case
def no_files(tf, folder):
    return tf.data.Dataset.list_files('/no/such/*', shuffle=False)


@case
def fixed_length_records(tf, folder):
    path = f'{folder}/fixed'
    open(path, 'wb').write(b'HH' + b'abcdefghi' + b'F')
    return tf.data.FixedLengthRecordDataset(path, 3, header_bytes=2, footer_bytes=1).map(
        lambda r: tf.substr(r, 1, 2))


@case
def fixed_length_error(tf, folder):
    path = f'{folder}/fixed_wrong'
    open(path, 'wb').write(b'abcdefgh')
    return tf.data.FixedLengthRecordDataset(path, 3)


@case
def nested_pipeline(tf, folder):
    return (pairs(tf).shuffle(7, seed=1).repeat(2).map(lambda x: (x['b'], x['a']), 2).batch(4)
            .map(lambda b, a: (tf.reduce_sum(b, 0), a)).prefetch(1))


def raw(tf, op, dataset, **inputs):
    """Returns the dataset that an op without a Python function makes."""
    spec = dataset.element_spec
    variant = getattr(tf.raw_ops, op)(
        input_dataset=tf.data.experimental.to_variant(dataset), output_types=[spec.dtype],
        output_shapes=[spec.shape], **inputs)
    return tf.data.experimental.from_variant(variant, spec)



@case
def parallel_batch(tf, folder):
    return numbers(tf).batch(4, num_parallel_calls=2)



@case
def shuffle_v3(tf, folder):
    return raw(tf, 'ShuffleDatasetV3', numbers(tf), buffer_size=4, seed=1, seed2=2,
               seed_generator=tf.raw_ops.DummySeedGenerator())


@case
def shuffle_and_repeat_v2(tf, folder):
    return raw(tf, 'ShuffleAndRepeatDatasetV2', numbers(tf), buffer_size=4, seed=1, seed2=2, count=2,
               seed_generator=tf.raw_ops.DummySeedGenerator())


@case
def cache_v2(tf, folder):
    return raw(tf, 'CacheDatasetV2', numbers(tf), filename='',
               cache=tf.raw_ops.DummyMemoryCache())


@case
def model(tf, folder):
    return raw(tf, 'ModelDataset', numbers(tf))


@case
def optimize(tf, folder):
    return raw(tf, 'OptimizeDataset', numbers(tf), optimizations=np.array([], object))


@case
def optimize_v2(tf, folder):
    none = np.array([], object)
    return raw(tf, 'OptimizeDatasetV2', numbers(tf), optimizations_enabled=none,
               optimizations_disabled=none, optimizations_default=none)


@case
def options(tf, folder):
    return raw(tf, 'OptionsDataset', numbers(tf), serialized_options='')


@case
def max_intra_op_parallelism(tf, folder):
    return raw(tf, 'MaxIntraOpParallelismDataset', numbers(tf), max_intra_op_parallelism=1)


@case
def private_thread_pool(tf, folder):
    return raw(tf, 'PrivateThreadPoolDataset', numbers(tf), num_threads=1)


@case
def non_serializable(tf, folder):
    return raw(tf, 'NonSerializableDataset', numbers(tf))


@case
def finalize(tf, folder):
    return raw(tf, 'FinalizeDataset', numbers(tf))


@case
def assert_cardinality(tf, folder):
    return numbers(tf).apply(tf.data.experimental.assert_cardinality(10))


@case
def assert_cardinality_error(tf, folder):
    return numbers(tf).filter(lambda x: x > 0).apply(tf.data.experimental.assert_cardinality(10))




@case
def cached_in_files(tf, folder):
    return pairs(tf).cache(f'{folder}/cache_{tf.__name__}').repeat(2)


@case
def single_element(tf, folder):
    return tf.data.Dataset.from_tensors(
        tf.data.experimental.get_single_element(numbers(tf).skip(4).take(1)))


@case
def single_element_error(tf, folder):
    return tf.data.Dataset.from_tensors(tf.data.experimental.get_single_element(numbers(tf)))


@case
def cardinalities(tf, folder):
    n = numbers(tf)
    return tf.data.Dataset.from_tensors(tuple(tf.data.experimental.cardinality(d) for d in (
        n, n.repeat(), n.repeat(3), n.batch(3), n.batch(3, True), n.take(4), n.skip(4), n.shard(3, 2),
        n.filter(lambda x: x > 1), n.concatenate(n), tf.data.Dataset.zip((n, n.take(3))),
        n.map(lambda x: x), n.shuffle(3), n.take(0).repeat(), n.take(-1), n.skip(-1))))


