#!/usr/bin/env python3
"""Checks that comments, docstrings, messages and docs are written in plain English.

Prints 'file:line: the rule: the text' for each finding and exits with 1 when there is one. The rules:
  - a comment, docstring or sentence that starts with What, Whether, Who, Where, Of, As, Those, Likewise or "The same"
    in the place of a noun or a verb
  - "is no scalar" for "is not a scalar"
  - "who" for threads, processes and callers
  - words that a reader has to translate (WORDS)
Lines of tools/english_allowed.txt, 'path: part of the text', are the exceptions.

usage: check_english.py [--count] [PATH...]
"""

import argparse
import ast
import collections
import io
import os
import re
import subprocess
import sys
import tokenize

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ALLOWED = os.path.join(ROOT, "tools", "english_allowed.txt")
GENERATED = re.compile(r"\.gen\.|(^|/)(corpus|data)/|\.pbtxt$|^proto/|^tools/check_english|^LICENSE")

OPENER = re.compile(
    r"(?:^|(?<=[.;!?] ))(?:What|Whether|Who|Whoever|Whose|Where|Of|As|Those|Likewise|The same)\b(?![^.?!]{0,120}\?)"
    r"(?!(?: a result| an example| long as| soon as| of (?:version|\d)| in TensorFlow| possible| with TensorFlow| usual)\b|$)")
IS_NO = re.compile(r"(?<!there )(?<!There )\b(?:is|are|was|were) no(?! longer\b| more\b| less\b| fewer\b| lower\b"
                   r"| slower\b| later\b| earlier\b| larger\b| smaller\b| greater\b| worse\b| better\b|[-\w])")
WHO = re.compile(r"(?<!people )(?<!users )(?<!user )(?<!readers )(?<!reader )(?<!anyone )(?<!someone )(?<!person )"
                 r"(?<!everyone )(?<!engineers )(?<!maintainers )(?<!attacker )(?<!newcomer )\b[Ww]ho(?:ever|m)?\b")
WORDS = re.compile(r"\b(?:anew|beside|in the place of|to be had|for ever|thereby|whence|hitherto|kMost\w*|kLeast\w*"
                   r"|kLongest\w*|one's own|all the same|at the begin|likewise)\b")
RULES = (("opener", OPENER), ("is no", IS_NO), ("who", WHO), ("word", WORDS))

CPP_TOKEN = re.compile(r'//(?P<comment>[^\n]*)|/\*(?P<block>.*?)\*/|R"(?P<delim>\w*)\((?P<raw>.*?)\)(?P=delim)"'
                       r'|"(?P<string>(?:[^"\\\n]|\\.)*)"|\'(?:[^\'\\\n]|\\.)+\'', re.DOTALL)


def joined(pieces):
    """Pieces [(line, text, column)] of one kind: those on adjoining lines, in one column, become one piece."""
    blocks = []
    for line, text, column in pieces:
        if blocks and blocks[-1][2] == line - 1 and blocks[-1][3] == column:
            blocks[-1][1].append(text)
            blocks[-1][2] = line
        else:
            blocks.append([line, [text], line, column])
    return [(block[0], block[1]) for block in blocks]


def cpp_pieces(text):
    comments, strings = [], []
    starts = [0] + [match.end() for match in re.finditer("\n", text)]
    line, position = 1, 0
    for match in CPP_TOKEN.finditer(text):
        line += text.count("\n", position, match.start())
        position = match.start()
        column = match.start() - starts[line - 1]
        if match.group("comment") is not None:
            whole = text[starts[line - 1]:match.start()].strip() == ""
            comments.append((line, match.group("comment").strip(), column if whole else -line))
        elif match.group("block") is not None:
            strings.append((line, match.group("block").split("\n")))
        elif match.group("raw") is not None:
            strings.append((line, match.group("raw").split("\n")))
        elif match.group("string") and text[starts[line - 1]:match.start()].strip() != "#include":
            strings.append((line, [match.group("string").replace('\\n', ' ')]))
    return joined(comments) + strings


def python_pieces(text):
    comments, strings = [], []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            whole = token.line[:token.start[1]].strip() == ""
            comments.append((token.start[0], token.string.lstrip("#!").strip(), token.start[1] if whole else -token.start[0]))
        elif token.type == tokenize.STRING and not token.string.lower().startswith(("b", "rb", "br", "f", "rf", "fr")):
            strings.append((token.start[0], str(ast.literal_eval(token.string)).split("\n")))
        elif token.type == tokenize.STRING:
            strings.append((token.start[0], token.string.strip("fFrRbB\"'").split("\n")))
    return joined(comments) + strings


def hash_pieces(text):
    return joined([(number, line.strip().lstrip("#!").strip(), 0) for number, line in enumerate(text.split("\n"), 1)
                   if line.lstrip().startswith("#")])


def markdown_pieces(text):
    """Paragraphs, list items and table cells; the comments of fenced code."""
    pieces, fenced, current = [], False, None
    for number, line in enumerate(text.split("\n"), 1):
        line = line.strip()
        if line.startswith("```"):
            fenced, current = not fenced, None
            continue
        if fenced:
            comment = re.search(r"(?:#|//) (.*)", line)
            if comment:
                pieces.append((number, [comment.group(1)]))
            continue
        if line.startswith("|"):
            pieces += [(number, [cell.strip()]) for cell in line.strip("|").split("|")]
            current = None
        elif not line:
            current = None
        elif current is not None and not re.match(r"(?:[-*#>]|\d+\.) ", line):
            current.append(line)
        else:
            current = [re.sub(r"^(?:[-*#>]+|\d+\.) +", "", line)]
            pieces.append((number, current))
    return pieces


PARSERS = {".h": cpp_pieces, ".cc": cpp_pieces, ".py": python_pieces, ".md": markdown_pieces, ".txt": hash_pieces,
           ".cmake": hash_pieces, ".sh": hash_pieces, "": hash_pieces}


def findings(path, text):
    """(line, rule, the text around it), a generator."""
    parser = PARSERS.get(os.path.splitext(path)[1])
    for first, lines in parser(text) if parser else ():
        whole = re.sub(r"`[^`]*`", lambda match: "`" + "x" * (len(match.group()) - 2) + "`", "\n".join(lines))
        flat = whole.replace("\n", " ")
        for rule, pattern in RULES:
            for match in pattern.finditer(flat):
                line = first + whole.count("\n", 0, match.start())
                yield line, rule, flat[max(0, match.start() - 20):match.end() + 50].strip()


def allowed():
    if not os.path.exists(ALLOWED):
        return []
    with open(ALLOWED, encoding="utf-8") as file:
        return [tuple(line.rstrip("\n").split(": ", 1)) for line in file if ": " in line and not line.startswith("#")]


def walked():
    """All files but those in hidden and build folders: for a copy of the tree that is not a repository."""
    for path, folders, names in os.walk(ROOT):
        folders[:] = [folder for folder in folders if not folder.startswith((".", "build", "__pycache__"))]
        yield from (os.path.relpath(os.path.join(path, name), ROOT) for name in names)


def tracked(paths):
    listed = subprocess.run(["git", "ls-files", "-co", "--exclude-standard"], cwd=ROOT, check=False,
                            capture_output=True, text=True)
    files = listed.stdout.splitlines() if listed.returncode == 0 else walked()
    wanted = [os.path.normpath(path) for path in paths]
    return sorted(path for path in set(files) if not GENERATED.search(path) and
                  any(want == "." or path == want or path.startswith(want + os.sep) for want in wanted))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--count", action="store_true", help="print how many findings each folder has")
    parser.add_argument("paths", nargs="*", default=["."])
    options = parser.parse_args()
    exceptions = allowed()
    counts = collections.Counter()
    for path in tracked(options.paths):
        try:
            with open(os.path.join(ROOT, path), encoding="utf-8") as file:
                text = file.read()
        except (UnicodeDecodeError, FileNotFoundError):
            continue
        for line, rule, around in findings(path, text):
            if any(path == where and part in around for where, part in exceptions):
                continue
            counts[os.path.dirname(path), rule] += 1
            if not options.count:
                print(f"{path}:{line}: {rule}: {around}")
    if options.count:
        for (folder, rule), number in sorted(counts.items()):
            print(f"{number:5} {rule:7} {folder}")
        print(f"{sum(counts.values()):5} in all")
    return 1 if counts else 0


if __name__ == "__main__":
    sys.exit(main())
