"""The type stubs that the build writes match the package."""

import ast
import importlib
import os
import unittest

import ramet.compat.v1 as tf

FOLDER = os.path.dirname(os.path.abspath(tf.__file__))


def stubs():
    """Yields (namespace, path) of the stubs next to the package."""
    for folder, _, files in sorted(os.walk(FOLDER)):
        if '__init__.pyi' in files:
            space = os.path.relpath(folder, FOLDER).replace(os.sep, '.')
            yield '' if space == '.' else '.' + space, os.path.join(folder, '__init__.pyi')


class StubsTest(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(os.path.join(FOLDER, '__init__.pyi')):
            self.skipTest('skipped: the build has not written stubs next to this package')

    def test_names(self):
        for space, path in stubs():
            with open(path, encoding='utf-8') as file:
                tree = ast.parse(file.read(), path)
            listed = [ast.literal_eval(node.value) for node in tree.body
                      if isinstance(node, ast.Assign) and node.targets[0].id == '__all__']
            if listed:
                module = importlib.import_module(tf.__name__ + space)
                shown = {name for name in dir(module) if not name.startswith('__')}
                self.assertEqual(set(listed[0]), shown, space)

    def test_functions_of_ops(self):
        with open(os.path.join(FOLDER, '..', '..', 'gen', '__init__.pyi'), encoding='utf-8') as file:
            functions = {node.name: node for node in ast.parse(file.read()).body
                         if isinstance(node, ast.FunctionDef)}
        matmul = functions['MatMul']
        self.assertEqual([a.arg for a in matmul.args.args][:4],
                         ['a', 'b', 'transpose_a', 'transpose_b'])
        self.assertEqual(matmul.args.args[-1].arg, 'name')
        self.assertIn('Args:', ast.get_docstring(matmul))


if __name__ == '__main__':
    unittest.main()
