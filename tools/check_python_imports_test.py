"""Symptom: an import of a higher room, a circle or an unexplained deferred import passes the check."""

import os
import tempfile
import unittest

import check_python_imports


class CheckPythonImportsTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        for room in ('', 'framework', 'ops', 'ops/math', 'compat'):
            self.write(os.path.join(room, '__init__.py'), '')
        self.write('framework/ops.py', 'from ramet import _core\nfrom ramet.framework import dtypes\n')
        self.write('framework/dtypes.py', '')

    def write(self, path, text):
        full = os.path.join(self.root, check_python_imports.PACKAGE, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, 'w', encoding='utf-8') as file:
            file.write(text)

    def found(self):
        return list(check_python_imports.findings(self.root))

    def assert_one(self, place, word):
        self.assertEqual(len(self.found()), 1, self.found())
        self.assertTrue(self.found()[0].startswith(f'{check_python_imports.PACKAGE}/{place}'), self.found())
        self.assertIn(word, self.found()[0])

    def test_a_clean_package_has_no_findings(self):
        self.write('ops/math/add.py', 'from ramet.framework import ops\nimport ramet.framework.dtypes\n')
        self.assertEqual(self.found(), [])
        self.assertEqual(check_python_imports.counts(self.root),
                         '8 modules, 4 imports, 0 of them deferred, 0 modules in circles, 0 imports of higher rooms')

    def test_import_of_a_higher_room(self):
        self.write('ops/math/add.py', '')
        self.write('framework/tensors.py', '\nfrom ramet.ops.math import add\n')
        self.assert_one('framework/tensors.py:2:', "'framework' may not import 'ops'")

    def test_import_of_a_name_in_a_higher_room(self):
        self.write('ops/math/add.py', 'def add():\n  pass\n')
        self.write('framework/tensors.py', 'from ramet.ops.math.add import add\n')
        self.assert_one('framework/tensors.py:1:', 'ramet.ops.math.add')

    def test_circle(self):
        self.write('framework/dtypes.py', 'from ramet.framework.ops import x\n')
        self.assert_one('framework/dtypes.py:1:', 'circle of imports: framework.dtypes, framework.ops')

    def test_circle_through_a_function(self):
        self.write('framework/dtypes.py', 'def f():\n    from ramet.framework import ops  # deferred: slow\n')
        self.assert_one('framework/dtypes.py:1:', 'circle')

    def test_deferred_import_needs_a_reason(self):
        self.write('ops/math/add.py', 'class A:\n  def f(self):\n    from ramet.framework import (\n      ops)\n')
        self.assert_one('ops/math/add.py:3:', '# deferred:')
        self.write('ops/math/add.py', 'def f():\n    from ramet.framework import (  # deferred: slow\n      ops)\n')
        self.assertEqual(self.found(), [])

    def test_import_by_name(self):
        text = "import importlib\nimportlib.import_module(f'ramet.{name}')\n"
        self.write('compat/namespace.py', text)
        self.assertEqual(self.found(), [])
        self.write('ops/math/add.py', text)
        self.assert_one('ops/math/add.py:2:', 'by name')

    def test_messages_belong_to_core(self):
        self.write('core/__init__.py', '')
        self.write('framework/graph.py', 'from ramet.core.framework import graph_pb2\n')
        self.assertEqual(self.found(), [])
        self.write('core/convert.py', 'from ramet.framework import ops\n')
        self.assert_one('core/convert.py:1:', "'core' may not import 'framework'")

    def test_unknown_room(self):
        self.write('attic/box.py', '')
        self.assert_one('attic/box.py:1:', "lacks the room 'attic'")


if __name__ == '__main__':
    unittest.main()
