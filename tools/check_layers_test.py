"""Symptom: a wrong include or a function that is too long passes the check."""

import os
import tempfile
import unittest

import check_layers


class CheckLayersTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = folder.name
        self.write("ramet/CMakeLists.txt", "ramet_layer(base)\nramet_layer(ops/math OBJECT DEPS base)\n")

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def found(self):
        return list(check_layers.findings(self.root))

    def assert_one(self, place, word):
        self.assertEqual(len(self.found()), 1, self.found())
        self.assertTrue(self.found()[0].startswith(place), self.found())
        self.assertIn(word, self.found()[0])

    def test_a_clean_tree_has_no_findings(self):
        self.write("ramet/base/a.cc", '#include "ramet/base/internal/a.h"\nint F() {\n  return 1;\n}\n')
        self.write("clients/cli/main.cc", "#include <ramet/ramet.h>\n")
        self.assertEqual(self.found(), [])

    def test_include_of_the_parent_folder(self):
        self.write("ramet/base/a.cc", '\n#include "../base/a.h"\n')
        self.assert_one("ramet/base/a.cc:2:", "../")

    def test_include_of_another_layers_internal(self):
        self.write("ramet/ops/math/a.cc", '#include "ramet/base/internal/a.h"\n')
        self.assert_one("ramet/ops/math/a.cc:1:", "'base'")

    def test_include_that_reaches_the_implementation_of_graphs(self):
        self.write("ramet/CMakeLists.txt", "ramet_layer(graph)\nramet_layer(edit DEPS graph)\n")
        self.write("ramet/graph/graph_impl.h", "#pragma once\n")
        self.write("ramet/graph/own.h", '#include "ramet/graph/graph_impl.h"\n')
        self.assertEqual(self.found(), [])
        self.write("ramet/edit/a.cc", '\n#include "ramet/graph/own.h"\n')
        self.assert_one("ramet/edit/a.cc:2:", "graph_impl.h")

    def test_client_that_includes_an_internal_header(self):
        self.write("clients/cli/main.cc", '#include "ramet/base/status.h"\n')
        self.assert_one("clients/cli/main.cc:1:", "ramet/ramet.h")

    def test_tests_of_clients_may_include_testing_headers(self):
        include = '#include "ramet/base/testing/server.h"\n'
        self.write("clients/cli/main_test.cc", include)
        self.assertEqual(self.found(), [])
        self.write("clients/cli/main.cc", include)
        self.assert_one("clients/cli/main.cc:1:", "ramet/ramet.h")

    def test_third_party_header_in_a_public_header(self):
        self.write("ramet/ramet.h", '#include "ramet/base/a.h"\n')
        self.write("ramet/base/a.h", "#include <Eigen/Core>\n")
        self.write("ramet/base/b.h", "#include <Eigen/Core>\n")
        self.assert_one("ramet/base/a.h:1:", "third-party")

    def test_long_file(self):
        self.write("ramet/base/a.cc", "int x;\n" * 801)
        self.assert_one("ramet/base/a.cc:1:", "801 lines")

    def test_long_generated_file(self):
        self.write("ramet/base/a.gen.h", "int x;\n" * 801)
        self.assertEqual(self.found(), [])

    def test_long_function_and_its_reason(self):
        body = "int F(int a,\n      int b) {\n" + "  a += b;\n" * 100 + "}\n"
        self.write("ramet/base/a.cc", "int x;\n" + body)
        self.assert_one("ramet/base/a.cc:2:", "function of 103 lines")
        self.write("ramet/base/a.cc", "// long: a table of cases.\nint F() {\n" + "  Case();\n" * 100 + "}\n")
        self.assertEqual(self.found(), [])


if __name__ == "__main__":
    unittest.main()
