"""Tests of check_english.py: what it finds and what it leaves alone."""

import unittest

import check_english


def found(text, path='a.h'):
    return [(line, rule) for line, rule, _ in check_english.findings(path, text)]


class CheckEnglishTest(unittest.TestCase):
    def test_openers_of_comments_and_sentences(self):
        self.assertEqual(found('int a;\n// What is kept.\n'), [(2, 'opener')])
        self.assertEqual(found('// Returns a number. Of scalars,\n// the value.\n'), [(1, 'opener')])
        self.assertEqual(found('// One line.\n// Whether two.\n'), [(2, 'opener')])
        self.assertEqual(found('Error("who");  // As the one above.\n'), [(1, 'opener'), (1, 'who')])
        self.assertEqual(found('// As in TensorFlow, the last one counts.\n'), [])
        self.assertEqual(found('// What is a clone?\n'), [])
        self.assertEqual(found('Add("Where")'), [])

    def test_is_no(self):
        self.assertEqual(found('Error("x is no scalar")'), [(1, 'is no')])
        self.assertEqual(found('// There is no file. It is no longer there, and is no larger.\n'), [])

    def test_code_is_not_english(self):
        self.assertEqual(found('// Calls `who` and `is no`.\nint who = 1;\n'), [])
        self.assertEqual(found('```\nis no text  # is no scalar\n```\n', 'a.md'), [(2, 'is no')])

    def test_languages(self):
        self.assertEqual(found('"""What it is."""\n', 'a.py'), [(1, 'opener')])
        self.assertEqual(found('x = 1  # whoever\n', 'a.py'), [(1, 'who')])
        self.assertEqual(found('- Those that are new\n', 'a.md'), [(1, 'opener')])
        self.assertEqual(found('| a | Whether b |\n', 'a.md'), [(1, 'opener')])
        self.assertEqual(found('# Made anew.\n', 'a.sh'), [(1, 'word')])


if __name__ == '__main__':
    unittest.main()
