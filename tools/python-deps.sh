#!/usr/bin/env bash
# python-deps.sh FOLDER: what the Python package needs of the `python3` that is first on PATH. numpy and
# protobuf are installed for it when it has none (Debian's packages for Debian's interpreter). What only
# the build needs goes to FOLDER: nanobind, and numpy 2 for its headers.
set -euo pipefail
tools=$1
here=$(cd "$(dirname "$0")" && pwd)

python=$(python3 -c 'import sys; print(sys.executable)')
has() { python3 -c "import $1" 2> /dev/null; }

packages=()
has numpy || packages+=(numpy)
has google.protobuf || packages+=(protobuf)
if [ "$python" = /usr/bin/python3 ]; then
  "$here/install-deps.sh" debian-python
elif [ ${#packages[@]} -gt 0 ]; then
  echo "Installing for $python: ${packages[*]}"
  python3 -m pip install --quiet --disable-pip-version-check "${packages[@]}"
fi

if [ ! -d "$tools/nanobind" ] || [ ! -d "$tools/numpy" ]; then
  echo "Installing nanobind and numpy's headers to $tools"
  python3 -m pip install --quiet --disable-pip-version-check --no-deps --upgrade --target "$tools" \
    'nanobind>=2.4' 'numpy>=2'
fi
