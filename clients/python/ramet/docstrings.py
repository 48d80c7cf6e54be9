"""Docstrings of functions that resemble each other: what they share is written once."""

import inspect
import re

_SECTION = re.compile(r'(Args|Attributes|Returns|Yields|Raises):$')
_ENTRY = re.compile(r'  (\*{0,2}\w+(?:, \*{0,2}\w+)*): ')


def _sections(text):
    """Splits a docstring into [(name of the section, lines)]. The text before the first section has the name ''."""
    sections = [('', [])]
    for line in inspect.cleandoc(text or '').split('\n'):
        header = _SECTION.match(line)
        if header:
            sections.append((header.group(1), []))
        else:
            sections[-1][1].append(line)
    return sections


def _entries(lines):
    """Maps the names in a section Args to the lines that describe them."""
    entries, lines_of_entry = {}, []
    for line in lines:
        entry = _ENTRY.match(line)
        if entry:
            lines_of_entry = []
            for name in entry.group(1).split(', '):
                entries[name] = lines_of_entry
        if line.strip():
            lines_of_entry.append(line)
    return entries


def described_parameters(symbol):
    """Maps the names of the parameters that a docstring describes to the lines that describe them.

    Args:
      symbol: a function, or a class, whose parameters may also be described in its constructor.
    """
    texts = [symbol.__doc__]
    if isinstance(symbol, type):
        texts.append(symbol.__init__.__doc__)
    found = {}
    for text in texts:
        for name, lines in _sections(text):
            if name == 'Args':
                found = {**_entries(lines), **found}
    return found


def parameters(symbol):
    """Returns the names of the public parameters of a callable as a docstring writes them: name, *args, **kwargs.

    Args:
      symbol: a function or class.
    """
    names = []
    for parameter in inspect.signature(symbol).parameters.values():
        stars = {parameter.VAR_POSITIONAL: '*', parameter.VAR_KEYWORD: '**'}.get(parameter.kind, '')
        if not parameter.name.startswith(('_', 'unused')):
            names.append(stars + parameter.name)
    return names


def with_args_of(*sources):
    """Returns a decorator that adds the descriptions of parameters that a docstring lacks.

    Args:
      *sources: functions and classes whose docstrings describe parameters with the same names and meanings. The
        first description found is used.

    Returns:
      A decorator for a function or class. The section Args of its docstring gets the order of the signature.
    """

    def decorate(symbol):
        if symbol.__doc__ is None:  # python -OO
            return symbol
        known = {}
        for source in (symbol, *sources):
            known = {**described_parameters(source), **known}
        lines = []
        for name in parameters(symbol):
            if name in known and known[name] not in lines:
                lines.append(known[name])
        sections = [(name, text) for name, text in _sections(symbol.__doc__) if name != 'Args']
        summary = '\n'.join(sections[0][1]).rstrip()
        args = ['Args:', *(line for entry in lines for line in entry)]
        rest = ['\n'.join([f'{name}:', *text]).rstrip() for name, text in sections[1:]]
        symbol.__doc__ = '\n\n'.join([summary, '\n'.join(args), *rest]) + '\n'
        return symbol

    return decorate


def named(name, text):
    """Returns a decorator that makes a function of a table look like one that was written by itself.

    Args:
      name: the name of the function in its module.
      text: its docstring.
    """

    def decorate(function):
        function.__name__ = function.__qualname__ = name
        function.__doc__ = text
        return function

    return decorate
