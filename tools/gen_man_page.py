#!/usr/bin/env python3
"""Prints the manual page of the program `ramet`, made from its help texts.

usage: gen_man_page.py PROGRAM

Runs PROGRAM --help, and --help of each command. All sentences of the page come from there.
"""

import re
import subprocess
import sys
from dataclasses import dataclass, field

# Headings of the help's last part that become sections of their own in the manual page.
SECTIONS = {"Examples": "EXAMPLES", "Exit codes": "EXIT STATUS", "Environment": "ENVIRONMENT"}
HEADING = re.compile(r"^([A-Z][A-Za-z ]*):$")


@dataclass
class Help:
    """The parts of one help text."""

    description: str = ""
    usage: str = ""
    lists: dict = field(default_factory=dict)  # {"Options": [(name, text), ...], ...}
    footer: list = field(default_factory=list)


def entries(lines):
    """Splits the lines of a list, which start with two spaces, into pairs of name and text."""
    found = []
    for line in lines:
        if not line.startswith("   "):
            name, _, text = line.strip().partition("  ")
            found.append([name, text.strip()])
        else:
            found[-1][1] = f"{found[-1][1]} {line.strip()}".strip()
    return [(name, text) for name, text in found]


def parse(text):
    """Returns the Help of a text that CLI11 has formatted."""
    lines = text.rstrip().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("Usage:"))
    found = Help(description=" ".join(lines[:start]), usage=lines[start].removeprefix("Usage:").strip())
    at = start + 1
    while at < len(lines):
        heading = HEADING.match(lines[at])
        if lines[at].strip() and not (heading and heading[1] not in SECTIONS):
            found.footer = lines[at:]
            break
        at += 1
        if heading:
            end = at
            while end < len(lines) and lines[end].startswith("  "):
                end += 1
            found.lists[heading[1]] = entries(lines[at:end])
            at = end
    return found


def escaped(text):
    text = text.replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\n".join("\\&" + line if line.startswith(".") else line for line in text.split("\n"))


def bold(name):
    return f'.B "{escaped(name)}"'


def listed(found):
    """Returns the positionals and options as tagged paragraphs."""
    lines = []
    for heading in ("Positionals", "Options"):
        for name, text in found.lists.get(heading, []):
            lines += [".TP", bold(name.replace(",", ", ", 1) if name.startswith("-") else name), escaped(text)]
    return lines


def verbatim(lines):
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    return [".PP", ".nf", ".RS", *(escaped(line.removeprefix("  ")) for line in lines), ".RE", ".fi"]


def paragraphs(lines):
    """Returns the text of a footer: paragraphs, and indented lines as they are."""
    out, at = [], 0
    while at < len(lines):
        end = at + 1
        if lines[at].startswith("  "):
            while end < len(lines) and (lines[end].startswith("  ") or not lines[end].strip()):
                end += 1
            out += verbatim(lines[at:end])
        elif lines[at].strip():
            while end < len(lines) and lines[end].strip() and not lines[end].startswith("  ") and not HEADING.match(lines[end]):
                end += 1
            out += [".PP", escaped(" ".join(lines[at:end]))]
        at = end
    return out


def sections(footer):
    """Splits the footer of the whole program at the headings of SECTIONS. Returns {heading or '': lines}."""
    found = {"": []}
    current, after_blank = found[""], True
    for line in footer:
        label, _, rest = line.partition(":")
        if label in SECTIONS:
            current = found.setdefault(label, [])
            line = rest.strip()
        elif after_blank and line.strip() and not line.startswith("  "):
            current = found[""]
        current.append(line)
        after_blank = not line.strip() and label not in SECTIONS
    return found


def help_of(program, *command):
    return parse(subprocess.run([program, *command, "--help"], check=True, capture_output=True, text=True).stdout)


def command_pages(program, *command):
    """Returns the text about a command and its subcommands."""
    found = help_of(program, *command)
    usage = found.usage.replace("SUBCOMMAND", "COMMAND")
    if not usage.startswith("ramet"):
        usage = " ".join(["ramet", *command]) + usage.removeprefix(command[-1])
    lines = [f'.SS "{escaped(usage)}"', escaped(found.description), *listed(found), *paragraphs(found.footer)]
    for name, _ in found.lists.get("Subcommands", []):
        lines += command_pages(program, *command, name)
    return lines


def page(program):
    version = subprocess.run([program, "--version"], check=True, capture_output=True, text=True).stdout.strip()
    found = help_of(program)
    parts = sections(found.footer)
    summary = found.description.strip().rstrip(".")
    lines = [
        '.\\" Generated by tools/gen_man_page.py from the help texts of the program.',
        f'.TH RAMET 1 "" "{escaped(version)}" "User Commands"',
        ".SH NAME", f"ramet \\- {escaped(summary[0].lower() + summary[1:])}",
        ".SH SYNOPSIS", ".B ramet", "[OPTIONS] COMMAND [OPTIONS] [ARGUMENTS]",
        ".SH DESCRIPTION", *paragraphs(parts.pop(""))[1:],
        ".SH OPTIONS", *listed(found),
        ".SH COMMANDS",
    ]
    for name, text in found.lists["Subcommands"]:
        lines += [".TP", bold(name), escaped(text)]
    for name, _ in found.lists["Subcommands"]:
        lines += command_pages(program, name)
    for heading, text in parts.items():
        lines += [f".SH {SECTIONS[heading]}", *paragraphs(text)]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    print(page(sys.argv[1]), end="")
