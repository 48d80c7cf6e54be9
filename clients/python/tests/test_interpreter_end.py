"""The end of the interpreter: programs that exit while threads are inside calls of the package."""

import os
import re
import signal
import subprocess
import sys
import tempfile
import unittest

PROLOGUE = '''
import atexit, os, sys, threading, time
import numpy as np, ramet, ramet.compat.v1 as tf
started = []
def loop(body, count=1):
    def repeat():
        done = False
        while True:
            body()
            if not done:
                done = True
                started.append(1)
    for _ in range(count):
        threading.Thread(target=repeat, daemon=True).start()
def leave(count=1):
    while len(started) < count:
        time.sleep(.01)
    time.sleep(.05)
    sys.exit(0)
v = tf.get_variable('v', [1000])
up = tf.assign_add(v, tf.ones([1000]))
s = tf.Session()
s.run(tf.global_variables_initializer())
'''

# Threads that are running when the main thread exits.
EXITS = {
    'runs': '''
y = v * 2
loop(lambda: s.run(y), 2)
leave(2)''',
    'one endless run': '''
i = tf.constant(0, tf.int64)
r = tf.while_loop(lambda i: i < (1 << 62), lambda i: i + 1, [i])
threading.Thread(target=lambda: s.run(r), daemon=True).start()
time.sleep(.2)
sys.exit(0)''',
    'long kernels': '''
x = tf.random_uniform([800, 800])
y = tf.matmul(tf.matmul(x, x), x)
loop(lambda: s.run(y), 2)
leave(2)''',
    'py_func': '''
def f():
    time.sleep(.002)
    return np.float32(1)
y = tf.py_func(f, [], tf.float32)
loop(lambda: s.run(y), 4)
leave(4)''',
    'py_func in parallel': '''
def f():
    time.sleep(.002)
    return np.float32(1)
y = [tf.py_func(f, [], tf.float32) for _ in range(4)]
t = tf.Session(config=tf.ConfigProto(inter_op_parallelism_threads=4))
loop(lambda: t.run(y), 2)
leave(2)''',
    'py_func that never returns': '''
y = tf.py_func(lambda: (started.append(1), time.sleep(1000))[0], [], tf.float32)
threading.Thread(target=lambda: s.run(y), daemon=True).start()
leave()''',
    'publisher': '''
p = ramet.Publisher(s, 'shm:exitp%d' % os.getpid())
p.publish()
def step():
    s.run(up)
    p.publish()
try:
    loop(step)
finally:
    leave()''',
    'follower': '''
p = ramet.Publisher(s, 'shm:exitf%d' % os.getpid())
p.publish()
f = ramet.Follower('shm:exitf%d' % os.getpid())
loop(lambda: f.session.run('v/read:0'), 2)
leave(2)''',
    'follower that waits': '''
p = ramet.Publisher(s, 'shm:exitw%d' % os.getpid())
p.publish()
f = ramet.Follower('shm:exitw%d' % os.getpid())
threading.Thread(target=lambda: f.wait(10 ** 6), daemon=True).start()
time.sleep(.2)
sys.exit(0)''',
    'saver': '''
saver = tf.train.Saver()
loop(lambda: saver.save(s, os.path.join(sys.argv[1], 'model'), write_meta_graph=False))
leave()''',
    'graphs': '''
def build():
    with tf.Graph().as_default() as g:
        w = tf.get_variable('w', [3, 3])
        for _ in range(20):
            w = tf.matmul(w, np.ones([3, 3], np.float32)) + [1.0, 2.0, 3.0]
        tf.gradients(w, tf.global_variables())
        tf.import_graph_def(g.as_graph_def(), name='again')
loop(build, 2)
leave(2)''',
    'errors': '''
bad = tf.reshape(v, [tf.placeholder_with_default(7, [])])
def fail():
    try:
        s.run(bad)
    except tf.errors.InvalidArgumentError:
        pass
loop(fail, 3)
leave(3)''',
    'an atexit handler that runs': '''
y = v * 2
loop(lambda: s.run(y), 2)
atexit.register(lambda: s.run(y))
leave(2)''',
    'an atexit handler that joins': '''
stop = threading.Event()
def work():
    while not stop.is_set():
        s.run(up)
worker = threading.Thread(target=work, daemon=True)
worker.start()
def end():
    stop.set()
    worker.join()
atexit.register(end)
time.sleep(.1)
sys.exit(0)''',
}


def run(code, *args, timeout=60):
    """Returns the program's exit code and what it wrote to stderr."""
    done = subprocess.run([sys.executable, '-B', '-c', PROLOGUE + code, *args],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=timeout)
    return done.returncode, done.stderr.decode('utf8', 'replace')


class ExitTest(unittest.TestCase):
    def test_threads_that_are_at_work_do_not_disturb_the_exit(self):
        with tempfile.TemporaryDirectory() as folder:
            for name, code in EXITS.items():
                with self.subTest(name):
                    returned, errors = run(code, folder)
                    self.assertEqual(returned, 0, errors)
                    self.assertNotIn('Fatal', errors)
                    self.assertNotIn('terminate', errors)

    def test_objects_that_live_until_the_end_may_run_in_their_destructors(self):
        returned, errors = run('''
class Last:
    def __init__(self):
        self.s, self.y = s, tf.py_func(lambda: np.float32(1), [], tf.float32)
    def __del__(self, out=sys.stderr, write=os.write):
        write(2, b'%r' % float(self.s.run(self.y)))
sys.modules['__main__'].last = Last()
''')
        self.assertEqual(returned, 0, errors)

    def test_the_gil_is_taken_in_one_place(self):
        sources = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'src')
        taking = re.compile(r'gil_scoped_|PyEval_SaveThread|PyEval_RestoreThread|PyGILState_Ensure')
        found = []
        for name in sorted(os.listdir(sources)):
            with open(os.path.join(sources, name)) as f:
                if taking.search(f.read()):
                    found.append(name)
        self.assertEqual(found, ['gil.cc'])


class ProcessesTest(unittest.TestCase):
    def test_a_fork_after_the_import_can_run(self):
        returned, errors = run('''
s.run(tf.constant(1) + 1)
child = os.fork()
if child == 0:
    import signal
    signal.signal(signal.SIGALRM, lambda *a: (_ for _ in ()).throw(KeyboardInterrupt()))
    i = tf.constant(0, tf.int64)
    r = tf.while_loop(lambda i: i < (1 << 62), lambda i: i + 1, [i])
    signal.setitimer(signal.ITIMER_REAL, .3)
    try:
        tf.Session().run(r)
    except KeyboardInterrupt:
        os._exit(7)
    except tf.errors.FailedPreconditionError as e:
        os._exit(7 if 'fork' in str(e) else 8)
    os._exit(9)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7
''')
        self.assertEqual(returned, 0, errors)

    def test_a_forked_child_has_a_main_thread_whoever_forks(self):
        returned, errors = run('''
import signal
codes = []
def fork():
    child = os.fork()
    if child == 0:
        signal.signal(signal.SIGALRM, signal.default_int_handler)
        signal.setitimer(signal.ITIMER_REAL, .3)
        i = tf.constant(0, tf.int64)
        r = tf.while_loop(lambda i: i < (1 << 62), lambda i: i + 1, [i])
        try:
            tf.Session().run(r)
        except KeyboardInterrupt:
            os._exit(7)
        except tf.errors.FailedPreconditionError:
            os._exit(7)
        os._exit(9)
    codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
thread = threading.Thread(target=fork)
thread.start()
thread.join()
assert codes == [7], codes
''')
        self.assertEqual(returned, 0, errors)

    def test_multiprocessing(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, 'program.py')
            with open(path, 'w') as f:
                f.write('''
import multiprocessing as mp, sys
def work(n):
    import ramet.compat.v1 as tf
    with tf.Graph().as_default(), tf.Session() as s:
        return int(s.run(tf.constant(n) * 2))
if __name__ == '__main__':
    import ramet.compat.v1 as tf
    for method in ('spawn', 'fork', 'forkserver'):
        with mp.get_context(method).Pool(2) as pool:
            assert pool.map(work, range(4)) == [0, 2, 4, 6], method
''')
            done = subprocess.run([sys.executable, '-B', path], stderr=subprocess.PIPE, timeout=120)
            self.assertEqual(done.returncode, 0, done.stderr.decode())


if __name__ == '__main__':
    unittest.main()
