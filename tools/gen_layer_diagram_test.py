"""Symptom: the diagram shows different layers than the build has."""

import unittest

import gen_layer_diagram

LIST = """
# A comment with ramet_layer(nothing DEPS base)
ramet_layer(base LINK Threads::Threads)
ramet_layer(tensor DEPS base proto)
ramet_layer(ops/math OBJECT
            DEPS tensor base LINK ZLIB::ZLIB)
"""


class GenLayerDiagramTest(unittest.TestCase):
    def test_layers_and_their_deps_are_read(self):
        self.assertEqual(
            gen_layer_diagram.parse(LIST),
            [("proto", [], False), ("base", [], False), ("tensor", ["base", "proto"], False),
             ("ops/math", ["tensor", "base"], True)])

    def test_indirect_dep_is_not_drawn(self):
        layers = gen_layer_diagram.parse(LIST)
        self.assertIn("| 3 | `ops/math` (registers itself) | `tensor` |", gen_layer_diagram.table(layers))
        drawn = gen_layer_diagram.picture(layers)
        self.assertEqual(drawn.count('class="arrow"'), 3)  # tensor -> base, tensor -> proto, ops/math -> tensor
        self.assertEqual(drawn.count(">ops/math<"), 1)

    def test_dep_that_is_listed_later_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "'base' depends on \\['tensor'\\]"):
            gen_layer_diagram.table(gen_layer_diagram.parse("ramet_layer(base DEPS tensor)\nramet_layer(tensor)"))


if __name__ == "__main__":
    unittest.main()
