#!/usr/bin/env python3
"""Checks which headers are included where, and the lengths of files and functions.

Prints 'file:line: message' for each finding and exits with 1 if there is one. It finds
  - an #include with ../ in it
  - an #include of another layer's internal/ folder
  - an #include through which a layer reaches a header that only other layers use (OWNED)
  - an #include of a Ramet header other than ramet/ramet.h in clients/, examples/ or tests/install, except that tests
    may include headers in the testing/ folders of layers
  - an #include of a third-party header in a header that ramet/ramet.h includes, directly or indirectly
  - a file of more than 800 lines, or a function of more than 100 lines without a reason after 'long:' in the comment
    above it (except in the generated files *.gen.h and *.gen.cc)
"""

import argparse
import os
import re
import sys

FILE_BUDGET = 800
FUNCTION_BUDGET = 100
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')
THIRD_PARTY = re.compile(r"^(google/|Eigen/|unsupported/Eigen|oneapi/|dnnl|leveldb/|snappy|spdlog/|fmt/|nlohmann/|CLI/|hiredis/|openssl/|zstd|xxhash|zlib|png|jpeglib|gif_lib|re2/|unicode/)")
USERS = ("clients/", "examples/", "tests/install/")
# Headers of implementations, and the layers that use them.
OWNED = {"ramet/graph/graph_impl.h": ("graph", "graph_def")}
FOLDERS = ("ramet", "clients", "examples", "bench", "tests")


def sources(root):
    for folder in FOLDERS:
        for path, folders, names in os.walk(os.path.join(root, folder)):
            folders.sort()
            for name in sorted(names):
                if name.endswith((".h", ".cc")):
                    yield os.path.relpath(os.path.join(path, name), root)


def read_lines(root, path):
    with open(os.path.join(root, path), encoding="utf-8") as file:
        return file.read().splitlines()


def layers(root):
    """Returns the folders of the layers, such as `ops/math`, from ramet/CMakeLists.txt."""
    text = "\n".join(read_lines(root, "ramet/CMakeLists.txt"))
    return re.findall(r"^\s*ramet_layer\(\s*([\w/]+)", text, re.MULTILINE)


def layer_of(path, names):
    """Returns the layer with the deepest folder that contains `path` (ramet/...), or ''."""
    held = [name for name in names if path.startswith(f"ramet/{name}/")]
    return max(held, key=len, default="")


def includes(lines):
    for number, line in enumerate(lines, 1):
        match = INCLUDE.match(line)
        if match:
            yield number, match.group(1), match.group(2)


def check_includes(path, lines, names):
    own = layer_of(path, names)
    for number, bracket, header in includes(lines):
        if "../" in header:
            yield number, f'#include "{header}": write the path from the root, "ramet/<layer>/<file>.h"'
        if "/internal/" in header and layer_of(header, names) != own:
            yield number, f'#include "{header}": internal/ is private to the layer \'{layer_of(header, names)}\''
        of_ramet = header.startswith("ramet/") and header != "ramet/ramet.h"
        for_tests = path.endswith("_test.cc") and "/testing/" in header
        if path.startswith(USERS) and of_ramet and not for_tests:
            yield number, f'#include "{header}": users of the library include only ramet/ramet.h'


def reached_headers(root, path, known):
    """Returns the Ramet headers that `path` includes, directly or indirectly, and itself."""
    if path not in known:
        known[path] = {path}
        if os.path.exists(os.path.join(root, path)):
            for _, _, header in includes(read_lines(root, path)):
                if header.startswith("ramet/"):
                    known[path] |= reached_headers(root, header, known)
    return known[path]


def check_owned(root, path, lines, names, known):
    own = layer_of(path, names)
    for number, _, header in includes(lines):
        reached = reached_headers(root, header, known) if header.startswith("ramet/") else ()
        for owned, layers_of_it in OWNED.items():
            if own and own not in layers_of_it and owned in reached:
                yield number, (f'#include "{header}" reaches {owned}, which only the layers '
                               f'{" and ".join(layers_of_it)} use')


def public_headers(root):
    queue, seen = ["ramet/ramet.h"], []
    while queue:
        path = queue.pop()
        if path in seen or not os.path.exists(os.path.join(root, path)):
            continue
        seen.append(path)
        queue += [header for _, _, header in includes(read_lines(root, path)) if header.startswith("ramet/")]
    return seen


def check_public_header(lines):
    for number, bracket, header in includes(lines):
        if THIRD_PARTY.match(header) or header.endswith(".pb.h"):
            yield number, f"#include {header}: a public header must not include a third-party header"


def check_lengths(lines):
    if len(lines) > FILE_BUDGET:
        yield 1, f"{len(lines)} lines, the limit is {FILE_BUDGET}: split it where a reader would look for the parts"
    for first, last in functions(lines):
        above = "\n".join(lines[max(0, first - 6):first])
        if last - first + 1 > FUNCTION_BUDGET and "long:" not in above:
            yield first + 1, (f"function of {last - first + 1} lines, the limit is {FUNCTION_BUDGET}: "
                              "split it, or give the reason in a comment '// long: ...' above it")


def functions(lines):
    """Yields the first and last line index of each function that starts in column 0, as clang-format formats them."""
    start = first = None
    for index, line in enumerate(lines):
        if first is not None:
            if line.startswith("}"):
                yield first, index
                start = first = None
            continue
        if re.match(r"[A-Za-z_]", line):
            start = index
        if start is not None and line.endswith("{"):
            head = " ".join(lines[start:index + 1])
            if is_signature(head):
                first = start
            else:
                start = None
        elif line.endswith(";"):
            start = None


def is_signature(head):
    """Reports whether `head`, which ends in {, begins a function rather than a type or a lambda argument."""
    other = re.match(r"(namespace|extern|class|struct|union|enum|typedef|using)\b", head)
    return not other and "(" in head and head.count("(") == head.count(")")


def findings(root):
    names = layers(root)
    public = set(public_headers(root))
    known = {}
    for path in sources(root):
        lines = read_lines(root, path)
        found = list(check_includes(path, lines, names))
        found += check_owned(root, path, lines, names, known)
        if ".gen." not in os.path.basename(path):
            found += check_lengths(lines)
        if path in public:
            found += check_public_header(lines)
        for number, message in found:
            yield f"{path}:{number}: {message}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
    found = list(findings(parser.parse_args().root))
    for line in found:
        print(line)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
