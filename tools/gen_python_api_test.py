"""Symptom: a public name of the Python package is missing or has the wrong target, and no test fails."""

import os
import tempfile
import unittest

import gen_python_api


class GenPythonApiTest(unittest.TestCase):
    def exports(self, files):
        with tempfile.TemporaryDirectory() as package:
            for name, text in files.items():
                path = os.path.join(package, name)
                os.makedirs(os.path.dirname(path), exist_ok=True)
                with open(path, "w", encoding="utf-8") as file:
                    file.write(text)
            return gen_python_api.source_exports(package)

    def test_forms(self):
        self.assertEqual(
            self.exports(
                {"ops/nn.py": "@export('nn.relu', 'nn.elu')\ndef relu(): pass\n"
                 "@api.export('Session')\nclass Session: pass\n"
                 "x = 1\nexport('nn.selu')(x)\ny = export('exp')(x)\n"
                 "export_value('newaxis', None)\n"}),
            {"nn.relu": "ops.nn:relu", "nn.elu": "ops.nn:relu", "Session": "ops.nn:Session",
             "nn.selu": "ops.nn:x", "exp": "ops.nn:y", "newaxis": "ops.nn:="})

    def test_package(self):
        text = "@export('train.Saver')\nclass Saver: pass\n"
        self.assertEqual(self.exports({"train/__init__.py": text}), {"train.Saver": "train:Saver"})

    def test_reports_all_problems(self):
        with self.assertRaises(gen_python_api.ApiError) as raised:
            self.exports({"a.py": "@export('nn.relu')\ndef f(): pass\n",
                          "b.py": "@export('nn.relu', 'nn.no_such')\ndef g(): pass\n"})
        self.assertIn("tf.nn.relu is already exported at", str(raised.exception))
        self.assertIn("TensorFlow has no tf.nn.no_such", str(raised.exception))

    def test_names_must_be_literal(self):
        with self.assertRaisesRegex(gen_python_api.ApiError, ":1: names given to export must be"):
            self.exports({"a.py": "@export(NAME)\ndef f(): pass\n"})

    def test_exports_of_sources_win_over_ops_and_aliases(self):
        names = gen_python_api.table(os.path.join(gen_python_api.PYTHON, "ramet"))
        endpoints = dict(gen_python_api.rows("endpoints.tsv"))
        self.assertEqual(names["cos"], "gen:" + endpoints["cos"])
        self.assertEqual(names["compat.v1"], "compat.v1:")
        self.assertEqual(names["neg"], names["negative"])
        self.assertTrue(names["select"].startswith("!"))


if __name__ == "__main__":
    unittest.main()
