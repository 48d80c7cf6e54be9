"""Bytes and strings, deprecated spellings, references."""

import pathlib
import unittest

from ramet.framework import deprecation, object_identity
from ramet.framework import compat


class CompatTest(unittest.TestCase):
    def test_bytes_and_text(self):
        self.assertEqual(compat.as_bytes('\u00e9'), b'\xc3\xa9')
        self.assertEqual(compat.as_bytes(bytearray(b'a')), b'a')
        self.assertEqual(compat.as_text(b'\xe9', 'latin1'), '\u00e9')
        self.assertEqual(compat.as_str_any(3), '3')
        self.assertEqual(compat.path_to_str(pathlib.Path('/a')), '/a')
        for convert in (compat.as_bytes, compat.as_text):
            with self.assertRaisesRegex(TypeError, 'Expected binary or unicode string, got 3'):
                convert(3)


class DeprecationTest(unittest.TestCase):
    def test_each_spelling_is_warned_of_once_at_the_callers_line(self):
        @deprecation.deprecated_args(None, 'use new', 'old', ('other', None))
        def function(new=None, old=None, other=None):
            return new or old or other

        with self.assertLogs('tensorflow', 'WARNING') as logs:
            self.assertEqual(
                [function(old=1), function(None, 2), function(other=None)], [1, 2, None]
            )
        self.assertEqual(len(logs.output), 1)
        self.assertIn(__file__, logs.output[0])
        self.assertIn('with old is deprecated and will be removed in a future', logs.output[0])
        self.assertIn('use new', logs.output[0])

    def test_functions(self):
        @deprecation.deprecated('2020-01-01', 'Use the other.')
        def gone():
            return 1

        with self.assertLogs('tensorflow', 'WARNING') as logs:
            self.assertEqual(gone() + gone(), 2)
        self.assertEqual(len(logs.output), 1)
        self.assertIn('will be removed after 2020-01-01', logs.output[0])

    def test_two_names_of_one_argument(self):
        self.assertEqual(deprecation.alias('axis', None, 'dim', 3), 3)
        self.assertEqual(deprecation.alias('axis', 2, 'dim', None), 2)
        with self.assertRaisesRegex(ValueError, "Cannot specify both 'dim' and 'axis'"):
            deprecation.alias('axis', 2, 'dim', 3)
        with self.assertLogs('tensorflow', 'WARNING'):
            self.assertEqual(deprecation.renamed('f', 'axis', None, 'dim', 3), 3)

    def test_an_argument_that_is_not_there(self):
        with self.assertRaisesRegex(ValueError, "not present in the function signature: \\['b'\\]"):
            deprecation.deprecated_args(None, 'x', 'b')(lambda a: a)


class ReferenceTest(unittest.TestCase):
    def test_identity(self):
        first, second = [1], [1]
        self.assertEqual(object_identity.Reference(first), object_identity.Reference(first))
        self.assertNotEqual(object_identity.Reference(first), object_identity.Reference(second))
        self.assertIs(object_identity.Reference(first).deref(), first)
        self.assertEqual(len({object_identity.Reference(x) for x in (first, second, first)}), 2)


if __name__ == '__main__':
    unittest.main()
