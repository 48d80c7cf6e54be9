"""Writes the C++ blocks of README.md and docs/ to files that can be compiled.

usage: extract_blocks.py ROOT FOLDER

A block with a main function becomes FOLDER/programs/PAGE_LINE.cc as it is. A fragment becomes a function in
FOLDER/fragments/PAGE_LINE.cc, after tests/docs/preamble.h. A block that defines an op must be a part of a file in
ramet/ops. Prints the paths of the files.
"""

import pathlib
import re
import sys

from blocks import blocks, pages


def without_spaces(text):
    return re.sub(r"\s+", "", text)


def check_op(root, where, code):
    wanted = without_spaces(code)
    for path in (root / "ramet" / "ops").rglob("*.cc"):
        if wanted in without_spaces(path.read_text(encoding="utf-8")):
            return
    sys.exit(f"{where}: the op is not defined like this in ramet/ops")


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")
    print(path)


def main():
    root, folder = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
    for block in (block for page in pages(root) for block in blocks(root, page)):
        if block.language != "cpp" or not block.runs:
            continue
        name = re.sub(r"\W", "_", f"{block.page.stem}_{block.line}")
        located = f'#line {block.line} "{block.page}"\n{block.code}'
        if block.code.lstrip().startswith("RAMET_OP"):
            check_op(root, block.where, block.code)
        elif "int main(" in block.code:
            write(folder / "programs" / f"{name}.cc", located)
        else:
            write(folder / "fragments" / f"{name}.cc", f'#include "preamble.h"\n\nvoid {name}() {{\n{located}}}\n')


if __name__ == "__main__":
    main()
