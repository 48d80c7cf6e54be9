"""Input pipelines of sparse tensors, CSV files and tf.train.Example messages; see python_data_cases.py.

BUILD_ERRORS are functions of the package tf and a folder that must fail with the same error in both packages.
"""

import gzip

import numpy as np

from python_data_cases import CASES, MORE_NODES, NOT_ONE_SHOT, case, numbers

MORE_NODES |= {'sparse_unbatched', 'resampled', 'resampled_equally', 'resampled_without_a_class',
               'resampled_with_estimate'}
NOT_ONE_SHOT |= {'sparse_reduced', 'sparse_single_element'}
BUILD_ERRORS = {}


def build_error(build):
    BUILD_ERRORS[build.__name__] = build
    return build


def matrix(tf, dtype=np.int32):
    return tf.SparseTensor([[0, 0], [1, 2], [1, 3], [3, 1]], np.array([1, 2, 3, 4], dtype), [4, 4])


def rows(tf):
    return tf.data.Dataset.from_tensor_slices((matrix(tf), np.arange(4)))


@case
def sparse_tensors(tf, folder):
    value = tf.SparseTensorValue(np.array([[0, 0], [1, 2]]), np.array([1., 2.]), np.array([2, 4]))
    return tf.data.Dataset.from_tensors({'a': value, 'b': (matrix(tf), [1, 2])})


@case
def sparse_slices(tf, folder):
    return rows(tf)


@case
def sparse_strings(tf, folder):
    words = tf.SparseTensor([[0, 0], [1, 0], [1, 1]], ['a', 'b', 'c'], [3, 2])
    return tf.data.Dataset.from_tensor_slices(words).batch(2)


@case
def sparse_batches(tf, folder):
    return rows(tf).batch(3)


@case
def sparse_full_batches(tf, folder):
    return rows(tf).batch(3, drop_remainder=True)


@case
def sparse_batches_of_batches(tf, folder):
    return rows(tf).batch(2).batch(2)


@case
def sparse_batches_of_different_shapes(tf, folder):
    return numbers(tf, 5).map(lambda i: tf.SparseTensor([[i]], [i], tf.expand_dims(i + 1, 0))).batch(2)


@case
def sparse_mapped(tf, folder):
    made = numbers(tf, 3).map(lambda i: tf.SparseTensor([[0, i]], tf.cast([i], tf.float32), tf.stack([1, i + 1])))
    return made.map(lambda s: (s, tf.sparse.to_dense(s)))


@case
def sparse_captured(tf, folder):
    weights = matrix(tf, np.float32)
    return numbers(tf, 3).map(lambda i: (weights * tf.cast(i, tf.float32), i), num_parallel_calls=2)


@case
def sparse_mapped_and_batched(tf, folder):
    return numbers(tf, 4).apply(tf.data.experimental.map_and_batch(lambda i: tf.SparseTensor([[i]], [i], [4]), 2))


@case
def sparse_filtered(tf, folder):
    return rows(tf).filter(lambda s, i: tf.equal(tf.size(s.values), 1))


@case
def sparse_zipped(tf, folder):
    return tf.data.Dataset.zip((rows(tf), numbers(tf))).repeat(2).skip(3).shuffle(10, seed=3)


@case
def sparse_concatenated(tf, folder):
    wider = tf.SparseTensor([[0, 0]], [9], [1, 7])
    return tf.data.Dataset.from_tensor_slices(matrix(tf)).concatenate(tf.data.Dataset.from_tensor_slices(wider))


@case
def sparse_unbatched(tf, folder):
    return tf.data.Dataset.from_tensors((matrix(tf), np.arange(4))).repeat(2).unbatch()


@case
def sparse_flat_mapped(tf, folder):
    return tf.data.Dataset.from_tensors(matrix(tf)).flat_map(tf.data.Dataset.from_tensor_slices)


@case
def sparse_cached(tf, folder):
    return rows(tf).cache().prefetch(1)


@case
def sparse_reduced(tf, folder):
    row = tf.data.Dataset.from_tensor_slices(matrix(tf)).reduce(
        tf.SparseTensor([[0]], [1], [4]), lambda a, b: tf.sparse.add(a, b))
    return tf.data.Dataset.from_tensors(row)


@case
def sparse_scanned(tf, folder):
    return numbers(tf, 3).apply(tf.data.experimental.scan(tf.SparseTensor([[0]], [1], [4]), lambda s, i: (s, (s, i))))


@case
def sparse_grouped(tf, folder):
    return rows(tf).apply(tf.data.experimental.group_by_window(lambda s, i: i % 2, lambda k, w: w.batch(2), 2))


@case
def sparse_windows(tf, folder):
    return tf.data.Dataset.from_tensor_slices(matrix(tf)).window(2).flat_map(lambda w: w.batch(2))


@case
def sparse_reducer(tf, folder):
    return numbers(tf, 4).apply(tf.data.experimental.group_by_reducer(lambda x: x % 2, tf.data.experimental.Reducer(
        lambda k: tf.SparseTensor([[0]], [k], [4]),
        lambda s, x: tf.SparseTensor(s.indices, s.values + x, s.dense_shape), lambda s: s)))


@case
def sparse_single_element(tf, folder):
    return tf.data.Dataset.from_tensors(
        tf.data.experimental.get_single_element(tf.data.Dataset.from_tensors(matrix(tf))))


@case
def sparse_tensor_slices(tf, folder):
    return tf.data.Dataset.from_sparse_tensor_slices(matrix(tf))


@case
def sparse_tensor_slices_unordered(tf, folder):
    return tf.data.Dataset.from_sparse_tensor_slices(tf.SparseTensor([[1, 0], [0, 0]], [1, 2], [2, 2]))


def lists(tf):
    return tf.data.Dataset.from_tensor_slices([3, 1, 2]).map(lambda n: tf.fill([n], n))


@case
def dense_to_sparse(tf, folder):
    return lists(tf).apply(tf.data.experimental.dense_to_sparse_batch(2, [4]))


@case
def dense_to_sparse_of_any_size(tf, folder):
    return lists(tf).apply(tf.data.experimental.dense_to_sparse_batch(2, [None]))


@case
def dense_to_sparse_too_large(tf, folder):
    return lists(tf).apply(tf.data.experimental.dense_to_sparse_batch(2, [2]))


@case
def dense_to_sparse_of_other_rank(tf, folder):
    return lists(tf).apply(tf.data.experimental.dense_to_sparse_batch(2, [2, 2]))


@case
def dense_to_sparse_of_scalars(tf, folder):
    return numbers(tf, 3).apply(tf.data.experimental.dense_to_sparse_batch(2, []))


@case
def dense_to_sparse_of_nothing(tf, folder):
    return numbers(tf, 3).apply(tf.data.experimental.dense_to_sparse_batch(0, []))


@case
def optional_components(tf, folder):
    optional = tf.data.experimental.Optional.from_value
    return numbers(tf, 3).map(lambda x: optional((x, 1.))).map(lambda o: (o.has_value(), o.get_value()))


def written(folder, name, content):
    path = f'{folder}/{name}'
    with open(path, 'wb') as file:
        file.write(content)
    return path


def add_csv_case(name, content, defaults, **options):
    def build(tf, folder):
        return tf.data.experimental.CsvDataset(written(folder, 'a.csv', content), defaults(tf), **options)

    CASES[name] = build


def two_ints(tf):
    return [tf.constant(0), tf.constant(0)]


for csv_name, csv_content, csv_defaults, csv_options in [
        ('csv_plain', b'1,2\n3,4', two_ints, {}),
        ('csv_line_ends', b'1,2\r\n3,4\r5,6\n', two_ints, {}),
        ('csv_empty_line', b'1\n\n2\n', lambda tf: [tf.constant(7)], {}),
        ('csv_empty', b'', two_ints, {}),
        ('csv_empty_header', b'', two_ints, {'header': True}),
        ('csv_header', b'"a\nb",c\n1,2\n', two_ints, {'header': True}),
        ('csv_more_fields', b'1,2,3\n', two_ints, {}),
        ('csv_fewer_fields', b'1\n', two_ints, {}),
        ('csv_not_a_number', b'x,2\n', two_ints, {}),
        ('csv_required', b'1,\n', lambda tf: [tf.int32, tf.int32], {}),
        ('csv_quotes', b'"a""b",c\n"d\ne",f\n"",""', lambda tf: ['', 'z'], {}),
        ('csv_quote_inside', b'a"b,c\n', lambda tf: ['', ''], {}),
        ('csv_open_quote', b'"a,c\n', lambda tf: ['', ''], {}),
        ('csv_bad_quote', b'"a"b,c\n', lambda tf: ['', ''], {}),
        ('csv_no_quotes', b'"1",2\n', lambda tf: ['', tf.constant(0)], {'use_quote_delim': False}),
        ('csv_missing', b'NA,1\n', two_ints, {'na_value': 'NA'}),
        ('csv_selected', b'1,2,3\n4,5,6', two_ints, {'select_cols': [0, 2]}),
        ('csv_selected_too_many', b'1,2\n', two_ints, {'select_cols': [0, 5]}),
        ('csv_selected_in_disorder', b'1,2\n', two_ints, {'select_cols': [1, 0]}),
        ('csv_selected_negative', b'1,2\n', two_ints, {'select_cols': [-1, 0]}),
        ('csv_selected_count', b'1,2\n', two_ints, {'select_cols': [0]}),
        ('csv_delimiter', b'1|2\n', two_ints, {'field_delim': '|'}),
        ('csv_long_delimiter', b'1|2\n', two_ints, {'field_delim': '||'}),
        ('csv_no_buffer', b'1,2\n', two_ints, {'buffer_size': 0}),
        ('csv_small_buffer', b'1,2\n', two_ints, {'buffer_size': 1}),
        ('csv_compressed', gzip.compress(b'1,2\n'), two_ints, {'compression_type': 'GZIP'}),
        ('csv_other_compression', b'1,2\n', two_ints, {'compression_type': 'LZ'}),
        ('csv_types', b'1.5,-inf,9999999999,s\n', lambda tf: [tf.float32, tf.float64, tf.int64, tf.string], {}),
        ('csv_spaces', b' 1 , 2\n', two_ints, {}),
        ('csv_empty_fields', b',,\n', lambda tf: ['a', 'b', 'c'], {})]:
    add_csv_case(csv_name, csv_content, csv_defaults, **csv_options)
# One-shot iterators report the failing node as one of a function.
NOT_ONE_SHOT |= {name for name in CASES if name.startswith('csv_')}


def csv_files(folder):
    return [written(folder, 'a.csv', b'i,f,s,l\n1,2.5,x,5\n2,,"y,z",6\n3,1e3,,70000000000\n'),
            written(folder, 'b.csv', b'i,f,s,l\n4,2,w,1\n')]


@case
def csv_records(tf, folder):
    return tf.data.experimental.make_csv_dataset(csv_files(folder), 2, shuffle=False, num_epochs=1)


@case
def csv_records_with_label(tf, folder):
    csv_files(folder)
    return tf.data.experimental.make_csv_dataset(f'{folder}/*.csv', 2, shuffle=False, num_epochs=2, label_name='l')


@case
def csv_records_shuffled(tf, folder):
    return tf.data.experimental.make_csv_dataset(csv_files(folder), 2, shuffle_seed=3, num_epochs=3)


@case
def csv_records_in_parallel(tf, folder):
    return tf.data.experimental.make_csv_dataset(csv_files(folder), 1, shuffle=False, num_epochs=1,
                                                 num_parallel_reads=2)


@case
def interleaved_by_any_number(tf, folder):
    return numbers(tf, 8).interleave(lambda x: numbers(tf, 3).map(lambda y: x * 10 + y), num_parallel_calls=-1)


@case
def interleaved_by_parallel_calls(tf, folder):
    return numbers(tf, 8).interleave(lambda x: numbers(tf, 3).map(lambda y: x * 10 + y), num_parallel_calls=2)


@case
def csv_records_of_columns(tf, folder):
    return tf.data.experimental.make_csv_dataset(csv_files(folder), 2, shuffle=False, num_epochs=1,
                                                 select_columns=['s', 0])


@case
def csv_records_with_defaults(tf, folder):
    return tf.data.experimental.make_csv_dataset(
        csv_files(folder), 2, shuffle=False, num_epochs=1, column_names=['p', 'q', 'r', 't'],
        column_defaults=[tf.int32, 0., 'd', tf.int64], label_name='p')


@case
def csv_records_without_header(tf, folder):
    return tf.data.experimental.make_csv_dataset(
        written(folder, 'c.csv', b'1,2\n3,x\n'), 2, shuffle=False, num_epochs=1, column_names=['p', 'q'], header=False)


INFERRED = b'a,b,c,d,e\n1,1,1.5,3000000000,NA\n2,1e60,x,4,\n'


@case
def csv_records_of_inferred_types(tf, folder):
    return tf.data.experimental.make_csv_dataset(written(folder, 'j.csv', INFERRED), 2, shuffle=False, num_epochs=1,
                                                 na_value='NA')


@case
def csv_records_of_wrong_types(tf, folder):
    return tf.data.experimental.make_csv_dataset(written(folder, 'j.csv', INFERRED), 1, shuffle=False, num_epochs=1,
                                                 num_rows_for_inference=1)


@case
def csv_records_without_errors(tf, folder):
    return tf.data.experimental.make_csv_dataset(written(folder, 'j.csv', INFERRED), 1, shuffle=False, num_epochs=1,
                                                 num_rows_for_inference=1, ignore_errors=True)


@case
def csv_records_compressed(tf, folder):
    return tf.data.experimental.make_csv_dataset(
        written(folder, 'z.csv.gz', gzip.compress(b'a,b\n1,2\n')), 1, shuffle=False, num_epochs=1,
        compression_type='GZIP')


for error_name, error_content, error_options in [
        ('names_or_header', b'1,2\n', {'header': False}),
        ('repeated_name', b'p,p\n1,2\n', {}),
        ('empty_file', b'', {}),
        ('record_of_other_length', b'p,q\n1\n', {}),
        ('defaults_of_other_length', b'p,q\n1,2\n', {'select_columns': [0], 'column_defaults': [0, 1]}),
        ('no_such_column', b'p,q\n1,2\n', {'select_columns': ['z']}),
        ('no_such_number', b'p,q\n1,2\n', {'select_columns': [9]}),
        ('repeated_column', b'p,q\n1,2\n', {'select_columns': ['p', 0]}),
        ('no_such_label', b'p,q\n1,2\n', {'label_name': 'no'}),
        ('zlib', b'', {'compression_type': 'ZLIB'}),
        ('other_compression', b'', {'compression_type': 'LZ'})]:
    def csv_error(tf, folder, content=error_content, options=error_options):
        return tf.data.experimental.make_csv_dataset(written(folder, 'a.csv', content), 2, **options)

    BUILD_ERRORS[f'csv_{error_name}'] = csv_error


@build_error
def csv_files_differ(tf, folder):
    written(folder, 'b.csv', b'p,q\n')
    return tf.data.experimental.make_csv_dataset([written(folder, 'a.csv', b'p,r\n'), f'{folder}/b.csv'], 2)


@build_error
def csv_no_files(tf, folder):
    return tf.data.experimental.make_csv_dataset('/no/such/file*.csv', 2)


@build_error
def csv_no_pattern(tf, folder):
    return tf.data.experimental.make_csv_dataset([], 2)


def example(tf, **features):
    message = tf.train.Example()
    for key, values in features.items():
        feature = message.features.feature[key]
        kind = {bytes: feature.bytes_list, float: feature.float_list, int: feature.int64_list}[type(values[0])]
        kind.value.extend(values)
    return message.SerializeToString()


def examples(tf):
    return [example(tf, age=[3], words=[b'a', b'b'], w=[1., 2.]),
            example(tf, words=[b'c'], w=[3., 4.], index=[4], value=[7.]),
            example(tf, age=[5], w=[5., 6.], index=[1, 2], value=[1.5, 2.5]), example(tf, age=[6], w=[0., 1.])]


def features(tf):
    return {'age': tf.FixedLenFeature([], tf.int64, -1), 'words': tf.VarLenFeature(tf.string),
            'w': tf.FixedLenFeature([2], tf.float32)}


def parsed(tf, wanted, batch=2, **options):
    data = tf.data.Dataset.from_tensor_slices(examples(tf)).batch(batch)
    return data.apply(tf.data.experimental.parse_example_dataset(wanted, **options))


@case
def parsed_examples(tf, folder):
    return parsed(tf, features(tf))


@case
def parsed_examples_in_parallel(tf, folder):
    return parsed(tf, features(tf), batch=1, num_parallel_calls=2, deterministic=True)


@case
def parsed_sparse_features(tf, folder):
    return parsed(tf, {**features(tf), 'sparse': tf.SparseFeature('index', 'value', tf.float32, 10),
                       'all': tf.FixedLenSequenceFeature([], tf.float32, allow_missing=True)}, batch=3)


@case
def parsed_missing_feature(tf, folder):
    return parsed(tf, {'age': tf.FixedLenFeature([], tf.int64)})


@case
def parsed_feature_of_other_type(tf, folder):
    return parsed(tf, {'age': tf.VarLenFeature(tf.float32)})


@case
def parsed_damaged_example(tf, folder):
    data = tf.data.Dataset.from_tensor_slices([b'xx']).batch(1)
    return data.apply(tf.data.experimental.parse_example_dataset(features(tf)))


@case
def parsed_without_calls(tf, folder):
    return parsed(tf, features(tf), num_parallel_calls=0)


@build_error
def parsed_scalars(tf, folder):
    return tf.data.Dataset.from_tensor_slices(examples(tf)).apply(
        tf.data.experimental.parse_example_dataset(features(tf)))


@build_error
def parsed_without_features(tf, folder):
    return parsed(tf, None)


@build_error
def parsed_feature_of_unknown_shape(tf, folder):
    return parsed(tf, {'a': tf.FixedLenFeature([None], tf.int64)})


@build_error
def parsed_other_feature(tf, folder):
    return parsed(tf, {'a': 3})


def record_files(tf, folder):
    serialized = examples(tf)
    for i in range(2):
        with tf.python_io.TFRecordWriter(f'{folder}/{i}.tfr') as writer:
            for record in serialized[2 * i:2 * i + 2]:
                writer.write(record)
    return f'{folder}/*.tfr'


def batched_features(tf, folder, **options):
    return tf.data.experimental.make_batched_features_dataset(
        record_files(tf, folder), options.pop('batch_size', 2), features(tf), **options)


@case
def examples_of_files(tf, folder):
    return batched_features(tf, folder, shuffle=False, num_epochs=1)


@case
def examples_with_label(tf, folder):
    return batched_features(tf, folder, label_key='age', shuffle_seed=5, num_epochs=2, batch_size=3)


@case
def examples_without_end(tf, folder):
    return batched_features(tf, folder, shuffle=False, reader_num_threads=2, parser_num_threads=1, batch_size=3,
                            prefetch_buffer_size=1)


@case
def examples_of_full_batches(tf, folder):
    return batched_features(tf, folder, shuffle=False, num_epochs=1, drop_final_batch=True, batch_size=3)


@case
def examples_of_a_reader(tf, folder):
    record = examples(tf)[0]
    return batched_features(tf, folder, shuffle=False, num_epochs=1, reader_args=[2], reader=lambda name, count:
                            tf.data.Dataset.from_tensors(record).repeat(count).map(lambda value: (name, value)))


@build_error
def examples_without_label(tf, folder):
    return batched_features(tf, folder, label_key='x')


@build_error
def examples_of_an_old_reader(tf, folder):
    return batched_features(tf, folder, reader=tf.TFRecordReader)


def classes(tf):
    return numbers(tf, 400).map(lambda x: (tf.minimum(x % 5, 1), x))


def first_class(tf):
    return lambda c, x: tf.cast(c, tf.int32)


@case
def resampled(tf, folder):
    return classes(tf).apply(tf.data.experimental.rejection_resample(first_class(tf), [.5, .5], [.2, .8], seed=3))


@case
def resampled_equally(tf, folder):
    return classes(tf).apply(tf.data.experimental.rejection_resample(first_class(tf), [.2, .8], [.2, .8], seed=3))


@case
def resampled_without_a_class(tf, folder):
    return classes(tf).apply(tf.data.experimental.rejection_resample(first_class(tf), [0., 1.], [.2, .8], seed=3))


@case
def resampled_with_estimate(tf, folder):
    return classes(tf).apply(tf.data.experimental.rejection_resample(first_class(tf), [.5, .5], seed=3))


@build_error
def sparse_slices_of_a_scalar(tf, folder):
    scalar = tf.SparseTensor(np.zeros([1, 0], np.int64), [1], np.zeros([0], np.int64))
    return tf.data.Dataset.from_tensor_slices(scalar)


@build_error
def sparse_padded(tf, folder):
    return rows(tf).padded_batch(2, ([None], []))


@build_error
def sparse_tensor_slices_of_a_list(tf, folder):
    return tf.data.Dataset.from_sparse_tensor_slices([1])


@build_error
def dense_to_sparse_of_pairs(tf, folder):
    return rows(tf).apply(tf.data.experimental.dense_to_sparse_batch(2, [2]))


@build_error
def sparse_and_dense_concatenated(tf, folder):
    return rows(tf).concatenate(tf.data.Dataset.from_tensor_slices(([[1]], [1])))


@build_error
def slices_of_different_sizes(tf, folder):
    return tf.data.Dataset.from_tensor_slices(([1, 2], [1, 2, 3]))


@build_error
def reduced_to_another_class(tf, folder):
    return numbers(tf).reduce(0, lambda s, x: matrix(tf))


@build_error
def reduced_to_another_type(tf, folder):
    return numbers(tf).reduce(0, lambda s, x: x)


@build_error
def scanned_to_another_class(tf, folder):
    return numbers(tf).apply(tf.data.experimental.scan(0, lambda s, x: (matrix(tf), x)))


@build_error
def scanned_to_another_type(tf, folder):
    return numbers(tf).apply(tf.data.experimental.scan(0, lambda s, x: (x, x)))


@build_error
def scanned_to_no_pair(tf, folder):
    return numbers(tf).apply(tf.data.experimental.scan(0, lambda s, x: x))


@build_error
def reduced_groups_to_another_type(tf, folder):
    return numbers(tf).apply(tf.data.experimental.group_by_reducer(lambda x: x, tf.data.experimental.Reducer(
        lambda k: 0, lambda s, x: x, lambda s: s)))


@build_error
def unbatched_different_sizes(tf, folder):
    return tf.data.Dataset.from_tensors(([1, 2], [1, 2, 3])).unbatch()
