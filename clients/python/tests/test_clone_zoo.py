"""ramet.clone on every model in the folder RAMET_ZOO."""

import importlib.util
import json
import os
import unittest

import numpy as np

import ramet
import ramet.compat.v1 as tf

ZOO = os.environ.get('RAMET_ZOO')


def runner():
    """Returns the zoo's own runner, applied to this package."""
    spec = importlib.util.spec_from_file_location('run_zoo', os.path.join(ZOO, 'run_zoo.py'))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.tf = tf
    return module


def cases():
    for name in sorted(os.listdir(ZOO)):
        file = os.path.join(ZOO, name, 'case.json')
        if os.path.exists(file):
            with open(file, encoding='utf-8') as f:
                case = json.load(f)
            if 'fetch' not in case:
                yield name, os.path.join(ZOO, name), case


@unittest.skipUnless(ZOO, 'skipped: RAMET_ZOO names no folder')
class ZooTest(unittest.TestCase):
    def steps(self, case, folder, session, of):
        """Returns the results of the steps, with of(name) for each name; None for steps that fail."""
        outs = []
        for step in case['steps']:
            feeds = {of(k): self.zoo.load_array(v, folder) for k, v in step['feeds'].items()}
            wanted = [[of(f) for f in step['fetches']], [of(t) for t in step.get('targets', [])]]
            try:
                outs.append(session.run(wanted, feeds)[0])
            except tf.errors.OpError:
                self.assertIn('error', step)
                outs.append(None)
        return outs

    def assert_same(self, a, b):
        self.assertEqual(len(a), len(b))
        for x, y in zip(a, b, strict=True):
            if isinstance(x, list):
                self.assert_same(x, y)
            elif x is None or isinstance(x, bytes):
                self.assertEqual(x, y)
            else:
                self.assertEqual((x.dtype, x.shape), (y.dtype, y.shape))
                same = np.array_equal if x.dtype == object else lambda p, q: (
                    np.ascontiguousarray(p).tobytes() == np.ascontiguousarray(q).tobytes())
                self.assertTrue(same(x, y))

    def fill_tables(self, case, folder, graph, session, clone):
        files = {}
        if case['kind'] == 'savedmodel':
            assets = os.path.join(folder, case['files']['saved_model'], 'assets')
            names = sorted(os.listdir(assets)) if os.path.isdir(assets) else []
            originals = [t for t in dict.fromkeys(graph.get_collection('asset_filepaths'))
                         if t in clone.tensors]
            files = {clone.transformed(t): os.path.join(assets, n)
                     for t, n in zip(originals, names, strict=True)}
        ops = [op for op in graph.get_collection('table_initializer') if op in clone.ops]
        ops += [graph.get_operation_by_name(name) for name in case.get('init_ops', [])]
        for op in ops:
            session.run(clone.transformed(op), files)

    def check(self, case, folder):
        config = self.zoo.session_config(case.get('session', {}), threads=1)
        graph, session = self.zoo.load_graph(case, folder, config)
        with graph.as_default(), session:
            clone = ramet.clone(graph, dst_scope='the_clone', initial='current')
            session.run([v.initializer for v in clone.variables
                         if not session.run(tf.is_variable_initialized(v))])
            session.run(clone.init_op)
            self.fill_tables(case, folder, graph, session, clone)
            originals, copies = list(clone.variables), list(clone.variables.values())
            self.assertEqual([v.op.name for v in copies],
                             ['the_clone/' + v.op.name for v in originals])

            before = session.run(copies)
            own = self.steps(case, folder, session, graph.as_graph_element)
            self.assert_same(session.run(copies), before)
            moved = session.run(originals)
            self.assert_same(self.steps(case, folder, session, clone.transformed), own)
            self.assert_same(session.run(originals), moved)
            self.assert_same(session.run(copies), moved)

            self.steps(case, folder, session, graph.as_graph_element)
            session.run(clone.update_op)
            self.assert_same(session.run(copies), session.run(originals))
            self.assert_same(self.steps(case, folder, session, clone.transformed),
                             self.steps(case, folder, session, graph.as_graph_element))

    def test_each_model(self):
        self.zoo = runner()
        for name, folder, case in cases():
            with self.subTest(name):
                self.check(case, folder)


if __name__ == '__main__':
    unittest.main()
