"""The documentation for Python users: its programs run, and its errors are accurate."""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

from ramet import api

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDE = ROOT / 'docs' / 'coming-from-tensorflow-1.md'
README = ROOT / 'README.md'
sys.path.insert(0, str(ROOT / 'tests' / 'docs'))
import blocks as doc_blocks


def blocks(path, language):
    text = path.read_text(encoding='utf-8')
    return re.findall(rf'^```{language}\n(.*?)^```$', text, re.MULTILINE | re.DOTALL)


class DocsTest(unittest.TestCase):
    def run_python(self, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            package = os.path.dirname(os.path.dirname(api.__file__))
            return subprocess.run([sys.executable, *arguments], cwd=folder, capture_output=True,
                                  text=True, timeout=100, check=False,
                                  env={**os.environ, 'PYTHONPATH': package})

    # tests/docs/run_blocks.py runs the programs of all pages.
    def test_programs_of_the_guide(self):
        programs = [block.code for block in doc_blocks.blocks(ROOT, GUIDE)
                    if block.language == 'python' and block.program == GUIDE.stem]
        self.assertGreaterEqual(len(programs), 2)
        run = self.run_python('-c', '\n'.join(programs))
        self.assertEqual((run.returncode, run.stderr), (0, ''))
        self.assertTrue(run.stdout.startswith('[[11.]]\n[[11.]]\n'))

    def test_errors_of_the_guide(self):
        import ramet.compat.v1 as tf
        shown = re.findall(r'^>>> (.*)\n([\w.]+): (.*)$', '\n'.join(blocks(GUIDE, 'pycon')), re.M)
        self.assertGreater(len(shown), 2)
        for expression, error, message in shown:
            with self.assertRaises((NotImplementedError, AttributeError)) as caught:
                eval(expression, {'tf': tf, 'c': True, 'x': 1, 'y': 2})
            raised = type(caught.exception)
            self.assertEqual(f'{raised.__module__}.{raised.__name__}', error)
            pattern = re.escape(message).replace(re.escape('...'), '.*')
            self.assertRegex(str(caught.exception), f'^{pattern}$')

    def test_command_of_the_guide(self):
        command, shown = re.search(r"^\$ python -m ramet -c '(.*)'\n(.*)$", GUIDE.read_text(),
                                   re.M).groups()
        self.assertEqual(self.run_python('-m', 'ramet', '-c', command).stdout, shown + '\n')

    def test_old_spellings_of_the_guide_are_there(self):
        import ramet.compat.v1 as tf
        text = re.search(r'meaning is unmistakable:\n(.*?)\. For functions', GUIDE.read_text(), re.S)[1]
        for name in re.findall(r'`([\w.]+)`', text):
            symbol = tf
            for part in name.split('.'):
                symbol = getattr(symbol, part)
            self.assertNotIsInstance(symbol, api.Unavailable, name)

    def test_links_lead_somewhere(self):
        for path in (GUIDE, README, *(ROOT / 'docs' / 'decisions').glob('005*.md')):
            for target in re.findall(r'\]\(([^)#]+)', path.read_text(encoding='utf-8')):
                if '://' not in target:
                    self.assertTrue((path.parent / target).exists(), (path.name, target))


if __name__ == '__main__':
    unittest.main()
