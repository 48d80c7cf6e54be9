"""Symptom: a script's files, records, flags or log lines differ from those with TensorFlow.

Each case is a line of Python that both packages run in folders with the same contents. The result, or the
exception with its message, must be the same. Needs tensorflow, and the Python package on PYTHONPATH.
"""

import contextlib
import functools
import io
import os
import subprocess
import sys
import tempfile
import unittest

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

try:
    import tensorflow.compat.v1 as tf
except ImportError:
    tf = None
try:
    from ramet.lib import gfile, io_gfile, tf_record
except ImportError:
    gfile = None

FILES = {
    "t": "one\ntwö\nthree".encode(),
    "b": bytes(range(256)),
    "empty": b"",
    "lines": b"a\rb\r\nc\n\n",
    "[a]": b"",
    ".hidden": b"",
    "d/f1": b"1",
    "d/f2": b"2",
    "d/s/x": b"",
}

GFILE_CASES = r"""
G('t').read()
G('t', 'rb').read()
G('b').read()
f = G('t'); (f.read(5), f.tell(), f.read(5), f.tell(), f.read(), f.read(), f.tell())
f = G('t', 'rb'); (f.readline(), f.tell(), f.readline(), f.readline(), f.readline())
G('t').readlines()
G('lines').readlines()
G('empty').readlines()
list(G('lines', 'rb'))
f = G('t'); (next(f), f.next())
f = G('t'); f.read(); f.next()
f = G('t'); f.seek(4); f.read(3)
f = G('t'); f.seek(-3, 2); f.read()
f = G('t'); f.read(2); f.seek(2, 1); f.read(2)
f = G('t'); f.seek()
f = G('t'); f.seek(0, 5)
f = G('t'); f.seek(14); f.read()
f = G('t'); f.seek(15)
f = G('t'); f.seek(-1)
f = G('t'); f.seek(offset=4, position=5)
f = G('t', 'rb'); (f.size(), f.mode, f.seekable())
G('t').read(0)
G('t').read(-2)
G('t').read(1000)
G('missing').read()
G('missing').size()
G('missing').tell()
list(G('missing'))
G('missing').close()
G('d').read()
G('d').size()
G('d', 'w').write('x')
G('no/f', 'w').write('x')
G('t', 'x')
G('t', 'rt')
G('t', '')
g.GFile(P('t').encode()).read()
g.GFile(pathlib.Path(P('t'))).read()
g.GFile('file://' + P('t')).read()
g.GFile('foo://x/y').read()
f = G('w', 'w'); f.write('ab'); f.write(b'cd'); f.close(); content('w')
f = G('w', 'w'); f.write('abc'); f.flush(); (f.tell(), f.size(), content('w'))
f = G('w', 'w'); f.write(3)
f = G('w', 'w'); f.read()
f = G('w', 'w'); f.seek(0)
f = G('t'); f.write('x')
f = G('t', 'a'); f.write('Q'); (f.tell(), f.close(), content('t'))
f = G('t', 'a'); f.read()
f = G('w', 'w+'); f.write('abcdef'); f.flush(); f.seek(2); f.read()
f = G('t', 'r+'); f.read(3)
f = G('t', 'r+'); f.write('Q'); f.close(); content('t')
f = G('w', 'w'); f.close(); os.path.exists(P('w'))
f = G('w', 'w'); f.write(''); f.close(); os.path.exists(P('w'))
f = G('w', 'w'); f.write('x'); f.close(); f.write('y'); f.close(); content('w')
f = G('t'); f.read(); f.close(); f.read(3)
[g.Exists(x) for x in (P('t'), P('d'), P('zz'), '', P('t', 'x'), P('t').encode())]
g.Exists(None)
g.MkDir(P('m')); os.path.isdir(P('m'))
g.MkDir(P('d'))
g.MkDir(P('no', 'm'))
g.MakeDirs(P('m', 'n')); os.path.isdir(P('m', 'n'))
g.MakeDirs(P('t'))
g.MakeDirs(P('t', 'x'))
g.Remove(P('zz'))
g.Remove(P('d'))
g.Remove(P('t')); os.path.exists(P('t'))
g.DeleteRecursively(P('zz'))
g.DeleteRecursively(P('t')); os.path.exists(P('t'))
g.DeleteRecursively(P('d')); os.path.exists(P('d'))
sorted(g.Glob(P('*')))
sorted(g.Glob(P('**')))
sorted(g.Glob(P('*/*')))
g.Glob(P('zz*'))
sorted(g.Glob([P('t'), P('d/*')]))
sorted(g.Glob(P('d/f?')))
g.Glob(P('d/f[2-9]'))
g.Glob(P('d/f[!1]'))
g.Glob(P('d/f[^1]'))
g.Glob(P('d/{f1,f2}'))
g.Glob(P('d/'))
g.Glob(P('nodir/*'))
g.Glob('')
g.Glob(P('\\[a]'))
g.Glob(P('d/*/x'))
sorted(g.ListDirectory(P('d')))
g.ListDirectory(P('zz'))
g.ListDirectory(P('t'))
[g.IsDirectory(x) for x in (P('d'), P('t'), P('zz'), '')]
g.Copy(P('t'), P('c')); content('c')
g.Copy(P('t'), P('b'))
g.Copy(P('t'), P('b'), overwrite=True); content('b')
g.Copy(P('zz'), P('c'))
g.Copy(P('t'), P('d'))
g.Copy(P('t'), P('no', 'x'))
g.Rename(P('t'), P('c')); (content('c'), os.path.exists(P('t')))
g.Rename(P('zz'), P('c'))
g.Rename(P('t'), P('b'))
g.Rename(P('t'), P('b'), overwrite=True); content('b')
g.Rename(P('t'), P('no', 'x'))
g.Rename(P('d'), P('e')); sorted(os.listdir(P('e')))
g.Rename(P('t'), P('d'), True)
(g.Stat(P('t')).length, g.Stat(P('t')).is_directory, g.Stat(P('d')).is_directory)
g.Stat(P('t')).mtime_nsec // 10**9 - int(os.stat(P('t')).st_mtime)
g.Stat(P('zz'))
[(a, sorted(b), sorted(c)) for a, b, c in g.Walk(P('d'))]
[(a, sorted(b), sorted(c)) for a, b, c in g.Walk(P('d'), in_order=False)]
list(g.Walk(P('zz')))
[a for a, b, c in v2.walk(P('d'), topdown=False)]
[v2.join('a', 'b', 'c'), v2.join('a', '/b'), v2.join(b'a', b'b'), v2.join('a/', 'b')]
(v2.exists(P('t')), v2.isdir(P('d')), sorted(v2.listdir(P('d'))), v2.stat(P('t')).length)
v2.rmtree(P('d')); v2.exists(P('d'))
"""

RECORD_CASES = r"""
W('r', [b'abc', b'', b'd' * 20, 'text', 'ä', bytearray(b'q')])
W('r', [b'abc', b''], 'ZLIB')
W('r', [b'abc', b''], 'GZIP')
W('r', [b'abc' * 1000], O('GZIP', compression_level=9))
W('r', [b'x' * 1000], O('ZLIB', window_bits=9, compression_level=1, mem_level=1))
W('r', [], O('GZIP'))
W('r', [b'abc', b'd'], T.GZIP); R('r', T.GZIP)
W('r', [b'abc', b'd'], 'ZLIB'); R('r', O(T.ZLIB))
W('r', [b'abc', b'd'], 'ZLIB'); R('r')
W('r', [b'abc', b'd'], 'ZLIB'); R('r', 'GZIP')
W('r', [b'abc', b'd']); R('r', 'GZIP')
R('missing')
p.tf_record_iterator(P('missing'))
p.TFRecordWriter(P('no', 'x'))
R('empty')
R('t')
O(7)
O('BAD')
W('r', [b'x'], 5)
R('t', 'BAD')
vars(O(T.ZLIB, window_bits=3))
[O.get_compression_type_string(x) for x in (None, O('GZIP'), O(T.ZLIB), T.ZLIB, 'GZIP', '')]
(O.compression_type_map, T.NONE, T.ZLIB, T.GZIP)
w = p.TFRecordWriter(P('r')); w.close(); w.close(); w.write(b'b')
w = p.TFRecordWriter(P('r')); w.close(); w.flush()
w = p.TFRecordWriter(P('r')); w.write(b'a'); w.flush(); content('r')
d = W('r', [b'abc', b'defg']); [RR(d[:n]) for n in range(len(d) + 1)]
d = W('r', [b'abc', b'defg']); [RR(d[:n] + b'X' + d[n + 1:]) for n in range(len(d))]
d = W('r', [b'abc', b'defg']); RR(d + b'x')
RR(b'garbage that is no record file')
d = W('r', [b'abc' * 50, b'defg' * 50], 'ZLIB'); RR(d[:-8], 'ZLIB')
"""

LOG_PROGRAM = """
import sys
if sys.argv[1] == 'tf':
    import tensorflow.compat.v1 as tf
    log, get_logger = tf.logging, tf.get_logger
else:
    from ramet.lib import tf_logging as log
    get_logger = log.get_logger
print(log.get_verbosity(), get_logger().name, get_logger().level)
log.info('hidden'); log.warn('w %d %s', 3, 'x'); log.warning('w2'); log.error('e'); log.fatal('f')
log.set_verbosity(log.INFO)
log.info('shown %s', 'i'); log.debug('no'); log.vlog(log.INFO, 'v'); log.vlog(1, 'v1')
log.log(log.ERROR, 'log'); log.log(99, 'l99'); log.info('100%'); log.info({'a': 1})
for i in range(7): log.log_every_n(log.INFO, 'every %d', 3, i)
log.log_if(log.INFO, 'if %d', True, 1); log.log_if(log.INFO, 'if', False)
log.TaskLevelStatusMessage('task')
log.set_verbosity('ERROR'); log.warn('hidden'); print(log.get_verbosity())
"""

FLAG_PROGRAM = """
import sys
if sys.argv[1] == 'tf':
    import tensorflow.compat.v1 as tf
    flags, app = tf.flags, tf.app
else:
    from ramet.lib import app, flags
sys.argv = ['prog', '--s=abc', '--i', '7', '-f=2.5', '--nob', 'pos', '--m=1', '--m', '2']
flags.DEFINE_string('s', 'def', 'h'); flags.DEFINE_integer('i', 3, 'h')
flags.DEFINE_float('f', 1, 'h')
flags.DEFINE_bool('b', True, 'h'); flags.DEFINE_boolean('b2', False, 'h')
flags.DEFINE_list('l', [], 'h'); flags.DEFINE_enum('e', 'x', ['x', 'y'], 'h')
flags.DEFINE_multi_integer('m', [], 'h'); flags.DEFINE_string('n', None, 'h')
flags.DEFINE_integer(flag_name='old', default_value=4, docstring='d')
F = flags.FLAGS
def show(function):
    try: print(repr(function()))
    except Exception as error: print(type(error).__name__, error)
def values(): return [F.s, F.i, F.f, F.b, F.b2, F.l, F.e, F.m, F.n, F.old]
show(lambda: (F.is_parsed(), values(), F.is_parsed()))
show(lambda: F.nope)
show(lambda: setattr(F, 'nope', 1))
show(lambda: setattr(F, 's', 'set') or F.s)
for arguments in (['--i=x'], ['--e=z'], ['--bad'], ['--b=maybe'], ['--i'], ['--nos'],
                  ['a', '--s=b', 'c'], ['--f=1e3', '--i=0x10'], ['--l=a, b,"c,d"'], ['--l='],
                  ['--s', '--i=3'], ['--', '--s=q'], ['--b=false', '--b2', '--b=1']):
    show(lambda: (F(['prog'] + arguments), values()))
    show(lambda: F(['prog'] + arguments, known_only=True))
show(lambda: ('s' in F, F['s'].value, F['s'].default))
show(lambda: flags.DEFINE_integer('bad', 'x', 'h'))
flags.mark_flag_as_required('n')
show(lambda: F(['prog']))
flags.register_validator('i', lambda i: i < 100, 'must be small')
show(lambda: F(['prog', '--n=1', '--i=1000']))
def main(arguments):
    print(arguments, F.i)
    return 3
app.run(main, ['prog', '--n=1', '--i=9', 'x', '--zzz=3'])
"""


@functools.cache
def run(program, which):
    return subprocess.run([sys.executable, "-c", program, which], capture_output=True, text=True,
                          timeout=120, check=False)


def without_where(text):
    """Returns `text` without the addresses and deprecation notes that differ between the packages."""
    return [line for line in text.splitlines()
            if "0000 00:00" not in line and "absl::InitializeLog" not in line]


class Lib:
    """Runs cases with one package, in its own folder."""

    def __init__(self, folder, g, v2, p):
        self._folder = folder
        self._names = {
            "g": g, "v2": v2, "p": p, "P": self._path, "O": p.TFRecordOptions,
            "T": p.TFRecordCompressionType, "content": self._content, "W": self._write,
            "R": self._read, "RR": self._read_damaged, "os": os, "pathlib": __import__("pathlib"),
            "G": lambda name, mode="r": g.GFile(self._path(name), mode),
        }
        for name, content in FILES.items():
            os.makedirs(os.path.dirname(self._path(name)), exist_ok=True)
            with open(self._path(name), "wb") as file:
                file.write(content)

    def _path(self, *parts):
        return os.path.join(self._folder, *parts)

    def _content(self, name):
        with open(self._path(name), "rb") as file:
            return file.read()

    def _write(self, name, records, options=None):
        with self._names["p"].TFRecordWriter(self._path(name), options) as writer:
            for record in records:
                writer.write(record)
        return self._content(name)

    def _read(self, name, options=None):
        return list(self._names["p"].tf_record_iterator(self._path(name), options))

    def _read_damaged(self, data, options=None):
        with open(self._path("damaged"), "wb") as file:
            file.write(data)
        records = []
        try:
            for record in self._names["p"].tf_record_iterator(self._path("damaged"), options):
                records.append(record)
        except Exception as error:
            return records, type(error).__name__, error.message
        return records

    def outcome(self, case):
        *statements, last = case.split("; ")
        try:
            for statement in statements:
                exec(statement, self._names)
            found = repr(eval(last, self._names))
        except Exception as error:
            code = getattr(error, "error_code", None)
            found = f"{type(error).__name__} {code}: {getattr(error, 'message', error)}"
        return found.replace(self._folder, "FOLDER")


@unittest.skipIf(tf is None, "skipped: no tensorflow here")
@unittest.skipIf(gfile is None, "skipped: ramet.lib is not on PYTHONPATH")
class PythonLibTest(unittest.TestCase):

    def outcome(self, case, *libraries):
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stderr(io.StringIO()):
            return Lib(folder, *libraries).outcome(case)

    def compare(self, cases):
        for case in cases.strip().splitlines():
            with self.subTest(case=case):
                self.assertEqual(
                    self.outcome(case, gfile, io_gfile, tf_record),
                    self.outcome(case, tf.gfile, tf.io.gfile, tf.python_io))

    def test_gfile(self):
        self.compare(GFILE_CASES)

    def test_records(self):
        self.compare(RECORD_CASES)

    def run_both(self, program):
        ours, theirs = run(program, "ramet"), run(program, "tf")
        self.assertEqual(ours.returncode, theirs.returncode, ours.stderr)
        self.assertEqual(without_where(ours.stdout), without_where(theirs.stdout))
        return ours, theirs

    def test_log_lines(self):
        ours, theirs = self.run_both(LOG_PROGRAM)
        self.assertEqual(without_where(ours.stderr), without_where(theirs.stderr))

    def test_flags(self):
        self.run_both(FLAG_PROGRAM)

    def test_flags_without_absl(self):
        theirs = run(FLAG_PROGRAM, "tf")
        ours = run("import sys; sys.modules['absl'] = None\n" + FLAG_PROGRAM, "ramet")
        self.assertEqual((ours.stdout, ours.returncode), (theirs.stdout, theirs.returncode))


if __name__ == "__main__":
    unittest.main()
