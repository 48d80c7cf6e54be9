"""Nested structures: their order, the classes that are preserved, and errors."""

import collections
import unittest

from ramet.framework import nest, nest_up_to

Point = collections.namedtuple('Point', 'x y')


class Field:
    def __init__(self, name):
        self.name = name


class Attrs:
    """Imitates the parts of an attrs class that nest uses."""

    __attrs_attrs__ = (Field('a'), Field('b'))

    def __init__(self, a, b):
        self.a, self.b = a, b


class FlattenTest(unittest.TestCase):
    def test_order(self):
        self.assertEqual(
            nest.flatten([1, (2, {'b': 4, 'a': 3}), Point(5, [6])]), [1, 2, 3, 4, 5, 6]
        )
        ordered = collections.OrderedDict([('b', 1), ('a', 2)])
        self.assertEqual(nest.flatten(ordered), [2, 1])
        self.assertEqual(nest.flatten(ordered.values()), [1, 2])
        self.assertEqual(nest.flatten(Attrs(1, [2])), [1, 2])

    def test_atoms(self):
        for atom in (None, 'text', b'bytes', 3, {1, 2}):
            self.assertEqual(nest.flatten(atom), [atom])
            self.assertFalse(nest.is_nested(atom))

    def test_keys_have_to_sort(self):
        with self.assertRaises(TypeError):
            nest.flatten({1: 2, 'a': 3})


class PackTest(unittest.TestCase):
    def test_classes_stay(self):
        structure = [1, Point(2, {'b': 3, 'a': 4})]
        packed = nest.pack_sequence_as(structure, [10, 20, 30, 40])
        self.assertEqual(packed, [10, Point(20, {'b': 40, 'a': 30})])
        default = collections.defaultdict(int, b=1, a=2)
        packed = nest.pack_sequence_as(default, [3, 4])
        self.assertEqual((packed['a'], packed['b'], packed['none']), (3, 4, 0))
        packed = nest.pack_sequence_as(Attrs(1, 2), [3, 4])
        self.assertEqual((packed.a, packed.b), (3, 4))

    def test_order_of_keys_stays(self):
        ordered = collections.OrderedDict([('b', 1), ('a', 2)])
        self.assertEqual(list(nest.pack_sequence_as(ordered, [1, 2]).items()), [('b', 2), ('a', 1)])

    def test_counts(self):
        with self.assertRaisesRegex(ValueError, 'Structure had 2 atoms, but flat_sequence had 1'):
            nest.pack_sequence_as([1, 2], [3])
        with self.assertRaisesRegex(TypeError, 'Attempted to pack value'):
            nest.pack_sequence_as([1, 2], 3)


class SameStructureTest(unittest.TestCase):
    def test_differences(self):
        for first, second, error, message in (
            ([1, 2], [3], ValueError, 'same number of elements'),
            ([1], (1,), TypeError, 'same sequence type'),
            ([1], 1, ValueError, 'is a sequence, while substructure "type=int str=1" is not'),
            ({'a': 1}, {'b': 1}, ValueError, 'same set of keys'),
        ):
            with self.assertRaisesRegex(error, message):
                nest.assert_same_structure(first, second)

    def test_the_message_outlines_both(self):
        with self.assertRaisesRegex(
            ValueError,
            r"Entire first structure:\n\[\., \{'a': \.\}\]\nEntire second structure:\n\[",
        ):
            nest.assert_same_structure([1, {'a': 2}], [1, 2])

    def test_types_may_differ_where_asked(self):
        nest.assert_same_structure([1, 2], (3, 4), check_types=False)
        nest.assert_same_structure({'a': 1}, collections.OrderedDict(a=2))

    def test_map(self):
        self.assertEqual(nest.map_structure(lambda a, b: a + b, [1, (2,)], [3, (4,)]), [4, (6,)])
        with self.assertRaisesRegex(TypeError, 'func must be callable'):
            nest.map_structure(1, [1])
        with self.assertRaisesRegex(ValueError, 'at least one structure'):
            nest.map_structure(len)
        with self.assertRaisesRegex(ValueError, 'not: `foo`'):
            nest.map_structure(len, [1], foo=1)


class UpToTest(unittest.TestCase):
    def test_flatten_and_map(self):
        self.assertEqual(nest_up_to.flatten_up_to([1, [2]], [[3], [[4]]]), [[3], [4]])
        self.assertEqual(nest_up_to.map_structure_up_to({'a': 0}, len, {'a': [1, 2]}), {'a': 2})

    def test_refusals(self):
        with self.assertRaisesRegex(TypeError, 'input must also be a sequence'):
            nest_up_to.assert_shallow_structure([[1]], [1])
        with self.assertRaisesRegex(ValueError, 'same sequence length'):
            nest_up_to.assert_shallow_structure([1], [1, 2])
        with self.assertRaisesRegex(ValueError, "not in the input_tree: \\['a'\\]"):
            nest_up_to.assert_shallow_structure({'a': 1}, {'b': 1})

    def test_paths(self):
        found = nest_up_to.flatten_with_joined_string_paths({'a': [1, 2], 'b': Point(3, 4)})
        self.assertEqual(found, [('a/0', 1), ('a/1', 2), ('b/x', 3), ('b/y', 4)])

    def test_dict_items(self):
        self.assertEqual(nest_up_to.flatten_dict_items({(1, 2): (3, 4), 5: 6}), {1: 3, 2: 4, 5: 6})
        with self.assertRaisesRegex(ValueError, 'key is not unique: 1'):
            nest_up_to.flatten_dict_items({(1, 1): (3, 4)})


if __name__ == '__main__':
    unittest.main()
