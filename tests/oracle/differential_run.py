"""Runs graphs in one package and reports the results; differential.py starts one process per package.

A case arrives as a pickled dict: graph (a GraphDef's bytes), feeds ({tensor name: array}), fetches (names of
tensors). The answer is a pickled dict: state ('built', 'ran', or the phase that failed: 'build', 'run'), error
(class name) and message, shapes (static shapes by fetch) and values.
"""

import os
import pickle
import struct
import sys
import warnings

for name, value in (('TF_CPP_MIN_LOG_LEVEL', '3'), ('CUDA_VISIBLE_DEVICES', ''),
                    ('TF_ENABLE_ONEDNN_OPTS', '0')):
    os.environ.setdefault(name, value)


def package_of(name):
    if name == 'ramet':
        import ramet.compat.v1 as package
        return package
    import tensorflow.compat.v1 as package
    package.disable_v2_behavior()
    package.logging.set_verbosity('FATAL')
    return package


def config_of(package):
    """Returns a config with one thread and without optimizations that change the graph."""
    config = package.ConfigProto(intra_op_parallelism_threads=1, inter_op_parallelism_threads=1)
    config.graph_options.optimizer_options.opt_level = -1
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    return config


def failure(state, error):
    return {'state': state, 'error': type(error).__name__, 'message': str(error)[:600]}


def shape_of(tensor):
    try:
        return None if tensor.shape.ndims is None else tuple(tensor.shape.as_list())
    except ValueError:
        return None  # some shape functions of TensorFlow return negative sizes


def answer(package, config, case):
    graph = package.Graph()
    with graph.as_default():
        try:
            definition = package.GraphDef.FromString(case['graph'])
            package.import_graph_def(definition, name='')
            fetches = [graph.get_tensor_by_name(name) for name in case['fetches']]
        except Exception as error:  # errors of any class are answers
            return failure('build', error)
        shapes = [shape_of(t) for t in fetches]
        dtypes = [t.dtype.name for t in fetches]
        try:
            with package.Session(graph=graph, config=config) as session:
                targets = fetches or graph.get_operation_by_name('op')
                values = session.run(targets, case['feeds']) if fetches else []
                if not fetches:
                    session.run(targets, case['feeds'])
        except Exception as error:
            return {**failure('run', error), 'shapes': shapes, 'dtypes': dtypes}
    return {'state': 'ran', 'shapes': shapes, 'dtypes': dtypes, 'values': values}


def main():
    warnings.simplefilter('ignore')
    # Redirect the output of libraries; answers use a separate channel.
    channel = os.fdopen(os.dup(1), 'wb')
    os.dup2(2, 1)
    package = package_of(sys.argv[1])
    config = config_of(package)
    channel.write(b'ready')
    channel.flush()
    while head := sys.stdin.buffer.read(8):
        case = pickle.loads(sys.stdin.buffer.read(struct.unpack('<Q', head)[0]))
        try:
            data = pickle.dumps(answer(package, config, case))
        except Exception as error:  # such as a value that cannot be pickled
            data = pickle.dumps(failure('run', error))
        channel.write(struct.pack('<Q', len(data)) + data)
        channel.flush()


if __name__ == '__main__':
    main()
