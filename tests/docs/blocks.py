"""The code blocks of README.md, CONTRIBUTING.md and docs/, and the marks that say how tests run them.

A mark is a comment on the line above a block:

    <!-- run: as NAME -->                     the block belongs to the program NAME instead of the page's own program
    <!-- run: as NAME, in the background -->  as above; the program runs until the page's other programs have ended
    <!-- run: no, REASON -->                  the block is not run

Without a mark, the blocks of a page with the same language are one program.
"""

import dataclasses
import pathlib
import re

# How a block is tested, by the language after ```.
LANGUAGES = {
    "cpp": "compiled (extract_blocks.py), and run if it has a main function",
    "python": "run (run_blocks.py)",
    "sh": "each command is run",
    "console": "each command is run, and its output compared",
    "cmake": "configured and built as a project",
    "json": "parsed",
    "pycon": "run by clients/python/tests/test_docs.py",
    "text": "not run",
}
BLOCK = re.compile(r"^(?:<!-- run: (?P<mark>.*?) -->\n)?```(?P<language>.*)\n(?P<code>(?s:.*?))^```$", re.MULTILINE)


@dataclasses.dataclass
class Block:
    page: pathlib.Path
    where: str  # "docs/clones.md:12", the line of the first line of code
    line: int
    language: str
    code: str
    mark: str

    @property
    def runs(self):
        return not self.mark.startswith("no, ")

    @property
    def program(self):
        """The name of the program that the block belongs to."""
        return re.sub(r"^as |, in the background$", "", self.mark) or self.page.stem

    @property
    def in_background(self):
        return self.mark.endswith(", in the background")


def pages(root):
    return [root / "README.md", root / "CONTRIBUTING.md", *sorted((root / "docs").rglob("*.md"))]


def blocks(root, page):
    """Returns the blocks of a page in their order. Raises ValueError for a language or a mark that is not known."""
    text = page.read_text(encoding="utf-8")
    found = []
    for match in BLOCK.finditer(text):
        line = text.count("\n", 0, match.start("code")) + 1
        block = Block(page, f"{page.relative_to(root)}:{line}", line, match["language"], match["code"], match["mark"] or "")
        if block.language not in LANGUAGES:
            raise ValueError(f"{block.where}: '{block.language}' is not one of the languages {', '.join(LANGUAGES)}")
        if block.mark and not re.fullmatch(r"no, .{10,}|as [\w-]+(, in the background)?", block.mark):
            raise ValueError(f"{block.where}: '{block.mark}' is not a mark that tests/docs/blocks.py describes")
        found.append(block)
    return found
