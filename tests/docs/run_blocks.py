"""Runs the blocks of one page of the documentation in an empty folder.

usage: run_blocks.py ROOT BUILD [PAGE]

Without PAGE, checks that no page has a block with a language or a mark that tests do not know, and that the pages with
blocks to run are those that CMakeLists.txt names.

tests/docs/setup/PROGRAM.py runs before the Python program of that name and is a part of it. setup/PAGE_files.py (with _
for each / and without .md) writes the files that the commands of the page use. Programs in C++ with a main function,
which the build has compiled, run first, in their order.
"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from blocks import blocks, pages

HERE = pathlib.Path(__file__).resolve().parent
# Commands that run until they are interrupted. They must print a line, and end with a status of INTERRUPTED on Ctrl-C.
# A shell shows the end by the signal as 130, too.
ENDLESS = re.compile(r"^ramet (follow|publish|sync status .*--watch)(?!.*--(once|help))")
# Numbers and the text around them that differ from run to run in an output.
VARIES = [(re.compile(r"-?\d[\d.,]*(e[+-]?\d+)?"), "0"), (re.compile(r"\b(ns|µs|us|ms|s)\b"), "s"),
          (re.compile(r"\b(B|[KMGT]i?B)\b"), "B"), (re.compile(r"[ \t]+"), " ")]
# Commands in console blocks that end with 1 after they have shown a difference.
COMPARES = re.compile(r"^ramet diff(-graph)? ")
INTERRUPTED = (0, 130, -signal.SIGINT)
SECONDS = 120


def json_values(text):
    """Splits a text into its JSON objects and lists, which may take several lines, and the lines between these."""
    lines, decoder = text.split("\n"), json.JSONDecoder()
    while lines:
        rest = "\n".join(lines)
        if rest[:1] in ("{", "["):
            try:
                value, end = decoder.raw_decode(rest)
            except json.JSONDecodeError:
                pass
            else:
                yield value
                lines = rest[end:].lstrip("\n").split("\n") if rest[end:].strip() else []
                continue
        yield lines.pop(0)


def one_line(value):
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, ensure_ascii=False)


class Page:
    """Runs the blocks of a page. Names of shared memory get a suffix, so that tests can run at the same time."""

    def __init__(self, root, build, page, folder):
        self.root, self.build, self.folder = root, build, folder
        self.blocks = blocks(root, page)
        self.name = str(page.relative_to(root).with_suffix("")).replace(os.sep, "_")
        self.stem = page.stem
        self.suffix = f"-{os.getpid()}"
        self.background = []
        programs = folder / "bin"
        programs.mkdir()
        (programs / "python").symlink_to(sys.executable)
        self.environment = {
            **os.environ, "PATH": f"{programs}:{build / 'bin'}:{os.environ['PATH']}", "PYTHONPATH": str(build / "python"),
            "NO_COLOR": "1", "PYTHONUNBUFFERED": "1",
        }

    def unique(self, text):
        return re.sub(r"\bshm:(\w+)", rf"shm:\1{self.suffix}", text)

    def start(self, command, **options):
        return subprocess.Popen(command, cwd=self.folder, env=self.environment, text=True, start_new_session=True, **options)

    def call(self, where, command, statuses=(0,)):
        """Runs a command to its end and returns what it prints. Exits if it ends with a different status."""
        process = self.start(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        try:
            out, err = process.communicate(timeout=SECONDS)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            out, err = process.communicate()
            err += f"still running after {SECONDS} s"
        if process.returncode not in statuses:
            sys.exit(f"{where}: exit code {process.returncode}\n{command}\n{out}{err}")
        return out

    def file_of(self, program, code=""):
        """Writes a Python program after its setup, and returns its path."""
        setup = HERE / "setup" / f"{program}.py"
        path = self.folder / f"{program}.py"
        path.write_text(self.unique((setup.read_text(encoding="utf-8") if setup.exists() else "") + code), encoding="utf-8")
        return path

    def prepare(self):
        for program in sorted((self.build / "bin").glob(f"docs_{self.stem}_*"), key=lambda p: int(p.name.rsplit("_", 1)[1])):
            print(f"{program.name}: {self.call(program.name, [program]).strip()}")
        for block in self.blocks:
            named = re.match(r"(?://|#) +([\w.]+)\n", block.code)
            if block.language == "cpp" and named:
                (self.folder / named[1]).write_text(block.code, encoding="utf-8")
        if (HERE / "setup" / f"{self.name}_files.py").exists():
            self.serve(f"{self.name}_files", self.file_of(f"{self.name}_files"))

    def serve(self, name, path):
        """Starts a program, and waits until it prints "ready" or ends."""
        process = self.start([sys.executable, path], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL)
        self.background.append(process)
        line = process.stdout.readline()
        if line.strip() != "ready" and process.wait(SECONDS) != 0:
            sys.exit(f"{name}: exit code {process.returncode}")

    def run_python(self):
        programs = {}
        for block in self.blocks:
            if block.language == "python" and block.runs:
                programs.setdefault(block.program, []).append(block)
        for name, parts in programs.items():
            path = self.file_of(name, "\n".join(block.code for block in parts))
            if any(block.in_background for block in parts):
                self.background.append(self.start([sys.executable, path]))
            else:
                self.call(parts[0].where, [sys.executable, path])
            print(f"{name}.py: {len(parts)} blocks")

    def run_command(self, where, command, statuses=(0,)):
        command = self.unique(command)
        if not ENDLESS.match(command):
            return self.call(where, ["bash", "-euo", "pipefail", "-c", command], statuses)
        process = self.start(["bash", "-c", f"exec {command}"], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        timer = threading.Timer(SECONDS, os.killpg, (process.pid, signal.SIGKILL))
        timer.start()
        line = process.stdout.readline()
        timer.cancel()
        time.sleep(0.3)
        os.killpg(process.pid, signal.SIGINT)
        out, err = process.communicate(timeout=SECONDS)
        if not line or process.returncode not in INTERRUPTED:
            sys.exit(f"{where}: exit code {process.returncode}\n{command}\n{line}{out}{err}")
        return line + out

    def run_shell(self, block):
        commands = [line for line in block.code.replace("\\\n", " ").split("\n") if line.strip() and line[0] != "#"]
        for command in commands:
            self.run_command(block.where, command)
        print(f"{block.where}: {len(commands)} commands")

    def run_console(self, block):
        for part in re.split(r"^\$ ", block.code, flags=re.MULTILINE)[1:]:
            command, expected = part.split("\n", 1)
            statuses = (1,) if COMPARES.match(command) else (0,)
            found = self.run_command(block.where, command, statuses).replace(self.suffix, "")
            expected, found = (self.comparable(text) for text in (expected, found))
            for line in expected:
                if expected and line not in found:
                    sys.exit(f"{block.where}: {command}\nexpected a line like: {line}\nfound:\n" + "\n".join(found))
        print(f"{block.where}: the output is as shown")

    @staticmethod
    def comparable(text):
        text = "\n".join(one_line(value) for value in json_values(text))
        for pattern, replacement in VARIES:
            text = pattern.sub(replacement, text)
        return [line.strip() for line in text.split("\n") if line.strip()]

    def run_cmake(self, block):
        """Builds the project with an installed Ramet. Its sources are the C++ programs of the page."""
        prefix = self.folder / "prefix"
        self.call(block.where, ["cmake", "--install", self.build, "--prefix", prefix])
        self.environment["CMAKE_PREFIX_PATH"] = str(prefix)
        self.environment["PKG_CONFIG_PATH"] = str(next(prefix.glob("**/pkgconfig")))
        (self.folder / "CMakeLists.txt").write_text(block.code, encoding="utf-8")
        self.call(block.where, ["cmake", "-S", ".", "-B", "cmake"])
        self.call(block.where, ["cmake", "--build", "cmake"])
        print(f"{block.where}: built")

    def run(self):
        self.prepare()
        self.run_python()
        for block in self.blocks:
            if block.runs:
                step = {"sh": self.run_shell, "console": self.run_console, "cmake": self.run_cmake}.get(block.language)
                if step:
                    step(block)
                elif block.language == "json":
                    json.loads(block.code)

    def end(self):
        for process in self.background:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            elif process.returncode != 0:
                print(f"a program in the background ended with {process.returncode}", file=sys.stderr)


def check(root):
    listed = (HERE / "CMakeLists.txt").read_text(encoding="utf-8")
    names = re.search(r"foreach\(page (.*)\)", listed)[1].split()
    for page in pages(root):
        found = {block.language for block in blocks(root, page) if block.runs}
        name = str(page.relative_to(root).with_suffix(""))
        if found & {"python", "sh", "console", "cmake"} and name not in names:
            sys.exit(f"tests/docs/CMakeLists.txt: add {name}, which has blocks to run")


def main():
    root, build, *rest = (pathlib.Path(argument).resolve() for argument in sys.argv[1:])
    if not rest:
        return check(root)
    page = rest[0]
    folder = pathlib.Path(tempfile.mkdtemp())
    running = Page(root, build, page, folder)
    try:
        running.run()
    finally:
        running.end()
        shutil.rmtree(folder)


if __name__ == "__main__":
    main()
