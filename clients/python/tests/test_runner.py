"""`python -m ramet`: a program runs as under plain Python, with Ramet as tensorflow."""

import os
import subprocess
import sys
import tempfile
import textwrap
import unittest

from ramet import api


class RunnerTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as file:
            file.write(textwrap.dedent(text))
        return path

    def run_python(self, *arguments, ramet=True, stdin=None):
        package = os.path.dirname(os.path.dirname(api.__file__))
        command = [sys.executable, *(['-m', 'ramet'] if ramet else []), *arguments]
        return subprocess.run(command, cwd=self.folder, capture_output=True, text=True, input=stdin,
                              env={**os.environ, 'PYTHONPATH': package}, check=False, timeout=60)

    def output(self, *arguments, **options):
        run = self.run_python(*arguments, **options)
        self.assertEqual(run.returncode, 0, run.stderr)
        return run.stdout

    def check_same(self, *arguments, **options):
        """Checks that a program behaves as it does without the runner, and returns its output."""
        mine = self.run_python(*arguments, **options)
        pythons = self.run_python(*arguments, ramet=False, **options)
        self.assertEqual((mine.returncode, mine.stdout, mine.stderr),
                         (pythons.returncode, pythons.stdout, pythons.stderr))
        return mine

    SHOW = """\
        import sys
        print(__name__, __file__, sys.argv, sys.path[0], __package__, __spec__ and __spec__.name)
        print(sys.modules['__main__'].__dict__ is globals(), __builtins__.__name__)
        """

    def test_script(self):
        self.write('part/show.py', self.SHOW)
        run = self.check_same('part/show.py', '-a', 'b c')
        self.assertIn("['part/show.py', '-a', 'b c']", run.stdout)

    def test_script_beside_its_modules(self):
        self.write('part/neighbor.py', 'x = 7')
        self.write('part/show.py', 'import neighbor\nprint(neighbor.x)')
        self.assertEqual(self.output('part/show.py'), '7\n')

    def test_module_and_package(self):
        self.write('part/show.py', self.SHOW)
        self.write('part/__main__.py', self.SHOW)
        self.check_same('-m', 'part.show', 'x')
        self.check_same('-m', 'part', 'x')
        self.check_same('part', 'x')

    def test_code_and_stdin(self):
        self.check_same('-c', 'import sys; print(sys.argv, sys.path[0], __name__)', '-m', 'x')
        self.check_same('-', 'x', stdin='import sys; print(sys.argv, __file__)'.replace(
            '__file__', '__name__'))

    def test_exit_status(self):
        for code, status in (('import sys; sys.exit(3)', 3), ('raise SystemExit("no")', 1), ('', 0),
                             ('import atexit; atexit.register(print, "bye")', 0)):
            self.assertEqual(self.check_same('-c', code).returncode, status)

    def test_interrupt(self):
        run = self.check_same('-c', 'import os, signal; os.kill(os.getpid(), signal.SIGINT); 1')
        self.assertEqual(run.returncode, -2)

    def test_traceback_is_the_programs_own(self):
        self.write('bad.py', """\
            def f():
                return 1 / 0
            try:
                f()
            except ZeroDivisionError as error:
                raise ValueError('x') from error
            """)
        run = self.check_same('bad.py')
        self.assertEqual(run.returncode, 1)
        self.assertNotIn('runner', run.stderr)
        self.write('syntax.py', 'x = (\n')
        self.check_same('syntax.py')
        self.write('missing.py', 'import there_is_no_such_module')
        self.check_same('missing.py')

    def test_wrong_use(self):
        self.assertEqual(self.run_python().returncode, 2)
        run = self.run_python('nothing.py')
        self.assertEqual(run.returncode, 1)
        self.assertIn('No such file or directory', run.stderr)
        self.assertIn('No module named nothing', self.run_python('-m', 'nothing').stderr)
        self.assertIn('unknown option --fast', self.run_python('--fast').stderr)

    def test_tensorflow_is_ramet(self):
        self.assertEqual(self.output('-c', """if True:
            import tensorflow as tf
            import tensorflow.compat.v1 as v1
            from tensorflow.compat import v1 as v1_too
            import tensorflow.contrib.layers as layers
            from tensorflow.contrib import layers as layers_too
            from tensorflow import nn
            import ramet.compat.v1 as own
            print(tf is v1 is v1_too is own, layers is tf.contrib.layers is layers_too, nn is tf.nn)
            print(own.__spec__.name, tf.compat.v1 is tf)
            """), 'True True True\nramet.compat.v1 True\n')

    def test_internal_modules_have_the_names_of_ramets(self):
        self.assertEqual(self.output('-c', """if True:
            from tensorflow.python.compat import v2_compat
            from tensorflow.python.framework import func_graph, function
            from tensorflow.python.ops import array_ops, lookup_ops, rnn_cell, variables
            from tensorflow.python.platform import test
            from tensorflow.python.util import compat
            for symbol in (array_ops.rank_internal, lookup_ops.FastHashSpec, rnn_cell.LayerCell,
                           variables.SaveSliceInfo, function.Defun, func_graph.FuncGraph, test.TestCase,
                           compat.as_bytes, v2_compat.disable_v2_behavior):
                print(type(symbol).__module__ if not hasattr(symbol, '__name__') else symbol.__name__)
            """), 'rank_internal\nramet.ops.lookup.vocabulary_tables\nLayerCell\nSaveSliceInfo\nDefun\n'
            'FuncGraph\nTestCase\nas_bytes\ndisable_v2_behavior\n')

    def test_absl_need_not_be_installed(self):
        self.write('program.py', """\
            import sys
            from ramet.runner.absl_finder import AbslFinder
            sys.meta_path.insert(0, AbslFinder)  # as if the finders of installed packages found nothing
            from absl import app, flags, logging
            import absl.logging
            import tensorflow as tf
            flags.DEFINE_integer('steps', 3, 'how many')
            FLAGS = flags.FLAGS

            def main(argv):
                logging.set_verbosity(logging.INFO)
                logging.info('%d steps', FLAGS.steps)
                print(argv[1:], FLAGS.steps, tf.flags.FLAGS.steps, logging.get_verbosity() == logging.INFO)
                raise app.UsageError('too few')

            app.run(main)
            """)
        run = self.run_python('program.py', '--steps=5', 'x')
        self.assertEqual((run.returncode, run.stdout), (1, "['x'] 5 5 True\n"), run.stderr)
        self.assertIn('5 steps', run.stderr)
        self.assertIn('too few', run.stderr)
        unknown = self.run_python('program.py', '--stpes=5')
        self.assertEqual(unknown.returncode, 1)
        self.assertIn("Unknown command line flag 'stpes'", unknown.stderr)

    def test_devices_and_timeline(self):
        self.assertEqual(self.output('-c', """if True:
            import json
            import tensorflow as tf
            from tensorflow.python.client import device_lib, timeline
            devices = device_lib.list_local_devices()
            print([(d.name, d.device_type) for d in devices if d.device_type in ('CPU', 'GPU')])
            x = tf.placeholder(tf.float32, [100, 100], name='x')
            y = tf.nn.relu(tf.matmul(x, x, name='product') + 1., name='y')
            metadata = tf.RunMetadata()
            with tf.Session() as session:
                options = tf.RunOptions(trace_level=tf.RunOptions.FULL_TRACE)
                session.run(y, {x: [[1.] * 100] * 100}, options, metadata)
            trace = timeline.Timeline(metadata.step_stats).generate_chrome_trace_format(show_memory=True)
            events = json.loads(trace)['traceEvents']
            # A flow connects lanes. Each step has a lane of its own if it starts within the microsecond of another's end.
            flows = {'s', 't'}
            print(sorted({e['args']['name'] for e in events if e['ph'] == 'X'}))
            phases = {e['ph'] for e in events} - flows
            print(sorted(phases), max(e['args']['cpu'] for e in events if e['ph'] == 'C') >= 40000)
            """), "[('/device:CPU:0', 'CPU')]\n['add', 'product', 'y']\n"
            "['C', 'D', 'M', 'N', 'O', 'X'] True\n")

    def test_missing_names(self):
        run = self.run_python('-c', """if True:
            import tensorflow.contrib.slim as slim
            from tensorflow.contrib.slim.nets import resnet_v1
            from tensorflow.python import debug
            from tensorflow.python.ops.rnn_cell_impl import _check_rnn_cell_input_dtypes
            for use in (slim.bow_encoder, debug.x, _check_rnn_cell_input_dtypes):
                try:
                    use()
                except NotImplementedError as error:
                    print(error)
            from tensorflow import placehoder
            """)
        self.assertIn('TensorFlow has tf.contrib.slim.bow_encoder, but Ramet does not have it',
                      run.stdout)
        self.assertIn('tensorflow.python.ops.rnn_cell_impl._check_rnn_cell_input_dtypes', run.stdout)
        self.assertIn('no tf.placehoder', run.stderr.splitlines()[-1])
        self.assertTrue(run.stderr.splitlines()[-1].startswith('ModuleNotFoundError'), run.stderr)
        for name in ('tensorflow.python.no_such', 'tensorflow.no_such', 'tensorflow.core.no_such'):
            self.assertIn('ModuleNotFoundError', self.run_python('-c', f'import {name}').stderr)

    def test_internal_names_of_contrib(self):
        run = self.run_python('-c', """if True:
            import tensorflow as tf
            from tensorflow.contrib.legacy_seq2seq.python.ops import seq2seq
            from tensorflow.contrib.rnn.python.ops import core_rnn_cell, rnn
            from tensorflow.contrib.seq2seq.python.ops import beam_search_decoder, helper
            from tensorflow.contrib.seq2seq.python.ops.attention_wrapper import _bahdanau_score
            from tensorflow.contrib.slim.python.slim.nets import inception_v3
            from tensorflow.python.ops.rnn_cell_impl import _concat
            print(core_rnn_cell._linear([tf.ones([2, 3])], 4, bias=True).shape)
            print(_concat(2, 3, static=True))
            print(seq2seq.rnn_decoder is tf.contrib.legacy_seq2seq.rnn_decoder,
                  rnn.stack_bidirectional_rnn is tf.contrib.rnn.stack_bidirectional_rnn,
                  helper.TrainingHelper is tf.contrib.seq2seq.TrainingHelper,
                  beam_search_decoder.tile_batch is tf.contrib.seq2seq.tile_batch,
                  inception_v3.inception_v3 is tf.contrib.slim.nets.inception.inception_v3)
            """)
        self.assertEqual(('(2, 4)\n[2, 3]\nTrue True True True True\n', ''), (run.stdout, run.stderr))

    def test_child_processes(self):
        self.write('child.py', 'import tensorflow as tf; print(tf.__name__)')
        self.write('parent.py', """\
            import multiprocessing
            import subprocess
            import sys
            def work(queue):
                import tensorflow as tf
                queue.put(tf.__name__)
            if __name__ == '__main__':
                for method in ('spawn', 'fork', 'forkserver'):
                    context = multiprocessing.get_context(method)
                    queue = context.Queue()
                    process = context.Process(target=work, args=(queue,))
                    process.start()
                    print(queue.get(timeout=30))
                    process.join()
                print(subprocess.check_output([sys.executable, 'child.py'], text=True).strip())
            """)
        self.assertEqual(self.output('parent.py').split(), 4 * ['ramet.compat.v1'])

    def test_next_sitecustomize_runs(self):
        self.write('site/sitecustomize.py', 'import builtins\nbuiltins.seen = 5')
        self.assertEqual(self.output('-c', f"""if True:
            import os, subprocess, sys
            os.environ['PYTHONPATH'] += os.pathsep + {os.path.join(self.folder, 'site')!r}
            code = 'import sitecustomize, tensorflow; print(seen, sitecustomize.__file__)'
            print(subprocess.check_output([sys.executable, '-c', code], text=True).strip())
            """), f'5 {self.folder}/site/sitecustomize.py\n')

    def test_install_after_tensorflow(self):
        run = self.run_python('-c', """if True:
            import sys, types
            sys.modules['tensorflow'] = types.ModuleType('tensorflow')
            import ramet.runner
            ramet.runner.install()
            """, ramet=False)
        self.assertIn('has been imported already', run.stderr)


if __name__ == '__main__':
    unittest.main()
