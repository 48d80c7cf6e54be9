#!/usr/bin/env python3
"""Checks that the manual page of `ramet` says what its help says.

usage: check_man_page.py PROGRAM PAGE

Looks in the text of the page for each command, option and sentence of the help texts. Prints what is missing, and then
exits with 1.
"""

import re
import sys

import gen_man_page


def text_of(page):
    """Returns the text of the page without the requests and escapes of its format."""
    with open(page, encoding="utf-8") as file:
        raw = re.sub(r'^\.(B|SS) "(.*)"$', r"\2", file.read(), flags=re.MULTILINE)
    for escape, character in (("\\-", "-"), ("\\(aq", "'"), ("\\&", ""), ("\\e", "\\")):
        raw = raw.replace(escape, character)
    return re.sub(r"^\.[A-Za-z]+.*$", "", raw, flags=re.MULTILINE)


def words(text):
    return " ".join(text.split())


def wanted(program, *command):
    """Yields the texts that the page must have for a command and its subcommands."""
    found = gen_man_page.help_of(program, *command)
    yield found.description.strip().rstrip(".")[1:]
    for heading, entries in found.lists.items():
        for name, text in entries:
            yield name.replace(",", ", ", 1) if name.startswith("-") else name
            yield text
    for line in found.footer:
        yield re.sub(r"^(Exit codes|Environment|Examples):", "", line) if not command else line
    for name, _ in found.lists.get("Subcommands", []):
        yield from wanted(program, *command, name)


def main():
    program, page = sys.argv[1:]
    shown = words(text_of(page))
    missing = [text for text in wanted(program) if words(text) not in shown]
    for text in missing:
        print(f"{page}: not in the page, but in the help: {words(text)}")
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main())
