#!/usr/bin/env python3
"""Checks that classes are small: at most 20 methods and 10 fields.

Prints 'file:line: class NAME has N methods (limit 20)' for each finding and exits with 1 when there is one. Constructors,
destructors, operators and deleted functions do not count as methods, nor do structs without methods as classes. The
classes in tools/large_classes.txt, 'path NAME METHODS FIELDS', may have that many members and no more.

usage: check_classes.py [--list]
"""

import argparse
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
EXCEPTIONS = os.path.join(ROOT, "tools", "large_classes.txt")
FOLDERS = ("ramet", "clients")
MAX_METHODS, MAX_FIELDS = 20, 10
CLASS = re.compile(r"\b(class|struct)\s+(?:RAMET_\w+(?:\([^)]*\))?\s+)*([A-Za-z_]\w*(?:::\w+)*)(?:\s+final)?\s*(?::[^;{]*)?\{")
NOT_A_METHOD = re.compile(r"^(?:using|typedef|friend|static_assert|template|enum|public|private|protected|RAMET_)\b")


def without_text(source):
    """The source with comments, strings and preprocessor lines blanked out, in the same lines."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    source = re.sub(r'//[^\n]*|/\*.*?\*/|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', blank, source, flags=re.DOTALL)
    return re.sub(r"^\s*#(?:[^\n]*\\\n)*[^\n]*", blank, source, flags=re.MULTILINE)


def body_end(source, begin):
    depth = 1
    for at in range(begin, len(source)):
        depth += (source[at] == "{") - (source[at] == "}")
        if depth == 0:
            return at
    return len(source)


def members(body):
    """The declarations of a class body at its own level, without the bodies of functions and nested classes."""
    current, depth, parentheses = "", 0, 0
    for char in body:
        if char == "{":
            depth += 1
        if depth == 0:
            current += char
        parentheses += (char == "(") - (char == ")")
        if char == "}":
            depth -= 1
            if depth == 0 and "(" in current and not re.search(r"=\s*$", current):
                yield current
                current = ""
            continue
        if char == ";" and depth == 0 and parentheses == 0:
            yield current
            current = ""
        if char == ":" and depth == 0 and re.search(r"\b(public|private|protected):$", current):
            current = ""


def count(name, body):
    methods = fields = 0
    for member in members(body):
        text = " ".join(member.split()).strip("; ")
        text = re.sub(r"^template <.*?> ", "", text)
        if not text or NOT_A_METHOD.match(text) or "= delete" in text or re.match(r"(class|struct)\b[^()]*$", text):
            continue
        declared = re.sub(r"RAMET_\w+\([^()]*(?:\([^()]*\))?[^()]*\)", "", text)
        declared = re.sub(r"std::function<[^;]*?>(?=\s+\w+\s*(?:=|$))", "F", declared)
        before = declared.split("=")[0]
        if "(" in before or "operator" in declared:
            called = re.search(r"([~\w]+)\s*\(", before)
            if "operator" in declared or called is None or called.group(1).strip("~") == name.split("::")[-1]:
                continue
            methods += 1
        elif not re.match(r"(static\s+)?(inline\s+)?(static\s+)?constexpr\b|static\b", declared):
            fields += 1
    return methods, fields


def classes(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        source = without_text(file.read())
    for match in CLASS.finditer(source):
        body = source[match.end():body_end(source, match.end())]
        methods, fields = count(match.group(2), body)
        if methods > 0:
            yield source.count("\n", 0, match.start()) + 1, match.group(2), methods, fields


def sources():
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(ROOT, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".h", ".cc")) and not re.search(r"_test\.cc$|\.gen\.", name) and "/testing" not in path:
                    yield os.path.relpath(os.path.join(path, name), ROOT)


def exceptions():
    if not os.path.exists(EXCEPTIONS):
        return {}
    with open(EXCEPTIONS, encoding="utf-8") as file:
        rows = [line.split() for line in file if line.strip() and not line.startswith("#")]
    return {(row[0], row[1]): (int(row[2]), int(row[3])) for row in rows}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--list", action="store_true", help="print the classes over the limits as exceptions")
    options = parser.parse_args()
    allowed = {} if options.list else exceptions()
    failed = False
    for path in sources():
        for line, name, methods, fields in classes(path):
            max_methods, max_fields = allowed.get((path, name), (MAX_METHODS, MAX_FIELDS))
            if methods <= max_methods and fields <= max_fields:
                continue
            failed = True
            if options.list:
                print(path, name, max(methods, MAX_METHODS), max(fields, MAX_FIELDS))
                continue
            if methods > max_methods:
                print(f"{path}:{line}: class {name} has {methods} methods (limit {max_methods})")
            if fields > max_fields:
                print(f"{path}:{line}: class {name} has {fields} fields (limit {max_fields})")
    return 1 if failed and not options.list else 0


if __name__ == "__main__":
    sys.exit(main())
