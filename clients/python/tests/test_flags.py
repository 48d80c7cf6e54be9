"""ramet.lib.flags and app: the command line of a script, with and without absl."""

import subprocess
import sys
import unittest

from ramet.lib import own_flags

PROGRAM = """
import sys
{before}
from ramet.lib import app, flags

flags.DEFINE_string('name', 'nobody', 'who')
flags.DEFINE_integer(flag_name='steps', default_value=3, docstring='how many')
flags.DEFINE_boolean('fast', True, 'how')
FLAGS = flags.FLAGS
{after}

def main(argv):
    print(argv[1:], FLAGS.name, FLAGS.steps, FLAGS.fast)
    return 4

if __name__ == '__main__':
    app.run()
"""
NO_ABSL = "sys.modules['absl'] = None"


def run(arguments, before='', after=''):
    program = PROGRAM.format(before=before, after=after)
    ran = subprocess.run([sys.executable, '-c', program, *arguments], capture_output=True,
                         text=True, timeout=60, check=False)
    return ran.returncode, ran.stdout.strip(), ran.stderr


class ScriptsTest(unittest.TestCase):
    """Runs scripts with absl, if it is installed, and without it."""

    def both(self, expected, *arguments, **parts):
        for before in ('', NO_ABSL):
            code, out, err = run(arguments, before, **parts)
            self.assertEqual((code, out), expected, err)

    def test_defaults(self):
        self.both((4, '[] nobody 3 True'))

    def test_flags_of_all_forms(self):
        self.both((4, "['x', 'y'] me 5 False"),
                  '--name', 'me', 'x', '-steps=5', '--nofast', 'y')

    def test_flags_that_are_not_defined_are_left_to_main(self):
        self.both((4, "['--other=1'] me 3 True"), '--other=1', '--name=me')

    def test_two_dashes_end_the_flags(self):
        self.both((4, "['--', '--name=me'] nobody 3 True"), '--', '--name=me')

    def test_flags_are_read_when_first_looked_at(self):
        self.both((0, 'me'), '--name=me', after='print(FLAGS.name); sys.exit()')

    def test_flags_as_programs_of_older_versions_read_them(self):
        self.both((0, "me ['fast', 'name', 'steps'] 3"), '--name=me', '--other', after=(
            'FLAGS._parse_flags()\n'
            'names = sorted({"fast", "name", "steps"} & set(FLAGS.__flags))\n'
            'print(FLAGS.name, names, FLAGS.__flags["steps"].value)\n'
            'sys.exit()'))
        self.both((0, 'you'), after='FLAGS._parse_flags(["--name=you"]); print(FLAGS.name); sys.exit()')

    def test_help(self):
        for before in ('', NO_ABSL):
            code, out, _ = run(['--help'], before)
            self.assertEqual(code, 1)
            self.assertIn('how many', out)


class OwnFlagsTest(unittest.TestCase):

    def setUp(self):
        self.flags = own_flags.FlagValues()

    def define(self, kind, name, default, *args, **kwargs):
        define = getattr(own_flags, 'DEFINE_' + kind)
        return define(name, default, *args, 'help', flag_values=self.flags, **kwargs)

    def read(self, *arguments):
        return self.flags(['program', *arguments])[1:]

    def test_flags_that_exclude_each_other(self):
        for name in ('a', 'b'):
            self.define('string', name, None)
        own_flags.mark_flags_as_mutual_exclusive(['a', 'b'], required=True, flag_values=self.flags)
        self.read('--a=1')
        with self.assertRaisesRegex(own_flags.IllegalFlagValueError, r'--a=1 --b=2: Exactly one of \(a, b\)'):
            self.read('--b=2')

    def test_flags_into_string(self):
        self.define('integer', 'steps', 3)
        self.define('string', 'name', None)
        self.assertEqual(self.flags.flags_into_string(), '--steps=3\n')

    def assert_refused(self, error, message, *arguments):
        with self.assertRaises(error) as raised:
            self.read(*arguments)
        self.assertEqual(str(raised.exception), message)

    def test_values(self):
        self.define('string', 's', None)
        self.define('integer', 'i', 1)
        self.define('float', 'f', 1)
        self.define('bool', 'b', False)
        self.define('list', 'l', [])
        self.define('spaceseplist', 'p', None)
        self.define('enum', 'e', 'x', ['x', 'y'])
        self.define('multi_integer', 'm', 5)
        self.define('multi_string', 'n', None)
        self.assertEqual(self.read('a', '--s=', '--i=0x10', '--f', '2.5', '--b', '--l=a, b,"c,d"',
                                   '--p=q r', '--e=y', '--m=1', '--m=2', 'b'), ['a', 'b'])
        self.assertEqual(self.flags.flag_values_dict(), {
            's': '', 'i': 16, 'f': 2.5, 'b': True, 'l': ['a', 'b', 'c,d'], 'p': ['q', 'r'],
            'e': 'y', 'm': [1, 2], 'n': None})
        self.assertIsInstance(self.flags.f, float)

    def test_refused_values(self):
        self.define('integer', 'i', 1, lower_bound=0, upper_bound=9)
        self.define('bool', 'b', False)
        self.define('enum', 'e', 'x', ['x', 'y'])
        illegal = own_flags.IllegalFlagValueError
        self.assert_refused(
            illegal, "flag --i=x: invalid literal for int() with base 10: 'x'", '--i=x')
        self.assert_refused(illegal, 'flag --i=10: 10 is not integer in the range [0, 9]', '--i=10')
        self.assert_refused(illegal, 'flag --e=z: value should be one of <x|y>', '--e=z')
        self.assert_refused(
            illegal, "flag --b=maybe: ('Non-boolean argument to boolean flag', 'maybe')",
            '--b=maybe')
        self.assert_refused(own_flags.Error, 'Missing value for flag --i', '--i')
        self.assert_refused(own_flags.UnrecognizedFlagError,
                            "Unknown command line flag 'zz'", '--zz=1')
        self.assert_refused(own_flags.UnrecognizedFlagError,
                            "Unknown command line flag 'noi'", '--noi')

    def test_definitions_that_are_refused(self):
        self.define('integer', 'i', 1)
        with self.assertRaisesRegex(own_flags.DuplicateFlagError, "'i' is defined twice"):
            self.define('string', 'i', '')
        with self.assertRaises(own_flags.IllegalFlagValueError):
            self.define('integer', 'j', 'x')

    def test_reading_before_the_command_line_is_read(self):
        holder = self.define('integer', 'i', 1)
        self.assertRaises(own_flags.UnparsedFlagAccessError, lambda: self.flags.i)
        self.assertRaises(AttributeError, lambda: self.flags.j)
        self.read('--i=2')
        self.assertEqual((holder.value, holder.default, self.flags['i'].default), (2, 1, 1))

    def test_setting(self):
        self.define('integer', 'i', 1)
        self.read()
        self.flags.i = 7
        self.assertEqual(self.flags.i, 7)
        with self.assertRaises(own_flags.UnrecognizedFlagError):
            self.flags.j = 1

    def test_validators(self):
        self.define('integer', 'i', None)
        own_flags.mark_flag_as_required('i', self.flags)
        own_flags.register_validator('i', lambda i: i < 10, 'too large', self.flags)
        self.assert_refused(own_flags.IllegalFlagValueError,
                            'flag --i=None: Flag --i must have a value other than None.')
        self.read('--i=3')
        with self.assertRaisesRegex(own_flags.IllegalFlagValueError, 'flag --i=11: too large'):
            self.flags.i = 11
        self.assertEqual(self.flags.i, 3)


if __name__ == '__main__':
    unittest.main()
