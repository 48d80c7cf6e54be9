"""The programs in examples/python: each runs, checks itself and prints the documented output."""

import ast
import concurrent.futures
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

from ramet import api

EXAMPLES = pathlib.Path(__file__).resolve().parents[3] / 'examples' / 'python'
LAST_LINES = {
    'clone_a_network.py': "saved under the original's names and restored into the original: they differ by 0",
    'custom_gradient_and_py_func.py': 'sorted by numpy: ',
    'follow.py': 'the trainer has ended; f(10) = 21.00 at step 3000',
    'import_and_fine_tune.py': 'the saved model has the same accuracy: ',
    'load_a_model.py': 'the same result from ',
    'save_and_restore.py': 'the restored weights are bitwise equal; ',
    'serve_while_training.py': 'f(0.5) went from ',
    'train_and_follow.py': 'the copy agrees with the trainer exactly',
    'train_and_publish.py': 'trained 3000 steps: y = 2.000 x + 1.000, in ',
    'train_on_a_gpu.py': 'the copy on the CPU is as good as the trainer on the GPU',
}
# Programs that need a GPU, which test_gpu.py runs too.
ON_GPUS = {'train_on_a_gpu.py'}
# The two programs of one example, with the arguments after the address; one follower is expected.
PAIR = {'follow.py': [], 'train_and_publish.py': ['1']}


class ExamplesTest(unittest.TestCase):
    def run_example(self, name, *arguments):
        package = os.path.dirname(os.path.dirname(api.__file__))
        return subprocess.run([sys.executable, '-B', str(EXAMPLES / name), *arguments],
                              capture_output=True, text=True, timeout=240, check=False,
                              env={**os.environ, 'PYTHONPATH': package})

    def test_all_are_here(self):
        self.assertEqual(sorted(path.name for path in EXAMPLES.glob('*.py')), sorted(LAST_LINES))

    def test_each_says_what_it_shows_and_how_to_run_it(self):
        for name in LAST_LINES:
            tree = ast.parse((EXAMPLES / name).read_text(encoding='utf-8'))
            self.assertIn('\n    python ' + name, ast.get_docstring(tree, clean=False), name)

    def test_each_runs(self):
        for name, last in LAST_LINES.items():
            if name in PAIR or name in ON_GPUS:
                continue
            with self.subTest(name):
                run = self.run_example(name)
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertEqual(run.stderr, '')
                self.assertTrue(run.stdout.splitlines()[-1].startswith(last), run.stdout)

    def test_a_trainer_and_its_follower(self):
        with tempfile.TemporaryDirectory() as folder:
            address = 'shm:' + os.path.join(folder, 'socket')
            with concurrent.futures.ThreadPoolExecutor() as pool:
                runs = [pool.submit(self.run_example, name, address, *arguments)
                        for name, arguments in PAIR.items()]
        for name, run in zip(PAIR, (run.result() for run in runs)):
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertTrue(run.stdout.splitlines()[-1].startswith(LAST_LINES[name]), run.stdout)

    def test_files_go_into_the_folder_that_is_named(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_example('save_and_restore.py', folder)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn('line-500.meta', os.listdir(folder))

    def test_fine_tuning_cuts_where_it_is_told(self):
        with tempfile.TemporaryDirectory() as folder:
            run = self.run_example('import_and_fine_tune.py', folder, 'MaxPool:0')
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertIn('tuned.meta', os.listdir(folder))
            run = self.run_example('import_and_fine_tune.py', folder, 'featurs:0')
            self.assertEqual(run.returncode, 1)
            self.assertIn("Did you mean 'features'?", run.stderr)


if __name__ == '__main__':
    unittest.main()
