"""Matches file names with `*`, `?` and `[...]` in the components of a path."""

import os
import re

_SPECIAL = re.compile(r'[*?\[\\]')
_TOKEN = re.compile(r'\\(.)|(\*+)|(\?)|\[([!^]?)(\]?[^\]]*)\]|(.)', re.DOTALL)


def _translate(match):
    escaped, star, question, negated, members, plain = match.groups()
    if star:
        return '.*'
    if question:
        return '.'
    if members:
        members = members.replace('\\', r'\\').replace('[', r'\[').replace(']', r'\]')
        return f'[{"^" if negated else ""}{members.replace("^", chr(92) + "^")}]'
    return re.escape(escaped or plain)


def _expression(part):
    return re.compile(_TOKEN.sub(_translate, part), re.DOTALL)


def _entries(folder):
    try:
        return os.listdir(folder or '.')
    except OSError:
        return []


def matches(pattern):
    """Returns the names of files and folders that match `pattern`, in the order of the file system."""
    if not pattern:
        return []
    first, *parts = pattern.split('/')
    found = _under([''], first, '')
    for part in parts:
        found = _under(found, part, '/')
    return [name for name in found if os.path.lexists(name)]


def _under(folders, part, separator):
    """Returns the entries of each of `folders` that match `part` of a pattern."""
    if not _SPECIAL.search(part):
        return [folder + separator + part for folder in folders]
    matching = _expression(part).fullmatch
    return [folder + separator + name for folder in folders
            for name in _entries(folder + separator) if matching(name)]
