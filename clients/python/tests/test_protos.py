"""ramet.core: message classes parse, serialize, print, compare and pickle like protoc's."""

import copy
import importlib
import pickle
import subprocess
import sys
import unittest

from google.protobuf import text_format
from ramet.core import convert
from ramet.core.example import example_pb2, feature_pb2
from ramet.core.framework import attr_value_pb2, graph_pb2, summary_pb2, types_pb2, variable_pb2
from ramet.core.lib.core import error_codes_pb2
from ramet.core.modules import MODULES
from ramet.core.protobuf import config_pb2, meta_graph_pb2
from ramet.core.public_names import PUBLIC_NAMES


def small_graph():
    graph = graph_pb2.GraphDef()
    graph.versions.producer = 21
    node = graph.node.add(name='a', op='Const', input=['x', '^y'])
    node.attr['dtype'].type = types_pb2.DT_FLOAT
    node.attr['shape'].shape.dim.add(size=3)
    node.attr['scale'].f = 0.5
    return graph


def in_new_python(program):
    return subprocess.run([sys.executable, '-c', program], capture_output=True, text=True,
                          timeout=60, check=False)


class ModulesTest(unittest.TestCase):

    def test_nothing_is_made_at_import(self):
        ran = in_new_python('import sys, ramet.core.protobuf.config_pb2\n'
                            'from ramet.core.framework import graph_pb2\n'
                            'assert not hasattr(graph_pb2, "__path__")\n'
                            'sys.exit("google.protobuf" in sys.modules)')
        self.assertEqual((ran.returncode, ran.stderr), (0, ''))

    def test_star_import(self):
        names = {}
        exec('from ramet.core.framework.types_pb2 import *', names)
        self.assertEqual(names['DT_RESOURCE'], 20)
        self.assertEqual(names['DataType'].Name(101), 'DT_FLOAT_REF')

    def test_every_module_has_what_the_table_says(self):
        for name, messages in MODULES.items():
            module = importlib.import_module('ramet.core.' + name)
            for message in messages.split():
                self.assertIn(message.rpartition('.')[2], dir(module), name)

    def test_public_names(self):
        for place in PUBLIC_NAMES.values():
            module, _, name = place.partition(':')
            made = getattr(importlib.import_module('ramet.core.' + module), name)
            self.assertEqual(made().ByteSize(), 0)
            self.assertEqual((made.__module__, made.__name__), ('ramet.core.' + module, name))

    def test_absent_names(self):
        with self.assertRaisesRegex(AttributeError, "has no attribute 'GraphDefinition'"):
            getattr(graph_pb2, 'GraphDefinition')  # noqa: B009
        with self.assertRaisesRegex(ImportError, 'no_such_pb2'):
            importlib.import_module('ramet.core.framework.no_such_pb2')
        with self.assertRaises(ImportError):
            from ramet.core.framework import no_such_pb2  # noqa: F401

    def test_enum_values_are_module_attributes(self):
        self.assertEqual(types_pb2.DT_HALF, 19)
        self.assertEqual(types_pb2.DataType.Value('DT_QINT8'), 11)
        self.assertEqual(error_codes_pb2.DATA_LOSS, 15)
        self.assertEqual(error_codes_pb2.Code.Name(5), 'NOT_FOUND')
        self.assertEqual(variable_pb2.VARIABLE_AGGREGATION_MEAN, 2)
        self.assertEqual(config_pb2.RunOptions.FULL_TRACE, 3)
        self.assertEqual(config_pb2.OptimizerOptions.Level.Value('L0'), -1)

    def test_one_class_however_it_is_reached(self):
        meta = meta_graph_pb2.MetaGraphDef()
        self.assertIs(type(meta.graph_def), graph_pb2.GraphDef)
        self.assertIs(type(meta.meta_info_def), meta_graph_pb2.MetaGraphDef.MetaInfoDef)
        self.assertEqual(attr_value_pb2.AttrValue.ListValue.__qualname__, 'AttrValue.ListValue')
        self.assertEqual(graph_pb2.GraphDef.DESCRIPTOR.full_name, 'tensorflow.GraphDef')


class MessagesTest(unittest.TestCase):

    def test_prints(self):
        text = str(small_graph())
        self.assertIn('name: "a"', text)
        self.assertIn('type: DT_FLOAT', text)
        self.assertTrue(text.startswith('node {\n'))

    def test_bytes_and_text_round_trip(self):
        graph = small_graph()
        self.assertEqual(graph_pb2.GraphDef.FromString(graph.SerializeToString()), graph)
        parsed = graph_pb2.GraphDef()
        parsed.ParseFromString(graph.SerializeToString())
        self.assertEqual(parsed, graph)
        text = text_format.MessageToString(graph)
        self.assertEqual(text_format.Parse(text, graph_pb2.GraphDef()), graph)
        parsed = graph_pb2.GraphDef()
        text_format.Merge(text, parsed)
        self.assertEqual(parsed, graph)

    def test_broken_bytes_are_refused(self):
        from google.protobuf.message import DecodeError
        with self.assertRaises(DecodeError):
            graph_pb2.GraphDef.FromString(b'\x0a\x7f')

    def test_merge_and_copy(self):
        graph = graph_pb2.GraphDef()
        graph.MergeFrom(small_graph())
        graph.MergeFrom(small_graph())
        self.assertEqual(len(graph.node), 2)
        graph.CopyFrom(small_graph())
        self.assertEqual(graph, small_graph())
        self.assertNotEqual(graph, graph_pb2.GraphDef())

    def test_deepcopy_copy_and_pickle(self):
        messages = [small_graph(), small_graph().node[0], attr_value_pb2.AttrValue.ListValue(i=[1]),
                    config_pb2.ConfigProto.Experimental(executor_type='x'),
                    meta_graph_pb2.CollectionDef.AnyList(value=[{'value': b'x'}]).value[0]]
        for message in messages:
            for other in (copy.deepcopy(message), copy.copy(message),
                          pickle.loads(pickle.dumps(message)),
                          pickle.loads(pickle.dumps(message, 0))):
                self.assertEqual(other, message)
                self.assertIs(type(other), type(message))
                self.assertIsNot(other, message)

    def test_maps(self):
        node = small_graph().node[0]
        self.assertEqual(sorted(node.attr), ['dtype', 'scale', 'shape'])
        self.assertEqual(node.attr['scale'].WhichOneof('value'), 'f')
        del node.attr['scale']
        self.assertNotIn('scale', node.attr)
        config = config_pb2.ConfigProto(device_count={'GPU': 0, 'CPU': 2})
        self.assertEqual(dict(config.device_count), {'GPU': 0, 'CPU': 2})

    def test_keyword_construction(self):
        config = config_pb2.ConfigProto(
            allow_soft_placement=True, intra_op_parallelism_threads=3,
            gpu_options=config_pb2.GPUOptions(per_process_gpu_memory_fraction=0.25),
            graph_options={'optimizer_options': {'opt_level': 'L0'}})
        config.gpu_options.allow_growth = True
        self.assertEqual(config.gpu_options.per_process_gpu_memory_fraction, 0.25)
        self.assertEqual(config.graph_options.optimizer_options.opt_level,
                         config_pb2.OptimizerOptions.L0)
        with self.assertRaisesRegex(ValueError, 'allow_soft'):
            config_pb2.ConfigProto(allow_soft=True)
        with self.assertRaises(TypeError):
            config_pb2.ConfigProto(intra_op_parallelism_threads='three')

    def test_example(self):
        example = example_pb2.Example(features=feature_pb2.Features(feature={
            'x': feature_pb2.Feature(float_list=feature_pb2.FloatList(value=[1, 2])),
            'y': feature_pb2.Feature(bytes_list=feature_pb2.BytesList(value=[b'a']))}))
        read = example_pb2.Example.FromString(example.SerializeToString())
        self.assertEqual(list(read.features.feature['x'].float_list.value), [1, 2])
        self.assertEqual(read.features.feature['y'].bytes_list.value[0], b'a')

    def test_any_carries_type_names_of_tensorflow(self):
        collection = meta_graph_pb2.CollectionDef()
        packed = collection.any_list.value.add()
        packed.Pack(meta_graph_pb2.AssetFileDef(filename='f'))
        self.assertEqual(packed.type_url, 'type.googleapis.com/tensorflow.AssetFileDef')
        pool = collection.DESCRIPTOR.file.pool
        text = text_format.MessageToString(collection, descriptor_pool=pool)
        self.assertIn('filename: "f"', text)
        parsed = text_format.Parse(text, meta_graph_pb2.CollectionDef(), descriptor_pool=pool)
        self.assertEqual(parsed.any_list.value[0].value, packed.value)
        asset = meta_graph_pb2.AssetFileDef()
        self.assertTrue(packed.Unpack(asset))
        self.assertEqual(asset.filename, 'f')

    def test_unknown_fields_are_kept(self):
        data = b'\xfa\x07\x03new'
        self.assertEqual(graph_pb2.GraphDef.FromString(data).SerializeToString(), data)

    def test_publicly_imported_names(self):
        self.assertEqual(summary_pb2.HistogramProto(bucket=[1]).bucket[0], 1)


class ConvertTest(unittest.TestCase):

    def test_serialized(self):
        graph = small_graph()
        data = graph.SerializeToString()
        for given in (data, bytearray(data), memoryview(data)):
            self.assertEqual(convert.serialized(given, 'tensorflow.GraphDef'), data)
        message = convert.serialized(graph, 'tensorflow.GraphDef')
        self.assertEqual(graph_pb2.GraphDef.FromString(message), graph)

    def test_serialized_refuses(self):
        with self.assertRaisesRegex(
                TypeError, 'expected a tensorflow.GraphDef message .* found a tensorflow.NodeDef'):
            convert.serialized(small_graph().node[0], 'tensorflow.GraphDef')
        with self.assertRaisesRegex(TypeError, 'found builtins.str'):
            convert.serialized('graph.pb', 'tensorflow.GraphDef')

    def test_to_ramet(self):
        graph = small_graph()
        self.assertIs(convert.to_ramet(graph), graph)
        with self.assertRaisesRegex(TypeError, 'found builtins.dict'):
            convert.to_ramet({})
        from google.protobuf import duration_pb2
        with self.assertRaisesRegex(TypeError, 'no message google.protobuf.Duration'):
            convert.to_ramet(duration_pb2.Duration(seconds=1))


if __name__ == '__main__':
    unittest.main()
