"""Random graphs for differential.py: one op with unusual arguments, or several connected ops.

A case of one op starts from a line of tests/data/conformance, which is valid, and changes values, shapes,
dtypes and attrs. It mixes Const and Placeholder inputs, with static shapes that are known, partially known
or unknown.
"""

import glob
import json
import os

import numpy as np
from tensorflow.core.framework import graph_pb2
from tensorflow.python.framework import dtypes, op_def_registry, tensor_util

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'data', 'conformance')
NUMPY = {'float': np.float32, 'double': np.float64, 'half': np.float16, 'string': object,
         'bool': np.bool_}
# Ops whose integer inputs are numbers and not sizes, so that any number is worth testing.
NUMBERS = {
    'Abs', 'Add', 'AddV2', 'Sub', 'Mul', 'Neg', 'Sign', 'Square', 'Maximum', 'Minimum', 'Less',
    'LessEqual', 'Greater', 'GreaterEqual', 'Equal', 'NotEqual', 'BitwiseAnd', 'BitwiseOr',
    'BitwiseXor', 'Invert', 'PopulationCount', 'AsString', 'Relu', 'Relu6', 'FloorMod', 'FloorDiv',
    'ClipByValue', 'Unique', 'UniqueV2', 'TopKV2', 'ArgMax', 'ArgMin', 'Max', 'Min', 'Where',
    'Select', 'SelectV2', 'Identity', 'ZerosLike', 'OnesLike', 'Sort', 'Cumsum', 'Any', 'All'}
# Ops with results that differ between runs, or that access files of this machine.
LEFT_OUT = {'PyFunc', 'PyFuncStateless', 'EagerPyFunc', 'ReadFile', 'WriteFile', 'MatchingFiles',
            'SaveV2', 'RestoreV2', 'Save', 'SaveSlices', 'Restore', 'RestoreSlice',
            'ShardedFilename', 'MergeV2Checkpoints', 'Timestamp', 'PrintV2', 'Print'}


def numpy_type(name):
    return NUMPY.get(name) or np.dtype(dtypes.as_dtype(name).as_numpy_dtype)


def array_of(text):
    """Returns the array for a text 'float[2,3] 1 2 ...' in a conformance file."""
    head, *tokens = text.split(' ')
    name, dims = head[:-1].split('[')
    shape = [int(d) for d in dims.split(',')] if dims else []
    kind = numpy_type(name)
    if name == 'string':
        values = [_unquoted(t) for t in tokens if t]
        return np.array(values + [None], dtype=object)[:-1].reshape(shape)
    if name.startswith('complex'):
        parts = np.array([float(t) for t in tokens], np.float64).reshape(-1, 2)
        return (parts[:, 0] + 1j * parts[:, 1]).astype(kind).reshape(shape)
    if np.dtype(kind).names:
        return np.array([(int(t),) for t in tokens], kind).reshape(shape)
    if name == 'bool':
        return np.array([t not in ('0', 'false') for t in tokens], kind).reshape(shape)
    if np.issubdtype(kind, np.integer):
        return np.array([int(t) for t in tokens], kind).reshape(shape)
    return np.array([float(t) for t in tokens], np.float64).astype(kind).reshape(shape)


def _unquoted(token):
    parts = token[1:].split('%')
    return parts[0].encode() + b''.join(bytes([int(p[:2], 16)]) + p[2:].encode() for p in parts[1:])


def dtype_of(array):
    return dtypes.string if array.dtype == object else dtypes.as_dtype(array.dtype)


def seeds(wanted=None):
    """Returns {op: [(attrs, arrays)]} from the conformance files."""
    found = {}
    for path in sorted(glob.glob(os.path.join(DATA, '*.json'))):
        with open(path, encoding='utf-8') as lines:
            for line in lines:
                case = json.loads(line)
                op = case['op']
                legal = op_def_registry.get(op) is not None and op not in LEFT_OUT
                if not legal or wanted and op not in wanted:
                    continue
                if all(isinstance(text, str) for text in case['in']):
                    found.setdefault(op, []).append((case.get('attrs', {}), case['in']))
    return found


def set_attr(attr, kind, value):
    """Fills an AttrValue of an attr's type from the JSON of a conformance file, or from Python."""
    if kind.startswith('list('):
        attr.list.SetInParent()
        for item in value:
            _add(attr.list, kind[5:-1], item)
    elif kind == 'type':
        attr.type = _type(value)
    elif kind == 'shape':
        _set_shape(attr.shape, value['shape'] if isinstance(value, dict) else value)
    elif kind == 'tensor':
        attr.tensor.CopyFrom(tensor_util.make_tensor_proto(value))
    else:
        plain = value['float'] if isinstance(value, dict) else value
        field = {'int': 'i', 'float': 'f', 'bool': 'b', 'string': 's'}[kind]
        setattr(attr, field, plain.encode() if isinstance(plain, str) else plain)


def _type(value):
    name = value['type'] if isinstance(value, dict) else value
    return dtypes.as_dtype(name).as_datatype_enum


def _set_shape(proto, sizes):
    if sizes is None:
        proto.unknown_rank = True
        return
    proto.SetInParent()
    for size in sizes:
        proto.dim.add().size = size


def _add(fields, kind, item):
    if kind == 'type':
        fields.type.append(_type(item))
    elif kind == 'shape':
        _set_shape(fields.shape.add(), item['shape'] if isinstance(item, dict) else item)
    else:
        plain = item['float'] if isinstance(item, dict) else item
        field = {'int': 'i', 'float': 'f', 'bool': 'b', 'string': 's'}[kind]
        getattr(fields, field).append(plain.encode() if isinstance(plain, str) else plain)


class Maker:
    """Generates the cases of one seed."""

    def __init__(self, seed, wanted=None):
        self.random = np.random.RandomState(seed)
        self.seeds = seeds(wanted)
        self.ops = sorted(self.seeds)

    def chance(self, share):
        return self.random.rand() < share

    def pick(self, items):
        return items[self.random.randint(len(items))]

    # One op.

    def one_op(self):
        op = self.pick(self.ops)
        attrs, texts = self.pick(self.seeds[op])
        arrays = [array_of(text) for text in texts]
        attrs = dict(attrs)
        for _ in range(self.pick([0, 1, 1, 2])):
            self.pick([self.change_value, self.change_value, self.change_shape, self.change_dtype,
                       self.change_attr])(op, arrays, attrs)
        return self.graph_of(op, arrays, attrs)

    def change_value(self, op, arrays, attrs):
        full = [i for i, a in enumerate(arrays) if a.size and a.dtype != object]
        if not full:
            return
        array = arrays[i := self.pick(full)].copy()
        flat = array.reshape(-1)
        if array.dtype.names is None:
            for k in self.random.randint(array.size, size=1 + self.random.randint(3)):
                flat[k] = self.odd_value(op, array.dtype)
        arrays[i] = array

    def odd_value(self, op, dtype):
        if dtype == np.bool_:
            return self.chance(0.5)
        if np.issubdtype(dtype, np.integer):
            info = np.iinfo(dtype)
            wide = [info.min, info.max, info.max - 1] if op in NUMBERS else []
            small = [v for v in (-3, -2, -1, 0, 1, 2, 3, 4, 7) if v >= info.min]
            return self.pick(small + wide)
        return np.float64(self.pick([0., -0., 1., -1., 0.5, 1e-30, 1e30, -1e30, 3e4, np.inf,
                                     -np.inf, np.nan]))

    def change_shape(self, op, arrays, attrs):
        if not arrays:
            return
        i = self.random.randint(len(arrays))
        shape = list(arrays[i].shape)
        way = self.pick(['size', 'empty', 'add', 'drop', 'one'])
        if way == 'add' or not shape:
            shape.insert(self.random.randint(len(shape) + 1), self.pick([1, 1, 2]))
        elif way == 'drop':
            shape.pop(self.random.randint(len(shape)))
        else:
            k = self.random.randint(len(shape))
            shape[k] = {'empty': 0, 'one': 1}.get(way, self.random.randint(1, 5))
        if arrays[i].size:
            arrays[i] = np.resize(arrays[i], shape)
        else:
            text = arrays[i].dtype == object
            arrays[i] = np.full(shape, b'', object) if text else np.zeros(shape, arrays[i].dtype)

    def change_dtype(self, op, arrays, attrs):
        definition = op_def_registry.get(op)
        numbers = [i for i, a in enumerate(arrays) if a.dtype != object and a.dtype.names is None]
        if not numbers or len(arrays) != len(definition.input_arg):
            return
        attr = definition.input_arg[self.pick(numbers)].type_attr
        kinds = [np.float32, np.float64, np.float16, np.int32, np.int64, np.uint8, np.int8,
                 np.bool_, np.complex64]
        kind = self.pick(kinds)
        for i, arg in enumerate(definition.input_arg):
            if attr and arg.type_attr == attr and i in numbers:
                with np.errstate(all='ignore'):
                    arrays[i] = arrays[i].astype(kind)

    def change_attr(self, op, arrays, attrs):
        definition = op_def_registry.get(op)
        free = [a for a in definition.attr if a.type in
                ('int', 'bool', 'float', 'string', 'list(int)', 'shape')
                and a.name not in {arg.number_attr for arg in definition.input_arg}
                and a.name not in {arg.number_attr for arg in definition.output_arg}]
        if not free:
            return
        attr = self.pick(free)
        old = attrs.get(attr.name)
        if attr.type == 'int':
            attrs[attr.name] = int(self.pick([-2, -1, 0, 1, 2, 3, 5]))
        elif attr.type == 'bool':
            attrs[attr.name] = bool(self.chance(0.5))
        elif attr.type == 'float':
            attrs[attr.name] = {'float': self.pick([0., 1., -1., 0.5, 1e-3, 1e10])}
        elif attr.type == 'string':
            allowed = [s.decode() for s in attr.allowed_values.list.s]
            if allowed:
                attrs[attr.name] = self.pick(allowed + ['bad'] * self.chance(0.1))
        elif attr.type == 'shape':
            attrs[attr.name] = self.pick([None, [], [2], [-1], [2, 3], [-1, 3]])
        elif isinstance(old, list) and old:
            old = list(old)
            old[self.random.randint(len(old))] = int(self.pick([-1, 0, 1, 2, 3]))
            attrs[attr.name] = old

    def graph_of(self, op, arrays, attrs):
        definition = op_def_registry.get(op)
        graph = graph_pb2.GraphDef()
        graph.versions.producer = 1087
        feeds, names = {}, []
        for i, array in enumerate(arrays):
            names.append(self.add_input(graph, f'x{i}', array, feeds))
        node = graph.node.add(name='op', op=op)
        node.input.extend(names)
        self.infer_attrs(node, definition, arrays, attrs)
        given = {a.name: a for a in definition.attr}
        for name, value in attrs.items():
            if name in given:
                set_attr(node.attr[name], given[name].type, value)
        for attr in definition.attr:
            if attr.name not in node.attr and attr.HasField('default_value'):
                node.attr[attr.name].CopyFrom(attr.default_value)
        return {'op': op, 'graph': graph.SerializeToString(), 'feeds': feeds,
                'fetches': self.outputs_of(node, definition)}

    def add_input(self, graph, name, array, feeds):
        dtype = dtype_of(array)
        way = self.pick(['const', 'const', 'known', 'partly', 'unknown'])
        node = graph.node.add(name=name, op='Const' if way == 'const' else 'Placeholder')
        node.attr['dtype'].type = dtype.as_datatype_enum
        if way == 'const':
            proto = tensor_util.make_tensor_proto(array, dtype, list(array.shape))
            node.attr['value'].tensor.CopyFrom(proto)
            return name
        hidden = way == 'partly'
        sizes = [-1 if hidden and self.chance(0.5) else d for d in array.shape]
        _set_shape(node.attr['shape'].shape, None if way == 'unknown' else sizes)
        feeds[name + ':0'] = array
        return name

    @staticmethod
    def infer_attrs(node, definition, arrays, attrs):
        """Sets the attrs that are determined by inputs: dtypes, numbers and lists of dtypes."""
        spare = len(arrays) - len(definition.input_arg)
        left = list(arrays)
        for arg in definition.input_arg:
            count = 1
            if arg.number_attr or arg.type_list_attr:
                known = attrs.get(arg.number_attr) if arg.number_attr else None
                count = known if isinstance(known, int) else spare + 1
                spare -= count - 1
            own, left = left[:count], left[count:]
            if arg.number_attr:
                node.attr[arg.number_attr].i = count
            if arg.type_list_attr:
                kinds = [dtype_of(a).as_datatype_enum for a in own]
                node.attr[arg.type_list_attr].list.type.extend(kinds)
            if arg.type_attr and own and arg.type_attr not in node.attr:
                node.attr[arg.type_attr].type = dtype_of(own[0]).as_datatype_enum

    @staticmethod
    def outputs_of(node, definition):
        count = 0
        for arg in definition.output_arg:
            if arg.number_attr:
                count += max(0, node.attr[arg.number_attr].i)
            elif arg.type_list_attr:
                count += len(node.attr[arg.type_list_attr].list.type)
            else:
                count += 1
        return [f'op:{i}' for i in range(count)]
