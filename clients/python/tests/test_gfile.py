"""ramet.lib.gfile and io_gfile: files and folders with the semantics of TensorFlow's gfile."""

import os
import pathlib
import tempfile
import unittest

from ramet.framework import errors
from ramet.lib import file_io, gfile, io_gfile


class FolderTest(unittest.TestCase):
    """A test with its own folder."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def path(self, *parts):
        return os.path.join(self.folder, *parts)

    def put(self, name, content=b''):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), 'wb') as file:
            file.write(content)
        return self.path(name)

    def content(self, name):
        with open(self.path(name), 'rb') as file:
            return file.read()

    def assert_raises_message(self, error, message, function, *args, **kwargs):
        with self.assertRaises(error) as raised:
            function(*args, **kwargs)
        self.assertEqual(raised.exception.message, message.replace('DIR', self.folder))


class GFileTest(FolderTest):

    def test_text_and_bytes(self):
        path = self.put('f', 'one\ntwö\n'.encode())
        self.assertEqual(gfile.GFile(path).read(), 'one\ntwö\n')
        self.assertEqual(gfile.GFile(path, 'rb').read(), 'one\ntwö\n'.encode())
        with self.assertRaises(UnicodeDecodeError):
            gfile.GFile(self.put('b', b'\xff')).read()

    def test_lengths_and_positions_are_in_bytes(self):
        file = gfile.GFile(self.put('f', 'ä1234'.encode()))
        self.assertEqual((file.read(3), file.tell(), file.size()), ('ä1', 3, 6))
        self.assertEqual((file.read(2), file.read(9), file.read()), ('23', '4', ''))

    def test_lines(self):
        path = self.put('f', b'a\r\nb\n\nc')
        lines = ['a\n', 'b\n', '\n', 'c']
        self.assertEqual(gfile.GFile(path).readlines(), lines)
        self.assertEqual(list(gfile.GFile(path)), lines)
        file = gfile.GFile(path, 'rb')
        self.assertEqual((file.readline(), next(file), file.next(), file.readline()),
                         (b'a\n', b'b\n', b'\n', b'c'))
        self.assertEqual(file.readline(), b'')
        self.assertRaises(StopIteration, file.next)

    def test_seek(self):
        file = gfile.GFile(self.put('f', b'0123456789'))
        file.seek(4)
        self.assertEqual(file.read(2), '45')
        file.seek(-2, 1)
        self.assertEqual(file.read(1), '4')
        file.seek(-3, 2)
        self.assertEqual(file.read(), '789')
        file.seek(position=1)
        self.assertEqual(file.tell(), 1)
        self.assert_raises_message(errors.OutOfRangeError, 'reached end of file', file.seek, 11)
        self.assert_raises_message(errors.InvalidArgumentError,
                                   'Seeking to a negative position: -1', file.seek, -1)
        self.assert_raises_message(
            errors.InvalidArgumentError,
            'Invalid whence argument: 7. Valid values are 0, 1, or 2.', file.seek, 0, 7)
        self.assertRaises(TypeError, file.seek)
        self.assertRaises(TypeError, file.seek, 1, position=2)

    def test_write_and_append(self):
        with gfile.GFile(self.path('f'), 'w') as file:
            file.write('ab')
            file.write(b'cd')
            self.assertEqual(file.tell(), 4)
            file.flush()
            self.assertEqual(file.size(), 4)
        with gfile.Open(self.path('f'), 'a') as file:
            file.write('ö')
        self.assertEqual(self.content('f'), 'abcdö'.encode())
        with self.assertRaisesRegex(TypeError, 'Expected binary or unicode string, got 3'):
            gfile.GFile(self.path('f'), 'w').write(3)

    def test_a_file_that_is_not_written_is_not_made(self):
        gfile.GFile(self.path('f'), 'w').close()
        self.assertFalse(os.path.exists(self.path('f')))

    def test_reading_and_writing(self):
        file = gfile.GFile(self.path('f'), 'w+')
        file.write('abcdef')
        file.flush()
        file.seek(2)
        self.assertEqual(file.read(), 'cdef')

    def test_what_the_mode_does_not_allow(self):
        path = self.put('f')
        self.assert_raises_message(errors.PermissionDeniedError, "File isn't open for writing",
                                   gfile.GFile(path).write, 'x')
        self.assert_raises_message(errors.PermissionDeniedError, "File isn't open for reading",
                                   gfile.GFile(path, 'a').read)
        self.assert_raises_message(
            errors.InvalidArgumentError,
            "mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+'", gfile.GFile, path, 'x')

    def test_errors_come_with_the_first_use(self):
        missing = gfile.GFile(self.path('no'))
        for use in (missing.read, missing.size, missing.readline, missing.tell):
            self.assert_raises_message(errors.NotFoundError, 'DIR/no; No such file or directory',
                                       use)
        self.assert_raises_message(errors.FailedPreconditionError, f'{self.folder}; Is a directory',
                                   gfile.GFile(self.folder).read)
        self.assert_raises_message(
            errors.NotFoundError, 'DIR/no/f; No such file or directory',
            gfile.GFile(self.path('no', 'f'), 'w').write, 'x')

    def test_names(self):
        path = self.put('f', b'x')
        for name in (path, path.encode(), pathlib.Path(path), 'file://' + path):
            self.assertEqual(gfile.FastGFile(name).read(), 'x')
            self.assertIs(gfile.GFile(name).name, name)
        self.assert_raises_message(
            errors.UnimplementedError, "File system scheme 'gs' not implemented (file: 'gs://b/f')",
            gfile.GFile('gs://b/f').read)
        self.assertRaises(TypeError, gfile.GFile(None).read)

    def test_whole_files(self):
        path = self.path('f')
        file_io.write_string_to_file(path, 'ö')
        self.assertEqual(file_io.read_file_to_string(path), 'ö')
        file_io.atomic_write_string_to_file(path, b'2')
        self.assertEqual(file_io.read_file_to_string(path, binary_mode=True), b'2')
        self.assertRaises(errors.AlreadyExistsError, file_io.atomic_write_string_to_file, path, '3',
                          overwrite=False)
        self.assertEqual(os.listdir(self.folder), ['f'])
        self.assertEqual(self.content('f'), b'2')

    def test_a_closed_file_is_opened_again(self):
        file = gfile.GFile(self.put('f', b'abc'))
        self.assertEqual(file.read(1), 'a')
        file.close()
        self.assertEqual(file.read(), 'abc')


class FoldersTest(FolderTest):

    def test_make_and_remove(self):
        gfile.MakeDirs(self.path('a/b'))
        gfile.MakeDirs(self.path('a/b'))
        gfile.MkDir(self.path('a/c'))
        gfile.MkDir(self.path('a/c'))
        self.put('a/f')
        self.assertTrue(gfile.IsDirectory(self.path('a/b')))
        self.assertFalse(gfile.IsDirectory(self.path('a/f')))
        self.assertEqual(sorted(gfile.ListDirectory(self.path('a'))), ['b', 'c', 'f'])
        self.assert_raises_message(errors.NotFoundError, 'DIR/x/y; No such file or directory',
                                   gfile.MkDir, self.path('x/y'))
        self.assert_raises_message(errors.FailedPreconditionError, 'DIR/a/f is not a directory',
                                   gfile.MakeDirs, self.path('a/f/g'))
        self.assert_raises_message(errors.FailedPreconditionError, 'DIR/a; Is a directory',
                                   gfile.Remove, self.path('a'))
        gfile.Remove(self.path('a/f'))
        gfile.DeleteRecursively(self.path('a'))
        self.assertFalse(gfile.Exists(self.path('a')))
        self.assert_raises_message(errors.NotFoundError, 'DIR/a; No such file or directory',
                                   gfile.Remove, self.path('a'))
        self.assert_raises_message(errors.NotFoundError, 'DIR/a not found',
                                   gfile.DeleteRecursively, self.path('a'))
        self.assert_raises_message(errors.NotFoundError, 'Could not find directory DIR/a',
                                   gfile.ListDirectory, self.path('a'))

    def test_a_link_is_removed_and_not_what_it_points_to(self):
        self.put('a/f')
        os.symlink(self.path('a'), self.path('link'))
        gfile.DeleteRecursively(self.path('link'))
        self.assertEqual(os.listdir(self.folder), ['a'])
        self.assertEqual(os.listdir(self.path('a')), ['f'])

    def test_copy_and_rename(self):
        self.put('f', b'1')
        gfile.Copy(self.path('f'), self.path('g'))
        self.assertEqual(self.content('g'), b'1')
        for function in (gfile.Copy, gfile.Rename):
            self.assert_raises_message(errors.AlreadyExistsError, 'file already exists',
                                       function, self.path('f'), self.path('g'))
            self.assert_raises_message(errors.NotFoundError, 'DIR/x; No such file or directory',
                                       function, self.path('x'), self.path('y'))
        self.put('f', b'22')
        gfile.Copy(self.path('f'), self.path('g'), overwrite=True)
        self.assertEqual(self.content('g'), b'22')
        gfile.Copy(self.path('f'), self.path('f'), overwrite=True)
        self.assertEqual(self.content('f'), b'22')
        gfile.Rename(self.path('f'), self.path('g'), overwrite=True)
        self.assertFalse(gfile.Exists(self.path('f')))

    def test_copy_keeps_the_permissions(self):
        os.chmod(self.put('f', b'1'), 0o700)
        gfile.Copy(self.path('f'), self.path('g'))
        self.assertEqual(os.stat(self.path('g')).st_mode & 0o700, 0o700)

    def test_stat(self):
        found = gfile.Stat(self.put('f', b'123'))
        self.assertEqual((found.length, found.is_directory), (3, False))
        self.assertEqual(found.mtime_nsec, int(os.stat(self.path('f')).st_mtime) * 10**9)
        self.assertTrue(gfile.Stat(self.folder).is_directory)
        self.assert_raises_message(errors.NotFoundError, 'DIR/x; No such file or directory',
                                   gfile.Stat, self.path('x'))

    def test_glob(self):
        for name in ('d/f1', 'd/f2', 'd/.h', 'd/s/x', 'e/f1', '[a]'):
            self.put(name)

        def glob(pattern):
            found = gfile.Glob(self.path(pattern))
            return sorted(os.path.relpath(name, self.folder) for name in found)

        self.assertEqual(glob('d/*'), ['d/.h', 'd/f1', 'd/f2', 'd/s'])
        self.assertEqual(glob('*/f1'), ['d/f1', 'e/f1'])
        self.assertEqual(glob('d/f?'), ['d/f1', 'd/f2'])
        self.assertEqual(glob('d/f[2-9]'), ['d/f2'])
        self.assertEqual(glob('d/f[!1]'), ['d/f2'])
        self.assertEqual(glob('d/f[^1]'), ['d/f2'])
        self.assertEqual(glob('d/*/x'), ['d/s/x'])
        self.assertEqual(glob(r'\[a]'), ['[a]'])
        self.assertEqual(glob('d/f1'), ['d/f1'])
        self.assertEqual(glob('d/f9'), [])
        self.assertEqual(glob('no/*'), [])
        self.assertEqual(gfile.Glob([self.path('d/f1'), self.path('e/*')]),
                         [self.path('d/f1'), self.path('e/f1')])

    def test_walk(self):
        for name in ('f', 'd/g', 'd/s/x'):
            self.put(name)

        def names(**kwargs):
            return [os.path.relpath(top, self.folder)
                    for top, _, _ in gfile.Walk(self.folder, **kwargs)]

        self.assertEqual(next(gfile.Walk(self.folder)), (self.folder, ['d'], ['f']))
        self.assertEqual(names(), ['.', 'd', 'd/s'])
        self.assertEqual(names(in_order=False), ['d/s', 'd', '.'])
        self.assertEqual(list(gfile.Walk(self.path('no'))), [])
        seen = []
        self.assertEqual(list(io_gfile.walk(self.path('no'), onerror=seen.append)), [])
        self.assertIsInstance(seen[0], errors.NotFoundError)

    def test_join(self):
        self.assertEqual(io_gfile.join('a', 'b', 'c'), 'a/b/c')
        self.assertEqual(io_gfile.join('a', '/b'), '/b')
        self.assertEqual(io_gfile.join(b'a', b'b'), b'a/b')


if __name__ == '__main__':
    unittest.main()
