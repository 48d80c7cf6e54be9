#!/usr/bin/env bash
# Builds the wheel from a copy of the source tree, installs it into a fresh venv, removes the copy and runs a program
# with the installed package.
# run.sh SOURCE [PYTHON]
set -euo pipefail
source=$(cd "$1" && pwd)
python=${2:-python3}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

mkdir "$work/source" "$work/empty"
(cd "$source" && git ls-files -z --cached --others --exclude-standard | tar --null -c -T - --ignore-failed-read) |
  tar -x -C "$work/source"

"$python" -m venv "$work/venv"
"$work/venv/bin/pip" wheel --quiet --disable-pip-version-check --no-deps -w "$work/wheel" "$work/source"
rm -rf "$work/source"
wheel=$(echo "$work"/wheel/ramet-*.whl)
echo "$(basename "$wheel"), $(stat -c %s "$wheel") bytes"

env -u PYTHONPATH "$work/venv/bin/pip" install --quiet --disable-pip-version-check "$wheel"
"$work/venv/bin/pip" list --disable-pip-version-check --format=freeze
# Libraries that every Linux has may be the system's; all others must come from the package.
extension=$(echo "$work"/venv/lib/python*/site-packages/ramet/_core.*.so)
if ldd "$extension" | grep -v "$work/venv" | grep -vE 'linux-vdso|ld-linux|lib(c|m|stdc\+\+|gcc_s|z)\.so'; then
  echo "the wheel does not bundle the libraries above" >&2
  exit 1
fi
cd "$work/empty"
cp "$source/tests/wheel/program.py" .
env -u PYTHONPATH "$work/venv/bin/python" -m ramet program.py "$work/empty"
