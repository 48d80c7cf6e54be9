"""Every public function and class that is written in Python documents its parameters, in one layout.

  Args:
    name: what it is. Long descriptions continue
      with two more spaces.

  Returns:
    What the function returns.

  Raises:
    ValueError: when it is raised.
"""

import inspect
import re
import unittest

from ramet.compat import namespace

from ramet import docstrings

SECTIONS = 'Args|Attributes|Returns|Yields|Raises'
HEADER = re.compile(rf'( *)({SECTIONS}):$')
ENTRY = re.compile(r'(\*{0,2}\w[\w.]*(?:, \*{0,2}\w[\w.]*)*): ?\S')
# A method whose parameters are those of another one may refer to it.
REFERS = re.compile(r'\b(see|like|as) [\w`(]', re.IGNORECASE)


def layout_problems(text):
    """Yields the differences between a docstring and the layout."""
    section, begun = None, False
    for line in inspect.cleandoc(text).split('\n')[1:]:
        header = HEADER.match(line)
        indent = len(line) - len(line.lstrip())
        if header:
            if header.group(1):
                yield f'the section {header.group(2)} is indented by {indent} spaces'
            section, begun = header.group(2), False
        elif line.strip() and section is not None:
            if indent == 0:
                section = None
            elif indent < 2 or (not begun and indent != 2):
                yield f'{line.strip()[:40]!r} is indented by {indent} spaces'
            elif section == 'Args' and indent == 2 and not ENTRY.match(line.strip()):
                yield f"{line.strip()[:40]!r} does not begin with 'NAME: '"
            begun = True


def parameter_problems(names, described):
    """Yields the differences between the parameters of a callable and those that its docstring describes."""
    for name in names:
        if name not in described:
            yield f'Args lacks {name}'
    for name in described:
        if name not in names:
            yield f'Args describes {name}, which is not a parameter'


def problems_of_method(method, bound):
    """Yields the problems of a public method of a public class.

    Args:
      method: the function.
      bound: the method as an attribute of its class or of an instance, without `self` or `cls`.
    """
    if not method.__doc__:
        if not inspect.getdoc(method):
            yield 'no docstring'
        return
    yield from layout_problems(method.__doc__)
    described = docstrings.described_parameters(method)
    if described or not REFERS.search(method.__doc__.split('\n\n')[0]):
        yield from parameter_problems(bound, described)


def names_without_self(function, member):
    names = docstrings.parameters(function)
    return names if isinstance(member, staticmethod) else names[1:]


def problems_of_class(cls):
    """Yields (name, problem) for a public class and its public methods."""
    if not cls.__doc__:
        yield cls.__name__, 'no docstring'
        return
    for text in (cls.__doc__, cls.__init__.__doc__ if '__init__' in vars(cls) else None):
        for problem in layout_problems(text or ''):
            yield cls.__name__, problem
    if inspect.isfunction(vars(cls).get('__init__')):
        for problem in parameter_problems(docstrings.parameters(cls), docstrings.described_parameters(cls)):
            yield cls.__name__, problem
    for name, member in vars(cls).items():
        function = getattr(member, '__func__', member)
        if inspect.isfunction(function) and not name.startswith('_'):
            for problem in problems_of_method(function, names_without_self(function, member)):
                yield f'{cls.__name__}.{name}', problem


def problems_of(symbol):
    """Yields (name, problem) for a public function or class."""
    if inspect.isclass(symbol):
        yield from problems_of_class(symbol)
    elif not symbol.__doc__:
        yield symbol.__name__, 'no docstring'
    else:
        for problem in layout_problems(symbol.__doc__):
            yield symbol.__name__, problem
        for problem in parameter_problems(docstrings.parameters(symbol), docstrings.described_parameters(symbol)):
            yield symbol.__name__, problem


def public_symbols():
    """Returns the public functions and classes that are written in Python, each once."""
    found = {}
    for path, target in namespace.known_names().items():
        if not target.startswith(('gen:', 'core.', '=')) and not target.endswith((':', '=')):
            symbol = namespace.find(path)
            if inspect.isclass(symbol) or inspect.isfunction(symbol):
                found[id(symbol)] = symbol
    return list(found.values())


class DocstringsTest(unittest.TestCase):
    def test_public_functions_and_classes(self):
        symbols = public_symbols()
        self.assertGreater(len(symbols), 500)
        problems = [f'{symbol.__module__}: {name}: {problem}' for symbol in symbols
                    for name, problem in problems_of(symbol)]
        self.assertEqual(problems, [], '\n'.join(problems))

    def test_a_parameter_without_description_is_found(self):
        def function(a, b=1, *, c=None, **others):
            """Does something.

            Args:
              a: a number.
              d: a number.
            """

        self.assertEqual(list(problems_of(function)), [
            ('function', 'Args lacks b'), ('function', 'Args lacks c'), ('function', 'Args lacks **others'),
            ('function', 'Args describes d, which is not a parameter')])

    def test_a_different_layout_is_found(self):
        text = 'Does something.\n\n  Args:\n      a: a number.\n    and more\n\n    Returns:\n    A number.\n'
        self.assertEqual(list(layout_problems(text)), [
            "'a: a number.' is indented by 4 spaces", "'and more' does not begin with 'NAME: '",
            'the section Returns is indented by 2 spaces'])

    def test_shared_descriptions_are_written_once(self):
        def source(a, b):
            """Does something.

            Args:
              a, b: numbers
                of any kind.
            """

        @docstrings.with_args_of(source)
        def function(c, b, a):
            """Does something else.

            Args:
              c: a text.

            Returns:
              A number.
            """

        self.assertEqual(function.__doc__, (
            'Does something else.\n\nArgs:\n  c: a text.\n  a, b: numbers\n    of any kind.\n\n'
            'Returns:\n  A number.\n'))


if __name__ == '__main__':
    unittest.main()
