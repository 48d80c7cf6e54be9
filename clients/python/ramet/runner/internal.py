"""TensorFlow's internal modules, such as tensorflow.python.framework.ops, for programs that import them.

Each of these modules is a facade. A name in it refers to the first of the following that exists: the name in the
module of Ramet at the same path, the public symbol that TensorFlow 1.15 defined there, a public symbol with this
name, or the function of an op. Otherwise it refers to an object that raises UnavailableError when it is used.
"""

import functools
import importlib
import os
import pkgutil
from importlib.machinery import ModuleSpec

from ramet import api
from ramet.compat import namespace

_OPS = 'python.ops.'
_KERAS = 'python.keras'
# The other modules of Ramet whose paths differ.
_ROOMS = (
    ('python.lib.io.file_io', 'lib.file_io'),
    ('python.training.checkpoint_state_pb2', 'core.protobuf.checkpoint_state_pb2'),
    ('python.lib.io.', 'lib.'),
    ('python.framework.func_graph', 'ops.functions.func_graph'),
    ('python.framework.function', 'ops.functions.function'),
    ('python.platform.test', 'testing.test'),
    ('python.platform.', 'lib.'),
    ('python.training.', 'train.'),
    ('python.tools.', 'tools.'),
    ('python.util.compat', 'framework.compat'),
    ('python.util.deprecation', 'framework.deprecation'),
    ('python.util.nest', 'framework.nest'),
    ('python.util.', 'lib.'),
    ('contrib.layers.python.layers.', 'contrib.layers.'),
    ('python.', ''),
)

# Modules of ops whose names differ.
_OPS_ROOMS = {'resource_variable_ops': 'ops.variables.resource_variable'}
# Modules that repeat one of Python's standard library.
_STANDARD = {'python.util.tf_inspect': 'inspect', 'python.util.tf_contextlib': 'contextlib'}
# Names that are in a different module of Ramet, or have a different name.
_NAMES = {
    ('python.eager.backprop', 'gradients_function'): ('contrib.eager.functions', 'gradients_function'),
    ('python.eager.backprop', 'implicit_grad'): ('contrib.eager.functions', 'implicit_gradients'),
    ('python.eager.backprop', 'implicit_val_and_grad'): ('contrib.eager.functions', 'implicit_value_and_gradients'),
    ('python.eager.backprop', 'val_and_grad_function'): ('contrib.eager.functions', 'value_and_gradients_function'),
    ('python.eager.context', 'eager_mode'): ('framework.eager', 'eager_mode'),
    ('python.eager.context', 'graph_mode'): ('framework.eager', 'graph_mode'),
    ('python.eager.context', 'num_gpus'): ('contrib.eager.functions', 'num_gpus'),
    ('python.framework.ops', 'EagerTensor'): ('framework.eager', 'EagerTensor'),
    ('python.framework.ops', 'internal_convert_to_tensor'): ('framework.conversion', 'convert_to_tensor'),
    ('python.layers.utils', 'conv_output_length'): ('layers.arguments', 'window_outputs'),
    ('python.layers.utils', 'convert_data_format'): ('layers.arguments', 'convert_data_format'),
    ('python.layers.utils', 'normalize_data_format'): ('layers.arguments', 'data_format'),
    ('python.layers.utils', 'normalize_padding'): ('layers.arguments', 'padding'),
    ('python.layers.utils', 'normalize_tuple'): ('layers.arguments', 'per_axis'),
    ('python.ops.confusion_matrix', 'remove_squeezable_dimensions'):
        ('ops.losses.squeeze_ops', 'remove_squeezable_dimensions'),
    ('python.ops.lookup_ops', 'HashTable'): ('ops.lookup.hash_tables', 'StaticHashTable'),
    ('python.ops.rnn_cell_impl', 'LayerRNNCell'): ('contrib.rnn.layer_cell', 'LayerRNNCell'),
    ('python.ops.rnn_cell_impl', '_Linear'): ('contrib.rnn.linear', 'Linear'),
    ('python.ops.rnn_cell_impl', '_concat'): ('rnn.rnn_steps', 'concat_shape'),
    ('python.ops.rnn_cell_impl', '_linear'): ('contrib.rnn.linear', 'linear'),
    ('python.ops.rnn_cell_impl', '_zero_state_tensors'): ('rnn.rnn_steps', 'zero_state_tensors'),
    ('contrib.rnn.python.ops.core_rnn_cell', '_Linear'): ('contrib.rnn.linear', 'Linear'),
    ('contrib.rnn.python.ops.core_rnn_cell', '_linear'): ('contrib.rnn.linear', 'linear'),
    ('contrib.seq2seq.python.ops.attention_wrapper', '_BaseAttentionMechanism'):
        ('contrib.seq2seq.attention_mechanisms', 'MemoryAttention'),
    ('contrib.seq2seq.python.ops.attention_wrapper', '_bahdanau_score'):
        ('contrib.seq2seq.attention_mechanisms', 'bahdanau_score'),
    ('contrib.seq2seq.python.ops.attention_wrapper', '_luong_score'):
        ('contrib.seq2seq.attention_mechanisms', 'luong_score'),
    ('contrib.seq2seq.python.ops.attention_wrapper', '_compute_attention'):
        ('contrib.seq2seq.attention_wrapper', '_compute_attention'),
    ('python.ops.variables', 'PartitionedVariable'): ('ops.variables.partitioned_variable', 'PartitionedVariable'),
    ('python.training.summary_io', 'SummaryWriterCache'): ('summary.writer', 'FileWriterCache'),
    ('python.util.nest', 'flatten_up_to'): ('framework.nest_up_to', 'flatten_up_to'),
    ('python.util.nest', 'map_structure_up_to'): ('framework.nest_up_to', 'map_structure_up_to'),
}

# Modules of tf.contrib that programs import from their packages; the names in them are public.
_CONTRIB_MODULES = {
    'contrib.framework.python.ops': ('arg_scope', 'checkpoint_ops', 'variables'),
    'contrib.framework.python': ('ops',),
    'contrib.layers.python': ('layers', 'ops'),
    'contrib.layers.python.layers': ('embedding_ops', 'initializers', 'layers', 'normalization',
                                     'regularizers', 'utils'),
    'contrib.slim.python': ('slim',),
}


@functools.cache
def _tables():
    """Returns (set of modules, {(module, name): public name}) of TensorFlow 1.15."""
    with open(os.path.join(os.path.dirname(__file__), 'internal_names.tsv'),
              encoding='utf-8') as file:
        rows = [line.split('\t') for line in file.read().split('\n')]
    return ({row[0] for row in rows}, {(row[0], row[1]): row[2] for row in rows if len(row) == 3})


@functools.cache
def _public_by_last_part():
    by_last = {}
    for path in namespace.known_names():
        if not path.startswith('contrib.'):
            by_last.setdefault(path.rpartition('.')[2], []).append(path)
    return by_last


@functools.cache
def _ops_by_letters():
    return {op.lower(): op for op in namespace.known_ops() if op[:1].isupper()}


def is_module(path):
    """Returns whether TensorFlow 1.15 has a module at a path below `tensorflow.`."""
    if path.startswith(_KERAS):
        return _is_keras_module(path)
    modules = _tables()[0]
    return path in modules or any(m.startswith(path + '.') for m in modules)


def _is_keras_module(path):
    """Returns whether a path below `tensorflow.python.keras` is a public namespace or a module of Ramet."""
    public = path.removeprefix('python.')
    place = os.path.join(os.path.dirname(os.path.dirname(__file__)), *public.split('.'))
    return namespace.is_namespace(public) or os.path.isdir(place) or os.path.exists(place + '.py')


def _find_in_keras(path, name):
    """Returns a module or public symbol of tf.keras, or None."""
    if is_module(f'{path}.{name}'):
        return importlib.import_module(f'tensorflow.{path}.{name}')
    public = f'{path}.{name}'.removeprefix('python.')
    return namespace.find(public) if public in namespace.known_names() else None


@functools.cache
def _modules_of_ops():
    """Maps the names of the modules in the families of ops, and of those in `rnn`, to their paths below `ramet.`."""
    paths = {}
    for folder in ('ops', 'rnn'):
        package = importlib.import_module(f'ramet.{folder}')
        for module in pkgutil.walk_packages(package.__path__, f'ramet.{folder}.'):
            if not module.ispkg:
                paths[module.name.rpartition('.')[2]] = module.name.removeprefix('ramet.')
    return paths


def _room(path):
    """Returns the module of Ramet at the same path, or None."""
    if path.startswith(_OPS + 'distributions.'):
        name = path.removeprefix('python.')
    elif path.startswith(_OPS):
        last = path[len(_OPS):]
        name = _OPS_ROOMS.get(last) or _modules_of_ops().get(last)
    else:
        name = next((f'{place}{path[len(begin):]}' for begin, place in _ROOMS if path.startswith(begin)), None)
    if name is None:
        return None
    try:
        return namespace.load(name)
    except ModuleNotFoundError as error:
        if error.name and f'ramet.{name}.'.startswith(error.name + '.'):
            return None
        raise


def _public_name(path, name):
    """Returns the public name of a symbol in an internal module, or None."""
    if path.startswith('contrib.'):
        space, end = path.partition('python')[0], f'.{name}'
        inside = [p for p in namespace.known_names() if p.startswith(space) and p.endswith(end)]
        if inside:
            return min(inside, key=len)
    public = _tables()[1].get((path, name))
    if public:
        return public
    where = path.rpartition('.')[2].split('_')[0]
    choices = _public_by_last_part().get(name, ())
    return min(choices, key=lambda p: (where not in p.split('.'), p.count('.'), p), default=None)


def _find(path, name):
    if path.startswith(_KERAS):
        found = _find_in_keras(path, name)
        if found is not None:
            return found
    if (path, name) in _NAMES:
        module, own_name = _NAMES[path, name]
        return getattr(namespace.load(module), own_name)
    if path in _STANDARD and hasattr(importlib.import_module(_STANDARD[path]), name):
        return getattr(importlib.import_module(_STANDARD[path]), name)
    room = _room(path)
    if room is not None and hasattr(room, name):
        return getattr(room, name)
    if '.gen_' in path:
        op = _ops_by_letters().get(name.strip('_').replace('_', ''))
        if op:
            return namespace.op_function(op)
    if is_module(f'{path}.{name}'):
        return importlib.import_module(f'tensorflow.{path}.{name}')
    if name in _CONTRIB_MODULES.get(path, ()):
        return importlib.import_module(f'tensorflow.{path}.{name}')
    public = _public_name(path, name)
    if public:
        return namespace.find(public)
    if path.startswith(_OPS) and name.islower() and not name.startswith('_'):
        op = _ops_by_letters().get(name.replace('_', ''))
        if op:
            return namespace.op_function(op)
    return api.Unavailable(f'{path}.{name}', namespace.near_names)


class _Loader:
    """Loads a facade."""

    def __init__(self, path):
        self._path = path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        path, values = self._path, vars(module)
        module.__doc__ = f'The names of tensorflow.{path} that Ramet has.'

        def __getattr__(name):
            if name.startswith('__'):
                raise AttributeError(f'module tensorflow.{path} has no attribute {name!r}')
            value = values[name] = _find(path, name)
            return value

        def __dir__():
            room = _room(path)
            return sorted({*values, *(dir(room) if room else ())})

        values['__getattr__'] = __getattr__
        values['__dir__'] = __dir__


def facade_spec(full_name, path):
    """Returns the spec of a facade of `tensorflow.<path>`, or None if TensorFlow has no such module."""
    if not is_module(path):
        return None
    return ModuleSpec(full_name, _Loader(path), is_package=True)
